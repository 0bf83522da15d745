//! Runs the property tests of the workspace from fresh seeds, each law in a process of its own and all for the same time.
//! `cargo run --release -p stuntlab-tests --example laws -- --minutes 10`; what was drawn and found is in `docs/soak.md`.
//!
//! `cargo test` draws from one seed (`.cargo/config.toml`), so that it repeats itself; this looks elsewhere. A law that fails is
//! told with its seed and the command that fails the same way, then goes on from the next seed. `--from K` says where seeds
//! begin (the clock, if it is left out), `--seeds N` how many a law gets at most, `--only WORD` which laws, `--cases N` how many cases
//! a seed draws at most (as many as in `cargo test`, if it is left out), `--jobs N` how many run at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs};

use serde_json::Value;

/// Packages with laws.
const PACKAGES: [&str; 6] = [
    "stuntlab-physics",
    "stuntlab-mocap",
    "stuntlab-control",
    "stuntlab",
    "stuntlab-tests",
    "stuntlab-oracles",
];

struct Args {
    minutes: f64,
    from: u64,
    seeds: u64,
    only: String,
    cases: Option<u32>,
    jobs: usize,
}

fn args() -> Result<Args, String> {
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let mut args =
        Args { minutes: 10.0, from: clock, seeds: 1000, only: String::new(), cases: None, jobs: 1 };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        let wrong = |_| format!("{word} wants a number");
        match word.as_str() {
            "--minutes" => args.minutes = value()?.parse().map_err(|_| format!("{word} wants a number"))?,
            "--from" => args.from = value()?.parse().map_err(wrong)?,
            "--seeds" => args.seeds = value()?.parse().map_err(wrong)?,
            "--only" => args.only = value()?,
            "--cases" => args.cases = Some(value()?.parse().map_err(|_| format!("{word} wants a number"))?),
            "--jobs" => args.jobs = value()?.parse().map_err(|_| format!("{word} wants a number"))?,
            _ => {
                let all = "--minutes, --from, --seeds, --only, --cases, --jobs";
                return Err(format!("unknown option {word}; expected one of {all}"));
            }
        }
    }
    Ok(args)
}

/// One law and how it fared.
struct Law {
    package: String,
    folder: PathBuf,
    binary: PathBuf,
    /// Path within its binary.
    path: String,
    /// Seeds that were begun.
    seeds: u64,
    spent: Duration,
    failed: Vec<u64>,
}

impl Law {
    /// The test as a process of its own, from a seed.
    fn command(&self, seed: u64, cases: Option<u32>) -> Command {
        let mut command = Command::new(&self.binary);
        command.args([&self.path, "--exact", "--test-threads=1"]).current_dir(&self.folder);
        command.env("PROPTEST_RNG_SEED", seed.to_string()).env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1");
        if let Some(cases) = cases {
            command.env("PROPTEST_CASES", cases.to_string());
        }
        command
    }
}

/// What a failed test says of its case.
fn verdict(output: std::io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let from = text.find("Test failed").unwrap_or(0);
    Err(text[from..].lines().take(12).collect::<Vec<_>>().join("\n"))
}

/// Runs laws from one seed after the other, always whoever had least time so far, until the time is over or all have had their seeds.
fn run(laws: &Mutex<Vec<Law>>, args: &Args, end: Instant) {
    let held = || laws.lock().unwrap_or_else(PoisonError::into_inner);
    while Instant::now() < end {
        let mut waiting = held();
        let least = (0..waiting.len()).filter(|&k| waiting[k].seeds < args.seeds);
        let Some(k) = least.min_by_key(|&k| (waiting[k].spent, waiting[k].seeds)) else { return };
        let seed = args.from + waiting[k].seeds;
        waiting[k].seeds += 1;
        let mut command = waiting[k].command(seed, args.cases);
        drop(waiting);
        let start = Instant::now();
        let verdict = verdict(command.output());
        let law = &mut held()[k];
        law.spent += start.elapsed();
        if let Err(text) = verdict {
            law.failed.push(seed);
            let (package, path) = (&law.package, &law.path);
            let cases = args.cases.map_or(String::new(), |n| format!("PROPTEST_CASES={n} "));
            println!(
                "{path} fails from seed {seed}: {cases}PROPTEST_RNG_SEED={seed} cargo test --release -p {package} {path}\n{text}\n"
            );
        }
    }
}

/// Names of the tests inside `proptest!` blocks below a folder (and of others that follow one in a module); `made` where a macro makes
/// the names.
fn names_below(folder: &Path, names: &mut BTreeSet<String>, made: &mut bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            // Members within members have their own turn.
            if !path.join("Cargo.toml").exists() && !path.ends_with("target") {
                names_below(&path, names, made);
            }
        } else if path.extension().is_some_and(|e| e == "rs")
            && let Ok(text) = fs::read_to_string(&path)
        {
            for block in text.split("proptest! {").skip(1).filter_map(|rest| rest.split("\n}").next()) {
                let tests = block.split("#[test]").skip(1).filter_map(|t| t.trim_start().strip_prefix("fn "));
                for test in tests {
                    *made |= test.starts_with('$');
                    names.extend(test.split(['(', '<']).next().map(|n| n.trim().to_owned()));
                }
            }
        }
    }
}

/// Builds the tests and finds the laws among them.
fn find_laws(only: &str) -> Result<Vec<Law>, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--release", "--no-run", "--message-format=json-render-diagnostics"]);
    cargo.args(PACKAGES.iter().flat_map(|p| ["-p", p])).stderr(std::process::Stdio::inherit());
    let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err("the tests do not build".into());
    }
    let mut laws = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(artifact) = serde_json::from_str::<Value>(line) else { continue };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (Some(binary), Some(manifest)) =
            (text(&artifact["executable"]), text(&artifact["manifest_path"]))
        else {
            continue;
        };
        if artifact["profile"]["test"] != true {
            continue;
        }
        let folder = Path::new(&manifest).parent().map(Path::to_owned).unwrap_or_default();
        let (mut names, mut made) = (BTreeSet::new(), false);
        names_below(&folder, &mut names, &mut made);
        let listing = Command::new(&binary).args(["--list", "--format=terse"]).output();
        let listing = listing.map_err(|e| format!("{binary}: {e}"))?;
        let package = text(&artifact["package_id"]).unwrap_or_default();
        // The name stands behind `#` unless the folder has the same.
        let package = package.rsplit(['#', '/']).next().unwrap_or_default();
        let package = package.split('@').next().unwrap_or_default();
        let named = PACKAGES.iter().find(|p| **p == package);
        for path in String::from_utf8_lossy(&listing.stdout).lines().filter_map(|l| l.strip_suffix(": test"))
        {
            let name = path.rsplit("::").next().unwrap_or(path);
            if (made || names.contains(name)) && path.contains(only) {
                laws.push(Law {
                    package: named.map_or_else(|| package.to_owned(), |p| (*p).to_owned()),
                    folder: folder.clone(),
                    binary: binary.clone().into(),
                    path: path.to_owned(),
                    seeds: 0,
                    spent: Duration::ZERO,
                    failed: Vec::new(),
                });
            }
        }
    }
    Ok(laws)
}

fn main() -> ExitCode {
    let found = args().and_then(|args| Ok((find_laws(&args.only)?, args)));
    let (laws, args) = match found {
        Ok(found) => found,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    println!("{} laws for {} minutes from seed {}", laws.len(), args.minutes, args.from);
    let end = Instant::now() + Duration::from_secs_f64(60.0 * args.minutes.max(0.0));
    let shared = Mutex::new(laws);
    std::thread::scope(|scope| {
        (0..args.jobs.max(1)).for_each(|_| drop(scope.spawn(|| run(&shared, &args, end))));
    });
    let mut laws = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    laws.sort_by_key(|l| l.seeds);
    for law in &laws {
        let each = law.spent.as_secs_f64() / law.seeds.max(1) as f64;
        println!(
            "{:5} seeds, {:3} failed, {each:7.3} s each: {} {}",
            law.seeds,
            law.failed.len(),
            law.package,
            law.path
        );
    }
    ExitCode::from(u8::from(laws.iter().any(|l| !l.failed.is_empty())))
}
