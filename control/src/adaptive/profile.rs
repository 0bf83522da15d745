//! What a motion does and bears, found once per clip (Nguyen et al. 2011, section 2: "offline").
//!
//! A row per frame, seen from the motion's own root, so that a round of a walk is like the last one wherever it has got to. Motions that
//! are not known beforehand, those that somebody chooses while it runs, are looked at in passing.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Bone;
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Data, Model};

use super::effort::{Efforts, Estimate};
use crate::reference::Reference;

/// Longest motion that is tabulated, s.
const LONGEST: f64 = 120.0;

/// A motion at one time, seen from its root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The centre of mass, m, with its velocity and acceleration against the world.
    pub com: DVec3,
    /// See `com`.
    pub velocity: DVec3,
    /// See `com`.
    pub acceleration: DVec3,
    /// The ankles, left and right, m.
    pub ankles: [DVec3; 2],
    /// How fast they go, m/s.
    pub speeds: [f64; 2],
    /// What joints bear while the left or the right foot supports, N m by bone.
    pub bears: [Vec<f64>; 2],
}

impl Row {
    /// Room for so many bones.
    pub fn new(bones: usize) -> Self {
        Self { bears: [vec![0.0; bones], vec![0.0; bones]], ..Self::default() }
    }

    /// Between two rows.
    fn between(&mut self, a: &Self, b: &Self, share: f64) {
        self.com = a.com.lerp(b.com, share);
        self.velocity = a.velocity.lerp(b.velocity, share);
        self.acceleration = a.acceleration.lerp(b.acceleration, share);
        for k in 0..2 {
            self.ankles[k] = a.ankles[k].lerp(b.ankles[k], share);
            self.speeds[k] = a.speeds[k] + (b.speeds[k] - a.speeds[k]) * share;
            let both = a.bears[k].iter().zip(&b.bears[k]);
            self.bears[k].iter_mut().zip(both).for_each(|(out, (a, b))| *out = a + (b - a) * share);
        }
    }
}

/// Where a free root, the first body, is in the world of its own model.
pub fn root_pose(own: &Model, q: &[f64]) -> Transform {
    let joint = own.bodies()[0].joint();
    let turn = DQuat::from_xyzw(q[3], q[4], q[5], q[6]);
    let place = Transform::new(stuntlab_physics::glam::DMat3::from_quat(turn), DVec3::new(q[0], q[1], q[2]));
    joint.parent_from_joint * place
}

/// Looks at motions.
#[derive(Clone, Debug)]
struct Survey {
    efforts: Efforts,
    estimate: Estimate,
    feet: [Bone; 2],
    data: Data,
}

impl Survey {
    fn row(&mut self, own: &Model, reference: &mut dyn Reference, time: f64, out: &mut Row) {
        let spacing = reference.spacing();
        self.efforts.look(own, reference, time);
        let (mut coms, mut ankles) = ([DVec3::ZERO; 3], [[DVec3::ZERO; 2]; 3]);
        for (k, pose) in self.efforts.poses.iter().enumerate() {
            forward_kinematics(own, pose, &mut self.data);
            coms[k] = center_of_mass(own, &self.data).position;
            ankles[k] = self.feet.map(|foot| self.data.position.world_from_body[foot.index()].translation);
        }
        let root = root_pose(own, &self.efforts.poses[1].q);
        let own_axes = |v: DVec3| root.rotation.transpose() * v;
        out.com = root.inverse_transform_point(coms[1]);
        out.velocity = own_axes((coms[2] - coms[0]) / (2.0 * spacing));
        out.acceleration = own_axes((coms[2] - 2.0 * coms[1] + coms[0]) / (spacing * spacing));
        for side in Side::BOTH {
            let k = side as usize;
            out.ankles[k] = root.inverse_transform_point(ankles[1][k]);
            out.speeds[k] = (ankles[2][k] - ankles[0][k]).length() / (2.0 * spacing);
            self.efforts.find(own, self.estimate, self.feet[k], &mut self.data, &mut out.bears[k]);
        }
    }
}

/// What a motion does and bears at any time.
#[derive(Clone, Debug)]
pub struct Profile {
    /// A row per frame; none of a motion that is not known beforehand.
    rows: std::sync::Arc<[Row]>,
    spacing: f64,
    period: Option<f64>,
    /// When the motion begins, s.
    since: f64,
    now: Row,
    survey: Survey,
}

impl Profile {
    /// Of a motion on a character's own model with these feet, left and right.
    pub fn new(own: &Model, feet: [Bone; 2], reference: &mut dyn Reference, estimate: Estimate) -> Self {
        let mut survey = Survey { efforts: Efforts::new(own), estimate, feet, data: Data::new(own) };
        let (spacing, period) = (reference.spacing(), reference.period());
        let length = period.unwrap_or_else(|| reference.duration());
        let known = length <= LONGEST && spacing > 0.0;
        // A round ends where it began; what ends rests two frames later.
        let frames =
            if known { (length / spacing).ceil() as usize + if period.is_some() { 0 } else { 3 } } else { 0 };
        let row = |k: usize| {
            let mut row = Row::new(own.n_bodies());
            survey.row(own, reference, k as f64 * spacing, &mut row);
            row
        };
        let rows = (0..if known { frames.max(1) } else { 0 }).map(row).collect();
        Self { rows, spacing, period, since: 0.0, now: Row::new(own.n_bodies()), survey }
    }

    /// The motion begins anew at a time.
    pub fn begin(&mut self, since: f64) {
        self.since = since;
    }

    /// The motion at `time`.
    pub fn at(&mut self, own: &Model, reference: &mut dyn Reference, time: f64) -> &Row {
        let n = self.rows.len();
        if n == 0 {
            self.survey.row(own, reference, time, &mut self.now);
            return &self.now;
        }
        let time = time - self.since;
        let time = self.period.map_or(time, |period| time.rem_euclid(period));
        let at = (time / self.spacing).max(0.0);
        let k = (at as usize).min(n - 1);
        let next = if self.period.is_some() { (k + 1) % n } else { (k + 1).min(n - 1) };
        // The last frame of a round may be a short one.
        let length = self.period.filter(|_| next == 0).map_or(1.0, |p| p / self.spacing - k as f64);
        let share = ((at - k as f64) / length.max(1e-9)).clamp(0.0, 1.0);
        self.now.between(&self.rows[k], &self.rows[next], share);
        &self.now
    }

    /// The motion as last looked at.
    pub fn now(&self) -> &Row {
        &self.now
    }
}
