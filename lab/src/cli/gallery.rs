//! `stuntlab gallery`: a picture and a sentence of every scene.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use stuntlab::run::{FileError, FilmOptions, Recorder, Run, SheetOptions, variants_of};
use stuntlab::scene::{LIBRARY, Scene, SceneError};

use super::{Voice, bad_input, not_written, progress};

/// What to show.
#[derive(Args)]
pub(super) struct GalleryArgs {
    /// Scenes; all where none is named. The page is written with all of them.
    scenes: Vec<String>,
    /// Directory of the page gallery.md and of the pictures, in gallery/.
    #[arg(long, value_name = "DIR", default_value = "docs")]
    out: PathBuf,
    /// Simulated seconds of a scene at most.
    #[arg(long, value_name = "S", default_value_t = 12.0)]
    seconds: f64,
}

/// Four frames, as wide as a page, so that nothing is shrunk on it; those of several worlds one below the other. Two would not show a fall.
const SHEET: SheetOptions = SheetOptions { frames: 4, columns: 2, width: 440 };
/// Worlds side by side at most: of more nobody sees anything on a page.
const LANES: usize = 2;

pub(super) fn gallery(args: &GalleryArgs, voice: Voice) -> ExitCode {
    let all = LIBRARY.iter().map(|(name, _)| (*name).to_owned());
    let chosen: Vec<String> = if args.scenes.is_empty() { all.collect() } else { args.scenes.clone() };
    for name in &chosen {
        let mut run = match set_up(name) {
            Ok(run) => run,
            Err(error) if error.absent => continue,
            Err(error) => return bad_input(&error),
        };
        if let Err(error) = picture(&mut run, args, voice) {
            return not_written(&error);
        }
    }
    let page = match page(&args.out) {
        Ok(page) => page,
        Err(error) => return bad_input(&error),
    };
    let path = args.out.join("gallery.md");
    if let Err(error) =
        std::fs::write(&path, page).map_err(|source| FileError::Io { path: path.clone(), source })
    {
        return not_written(&error);
    }
    voice.end(0, || "{}".to_owned(), || format!("wrote {}\n", path.display()))
}

/// The first variants of a scene.
fn set_up(name: &str) -> Result<Run, SceneError> {
    let scene = Scene::load(name, &[])?;
    let mut variants = variants_of(&scene, None)?;
    variants.truncate(LANES);
    Run::new(&scene, &variants)
}

/// Runs a scene and leaves a row of frames of it.
fn picture(run: &mut Run, args: &GalleryArgs, voice: Voice) -> Result<(), FileError> {
    let dir = args.out.join("gallery");
    std::fs::create_dir_all(&dir).map_err(|source| FileError::Io { path: dir.clone(), source })?;
    let name = run.scene.name.clone();
    let options = FilmOptions { sheet: SHEET, gif: false, rate: 15.0, ..FilmOptions::default() };
    let mut recorder = Recorder::new(&run.scene, &dir.join(format!("{name}.gif")), &options)?;
    let bar = progress(&name, voice.is_plain());
    let end = run.seconds().min(args.seconds);
    while recorder.next_time() < end {
        recorder.frame(run)?;
        run.advance_to(recorder.next_time().min(end));
        bar.set_position((1000.0 * recorder.next_time() / end) as u64);
    }
    recorder.frame(run)?;
    bar.finish_and_clear();
    recorder.finish(&name, &dir.join(format!("{name}.jpg")))
}

/// The page: a heading, a sentence and a picture of every scene that has one.
fn page(out: &Path) -> Result<String, SceneError> {
    let mut page = String::from(
        "# Gallery\n\nEvery scene in a few moments, chosen where something happens. Made by\n\n```sh\nstuntlab gallery --out docs\n```\n\nTrunks tell who it is, limbs what drives it (blue: joint space, orange: world space, green: cannot fall, lilac: decides\nitself, sand: limp); left limbs are light, right ones dark. Contours on uneven ground are 5 cm apart.\n",
    );
    for (name, _) in LIBRARY {
        if out.join("gallery").join(format!("{name}.jpg")).is_file() {
            let scene = Scene::load(name, &[])?;
            // Writing to a string cannot fail.
            let _ = write!(
                page,
                "\n## {name}\n{}.\n\n![{name}](gallery/{name}.jpg)\n",
                scene.shows.trim_end_matches('.')
            );
        }
    }
    Ok(page)
}
