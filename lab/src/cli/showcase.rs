//! `stuntlab` without a command: a window with a scene to play with, or without a display a film, a picture and a table.

use std::path::Path;
use std::process::ExitCode;

use stuntlab::run::{FilmOptions, Run, variants_of};
use stuntlab::scene::Scene;
use stuntlab::view::{ViewError, ViewOptions, open};

use super::run::{simulate, table};
use super::{Voice, bad_input, not_written, to_json};

/// The scene a visitor sees first.
const SHOWN: &str = "base-game";

pub(super) fn showcase(voice: Voice) -> ExitCode {
    let loaded = Scene::load(SHOWN, &[]).and_then(|scene| {
        let variants = variants_of(&scene, None)?;
        Ok((scene, variants))
    });
    let (scene, variants) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return bad_input(&error),
    };
    match open(&scene, &variants, &ViewOptions::default()) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(ViewError::Window(_)) => {}
        Err(error) => return bad_input(&error),
    }
    if !voice.is_plain() {
        println!("No display: running {SHOWN} headless; `stuntlab scenes` lists the others.");
    }
    let out = Path::new("out");
    let mut run = match Run::new(&scene, &variants) {
        Ok(run) => run,
        Err(error) => return bad_input(&error),
    };
    if let Err(error) = simulate(&mut run, Some(out), Some(&FilmOptions::default()), voice) {
        return not_written(&error);
    }
    let metrics = run.metrics();
    let wrote = "wrote out/run.gif, out/sheet.png, out/metrics.json, out/log.csv, out/manifest.json\n";
    voice.end(0, || to_json(&metrics), || table(&metrics) + wrote)
}
