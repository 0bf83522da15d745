//! What a run was made from and what came of it, so that it can be made again and compared.

use serde::{Deserialize, Serialize};

use super::files::lane_files;
use super::lanes::Run;
use crate::scene::{FoilOf, Scene, SceneError, Variant};
use crate::words::{fingerprint, spelled};

/// The manifest of a run. It is written last: where there is one the run has finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Variants that were not run because data they need was not there.
    pub skipped: Vec<String>,
    /// The other files of the run.
    pub files: Vec<FileManifest>,
    /// Fingerprint of all of the above: what is edited afterwards does not fit it.
    pub seal: String,
}

/// One world of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneManifest {
    /// Name of the variant; empty for a single run.
    pub name: String,
    /// Its overrides on top of the run's.
    pub set: Vec<String>,
    /// The foil it was, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foil: Option<FoilOf>,
    /// How contacts acted.
    pub formulation: String,
    /// The integrator that took effect.
    pub integrator: String,
    /// In which coordinates articulations were simulated.
    pub dynamics: String,
    /// Length of a step, s.
    pub dt: f64,
    /// Most sub-steps of a step.
    pub substeps: usize,
    /// The shortest sub-step, s.
    pub substep: f64,
    /// Most multiplications of the rigid solvers in a step.
    pub work: u64,
    /// Steps in which the direct solver gave an island up to sweeps.
    pub given_up: u64,
    /// Number of bodies.
    pub bodies: usize,
    /// Number of freedoms.
    pub freedoms: usize,
    /// What was repaired, cut off or left of the recordings that were followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
    /// Hash of the state at 0, 1, 2 … s and at the end.
    pub hashes: Vec<String>,
    /// Why it stopped early, if it did.
    pub failure: Option<String>,
    /// File of the steps before that.
    pub black_box: Option<String>,
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileManifest {
    /// Its name.
    pub name: String,
    /// Its length, bytes.
    pub bytes: u64,
    /// Fingerprint of its contents.
    pub hash: String,
}

impl FileManifest {
    /// What the manifest says of a file.
    pub(super) fn of(name: &str, contents: &[u8]) -> Self {
        let hash = spelled(fingerprint(contents.iter().copied()));
        Self { name: name.to_owned(), bytes: contents.len() as u64, hash }
    }
}

impl Manifest {
    /// The manifest of a run that has ended, without files.
    pub fn of(run: &Run) -> Self {
        let lane = |(lane, files): (&super::Lane, super::files::LaneFiles)| {
            let mut hashes = lane.hashes.clone();
            hashes.push(spelled(lane.world.hash()));
            LaneManifest {
                name: lane.name.clone(),
                set: lane.set.clone(),
                foil: lane.foil.clone(),
                formulation: lane.world.options.formulation.name().to_owned(),
                integrator: lane.world.options.integrator_in_effect().name().to_owned(),
                dynamics: lane.world.scene().dynamics.name().to_owned(),
                dt: lane.world.options.dt,
                substeps: lane.world.toll.substeps,
                substep: lane.world.toll.substep,
                work: lane.world.toll.work,
                given_up: lane.world.toll.given_up,
                bodies: lane.world.model().n_bodies(),
                freedoms: lane.world.model().n_v(),
                clips: lane.world.scene().clip_notes(),
                hashes,
                failure: lane.failure.clone(),
                black_box: lane.failure.as_ref().map(|_| files.black_box),
            }
        };
        let manifest = Self {
            stuntlab: env!("CARGO_PKG_VERSION").to_owned(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            scene: run.scene.file.clone(),
            scene_text: run.scene.source.text.clone(),
            set: run.scene.source.set.clone(),
            seed: run.scene.seed,
            lanes: run.lanes.iter().zip(lane_files(run)).map(lane).collect(),
            skipped: run.skipped.clone(),
            files: Vec::new(),
            seal: String::new(),
        };
        manifest.with_files(Vec::new())
    }

    /// The same with these files.
    pub(super) fn with_files(mut self, files: Vec<FileManifest>) -> Self {
        self.files = files;
        self.seal = self.proper_seal();
        self
    }

    /// The seal that fits what it says.
    pub(super) fn proper_seal(&self) -> String {
        let bare = Self { seal: String::new(), ..self.clone() };
        let text = serde_json::to_string(&bare).expect("texts and numbers");
        spelled(fingerprint(text.bytes()))
    }

    /// The scene and variants it describes.
    ///
    /// # Errors
    /// A scene this version of the program does not read.
    pub fn scene(&self) -> Result<(Scene, Vec<Variant>), SceneError> {
        let scene = Scene::parse(&self.scene, &self.scene_text, &self.set)?;
        let variant =
            |l: &LaneManifest| Variant { name: l.name.clone(), set: l.set.clone(), foil: l.foil.clone() };
        Ok((scene, self.lanes.iter().map(variant).collect()))
    }
}
