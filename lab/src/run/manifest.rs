//! What a run was made from, so that it can be made again and compared.

use serde::{Deserialize, Serialize};

use super::lanes::Run;
use crate::scene::{Scene, SceneError, Variant};

/// The manifest of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program.
    pub stuntlab: String,
    /// Target the program was built for: same bits are promised for the same binary only.
    pub target: String,
    /// File or name of the scene.
    pub scene: String,
    /// Its text.
    pub scene_text: String,
    /// Overrides on it.
    pub set: Vec<String>,
    /// Where its random numbers come from.
    pub seed: u64,
    /// The worlds that were run.
    pub lanes: Vec<LaneManifest>,
}

/// One world of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneManifest {
    /// Name of the variant; empty for a single run.
    pub name: String,
    /// Its overrides on top of the run's.
    pub set: Vec<String>,
    /// How contacts acted.
    pub formulation: String,
    /// Length of a step, s.
    pub dt: f64,
    /// Number of bodies.
    pub bodies: usize,
    /// Number of freedoms.
    pub freedoms: usize,
    /// Hash of the state at 0, 1, 2 … s and at the end.
    pub hashes: Vec<String>,
}

impl Manifest {
    /// The manifest of a run that has ended.
    pub fn of(run: &Run, variants: &[Variant]) -> Self {
        let lane = |(lane, variant): (&super::Lane, &Variant)| {
            let mut hashes = lane.hashes.clone();
            hashes.push(format!("{:016x}", lane.world.hash()));
            LaneManifest {
                name: lane.name.clone(),
                set: variant.set.clone(),
                formulation: lane.world.options.formulation.name().to_owned(),
                dt: lane.world.options.dt,
                bodies: lane.world.model().n_bodies(),
                freedoms: lane.world.model().n_v(),
                hashes,
            }
        };
        Self {
            stuntlab: env!("CARGO_PKG_VERSION").to_owned(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            scene: run.scene.file.clone(),
            scene_text: run.scene.source.text.clone(),
            set: run.scene.source.set.clone(),
            seed: run.scene.seed,
            lanes: run.lanes.iter().zip(variants).map(lane).collect(),
        }
    }

    /// The scene and variants it describes.
    ///
    /// # Errors
    /// A scene this version of the program does not read.
    pub fn scene(&self) -> Result<(Scene, Vec<Variant>), SceneError> {
        let scene = Scene::parse(&self.scene, &self.scene_text, &self.set)?;
        let variant = |l: &LaneManifest| Variant { name: l.name.clone(), set: l.set.clone() };
        Ok((scene, self.lanes.iter().map(variant).collect()))
    }
}
