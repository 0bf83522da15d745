//! Paths in scenes: beside the scene's file, or, for data that does not come with the program, `${shared}` at the head.
//!
//! That is the folder in the environment variable `STUNTLAB_SHARED`, or `shared` beside the project. What is not there
//! makes a scene absent, not wrong: runs say so and skip it.

use std::path::{Path, PathBuf};

const MARK: &str = "${shared}";

/// A path as the scene `file` writes it, on this machine: beside that file, or, as `--set` means it, from the folder the
/// program runs in.
///
/// # Errors
/// Data under `${shared}` that is not here.
pub(crate) fn resolve(file: &str, path: &str) -> Result<PathBuf, String> {
    let Some(rest) = path.strip_prefix(MARK) else {
        let beside = Path::new(file).parent().map(|folder| folder.join(path)).filter(|p| p.exists());
        return Ok(beside.unwrap_or_else(|| PathBuf::from(path)));
    };
    let rest = rest.trim_start_matches('/');
    let folders = match std::env::var_os("STUNTLAB_SHARED") {
        Some(folder) => vec![PathBuf::from(folder)],
        // From the project's folder, and from a crate's, where tests run.
        None => ["../shared", "../../shared"].map(PathBuf::from).to_vec(),
    };
    let here = folders.iter().map(|f| f.join(rest)).find(|p| Path::exists(p));
    here.ok_or_else(|| {
        format!("\"{path}\" is not here, expected in the folder of STUNTLAB_SHARED or ../shared")
    })
}

/// Names, without their ending and in order, of the files with this ending in a folder as a scene writes it; none where it is not
/// here.
pub(crate) fn listed(folder: &str, ending: &str) -> Vec<String> {
    let entries = resolve("", folder).ok().and_then(|path| std::fs::read_dir(path).ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let fitting = paths.filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending)));
    let mut names: Vec<String> = fitting.filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}
