//! Legs push as the motion does.
//!
//! (5) gives a torque only where a bone is off its target: under the weight legs give by a centimetre or two, and under the three
//! weights of a run by five. The paper's jumper "lags behind the mocap", which it puts down to overcoming gravity (Wrotek 2006, section 4.3);
//! a runner takes off late, lands early, and skates. But the motion tells what its legs bear. With `c` its centre of mass,
//!
//! ```text
//! F = m (c̈ + g),   up to three times the weight, and along the ground within what friction gives               (9)
//! τ_b = -(q - p) × F_i   for every bone from what touches up to the root, p its joint and q where the force comes in   (10)
//! ```
//!
//! where `F_i` is the share of `F` that a foot which *does* bear has of all that is felt. By the joints it is `-(r - p) × F_i` about each of them, `r`
//! being the point of contact (the transposed Jacobian). What does not touch gets nothing, and in the motion's flight there is none. (10) is part of what (5)
//! asks for, under the same limits; no gain is any stiffer for it.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{BodyId, Model};

use crate::controller::Sense;
use crate::reference::Attitudes;

/// Time over which the motion's acceleration is taken, s: two frames of a recording.
const SMOOTH: f64 = 0.015;
/// Most that legs bear, of the weight.
const MOST: f64 = 3.0;
/// Most along the ground, of what is borne: usual ground gives 0.8.
const FRICTION: f64 = 0.5;
/// Share of the weight on a foot from which on it pushes as much as it can: what only grazes pushes less.
const FIRM: f64 = 0.2;

/// What the motion's own load asks of the bones.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// Velocity of the motion's centre of mass as of the last step, m/s.
    velocity: Option<DVec3>,
    /// `c̈`, m/s².
    acceleration: DVec3,
    /// (10) on each bone alone, N m.
    pub(super) on_bone: Vec<DVec3>,
    /// The same by the joint above it, N m.
    pub(super) by_joint: Vec<DVec3>,
    /// Points of contact of each bone, weighed by their forces, and the sum of these.
    pressed: Vec<(DVec3, f64)>,
}

impl Load {
    pub(super) fn new(bones: usize) -> Self {
        Self {
            velocity: None,
            acceleration: DVec3::ZERO,
            on_bone: vec![DVec3::ZERO; bones],
            by_joint: vec![DVec3::ZERO; bones],
            pressed: vec![(DVec3::ZERO, 0.0); bones],
        }
    }

    /// Looks at the motion, which is turned by `heading`, and at what is felt; `share` of (10) is wanted.
    pub(super) fn update(
        &mut self,
        model: &Model,
        wanted: &Attitudes,
        heading: DQuat,
        share: f64,
        sense: &Sense<'_>,
    ) {
        self.on_bone.fill(DVec3::ZERO);
        self.by_joint.fill(DVec3::ZERO);
        let momentum = |(i, body): (usize, &stuntlab_physics::model::Body)| {
            let arm = wanted.orientation[i] * body.inertia().center_of_mass;
            (wanted.velocity[i] + wanted.angular_velocity[i].cross(arm)) * body.inertia().mass
        };
        let velocity = model.bodies().iter().enumerate().map(momentum).sum::<DVec3>() / model.total_mass();
        let now = self.velocity.map_or(DVec3::ZERO, |before| (velocity - before) / sense.dt);
        self.velocity = Some(velocity);
        self.acceleration += (now - self.acceleration) * (sense.dt / (SMOOTH + sense.dt));
        if share <= 0.0 {
            return;
        }
        let up = sense.own.up();
        let weight = sense.own.mass() * sense.model.gravity().length();
        let force = sense.own.mass() * (heading * self.acceleration) + up * weight; // (9)
        let borne = up.dot(force).clamp(0.0, MOST * weight);
        let along = (force - up * up.dot(force)).clamp_length_max(FRICTION * borne);
        self.spread((up * borne + along) * share, weight, sense);
    }

    /// (10) for all that bears.
    fn spread(&mut self, force: DVec3, weight: f64, sense: &Sense<'_>) {
        self.pressed.fill((DVec3::ZERO, 0.0));
        let up = sense.own.up();
        for felt in sense.data.memory.felt() {
            let push = up.dot(felt.force);
            let ends = [(Some(felt.body_a), push), (felt.body_b, -push)];
            for (body, load) in ends {
                let Some(bone) = body.and_then(|b| Bone::of(b, sense.bodies)).filter(|_| load > 0.0) else {
                    continue;
                };
                self.pressed[bone].0 += load * felt.point;
                self.pressed[bone].1 += load;
            }
        }
        let total: f64 = self.pressed.iter().map(|p| p.1).sum();
        for foot in (1..self.pressed.len()).map(Bone::new) {
            let (sum, load) = self.pressed[foot];
            if load <= 0.0 || !sense.own.physique().is_foot(foot) {
                continue;
            }
            let own = force * (load / total) * (load / (FIRM * weight)).min(1.0);
            let point = sum / load;
            let (mut bone, mut entry) = (foot, point);
            while bone.index() > 0 {
                let joint = sense.data.position.world_from_body[sense.body_of(bone)].translation;
                self.on_bone[bone] -= (entry - joint).cross(own);
                self.by_joint[bone] -= (point - joint).cross(own);
                entry = joint;
                let parent = sense.bone(bone).parent().and_then(|p: BodyId| Bone::of(p, sense.bodies));
                let Some(parent) = parent else { break };
                bone = parent;
            }
        }
    }
}
