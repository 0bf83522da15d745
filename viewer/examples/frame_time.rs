//! Milliseconds per frame of the game scene: 5 figures of 36 capsules, 50 bodies, 5000 triangles, 1280x720.
//!
//! `cargo run --release -p stuntlab-viewer --example frame_time`

mod common;

use std::time::Instant;

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture};
use stuntlab_viewer::raster::{Quality, Renderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let terrain = common::hills(50, 0.4, 0.12);
    let camera = Camera::look_at(DVec3::new(3.0, -6.0, 2.6), DVec3::new(0.0, 0.0, 0.7));
    let all = [("fast", Quality::FAST), ("fine", Quality::FINE), ("draft", Quality::DRAFT)];
    let wanted = std::env::args().nth(1);
    let modes = all.into_iter().filter(|(name, _)| wanted.as_deref().is_none_or(|w| w == *name));
    println!("{:<8}{:>8}{:>12}{:>12}", "quality", "threads", "least ms", "median ms");
    for (name, quality) in modes {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let mut renderer = Renderer::new();
            let mut canvas = Canvas::new(1280, 720);
            let mut picture = Picture::new();
            let mut times: Vec<f64> = (0..60)
                .map(|frame| {
                    let start = Instant::now();
                    fill(&mut picture, &terrain, f64::from(frame) * 0.05);
                    let whole = canvas.rect();
                    pool.install(|| renderer.render(&picture, &camera, &mut canvas, whole, quality));
                    start.elapsed().as_secs_f64() * 1e3
                })
                .collect();
            times.sort_by(f64::total_cmp);
            println!("{name:<8}{threads:>8}{:>12.2}{:>12.2}", times[0], times[times.len() / 2]);
            if threads == 1 && name == "fast" {
                std::fs::create_dir_all("target/gallery")?;
                stuntlab_viewer::png::write_png(&canvas, "target/gallery/game.png")?;
            }
        }
    }
    Ok(())
}

fn fill(picture: &mut Picture, terrain: &Shape, phase: f64) {
    picture.clear();
    picture.solid(terrain, Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    for i in 0..5 {
        // Two overlaid figures of 18 capsules make 36.
        let place = DVec3::new(-2.4 + 1.2 * f64::from(i), 0.4 * f64::from(i % 2), 0.05);
        let paint = Paint::solid(palette::series(i as usize));
        for turn in [0.0, 0.5] {
            common::humanoid(picture, place, 0.4 * f64::from(i) + turn, phase + f64::from(i), paint);
        }
    }
    for i in 0..50 {
        let (a, r) = (f64::from(i) * 2.4, 0.5 + 0.09 * f64::from(i));
        let place = DVec3::new(r * a.cos(), r * a.sin(), 0.25 + 0.02 * f64::from(i % 7));
        let shape = match i % 3 {
            0 => Shape::Sphere { radius: 0.15 },
            1 => Shape::Box { half_extents: DVec3::new(0.18, 0.14, 0.12), rounding: 0.02 },
            _ => Shape::Box { half_extents: DVec3::splat(0.13), rounding: 0.0 },
        };
        picture.solid(
            &shape,
            Transform::from_quaternion(DQuat::from_rotation_z(a), place),
            Paint::solid(palette::PROP),
        );
    }
}
