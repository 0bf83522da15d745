//! Command line: what was asked, and how it ends (0 done, 1 a check does not hold, 2 bad input).

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stuntlab::{clip, verify};

/// A laboratory for physically simulated characters.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the engine against reference fixtures and print the worst error per quantity.
    Verify {
        /// Directory searched for fixture files (*.json), subdirectories included.
        dir: PathBuf,
        /// Print the report as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Look at, check and convert BVH files, and join them to motion graphs.
    Clip {
        #[command(subcommand)]
        tool: ClipTool,
    },
}

#[derive(Subcommand)]
enum ClipTool {
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

/// Runs the command given on the command line.
pub(crate) fn run() -> ExitCode {
    match Cli::parse().command {
        Command::Verify { dir, json } => match verify::verify(&dir) {
            Ok(report) => {
                if json {
                    println!("{}", report.to_json());
                } else {
                    print!("{report}");
                }
                if report.passed() { ExitCode::SUCCESS } else { ExitCode::from(1) }
            }
            Err(error) => bad_input(&error),
        },
        Command::Clip { tool } => run_clip(tool),
    }
}

fn run_clip(tool: ClipTool) -> ExitCode {
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

fn bad_input(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("stuntlab: {error}");
    ExitCode::from(2)
}
