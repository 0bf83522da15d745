//! One run: a figure tracks a motion with the given gains and is pushed once, where, when and how hard its seed says.

use super::plan::Run as Trial;
use super::task::Task;
use crate::random::Random;
use crate::run::{Metrics, Run, variants_of};
use crate::scene::{Scene, SceneError};
use crate::study::{Kind, Measured};

/// How a run went, until it fell or ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Mean bone orientation error against the motion, root-relative, rad.
    pub error: f64,
    /// The same with the root's own attitude, up to a turn about the vertical, rad.
    pub attitude: f64,
    /// RMS angular acceleration above 10 Hz, over the motion's own.
    pub jitter: f64,
    /// Mean external moment over weight times 1 m.
    pub cheat: f64,
    /// Share of the time that it stayed up.
    pub up: f64,
    /// Whether it stayed up to the end.
    pub survived: bool,
}

impl Outcome {
    /// What is measured, in the order of [`Self::numbers`].
    pub(super) const MEASURED: [Measured; 6] = [
        Measured { name: "error", unit: "rad", kind: Kind::Mean },
        Measured { name: "attitude", unit: "rad", kind: Kind::Mean },
        Measured { name: "jitter", unit: "", kind: Kind::Mean },
        Measured { name: "cheat", unit: "", kind: Kind::Mean },
        Measured { name: "up", unit: "", kind: Kind::Mean },
        Measured { name: "survived", unit: "", kind: Kind::Rate },
    ];

    /// As numbers.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let Self { error, attitude, jitter, cheat, up, survived } = self;
        vec![*error, *attitude, *jitter, *cheat, *up, f64::from(u8::from(*survived))]
    }

    /// From numbers.
    pub(super) fn of(numbers: &[f64]) -> Option<Self> {
        let [error, attitude, jitter, cheat, up, survived] = *numbers else { return None };
        Some(Self { error, attitude, jitter, cheat, up, survived: survived == 1.0 })
    }
}

/// Least and largest impulse of a push, N s: from one that is hardly felt to one that makes a person of 62 kg step.
const PUSH: [f64; 2] = [10.0, 60.0];
/// The golden section: its multiples fill the range of the pushes evenly however many seeds there are.
const EVENLY: f64 = 0.618_033_988_749_895;
/// Seconds between looks at whether it has fallen: what comes after a fall is no tracking.
const LOOK: f64 = 0.1;

/// Quantities of a trial and how they are boiled down.
const MEASURES: [(&str, &str); 5] = [
    ("tracking-error", "mean"),
    ("attitude-error", "mean"),
    ("jitter", "rms"),
    ("cheat", "mean"),
    ("falls", "max"),
];

/// The scene of a trial.
pub(super) fn scene_text(trial: &Trial) -> String {
    let (base, setting) = (trial.law.base(), trial.task.setting());
    // k₁ = I ω² and k₂ = 2 ζ I ω, so factors a on k₁ and b on k₂ are ω √a and ζ b / √a.
    let frequency = base.frequency * trial.stiffness.sqrt();
    let ratio = base.damping_ratio * trial.damping / trial.stiffness.sqrt();
    let mut random = Random::named(trial.seed, "gain-map");
    let mut draw = || random.symmetric();
    let (sin, cos) = (std::f64::consts::PI * draw()).sin_cos();
    let impulse = PUSH[0] + (PUSH[1] - PUSH[0]) * (0.5 + EVENLY * trial.seed as f64).fract();
    let time = 1.0 + 0.5 * draw();
    let spring = [base.spring_stiffness, base.spring_damping, base.spring_limit, base.spring_breaking];
    let [stiffness, damping, limit, breaking] = spring.map(|x| x * trial.spring);
    let mut text = format!(
        "schema = 1\nshows = \"gain map\"\nduration = {}\nrate = 120\n\
         [[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"{}\"\nmotion = {{ {} }}\n\
         controller = {{ kind = \"dynamo\", application = \"{}\", outside = {}, frequency = {frequency}, damping_ratio = {ratio}, \
         stiffness = {stiffness}, damping = {damping}, limit = {limit}, breaking = {breaking} }}\n\
         [[event]]\nkind = \"push\"\ntime = {time}\nbody = \"it\"\nimpulse = [{:?}, {:?}, 0.0]\n",
        setting.duration,
        setting.figure,
        setting.motion,
        trial.law.application(),
        trial.outside,
        impulse * cos,
        impulse * sin,
    );
    if trial.task == Task::Steps {
        for (k, height) in [0.03, 0.05, 0.04, 0.06].into_iter().enumerate() {
            let at = 1.2 + 1.1 * k as f64 + 0.1 * draw();
            text += &format!(
                "[[terrain]]\nkind = \"box\"\nsize = [0.4, 3.0, {}]\nat = [{at}, 0.0, 0.0]\n",
                2.0 * height
            );
        }
    }
    for (quantity, stat) in MEASURES {
        text += &format!("[[measure]]\nquantity = \"{quantity}\"\nof = \"it\"\nstat = \"{stat}\"\n");
    }
    text
}

fn read(metrics: &Metrics, quantity: &str) -> f64 {
    let found = metrics.measurements.iter().find(|m| m.quantity == quantity);
    found.and_then(|m| m.value).unwrap_or(f64::NAN)
}

/// Runs a trial until it falls or ends.
///
/// # Errors
/// A scene the program cannot read: a fault of the study, or data that was there when it was planned.
pub fn roll_out(trial: &Trial) -> Result<Outcome, SceneError> {
    let scene = Scene::parse("gain-map.toml", &scene_text(trial), &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    let looks = (scene.duration / LOOK).ceil();
    let mut look = 0.0;
    loop {
        look += 1.0;
        run.advance_to((look * LOOK).min(scene.duration));
        let metrics = run.metrics();
        let survived = metrics.failures.is_empty() && read(&metrics, "falls") == 0.0;
        if !survived || look >= looks {
            return Ok(Outcome {
                error: read(&metrics, "tracking-error"),
                attitude: read(&metrics, "attitude-error"),
                jitter: read(&metrics, "jitter"),
                cheat: read(&metrics, "cheat"),
                up: if survived { 1.0 } else { (look - 1.0) / looks },
                survived,
            });
        }
    }
}
