//! Contacts as rigid rows of the LCP formulations.
//!
//! Each contact has a normal row and two tangent rows whose bounds follow it, in this order; rolling and
//! turning resistance add three more.

use glam::DVec3;

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows, force_hit, moment_hit};
use crate::contact::{Contact, Phase};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;

/// Adds the rows of contact `index`; returns the first, the normal's.
pub(crate) fn push_rows(model: &Model, data: &Data, index: usize, opt: &StepOptions, rows: &mut Rows) -> u32 {
    let contact = data.contact.points[index];
    let [first, second] = tangents(model, &contact, opt);
    let hits = |direction: DVec3| {
        let a = force_hit(data, contact.a(), direction, contact.point);
        let b = contact.b().map(|b| force_hit(data, b, -direction, contact.point));
        [Some(a), b]
    };
    let spec = |hits: [Option<Hit>; 2], target: f64| RowSpec {
        target,
        tag: index as u32,
        hits,
        ..RowSpec::new(Cause::Contact, hits[0].expect("body A is always there"))
    };
    // Impulses of the last step, turned into the present tangents.
    let last = contact.force * opt.dt;
    let normal = rows.push(
        model,
        RowSpec {
            lower: 0.0,
            guess: last.dot(contact.normal).max(0.0),
            ..spec(hits(contact.normal), rigid_normal(&contact, opt))
        },
    );
    let mu = contact.law.material.friction;
    for tangent in [first, second] {
        let row =
            RowSpec { friction: Some((normal, mu)), guess: last.dot(tangent), ..spec(hits(tangent), 0.0) };
        rows.push(model, row);
    }
    let m = contact.law.material;
    if m.rolling > 0.0 || m.torsional > 0.0 {
        let turning = |direction: DVec3| {
            [Some(moment_hit(contact.a(), direction)), contact.b().map(|b| moment_hit(b, -direction))]
        };
        for (direction, length) in [(first, m.rolling), (second, m.rolling), (contact.normal, m.torsional)] {
            let row = RowSpec { friction: Some((normal, length)), ..spec(turning(direction), 0.0) };
            rows.push(model, row);
        }
    }
    normal
}

/// Where the two tangents point: the first the way the point slides, or would by its weight. Pivoting bounds each tangent by itself, a square
/// about the cone whose corners hold what should slide.
fn tangents(model: &Model, contact: &Contact, opt: &StepOptions) -> [DVec3; 2] {
    let falls = if contact.b().is_some() { DVec3::ZERO } else { model.gravity * opt.dt };
    contact.tangents(contact.velocity + falls)
}

/// Velocity a rigid contact must part with at least.
fn rigid_normal(contact: &Contact, opt: &StepOptions) -> f64 {
    let approach = -contact.normal.dot(contact.velocity);
    // A gap may close within the step, an overlap is worked off slowly.
    let push_out = if contact.depth < 0.0 {
        contact.depth / opt.dt
    } else {
        ((contact.depth - opt.slop).max(0.0) * opt.correction / opt.dt).min(opt.max_correction_speed)
    };
    let touches = contact.depth + opt.dt * approach >= 0.0;
    let bounce = if touches && approach > opt.restitution_threshold {
        contact.law.material.restitution * approach
    } else {
        0.0
    };
    if bounce > 0.0 { bounce.max(push_out) } else { push_out }
}

/// Reads forces back from the solved rows.
pub(crate) fn read_back(model: &Model, data: &mut Data, opt: &StepOptions) {
    for index in 0..data.contact.points.len() {
        let contact = &mut data.contact.points[index];
        if contact.row == u32::MAX {
            continue;
        }
        let row = contact.row as usize;
        let x = &data.step.rows.x[row..row + 3];
        let [first, second] = tangents(model, contact, opt);
        contact.force = (contact.normal * x[0] + first * x[1] + second * x[2]) * (1.0 / opt.dt);
        let sideways = x[1].hypot(x[2]);
        let limit = contact.law.material.friction * x[0];
        contact.phase = if x[0] <= 0.0 {
            Phase::Open
        } else if sideways >= limit * (1.0 - 1e-6) {
            Phase::Slip
        } else {
            Phase::Stick
        };
    }
}
