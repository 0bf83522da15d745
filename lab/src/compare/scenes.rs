//! The scenes of the suites, in `scenes/compare`. They have no marks: what is known of them stands in [`super::suites`].

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every scene in `scenes/compare`, by name.
        pub const SCENES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../scenes/compare/", $name, ".toml")))),*];
    };
}

scenes!(
    "compare-bouncing",
    "compare-boxes-carried",
    "compare-boxes-complex",
    "compare-boxes-cut",
    "compare-boxes-simple",
    "compare-capsules27",
    "compare-chain5",
    "compare-chain20",
    "compare-elastic666",
    "compare-figure-fall",
    "compare-figure-flight",
    "compare-heap666",
    "compare-humanoid-pushed",
    "compare-humanoid-stands",
    "compare-pendulum-planar",
    "compare-quadruped",
    "compare-rolling",
    "compare-rolling-diagonal",
    "compare-sliding",
    "compare-stack",
    "compare-standing",
    "compare-thrown-ball",
    "compare-tracking",
);

/// The text of a scene.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}
