//! Contact sheets of the library's clips, or of keyframe files, with what the check says.
//!
//! `cargo run --example clip_sheets -- DIR [NAME or FILE.toml …]` writes `DIR/NAME.png`, and without names
//! all clips and the overview `DIR.png`. A file is compiled with the poses of `poses.toml` beside it, where there is one.

use std::path::Path;

use stuntlab_mocap::keyframe::{Compiled, PoseBook, compile};
use stuntlab_mocap::library::{self, Check, Limits, check_compiled};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::picture::{Paint, Picture};
use stuntlab_viewer::png::write_png;
use stuntlab_viewer::raster::{Quality, Renderer};

const N_CELLS: usize = 10;
const CELL: usize = 168;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| "docs/clips".to_owned());
    std::fs::create_dir_all(&directory)?;
    let asked: Vec<String> = arguments.collect();
    let names: Vec<String> =
        if asked.is_empty() { library::names().map(str::to_owned).collect() } else { asked.clone() };
    println!(
        "{:<14} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "clip", "s", "slide", "limit", "sole", "body", "float", "g", "seam", "spin", "root"
    );
    let mut overview = Vec::new();
    for name in &names {
        let compiled =
            if name.ends_with(".toml") { from_file(Path::new(name))? } else { library::compiled(name)? };
        let check = check_compiled(&compiled);
        report(&check);
        let frames = draw(&compiled);
        let cells: Vec<(String, &Canvas)> = frames.iter().map(|(c, f)| (c.clone(), f)).collect();
        let title = format!("{}   {:.2} s", compiled.clip.name, compiled.clip.duration());
        let sheet = contact_sheet(&title, &cells, N_CELLS / 2, CELL);
        write_png(&sheet, Path::new(&directory).join(format!("{}.png", compiled.clip.name)))?;
        overview.extend(frames.into_iter().skip(1).step_by(3).map(|f| (compiled.clip.name.clone(), f.1)));
    }
    if asked.is_empty() {
        let cells: Vec<(String, &Canvas)> = overview.iter().map(|(c, f)| (c.clone(), f)).collect();
        let sheet = contact_sheet("The clip library, three frames of each", &cells, 9, 120);
        write_png(&sheet, format!("{directory}.png"))?;
    }
    Ok(())
}

/// Compiles a file on disk.
fn from_file(path: &Path) -> Result<Compiled, Box<dyn std::error::Error>> {
    let beside = path.with_file_name("poses.toml");
    let book = if beside.exists() {
        PoseBook::read("poses.toml", &std::fs::read_to_string(beside)?)?
    } else {
        library::poses()?
    };
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    Ok(compile(&name, &std::fs::read_to_string(path)?, &book)?)
}

/// One line of figures, and what is wrong.
fn report(check: &Check) {
    println!(
        "{:<14} {:>5.2} {:>6.4} {:>6.2} {:>6.4} {:>6.4} {:>6.4} {:>6.3} {:>6.3} {:>6.2} {:>6.3}",
        check.name,
        check.duration,
        check.slide,
        check.limit_excess,
        check.sole_depth,
        check.body_depth,
        check.float,
        check.gravity_error,
        check.seam,
        check.spin_jump,
        check.root_jump
    );
    for complaint in check.complaints(&Limits::default()) {
        println!("    {complaint}");
    }
}

/// Frames at equal times, each with its caption.
fn draw(compiled: &Compiled) -> Vec<(String, Canvas)> {
    let clip = &compiled.clip;
    let sideways = clip.tags.iter().any(|t| t == "sideways");
    let frontal = clip.tags.iter().any(|t| t == "frontal");
    let yaw = if sideways {
        0.15
    } else if frontal {
        -0.6
    } else {
        -1.35
    };
    let mut renderer = Renderer::new();
    (0..N_CELLS)
        .map(|cell| {
            let frame = cell * (clip.n_frames() - 1) / (N_CELLS - 1);
            let time = frame as f64 * clip.frame_time();
            let root = clip.root_position(frame);
            let mut picture = Picture::new();
            picture.ground();
            figure(&mut picture, compiled, frame);
            if let Some(seat) = compiled.contacts.iter().find(|c| c.height > 0.0) {
                // The chair stands where the sitter is lowest on it.
                let sitting = (0.5 * (seat.from + seat.to) / clip.frame_time()) as usize;
                let at = clip.root_position(sitting.min(clip.n_frames() - 1));
                let half_extents = DVec3::new(0.2, 0.22, 0.5 * seat.height);
                let chair = Shape::Box { half_extents, rounding: 0.01 };
                let place = DVec3::new(at.x - 0.06, at.y, 0.5 * seat.height);
                picture.solid(&chair, Transform::from_translation(place), Paint::solid(palette::PROP));
            }
            let camera = Camera {
                target: DVec3::new(root.x, root.y, 0.5 * root.z.clamp(0.5, 1.2) + 0.45),
                yaw,
                pitch: 0.1,
                distance: 5.2,
                field_of_view: 0.42,
            };
            let mut canvas = Canvas::new(CELL, CELL);
            let whole = canvas.rect();
            renderer.render(&picture, &camera, &mut canvas, whole, Quality::FINE);
            (format!("{time:.2} s  x {:.2} y {:.2}", root.x, root.y), canvas)
        })
        .collect()
}

/// The figure as capsules: left limbs orange, right ones blue.
fn figure(picture: &mut Picture, compiled: &Compiled, frame: usize) {
    let clip = &compiled.clip;
    let skeleton = clip.skeleton();
    let mut world = Vec::new();
    clip.world(frame, &mut world);
    let point = |name: &str, x: f64, y: f64, z: f64| {
        let joint = skeleton.find(name).expect("a joint of the library skeleton");
        world[joint].transform_point(DVec3::new(x, y, z))
    };
    let mut limb = |from: DVec3, to: DVec3, radius: f64, color: Color| {
        let axis = to - from;
        let turn = DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z));
        let shape = Shape::Capsule { radius, half_length: 0.5 * axis.length() };
        picture.solid(&shape, Transform::from_quaternion(turn, 0.5 * (from + to)), Paint::solid(color));
    };
    let body = palette::BODY;
    limb(point("Hips", -0.01, 0.07, 0.03), point("Hips", -0.01, -0.07, 0.03), 0.105, body);
    limb(point("Spine", 0.0, 0.0, 0.0), point("Spine", 0.0, 0.0, 0.14), 0.115, body);
    limb(point("Chest", 0.0, 0.06, 0.1), point("Chest", 0.0, -0.06, 0.1), 0.115, body);
    limb(point("Chest", 0.0, 0.11, 0.2), point("Chest", 0.0, -0.11, 0.2), 0.08, body);
    limb(point("Neck", 0.0, 0.0, 0.0), point("Head", 0.0, 0.0, 0.0), 0.05, body);
    limb(point("Head", 0.01, 0.0, 0.045), point("Head", 0.01, 0.0, 0.075), 0.085, body);
    // A nose shows where the face is.
    limb(point("Head", 0.09, 0.0, 0.05), point("Head", 0.115, 0.0, 0.045), 0.018, palette::VERMILION);
    for (side, color) in [("Left", palette::ORANGE), ("Right", palette::BLUE)] {
        let joint = |part: &str, x: f64, z: f64| point(&format!("{side}{part}"), x, 0.0, z);
        limb(joint("Arm", 0.0, 0.0), joint("ForeArm", 0.0, 0.0), 0.043, color);
        limb(joint("ForeArm", 0.0, 0.0), joint("Hand", 0.0, 0.0), 0.036, color);
        limb(joint("Hand", 0.0, -0.02), joint("Hand", 0.0, -0.075), 0.034, color);
        limb(joint("UpLeg", 0.0, 0.0), joint("Leg", 0.0, 0.0), 0.075, color);
        limb(joint("Leg", 0.0, 0.0), joint("Foot", 0.0, 0.0), 0.05, color);
        limb(joint("Foot", -0.03, -0.045), joint("Foot", 0.13, -0.05), 0.034, color);
        limb(joint("ToeBase", -0.005, -0.0), joint("ToeBase", 0.04, -0.0), 0.022, color);
    }
}
