//! Runs random forests until they break. `cargo run --release -p stuntlab-tests --example soak -- --seeds N --from K`
//!
//! A line per hundred seeds and one per fault go to standard output and, appended, to `--log` (`out/soak.log`); a run that was
//! killed goes on where its log ends. `--json` prints objects instead. `--seed S` runs one case, and with `--reduce` cuts it
//! down to the least that still breaks; with `--trace` it prints the books of every step, after the cut. `--inside` has trees start in the ground and in
//! each other.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stuntlab_physics::StepReport;
use stuntlab_physics::step::Account;
use stuntlab_tests::soak::{Case, Fault, reduced, run, run_watched};
use stuntlab_tests::world::World;

struct Args {
    from: u64,
    seeds: u64,
    seed: Option<u64>,
    log: String,
    json: bool,
    reduce: bool,
    inside: bool,
    trace: bool,
}

impl Args {
    fn case(&self, seed: u64) -> Case {
        if self.inside { Case::inside(seed) } else { Case::of(seed) }
    }
}

fn args() -> Result<Args, String> {
    let mut args = Args {
        from: 0,
        seeds: 1000,
        seed: None,
        log: "out/soak.log".into(),
        json: false,
        reduce: false,
        inside: false,
        trace: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text} is no seed"));
        match word.as_str() {
            "--from" => args.from = number(value()?)?,
            "--seeds" => args.seeds = number(value()?)?,
            "--seed" => args.seed = Some(number(value()?)?),
            "--log" => args.log = value()?,
            "--json" => args.json = true,
            "--reduce" => args.reduce = true,
            "--inside" => args.inside = true,
            "--trace" => args.trace = true,
            _ => {
                return Err(format!(
                    "unknown option {word}; expected --from, --seeds, --seed, --log, --json, --reduce, --inside, --trace"
                ));
            }
        }
    }
    Ok(args)
}

/// What was done so far; the log holds one per hundred seeds.
#[derive(Clone, Copy, Default)]
struct Tally {
    next: u64,
    body_steps: u64,
    faults: u64,
    unsolved: u64,
    seconds: f64,
}

impl Tally {
    fn line(&self) -> String {
        let Self { next, body_steps, faults, unsolved, seconds } = self;
        format!(
            "upto {next} body-steps {body_steps} faults {faults} unsolved {unsolved} seconds {seconds:.0}"
        )
    }

    fn json(&self) -> String {
        let Self { next, body_steps, faults, unsolved, seconds } = self;
        format!(
            "{{\"upto\":{next},\"body_steps\":{body_steps},\"faults\":{faults},\"unsolved\":{unsolved},\"seconds\":{seconds:.0}}}"
        )
    }

    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            "upto",
            next,
            "body-steps",
            body_steps,
            "faults",
            faults,
            "unsolved",
            unsolved,
            "seconds",
            seconds,
        ] = words[..]
        else {
            return None;
        };
        Some(Self {
            next: next.parse().ok()?,
            body_steps: body_steps.parse().ok()?,
            faults: faults.parse().ok()?,
            unsolved: unsolved.parse().ok()?,
            seconds: seconds.parse().ok()?,
        })
    }
}

fn main() -> ExitCode {
    let args = match args() {
        Ok(args) => args,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    std::panic::set_hook(Box::new(|_| {}));
    let good = match args.seed {
        Some(seed) => one(args.case(seed), seed, args.reduce, args.trace),
        None => many(&args),
    };
    ExitCode::from(u8::from(!good))
}

fn one(mut case: Case, seed: u64, reduce: bool, trace: bool) -> bool {
    let outcome = run(&case);
    let (steps, surplus) = (outcome.body_steps, outcome.surplus);
    println!("seed {seed}: {} bodies at {} Hz, {steps} body-steps", case.bodies.len(), case.rate);
    println!(
        "largest surplus {surplus:.2e}, longest step {:.3} s, unsolved {}",
        outcome.longest, outcome.unsolved
    );
    if let Some(fault) = &outcome.fault {
        println!("{fault}");
        if reduce {
            case = reduced(&case, fault, Duration::from_secs(120));
            print!("{case}");
            if let Some(fault) = run(&case).fault {
                println!("{} bodies: {fault}", case.bodies.len());
            }
        }
    }
    if trace {
        run_watched(&case, print_books);
    }
    outcome.fault.is_none()
}

/// What did how much work in a step.
fn print_books(world: &World, report: &StepReport, share: f64) {
    let (books, solve) = (&report.ledger, &report.solve);
    print!("{:.4} s, above {share:.4}, kinetic {:+.3e}", world.state.time, books.kinetic);
    for account in Account::ALL {
        print!(" {} {:+.3e}", account.name(), books.work(account));
    }
    let moved = (books.remainder, books.potential + books.work(Account::Gravity));
    print!(" integrator {:+.3e} {:+.3e}", moved.0, moved.1);
    println!(
        "; substeps {}, again {}, contacts {}, Newton {}, residual {:.1e}{}",
        report.substeps,
        solve.again,
        report.contacts,
        solve.iterations,
        solve.residual,
        if solve.unsolved > 0 { ", unsolved" } else { "" }
    );
}

fn many(args: &Args) -> bool {
    if let Some(folder) = std::path::Path::new(&args.log).parent() {
        // Where there can be no folder, opening the log says so.
        let _ = fs::create_dir_all(folder);
    }
    let end = args.from + args.seeds;
    let past = fs::read_to_string(&args.log).unwrap_or_default();
    let resumed = past.lines().filter_map(Tally::read).rfind(|t| (args.from..=end).contains(&t.next));
    let mut tally = resumed.unwrap_or(Tally { next: args.from, ..Tally::default() });
    let mut log = match OpenOptions::new().create(true).append(true).open(&args.log) {
        Ok(log) => log,
        Err(error) => {
            eprintln!("{}: {error}", args.log);
            return false;
        }
    };
    let mut say = |line: String, json: String| {
        println!("{}", if args.json { json } else { line.clone() });
        if let Err(error) = writeln!(log, "{line}") {
            eprintln!("{}: {error}", args.log);
        }
    };
    let (mut clock, mut told) = (Instant::now(), tally.next);
    for seed in tally.next..end {
        let outcome = run(&args.case(seed));
        tally.next = seed + 1;
        tally.body_steps += outcome.body_steps;
        tally.unsolved += outcome.unsolved;
        if let Some(fault) = outcome.fault {
            tally.faults += 1;
            say(format!("fault {seed} {fault}"), fault_json(seed, &fault));
        }
        if tally.next.is_multiple_of(100) || tally.next == end {
            tally.seconds += clock.elapsed().as_secs_f64();
            clock = Instant::now();
            say(tally.line(), tally.json());
            told = tally.next;
        }
    }
    if told != tally.next || args.seeds == 0 {
        say(tally.line(), tally.json());
    }
    tally.faults == 0
}

fn fault_json(seed: u64, fault: &Fault) -> String {
    let text = fault.to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    format!("{{\"seed\":{seed},\"kind\":\"{}\",\"fault\":\"{text}\"}}", fault.name())
}
