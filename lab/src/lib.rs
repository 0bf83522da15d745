//! Scenes, runs, comparisons and checks on top of the Stuntlab crates; the `stuntlab` program.
//!
//! | module | what |
//! |---|---|
//! | [`scene`] | TOML scenes: read, checked, built into a model |
//! | [`registry`] | what scenes may name: controllers, quantities, terrains, studies, one row each |
//! | [`mod@reference`] | tables of all that, for documents |
//! | [`run`] | a world that steps, runs of several side by side, their files, replay |
//! | [`measure`] | what is measured during a run, against pass marks |
//! | [`paint`] | worlds as pictures |
//! | [`check`] | all scenes against their marks, foils and recorded hashes |
//! | [`compare`] | formulations side by side, in one report |
//! | [`study`] | many runs boiled down to tables and pictures |
//! | [`tune`] | parameters of scenes by CMA-ES |
//! | [`learn`] | from which states a skill succeeds, by support vector machines |
//! | [`stats`] | estimates with 95 % intervals |
//! | [`view`] | the window |
//! | [`verify`] | reference fixtures |
//! | [`disk`] | files that are whole once they are written, directories that belong to one run |
//! | [`words`] | texts that stay on one line |

pub mod check;
pub mod clip;
pub mod compare;
pub mod disk;
pub mod learn;
pub mod measure;
pub mod paint;
mod parallel;
mod random;
pub mod reference;
pub mod registry;
pub mod run;
pub mod scene;
pub mod stats;
pub mod study;
pub mod tune;
pub mod verify;
pub mod view;
pub mod words;
