//! Feet that are caught step higher.
//!
//! A body of another volume than the performer's touches the ground too early, and no recording knows the step in its way. The
//! paper gives such a foot "a small upward force" from outside (Wrotek 2006, section 4.3). Against a leg that is driven to its
//! target such a force has to be as large as the weight to lift a foot by a hand. So the *target* is lifted: while the motion's own foot
//! swings and the simulated one is caught, by something in its way or scraping along, hip and knee of the target bend further and
//! further until the foot comes free; the lift is kept for the rest of the swing and let down when the foot should stand. Who has
//! been stopped steps high with both feet for a while. Nothing acts from outside but the law that tracks all bones.
//! A foot that stands by then, on the step that it was lifted over, carries the body up as it is let down: it takes its time, as who climbs
//! stairs does, or the body is thrown.
//!
//! A foot that lands early gives. The motion's own foot still goes down then, at a metre per second in a run, and a leg that follows
//! it throws the body up, so that it comes down hard, and late, after the motion's own stand. So what stands goes no further down: with `u` the rate
//! at which the motion's foot sinks at the point that is touched, the target is raised by `∫ u dt`, and let down again in `T_S` while it stands:
//! the leg rises to its height through the stand instead of at once.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::Model;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;

use super::targets::Targets;
use crate::controller::Sense;
use crate::limb::Limb;
use crate::reference::Attitudes;

/// How feet are lifted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLift {
    /// Highest lift, m; zero turns it off.
    pub highest: f64,
    /// Speed at which a caught foot is lifted, and let down when it should stand, m/s.
    pub rate: f64,
    /// Seconds for which both feet step high after one was stopped: over the same step, and over the next one.
    pub wary: f64,
    /// Speed of the motion's own foot above which it swings, m/s.
    pub swing_speed: f64,
}

impl Default for FootLift {
    fn default() -> Self {
        // Found on three blocks of 20 cm from eight starts (`dynamo-obstacles` tells how it does from others): slower lifts come too late, higher ones
        // let the body sag.
        Self { highest: 0.22, rate: 5.0, wary: 3.0, swing_speed: 0.5 }
    }
}

/// Something stands in the way of a foot if the cosine between its normal and the swing is below this.
const IN_THE_WAY: f64 = -0.3;
/// Share of the swing's least speed at which a foot that touches scrapes along.
const SCRAPING: f64 = 0.4;
/// T, s: quicker than a swing, slower than contacts come and go.
const FOLLOWING: f64 = 0.03;
/// T_S, s: about a runner's stand. (From 0.05 to 0.4 runs hardly differ.)
const RISING: f64 = 0.15;
/// Speed at which a lifted foot is let down that bears, and the body rises, m/s: a stair of 17 cm in a step of some 0.4 s.
const CLIMBING: f64 = 0.4;
/// A lift below this is none, m.
const LEAST: f64 = 1e-4;
/// Slope of a swing below which the foot comes down to land: touching then is no scraping.
const LANDING: f64 = -0.1;
/// What a foot that scrapes along flat ground is lifted by, m.
const CLEARANCE: f64 = 0.02;
/// Sine of a knee's bend below which it does not tell its axis.
const STRAIGHT: f64 = 0.1;

/// A leg and its lift.
#[derive(Clone, Debug)]
struct Leg {
    side: Side,
    thigh: Bone,
    shank: Bone,
    foot: Bone,
    /// How high it is to be lifted, m.
    goal: f64,
    /// How high it is, m, and how fast it is lifted, m/s.
    lift: f64,
    rate: f64,
    /// What it gives because it landed early, m.
    give: f64,
    /// Whether it stood on the ground in the last step.
    bears: bool,
    /// Turns of thigh and shank for it, as of the last step.
    turns: [DQuat; 2],
}

/// The legs of a character.
#[derive(Clone, Debug)]
pub(super) struct Feet {
    /// Found when the character is first seen.
    legs: Option<Vec<Leg>>,
    /// Height at which a foot that was stopped came free, m, and seconds for which all feet step so high yet.
    high: f64,
    wary: f64,
}

fn parent(model: &Model, bone: Bone) -> Option<Bone> {
    model.bodies()[bone].parent().map(|p| Bone::new(p.index()))
}

fn find_legs(model: &Model, physique: &Physique) -> Vec<Leg> {
    let feet = (0..model.n_bodies()).map(Bone::new);
    feet.filter_map(|foot| {
        let Some(Part::Foot(side)) = physique.part(foot) else { return None };
        let shank = parent(model, foot)?;
        let thigh = parent(model, shank).filter(|thigh| thigh.index() > 0)?;
        Some(Leg {
            side,
            thigh,
            shank,
            foot,
            goal: 0.0,
            lift: 0.0,
            rate: 0.0,
            give: 0.0,
            bears: false,
            turns: [DQuat::IDENTITY; 2],
        })
    })
    .collect()
}

impl Leg {
    /// The lift goes after its goal without a jerk: `x'' = (g - x)/T² - 2x'/T`, taken at the end of the step.
    fn follow(&mut self, dt: f64) {
        let w = 1.0 / FOLLOWING;
        self.rate = (self.rate + dt * w * w * (self.goal - self.lift)) / (1.0 + dt * w * (2.0 + dt * w));
        self.lift += dt * self.rate;
        if self.goal == 0.0 && self.lift < LEAST {
            (self.lift, self.rate) = (0.0, 0.0);
        }
    }

    /// Gives as the motion's foot sinks at the point of the ground that is touched.
    fn land(&mut self, wanted: &Attitudes, heading: DQuat, sense: &Sense<'_>) {
        let (up, physique) = (sense.own.up(), sense.own.physique());
        let (mut point, mut load) = (DVec3::ZERO, 0.0);
        for felt in sense.data.memory.felt() {
            let of_foot =
                Bone::of(felt.body_a, sense.bodies).and_then(|bone| physique.foot(bone)) == Some(self.side);
            let push = up.dot(felt.force).max(0.0);
            if of_foot && felt.body_b.is_none() {
                point += push * felt.point;
                load += push;
            }
        }
        self.bears = load > 0.0;
        self.give *= RISING / (RISING + sense.dt);
        if load > 0.0 {
            let arm =
                point / load - sense.data.position.world_from_body[sense.body_of(self.foot)].translation;
            let spin = heading * wanted.angular_velocity[self.foot];
            let sinking = -up.dot(heading * wanted.velocity[self.foot] + spin.cross(arm));
            self.give += sinking.max(0.0) * sense.dt;
        }
        if self.give < LEAST {
            self.give = 0.0;
        }
    }

    /// How high the foot is to be lifted that is caught on its way with the motion's velocity, m; `None` if it is not.
    fn caught(&self, motion: DVec3, options: &FootLift, sense: &Sense<'_>) -> Option<f64> {
        let up = sense.own.up();
        let swing = motion - up * up.dot(motion);
        let speed = swing.length();
        let level = up.dot(motion) > LANDING * speed;
        let along = sense.data.velocity.body[sense.body_of(self.foot)].linear.dot(swing) / speed.max(1e-9);
        let physique = sense.own.physique();
        let fixed = sense.data.memory.felt().iter().filter(|f| f.body_b.is_none());
        let touches = fixed.filter_map(|f| Some((Bone::of(f.body_a, sense.bodies)?, f.normal)));
        let highest = touches.filter_map(|(bone, normal)| {
            let of_foot = physique.foot(bone) == Some(self.side);
            let in_the_way = normal.dot(swing) < IN_THE_WAY * speed;
            if (of_foot || bone == self.shank) && in_the_way {
                Some(options.highest)
            } else {
                (of_foot && level && along > SCRAPING * options.swing_speed).then_some(CLEARANCE)
            }
        });
        highest.reduce(f64::max)
    }

    /// The turns that lift the ankle of the target, which is `targets` with everything else as it is.
    fn raised(&self, targets: &Targets, sense: &Sense<'_>) -> [DQuat; 2] {
        let place = |bone: Bone| sense.data.position.world_from_body[sense.body_of(bone)].translation;
        let target =
            |bone: Bone, way: DVec3| targets.orientation[bone] * (targets.actual(bone).conjugate() * way);
        let upper = target(self.thigh, place(self.shank) - place(self.thigh));
        let lower = target(self.shank, place(self.foot) - place(self.shank));
        let left = targets.orientation[0] * DVec3::Y;
        let axis = upper.cross(lower);
        let bent = axis.length() > STRAIGHT * upper.length() * lower.length() && axis.dot(left) > 0.0;
        let axis = if bent { axis.normalize() } else { left };
        let (thigh, shank) =
            Limb { upper, lower, axis }.reach(upper + lower + sense.own.up() * (self.lift + self.give));
        [thigh, shank]
    }
}

impl Feet {
    pub(super) fn new() -> Self {
        Self { legs: None, high: 0.0, wary: 0.0 }
    }

    /// Lifts the targets of feet that are caught.
    pub(super) fn lift(
        &mut self,
        options: &FootLift,
        model: &Model,
        wanted: &Attitudes,
        targets: &mut Targets,
        sense: &Sense<'_>,
    ) {
        if options.highest <= 0.0 {
            return;
        }
        let up = sense.own.up();
        self.wary -= sense.dt;
        if self.wary < 0.0 {
            self.high = 0.0;
        }
        for leg in self.legs.get_or_insert_with(|| find_legs(model, sense.own.physique())) {
            let motion = targets.heading * wanted.velocity[leg.foot];
            let way = options.rate * sense.dt;
            if (motion - up * up.dot(motion)).length() < options.swing_speed {
                let down = if leg.bears { CLIMBING * sense.dt } else { way };
                leg.goal = (leg.goal - down).max(0.0);
            } else {
                let caught = leg.caught(motion, options, sense);
                leg.goal = leg.goal.max((leg.goal + way).min(caught.unwrap_or(0.0).max(self.high)));
                if caught == Some(options.highest) {
                    (self.high, self.wary) = (self.high.max(leg.goal), options.wary);
                }
            }
            leg.follow(sense.dt);
            leg.land(wanted, targets.heading, sense);
            let before = leg.turns;
            leg.turns =
                if leg.lift + leg.give > 0.0 { leg.raised(targets, sense) } else { [DQuat::IDENTITY; 2] };
            for (k, bone) in [leg.thigh, leg.shank].into_iter().enumerate() {
                let rate = rotation::log(leg.turns[k] * before[k].conjugate()) / sense.dt;
                targets.turn(bone, leg.turns[k], rate);
            }
        }
    }
}
