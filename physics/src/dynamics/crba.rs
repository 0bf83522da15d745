//! Joint-space inertia by the composite-rigid-body algorithm (RBDA table 6.2).
//!
//! ```text
//! inward   (1)  I_c,i = I_i + Σ_children I_c shifted
//! outward  (2)  F_i = I_c,i S_i,   H_ii = S_iᵀ F_i,   H_ij = S_jᵀ F_i for every j above i
//! ```
//!
//! In the entries `H_ij` both factors are taken at one point per tree, the root's origin, in world axes,
//! where a force needs no change on its way to the root: an entry costs one dot product of six numbers.
//! The diagonal blocks are taken at the body's own origin, which keeps their precision in long chains.
//!
//! Bodies are sorted depth first, so during the outward pass the motion subspaces of the freedoms above
//! the present body can lie in one array, by depth, without ever being moved: whatever is at a smaller
//! depth belongs to an ancestor. The array has the order of a row of `H` and goes two freedoms at a time,
//! the width of the vector registers every x86-64 and aarch64 machine has.

use glam::{DMat3, DVec3};

use super::kinematics::forward_kinematics;
use crate::data::{Composite, Data, MassMatrix, Path};
use crate::model::{Freedom, JointKind, Model, NONE};
use crate::spatial::{Inertia, Sym3};
use crate::state::State;

/// Fills `data.mass_matrix` with `H(q)`, armature included.
pub fn crba(model: &Model, state: &State, data: &mut Data) {
    forward_kinematics(model, state, data);
    crba_at(model, data);
}

/// [`crba`] for poses already in `data.position`.
pub(crate) fn crba_at(model: &Model, data: &mut Data) {
    compose(model, data);
    let n = model.links.len();
    let (poses, axes) = (&data.position.world_from_body[..n], &data.position.axes[..n]);
    let MassMatrix { rows, composite, path, .. } = &mut data.mass_matrix;
    let composite = &composite[..n];
    const O: DVec3 = DVec3::ZERO;
    for tree in &model.trees {
        let base = poses[tree.start].translation;
        let floating = model.links[tree.start].kind == JointKind::Free;
        let root = {
            let s = &axes[tree.start];
            lanes([s.x_axis, s.y_axis, s.z_axis, O])
        };
        for i in tree.clone() {
            let link = &model.links[i];
            let joint = Joint {
                inertia: &composite[i],
                arm: poses[i].translation - base,
                armature: if link.armature { &model.bodies[i].joint.armature } else { &[] },
                row_start: &model.row_start[link.v as usize..],
                root: (floating && i != tree.start).then_some(&root),
            };
            let (x, y, z) = (axes[i].x_axis, axes[i].y_axis, axes[i].z_axis);
            match link.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } => joint.turning::<1, 1>(lanes([x]), path, rows),
                JointKind::Universal { .. } => joint.turning::<2, 2>(lanes([x, y]), path, rows),
                JointKind::Spherical => {
                    joint.turning::<3, 4>(lanes([x, y, z, O]), path, rows);
                }
                JointKind::Prismatic { .. } => {
                    joint.general::<1, 1>(lanes([O]), lanes([x]), path, rows);
                }
                JointKind::Planar => {
                    let turns = lanes([O, O, z, O]);
                    joint.general::<3, 4>(turns, lanes([x, y, O, O]), path, rows);
                }
                JointKind::Free => {
                    let turns = lanes([O, O, O, x, y, z]);
                    let slides = lanes([x, y, z, O, O, O]);
                    joint.general::<6, 6>(turns, slides, path, rows);
                }
            }
        }
    }
}

/// (1): composite inertias of all subtrees, at their roots' origins.
#[inline(never)]
fn compose(model: &Model, data: &mut Data) {
    let n = model.links.len();
    let (poses, offsets) = (&data.position.world_from_body[..n], &data.position.offset[..n]);
    let composite = &mut data.mass_matrix.composite[..n];
    composite.fill(Composite::default());
    // What the body after hands to this one: most bodies are the parent of their successor, and through
    // memory each would have to wait for the other.
    let mut carried = Composite::default();
    for (i, link) in model.links.iter().enumerate().rev() {
        let own = Composite::of(&link.inertia, &poses[i].rotation).plus(&composite[i]).plus(&carried);
        composite[i] = own;
        carried = Composite::default();
        if link.parent != NONE {
            let shifted = own.seen_from(offsets[i]);
            let p = link.parent as usize;
            if p + 1 == i {
                carried = shifted;
            } else {
                composite[p] = composite[p].plus(&shifted);
            }
        }
    }
}

/// A vector for each freedom of a joint, component by component: one freedom per lane. Joints of three
/// freedoms have a fourth lane that nobody reads, because registers hold two.
type Lanes<const W: usize> = [[f64; W]; 3];

/// One vector per lane.
#[inline(always)]
fn lanes<const W: usize>(v: [DVec3; W]) -> Lanes<W> {
    let mut out = [[0.0; W]; 3];
    for k in 0..W {
        (out[0][k], out[1][k], out[2][k]) = (v[k].x, v[k].y, v[k].z);
    }
    out
}

/// `a · v` in every lane.
#[inline(always)]
fn dot<const W: usize>(a: &Lanes<W>, v: DVec3) -> [f64; W] {
    let mut out = [0.0; W];
    for k in 0..W {
        out[k] = a[0][k] * v.x + a[1][k] * v.y + a[2][k] * v.z;
    }
    out
}

/// `v × a` in every lane.
#[inline(always)]
fn cross<const W: usize>(v: DVec3, a: &Lanes<W>) -> Lanes<W> {
    let mut out = [[0.0; W]; 3];
    for k in 0..W {
        out[0][k] = v.y * a[2][k] - v.z * a[1][k];
    }
    for k in 0..W {
        out[1][k] = v.z * a[0][k] - v.x * a[2][k];
    }
    for k in 0..W {
        out[2][k] = v.x * a[1][k] - v.y * a[0][k];
    }
    out
}

#[inline(always)]
fn add<const W: usize>(mut a: Lanes<W>, b: &Lanes<W>) -> Lanes<W> {
    for c in 0..3 {
        for k in 0..W {
            a[c][k] += b[c][k];
        }
    }
    a
}

/// `a · b` of lane `j` of `a` with every lane of `b`.
#[inline(always)]
fn dot_with_lane<const W: usize>(a: &Lanes<W>, j: usize, b: &Lanes<W>) -> [f64; W] {
    dot(b, DVec3::new(a[0][j], a[1][j], a[2][j]))
}

/// What one body of the outward pass works with.
struct Joint<'a> {
    inertia: &'a Composite,
    /// From the tree's reference point to the body's origin.
    arm: DVec3,
    /// Empty if there is none.
    armature: &'a [f64],
    /// Starts of the joint's rows and of the one after them.
    row_start: &'a [usize],
    /// The axes of the free joint at the root of the tree, if there is one and it is not this one.
    root: Option<&'a Lanes<4>>,
}

impl Joint<'_> {
    /// (2) for a joint that only turns, about the axes `s`.
    #[inline(always)]
    fn turning<const K: usize, const W: usize>(&self, s: Lanes<W>, path: &mut Path, rows: &mut [f64]) {
        let body = self.inertia;
        let r = body.rotational();
        let n = [dot(&s, r.x_axis), dot(&s, r.y_axis), dot(&s, r.z_axis)];
        let f = cross(-body.moment(), &s);
        let mut block = [[0.0; W]; K];
        for j in 0..K {
            block[j] = dot_with_lane(&s, j, &n);
        }
        self.write(&s, &cross(self.arm, &s), &n, &f, &block, path, rows);
    }

    /// (2) for a joint that turns about the axes `s` and slides along the axes `t`.
    #[inline(always)]
    fn general<const K: usize, const W: usize>(
        &self,
        s: Lanes<W>,
        t: Lanes<W>,
        path: &mut Path,
        rows: &mut [f64],
    ) {
        let body = self.inertia;
        let (r, m) = (body.rotational(), body.mass());
        let turn = [dot(&s, r.x_axis), dot(&s, r.y_axis), dot(&s, r.z_axis)];
        let push = [dot(&t, DVec3::X * m), dot(&t, DVec3::Y * m), dot(&t, DVec3::Z * m)];
        let n = add(turn, &cross(body.moment(), &t));
        let f = add(push, &cross(-body.moment(), &s));
        let mut block = [[0.0; W]; K];
        for j in 0..K {
            let (turning, sliding) = (dot_with_lane(&s, j, &n), dot_with_lane(&t, j, &f));
            for k in 0..W {
                block[j][k] = turning[k] + sliding[k];
            }
        }
        self.write(&s, &add(cross(self.arm, &s), &t), &n, &f, &block, path, rows);
    }

    /// Writes the joint's rows, given its motion subspace `s`, `t` at the reference point, the forces
    /// `n`, `f` at the body's origin and its own block; adds the subspace to the path.
    #[inline(always)]
    fn write<const K: usize, const W: usize>(
        &self,
        s: &Lanes<W>,
        t: &Lanes<W>,
        n: &Lanes<W>,
        f: &Lanes<W>,
        block: &[[f64; W]; K],
        path: &mut Path,
        rows: &mut [f64],
    ) {
        let above = self.row_start[1] - self.row_start[0] - 1;
        let rows = &mut rows[self.row_start[0]..self.row_start[K]];
        path.push(above, s, t);
        if above > 0 {
            let n = add(cross(self.arm, f), n);
            let (path, stride) = (&path.numbers[..], path.stride);
            let mut left = &mut rows[..];
            let mut next = |k: usize| {
                let (row, rest) = core::mem::take(&mut left).split_at_mut(above + 1 + k);
                left = rest;
                row
            };
            let mut k = 0;
            while k + 3 <= K {
                let forces = [force(&n, f, k), force(&n, f, k + 1), force(&n, f, k + 2)];
                climb_three(next(k), next(k + 1), next(k + 2), path, stride, above, &forces, self.root);
                k += 3;
            }
            while k < K {
                climb(next(k), path, stride, above, &force(&n, f, k), self.root);
                k += 1;
            }
        }
        for k in 0..K {
            let own = &mut rows[k * above + k * (k + 1) / 2 + above..][..=k];
            for j in 0..=k {
                own[j] = block[j][k];
            }
            if let Some(armature) = self.armature.get(k) {
                own[k] += armature;
            }
        }
    }
}

impl Path {
    /// Puts a joint's motion subspace below the `above` freedoms there are.
    #[inline(always)]
    fn push<const W: usize>(&mut self, above: usize, s: &Lanes<W>, t: &Lanes<W>) {
        for c in 0..3 {
            self.numbers[c * self.stride + above..][..W].copy_from_slice(&s[c]);
            self.numbers[(c + 3) * self.stride + above..][..W].copy_from_slice(&t[c]);
        }
    }
}

/// The force of one freedom at the reference point, moment first.
#[inline(always)]
fn force<const W: usize>(n: &Lanes<W>, f: &Lanes<W>, k: usize) -> [f64; 6] {
    [n[0][k], n[1][k], n[2][k], f[0][k], f[1][k], f[2][k]]
}

/// The first six entries of a row below a free root, whose columns at the reference point are its axes
/// alone. Spoils the seventh number of the row.
#[inline(always)]
fn root_entries(row: &mut [f64], root: &Lanes<4>, f: &[f64; 6]) {
    row[..4].copy_from_slice(&dot(root, DVec3::new(f[3], f[4], f[5])));
    row[3..7].copy_from_slice(&dot(root, DVec3::new(f[0], f[1], f[2])));
}

/// The six components of the path from freedom `from` on.
#[inline(always)]
fn components(path: &[f64], stride: usize, from: usize, count: usize) -> [&[f64]; 6] {
    core::array::from_fn(|c| &path[c * stride + from..][..count])
}

#[inline(always)]
fn dot6(c: &[&[f64]; 6], t: usize, f: &[f64; 6]) -> f64 {
    (c[0][t] * f[0] + c[1][t] * f[1]) + (c[2][t] * f[2] + c[3][t] * f[3]) + (c[4][t] * f[4] + c[5][t] * f[5])
}

/// `S_jᵀ f` for the `above` freedoms of the path. With an odd number of them the number after the last
/// is spoilt: it belongs to the joint's own block, written afterwards.
///
/// A function of its own because the compiler takes references as disjoint only at such borders.
#[inline(never)]
fn climb(row: &mut [f64], path: &[f64], stride: usize, above: usize, f: &[f64; 6], root: Option<&Lanes<4>>) {
    let mut known = 0;
    if let Some(root) = root {
        root_entries(row, root, f);
        known = 6;
    }
    let count = 2 * (above - known).div_ceil(2);
    let c = components(path, stride, known, count);
    let row = &mut row[known..][..count];
    for t in 0..count {
        row[t] = dot6(&c, t, f);
    }
}

/// [`climb`] for three rows at once, which read the path once.
#[inline(never)]
fn climb_three(
    a: &mut [f64],
    b: &mut [f64],
    c: &mut [f64],
    path: &[f64],
    stride: usize,
    above: usize,
    f: &[[f64; 6]; 3],
    root: Option<&Lanes<4>>,
) {
    let mut known = 0;
    if let Some(root) = root {
        root_entries(a, root, &f[0]);
        root_entries(b, root, &f[1]);
        root_entries(c, root, &f[2]);
        known = 6;
    }
    let count = 2 * (above - known).div_ceil(2);
    let s = components(path, stride, known, count);
    let (a, b, c) = (&mut a[known..][..count], &mut b[known..][..count], &mut c[known..][..count]);
    for t in 0..count {
        a[t] = dot6(&s, t, &f[0]);
        b[t] = dot6(&s, t, &f[1]);
        c[t] = dot6(&s, t, &f[2]);
    }
}

impl Composite {
    /// One body alone, in world axes.
    #[inline(always)]
    fn of(inertia: &Inertia, rotation: &DMat3) -> Self {
        let (m, c) = (inertia.mass, *rotation * inertia.center_of_mass);
        let i = inertia.rotational.rotated(rotation) + Sym3::point_inertia(c) * m;
        Self([i.xx, i.yy, i.zz, i.xy, i.xz, i.yz, c.x * m, c.y * m, c.z * m, m])
    }

    #[inline(always)]
    fn mass(&self) -> f64 {
        self.0[9]
    }

    #[inline(always)]
    fn moment(&self) -> DVec3 {
        DVec3::new(self.0[6], self.0[7], self.0[8])
    }

    #[inline(always)]
    fn rotational(&self) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz, ..] = self.0;
        Sym3::new(xx, yy, zz, xy, xz, yz).to_mat3()
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        for k in 0..10 {
            sum.0[k] += other.0[k];
        }
        sum
    }

    /// The same about a point from which the present origin lies `r` away.
    #[inline(always)]
    fn seen_from(&self, r: DVec3) -> Self {
        // I' = I + (2 r·h 1 - h rᵀ - r hᵀ) + m (r·r 1 - r rᵀ), with h the first moment.
        let m = self.mass();
        let h = self.moment() + 0.5 * m * r;
        let (x, y, z) = (2.0 * r.x * h.x, 2.0 * r.y * h.y, 2.0 * r.z * h.z);
        self.plus(&Self([
            y + z,
            x + z,
            x + y,
            -(r.x * h.y + r.y * h.x),
            -(r.x * h.z + r.z * h.x),
            -(r.y * h.z + r.z * h.y),
            r.x * m,
            r.y * m,
            r.z * m,
            0.0,
        ]))
    }
}

impl MassMatrix {
    /// Row of a freedom: the entries of the freedoms above it from the root on, then its own.
    pub fn row<'a>(&'a self, model: &Model, freedom: Freedom) -> &'a [f64] {
        self.row_of(model, freedom.index())
    }

    pub(crate) fn row_of<'a>(&'a self, model: &Model, dof: usize) -> &'a [f64] {
        &self.rows[model.row_start[dof]..model.row_start[dof + 1]]
    }

    /// The whole symmetric matrix, row by row, into `out` (`n_v²` numbers).
    pub fn write_dense(&self, model: &Model, out: &mut [f64]) {
        let n = model.n_v();
        out.fill(0.0);
        for i in 0..n {
            let mut j = i as u32;
            for &value in self.row_of(model, i).iter().rev() {
                out[i * n + j as usize] = value;
                out[j as usize * n + i] = value;
                j = model.dof_parent[j as usize];
            }
        }
    }
}
