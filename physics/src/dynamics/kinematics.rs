//! Forward kinematics: poses from `q`, then velocities from `v`, base to tip (RBDA 5.3, 4.4).
//!
//! With `r` the vector from the parent's to the body's origin, `u` the sliding velocity of the joint
//! and `ω_r` its turning velocity (all in world axes):
//!
//! ```text
//! (1)  ω = ω_p + ω_r              v = v_p + ω_p × r + u
//! (2)  c_ω = ω_p × ω_r (+ a₀q̇₀ × a₁q̇₁ for a universal joint)
//! (3)  c_v = ω_p × (ω_p × r + 2u) (+ ω_r × u for a free joint, whose v is in child axes)
//! ```
//!
//! `c` is what differentiating (1) leaves besides `α_p × r + a_p` and the joint's own acceleration;
//! accelerations are the classical ones of the body origins. Cost: O(n).

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::data::{Data, Velocities};
use crate::model::{JointKind, Link, Model, NONE};
use crate::spatial::{Motion, Transform, rotation};
use crate::state::{State, quaternion, vec3};

/// Poses of all bodies: fills [`Data::position`].
pub fn forward_kinematics(model: &Model, state: &State, data: &mut Data) {
    data.looked.forget();
    forward_kinematics_of(model, state, data, 0..model.links.len());
}

/// [`forward_kinematics`] for a range of bodies (whole trees).
pub(crate) fn forward_kinematics_of(model: &Model, state: &State, data: &mut Data, bodies: Range<usize>) {
    let n = model.links.len();
    let position = &mut data.position;
    let poses = &mut position.world_from_body[..n];
    let (offsets, axes) = (&mut position.offset[..n], &mut position.axes[..n]);
    for i in bodies {
        let link = &model.links[i];
        let world_from_parent =
            if link.parent == NONE { Transform::IDENTITY } else { poses[link.parent as usize] };
        let joint = place(link, &world_from_parent, &state.q[link.q as usize..]);
        poses[i] =
            Transform { rotation: joint.rotation, translation: world_from_parent.translation + joint.offset };
        offsets[i] = joint.offset;
        axes[i] = joint.axes;
    }
}

/// [`forward_kinematics_of`] a tree whose root was shifted, all else being known: the same bits.
pub(crate) fn shift_of(model: &Model, state: &State, data: &mut Data, bodies: Range<usize>) {
    forward_kinematics_of(model, state, data, bodies.start..bodies.start + 1);
    let poses = &mut data.position.world_from_body;
    for i in bodies.skip(1) {
        poses[i].translation = poses[model.links[i].parent as usize].translation + data.position.offset[i];
    }
}

/// A body's rotation, the way from its parent's origin to its own, and its joint's axes.
pub(crate) struct Placed {
    pub(crate) rotation: DMat3,
    pub(crate) offset: DVec3,
    pub(crate) axes: DMat3,
}

/// Pose of a link's body given its parent's, and the joint's axes.
#[inline(always)]
pub(crate) fn place(link: &Link, world_from_parent: &Transform, q: &[f64]) -> Placed {
    let parent = &world_from_parent.rotation;
    let frame = if link.parallel { *parent } else { *parent * link.placement.rotation };
    let offset = *parent * link.placement.translation;
    match link.kind {
        JointKind::Revolute { axis } => {
            let (rotation, axis_world) = turned(&frame, axis, q[0]);
            Placed { rotation, offset, axes: DMat3::from_cols(axis_world, DVec3::ZERO, DVec3::ZERO) }
        }
        JointKind::Spherical => {
            let rotation = frame * rotation::matrix(quaternion(q, 0));
            Placed { rotation, offset, axes: rotation }
        }
        JointKind::Universal { axes } => {
            let (half, first) = turned(&frame, axes[0], q[0]);
            let (rotation, second) = turned(&half, axes[1], q[1]);
            Placed { rotation, offset, axes: DMat3::from_cols(first, second, DVec3::ZERO) }
        }
        JointKind::Prismatic { axis } => {
            let axis_world = frame * axis;
            let axes = DMat3::from_cols(axis_world, DVec3::ZERO, DVec3::ZERO);
            Placed { rotation: frame, offset: offset + axis_world * q[0], axes }
        }
        JointKind::Planar => {
            let (rotation, _) = turned(&frame, DVec3::Z, q[2]);
            Placed { rotation, offset: offset + frame.x_axis * q[0] + frame.y_axis * q[1], axes: frame }
        }
        JointKind::Free => {
            let rotation = frame * rotation::matrix(quaternion(q, 3));
            Placed { rotation, offset: offset + frame * vec3(q, 0), axes: rotation }
        }
        JointKind::Fixed => Placed { rotation: frame, offset, axes: DMat3::ZERO },
    }
}

/// `frame · R(axis, angle)` and `frame · axis`. Axes along a coordinate, the common case, turn two
/// columns only.
#[inline(always)]
fn turned(frame: &DMat3, axis: DVec3, angle: f64) -> (DMat3, DVec3) {
    let (s, c) = angle.sin_cos();
    let (x, y, z) = (frame.x_axis, frame.y_axis, frame.z_axis);
    if axis == DVec3::X {
        (DMat3::from_cols(x, y * c + z * s, z * c - y * s), x)
    } else if axis == DVec3::Y {
        (DMat3::from_cols(x * c - z * s, y, z * c + x * s), y)
    } else if axis == DVec3::Z {
        (DMat3::from_cols(x * c + y * s, y * c - x * s, z), z)
    } else {
        (*frame * rotation::about_axis_sin_cos(axis, s, c), *frame * axis)
    }
}

/// Velocities and bias accelerations of all bodies: fills [`Data::velocity`] from [`Data::position`].
pub fn forward_velocity(model: &Model, state: &State, data: &mut Data) {
    data.looked.forget();
    forward_velocity_of(model, state, data, 0..model.links.len());
}

/// [`forward_velocity`] for a range of bodies (whole trees).
pub(crate) fn forward_velocity_of(model: &Model, state: &State, data: &mut Data, range: Range<usize>) {
    let n = model.links.len();
    let Velocities { body: bodies, bias: biases, .. } = &mut data.velocity;
    let (bodies, biases) = (&mut bodies[..n], &mut biases[..n]);
    let (offsets, axes) = (&data.position.offset[..n], &data.position.axes[..n]);
    for i in range {
        let link = &model.links[i];
        let parent = if link.parent == NONE { Motion::ZERO } else { bodies[link.parent as usize] };
        (bodies[i], biases[i]) = moved(link.kind, parent, offsets[i], &axes[i], &state.v[link.v as usize..]);
    }
}

/// Velocity (1) and bias acceleration (2), (3) of a body.
#[inline(always)]
pub(crate) fn moved(kind: JointKind, parent: Motion, r: DVec3, axes: &DMat3, v: &[f64]) -> (Motion, Motion) {
    let w = parent.angular;
    let carried = w.cross(r);
    let rotational = |turning: DVec3, extra: DVec3| {
        (
            Motion::new(w + turning, parent.linear + carried),
            Motion::new(w.cross(turning) + extra, w.cross(carried)),
        )
    };
    match kind {
        JointKind::Revolute { .. } => rotational(axes.x_axis * v[0], DVec3::ZERO),
        JointKind::Spherical => rotational(*axes * vec3(v, 0), DVec3::ZERO),
        JointKind::Universal { .. } => {
            let (first, second) = (axes.x_axis * v[0], axes.y_axis * v[1]);
            rotational(first + second, first.cross(second))
        }
        JointKind::Fixed => rotational(DVec3::ZERO, DVec3::ZERO),
        JointKind::Prismatic { .. } => {
            let u = axes.x_axis * v[0];
            (
                Motion::new(w, parent.linear + carried + u),
                Motion::new(DVec3::ZERO, w.cross(carried + 2.0 * u)),
            )
        }
        JointKind::Planar => {
            let u = axes.x_axis * v[0] + axes.y_axis * v[1];
            let turning = axes.z_axis * v[2];
            (
                Motion::new(w + turning, parent.linear + carried + u),
                Motion::new(w.cross(turning), w.cross(carried + 2.0 * u)),
            )
        }
        JointKind::Free => {
            let (u, turning) = (*axes * vec3(v, 0), *axes * vec3(v, 3));
            (
                Motion::new(w + turning, parent.linear + carried + u),
                Motion::new(w.cross(turning), w.cross(carried + 2.0 * u) + turning.cross(u)),
            )
        }
    }
}

/// `S x`: the motion that joint rates (or accelerations) `x` give the child, world axes.
#[inline(always)]
pub(crate) fn joint_motion(kind: JointKind, axes: &DMat3, x: &[f64]) -> Motion {
    match kind {
        JointKind::Revolute { .. } => Motion::new(axes.x_axis * x[0], DVec3::ZERO),
        JointKind::Spherical => Motion::new(*axes * vec3(x, 0), DVec3::ZERO),
        JointKind::Universal { .. } => Motion::new(axes.x_axis * x[0] + axes.y_axis * x[1], DVec3::ZERO),
        JointKind::Fixed => Motion::ZERO,
        JointKind::Prismatic { .. } => Motion::new(DVec3::ZERO, axes.x_axis * x[0]),
        JointKind::Planar => Motion::new(axes.z_axis * x[2], axes.x_axis * x[0] + axes.y_axis * x[1]),
        JointKind::Free => Motion::new(*axes * vec3(x, 3), *axes * vec3(x, 0)),
    }
}

/// `Sᵀ f`: what a force on the child does along the joint's freedoms.
#[inline(always)]
pub(crate) fn joint_force(kind: JointKind, axes: &DMat3, f: crate::spatial::Force, out: &mut [f64]) {
    let child = |x: DVec3| DVec3::new(axes.x_axis.dot(x), axes.y_axis.dot(x), axes.z_axis.dot(x));
    match kind {
        JointKind::Revolute { .. } => out[0] = axes.x_axis.dot(f.angular),
        JointKind::Spherical => crate::state::write3(out, 0, child(f.angular)),
        JointKind::Universal { .. } => {
            out[0] = axes.x_axis.dot(f.angular);
            out[1] = axes.y_axis.dot(f.angular);
        }
        JointKind::Fixed => {}
        JointKind::Prismatic { .. } => out[0] = axes.x_axis.dot(f.linear),
        JointKind::Planar => {
            out[0] = axes.x_axis.dot(f.linear);
            out[1] = axes.y_axis.dot(f.linear);
            out[2] = axes.z_axis.dot(f.angular);
        }
        JointKind::Free => {
            crate::state::write3(out, 0, child(f.linear));
            crate::state::write3(out, 3, child(f.angular));
        }
    }
}
