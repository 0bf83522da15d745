//! Milliseconds per frame of something like the game scene: 5 figures of 36 smooth bodies, 50 others, 5000 triangles, 1280x720.
//! The camera stands, or with a second argument moves.
//!
//! `cargo run --release -p stuntlab-viewer --example frame_time`

#[expect(dead_code, reason = "other examples draw the limbs as capsules")]
mod common;

use std::sync::Arc;
use std::time::Instant;

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::blob::Blob;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture};
use stuntlab_viewer::raster::{Quality, Renderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let terrain = common::hills(50, 0.4, 0.12);
    let standing = Camera::look_at(DVec3::new(5.0, -9.0, 4.5), DVec3::new(0.0, 0.0, 0.5));
    let all = [("fast", Quality::FAST), ("fine", Quality::FINE), ("draft", Quality::DRAFT)];
    let wanted = std::env::args().nth(1);
    let moves = std::env::args().nth(2).is_some();
    let figures: Vec<Figure> = (0..5).map(figure).collect();
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
                    fill(&mut picture, &terrain, &figures, f64::from(frame) * 0.05);
                    let turn = if moves { 1e-3 * f64::from(frame) } else { 0.0 };
                    let camera = Camera { yaw: standing.yaw + turn, ..standing };
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

/// Limbs and their places.
type Figure = Vec<(Arc<Blob>, DVec3)>;

/// Two overlaid figures of 18 limbs make 36 bodies.
fn figure(i: u32) -> Figure {
    let place = DVec3::new(-2.4 + 1.2 * f64::from(i), 0.4 * f64::from(i % 2), 0.05);
    let mut limbs = Vec::new();
    for turn in [0.0, 0.5] {
        common::limbs(place, 0.4 * f64::from(i) + turn, f64::from(i), &mut |from, to, radius| {
            limbs.push((Arc::new(Blob::new([(DVec3::ZERO, radius), (to - from, radius)])), from));
        });
    }
    limbs
}

fn fill(picture: &mut Picture, terrain: &Shape, figures: &[Figure], phase: f64) {
    picture.clear();
    picture.solid(terrain, Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    for (i, figure) in figures.iter().enumerate() {
        let sway = DVec3::new(0.1 * (phase + i as f64).sin(), 0.0, 0.0);
        let paint = Paint::solid(palette::series(i));
        for (limb, place) in figure {
            picture.blob(limb, Transform::from_translation(*place + sway), paint);
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
