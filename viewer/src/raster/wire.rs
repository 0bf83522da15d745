//! Edges of shapes for wireframe painting.

use std::f64::consts::TAU;

use glam::DVec3;
use stuntlab_physics::model::shape::Shape;

use super::mesh::LocalMesh;

const FACETS: usize = 32;

/// Calls `edge` with every line of a shape's wireframe, in the shape's frame. `mesh` holds the triangles of
/// hulls, heightfields and meshes.
pub(crate) fn for_each_edge(shape: &Shape, mesh: Option<&LocalMesh>, mut edge: impl FnMut(DVec3, DVec3)) {
    match shape {
        Shape::Sphere { radius } => {
            for (u, v) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::Z), (DVec3::Z, DVec3::X)] {
                arc(DVec3::ZERO, u * *radius, v * *radius, FACETS, &mut edge);
            }
        }
        Shape::Capsule { radius, half_length } => {
            let top = DVec3::Z * *half_length;
            let (x, y, z) = (DVec3::X * *radius, DVec3::Y * *radius, DVec3::Z * *radius);
            for end in [top, -top] {
                arc(end, x, y, FACETS, &mut edge);
                let tip = if end.z >= 0.0 { z } else { -z };
                arc(end, x, tip, FACETS / 2, &mut edge);
                arc(end, y, tip, FACETS / 2, &mut edge);
            }
            for side in [x, -x, y, -y] {
                edge(top + side, side - top);
            }
        }
        Shape::Box { half_extents: h, .. } => {
            let corner = |i: usize| {
                let pick = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                DVec3::new(h.x * pick(0), h.y * pick(1), h.z * pick(2))
            };
            for i in 0..8 {
                for bit in (0..3).filter(|bit| i >> bit & 1 == 0) {
                    edge(corner(i), corner(i | 1 << bit));
                }
            }
        }
        Shape::Hull(hull) => {
            let n = hull.vertices().len() as u32;
            for face in hull.faces().filter(|face| face.iter().all(|&i| i < n)) {
                for (i, &a) in face.iter().enumerate() {
                    let b = face[(i + 1) % face.len()];
                    if a < b {
                        edge(hull.vertices()[a as usize], hull.vertices()[b as usize]);
                    }
                }
            }
        }
        Shape::Plane => {
            for i in -10..=10 {
                let s = f64::from(i);
                edge(DVec3::new(s, -10.0, 0.0), DVec3::new(s, 10.0, 0.0));
                edge(DVec3::new(-10.0, s, 0.0), DVec3::new(10.0, s, 0.0));
            }
        }
        Shape::Heightfield(_) | Shape::Mesh(_) => {
            let Some(mesh) = mesh else { return };
            for t in &mesh.triangles {
                for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                    // An inner edge comes twice, once each way; an open one may come only backwards.
                    if a < b || matches!(shape, Shape::Mesh(_)) {
                        edge(mesh.vertices[a as usize].as_dvec3(), mesh.vertices[b as usize].as_dvec3());
                    }
                }
            }
        }
    }
}

/// `count` of 32 facets of the ellipse `center + u·cos + v·sin`.
fn arc(center: DVec3, u: DVec3, v: DVec3, count: usize, edge: &mut impl FnMut(DVec3, DVec3)) {
    let point = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / FACETS as f64).sin_cos();
        center + u * cos + v * sin
    };
    for i in 0..count {
        edge(point(i), point(i + 1));
    }
}
