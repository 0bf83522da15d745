//! Studies: stopped, sharded and merged they come to the very files of one that was not.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its study should stop there")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use stuntlab::study::gain_map::{self, Extent, Task};
use stuntlab::study::{
    Finished, Kind, Measured, Order, Plan, Report, STUDIES, Shard, Size, Study, StudyError, conduct, grid,
};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

/// Every file of a directory.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let read = |entry: std::fs::DirEntry| (name(&entry), std::fs::read(entry.path()).unwrap());
    std::fs::read_dir(dir).unwrap().map(|entry| read(entry.unwrap())).collect()
}

const WHOLE: Order = Order { size: Size::Quick, shard: Shard::WHOLE, threads: 0 };

/// The gain map of two motions at one factor only.
const SMALL: Study = Study {
    plan: |_| {
        gain_map::plan_of(&Extent {
            tasks: vec![Task::Stand, Task::Cartwheel],
            scales: vec![1.0],
            line_seeds: 1,
            factors: vec![1.0],
            map_seeds: 1,
            shares: vec![0.5],
            springs: vec![1.0],
            aid_seeds: 1,
        })
    },
    ..gain_map::STUDY
};

#[test]
fn a_study_torn_in_mid_line_ends_as_if_nothing_had_happened() {
    let dir = folder("torn-study");
    let all = (SMALL.plan)(Size::Quick).trials.len();
    conduct(&SMALL, WHOLE, &dir, &|_, _| {}).unwrap();
    let whole = files(&dir);
    let results = dir.join("results.csv");
    assert_eq!(
        std::fs::read_to_string(&results).unwrap().lines().count(),
        all + 1,
        "a line per run and the header"
    );

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
    conduct(&SMALL, WHOLE, &dir, &watch).unwrap();
    assert_eq!(done.get(), Some((all - 2, all)), "two runs were done again");
    assert_eq!(std::fs::read(dir.join("notes.txt")).unwrap(), b"mine");
    std::fs::remove_file(dir.join("notes.txt")).unwrap();
    assert!(files(&dir) == whole);
}

/// A study of nothing but arithmetic: x is drawn from its seed, and 1 in 3 fails.
const ARITHMETIC: Study = Study {
    name: "arithmetic",
    help: "sums",
    plan: |_| {
        let axis = |n: usize| (0..n).map(|k| k.to_string()).collect::<Vec<_>>();
        let outcome = |name, kind| Measured { name, unit: "m", kind };
        let outcomes = [outcome("x", Kind::Mean), outcome("middle", Kind::Median), outcome("ok", Kind::Rate)];
        Plan::new(&["a", "seed"], &["seed"], &outcomes, grid(&[axis(4), axis(30)]))
    },
    run: |trial| {
        let (a, seed): (f64, f64) = (trial.get(0).unwrap(), trial.get(1).unwrap());
        Ok(vec![a + (7.0 * seed).sin(), a * seed, f64::from(u8::from(seed % 3.0 != 0.0))])
    },
    files: Vec::new,
    report: |_, _| Ok(Report::default()),
};

#[test]
fn tables_have_a_line_per_cell_with_intervals() {
    let dir = folder("table-study");
    assert_eq!(conduct(&ARITHMETIC, WHOLE, &dir, &|_, _| {}).unwrap(), Finished::Whole(Report::default()));
    let csv = std::fs::read_to_string(dir.join("table.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "a,x_m,x_low_m,x_high_m,x_n,middle_m,middle_low_m,middle_high_m,middle_n,ok_m,ok_low_m,ok_high_m,ok_n"
    );
    assert_eq!(lines.len(), 5);
    let numbers = |line: &str| -> Vec<f64> { line.split(',').map(|x| x.parse().unwrap()).collect() };
    for line in &lines[1..] {
        let n = numbers(line);
        assert!(n[2] < n[1] && n[1] < n[3] && n[4] == 30.0, "{line}");
        // 20 of 30 (Wilson): 0.4878 to 0.8077.
        assert!(
            (n[9] - 2.0 / 3.0).abs() < 1e-12
                && (n[10] - 0.4878).abs() < 1e-4
                && (n[11] - 0.8077).abs() < 1e-4
        );
    }
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("table.json")).unwrap()).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 4);
    assert_eq!(json["cells"][1]["ok"]["n"], 30);
    assert_eq!(json["units"]["x"], "m");
}

#[test]
fn threads_change_no_byte_and_other_trials_are_kept_apart() {
    let (one, many) = (folder("one-thread"), folder("many-threads"));
    conduct(&ARITHMETIC, Order { threads: 1, ..WHOLE }, &one, &|_, _| {}).unwrap();
    conduct(&ARITHMETIC, Order { threads: 7, ..WHOLE }, &many, &|_, _| {}).unwrap();
    assert!(files(&one) == files(&many));
    let before = files(&one);
    let shard = Order { shard: "1/2".parse().unwrap(), ..WHOLE };
    for (study, order) in
        [(SMALL, WHOLE), (ARITHMETIC, shard), (ARITHMETIC, Order { size: Size::Full, ..WHOLE })]
    {
        let error = conduct(&study, order, &one, &|_, _| {}).unwrap_err();
        assert!(matches!(error, StudyError::OtherPlan { .. }), "{error}");
        assert!(error.to_string().contains("holds arithmetic (quick, 120 trials"), "{error}");
    }
    assert!(files(&one) == before, "nothing was touched");
}

#[test]
fn every_study_of_the_table_has_a_plan_it_can_run() {
    for study in STUDIES {
        let (full, quick) = ((study.plan)(Size::Full), (study.plan)(Size::Quick));
        assert!(quick.trials.len() < full.trials.len() && !study.help.is_empty());
        assert!(quick.repeats.iter().all(|r| quick.factors.contains(r)), "{}", study.name);
        let outcome = (study.run)(&quick.trials[0]).unwrap();
        assert_eq!(outcome.len(), quick.outcomes.len(), "{}", study.name);
        assert!(outcome.iter().any(|x| x.is_finite()));
    }
}

fn stuntlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).args(arguments).output().unwrap()
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Three shards in three processes, under GNU parallel where it is installed, one of them killed and begun again.
#[test]
fn merged_shards_are_the_bytes_of_one_run() {
    let dir = folder("shards");
    std::fs::create_dir_all(&dir).unwrap();
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (program, whole, merged) = (env!("CARGO_BIN_EXE_stuntlab"), path("whole"), path("merged"));
    let shards: Vec<String> = (1..=3).map(|i| path(&format!("shard-{i}"))).collect();
    let output = stuntlab(&["run", "stand-atlas", "--quick", "--quiet", "--out", &whole]);
    assert!(output.status.success(), "{}", words(&output.stderr));

    // The first shard is killed on its way.
    let arguments = ["run", "stand-atlas", "--quick", "--quiet", "--threads", "1", "--shard", "1/3", "--out"];
    let mut child =
        Command::new(program).args(arguments).arg(&shards[0]).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();

    let script = format!(
        "{program} run stand-atlas --quick --quiet --threads 1 --shard {{}}/3 --out {}/shard-{{}}",
        dir.display()
    );
    let parallel = Command::new("parallel").args(["--jobs", "3", &script, ":::", "1", "2", "3"]).output();
    if !parallel.is_ok_and(|output| output.status.success()) {
        let start = |i: usize| {
            let arguments = script.replace("{}", &i.to_string());
            let mut words = arguments.split(' ');
            Command::new(words.next().unwrap()).args(words).spawn().unwrap()
        };
        let children: Vec<_> = (1..=3).map(start).collect();
        children.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    }

    // Not yet: one is left out.
    let short = stuntlab(&["merge", &shards[0], &shards[2], "--out", &merged]);
    assert_eq!(short.status.code(), Some(2));
    assert!(
        words(&short.stderr).contains("11 of 32 trials are in none of the directories"),
        "{}",
        words(&short.stderr)
    );
    assert!(!Path::new(&merged).exists());
    // In any order, and one of them twice.
    let output = stuntlab(&["merge", &shards[2], &shards[0], &shards[1], &shards[0], "--out", &merged]);
    assert!(output.status.success(), "{}", words(&output.stderr));
    assert!(files(Path::new(&merged)) == files(Path::new(&whole)));

    // A trial that came out otherwise is found: a line of another machine, whole and with its fingerprint.
    let results = Path::new(&shards[1]).join("results.csv");
    let text = std::fs::read_to_string(&results).unwrap();
    let line = text.lines().nth(1).unwrap();
    let (values, _) = line.rsplit_once(',').unwrap();
    let (key, _) = values.rsplit_once(',').unwrap();
    let other = format!("{key},77.5");
    // FNV-1a, as the program's.
    let print = other
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let forged = dir.join("forged");
    std::fs::create_dir_all(&forged).unwrap();
    std::fs::copy(Path::new(&shards[1]).join("plan.json"), forged.join("plan.json")).unwrap();
    std::fs::write(forged.join("results.csv"), text.replace(line, &format!("{other},{print:016x}"))).unwrap();
    let all = [shards[0].as_str(), &shards[1], &shards[2], forged.to_str().unwrap()];
    let output = stuntlab(&[&["merge"], &all[..], &["--out", &merged]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        words(&output.stderr).contains("came out otherwise in another directory"),
        "{}",
        words(&output.stderr)
    );
    for bad in [
        &["run", "stand-atlas", "--shard", "4/3"][..],
        &["run", "base-tumble", "--quick"],
        &["merge", "nowhere", "--out", &merged],
    ] {
        let output = stuntlab(bad);
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
        assert_eq!(words(&output.stderr).lines().count(), 1, "{}", words(&output.stderr));
    }
}
