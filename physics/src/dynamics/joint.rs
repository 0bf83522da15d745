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

use super::kinematics::joint_motion;
use crate::data::{Data, Factor, FreeFactor};
use crate::model::{JointKind, Link, Model, NONE};
use crate::spatial::{ArticulatedInertia, Force, Ldl3, Motion, Sym3, six};
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
            let handed = if prescribed.get(i).copied().unwrap_or(false) {
                data.dynamics.factor[i].prescribed = true;
                data.dynamics.articulated_inertia[i].seen_from(data.position.offset[i])
            } else {
                factor_joint(link, data, i, &extra[i])
            };
            if link.parent != NONE {
                data.dynamics.handed[i].0 = handed;
                data.dynamics.articulated_inertia[p] += handed;
            }
        } else if link.parent != NONE && changed[p] {
            let handed = data.dynamics.handed[i].0;
            data.dynamics.articulated_inertia[p] += handed;
        }
    }
}

/// Factors the joint above body `i`, whose articulated inertia is complete; returns what it hands on, seen from the
/// parent's origin. `extra` as in [`factor_again`].
pub(crate) fn factor_joint(link: &Link, data: &mut Data, i: usize, extra: &[Sym3; 2]) -> ArticulatedInertia {
    let axes = &data.position.axes[i];
    let r = data.position.offset[i];
    let ia = &data.dynamics.articulated_inertia[i];
    let factor = &mut data.dynamics.factor[i];
    factor.prescribed = false;
    match link.kind {
        JointKind::Fixed => ia.seen_from(r),
        JointKind::Revolute { .. } => hinge(ia, axes, extra[0].xx).kept(factor, r),
        JointKind::Prismatic { .. } => slider(ia, axes, extra[0].xx).kept(factor, r),
        JointKind::Universal { .. } => universal(ia, axes, &extra[0]).kept(factor, r),
        JointKind::Spherical if extra[0] == Sym3::ZERO => ball(ia).kept(factor, r),
        JointKind::Spherical => ball_with(ia, &extra[0]).kept(factor, r),
        JointKind::Planar => planar(ia, axes, &extra[0]).kept(factor, r),
        JointKind::Free => {
            let factor = &mut data.dynamics.free_factor[link.free as usize];
            free(factor, ia, extra, link.parent != NONE).seen_from(r)
        }
    }
}

/// A joint of `N` freedoms folded.
pub(super) struct Fold<const N: usize> {
    /// `U D⁻¹`, a column per freedom.
    gain: [Force; N],
    /// `D = L Δ Lᵀ`.
    ldl: Ldl3,
    /// `Ia`, at the body's origin.
    left: ArticulatedInertia,
}

impl<const N: usize> Fold<N> {
    /// Writes the factor; returns `Ia` seen from a point from which the body's origin lies `r` away.
    #[inline(always)]
    fn kept(&self, factor: &mut Factor, r: DVec3) -> ArticulatedInertia {
        factor.gain[..N].copy_from_slice(&self.gain);
        factor.ldl = self.ldl;
        self.left.seen_from(r)
    }

    /// Writes the factor and `D⁻¹u` for a push `u` along the freedoms; returns `Ia` and `pa = pA + Ia c + U D⁻¹u`,
    /// both seen from a point from which the body's origin lies `r` away.
    #[inline(always)]
    pub(super) fn pushed(
        &self,
        factor: &mut Factor,
        pa: Force,
        c: Motion,
        r: DVec3,
        u: [f64; N],
    ) -> (ArticulatedInertia, Force) {
        let mut bias = pa + self.left * c;
        for k in 0..N {
            bias += self.gain[k] * u[k];
        }
        if N == 1 {
            factor.drive.x = self.ldl.pivot.x * u[0];
        } else {
            let mut all = [0.0; 3];
            all[..N].copy_from_slice(&u);
            factor.drive = self.ldl.solve(all.into());
        }
        (self.kept(factor, r), bias.seen_from(r))
    }
}

/// A turn about the first axis.
#[inline(always)]
pub(super) fn hinge(ia: &ArticulatedInertia, axes: &DMat3, extra: f64) -> Fold<1> {
    let s = axes.x_axis;
    let u = Force::new(ia.angular * s, ia.coupling.transpose() * s);
    one(ia, u, s.dot(u.angular) + extra)
}

/// A slide along the first axis.
#[inline(always)]
pub(super) fn slider(ia: &ArticulatedInertia, axes: &DMat3, extra: f64) -> Fold<1> {
    let s = axes.x_axis;
    let u = Force::new(ia.coupling * s, ia.linear * s);
    one(ia, u, s.dot(u.linear) + extra)
}

/// (2), (3) for one freedom.
#[inline(always)]
fn one(ia: &ArticulatedInertia, u: Force, d: f64) -> Fold<1> {
    let pivot = 1.0 / d;
    let gain = u * pivot;
    let mut left = *ia;
    downdate(&mut left, &gain, &u);
    Fold { gain: [gain], ldl: Ldl3 { pivot: DVec3::new(pivot, 0.0, 0.0), ..Ldl3::ZERO }, left }
}

/// Turns about the first two axes.
#[inline(always)]
pub(super) fn universal(ia: &ArticulatedInertia, axes: &DMat3, extra: &Sym3) -> Fold<2> {
    let (s, t) = (axes.x_axis, axes.y_axis);
    let transposed = ia.coupling.transpose();
    let u = [s, t].map(|axis| Force::new(ia.angular * axis, transposed * axis));
    let d = Sym3 {
        xx: s.dot(u[0].angular) + extra.xx,
        yy: t.dot(u[1].angular) + extra.yy,
        xy: s.dot(u[1].angular) + extra.xy,
        ..Sym3::ZERO
    };
    let ldl = Ldl3::two(&d);
    let w = [u[0], u[1] - u[0] * ldl.l21];
    let v = [w[0] * ldl.pivot.x, w[1] * ldl.pivot.y];
    let mut left = *ia;
    downdate(&mut left, &v[0], &w[0]);
    downdate(&mut left, &v[1], &w[1]);
    Fold { gain: [v[0] - v[1] * ldl.l21, v[1]], ldl, left }
}

/// Slides along the first two axes and a turn about the third.
#[inline(always)]
pub(super) fn planar(ia: &ArticulatedInertia, axes: &DMat3, extra: &Sym3) -> Fold<3> {
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
    let ldl = Ldl3::three(&(d + *extra));
    let w = ldl.forward(u);
    let v = ldl.scaled(w);
    let mut left = *ia;
    for k in 0..3 {
        downdate(&mut left, &v[k], &w[k]);
    }
    Fold { gain: ldl.backward(v), ldl, left }
}

/// A ball joint without inertia of its own: with `IA = [A B; Bᵀ C]` and `D = A` all moment response is gone, and only
/// `C - BᵀA⁻¹B` is left.
pub(super) struct Ball {
    /// Rows of `A⁻¹B`.
    rows: [DVec3; 3],
    /// `A = L Δ Lᵀ`.
    ldl: Ldl3,
    /// `C - BᵀA⁻¹B`.
    left: Sym3,
}

/// See [`Ball`].
#[inline(always)]
pub(super) fn ball(ia: &ArticulatedInertia) -> Ball {
    let ldl = Ldl3::three(&ia.angular);
    let w = ldl.forward(rows(&ia.coupling));
    let v = ldl.scaled(w);
    Ball { rows: ldl.backward(v), ldl, left: ia.linear - sum_of_squares(&w, &v) }
}

impl Ball {
    /// Writes the factor; returns `Ia` seen from a point from which the body's origin lies `r` away.
    #[inline(always)]
    fn kept(&self, factor: &mut Factor, r: DVec3) -> ArticulatedInertia {
        factor.ldl = self.ldl;
        for k in 0..3 {
            factor.gain[k] = Force::new(DVec3::AXES[k], self.rows[k]);
        }
        ArticulatedInertia::at_point(self.left, r)
    }

    /// As [`Fold::pushed`].
    #[inline(always)]
    pub(super) fn pushed(
        &self,
        factor: &mut Factor,
        pa: Force,
        c: Motion,
        r: DVec3,
        u: DVec3,
    ) -> (ArticulatedInertia, Force) {
        let e = &self.rows;
        let linear = pa.linear + self.left * c.linear + e[0] * u.x + e[1] * u.y + e[2] * u.z;
        factor.drive = self.ldl.solve(u);
        (self.kept(factor, r), Force::new(pa.angular + u, linear).seen_from(r))
    }
}

/// Ball joint with `D = A + E`.
#[inline(always)]
pub(super) fn ball_with(ia: &ArticulatedInertia, extra: &Sym3) -> Fold<3> {
    let ldl = Ldl3::three(&(ia.angular + *extra));
    let t = ldl.backward(ldl.scaled(ldl.forward(rows(&ia.angular.to_mat3())))); // rows of D⁻¹A
    let w = ldl.forward(rows(&ia.coupling));
    let v = ldl.scaled(w);
    let e = ldl.backward(v); // rows of D⁻¹B
    // A - A D⁻¹ A = E D⁻¹ A and B - A D⁻¹ B = E D⁻¹ B: no cancellation.
    let left = ArticulatedInertia {
        angular: symmetric_product(&extra.to_mat3(), &from_rows(t)),
        coupling: *extra * from_rows(e),
        linear: ia.linear - sum_of_squares(&w, &v),
    };
    let gain = [Force::new(t[0], e[0]), Force::new(t[1], e[1]), Force::new(t[2], e[2])];
    Fold { gain, ldl, left }
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
    factor.lower = d.to_dense();
    six::factorize(&mut factor.lower);
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

/// `Sᵀ f` in the coordinates the factors use (world axes for ball joints).
#[inline(always)]
pub(crate) fn projected(kind: JointKind, axes: &DMat3, f: Force) -> DVec3 {
    let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
    match kind {
        JointKind::Revolute { .. } => DVec3::new(x.dot(f.angular), 0.0, 0.0),
        JointKind::Prismatic { .. } => DVec3::new(x.dot(f.linear), 0.0, 0.0),
        JointKind::Universal { .. } => DVec3::new(x.dot(f.angular), y.dot(f.angular), 0.0),
        JointKind::Spherical => f.angular,
        JointKind::Planar => DVec3::new(x.dot(f.linear), y.dot(f.linear), z.dot(f.angular)),
        // Nothing moves in the one; the other has a factor of its own.
        JointKind::Fixed | JointKind::Free => DVec3::ZERO,
    }
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

    /// `D⁻¹u` and `U D⁻¹u` for a push `u` along the freedoms: how the joint yields, and what it takes of the push.
    #[inline(always)]
    pub(crate) fn meet(&self, kind: JointKind, u: DVec3) -> (DVec3, Force) {
        if kind.n_v() == 1 {
            (DVec3::new(self.ldl.pivot.x * u.x, 0.0, 0.0), self.gain[0] * u.x)
        } else {
            (self.ldl.solve(u), self.gain[0] * u.x + self.gain[1] * u.y + self.gain[2] * u.z)
        }
    }

    /// The joint's rates (in world axes for ball joints) and `S` times them, given `D⁻¹u` and how the parent carries
    /// the body along.
    #[inline(always)]
    pub(crate) fn move_along(
        &self,
        kind: JointKind,
        axes: &DMat3,
        inherited: Motion,
        drive: DVec3,
    ) -> (DVec3, Motion) {
        match kind {
            JointKind::Revolute { .. } => {
                let x = drive.x - inherited.dot(self.gain[0]);
                (DVec3::new(x, 0.0, 0.0), Motion::new(axes.x_axis * x, DVec3::ZERO))
            }
            JointKind::Prismatic { .. } => {
                let x = drive.x - inherited.dot(self.gain[0]);
                (DVec3::new(x, 0.0, 0.0), Motion::new(DVec3::ZERO, axes.x_axis * x))
            }
            JointKind::Spherical => {
                let world = self.relative(inherited, drive);
                (world, Motion::new(world, DVec3::ZERO))
            }
            kind => {
                let x = self.relative(inherited, drive);
                (x, joint_motion(kind, axes, &x.to_array()))
            }
        }
    }
}

impl FreeFactor {
    /// `D⁻¹ f`.
    #[inline]
    pub(crate) fn solve(&self, f: Force) -> Motion {
        let mut x = f.to_array();
        six::solve(&self.lower, &mut x);
        Motion::new(vec3(&x, 0), vec3(&x, 3))
    }
}

#[cfg(test)]
#[path = "joint_tests.rs"]
mod tests;
