//! Who walks.

/// A walker: a scene of the library with one character, patched.
pub(super) struct Walker {
    /// What tables and files call it.
    pub(super) name: &'static str,
    /// The scene.
    pub(super) scene: &'static str,
    /// Overrides as in `--set`.
    pub(super) set: &'static [&'static str],
}

/// All of them: adding one is adding its row.
pub(super) const WALKERS: [Walker; 5] = [
    // The paper: rates as rows of one linear complementarity problem, feet pinned.
    Walker { name: "pinned-rates", scene: "velocity-walk", set: &["formulation=lcp-pgs"] },
    // The same states, pins and solver under joint servos, with the gains of `velocity-servos`.
    Walker {
        name: "pinned-servos",
        scene: "velocity-walk",
        set: &[
            "formulation=lcp-pgs",
            "character.0.controller.muscles={ drive = \"servos\", servo_scale = 4.65, servo_damping = 0.1022 }",
        ],
    },
    // Free feet.
    Walker { name: "free-rates", scene: "velocity-honest", set: &[] },
    Walker { name: "simbicon-servos", scene: "simbicon-walk", set: &[] },
    Walker {
        name: "simbicon-rates",
        scene: "simbicon-walk",
        set: &[
            "character.0.controller.drive=\"muscles\"",
            "character.0.controller.muscles={ reaction = 0.02, ramp = \"rate\" }",
        ],
    },
];
