//! All contacts of a scene: place, bound, pair up, ask the narrow phase.

use super::ahead::Sweep;
use super::narrow::{NarrowScratch, find_candidates, keep_points};
use super::{Aabb, ColliderId, Colliders, Manifold, SweepAndPrune, Travel, Unseen};
use crate::model::BodyId;
use crate::spatial::Transform;

/// What counts as a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Gaps up to this many metres are reported too (with negative depth), so that solvers can act before touch and
    /// resting contacts do not flicker.
    pub margin: f64,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self { margin: 0.005 }
    }
}

/// The desk of the collision stage: everything computed, kept between steps so that nothing is allocated again.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// Where each collider is this step; indexed by collider, written by [`find_contacts`].
    pub world_from_shape: Vec<Transform>,
    /// Contacts of the step, sorted by collider A, then B; only pairs with at least one point.
    pub manifolds: Vec<Manifold>,
    /// What each collider may sweep until one looks again; indexed by collider.
    sweeps: Vec<Sweep>,
    /// Bounds of the moving colliders, grown by half the margin and their reach; indexed like `Colliders::moving`.
    moving_boxes: Vec<Aabb>,
    /// Bounds of families.
    family_boxes: Vec<Aabb>,
    sweep: SweepAndPrune,
    /// Pairs of moving colliders, sorted.
    between: Vec<(u32, u32)>,
    /// Pairs (A, B) the filters let through, sorted.
    pairs: Vec<(u32, u32)>,
    scratch: NarrowScratch,
    /// Rough bounds of trees, and by body whether its tree is to be left alone; none where nobody is told.
    pub(super) rough: Vec<Aabb>,
    pub(super) alone: Vec<bool>,
}

impl Contacts {
    /// An empty desk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Pairs the broad phase handed to the narrow phase in the last call.
    pub fn n_pairs(&self) -> usize {
        self.pairs.len()
    }
}

/// Finds the contacts between all colliders whose bodies are at `world_from_body(body)`.
///
/// The result depends on the poses alone, not on what was computed before. A body whose pose is not finite touches
/// nothing.
pub fn find_contacts(
    colliders: &Colliders,
    world_from_body: impl Fn(BodyId) -> Transform,
    options: &ContactOptions,
    contacts: &mut Contacts,
) {
    contacts.leave_nobody_alone();
    find_contacts_ahead(colliders, world_from_body, |_| Travel::NONE, options, None, contacts);
}

/// The same, and also gaps that colliders can close until one looks again, whatever way a blow turns them
/// (`ahead.rs`); `travel(body)` says what a body does until then.
pub(crate) fn find_contacts_ahead(
    colliders: &Colliders,
    world_from_body: impl Fn(BodyId) -> Transform,
    travel: impl Fn(BodyId) -> Travel,
    options: &ContactOptions,
    unseen: Option<&Unseen<'_>>,
    contacts: &mut Contacts,
) {
    let margin = options.margin.max(0.0);
    let list = colliders.list();
    place(colliders, world_from_body, travel, contacts);
    if contacts.is_nobody_near() {
        contacts.pairs.clear();
        contacts.manifolds.clear();
        return;
    }
    find_pairs(colliders, margin, unseen, contacts);
    let Contacts { world_from_shape, sweeps, manifolds, pairs, scratch, .. } = contacts;
    let mut n = 0;
    for &(a, b) in pairs.iter() {
        let (ia, ib) = (a as usize, b as usize);
        let shape_b = &list[ib].shape;
        // The first of a pair moves, so it is bounded.
        let limit = find_candidates(
            &list[ia].shape,
            &world_from_shape[ia],
            shape_b,
            &world_from_shape[ib],
            margin + sweeps[ia].closes(&sweeps[ib]),
            scratch,
        );
        if limit > 0 && !scratch.candidates.is_empty() {
            if n == manifolds.len() {
                manifolds.push(Manifold::new(ColliderId(a), ColliderId(b)));
            }
            let manifold = &mut manifolds[n];
            manifold.begin(ColliderId(a), ColliderId(b));
            keep_points(shape_b, &scratch.candidates, limit, manifold);
            n += 1;
        }
    }
    manifolds.truncate(n);
}

/// Places all colliders and finds what each may sweep.
fn place(
    colliders: &Colliders,
    world_from_body: impl Fn(BodyId) -> Transform,
    travel: impl Fn(BodyId) -> Travel,
    contacts: &mut Contacts,
) {
    let Contacts { world_from_shape, sweeps, alone, .. } = contacts;
    let n = colliders.list().len();
    world_from_shape.resize(n, Transform::IDENTITY);
    sweeps.resize(n, Sweep::NONE);
    let places = world_from_shape.iter_mut().zip(sweeps.iter_mut());
    for ((place, sweep), (collider, &span)) in places.zip(colliders.list().iter().zip(colliders.spans())) {
        let Some(body) = collider.body else {
            (*place, *sweep) = (collider.body_from_shape, Sweep::NONE);
            continue;
        };
        let world_from_body = world_from_body(body);
        *place = world_from_body * collider.body_from_shape;
        if alone.get(body.index()) == Some(&true) {
            continue;
        }
        *sweep = travel(body).sweep(place.translation - world_from_body.translation, span);
    }
}

fn find_pairs(colliders: &Colliders, margin: f64, unseen: Option<&Unseen<'_>>, contacts: &mut Contacts) {
    let Contacts {
        world_from_shape, sweeps, moving_boxes, family_boxes, sweep, between, pairs, alone, ..
    } = contacts;
    let list = colliders.list();
    let moving = colliders.moving();
    moving_boxes.clear();
    let body = |c: u32| list[c as usize].body;
    moving_boxes.extend(moving.iter().map(|&m| {
        if body(m).is_some_and(|b| alone.get(b.index()) == Some(&true)) {
            return Aabb::EMPTY;
        }
        let aabb = list[m as usize].shape.aabb(&world_from_shape[m as usize]);
        // Moving shapes are bounded; a pose that is not finite gives a box that overlaps nothing.
        let finite = aabb.filter(|b| b.min.is_finite() && b.max.is_finite());
        finite.unwrap_or(Aabb::EMPTY).grown(0.5 * margin + sweeps[m as usize].reach)
    }));
    between.clear();
    colliders.families().find_pairs(moving_boxes, family_boxes, sweep, |i, j| {
        let (a, b) = (moving[i as usize], moving[j as usize]);
        let (a, b) = (a.min(b), a.max(b));
        if unseen.is_some_and(|unseen| unseen.leaves(body(a), body(b))) {
            return;
        }
        if colliders.may_touch(ColliderId(a), ColliderId(b)) {
            between.push((a, b));
        }
    });
    between.sort_unstable();
    // Both lists by A: those of the static world come in the order of the moving colliders.
    let mut next = 0;
    pairs.clear();
    for (&a, aabb) in moving.iter().zip(moving_boxes.iter()) {
        if aabb.min.x > aabb.max.x {
            continue;
        }
        while next < between.len() && between[next].0 < a {
            pairs.push(between[next]);
            next += 1;
        }
        let first = pairs.len();
        while next < between.len() && between[next].0 == a {
            pairs.push(between[next]);
            next += 1;
        }
        if unseen.is_some_and(|unseen| unseen.leaves_world(body(a))) {
            continue;
        }
        let mut accept = |b: u32| {
            if colliders.may_touch(ColliderId(a), ColliderId(b)) {
                pairs.push((a, b));
            }
        };
        colliders.for_static_near(&aabb.grown(0.5 * margin), &mut accept);
        colliders.unbounded().iter().for_each(|&b| accept(b));
        if pairs.len() > first + 1 {
            pairs[first..].sort_unstable();
        }
    }
    pairs.extend_from_slice(&between[next..]);
}
