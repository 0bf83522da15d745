//! What passed through a character's joints in the last step, and what they can bear.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::{Bodies, Data, Freedom, Freedoms, Limits, Model};

/// Joints of one character, by bone; freedoms as in the character's own model.
#[derive(Clone, Debug)]
pub struct Joints {
    freedoms: Vec<Freedoms>,
    effort: Vec<f64>,
    limits: Vec<Limits>,
    wrench: Vec<Force>,
    along: Vec<f64>,
    drive: Vec<f64>,
    stop: Vec<f64>,
    /// All of them in the whole model.
    whole: Freedoms,
}

impl Joints {
    pub(super) fn new(model: &Model, bodies: Bodies) -> Self {
        let own = &model.bodies()[bodies];
        let first = own.first().map_or(0, |b| b.freedoms().range().start);
        let n: usize = own.iter().map(|b| b.joint().kind.n_v()).sum();
        let shift = |f: Freedoms| Freedoms::new(f.range().start - first..f.range().end - first);
        let effort = own.iter().flat_map(|b| b.joint().effort_limit[..b.joint().kind.n_v()].to_vec());
        Self {
            freedoms: own.iter().map(|b| shift(b.freedoms())).collect(),
            effort: effort.collect(),
            limits: own.iter().map(|b| b.joint().limits.clone()).collect(),
            wrench: vec![Force::ZERO; own.len()],
            along: vec![0.0; n],
            drive: vec![0.0; n],
            stop: vec![0.0; n],
            whole: Freedoms::new(first..first + n),
        }
    }

    pub(super) fn look(&mut self, data: &Data, bodies: Bodies) {
        let reactions = &data.reactions;
        self.wrench.copy_from_slice(&reactions.wrench[bodies]);
        self.along.copy_from_slice(&reactions.along[self.whole]);
        self.drive.copy_from_slice(&reactions.drive[self.whole]);
        self.stop.copy_from_slice(&reactions.limit[self.whole]);
    }

    /// Freedoms of the joint above a bone: places in what is told per freedom here.
    pub fn freedoms(&self, bone: Bone) -> Freedoms {
        self.freedoms.get(bone.index()).copied().unwrap_or(Freedoms::new(0..0))
    }

    /// The whole force of a bone's parent on it through the joint, in world axes at its origin.
    pub fn reaction(&self, bone: Bone) -> Force {
        self.wrench.get(bone.index()).copied().unwrap_or(Force::ZERO)
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

    /// How far the joint above a bone may go.
    pub fn limits(&self, bone: Bone) -> Option<&Limits> {
        self.limits.get(bone.index())
    }

    /// The largest share of its torque limit that a freedom of the joint above a bone gave.
    pub fn exertion(&self, bone: Bone) -> f64 {
        let share =
            |k: Freedom| if self.effort[k] > 0.0 { self.drive[k].abs() / self.effort[k] } else { 0.0 };
        self.freedoms(bone).iter().map(share).fold(0.0, f64::max)
    }
}
