//! `stuntlab view`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use stuntlab::scene::{Scene, Variant};
use stuntlab::view::{ViewError, ViewOptions, measure, open};

use super::{Chosen, Voice, bad_input, complain, to_json};

/// Options of the window.
#[derive(Args)]
pub(super) struct WindowArgs {
    /// Split the screen: the same scene under 2 or 4 contact formulations.
    #[arg(long, value_name = "2|4", value_parser = clap::value_parser!(u8).range(2..=4), conflicts_with = "vary")]
    split: Option<u8>,
    /// Size of the window in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = parse_size)]
    size: (usize, usize),
    /// Close after this many frames.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// Directory for screenshots, recordings and states.
    #[arg(long, value_name = "DIR", default_value = ".")]
    shots: PathBuf,
    /// Write one JSON line about every frame to a file.
    #[arg(long, value_name = "FILE")]
    script_log: Option<PathBuf>,
    /// Start paused.
    #[arg(long)]
    paused: bool,
    /// Start from a state that the window kept (F5); controllers begin anew there.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Draw the frames (300 unless told otherwise) without a window and print how long they took.
    #[arg(long)]
    headless: bool,
}

pub(super) fn parse_size(text: &str) -> Result<(usize, usize), String> {
    let size = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    size.filter(|(w, h)| (64..=8192).contains(w) && (64..=8192).contains(h))
        .ok_or_else(|| "expected WIDTHxHEIGHT with 64 to 8192 pixels each, such as 1280x720".to_owned())
}

/// The formulations a split screen compares.
fn split(n: u8) -> Vec<Variant> {
    let order = ["implicit-penalty", "lcp-pgs", "lcp-dantzig", "penalty"];
    let variant = |name: &&str| Variant {
        name: (*name).to_owned(),
        set: vec![format!("formulation={name}")],
        ..Variant::default()
    };
    order.iter().take(usize::from(n)).map(variant).collect()
}

pub(super) fn view(chosen: &Chosen, args: &WindowArgs, voice: Voice) -> ExitCode {
    let (scene, variants) = match chosen.load() {
        Ok(loaded) => loaded,
        Err(error) => return bad_input(&error),
    };
    let variants = args.split.map_or(variants, split);
    let options = ViewOptions {
        size: args.size,
        frames: args.frames,
        shots: args.shots.clone(),
        script_log: args.script_log.clone(),
        paused: args.paused,
        state: args.state.clone(),
    };
    if args.headless {
        return match measure(&scene, &variants, &options) {
            Ok(pace) => voice.end(0, || to_json(&pace), || pace.to_string()),
            Err(error) => bad_input(&error),
        };
    }
    show(&scene, &variants, &options)
}

/// Opens the window; without one says how to do without.
fn show(scene: &Scene, variants: &[Variant], options: &ViewOptions) -> ExitCode {
    match open(scene, variants, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(ViewError::Window(error)) => {
            eprintln!("stuntlab: {error}; without a display: stuntlab run {} --out DIR", scene.name);
            ExitCode::from(2)
        }
        Err(error @ ViewError::Log { .. }) => complain(&error, 1),
        Err(error) => bad_input(&error),
    }
}
