//! `stuntlab learn`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use stuntlab::learn::{Effort, Learned, PRACTICES, Practice, learn, table};
use stuntlab::study::{Order, Shard, Size, StudyError};

use super::{Voice, bad_input, not_written, progress, to_json};

/// What is learned, and how thoroughly.
#[derive(Args)]
pub(super) struct LearnArgs {
    /// Skills; all that are practised where none is named.
    skills: Vec<String>,
    /// Directory for samples and classifiers, one for each skill in it.
    #[arg(long, value_name = "DIR", default_value = "out/learn")]
    out: PathBuf,
    /// Share of the published sets that is sampled, 0 to 4.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    share: f64,
    /// Largest force at the pelvis, N, in place of the practice's own.
    #[arg(long, value_name = "N")]
    force: Option<f64>,
    /// Spread of the targets' offsets, rad, in place of the practice's own.
    #[arg(long, value_name = "RAD")]
    offset: Option<f64>,
    /// The i-th of n parts of the first round's samples only, for other processes to do the rest.
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Threads; one per core where absent. Results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// `stuntlab run pre-conditions`: all of them, the paper's Table 1.
pub(super) const STUDY: &str = "pre-conditions";

/// The study: all skills that are practised.
pub(super) fn study(part: &super::Part, out: Option<&std::path::Path>, voice: Voice) -> ExitCode {
    let args = LearnArgs {
        skills: Vec::new(),
        out: out.map_or_else(|| PathBuf::from("out").join(STUDY), PathBuf::from),
        force: None,
        offset: None,
        share: if part.quick { 0.02 } else { 1.0 },
        shard: part.shard.clone(),
        threads: part.threads.unwrap_or(0),
    };
    run(&args, voice)
}

pub(super) fn run(args: &LearnArgs, voice: Voice) -> ExitCode {
    let mut practices: Vec<&'static Practice> = Vec::new();
    for name in &args.skills {
        let Some(practice) = Practice::find(name) else {
            let names: Vec<&str> = PRACTICES.iter().map(|p| p.skill).collect();
            eprintln!("stuntlab: no skill \"{name}\" is practised, expected one of: {}", names.join(", "));
            return ExitCode::from(2);
        };
        practices.push(practice);
    }
    if practices.is_empty() {
        practices = PRACTICES.iter().collect();
    }
    if !(args.share > 0.0 && args.share <= 4.0) {
        eprintln!("stuntlab: --share {}: expected a number above 0, at most 4", args.share);
        return ExitCode::from(2);
    }
    let shard = match args.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse) {
        Ok(shard) => shard,
        Err(error) => return bad_input(&error),
    };
    let effort = Effort {
        force: args.force,
        offset: args.offset,
        share: args.share,
        order: Order { size: Size::Full, shard, threads: args.threads },
    };
    let (mut text, mut found) = (String::new(), Vec::<Learned>::new());
    for practice in practices {
        let dir = args.out.join(practice.skill);
        let bar = progress(practice.skill, voice.is_plain());
        let result = learn(practice, &effort, &dir, &|part, done, all| {
            bar.set_message(format!("{}, {part}", practice.skill));
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        match result {
            Ok(Some(learned)) => {
                text += &learned.text();
                found.push(learned);
            }
            Ok(None) => text += &format!("{}: part {shard} of the first round is sampled\n", practice.skill),
            Err(StudyError::File(error)) => return not_written(&error),
            Err(error) => return bad_input(&error),
        }
    }
    if !found.is_empty()
        && let Err(error) = table::write(&found, &args.out)
    {
        return not_written(&error);
    }
    voice.end(
        0,
        || to_json(&Value::Array(found.iter().map(Learned::to_json).collect())),
        || format!("{text}wrote {}\n", args.out.display()),
    )
}
