//! The default: lets go, and lies with arms and legs a little apart.

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Part;
use stuntlab_physics::{Actuation, State};

use crate::controller::Sense;
use crate::fighter::Layout;
use crate::gains::{Gains, Tuned};
use crate::stand::write_servos;
use crate::stunt::build::Build;
use crate::stunt::skill::{Skill, Terms};

/// Share of the stiffness and of the damping of one who holds a pose.
const TONE: (f64, f64) = (0.15, 0.4);
/// Factor on the reference gains, for 80 kg.
const STIFF: f64 = 1.6;
/// Seconds in which it comes to lie so.
const SETTLING: f64 = 1.0;

/// Lies, degrees: hands beside the body, where they are in nobody's way who turns over or gets up.
const LYING: [(fn(Side) -> Part, [f64; 3]); 5] = [
    (Part::Thigh, [0.0, 5.0, 0.0]),
    (Part::Shank, [5.0, 0.0, 0.0]),
    (Part::Foot, [-20.0, 0.0, 0.0]),
    (Part::UpperArm, [-20.0, 45.0, 0.0]),
    (Part::Forearm, [70.0, 0.0, 0.0]),
];

/// Rests.
#[derive(Clone)]
pub(crate) struct Rest {
    terms: Terms,
    build: Arc<Build>,
    gains: Tuned,
    layout: Layout,
    lying: State,
    began: State,
    pose: State,
    rates: Vec<f64>,
    since: f64,
}

impl Rest {
    pub(crate) fn new(build: Arc<Build>, terms: Terms) -> Self {
        let own = build.own();
        let mut lying = State::new(own);
        for (part, angles) in LYING {
            for side in Side::BOTH {
                build.set(&mut lying, part(side), angles);
            }
        }
        Self {
            gains: Tuned::new(own, own.body_ids(), Gains::Table { scale: STIFF }),
            layout: Layout::new(own),
            began: State::new(own),
            pose: State::new(own),
            rates: vec![0.0; own.n_v()],
            since: 0.0,
            lying,
            terms,
            build,
        }
    }
}

impl Skill for Rest {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        self.since = sense.time();
        self.began.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let p = ((sense.time() - self.since) / SETTLING).clamp(0.0, 1.0);
        self.pose.q.copy_from_slice(&self.began.q);
        self.layout.mix(&mut self.pose.q, &self.lying.q, p * p * (3.0 - 2.0 * p));
        let root = self.build.own().bodies()[0].coordinates();
        self.pose.q[root].copy_from_slice(&sense.state.q[sense.model.body(sense.root()).coordinates()]);
        write_servos(sense, self.build.own(), &self.gains, &self.pose, &self.rates, out, |_| TONE);
    }

    fn pose(&self) -> Option<&State> {
        Some(&self.pose)
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
