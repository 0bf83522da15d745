//! Limp figures that fall on the ground in any pose.

use std::ops::Range;

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Joint, JointKind, StepOptions, figures, observe};

use crate::draws::Draws;
use crate::world::{World, ground};

/// The damped 37-freedom figure over the ground, in a pose and motion that a seed draws; nothing touches yet.
fn falling(seed: u64, self_collision: bool) -> World {
    let figure = figures::humanoid37();
    let mut draws = Draws::new(seed);
    loop {
        let mut builder = ground().self_collision(self_collision);
        let turn = draws.rotation();
        for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
            let mut spec = part.spec();
            spec.joint = match part.parent {
                Some(_) => spec.joint.with_damping(2.0 * carried),
                None => Joint::free().placed(Transform::from_quaternion(turn, DVec3::Z * 1.6)),
            };
            builder.push(spec);
        }
        let mut world = World::new(builder.build().expect("valid"), StepOptions::at_rate(120.0));
        for body in world.model.bodies().to_vec() {
            match body.joint().kind {
                JointKind::Spherical => {
                    let bend = DQuat::from_scaled_axis(draws.vector(0.4));
                    world.state.set_rotation(&body, bend);
                }
                JointKind::Free => {}
                _ => world.state.q[body.coordinates()].iter_mut().for_each(|q| *q = draws.between(-0.4, 0.4)),
            }
        }
        world.state.v[..6].iter_mut().for_each(|v| *v = draws.between(-2.0, 2.0));
        observe(&world.model, &world.state, &mut world.data, &world.options);
        if world.data.contact.points.iter().all(|c| c.depth <= 0.0) {
            return world;
        }
    }
}

/// Deepest overlap of each seed within two seconds, m.
pub fn deepest(seeds: Range<u64>, self_collision: bool) -> Vec<f64> {
    let fall = |seed| {
        let mut world = falling(seed, self_collision);
        (0..240).map(|_| world.step().deepest).fold(0.0, f64::max)
    };
    seeds.map(fall).collect()
}
