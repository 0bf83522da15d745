//! Two autonomous boxers on uneven ground, or one fighter with or without a crate thrown at it, over many seeds.
//!
//! `cargo run --release -p stuntlab-control --example boxing -- [boxing|crate|alone] [seeds] [seconds] [formulation]`

#[path = "../tests/all/ring/mod.rs"]
mod ring;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ring::{Outcome, Ring, Setup};
use stuntlab_control::fighter::Repertoire;
use stuntlab_physics::{Formulation, StepOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, default: &str| words.get(k).cloned().unwrap_or_else(|| default.to_owned());
    let alone = word(0, "boxing") == "alone";
    let setup = if alone || word(0, "boxing") == "crate" { Setup::Crate } else { Setup::Boxing };
    let seeds: u64 = word(1, "10").parse()?;
    let seconds: f64 = word(2, if setup == Setup::Crate { "15" } else { "300" }).parse()?;
    let formulation = Formulation::from_name(&word(3, "lcp-pgs")).ok_or("an unknown formulation")?;
    let options = StepOptions::at_rate(120.0).with(formulation);
    let repertoire = Arc::new(Repertoire::new(ring::boxer())?);
    println!("{} transitions between motions", repertoire.routes().n_crossings());

    let (next, started) = (AtomicU64::new(0), Instant::now());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds {
                    return done;
                }
                let mut ring = Ring::new(&repertoire, setup, seed, options);
                if alone {
                    ring.put_crate_away();
                }
                ring.run(seconds);
                done.push(ring.outcome());
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
    });
    outcomes.sort_by_key(|o| o.seed);

    println!("seed   time  falls  stood up  longest down  punches  landed  deepest foot  thrown  finite");
    for o in &outcomes {
        println!(
            "{:4} {:5.1} s {:6} {:9} {:11.1} s {:8} {:7} {:10.1} mm {:5.2} m  {}",
            o.seed,
            o.time,
            o.falls,
            o.recoveries,
            o.longest,
            o.punches,
            o.hits,
            1e3 * o.deepest,
            o.highest,
            if o.finite { "yes" } else { "NO" }
        );
    }
    let count = |test: fn(&Outcome) -> bool| outcomes.iter().filter(|o| test(o)).count();
    println!(
        "of {}: {} finite, {} with a fall, {} with a recovery, {} stood again within 10 s, {} with feet within 1 cm; {:.0} s",
        outcomes.len(),
        count(|o| o.finite),
        count(|o| o.falls > 0),
        count(|o| o.recoveries > 0),
        count(|o| o.recoveries > 0 && o.longest <= 10.0),
        count(|o| o.deepest < 0.01),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}
