//! Some of a picture's solids as primitives in sample coordinates, sorted into bands of rows, and the shadows they throw.

use glam::{DVec3, Mat3, Vec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;

use super::lens::{Lens, Seen};
use super::mesh::{LocalMesh, MAX_STEPS, box_into};
use super::round::Round;
use super::shadow::ShadowMap;
use super::triangle::Triangle;
use crate::blob::Blob;
use crate::camera::NEAR;
use crate::picture::{Form, Solid};

/// Solid things (0) and translucent ones (1).
pub(crate) const LAYERS: usize = 2;

/// Some of the solids.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) rounds: Vec<Round>,
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) bins: Vec<Bin>,
    casts: Vec<Cast>,
    corners: Vec<Corner>,
    scratch: LocalMesh,
}

/// Primitives that touch one band of rows.
#[derive(Default)]
pub(crate) struct Bin {
    pub(crate) rounds: [Vec<u32>; LAYERS],
    pub(crate) triangles: [Vec<u32>; LAYERS],
}

impl Bin {
    /// Whether anything of a layer is here.
    pub(crate) fn has(&self, layer: usize) -> bool {
        !self.rounds[layer].is_empty() || !self.triangles[layer].is_empty()
    }
}

/// What all solids are placed by.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) lens: &'a Lens,
    pub(super) samples: usize,
    /// Height of a band in samples.
    pub(super) band: usize,
    /// Side of the finest shadow map's texels, m.
    pub(super) texel: f64,
}

#[derive(Clone, Copy, Default)]
struct Corner {
    place: Vec3,
    depth: f32,
    seen: Seen,
    /// Of a surface without creases, times its inverse depth.
    normal: Vec3,
}

/// What throws a shadow, as seen from the eye.
#[derive(Clone, Copy)]
enum Cast {
    Round(Vec3, Vec3, f32),
    /// A triangle, and whether it belongs to a closed surface.
    Triangle([Vec3; 3], bool),
}

impl Part {
    /// Forgets what was there.
    pub(super) fn start(&mut self, bands: usize) {
        self.casts.clear();
        self.rounds.clear();
        self.triangles.clear();
        self.bins.resize_with(bands, Bin::default);
        for bin in &mut self.bins {
            bin.rounds.iter_mut().chain(&mut bin.triangles).for_each(Vec::clear);
        }
    }

    /// Adds a solid, its mesh where it has one that is kept.
    pub(super) fn add_solid(
        &mut self,
        solid: &Solid,
        mesh: Option<&LocalMesh>,
        frame: &Frame<'_>,
        material: u32,
    ) {
        let lens = frame.lens;
        let layer = usize::from(solid.paint.alpha < 1.0);
        let world = &solid.world_from_shape;
        let casts = solid.paint.casts_shadow;
        let shape = match &solid.form {
            Form::Shape(shape) => shape,
            Form::Blob(blob) => {
                let level = fineness(blob, lens, world, frame.samples);
                self.add_mesh(blob.mesh(level), world, frame, material, layer);
                if casts {
                    // Corners of a coarse hull are the first of a finer; shadows have soft edges.
                    self.cast_mesh(blob.mesh(level.min(shadow_fineness(blob, frame.texel))), true);
                }
                return;
            }
        };
        match shape {
            Shape::Sphere { radius } => {
                let center = lens.relative(world.translation);
                self.add_round(frame, center, center, *radius, material, layer);
                if casts {
                    self.casts.push(Cast::Round(center, center, *radius as f32));
                }
            }
            Shape::Capsule { radius, half_length } => {
                let arm = world.rotation.z_axis * *half_length;
                let (start, end) =
                    (lens.relative(world.translation - arm), lens.relative(world.translation + arm));
                self.add_round(frame, start, end, *radius, material, layer);
                if casts {
                    self.casts.push(Cast::Round(start, end, *radius as f32));
                }
            }
            // All rows of a picture may show it.
            Shape::Plane => {}
            Shape::Box { half_extents, rounding } => {
                let mut mesh = std::mem::take(&mut self.scratch);
                let steps = strips(lens, world, *half_extents, *rounding, frame.samples);
                box_into(&mut mesh, *half_extents, *rounding, steps);
                self.add_mesh(&mesh, world, frame, material, layer);
                if casts {
                    self.cast_mesh(&mesh, true);
                }
                self.scratch = mesh;
            }
            Shape::Hull(_) | Shape::Heightfield(_) | Shape::Mesh(_) => {
                let Some(mesh) = mesh else { return };
                self.add_mesh(mesh, world, frame, material, layer);
                if casts && !matches!(shape, Shape::Heightfield(_)) {
                    self.cast_mesh(mesh, matches!(shape, Shape::Hull(_)));
                }
            }
        }
    }

    fn add_round(
        &mut self,
        frame: &Frame<'_>,
        start: Vec3,
        end: Vec3,
        radius: f64,
        material: u32,
        layer: usize,
    ) {
        if let Some(round) = Round::new(frame.lens, start, end, radius as f32, material) {
            let number = self.rounds.len() as u32;
            for bin in &mut self.bins[round.rows.0 / frame.band..round.rows.1.div_ceil(frame.band)] {
                bin.rounds[layer].push(number);
            }
            self.rounds.push(round);
        }
    }

    /// Places the vertices into `corners`, then adds every front face.
    pub(super) fn add_mesh(
        &mut self,
        mesh: &LocalMesh,
        world: &Transform,
        frame: &Frame<'_>,
        material: u32,
        layer: usize,
    ) {
        let (lens, band) = (frame.lens, frame.band);
        let turn: Mat3 = world.rotation.as_mat3();
        let shift = lens.relative(world.translation);
        self.corners.clear();
        self.corners.extend(mesh.vertices.iter().enumerate().map(|(k, &v)| {
            let place = turn * v + shift;
            let depth = lens.depth(place);
            let seen = if depth > NEAR as f32 { lens.project(place) } else { Seen::default() };
            let normal = mesh.smooth.get(k).map_or(Vec3::ZERO, |&n| turn * n * seen.w);
            Corner { place, depth, seen, normal }
        }));
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            let corners = triangle.map(|i| self.corners[i as usize]);
            let [a, b, c] = corners.map(|corner| corner.place);
            let flat = (b - a).cross(c - a);
            if flat.dot(a) >= 0.0 {
                continue;
            }
            let behind = corners.iter().filter(|corner| corner.depth <= NEAR as f32).count();
            let turned = || {
                let smooth = (!mesh.smooth.is_empty()).then(|| triangle.map(|i| mesh.smooth[i as usize]));
                mesh.normals.get(number).copied().or(smooth).map(|n| n.map(|n| turn * n))
            };
            if behind == 0 {
                let seen = corners.map(|corner| corner.seen);
                let normals = if mesh.smooth.is_empty() {
                    turned().map(|n| [n[0] * seen[0].w, n[1] * seen[1].w, n[2] * seen[2].w])
                } else {
                    Some(corners.map(|corner| corner.normal))
                };
                self.push_triangle(Triangle::new(lens, seen, normals, flat, material), layer, band);
            } else if behind < 3 {
                self.add_clipped(lens, corners, turned(), flat, material, layer, band);
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
            let smooth = normals.map(|_| part.map(|(seen, n)| n * seen.w));
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

    /// Fills a map with the shadows of its solids.
    pub(super) fn cast_into(&self, map: &mut ShadowMap) {
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
    let depth = f64::from(lens.depth(lens.relative(world.translation))) - blob.reach();
    // The edges of hulls of 12, 42 and 162 corners lie 0.2, 0.05 or 0.01 of the greatest radius inside: less than a pixel.
    match blob.roundest() * f64::from(lens.focal) / (depth.max(0.1) * samples as f64) {
        pixels if pixels < 4.0 => 0,
        pixels if pixels < 18.0 => 1,
        pixels if pixels < 80.0 => 2,
        _ => 3,
    }
}

/// How fine a smooth body throws its shadow: so that what an edge lies inside, as above, is half a texel at most.
fn shadow_fineness(blob: &Blob, texel: f64) -> usize {
    usize::from(0.2 * blob.roundest() > 0.5 * texel)
}
