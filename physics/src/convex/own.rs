//! Rows of a controller's own as terms: those on one point, spin or joint like all others of their kind, the rest by
//! [`super::combined`].

use glam::DVec3;

use super::Convex;
use super::combined::{self, Combined, Part};
use super::law::Bounded;
use super::mobility::Mobility;
use super::rows::{JointRow, Row, Source};
use crate::actuation::{self, Actuation, Term};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::{JointKind, Model, NONE};
use crate::step::own_rows;

/// Softness of rigid rows relative to what they act on: rows that contradict each other, or a pin, shall not win by rounding.
pub(super) const RIGID: f64 = 1e-7;

/// Adds the terms of all rows. Softness waits for the mobilities.
pub(super) fn push(model: &Model, data: &Data, act: &Actuation, convex: &mut Convex) {
    let h = convex.dt;
    for (index, row) in act.rows.iter().enumerate() {
        let source = Source::Own(index as u32);
        let law = Bounded {
            target: row.velocity,
            softness: row.compliance / h,
            lower: row.lower * h,
            upper: row.upper * h,
            ..Bounded::PUSH
        };
        if let [Some(term), None, ..] = row.terms
            && let Some(row) = on_point(data, &term, source, law)
        {
            convex.rows.push(row);
        } else if let Some(row) = along_joint(model, act, row, source, law) {
            convex.joints.push(row);
        } else {
            let hits = own_rows::hits(data, row, |dof, weight, hits| hits.add(Hit::Freedom(dof, weight)));
            let first = convex.parts.len() as u32;
            convex.parts.extend(hits.all().iter().map(|&hit| Part { component: 0, hit }));
            let parts = (first, convex.parts.len() as u32);
            if parts.0 < parts.1 {
                convex.combined.push(Combined::new(source, parts, 1, combined::Law::Line(law), None));
            }
        }
    }
}

/// A row about a single point or spin. Its direction has a length, the law's velocities are those along a unit one.
fn on_point(data: &Data, term: &Term, source: Source, law: Bounded) -> Option<Row> {
    let poses = &data.position.world_from_body;
    let [Some(body), other] = term.bodies() else { return None };
    let (body, other) = (body.index(), other.map(|b| b.index()));
    let (Term::Point { direction, .. } | Term::Spin { direction, .. }) = *term else { return None };
    let weight = direction.length();
    let mut row = Row::new(source, body, other, direction / weight);
    match *term {
        Term::Point { point, other, .. } => {
            row.arm_a = poses[body].transform_vector(point);
            row.arm_b = other.map_or(DVec3::ZERO, |(b, point)| poses[b.index()].transform_vector(point));
        }
        _ => row.spins = true,
    }
    row.law.along = Bounded {
        target: law.target / weight,
        softness: law.softness / (weight * weight),
        lower: law.lower * weight,
        upper: law.upper * weight,
        ..law
    };
    row.law.bound = 0.0;
    Some(row)
}

/// A row about freedoms of one dynamic joint.
fn along_joint(
    model: &Model,
    act: &Actuation,
    row: &actuation::Row,
    source: Source,
    law: Bounded,
) -> Option<JointRow> {
    let mut found: Option<(usize, bool, DVec3)> = None;
    for term in row.terms.iter().flatten() {
        let Term::Freedom { freedom, weight } = *term else { return None };
        let i = model.body_of(freedom).index();
        let at = freedom.index() - model.bodies[i].v_start;
        let second = model.links[i].kind == JointKind::Free && at >= 3;
        let direction = DVec3::AXES[if second { at - 3 } else { at }] * weight;
        match &mut found {
            Some((body, half, sum)) if (*body, *half) == (i, second) => *sum += direction,
            Some(_) => return None,
            None => found = Some((i, second, direction)),
        }
    }
    let (i, second, direction) = found.filter(|(i, ..)| !act.prescribed[*i])?;
    let first = model.bodies[i].v_start + if second { 3 } else { 0 };
    let mut joint = JointRow::new(source, model, i, first, DVec3::ZERO);
    (joint.direction, joint.law) = (direction, law);
    (direction != DVec3::ZERO).then_some(joint)
}

/// Writes what the law of a row on a point or spin lacks once mobilities are known.
pub(super) fn write_law(row: &mut Row, known: &[Mobility]) {
    let n = row.law.normal;
    let along = |body: u32, arm: DVec3| {
        let m = &known[body as usize];
        if row.spins { m.spin_along(n) } else { m.along(arm, n) }
    };
    let other = if row.b == NONE { 0.0 } else { along(row.b, row.arm_b) };
    row.mobility = (along(row.a, row.arm_a) + other).max(f64::MIN_POSITIVE);
    if row.is_immovable() {
        return row.law.rest();
    }
    row.law.along.softness = row.law.along.softness.max(RIGID * row.mobility);
}
