//! Sparse factorisation `H = LᵀL` of the joint-space inertia and solves with it (RBDA 6.5).
//!
//! Freedoms on different branches do not meet in `H`, and eliminating from the tips inward keeps it so:
//! `L` has the layout of `H`. Cost: O(n d²) to factorise, O(n d) to solve, `d` the depth of the tree.

use crate::data::{Data, MassMatrix};
use crate::model::Model;

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
