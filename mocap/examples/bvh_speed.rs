//! Reading speed: `bvh_speed FILE…` prints MB/s of one core over the files, best of twenty rounds.

use std::time::Instant;
use stuntlab_mocap::bvh::Bvh;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts = std::env::args().skip(1).map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let (mut best, mut values) = (f64::INFINITY, 0);
    for _ in 0..20 {
        let start = Instant::now();
        values = 0;
        for text in &texts {
            let bvh = Bvh::parse(text)?;
            values += bvh.n_frames() * bvh.n_channels();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{} files, {:.1} MB, {values} values: {:.0} MB/s",
        texts.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / best
    );
    Ok(())
}
