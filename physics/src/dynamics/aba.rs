//! Forward dynamics by the articulated-body algorithm (RBDA table 7.1), O(n), with implicit terms.
//!
//! ```text
//! outward  v_i, c_i                                                      (kinematics)
//!   (1)    IA_i = I_i                pA_i = (ω × I_o ω, m ω × (ω × c)) - f_ext,i
//! inward
//!   (2)    U = IA S,  D = SᵀU + armature,  u = τ - Sᵀ pA
//!   (3)    Ia = IA - U D⁻¹ Uᵀ,  pa = pA + Ia c + U D⁻¹ u             (`joint`, with a factor of D)
//!   (4)    IA_p += Ia shifted,  pA_p += pa shifted
//! outward  a_0 = -g
//!   (5)    a' = a_p shifted + c,  q̈ = D⁻¹(u - Uᵀa'),  a = a' + S q̈
//! ```
//!
//! **Implicit terms.** A body force `f0 - B v⁺` with `v⁺ = J (v + h q̈)` and `J q̈ = a - (J̇v - g)` adds
//!
//! ```text
//!   (6)    IA_i += h B,   pA_i -= f0 - B v_i + h B (J̇v - g)_i
//! ```
//!
//! (the bracket is the body's `drift`; `B` acts on the true velocity, hence gravity must come off). A
//! joint force `τ0 - b v⁺` adds
//!
//! ```text
//!   (7)    D += h b,      u -= b v
//! ```
//!
//! **Ball joints** are three world-axis turns here: `S = [1; 0]`, so `U = [A; Bᵀ]`, `D = A`; without
//! armature or joint gain (3) leaves only `Ia = [0 0; 0 C - BᵀA⁻¹B]`, which is most of the speed on
//! ball-jointed figures.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::joint;
use super::kinematics::{forward_kinematics, forward_velocity, joint_motion};
use crate::data::{Data, Dynamics};
use crate::forces::{Forces, ImplicitForce};
use crate::model::{JointKind, Link, Model, NONE};
use crate::spatial::{ArticulatedInertia, Force, Inertia, Motion, Sym3};
use crate::state::{State, vec3, write3};

/// Joint accelerations under `forces` (implicit gains ignored): fills `data.dynamics.acceleration`, and
/// the articulated factors that impulse responses reuse.
pub fn aba(model: &Model, state: &State, data: &mut Data, forces: &Forces) {
    forward_kinematics(model, state, data);
    forward_velocity(model, state, data);
    aba_at(model, data, forces);
}

/// [`aba`] for positions and velocities already in `data`.
pub(crate) fn aba_at(model: &Model, data: &mut Data, forces: &Forces) {
    let all = 0..model.n_bodies();
    rigid(model, data, all.clone(), &forces.body);
    spin_in_own_axes(model, data, &forces.body);
    inward(model, data, all.clone(), &Drive::explicit(&forces.joint));
    outward(model, data, all);
}

/// Joint accelerations over a step of length `dt` when forces depend on the velocity at its end:
/// solves `(H + dt b + dt Σ JᵀBJ) q̈ = …` in O(n). With no gains it equals [`aba`].
pub fn aba_implicit(model: &Model, state: &State, data: &mut Data, forces: &Forces, dt: f64) {
    forward_kinematics(model, state, data);
    forward_velocity(model, state, data);
    aba_implicit_at(model, state, data, forces, dt);
}

/// [`aba_implicit`] for positions and velocities already in `data`.
pub(crate) fn aba_implicit_at(model: &Model, state: &State, data: &mut Data, forces: &Forces, dt: f64) {
    let all = 0..model.n_bodies();
    rigid(model, data, all.clone(), &forces.body);
    spin_in_own_axes(model, data, &forces.body);
    if !forces.implicit.is_empty() {
        drift(model, data, all.clone());
        for (body, term) in &forces.implicit {
            add_implicit(data, body.index(), term, dt);
        }
    }
    inward(model, data, all.clone(), &Drive::implicit(forces, &state.v, dt));
    outward(model, data, all);
}

/// (6): adds an implicit term to body `i`.
#[inline]
pub(crate) fn add_implicit(data: &mut Data, i: usize, term: &ImplicitForce, dt: f64) {
    data.dynamics.articulated_inertia[i] += term.gain * dt;
    let moved = data.velocity.body[i] - data.velocity.drift[i] * dt;
    data.dynamics.articulated_bias[i] += term.gain * moved - term.at_rest;
}

/// Accelerations of the bodies at zero joint acceleration, gravity included as `a_0 = -g`.
pub(crate) fn drift(model: &Model, data: &mut Data, bodies: Range<usize>) {
    for i in bodies {
        let link = &model.links[i];
        let parent = if link.parent == NONE {
            Motion::new(DVec3::ZERO, -model.gravity)
        } else {
            data.velocity.drift[link.parent as usize]
        };
        data.velocity.drift[i] = parent.at(data.position.offset[i]) + data.velocity.bias[i];
    }
}

/// (1): rigid inertias and bias forces of a range of bodies.
pub(crate) fn rigid(model: &Model, data: &mut Data, bodies: Range<usize>, wrenches: &[Force]) {
    let n = model.links.len();
    let poses = &data.position.world_from_body[..n];
    let velocities = &data.velocity.body[..n];
    let inertias = &mut data.dynamics.articulated_inertia[..n];
    let biases = &mut data.dynamics.articulated_bias[..n];
    let wrenches = &wrenches[..n];
    for i in bodies {
        let link = &model.links[i];
        let r = &poses[i].rotation;
        let c = *r * link.inertia.center_of_mass;
        let inertia = Inertia::about(link.inertia.mass, c, link.inertia.rotational.rotated(r));
        let w = velocities[i].angular;
        let gyroscopic = w.cross(inertia.angular * w);
        let centripetal = w.cross(w.cross(c)) * link.inertia.mass;
        inertias[i] = inertia;
        biases[i] = Force::new(gyroscopic, centripetal) - wrenches[i];
    }
}

/// (1) once more for free roots, with the turning part in the body's own axes:
///
/// ```text
/// ω × I_o ω = R (ω_b × I_c ω_b) + c × (m ω × (ω × c)),     ω_b = Rᵀω
/// ```
///
/// The left side is a difference of products as large as `I ω²` in every component, whatever is left of it. About principal
/// axes each component has its own two products only, and where a body spins about one of them all three are small. That is where
/// a spin about the middle axis multiplies every error by hundreds before it turns over: rounding of the left side alone grows to
/// 10⁻¹⁰ rad/s within ten seconds, as much as fourth order leaves at 1 ms.
pub(crate) fn spin_in_own_axes(model: &Model, data: &mut Data, wrenches: &[Force]) {
    for i in model.trees.iter().map(|tree| tree.start) {
        let link = &model.links[i];
        if link.kind != JointKind::Free {
            continue;
        }
        let rotation = &data.position.world_from_body[i].rotation;
        let w = data.velocity.body[i].angular;
        let own = rotation.transpose() * w;
        let c = *rotation * link.inertia.center_of_mass;
        let centripetal = w.cross(w.cross(c)) * link.inertia.mass;
        let turning = *rotation * own.cross(link.inertia.rotational * own) + c.cross(centripetal);
        data.dynamics.articulated_bias[i] = Force::new(turning, centripetal) - wrenches[i];
    }
}

/// What drives the joints in one inward pass; empty slices for what there is none of.
#[derive(Clone, Copy)]
pub(crate) struct Drive<'a> {
    tau: &'a [f64],
    gain: &'a [f64],
    v: &'a [f64],
    dt: f64,
    /// Bodies whose joint moves as `data.dynamics.acceleration` says (RBDA 9.2).
    prescribed: &'a [bool],
}

impl<'a> Drive<'a> {
    pub(crate) fn explicit(tau: &'a [f64]) -> Self {
        Self { tau, gain: &[], v: &[], dt: 0.0, prescribed: &[] }
    }

    pub(crate) fn implicit(forces: &'a Forces, v: &'a [f64], dt: f64) -> Self {
        Self { tau: &forces.joint, gain: &forces.joint_gain, v, dt, prescribed: &[] }
    }

    /// Nothing but inertia of the joints themselves; `zeros` has a zero per freedom.
    pub(crate) fn inert(zeros: &'a [f64], inertia: &'a [f64]) -> Self {
        Self { tau: zeros, gain: inertia, v: zeros, dt: 1.0, prescribed: &[] }
    }

    pub(crate) fn prescribing(self, prescribed: &'a [bool]) -> Self {
        Self { prescribed, ..self }
    }

    #[inline]
    pub(crate) fn is_prescribed(&self, i: usize) -> bool {
        self.prescribed.get(i).copied().unwrap_or(false)
    }

    /// What (2) and (7) add to `D` for freedom `k` of a joint.
    #[inline]
    fn diagonal(&self, model: &Model, i: usize, link: &Link, k: usize) -> f64 {
        let armature = if link.armature { model.bodies[i].joint.armature[k] } else { 0.0 };
        match self.gain.get(link.v as usize + k) {
            Some(gain) => armature + self.dt * gain,
            None => armature,
        }
    }

    /// `τ0 - b v` (7).
    #[inline]
    fn force(&self, link: &Link, k: usize) -> f64 {
        let dof = link.v as usize + k;
        match self.gain.get(dof) {
            Some(gain) => self.tau[dof] - gain * self.v[dof],
            None => self.tau[dof],
        }
    }

    #[inline]
    fn diagonal3(&self, model: &Model, i: usize, link: &Link, at: usize) -> DVec3 {
        if !link.armature && self.gain.is_empty() {
            return DVec3::ZERO;
        }
        let d = |k| self.diagonal(model, i, link, at + k);
        DVec3::new(d(0), d(1), d(2))
    }

    #[inline]
    fn force3(&self, link: &Link, at: usize) -> DVec3 {
        let f = |k| self.force(link, at + k);
        DVec3::new(f(0), f(1), f(2))
    }
}

/// `R diag(d) Rᵀ`.
#[inline]
fn turned_diagonal(axes: &DMat3, d: DVec3) -> Sym3 {
    if d.x == d.y && d.y == d.z {
        Sym3::diagonal(d.x, d.x, d.x)
    } else {
        Sym3::diagonal(d.x, d.y, d.z).rotated(axes)
    }
}

/// (2)–(4) for a range of bodies (whole trees), tips first.
pub(crate) fn inward(model: &Model, data: &mut Data, bodies: Range<usize>, drive: &Drive<'_>) {
    for i in bodies.rev() {
        fold::<false>(model, data, i, drive);
    }
}

/// [`inward`] once more where only some bodies of a tree changed: `changed` marks them and all their ancestors,
/// and their own inertias and bias forces are written anew; what unchanged subtrees hand to them is kept from the last
/// time. With everything marked it is [`inward`].
pub(crate) fn inward_again(
    model: &Model,
    data: &mut Data,
    bodies: Range<usize>,
    drive: &Drive<'_>,
    changed: &[bool],
) {
    for i in bodies.rev() {
        let parent = model.links[i].parent;
        if changed[i] {
            fold::<true>(model, data, i, drive);
        } else if parent != NONE && changed[parent as usize] {
            let handed = data.dynamics.handed[i];
            data.dynamics.articulated_inertia[parent as usize] += handed.0;
            data.dynamics.articulated_bias[parent as usize] += handed.1;
        }
    }
}

/// (4): gives the parent what a joint leaves, seen from there; `KEEP` for the next time too.
#[inline(always)]
fn hand_over<const KEEP: bool>(
    dynamics: &mut Dynamics,
    i: usize,
    parent: u32,
    handed: (ArticulatedInertia, Force),
) {
    if parent != NONE {
        if KEEP {
            dynamics.handed[i] = handed;
        }
        dynamics.articulated_inertia[parent as usize] += handed.0;
        dynamics.articulated_bias[parent as usize] += handed.1;
    }
}

/// A prescribed joint hands everything on: `Ia = IA`, `pa = pA + IA (c + S q̈*)` (RBDA 9.2).
fn fold_prescribed<const KEEP: bool>(model: &Model, data: &mut Data, i: usize) {
    let link = &model.links[i];
    data.dynamics.factor[i].prescribed = true;
    let wanted = &data.dynamics.acceleration[link.v as usize..];
    let own = joint_motion(link.kind, &data.position.axes[i], wanted);
    let inertia = data.dynamics.articulated_inertia[i];
    let bias = data.dynamics.articulated_bias[i] + inertia * (data.velocity.bias[i] + own);
    let r = data.position.offset[i];
    hand_over::<KEEP>(&mut data.dynamics, i, link.parent, (inertia.seen_from(r), bias.seen_from(r)));
}

/// (2)–(4) for the joint above body `i`. Every kind hands over by itself: what it leaves would have to go through memory
/// where the kinds meet again.
#[inline(always)]
fn fold<const KEEP: bool>(model: &Model, data: &mut Data, i: usize, drive: &Drive<'_>) {
    if drive.is_prescribed(i) {
        return fold_prescribed::<KEEP>(model, data, i);
    }
    let link = &model.links[i];
    let axes = &data.position.axes[i];
    let r = data.position.offset[i];
    let ia = data.dynamics.articulated_inertia[i];
    let pa = data.dynamics.articulated_bias[i];
    let c = data.velocity.bias[i];
    let dynamics = &mut data.dynamics;
    let factor = &mut dynamics.factor[i];
    factor.prescribed = false;
    match link.kind {
        JointKind::Fixed => {
            let handed = (ia.seen_from(r), (pa + ia * c).seen_from(r));
            hand_over::<KEEP>(dynamics, i, link.parent, handed);
        }
        JointKind::Revolute { .. } => {
            let push = drive.force(link, 0) - axes.x_axis.dot(pa.angular);
            let fold = joint::hinge(&ia, axes, drive.diagonal(model, i, link, 0));
            let handed = fold.pushed(factor, pa, c, r, [push]);
            hand_over::<KEEP>(dynamics, i, link.parent, handed);
        }
        JointKind::Prismatic { .. } => {
            let push = drive.force(link, 0) - axes.x_axis.dot(pa.linear);
            let fold = joint::slider(&ia, axes, drive.diagonal(model, i, link, 0));
            let handed = fold.pushed(factor, pa, c, r, [push]);
            hand_over::<KEEP>(dynamics, i, link.parent, handed);
        }
        JointKind::Universal { .. } => {
            let extra = [0, 1].map(|k| drive.diagonal(model, i, link, k));
            let push = [0, 1].map(|k| drive.force(link, k) - axes.col(k).dot(pa.angular));
            let fold = joint::universal(&ia, axes, &Sym3::diagonal(extra[0], extra[1], 0.0));
            let handed = fold.pushed(factor, pa, c, r, push);
            hand_over::<KEEP>(dynamics, i, link.parent, handed);
        }
        JointKind::Spherical => {
            let extra = drive.diagonal3(model, i, link, 0);
            let push = *axes * drive.force3(link, 0) - pa.angular;
            if extra == DVec3::ZERO {
                let handed = joint::ball(&ia).pushed(factor, pa, c, r, push);
                hand_over::<KEEP>(dynamics, i, link.parent, handed);
            } else {
                let fold = joint::ball_with(&ia, &turned_diagonal(axes, extra));
                let handed = fold.pushed(factor, pa, c, r, push.to_array());
                hand_over::<KEEP>(dynamics, i, link.parent, handed);
            }
        }
        JointKind::Planar => {
            let extra = drive.diagonal3(model, i, link, 0);
            let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
            let push =
                drive.force3(link, 0) - DVec3::new(x.dot(pa.linear), y.dot(pa.linear), z.dot(pa.angular));
            let fold = joint::planar(&ia, axes, &Sym3::diagonal(extra.x, extra.y, extra.z));
            let handed = fold.pushed(factor, pa, c, r, push.to_array());
            hand_over::<KEEP>(dynamics, i, link.parent, handed);
        }
        JointKind::Free => {
            let extra = [0, 3].map(|at| turned_diagonal(axes, drive.diagonal3(model, i, link, at)));
            let factor = &mut dynamics.free_factor[link.free as usize];
            let left = joint::free(factor, &ia, &extra, link.parent != NONE);
            let force = Force::new(*axes * drive.force3(link, 3), *axes * drive.force3(link, 0));
            factor.drive = force - pa;
            // Nothing of the inertia passes an unloaded free joint; its own force does.
            let bias = if factor.loaded { pa + left * c + ia * factor.solve(factor.drive) } else { force };
            hand_over::<KEEP>(dynamics, i, link.parent, (left.seen_from(r), bias.seen_from(r)));
        }
    }
}

/// (5) for a range of bodies (whole trees), root first.
pub(crate) fn outward(model: &Model, data: &mut Data, bodies: Range<usize>) {
    outward_from(model, data, bodies, Motion::new(DVec3::ZERO, -model.gravity));
}

/// [`outward`] from a given acceleration of the world: minus gravity, or nothing where gravity is not to act.
pub(crate) fn outward_from(model: &Model, data: &mut Data, bodies: Range<usize>, world: Motion) {
    for i in bodies {
        let link = &model.links[i];
        let parent =
            if link.parent == NONE { world } else { data.dynamics.body_acceleration[link.parent as usize] };
        let inherited = parent.at(data.position.offset[i]) + data.velocity.bias[i];
        let own = unfold(model, data, i, inherited);
        data.dynamics.body_acceleration[i] = inherited + own;
    }
}

/// (5): writes the joint acceleration of body `i` (unless prescribed) and returns `S q̈`.
#[inline(always)]
fn unfold(model: &Model, data: &mut Data, i: usize, inherited: Motion) -> Motion {
    let link = &model.links[i];
    let axes = &data.position.axes[i];
    let out = &mut data.dynamics.acceleration[link.v as usize..];
    let factor = &data.dynamics.factor[i];
    if factor.prescribed {
        return joint_motion(link.kind, axes, out);
    }
    match link.kind {
        JointKind::Fixed => Motion::ZERO,
        JointKind::Free => {
            let f = &data.dynamics.free_factor[link.free as usize];
            let rhs = f.drive - data.dynamics.articulated_inertia[i] * inherited;
            let world = f.solve(rhs);
            write3(out, 0, axes.transpose() * world.linear);
            write3(out, 3, axes.transpose() * world.angular);
            world
        }
        kind => {
            let (x, own) = factor.move_along(kind, axes, inherited, factor.drive);
            write_rates(kind, axes, x, &mut out[..kind.n_v()]);
            own
        }
    }
}

/// Rates as factors have them into the joint's freedoms: ball joints turn from world into child axes.
#[inline(always)]
pub(crate) fn write_rates(kind: JointKind, axes: &DMat3, x: DVec3, out: &mut [f64]) {
    match kind {
        JointKind::Spherical => write3(out, 0, axes.transpose() * x),
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => out[0] = x.x,
        JointKind::Universal { .. } => (out[0], out[1]) = (x.x, x.y),
        _ => out.copy_from_slice(&x.to_array()[..out.len()]),
    }
}

/// The world-axes joint force of a spherical joint and the like: `S τ` for the impulse response.
#[inline]
pub(crate) fn joint_wrench(kind: JointKind, axes: &DMat3, tau: &[f64]) -> DVec3 {
    match kind {
        JointKind::Spherical => *axes * vec3(tau, 0),
        JointKind::Fixed => DVec3::ZERO,
        JointKind::Revolute { .. } | JointKind::Prismatic { .. } => DVec3::new(tau[0], 0.0, 0.0),
        JointKind::Universal { .. } => DVec3::new(tau[0], tau[1], 0.0),
        JointKind::Planar | JointKind::Free => vec3(tau, 0),
    }
}
