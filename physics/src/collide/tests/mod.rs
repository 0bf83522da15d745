//! What contacts promise, pair by pair.

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::model::BodyId;
use crate::model::shape::{Hull, Shape};
use crate::spatial::Transform;

mod ahead;
mod closed_forms;
mod laws;
mod rays;
mod scenes;
mod surfaces;

/// Contacts of two placed shapes.
fn collide(
    a: &Shape,
    world_from_a: &Transform,
    b: &Shape,
    world_from_b: &Transform,
    margin: f64,
) -> Manifold {
    let mut manifold = Manifold::new(ColliderId(0), ColliderId(1));
    let mut scratch = NarrowScratch::default();
    collide_pair(a, world_from_a, b, world_from_b, margin, &mut scratch, &mut manifold);
    manifold
}

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(DVec3::new(x, y, z))
}

fn turned(axis: DVec3, angle: f64, x: f64, y: f64, z: f64) -> Transform {
    Transform::from_quaternion(DQuat::from_axis_angle(axis.normalize(), angle), DVec3::new(x, y, z))
}

fn sphere(radius: f64) -> Shape {
    Shape::sphere(radius).unwrap()
}

fn capsule(radius: f64, half_length: f64) -> Shape {
    Shape::capsule(radius, half_length).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

fn rounded(x: f64, y: f64, z: f64, rounding: f64) -> Shape {
    Shape::rounded_box(DVec3::new(x, y, z), rounding).unwrap()
}

fn box_hull(x: f64, y: f64, z: f64) -> Shape {
    Shape::Hull(std::sync::Arc::new(Hull::from_box(DVec3::new(x, y, z)).unwrap()))
}

/// A bounded convex shape of limb size.
fn any_convex() -> impl Strategy<Value = Shape> {
    let size = 0.05..0.4_f64;
    prop_oneof![
        size.clone().prop_map(sphere),
        (size.clone(), 0.0..0.5_f64).prop_map(|(r, h)| capsule(r, h)),
        prop::array::uniform3(size.clone()).prop_map(|[x, y, z]| cuboid(x, y, z)),
        (prop::array::uniform3(size), 0.0..1.0_f64).prop_map(|([x, y, z], part)| rounded(
            x,
            y,
            z,
            part * x.min(y).min(z)
        )),
        prop::collection::vec(prop::array::uniform3(-0.4..0.4_f64), 5..16)
            .prop_filter_map("spans a volume", |points| {
                Shape::hull(&points.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<_>>()).ok()
            }),
    ]
}

/// A placement within `reach` of the origin, any attitude; sometimes exactly along the axes.
fn any_place(reach: f64) -> impl Strategy<Value = Transform> {
    let turn = prop_oneof![
        3 => (prop::array::uniform3(-1.0..1.0_f64), 0.0..6.3_f64).prop_map(|(axis, angle)| {
            DQuat::from_axis_angle(DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X), angle)
        }),
        1 => Just(DQuat::IDENTITY),
    ];
    (turn, prop::array::uniform3(-reach..reach))
        .prop_map(|(turn, place)| Transform::from_quaternion(turn, DVec3::from_array(place)))
}
