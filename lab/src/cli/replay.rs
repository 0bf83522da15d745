//! `stuntlab replay`.

use std::path::Path;
use std::process::ExitCode;

use super::{Voice, bad_input, progress, to_json};

pub(super) fn replay(run: &Path, voice: Voice) -> ExitCode {
    let bar = progress("replay", voice.is_plain());
    let result =
        stuntlab::run::replay(run, |time, duration| bar.set_position((1000.0 * time / duration) as u64));
    bar.finish_and_clear();
    match result {
        Err(error) => bad_input(&error),
        Ok(report) => {
            let words = match &report.difference {
                Some(difference) => format!("{}: {difference}\n", report.scene),
                None => format!("{}: all {} states are the same\n", report.scene, report.compared),
            };
            voice.say(|| to_json(&report), || words);
            if report.difference.is_none() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
    }
}
