//! Where the reference data lies, shared by the test programs.
#![allow(dead_code, reason = "each test program uses its part")]

use std::path::{Path, PathBuf};

/// A folder of the reference data, or `None` (said on the console) where it is not at hand.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let base = std::env::var_os("STUNTLAB_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let found = Some(base.join(folder)).filter(|p| p.is_dir());
    if found.is_none() {
        println!("skipped: no reference data under {}", base.display());
    }
    found
}

/// The files of a folder with this start and ending, sorted.
pub(crate) fn files(folder: &Path, start: &str, ending: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|e| e == ending)
                && path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(start))
        })
        .collect();
    paths.sort();
    paths
}
