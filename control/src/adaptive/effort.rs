//! What the joints of a motion bear by themselves (Nguyen et al. 2011, section 2).
//!
//! ```text
//! (A)  A_j = |I_j α_j|,  I_j = Σ m_k |c_k - p_j|²      what moves the bodies k beyond joint j, "rooted at the ground"
//! (B)  B_j = |Σ (c_k - p_j) × m_k g|                   what holds them against gravity
//! ```
//! Beyond a joint is the side that the supporting foot is not on: of an arm its outer part, of the leg that stands all the rest of the
//! body. The full inverse dynamics of the motion, with the ground's reaction at that foot, is there for comparison ([`Estimate::Rnea`]).

use stuntlab_mocap::character::Bone;
use stuntlab_physics::dynamics::{forward_kinematics, rnea, rnea_with_wrenches};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::{Data, Model, State};

use crate::reference::Reference;

/// Sums over the bodies beyond each joint, seen from the foot that supports.
///
/// `sums[j]` holds the sum over joint `j`'s own branch on entry. On return that of a joint which carries the supporting foot is the sum
/// of all the rest.
pub fn beyond<T>(model: &Model, foot: Bone, sums: &mut [T])
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
{
    for k in (1..sums.len()).rev() {
        if let Some(parent) = model.bodies()[k].parent() {
            sums[parent.index()] = sums[parent.index()] + sums[k];
        }
    }
    let Some(&all) = sums.first() else { return };
    let mut on_leg = Some(foot.index());
    while let Some(k) = on_leg.filter(|k| *k > 0) {
        sums[k] = all - sums[k];
        on_leg = model.bodies()[k].parent().map(|p| p.index());
    }
}

/// Zeroth, first and second moment of masses about the world's origin.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    mass: f64,
    first: DVec3,
    second: f64,
}

impl std::ops::Add for Moments {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl std::ops::Sub for Moments {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            mass: self.mass - other.mass,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }
}

/// How the efforts of a motion are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimate {
    /// (A) and (B), joint by joint, as published.
    #[default]
    Jointwise,
    /// The full inverse dynamics, with the ground's reaction at the foot that supports.
    Rnea,
}

/// Finds what the joints of a motion bear, frame by frame.
#[derive(Clone, Debug)]
pub struct Efforts {
    moments: Vec<Moments>,
    /// The motion a frame before, at, and a frame after a time; the middle one with its rates.
    pub(super) poses: [State; 3],
    acceleration: Vec<f64>,
    way: Vec<f64>,
    wrenches: Vec<Force>,
}

impl Efforts {
    /// Room for a character's own model.
    pub fn new(own: &Model) -> Self {
        let (n, state, way) = (own.n_bodies(), State::new(own), vec![0.0; own.n_v()]);
        Self {
            moments: vec![Moments::default(); n],
            poses: [state.clone(), state.clone(), state],
            acceleration: way.clone(),
            way,
            wrenches: vec![Force::ZERO; n],
        }
    }

    /// Looks at the motion at `time`, and a frame before and after it: what the efforts found next are of.
    pub fn look(&mut self, own: &Model, reference: &mut dyn Reference, time: f64) {
        let spacing = reference.spacing();
        for (pose, shift) in self.poses.iter_mut().zip([-spacing, 0.0, spacing]) {
            reference.write(time + shift, &mut pose.q);
        }
        let [before, now, after] = &mut self.poses;
        before.difference(own, now, &mut self.way);
        now.difference(own, after, &mut self.acceleration);
        for ((v, a), way) in now.v.iter_mut().zip(&mut self.acceleration).zip(&self.way) {
            (*v, *a) = ((*a + way) / (2.0 * spacing), (*a - way) / (spacing * spacing));
        }
    }

    /// What the joints of the pose that was looked at bear while `foot` supports it, N m by bone, nothing for the root. `data` is scratch
    /// of the own model; it holds the pose's kinematics afterwards.
    pub fn find(&mut self, own: &Model, estimate: Estimate, foot: Bone, data: &mut Data, out: &mut [f64]) {
        match estimate {
            Estimate::Jointwise => self.jointwise(own, foot, data, out),
            Estimate::Rnea => self.full(own, foot, data, out),
        }
        if let Some(root) = out.first_mut() {
            *root = 0.0;
        }
    }

    /// (A) and (B).
    fn jointwise(&mut self, own: &Model, foot: Bone, data: &mut Data, out: &mut [f64]) {
        forward_kinematics(own, &self.poses[1], data);
        let poses = &data.position.world_from_body;
        for ((moments, body), pose) in self.moments.iter_mut().zip(own.bodies()).zip(poses) {
            let (mass, c) = (body.inertia().mass, pose.transform_point(body.inertia().center_of_mass));
            *moments = Moments { mass, first: mass * c, second: mass * c.length_squared() };
        }
        beyond(own, foot, &mut self.moments);
        for (k, (body, m)) in own.bodies().iter().zip(&self.moments).enumerate() {
            let p = poses[k].translation;
            let inertia = m.second - 2.0 * p.dot(m.first) + m.mass * p.length_squared();
            let bends = body.freedoms().iter().map(|dof| self.acceleration[dof]);
            let bend = bends.map(|a| a * a).sum::<f64>().sqrt();
            let gravity = (m.first - m.mass * p).cross(own.gravity()).length();
            out[k] = (inertia * bend).abs() + gravity;
        }
    }

    /// Torques of the joints by the full inverse dynamics of the motion, as vectors' lengths: what (A) and (B) approximate.
    fn full(&mut self, own: &Model, foot: Bone, data: &mut Data, out: &mut [f64]) {
        let moving = &self.poses[1];
        rnea(own, moving, data, &self.acceleration);
        // All that nobody's muscles give comes from the ground, through the foot that stands.
        let root = data.dynamics.body_force.first().copied().unwrap_or(Force::ZERO);
        let place = |k: usize| data.position.world_from_body[k].translation;
        let arm = place(0) - place(foot.index());
        self.wrenches.fill(Force::ZERO);
        self.wrenches[foot] = Force::new(root.angular + arm.cross(root.linear), root.linear);
        rnea_with_wrenches(own, moving, data, &self.acceleration, &self.wrenches);
        for (out, body) in out.iter_mut().zip(own.bodies()) {
            let torques = body.freedoms().iter().map(|dof| data.dynamics.joint_force[dof]);
            *out = torques.map(|t| t * t).sum::<f64>().sqrt();
        }
    }
}
