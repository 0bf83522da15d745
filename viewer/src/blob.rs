//! Smooth closed bodies: the convex hull of a few balls. A capsule is one of two balls, a foot one of six.
//!
//! The farthest point of such a hull along a direction `d` is `c + r d` on the ball with the greatest `c·d + r`, and its
//! normal is `d` itself. So the corners of a ball cut into triangles, pushed out to where the hull is, are its mesh, with
//! exact normals and without a hull algorithm.

use std::sync::OnceLock;

use glam::{DVec3, Vec3};

use crate::raster::LocalMesh;

/// How fine the hull may be cut: 12, 42, 162 or 642 corners; those of a coarse one are the first of a finer.
pub(crate) const LEVELS: usize = 4;

/// The convex hull of some balls, in its own frame.
#[derive(Debug)]
pub struct Blob {
    balls: Vec<(DVec3, f64)>,
    reach: f64,
    roundest: f64,
    meshes: [OnceLock<LocalMesh>; LEVELS],
}

impl Blob {
    /// The hull of balls, each a centre and a radius. Balls that are not finite are left out.
    pub fn new(balls: impl IntoIterator<Item = (DVec3, f64)>) -> Self {
        let sound =
            |&(center, radius): &(DVec3, f64)| center.is_finite() && radius.is_finite() && radius > 0.0;
        let mut balls: Vec<_> = balls.into_iter().filter(sound).collect();
        if balls.is_empty() {
            // Too small to be seen.
            balls.push((DVec3::ZERO, 1e-6));
        }
        let reach = balls.iter().map(|(center, radius)| center.length() + radius).fold(0.0, f64::max);
        let roundest = balls.iter().map(|(_, radius)| *radius).fold(0.0, f64::max);
        Self { balls, reach, roundest, meshes: Default::default() }
    }

    /// The balls.
    pub fn balls(&self) -> &[(DVec3, f64)] {
        &self.balls
    }

    /// The farthest point along a unit direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let reach = |(center, radius): &(DVec3, f64)| center.dot(direction) + radius;
        let farthest = self.balls.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)));
        farthest.map_or(DVec3::ZERO, |(center, radius)| *center + direction * *radius)
    }

    /// How far the hull reaches from its origin at most.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// The greatest radius: a mesh lies inside of the hull by a part of it.
    pub(crate) fn roundest(&self) -> f64 {
        self.roundest
    }

    /// The hull as triangles; made when first asked for.
    pub(crate) fn mesh(&self, level: usize) -> &LocalMesh {
        let level = level.min(LEVELS - 1);
        self.meshes[level].get_or_init(|| {
            let sphere = sphere(level);
            let vertices = sphere.vertices.iter().map(|d| self.support(d.as_dvec3()).as_vec3()).collect();
            let smooth = sphere.vertices.clone();
            LocalMesh { vertices, triangles: sphere.triangles.clone(), smooth, ..LocalMesh::default() }
        })
    }
}

/// A unit sphere: an icosahedron, its triangles cut into four `level` times.
fn sphere(level: usize) -> &'static LocalMesh {
    static SPHERES: [OnceLock<LocalMesh>; LEVELS] = [const { OnceLock::new() }; LEVELS];
    SPHERES[level].get_or_init(|| {
        if level > 0 {
            return cut(sphere(level - 1));
        }
        let golden = 0.5 * (1.0 + 5f32.sqrt());
        let mut vertices = Vec::new();
        for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            vertices.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
        }
        // Faces are the triples at the edge length 2 from each other, turned outwards.
        let near = |a: Vec3, b: Vec3| a.distance(b) < 2.1;
        let mut triangles = Vec::new();
        for i in 0..12 {
            for j in i + 1..12 {
                for k in j + 1..12 {
                    let [a, b, c] = [vertices[i], vertices[j], vertices[k]];
                    if near(a, b) && near(b, c) && near(c, a) {
                        let outward = (b - a).cross(c - a).dot(a) > 0.0;
                        let (j, k) = if outward { (j, k) } else { (k, j) };
                        triangles.push([i as u32, j as u32, k as u32]);
                    }
                }
            }
        }
        let vertices = vertices.into_iter().map(Vec3::normalize).collect();
        LocalMesh { vertices, triangles, ..LocalMesh::default() }
    })
}

/// Every triangle in four, new corners on the unit sphere.
fn cut(mesh: &LocalMesh) -> LocalMesh {
    let mut vertices = mesh.vertices.clone();
    let mut middles: Vec<((u32, u32), u32)> = Vec::new();
    let mut middle = |a: u32, b: u32| {
        let edge = (a.min(b), a.max(b));
        if let Some((_, known)) = middles.iter().find(|(e, _)| *e == edge) {
            return *known;
        }
        let number = vertices.len() as u32;
        vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
        middles.push((edge, number));
        number
    };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    LocalMesh { vertices, triangles, ..LocalMesh::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mesh_is_closed_convex_and_holds_its_balls() {
        let balls = [(DVec3::ZERO, 0.1), (DVec3::Z * 0.4, 0.05), (DVec3::X * 0.2, 0.03)];
        let blob = Blob::new(balls);
        for level in 0..LEVELS {
            let mesh = blob.mesh(level);
            let (v, f) = (mesh.vertices.len(), mesh.triangles.len());
            // Euler: a closed surface of triangles has two faces per corner, less four.
            assert_eq!((v, f), ([12, 42, 162, 642][level], 2 * v - 4));
            for (at, normal) in mesh.vertices.iter().zip(&mesh.smooth) {
                // The tangent plane at a corner has all balls behind it.
                let beyond =
                    |(center, radius): &(DVec3, f64)| (center.as_vec3() - *at).dot(*normal) + *radius as f32;
                assert!(blob.balls().iter().all(|b| beyond(b) < 1e-5));
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let blob = Blob::new([(DVec3::NAN, 0.1), (DVec3::ONE, f64::INFINITY), (DVec3::ONE, -1.0)]);
        assert!(blob.reach() < 1e-5 && blob.mesh(0).vertices.iter().all(|v| v.is_finite()));
    }
}
