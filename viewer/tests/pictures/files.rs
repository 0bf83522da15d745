//! GIF and PNG files read back.

use crate::common;
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::picture::{Paint, Picture};
use stuntlab_viewer::png::{ImageError, read_png, write_png};
use stuntlab_viewer::raster::{Quality, Renderer};

fn walk(frames: usize, width: usize, height: usize) -> Vec<Canvas> {
    let mut renderer = Renderer::new();
    (0..frames)
        .map(|i| {
            let mut picture = Picture::new();
            picture.ground();
            let (time, paint) = (i as f64 * 0.04, Paint::solid(palette::WORLD_SPACE));
            common::humanoid(&mut picture, DVec3::new(time, 0.0, 0.0), 0.0, 6.0 * time, paint);
            let mut canvas = Canvas::new(width, height);
            let whole = canvas.rect();
            renderer.render(&picture, &Camera::default(), &mut canvas, whole, Quality::FAST);
            canvas
        })
        .collect()
}

/// Plays a GIF back: every frame as full-colour pixels, and the delays in hundredths.
fn play(bytes: &[u8]) -> (Vec<Vec<u32>>, Vec<u16>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).unwrap();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut screen = vec![0u32; width * height];
    let (mut frames, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let (left, top, w) = (usize::from(frame.left), usize::from(frame.top), usize::from(frame.width));
        for (i, rgba) in frame.buffer.chunks_exact(4).enumerate() {
            if rgba[3] > 0 {
                let at = (top + i / w) * width + left + i % w;
                screen[at] = Color::new(rgba[0], rgba[1], rgba[2]).pixel();
            }
        }
        frames.push(screen.clone());
        delays.push(frame.delay);
    }
    (frames, delays)
}

#[test]
fn a_gif_plays_back_what_was_drawn() {
    let frames = walk(12, 160, 90);
    let mut writer = GifWriter::new(Vec::new(), GifOptions::default());
    for frame in &frames {
        writer.push(frame).unwrap();
    }
    let (played, delays) = play(&writer.finish().unwrap());
    assert_eq!(played.len(), frames.len());
    assert_eq!(delays, vec![4; 12]);
    for (number, (frame, shown)) in frames.iter().zip(&played).enumerate() {
        let error = |(&a, &b): (&u32, &u32)| {
            [16, 8, 0]
                .map(|s| ((a >> s & 255) as i32 - (b >> s & 255) as i32).abs())
                .into_iter()
                .max()
                .unwrap()
        };
        let mut errors: Vec<i32> = frame.pixels().iter().zip(shown).map(error).collect();
        errors.sort_unstable();
        let mean = f64::from(errors.iter().sum::<i32>()) / errors.len() as f64;
        let p99 = errors[errors.len() * 99 / 100];
        assert!(mean < 4.0 && p99 <= 14, "frame {number}: mean error {mean:.2}, 99th percentile {p99}");
    }
}

#[test]
fn what_stands_still_costs_nothing() {
    let frame = walk(1, 160, 90).remove(0);
    let size = |count: usize| {
        let mut writer = GifWriter::new(Vec::new(), GifOptions::default());
        (0..count).for_each(|_| writer.push(&frame).unwrap());
        writer.finish().unwrap().len()
    };
    assert!(size(50) < size(1) + 50 * 60, "{} {}", size(1), size(50));
}

#[test]
fn odd_rates_keep_time_on_average() {
    let mut writer =
        GifWriter::new(Vec::new(), GifOptions { frames_per_second: 30.0, ..GifOptions::default() });
    (0..30).for_each(|_| writer.push(&Canvas::new(8, 8)).unwrap());
    let (_, delays) = play(&writer.finish().unwrap());
    assert_eq!(delays.iter().map(|&d| u32::from(d)).sum::<u32>(), 100);
}

#[test]
fn a_frame_of_another_size_is_refused() {
    let mut writer = GifWriter::new(Vec::new(), GifOptions::default());
    writer.push(&Canvas::new(20, 10)).unwrap();
    let error = writer.push(&Canvas::new(10, 20)).unwrap_err();
    assert!(
        matches!(error, ImageError::FrameSize { frame: 1, expected: (20, 10), actual: (10, 20) }),
        "{error}"
    );
}

#[test]
fn png_round_trip_and_errors() {
    let frame = walk(1, 50, 30).remove(0);
    let path = std::env::temp_dir().join(format!("stuntlab-viewer-{}.png", std::process::id()));
    write_png(&frame, &path).unwrap();
    let back = read_png(&path).unwrap();
    assert_eq!(back.pixels(), frame.pixels());
    std::fs::write(&path, b"not a picture").unwrap();
    let error = read_png(&path).unwrap_err().to_string();
    assert!(error.contains("stuntlab-viewer") && error.lines().count() == 1, "{error}");
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(read_png(&path), Err(ImageError::File { .. })));
    assert!(write_png(&frame, "/nonexistent/x.png").is_err());
}
