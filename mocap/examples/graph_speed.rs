//! Time to build a motion graph: `graph_speed FILE.bvh…` at 30 Hz, with the threads there are.

use std::time::Instant;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::graph::{GraphOptions, MotionGraph};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut clips = Vec::new();
    for file in std::env::args().skip(1) {
        let bvh = Bvh::parse(&std::fs::read(&file)?)?;
        let frames = Some(1..bvh.n_frames());
        clips.push(import(&file, &bvh, &ImportOptions { frames, ..ImportOptions::default() })?.0);
    }
    let start = Instant::now();
    let graph = MotionGraph::build(&clips, &GraphOptions::default(), &|_, _| {})?;
    let seconds = start.elapsed().as_secs_f64();
    let frames: usize = graph.clips().iter().map(|c| c.n_frames()).sum();
    println!(
        "{} clips, {frames} frames: {} transitions, {} nodes, {} in the core, {seconds:.2} s",
        clips.len(),
        graph.transitions().len(),
        graph.nodes().len(),
        graph.core_size()
    );
    Ok(())
}
