//! A study that was stopped in the middle of a line comes to the same end as one that was not.

use std::path::Path;

use stuntlab::study::gain_map::{self, Plan};

#[test]
fn a_study_torn_in_mid_line_ends_as_if_nothing_had_happened() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("torn-study");
    let _ = std::fs::remove_dir_all(&dir);
    let plan = Plan { factors: vec![1.0], map_seeds: 1, scales: vec![1.0], line_seeds: 1 };
    let all = plan.trials().len();
    let quiet = |_: usize, _: usize| {};
    let first = gain_map::run(&dir, &plan, &quiet).unwrap();
    let results = dir.join("results.csv");
    let sorted = || {
        let mut lines: Vec<String> =
            std::fs::read_to_string(&results).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let (whole, summary) = (sorted(), std::fs::read(dir.join("summary.json")).unwrap());
    assert_eq!(whole.len(), all + 1, "a line per run and the header");

    // The stop: one line is torn, one has lost a digit, and pictures of the study before are still there.
    let mut text = std::fs::read_to_string(&results).unwrap();
    text.truncate(text.len() - 30);
    let second = text.match_indices('\n').nth(1).unwrap().0;
    text.replace_range(second - 20..second - 19, "");
    std::fs::write(&results, text).unwrap();
    std::fs::write(dir.join("line.svg"), "old").unwrap();
    std::fs::write(dir.join("notes.txt"), "mine").unwrap();
    let done = std::cell::Cell::new(None);
    let watch = |now: usize, of: usize| {
        if done.get().is_none() {
            done.set(Some((now, of)));
        }
    };
    let again = gain_map::run(&dir, &plan, &watch).unwrap();
    assert_eq!(done.get(), Some((all - 2, all)), "two runs were done again");
    // A slope over one factor is no number, and no number equals itself.
    assert_eq!(format!("{again:?}"), format!("{first:?}"));
    assert_eq!(sorted(), whole);
    assert_eq!(std::fs::read(dir.join("summary.json")).unwrap(), summary);
    assert_ne!(std::fs::read(dir.join("line.svg")).unwrap(), b"old");
    assert!(dir.join("notes.txt").exists() && !dir.join("run.lock").exists());
    std::fs::remove_dir_all(&dir).unwrap();
}
