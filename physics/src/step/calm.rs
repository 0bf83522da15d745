//! Rigid rows of contacts and limits that make energy ask for rest, or do less.
//!
//! What an island's contacts and limits give is what the step has more by them than it would have without, all other rows doing what they do:
//!
//! ```text
//! (1)  w = x_c·(u' + u⁺)/2 = x_c·u' + ½ x_cᵀA x_c  ≤  share of T,     u' = u⁺ without x_c
//! ```
//!
//! It is looked at once the rows are solved. (Against the velocities the step begins with, what muscles and springs do in the step would count as
//! given by the contacts they press on, and feet that push off would lose their ground.) Where (1) does not hold, rows that ask for more than rest
//! (bounce, push-out, a joint beyond its limit) ask for rest, and all are solved again. An exact answer then only takes energy: `x_c·u⁺ ≤ 0`. Sweeps that
//! ran out of rounds, or limits and contacts that contradict each other, have none. So what is still too much is taken off: all impulses `x_c` of the
//! island's contacts and limits are multiplied by the largest `s` with
//!
//! ```text
//! (2)  w(s) = s x_c·u' + ½ s² x_cᵀA x_c  ≤  share of T
//! ```
//!
//! which stays within all bounds and cones. Impulses so large that rounding is all that is left of such sums show by what they change: those that
//! only take energy, `x·(u' + u⁺) ≤ 0`, change velocities by `Δ` with
//!
//! ```text
//! (3)  ½ ΔᵀMΔ = ½ xᵀA x ≤ -x·u' ≤ |Δ|_M |v'|_M,   so  ½ ΔᵀMΔ ≤ 4 T'
//! ```
//!
//! with `T'` the energy of the step without them. Where pins, motors and other rows act as well (3) says nothing.

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows};
use crate::convex::calm::{SHARE, energy_at, energy_of};
use crate::data::Data;
use crate::model::Model;

/// What they may give of the energy of a fall over one step: at rest, where there is next to no other.
const SHARE_OF_FALL: f64 = 0.01;

/// (3), with as much again for what is pushed out.
const MOST_CHANGE: f64 = 8.0;

/// Whether a row's energy is looked at.
fn counts(cause: Cause) -> bool {
    matches!(cause, Cause::Contact | Cause::Limit)
}

/// `u'` of all rows.
fn find_rates_without(model: &Model, data: &mut Data, rows: &mut Rows) {
    let mut without = core::mem::take(&mut rows.without);
    without.clear();
    let others = |(spec, &x): (&RowSpec, &f64)| !counts(spec.cause) && x != 0.0;
    if rows.specs.iter().zip(&rows.x).any(others) {
        let mut all = core::mem::take(&mut rows.spare_x);
        all.clone_from(&rows.x);
        for k in 0..rows.specs.len() {
            if counts(rows.specs[k].cause) {
                rows.x[k] = 0.0;
            }
        }
        rows.reapply(model, data);
        without.extend((0..rows.specs.len()).map(|k| rows.rate_after(k)));
        rows.x.clone_from(&all);
        rows.reapply(model, data);
        rows.spare_x = all;
    } else {
        without.extend((0..rows.specs.len()).map(|k| rows.rate_before(k)));
    }
    rows.without = without;
}

/// By island (the number of its first tree): what contacts and limits gave, less what they may give, J.
fn surplus(model: &Model, data: &mut Data, opt: &StepOptions, rows: &mut Rows, out: &mut Vec<f64>) {
    find_rates_without(model, data, rows);
    out.clear();
    out.resize(model.trees.len(), 0.0);
    let mut pushed = core::mem::take(&mut rows.pushed_out);
    pushed.clear();
    pushed.resize(model.trees.len(), 0.0);
    for (k, spec) in rows.specs.iter().enumerate() {
        let x = rows.x[k];
        if x == 0.0 || !counts(spec.cause) {
            continue;
        }
        let (mobility, island) = (rows.mobility(k), rows.island_of(k));
        out[island] += 0.5 * x * (rows.without[k] + rows.rate_after(k));
        if spec.target > 0.0 && mobility > 0.0 {
            let speed = spec.target.min(opt.max_correction_speed);
            pushed[island] += 0.5 * speed * speed / mobility;
        }
    }
    let (fall, out_speed) = (model.gravity.length() * opt.dt, opt.max_correction_speed);
    for (tree, bodies) in model.trees.iter().enumerate() {
        let island = rows.island_of_tree(tree);
        if rows.touched[tree] && out[island] > 0.0 {
            let mass: f64 = bodies.clone().map(|i| model.links[i].inertia.mass).sum();
            let energy: f64 = bodies.clone().map(|i| energy_of(model, data, i)).sum();
            // What overlaps is meant to be pushed out, if only once however many points it has.
            let out_of = pushed[island].min(0.5 * mass * out_speed * out_speed);
            pushed[island] -= out_of;
            out[island] -= SHARE * opt.dt * energy + SHARE_OF_FALL * 0.5 * mass * fall * fall + out_of;
        }
    }
    // (3)
    let mut changed = core::mem::take(&mut rows.own);
    changed.clear();
    changed.resize(model.trees.len(), [0.0; 2]);
    for (tree, bodies) in model.trees.iter().enumerate().filter(|(tree, _)| rows.touched[*tree]) {
        let [change, most] = &mut changed[rows.island_of_tree(tree)];
        for i in bodies.clone() {
            let mass = model.links[i].inertia.mass;
            *change += energy_at(model, data, i, rows.body_change[i]);
            *most += energy_at(model, data, i, data.step.next_body[i])
                + 0.5 * mass * (out_speed * out_speed + fall * fall);
        }
    }
    for (k, _) in rows.specs.iter().enumerate().filter(|(_, spec)| !counts(spec.cause)) {
        changed[rows.island_of(k)][1] = f64::INFINITY;
    }
    for (over, [change, most]) in out.iter_mut().zip(&changed) {
        if *change > MOST_CHANGE * most {
            *over = f64::INFINITY;
        }
    }
    rows.own = changed;
    rows.pushed_out = pushed;
}

/// Lets rows of islands that break (1) ask for rest; whether any did not.
pub(super) fn calm(model: &Model, data: &mut Data, opt: &StepOptions, rows: &mut Rows) -> bool {
    let mut over = core::mem::take(&mut rows.surplus);
    surplus(model, data, opt, rows, &mut over);
    let mut any = false;
    for k in 0..rows.specs.len() {
        let spec = &rows.specs[k];
        if counts(spec.cause) && spec.target > 0.0 && over[rows.island_of(k)] > 0.0 {
            rows.rewrite(k, 0.0, rows.specs[k].compliance);
            any = true;
        }
    }
    rows.surplus = over;
    any
}

/// Takes off what breaks (1) all the same, by (2).
pub(super) fn scale(model: &Model, data: &mut Data, opt: &StepOptions, rows: &mut Rows) {
    let mut over = core::mem::take(&mut rows.surplus);
    surplus(model, data, opt, rows, &mut over);
    if over.iter().any(|&over| over.is_nan() || over > 0.0) {
        // x_cᵀA x_c, and what they gave.
        let mut own = core::mem::take(&mut rows.own);
        own.clear();
        own.resize(over.len(), [0.0; 2]);
        for k in (0..rows.specs.len()).filter(|&k| counts(rows.specs[k].cause)) {
            let [square, gave] = &mut own[rows.island_of(k)];
            let (x, without, after) = (rows.x[k], rows.without[k], rows.rate_after(k));
            *square += x * (after - without);
            *gave += 0.5 * x * (without + after);
        }
        for k in 0..rows.specs.len() {
            let island = rows.island_of(k);
            let ([square, gave], over) = (own[island], over[island]);
            if over > 0.0 && counts(rows.specs[k].cause) && square > 0.0 {
                // w(s) = s b + ½ s² a, with w(1) = gave.
                let (slope, allowed) = (gave - 0.5 * square, (gave - over).max(0.0));
                let s = ((slope * slope + 2.0 * square * allowed).sqrt() - slope) / square;
                rows.x[k] *= s.clamp(0.0, 1.0);
            }
        }
        rows.reapply(model, data);
        rows.own = own;
        // Impulses so large that rounding is all that is left of (2).
        surplus(model, data, opt, rows, &mut over);
        if over.iter().any(|&over| over.is_nan() || over > 0.0) {
            for k in 0..rows.specs.len() {
                let over = over[rows.island_of(k)];
                if counts(rows.specs[k].cause) && (over.is_nan() || over > 0.0) {
                    rows.x[k] = 0.0;
                }
            }
            rows.reapply(model, data);
        }
    }
    rows.surplus = over;
}
