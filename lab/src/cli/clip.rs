//! `stuntlab clip`: tools for BVH files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use stuntlab::clip;

use super::{Voice, bad_input, complain, to_json};

#[derive(Subcommand)]
pub(super) enum ClipTool {
    /// Print what a file holds and what was found out about it.
    Info {
        /// BVH file.
        file: PathBuf,
        /// Take the rows that are there when their declared number is wrong.
        #[arg(long)]
        lenient: bool,
    },
    /// Say what needs attention; ends with 1 where anything does.
    Check {
        /// BVH file.
        file: PathBuf,
        /// Take the rows that are there when their declared number is wrong.
        #[arg(long)]
        lenient: bool,
    },
    /// Mend pops, spikes, gaps and flips of angles, say what was done, and write BVH; ends with 1, and writes nothing,
    /// where something cannot be repaired.
    Repair {
        /// BVH file to read.
        file: PathBuf,
        /// BVH file to write.
        #[arg(short, long)]
        out: PathBuf,
        /// Write what could be repaired even so.
        #[arg(long)]
        anyway: bool,
    },
    /// Trim, mirror, resample or put on a standard figure, and write BVH.
    Convert {
        /// BVH file to read.
        file: PathBuf,
        /// BVH file to write.
        out: PathBuf,
        #[command(flatten)]
        options: clip::ConvertOptions,
    },
    /// Build a motion graph; writes graph.json and a picture of the distances.
    Graph {
        #[command(flatten)]
        request: clip::GraphRequest,
    },
}

/// Runs one of the tools.
pub(super) fn run(tool: ClipTool, voice: Voice) -> ExitCode {
    let json = voice.json;
    // The looking tools and repair write JSON of their own, the other making ones a list of remarks.
    let own_json = matches!(tool, ClipTool::Info { .. } | ClipTool::Check { .. } | ClipTool::Repair { .. });
    let outcome = match tool {
        ClipTool::Info { file, lenient } => clip::info(&file, json, lenient),
        ClipTool::Check { file, lenient } => clip::check(&file, json, lenient),
        ClipTool::Repair { file, out, anyway } => clip::repair(&file, &out, anyway, json),
        ClipTool::Convert { file, out, options } => clip::convert(&file, &out, &options),
        ClipTool::Graph { request } => {
            let bar = if voice.is_plain() {
                indicatif::ProgressBar::hidden()
            } else {
                indicatif::ProgressBar::new(0)
            };
            let outcome = clip::graph(&request, &|done, of| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
            });
            bar.finish_and_clear();
            outcome
        }
    };
    match outcome {
        Ok(outcome) => {
            let remarks = || to_json(&outcome.text.lines().collect::<Vec<_>>());
            let text = || outcome.text.clone();
            let json = || if own_json { text().trim_end().to_owned() } else { remarks() };
            voice.end(outcome.status, json, text)
        }
        Err(error) if error.is_unwritten() => complain(&error, 1),
        Err(error) => bad_input(&error),
    }
}
