//! A recorded motion by target states in time: every joint has the rate with which it gets back to the motion, and goes on with it.
//!
//! ```text
//! (1)  ω = q̄̇(t) + (q̄(t) ⊖ q) / F                     F the time over which an error goes
//! (2)  q̄̇(t) = (q̄(t + δ) ⊖ q̄(t)) / δ                  δ the spacing of the motion's frames
//! ```
//! The rates are motors of the step's one problem, bounded by what muscles give ([`super::drive`]). Rigid ones make a statue of the body that
//! stands on whichever edge of a foot the motion has a hundredth of a radian off: the ground says how it leans, and it falls. So motors
//! give way, by what the joint's servo would be damped with,
//!
//! ```text
//! (3)  τ = d (ω - q̇),  d = s k_part F                  s the firmness
//! ```
//! which for small errors is a servo of stiffness `s k_part`, and is bounded as muscles are. What muscles cannot give a body is balance in a motion that was not made for it; the root has the aid of [`crate::dynamo`], to the letter, so that the
//! same motion can be compared under torques in the world, servos and rates.

mod kind;

pub use kind::KIND;

use std::sync::Arc;

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Bodies, Model, State};

use super::drive::{Drive, Goal, Muscles};
use super::target::Pace;
use crate::controller::{Controller, Role, Sense};
use crate::dynamo::{
    Balance, BoneGains, CHEAT, DynamoOptions, Frame, Root, RootSense, Targets, per_weight, standing_height,
};
use crate::gains::{Gains, servo_gains};
use crate::readings::{Published, Readings, Together};
use crate::reference::{Attitudes, Reference};

const PUBLISHED: [Published; 2] = [
    CHEAT,
    Published {
        name: "effort",
        unit: "of 1",
        help: "Largest share of its strength that a muscle gave",
        together: Together::Most,
    },
];

/// How a motion is tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackOptions {
    /// Muscles of all joints.
    pub muscles: Muscles,
    /// `F` of (1), s.
    pub floor: f64,
    /// `s` of (3): factor on the table of gains by body part; infinite for rigid motors.
    pub firmness: f64,
    /// How the root balances.
    pub balance: Balance,
}

/// A motion being tracked.
#[derive(Clone)]
pub struct Track {
    options: TrackOptions,
    model: Arc<Model>,
    reference: Box<dyn Reference>,
    drive: Drive,
    now: State,
    next: State,
    /// (2), per freedom.
    rates: Vec<f64>,
    /// `d` of (3), per bone.
    damping: Vec<f64>,
    wanted: Attitudes,
    targets: Targets,
    /// What bones count for the heading, and the root as a bone like others: as in [`crate::dynamo`].
    gains: BoneGains,
    root: Root,
    values: [f64; PUBLISHED.len()],
}

impl Track {
    /// For a character with its own `model` that is `bodies` of the `whole`.
    pub fn new(
        model: Arc<Model>,
        whole: &Model,
        bodies: Bodies,
        reference: Box<dyn Reference>,
        options: TrackOptions,
    ) -> Self {
        let usual = DynamoOptions::default();
        let n = model.n_bodies();
        Self {
            drive: Drive::new(whole, bodies, options.muscles),
            now: State::new(&model),
            next: State::new(&model),
            rates: vec![0.0; model.n_v()],
            damping: damping(whole, bodies, &options),
            wanted: Attitudes::new(n),
            targets: Targets::new(n, standing_height(&model)),
            gains: BoneGains::new(&model, usual.frequency, usual.damping_ratio),
            root: Root::new(options.balance),
            values: [0.0; PUBLISHED.len()],
            options,
            model,
            reference,
        }
    }

    /// (1) and (2) for all joints.
    fn track(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let ahead = self.reference.spacing();
        self.reference.write(sense.time(), &mut self.now.q);
        self.reference.write(sense.time() + ahead, &mut self.next.q);
        self.now.difference(&self.model, &self.next, &mut self.rates);
        self.rates.iter_mut().for_each(|rate| *rate /= ahead);
        let pace = Pace { left: 0.0, floor: self.options.floor };
        let goal = |bone: Bone| {
            let body = self.model.bodies().get(bone.index())?;
            let (mut q, mut rates) = ([0.0; 4], [0.0; 3]);
            q.iter_mut().zip(&self.now.q[body.coordinates()]).for_each(|(q, now)| *q = *now);
            rates.iter_mut().zip(&self.rates[body.freedoms()]).for_each(|(r, rate)| *r = *rate);
            let goal = Goal { rates: DVec3::from_array(rates), ..Goal::at(q, pace) };
            Some(goal.softened(self.damping[bone]))
        };
        self.drive.act(sense, goal, out);
    }

    /// The aid of the root. Returns its moment, N m.
    fn balance(&mut self, sense: &Sense<'_>, out: &mut Actuation) -> DVec3 {
        self.gains.bear(sense.own.touches().iter().map(|touch| touch.load), sense.dt);
        self.reference.attitudes(&self.model, sense.time(), &mut self.wanted);
        let poses = &sense.data.position.world_from_body[sense.bodies];
        self.targets.update(&self.wanted, poses, self.gains.stiffness(), Frame::ByMotion);
        let root = RootSense::of(sense, &self.targets, &self.wanted, 1.0);
        let yaw_limit = match self.options.balance {
            Balance::Unpowered => 0.0,
            _ => DynamoOptions::default().yaw_limit,
        };
        let mut sum = DVec3::ZERO;
        let moments = self.root.moments(&root, self.gains.of_root(), yaw_limit);
        for term in moments.into_iter().flatten().filter(|_| self.options.balance != Balance::Unpowered) {
            sum += term.at_rest.angular - term.gain.angular * root.actual;
            out.implicit.push((sense.root(), term));
        }
        sum
    }
}

/// (3)
fn damping(model: &Model, bodies: Bodies, options: &TrackOptions) -> Vec<f64> {
    if options.firmness.is_infinite() || options.muscles.servos.is_some() {
        return vec![f64::INFINITY; bodies.len()];
    }
    let table = servo_gains(model, bodies, Gains::Table { scale: options.firmness });
    table.into_iter().map(|(stiffness, _)| stiffness * options.floor).collect()
}

impl Controller for Track {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.track(sense, out);
        let aid = self.balance(sense, out);
        let share = |(_, torque, muscle): (Bone, DVec3, &super::Muscle)| {
            // A freedom that a joint does not have has no strength, and gives nothing.
            (0..3)
                .filter(|&k| muscle.most[k] > 0.0)
                .map(|k| torque[k].abs() / muscle.most[k])
                .fold(0.0, f64::max)
        };
        self.values = [per_weight(aid, sense), self.drive.torques(sense).map(share).fold(0.0, f64::max)];
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        self.reference.clone().write(sense.time(), &mut q[sense.tree().coordinates]);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
