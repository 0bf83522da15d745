//! Ten seconds of one figure as a GIF, with what it cost; also a contact sheet and two plots.
//!
//! `cargo run --release -p stuntlab-viewer --example clip -- [DIR]`

mod common;

use std::path::Path;
use std::time::Instant;

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture};
use stuntlab_viewer::png::write_png;
use stuntlab_viewer::raster::{Quality, Renderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned());
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    for (name, follow) in [("still.gif", false), ("follow.gif", true)] {
        let mut sheet = Vec::new();
        let mut writer = GifWriter::create(directory.join(name), GifOptions::default())?;
        let (mut renderer, mut picture, mut canvas) =
            (Renderer::new(), Picture::new(), Canvas::new(480, 270));
        let mut camera = Camera { yaw: -1.3, ..Camera::default() };
        let terrain = common::hills(40, 0.5, 0.04);
        let (mut drawing, mut writing) = (0.0, 0.0);
        for frame in 0..250 {
            let time = f64::from(frame) * 0.04;
            let start = Instant::now();
            let x = if follow { 0.8 * (time - 5.0) } else { 0.5 * time.sin() };
            picture.clear();
            picture.solid(&terrain, Transform::IDENTITY, Paint::ground(palette::TERRAIN));
            let place = DVec3::new(x, 0.0, 0.02);
            common::humanoid(&mut picture, place, 0.0, 5.0 * time, Paint::solid(palette::WORLD_SPACE));
            picture.text(TextBlock::new(Corner::TopLeft, &format!("{time:5.2} s")));
            if follow {
                camera.follow(place + DVec3::Z * 0.9, 0.04, 0.2);
            }
            let whole = canvas.rect();
            renderer.render(&picture, &camera, &mut canvas, whole, Quality::FINE);
            drawing += start.elapsed().as_secs_f64();
            let start = Instant::now();
            writer.push(&canvas)?;
            writing += start.elapsed().as_secs_f64();
            if frame % 21 == 0 {
                sheet.push((format!("{time:.2} s"), canvas.clone()));
            }
        }
        writer.finish()?;
        let size = std::fs::metadata(directory.join(name))?.len() as f64 / 1e6;
        println!("{name}: drawing {drawing:.2} s, encoding {writing:.2} s, {size:.2} MB");
        let frames: Vec<_> = sheet.iter().map(|(caption, frame)| (caption.clone(), frame)).collect();
        write_png(&contact_sheet(name, &frames, 4, 320), directory.join(format!("{name}.sheet.png")))?;
    }
    Ok(())
}
