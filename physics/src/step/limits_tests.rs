//! The cheap bound of limits against the distances themselves.

use glam::DQuat;

use super::{at_least, each_limit};
use crate::model::Limits;
use crate::random::Random;
use crate::spatial::{Inertia, rotation};
use crate::{BodySpec, Joint, Model};

#[test]
fn the_bound_is_below_every_distance_and_not_far_below() {
    let mut draw = Random::new(2001);
    let (mut told, mut tight) = (0, 0);
    for _ in 0..20_000 {
        let (parent, child, turn) = (draw.vector(1.0), draw.vector(1.0), draw.vector(1.5));
        let swing = [draw.between(0.3, 2.5), draw.between(0.3, 2.5)];
        let twist = [draw.between(-2.0, -0.2), draw.between(0.2, 2.0)];
        let (parent_frame, child_frame) = (rotation::exp(parent), rotation::exp(child));
        let limits = Limits::SwingTwist { parent_frame, child_frame, swing, twist };
        let joint = Joint::spherical().with_limits(limits.clone());
        let builder = Model::builder().body(BodySpec::root("ball", joint, Inertia::solid_sphere(1.0, 0.1)));
        let model = builder.build().expect("a ball joint");
        let turned: DQuat = parent_frame * rotation::exp(turn) * child_frame.conjugate();
        let q = turned.to_array();
        let mut least = f64::INFINITY;
        each_limit(&model.bodies[0], &q, |left, _| least = least.min(left));
        let bound = at_least(&model.bodies[0], &q);
        assert!(
            bound < 0.0 || bound <= least + 1e-6,
            "bound {bound}, distance {least}, {limits:?}, {turned}"
        );
        told += usize::from(least > 0.3);
        tight += usize::from(least > 0.3 && bound > 0.1);
    }
    assert!(tight as f64 > 0.9 * f64::from(told as u32), "{tight} of {told} that are far are known to be");
}
