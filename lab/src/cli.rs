//! Command line: what was asked, and how it ends (0 done, 1 a check does not hold or a file could not be written, 2 bad
//! input).

mod check;
mod clip;
mod compare;
mod film;
mod gallery;
mod learn;
mod list;
mod replay;
mod run;
mod showcase;
mod study;
mod tune;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use stuntlab::disk::FileError;
use stuntlab::study::{Order, Shard, Size};
use stuntlab::verify;
use stuntlab::words::one_line;

/// A laboratory for physically simulated characters.
///
/// Without a command it shows itself: a window, or without a display a GIF, a picture and a table in ./out.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    voice: Voice,
}

/// How much is said, and to whom.
#[derive(Args, Clone, Copy)]
struct Voice {
    /// Print for machines: JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Print nothing but errors.
    #[arg(long, global = true)]
    quiet: bool,
}

impl Voice {
    /// Prints what a command found, as JSON, as text, or not at all, and ends with `code`; with 1 where it could not be
    /// printed.
    fn end(self, code: u8, json: impl FnOnce() -> String, text: impl FnOnce() -> String) -> ExitCode {
        match self {
            Self { quiet: true, .. } => ExitCode::from(code),
            Self { json: true, .. } => print_all(&(json() + "\n"), code),
            _ => print_all(&text(), code),
        }
    }

    /// Whether progress bars would disturb.
    fn is_plain(self) -> bool {
        self.json || self.quiet
    }
}

/// Prints to standard output and ends with `code`, or with 1 where that did not work.
fn print_all(words: &str, code: u8) -> ExitCode {
    use std::io::Write as _;
    let mut out = std::io::stdout();
    match out.write_all(words.as_bytes()).and_then(|()| out.flush()) {
        // A reader that closed the pipe has read enough.
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("stuntlab: standard output: {e}");
            ExitCode::from(1)
        }
        _ => ExitCode::from(code),
    }
}

/// A value as JSON text.
fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and numbers")
}

/// Which scene, under which settings.
#[derive(Args)]
struct Chosen {
    /// Name of a scene or study (see `stuntlab scenes`) or a .toml file.
    scene: String,
    /// Override a value of the scene, such as formulation=lcp-pgs or character.0.at=[0,0,2].
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Apply a patch of the scene, such as one that `stuntlab tune` has left; before --set.
    #[arg(long, value_name = "FILE")]
    patch: Vec<PathBuf>,
    /// Run the scene once for each value, side by side, such as formulation=penalty,lcp-pgs; given several times, once
    /// for each combination.
    #[arg(long, value_name = "PATH=A,B,…")]
    vary: Vec<String>,
}

/// Which part of a study.
#[derive(Args)]
struct Part {
    /// Of a study, a small version.
    #[arg(long)]
    quick: bool,
    /// Of a study, the i-th of n parts, for other processes or machines to run the rest (see `stuntlab merge`).
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Threads of a study; one per core where absent. Results do not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Subcommand)]
enum Command {
    /// List the scenes and studies that come with the program.
    Scenes {
        /// List instead what scenes may name: controllers, terrains, quantities, readings, with keys and what is usual.
        #[arg(long)]
        kinds: bool,
    },
    /// Run a scene headless, measure it, and write its files; or run a study.
    Run {
        #[command(flatten)]
        chosen: Chosen,
        /// Directory for metrics.json, log.csv, manifest.json, run.gif and sheet.png; nothing is written without it.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        film: film::FilmArgs,
        /// Run the scene's foils, too: sabotage under which its marks must not hold.
        #[arg(long, conflicts_with = "vary")]
        foils: bool,
        /// Log every body, joint, contact or reading, or all, so many times a second (60), such as joints@120.
        #[arg(long, value_name = "WHAT[@RATE]", requires = "out")]
        log: Vec<String>,
        #[command(flatten)]
        part: Part,
    },
    /// Run all scenes with their foils: marks must hold, foils must break theirs, last states must be those recorded.
    Check(check::CheckArgs),
    /// Make the page of pictures of all scenes.
    Gallery(gallery::GalleryArgs),
    /// Compare formulations, integrators, coordinates or whatever else on a suite, a set-up or a scene: tables, plots and a report.
    Compare(compare::CompareArgs),
    /// Put shards of a study or a comparison together: tables, pictures and results of all their trials.
    Merge {
        /// Directories of the shards.
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// Directory for the whole.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Search for better values of a scene's parameters (CMA-ES), as a patch of the scene.
    Tune(tune::TuneArgs),
    /// Learn from which states skills succeed: samples, support vector machines, thresholds.
    Learn(learn::LearnArgs),
    /// Watch a scene in a window; F1 lists the keys.
    View {
        #[command(flatten)]
        chosen: Chosen,
        #[command(flatten)]
        window: view::WindowArgs,
    },
    /// Run a run again from its directory and compare states, measurements, logs and all else it left.
    Replay {
        /// Directory of a run, its manifest.json, or a black box in it (blackbox.txt).
        run: PathBuf,
    },
    /// Check the engine against reference fixtures and print the worst error per quantity.
    Verify {
        /// Directory searched for fixture files (*.json), subdirectories included; those that come with the program where absent.
        dir: Option<PathBuf>,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Look at, check, repair and convert BVH files, and join them to motion graphs.
    Clip {
        #[command(subcommand)]
        tool: clip::ClipTool,
    },
}

/// Runs the command given on the command line.
pub(crate) fn run() -> ExitCode {
    let Cli { command, voice } = Cli::parse();
    match command {
        None => showcase::showcase(voice),
        Some(Command::Scenes { kinds: false }) => list::list(voice),
        Some(Command::Scenes { kinds: true }) => list::kinds(voice),
        Some(Command::Run { chosen, out, film, foils, log, part }) => {
            let how = run::How { film: film.options(), foils, log };
            run_scene_or_study(&chosen, out.as_deref(), &how, &part, voice)
        }
        Some(Command::Check(args)) => check::run(&args, voice),
        Some(Command::Gallery(args)) => gallery::gallery(&args, voice),
        Some(Command::Compare(args)) => compare::run(&args, voice),
        Some(Command::Merge { dirs, out }) => study::merge(&dirs, &out, voice),
        Some(Command::Tune(args)) => tune::tune(&args, voice),
        Some(Command::Learn(args)) => learn::run(&args, voice),
        Some(Command::View { chosen, window }) => view::view(&chosen, &window, voice),
        Some(Command::Replay { run }) => replay::replay(&run, voice),
        Some(Command::Verify { dir }) => verify(dir.as_deref(), voice),
        Some(Command::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "stuntlab", &mut script);
            print_all(&String::from_utf8_lossy(&script), 0)
        }
        Some(Command::Clip { tool }) => clip::run(tool, voice),
    }
}

fn run_scene_or_study(
    chosen: &Chosen,
    out: Option<&std::path::Path>,
    how: &run::How,
    part: &Part,
    voice: Voice,
) -> ExitCode {
    if chosen.scene == learn::STUDY {
        return learn::study(part, out, voice);
    }
    let Some(study) = stuntlab::study::find(&chosen.scene) else {
        let Part { quick, shard, threads } = part;
        if *quick || shard.is_some() || threads.is_some() {
            let name = one_line(&chosen.scene);
            eprintln!("stuntlab: {name} is no study, expected --quick, --shard and --threads with one");
            return ExitCode::from(2);
        }
        return run::run(chosen, out, how, voice);
    };
    let plain = chosen.set.is_empty() && chosen.patch.is_empty() && chosen.vary.is_empty();
    if !plain || how.foils || !how.log.is_empty() {
        eprintln!(
            "stuntlab: {} is a study, expected no --set, --patch, --vary, --foils or --log with it",
            study.name
        );
        return ExitCode::from(2);
    }
    let shard = match part.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse) {
        Ok(shard) => shard,
        Err(error) => return bad_input(&error),
    };
    let size = if part.quick { Size::Quick } else { Size::Full };
    study::run(study, Order { size, shard, threads: part.threads.unwrap_or(0) }, out, voice)
}

fn verify(dir: Option<&std::path::Path>, voice: Voice) -> ExitCode {
    match dir.map_or_else(verify::verify_own, verify::verify) {
        Ok(report) => voice.end(u8::from(!report.passed()), || report.to_json(), || report.to_string()),
        Err(error) => bad_input(&error),
    }
}

/// One line on stderr, exit code 2.
fn bad_input(error: &dyn std::error::Error) -> ExitCode {
    complain(error, 2)
}

/// One line on stderr: 2 where the directory is somebody else's, 1 where a file could not be written.
fn not_written(error: &FileError) -> ExitCode {
    complain(error, if matches!(error, FileError::Busy { .. }) { 2 } else { 1 })
}

/// One line on stderr.
fn complain(error: &dyn std::error::Error, code: u8) -> ExitCode {
    eprintln!("stuntlab: {}", one_line(&error.to_string()));
    ExitCode::from(code)
}

/// A progress bar over simulated seconds, on stderr, only where someone looks.
fn progress(title: &str, quiet: bool) -> indicatif::ProgressBar {
    let bar = if quiet { indicatif::ProgressBar::hidden() } else { indicatif::ProgressBar::new(1000) };
    let style = indicatif::ProgressStyle::with_template("{msg} {bar:30} {percent:>3} % {eta} left")
        .expect("a well-formed template");
    bar.with_style(style).with_message(title.to_owned())
}
