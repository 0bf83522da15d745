//! Hits, drawn from seeds, and the scenes they happen in.

use stuntlab_control::fighter::library_figure;
use stuntlab_physics::glam::DVec3;

use super::super::{Size, Trial};
use crate::random::Random;

/// The part of the plan with random hits, and the part that strikes every body.
pub(super) const RANDOM: &str = "random";
/// See [`RANDOM`].
pub(super) const MAP: &str = "map";
/// The random hits again, what the motion bears being its full inverse dynamics.
pub(super) const RNEA: &str = "rnea";
/// Random hits in clips that nothing was tuned on.
pub(super) const UNSEEN: &str = "unseen";
/// Seeds that were tuned on, and those that were not.
pub(super) const SETS: [&str; 2] = ["tuned", "held-back"];
/// By hand, or by a ball.
const BY: [&str; 2] = ["hand", "ball"];
const CLIPS: [&str; 3] = ["idle", "walk", "guard"];
/// Named before they were first run.
const UNSEEN_CLIPS: [&str; 2] = ["fast-walk", "wave"];

pub(super) const FACTORS: [&str; 15] = [
    "part",
    "set",
    "clip",
    "seed",
    "by",
    "body",
    "impulse_Ns",
    "duration_s",
    "time_s",
    "x",
    "y",
    "z",
    "along_x",
    "along_y",
    "along_z",
];
pub(super) const REPEATS: [&str; 11] =
    ["seed", "body", "impulse_Ns", "duration_s", "time_s", "x", "y", "z", "along_x", "along_y", "along_z"];

/// Speed of a ball that hits, m/s: thrown by hand. Heavier ones bring more.
pub(super) const BALL_SPEED: f64 = 6.0;
/// Density of a ball, kg/m³: a medicine ball's.
const BALL_DENSITY: f64 = 500.0;
/// Impulse of the hits that strike every body, N s.
const MAP_IMPULSE: f64 = 8.0;

/// One hit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) clip: String,
    /// Whether A + B are the full inverse dynamics.
    pub(super) rnea: bool,
    pub(super) ball: bool,
    pub(super) body: String,
    /// N s; of a ball what it brings.
    pub(super) impulse: f64,
    /// Of a hand, s.
    pub(super) duration: f64,
    /// When, s.
    pub(super) time: f64,
    /// Where, of the half extents of the body's box: at ±1 on its faces.
    pub(super) point: DVec3,
    /// Which way, world.
    pub(super) along: DVec3,
}

/// The trials, as texts.
pub(super) fn trials(size: Size) -> Vec<Vec<String>> {
    let (seeds, bodies, unseen) = match size {
        Size::Full => (200, usize::MAX, 60),
        Size::Quick => (12, 3, 6),
    };
    let names: Vec<String> =
        library_figure(false).model().bodies().iter().map(|b| b.name().to_owned()).collect();
    let random = |part: &'static str| (0..seeds).map(move |seed| (seed, part));
    let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y];
    let map = names.iter().take(bodies).flat_map(|body| {
        sides.iter().enumerate().map(move |(k, side)| {
            let hit = Hit {
                clip: CLIPS[0].to_owned(),
                rnea: false,
                ball: false,
                body: body.clone(),
                impulse: MAP_IMPULSE,
                duration: SHORTEST,
                time: 0.25,
                point: DVec3::ZERO,
                along: *side,
            };
            hit.spelled(MAP, SETS[0], k as u64)
        })
    });
    let drawn = |(seed, part)| drawn(seed, part, &names);
    let unseen = (0..unseen).map(|seed| drawn((seed, UNSEEN)));
    random(RANDOM).map(drawn).chain(map).chain(random(RNEA).map(drawn)).chain(unseen).collect()
}

/// Joints of the figure.
pub(super) fn joints() -> usize {
    library_figure(false).model().n_bodies() - 1
}

/// Shortest and longest push, s: a blow over two steps, a shove.
const SHORTEST: f64 = 1.0 / 60.0;
const LONGEST: f64 = 0.2;

/// Added to seeds that are held back. Those before were looked at to find out where pops come from; these are fresh ones, drawn after the last
/// change.
const HELD_BACK: u64 = 17000;

fn drawn(seed: u64, part: &str, bodies: &[String]) -> Vec<String> {
    let clips = if part == UNSEEN { &UNSEEN_CLIPS[..] } else { &CLIPS[..] };
    let held_back = part == UNSEEN || seed % 3 == 2;
    let mut random = Random::named(seed + if held_back { HELD_BACK } else { 0 }, "adaptive-study");
    let mut pick = |n: usize| random.below(n);
    let (clip, ball, body) =
        (clips[pick(clips.len())].to_owned(), pick(2) == 1, bodies[pick(bodies.len())].clone());
    let mut along = random.direction();
    if ball {
        // None comes out of the ground.
        along.z = -along.z.abs();
    }
    let hit = Hit {
        clip,
        rnea: part == RNEA,
        ball,
        body,
        impulse: random.between(2.0, 40.0),
        duration: SHORTEST * (LONGEST / SHORTEST).powf(random.unit()),
        time: random.between(0.5, 2.5),
        point: DVec3::new(random.symmetric(), random.symmetric(), random.symmetric()) * 0.8,
        along,
    };
    hit.spelled(part, SETS[usize::from(held_back)], seed)
}

impl Hit {
    fn spelled(&self, part: &str, set: &str, seed: u64) -> Vec<String> {
        let by = BY[usize::from(self.ball)];
        let words = [part, set, &self.clip, &seed.to_string(), by, &self.body].map(str::to_owned);
        let numbers = [self.impulse, self.duration, self.time].into_iter();
        let vectors = self.point.to_array().into_iter().chain(self.along.to_array());
        words.into_iter().chain(numbers.chain(vectors).map(|x| format!("{x:.4}"))).collect()
    }

    /// The hit of a trial; `None` where it is not one of this study.
    pub(super) fn of(trial: &Trial) -> Option<Self> {
        let vector = |k: usize| Some(DVec3::new(trial.get(k)?, trial.get(k + 1)?, trial.get(k + 2)?));
        Some(Self {
            clip: trial.get(2)?,
            rnea: trial.0.first()? == RNEA,
            ball: trial.0.get(4)? == BY[1],
            body: trial.get(5)?,
            impulse: trial.get(6)?,
            duration: trial.get(7)?,
            time: trial.get(8)?,
            point: vector(9)?,
            along: vector(12)?.try_normalize()?,
        })
    }

    /// Radius of the ball, m.
    pub(super) fn radius(&self) -> f64 {
        (0.75 * self.mass() / (std::f64::consts::PI * BALL_DENSITY)).cbrt()
    }

    fn mass(&self) -> f64 {
        self.impulse / BALL_SPEED
    }

    /// The scene it happens in.
    pub(super) fn scene(&self) -> String {
        let mut text = character(&self.clip, if self.rnea { ", estimate = \"rnea\"" } else { "" });
        if self.ball {
            text += &format!(
                "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = {:?}\nmass = {:?}\nat = [50.0, 0.0, 5.0]\nparked = true\n",
                self.radius(),
                self.mass()
            );
        }
        text
    }
}

/// The figure in a clip on flat ground, with some more settings of its controller.
pub(super) fn character(clip: &str, settings: &str) -> String {
    format!(
        "schema = 1\nshows = \"a hit\"\nduration = 10.0\nrate = 120\n[[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"library\"\nmotion = {{ clip = \"{clip}\", cyclic = true, supple = 0.034 }}\n\
         controller = {{ kind = \"adaptive\"{settings} }}\n"
    )
}
