//! `stuntlab run STUDY`.

use std::path::Path;
use std::process::ExitCode;

use stuntlab::study::StudyError;
use stuntlab::study::gain_map::{self, Plan, Ratio};

use super::{Voice, bad_input, not_written, progress, to_json};

/// Runs the gain map; files go to `out`, or to `out/gain-map` where none is given.
pub(super) fn gain_map(out: Option<&Path>, quick: bool, voice: Voice) -> ExitCode {
    let dir = out.unwrap_or(Path::new("out/gain-map"));
    let plan = if quick { Plan::quick() } else { Plan::full() };
    let bar = progress("gain-map", voice.is_plain());
    let result = gain_map::run(dir, &plan, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    match result {
        Ok(ratios) => {
            let words = || format!("{}wrote {}\n", table(&ratios), dir.display());
            voice.end(0, || to_json(&ratios), words)
        }
        Err(StudyError::File(error)) => not_written(&error),
        Err(error) => bad_input(&error),
    }
}

fn table(ratios: &[Ratio]) -> String {
    use std::fmt::Write as _;
    let mut text =
        "law              task       usable ratio  95 % interval    least error  slope\n".to_owned();
    for r in ratios {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16} {:<10} {:>12.1}  {:>5.1} .. {:<6.1} {:>11.3} rad  {:.2}",
            r.law, r.task, r.ratio, r.low, r.high, r.best_error, r.slope
        );
    }
    text
}
