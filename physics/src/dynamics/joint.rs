//! What a joint takes of the inertia below it, and what it leaves: the half of the articulated-body algorithm that knows
//! no forces.
//!
//! ```text
//! (1)  U = IA S,  D = SᵀU + E = L Δ Lᵀ          E: armature and gains of the joint itself
//! (2)  W = L⁻¹Uᵀ,  Ia = IA - WᵀΔ⁻¹W             (= IA - U D⁻¹Uᵀ, symmetric as it stands)
//! (3)  gain = U D⁻¹ = (L⁻ᵀ Δ⁻¹W)ᵀ
//! ```
//!
//! No inverse of `D` is ever formed. Where light bodies lie below a heavy one `D` is badly conditioned, `D⁻¹` has huge
//! entries, and a product with it leaves their rounding where the solve has small numbers.
//!
//! [`factor_again`] runs this over a tree without any bias forces.

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::data::{Data, Factor, FreeFactor};
use crate::model::{JointKind, Link, Model, NONE};
use crate::spatial::{ArticulatedInertia, Force, Ldl3, Motion, Sym3};
use crate::state::vec3;

/// Articulated factors of whole trees anew where only inertias of some bodies or joints changed.
///
/// `changed` marks those bodies and all their ancestors. Their own inertias must stand in
/// `data.dynamics.articulated_inertia`, written anew; what unchanged subtrees hand over is kept from the last pass
/// (`data.dynamics.handed`). Bias forces, and what was handed over of them, stay as they are.
///
/// `extra[i]` is the inertia of joint `i` itself (`E` of (1)), full symmetric:
/// - one to three freedoms but ball joints: `extra[i][0]` in the joint's freedoms, as many rows as there are;
/// - ball joints: `extra[i][0]` in world axes;
/// - free joints: `extra[i][0]` linear, `extra[i][1]` angular, both in world axes.
///
/// Joints marked `prescribed` (none if that is empty) hand everything on.
#[cfg_attr(not(test), allow(dead_code, reason = "offered to solves that change inertias alone"))]
pub(crate) fn factor_again(
    model: &Model,
    data: &mut Data,
    bodies: Range<usize>,
    extra: &[[Sym3; 2]],
    prescribed: &[bool],
    changed: &[bool],
) {
    for i in bodies.rev() {
        let link = &model.links[i];
        let p = link.parent as usize;
        if changed[i] {
            let left = if prescribed.get(i).copied().unwrap_or(false) {
                data.dynamics.factor[i].prescribed = true;
                data.dynamics.articulated_inertia[i]
            } else {
                factor_joint(link, data, i, &extra[i])
            };
            if link.parent != NONE {
                let handed = left.seen_from(data.position.offset[i]);
                data.dynamics.handed[i].0 = handed;
                data.dynamics.articulated_inertia[p] += handed;
            }
        } else if link.parent != NONE && changed[p] {
            let handed = data.dynamics.handed[i].0;
            data.dynamics.articulated_inertia[p] += handed;
        }
    }
}

/// Factors the joint above body `i`, whose articulated inertia is complete; returns what it hands on, at the body's
/// origin. `extra` as in [`factor_again`].
pub(crate) fn factor_joint(link: &Link, data: &mut Data, i: usize, extra: &[Sym3; 2]) -> ArticulatedInertia {
    let axes = &data.position.axes[i];
    let ia = &data.dynamics.articulated_inertia[i];
    let factor = &mut data.dynamics.factor[i];
    factor.prescribed = false;
    match link.kind {
        JointKind::Fixed => *ia,
        JointKind::Revolute { .. } => hinge(factor, ia, axes, extra[0].xx),
        JointKind::Prismatic { .. } => slider(factor, ia, axes, extra[0].xx),
        JointKind::Universal { .. } => universal(factor, ia, axes, &extra[0]),
        JointKind::Spherical if extra[0] == Sym3::ZERO => ball(factor, ia),
        JointKind::Spherical => ball_with(factor, ia, &extra[0]),
        JointKind::Planar => planar(factor, ia, axes, &extra[0]),
        JointKind::Free => {
            free(&mut data.dynamics.free_factor[link.free as usize], ia, extra, link.parent != NONE)
        }
    }
}

/// A turn about the first axis.
#[inline(always)]
pub(super) fn hinge(
    factor: &mut Factor,
    ia: &ArticulatedInertia,
    axes: &DMat3,
    extra: f64,
) -> ArticulatedInertia {
    let s = axes.x_axis;
    let u = Force::new(ia.angular * s, ia.coupling.transpose() * s);
    one(factor, ia, u, s.dot(u.angular) + extra)
}

/// A slide along the first axis.
#[inline(always)]
pub(super) fn slider(
    factor: &mut Factor,
    ia: &ArticulatedInertia,
    axes: &DMat3,
    extra: f64,
) -> ArticulatedInertia {
    let s = axes.x_axis;
    let u = Force::new(ia.coupling * s, ia.linear * s);
    one(factor, ia, u, s.dot(u.linear) + extra)
}

/// (2), (3) for one freedom.
#[inline(always)]
fn one(factor: &mut Factor, ia: &ArticulatedInertia, u: Force, d: f64) -> ArticulatedInertia {
    factor.ldl.pivot.x = 1.0 / d; // the rest is zero
    factor.gain[0] = u * factor.ldl.pivot.x;
    let mut left = *ia;
    downdate(&mut left, &factor.gain[0], &u);
    left
}

/// Turns about the first two axes.
#[inline(always)]
pub(super) fn universal(
    factor: &mut Factor,
    ia: &ArticulatedInertia,
    axes: &DMat3,
    extra: &Sym3,
) -> ArticulatedInertia {
    let (s, t) = (axes.x_axis, axes.y_axis);
    let transposed = ia.coupling.transpose();
    let u = [s, t].map(|axis| Force::new(ia.angular * axis, transposed * axis));
    let d = Sym3 {
        xx: s.dot(u[0].angular) + extra.xx,
        yy: t.dot(u[1].angular) + extra.yy,
        xy: s.dot(u[1].angular) + extra.xy,
        ..Sym3::ZERO
    };
    factor.ldl = Ldl3::two(&d);
    let w = [u[0], u[1] - u[0] * factor.ldl.l21];
    let v = [w[0] * factor.ldl.pivot.x, w[1] * factor.ldl.pivot.y];
    factor.gain = [v[0] - v[1] * factor.ldl.l21, v[1], Force::ZERO];
    let mut left = *ia;
    downdate(&mut left, &v[0], &w[0]);
    downdate(&mut left, &v[1], &w[1]);
    left
}

/// Slides along the first two axes and a turn about the third.
#[inline(always)]
pub(super) fn planar(
    factor: &mut Factor,
    ia: &ArticulatedInertia,
    axes: &DMat3,
    extra: &Sym3,
) -> ArticulatedInertia {
    let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
    let u = [
        Force::new(ia.coupling * x, ia.linear * x),
        Force::new(ia.coupling * y, ia.linear * y),
        Force::new(ia.angular * z, ia.coupling.transpose() * z),
    ];
    let d = Sym3::new(
        x.dot(u[0].linear),
        y.dot(u[1].linear),
        z.dot(u[2].angular),
        x.dot(u[1].linear),
        x.dot(u[2].linear),
        y.dot(u[2].linear),
    );
    factor.ldl = Ldl3::three(&(d + *extra));
    let w = factor.ldl.forward(u);
    let v = factor.ldl.scaled(w);
    factor.gain = factor.ldl.backward(v);
    let mut left = *ia;
    for k in 0..3 {
        downdate(&mut left, &v[k], &w[k]);
    }
    left
}

/// Ball joint without inertia of its own: with `IA = [A B; Bᵀ C]` and `D = A` all moment response is gone, and only
/// `C - BᵀA⁻¹B` is left.
#[inline(always)]
pub(super) fn ball(factor: &mut Factor, ia: &ArticulatedInertia) -> ArticulatedInertia {
    factor.ldl = Ldl3::three(&ia.angular);
    let w = factor.ldl.forward(rows(&ia.coupling));
    let v = factor.ldl.scaled(w);
    let e = factor.ldl.backward(v);
    factor.gain = [Force::new(DVec3::X, e[0]), Force::new(DVec3::Y, e[1]), Force::new(DVec3::Z, e[2])];
    ArticulatedInertia { linear: ia.linear - sum_of_squares(&w, &v), ..ArticulatedInertia::ZERO }
}

/// Ball joint with `D = A + E`.
#[inline(always)]
pub(super) fn ball_with(factor: &mut Factor, ia: &ArticulatedInertia, extra: &Sym3) -> ArticulatedInertia {
    factor.ldl = Ldl3::three(&(ia.angular + *extra));
    let a = &ia.angular;
    let a = [DVec3::new(a.xx, a.xy, a.xz), DVec3::new(a.xy, a.yy, a.yz), DVec3::new(a.xz, a.yz, a.zz)];
    let t = factor.ldl.backward(factor.ldl.scaled(factor.ldl.forward(a))); // rows of D⁻¹A
    let w = factor.ldl.forward(rows(&ia.coupling));
    let v = factor.ldl.scaled(w);
    let e = factor.ldl.backward(v); // rows of D⁻¹B
    factor.gain = [Force::new(t[0], e[0]), Force::new(t[1], e[1]), Force::new(t[2], e[2])];
    // A - A D⁻¹ A = E D⁻¹ A and B - A D⁻¹ B = E D⁻¹ B: no cancellation.
    ArticulatedInertia {
        angular: symmetric_product(&extra.to_mat3(), &from_rows(t)),
        coupling: *extra * from_rows(e),
        linear: ia.linear - sum_of_squares(&w, &v),
    }
}

/// Free joint with `D = IA + E`. Nothing passes it unless it is `inner`, between bodies, and `E` couples them:
/// `Ia = IA - IA D⁻¹ IA = E D⁻¹ IA`.
pub(super) fn free(
    factor: &mut FreeFactor,
    ia: &ArticulatedInertia,
    extra: &[Sym3; 2],
    inner: bool,
) -> ArticulatedInertia {
    let [slide, turn] = extra;
    let d = ArticulatedInertia { angular: ia.angular + *turn, linear: ia.linear + *slide, ..*ia };
    factor.lower = factor_definite(&d);
    factor.loaded = inner && (*slide != Sym3::ZERO || *turn != Sym3::ZERO);
    if !factor.loaded {
        return ArticulatedInertia::ZERO;
    }
    let column = |unit: Motion| {
        let x = factor.solve(*ia * unit);
        Force::new(*turn * x.angular, *slide * x.linear)
    };
    let turns = DVec3::AXES.map(|axis| column(Motion::new(axis, DVec3::ZERO)).angular);
    let slides = DVec3::AXES.map(|axis| column(Motion::new(DVec3::ZERO, axis)));
    let matrix = |columns: [DVec3; 3]| DMat3::from_cols(columns[0], columns[1], columns[2]);
    ArticulatedInertia {
        angular: Sym3::symmetric_part(&matrix(turns)),
        coupling: matrix(slides.map(|f| f.angular)),
        linear: Sym3::symmetric_part(&matrix(slides.map(|f| f.linear))),
    }
}

#[inline(always)]
fn rows(m: &DMat3) -> [DVec3; 3] {
    [m.row(0), m.row(1), m.row(2)]
}

#[inline(always)]
fn from_rows(rows: [DVec3; 3]) -> DMat3 {
    DMat3::from_cols(rows[0], rows[1], rows[2]).transpose()
}

/// `Σ w_k v_kᵀ` where every `v_k` is a multiple of `w_k`.
#[inline(always)]
fn sum_of_squares(w: &[DVec3; 3], v: &[DVec3; 3]) -> Sym3 {
    Sym3::new(
        w[0].x * v[0].x + w[1].x * v[1].x + w[2].x * v[2].x,
        w[0].y * v[0].y + w[1].y * v[1].y + w[2].y * v[2].y,
        w[0].z * v[0].z + w[1].z * v[1].z + w[2].z * v[2].z,
        w[0].x * v[0].y + w[1].x * v[1].y + w[2].x * v[2].y,
        w[0].x * v[0].z + w[1].x * v[1].z + w[2].x * v[2].z,
        w[0].y * v[0].z + w[1].y * v[1].z + w[2].y * v[2].z,
    )
}

/// `XᵀY` where the product is known to be symmetric.
#[inline]
fn symmetric_product(x: &DMat3, y: &DMat3) -> Sym3 {
    Sym3::new(
        x.x_axis.dot(y.x_axis),
        x.y_axis.dot(y.y_axis),
        x.z_axis.dot(y.z_axis),
        x.x_axis.dot(y.y_axis),
        x.x_axis.dot(y.z_axis),
        x.y_axis.dot(y.z_axis),
    )
}

/// `IA - v wᵀ` where `v` is a multiple of `w`, which is symmetric.
#[inline]
fn downdate(ia: &mut ArticulatedInertia, v: &Force, w: &Force) {
    let (va, vl) = (v.angular, v.linear);
    let (wa, wl) = (w.angular, w.linear);
    ia.angular =
        ia.angular - Sym3::new(va.x * wa.x, va.y * wa.y, va.z * wa.z, va.x * wa.y, va.x * wa.z, va.y * wa.z);
    ia.linear =
        ia.linear - Sym3::new(vl.x * wl.x, vl.y * wl.y, vl.z * wl.z, vl.x * wl.y, vl.x * wl.z, vl.y * wl.z);
    ia.coupling.x_axis -= va * wl.x;
    ia.coupling.y_axis -= va * wl.y;
    ia.coupling.z_axis -= va * wl.z;
}

impl Factor {
    /// `D⁻¹u - (U D⁻¹)ᵀ a'`.
    #[inline]
    pub(crate) fn relative(&self, inherited: Motion, drive: DVec3) -> DVec3 {
        drive
            - DVec3::new(
                inherited.dot(self.gain[0]),
                inherited.dot(self.gain[1]),
                inherited.dot(self.gain[2]),
            )
    }

    /// `U D⁻¹u`: how much of a push along its freedoms the joint takes.
    #[inline(always)]
    pub(crate) fn taken(&self, u: DVec3) -> Force {
        self.gain[0] * u.x + self.gain[1] * u.y + self.gain[2] * u.z
    }

    /// Keeps `D⁻¹u`, returns `U D⁻¹u`, of a joint with one freedom.
    #[inline(always)]
    pub(crate) fn yield_one(&mut self, u: f64) -> Force {
        self.drive.x = self.ldl.pivot.x * u;
        self.gain[0] * u
    }

    /// [`Factor::yield_one`] with two freedoms.
    #[inline(always)]
    pub(crate) fn yield_two(&mut self, u: [f64; 2]) -> Force {
        self.drive = self.ldl.solve(DVec3::new(u[0], u[1], 0.0));
        self.gain[0] * u[0] + self.gain[1] * u[1]
    }

    /// [`Factor::yield_one`] with up to three freedoms.
    #[inline(always)]
    pub(crate) fn yield_three(&mut self, u: DVec3) -> Force {
        self.drive = self.ldl.solve(u);
        self.taken(u)
    }
}

impl FreeFactor {
    /// `D⁻¹ f`.
    #[inline]
    pub(crate) fn solve(&self, f: Force) -> Motion {
        let (l, mut x) = (&self.lower, f.to_array());
        for i in 1..6 {
            for k in 0..i {
                x[i] -= l[i][k] * x[k];
            }
        }
        for i in (0..6).rev() {
            x[i] *= l[i][i];
            for k in i + 1..6 {
                x[i] -= l[k][i] * x[k];
            }
        }
        Motion::new(vec3(&x, 0), vec3(&x, 3))
    }
}

/// `LDLᵀ` of a positive definite 6×6: `L` below the diagonal, `D⁻¹` on it.
#[inline]
fn factor_definite(d: &ArticulatedInertia) -> [[f64; 6]; 6] {
    let mut m = d.to_dense();
    for k in 0..6 {
        let inverse = 1.0 / m[k][k];
        for i in k + 1..6 {
            let l = m[i][k] * inverse;
            for j in k + 1..=i {
                m[i][j] -= l * m[j][k];
            }
        }
        for i in k + 1..6 {
            m[i][k] *= inverse;
        }
        m[k][k] = inverse;
    }
    m
}

#[cfg(test)]
#[path = "joint_tests.rs"]
mod tests;
