//! Things to throw in the window: balls and crates that wait out of the way.

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};

use super::Scene;
use super::body::BodyItem;

impl Scene {
    /// Names of the spare things, to which a number is added.
    pub(crate) const SPARES: [&'static str; 2] = ["spare-ball", "spare-crate"];
    /// How many of each there are.
    pub(crate) const SPARES_EACH: usize = 6;

    /// Adds parked balls and crates. Nothing touches them until they are thrown.
    pub(crate) fn add_spares(&mut self) {
        const MASS: f64 = 6.0;
        let (radius, half) = (0.12, DVec3::splat(0.13));
        let kinds = [
            (Shape::Sphere { radius }, Inertia::solid_sphere(MASS, radius)),
            (Shape::Box { half_extents: half, rounding: 0.0 }, Inertia::solid_box(MASS, half)),
        ];
        for (kind, (name, (shape, inertia))) in Self::SPARES.into_iter().zip(kinds).enumerate() {
            for k in 0..Self::SPARES_EACH {
                self.bodies.push(BodyItem {
                    name: format!("{name}-{k}"),
                    line: 0,
                    shape: shape.clone(),
                    inertia,
                    material: Material { rolling: 0.002, ..Material::default() },
                    world_from_shape: Transform::from_translation(DVec3::new(k as f64, kind as f64, 500.0)),
                    velocity: DVec3::ZERO,
                    spin: DVec3::ZERO,
                    parked: true,
                    joint: None,
                });
            }
        }
    }
}
