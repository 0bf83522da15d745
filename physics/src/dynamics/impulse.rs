//! Response to an impulse, `H⁻¹Jᵀλ`, in O(n) by reusing the articulated factors (Mirtich 1996).
//!
//! ```text
//! inward   p_i = -impulse_i + Σ children;  u_i = τ_i - S_iᵀ p_i;  p_p += (p_i + U D⁻¹ u_i) shifted
//! outward  Δv'_i = Δv_p shifted;  Δq̇_i = D⁻¹(u_i - UᵀΔv'_i);  Δv_i = Δv'_i + S_i Δq̇_i
//! ```
//!
//! The factors of the last [`super::aba`], [`super::aba_implicit`] or [`super::hybrid`] are used: with
//! implicit terms the response is `(H + dt b + dt ΣJᵀBJ)⁻¹Jᵀ`, and joints prescribed in a hybrid run do
//! not move.

use std::ops::Range;

use glam::DVec3;

use super::aba::{joint_wrench, write_rates};
use super::joint::projected;
use crate::data::Data;
use crate::model::{BodyId, JointKind, Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::{vec3, write3};

/// The change of joint velocities when `impulse` (world axes at the body's origin) hits `body`.
pub fn impulse_response(model: &Model, data: &mut Data, body: BodyId, impulse: Force, out: &mut [f64]) {
    let n = model.n_bodies();
    data.dynamics.impulse[..n].fill(Force::ZERO);
    data.dynamics.impulse[body.index()] = impulse;
    propagate(model, data, 0..n, &[], out);
}

/// The change of joint velocities under impulses on all bodies and, unless empty, on all joints.
pub fn impulses_response(model: &Model, data: &mut Data, bodies: &[Force], joints: &[f64], out: &mut [f64]) {
    data.dynamics.impulse.copy_from_slice(bodies);
    propagate(model, data, 0..model.n_bodies(), joints, out);
}

/// The change of the joint velocities of whole trees under the impulses in `data.dynamics.impulse`, which are used
/// up; `out` covers the model's freedoms.
pub(crate) fn range_response(model: &Model, data: &mut Data, bodies: Range<usize>, out: &mut [f64]) {
    propagate(model, data, bodies, &[], out);
}

/// Both passes over whole trees; the impulses lie in `data.dynamics.impulse`.
pub(crate) fn propagate(
    model: &Model,
    data: &mut Data,
    bodies: Range<usize>,
    joints: &[f64],
    out: &mut [f64],
) {
    pass_in(model, data, bodies.clone(), joints);
    pass_out(model, data, bodies, joints, out);
}

/// The inward pass: `data.dynamics.impulse[i]` becomes `-p_i`, what the subtree of `i` passes on before its joint yields.
pub(crate) fn pass_in(model: &Model, data: &mut Data, bodies: Range<usize>, joints: &[f64]) {
    let n = model.links.len();
    let (offsets, axes) = (&data.position.offset[..n], &data.position.axes[..n]);
    let dynamics = &mut data.dynamics;
    let impulse = &mut dynamics.impulse[..n];
    for i in bodies.rev() {
        let link = &model.links[i];
        let joint: &[f64] = if joints.is_empty() { &[0.0; 6] } else { &joints[link.v as usize..] };
        let own = impulse[i];
        let factor = &mut dynamics.factor[i];
        let passed = if factor.prescribed || link.kind == JointKind::Fixed {
            own
        } else if link.kind == JointKind::Free {
            let tau = Force::new(axes[i] * vec3(joint, 3), axes[i] * vec3(joint, 0));
            let free_factor = &dynamics.free_factor[link.free as usize];
            if free_factor.loaded {
                own - dynamics.articulated_inertia[i] * free_factor.solve(tau + own)
            } else {
                // u = τ + own goes into the joint; only the reaction of τ reaches the parent.
                -tau
            }
        } else {
            let u = joint_wrench(link.kind, &axes[i], joint) + projected(link.kind, &axes[i], own);
            let taken;
            (factor.drive, taken) = factor.meet(link.kind, u);
            own - taken
        };
        if link.parent != NONE {
            impulse[link.parent as usize] += passed.seen_from(offsets[i]);
        }
    }
}

/// The outward pass after [`pass_in`]: rates to `out`, body velocities to `data.dynamics.response`.
pub(crate) fn pass_out(
    model: &Model,
    data: &mut Data,
    bodies: Range<usize>,
    joints: &[f64],
    out: &mut [f64],
) {
    for i in bodies {
        let link = &model.links[i];
        let joint: &[f64] = if joints.is_empty() { &[0.0; 6] } else { &joints[link.v as usize..] };
        pass_out_at(model, data, i, joint, &mut out[link.v as usize..link.v as usize + link.kind.n_v()]);
    }
}

#[inline(always)]
fn pass_out_at(model: &Model, data: &mut Data, i: usize, joint: &[f64], out: &mut [f64]) {
    let link = &model.links[i];
    let axes = &data.position.axes[i];
    let dynamics = &mut data.dynamics;
    let parent = if link.parent == NONE { Motion::ZERO } else { dynamics.response[link.parent as usize] };
    let inherited = parent.at(data.position.offset[i]);
    let factor = &dynamics.factor[i];
    let own = if factor.prescribed {
        out.fill(0.0);
        Motion::ZERO
    } else {
        match link.kind {
            JointKind::Fixed => Motion::ZERO,
            JointKind::Free => {
                let tau = Force::new(*axes * vec3(joint, 3), *axes * vec3(joint, 0));
                let rhs = dynamics.impulse[i] + tau - dynamics.articulated_inertia[i] * inherited;
                let world = dynamics.free_factor[link.free as usize].solve(rhs);
                let r = axes.transpose();
                write3(out, 0, r * world.linear);
                write3(out, 3, r * world.angular);
                world
            }
            kind => {
                let (x, own) = factor.move_along(kind, axes, inherited, factor.drive);
                write_rates(kind, axes, x, out);
                own
            }
        }
    };
    dynamics.response[i] = inherited + own;
}

/// Nothing has hit these bodies yet: before [`hit`].
pub(crate) fn calm(data: &mut Data, bodies: &[u32]) {
    for &i in bodies {
        data.dynamics.factor[i as usize].drive = DVec3::ZERO;
        data.dynamics.drive[i as usize] = DVec3::ZERO;
        data.dynamics.impulse[i as usize] = Force::ZERO;
    }
}

/// Adds a wrench on one body to what [`pass_in`] left, along the body's path to the root.
pub(crate) fn hit(model: &Model, data: &mut Data, body: usize, wrench: Force) {
    let (offsets, axes) = (&data.position.offset, &data.position.axes);
    let dynamics = &mut data.dynamics;
    let (mut at, mut own) = (body, wrench);
    loop {
        let link = &model.links[at];
        let factor = &mut dynamics.factor[at];
        if !factor.prescribed && link.kind != JointKind::Fixed {
            if link.kind == JointKind::Free {
                dynamics.impulse[at] += own;
                let free = &dynamics.free_factor[link.free as usize];
                if link.parent == NONE || !free.loaded {
                    return;
                }
                own -= dynamics.articulated_inertia[at] * free.solve(own);
            } else {
                let u = projected(link.kind, &axes[at], own);
                let (drive, taken) = factor.meet(link.kind, u);
                factor.drive += drive;
                dynamics.drive[at] += u;
                own -= taken;
            }
        }
        if link.parent == NONE {
            return;
        }
        own = own.seen_from(offsets[at]);
        at = link.parent as usize;
    }
}

/// What the joints of some bodies have taken of all [`hit`]s since [`calm`], freedom by freedom: appends `u` and `D⁻¹u`.
pub(crate) fn effort_of(model: &Model, data: &Data, bodies: &[u32], [taken, moved]: &mut [Vec<f64>; 2]) {
    let dynamics = &data.dynamics;
    for &i in bodies {
        let (link, i) = (&model.links[i as usize], i as usize);
        if dynamics.factor[i].prescribed || link.kind == JointKind::Fixed {
            continue;
        }
        if link.kind == JointKind::Free {
            let u = dynamics.impulse[i];
            taken.extend(u.to_array());
            moved.extend(dynamics.free_factor[link.free as usize].solve(u).to_array());
        } else {
            let n = link.kind.n_v();
            taken.extend(&dynamics.drive[i].to_array()[..n]);
            moved.extend(&dynamics.factor[i].drive.to_array()[..n]);
        }
    }
}

/// Body velocities, to `data.dynamics.response`, of a few bodies listed base to tip with all their ancestors; `joints` as for
/// [`pass_in`], or empty.
pub(crate) fn pass_out_among(model: &Model, data: &mut Data, bodies: &[u32], joints: &[f64]) {
    let mut rates = [0.0; 6];
    for &i in bodies {
        let link = &model.links[i as usize];
        let joint: &[f64] = if joints.is_empty() { &[0.0; 6] } else { &joints[link.v as usize..] };
        pass_out_at(model, data, i as usize, joint, &mut rates[..link.kind.n_v()]);
    }
}

/// What an impulse hits: a body (wrench at its origin, world axes) or a single freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hit {
    Body(usize, Force),
    Freedom(usize, f64),
}

/// As [`impulses_response`] for a few hits within one tree: inward along their paths only, outward over the
/// tree (only over bodies marked `needed`, ancestors included, unless that is empty). `out` covers the tree's
/// freedoms. Body responses are left in `data.dynamics.response`.
pub(crate) fn tree_response(
    model: &Model,
    data: &mut Data,
    tree: usize,
    hits: &[Hit],
    needed: &[bool],
    out: &mut [f64],
) {
    let range = model.trees[tree].clone();
    let first_dof = model.links[range.start].v as usize;
    let (offsets, axes) = (&data.position.offset, &data.position.axes);
    let dynamics = &mut data.dynamics;
    dynamics.drive[range.clone()].fill(DVec3::ZERO);
    dynamics.impulse[range.clone()].fill(Force::ZERO);
    for &hit in hits {
        let (mut at, mut own, mut push) = match hit {
            Hit::Body(body, wrench) => (body, wrench, None),
            Hit::Freedom(dof, impulse) => {
                (model.body_of_freedom(dof).index(), Force::ZERO, Some((dof, impulse)))
            }
        };
        loop {
            let link = &model.links[at];
            let factor = &dynamics.factor[at];
            if link.kind == JointKind::Free && !factor.prescribed {
                let mut tau = [0.0; 6];
                if let Some((dof, impulse)) = push.take() {
                    tau[dof - link.v as usize] = impulse;
                }
                let tau = Force::new(axes[at] * vec3(&tau, 3), axes[at] * vec3(&tau, 0));
                dynamics.impulse[at] += own + tau;
                let free = &dynamics.free_factor[link.free as usize];
                // What passes a free joint: nothing without gains, but for the reaction to its own force.
                if link.parent == NONE || (!free.loaded && tau == Force::ZERO) {
                    break;
                }
                own = if free.loaded {
                    own - dynamics.articulated_inertia[at] * free.solve(own + tau)
                } else {
                    -tau
                };
                own = own.seen_from(offsets[at]);
                at = link.parent as usize;
                continue;
            }
            if !factor.prescribed && link.kind != JointKind::Fixed {
                let mut u = projected(link.kind, &axes[at], own);
                if let Some((dof, impulse)) = push.take() {
                    let mut tau = [0.0; 6];
                    tau[dof - link.v as usize] = impulse;
                    u += joint_wrench(link.kind, &axes[at], &tau);
                }
                let (drive, taken) = factor.meet(link.kind, u);
                dynamics.drive[at] += drive;
                own -= taken;
            }
            push = None;
            if link.parent == NONE {
                break;
            }
            own = own.seen_from(offsets[at]);
            at = link.parent as usize;
        }
    }
    for i in range {
        if !needed.is_empty() && !needed[i] {
            continue;
        }
        let link = &model.links[i];
        let parent = if link.parent == NONE { Motion::ZERO } else { dynamics.response[link.parent as usize] };
        let inherited = parent.at(offsets[i]);
        let factor = &dynamics.factor[i];
        let at = link.v as usize - first_dof;
        let out = &mut out[at..at + link.kind.n_v()];
        let own = if factor.prescribed {
            out.fill(0.0);
            Motion::ZERO
        } else {
            match link.kind {
                JointKind::Fixed => Motion::ZERO,
                JointKind::Free => {
                    let rhs = dynamics.impulse[i] - dynamics.articulated_inertia[i] * inherited;
                    let world = dynamics.free_factor[link.free as usize].solve(rhs);
                    let r = axes[i].transpose();
                    write3(out, 0, r * world.linear);
                    write3(out, 3, r * world.angular);
                    world
                }
                kind => {
                    let (x, own) = factor.move_along(kind, &axes[i], inherited, dynamics.drive[i]);
                    write_rates(kind, &axes[i], x, out);
                    own
                }
            }
        };
        dynamics.response[i] = inherited + own;
    }
}
