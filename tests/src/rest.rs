//! Scenes that must come to rest.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{ModelBuilder, StepOptions};

use crate::world::{World, block, ground, loose};

/// A scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pile {
    /// Ten stacks of ten boxes, side by side.
    Boxes100,
    /// Twenty boxes on each other.
    Tower20,
    /// 27 capsules in three crossed layers of nine.
    Capsules27,
    /// Two hundred balls, boxes and capsules dropped into a pen.
    Heap200,
}

impl Pile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Boxes100, Self::Tower20, Self::Capsules27, Self::Heap200];

    /// The scene under the default options.
    pub fn build(self) -> World {
        let mut builder = ground();
        match self {
            Self::Boxes100 => {
                for k in 0..100 {
                    let place = DVec3::new(0.5 * f64::from(k / 10), 0.0, 0.2 + 0.4 * f64::from(k % 10));
                    builder.push(loose(format!("b{k}"), block(DVec3::splat(0.2)), 10.0, place));
                }
            }
            Self::Tower20 => {
                for k in 0..20 {
                    let place = DVec3::Z * (0.2 + 0.4 * f64::from(k));
                    builder.push(loose(format!("b{k}"), block(DVec3::splat(0.2)), 10.0, place));
                }
            }
            Self::Capsules27 => return capsules(builder),
            Self::Heap200 => return heap(builder),
        }
        World::new(builder.build().expect("a valid scene"), StepOptions::default())
    }
}

/// Fastest body after so many seconds in the default formulation at 120 Hz, m/s.
pub fn speed_after(pile: Pile, seconds: f64) -> f64 {
    let mut world = pile.build();
    world.run(seconds);
    world.fastest()
}

fn capsules(mut builder: ModelBuilder) -> World {
    let shape = Shape::Capsule { radius: 0.1, half_length: 1.0 };
    for k in 0..27 {
        builder.push(loose(format!("b{k}"), shape.clone(), 5.0, DVec3::ZERO));
    }
    let mut world = World::new(builder.build().expect("a valid scene"), StepOptions::default());
    for k in 0..27 {
        let (layer, row) = (k / 9, k % 9);
        let across = 0.21 * (f64::from(row) - 4.0);
        let along_x = layer % 2 == 0;
        let (place, axis) =
            if along_x { (DVec3::Y * across, DVec3::X) } else { (DVec3::X * across, DVec3::Y) };
        let turn = DQuat::from_rotation_arc(DVec3::Z, axis);
        let height = DVec3::Z * (0.1 + 0.2 * f64::from(layer));
        world.launch(&format!("b{k}"), place + height, turn, DVec3::ZERO, DVec3::ZERO);
    }
    world
}

fn heap(mut builder: ModelBuilder) -> World {
    // A pen of four walls, so that what rolls off stays in the heap.
    for (side, across) in [(DVec3::X, DVec3::Y), (DVec3::Y, DVec3::X)] {
        for sign in [-1.0, 1.0] {
            let half = side * 0.1 + across * 1.2 + DVec3::Z * 2.0;
            let place = Transform::from_translation(side * (1.1 * sign) + DVec3::Z * 2.0);
            builder.push_fixture(ShapeSpec::new(block(half)).placed(place));
        }
    }
    for k in 0..200_u32 {
        let shape = match k % 3 {
            0 => Shape::Sphere { radius: 0.12 },
            1 => block(DVec3::new(0.15, 0.1, 0.08)),
            _ => Shape::Capsule { radius: 0.07, half_length: 0.12 },
        };
        let (column, layer) = (k % 25, k / 25);
        let nudge = 0.03 * f64::from(k * 7 % 11) / 11.0;
        let place = DVec3::new(
            0.36 * (f64::from(column % 5) - 2.0) + nudge,
            0.36 * (f64::from(column / 5) - 2.0) - nudge,
            0.25 + 0.42 * f64::from(layer),
        );
        // Balls on a plane roll for ever: a trace of rolling resistance, as every real ground has.
        let mut body = loose(format!("b{k}"), shape, 2.0, place);
        body.shapes[0].material.rolling = 0.002;
        body.shapes[0].material.torsional = 0.002;
        builder.push(body);
    }
    World::new(builder.build().expect("a valid scene"), StepOptions::default())
}
