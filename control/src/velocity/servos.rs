//! The same goals by joint servos instead of motors: what a comparison of both needs, and nothing else.
//!
//! ```text
//! (1)  τ = k (q̄ ⊖ q) + d (q̄̇ - q̇)                    at the end of the step (stable PD; Tan, Liu and Turk 2011)
//! (2)  k = s k_part,  d = T k                         by body part, all damped alike
//! ```
//! A servo knows no time: it goes to the goal as fast as its gains take it, whatever its [`Pace`](super::Pace). Its effort is bounded by the joint's limit.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::Body;
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Actuation, Bodies, JointKind, Model};

use super::drive::Goal;
use crate::gains::{Gains, servo_gains};
use crate::settings::{Fields, SettingError};

/// How stiff servos are that stand in for motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servos {
    /// `s`: factor on the table of gains by body part ([`Gains::Table`]).
    pub scale: f64,
    /// `T`: damping per stiffness, s.
    pub damping: f64,
}

impl Default for Servos {
    /// The table of a tracker known to work, for a grown body.
    fn default() -> Self {
        Self { scale: 1.6, damping: 0.1 }
    }
}

impl Servos {
    /// (2): stiffness and damping of the joint above each of `bodies`.
    pub(super) fn gains(&self, model: &Model, bodies: Bodies) -> Vec<(f64, f64)> {
        let table = servo_gains(model, bodies, Gains::Table { scale: self.scale });
        table.into_iter().map(|(stiffness, _)| (stiffness, self.damping * stiffness)).collect()
    }
}

/// Reads what scenes write about servos among `muscles`; none where these are motors.
pub(crate) fn read(own: &Fields<'_>) -> Result<Option<Servos>, SettingError> {
    let usual = Servos::default();
    let servos = Servos {
        scale: own.at_least_zero("servo_scale")?.unwrap_or(usual.scale),
        damping: own.at_least_zero("servo_damping")?.unwrap_or(usual.damping),
    };
    let by_servos = own.choice("drive", &[("motors", false), ("servos", true)])?.unwrap_or(false);
    Ok(by_servos.then_some(servos))
}

/// (1) on the joint above `body`. A goal that is to be pursued softly has the gains it says, in place of the table's.
pub(super) fn serve(body: &Body, goal: &Goal, (k, d): (f64, f64), dt: f64, out: &mut Actuation) {
    let (k, d) =
        if goal.damping.is_finite() { (goal.damping / goal.pace.seconds(dt), goal.damping) } else { (k, d) };
    for (n, freedom) in body.freedoms().iter().enumerate().take(3) {
        out.servo.stiffness[freedom] = k;
        out.servo.damping[freedom] = d;
        out.servo.target_v[freedom] = goal.rates[n];
    }
    // Where the goal is at the end of the step.
    let ahead = at_end(&body.joint().kind, goal, dt);
    let range = body.coordinates();
    let n = range.len().min(4);
    out.servo.target_q[range][..n].copy_from_slice(&ahead[..n]);
}

fn at_end(kind: &JointKind, goal: &Goal, dt: f64) -> [f64; 4] {
    let way: DVec3 = goal.rates * dt;
    if *kind == JointKind::Spherical {
        return (DQuat::from_array(goal.q) * rotation::exp(way)).to_array();
    }
    let mut q = goal.q;
    q.iter_mut().zip(way.to_array()).for_each(|(q, way)| *q += way);
    q
}
