//! The motion graph of some files as JSON, and the distance map of two of them as a picture.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stuntlab_mocap::Clip;
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::edit::trim;
use stuntlab_mocap::graph::{GraphOptions, MotionGraph, Transition, clip_distances};

use super::distance_map::draw;
use super::{Outcome, ToolError, calibration_frames, name_of, read, write};

/// What to build and where to put it.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct GraphRequest {
    /// BVH files on one skeleton.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Folder for graph.json and distances.svg; made if it is not there.
    #[arg(long, default_value = ".")]
    pub out: PathBuf,
    /// Frames per second of the graph.
    #[arg(long, default_value_t = 30.0)]
    pub rate: f64,
    /// Seconds of windows and blends.
    #[arg(long, default_value_t = 1.0 / 3.0)]
    pub window: f64,
    /// Greatest distance of a transition in metres.
    #[arg(long, default_value_t = 0.06)]
    pub threshold: f64,
    /// Numbers of the two clips whose distances are drawn.
    #[arg(long, num_args = 2, default_values_t = [0, 0])]
    pub pair: Vec<usize>,
}

/// Builds the graph and writes `graph.json` and `distances.svg`. `progress` hears how many of how many pairs are done.
///
/// # Errors
/// Files that cannot be read or written, and clips that make no graph.
pub fn graph(request: &GraphRequest, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Outcome, ToolError> {
    let clips = request.files.iter().map(|f| load(f)).collect::<Result<Vec<_>, _>>()?;
    let pair = [0, 1].map(|i| request.pair.get(i).copied().unwrap_or(0));
    if pair.iter().any(|&p| p >= clips.len()) {
        return Err(ToolError::Pair { pair, n_clips: clips.len() });
    }
    let options = GraphOptions { rate: request.rate, window: request.window, threshold: request.threshold };
    let graph = MotionGraph::build(&clips, &options, progress)?;
    let map = clip_distances(&clips[pair[0]], &clips[pair[1]], &options)?;
    std::fs::create_dir_all(&request.out).map_err(|source| ToolError::File {
        file: request.out.clone(),
        action: "made a folder",
        source,
    })?;
    let json_file = request.out.join("graph.json");
    let mut text = serde_json::to_string_pretty(&to_json(&graph, &options)).expect("a JSON value has a text");
    text.push('\n');
    write(&json_file, &text)?;
    // Minima that became transitions, in the map's rows and columns.
    let window = graph.window();
    let marks: Vec<(usize, usize)> = graph
        .transitions()
        .iter()
        .filter(|t| t.from.clip == pair[0] && t.to.clip == pair[1])
        .map(|t| (t.from.frame, t.to.frame.saturating_sub(window)))
        .collect();
    let svg_file = request.out.join("distances.svg");
    let names = pair.map(|p| clips[p].name.as_str());
    write(&svg_file, &draw(&map, &marks, names, request.rate, request.threshold))?;
    Ok(Outcome::done(format!(
        "{} clips, {} transitions, {} of {} nodes in the core\n{}\n{}\n",
        clips.len(),
        graph.transitions().len(),
        graph.core_size(),
        graph.nodes().len(),
        json_file.display(),
        svg_file.display()
    )))
}

/// A clip without the calibration frames at its start.
fn load(file: &Path) -> Result<Clip, ToolError> {
    let bvh = read(file, false)?.bvh;
    let (clip, _) = import(&name_of(file), &bvh, &ImportOptions::default())
        .map_err(|source| ToolError::Import { file: file.to_owned(), source })?;
    let first = calibration_frames(&clip);
    trim(&clip, first..clip.n_frames()).map_err(|source| ToolError::Edit { file: file.to_owned(), source })
}

fn to_json(graph: &MotionGraph, options: &GraphOptions) -> Value {
    let transition = |t: &Transition| {
        json!({
            "from": { "clip": t.from.clip, "frame": t.from.frame },
            "to": { "clip": t.to.clip, "frame": t.to.frame },
            "distance_m": t.distance,
            "yaw": t.placement.yaw,
            "shift_m": t.placement.shift.to_array(),
        })
    };
    let nodes: Vec<Value> = graph
        .nodes()
        .iter()
        .enumerate()
        .map(|(i, n)| json!({ "clip": n.clip, "frame": n.frame, "core": graph.is_in_core(i) }))
        .collect();
    json!({
        "rate": options.rate,
        "window_frames": graph.window(),
        "threshold_m": options.threshold,
        "clips": graph.clips().iter().map(|c| json!({ "name": c.name, "frames": c.n_frames() })).collect::<Vec<_>>(),
        "nodes": nodes,
        "transitions": graph.transitions().iter().map(transition).collect::<Vec<_>>(),
    })
}
