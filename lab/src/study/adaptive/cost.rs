//! What steps take, by the number of simulated joints: a light push goes on at the chest, and so many joints are simulated.
//!
//! Worlds take turns (`study/turns.rs`). Marks look at the
//! least times, which other work disturbs least; medians stand beside them. They are of the machine and its moment, and are kept out of the results.
//!
//! The books of work, which runs keep for their logs, are off: with them everybody is part of the step's problem, told or not, which took 9 of the 16 µs that an
//! undisturbed step was said to take. What they add is measured beside it.

use std::path::Path;
use std::time::Instant;

use stuntlab_physics::Actuation;
use stuntlab_physics::glam::DVec3;

use super::super::StudyError;
use super::super::turns::{Times, in_turns};
use super::hit;
use crate::disk;
use crate::run::{Hands, Push, World};
use crate::scene::Scene;

/// Its file.
pub(super) const FILE: &str = "cost.csv";
/// How often the controller is timed after a turn.
const CONTROLS: usize = 20;
/// How often the controller acts for one of its times.
const AGAIN: u32 = 4;
/// The push, N: the whole body answers it on its feet.
const PUSH: f64 = 20.0;

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Whether anything pushes, and whether the books of work are kept.
    pub(super) disturbed: bool,
    /// See `disturbed`.
    pub(super) books: bool,
    /// Joints that were simulated, and of how many.
    pub(super) joints: usize,
    /// See `joints`.
    pub(super) all: usize,
    /// Median of all of a step, of the controller's part in it, µs.
    pub(super) step: f64,
    /// See `step`.
    pub(super) control: f64,
    /// The least of both.
    pub(super) least: [f64; 2],
}

impl Cost {
    /// Share of joints that were simulated.
    pub(super) fn share(&self) -> f64 {
        self.joints as f64 / self.all.max(1) as f64
    }
}

struct Runner {
    world: World,
    hands: Hands,
    act: Actuation,
    controls: Times,
}

impl Runner {
    fn new(most: Option<usize>, books: bool) -> Result<Self, StudyError> {
        let settings = most.map_or(String::new(), |n| format!(", everything = true, most = {n}"));
        let text = hit::character("idle", &settings);
        let mut world = World::new(&Scene::parse("adaptive-cost.toml", &text, &[])?)?;
        world.options.ledger = books;
        let mut hands = Hands::default();
        if let Some(body) = most.and_then(|_| world.find("it/torso")) {
            let duration = 1e3;
            let impulse = DVec3::X * (PUSH * duration);
            hands.pushes.push(Push { body, point_body: DVec3::ZERO, impulse, start: 0.0, duration });
        }
        let act = Actuation::new(world.model());
        Ok(Self { world, hands, act, controls: Times::default() })
    }

    /// The controller by itself, on a copy, so that its memory is not touched; warm, as in a run.
    fn control(&mut self) {
        let mut controller = self.world.controllers[0].clone();
        self.act.clear();
        let sense = self.world.sense(0);
        controller.act(&sense, &mut self.act);
        let start = Instant::now();
        (0..AGAIN).for_each(|_| controller.act(&sense, &mut self.act));
        self.controls.add(1e6 * (start.elapsed() / AGAIN).as_secs_f64());
    }

    fn cost(&self, steps: &Times) -> Cost {
        let all = self.world.senses()[0].physique().parts().len() - 1;
        let share = self.world.controllers[0].readings().get("active-joints").unwrap_or(f64::NAN);
        Cost {
            disturbed: !self.hands.pushes.is_empty(),
            books: self.world.options.ledger,
            joints: (share * all as f64).round() as usize,
            all,
            step: steps.median(),
            control: self.controls.median(),
            least: [steps.least(), self.controls.least()],
        }
    }
}

/// Measures: undisturbed first, then by the number of simulated joints.
pub(super) fn measure() -> Result<Vec<Cost>, StudyError> {
    let all = hit::joints();
    let levels = [(None, false), (None, true)].into_iter().chain((0..=all).map(|n| (Some(n), false)));
    let mut runners = levels.map(|(most, books)| Runner::new(most, books)).collect::<Result<Vec<_>, _>>()?;
    // Controllers apart from the steps: copies of one leave nothing of a world in the caches.
    let times = in_turns(
        &mut runners,
        |runner| runner.world.step(&runner.hands).is_ok(),
        |runner| (0..CONTROLS).for_each(|_| runner.control()),
    );
    let mut costs: Vec<Cost> = runners.iter().zip(&times).map(|(runner, steps)| runner.cost(steps)).collect();
    // Beyond what may be simulated there is no more.
    costs.dedup_by_key(|cost| (cost.disturbed, cost.books, cost.joints));
    Ok(costs)
}

pub(super) fn write(costs: &[Cost], dir: &Path) -> Result<(), StudyError> {
    let mut text = "disturbed,books,joints,of,step_us,controller_us\n".to_owned();
    for c in costs {
        let (disturbed, books) = (u8::from(c.disturbed), u8::from(c.books));
        text += &format!("{disturbed},{books},{},{},{:.2},{:.2}\n", c.joints, c.all, c.step, c.control);
    }
    Ok(disk::write(&dir.join(FILE), text.as_bytes())?)
}

pub(super) fn text(costs: &[Cost]) -> String {
    let mut text = "what a step takes here, least (median), us\n".to_owned();
    for c in costs {
        let what = if c.disturbed {
            format!("{:>2} of {} joints simulated", c.joints, c.all)
        } else if c.books {
            "undisturbed, books kept".to_owned()
        } else {
            "undisturbed".to_owned()
        };
        let [step, control] = c.least;
        text += &format!(
            "{what:<28} step {step:>7.1} ({:.1}), of it the controller {control:>6.1} ({:.1})\n",
            c.step, c.control
        );
    }
    text
}
