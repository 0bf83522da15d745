//! How hard walkers may be pushed before they fall: survival over force, duration, direction, and when in the stride.
//!
//! All walkers are the same body on flat ground (`walkers`): rates with muscle limits, servos, pinned feet and free ones. A trial takes a
//! walker out of its unpushed walk at a phase of its stride, pushes once, evenly, and looks on for five seconds. Phases fill the
//! stride; how far the direction is off is a sample that fills its range, the same for all cells and walkers.
//!
//! | file | what |
//! |---|---|
//! | `walkers` | who walks: a scene of the library, patched |
//! | `stride` | a walker at the phases of a stride |
//! | `pictures` | maps and curves |

mod pictures;
mod stride;
mod walkers;

use std::path::Path;

use serde_json::json;
use stuntlab_control::senses::root_over_lowest;
use stuntlab_physics::glam::DVec3;

use super::{
    Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial, grid, latin_hypercube,
};
use crate::measure::has_fallen;
use crate::run::{Hands, Push, World};
use crate::tune::space::{Range, Scale};
use walkers::WALKERS;

/// The study's row.
pub const STUDY: Study = Study {
    name: "push-atlas",
    help: "Survival of walkers over force, duration, direction and phase of a push: rates and servos, pinned feet and free ones",
    plan,
    run,
    files: pictures::files,
    report,
};

const FACTORS: [&str; 8] =
    ["walker", "at", "direction_deg", "duration_s", "force_N", "impulse_Ns", "phase", "aside_deg"];
const OUTCOMES: [Measured; 3] = [
    Measured { name: "survived", unit: "", kind: Kind::Rate },
    Measured { name: "upright", unit: "s", kind: Kind::Mean },
    Measured { name: "shift", unit: "m", kind: Kind::Mean },
];

/// Parts that are pushed: the paper has both.
const AT: [&str; 2] = ["trunk", "root"];
/// Seconds after a push in which whoever is to fall has fallen: four strides.
const AFTER: f64 = 5.0;

/// What is pushed how.
struct Extent {
    /// Degrees to the left of where it goes. Phases of a whole stride see either side.
    directions: &'static [f64],
    /// Seconds.
    durations: &'static [f64],
    /// N.
    forces: &'static [f64],
    /// Parts of a stride.
    phases: usize,
}

const FULL: Extent = Extent {
    directions: &[0.0, 45.0, 90.0, 135.0, 180.0],
    durations: &[0.1, 0.2, 0.5],
    forces: &[50.0, 100.0, 150.0, 200.0, 250.0, 300.0, 400.0, 500.0, 600.0, 700.0],
    phases: 10,
};

const QUICK: Extent =
    Extent { directions: &[0.0, 90.0, 180.0], durations: &[0.2], forces: &[100.0, 300.0, 600.0], phases: 2 };

fn spell(numbers: &[f64]) -> Vec<String> {
    numbers.iter().map(|x| format!("{x:?}")).collect()
}

fn plan(size: Size) -> Plan {
    let extent = match size {
        Size::Full => FULL,
        Size::Quick => QUICK,
    };
    let names = || WALKERS.iter().map(|w| w.name.to_owned()).collect::<Vec<_>>();
    let (forces, durations) = (spell(extent.forces), spell(extent.durations));
    let trunk =
        grid(&[names(), vec![AT[0].to_owned()], spell(extent.directions), durations.clone(), forces.clone()]);
    // At the root along the way only, for as long as the paper pushes.
    let longest = durations.last().cloned().into_iter().collect();
    let root = grid(&[names(), vec![AT[1].to_owned()], spell(&[0.0, 180.0]), longest, forces]);
    // A few degrees off, as hands are.
    let off = Range { lower: -10.0, upper: 10.0, scale: Scale::Linear };
    let luck = latin_hypercube(extent.phases, &[off], 1, "push-atlas");
    let trials = trunk.into_iter().chain(root).flat_map(|cell| {
        let number = |k: usize| cell[k].parse::<f64>().unwrap_or(f64::NAN);
        // Whole tenths of a newton second, without the rounding of the product.
        let impulse = (10.0 * number(3) * number(4)).round() / 10.0;
        let phase = |k: usize| (k as f64 + 0.5) / extent.phases as f64;
        let repeat =
            |(k, aside): (usize, &Vec<f64>)| [cell.clone(), spell(&[impulse, phase(k), aside[0]])].concat();
        luck.iter().enumerate().map(repeat).collect::<Vec<_>>()
    });
    Plan::new(&FACTORS, &FACTORS[6..], &OUTCOMES, trials)
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let unknown = Ok(vec![f64::NAN; OUTCOMES.len()]);
    let walker = trial.0.first().and_then(|name| WALKERS.iter().find(|w| w.name == name));
    let numbers: Option<Vec<f64>> = [2, 3, 4, 6, 7].iter().map(|&k| trial.get(k)).collect();
    let (Some(walker), Some(&[direction, duration, force, phase, aside])) = (walker, numbers.as_deref())
    else {
        return unknown;
    };
    // Who does not get that far unpushed survives nothing.
    let Some(mut world) = stride::at_phase(walker, phase)? else { return Ok(vec![0.0; OUTCOMES.len()]) };
    let (sin, cos) = (direction + aside).to_radians().sin_cos();
    let Some(body) = stride::body(&world, trial.0[1] == AT[0]) else { return unknown };
    let start = world.state.time;
    let hands = Hands {
        pushes: vec![Push {
            body,
            point_body: DVec3::ZERO,
            impulse: DVec3::new(cos, sin, 0.0) * (force * duration),
            start,
            duration,
        }],
        ..Hands::default()
    };
    Ok(look_on(&mut world, &hands, start + duration + AFTER, start))
}

/// Steps until the end, or until it falls: whether it did not, for how long it was upright, and how far aside it got.
fn look_on(world: &mut World, hands: &Hands, end: f64, start: f64) -> Vec<f64> {
    let bodies = world.senses()[0].bodies();
    let height = |world: &World| root_over_lowest(&world.data.position.world_from_body[bodies]);
    let aside = |world: &World| world.senses()[0].center_of_mass().y;
    let (usual, from) = (height(world), aside(world));
    while world.state.time < end {
        if world.step(hands).is_err() || has_fallen(height(world), usual) {
            return vec![0.0, world.state.time - start, aside(world) - from];
        }
    }
    vec![1.0, world.state.time - start, aside(world) - from]
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let unit = stride::natural_impulse()?;
    pictures::write(results, unit, dir)?;
    let by_impulse = Table::by(results, &["walker", "impulse_Ns"], |t| t.0[1] == AT[0]);
    let held = pictures::held(results);
    let mut text = format!(
        "largest force that nine of ten phases survive, with all smaller ones, N (impulses of m √(g L) = {unit:.0} N s)\n"
    );
    for line in &held {
        text += &format!(
            "{:<16} {:<6} {:>5}° {:>5} s: {:>5.0} N, {:>5.1} N s, {:.3}\n",
            line.walker,
            line.at,
            line.direction,
            line.duration,
            line.force,
            line.impulse(),
            line.impulse() / unit
        );
    }
    let held: Vec<_> = held.iter().map(pictures::Held::to_json).collect();
    Ok(Report {
        text,
        json: json!({ "natural_impulse_Ns": unit, "held": held, "survival": by_impulse.to_json() }),
    })
}
