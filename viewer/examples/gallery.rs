//! Draws every primitive and a few whole scenes to PNG files.
//!
//! `cargo run --release -p stuntlab-viewer --example gallery -- [DIR]`

mod common;

use std::path::Path;
use std::sync::Arc;

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::{Hull, Shape, TriangleMesh};
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture, Stroke};
use stuntlab_viewer::png::write_png;
use stuntlab_viewer::raster::{Quality, Renderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned());
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let mut renderer = Renderer::new();
    let mut canvas = Canvas::new(1280, 720);
    let whole = canvas.rect();

    let mut shot = |name: &str, picture: &Picture, camera: &Camera| {
        renderer.render(picture, camera, &mut canvas, whole, Quality::FINE);
        write_png(&canvas, directory.join(name))
    };
    shot(
        "primitives.png",
        &primitives(),
        &Camera::look_at(DVec3::new(2.2, -6.2, 3.2), DVec3::new(0.0, 0.3, 0.4)),
    )?;
    shot("roles.png", &roles(), &Camera::look_at(DVec3::new(1.6, -5.0, 1.9), DVec3::new(0.0, 0.0, 0.85)))?;
    shot("terrain.png", &terrain(), &Camera::look_at(DVec3::new(3.6, -5.4, 2.6), DVec3::new(0.0, 0.0, 0.7)))?;
    shot("debug.png", &debug(), &Camera::look_at(DVec3::new(1.9, -2.9, 1.7), DVec3::new(0.0, 0.0, 0.85)))?;

    let mut split = Canvas::new(1280, 720);
    let settings = ["parent space", "world space", "velocity rows", "adaptive"];
    for (i, (cell, name)) in split.rect().split(4).into_iter().zip(settings).enumerate() {
        let mut picture = Picture::new();
        picture.ground();
        let paint =
            Paint::solid([palette::PARENT_SPACE, palette::WORLD_SPACE, palette::GREEN, palette::PURPLE][i]);
        common::humanoid(
            &mut picture,
            DVec3::new(0.2, 0.1, 0.0),
            0.2,
            1.2 + 0.15 * i as f64,
            Paint::ghost(palette::MOCAP_GHOST, 0.35),
        );
        common::humanoid(&mut picture, DVec3::ZERO, 0.0, 1.0 + 0.25 * i as f64, paint);
        picture.text(TextBlock::new(Corner::TopLeft, name));
        renderer.render(&picture, &Camera::default(), &mut split, cell, Quality::FINE);
    }
    write_png(&split, directory.join("split.png"))?;

    let mut small = Canvas::new(480, 270);
    let area = Rect::new(0, 0, 480, 270);
    renderer.render(
        &roles(),
        &Camera::look_at(DVec3::new(1.6, -5.0, 1.9), DVec3::new(0.0, 0.0, 0.85)),
        &mut small,
        area,
        Quality::FINE,
    );
    write_png(&small, directory.join("small.png"))?;
    println!("pictures in {}", directory.display());
    Ok(())
}

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(DVec3::new(x, y, z))
}

fn octahedron(size: f64) -> Shape {
    let s = size;
    let vertices =
        [[s, 0.0, 0.0], [-s, 0.0, 0.0], [0.0, s, 0.0], [0.0, -s, 0.0], [0.0, 0.0, s], [0.0, 0.0, -s]];
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Shape::Hull(Arc::new(Hull {
        vertices: vertices.into_iter().map(DVec3::from).collect(),
        faces: faces.into_iter().map(|f: [u32; 3]| f.to_vec()).collect(),
    }))
}

/// A smooth torus as a triangle mesh.
fn torus(major: f64, minor: f64) -> Shape {
    let (m, n) = (40u32, 20u32);
    let vertices = (0..m * n)
        .map(|k| {
            let (a, b) = (f64::from(k / n) / f64::from(m), f64::from(k % n) / f64::from(n));
            let ((sa, ca), (sb, cb)) =
                ((a * std::f64::consts::TAU).sin_cos(), (b * std::f64::consts::TAU).sin_cos());
            DVec3::new((major + minor * cb) * ca, (major + minor * cb) * sa, minor * sb)
        })
        .collect();
    let triangles = (0..m * n)
        .flat_map(|k| {
            let (i, j) = (k / n, k % n);
            let v = |i: u32, j: u32| (i % m) * n + j % n;
            [[v(i, j), v(i + 1, j), v(i + 1, j + 1)], [v(i, j), v(i + 1, j + 1), v(i, j + 1)]]
        })
        .collect();
    Shape::Mesh(Arc::new(TriangleMesh { vertices, triangles }))
}

fn primitives() -> Picture {
    let mut picture = Picture::new();
    picture.ground();
    let tilt = |x: f64, y: f64, z: f64, q: DQuat| Transform::from_quaternion(q, DVec3::new(x, y, z));
    picture.solid(&Shape::Sphere { radius: 0.35 }, at(-2.1, 0.0, 0.35), Paint::solid(palette::VERMILION));
    picture.solid(
        &Shape::Capsule { radius: 0.2, half_length: 0.35 },
        tilt(-1.1, 0.0, 0.46, DQuat::from_rotation_y(0.9)),
        Paint::solid(palette::PARENT_SPACE),
    );
    let sharp = Shape::Box { half_extents: DVec3::splat(0.3), rounding: 0.0 };
    let round = Shape::Box { half_extents: DVec3::new(0.35, 0.3, 0.25), rounding: 0.09 };
    picture.solid(&sharp, tilt(0.0, 0.0, 0.3, DQuat::from_rotation_z(0.4)), Paint::solid(palette::PROP));
    picture.solid(
        &round,
        tilt(1.1, 0.0, 0.25, DQuat::from_rotation_z(-0.3)),
        Paint::solid(palette::WORLD_SPACE),
    );
    picture.solid(
        &octahedron(0.42),
        tilt(2.1, 0.0, 0.42, DQuat::from_rotation_z(0.5)),
        Paint::solid(palette::GREEN),
    );
    picture.solid(&torus(0.4, 0.14), at(-1.6, 1.3, 0.14), Paint::solid(palette::PURPLE));
    picture.solid(&round, at(0.0, 1.4, 0.25), Paint::ghost(palette::MOCAP_GHOST, 0.35));
    picture.solid(&Shape::Sphere { radius: 0.3 }, at(0.2, 1.7, 0.3), Paint::solid(palette::YELLOW));
    picture.solid(&Shape::Sphere { radius: 0.35 }, at(1.4, 1.4, 0.35), Paint::wire(palette::BLUE));
    picture.solid(
        &Shape::Capsule { radius: 0.2, half_length: 0.3 },
        at(2.3, 1.4, 0.5),
        Paint::wire(palette::INK),
    );
    picture.solid(&sharp, at(3.1, 1.4, 0.3), Paint::wire(palette::VERMILION));
    // Stairs and a small wall of crates behind.
    for i in 0..5 {
        let h = 0.09 * f64::from(i + 1);
        let step = Shape::Box { half_extents: DVec3::new(0.5, 0.16, h), rounding: 0.0 };
        picture.solid(&step, at(-3.2, 1.0 + 0.32 * f64::from(i), h), Paint::solid(palette::TERRAIN));
    }
    let crate_shape = Shape::Box { half_extents: DVec3::splat(0.2), rounding: 0.03 };
    for (x, z) in [(1.0, 0.2), (1.42, 0.2), (1.84, 0.2), (1.2, 0.6), (1.62, 0.6), (1.4, 1.0)] {
        picture.solid(&crate_shape, at(x, 2.9, z), Paint::solid(palette::PROP));
    }
    picture.text(TextBlock::new(Corner::TopLeft, "primitives"));
    picture
}

fn roles() -> Picture {
    let mut picture = Picture::new();
    picture.ground();
    common::humanoid(&mut picture, DVec3::new(-1.3, 0.0, 0.0), 0.0, 1.1, Paint::solid(palette::PARENT_SPACE));
    common::humanoid(
        &mut picture,
        DVec3::new(0.0, 0.0, 0.0),
        0.0,
        1.2,
        Paint::ghost(palette::MOCAP_GHOST, 0.45),
    );
    common::humanoid(&mut picture, DVec3::new(0.12, 0.0, 0.0), 0.0, 1.7, Paint::solid(palette::BODY));
    common::humanoid(&mut picture, DVec3::new(1.4, 0.0, 0.0), 0.0, 2.0, Paint::solid(palette::WORLD_SPACE));
    for (x, name) in [(-1.3, "parent space"), (0.0, "mocap ghost"), (1.4, "world space")] {
        picture.label(DVec3::new(x, 0.0, 1.9), name, palette::WHITE);
    }
    let wave = |f: f64, p: f64| (0..120).map(|i| (f64::from(i) * f + p).sin() * 40.0).collect::<Vec<_>>();
    picture.text(
        TextBlock::new(Corner::TopLeft, "time\t1.250 s\nenergy\t412.8 J\nstep\t0.84 ms")
            .line("contacts\t4", palette::YELLOW),
    );
    picture.chart(
        StripChart::new(Corner::BottomLeft, "hip torque, N·m", 120)
            .curve("l", palette::SKY_BLUE, wave(0.08, 0.0))
            .curve("r", palette::ORANGE, wave(0.08, 3.0)),
    );
    picture
}

fn terrain() -> Picture {
    let mut picture = Picture::new();
    let hills = common::hills(50, 0.4, 0.35);
    picture.solid(&hills, Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    let ground = |x: f64, y: f64| {
        let (u, v) = (x + 10.0, y + 10.0);
        0.35 * ((0.9 * u).sin() * (0.7 * v).cos() + 0.5 * (1.9 * u + 1.1 * v).sin() - 0.4)
    };
    for (i, (x, y)) in [(0.0, 0.0), (-1.8, 1.0), (1.8, 1.6)].into_iter().enumerate() {
        let paint = Paint::solid([palette::WORLD_SPACE, palette::PARENT_SPACE, palette::GREEN][i]);
        common::humanoid(
            &mut picture,
            DVec3::new(x, y, ground(x, y) + 0.03),
            0.6 * i as f64 - 0.6,
            1.3 * i as f64 + 1.0,
            paint,
        );
    }
    let crate_shape = Shape::Box { half_extents: DVec3::splat(0.22), rounding: 0.03 };
    for i in 0..9 {
        let (x, y) = (-2.5 + 0.7 * f64::from(i), -1.2 + (f64::from(i) * 2.3).sin());
        let turn = DQuat::from_rotation_z(f64::from(i)) * DQuat::from_rotation_x(0.1);
        let place = DVec3::new(x, y, ground(x, y) + 0.22);
        let shape = if i % 3 == 1 { Shape::Sphere { radius: 0.2 } } else { crate_shape.clone() };
        picture.solid(&shape, Transform::from_quaternion(turn, place), Paint::solid(palette::PROP));
    }
    picture
}

fn debug() -> Picture {
    let mut picture = Picture::new();
    picture.ground();
    common::humanoid(&mut picture, DVec3::ZERO, 0.3, 1.2, Paint::solid(palette::BODY));
    let feet = [(0.35, 0.2), (0.2, 0.28), (0.38, 0.27), (-0.3, -0.25), (-0.12, -0.2), (-0.28, -0.16)];
    let contacts: Vec<DVec3> = feet.iter().map(|&(x, y)| DVec3::new(x, y, 0.002)).collect();
    picture.support_polygon(&contacts, Stroke::new(palette::GREEN, 2.0));
    for &p in &contacts {
        picture.point(p, Stroke::new(palette::VERMILION, 6.0).on_top());
        picture.arrow(p, p + DVec3::new(0.03, 0.0, 0.35), Stroke::new(palette::ORANGE, 3.0).faint_behind());
    }
    let center = DVec3::new(0.02, 0.02, 0.98);
    picture.point(center, Stroke::new(palette::YELLOW, 11.0).on_top());
    picture.label(center, "centre of mass", palette::WHITE);
    picture.line(center, DVec3::new(0.02, 0.02, 0.0), Stroke::new(palette::YELLOW, 1.5).faint_behind());
    picture.arrow(
        DVec3::new(-1.0, 0.0, 1.35),
        DVec3::new(-0.15, 0.0, 1.35),
        Stroke::new(palette::VERMILION, 6.0),
    );
    picture.label(DVec3::new(-0.8, 0.0, 1.38), "push 180 N", palette::WHITE);
    let trail: Vec<DVec3> = (0..60)
        .map(|i| {
            let t = f64::from(i) / 20.0;
            DVec3::new(t - 3.0 + 0.3, 0.35, 0.9 + 0.12 * (t * 6.0).sin())
        })
        .collect();
    picture.trail(&trail, Stroke::new(palette::PURPLE, 3.0));
    for z in [0.98, 1.34, 1.66] {
        picture
            .frame(Transform::from_quaternion(DQuat::from_rotation_z(0.3), DVec3::new(0.02, 0.0, z)), 0.18);
    }
    picture.text(TextBlock::new(
        Corner::TopRight,
        "space\tpause\n.\tsingle step\nR\trestart\nF\tfollow\ndrag\tpull a body\nright drag\torbit\nwheel\tzoom",
    ));
    picture
}
