//! One run: a figure tracks a motion with the given gains and is pushed once, where and when its seed says.

use super::plan::{Run as Trial, Task};
use crate::random::Random;
use crate::run::{Run, variants_of};
use crate::scene::{Scene, SceneError};
use crate::study::{Kind, Measured};

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Mean bone orientation error against the motion, root-relative, rad.
    pub error: f64,
    /// RMS angular acceleration above 10 Hz, over the motion's own.
    pub jitter: f64,
    /// RMS tilt of the root against the motion's, rad.
    pub tilt: f64,
    /// Mean external moment over weight times 1 m.
    pub cheat: f64,
    /// Whether it stayed up to the end.
    pub survived: bool,
}

impl Outcome {
    /// What is measured, in the order of [`Self::numbers`].
    pub(super) const MEASURED: [Measured; 5] = [
        Measured { name: "error", unit: "rad", kind: Kind::Mean },
        Measured { name: "jitter", unit: "", kind: Kind::Mean },
        Measured { name: "tilt", unit: "rad", kind: Kind::Mean },
        Measured { name: "cheat", unit: "", kind: Kind::Mean },
        Measured { name: "survived", unit: "", kind: Kind::Rate },
    ];

    /// As numbers.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let Self { error, jitter, tilt, cheat, survived } = self;
        vec![*error, *jitter, *tilt, *cheat, f64::from(u8::from(*survived))]
    }

    /// From numbers.
    pub(super) fn of(numbers: &[f64]) -> Option<Self> {
        let [error, jitter, tilt, cheat, survived] = *numbers else { return None };
        Some(Self { error, jitter, tilt, cheat, survived: survived == 1.0 })
    }
}

/// Gains that factors of 1 stand for: Dynamo's own.
const FREQUENCY: f64 = 40.0;
const DAMPING_RATIO: f64 = 1.0;

/// The scene of a trial.
pub(super) fn scene_text(trial: &Trial) -> String {
    // k₁ = I ω² and k₂ = 2 ζ I ω, so factors a on k₁ and b on k₂ are ω √a and ζ b / √a.
    let frequency = FREQUENCY * trial.stiffness.sqrt();
    let ratio = DAMPING_RATIO * trial.damping / trial.stiffness.sqrt();
    let (clip, cyclic, duration) = match trial.task {
        Task::Stand => ("idle", true, 4.0),
        Task::Walk | Task::Obstacles => ("walk", true, 5.0),
        Task::Cartwheel => ("cartwheel", false, 4.0),
    };
    let mut random = Random::named(trial.seed, "gain-map");
    let mut draw = || random.symmetric();
    // A nudge that every law survives at its best.
    let angle = std::f64::consts::PI * draw();
    let (x, y) = (8.0 * angle.cos(), 8.0 * angle.sin());
    let time = 1.0 + 0.5 * draw();
    let mut text = format!(
        "schema = 1\nshows = \"gain map\"\nduration = {duration}\nrate = 120\n\
         [[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"library\"\n\
         motion = {{ clip = \"{clip}\", cyclic = {cyclic} }}\n\
         controller = {{ kind = \"dynamo\", application = \"{}\", frequency = {frequency}, damping_ratio = {ratio} }}\n\
         [[event]]\nkind = \"push\"\ntime = {time}\nbody = \"it\"\nimpulse = [{x}, {y}, 0.0]\n",
        trial.law.application(),
    );
    if trial.task == Task::Obstacles {
        for (k, height) in [0.03, 0.05, 0.04, 0.06].into_iter().enumerate() {
            let at = 1.2 + 1.1 * k as f64 + 0.1 * draw();
            text += &format!(
                "[[terrain]]\nkind = \"box\"\nsize = [0.4, 3.0, {}]\nat = [{at}, 0.0, 0.0]\n",
                2.0 * height
            );
        }
    }
    for (quantity, stat) in [
        ("tracking-error", "mean"),
        ("jitter", "rms"),
        ("root-tilt", "rms"),
        ("cheat", "mean"),
        ("falls", "max"),
    ] {
        text +=
            &format!("[[measure]]\nquantity = \"{quantity}\"\nof = \"it\"\nstat = \"{stat}\"\nmax = 1e12\n");
    }
    text
}

/// Runs a trial.
///
/// # Errors
/// A scene the program cannot read: a fault of the study.
pub fn roll_out(trial: &Trial) -> Result<Outcome, SceneError> {
    let scene = Scene::parse("gain-map.toml", &scene_text(trial), &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    run.advance_to(scene.duration);
    let metrics = run.metrics();
    let read = |quantity: &str| {
        metrics.measurements.iter().find(|m| m.quantity == quantity).and_then(|m| m.value).unwrap_or(f64::NAN)
    };
    Ok(Outcome {
        error: read("tracking-error"),
        jitter: read("jitter"),
        tilt: read("root-tilt"),
        cheat: read("cheat"),
        survived: metrics.failures.is_empty() && read("falls") == 0.0,
    })
}
