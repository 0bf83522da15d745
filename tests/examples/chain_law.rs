//! The chain law from a thousand seeds, 256 chains each: `chain_law [FIRST LAST [CASES]]`. Build in release; it takes a
//! quarter of an hour of one core.

use std::process::ExitCode;

use stuntlab_tests::chains::from_seeds;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (first, last) = (numbers.first().copied().unwrap_or(1), numbers.get(1).copied().unwrap_or(1000));
    let cases = numbers.get(2).map_or(256, |&c| c as u32);
    let outcomes = from_seeds(first..=last, cases, |outcome| {
        if outcome.worst > 1.0 {
            println!("seed {}: {:.3} times the bound", outcome.seed, outcome.worst);
        }
    });
    let kept = outcomes.iter().filter(|o| o.worst <= 1.0).count();
    let worst = outcomes.iter().fold(0.0_f64, |worst, o| worst.max(o.worst));
    let unbounded: u32 = outcomes.iter().map(|o| o.unbounded).sum();
    println!(
        "{kept} of {} seeds keep the bound, {cases} chains each; worst {worst:.2e} of it; {unbounded} chains have none",
        outcomes.len()
    );
    if kept == outcomes.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
