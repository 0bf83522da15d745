//! Skills of the figure in the plane, the paper's "terminator": moves through phases ([`crate::planar`]), by their own tables.
//!
//! Analytic pre-conditions are wide here: they prune, and what was learned decides within ([`crate::learned`]).

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_physics::{Actuation, State};

use super::upright::Upright;
use crate::controller::Sense;
use crate::kind::Refusal;
use crate::planar::{Mover, Moves};
use crate::stunt::pool::{Making, Row, bid};
use crate::stunt::relation::Conditions;
use crate::stunt::skill::{Skill, Terms};

/// Who stands: the paper's appendix A, widened where a sensor of a body that breathes by a simulation would call noise a fall.
const STANDS: [&str; 8] = [
    "trunk-up > 0.9",
    "pelvis-rise > 0.85",
    "feet-down > 1.5",
    "feet-apart < 0.15",
    "capture-margin > 0.005",
    "com-speed < 0.3",
    "com-acceleration < 2.0",
    "posture < 0.25",
];

/// Who is on hands and knees.
const KNEELS: [&str; 7] = [
    "trunk-down < 0.5",
    "knees-down > 1.5",
    "hands-down > 1.5",
    "pelvis-height > 0.3",
    "pelvis-height < 0.7",
    "trunk-front < -0.4",
    "com-speed < 0.1",
];

/// Stands in place.
pub(crate) const STAND: Row = Row {
    name: "stand-in-place",
    help: "Stands in place, by its ankles, hips and arms (plane)",
    bid: bid("bid-stand-in-place"),
    planar: true,
    terms: || Terms {
        reaches: true,
        before: Conditions::of(&[
            "trunk-up > 0.7",
            "pelvis-rise > 0.8",
            "feet-down > 0.5",
            "feet-apart < 0.15",
            "com-speed < 1.2",
            // Who falls beyond its soles is not caught by standing on them; who hardly moves stands on its toes.
            "beyond < 0.02",
            "or",
            "trunk-up > 0.7",
            "pelvis-rise > 0.8",
            "feet-down > 0.5",
            "feet-apart < 0.15",
            "com-speed < 0.05",
        ]),
        after: Conditions::of(&[
            "trunk-up > 0.9",
            "pelvis-rise > 0.85",
            "feet-apart < 0.15",
            "capture-margin > 0.0",
            "com-speed < 0.05",
            "com-acceleration < 0.1",
            "posture < 0.15",
        ]),
        settled: 0.2,
        during: Conditions::of(&["beyond < 0.03", "trunk-up > 0.7", "or", "skill-time < 0.2"]),
        patience: 0.05,
        ..Terms::new("stand-in-place", 6)
    },
    table: None,
    make: |terms, m| Ok(Box::new(Upright::new(m.build.clone(), m.physique, terms, 0.5)?)),
};

/// From a bend into a stand.
pub(crate) const BEND: Row = Row {
    name: "bend-to-stand",
    help: "From bent legs and trunk into a stand (plane)",
    bid: bid("bid-bend-to-stand"),
    planar: true,
    terms: || Terms {
        reaches: true,
        before: Conditions::of(&[
            "trunk-up > -0.1",
            "pelvis-rise > 0.4",
            "feet-down > 0.5",
            "feet-apart < 0.15",
            "trunk-down < 0.5",
            "hands-down < 0.5",
            "knees-down < 0.5",
            "com-speed < 1.2",
            "beyond < 0.02",
        ]),
        after: Conditions::of(&STANDS),
        settled: 0.1,
        during: Conditions::of(&["pelvis-rise > 0.3", "trunk-up > -0.3", "skill-time < 4.0"]),
        patience: 0.05,
        ..Terms::new("bend-to-stand", 5)
    },
    table: None,
    make: |terms, m| Ok(Box::new(Upright::new(m.build.clone(), m.physique, terms, 1.2)?)),
};

/// From the belly onto hands and knees.
pub(crate) const BELLY_TO_KNEEL: Row = Row {
    name: "belly-to-kneel",
    help: "From the belly onto hands and knees (plane)",
    bid: bid("bid-belly-to-kneel"),
    planar: true,
    terms: || Terms {
        before: Conditions::of(&[
            "trunk-front < -0.5",
            "pelvis-height < 0.35",
            "com-speed < 0.6",
            // It rests first.
            "joint-speed < 0.5",
            "wanted-height > 0.5",
        ]),
        after: Conditions::of(&KNEELS),
        settled: 0.2,
        during: Conditions::of(&["skill-time < 4.0"]),
        ..Terms::new("belly-to-kneel", 8)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/belly-to-kneel.toml")], |_| {
            (0, Side::Left)
        })
    },
};

/// From hands and knees onto the feet.
pub(crate) const KNEEL_TO_STAND: Row = Row {
    name: "kneel-to-stand",
    help: "From hands and knees onto the feet and into a stand (plane)",
    bid: bid("bid-kneel-to-stand"),
    planar: true,
    terms: || Terms {
        reaches: true,
        before: Conditions::of(&[
            "trunk-down < 0.5",
            "knees-down > 0.5",
            "hands-down > 0.5",
            "pelvis-height > 0.3",
            "pelvis-height < 0.7",
            "trunk-front < -0.4",
            "com-speed < 0.3",
            "wanted-height > 0.5",
        ]),
        after: Conditions::of(&STANDS),
        settled: 0.1,
        during: Conditions::of(&["skill-time < 6.0"]),
        ..Terms::new("kneel-to-stand", 3)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/kneel-to-stand.toml")], |_| {
            (0, Side::Left)
        })
    },
};

/// Who may step: upright, and not so far beyond the soles that one step cannot reach.
const UPRIGHT: [&str; 7] = [
    "trunk-up > 0.7",
    "pelvis-rise > 0.8",
    "feet-down > 0.5",
    "feet-apart < 0.2",
    "com-speed < 2.0",
    "knees < 60.0",
    "beyond < 0.25",
];

/// What a step brings about: both feet down, one before the other, and a fall that is caught.
const STEPPED: [&str; 6] = [
    "skill-progress > 0.7",
    "feet-down > 1.5",
    "feet-apart > 0.1",
    "capture-margin > 0.0",
    "com-speed < 0.4",
    "trunk-up > 0.8",
];

const STEPPING: [&str; 3] = ["trunk-up > 0.5", "pelvis-rise > 0.65", "skill-time < 2.0"];

/// A step forward.
pub(crate) const STEP_FORWARD: Row = Row {
    name: "step-forward",
    help: "From a stand a step forward that catches a fall (plane)",
    bid: bid("bid-step-forward"),
    planar: true,
    terms: || Terms {
        urgent: true,
        before: Conditions::of(&[&UPRIGHT[..], &["beyond > -0.01", "fall-forward > 0.05"]].concat()),
        after: Conditions::of(&STEPPED),
        settled: 0.1,
        during: Conditions::of(&STEPPING),
        patience: 0.05,
        ..Terms::new("step-forward", 10)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/step-forward.toml")], |s| {
            (0, lighter(s))
        })
    },
};

/// A step back.
pub(crate) const STEP_BACK: Row = Row {
    name: "step-back",
    help: "From a stand a step back that catches a fall (plane)",
    bid: bid("bid-step-back"),
    planar: true,
    terms: || Terms {
        urgent: true,
        before: Conditions::of(&[&UPRIGHT[..], &["beyond > -0.01", "fall-forward < 0.0"]].concat()),
        after: Conditions::of(&STEPPED),
        settled: 0.1,
        during: Conditions::of(&STEPPING),
        patience: 0.05,
        ..Terms::new("step-back", 10)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/step-back.toml")], |s| (0, lighter(s)))
    },
};

/// From a step into a stand.
pub(crate) const STEP_TO_STAND: Row = Row {
    name: "step-to-stand",
    help: "From one foot before the other into a stand (plane)",
    bid: bid("bid-step-to-stand"),
    planar: true,
    terms: || Terms {
        reaches: true,
        before: Conditions::of(&[
            "trunk-up > 0.7",
            "pelvis-rise > 0.7",
            "feet-down > 0.5",
            "feet-apart > 0.1",
            "com-speed < 1.2",
        ]),
        after: Conditions::of(&STANDS),
        settled: 0.1,
        during: Conditions::of(&["trunk-up > 0.5", "pelvis-rise > 0.65", "skill-time < 4.0"]),
        patience: 0.05,
        ..Terms::new("step-to-stand", 4)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/step-to-stand.toml")], |s| {
            (0, rear(s))
        })
    },
};

/// Walks until something else is asked for.
pub(crate) const WALK: Row = Row {
    name: "plane-walk",
    help: "Walks on until another skill is asked for, when it is asked to (plane)",
    bid: bid("bid-plane-walk"),
    planar: true,
    terms: || Terms {
        voluntary: true,
        before: Conditions::of(&[
            "trunk-up > 0.9",
            "pelvis-rise > 0.8",
            "feet-down > 0.5",
            "com-speed < 1.2",
        ]),
        during: Conditions::of(&["trunk-up > 0.7", "pelvis-rise > 0.7"]),
        patience: 0.05,
        ..Terms::new("plane-walk", 1)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/walk.toml")], |s| (0, lighter(s)))
    },
};

/// Dives.
pub(crate) const DIVE: Row = Row {
    name: "plane-dive",
    help: "Plunges forward with its arms ahead and lands on hands and belly, when it is asked to (plane)",
    bid: bid("bid-plane-dive"),
    planar: true,
    terms: || Terms {
        voluntary: true,
        before: Conditions::of(&STANDS),
        after: Conditions::of(&["skill-time > 0.8", "trunk-down > 0.5"]),
        settled: 0.05,
        during: Conditions::of(&["skill-time < 4.0"]),
        ..Terms::new("plane-dive", 1)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/dive.toml")], |_| (0, Side::Left))
    },
};

/// Falls.
pub(crate) const FALL: Row = Row {
    name: "plane-fall",
    help: "Falls forward or back with its arms where it will land (plane)",
    bid: bid("bid-plane-fall"),
    planar: true,
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
        ..Terms::new("plane-fall", 9)
    },
    table: None,
    make: |terms, m| {
        let ways = [
            include_str!("../../planar/tables/fall-forward.toml"),
            include_str!("../../planar/tables/fall-back.toml"),
        ];
        Moved::by_tables(terms, m, &ways, |s| (usize::from(s.own.velocity().x < 0.0), Side::Left))
    },
};

/// Lets go.
pub(crate) const DEFAULT: Row = Row {
    name: "plane-default",
    help: "Lets go and rests (plane)",
    bid: bid("bid-plane-default"),
    planar: true,
    terms: || Terms {
        after: Conditions::of(&["com-speed < 0.05", "joint-speed < 0.3"]),
        settled: 0.5,
        ..Terms::new("plane-default", 1)
    },
    table: None,
    make: |terms, m| {
        Moved::by_tables(terms, m, &[include_str!("../../planar/tables/default.toml")], |_| (0, Side::Left))
    },
};

/// The foot that bears less; the left one among equals.
fn lighter(sense: &Sense<'_>) -> Side {
    if sense.own.load(Side::Right) < sense.own.load(Side::Left) { Side::Right } else { Side::Left }
}

/// The foot that is farther back; the left one among equals.
fn rear(sense: &Sense<'_>) -> Side {
    let place = |side: Side| {
        let soles = sense.own.physique().soles().iter().filter(|s| s.side == side);
        soles
            .map(|s| sense.data.world_from_body(sense.body_of(s.bone)).translation.x)
            .fold(f64::INFINITY, f64::min)
    };
    if place(Side::Right) < place(Side::Left) { Side::Right } else { Side::Left }
}

/// Which of its moves, and which leg leads, by the state it begins in.
type Choice = fn(&Sense<'_>) -> (usize, Side);

/// The skill of this name with other moves than its own: what a search tries.
///
/// # Errors
/// A skill that has no moves, a figure that is none in a plane.
pub fn moved(name: &'static str, making: &Making<'_>, ways: Vec<Moves>) -> Result<Box<dyn Skill>, Refusal> {
    let choice: Choice = match name {
        "belly-to-kneel" | "kneel-to-stand" => |_| (0, Side::Left),
        "step-forward" | "step-back" | "plane-walk" => |s| (0, lighter(s)),
        "step-to-stand" => |s| (0, rear(s)),
        _ => {
            return Err(Refusal::new(
                "controller",
                format!("\"{name}\" has no moves to be tried, expected one that has"),
            ));
        }
    };
    let terms = crate::stunt::pool::find(name).map(|k| (crate::stunt::pool::SKILLS[k].terms)());
    let terms = terms.unwrap_or_else(|| Terms::new(name, 1));
    Ok(Box::new(Moved::of(terms, making, ways, choice)?))
}

/// Moves as a skill.
#[derive(Clone)]
pub(crate) struct Moved {
    terms: Terms,
    mover: Mover,
    ways: Arc<Vec<Moves>>,
    way: usize,
    choice: Choice,
}

impl Moved {
    /// By tables.
    pub(crate) fn by_tables(
        terms: Terms,
        making: &Making<'_>,
        tables: &[&str],
        choice: Choice,
    ) -> Result<Box<dyn Skill>, Refusal> {
        let read = |text: &&str| {
            Moves::parse(terms.name, text).map_err(|e| Refusal::new("controller", e.to_string()))
        };
        let ways: Result<Vec<Moves>, Refusal> = tables.iter().map(read).collect();
        Ok(Box::new(Self::of(terms, making, ways?, choice)?))
    }

    /// By moves.
    pub(crate) fn of(
        terms: Terms,
        making: &Making<'_>,
        ways: Vec<Moves>,
        choice: Choice,
    ) -> Result<Self, Refusal> {
        let mover = Mover::new(making.build.own().clone(), making.physique)?;
        Ok(Self { terms, mover, ways: Arc::new(ways), way: 0, choice })
    }
}

impl Skill for Moved {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        let (way, lead) = (self.choice)(sense);
        self.way = way;
        self.mover.begin(sense, lead);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.mover.act(sense, &self.ways[self.way], out);
    }

    fn progress(&self) -> f64 {
        let phases = self.ways[self.way].phases.len().max(1);
        (self.mover.phase() + usize::from(self.mover.is_done())) as f64 / phases as f64
    }

    fn pose(&self) -> Option<&State> {
        Some(self.mover.pose())
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
