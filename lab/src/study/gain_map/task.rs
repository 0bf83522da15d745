//! The motions tracked: the library's own, and recorded ones where they are at hand.

use crate::scene::shared;

/// A motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Standing.
    Stand,
    /// Walking.
    Walk,
    /// A cartwheel.
    Cartwheel,
    /// Walking over low steps.
    Steps,
    /// A recorded walk.
    RecordedWalk,
    /// A recorded cartwheel.
    RecordedCartwheel,
}

/// What a scene says of a task.
pub(super) struct Setting {
    /// Name in tables and pictures.
    pub name: &'static str,
    /// Figure and motion, as scenes write them.
    pub figure: &'static str,
    pub motion: &'static str,
    /// Data it needs besides the program's own.
    pub file: Option<&'static str>,
    /// Seconds.
    pub duration: f64,
}

impl Task {
    /// All tasks.
    pub const ALL: [Self; 6] =
        [Self::Stand, Self::Walk, Self::Cartwheel, Self::Steps, Self::RecordedWalk, Self::RecordedCartwheel];

    pub(super) const fn setting(self) -> Setting {
        let (name, figure, motion, file, duration) = match self {
            Self::Stand => ("stand", "library", "clip = \"idle\", cyclic = true", None, 4.0),
            Self::Walk => ("walk", "library", "clip = \"walk\", cyclic = true", None, 4.0),
            Self::Cartwheel => ("cartwheel", "library", "clip = \"cartwheel\"", None, 4.0),
            Self::Steps => ("steps", "library", "clip = \"walk\", cyclic = true", None, 5.0),
            Self::RecordedWalk => (
                "recorded-walk",
                "bvh",
                "bvh = \"${shared}/mocap/cmu/16_15.bvh\", frames = [3, 471]",
                Some("${shared}/mocap/cmu/16_15.bvh"),
                3.8,
            ),
            Self::RecordedCartwheel => (
                "recorded-cartwheel",
                "bvh",
                "bvh = \"${shared}/mocap/cmu/49_06.bvh\", frames = [60, 481]",
                Some("${shared}/mocap/cmu/49_06.bvh"),
                4.0,
            ),
        };
        Setting { name, figure, motion, file, duration }
    }

    /// Name in tables and pictures.
    pub const fn name(self) -> &'static str {
        self.setting().name
    }

    /// Whether its data is at hand.
    pub fn is_here(self) -> bool {
        self.setting().file.is_none_or(|file| shared::resolve("", file).is_ok())
    }
}
