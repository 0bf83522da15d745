//! `stuntlab run`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use stuntlab::run::{FileError, Metrics, Recorder, Run, RunFiles, variants_of};
use stuntlab::scene::{Scene, SceneError, Variant};
use stuntlab::tune::Patch;

use super::{Chosen, Voice, bad_input, not_written, progress, to_json};

impl Chosen {
    /// The scene and its variants.
    pub(super) fn load(&self) -> Result<(Scene, Vec<Variant>), SceneError> {
        let name = Path::new(&self.scene).file_stem().unwrap_or_default().to_string_lossy();
        let mut set = Vec::new();
        for patch in &self.patch {
            set.extend(Patch::load(patch, &name)?.set);
        }
        set.extend_from_slice(&self.set);
        let scene = Scene::load(&self.scene, &set)?;
        let variants = variants_of(&scene, self.vary.as_deref())?;
        Ok((scene, variants))
    }
}

pub(super) fn run(chosen: &Chosen, out: Option<&Path>, film: bool, voice: Voice) -> ExitCode {
    let mut run = match chosen.load().and_then(|(scene, variants)| Run::new(&scene, &variants)) {
        Ok(run) => run,
        Err(error) => return bad_input(&error),
    };
    let start = Instant::now();
    if let Err(error) = simulate(&mut run, out, film, voice.is_plain()) {
        return not_written(&error);
    }
    let metrics = run.metrics();
    let words = || {
        let wall = start.elapsed().as_secs_f64();
        let wrote = out.map_or_else(String::new, |out| format!("wrote {}\n", out.display()));
        let (steps, duration) = (run.steps(), run.scene.duration);
        format!("{}{steps} steps, {duration:.1} s simulated in {wall:.1} s\n{wrote}", table(&metrics))
    };
    voice.end(u8::from(!metrics.passed), || to_json(&metrics), words)
}

/// Runs to the end, filming where asked, and writes the files.
pub(super) fn simulate(run: &mut Run, out: Option<&Path>, film: bool, quiet: bool) -> Result<(), FileError> {
    let bar = progress(&run.scene.name, quiet);
    let result = match out {
        Some(out) => record(run, out, film, &bar),
        None => advance(run, None, &bar),
    };
    bar.finish_and_clear();
    result
}

/// Runs to the end with a directory for what it leaves.
fn record(run: &mut Run, out: &Path, film: bool, bar: &ProgressBar) -> Result<(), FileError> {
    let mut files = RunFiles::create(out, run)?;
    let mut recorder = film.then(|| files.film(&run.scene)).transpose()?;
    advance(run, recorder.as_mut(), bar)?;
    if let Some(mut recorder) = recorder {
        recorder.frame(run)?;
        files.end_film(recorder, &run.scene.name)?;
    }
    files.finish(run)
}

/// Runs to the end.
fn advance(run: &mut Run, mut recorder: Option<&mut Recorder>, bar: &ProgressBar) -> Result<(), FileError> {
    let duration = run.scene.duration;
    let mut time = 0.0;
    while time < duration {
        match &mut recorder {
            Some(recorder) => {
                recorder.frame(run)?;
                time = recorder.next_time().min(duration);
            }
            None => time = (time + 0.1).min(duration),
        }
        run.advance_to(time);
        bar.set_position((1000.0 * time / duration) as u64);
    }
    Ok(())
}

/// Measurements beside their pass marks.
pub(super) fn table(metrics: &Metrics) -> String {
    use std::fmt::Write as _;
    let width = metrics.measurements.iter().map(|m| m.name.chars().count()).max().unwrap_or(0).max(11);
    let mut text = format!(
        "{}\n{:<width$} {:>12} {:<5} {:>16}\n",
        metrics.scene, "measurement", "value", "unit", "pass mark"
    );
    for m in &metrics.measurements {
        let value = m.value.map_or_else(|| "none".to_owned(), number);
        let verdict = if m.passed { "ok" } else { "FAIL" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<width$} {value:>12} {:<5} {:>16}  {verdict}", m.name, m.unit, m.marks());
    }
    for failure in &metrics.failures {
        let _ = writeln!(text, "stopped: {failure}");
    }
    for skipped in &metrics.skipped {
        let _ = writeln!(text, "skipped: {skipped}");
    }
    let passed = metrics.measurements.iter().filter(|m| m.passed).count();
    let verdict = if metrics.passed { "passed" } else { "FAILED" };
    let _ = writeln!(text, "{verdict}: {passed} of {} measurements hold", metrics.measurements.len());
    text
}

fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if (1e-3..1e5).contains(&a) => format!("{x:.4}"),
        _ => format!("{x:.3e}"),
    }
}
