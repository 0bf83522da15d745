//! `stuntlab run`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use indicatif::ProgressBar;
use stuntlab::run::{
    FileError, FilmOptions, FoilMark, FoilOutcome, Metrics, Recorder, Run, RunFiles, grid_of, with_foils,
};
use stuntlab::scene::{Scene, SceneError, Variant, log_overrides};
use stuntlab::tune::Patch;

use super::{Chosen, Voice, bad_input, not_written, progress, to_json};

/// What a run leaves and brings besides its measurements.
pub(super) struct How {
    /// `None` for no film.
    pub(super) film: Option<FilmOptions>,
    pub(super) foils: bool,
    /// `WHAT[@RATE]`.
    pub(super) log: Vec<String>,
}

impl Chosen {
    /// The scene and its variants.
    pub(super) fn load(&self) -> Result<(Scene, Vec<Variant>), SceneError> {
        self.load_with(&[])
    }

    /// The same with more overrides.
    fn load_with(&self, more: &[String]) -> Result<(Scene, Vec<Variant>), SceneError> {
        let name = Path::new(&self.scene).file_stem().unwrap_or_default().to_string_lossy();
        let mut set = Vec::new();
        for patch in &self.patch {
            set.extend(Patch::load(patch, &name)?.set);
        }
        set.extend(self.set.iter().chain(more).cloned());
        let scene = Scene::load(&self.scene, &set)?;
        let variants = grid_of(&scene, &self.vary)?;
        Ok((scene, variants))
    }
}

/// The worlds of a run, at their start.
fn set_up(chosen: &Chosen, how: &How) -> Result<Run, SceneError> {
    let (scene, mut variants) = chosen.load_with(&log_overrides(&how.log)?)?;
    if let Some(film) = &how.film {
        scene.check_camera(&film.camera)?;
    }
    if how.foils {
        variants = with_foils(&scene, &variants)?;
    }
    Run::new(&scene, &variants)
}

pub(super) fn run(chosen: &Chosen, out: Option<&Path>, how: &How, voice: Voice) -> ExitCode {
    let mut run = match set_up(chosen, how) {
        Ok(run) => run,
        Err(error) => return bad_input(&error),
    };
    let start = Instant::now();
    if let Err(error) = simulate(&mut run, out, how.film.as_ref(), voice) {
        return not_written(&error);
    }
    let metrics = run.metrics();
    let words = || {
        let wall = start.elapsed().as_secs_f64();
        let wrote = out.map_or_else(String::new, |out| format!("wrote {}\n", out.display()));
        let (steps, duration) = (run.steps(), run.seconds());
        format!("{}{steps} steps, {duration:.1} s simulated in {wall:.1} s\n{wrote}", table(&metrics))
    };
    voice.end(u8::from(!metrics.passed), || to_json(&metrics), words)
}

/// Runs to the end, filming where asked, and writes the files.
pub(super) fn simulate(
    run: &mut Run,
    out: Option<&Path>,
    film: Option<&FilmOptions>,
    voice: Voice,
) -> Result<(), FileError> {
    let bar = progress(&run.scene.name, voice.is_plain());
    let mut video = None;
    let result = match out {
        Some(out) => record(run, out, film, &bar).map(|line| video = line),
        None => advance(run, None, &bar),
    };
    bar.finish_and_clear();
    if let Some(line) = video.filter(|_| !voice.is_plain()) {
        println!("video: {line}");
    }
    result
}

/// Runs to the end with a directory for what it leaves; gives the line that makes a video of the frames, where they were kept.
fn record(
    run: &mut Run,
    out: &Path,
    film: Option<&FilmOptions>,
    bar: &ProgressBar,
) -> Result<Option<String>, FileError> {
    let mut files = RunFiles::create(out, run)?;
    let mut recorder = film.map(|options| files.film(&run.scene, options)).transpose()?;
    advance(run, recorder.as_mut(), bar)?;
    let mut video = None;
    if let Some(mut recorder) = recorder {
        recorder.frame(run)?;
        video = recorder.ffmpeg();
        files.end_film(recorder, &run.scene.name)?;
    }
    files.finish(run)?;
    Ok(video)
}

/// Runs to the end.
fn advance(run: &mut Run, mut recorder: Option<&mut Recorder>, bar: &ProgressBar) -> Result<(), FileError> {
    let duration = run.seconds();
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
        let verdict = match (m.has_mark(), m.passed) {
            (false, _) => "",
            (true, true) => "  ok",
            (true, false) => "  FAIL",
        };
        let line = format!("{:<width$} {value:>12} {:<5} {:>16}{verdict}", m.name, m.unit, m.marks());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for failure in &metrics.failures {
        let _ = writeln!(text, "stopped: {failure}");
    }
    for skipped in &metrics.skipped {
        let _ = writeln!(text, "skipped: {skipped}");
    }
    for note in &metrics.clips {
        let _ = writeln!(text, "clip: {note}");
    }
    text.push_str(&foil_table(metrics));
    let marks = metrics.measurements.iter().filter(|m| m.has_mark());
    let (passed, all) = marks.fold((0, 0), |(passed, all), m| (passed + usize::from(m.passed), all + 1));
    let verdict = if metrics.passed { "passed" } else { "FAILED" };
    let _ = write!(text, "{verdict}: {passed} of {all} measurements hold");
    if !metrics.foils.is_empty() {
        let broken = metrics.foils.iter().filter(|f| f.broken).count();
        let _ = write!(text, ", {broken} of {} foils break their marks", metrics.foils.len());
    }
    text.push('\n');
    text
}

/// Foils, the marks they must break, and whether they did.
fn foil_table(metrics: &Metrics) -> String {
    if metrics.foils.is_empty() {
        return String::new();
    }
    let head = ["foil", "mark", "value", "unit", "pass mark", "broken?"].map(str::to_owned);
    let rows: Vec<[String; 6]> =
        std::iter::once(head).chain(metrics.foils.iter().flat_map(foil_rows)).collect();
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let [a, b, c, d, e] = std::array::from_fn(width);
    let line = |[foil, mark, value, unit, marks, broken]: &[String; 6]| {
        format!("{foil:<a$} {mark:<b$} {value:>c$} {unit:<d$} {marks:>e$}  {broken}\n")
    };
    rows.iter().map(line).collect()
}

/// A row for every mark a foil must break, and one where it stopped early.
fn foil_rows(foil: &FoilOutcome) -> Vec<[String; 6]> {
    let title = foil.title();
    let row = |m: &FoilMark| {
        let value = m.reading.value.map_or_else(|| "none".to_owned(), number);
        let verdict = match (m.broken, m.reading.value) {
            (true, _) => "broken",
            (false, Some(_)) => "HOLDS",
            (false, None) => "NOT MEASURED",
        };
        let (name, unit, marks) = (m.reading.name.clone(), m.reading.unit.to_owned(), m.reading.marks());
        [title.clone(), name, value, unit, marks, verdict.to_owned()]
    };
    let stopped = |e: &String| [&title, "stopped", "", "", "", e.as_str()].map(str::to_owned);
    let listed = foil.marks.iter().filter(|m| m.must_break).map(row);
    listed.chain(foil.failure.as_ref().map(stopped)).collect()
}

/// The same as lines.
pub(super) fn foil_lines(foil: &FoilOutcome) -> Vec<String> {
    let line = |[foil, mark, value, unit, marks, broken]: [String; 6]| {
        format!("{foil}: {mark} {value} {unit} ({marks}) {broken}")
    };
    foil_rows(foil).into_iter().map(line).collect()
}

pub(super) fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if (1e-3..1e5).contains(&a) => format!("{x:.4}"),
        _ => format!("{x:.3e}"),
    }
}
