//! `adaptive_times [STEPS [CASE]]`: what a step of characters that answer takes, and its parts, least and median, µs; of one case alone for a profiler.

use std::time::Instant;

use stuntlab_benches::adaptive::{Crowd, PARTS};

fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(600);
    let cases = [
        ("one, undisturbed", 1, None),
        ("ten, undisturbed", 10, None),
        ("one, all simulated", 1, Some(usize::MAX)),
        ("one, a quarter simulated", 1, Some(3)),
        ("one, none simulated", 1, Some(0)),
        ("ten, one of them all simulated", 10, Some(usize::MAX)),
    ];
    let only = std::env::args().nth(2);
    let mut crowds: Vec<_> = cases
        .iter()
        .filter(|(what, ..)| only.as_ref().is_none_or(|only| only == what))
        .map(|(what, n, most)| (what, Crowd::new(*n, *most), Vec::new()))
        .collect();
    for k in 0..steps + 60 {
        for (_, crowd, times) in &mut crowds {
            let start = Instant::now();
            crowd.step();
            let all = start.elapsed();
            if k >= 60 {
                times.push(
                    std::iter::once(all)
                        .chain(crowd.parts)
                        .map(|t| 1e6 * t.as_secs_f64())
                        .collect::<Vec<_>>(),
                );
            }
        }
    }
    for (what, crowd, times) in &crowds {
        let (joints, all) = crowd.simulated();
        print!("{what:<32} {joints:>2} of {all}");
        for (k, name) in ["all"].iter().chain(&PARTS).enumerate() {
            let mut column: Vec<f64> = times.iter().map(|t| t[k]).collect();
            column.sort_by(f64::total_cmp);
            print!("  {name} {:.1} ({:.1})", column[0], column[column.len() / 2]);
        }
        println!();
    }
}
