//! An island of one lone body, as most are: its second derivative is six by six, and there is nothing to eliminate.

use super::islands::Island;
use super::pairs::to_motion;
use super::{Convex, smooth};
use crate::data::Data;
use crate::model::Model;
use crate::spatial::six;

/// The body of an island that is one lone body and has terms with the world only.
pub(super) fn body(model: &Model, convex: &Convex, island: Island) -> Option<usize> {
    let [tree] = Island::of(island.trees, &convex.islands.trees) else { return None };
    let is_empty = |(first, end): (u32, u32)| first == end;
    let is_alone = convex.is_lone[*tree as usize] && is_empty(island.joints) && is_empty(island.combined);
    is_alone.then(|| model.trees[*tree as usize].start)
}

/// The Newton direction (2) of `newton.rs`, with all gains as they are now.
pub(super) fn direction(model: &Model, data: &Data, convex: &mut Convex, island: Island, body: usize) {
    let mut inertia = smooth::lone_inertia(&convex.own, &convex.extra, body);
    for &k in Island::of(island.rows, &convex.islands.rows) {
        let row = &convex.rows[k as usize];
        if row.gain.trace() > 0.0 {
            inertia += row.gain_at(row.gain, row.arm_a);
        }
    }
    let mut matrix = inertia.to_dense();
    six::factorize(&mut matrix);
    let mut x = (-smooth::lone_force(model, data, convex, body)).to_array();
    six::solve(&matrix, &mut x);
    let motion = to_motion(&x);
    convex.direction[body] = motion;
    smooth::write_lone(model, data, body, motion, &mut convex.dv);
}
