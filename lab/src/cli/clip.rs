//! `stuntlab clip`: tools for BVH files.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use stuntlab::clip;

use super::bad_input;

#[derive(Subcommand)]
pub(super) enum ClipTool {
    /// Print what a file holds and what was found out about it.
    Info {
        /// BVH file.
        file: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Take the rows that are there when their declared number is wrong.
        #[arg(long)]
        lenient: bool,
    },
    /// Say what needs attention; ends with 1 where anything does.
    Check {
        /// BVH file.
        file: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// Take the rows that are there when their declared number is wrong.
        #[arg(long)]
        lenient: bool,
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
pub(super) fn run(tool: ClipTool) -> ExitCode {
    let outcome = match tool {
        ClipTool::Info { file, json, lenient } => clip::info(&file, json, lenient),
        ClipTool::Check { file, json, lenient } => clip::check(&file, json, lenient),
        ClipTool::Convert { file, out, options } => clip::convert(&file, &out, &options),
        ClipTool::Graph { request } => {
            let bar = indicatif::ProgressBar::new(0);
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
            // A reader that closed the pipe has read enough.
            let _ = std::io::stdout().write_all(outcome.text.as_bytes());
            ExitCode::from(outcome.status)
        }
        Err(error) => bad_input(&error),
    }
}
