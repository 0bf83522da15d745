//! What drives a character, as scenes spell it: a `controller`, or several as `[[character.layer]]`.

use std::sync::Arc;

use stuntlab_control::{Casting, Controller, Kind, Maker, Refusal, layers};
use stuntlab_mocap::character::Character as Mocap;

use super::{Fields, SceneError};
use crate::registry::Registry;

/// What drives a character: a kind with its settings.
#[derive(Clone, Debug)]
pub struct ControllerSpec {
    name: &'static str,
    maker: Arc<dyn Maker>,
}

impl ControllerSpec {
    /// A kind with the settings it has where none are written.
    ///
    /// # Errors
    /// A kind that needs some.
    pub fn usual(kind: &Kind) -> Result<Self, SceneError> {
        Ok(Self { name: kind.name, maker: kind.usual()? })
    }

    /// Name of the kind, as scenes spell it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Where a character without a motion starts.
    pub(super) fn start(&self, figure: Option<&Arc<Mocap>>) -> Result<Option<Vec<f64>>, Refusal> {
        self.maker.start(figure)
    }

    /// The controller, for a character.
    pub(crate) fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        self.maker.make(casting)
    }
}

/// Reads the table `controller` of a character, or its layers.
pub(super) fn read(fields: &Fields<'_>, registry: &Registry) -> Result<ControllerSpec, SceneError> {
    match layers::read_driver(fields, &registry.stock())? {
        Some((name, maker)) => Ok(ControllerSpec { name, maker }),
        None => ControllerSpec::usual(&stuntlab_control::controller::IDLE),
    }
}
