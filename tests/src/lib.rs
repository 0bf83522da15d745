//! What the whole-system tests share: how laws are run, how numbers are compared, where data lies.

pub mod chains;
pub mod compare;
pub mod dense;
pub mod draws;
pub mod impacts;
pub mod rest;
pub mod soak;
pub mod steadiness;
pub mod surgery;
pub mod world;

use std::path::PathBuf;

use proptest::test_runner::{Config, RngSeed};

/// How every law is run: 256 cases from a fixed seed, so that a run repeats itself. Set `PROPTEST_CASES`
/// and `PROPTEST_RNG_SEED` to search further, or let `examples/laws.rs` do so. (The seed is that of `.cargo/config.toml`; what
/// is run without cargo has none but this.)
pub fn laws() -> Config {
    let mut config = Config::default();
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(2006);
    }
    config.failure_persistence = None;
    config
}

/// A file or directory of the shared data beside the workspace; `None`, with a word on standard output,
/// where it is absent. `STUNTLAB_SHARED` overrides the place.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let found = std::env::var_os("STUNTLAB_SHARED").map_or_else(beside, PathBuf::from).join(path);
    if found.exists() {
        return Some(found);
    }
    println!("skipped: no {} here", found.display());
    None
}
