//! What passed through a character's joints in the last step, and what they can bear.

use std::ops::Range;

use stuntlab_physics::spatial::Force;
use stuntlab_physics::{Data, Limits, Model};

/// Joints of one character. Bodies and freedoms count from its own first.
#[derive(Clone, Debug)]
pub struct Joints {
    freedoms: Vec<Range<usize>>,
    effort: Vec<f64>,
    limits: Vec<Limits>,
    wrench: Vec<Force>,
    along: Vec<f64>,
    drive: Vec<f64>,
    stop: Vec<f64>,
    /// First freedom in the whole model.
    first: usize,
}

impl Joints {
    pub(super) fn new(model: &Model, bodies: Range<usize>) -> Self {
        let own = &model.bodies()[bodies];
        let first = own.first().map_or(0, |b| b.v_range().start);
        let n = own.iter().map(|b| b.joint().kind.n_v()).sum();
        let shift = |r: Range<usize>| r.start - first..r.end - first;
        let effort = own.iter().flat_map(|b| b.joint().effort_limit[..b.joint().kind.n_v()].to_vec());
        Self {
            freedoms: own.iter().map(|b| shift(b.v_range())).collect(),
            effort: effort.collect(),
            limits: own.iter().map(|b| b.joint().limits.clone()).collect(),
            wrench: vec![Force::ZERO; own.len()],
            along: vec![0.0; n],
            drive: vec![0.0; n],
            stop: vec![0.0; n],
            first,
        }
    }

    pub(super) fn look(&mut self, data: &Data, bodies: Range<usize>) {
        let reactions = &data.reactions;
        let freedoms = self.first..self.first + self.along.len();
        self.wrench.copy_from_slice(&reactions.wrench[bodies]);
        self.along.copy_from_slice(&reactions.along[freedoms.clone()]);
        self.drive.copy_from_slice(&reactions.drive[freedoms.clone()]);
        self.stop.copy_from_slice(&reactions.limit[freedoms]);
    }

    /// Freedoms of the joint above a body.
    pub fn freedoms(&self, body: usize) -> Range<usize> {
        self.freedoms.get(body).cloned().unwrap_or_default()
    }

    /// The whole force of a body's parent on it through the joint, in world axes at its origin.
    pub fn reaction(&self, body: usize) -> Force {
        self.wrench.get(body).copied().unwrap_or(Force::ZERO)
    }

    /// All that acted along every freedom, N m: drive, motors, limits, springs and dampers.
    pub fn along(&self) -> &[f64] {
        &self.along
    }

    /// What forces and servos gave, per freedom, N m.
    pub fn torques(&self) -> &[f64] {
        &self.drive
    }

    /// What limits gave, per freedom, N m.
    pub fn stops(&self) -> &[f64] {
        &self.stop
    }

    /// The most that forces and servos can give, per freedom, N m; infinite where there is no limit.
    pub fn torque_limits(&self) -> &[f64] {
        &self.effort
    }

    /// How far the joint above a body may go.
    pub fn limits(&self, body: usize) -> Option<&Limits> {
        self.limits.get(body)
    }

    /// The largest share of its torque limit that a freedom of the joint above a body gave.
    pub fn exertion(&self, body: usize) -> f64 {
        let share = |k: usize| if self.effort[k] > 0.0 { self.drive[k].abs() / self.effort[k] } else { 0.0 };
        self.freedoms(body).map(share).fold(0.0, f64::max)
    }
}
