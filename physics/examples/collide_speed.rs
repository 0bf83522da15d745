//! Times the collision stage: `cargo run --release -p stuntlab-physics --example collide_speed`.
//!
//! Two loads. A game scene at rest: 180 capsules, 25 spheres and 25 boxes lying on a heightfield of 5000 triangles.
//! And the broad phase alone: 1000 drifting spheres, swept and pruned, against a hierarchy rebuilt per step.

use std::hint::black_box;
use std::time::Instant;

use stuntlab_physics::BodyId;
use stuntlab_physics::collide::{
    Aabb, Bvh, Collider, Colliders, ContactOptions, Contacts, SweepAndPrune, find_contacts,
};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::{Heightfield, Shape, ShapeError};
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::Transform;

/// Median time of one call in microseconds.
fn median_us(n: usize, mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..n)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[n / 2]
}

fn game_scene(flat: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut draw = Random::new(7);
    let height = |x: f64, y: f64| if flat { 0.0 } else { 0.12 * (1.3 * x).sin() * (0.9 * y).cos() };
    let field = Heightfield::from_fn(51, 51, 0.4, height)?;
    let mut list = Vec::new();
    let mut poses = Vec::new();
    for k in 0..230 {
        let shape = match k {
            0..180 => Shape::capsule(draw.between(0.03, 0.08), draw.between(0.05, 0.2))?,
            180..205 => Shape::sphere(draw.between(0.12, 0.22))?,
            _ => Shape::rounded_box(DVec3::new(0.15, draw.between(0.1, 0.2), 0.15), 0.01)?,
        };
        // Spread over the field, lying on it 1 mm deep.
        let (x, y) = (draw.between(-4.5, 4.5), draw.between(-4.5, 4.5));
        let tilt = if k < 180 { std::f64::consts::FRAC_PI_2 } else { 0.0 };
        let turn =
            DQuat::from_rotation_z(draw.between(0.0, std::f64::consts::TAU)) * DQuat::from_rotation_x(tilt);
        let mut pose = Transform::from_quaternion(turn, DVec3::new(x, y, 0.0));
        let low = shape.aabb(&pose).ok_or("bounded")?.min.z;
        pose.translation.z = field.height_at(x, y).ok_or("on the field")? - low - 0.001;
        poses.push(pose);
        list.push(Collider::on_body(BodyId::new(k), Transform::IDENTITY, shape));
    }
    list.push(Collider::fixed(Transform::IDENTITY, Shape::Heightfield(field.into())));
    let colliders = Colliders::new(list, &[])?;
    let (mut contacts, options) = (Contacts::new(), ContactOptions::default());
    let us = median_us(2000, || {
        find_contacts(&colliders, |body| poses[body], &options, &mut contacts);
        black_box(&contacts.manifolds);
    });
    let n_points: usize = contacts.manifolds.iter().map(|m| m.points().len()).sum();
    println!(
        "230 bodies resting on 5000 triangles ({}): {us:.1} µs per step, {} pairs, {} touching, {n_points} points",
        if flat { "flat" } else { "rolling" },
        contacts.n_pairs(),
        contacts.manifolds.len(),
    );
    Ok(())
}

fn broad_phase(n: usize) -> Result<(), ShapeError> {
    let mut draw = Random::new(11);
    // Density as in a heap: a few overlaps per sphere.
    let side = (n as f64).cbrt() * 0.4;
    let homes: Vec<DVec3> = (0..n)
        .map(|_| DVec3::new(draw.between(0.0, side), draw.between(0.0, side), draw.between(0.0, side)))
        .collect();
    let ways: Vec<DVec3> = (0..n)
        .map(|_| DVec3::new(draw.between(-0.1, 0.1), draw.between(-0.1, 0.1), draw.between(-0.1, 0.1)))
        .collect();
    let shape = Shape::sphere(0.2)?;
    let mut boxes: Vec<Aabb> = Vec::new();
    let mut sweep = SweepAndPrune::new();
    let (mut n_sweep, mut n_bvh) = (0, 0);
    // Every sphere swings about its home, a hundred steps there and back.
    let step = |k: usize, boxes: &mut Vec<Aabb>| {
        let phase = (k as f64 / 50.0 * std::f64::consts::PI).sin();
        boxes.clear();
        let placed =
            homes.iter().zip(&ways).map(|(home, way)| Transform::from_translation(*home + *way * phase));
        boxes.extend(placed.filter_map(|place| shape.aabb(&place)));
    };
    let mut timed = |search: &mut dyn FnMut(&[Aabb])| {
        let mut k = 0;
        median_us(101, || {
            step(k, &mut boxes);
            search(&boxes);
            k += 1;
        })
    };
    let moving = timed(&mut |_| ());
    let swept = timed(&mut |boxes| {
        n_sweep = 0;
        sweep.find_pairs(boxes, |_, _| n_sweep += 1);
    });
    let rebuilt = timed(&mut |boxes| {
        n_bvh = 0;
        let bvh = Bvh::new(boxes);
        for (i, aabb) in boxes.iter().enumerate() {
            bvh.query(aabb, |j| n_bvh += usize::from(j > i as u32));
        }
    });
    println!(
        "broad phase of {n} spheres: sweep and prune {:.1} µs ({n_sweep} pairs), rebuilt hierarchy {:.1} µs ({n_bvh} pairs)",
        swept - moving,
        rebuilt - moving,
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    game_scene(false)?;
    game_scene(true)?;
    for n in [250, 1000, 4000] {
        broad_phase(n)?;
    }
    Ok(())
}
