//! From a picture to primitives in sample coordinates, sorted into bands of rows.
//!
//! Grounds come first and apart from the rest, as those a standing camera sees need not be drawn again. The rest is dealt out to a
//! fixed number of parts, each on its own: which thread makes which part changes nothing.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use stuntlab_physics::model::shape::Shape;

use super::lens::Lens;
use super::mesh::{LocalMesh, MeshCache};
use super::overlay::OverlayList;
use super::part::{Frame, Part};
use super::pattern::{CONTOUR, Grid};
use super::shade::Material;
use super::shadow::ShadowMap;
use super::triangle::Plane;
use super::wire::for_each_edge;
use crate::picture::{Form, Picture, Solid, Stroke};

/// Parts that solids are dealt out to: enough to keep a few threads busy.
const PARTS: usize = 8;

/// Everything a band needs to know of the picture.
#[derive(Default)]
pub(crate) struct Setup {
    /// Those of grounds first.
    pub(crate) materials: Vec<Material>,
    /// Materials of grounds.
    pub(crate) grounds: usize,
    pub(crate) ground: Part,
    pub(crate) ground_planes: Vec<Plane>,
    pub(crate) parts: [Part; PARTS],
    /// Translucent planes.
    pub(crate) planes: Vec<Plane>,
    pub(crate) overlays: OverlayList,
    /// Overlays by band.
    pub(crate) marks: Vec<Vec<u32>>,
    cache: MeshCache,
    meshes: Vec<Option<Arc<LocalMesh>>>,
}

/// Planes and heightfields that hide what is behind them.
pub(crate) fn is_ground(solid: &Solid) -> bool {
    let ground = matches!(solid.form, Form::Shape(Shape::Plane | Shape::Heightfield(_)));
    ground && solid.paint.alpha >= 1.0 && !solid.paint.wireframe
}

impl Setup {
    /// Prepares a picture; `band` is the height of a band in samples, `texel` the side of the finest shadow map's texels in metres.
    /// Grounds are left out where what is seen of them is `known`.
    pub(crate) fn prepare(
        &mut self,
        picture: &Picture,
        lens: &Lens,
        samples: usize,
        band: usize,
        texel: f64,
        known: bool,
    ) {
        let frame = Frame { lens, samples, band, texel };
        self.cache.tick();
        self.materials.clear();
        self.ground.start(lens.height.div_ceil(band));
        self.ground_planes.clear();
        self.planes.clear();
        self.overlays.clear();
        for solid in picture.solids.iter().filter(|s| is_ground(s)) {
            let material = self.materials.len() as u32;
            self.materials.push(Material::new(&solid.paint, grid_of(solid, lens)));
            let mesh = match &solid.form {
                Form::Shape(shape) => self.cache.get(shape),
                Form::Blob(_) => None,
            };
            match mesh {
                _ if known => {}
                Some(mesh) => {
                    self.ground.add_mesh(&mesh, &solid.world_from_shape, &frame, material, 0);
                }
                None => self.ground_planes.extend(plane_of(solid, lens, material)),
            }
        }
        self.grounds = self.materials.len();
        self.meshes.clear();
        for solid in &picture.solids {
            let seen = !is_ground(solid) && !solid.paint.wireframe && solid.paint.alpha > 0.0;
            self.meshes.push(match &solid.form {
                Form::Shape(shape) if seen => self.cache.get(shape),
                _ => None,
            });
            if solid.paint.wireframe {
                self.add_wireframe(solid, lens, samples);
            }
            if let Form::Shape(Shape::Plane) = solid.form
                && seen
            {
                self.planes.extend(plane_of(solid, lens, self.materials.len() as u32));
            }
            // One for every solid, so that its number follows from its place.
            self.materials.push(Material::new(&solid.paint, grid_of(solid, lens)));
        }
        self.overlays.add_marks(picture, lens, samples);
        self.marks.resize_with(lens.height.div_ceil(band), Vec::new);
        self.marks.iter_mut().for_each(Vec::clear);
        for (number, item) in self.overlays.items.iter().enumerate() {
            for marks in &mut self.marks[item.rows.0 / band..item.rows.1.div_ceil(band)] {
                marks.push(number as u32);
            }
        }
        let (meshes, grounds) = (&self.meshes, self.grounds);
        let each = picture.solids.len().div_ceil(PARTS).max(1);
        self.parts.par_iter_mut().enumerate().for_each(|(number, part)| {
            part.start(lens.height.div_ceil(band));
            let solids = picture.solids.iter().zip(meshes).enumerate();
            for (place, (solid, mesh)) in solids.skip(number * each).take(each) {
                if !is_ground(solid) && !solid.paint.wireframe && solid.paint.alpha > 0.0 {
                    part.add_solid(solid, mesh.as_deref(), &frame, (grounds + place) as u32);
                }
            }
        });
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

    /// Fills a map with the shadows of all there is.
    pub(crate) fn cast_into(&self, map: &mut ShadowMap) {
        self.parts.iter().for_each(|part| part.cast_into(map));
    }
}

fn plane_of(solid: &Solid, lens: &Lens, material: u32) -> Option<Plane> {
    let world = &solid.world_from_shape;
    Plane::new(world.rotation.z_axis.as_vec3(), lens.relative(world.translation), material)
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
