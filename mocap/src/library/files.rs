//! The embedded keyframe files.

/// Poses all clips share.
pub(super) const POSES: &str = include_str!("../../library/poses.toml");

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../library/", $name, ".toml")))),*]
    };
}

/// Clips by name.
pub(super) const FILES: &[(&str, &str)] = files![
    "idle",
    "guard",
    "jab",
    "cross",
    "hook",
    "uppercut",
    "block",
    "walk",
    "fast-walk",
    "run",
    "start",
    "stop",
    "turn",
    "jump",
    "jump-forward",
    "hop",
    "cartwheel",
    "forward-roll",
    "get-up-prone",
    "get-up-supine",
    "sit-down",
    "rise",
    "lie-down",
    "stagger",
    "stagger-forward",
    "stagger-left",
    "stagger-forward-left",
    "stagger-back-left",
    "get-up-side",
    "kneel-up",
    "wave",
];
