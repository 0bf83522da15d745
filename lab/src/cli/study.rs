//! `stuntlab run STUDY` and `stuntlab merge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stuntlab::study::{self, Finished, Inquiry, Order, Report, StudyError};

use super::{Voice, bad_input, not_written, progress, to_json};

/// Runs a study or a shard of it; files go to `out`, or to `out/NAME` where none is given.
pub(super) fn run(study: &dyn Inquiry, order: Order, out: Option<&Path>, voice: Voice) -> ExitCode {
    let usual = Path::new("out").join(study.name());
    let dir = out.unwrap_or(&usual);
    let bar = progress(study.name(), voice.is_plain());
    let result = study::conduct(study, order, dir, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    match result {
        Ok(Finished::Whole(report)) => tell(&report, dir, voice),
        Ok(Finished::Shard(trials)) => {
            let words = || {
                let shard = order.shard;
                format!("shard {shard} of {}: {trials} trials\nwrote {}\n", study.name(), dir.display())
            };
            voice.end(0, || to_json(&serde_json::json!({ "trials": trials })), words)
        }
        Err(error) => failed(&error),
    }
}

pub(super) fn merge(dirs: &[PathBuf], out: &Path, voice: Voice) -> ExitCode {
    match study::merge(dirs, out) {
        Ok(report) => tell(&report, out, voice),
        Err(error) => failed(&error),
    }
}

fn tell(report: &Report, dir: &Path, voice: Voice) -> ExitCode {
    voice.end(0, || to_json(&report.json), || format!("{}wrote {}\n", report.text, dir.display()))
}

fn failed(error: &StudyError) -> ExitCode {
    match error {
        StudyError::File(error) => not_written(error),
        error => bad_input(error),
    }
}
