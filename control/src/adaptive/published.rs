//! What a character that answers says about itself.

use super::Adaptive;
use crate::readings::{Published, Together};

pub(super) const PUBLISHED: [Published; 9] = [
    Published {
        name: "active-joints",
        unit: "of 1",
        help: "Share of its joints that are simulated",
        together: Together::Most,
    },
    Published {
        name: "active-limbs",
        unit: "",
        help: "Number of limbs with joints that are simulated, trunk and head among them",
        together: Together::Most,
    },
    Published {
        name: "ratio",
        unit: "of 1",
        help: "Largest C/(A+B) of its joints",
        together: Together::Most,
    },
    Published {
        name: "shift",
        unit: "m",
        help: "How far the whole body is off its feet's middle",
        together: Together::Most,
    },
    Published {
        name: "tilt",
        unit: "°",
        help: "How far the whole body leans off its motion",
        together: Together::Most,
    },
    Published { name: "reactive-steps", unit: "", help: "Steps it took of its own", together: Together::Sum },
    Published {
        name: "displaced",
        unit: "m",
        help: "How far its feet are off the motion's place",
        together: Together::Most,
    },
    Published {
        name: "response",
        unit: "",
        help: "0: it plays back, 1: it answers, 2: it has given up",
        together: Together::Most,
    },
    Published {
        name: "switches",
        unit: "",
        help: "Steps in which a joint, the whole body, a foot or the support switched",
        together: Together::Sum,
    },
];

/// What a character does, as its reading `response` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response {
    PlaysBack,
    Answers,
    /// All of it is up to forces, for good.
    GivenUp,
}

impl Adaptive {
    /// Renews what is published.
    pub(super) fn publish(&mut self, response: Response) {
        let joints = (self.articulation.modes().len() - 1).max(1);
        let active = match response {
            Response::GivenUp => 1.0,
            _ => self.articulation.active() as f64 / joints as f64,
        };
        let home = self.stepping.home();
        self.values = [
            active,
            self.articulation.active_limbs() as f64,
            self.articulation.ratios().iter().copied().fold(0.0, f64::max),
            (self.whole.posture().0 - home).length(),
            self.whole.posture().1.length().to_degrees(),
            f64::from(self.stepping.steps()),
            home.length(),
            f64::from(response as u8),
            f64::from(self.switches.count()),
        ];
    }
}
