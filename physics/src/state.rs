//! Where everything is and how fast it moves.

use std::ops::Range;

use glam::{DQuat, DVec3};

use crate::model::{Body, JointKind, Model};
use crate::spatial::rotation;

/// Positions `q`, velocities `v` and time: all that changes from step to step.
///
/// Layout per joint as in [`JointKind`]; which are whose say [`Body::coordinates`] and [`Body::freedoms`].
#[derive(Debug, PartialEq)]
pub struct State {
    /// Position coordinates.
    pub q: Vec<f64>,
    /// Velocities, one per freedom.
    pub v: Vec<f64>,
    /// Seconds since the start.
    pub time: f64,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { q: self.q.clone(), v: self.v.clone(), time: self.time }
    }

    /// Reuses the memory, which the derived one would not.
    fn clone_from(&mut self, source: &Self) {
        self.q.clone_from(&source.q);
        self.v.clone_from(&source.v);
        self.time = source.time;
    }
}

impl State {
    /// Of nothing: to stand in for one that is moved elsewhere.
    pub(crate) const fn empty() -> Self {
        Self { q: Vec::new(), v: Vec::new(), time: 0.0 }
    }

    /// Every joint at zero, at rest, at time zero.
    pub fn new(model: &Model) -> Self {
        let mut q = vec![0.0; model.n_q()];
        for body in model.bodies() {
            body.joint.kind.neutral(&mut q[body.q_range()]);
        }
        Self { q, v: vec![0.0; model.n_v()], time: 0.0 }
    }

    /// The rotation of a spherical or free joint; identity for the other kinds.
    pub fn rotation(&self, body: &Body) -> DQuat {
        match body.joint.kind.quaternion_offset() {
            Some(k) => quaternion(&self.q, body.q_start + k),
            None => DQuat::IDENTITY,
        }
    }

    /// Sets the rotation of a spherical or free joint; nothing happens for the other kinds.
    pub fn set_rotation(&mut self, body: &Body, rotation: DQuat) {
        if let Some(k) = body.joint.kind.quaternion_offset() {
            let at = body.q_start + k;
            self.q[at..at + 4].copy_from_slice(&rotation.normalize().to_array());
        }
    }

    /// Moves along `velocity` for `dt` on the manifold: `q ⊕ dt·velocity`.
    ///
    /// Quaternions take the exact exponential, `q ⊗ exp(dt ω/2)`, and are normalised; a free joint's
    /// origin moves by `dt R v` with the rotation at the start, which makes the pair first order.
    pub fn integrate(&mut self, model: &Model, velocity: &[f64], dt: f64) {
        self.integrate_of(model, velocity, dt, 0..model.n_bodies());
    }

    /// [`State::integrate`] for a range of bodies.
    pub(crate) fn integrate_of(&mut self, model: &Model, velocity: &[f64], dt: f64, bodies: Range<usize>) {
        for body in &model.bodies()[bodies] {
            let (q, v) = (&mut self.q[body.q_range()], &velocity[body.v_range()]);
            match body.joint.kind {
                JointKind::Spherical => turn(q, vec3(v, 0) * dt),
                JointKind::Free => {
                    let moved = vec3(q, 0) + quaternion(q, 3) * (vec3(v, 0) * dt);
                    q[..3].copy_from_slice(&moved.to_array());
                    turn(&mut q[3..7], vec3(v, 3) * dt);
                }
                _ => q.iter_mut().zip(v).for_each(|(q, v)| *q += dt * v),
            }
        }
    }

    /// The velocity that leads from `self` to `target` in unit time: `target ⊖ self`, the inverse of
    /// [`State::integrate`] with `dt = 1`. Rotations take the short way.
    pub fn difference(&self, model: &Model, target: &Self, out: &mut [f64]) {
        model.bodies().iter().for_each(|body| self.difference_of(body, target, out));
    }

    /// [`State::difference`] of one body's joint.
    pub fn difference_of(&self, body: &Body, target: &Self, out: &mut [f64]) {
        let (a, b) = (&self.q[body.q_range()], &target.q[body.q_range()]);
        let out = &mut out[body.v_range()];
        match body.joint.kind {
            JointKind::Spherical => write3(out, 0, relative(a, b, 0)),
            JointKind::Free => {
                let way = quaternion(a, 3).conjugate() * (vec3(b, 0) - vec3(a, 0));
                write3(out, 0, way);
                write3(out, 3, relative(a, b, 3));
            }
            _ => out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (a, b))| *o = b - a),
        }
    }

    /// Makes every quaternion unit length.
    pub fn normalize(&mut self, model: &Model) {
        self.normalize_of(model, 0..model.n_bodies());
    }

    /// [`State::normalize`] for a range of bodies.
    pub(crate) fn normalize_of(&mut self, model: &Model, bodies: Range<usize>) {
        for body in &model.bodies()[bodies] {
            if let Some(k) = body.joint.kind.quaternion_offset() {
                normalize(&mut self.q[body.q_start + k..body.q_start + k + 4]);
            }
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.is_finite()) && self.time.is_finite()
    }
}

/// Three numbers from `at` on.
#[inline]
pub(crate) fn vec3(from: &[f64], at: usize) -> DVec3 {
    DVec3::new(from[at], from[at + 1], from[at + 2])
}

/// Writes three numbers from `at` on.
#[inline]
pub(crate) fn write3(to: &mut [f64], at: usize, v: DVec3) {
    to[at..at + 3].copy_from_slice(&v.to_array());
}

/// The quaternion x y z w from `at` on.
#[inline]
pub(crate) fn quaternion(from: &[f64], at: usize) -> DQuat {
    DQuat::from_xyzw(from[at], from[at + 1], from[at + 2], from[at + 3])
}

/// `q ← q ⊗ exp(turn)`, normalised.
fn turn(q: &mut [f64], turn: DVec3) {
    let turned = (quaternion(q, 0) * rotation::exp(turn)).to_array();
    q.copy_from_slice(&turned);
    normalize(q);
}

fn normalize(q: &mut [f64]) {
    let scale = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    q.iter_mut().for_each(|x| *x *= scale);
}

/// Rotation vector from the quaternion in `a` to that in `b`, in `a`'s child axes.
fn relative(a: &[f64], b: &[f64], at: usize) -> DVec3 {
    rotation::log(quaternion(a, at).conjugate() * quaternion(b, at))
}
