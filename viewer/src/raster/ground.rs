//! The ground as a standing camera sees it, kept from picture to picture.
//!
//! Grounds and sky fill most of a picture and do not move. What is seen of them (depth, normal, material, pattern) and their colours
//! in full light are kept as soon as a picture is seen the same way as the one before, and taken from there afterwards. Both ways
//! give the same bits: kept is what would be found anew.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;

use super::layer::Layer;
use super::lens::Lens;
use super::setup::is_ground;
use crate::canvas::Rect;
use crate::picture::{Environment, Form, Paint, Picture};

/// Viewports whose grounds are kept; beyond it all are forgotten.
const VIEWPORTS: usize = 16;

/// How a picture comes by its ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// Drawn.
    #[default]
    Drawn,
    /// Drawn and kept.
    Keep,
    /// Known from the picture before.
    Known,
}

/// The grounds of all viewports.
#[derive(Default)]
pub(crate) struct Grounds(Vec<Ground>);

/// The ground of a viewport.
struct Ground {
    viewport: Rect,
    sight: Sight,
    way: Way,
    bands: Vec<Kept>,
}

/// What is seen of the ground in a band of rows.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) layer: Layer,
    /// Pattern, as a factor on the colour.
    pub(crate) tint: Vec<f32>,
    /// Colours in full light; sky where there is no ground.
    pub(crate) bright: Vec<u32>,
}

/// All that the look of the ground in full light depends on.
#[derive(Clone, Debug, PartialEq)]
struct Sight {
    eye: DVec3,
    axes: [Vec3; 3],
    focal: f32,
    center: (f32, f32),
    size: (usize, usize),
    environment: Environment,
    things: Vec<Thing>,
}

/// A plane or heightfield somewhere.
#[derive(Clone, Debug)]
struct Thing {
    shape: Shape,
    place: Transform,
    paint: Paint,
}

impl PartialEq for Thing {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.shape, &other.shape) {
            // Kept alive here, so that its address stays its own.
            (Shape::Heightfield(a), Shape::Heightfield(b)) => Arc::ptr_eq(a, b),
            (a, b) => matches!((a, b), (Shape::Plane, Shape::Plane)),
        };
        same && self.place == other.place && self.paint == other.paint
    }
}

impl Sight {
    fn new(picture: &Picture, lens: &Lens) -> Self {
        let grounds = picture.solids.iter().filter(|solid| is_ground(solid));
        let things = grounds.filter_map(|solid| match &solid.form {
            Form::Shape(shape) => {
                Some(Thing { shape: shape.clone(), place: solid.world_from_shape, paint: solid.paint })
            }
            Form::Blob(_) => None,
        });
        Self {
            eye: lens.eye,
            axes: [lens.forward, lens.right, lens.up],
            focal: lens.focal,
            center: lens.center,
            size: (lens.width, lens.height),
            environment: picture.environment,
            things: things.collect(),
        }
    }
}

impl Grounds {
    /// How the next picture comes by its ground, and one memory per band.
    pub(crate) fn next(
        &mut self,
        picture: &Picture,
        lens: &Lens,
        viewport: Rect,
        bands: usize,
    ) -> (Way, &mut [Kept]) {
        let sight = Sight::new(picture, lens);
        let place = self.0.iter().position(|ground| ground.viewport == viewport).unwrap_or_else(|| {
            if self.0.len() == VIEWPORTS {
                self.0.clear();
            }
            let (sight, bands) = (sight.clone(), Vec::new());
            self.0.push(Ground { viewport, sight, way: Way::Drawn, bands });
            self.0.len() - 1
        });
        let ground = &mut self.0[place];
        let known = ground.sight == sight && ground.bands.len() == bands;
        ground.way = match ground.way {
            Way::Drawn if known => Way::Keep,
            Way::Keep | Way::Known if known => Way::Known,
            _ => Way::Drawn,
        };
        ground.sight = sight;
        ground.bands.resize_with(bands, Kept::default);
        (ground.way, &mut ground.bands)
    }
}
