//! What need not be looked for: bodies that go where they are told, whatever touches them (`step/told.rs`).

use core::ops::Range;

use super::{Aabb, Colliders, Contacts, Travel};
use crate::model::BodyId;
use crate::spatial::Transform;

/// Pairs that nobody needs: of two bodies of one tree, or a body and the world, that both go where they are told.
pub(crate) struct Unseen<'a> {
    /// By body.
    pub(crate) told: &'a [bool],
    /// By body: its tree.
    pub(crate) tree_of: &'a [u32],
}

impl Unseen<'_> {
    /// Whether a body needs no contacts with the world.
    #[inline]
    pub(super) fn leaves_world(&self, body: Option<BodyId>) -> bool {
        body.is_some_and(|b| self.told[b.index()])
    }

    /// Whether two bodies need none with each other.
    #[inline]
    pub(super) fn leaves(&self, a: Option<BodyId>, b: Option<BodyId>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return false };
        let (a, b) = (a.index(), b.index());
        self.told[a] && self.told[b] && self.tree_of[a] == self.tree_of[b]
    }
}

impl Contacts {
    /// Notes trees that are told where to go and near nobody: their shapes are not even placed. `trees` are the bodies of each, and whether it is told.
    pub(crate) fn leave_alone<'a>(
        &mut self,
        colliders: &Colliders,
        trees: impl Iterator<Item = (&'a Range<usize>, &'a bool)> + Clone,
        world_from_body: impl Fn(BodyId) -> Transform,
        travel: impl Fn(BodyId) -> Travel,
        margin: f64,
    ) {
        let rough = |bodies: &Range<usize>| {
            bodies.clone().fold(Aabb::EMPTY, |all, i| {
                let body = BodyId::new(i);
                let (place, reach) = (world_from_body(body).translation, colliders.reach_of(i));
                let far = reach + travel(body).farthest(reach) + margin;
                all.union(&Aabb { min: place - far, max: place + far })
            })
        };
        self.rough.clear();
        self.rough.extend(trees.clone().map(|(bodies, _)| rough(bodies)));
        self.alone.clear();
        for (tree, (bodies, &told)) in trees.enumerate() {
            let own = &self.rough[tree];
            let is_near = |other: usize| other != tree && !other_is_apart(own, &self.rough[other]);
            let alone = told && !(0..self.rough.len()).any(is_near);
            self.alone.extend(bodies.clone().map(|_| alone));
        }
    }
}

impl Contacts {
    /// Whether all that moves is to be left alone.
    pub(super) fn is_nobody_near(&self) -> bool {
        !self.alone.is_empty() && self.alone.iter().all(|alone| *alone)
    }

    /// Nobody is told.
    pub(crate) fn leave_nobody_alone(&mut self) {
        self.alone.clear();
    }
}

/// Whether two boxes are apart; what is no number is near everything.
fn other_is_apart(a: &Aabb, b: &Aabb) -> bool {
    (a.min.cmpgt(b.max) | b.min.cmpgt(a.max)).any()
}
