//! Triangles made from shapes: boxes (rounded ones too), hulls, heightfields and meshes.
//!
//! Shapes behind an `Arc` are cut once and kept; boxes are cheap enough to be made anew for every picture.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use stuntlab_physics::model::shape::{Heightfield, Hull, Shape, TriangleMesh};

/// Triangles in the shape's frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalMesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Normal at each corner of each triangle; empty for flat faces, or where it is one per vertex.
    pub(crate) normals: Vec<[Vec3; 3]>,
    /// Normal at each vertex of a surface without creases, else empty.
    pub(crate) smooth: Vec<Vec3>,
}

/// Pictures after which a mesh nobody asked for is dropped.
const PATIENCE: u64 = 240;

/// Meshes of the shapes seen lately.
#[derive(Default)]
pub(crate) struct MeshCache {
    entries: Vec<Entry>,
    clock: u64,
}

struct Entry {
    source: Source,
    mesh: Arc<LocalMesh>,
    used: u64,
}

/// Keeps the shape alive, so that its address stays its own.
enum Source {
    Hull(Arc<Hull>),
    Heightfield(Arc<Heightfield>),
    Mesh(Arc<TriangleMesh>),
}

impl Source {
    fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Hull(hull) => Some(Self::Hull(hull.clone())),
            Shape::Heightfield(field) => Some(Self::Heightfield(field.clone())),
            Shape::Mesh(mesh) => Some(Self::Mesh(mesh.clone())),
            _ => None,
        }
    }

    fn is(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Self::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b),
            (Self::Heightfield(a), Shape::Heightfield(b)) => Arc::ptr_eq(a, b),
            (Self::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn cut(&self) -> LocalMesh {
        match self {
            Self::Hull(hull) => from_hull(hull),
            Self::Heightfield(field) => from_heightfield(field),
            Self::Mesh(mesh) => from_mesh(mesh),
        }
    }
}

impl MeshCache {
    /// A new picture begins: forgets what has long not been used.
    pub(crate) fn tick(&mut self) {
        self.clock += 1;
        let oldest = self.clock.saturating_sub(PATIENCE);
        self.entries.retain(|entry| entry.used >= oldest);
    }

    /// The triangles of a hull, heightfield or mesh; `None` for other shapes.
    pub(crate) fn get(&mut self, shape: &Shape) -> Option<Arc<LocalMesh>> {
        let clock = self.clock;
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.source.is(shape)) {
            entry.used = clock;
            return Some(entry.mesh.clone());
        }
        let source = Source::of(shape)?;
        let mesh = Arc::new(source.cut());
        self.entries.push(Entry { source, mesh: mesh.clone(), used: clock });
        Some(mesh)
    }
}

/// A box with sharp edges (`steps` 0) or rounded ones cut into `steps` (at most `MAX_STEPS`) strips per half
/// edge.
pub(crate) fn box_into(mesh: &mut LocalMesh, half_extents: DVec3, rounding: f64, steps: usize) {
    let steps = steps.min(MAX_STEPS);
    mesh.vertices.clear();
    mesh.triangles.clear();
    mesh.normals.clear();
    mesh.smooth.clear();
    let half = half_extents.as_vec3();
    let radius = (rounding as f32).min(half.min_element()).max(0.0);
    let (core, radius) = if steps == 0 { (half, 0.0) } else { (half - Vec3::splat(radius), radius) };
    // Along a face: strips of the first edge, the flat middle, strips of the second edge.
    let stations = 2 * (steps + 1);
    let station = |i: usize| {
        let (side, k) = if i <= steps { (-1.0, steps - i) } else { (1.0, i - steps - 1) };
        let slope =
            if steps == 0 { 0.0 } else { (k as f32 / steps as f32 * 0.25 * std::f32::consts::PI).tan() };
        (side, side * slope)
    };
    for axis in 0..3 {
        for sign in [1.0f32, -1.0] {
            let mut n = Vec3::ZERO;
            n[axis] = sign;
            let mut u = Vec3::ZERO;
            u[(axis + 1) % 3] = 1.0;
            let v = n.cross(u);
            let base = mesh.vertices.len() as u32;
            let mut face_normals = [[Vec3::ZERO; 2 * (MAX_STEPS + 1)]; 2 * (MAX_STEPS + 1)];
            for j in 0..stations {
                for i in 0..stations {
                    let ((su, tu), (sv, tv)) = (station(i), station(j));
                    let direction = (n + u * tu + v * tv).normalize();
                    let corner = (n + u * su + v * sv) * core;
                    mesh.vertices.push(corner + direction * radius);
                    face_normals[j][i] = direction;
                }
            }
            let m = stations as u32;
            for j in 0..m - 1 {
                for i in 0..m - 1 {
                    let quad = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                    for pick in [[0, 1, 2], [0, 2, 3]] {
                        mesh.triangles.push(pick.map(|k: usize| base + quad[k].1 * m + quad[k].0));
                        if steps > 0 {
                            let normal = |k: usize| face_normals[quad[k].1 as usize][quad[k].0 as usize];
                            mesh.normals.push(pick.map(normal));
                        }
                    }
                }
            }
        }
    }
}

/// Most strips `box_into` is asked for.
pub(crate) const MAX_STEPS: usize = 4;

fn from_hull(hull: &Hull) -> LocalMesh {
    let fan = |face: &[u32]| -> Vec<[u32; 3]> {
        (2..face.len()).map(|k| [face[0], face[k - 1], face[k]]).collect()
    };
    let triangles = hull.faces().flat_map(fan).collect();
    LocalMesh { vertices: to_f32(hull.vertices()), triangles, ..LocalMesh::default() }
}

fn from_heightfield(field: &Heightfield) -> LocalMesh {
    let (columns, rows, spacing) = (field.columns(), field.rows(), field.spacing());
    let height = |i: usize, j: usize| field.heights()[j * columns + i];
    let mut vertices = Vec::with_capacity(columns * rows);
    let mut slopes = Vec::with_capacity(columns * rows);
    for j in 0..rows {
        for i in 0..columns {
            vertices.push(field.sample(i, j).as_vec3());
            // Normal from central differences, one-sided at the rim.
            let (i0, i1) = (i.saturating_sub(1), (i + 1).min(columns - 1));
            let (j0, j1) = (j.saturating_sub(1), (j + 1).min(rows - 1));
            let dx = (height(i1, j) - height(i0, j)) / ((i1 - i0) as f64 * spacing);
            let dy = (height(i, j1) - height(i, j0)) / ((j1 - j0) as f64 * spacing);
            slopes.push(DVec3::new(-dx, -dy, 1.0).normalize_or(DVec3::Z).as_vec3());
        }
    }
    let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let [a, b, c, d] =
                [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| (j * columns + i) as u32);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    LocalMesh { vertices, triangles, smooth: slopes, ..LocalMesh::default() }
}

/// Faces that meet at less than this angle (its cosine) are shaded as one smooth surface.
const CREASE: f32 = 0.77;

fn from_mesh(mesh: &TriangleMesh) -> LocalMesh {
    let vertices = to_f32(mesh.vertices());
    let triangles = mesh.triangles().to_vec();
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        (b - a).cross(c - a)
    };
    let faces: Vec<Vec3> = triangles.iter().map(face).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
    for (number, triangle) in triangles.iter().enumerate() {
        for &vertex in triangle {
            around[vertex as usize].push(number as u32);
        }
    }
    let normals = triangles
        .iter()
        .zip(&faces)
        .map(|(triangle, own)| {
            let unit = own.normalize_or_zero();
            triangle.map(|vertex| {
                let smooth = |&&f: &&u32| faces[f as usize].normalize_or_zero().dot(unit) > CREASE;
                let sum: Vec3 =
                    around[vertex as usize].iter().filter(smooth).map(|&f| faces[f as usize]).sum();
                sum.try_normalize().unwrap_or(unit)
            })
        })
        .collect();
    LocalMesh { vertices, triangles, normals, ..LocalMesh::default() }
}

fn to_f32(points: &[DVec3]) -> Vec<Vec3> {
    points.iter().map(|p| p.as_vec3()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &LocalMesh) -> f32 {
        let corner = |t: &[u32; 3]| t.map(|i| mesh.vertices[i as usize]);
        mesh.triangles.iter().map(corner).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn boxes_are_closed_and_face_outwards() {
        let mut mesh = LocalMesh::default();
        box_into(&mut mesh, DVec3::new(0.5, 1.0, 1.5), 0.2, 0);
        assert!((volume(&mesh) - 6.0).abs() < 1e-5);
        assert_eq!(mesh.triangles.len(), 12);
        // Rounded: volume of the core, its slabs, quarter cylinders and one ball.
        let (r, core) = (0.2f32, Vec3::new(0.3, 0.8, 1.3));
        let slabs = 8.0 * r * (core.x * core.y + core.y * core.z + core.z * core.x);
        let rods = std::f32::consts::PI * r * r * 2.0 * (core.x + core.y + core.z);
        let ball = 4.0 / 3.0 * std::f32::consts::PI * r.powi(3);
        let exact = 8.0 * core.x * core.y * core.z + slabs + rods + ball;
        box_into(&mut mesh, DVec3::new(0.5, 1.0, 1.5), 0.2, MAX_STEPS);
        assert!((volume(&mesh) - exact).abs() < 0.01 * exact, "{} {exact}", volume(&mesh));
    }

    #[test]
    fn hulls_are_closed_and_face_outwards() {
        let hull = Hull::from_box(DVec3::new(0.5, 1.0, 1.5)).unwrap();
        assert!((volume(&from_hull(&hull)) - 6.0).abs() < 1e-5);
    }

    #[test]
    fn a_level_field_is_two_triangles_per_cell_that_look_up() {
        let mesh = from_heightfield(&Heightfield::new(3, 4, 1.0, vec![0.2; 12]).unwrap());
        assert_eq!(mesh.triangles.len(), 12);
        assert!(mesh.smooth.iter().all(|n| n.abs_diff_eq(Vec3::Z, 1e-6)));
    }

    #[test]
    fn the_cache_cuts_a_shape_once() {
        let mesh = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        let shape = Shape::Mesh(Arc::new(mesh));
        let mut cache = MeshCache::default();
        let first = cache.get(&shape).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.get(&shape).unwrap()));
        for _ in 0..=PATIENCE + 1 {
            cache.tick();
        }
        assert!(cache.entries.is_empty());
        assert!(cache.get(&Shape::Plane).is_none());
    }
}
