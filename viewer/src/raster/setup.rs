//! From a picture to primitives in sample coordinates, sorted into bands of rows.

use glam::{DVec3, Mat3, Vec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;

use super::lens::{Lens, Seen};
use super::mesh::{LocalMesh, MAX_STEPS, MeshCache, box_into};
use super::overlay::OverlayList;
use super::round::Round;
use super::shade::{CONTOUR, Grid, Material};
use super::shadow::ShadowMap;
use super::triangle::{Plane, Triangle};
use super::wire::for_each_edge;
use crate::blob::Blob;
use crate::camera::NEAR;
use crate::picture::{Form, Picture, Solid, Stroke};

/// Solid things (0) and translucent ones (1).
pub(crate) const LAYERS: usize = 2;

/// Everything a band needs to know of the picture.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) materials: Vec<Material>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) planes: [Vec<Plane>; LAYERS],
    pub(crate) overlays: OverlayList,
    pub(crate) bins: Vec<Bin>,
    pub(crate) cache: MeshCache,
    corners: Vec<Corner>,
    scratch: LocalMesh,
    casts: Vec<Cast>,
}

/// Primitives that touch one band of rows.
#[derive(Default)]
pub(crate) struct Bin {
    pub(crate) rounds: [Vec<u32>; LAYERS],
    pub(crate) triangles: [Vec<u32>; LAYERS],
    pub(crate) overlays: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct Corner {
    place: Vec3,
    depth: f32,
    seen: Seen,
}

/// What throws a shadow, as seen from the eye.
#[derive(Clone, Copy)]
enum Cast {
    Round(Vec3, Vec3, f32),
    /// A triangle, and whether it belongs to a closed surface.
    Triangle([Vec3; 3], bool),
}

impl Setup {
    /// Prepares a picture; `band` is the height of a band in samples.
    pub(crate) fn prepare(&mut self, picture: &Picture, lens: &Lens, samples: usize, band: usize) {
        self.casts.clear();
        self.materials.clear();
        self.rounds.clear();
        self.triangles.clear();
        self.planes.iter_mut().for_each(Vec::clear);
        self.overlays.clear();
        self.cache.tick();
        self.bins.resize_with(lens.height.div_ceil(band), Bin::default);
        for bin in &mut self.bins {
            bin.rounds.iter_mut().chain(&mut bin.triangles).for_each(Vec::clear);
            bin.overlays.clear();
        }
        for solid in &picture.solids {
            if solid.paint.wireframe {
                self.add_wireframe(solid, lens, samples);
            } else if solid.paint.alpha > 0.0 {
                self.add_solid(solid, lens, samples, band);
            }
        }
        self.overlays.add_marks(picture, lens, samples);
        for (number, item) in self.overlays.items.iter().enumerate() {
            for bin in &mut self.bins[item.rows.0 / band..item.rows.1.div_ceil(band)] {
                bin.overlays.push(number as u32);
            }
        }
    }

    fn add_wireframe(&mut self, solid: &Solid, lens: &Lens, samples: usize) {
        let stroke = Stroke::new(solid.paint.color, 1.2).with_alpha(solid.paint.alpha);
        let overlays = &mut self.overlays;
        let mut edge = |a: DVec3, b: DVec3| {
            let [a, b] = [a, b].map(|p| lens.relative(solid.world_from_shape.transform_point(p)));
            overlays.add_segment(lens, a, b, &stroke, samples);
        };
        match &solid.form {
            Form::Shape(shape) => {
                let mesh = self.cache.get(shape);
                for_each_edge(shape, mesh.as_deref(), edge);
            }
            Form::Blob(blob) => {
                let mesh = blob.mesh(1);
                for [a, b, c] in
                    mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i as usize].as_dvec3()))
                {
                    // Each edge belongs to two faces; one way round is enough.
                    for (a, b) in [(a, b), (b, c), (c, a)] {
                        if (a.x, a.y, a.z) < (b.x, b.y, b.z) {
                            edge(a, b);
                        }
                    }
                }
            }
        }
    }

    fn add_solid(&mut self, solid: &Solid, lens: &Lens, samples: usize, band: usize) {
        let material = self.materials.len() as u32;
        self.materials.push(Material::new(&solid.paint, grid_of(solid, lens)));
        let layer = usize::from(solid.paint.alpha < 1.0);
        let world = &solid.world_from_shape;
        let casts = solid.paint.casts_shadow;
        let shape = match &solid.form {
            Form::Shape(shape) => shape,
            Form::Blob(blob) => {
                let level = fineness(blob, lens, world, samples);
                self.add_mesh(blob.mesh(level), world, lens, material, layer, band);
                if casts {
                    // Corners of a coarse hull are the first of a finer; shadows have soft edges.
                    self.cast_mesh(blob.mesh(level.min(1)), true);
                }
                return;
            }
        };
        match shape {
            Shape::Sphere { radius } => {
                let center = lens.relative(world.translation);
                self.add_round(lens, center, center, *radius, material, layer, band);
                if casts {
                    self.casts.push(Cast::Round(center, center, *radius as f32));
                }
            }
            Shape::Capsule { radius, half_length } => {
                let arm = world.rotation.z_axis * *half_length;
                let (start, end) =
                    (lens.relative(world.translation - arm), lens.relative(world.translation + arm));
                self.add_round(lens, start, end, *radius, material, layer, band);
                if casts {
                    self.casts.push(Cast::Round(start, end, *radius as f32));
                }
            }
            Shape::Plane => {
                let normal = world.rotation.z_axis.as_vec3();
                let plane = Plane::new(normal, lens.relative(world.translation), material);
                self.planes[layer].extend(plane);
            }
            Shape::Box { half_extents, rounding } => {
                let mut mesh = std::mem::take(&mut self.scratch);
                let steps = strips(lens, world, *half_extents, *rounding, samples);
                box_into(&mut mesh, *half_extents, *rounding, steps);
                self.add_mesh(&mesh, world, lens, material, layer, band);
                if casts {
                    self.cast_mesh(&mesh, true);
                }
                self.scratch = mesh;
            }
            Shape::Hull(_) | Shape::Heightfield(_) | Shape::Mesh(_) => {
                let Some(mesh) = self.cache.get(shape) else { return };
                self.add_mesh(&mesh, world, lens, material, layer, band);
                if casts && !matches!(shape, Shape::Heightfield(_)) {
                    self.cast_mesh(&mesh, matches!(shape, Shape::Hull(_)));
                }
            }
        }
    }

    fn add_round(
        &mut self,
        lens: &Lens,
        start: Vec3,
        end: Vec3,
        radius: f64,
        material: u32,
        layer: usize,
        band: usize,
    ) {
        if let Some(round) = Round::new(lens, start, end, radius as f32, material) {
            let number = self.rounds.len() as u32;
            for bin in &mut self.bins[round.rows.0 / band..round.rows.1.div_ceil(band)] {
                bin.rounds[layer].push(number);
            }
            self.rounds.push(round);
        }
    }

    /// Places the vertices into `corners`, then adds every front face.
    fn add_mesh(
        &mut self,
        mesh: &LocalMesh,
        world: &Transform,
        lens: &Lens,
        material: u32,
        layer: usize,
        band: usize,
    ) {
        let turn: Mat3 = world.rotation.as_mat3();
        let shift = lens.relative(world.translation);
        self.corners.clear();
        self.corners.extend(mesh.vertices.iter().map(|&v| {
            let place = turn * v + shift;
            let depth = lens.depth(place);
            let seen = if depth > NEAR as f32 { lens.project(place) } else { Seen::default() };
            Corner { place, depth, seen }
        }));
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let corners = triangle.map(|i| self.corners[i as usize]);
            let [a, b, c] = corners.map(|corner| corner.place);
            let flat = (b - a).cross(c - a);
            if flat.dot(a) >= 0.0 {
                continue;
            }
            let normals = mesh.normals.get(number).map(|n| n.map(|n| turn * n));
            let behind = corners.iter().filter(|corner| corner.depth <= NEAR as f32).count();
            if behind == 0 {
                let seen = corners.map(|corner| corner.seen);
                self.push_triangle(Triangle::new(lens, seen, normals, flat, material), layer, band);
            } else if behind < 3 {
                self.add_clipped(lens, corners, normals, flat, material, layer, band);
            }
        }
    }

    /// A triangle reaching behind the eye: cut at the near plane into one or two.
    fn add_clipped(
        &mut self,
        lens: &Lens,
        corners: [Corner; 3],
        normals: Option<[Vec3; 3]>,
        flat: Vec3,
        material: u32,
        layer: usize,
        band: usize,
    ) {
        let near = NEAR as f32 * 1.001;
        let mut kept = [(Seen::default(), Vec3::ZERO); 4];
        let mut count = 0;
        let normal = |i: usize| normals.map_or(flat, |n| n[i]);
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (p, q) = (corners[i], corners[j]);
            if p.depth > near {
                kept[count] = (p.seen, normal(i));
                count += 1;
            }
            if (p.depth > near) != (q.depth > near) {
                let k = (near - p.depth) / (q.depth - p.depth);
                kept[count] = (lens.project(p.place.lerp(q.place, k)), normal(i).lerp(normal(j), k));
                count += 1;
            }
        }
        for k in 2..count {
            let part = [kept[0], kept[k - 1], kept[k]];
            let smooth = normals.map(|_| part.map(|(_, n)| n));
            let triangle = Triangle::new(lens, part.map(|(seen, _)| seen), smooth, flat, material);
            self.push_triangle(triangle, layer, band);
        }
    }

    fn push_triangle(&mut self, triangle: Option<Triangle>, layer: usize, band: usize) {
        if let Some(triangle) = triangle {
            let number = self.triangles.len() as u32;
            for bin in &mut self.bins[triangle.rows.0 / band..triangle.rows.1.div_ceil(band)] {
                bin.triangles[layer].push(number);
            }
            self.triangles.push(triangle);
        }
    }

    /// Throws the shadow of the mesh whose vertices `add_mesh` has just placed.
    fn cast_mesh(&mut self, mesh: &LocalMesh, closed: bool) {
        let place = |i: u32| self.corners[i as usize].place;
        let triangles = mesh.triangles.iter().map(|t| Cast::Triangle(t.map(place), closed));
        self.casts.extend(triangles);
    }

    /// Fills a map with the shadows of all there is.
    pub(crate) fn cast_into(&self, map: &mut ShadowMap) {
        for cast in &self.casts {
            match *cast {
                Cast::Round(start, end, radius) => map.add_round(start, end, radius),
                Cast::Triangle(corners, closed) => map.add_triangle(corners, closed),
            }
        }
    }
}

/// Strips per rounded half edge: as many as can be told apart on the screen.
fn strips(lens: &Lens, world: &Transform, half_extents: DVec3, rounding: f64, samples: usize) -> usize {
    let depth = f64::from(lens.depth(lens.relative(world.translation))) - half_extents.length();
    let pixels = rounding * f64::from(lens.focal) / (depth.max(0.1) * samples as f64);
    match pixels {
        p if rounding <= 0.0 || p.is_nan() || p < 0.7 => 0,
        p if p < 4.0 => 1,
        p if p < 12.0 => 2,
        _ => MAX_STEPS,
    }
}

/// How fine a smooth body is cut: so that its corners do not show on the screen.
fn fineness(blob: &Blob, lens: &Lens, world: &Transform, samples: usize) -> usize {
    let reach = blob.reach();
    let depth = f64::from(lens.depth(lens.relative(world.translation))) - reach;
    match reach * f64::from(lens.focal) / (depth.max(0.1) * samples as f64) {
        // An edge of a ball of 12, 42 or 162 corners lies 0.2, 0.05 or 0.01 of its radius inside, the balls are a third of the whole.
        pixels if pixels < 16.0 => 0,
        pixels if pixels < 64.0 => 1,
        pixels if pixels < 200.0 => 2,
        _ => 3,
    }
}

/// The ground pattern's axes as seen from the eye; the eye's own place is reduced to two fields in f64.
fn grid_of(solid: &Solid, lens: &Lens) -> Option<Grid> {
    let ground = matches!(solid.form, Form::Shape(Shape::Plane | Shape::Heightfield(_)));
    (ground && solid.paint.grid > 0.0).then(|| {
        let world = &solid.world_from_shape;
        let (u, v) = (world.rotation.x_axis / solid.paint.grid, world.rotation.y_axis / solid.paint.grid);
        let eye = lens.eye - world.translation;
        let uneven = matches!(solid.form, Form::Shape(Shape::Heightfield(_)));
        let up = world.rotation.z_axis / CONTOUR;
        Grid {
            u: u.as_vec3(),
            v: v.as_vec3(),
            offset: ((eye.dot(u) % 2.0) as f32, (eye.dot(v) % 2.0) as f32),
            rise: uneven.then(|| (up.as_vec3(), eye.dot(up) as f32)),
        }
    })
}
