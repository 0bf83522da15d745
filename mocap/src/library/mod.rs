//! Clips of our own, authored as keyframe files and embedded in the program.
//!
//! All share one [`skeleton()`]. Those that stand start and end in one of two poses, `stand` and `guard`.

mod check;
mod files;
pub(crate) mod skeleton;

pub use check::{Check, Limits, check, check_compiled};
pub use skeleton::{Ball, skeleton};

use std::sync::OnceLock;

use crate::Clip;
use crate::keyframe::{Compiled, KeyframeError, PoseBook, compile};
use files::{FILES, POSES};
use thiserror::Error;

/// A clip that the library cannot give.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// No clip of this name.
    #[error("no clip {name:?} in the library: expected one of {}", names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A keyframe file that does not compile.
    #[error(transparent)]
    Keyframe(#[from] KeyframeError),
}

/// Names of all clips, in the order of the library.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|f| f.0)
}

/// A clip by name, with its tags.
///
/// # Errors
/// No clip of this name.
pub fn clip(name: &str) -> Result<Clip, LibraryError> {
    Ok(compiled(name)?.clip)
}

/// A clip by name, with its contacts and flights.
///
/// # Errors
/// No clip of this name.
pub fn compiled(name: &str) -> Result<Compiled, LibraryError> {
    // Files never change, and compiling takes longer than many a scene that plays the clip: once each.
    static DONE: [OnceLock<Compiled>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let k = number(name)?;
    if let Some(done) = DONE[k].get() {
        return Ok(done.clone());
    }
    let compiled = compile(&format!("{name}.toml"), FILES[k].1, &poses()?)?;
    Ok(DONE[k].get_or_init(|| compiled).clone())
}

fn number(name: &str) -> Result<usize, LibraryError> {
    FILES.iter().position(|f| f.0 == name).ok_or_else(|| LibraryError::Unknown { name: name.to_owned() })
}

/// The keyframe file of a clip, to start one's own from.
///
/// # Errors
/// No clip of this name.
pub fn source(name: &str) -> Result<&'static str, LibraryError> {
    Ok(FILES[number(name)?].1)
}

/// The poses all files may use: `stand`, `guard` and what they are made of.
///
/// # Errors
/// A pose file that does not compile.
pub fn poses() -> Result<PoseBook, KeyframeError> {
    PoseBook::read("poses.toml", POSES)
}
