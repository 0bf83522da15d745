//! Stand-in content for the examples: a humanoid of capsules, terrain, crates.

use std::sync::Arc;

use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::model::shape::{Heightfield, Shape};
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::picture::{Paint, Picture};

/// A capsule from one point to another.
pub(crate) fn limb(picture: &mut Picture, from: DVec3, to: DVec3, radius: f64, paint: Paint) {
    let axis = to - from;
    let turn = DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z));
    let shape = Shape::Capsule { radius, half_length: 0.5 * axis.length() };
    picture.solid(&shape, Transform::from_quaternion(turn, 0.5 * (from + to)), paint);
}

/// A walking figure of about 1.8 m in 18 capsules; `phase` in radians moves arms and legs.
pub(crate) fn humanoid(picture: &mut Picture, at: DVec3, heading: f64, phase: f64, paint: Paint) {
    limbs(at, heading, phase, &mut |from, to, radius| limb(picture, from, to, radius, paint));
}

/// The ends and radii of such a figure's limbs.
pub(crate) fn limbs(at: DVec3, heading: f64, phase: f64, work: &mut dyn FnMut(DVec3, DVec3, f64)) {
    let turn = DMat3::from_rotation_z(heading);
    let mut part = |a: (f64, f64, f64), b: (f64, f64, f64), r: f64| {
        let place = |p: (f64, f64, f64)| at + turn * DVec3::new(p.0, p.1, p.2);
        work(place(a), place(b), r);
    };
    let s = phase.sin();
    // Trunk and head.
    part((0.0, -0.07, 0.98), (0.0, 0.07, 0.98), 0.115);
    part((0.0, 0.0, 1.06), (0.01, 0.0, 1.20), 0.125);
    part((0.01, -0.08, 1.34), (0.01, 0.08, 1.34), 0.13);
    part((0.0, -0.17, 1.40), (0.0, 0.17, 1.40), 0.055);
    part((0.01, 0.0, 1.48), (0.02, 0.0, 1.56), 0.05);
    part((0.03, 0.0, 1.66), (0.04, 0.0, 1.72), 0.095);
    for (side, swing) in [(1.0, s), (-1.0, -s)] {
        // Leg: hip, knee, ankle, toe.
        let hip = (0.0, 0.1 * side, 0.93);
        let thigh = 0.45 * swing;
        let knee = (0.43 * thigh.sin(), 0.1 * side, 0.93 - 0.43 * thigh.cos());
        let shank = thigh - 0.25 - 0.45 * (-swing).max(0.0);
        let ankle = (knee.0 + 0.42 * shank.sin(), 0.1 * side, knee.2 - 0.42 * shank.cos());
        part(hip, knee, 0.075);
        part(knee, ankle, 0.055);
        part((ankle.0 - 0.03, ankle.1, ankle.2 - 0.03), (ankle.0 + 0.16, ankle.1, ankle.2 - 0.04), 0.042);
        // Arm: shoulder, elbow, hand, against the leg.
        let arm = -0.55 * swing;
        let shoulder = (0.01, 0.2 * side, 1.38);
        let elbow = (shoulder.0 + 0.28 * arm.sin(), 0.24 * side, shoulder.2 - 0.28 * arm.cos());
        let lower = arm + 0.45;
        let hand = (elbow.0 + 0.25 * lower.sin(), 0.25 * side, elbow.2 - 0.25 * lower.cos());
        part(shoulder, elbow, 0.05);
        part(elbow, hand, 0.042);
        part(hand, (hand.0 + 0.05, hand.1, hand.2 - 0.07), 0.04);
    }
}

/// Rolling hills on a grid of `cells` by `cells`.
pub(crate) fn hills(cells: usize, spacing: f64, height: f64) -> Shape {
    let n = cells + 1;
    let heights = (0..n * n)
        .map(|k| {
            let (x, y) = ((k % n) as f64 * spacing, (k / n) as f64 * spacing);
            height * ((0.9 * x).sin() * (0.7 * y).cos() + 0.5 * (1.9 * x + 1.1 * y).sin() - 0.4)
        })
        .collect();
    let field = Heightfield::new(n, n, spacing, heights).expect("finite heights on a grid");
    Shape::Heightfield(Arc::new(field))
}
