//! What a walk is made of.

use crate::velocity::drive::Muscles;
use crate::velocity::pins::Grip;

/// Which rule says where feet go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Balance {
    /// Steps are as long as asked for, whatever happens.
    None,
    /// [`super::placement`] (1): as published, ahead only; sideways pins hold it.
    Base,
    /// [`super::placement`] (3), ahead and sideways.
    Capture,
}

/// How soft joints are: torque per error of rate at most, N m s/rad; infinite as published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Hip of the leg that stands, which holds the pelvis.
    pub stance_hip: f64,
    /// Hip of the leg that swings.
    pub swing_hip: f64,
    /// Knees.
    pub knee: f64,
    /// Ankle of the leg that stands.
    pub stance_ankle: f64,
    /// Ankle of the leg that swings.
    pub swing_ankle: f64,
    /// Trunk.
    pub trunk: f64,
    /// Toes.
    pub toe: f64,
}

impl Default for Tone {
    fn default() -> Self {
        let rigid = f64::INFINITY;
        Self {
            stance_hip: rigid,
            swing_hip: rigid,
            knee: rigid,
            stance_ankle: rigid,
            swing_ankle: rigid,
            trunk: rigid,
            toe: rigid,
        }
    }
}

/// What a walk is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkOptions {
    /// Muscles of all joints.
    pub muscles: Muscles,
    /// How soft joints are.
    pub tone: Tone,
    /// How feet are held.
    pub grip: Grip,
    /// Length of a step, m.
    pub step: f64,
    /// Way between the feet, sideways, m.
    pub width: f64,
    /// Speed, m/s; zero stands.
    pub speed: f64,
    /// Shares of a step's time for lift and load.
    pub shares: [f64; 2],
    /// Hip and knee of the leg that swings at the end of lift, rad.
    pub lift: [f64; 2],
    /// Of [`Balance::Capture`]: how much more the hip is bent where the fall is not that of the walk, rad/m.
    pub lift_forward: f64,
    /// How far over the ground a foot comes to the place where it is to strike, m.
    pub over: f64,
    /// Share of the time to reach out in which it is lowered.
    pub lowering: f64,
    /// Knee and ankle of the leg that stands at the end of lift, rad.
    pub stance: [f64; 2],
    /// Pitch of the rear foot and lean of its calf in a full step, rad: at the strike, and as it lets go.
    pub strike: [f64; 2],
    /// See `strike`.
    pub toe_off: [f64; 2],
    /// How far pelvis and trunk lean forward, rad.
    pub lean: f64,
    /// Least time a way is spread over, s.
    pub floor: f64,
    /// Which rule says where feet go.
    pub balance: Balance,
    /// Of [`Balance::Capture`]: how far ahead of the ankle a foot bears on average, m.
    pub pressure: f64,
    /// Of [`Balance::Capture`]: least and largest way between the feet, sideways, m.
    pub apart: [f64; 2],
    /// Of [`Balance::Capture`]: how far back and ahead a foot is placed at most, m; where more is needed it strikes sooner.
    pub reach: [f64; 2],
    /// Of [`Balance::Capture`]: how many times as fast a step may be taken that would be out of reach.
    pub hurry: f64,
    /// Of [`Balance::Capture`]: how the foot that stands presses down ahead and to the side where the fall is not that of the walk, rad/m.
    pub ankles: [f64; 2],
    /// Of [`Balance::Capture`]: how the pelvis and all above lean into a fall that is not that of the walk, ahead and to the side, rad/m: what turns
    /// with the fall pushes the feet after it.
    pub sway: [f64; 2],
    /// Of [`Balance::Capture`]: least way between feet that are side by side, m.
    pub passing: f64,
    /// Of [`Balance::Capture`]: how many times as long as they shall be steps are asked for at first; it learns by how long they are.
    pub eager: f64,
}

impl Default for WalkOptions {
    /// With pins, as published. Its numbers were found by `stuntlab tune` from those of a normal gait (Perry 1992), on the published steps, round a corner and over waves
    /// (`scenes/tunings/velocity-walk-pinned.toml` has the command).
    fn default() -> Self {
        Self {
            muscles: Muscles::default(),
            tone: Tone::default(),
            grip: Grip::Bilateral { strength: f64::INFINITY },
            step: 0.5,
            // As wide as the hips of the published walker.
            width: 0.21,
            speed: 0.8,
            shares: [0.3665, 0.1944],
            lift: [0.4558, 1.181],
            lift_forward: 0.0,
            over: 0.05678,
            lowering: 0.3256,
            stance: [0.1087, 0.05606],
            strike: [0.0, 0.2531],
            toe_off: [0.6486, 0.6454],
            lean: -0.03646,
            floor: 0.03266,
            balance: Balance::Base,
            pressure: 0.05,
            apart: [0.08, 0.7],
            reach: [0.5, 0.75],
            hurry: 1.5,
            ankles: [0.0; 2],
            sway: [0.0; 2],
            passing: 0.0,
            eager: 1.0,
        }
    }
}

impl WalkOptions {
    /// Without pins, by contacts alone and with feet where balance wants them. Its numbers were found by `stuntlab tune velocity-honest`: seven
    /// generations from those of an earlier search, on one walk and twenty-four pushes, `[tune]` of that scene; the middle of the last one.
    pub fn honest() -> Self {
        Self {
            grip: Grip::None,
            balance: Balance::Capture,
            tone: Tone {
                stance_hip: 89.81,
                swing_hip: 76.22,
                knee: 34.63,
                stance_ankle: 18.27,
                swing_ankle: 4.285,
                trunk: 48.74,
                toe: 2.216,
            },
            step: 0.3492,
            width: 0.1991,
            speed: 0.85,
            shares: [0.4827, 0.0228],
            lift: [0.6645, 1.046],
            lift_forward: 0.8711,
            // As before that search (0.0317 after it): uphill, which the search does not know, the foot caught on the ground.
            over: 0.0375,
            lowering: 0.5566,
            stance: [0.1547, 0.03293],
            strike: [0.0, 0.2986],
            toe_off: [0.1867, 0.3596],
            lean: 0.0629,
            floor: 0.1285,
            pressure: 0.03628,
            apart: [-0.1025, 0.7],
            reach: [0.5, 0.5765],
            hurry: 1.832,
            ankles: [0.4147, -0.6319],
            sway: [0.5203, -0.1821],
            passing: 0.1153,
            eager: 1.208,
            ..Self::default()
        }
    }
}
