//! The second derivative of an island's cost, factored along trees and pairs; solves with it.
//!
//! What acts on one body alone is part of its inertia, what acts along a joint part of the joint's. So the articulated-body
//! recursion factors a tree with all its terms, and only paths from bodies whose gains changed to the root are folded
//! again. Lone bodies and terms between bodies come first (`pairs.rs`).

use super::islands::Island;
use super::pairs::Pairs;
use super::rows::Row;
use super::{Convex, combined, giving, smooth};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::{calm, effort_of, hit, pass_in, pass_out, pass_out_among};
use crate::dynamics::joint::factor_again;
use crate::model::{Model, NONE};
use crate::spatial::six;
use crate::spatial::{ArticulatedInertia, Sym3};

/// Gains that changed by less than this share of themselves stay as they were folded: the direction is a little off, by
/// that share per step at most, the point it leads to is not. A fifth saves half of the factors and costs no steps.
const STALE: f64 = 0.2;
/// The same in solves that take long: what zigzags wants exact directions.
const STALE_LATE: f64 = 0.01;
/// Steps from which on a solve takes long.
const LATE: usize = 12;

/// Factors of one tree without any term but its joints' own: for mobilities.
pub(super) fn begin(model: &Model, data: &mut Data, act: &Actuation, convex: &mut Convex, tree: usize) {
    let bodies = model.trees[tree].clone();
    giving::still(model, data, convex, tree);
    data.dynamics.articulated_inertia[bodies.clone()].copy_from_slice(&convex.own[bodies.clone()]);
    convex.pressed[bodies.clone()].fill(ArticulatedInertia::ZERO);
    let runs = convex.giving.of(tree);
    runs.iter().for_each(|run| convex.changed[run.bodies()].fill(true));
    for run in runs.iter().rev() {
        factor_again(model, data, run.bodies(), &convex.extra, &act.prescribed, &convex.changed);
    }
    convex.changed[bodies].fill(false);
}

/// Brings the factors up to the gains at the present velocities, for the `step`-th step of a solve.
pub(super) fn renew(
    model: &Model,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
    step: usize,
) {
    let stale = if step < LATE { STALE } else { STALE_LATE };
    let rows = Island::of(island.rows, &convex.islands.rows);
    let mut is_stale = !convex.pairs.is_planned;
    for &k in rows {
        let row = &mut convex.rows[k as usize];
        if row.is_stale(stale) {
            row.folded = row.gain;
            convex.changed[row.a as usize] = true;
            is_stale = true;
        }
    }
    for &k in Island::of(island.joints, &convex.islands.joints) {
        let row = &mut convex.joints[k as usize];
        if (row.gain - row.folded).abs() > stale * row.gain.max(row.folded) {
            let axes = &data.position.axes[row.body as usize];
            let d = row.in_factor_axes(model, axes);
            let part = &mut convex.extra[row.body as usize][usize::from(row.second)];
            *part += Sym3::outer(d) * (row.gain - row.folded);
            row.folded = row.gain;
            convex.changed[row.body as usize] = true;
            is_stale = true;
        }
    }
    is_stale |= combined::renew(model, data, convex, island);
    if !is_stale {
        return;
    }
    let Convex { pairs, rows, islands, own, extra, pressed, changed, is_lone, .. } = convex;
    let island_rows = Island::of(island.rows, &islands.rows);
    if pairs.is_outdated(rows, island_rows) {
        for &body in pairs.jointed().iter().filter(|_| pairs.is_planned) {
            // What pressed on it may do so no longer.
            if pressed[body as usize] != ArticulatedInertia::ZERO {
                pressed[body as usize] = ArticulatedInertia::ZERO;
                changed[body as usize] = true;
            }
        }
        let trees = Island::of(island.trees, &islands.trees);
        let lone = trees.iter().filter(|&&tree| is_lone[tree as usize]);
        let lone = lone.map(|&tree| model.trees[tree as usize].start as u32);
        pairs.plan(model.n_bodies(), lone, rows, island_rows);
    }
    pairs.assemble(|body| smooth::lone_matrix(own, extra, body as usize), rows, island_rows);
    pairs.eliminate();
    for (body, gain) in pairs.gains() {
        let known = &mut pressed[body as usize];
        if *known != gain {
            *known = gain;
            changed[body as usize] = true;
        }
    }
    fold(model, data, act, convex, island);
    factor_ties(model, data, convex);
}

/// Folds the changed paths of the island's articulated trees.
fn fold(model: &Model, data: &mut Data, act: &Actuation, convex: &mut Convex, island: Island) {
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        if convex.is_lone[tree] {
            continue;
        }
        let mut any = false;
        for i in convex.giving.of(tree).iter().rev().flat_map(|run| run.bodies().rev()) {
            if convex.changed[i] {
                any = true;
                data.dynamics.articulated_inertia[i] = convex.own[i] + convex.pressed[i];
                let parent = model.links[i].parent;
                if parent != NONE {
                    convex.changed[parent as usize] = true;
                }
            }
        }
        convex.is_changed[tree] = any;
    }
    for &k in Island::of(island.rows, &convex.islands.rows) {
        let row: &Row = &convex.rows[k as usize];
        let a = row.a as usize;
        if row.b == NONE && convex.changed[a] && !convex.is_lone[model.tree_of[a] as usize] {
            data.dynamics.articulated_inertia[a] += row.gain_at(row.folded, row.arm_a);
        }
    }
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        let bodies = model.trees[tree].clone();
        if convex.is_changed[tree] {
            for run in convex.giving.of(tree).iter().rev() {
                factor_again(model, data, run.bodies(), &convex.extra, &act.prescribed, &convex.changed);
            }
            convex.is_changed[tree] = false;
        }
        convex.changed[bodies].fill(false);
    }
}

/// The small system of bodies in articulated trees that are tied to each other.
fn factor_ties(model: &Model, data: &mut Data, convex: &mut Convex) {
    let Pairs { ties, .. } = &mut convex.pairs;
    convex.on_paths.clear();
    if ties.rank() == 0 {
        return;
    }
    // Bodies on the way from tied ones to their roots, base to tip.
    let (wanted, paths) = (&mut convex.wanted, &mut convex.on_paths);
    for &body in &ties.bodies {
        let mut at = body;
        while at != NONE && !wanted[at as usize] {
            wanted[at as usize] = true;
            paths.push(at);
            at = model.links[at as usize].parent;
        }
    }
    paths.sort_unstable();
    for &i in paths.iter() {
        wanted[i as usize] = false;
    }
    ties.factorize(|wrenches, effort| {
        calm(data, paths);
        for (body, wrench) in wrenches {
            hit(model, data, body as usize, wrench);
        }
        effort_of(model, data, paths, effort);
    });
}

/// The Newton direction: `-(∇²ℓ)⁻¹∇ℓ` for joints (`convex.dv`) and bodies (`convex.direction`).
pub(super) fn direction(model: &Model, data: &mut Data, convex: &mut Convex, island: Island) {
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        for run in convex.giving.of(tree) {
            convex.force[run.bodies()].iter_mut().for_each(|f| *f = -*f);
            convex.joint_force[run.freedoms()].iter_mut().for_each(|f| *f = -*f);
        }
    }
    solve_with(model, data, convex, island);
    combined::correct(model, data, convex, island);
}

/// What `convex.force` and `convex.joint_force`, which are used up, come to by the factors: `convex.dv` and `convex.direction`.
pub(super) fn solve_with(model: &Model, data: &mut Data, convex: &mut Convex, island: Island) {
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        if convex.is_lone[tree] {
            let i = model.trees[tree].start;
            convex.force[i] = smooth::lone_force(model, data, convex, i);
        }
    }
    let Convex { pairs, islands, giving, force, joint_force, direction, dv, is_lone, on_paths, .. } = convex;
    let trees = Island::of(island.trees, &islands.trees);
    let jointed = || trees.iter().map(|&tree| tree as usize).filter(|&tree| !is_lone[tree]);
    pairs.forward(force);
    for tree in jointed() {
        let runs = giving.of(tree);
        for bodies in runs.iter().map(|run| run.bodies()) {
            data.dynamics.impulse[bodies.clone()].copy_from_slice(&force[bodies]);
        }
        runs.iter().rev().for_each(|run| pass_in(model, data, run.bodies(), joint_force));
    }
    if pairs.ties.rank() > 0 {
        // (1) of `ties.rs`: what the trees alone would do at the tied bodies, and what the ties answer.
        pass_out_among(model, data, on_paths, joint_force);
        for (body, push) in pairs.ties.react(&data.dynamics.response) {
            hit(model, data, body as usize, push);
        }
    }
    for bodies in jointed().flat_map(|tree| giving.of(tree)).map(|run| run.bodies()) {
        pass_out(model, data, bodies.clone(), joint_force, dv);
        direction[bodies.clone()].copy_from_slice(&data.dynamics.response[bodies]);
    }
    pairs.backward(direction);
    for tree in trees.iter().map(|&tree| tree as usize).filter(|&tree| is_lone[tree]) {
        let i = model.trees[tree].start;
        smooth::write_lone(model, data, i, direction[i], dv);
    }
}

/// A lone body's mobility needs its factored matrix; it is small enough to do by itself.
pub(super) fn lone_mobility(convex: &Convex, body: usize) -> super::mobility::Mobility {
    let mut matrix = smooth::lone_matrix(&convex.own, &convex.extra, body);
    six::factorize(&mut matrix);
    super::mobility::Mobility::from_columns(|f| {
        let mut x = f.to_array();
        six::solve(&matrix, &mut x);
        super::pairs::to_motion(&x)
    })
}
