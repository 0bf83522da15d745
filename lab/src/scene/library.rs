//! The scenes that come with the program.

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every scene in `scenes/`, by name.
        pub const LIBRARY: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*];
    };
}

scenes!(
    "adaptive-bags",
    "adaptive-bump",
    "adaptive-hits",
    "adaptive-leaning",
    "adaptive-limbs",
    "adaptive-pushes",
    "adaptive-steps",
    "base-bridge",
    "base-cradle",
    "base-game",
    "base-net",
    "base-pile",
    "base-pose-graph",
    "base-ragdoll",
    "base-stairs",
    "base-tower",
    "base-tumble",
    "dynamo-balance",
    "dynamo-boxing",
    "dynamo-cartwheel",
    "dynamo-cartwheel-obstacle",
    "dynamo-crate",
    "dynamo-drag",
    "dynamo-floor",
    "dynamo-impacts",
    "dynamo-jump",
    "dynamo-obstacles",
    "dynamo-punches",
    "dynamo-run",
    "dynamo-shoves",
    "dynamo-walk",
    "dynamo-walks",
    "roundtrip-fall",
    "roundtrip-stand",
    "simbicon-gallery",
    "simbicon-walk",
    "velocity-course",
    "velocity-ground",
    "velocity-honest",
    "velocity-honest-pushes",
    "velocity-pushes",
    "velocity-servos",
    "velocity-slope",
    "velocity-stones",
    "velocity-toes",
    "velocity-track",
    "velocity-upper",
    "velocity-walk",
);
