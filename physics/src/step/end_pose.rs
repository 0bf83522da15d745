//! Where the step ends: points that came through although the problem kept all it knew apart.
//!
//! The problem keeps points apart along straight ways. Limbs turn, a blow throws them where nobody looked, a light hand is squeezed
//! between heavy bodies and gives way, and what was to touch ends a centimetre inside. So the end of a step is looked at (it is the beginning of the next, which has to be looked at anyway),
//! and a point deeper than [`ALLOWED`] that should not be there goes into the problem, which is solved again:
//!
//! ```text
//! known   d⁺ is more than the smaller of d and d - h u_n:    û_n += the difference/h
//! new     the end's point, carried back with its bodies:     û_n = u_n + d⁺/h
//! ```
//!
//! neither faster than the points approached each other, with `d`, `d⁺` the overlaps before and after and `u` the relative velocity that was found.
//!
//! A blow on a corner may turn a small shape by many turns within the step: the corner stops and the middle goes on, through a wall and out of it, where
//! nothing overlaps any more. So the way of each shape's middle, relative to what it has contacts with, is looked at as well; where it enters the other, the middle is
//! such a point, and should have stayed as far before it as the shape is thick.

use std::ops::Range;

use glam::DVec3;

use crate::collide::{Collider, ContactPoint, Ray, ray_shape};
use crate::contact::{Contact, Law, Phase, Stick};
use crate::convex::rows::Row;
use crate::data::Data;
use crate::model::shape::Shape;
use crate::model::{BodyId, Model};
use crate::spatial::Transform;

/// Overlap that is left alone, m: twice what contacts give way by.
const ALLOWED: f64 = 1e-3;
/// What an overlap beyond that may differ by from what was foreseen, m.
const UNFORESEEN: f64 = 1e-4;

/// The features of the first shape's middle and of the second's; those of points are corners, edges and faces, which are far fewer.
const MIDDLE: u64 = u64::MAX;
const SECOND_MIDDLE: u64 = u64::MAX - 1;

/// A point that came through, as seen from the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Through {
    key: (u32, u32, u64),
    body_a: BodyId,
    body_b: Option<BodyId>,
    /// In the bodies' frames, or the world's.
    on_a: DVec3,
    on_b: DVec3,
    normal: DVec3,
    depth: f64,
}

impl Through {
    /// The trees it is between.
    pub(crate) fn trees(&self, model: &Model) -> impl Iterator<Item = usize> {
        let tree = |body: BodyId| model.tree_of[body.index()] as usize;
        [Some(tree(self.body_a)), self.body_b.map(tree)].into_iter().flatten()
    }
}

/// Finds the points that came through; `data` holds the end's poses and manifolds, and the step's contacts.
pub(crate) fn find(model: &Model, data: &Data, rows: &[Row], dt: f64, out: &mut Vec<Through>) {
    out.clear();
    let list = model.colliders.list();
    for manifold in &data.collision.manifolds {
        if manifold.points().iter().all(|p| p.depth <= ALLOWED) {
            continue;
        }
        let (a, b) = (manifold.collider_a, manifold.collider_b);
        let Some(body_a) = list[a.index()].body else { continue };
        let body_b = list[b.index()].body;
        if data.step.told.holds(body_a, body_b) {
            // No solution would keep them apart.
            continue;
        }
        let material = model.materials[a.index()].combined(&model.materials[b.index()]);
        if material.stiffness.is_some() {
            // Meant to be pressed in.
            continue;
        }
        let known = of_pair(data, body_b.is_some(), (a.0, b.0));
        let before = known.iter().fold(0.0_f64, |most, c| most.max(c.depth));
        for point in manifold.points().iter().filter(|p| p.depth > ALLOWED) {
            let foreseen = match known.iter().find(|c| c.key.2 == point.feature) {
                Some(c) => ends(c, rows, dt),
                None => before,
            };
            if point.depth > foreseen + UNFORESEEN {
                let key = (a.0, b.0, point.feature);
                out.push(through(data, point, key, body_a, body_b));
            }
        }
    }
    find_crossings(model, data, out);
}

/// Finds the shapes whose middle went into what they had contacts with.
fn find_crossings(model: &Model, data: &Data, out: &mut Vec<Through>) {
    let list = model.colliders.list();
    let mut last = None;
    for contact in &data.contact.points {
        let (a, b) = (contact.key.0, contact.key.1);
        if last.replace((a, b)) == Some((a, b)) || data.step.told.holds(contact.body_a, contact.body_b) {
            continue;
        }
        let material = model.materials[a as usize].combined(&model.materials[b as usize]);
        if material.stiffness.is_some() {
            continue;
        }
        // What does not move has no middle that could.
        let ways = [(a, b, 1.0), (b, a, -1.0)];
        for (mover, other, side) in ways.into_iter().take(1 + usize::from(contact.body_b.is_some())) {
            let Some(crossing) = crossing(list, data, mover as usize, other as usize) else { continue };
            let (on_a, on_b) = if side > 0.0 {
                (crossing.middle, crossing.entry)
            } else {
                (crossing.entry, crossing.middle)
            };
            let local = |body: Option<BodyId>, p: DVec3| {
                body.map_or(p, |b| data.position.world_from_body[b].inverse_transform_point(p))
            };
            out.push(Through {
                key: (a, b, if side > 0.0 { MIDDLE } else { SECOND_MIDDLE }),
                body_a: contact.body_a,
                body_b: contact.body_b,
                on_a: local(Some(contact.body_a), on_a),
                on_b: local(contact.body_b, on_b),
                normal: crossing.normal * side,
                depth: crossing.depth,
            });
        }
    }
}

/// Where a middle went in, as seen from the end, world.
struct Crossing {
    middle: DVec3,
    entry: DVec3,
    /// Out of what it went into.
    normal: DVec3,
    depth: f64,
}

/// The way of a collider's middle into another, if it goes there. `data.step.placed` has where colliders were.
fn crossing(list: &[Collider], data: &Data, mover: usize, other: usize) -> Option<Crossing> {
    let (before, after) = (&data.step.placed, &data.collision.world_from_shape);
    let thickness = thickness(&list[mover].shape);
    let seen = |placed: &[Transform]| placed[other].inverse_transform_point(placed[mover].translation);
    let (from, to) = (seen(before), seen(after));
    let way = Ray { origin: from, direction: to - from, max_distance: (to - from).length() };
    if way.max_distance <= thickness {
        return None;
    }
    let (distance, normal) = ray_shape(&list[other].shape, &Transform::IDENTITY, &way)?;
    let entry = from + (to - from) * (distance / way.max_distance);
    let depth = normal.dot(entry - to) + thickness;
    let place = &after[other];
    (depth > ALLOWED).then(|| Crossing {
        middle: after[mover].translation,
        entry: place.transform_point(entry),
        normal: place.transform_vector(normal),
        depth,
    })
}

/// How near a shape's middle comes to what the shape only touches, at least.
fn thickness(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { half_extents, .. } => half_extents.min_element(),
        Shape::Hull(hull) => hull.inner_radius().max(0.0),
        // Those never move.
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => f64::INFINITY,
    }
}

/// The overlap a contact should have ended with: what its row says, but none that grows.
fn ends(contact: &Contact, rows: &[Row], dt: f64) -> f64 {
    let row = rows.get(contact.row as usize);
    let end = row.map_or(contact.depth, |row| contact.depth - dt * contact.normal.dot(row.velocity));
    end.min(contact.depth).max(0.0)
}

/// The step's contacts of a pair of colliders.
fn of_pair(data: &Data, is_moving: bool, pair: (u32, u32)) -> &[Contact] {
    &data.contact.points[places_of_pair(data, is_moving, pair)]
}

/// Where they stand: contacts are in the order of pairs, those with the world first. Within a pair they are in the order the search found them.
fn places_of_pair(data: &Data, is_moving: bool, pair: (u32, u32)) -> Range<usize> {
    let (points, n_static) = (&data.contact.points, data.contact.n_static);
    let (from, to) = if is_moving { (n_static, points.len()) } else { (0, n_static) };
    let first = from + points[from..to].partition_point(|c| (c.key.0, c.key.1) < pair);
    first..first + points[first..to].partition_point(|c| (c.key.0, c.key.1) == pair)
}

fn through(
    data: &Data,
    point: &ContactPoint,
    key: (u32, u32, u64),
    body_a: BodyId,
    body_b: Option<BodyId>,
) -> Through {
    let pose = |b: BodyId| &data.position.world_from_body[b];
    let local = |body: Option<BodyId>, p: DVec3| body.map_or(p, |b| pose(b).inverse_transform_point(p));
    Through {
        key,
        body_a,
        body_b,
        on_a: local(Some(body_a), point.on_a()),
        on_b: local(body_b, point.on_b()),
        normal: point.normal_world,
        depth: point.depth,
    }
}

/// Puts the points that came through into the step's contacts. `data` holds the poses and velocities of the beginning
/// again, `rows` still what was found.
pub(crate) fn put_in(model: &Model, data: &mut Data, rows: &[Row], found: &[Through], dt: f64) {
    for point in found {
        let is_moving = point.body_b.is_some();
        let places = places_of_pair(data, is_moving, (point.key.0, point.key.1));
        let known = data.contact.points[places.clone()].iter_mut().find(|c| c.key == point.key);
        if let Some(contact) = known {
            contact.ahead += (point.depth - ends(contact, rows, dt)) / dt;
        } else {
            let contact = carried_back(model, data, point, dt);
            data.contact.points.insert(places.end, contact);
            data.contact.n_static += usize::from(!is_moving);
        }
    }
}

/// The end's point at the beginning of the step: a contact that wants to end where the bodies only just touch.
fn carried_back(model: &Model, data: &Data, point: &Through, dt: f64) -> Contact {
    let pose = |b: BodyId| &data.position.world_from_body[b];
    let world =
        |body: Option<BodyId>, p: DVec3| body.map_or(p, |b: BodyId| Transform::transform_point(pose(b), p));
    let (on_a, on_b) = (world(Some(point.body_a), point.on_a), world(point.body_b, point.on_b));
    // A middle goes straight on; what turns about it is no matter.
    let place = match point.key.2 {
        MIDDLE => on_a,
        SECOND_MIDDLE => on_b,
        _ if point.body_b.is_some() => (on_a + on_b) * 0.5,
        _ => on_a,
    };
    let velocity = |motions: &[crate::spatial::Motion]| {
        let at = |b: BodyId| motions[b].at(place - pose(b).translation).linear;
        at(point.body_a) - point.body_b.map_or(DVec3::ZERO, at)
    };
    let (before, found) = (velocity(&data.velocity.body), velocity(&data.step.next_body));
    let n = point.normal;
    let wanted = n.dot(found) + point.depth / dt;
    let material = |c: u32| &model.materials[c as usize];
    Contact {
        body_a: point.body_a,
        body_b: point.body_b,
        point: place,
        normal: n,
        depth: 0.0,
        law: Law::rigid(material(point.key.0).combined(material(point.key.1))),
        stick: Stick::default(),
        phase: Phase::Open,
        force: DVec3::ZERO,
        velocity: before,
        ahead: wanted,
        row: u32::MAX,
        key: point.key,
    }
}
