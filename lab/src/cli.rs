//! Command line: what was asked, and how it ends (0 done, 1 a check does not hold, 2 bad input).

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stuntlab::verify;

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
    }
}

fn bad_input(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("stuntlab: {error}");
    ExitCode::from(2)
}
