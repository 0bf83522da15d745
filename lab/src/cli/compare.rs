//! `stuntlab compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use stuntlab::compare::{Ask, CompareError, Comparison, Peers};
use stuntlab::study::{Order, Shard, Size};

use super::{Voice, bad_input, study};

/// What is compared, under what.
#[derive(Args)]
pub(super) struct CompareArgs {
    /// A suite (free-bodies, articulated, contact, hard-contact, servo, characters), one of its set-ups, a scene, or a .toml file.
    subject: String,
    /// Run once for each value, such as formulation=lcp-pgs,implicit-penalty or rate=60,120,240; given several times, for each combination.
    /// On a suite it takes the place of the suite's own values of that key.
    #[arg(long, value_name = "PATH=A,B,…")]
    vary: Vec<String>,
    /// Run everything under seeds 1 to N.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// A small version of a suite.
    #[arg(long)]
    quick: bool,
    /// Directory for results.csv, results.json, timing.csv, manifest.json and report.html; ./out/compare-NAME where absent. One that holds a
    /// part of the same comparison is gone on with.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The i-th of n parts, for other processes or machines to run the rest (see `stuntlab merge`).
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Threads; one per core where absent. Results do not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Numbers of other engines to show beside ours, as `benches/peers/compare` writes them: lines of set_up,peer,version,rate,metric,value.
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,
    /// Leave the costs of steps out.
    #[arg(long)]
    no_timing: bool,
}

pub(super) fn run(args: &CompareArgs, voice: Voice) -> ExitCode {
    let shard = match args.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse) {
        Ok(shard) => shard,
        Err(error) => return bad_input(&error),
    };
    let size = if args.quick { Size::Quick } else { Size::Full };
    let comparison = match lay_out(args, size) {
        Ok(comparison) => comparison,
        Err(error) => return bad_input(&error),
    };
    let usual = Path::new("out").join(format!("compare-{}", comparison.ask().name()));
    let out = args.out.as_deref().unwrap_or(&usual);
    let order = Order { size, shard, threads: args.threads.unwrap_or(0) };
    study::run(&comparison, order, Some(out), voice)
}

fn lay_out(args: &CompareArgs, size: Size) -> Result<Comparison, CompareError> {
    let ask = Ask::new(&args.subject, &args.vary, args.seeds)?;
    let mut comparison = Comparison::new(ask, size)?;
    comparison.timing = !args.no_timing;
    if let Some(path) = &args.peers {
        comparison.peers = Peers::read(path)?;
    }
    Ok(comparison)
}
