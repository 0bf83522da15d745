//! Shapes on bodies, and which of them may touch.

use thiserror::Error;

use super::ahead::core_span;
use super::families::Families;
use super::{Aabb, Bvh};
use crate::model::BodyId;
use crate::model::shape::{Shape, ShapeError};
use crate::spatial::Transform;

/// Index of a collider in its [`Colliders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ColliderId(pub u32);

impl ColliderId {
    /// The index as a `usize`.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which groups a collider is in and which it meets. Two colliders meet if each accepts the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Bits of the groups it is a member of.
    pub member: u32,
    /// Bits of the groups it collides with.
    pub mask: u32,
}

impl Groups {
    /// In every group, meets every group.
    pub const ALL: Self = Self { member: u32::MAX, mask: u32::MAX };

    /// Whether the two may meet.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        self.member & other.mask != 0 && other.member & self.mask != 0
    }
}

/// One shape fixed to a body or to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its geometry.
    pub shape: Shape,
    /// The body it moves with; `None`: part of the static world.
    pub body: Option<BodyId>,
    /// Where it sits on the body (or in the world).
    pub body_from_shape: Transform,
    /// Group filter.
    pub groups: Groups,
    /// Colliders of the same family never touch each other: an articulation without self-collision.
    pub family: Option<u32>,
}

impl Collider {
    /// A shape on a body.
    pub fn on_body(body: BodyId, body_from_shape: Transform, shape: Shape) -> Self {
        Self { shape, body: Some(body), body_from_shape, groups: Groups::ALL, family: None }
    }

    /// A shape that never moves.
    pub fn fixed(world_from_shape: Transform, shape: Shape) -> Self {
        Self { shape, body: None, body_from_shape: world_from_shape, groups: Groups::ALL, family: None }
    }
}

/// Why a set of colliders was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ColliderError {
    /// The shape itself is bad.
    #[error("collider {collider}: {source}")]
    Shape {
        /// Index of the collider.
        collider: usize,
        /// What is wrong with its shape.
        source: ShapeError,
    },
    /// A shape that cannot move was put on a body.
    #[error("collider {collider}: planes, heightfields and meshes are static only, but it is on body {}", body.index())]
    StaticOnBody {
        /// Index of the collider.
        collider: usize,
        /// The body it was put on.
        body: BodyId,
    },
    /// A placement is not a finite rotation and translation.
    #[error("collider {collider}: its placement must be finite with an orthonormal rotation")]
    Placement {
        /// Index of the collider.
        collider: usize,
    },
}

impl ColliderError {
    /// Index of the collider at fault.
    pub fn collider(&self) -> usize {
        match self {
            Self::Shape { collider, .. }
            | Self::StaticOnBody { collider, .. }
            | Self::Placement { collider } => *collider,
        }
    }
}

/// What decides whether two colliders may touch, close together in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Filter {
    groups: Groups,
    family: Option<u32>,
    body: Option<BodyId>,
}

/// All colliders of a scene, checked and ready: what does not change from step to step.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Colliders {
    list: Vec<Collider>,
    filters: Vec<Filter>,
    /// Radius of each collider's core about its own origin: what a turn moves.
    spans: Vec<f64>,
    /// By body: how far its shapes reach from its origin.
    reaches: Vec<f64>,
    /// Pairs of bodies that never touch; smaller index first, sorted.
    excluded: Vec<(BodyId, BodyId)>,
    /// Colliders that move.
    moving: Vec<u32>,
    families: Families,
    /// Static ones without bounds: planes and heightfields.
    unbounded: Vec<u32>,
    /// Static ones with bounds, in the order of `static_bvh`'s items.
    bounded: Vec<u32>,
    static_bvh: Bvh,
}

impl Colliders {
    /// Checks and indexes the colliders. `excluded_bodies` lists pairs of bodies that never touch (neighbours in an
    /// articulation), in any order.
    pub fn new(list: Vec<Collider>, excluded_bodies: &[(BodyId, BodyId)]) -> Result<Self, ColliderError> {
        let mut set = Self { list, ..Self::default() };
        let mut boxes: Vec<Aabb> = Vec::new();
        for (collider, c) in set.list.iter().enumerate() {
            c.shape.validate().map_err(|source| ColliderError::Shape { collider, source })?;
            let r = c.body_from_shape.rotation;
            let square = r.transpose() * r;
            if !c.body_from_shape.is_finite()
                || !square.abs_diff_eq(glam::DMat3::IDENTITY, 1e-6)
                || r.determinant() < 0.0
            {
                return Err(ColliderError::Placement { collider });
            }
            match (c.body, c.shape.aabb(&c.body_from_shape)) {
                (Some(body), _) if c.shape.is_static_only() => {
                    return Err(ColliderError::StaticOnBody { collider, body });
                }
                (Some(_), _) => set.moving.push(collider as u32),
                (None, Some(aabb)) => {
                    set.bounded.push(collider as u32);
                    boxes.push(aabb);
                }
                (None, None) => set.unbounded.push(collider as u32),
            }
        }
        let filter = |c: &Collider| Filter { groups: c.groups, family: c.family, body: c.body };
        set.filters = set.list.iter().map(filter).collect();
        set.families = Families::new(&set.list, &set.moving);
        set.spans = set.list.iter().map(|c| core_span(&c.shape)).collect();
        for c in &set.list {
            if let (Some(body), Some(aabb)) = (c.body, c.shape.aabb(&c.body_from_shape)) {
                let i = body.index();
                set.reaches.resize(set.reaches.len().max(i + 1), 0.0);
                set.reaches[i] = set.reaches[i].max(aabb.min.abs().max(aabb.max.abs()).length());
            }
        }
        set.static_bvh = Bvh::new(&boxes);
        set.excluded = excluded_bodies.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        set.excluded.sort_unstable();
        set.excluded.dedup();
        Ok(set)
    }

    /// The colliders in the order they were given.
    pub fn list(&self) -> &[Collider] {
        &self.list
    }

    /// One collider.
    ///
    /// # Panics
    /// If the id is not from this set.
    pub fn get(&self, id: ColliderId) -> &Collider {
        &self.list[id.index()]
    }

    /// Whether the filters let two colliders touch.
    #[inline]
    pub fn may_touch(&self, a: ColliderId, b: ColliderId) -> bool {
        let (a, b) = (&self.filters[a.index()], &self.filters[b.index()]);
        if !a.groups.meets(b.groups) || (a.family.is_some() && a.family == b.family) || a.body == b.body {
            return false;
        }
        match (a.body, b.body) {
            (Some(i), Some(j)) => self.excluded.binary_search(&(i.min(j), i.max(j))).is_err(),
            _ => true,
        }
    }

    pub(super) fn moving(&self) -> &[u32] {
        &self.moving
    }

    pub(super) fn families(&self) -> &Families {
        &self.families
    }

    pub(super) fn spans(&self) -> &[f64] {
        &self.spans
    }

    /// How far the shapes of a body reach from its origin.
    #[inline]
    pub(super) fn reach_of(&self, body: usize) -> f64 {
        self.reaches.get(body).copied().unwrap_or(0.0)
    }

    pub(super) fn unbounded(&self) -> &[u32] {
        &self.unbounded
    }

    /// Calls `found` with the bounded static colliders near `aabb`.
    #[inline]
    pub(super) fn for_static_near(&self, aabb: &Aabb, mut found: impl FnMut(u32)) {
        if !self.bounded.is_empty() {
            self.static_bvh.query(aabb, |item| found(self.bounded[item as usize]));
        }
    }
}
