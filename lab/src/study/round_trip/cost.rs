//! What steps take: one played back, one simulated, ten played back, and ten of whom one is simulated.
//!
//! Worlds take turns, as in the study of adaptive bodies; the least times count, and the books of work are off. They are of the machine and its moment, and are kept out of the results.

use std::path::Path;

use super::super::turns::{Times, in_turns};
use super::super::{Mark, StudyError};
use crate::disk;
use crate::run::{Hands, World};
use crate::scene::Scene;

/// Its file.
pub(super) const FILE: &str = "cost.csv";
/// Dearest step of one that is played back, µs.
const PLAYED: f64 = 5.0;
/// A crowd of ten with one simulated, of one simulated.
const CROWD: f64 = 1.5;

/// Who is there: how many, and whether the first is simulated.
const CASES: [(usize, bool); 4] = [(1, false), (1, true), (10, false), (10, true)];

/// Least and median step of the cases, µs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    many: usize,
    simulated: bool,
    least: f64,
    median: f64,
}

/// So many who stand idle; who is let go does not come back.
fn world(many: usize, simulated: bool) -> Result<World, StudyError> {
    let mut text = "schema = 1\nshows = \"what a step takes\"\nduration = 60.0\nrate = 120\n[[terrain]]\nkind = \"plane\"\n"
        .to_owned();
    for k in 0..many {
        text += &format!(
            "[[character]]\nname = \"c{k}\"\nfigure = \"library\"\nmotion = {{ clip = \"idle\", cyclic = true, start = {:.2} }}\n\
             at = [{:.1}, {:.1}, 0.0]\ncontroller = {{ kind = \"round-trip\", back = false }}\n",
            0.35 * k as f64,
            1.5 * (k % 5) as f64,
            1.6 * (k / 5) as f64
        );
    }
    let mut world = World::new(&Scene::parse("round-trip-cost.toml", &text, &[])?)?;
    world.options.ledger = false;
    if simulated {
        // A command of the kind's own: it is there.
        let _known = world.controllers[0].command("let-go", 1.0);
    }
    Ok(world)
}

pub(super) fn measure() -> Result<Vec<Cost>, StudyError> {
    let made = CASES.map(|(many, simulated)| world(many, simulated));
    let mut worlds = made.into_iter().collect::<Result<Vec<_>, _>>()?;
    let times = in_turns(&mut worlds, |world| world.step(&Hands::default()).is_ok(), |_| ());
    let cost = |((many, simulated), times): ((usize, bool), Times)| Cost {
        many,
        simulated,
        least: times.least(),
        median: times.median(),
    };
    Ok(CASES.into_iter().zip(times).map(cost).collect())
}

pub(super) fn write(costs: &[Cost], dir: &Path) -> Result<(), StudyError> {
    let mut text = "characters,simulated,least_us,median_us\n".to_owned();
    for c in costs {
        text += &format!("{},{},{:.2},{:.2}\n", c.many, u8::from(c.simulated), c.least, c.median);
    }
    Ok(disk::write(&dir.join(FILE), text.as_bytes())?)
}

/// The promises of costs.
pub(super) fn judge(costs: &[Cost]) -> Vec<Mark> {
    let of = |many, simulated| costs.iter().find(|c| c.many == many && c.simulated == simulated);
    let (Some(played), Some(one), Some(ten), Some(crowd)) =
        (of(1, false), of(1, true), of(10, false), of(10, true))
    else {
        return Vec::new();
    };
    vec![
        Mark {
            what: format!("a step of one that is played back: at most {PLAYED} us"),
            found: format!(
                "{:.1} us alone, {:.1} each of ten (medians {:.1}, {:.1})",
                played.least,
                0.1 * ten.least,
                played.median,
                0.1 * ten.median
            ),
            holds: 0.1 * ten.least <= PLAYED,
        },
        Mark {
            what: format!("ten of whom one is simulated, of one simulated: at most {CROWD}"),
            found: format!("{:.2} ({:.1} of {:.1} us)", crowd.least / one.least, crowd.least, one.least),
            holds: crowd.least <= CROWD * one.least,
        },
    ]
}
