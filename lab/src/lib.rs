//! Scenes, runs, comparisons and checks on top of the Stuntlab crates; the `stuntlab` program.

pub mod clip;
pub mod verify;
