//! The pool: a row per skill, with its terms. Adding one is adding its row, with its code in `skills` where it is more than a table of poses;
//! rows of other crates join these in the laboratory's registry, and scenes make skills of any controller (`made`).
//!
//! Weights are the paper's idea of an order of preference; numbers in conditions are the paper's where it gives any (its appendix A for
//! balance, widened where a sensor of a body that breathes by a simulation would call noise a fall).

use std::fmt;
use std::sync::Arc;

use stuntlab_mocap::character::Physique;

use super::build::Build;
use super::keys::Table;
use super::relation::Conditions;
use super::skill::{Skill, Terms};
use super::skills::fall::Faller;
use super::skills::planar;
use super::skills::posed::{Mirrored, Posed};
use super::skills::rest::Rest;
use super::skills::upright::Upright;
use crate::kind::Refusal;
use crate::readings::{Published, Together};
use crate::round_trip::fall::Fall;

/// What a skill is made from.
pub struct Making<'a> {
    /// The figure.
    pub build: Arc<Build>,
    /// What its bodies are.
    pub physique: &'a Physique,
    /// Its table of poses, where it has one.
    pub table: Option<Table>,
    /// How it falls.
    pub fall: Fall,
}

/// Makes a skill of its terms.
pub type Make = fn(Terms, &Making<'_>) -> Result<Box<dyn Skill>, Refusal>;

/// A skill of the pool.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it does, one line.
    pub help: &'static str,
    /// Its bid as a reading.
    pub bid: Published,
    /// Whether it is for figures in a plane.
    pub planar: bool,
    /// Its terms.
    pub terms: fn() -> Terms,
    /// Its table of poses as committed.
    pub table: Option<&'static str>,
    /// Makes it.
    pub make: Make,
}

impl fmt::Debug for Row {
    /// Its name: functions have none that is the same everywhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The reading of a bid, called `bid-` and the skill's name.
pub const fn bid(name: &'static str) -> Published {
    Published {
        name,
        unit: "",
        help: "What this skill bid when it was asked last, 0 to 20",
        together: Together::Most,
    }
}

/// All skills.
pub const SKILLS: &[Row] = &[
    Row {
        name: "balance",
        help: "Stands quietly, by its ankles, hips and arms",
        bid: bid("bid-balance"),
        planar: false,
        terms: || Terms {
            reaches: true,
            before: Conditions::of(&[
                "trunk-up > 0.9",
                "pelvis-rise > 0.85",
                "feet-down > 1.5",
                "capture-margin > 0.005",
                "com-speed < 0.3",
                "com-acceleration < 2.0",
                "posture < 0.25",
                "slope < 15.0",
                "friction > 0.2",
            ]),
            after: Conditions::of(&[
                "capture-margin > 0.005",
                "feet-down > 1.5",
                "com-speed < 0.05",
                "com-acceleration < 0.1",
                "posture < 0.1",
                "trunk-up > 0.9",
            ]),
            settled: 0.2,
            during: Conditions::of(&["capture-margin > -0.01", "trunk-up > 0.8"]),
            patience: 0.03,
            ..Terms::new("balance", 6)
        },
        table: None,
        make: |terms, m| Ok(Box::new(Upright::new(m.build.clone(), m.physique, terms, 0.5)?)),
    },
    Row {
        name: "bend",
        help: "Bends down and comes up again, when it is asked to",
        bid: bid("bid-bend"),
        planar: false,
        terms: || Terms {
            reaches: true,
            voluntary: true,
            before: Conditions::of(&[
                "trunk-up > 0.9",
                "pelvis-rise > 0.85",
                "feet-down > 1.5",
                "capture-margin > 0.02",
                "com-speed < 0.1",
                "posture < 0.25",
                "slope < 10.0",
                "friction > 0.3",
            ]),
            after: Conditions::of(&[
                "skill-progress > 0.99",
                "trunk-up > 0.9",
                "capture-margin > 0.005",
                "com-speed < 0.3",
                "com-acceleration < 2.0",
                "posture < 0.25",
            ]),
            during: Conditions::of(&["capture-margin > -0.01", "skill-time < 4.0"]),
            patience: 0.03,
            ..Terms::new("bend", 1)
        },
        table: Some(include_str!("tables/bend.toml")),
        make: |terms, m| posed(terms, m, |_| false),
    },
    Row {
        name: "crouch-to-stand",
        help: "From any posture on both feet into a stand",
        bid: bid("bid-crouch-to-stand"),
        planar: false,
        terms: || Terms {
            reaches: true,
            before: Conditions::of(&[
                "trunk-up > 0.2",
                "pelvis-rise > 0.4",
                "feet-down > 1.5",
                "trunk-down < 0.5",
                "knees-down < 0.5",
                "hands-down < 0.5",
                "capture-margin > -0.03",
                "com-speed < 0.7",
                "slope < 15.0",
                "friction > 0.2",
            ]),
            after: Conditions::of(&[
                "trunk-up > 0.9",
                "pelvis-rise > 0.85",
                "feet-down > 1.5",
                "capture-margin > 0.005",
                "com-speed < 0.3",
                "com-acceleration < 2.0",
                "posture < 0.25",
            ]),
            settled: 0.05,
            during: Conditions::of(&["capture-margin > -0.04", "skill-time < 4.0"]),
            patience: 0.05,
            ..Terms::new("crouch-to-stand", 5)
        },
        table: None,
        make: |terms, m| Ok(Box::new(Upright::new(m.build.clone(), m.physique, terms, 1.2)?)),
    },
    Row {
        name: "default",
        help: "Lets go and rests",
        bid: bid("bid-default"),
        planar: false,
        terms: || Terms {
            after: Conditions::of(&["com-speed < 0.05", "joint-speed < 0.3"]),
            settled: 0.5,
            // Who is on the feet, or on the way down, is not at rest.
            during: Conditions::of(&["pelvis-rise < 0.35", "or", "pelvis-rise < 0.7", "com-speed < 0.3"]),
            ..Terms::new("default", 1)
        },
        table: None,
        make: |terms, m| Ok(Box::new(Rest::new(m.build.clone(), terms))),
    },
    Row {
        name: "fall",
        help: "Falls in any direction with its arms where it will land",
        bid: bid("bid-fall"),
        planar: false,
        terms: || Terms {
            urgent: true,
            before: Conditions::of(&[
                "pelvis-rise > 0.3",
                "beyond > 0.0",
                "com-speed > 0.2",
                "or",
                "pelvis-rise > 0.3",
                "trunk-up < 0.75",
                "com-sinking > 0.3",
            ]),
            after: Conditions::of(&[
                "com-speed < 0.1",
                "trunk-down > 0.5",
                "or",
                "com-speed < 0.1",
                "skill-time > 1.5",
            ]),
            settled: 0.3,
            ..Terms::new("fall", 9)
        },
        table: None,
        make: |terms, m| Ok(Box::new(Faller::new(m.build.clone(), m.physique, terms, m.fall))),
    },
    Row {
        name: "prone-to-stand",
        help: "From the belly on all fours and onto the feet",
        bid: bid("bid-prone-to-stand"),
        planar: false,
        terms: || Terms {
            reaches: true,
            before: Conditions::of(&[
                "trunk-front < -0.5",
                "pelvis-front < -0.7",
                "pelvis-height < 0.3",
                "com-speed < 0.15",
                "slope < 10.0",
                "friction > 0.4",
                "arms-under < 0.5",
                "wanted-height > 0.5",
            ]),
            after: Conditions::of(&[
                "trunk-up > 0.9",
                "pelvis-rise > 0.85",
                "feet-down > 1.5",
                "capture-margin > 0.005",
                "com-speed < 0.3",
                "com-acceleration < 2.0",
                "posture < 0.25",
            ]),
            settled: 0.05,
            // On its feet in time, or it is no use to go on.
            during: Conditions::of(&["skill-time < 4.3", "or", "pelvis-rise > 0.45", "skill-time < 7.5"]),
            ..Terms::new("prone-to-stand", 3)
        },
        table: Some(include_str!("tables/prone-to-stand.toml")),
        make: |terms, m| posed(terms, m, |_| false),
    },
    Row {
        name: "roll-over",
        help: "From the back onto the belly, over the side that is lower",
        bid: bid("bid-roll-over"),
        planar: false,
        terms: || Terms {
            before: Conditions::of(&[
                "pelvis-front > -0.7",
                "trunk-up < 0.7",
                "pelvis-height < 0.3",
                // No movement of the centre of mass, as in the paper: it rests first.
                "com-speed < 0.05",
                "joint-speed < 0.3",
                "wanted-height > 0.5",
            ]),
            after: Conditions::of(&["trunk-front < -0.8", "com-speed < 0.1", "limbs-bent < 30.0"]),
            settled: 0.1,
            during: Conditions::of(&["skill-time < 4.0"]),
            ..Terms::new("roll-over", 8)
        },
        table: Some(include_str!("tables/roll-over.toml")),
        // Over the left side as it is; over the right one if that is lower.
        make: |terms, m| posed(terms, m, |sense| left(sense) > 0.0),
    },
    planar::STAND,
    planar::BEND,
    planar::BELLY_TO_KNEEL,
    planar::KNEEL_TO_STAND,
    planar::STEP_FORWARD,
    planar::STEP_BACK,
    planar::STEP_TO_STAND,
    planar::WALK,
    planar::DIVE,
    planar::FALL,
    planar::DEFAULT,
];

/// A skill that is a table of poses.
fn posed(terms: Terms, making: &Making<'_>, mirrored: Mirrored) -> Result<Box<dyn Skill>, Refusal> {
    let name = terms.name;
    let table = making
        .table
        .clone()
        .ok_or_else(|| Refusal::new("controller", format!("{name} has no table of poses")))?;
    Ok(Box::new(Posed::new(making.build.clone(), making.physique, terms, table, mirrored)?))
}

/// How far the left side of the chest faces the sky.
fn left(sense: &crate::controller::Sense<'_>) -> f64 {
    sense
        .data
        .world_from_body(sense.body_of(sense.own.physique().trunk()))
        .rotation
        .y_axis
        .dot(sense.own.up())
}

/// The row of this name.
pub fn find(name: &str) -> Option<usize> {
    SKILLS.iter().position(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_and_have_names_of_their_own() {
        for (k, row) in SKILLS.iter().enumerate() {
            let terms = (row.terms)();
            assert_eq!((terms.name, find(row.name)), (row.name, Some(k)));
            assert_eq!(row.bid.name, format!("bid-{}", row.name));
            assert!((1..=10).contains(&terms.weight) && !row.help.is_empty());
            let all = [terms.before, terms.after, terms.during];
            assert!(all.iter().flat_map(Conditions::texts).all(|text| !text.contains("inf")), "{}", row.name);
            if let Some(text) = row.table {
                Table::parse(row.name, text).expect("a table of poses");
            }
        }
    }
}
