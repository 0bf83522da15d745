//! How far a body gives way to an impulse: `Ω_i = J_i M̂⁻¹ J_iᵀ`, base to tip, from the articulated factors.
//!
//! A force on a body is passed on by its joint with the part that the joint cannot resist taken off; what the parent
//! then does comes back the same way. With `g = U D⁻¹` and `Ω'` the parent's mobility seen from the body's origin
//! (Rodriguez, Jain & Kreutz-Delgado 1992, the operational-space inertia's inverse):
//!
//! ```text
//! (1)  Ω_i = (1 - S gᵀ) Ω' (1 - g Sᵀ) + S D⁻¹ Sᵀ
//!          = Ω' - Σ (S_k W_kᵀ + W_k S_kᵀ) + Σ S_j (g_j·W_k + D⁻¹_jk) S_kᵀ,     W_k = Ω' g_k
//! ```

use glam::{DMat3, DVec3};

use crate::data::Data;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion, Sym3, cross_matrix};

/// A symmetric map from force to motion, world axes at a body's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mobility {
    /// Spin per moment.
    angular: Sym3,
    /// Spin per force; its transpose is velocity per moment.
    coupling: DMat3,
    /// Velocity per force.
    linear: Sym3,
}

impl Mobility {
    /// A body that cannot be moved.
    pub(crate) const NONE: Self = Self { angular: Sym3::ZERO, coupling: DMat3::ZERO, linear: Sym3::ZERO };

    /// From its six columns, spin and velocity per unit moments, then per unit forces.
    pub(crate) fn from_columns(column: impl Fn(Force) -> Motion) -> Self {
        let turn = DVec3::AXES.map(|axis| column(Force::new(axis, DVec3::ZERO)));
        let push = DVec3::AXES.map(|axis| column(Force::new(DVec3::ZERO, axis)));
        let matrix = |c: [DVec3; 3]| DMat3::from_cols(c[0], c[1], c[2]);
        Self {
            angular: Sym3::symmetric_part(&matrix(turn.map(|m| m.angular))),
            coupling: matrix(push.map(|m| m.angular)),
            linear: Sym3::symmetric_part(&matrix(push.map(|m| m.linear))),
        }
    }

    /// What a force does.
    #[inline]
    pub(crate) fn answer(&self, f: Force) -> Motion {
        Motion::new(
            self.angular * f.angular + self.coupling * f.linear,
            self.coupling.transpose() * f.angular + self.linear * f.linear,
        )
    }

    /// The same for a body fixed to this one whose origin lies `r` away:
    /// `C' = C + A[r]`, `L' = L + Cᵀ[r] + [r]ᵀC'`.
    #[inline]
    fn carried(&self, r: DVec3) -> Self {
        let cross = cross_matrix(r);
        let coupling = self.coupling + self.angular * cross;
        let added = self.coupling.transpose() * cross + cross.transpose() * coupling;
        Self { angular: self.angular, coupling, linear: self.linear + Sym3::symmetric_part(&added) }
    }

    /// Adds `s tᵀ + t sᵀ`; `turns` says that `s` has no linear part.
    #[inline]
    fn add_outer(&mut self, s: Motion, t: Motion, turns: bool) {
        let both = |a: DVec3, b: DVec3| {
            Sym3::new(
                2.0 * a.x * b.x,
                2.0 * a.y * b.y,
                2.0 * a.z * b.z,
                a.x * b.y + a.y * b.x,
                a.x * b.z + a.z * b.x,
                a.y * b.z + a.z * b.y,
            )
        };
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        self.angular += both(s.angular, t.angular);
        self.coupling += outer(s.angular, t.linear);
        if !turns {
            self.linear += both(s.linear, t.linear);
            self.coupling += outer(t.angular, s.linear);
        }
    }

    /// Velocity of a point per force at it, along `n`.
    #[inline]
    pub(crate) fn along(&self, arm: DVec3, n: DVec3) -> f64 {
        let moment = arm.cross(n);
        self.angular.quadratic(moment, moment)
            + 2.0 * moment.dot(self.coupling * n)
            + self.linear.quadratic(n, n)
    }

    /// [`Mobility::along`] `n`, and half the trace of what is left across it. With `J = [-[r]× 1]` the trace of `J Ω Jᵀ` is
    /// `|r|² tr A - r·A r + 2 r·Σ e_k × C e_k + tr L`.
    #[inline]
    pub(crate) fn along_and_across(&self, arm: DVec3, n: DVec3) -> [f64; 2] {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = self.coupling;
        let twist = DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
        let all = arm.length_squared() * self.angular.trace() - self.angular.quadratic(arm, arm)
            + 2.0 * arm.dot(twist)
            + self.linear.trace();
        let along = self.along(arm, n);
        [along, 0.5 * (all - along).max(0.0)]
    }

    /// Spin per moment along `n`.
    #[inline]
    pub(crate) fn spin_along(&self, n: DVec3) -> f64 {
        self.angular.quadratic(n, n)
    }

    /// Half the trace of spin per moment across `n`.
    #[inline]
    pub(crate) fn spin_across(&self, n: DVec3) -> f64 {
        0.5 * (self.angular.trace() - self.spin_along(n)).max(0.0)
    }
}

/// Mobilities of the bodies `wanted` of one tree (ancestors must be wanted too), from the factors in `data`.
pub(crate) fn find(model: &Model, data: &Data, tree: usize, wanted: &[bool], out: &mut [Mobility]) {
    for i in model.trees[tree].clone() {
        if !wanted[i] {
            continue;
        }
        let link = &model.links[i];
        let parent = if link.parent == NONE {
            None
        } else {
            Some(out[link.parent as usize].carried(data.position.offset[i]))
        };
        out[i] = through(model, data, i, parent);
    }
}

/// (1): the mobility of body `i` from its parent's, seen from the body's origin.
fn through(model: &Model, data: &Data, i: usize, parent: Option<Mobility>) -> Mobility {
    let link = &model.links[i];
    let factor = &data.dynamics.factor[i];
    let above = parent.unwrap_or(Mobility::NONE);
    if factor.prescribed || link.kind == JointKind::Fixed {
        return above;
    }
    if link.kind == JointKind::Free {
        let free = &data.dynamics.free_factor[link.free as usize];
        return match parent {
            Some(above) if free.loaded => Mobility::from_columns(|f| {
                // A free joint with gains within a tree: V = a + D⁻¹(f - IA a), a the parent's answer to the rest.
                let inertia = &data.dynamics.articulated_inertia[i];
                let passed = f - *inertia * free.solve(f);
                let inherited = above.answer(passed);
                inherited + free.solve(f - *inertia * inherited)
            }),
            _ => Mobility::from_columns(|f| free.solve(f)),
        };
    }
    let axes = &data.position.axes[i];
    let g = &factor.gain;
    if link.kind == JointKind::Spherical {
        // S = [1; 0]: columns of W and of D⁻¹ as they stand.
        let w = g.map(|g| above.answer(g));
        let spin = DMat3::from_cols(w[0].angular, w[1].angular, w[2].angular);
        let slide = DMat3::from_cols(w[0].linear, w[1].linear, w[2].linear);
        let yields = |j: usize| {
            let own = factor.ldl.solve(DVec3::AXES[j]);
            own + DVec3::new(w[0].dot(g[j]), w[1].dot(g[j]), w[2].dot(g[j]))
        };
        let yielding = DMat3::from_cols(yields(0), yields(1), yields(2));
        let angular = above.angular + Sym3::symmetric_part(&(yielding - spin * 2.0));
        return Mobility { angular, coupling: above.coupling - slide.transpose(), linear: above.linear };
    }
    // Freedom by freedom, the symmetric sum of (1) as `S_j T_jᵀ + T_j S_jᵀ`.
    let turns = matches!(link.kind, JointKind::Revolute { .. } | JointKind::Universal { .. });
    let mut out = above;
    let mut answers = [Motion::ZERO; 3];
    let unit = |k: usize| unit_motion(link.kind, axes, k);
    for j in 0..link.kind.n_v() {
        answers[j] = above.answer(g[j]);
        let solved = factor.ldl.solve(DVec3::AXES[j]).to_array();
        let own = unit(j);
        let mut with = own * (0.5 * (solved[j] + answers[j].dot(g[j]))) - answers[j];
        for k in 0..j {
            with += unit(k) * (solved[k] + answers[k].dot(g[j]));
        }
        out.add_outer(own, with, turns);
    }
    out
}

/// The motion of the `k`-th freedom in the coordinates the factors use.
fn unit_motion(kind: JointKind, axes: &DMat3, k: usize) -> Motion {
    match kind {
        JointKind::Spherical => Motion::new(DVec3::AXES[k], DVec3::ZERO),
        kind => {
            let mut x = [0.0; 6];
            x[k] = 1.0;
            crate::dynamics::kinematics::joint_motion(kind, axes, &x)
        }
    }
}

/// Rate along a direction of joint `i`'s freedoms (in the factor's coordinates) per impulse along it; `second` for the
/// turning freedoms of a free joint. The parent's mobility must be known.
pub(crate) fn of_joint(
    model: &Model,
    data: &Data,
    i: usize,
    direction: DVec3,
    second: bool,
    known: &[Mobility],
) -> f64 {
    let link = &model.links[i];
    let factor = &data.dynamics.factor[i];
    if factor.prescribed {
        return 0.0;
    }
    if link.kind == JointKind::Free {
        let f = if second { Force::new(direction, DVec3::ZERO) } else { Force::new(DVec3::ZERO, direction) };
        return data.dynamics.free_factor[link.free as usize].solve(f).dot(f);
    }
    let own = factor.ldl.solve(direction).dot(direction);
    if link.parent == NONE {
        return own;
    }
    let passed = factor.gain[0] * direction.x + factor.gain[1] * direction.y + factor.gain[2] * direction.z;
    let passed = passed.seen_from(data.position.offset[i]);
    own + known[link.parent as usize].answer(passed).dot(passed)
}
