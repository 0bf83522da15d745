//! Contacts as rows: compliant ones between moving bodies, rigid ones in the LCP formulations.
//!
//! Each contact has a normal row and two tangent rows whose bounds follow it, in this order; rolling and
//! turning resistance add three more. A compliant contact is the same spring-damper and stiction anchor
//! the implicit terms use, so that a stack behaves alike on the ground and on another box.

use glam::DVec3;

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows, force_hit, moment_hit};
use crate::contact::{Contact, Phase};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;

/// Tangential stiffness and damping of compliant contacts relative to the normal ones.
const TANGENT: f64 = 0.8;

/// Adds the rows of contact `index`; returns the first, the normal's.
pub(crate) fn push_rows(model: &Model, data: &Data, index: usize, opt: &StepOptions, rows: &mut Rows) -> u32 {
    let contact = data.contact.points[index];
    let rigid = opt.formulation.is_rigid();
    let [first, second] = contact.tangents(contact.velocity);
    let hits = |direction: DVec3| {
        let a = force_hit(data, contact.body_a, direction, contact.point);
        let b = contact.body_b.map(|b| force_hit(data, b, -direction, contact.point));
        [Some(a), b]
    };
    let spec = |hits: [Option<Hit>; 2], target: f64, compliance: f64| RowSpec {
        target,
        compliance,
        tag: index as u32,
        hits,
        ..RowSpec::new(Cause::Contact, hits[0].expect("body A is always there"))
    };
    let (target, compliance) = if rigid { rigid_normal(&contact, opt) } else { soft_normal(&contact, opt) };
    // Impulses of the last step, turned into the present tangents.
    let last = contact.force * opt.dt;
    let normal = rows.push(
        model,
        RowSpec {
            lower: 0.0,
            guess: last.dot(contact.normal).max(0.0),
            ..spec(hits(contact.normal), target, compliance)
        },
    );
    let mu = contact.material.friction;
    let (stretch, softness) = if rigid { (DVec3::ZERO, 0.0) } else { soft_tangent(&contact, opt) };
    for tangent in [first, second] {
        let row = RowSpec {
            friction: Some((normal, mu)),
            guess: last.dot(tangent),
            ..spec(hits(tangent), stretch.dot(tangent), softness)
        };
        rows.push(model, row);
    }
    let m = contact.material;
    if m.rolling > 0.0 || m.torsional > 0.0 {
        let turning = |direction: DVec3| {
            [Some(moment_hit(contact.body_a, direction)), contact.body_b.map(|b| moment_hit(b, -direction))]
        };
        for (direction, length) in [(first, m.rolling), (second, m.rolling), (contact.normal, m.torsional)] {
            let row = RowSpec { friction: Some((normal, length)), ..spec(turning(direction), 0.0, 0.0) };
            rows.push(model, row);
        }
    }
    normal
}

/// Velocity a rigid contact must part with at least.
fn rigid_normal(contact: &Contact, opt: &StepOptions) -> (f64, f64) {
    let approach = -contact.normal.dot(contact.velocity);
    // A gap may close within the step, an overlap is worked off slowly.
    let push_out = if contact.depth < 0.0 {
        contact.depth / opt.dt
    } else {
        ((contact.depth - opt.slop).max(0.0) * opt.correction / opt.dt).min(opt.max_correction_speed)
    };
    let touches = contact.depth + opt.dt * approach >= 0.0;
    let bounce = if touches && approach > opt.restitution_threshold {
        contact.material.restitution * approach
    } else {
        0.0
    };
    (if bounce > 0.0 { bounce.max(push_out) } else { push_out }, 0.0)
}

fn soft_normal(contact: &Contact, opt: &StepOptions) -> (f64, f64) {
    let damping = if contact.depth > 0.0 { contact.damping } else { 0.0 };
    let gain = contact.foresight * opt.dt * contact.stiffness + damping;
    // A spring without foresight or damper is a known force; the row keeps a trace of softness to be one.
    let gain = gain.max(1e-3 * opt.dt * contact.stiffness);
    (contact.stiffness * contact.pressed / gain, 1.0 / (opt.dt * gain))
}

/// Velocity that would undo the stretch, and the softness of the tangent rows.
fn soft_tangent(contact: &Contact, opt: &StepOptions) -> (DVec3, f64) {
    let stiffness = TANGENT * contact.stiffness;
    let gain = opt.dt * stiffness + TANGENT * contact.damping;
    (contact.stretch * (-stiffness / gain), 1.0 / (opt.dt * gain))
}

/// Reads forces back from the solved rows and moves the stiction anchors on.
pub(crate) fn read_back(data: &mut Data, opt: &StepOptions) {
    for index in 0..data.contact.points.len() {
        let contact = &mut data.contact.points[index];
        if contact.row == u32::MAX {
            continue;
        }
        let row = contact.row as usize;
        let x = &data.step.rows.x[row..row + 3];
        let [first, second] = contact.tangents(contact.velocity);
        contact.impulse = [x[0], x[1], x[2]];
        contact.force = (contact.normal * x[0] + first * x[1] + second * x[2]) * (1.0 / opt.dt);
        let sideways = x[1].hypot(x[2]);
        let limit = contact.material.friction * x[0];
        contact.phase = if x[0] <= 0.0 {
            Phase::Open
        } else if sideways >= limit * (1.0 - 1e-6) {
            Phase::Slip
        } else {
            Phase::Stick
        };
        if contact.phase == Phase::Slip && !opt.formulation.is_rigid() {
            let f_t = contact.tangential(contact.force);
            let stretch = f_t * (-1.0 / (TANGENT * contact.stiffness));
            contact.stick_with(stretch, &data.position);
        }
    }
}
