//! Where the reference data lies, shared by the test programs.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
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

/// One row of the CMU table: file, usable frames, true rate, shares of both/one/no foot in percent, floor.
pub(crate) struct CmuRow {
    pub(crate) file: String,
    pub(crate) usable: std::ops::Range<usize>,
    pub(crate) rate: f64,
    pub(crate) contact: [f64; 3],
    pub(crate) ground: f64,
}

/// The clip table of the CMU folder's README.
pub(crate) fn cmu_table() -> Option<Vec<CmuRow>> {
    let text = std::fs::read_to_string(shared("mocap")?.join("README.md")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let file = cells.get(1)?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        let (first, last) = cells.get(6)?.split_once('-')?;
        let shares: Vec<f64> = cells.get(11)?.split('/').map(|s| s.parse().unwrap()).collect();
        Some(CmuRow {
            file,
            usable: first.parse().ok()?..last.parse::<usize>().ok()? + 1,
            rate: cells[4].parse().ok()?,
            contact: shares.try_into().ok()?,
            ground: cells[12].parse().ok()?,
        })
    };
    Some(text.lines().filter_map(row).collect())
}

/// A CMU clip over its usable range at its true rate.
pub(crate) fn cmu_clip(row: &CmuRow) -> stuntlab_mocap::Clip {
    use stuntlab_mocap::convert::{ImportOptions, import};
    let text = std::fs::read(shared("mocap/cmu").unwrap().join(&row.file)).unwrap();
    let bvh = stuntlab_mocap::bvh::Bvh::parse(&text).unwrap();
    let options = ImportOptions {
        frames: Some(row.usable.clone()),
        frame_time: Some(1.0 / row.rate),
        ..ImportOptions::default()
    };
    import(&row.file, &bvh, &options).unwrap().0
}
