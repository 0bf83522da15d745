//! Gaits: what a step looks like, as published, with its sources.
//!
//! Angles in radians; hip flexion, knee extension and dorsiflexion are positive, as in the paper. Hips are relative to the world, the
//! other joints to their parents.

/// One state: targets of the joints, and feedback of balance on the swing hip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Feedback of the centre of mass's distance from the stance ankle, rad/m.
    pub cd: f64,
    /// Feedback of its velocity, rad s/m.
    pub cv: f64,
    /// Lean of trunk and pelvis: negative is forward, as hips extend.
    pub torso: f64,
    /// Thigh of the leg that swings.
    pub swing_hip: f64,
    /// Its knee.
    pub swing_knee: f64,
    /// Its ankle.
    pub swing_ankle: f64,
    /// Knee of the leg that stands.
    pub stance_knee: f64,
    /// Its ankle.
    pub stance_ankle: f64,
}

/// A gait: half of it, the other half is its mirror image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    /// Seconds of the first state.
    pub time: f64,
    /// The first state.
    pub up: Pose,
    /// The second, until the foot strikes; runs have none.
    pub down: Option<Pose>,
}

const fn pose(
    [cd, cv, torso, swing_hip, swing_knee, swing_ankle, stance_knee, stance_ankle]: [f64; 8],
) -> Pose {
    Pose { cd, cv, torso, swing_hip, swing_knee, swing_ankle, stance_knee, stance_ankle }
}

const fn walk(time: f64, up: [f64; 8], down: [f64; 8]) -> Gait {
    Gait { time, up: pose(up), down: Some(pose(down)) }
}

const fn run(time: f64, up: [f64; 8]) -> Gait {
    Gait { time, up: pose(up), down: None }
}

/// The published tables: of Yin, Loken and van de Panne 2007 as the authors' own programs and public ports of them have it.
#[rustfmt::skip]
pub const GAITS: [(&str, Gait); 9] = [
    //                        c_d   c_v   tor    swh    swk    swa    stk    sta
    // SimbiconSimbody, and the port in DART: the walk in three dimensions.
    ("walk", walk(0.30,     [0.50, 0.20,  0.0,   0.50, -1.10,  0.60, -0.05,  0.0],
                            [0.50, 0.20,  0.0,  -0.10, -0.05,  0.15, -0.10,  0.0])),
    // JSimbicon, 2dsimbicon, SimbiconJS: the walk in the plane.
    ("plane-walk", walk(0.30, [0.0, 0.20, 0.0,   0.40, -1.10,  0.20, -0.05,  0.20],
                            [2.20, 0.0,   0.0,  -0.70, -0.05,  0.20, -0.10,  0.20])),
    ("fast-walk", walk(0.20, [0.0, 0.20, -0.1,   0.73, -1.83,  0.20, -0.05,  0.20],
                            [2.00, 0.0,  -0.1,  -0.70, -0.05,  0.20, -0.10,  0.20])),
    ("in-place", walk(0.30, [0.0,  0.40,  0.0,   0.62, -1.10,  0.08, -0.05,  0.08],
                            [1.55, 0.0,   0.0,  -0.10, -0.05,  0.08, -0.10,  0.08])),
    ("backward", walk(0.22, [0.0,  0.28,  0.2,   0.37, -1.41,  0.0,  -0.05,  0.0],
                            [0.60, 0.0,   0.2,  -0.10, -0.05,  0.0,  -0.10,  0.0])),
    // simbicon2d-unity.
    ("high-step", walk(0.30, [0.0, 0.20,  0.0,   1.00, -2.40,  0.20, -0.05,  0.20],
                            [2.00, 0.0,   0.0,  -0.70, -0.05,  0.20, -0.10,  0.20])),
    // JSimbicon.
    ("crouch", walk(0.30,   [0.0,  0.20, -0.18,  1.10, -2.17,  0.62, -0.97,  0.44],
                            [2.20, 0.0,  -0.25, -0.70, -0.05,  0.20, -0.92,  0.44])),
    // The port in DART, JSimbicon.
    ("slow-run", run(0.35,  [0.0,  0.20,  0.0,   0.80, -1.84,  0.20, -0.05,  0.27])),
    ("fast-run", run(0.21,  [0.0,  0.20, -0.22,  1.08, -2.18,  0.20, -0.05,  0.27])),
];

/// Gains of the servos, N m/rad; damping is `2 √k` of the table where it is not said (SimbiconSimbody).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strengths {
    /// Pelvis, by the hip of the leg that stands.
    pub torso: f64,
    /// Hip of the leg that swings.
    pub hip: f64,
    /// Knees.
    pub knee: f64,
    /// Ankles, up and down.
    pub ankle: f64,
    /// Ankles sideways and about the shank.
    pub inversion: f64,
    /// Trunk.
    pub trunk: f64,
    /// Toes.
    pub toe: f64,
    /// Damping per stiffness, s: a tenth as published for hips and torso.
    pub damping: f64,
}

impl Default for Strengths {
    fn default() -> Self {
        Self {
            torso: 1000.0,
            hip: 1000.0,
            knee: 300.0,
            ankle: 300.0,
            inversion: 30.0,
            trunk: 300.0,
            toe: 30.0,
            damping: 0.1,
        }
    }
}

/// Joints that are as strong as each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Hip of the leg that stands, which holds the pelvis.
    Torso,
    /// Hip of the leg that swings.
    Hip,
    /// Knees.
    Knee,
    /// Ankles.
    Ankle,
    /// Trunk.
    Trunk,
    /// Toes.
    Toe,
}

impl Strengths {
    /// Stiffness per freedom.
    pub(super) const fn of(&self, joint: Joint) -> [f64; 3] {
        match joint {
            Joint::Torso => [self.torso; 3],
            Joint::Hip => [self.hip; 3],
            Joint::Knee => [self.knee; 3],
            // Ankles turn sideways about x, up and down about y.
            Joint::Ankle => [self.inversion, self.ankle, self.inversion],
            Joint::Trunk => [self.trunk; 3],
            Joint::Toe => [self.toe; 3],
        }
    }
}

/// Balance sideways, which the tables of the plane do not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sideways {
    /// How far outward the swing leg is held, rad.
    pub outward: f64,
    /// Feedback of the centre of mass's distance from the stance ankle, rad/m.
    pub cd: f64,
    /// Feedback of its velocity, rad s/m.
    pub cv: f64,
}

impl Default for Sideways {
    /// Feedback of distance larger than of velocity, legs a little apart (Cartwheel's stored walk).
    fn default() -> Self {
        Self { outward: 0.06, cd: 0.55, cv: 0.3 }
    }
}
