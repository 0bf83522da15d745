//! What the raster draws: golden pictures for each primitive and one scene, and what must hold of any.
//!
//! `UPDATE_GOLDEN=1 cargo test -p stuntlab-viewer --test pictures` rewrites the golden files; look at them
//! before committing.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its picture should stop there")]

#[path = "../../examples/common/mod.rs"]
mod common;
mod files;

use std::path::PathBuf;
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
use stuntlab_viewer::png::{read_png, write_png};
use stuntlab_viewer::raster::{Quality, Renderer, render};

fn golden(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", &format!("{name}.png")].iter().collect()
}

/// Largest channel difference of each pixel, sorted.
fn differences(a: &Canvas, b: &Canvas) -> Vec<i32> {
    let pixel = |(&p, &q): (&u32, &u32)| {
        [16, 8, 0].map(|s| ((p >> s & 255) as i32 - (q >> s & 255) as i32).abs()).into_iter().max().unwrap()
    };
    let mut all: Vec<i32> = a.pixels().iter().zip(b.pixels()).map(pixel).collect();
    all.sort_unstable();
    all
}

/// Draws and compares with the golden file: nearly all pixels equal up to rounding, few edges may move.
fn check(name: &str, picture: &Picture, camera: &Camera) {
    let mut canvas = Canvas::new(160, 120);
    let whole = canvas.rect();
    render(picture, camera, &mut canvas, whole, Quality::FINE);
    let path = golden(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write_png(&canvas, &path).unwrap();
    }
    let expected = read_png(&path).unwrap();
    assert_eq!((canvas.width(), canvas.height()), (expected.width(), expected.height()));
    let all = differences(&canvas, &expected);
    let mean = f64::from(all.iter().sum::<i32>()) / all.len() as f64;
    let p99 = all[all.len() * 99 / 100];
    assert!(mean < 0.5 && p99 <= 4, "{name}: mean difference {mean:.3}, 99th percentile {p99}");
}

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(DVec3::new(x, y, z))
}

fn tilted(z: f64) -> Transform {
    Transform::from_quaternion(
        DQuat::from_rotation_z(0.5) * DQuat::from_rotation_y(0.6),
        DVec3::new(0.0, 0.0, z),
    )
}

fn near() -> Camera {
    Camera::look_at(DVec3::new(1.4, -2.2, 1.4), DVec3::new(0.0, 0.0, 0.35))
}

/// One solid on the ground.
fn check_solid(name: &str, shape: &Shape, world_from_shape: Transform, paint: Paint) {
    let mut picture = Picture::new();
    picture.ground();
    picture.solid(shape, world_from_shape, paint);
    check(name, &picture, &near());
}

#[test]
fn sphere() {
    check_solid(
        "sphere",
        &Shape::Sphere { radius: 0.45 },
        at(0.0, 0.0, 0.45),
        Paint::solid(palette::VERMILION),
    );
}

#[test]
fn capsule() {
    let shape = Shape::Capsule { radius: 0.2, half_length: 0.4 };
    check_solid("capsule", &shape, tilted(0.55), Paint::solid(palette::PARENT_SPACE));
}

#[test]
fn sharp_box() {
    let shape = Shape::Box { half_extents: DVec3::new(0.4, 0.3, 0.3), rounding: 0.0 };
    check_solid("box", &shape, at(0.0, 0.0, 0.3), Paint::solid(palette::PROP));
}

#[test]
fn rounded_box() {
    let shape = Shape::Box { half_extents: DVec3::new(0.4, 0.3, 0.3), rounding: 0.12 };
    check_solid("rounded_box", &shape, tilted(0.5), Paint::solid(palette::WORLD_SPACE));
}

fn wedge() -> Hull {
    let p = |x, y, z| DVec3::new(x, y, z);
    let corners = [
        p(-0.4, -0.3, 0.0),
        p(0.4, -0.3, 0.0),
        p(0.4, 0.3, 0.0),
        p(-0.4, 0.3, 0.0),
        p(-0.4, -0.3, 0.5),
        p(-0.4, 0.3, 0.5),
    ];
    Hull::from_points(&corners).unwrap()
}

#[test]
fn hull() {
    check_solid("hull", &Shape::Hull(Arc::new(wedge())), at(0.0, 0.0, 0.01), Paint::solid(palette::GREEN));
}

#[test]
fn heightfield() {
    let mut picture = Picture::new();
    picture.solid(&common::hills(24, 0.3, 0.25), Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    picture.solid(&Shape::Sphere { radius: 0.3 }, at(0.0, 0.0, 0.5), Paint::solid(palette::PURPLE));
    check("heightfield", &picture, &near());
}

#[test]
fn mesh() {
    let hull = wedge();
    let triangles = hull.faces().flat_map(|f| (2..f.len()).map(|k| [f[0], f[k - 1], f[k]])).collect();
    let mesh = TriangleMesh::new(hull.vertices().to_vec(), triangles).unwrap();
    let mesh = Shape::Mesh(Arc::new(mesh));
    check_solid("mesh", &mesh, at(0.0, 0.0, 0.01), Paint::solid(palette::SKY_BLUE));
}

#[test]
fn plane_to_the_horizon() {
    let mut picture = Picture::new();
    picture.ground();
    check("plane", &picture, &Camera { pitch: 0.12, ..Camera::default() });
}

#[test]
fn ghost_before_and_behind() {
    let mut picture = Picture::new();
    picture.ground();
    let ball = Shape::Sphere { radius: 0.3 };
    picture.solid(&ball, at(0.0, 0.0, 0.3), Paint::solid(palette::YELLOW));
    picture.solid(&ball, at(0.3, -0.5, 0.4), Paint::ghost(palette::MOCAP_GHOST, 0.4));
    picture.solid(&ball, at(-0.3, 0.5, 0.4), Paint::ghost(palette::MOCAP_GHOST, 0.4));
    check("ghost", &picture, &near());
}

#[test]
fn wireframes() {
    let mut picture = Picture::new();
    picture.ground();
    picture.solid(&Shape::Sphere { radius: 0.3 }, at(-0.6, 0.0, 0.3), Paint::wire(palette::BLUE));
    let capsule = Shape::Capsule { radius: 0.15, half_length: 0.25 };
    picture.solid(&capsule, at(0.0, 0.0, 0.4), Paint::wire(palette::INK));
    picture.solid(&Shape::Hull(Arc::new(wedge())), at(0.7, 0.0, 0.0), Paint::wire(palette::VERMILION));
    check("wireframe", &picture, &near());
}

#[test]
fn marks() {
    let mut picture = Picture::new();
    picture.ground();
    picture.solid(&Shape::Sphere { radius: 0.25 }, at(0.0, 0.0, 0.25), Paint::solid(palette::BODY));
    let feet: Vec<DVec3> = [(-0.5, -0.4), (0.6, -0.3), (0.5, 0.5), (-0.4, 0.4)]
        .iter()
        .map(|&(x, y)| DVec3::new(x, y, 0.0))
        .collect();
    picture.support_polygon(&feet, Stroke::new(palette::GREEN, 1.5));
    picture.line(
        DVec3::new(-0.8, 0.5, 0.3),
        DVec3::new(0.8, 0.3, 0.3),
        Stroke::new(palette::BLUE, 2.0).faint_behind(),
    );
    picture.arrow(
        DVec3::new(-0.8, -0.2, 0.5),
        DVec3::new(-0.25, 0.0, 0.3),
        Stroke::new(palette::VERMILION, 3.0),
    );
    picture.point(DVec3::new(0.0, 0.0, 0.25), Stroke::new(palette::YELLOW, 6.0).on_top());
    picture.frame(at(0.5, -0.4, 0.3), 0.3);
    check("marks", &picture, &near());
}

#[test]
fn text_and_charts() {
    let mut picture = Picture::new();
    picture.ground();
    picture.label(DVec3::new(0.0, 0.0, 0.4), "label", palette::WHITE);
    picture.text(
        TextBlock::new(Corner::TopLeft, "time\t1.25 s\nstep\t0.8 ms").line("contacts\t4", palette::YELLOW),
    );
    let wave = (0..60).map(|i| (f64::from(i) * 0.2).sin()).collect();
    let chart = StripChart::new(Corner::BottomRight, "torque", 60).curve("hip", palette::ORANGE, wave);
    picture.chart(chart);
    check("text", &picture, &near());
}

fn whole_scene() -> Picture {
    let mut picture = Picture::new();
    picture.ground();
    common::humanoid(
        &mut picture,
        DVec3::new(-0.15, 0.0, 0.0),
        0.4,
        1.0,
        Paint::ghost(palette::MOCAP_GHOST, 0.4),
    );
    common::humanoid(&mut picture, DVec3::ZERO, 0.4, 1.4, Paint::solid(palette::WORLD_SPACE));
    let crate_shape = Shape::Box { half_extents: DVec3::splat(0.2), rounding: 0.03 };
    picture.solid(&crate_shape, at(0.8, 0.7, 0.2), Paint::solid(palette::PROP));
    picture.arrow(
        DVec3::new(-1.0, 0.0, 1.3),
        DVec3::new(-0.2, 0.0, 1.3),
        Stroke::new(palette::VERMILION, 3.0),
    );
    picture.text(TextBlock::new(Corner::TopLeft, "push 180 N"));
    picture
}

#[test]
fn scene() {
    check("scene", &whole_scene(), &Camera::default());
}

#[test]
fn any_number_of_threads_draws_the_same_bits() {
    let draw = |threads: usize, quality: Quality| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut canvas = Canvas::new(211, 157);
        pool.install(|| {
            render(&whole_scene(), &Camera::default(), &mut canvas, Rect::new(5, 3, 200, 150), quality)
        });
        canvas
    };
    for quality in [Quality::FAST, Quality::FINE, Quality::DRAFT] {
        let one = draw(1, quality);
        for threads in [2, 3, 7] {
            assert!(one == draw(threads, quality), "{threads} threads, {quality:?}");
        }
    }
}

#[test]
fn any_instruction_set_draws_the_same_bits() {
    for quality in [Quality::FAST, Quality::FINE] {
        let (mut wide, mut plain) = (Canvas::new(211, 157), Canvas::new(211, 157));
        let part = Rect::new(5, 3, 197, 150);
        Renderer::new().render(&whole_scene(), &Camera::default(), &mut wide, part, quality);
        Renderer::plain().render(&whole_scene(), &Camera::default(), &mut plain, part, quality);
        assert!(wide == plain, "{quality:?}");
    }
}

#[test]
fn drawing_again_with_the_same_renderer_gives_the_same_bits() {
    let mut renderer = Renderer::new();
    let (mut first, mut later) = (Canvas::new(160, 90), Canvas::new(160, 90));
    let whole = first.rect();
    renderer.render(&whole_scene(), &Camera::default(), &mut first, whole, Quality::FAST);
    let mut other = Picture::new();
    other.solid(&common::hills(8, 0.5, 0.3), Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    renderer.render(&other, &Camera::default(), &mut later, whole, Quality::FINE);
    renderer.render(&whole_scene(), &Camera::default(), &mut later, whole, Quality::FAST);
    assert!(first == later);
}

#[test]
fn a_ground_that_is_kept_gives_the_same_bits() {
    let hills = common::hills(8, 0.5, 0.3);
    let scene = |frame: u32, hilly: bool| {
        let mut picture = whole_scene();
        if hilly {
            picture.solid(&hills, at(-2.0, -2.0, 0.05), Paint::ground(palette::TERRAIN));
        }
        let ball = at(0.3 * f64::from(frame), -0.8, 0.4);
        picture.solid(&Shape::Sphere { radius: 0.2 }, ball, Paint::solid(palette::PROP));
        picture
    };
    let mut renderer = Renderer::new();
    let (mut kept, mut fresh) = (Canvas::new(330, 170), Canvas::new(330, 170));
    let panes = [Rect::new(0, 0, 160, 170), Rect::new(161, 3, 169, 160)];
    for frame in 0..12 {
        // It stands, moves, stands again; then the ground changes under it.
        let yaw = if (4..7).contains(&frame) { 0.1 * f64::from(frame) } else { 0.3 };
        let camera = Camera { yaw, ..Camera::default() };
        for (pane, hilly) in panes.into_iter().zip([true, frame > 8]) {
            renderer.render(&scene(frame, hilly), &camera, &mut kept, pane, Quality::FAST);
            render(&scene(frame, hilly), &camera, &mut fresh, pane, Quality::FAST);
        }
        assert!(kept == fresh, "frame {frame}");
    }
}

#[test]
fn a_viewport_leaves_the_rest_of_the_canvas_alone() {
    let mut canvas = Canvas::new(120, 80);
    canvas.clear(palette::PURPLE);
    render(&whole_scene(), &Camera::default(), &mut canvas, Rect::new(30, 20, 60, 40), Quality::FAST);
    for (i, &pixel) in canvas.pixels().iter().enumerate() {
        let inside = (30..90).contains(&(i % 120)) && (20..60).contains(&(i / 120));
        assert!(inside || pixel == palette::PURPLE.pixel(), "pixel {} {}", i % 120, i / 120);
    }
    render(&whole_scene(), &Camera::default(), &mut canvas, Rect::new(100, 70, 500, 500), Quality::FAST);
    render(&whole_scene(), &Camera::default(), &mut canvas, Rect::new(500, 70, 5, 5), Quality::FAST);
}

#[test]
fn the_depth_under_a_pixel_is_the_distance_to_what_is_seen() {
    let mut picture = Picture::new();
    picture.solid(&Shape::Sphere { radius: 0.5 }, at(0.0, 0.0, 1.0), Paint::solid(palette::BODY));
    let camera = Camera::look_at(DVec3::new(3.0, 0.0, 1.0), DVec3::new(0.0, 0.0, 1.0));
    let mut canvas = Canvas::new(101, 101);
    let whole = canvas.rect();
    render(&picture, &camera, &mut canvas, whole, Quality::FAST);
    let depth = canvas.depth_at(50, 50).unwrap();
    assert!((depth - 2.5).abs() < 1e-4, "{depth}");
    let point = camera.view(whole).unproject(50.5, 50.5, depth);
    assert!((point - DVec3::new(0.5, 0.0, 1.0)).length() < 1e-3, "{point}");
    assert_eq!(canvas.depth_at(0, 0), None);
}

#[test]
fn the_camera_may_be_anywhere() {
    // Inside, behind, below and far from everything; malformed shapes too: no panic, a full picture.
    let mut picture = whole_scene();
    picture.solid(&common::hills(8, 0.5, 0.3), Transform::IDENTITY, Paint::ground(palette::TERRAIN));
    picture.solid(&Shape::Sphere { radius: f64::NAN }, Transform::IDENTITY, Paint::solid(palette::BODY));
    picture.solid(&Shape::Sphere { radius: -1.0 }, Transform::IDENTITY, Paint::solid(palette::BODY));
    let huge = Shape::Box { half_extents: DVec3::splat(1e9), rounding: 1e12 };
    picture.solid(&huge, Transform::IDENTITY, Paint::ghost(palette::BODY, 0.1));
    picture.line(DVec3::splat(-1e12), DVec3::splat(1e12), Stroke::new(palette::BLUE, 1e6));
    let mut canvas = Canvas::new(64, 48);
    let whole = canvas.rect();
    for target in [DVec3::ZERO, DVec3::new(0.0, 0.0, 1.0), DVec3::splat(-40.0), DVec3::splat(1e6)] {
        for pitch in [-1.5, 0.0, 0.7, 1.5] {
            for distance in [0.3, 2.0, 200.0] {
                let camera = Camera { target, pitch, distance, ..Camera::default() };
                render(&picture, &camera, &mut canvas, whole, Quality::FAST);
            }
        }
    }
}
