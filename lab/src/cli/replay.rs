//! `stuntlab replay`.

use std::path::Path;
use std::process::ExitCode;

use stuntlab::run::ReplayReport;

use super::{Voice, bad_input, progress, to_json};

pub(super) fn replay(run: &Path, voice: Voice) -> ExitCode {
    let bar = progress("replay", voice.is_plain());
    let result =
        stuntlab::run::replay(run, |time, duration| bar.set_position((1000.0 * time / duration) as u64));
    bar.finish_and_clear();
    match result {
        Err(error) => bad_input(&error),
        Ok(report) => voice.end(u8::from(!report.same()), || to_json(&report), || words(&report)),
    }
}

fn words(report: &ReplayReport) -> String {
    let ReplayReport { scene, compared, files, differences } = report;
    match (differences.is_empty(), files) {
        (true, 1) => format!("{scene}: all {compared} states are the same\n"),
        (true, _) => format!("{scene}: all {compared} states are the same, and so are {files} files\n"),
        (false, _) => differences.iter().map(|difference| format!("{scene}: {difference}\n")).collect(),
    }
}
