//! Hits, drawn from seeds, and the scenes they happen in.

use stuntlab_control::fighter::library_figure;
use stuntlab_physics::glam::DVec3;

use super::super::{Size, Trial};
use crate::random::Random;

/// Hits of any kind at any motion, and shoves that fell one who stands.
pub(super) const TRIPS: &str = "trips";
/// See [`TRIPS`].
pub(super) const FALLS: &str = "falls";
/// Seeds that were tuned on, and those that were not.
pub(super) const SETS: [&str; 2] = ["tuned", "held-back"];
/// Ways to fall.
pub(super) const WAYS: [&str; 3] = ["reach", "table", "limp"];
const CLIPS: [&str; 4] = ["idle", "walk", "fast-walk", "run"];

pub(super) const FACTORS: [&str; 12] = [
    "part",
    "set",
    "clip",
    "fall",
    "seed",
    "body",
    "impulse_Ns",
    "duration_s",
    "time_s",
    "along_x",
    "along_y",
    "along_z",
];
pub(super) const REPEATS: [&str; 8] =
    ["seed", "body", "impulse_Ns", "duration_s", "time_s", "along_x", "along_y", "along_z"];

/// Least and largest impulse, N s.
const IMPULSES: (f64, f64) = (20.0, 200.0);
/// Impulse of the shoves that fell, N s, and how long they last, s.
const SHOVE: (f64, f64) = (130.0, 0.15);

/// One hit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) is_fall: bool,
    pub(super) clip: String,
    pub(super) fall: String,
    pub(super) body: String,
    /// N s.
    pub(super) impulse: f64,
    /// S.
    pub(super) duration: f64,
    /// When, s.
    pub(super) time: f64,
    /// Which way, world.
    pub(super) along: DVec3,
}

/// The trials, as texts.
pub(super) fn trials(size: Size) -> Vec<Vec<String>> {
    let (trips, falls) = match size {
        Size::Full => (1000, 200),
        Size::Quick => (24, 8),
    };
    let names: Vec<String> =
        library_figure(false).model().bodies().iter().map(|b| b.name().to_owned()).collect();
    let trips = (0..trips).map(|seed| trip(seed, &names));
    let falls = WAYS.iter().flat_map(|way| (0..falls).map(move |seed| fall(seed, way)));
    trips.chain(falls).collect()
}

fn set_of(seed: u64) -> &'static str {
    SETS[usize::from(seed % 3 == 2)]
}

fn trip(seed: u64, bodies: &[String]) -> Vec<String> {
    let mut random = Random::named(seed, "round-trip-study");
    let clip = CLIPS[random.below(CLIPS.len())].to_owned();
    let body = bodies[random.below(bodies.len())].clone();
    let turn = random.between(0.0, std::f64::consts::TAU);
    let along = DVec3::new(turn.cos(), turn.sin(), random.between(-0.3, 0.3)).normalize();
    let hit = Hit {
        is_fall: false,
        clip,
        fall: WAYS[0].to_owned(),
        body,
        impulse: random.between(IMPULSES.0, IMPULSES.1),
        duration: random.between(0.02, 0.2),
        time: random.between(0.5, 2.5),
        along,
    };
    hit.spelled(TRIPS, set_of(seed), seed)
}

fn fall(seed: u64, way: &str) -> Vec<String> {
    let mut random = Random::named(seed, "round-trip-falls");
    let turn = random.between(0.0, std::f64::consts::TAU);
    let hit = Hit {
        is_fall: true,
        clip: CLIPS[0].to_owned(),
        fall: way.to_owned(),
        body: "torso".to_owned(),
        impulse: SHOVE.0,
        duration: SHOVE.1,
        time: random.between(0.5, 2.5),
        along: DVec3::new(turn.cos(), turn.sin(), 0.0),
    };
    hit.spelled(FALLS, set_of(seed), seed)
}

impl Hit {
    fn spelled(&self, part: &str, set: &str, seed: u64) -> Vec<String> {
        let words = [part, set, &self.clip, &self.fall, &seed.to_string(), &self.body].map(str::to_owned);
        let numbers = [self.impulse, self.duration, self.time].into_iter().chain(self.along.to_array());
        words.into_iter().chain(numbers.map(|x| format!("{x:.4}"))).collect()
    }

    /// The hit of a trial; `None` where it is not one of this study.
    pub(super) fn of(trial: &Trial) -> Option<Self> {
        Some(Self {
            is_fall: trial.0.first()? == FALLS,
            clip: trial.get(2)?,
            fall: trial.get(3)?,
            body: trial.get(5)?,
            impulse: trial.get(6)?,
            duration: trial.get(7)?,
            time: trial.get(8)?,
            along: DVec3::new(trial.get(9)?, trial.get(10)?, trial.get(11)?).try_normalize()?,
        })
    }

    /// The scene it happens in; falls have no stagger to catch them.
    pub(super) fn scene(&self) -> String {
        let catch = !self.is_fall;
        format!(
            "schema = 1\nshows = \"a hit\"\nduration = 20.0\nrate = 120\n[[terrain]]\nkind = \"plane\"\n\
             [[character]]\nname = \"it\"\nfigure = \"library\"\nmotion = {{ clip = \"{}\", cyclic = true }}\n\
             controller = {{ kind = \"round-trip\", fall = \"{}\", catch = {catch} }}\n",
            self.clip, self.fall
        )
    }
}
