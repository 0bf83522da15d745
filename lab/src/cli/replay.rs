//! `stuntlab replay`.

use std::path::Path;
use std::process::ExitCode;

use super::{bad_input, progress};

pub(super) fn replay(run: &Path, json: bool, quiet: bool) -> ExitCode {
    let bar = progress("replay", quiet || json);
    let result =
        stuntlab::run::replay(run, |time, duration| bar.set_position((1000.0 * time / duration) as u64));
    bar.finish_and_clear();
    match result {
        Err(error) => bad_input(&error),
        Ok(report) => {
            if json {
                println!("{}", serde_json::to_string_pretty(&report).expect("texts and numbers"));
            } else if let Some(difference) = &report.difference {
                println!("{}: {difference}", report.scene);
            } else if !quiet {
                println!("{}: all {} states are the same", report.scene, report.compared);
            }
            if report.difference.is_none() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
    }
}
