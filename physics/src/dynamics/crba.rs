//! Joint-space inertia by the composite-rigid-body algorithm (RBDA table 6.2) and its sparse
//! factorisation `H = LᵀL` (RBDA 6.5).
//!
//! `H_ij = S_jᵀ F_i` with `F_i = I_c,i S_i`. Both are taken at one point per tree, the root's origin, in
//! world axes, where a force needs no change on its way to the root: an entry of `H` costs one dot
//! product of six numbers. The diagonal blocks are taken at the body's own origin, which keeps their
//! precision in long chains.

use glam::{DMat3, DVec3};

use super::kinematics::forward_kinematics;
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
    let MassMatrix { rows, composite, columns, .. } = &mut data.mass_matrix;
    let composite = &mut composite[..n];
    let mut base = DVec3::ZERO;
    for (i, link) in model.links.iter().enumerate() {
        let pose = &poses[i];
        let (m, r) = (link.inertia.mass, &pose.rotation);
        let c = *r * link.inertia.center_of_mass;
        let rotational = link.inertia.rotational.rotated(r) + Sym3::point_inertia(c) * m;
        composite[i] = Composite { mass: m, moment: c * m, rotational };
        if link.parent == NONE {
            base = pose.translation;
        }
        let arm = base - pose.translation;
        let v = link.v as usize;
        let (x, y, z) = (axes[i].x_axis, axes[i].y_axis, axes[i].z_axis);
        match link.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { .. } => store(columns, v, [turn(x).at(arm)]),
            JointKind::Prismatic { .. } => store(columns, v, [slide(x)]),
            JointKind::Universal { .. } => store(columns, v, [turn(x).at(arm), turn(y).at(arm)]),
            JointKind::Spherical => {
                store(columns, v, [turn(x).at(arm), turn(y).at(arm), turn(z).at(arm)]);
            }
            JointKind::Planar => store(columns, v, [slide(x), slide(y), turn(z).at(arm)]),
            JointKind::Free => {
                store(columns, v, [slide(x), slide(y), slide(z)]);
                store(columns, v + 3, [turn(x).at(arm), turn(y).at(arm), turn(z).at(arm)]);
            }
        }
    }
    for tree in model.trees.iter().rev() {
        let base = poses[tree.start].translation;
        for i in tree.clone().rev() {
            let link = &model.links[i];
            let own = composite[i];
            if link.parent != NONE {
                composite[link.parent as usize].add_shifted(&own, offsets[i]);
            }
            let arm = poses[i].translation - base;
            let (x, y, z) = (axes[i].x_axis, axes[i].y_axis, axes[i].z_axis);
            let mut rows = Rows { model, columns, rows, body: i, arm };
            match link.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } => rows.write(own, [turn(x)]),
                JointKind::Prismatic { .. } => rows.write(own, [slide(x)]),
                JointKind::Universal { .. } => rows.write(own, [turn(x), turn(y)]),
                JointKind::Spherical => rows.write(own, [turn(x), turn(y), turn(z)]),
                JointKind::Planar => rows.write(own, [slide(x), slide(y), turn(z)]),
                JointKind::Free => {
                    rows.write(own, [slide(x), slide(y), slide(z), turn(x), turn(y), turn(z)]);
                }
            }
        }
    }
}

/// Where the rows of one body go.
struct Rows<'a> {
    model: &'a Model,
    columns: &'a [Vec<f64>; 6],
    rows: &'a mut [f64],
    body: usize,
    /// From the tree's reference point to the body's origin.
    arm: DVec3,
}

impl Rows<'_> {
    /// Own block, then every freedom above, for each of the joint's `K` freedoms `s`.
    #[inline(always)]
    fn write<const K: usize>(&mut self, own: Composite, s: [Motion; K]) {
        let link = &self.model.links[self.body];
        let first = link.v as usize;
        let starts = &self.model.row_start[first..=first + K];
        let mut forces = [[0.0; 6]; K];
        // Where the part of each row that is still to be written ends.
        let mut ends = [0; K];
        for k in 0..K {
            let force = own.apply(s[k]);
            ends[k] = starts[k + 1] - 1 - k;
            let block = &mut self.rows[ends[k]..=ends[k] + k];
            for j in 0..=k {
                block[j] = s[j].dot(force);
            }
            if link.armature {
                block[k] += self.model.bodies[self.body].joint.armature[k];
            }
            forces[k] = force.seen_from(self.arm).to_array();
        }
        let mut j = self.model.dof_parent[first];
        while j != NONE {
            // A stretch of consecutive freedoms that are each other's parents.
            let start = self.model.run_start[j as usize] as usize;
            let length = j as usize + 1 - start;
            let c: [&[f64]; 6] = core::array::from_fn(|k| &self.columns[k][start..start + length]);
            for (end, f) in ends.iter_mut().zip(&forces) {
                *end -= length;
                let here = &mut self.rows[*end..*end + length];
                for t in 0..length {
                    here[t] = c[0][t] * f[0]
                        + c[1][t] * f[1]
                        + c[2][t] * f[2]
                        + c[3][t] * f[3]
                        + c[4][t] * f[4]
                        + c[5][t] * f[5];
                }
            }
            j = self.model.dof_parent[start];
        }
    }
}

#[inline(always)]
fn turn(axis: DVec3) -> Motion {
    Motion::new(axis, DVec3::ZERO)
}

#[inline(always)]
fn slide(axis: DVec3) -> Motion {
    Motion::new(DVec3::ZERO, axis)
}

/// Writes motions as columns from freedom `at` on.
#[inline(always)]
fn store<const K: usize>(columns: &mut [Vec<f64>; 6], at: usize, motions: [Motion; K]) {
    let motions = motions.map(Motion::to_array);
    for (c, column) in columns.iter_mut().enumerate() {
        let out = &mut column[at..at + K];
        (0..K).for_each(|k| out[k] = motions[k][c]);
    }
}

/// The joint's motion subspace `S`, a column per freedom.
pub(crate) fn freedoms(kind: JointKind, axes: &DMat3) -> [Motion; 6] {
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
    /// Row of freedom `dof`: the entries of the freedoms above it from the root on, then its own.
    pub fn row<'a>(&'a self, model: &Model, dof: usize) -> &'a [f64] {
        &self.rows[model.row_start[dof]..model.row_start[dof + 1]]
    }

    /// The whole symmetric matrix, row by row, into `out` (`n_v²` numbers).
    pub fn write_dense(&self, model: &Model, out: &mut [f64]) {
        let n = model.n_v();
        out.fill(0.0);
        for i in 0..n {
            let mut j = i as u32;
            for &value in self.row(model, i).iter().rev() {
                out[i * n + j as usize] = value;
                out[j as usize * n + i] = value;
                j = model.dof_parent[j as usize];
            }
        }
    }
}

/// Factorises the mass matrix in `data` as `H = LᵀL`; no fill-in appears (RBDA table 6.3).
///
/// Row `i` of `L` takes the layout of row `i` of `H`, with the reciprocal of the diagonal at its end.
pub fn factorize(model: &Model, data: &mut Data) {
    let MassMatrix { rows, factor, .. } = &mut data.mass_matrix;
    factor.copy_from_slice(rows);
    for k in (0..model.n_v()).rev() {
        let (before, row) = factor.split_at_mut(model.row_start[k]);
        let row = &mut row[..model.row_start[k + 1] - model.row_start[k]];
        let (diagonal, row) = row.split_last_mut().expect("every row has a diagonal");
        *diagonal = 1.0 / diagonal.sqrt();
        row.iter_mut().for_each(|x| *x *= *diagonal);
        let mut i = model.dof_parent[k];
        for p in (0..row.len()).rev() {
            // The ancestors of i are the head of k's: a contiguous update.
            let scale = row[p];
            let target = &mut before[model.row_start[i as usize]..][..=p];
            target.iter_mut().zip(&row[..=p]).for_each(|(h, x)| *h -= scale * x);
            i = model.dof_parent[i as usize];
        }
    }
}

/// Solves `H x = b` in place with the factors of [`factorize`] (RBDA table 6.5).
pub fn solve(model: &Model, data: &Data, x: &mut [f64]) {
    let factor = &data.mass_matrix.factor;
    let row = |i: usize| {
        let row = &factor[model.row_start[i]..model.row_start[i + 1]];
        row.split_last().expect("every row has a diagonal")
    };
    // Lᵀ y = b from the tips inward.
    for i in (0..model.n_v()).rev() {
        let (diagonal, above) = row(i);
        let y = x[i] * diagonal;
        x[i] = y;
        let mut j = model.dof_parent[i];
        for &l in above.iter().rev() {
            x[j as usize] -= l * y;
            j = model.dof_parent[j as usize];
        }
    }
    // L x = y from the root outward.
    for i in 0..model.n_v() {
        let (diagonal, above) = row(i);
        let mut sum = x[i];
        let mut j = model.dof_parent[i];
        for &l in above.iter().rev() {
            sum -= l * x[j as usize];
            j = model.dof_parent[j as usize];
        }
        x[i] = sum * diagonal;
    }
}
