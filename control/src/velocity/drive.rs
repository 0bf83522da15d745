//! Joints driven by the rates they shall have: one motor each, solved with contacts, limits and pins in one problem.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::actuation::{Key, Motor};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Bodies, Model};

use super::muscle::{Muscle, Ramp};
use super::servos::{Servos, serve};
use super::target::{Pace, desired_rate, is_driven};
use crate::controller::Sense;

/// What the motors of a character's velocity control are called: with the place of its root, so that several do not get into each
/// other's way.
const OWNER: u32 = 0x0076_0000;

/// How strong and how quick all muscles are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Muscles {
    /// Factor on the joints' effort limits; of servos, on their gains.
    pub strength: f64,
    /// Reaction time of all muscles, s.
    pub reaction: f64,
    /// How their forces change.
    pub ramp: Ramp,
    /// Seconds over which a velocity error is taken away, at least a step; see [`super::muscle`] (4).
    pub lead: f64,
    /// Joint servos in the place of muscles, for comparison: nothing above but the strength is theirs.
    pub servos: Option<Servos>,
}

impl Default for Muscles {
    /// As published: 20 ms, and nothing done about it.
    fn default() -> Self {
        Self { strength: 1.0, reaction: 0.02, ramp: Ramp::Cap, lead: 0.0, servos: None }
    }
}

/// What a joint shall be, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Coordinates of the joint.
    pub q: [f64; 4],
    /// Rates with which the goal itself moves.
    pub rates: DVec3,
    /// In what time.
    pub pace: Pace,
    /// Torque per error of rate at most, N m s/rad; infinite: as rigid as muscles allow. With the time `T` of its pace this is a servo
    /// of the damping `d` and the stiffness `d/T`.
    pub damping: f64,
}

impl Goal {
    /// A goal that stays where it is.
    pub const fn at(q: [f64; 4], pace: Pace) -> Self {
        Self { q, rates: DVec3::ZERO, pace, damping: f64::INFINITY }
    }

    /// The same, pursued with no more than so much torque per error of rate.
    #[must_use]
    pub const fn softened(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
}

/// Motors on all driven joints of a character, or servos.
#[derive(Clone, Debug)]
pub struct Drive {
    muscles: Muscles,
    joints: Vec<(Bone, Key, Muscle)>,
    /// Stiffness and damping per bone, of servos.
    gains: Vec<(f64, f64)>,
}

impl Drive {
    /// For the character made of `bodies` of a model; its muscles are as strong as its joints' effort limits say.
    pub fn new(model: &Model, bodies: Bodies, muscles: Muscles) -> Self {
        let owner = OWNER + bodies.first().map_or(0, |root| root.index() as u32);
        let joint = |(k, body): (usize, &stuntlab_physics::model::Body)| {
            let most = DVec3::from_slice(&body.joint().effort_limit[..3]) * muscles.strength;
            let muscle = Muscle { most, reaction: muscles.reaction, ramp: muscles.ramp };
            is_driven(&body.joint().kind).then(|| (Bone::new(k), Key::of(owner, k as u32), muscle))
        };
        let joints = model.bodies()[bodies].iter().enumerate().filter_map(joint).collect();
        let gains = muscles.servos.map(|servos| servos.gains(model, bodies)).unwrap_or_default();
        Self { muscles, joints, gains }
    }

    /// Writes motors towards what every joint shall be; joints without a goal are limp.
    pub fn act(&self, sense: &Sense<'_>, goal: impl Fn(Bone) -> Option<Goal>, out: &mut Actuation) {
        if self.muscles.servos.is_some() {
            return self.serve(sense, goal, out);
        }
        let share = sense.dt / self.muscles.lead.max(sense.dt);
        for &(bone, key, ref muscle) in &self.joints {
            let Some(goal) = goal(bone).filter(|goal| goal.damping > 0.0) else { continue };
            let body = sense.bone(bone);
            let wanted = goal.rates + desired_rate(body, sense.state, &goal.q, goal.pace.seconds(sense.dt));
            let mut now = [0.0; 3];
            now.iter_mut().zip(&sense.state.v[body.freedoms()]).for_each(|(now, rate)| *now = *rate);
            let now = DVec3::from_array(now);
            let before = sense.data.report_of_motor(key).map_or(DVec3::ZERO, |report| report.force);
            let rates = now + (wanted - now) * share;
            let effort = muscle.effort(before, sense.dt);
            let motor = Motor::on_joint(key, sense.model, sense.body_of(bone), rates, effort);
            out.motors.push(motor.with_compliance(1.0 / goal.damping));
        }
    }

    fn serve(&self, sense: &Sense<'_>, goal: impl Fn(Bone) -> Option<Goal>, out: &mut Actuation) {
        for &(bone, ..) in &self.joints {
            let Some(goal) = goal(bone).filter(|goal| goal.damping > 0.0) else { continue };
            let (stiffness, damping) = self.gains[bone.index()];
            let gains = (self.muscles.strength * stiffness, self.muscles.strength * damping);
            serve(sense.bone(bone), &goal, gains, sense.dt, out);
        }
    }

    /// Torques of every driven joint in the last step, and the most it may give; of motors only.
    pub fn torques<'a>(&'a self, sense: &'a Sense<'_>) -> impl Iterator<Item = (Bone, DVec3, &'a Muscle)> {
        let gave = |key| sense.data.report_of_motor(key).map_or(DVec3::ZERO, |report| report.force);
        self.joints.iter().map(move |(bone, key, muscle)| (*bone, gave(*key), muscle))
    }
}
