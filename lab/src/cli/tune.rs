//! `stuntlab tune`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use stuntlab::scene::{Scene, SceneError, TuneSpec};
use stuntlab::tune::{Heard, Tally, TuneError, Tuned, Tuning};

use super::{Voice, bad_input, not_written, progress, to_json};

/// What is tuned, and how.
#[derive(Args)]
pub(super) struct TuneArgs {
    /// Name of a scene (see `stuntlab scenes`) or a .toml file, with a [tune] table.
    scene: String,
    /// Override a value of the scene, such as tune.generations=100.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// A .toml file with the [tune] table, in place of the scene's own.
    #[arg(long, value_name = "FILE")]
    with: Option<String>,
    /// Directory for the patch, the table, the picture and the checkpoint; one that was stopped goes on in its own.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads; one per core where absent. Results do not depend on it.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

pub(super) fn tune(args: &TuneArgs, voice: Voice) -> ExitCode {
    let tuning = match load(args) {
        Ok(tuning) => tuning,
        Err(error) => return bad_input(&error),
    };
    let usual = Path::new("out").join(format!("tune-{}", tuning.scene.name));
    let dir = args.out.as_deref().unwrap_or(&usual);
    let bar = progress(&tuning.scene.name, voice.is_plain());
    let result = tuning.run(dir, &|Heard { done, all, best }| {
        bar.set_length(all);
        bar.set_position(done);
        if best.is_finite() {
            bar.set_message(format!("{} best {best:.4}", tuning.scene.name));
        }
    });
    bar.finish_and_clear();
    match result {
        Ok(tuned) => voice.end(0, || to_json(&tuned), || table(&tuned, dir)),
        Err(TuneError::File(error)) => not_written(&error),
        Err(error) => bad_input(&error),
    }
}

fn load(args: &TuneArgs) -> Result<Tuning, SceneError> {
    let scene = Scene::load(&args.scene, &args.set)?;
    let spec = match &args.with {
        Some(file) => TuneSpec::load(file, scene.seed)?,
        None => scene.tune.clone().ok_or_else(|| SceneError {
            file: scene.file.clone(),
            line: 0,
            key: "tune".to_owned(),
            problem: "missing, expected a table [tune] with parameters, or one in a file: --with FILE"
                .to_owned(),
            absent: false,
        })?,
    };
    let words = ["stuntlab", "tune", &args.scene].into_iter().map(quoted);
    let set = args.set.iter().flat_map(|s| ["--set".to_owned(), quoted(s)]);
    let with = args.with.iter().flat_map(|f| ["--with".to_owned(), quoted(f)]);
    let command = words.chain(set).chain(with).collect::<Vec<_>>().join(" ");
    Ok(Tuning { scene, spec, command, threads: args.threads })
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn table(tuned: &Tuned, dir: &Path) -> String {
    use std::fmt::Write as _;
    let width = tuned.parameters.iter().map(|p| p.set.chars().count()).max().unwrap_or(0).max(9);
    let mut text = format!("{}\n{:<width$} {:>12} {:>12}\n", tuned.scene, "parameter", "from", "tuned");
    for p in &tuned.parameters {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<width$} {:>12.6} {:>12.6}", p.set, p.from, p.tuned);
    }
    let mut line = |name: &str, t: &Tally| {
        let held = |e: &stuntlab::stats::Estimate| (e.value * e.n as f64).round();
        // One seed has no spread.
        let interval = |low: f64, high: f64| format!(", 95 % {low:.6} to {high:.6}");
        let sure =
            if t.change.low.is_finite() { interval(t.change.low, t.change.high) } else { String::new() };
        let _ = writeln!(
            text,
            "{name}: mean cost {:.6}, was {:.6} (change {:.6}{sure}); all marks hold in {} of {}, were {}",
            t.after.value,
            t.before.value,
            t.change.value,
            held(&t.held_after),
            t.held_after.n,
            held(&t.held_before),
        );
    };
    line("seeds tuned on", &tuned.tuned_on);
    if let Some(held) = &tuned.held_back {
        line("seeds held back", held);
    }
    let _ =
        writeln!(text, "{} generations, {} runs, {} restarts", tuned.generations, tuned.runs, tuned.restarts);
    let _ = writeln!(text, "stuntlab run {} --patch {}", tuned.scene, dir.join("tuned.toml").display());
    text
}
