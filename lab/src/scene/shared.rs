//! Data that does not come with the program: `${shared}` at the head of a path.
//!
//! It is the folder in the environment variable `STUNTLAB_SHARED`, or `shared` beside the project. What is not there
//! makes a scene absent, not wrong: runs say so and skip it.

use std::path::{Path, PathBuf};

const MARK: &str = "${shared}";

/// A path as a scene writes it, on this machine.
///
/// # Errors
/// Data under `${shared}` that is not here.
pub(crate) fn resolve(path: &str) -> Result<PathBuf, String> {
    let Some(rest) = path.strip_prefix(MARK) else { return Ok(PathBuf::from(path)) };
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
