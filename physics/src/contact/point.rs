//! Contact points made ready for a force law: where they are, the law they follow, what they remember.
//!
//! What must survive from step to step (the stiction anchor, the last impulses) is matched by collider
//! pair and feature id.

use glam::DVec3;

use super::Material;
use super::law::{Law, Sizing};
use crate::collide::{ContactPoint, Contacts};
use crate::data::Positions;
use crate::memory::{Memory, Touch};
use crate::model::{BodyId, Model};

/// What a contact point is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Phase {
    /// Not touching, or about to part.
    #[default]
    Open,
    /// Touching without sliding.
    Stick,
    /// Sliding.
    Slip,
}

/// A contact point: where two bodies meet, the law its force follows, what it remembers and what it does. Forces act on
/// body A, their opposite on body B.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The body the normal points into.
    pub body_a: BodyId,
    /// The other body; `None` for the static world.
    pub body_b: Option<BodyId>,
    /// Place of the contact, world.
    pub point: DVec3,
    /// Unit normal from B into A, world.
    pub normal: DVec3,
    /// Overlap, m; negative for a gap.
    pub depth: f64,
    /// What its force follows from.
    pub law: Law,
    /// Where it sticks.
    pub(crate) stick: Stick,
    /// What it does.
    pub phase: Phase,
    /// Force on A at the end of the last step (mean over the step), world.
    pub force: DVec3,
    /// Velocity of A's point relative to B's at the start of the step, world.
    pub velocity: DVec3,
    /// What the end of the step, when it was looked at, showed to be wanted beside, m/s along the normal.
    pub(crate) ahead: f64,
    /// First of the contact's three rows in this step's problem, if it has any.
    pub(crate) row: u32,
    /// Both colliders and the feature between them.
    pub(crate) key: Key,
}

/// What a contact that sticks remembers from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Stick {
    /// Tangential displacement since the point stuck, world.
    pub(crate) stretch: DVec3,
    /// The sticking place on A and B, in their frames.
    pub(crate) anchor: [DVec3; 2],
}

pub(crate) type Key = (u32, u32, u64);

impl Contact {
    /// It presses no more, and remembers nothing.
    pub(crate) fn let_go(&mut self) {
        (self.force, self.phase, self.stick) = (DVec3::ZERO, Phase::Open, Stick::default());
    }

    /// Two unit vectors across the normal; the first along `direction` where that says anything.
    pub fn tangents(&self, direction: DVec3) -> [DVec3; 2] {
        let across = direction - self.normal * self.normal.dot(direction);
        let first = if across.length_squared() > 1e-12 {
            across.normalize()
        } else {
            self.normal.any_orthonormal_vector()
        };
        [first, self.normal.cross(first)]
    }

    /// Index of body A.
    #[inline]
    pub(crate) fn a(&self) -> usize {
        self.body_a.index()
    }

    /// Index of body B; `None` for the static world.
    #[inline]
    pub(crate) fn b(&self) -> Option<usize> {
        self.body_b.map(BodyId::index)
    }

    /// The part of `v` across the normal.
    #[inline]
    pub(crate) fn tangential(&self, v: DVec3) -> DVec3 {
        v - self.normal * self.normal.dot(v)
    }

    /// Makes the point stick where it is, stretched as `stretch` says.
    pub(crate) fn stick_with(&mut self, stretch: DVec3, positions: &Positions) {
        let pose = |body: Option<BodyId>| body.map(|b| &positions.world_from_body[b]);
        let local = |body, p: DVec3| pose(body).map_or(p, |pose| pose.inverse_transform_point(p));
        let anchor = [local(Some(self.body_a), self.point), local(self.body_b, self.point - stretch)];
        self.stick = Stick { stretch, anchor };
    }
}

/// All contacts of a step and those of the step before.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    /// Contacts of the last step, static ones first, each group sorted by body.
    pub points: Vec<Contact>,
    /// How many of them touch the static world.
    pub(crate) n_static: usize,
    moving: Vec<Contact>,
}

impl ContactSet {
    /// Forgets all contacts (a state was set from outside).
    pub fn clear(&mut self) {
        self.points.clear();
        self.n_static = 0;
    }

    /// Turns manifolds into contacts, remembering those that were there before.
    pub(crate) fn update(
        &mut self,
        model: &Model,
        positions: &Positions,
        found: &Contacts,
        memory: &Memory,
        sizing: Sizing,
    ) {
        // Both groups of touches are sorted by key: walk them once.
        let before = &memory.touches;
        self.points.clear();
        self.moving.clear();
        let mut cursor = [0, memory.n_static];
        let ends = [memory.n_static, before.len()];
        for manifold in &found.manifolds {
            let (a, b) = (manifold.collider_a, manifold.collider_b);
            let list = model.colliders.list();
            let (body_a, body_b) = (list[a.index()].body, list[b.index()].body);
            let Some(body_a) = body_a else { continue };
            let material = model.materials[a.index()].combined(&model.materials[b.index()]);
            let group = usize::from(body_b.is_some());
            let at = &mut cursor[group];
            while *at < ends[group] && (before[*at].key.0, before[*at].key.1) < (a.0, b.0) {
                *at += 1;
            }
            let mut same = *at;
            while same < ends[group] && (before[same].key.0, before[same].key.1) == (a.0, b.0) {
                same += 1;
            }
            let old = &before[*at..same];
            for point in manifold.points() {
                let key = (a.0, b.0, point.feature);
                let known = old.iter().find(|c| c.key == key);
                let contact = ready(model, positions, point, key, (body_a, body_b), material, known, sizing);
                if body_b.is_some() { &mut self.moving } else { &mut self.points }.push(contact);
            }
        }
        self.n_static = self.points.len();
        self.points.extend_from_slice(&self.moving);
    }

    /// Contacts with the static world.
    pub fn with_world(&self) -> &[Contact] {
        &self.points[..self.n_static]
    }

    /// Contacts between moving bodies.
    pub fn between_bodies(&self) -> &[Contact] {
        &self.points[self.n_static..]
    }
}

#[expect(clippy::too_many_arguments, reason = "a constructor for one caller")]
fn ready(
    model: &Model,
    positions: &Positions,
    point: &ContactPoint,
    key: Key,
    (body_a, body_b): (BodyId, Option<BodyId>),
    material: Material,
    known: Option<&Touch>,
    sizing: Sizing,
) -> Contact {
    // Where a spring of stated stiffness lets a body sink into the ground, the ground gives: the force acts on the body's own
    // surface, so that a ball on it turns by the arm of its radius and rolls as far as on hard ground. Between two bodies neither is
    // the softer, and what is sized by mass sinks by less than would show.
    let place = match (body_b, material.stiffness) {
        (None, Some(_)) => point.on_a(),
        _ => point.point_world,
    };
    let mut contact = Contact {
        body_a,
        body_b,
        point: place,
        normal: point.normal_world,
        depth: point.depth,
        law: Law::new(model, positions, (body_a, body_b), material, point, sizing),
        stick: Stick::default(),
        phase: Phase::Open,
        force: DVec3::ZERO,
        velocity: DVec3::ZERO,
        ahead: 0.0,
        row: u32::MAX,
        key,
    };
    match known {
        Some(old) => {
            contact.phase = old.phase;
            contact.force = old.force;
            let place = |body: Option<BodyId>, p: DVec3| {
                body.map_or(p, |b| positions.world_from_body[b].transform_point(p))
            };
            let [on_a, on_b] = old.stick.anchor;
            let stretch = if sizing.carries {
                old.stick.stretch
            } else {
                place(Some(body_a), on_a) - place(body_b, on_b)
            };
            contact.stick = Stick { stretch: contact.tangential(stretch), ..old.stick };
        }
        None => {
            contact.stick_with(DVec3::ZERO, positions);
            if contact.depth > 0.0 {
                contact.phase = Phase::Stick;
            }
        }
    }
    contact
}
