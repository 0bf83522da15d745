//! Contact points and how many of them are kept.

use core::fmt;

use glam::DVec3;

use super::ColliderId;

/// Most points a pair of colliders reports: boxes and hulls on rough ground, whose ridges touch a face between its corners.
pub const MAX_POINTS: usize = 8;
/// Most points of two convex shapes, or of one on a plane: they lie in one plane, and four hold it.
pub(super) const FLAT_POINTS: usize = 4;

/// How much a gap counts against spread: enough that a box lying flat shows its four lower corners however wide the
/// margin, unless it is a rod on end, 2.8 times as tall as its foot is wide.
const GAP_WEIGHT: f64 = 3.0;

/// One place where two shapes touch or are about to.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ContactPoint {
    /// Midway between the two surfaces.
    pub point_world: DVec3,
    /// Unit vector from collider B into collider A.
    pub normal_world: DVec3,
    /// How far the surfaces overlap along the normal; negative: the gap between them.
    pub depth: f64,
    /// Names the features that touch; the same from step to step while they stay the same, unique in its manifold.
    pub feature: u64,
}

impl ContactPoint {
    /// The point on the surface of collider A.
    pub fn on_a(&self) -> DVec3 {
        self.point_world - self.normal_world * (0.5 * self.depth)
    }

    /// The point on the surface of collider B.
    pub fn on_b(&self) -> DVec3 {
        self.point_world + self.normal_world * (0.5 * self.depth)
    }

    /// The same contact seen with A and B exchanged.
    pub(super) fn flipped(self) -> Self {
        Self { normal_world: -self.normal_world, ..self }
    }
}

/// The contacts of one pair of colliders.
#[derive(Clone, Copy)]
pub struct Manifold {
    /// The collider the normals point into.
    pub collider_a: ColliderId,
    /// The collider the normals come from; the static one if there is one.
    pub collider_b: ColliderId,
    points: [ContactPoint; MAX_POINTS],
    n_points: usize,
}

impl Manifold {
    /// A pair without contacts.
    pub fn new(collider_a: ColliderId, collider_b: ColliderId) -> Self {
        Self { collider_a, collider_b, points: [ContactPoint::default(); MAX_POINTS], n_points: 0 }
    }

    /// The same for another pair: forgets the points without wiping their memory.
    #[inline]
    pub(super) fn begin(&mut self, collider_a: ColliderId, collider_b: ColliderId) {
        (self.collider_a, self.collider_b, self.n_points) = (collider_a, collider_b, 0);
    }

    /// The contact points, at most [`MAX_POINTS`].
    #[inline]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.n_points]
    }

    /// The point of greatest depth; the first of equals.
    pub fn deepest(&self) -> Option<&ContactPoint> {
        self.points().iter().reduce(|best, p| if p.depth > best.depth { p } else { best })
    }

    /// Keeps at most `limit` of the candidates: the deepest, then each time the one farthest from those kept.
    ///
    /// Distance counts direction as well as place, so that a wall is not forgotten over the floor. And it counts less
    /// the wider the gap is beside the deepest point's: `spread / (1 + (3 Δdepth)² / size²)`, so that the far corners
    /// of a shape about to land do not stand in for the near ones.
    pub(super) fn fill_from(&mut self, candidates: &[ContactPoint], limit: usize) {
        let limit = limit.min(MAX_POINTS);
        self.n_points = 0;
        if candidates.len() <= limit {
            self.points[..candidates.len()].copy_from_slice(candidates);
            self.n_points = candidates.len();
            return;
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for c in candidates {
            low = low.min(c.point_world);
            high = high.max(c.point_world);
        }
        let turn_weight = (high - low).length_squared();
        let mut best = 0;
        for (k, c) in candidates.iter().enumerate() {
            if c.depth > candidates[best].depth {
                best = k;
            }
        }
        let mut kept = [best; MAX_POINTS];
        self.points[0] = candidates[best];
        self.n_points = 1;
        while self.n_points < limit {
            let (mut next, mut next_spread) = (usize::MAX, 1e-6 * turn_weight);
            for (k, c) in candidates.iter().enumerate() {
                let behind = GAP_WEIGHT * (candidates[best].depth - c.depth);
                let spread = kept[..self.n_points]
                    .iter()
                    .map(|&i| {
                        let other = &candidates[i];
                        c.point_world.distance_squared(other.point_world)
                            + turn_weight * c.normal_world.distance_squared(other.normal_world)
                    })
                    .fold(f64::INFINITY, f64::min)
                    * turn_weight
                    / (turn_weight + behind * behind);
                if spread > next_spread {
                    (next, next_spread) = (k, spread);
                }
            }
            if next == usize::MAX {
                break;
            }
            kept[self.n_points] = next;
            self.points[self.n_points] = candidates[next];
            self.n_points += 1;
        }
    }

    /// Names surface contacts after the feature of the moving shape alone, so that ids survive sliding from triangle
    /// to triangle; the place on the surface stays in the name only where two points would share it.
    pub(super) fn forget_surface_ids(&mut self) {
        let n = self.n_points;
        let mut features = [0; MAX_POINTS];
        for (feature, point) in features.iter_mut().zip(self.points()) {
            *feature = point.feature;
        }
        for k in 0..n {
            let own = features[k];
            let shared = |other: &u64| other & !SURFACE_PART == own & !SURFACE_PART && *other < own;
            if !features[..n].iter().any(shared) {
                self.points[k].feature = own & !SURFACE_PART;
            }
        }
    }

    /// Exchanges A and B in the points' normals.
    pub(super) fn flip_points(&mut self) {
        for point in &mut self.points[..self.n_points] {
            *point = point.flipped();
        }
    }
}

/// Only the points that are there count.
impl PartialEq for Manifold {
    fn eq(&self, other: &Self) -> bool {
        (self.collider_a, self.collider_b, self.points())
            == (other.collider_a, other.collider_b, other.points())
    }
}

impl fmt::Debug for Manifold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manifold")
            .field("collider_a", &self.collider_a)
            .field("collider_b", &self.collider_b)
            .field("points", &self.points())
            .finish()
    }
}

/// What kind of features a contact's id names; keeps the families of ids apart.
#[derive(Clone, Copy)]
pub(super) enum FeatureKind {
    /// A corner (or centre, or end) of the first shape.
    Corner = 1,
    /// Two edges.
    Edges = 2,
    /// Clipped polygons.
    Clip = 3,
    /// A face of the first shape on a corner of the second.
    Face = 4,
    /// The closest points where no flat contact contains them.
    Closest = 5,
}

/// Packs a feature id: kind, then numbers of 16, 12 and 32 bits.
pub(super) fn feature_id(kind: FeatureKind, a: u32, b: u32, c: u32) -> u64 {
    (kind as u64) << 60 | u64::from(a & 0xffff) << 44 | u64::from(b & 0xfff) << 32 | u64::from(c)
}

/// The part of an id that names the place on a terrain or mesh, for surface contacts.
const SURFACE_PART: u64 = 0xffff_ffff;
