//! Residuals of retargeting: `retarget_table FILE.bvh[:FIRST-LAST[:HZ]]…` prints a table over the standard figures for
//! clips at 30 Hz. Without a range the first frame (a T-pose in the CMU files) is left out; with a rate it replaces the
//! file's.

use std::time::Instant;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::Character;
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::edit::resample;
use stuntlab_mocap::retarget::{RetargetOptions, retarget};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figures = [
        Character::stuntperson(),
        Character::ball_figure(),
        Character::walker(true),
        Character::planar_figure(),
    ];
    println!(
        "{:14} {:>12} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6}",
        "clip", "figure", "mean cm", "worst", "deg", "slide", "held %", "s"
    );
    let mut sums = vec![0.0; figures.len()];
    let files: Vec<String> = std::env::args().skip(1).collect();
    for argument in &files {
        let mut words = argument.split(':');
        let file = words.next().unwrap_or_default();
        let bvh = Bvh::parse(&std::fs::read(file)?)?;
        let frames = match words.next().and_then(|range| range.split_once('-')) {
            Some((first, last)) => first.parse()?..last.parse::<usize>()? + 1,
            None => 1.min(bvh.n_frames())..bvh.n_frames(),
        };
        let frame_time = words.next().map(|hz| hz.parse::<f64>().map(|hz| 1.0 / hz)).transpose()?;
        let options = ImportOptions { frames: Some(frames), frame_time, ..ImportOptions::default() };
        let (clip, _) = import(file, &bvh, &options)?;
        let clip = resample(&clip, 30.0)?;
        let name = file.rsplit('/').next().unwrap_or(file);
        for (figure, sum) in figures.iter().zip(&mut sums) {
            let start = Instant::now();
            let fitted = retarget(&clip, figure, &RetargetOptions::default())?;
            let r = &fitted.report;
            *sum += r.mean_cm / files.len() as f64;
            println!(
                "{name:14} {:>12} {:7.2} {:7.2} {:7.2} {:7.2} {:6.0} {:6.2}",
                figure.name(),
                r.mean_cm,
                r.worst_cm,
                r.orientation_deg,
                r.slide_cm,
                100.0 * r.held_share,
                start.elapsed().as_secs_f64()
            );
        }
    }
    for (figure, mean) in figures.iter().zip(sums) {
        println!("{:14} {:>12} {mean:7.2}", "mean", figure.name());
    }
    Ok(())
}
