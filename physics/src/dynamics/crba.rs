//! Joint-space inertia by the composite-rigid-body algorithm (RBDA table 6.2) and its sparse
//! factorisation `H = LᵀL` (RBDA 6.5).
//!
//! In world axes a force walks towards the root unchanged and only its moment is shifted, so each
//! entry of `H` costs one cross product and one dot product.

use glam::{DMat3, DVec3};

use super::kinematics::{forward_kinematics, joint_force};
use crate::data::{Composite, Data, MassMatrix};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion, Sym3};
use crate::state::State;

/// Fills `data.mass_matrix` with `H(q)`, armature included.
pub fn crba(model: &Model, state: &State, data: &mut Data) {
    forward_kinematics(model, state, data);
    crba_at(model, data);
}

/// [`crba`] for poses already in `data.position`.
pub fn crba_at(model: &Model, data: &mut Data) {
    let n = model.links.len();
    let (poses, offsets, axes) =
        (&data.position.world_from_body[..n], &data.position.offset[..n], &data.position.axes[..n]);
    let MassMatrix { rows, composite, .. } = &mut data.mass_matrix;
    let composite = &mut composite[..n];
    for ((slot, link), pose) in composite.iter_mut().zip(&model.links).zip(poses) {
        let (m, r) = (link.inertia.mass, &pose.rotation);
        let c = *r * link.inertia.center_of_mass;
        let rotational = link.inertia.rotational.rotated(r) + Sym3::point_inertia(c) * m;
        *slot = Composite { mass: m, moment: c * m, rotational };
    }
    for (i, link) in model.links.iter().enumerate().rev() {
        let own = composite[i];
        if link.parent != NONE {
            composite[link.parent as usize].add_shifted(&own, offsets[i]);
        }
        let v = link.v as usize;
        let row = |dof: usize| model.row_start[dof];
        // One column of forces per freedom, walked to the root.
        let columns = freedoms(link.kind, &axes[i]);
        let count = link.kind.n_v();
        for k in 0..count {
            let force = own.apply(columns[k]);
            let row = &mut rows[row(v + k)..row(v + k + 1)];
            let mut block = [0.0; 6];
            joint_force(link.kind, &axes[i], force, &mut block);
            for j in 0..=k {
                row[k - j] = block[j];
            }
            if link.armature {
                row[0] += model.bodies[i].joint.armature[k];
            }
            climb(model, offsets, axes, i, force, &mut row[k + 1..]);
        }
    }
}

/// Entries of one row for the freedoms above body `i`.
#[inline]
fn climb(model: &Model, offsets: &[DVec3], axes: &[DMat3], i: usize, force: Force, row: &mut [f64]) {
    let (mut at, mut force) = (i, force);
    let mut column = 0;
    loop {
        force.angular += offsets[at].cross(force.linear);
        at = match model.links[at].parent {
            NONE => return,
            parent => parent as usize,
        };
        let a = &axes[at];
        match model.links[at].kind {
            JointKind::Revolute { .. } => {
                row[column] = a.x_axis.dot(force.angular);
                column += 1;
            }
            JointKind::Spherical => {
                row[column] = a.z_axis.dot(force.angular);
                row[column + 1] = a.y_axis.dot(force.angular);
                row[column + 2] = a.x_axis.dot(force.angular);
                column += 3;
            }
            kind => {
                let mut block = [0.0; 6];
                joint_force(kind, a, force, &mut block);
                for k in (0..kind.n_v()).rev() {
                    row[column] = block[k];
                    column += 1;
                }
            }
        }
    }
}

/// The joint's motion subspace `S`, a column per freedom.
#[inline]
pub(crate) fn freedoms(kind: JointKind, axes: &DMat3) -> [Motion; 6] {
    let turn = |a: DVec3| Motion::new(a, DVec3::ZERO);
    let slide = |a: DVec3| Motion::new(DVec3::ZERO, a);
    let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
    let mut s = [Motion::ZERO; 6];
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute { .. } => s[0] = turn(x),
        JointKind::Prismatic { .. } => s[0] = slide(x),
        JointKind::Universal { .. } => (s[0], s[1]) = (turn(x), turn(y)),
        JointKind::Spherical => (s[0], s[1], s[2]) = (turn(x), turn(y), turn(z)),
        JointKind::Planar => (s[0], s[1], s[2]) = (slide(x), slide(y), turn(z)),
        JointKind::Free => s = [slide(x), slide(y), slide(z), turn(x), turn(y), turn(z)],
    }
    s
}

impl Composite {
    /// Force that gives the composite body this acceleration from rest.
    #[inline]
    fn apply(&self, a: Motion) -> Force {
        Force::new(
            self.rotational * a.angular + self.moment.cross(a.linear),
            a.linear * self.mass - self.moment.cross(a.angular),
        )
    }

    /// Adds `other`, whose origin lies `r` from ours.
    #[inline]
    fn add_shifted(&mut self, other: &Self, r: DVec3) {
        // I' = I + (2 r·h 1 - h rᵀ - r hᵀ) + m (r·r 1 - r rᵀ), with h the first moment.
        let h = other.moment + 0.5 * other.mass * r;
        let d = 2.0 * r.dot(h);
        self.rotational += other.rotational
            + Sym3::new(
                d - 2.0 * r.x * h.x,
                d - 2.0 * r.y * h.y,
                d - 2.0 * r.z * h.z,
                -(r.x * h.y + r.y * h.x),
                -(r.x * h.z + r.z * h.x),
                -(r.y * h.z + r.z * h.y),
            );
        self.moment += other.moment + r * other.mass;
        self.mass += other.mass;
    }
}

impl MassMatrix {
    /// Row of freedom `dof`: its own entry, then those of the freedoms above it, nearest first.
    pub fn row<'a>(&'a self, model: &Model, dof: usize) -> &'a [f64] {
        &self.rows[model.row_start[dof]..model.row_start[dof + 1]]
    }

    /// The whole symmetric matrix, row by row, into `out` (`n_v²` numbers).
    pub fn write_dense(&self, model: &Model, out: &mut [f64]) {
        let n = model.n_v();
        out.fill(0.0);
        for i in 0..n {
            let mut j = i as u32;
            for &value in self.row(model, i) {
                out[i * n + j as usize] = value;
                out[j as usize * n + i] = value;
                j = model.dof_parent[j as usize];
            }
        }
    }
}

/// Factorises the mass matrix in `data` as `H = LᵀL`; no fill-in appears (RBDA table 6.3).
///
/// Row `i` of `L` takes the layout of row `i` of `H`, with the reciprocal of the diagonal in front.
pub fn factorize(model: &Model, data: &mut Data) {
    let MassMatrix { rows, factor, .. } = &mut data.mass_matrix;
    factor.copy_from_slice(rows);
    for k in (0..model.n_v()).rev() {
        let (before, row) = factor.split_at_mut(model.row_start[k]);
        let row = &mut row[..model.row_start[k + 1] - model.row_start[k]];
        let inverse = 1.0 / row[0].sqrt();
        row[0] = inverse;
        row[1..].iter_mut().for_each(|x| *x *= inverse);
        let mut i = model.dof_parent[k];
        for p in 1..row.len() {
            // The ancestors of i are a tail of k's: a contiguous update.
            let scale = row[p];
            let target = &mut before[model.row_start[i as usize]..];
            target.iter_mut().zip(&row[p..]).for_each(|(h, x)| *h -= scale * x);
            i = model.dof_parent[i as usize];
        }
    }
}

/// Solves `H x = b` in place with the factors of [`factorize`] (RBDA table 6.5).
pub fn solve(model: &Model, data: &Data, x: &mut [f64]) {
    let factor = &data.mass_matrix.factor;
    // Lᵀ y = b from the tips inward.
    for i in (0..model.n_v()).rev() {
        let row = &factor[model.row_start[i]..model.row_start[i + 1]];
        let y = x[i] * row[0];
        x[i] = y;
        let mut j = model.dof_parent[i];
        for &l in &row[1..] {
            x[j as usize] -= l * y;
            j = model.dof_parent[j as usize];
        }
    }
    // L x = y from the root outward.
    for i in 0..model.n_v() {
        let row = &factor[model.row_start[i]..model.row_start[i + 1]];
        let mut sum = x[i];
        let mut j = model.dof_parent[i];
        for &l in &row[1..] {
            sum -= l * x[j as usize];
            j = model.dof_parent[j as usize];
        }
        x[i] = sum * row[0];
    }
}
