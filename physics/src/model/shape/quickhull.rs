//! Convex hull of points by the quickhull algorithm (Barber, Dobkin, Huhdanpaa 1996), then coplanar triangles merged.
//!
//! Robust by construction rather than by exact arithmetic: points closer to a face than a tolerance of 1e-10 of the
//! cloud's size count as inside, the visible region is grown over neighbours so that its rim is one loop, and the
//! farthest point of a face is always taken next.

use std::collections::BTreeMap;

use glam::DVec3;

use super::ShapeError;
use super::hull::loop_normal;

/// Distance, relative to the size of the cloud, below which a point counts as lying on a face.
const ON_FACE: f64 = 1e-10;
/// Sine of the angle below which neighbouring triangles become one face.
const COPLANAR: f64 = 1e-7;

struct Face {
    corners: [u32; 3],
    normal: DVec3,
    alive: bool,
    /// Points outside this face that no earlier face claimed.
    outside: Vec<u32>,
}

struct Builder<'a> {
    points: &'a [DVec3],
    tolerance: f64,
    faces: Vec<Face>,
    /// Directed edge to the face that runs along it.
    sides: BTreeMap<(u32, u32), usize>,
}

/// Corner points and merged faces of the hull.
pub(super) fn convex_hull(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<Vec<u32>>), ShapeError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NotFinite { shape: "hull", what: "point", index });
    }
    let flat = |dimension| ShapeError::FlatHull { points: points.len(), dimension };
    let start = first_tetrahedron(points).map_err(flat)?;
    let size = points.iter().map(|p| (*p - points[start[0]]).abs().max_element()).fold(0.0, f64::max);
    let mut builder =
        Builder { points, tolerance: ON_FACE * size, faces: Vec::new(), sides: BTreeMap::new() };
    let [a, b, c, d] = start.map(|i| i as u32);
    for corners in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
        builder.add_face(corners);
    }
    let all: Vec<u32> = (0..points.len() as u32).collect();
    builder.distribute(&all, 0);
    let mut next = 0;
    while next < builder.faces.len() {
        match builder.farthest_outside(next) {
            Some(eye) if builder.faces[next].alive => builder.add_point(next, eye),
            _ => next += 1,
        }
    }
    let triangles: Vec<[u32; 3]> = builder.faces.iter().filter(|f| f.alive).map(|f| f.corners).collect();
    let faces = merge_coplanar(points, &triangles);
    Ok(compact(points, faces))
}

/// Four points that span a volume, the first three counter-clockwise seen from outside; else the dimension spanned.
fn first_tetrahedron(points: &[DVec3]) -> Result<[usize; 4], usize> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        (0..points.len()).max_by(|&i, &j| measure(points[i]).total_cmp(&measure(points[j])).then(j.cmp(&i)))
    };
    let a = farthest(&|p| -p.x).ok_or(0_usize)?;
    let b = farthest(&|p| p.distance(points[a])).ok_or(0_usize)?;
    let size = points[b].distance(points[a]);
    if size <= f64::MIN_POSITIVE.sqrt() {
        return Err(0);
    }
    let along = (points[b] - points[a]) / size;
    let off_line = |p: DVec3| along.cross(p - points[a]).length();
    let c = farthest(&off_line).ok_or(1_usize)?;
    if off_line(points[c]) < 1e-9 * size {
        return Err(1);
    }
    let normal = along.cross(points[c] - points[a]).normalize();
    let off_plane = |p: DVec3| normal.dot(p - points[a]);
    let d = farthest(&|p| off_plane(p).abs()).ok_or(2_usize)?;
    if off_plane(points[d]).abs() < 1e-9 * size {
        return Err(2);
    }
    Ok(if off_plane(points[d]) > 0.0 { [a, c, b, d] } else { [a, b, c, d] })
}

impl Builder<'_> {
    fn add_face(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|v| self.points[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for k in 0..3 {
            self.sides.insert((corners[k], corners[(k + 1) % 3]), self.faces.len());
        }
        self.faces.push(Face { corners, normal, alive: true, outside: Vec::new() });
    }

    fn height(&self, face: usize, point: u32) -> f64 {
        let face = &self.faces[face];
        face.normal.dot(self.points[point as usize] - self.points[face.corners[0] as usize])
    }

    fn farthest_outside(&self, face: usize) -> Option<u32> {
        let height = |p: &u32| self.height(face, *p);
        self.faces[face].outside.iter().copied().max_by(|p, q| height(p).total_cmp(&height(q)).then(q.cmp(p)))
    }

    /// Gives each point to the first face from `first_face` on that it lies outside of.
    fn distribute(&mut self, points: &[u32], first_face: usize) {
        for &point in points {
            let claim = (first_face..self.faces.len()).find(|&f| self.height(f, point) > self.tolerance);
            if let Some(face) = claim {
                self.faces[face].outside.push(point);
            }
        }
    }

    fn add_point(&mut self, seed: usize, eye: u32) {
        // Faces the new point sees, grown over shared edges; the rim in passing.
        let mut visible = vec![seed];
        let mut rim = Vec::new();
        self.faces[seed].alive = false;
        let mut next = 0;
        while next < visible.len() {
            let corners = self.faces[visible[next]].corners;
            next += 1;
            for k in 0..3 {
                let (v, w) = (corners[k], corners[(k + 1) % 3]);
                let other = self.sides[&(w, v)];
                if !self.faces[other].alive {
                    continue;
                }
                if self.height(other, eye) > self.tolerance {
                    self.faces[other].alive = false;
                    visible.push(other);
                } else {
                    rim.push((v, w));
                }
            }
        }
        // An edge noted as rim may have become inner when its neighbour was reached by another way.
        rim.retain(|&(v, w)| self.faces[self.sides[&(w, v)]].alive);
        let mut orphans = Vec::new();
        for &face in &visible {
            orphans.append(&mut self.faces[face].outside);
        }
        orphans.retain(|&p| p != eye);
        let first = self.faces.len();
        for (v, w) in rim {
            self.add_face([v, w, eye]);
        }
        self.distribute(&orphans, first);
    }
}

/// Joins neighbouring triangles of one plane into polygons.
fn merge_coplanar(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut sides = BTreeMap::new();
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            sides.insert((corners[k], corners[(k + 1) % 3]), t);
        }
    }
    let area_normals: Vec<DVec3> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            (b - a).cross(c - a)
        })
        .collect();
    // Largest triangles first: their normals are the most certain, the others join them.
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&i, &j| {
        area_normals[j].length_squared().total_cmp(&area_normals[i].length_squared()).then(i.cmp(&j))
    });
    let mut group = vec![usize::MAX; triangles.len()];
    let mut faces = Vec::new();
    for seed in order {
        if group[seed] != usize::MAX {
            continue;
        }
        let normal = area_normals[seed].normalize_or_zero();
        let origin = points[triangles[seed][0] as usize];
        let size = area_normals[seed].length().sqrt();
        let on_plane = |t: usize| {
            let flat = |v: u32| {
                let offset = points[v as usize] - origin;
                normal.dot(offset).abs() <= COPLANAR * (size + offset.length())
            };
            triangles[t].iter().all(|&v| flat(v)) && area_normals[t].dot(normal) >= 0.0
        };
        group[seed] = seed;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let corners = triangles[members[next]];
            next += 1;
            for k in 0..3 {
                let other = sides[&(corners[(k + 1) % 3], corners[k])];
                if group[other] == usize::MAX && on_plane(other) {
                    group[other] = seed;
                    members.push(other);
                }
            }
        }
        faces.push(rim_of(triangles, &members, |v, w| group[sides[&(w, v)]] != seed));
    }
    drop_straight_corners(points, faces)
}

/// The loop of edges of `members` that `is_rim` accepts.
fn rim_of(triangles: &[[u32; 3]], members: &[usize], is_rim: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let mut next = BTreeMap::new();
    for &t in members {
        for k in 0..3 {
            let (v, w) = (triangles[t][k], triangles[t][(k + 1) % 3]);
            if is_rim(v, w) {
                next.insert(v, w);
            }
        }
    }
    let mut face = Vec::new();
    let Some((&start, _)) = next.first_key_value() else { return face };
    let mut at = start;
    while let Some(to) = next.remove(&at) {
        face.push(at);
        at = to;
    }
    face
}

/// Removes corners shared by only two faces: they lie on a straight edge.
fn drop_straight_corners(points: &[DVec3], mut faces: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut n_faces_at = vec![0_u32; points.len()];
    for face in &faces {
        for &v in face {
            n_faces_at[v as usize] += 1;
        }
    }
    for face in &mut faces {
        face.retain(|&v| n_faces_at[v as usize] > 2);
    }
    faces.retain(|face| face.len() >= 3 && loop_normal(points, face) != DVec3::ZERO);
    faces
}

/// Keeps the used points only, in the order they were given.
fn compact(points: &[DVec3], mut faces: Vec<Vec<u32>>) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for v in faces.iter_mut().flatten() {
        *v = used.partition_point(|u| u < v) as u32;
    }
    (used.iter().map(|&v| points[v as usize]).collect(), faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shape::Hull;
    use proptest::prelude::*;

    fn check_hull(hull: &Hull, points: &[DVec3], tolerance: f64) {
        let topology = hull.topology();
        let (v, e, f) = (hull.vertices().len(), topology.edges.len(), topology.n_faces());
        assert_eq!(v + f, e + 2, "Euler: {v} corners, {e} edges, {f} faces");
        assert!(topology.edges.iter().all(|e| e[3] != crate::model::shape::NO_FACE));
        for (face, normal) in hull.faces().zip(hull.normals()) {
            let origin = hull.vertices()[face[0] as usize];
            for p in points {
                assert!(normal.dot(*p - origin) <= tolerance, "{p} sticks out of the hull");
            }
        }
    }

    #[test]
    fn a_box_with_extra_points_on_it_has_eight_corners_and_six_squares() {
        let mut points = Vec::new();
        for k in 0..27 {
            points.push(DVec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64));
        }
        let hull = Hull::from_points(&points).unwrap();
        assert_eq!(hull.vertices().len(), 8);
        assert_eq!(hull.faces().count(), 6);
        check_hull(&hull, &points, 1e-12);
    }

    #[test]
    fn flat_clouds_are_refused_with_their_dimension() {
        let dimension = |points: &[DVec3]| match Hull::from_points(points) {
            Err(ShapeError::FlatHull { dimension, .. }) => dimension,
            other => panic!("{other:?}"),
        };
        assert_eq!(dimension(&[]), 0);
        assert_eq!(dimension(&[DVec3::X; 5]), 0);
        assert_eq!(dimension(&[DVec3::X, DVec3::ZERO, DVec3::X * 2.0, DVec3::X * 3.0]), 1);
        assert_eq!(dimension(&[DVec3::X, DVec3::ZERO, DVec3::Y, DVec3::X + DVec3::Y]), 2);
    }

    proptest! {
        #[test]
        fn holds_every_point_and_is_closed(
            points in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 4..60),
            // Snapping to a grid makes many coplanar and collinear points.
            grid in prop::sample::select(vec![0.0, 0.25, 0.5]),
        ) {
            let snap = |x: f64| if grid > 0.0 { (x / grid).round() * grid } else { x };
            let points: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(p.map(snap))).collect();
            if let Ok(hull) = Hull::from_points(&points) {
                check_hull(&hull, &points, 1e-6);
            }
        }

        #[test]
        fn points_on_a_sphere_are_all_corners(angles in prop::collection::vec((0.0..6.28_f64, -1.0..1.0_f64), 8..80)) {
            let points: Vec<DVec3> = angles.iter().map(|(a, z)| {
                let r = (1.0 - z * z).sqrt();
                DVec3::new(r * a.cos(), r * a.sin(), *z)
            }).collect();
            if let Ok(hull) = Hull::from_points(&points) {
                check_hull(&hull, &points, 1e-6);
            }
        }
    }
}
