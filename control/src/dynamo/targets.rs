//! Desired world orientations and angular velocities (Wrotek 2006, eqs. 2–4).
//!
//! ```text
//! (2)  Δ(D, A) = θ v, the rotation vector of D Aᵀ
//! (3)  W_d = P for the root;  W_a,root P_d below it;  W_d,parent P_d deeper
//! (4)  ω_d = Δ(W_d(t + δ), W_d(t)) / δ
//! ```
//!
//! Unrolling (3), every bone's target is `W_a,root · G_rootᵀ · G_b`, where `G` are the reference motion's own world
//! orientations: the actual root, desired parents all the way. In the absolute frame the reference's root stands in
//! for the actual one ("super-balance").

use glam::{DMat3, DVec3};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam;
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, Model, State};

use crate::reference::Reference;

/// Whose root the targets hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Frame {
    /// The simulated root (the paper): a leaning character leans all over.
    #[default]
    Egocentric,
    /// The reference's root turned to the simulated heading: every bone strives for its absolute attitude.
    Absolute,
}

/// Rotation vector of `d aᵀ` (2), world axes.
pub fn difference(d: &DMat3, a: &DMat3) -> DVec3 {
    rotation::log(glam::DQuat::from_mat3(&(*d * a.transpose())))
}

/// Turn about the vertical that brings the heading of `from` (its x axis, seen from above) to that of `to`.
pub fn heading_turn(from: &DMat3, to: &DMat3) -> DMat3 {
    let angle = |m: &DMat3| m.x_axis.y.atan2(m.x_axis.x);
    rotation::about_axis(DVec3::Z, angle(to) - angle(from))
}

/// What every bone should do.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Desired orientation `W_d`, root first.
    pub orientation: Vec<DMat3>,
    /// Desired angular velocity `ω_d`, world axes.
    pub angular_velocity: Vec<DVec3>,
    ghost: State,
    now: Data,
    ahead: Data,
}

impl Targets {
    /// Room for a character's own model.
    pub fn new(model: &Model) -> Self {
        let n = model.n_bodies();
        Self {
            orientation: vec![DMat3::IDENTITY; n],
            angular_velocity: vec![DVec3::ZERO; n],
            ghost: State::new(model),
            now: Data::new(model),
            ahead: Data::new(model),
        }
    }

    /// Targets at `time` for a character whose root is turned as `root` (actual, world).
    pub fn update(
        &mut self,
        model: &Model,
        reference: &mut dyn Reference,
        time: f64,
        root: &DMat3,
        frame: Frame,
    ) {
        let ahead = reference.spacing();
        reference.write(time, &mut self.ghost.q);
        forward_kinematics(model, &self.ghost, &mut self.now);
        reference.write(time + ahead, &mut self.ghost.q);
        forward_kinematics(model, &self.ghost, &mut self.ahead);
        let pose = |data: &Data, i: usize| data.position.world_from_body[i].rotation;
        let (g0, g1) = (pose(&self.now, 0), pose(&self.ahead, 0));
        let heading = heading_turn(&g0, root);
        // What stands before G_b in (3), now and ahead; the root itself always takes the reference's attitude.
        let (base, base_ahead) = match frame {
            Frame::Egocentric => (*root * g0.transpose(), *root * g1.transpose()),
            Frame::Absolute => (heading, heading),
        };
        for i in 0..self.orientation.len() {
            let (base, base_ahead) = if i == 0 { (heading, heading) } else { (base, base_ahead) };
            let (now, later) = (base * pose(&self.now, i), base_ahead * pose(&self.ahead, i));
            self.orientation[i] = now;
            self.angular_velocity[i] = difference(&later, &now) / ahead; // (4)
        }
    }

    /// Poses of the reference itself as of the last update, for feet and ghosts.
    pub fn reference_pose(&self) -> &Data {
        &self.now
    }
}
