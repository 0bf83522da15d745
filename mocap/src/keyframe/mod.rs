//! Keyframe files: motions written down as poses in anatomical angles, compiled to clips.
//!
//! ```toml
//! schema = 1
//! tags = ["locomotion"]
//! base = "stand"          # pose of keys that name none
//! rate = 120              # or 60 frames per second
//! loop = true             # seamless; the last frame is the first one, moved on
//! mirror = true           # the second half is the first, left and right swapped
//! steady = 0.3            # the root's way is averaged over so many seconds either side
//! duration = 1.1          # default: the last key's time
//!
//! [poses.strike]          # degrees, flexion positive; unsaid angles come from `base`, else 0
//! base = "stand"
//! trunk = [4, 0, 5]       # flexion, bend to the left, twist to the left; a number is flexion
//! pitch = 2               # of the pelvis: forwards; also roll (to the right) and yaw (to the left)
//! left = { hip = 28, knee = 5, ankle = 0 }
//! right = { hip = [-12, 0, 0], knee = 15 }
//!
//! [[keys]]
//! time = 0.0
//! pose = "strike"
//! with = { neck = 5 }     # changes for this key
//! ease = "smooth"         # linear, hold, ease-in, ease-out, ease-in-out: the way to the next key
//!
//! [[contacts]]            # what rests on the floor; carries and guides the body
//! on = "left-foot"        # left-/right- heel, toe, foot, hand, knee; feet, …; seat; trunk
//! from = 0.0
//! to = 0.6
//!
//! [[flights]]             # the centre of mass falls freely
//! from = 0.6
//! to = 0.9
//! travel = [0.5, 0]
//!
//! [[balance]]             # the centre of mass is held over the planted feet
//! from = 0.0
//! to = 0.5
//! ```
//!
//! The root's way follows from the contacts; a key's `height` overrules it. Errors name file and line.

mod angles;
mod compile;
mod curve;
mod file;
mod limbs;
mod path;
mod plan;

pub use angles::AngleLimit;
pub(crate) use angles::worst_violation;
pub use curve::Ease;
use file::Source;
pub use file::{KeyframeError, PoseBook, SCHEMA};
pub(crate) use path::GRAVITY;
pub use plan::{Contact, FlightPhase, Part};

use crate::Clip;

/// A compiled keyframe file.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The motion on the library's skeleton. A loop holds its closing frame: its duration is the period.
    pub clip: Clip,
    /// What rests when, in the clip's time; of a loop also contacts that reach over its ends.
    pub contacts: Vec<Contact>,
    /// When it flies.
    pub flights: Vec<FlightPhase>,
    /// Whether it repeats.
    pub looped: bool,
}

/// Compiles the text of a keyframe file; `file` names it in messages and, without `.toml`, the clip. Poses the file does
/// not hold are looked up in `book`.
///
/// # Errors
/// See [`KeyframeError`].
pub fn compile(file: &str, text: &str, book: &PoseBook) -> Result<Compiled, KeyframeError> {
    compile::compile_source(&Source { file, text }, book)
}
