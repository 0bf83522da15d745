//! `stuntlab check`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use stuntlab::check::{Bits, Hashes, SceneOutcome, check, libm};
use stuntlab::disk::save_text;
use stuntlab::scene::{LIBRARY, Scene};
use stuntlab::words::one_line;

use super::run::{foil_lines, number};
use super::{Voice, bad_input, not_written, progress, to_json};

/// What is checked.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// Names of scenes or .toml files; all that come with the program where none is given.
    scenes: Vec<String>,
    /// Leave the foils out.
    #[arg(long)]
    no_foils: bool,
    /// Threads; one per core where absent. Results do not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Write the hashes of the last states into this file, lab/hashes.toml, instead of comparing with it.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// A scene's line.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    outcome: SceneOutcome,
    /// How its last states compare with the record.
    bits: Bits,
}

impl Row {
    fn passed(&self) -> bool {
        self.outcome.metrics.passed && !matches!(self.bits, Bits::Differ(_))
    }
}

pub(super) fn run(args: &CheckArgs, voice: Voice) -> ExitCode {
    let start = Instant::now();
    let all = || LIBRARY.iter().map(|(name, _)| (*name).to_owned()).collect();
    let names: Vec<String> = if args.scenes.is_empty() { all() } else { args.scenes.clone() };
    let scenes: Result<Vec<Scene>, _> = names.iter().map(|name| Scene::load(name, &[])).collect();
    let bar = progress("check", voice.is_plain());
    let heard = |done: usize, of: usize, which: &str| {
        bar.set_position((1000 * done / of.max(1)) as u64);
        bar.set_message(format!("{done} of {of}: {}", one_line(which)));
    };
    let outcomes = scenes.and_then(|scenes| check(&scenes, !args.no_foils, args.threads.unwrap_or(0), heard));
    bar.finish_and_clear();
    let outcomes = match outcomes {
        Ok(outcomes) => outcomes,
        Err(error) => return bad_input(&error),
    };
    if let Some(path) = &args.record
        && let Err(code) = record(path, &outcomes)
    {
        return code;
    }
    let hashes = match args.record {
        // Nothing is compared with what is being replaced.
        Some(_) => Hashes::default(),
        None => Hashes::recorded().unwrap_or_default(),
    };
    let compare = |outcome: SceneOutcome| Row { bits: hashes.compare(&outcome), outcome };
    let rows: Vec<Row> = outcomes.into_iter().map(compare).collect();
    let passed = rows.iter().all(Row::passed);
    let words = || {
        let mut text = table(&rows, start.elapsed().as_secs_f64());
        if args.record.is_none() && hashes.libm != libm() {
            text.push_str(
                "states are not compared with lab/hashes.toml: it was made with another C library\n",
            );
        }
        text
    };
    voice.end(u8::from(!passed), || to_json(&rows), words)
}

/// Puts the hashes into a file, beside those of other scenes in it.
fn record(path: &Path, outcomes: &[SceneOutcome]) -> Result<(), ExitCode> {
    let malformed = |problem: String| {
        eprintln!("stuntlab: {}: {}, expected a file of hashes", path.display(), one_line(&problem));
        ExitCode::from(2)
    };
    let mut hashes = match std::fs::read_to_string(path) {
        Ok(text) => Hashes::parse(&text).map_err(malformed)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Hashes::default(),
        Err(e) => return Err(malformed(e.to_string())),
    };
    hashes.record(outcomes);
    save_text(path, &hashes.text()).map_err(|e| not_written(&e))
}

/// A line per scene, then what is wrong with those that fail.
fn table(rows: &[Row], seconds: f64) -> String {
    let width = rows.iter().map(|r| r.outcome.metrics.scene.chars().count()).max().unwrap_or(0).max(5);
    let mut text =
        format!("{:<width$} {:>9} {:>9} {:>8} {:>7}\n", "scene", "marks", "foils", "state", "time");
    let (mut marks_held, mut marks, mut foils_broken, mut foils) = (0, 0, 0, 0);
    for row in rows {
        let metrics = &row.outcome.metrics;
        let marked = metrics.measurements.iter().filter(|m| m.has_mark());
        let (held, all) = marked.fold((0, 0), |(held, all), m| (held + usize::from(m.passed), all + 1));
        let broken = metrics.foils.iter().filter(|f| f.broken).count();
        let bits = match row.bits {
            Bits::Same => "same",
            Bits::Differ(_) => "DIFFERS",
            Bits::Unknown => "-",
        };
        let verdict = if row.passed() { "ok" } else { "FAIL" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<width$} {:>9} {:>9} {bits:>8} {:>5.1} s  {verdict}",
            metrics.scene,
            format!("{held}/{all}"),
            format!("{broken}/{}", metrics.foils.len()),
            row.outcome.seconds,
        );
        (marks_held, marks) = (marks_held + held, marks + all);
        (foils_broken, foils) = (foils_broken + broken, foils + metrics.foils.len());
    }
    for row in rows {
        complaints(row, &mut text);
    }
    let failed = rows.iter().filter(|r| !r.passed()).count();
    let verdict = if failed == 0 { "passed".to_owned() } else { format!("FAILED: {failed} scenes") };
    let _ = writeln!(
        text,
        "{verdict}: {marks_held} of {marks} marks hold, {foils_broken} of {foils} foils break theirs, in {seconds:.0} s"
    );
    text
}

fn complaints(row: &Row, text: &mut String) {
    let metrics = &row.outcome.metrics;
    let scene = &metrics.scene;
    for m in metrics.measurements.iter().filter(|m| !m.passed) {
        let value = m.value.map_or_else(|| "none".to_owned(), number);
        let _ = writeln!(text, "{scene}: {} is {value} {}, expected {}", m.name, m.unit, m.marks());
    }
    for failure in &metrics.failures {
        let _ = writeln!(text, "{scene}: stopped: {failure}");
    }
    for foil in metrics.foils.iter().filter(|f| !f.broken) {
        for line in foil_lines(foil) {
            let _ = writeln!(text, "{scene}: foil {line}");
        }
    }
    for skipped in &metrics.skipped {
        let _ = writeln!(text, "{scene}: skipped {skipped}");
    }
    if let Bits::Differ(words) = &row.bits {
        let _ = writeln!(
            text,
            "{scene}: {words}; if that is meant: stuntlab check {scene} --record lab/hashes.toml, and say why"
        );
    }
}
