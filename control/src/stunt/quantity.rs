//! The quantities that conditions are about: one row each, with its unit and what it is in words.
//!
//! None depends on where the character is or which way it faces. One that tells left from right is `Odd`: in the mirror image of a state
//! it is the opposite; all others are the same there, so that conditions without odd ones hold for both or for neither.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::State;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};
use stuntlab_physics::spatial::rotation;

use super::build::Build;
use crate::controller::Sense;
use crate::readings::{Published, Together};

/// What a quantity becomes in the mirror image of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// The same.
    Even,
    /// Its opposite.
    Odd,
}

/// What there is to look at.
pub struct Look<'a> {
    /// The world as the character senses it.
    pub sense: &'a Sense<'a>,
    /// Its figure.
    pub build: &'a Build,
    /// Its own coordinates and rates.
    pub own: &'a State,
    /// What it is about to reach.
    pub goal: Goal,
    /// Seconds since the active skill began; 0 without one.
    pub time: f64,
    /// How far the active skill has come with what it does, 0 to 1.
    pub progress: f64,
}

/// The state a user wants, as far as skills must know it: the target of the paper's (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// How high the root shall be, of its height when it stands: 1 stands, 0 lies.
    pub height: f64,
}

impl Default for Goal {
    fn default() -> Self {
        Self { height: 1.0 }
    }
}

/// A quantity.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name, as conditions spell it.
    pub name: &'static str,
    /// Unit; empty for counts, `of 1` for shares and cosines.
    pub unit: &'static str,
    /// What it is, one line.
    pub help: &'static str,
    /// Whether it tells left from right.
    pub parity: Parity,
    /// Its value; none where there is nothing to say, of which no condition holds.
    pub take: fn(&Look<'_>) -> Option<f64>,
}

const fn row(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    take: fn(&Look<'_>) -> Option<f64>,
) -> Quantity {
    Quantity { name, unit, help, parity: Parity::Even, take }
}

impl Quantity {
    const fn odd(mut self) -> Self {
        self.parity = Parity::Odd;
        self
    }

    /// As a reading.
    pub const fn published(&self) -> Published {
        Published { name: self.name, unit: self.unit, help: self.help, together: Together::Mean }
    }
}

/// Share of the weight from which a part bears.
const BEARS: f64 = 0.03;

/// All quantities. Adding one is adding a row.
pub const QUANTITIES: &[Quantity] = &[
    // State.
    row("trunk-up", "of 1", "How upright the chest is: 1 upright, 0 lying", |l| {
        Some(l.sense.own.trunk_up().dot(l.sense.own.up()))
    }),
    row("trunk-front", "of 1", "Where the chest faces: 1 the sky, -1 the ground", |l| {
        Some(l.sense.own.trunk_front().dot(l.sense.own.up()))
    }),
    row("trunk-left", "of 1", "Where its left side faces: 1 the sky, -1 the ground", |l| {
        Some(trunk(l).y_axis.dot(l.sense.own.up()))
    })
    .odd(),
    row("pelvis-up", "of 1", "How upright the pelvis is", |l| {
        Some((root(l) * l.build.root_up()).dot(l.sense.own.up()))
    }),
    row("pelvis-front", "of 1", "Where the pelvis faces: 1 the sky, -1 the ground", |l| {
        Some(root(l).x_axis.dot(l.sense.own.up()))
    }),
    row("pelvis-height", "m", "Height of the root over the ground", |l| Some(l.sense.own.pelvis_height())),
    row("pelvis-rise", "of 1", "The same, of what it is when it stands", |l| {
        Some(l.sense.own.pelvis_height() / l.build.tall())
    }),
    row("head-height", "m", "Height of the head's joint over the ground", |l| l.sense.own.head_height()),
    row("com-height", "m", "Height of the centre of mass over the ground", |l| Some(l.sense.own.height())),
    row("com-speed", "m/s", "Speed of the centre of mass", |l| Some(l.sense.own.velocity().length())),
    row("com-sinking", "m/s", "How fast the centre of mass goes down", |l| {
        Some(-l.sense.own.velocity().dot(l.sense.own.up()))
    }),
    row("com-acceleration", "m/s²", "Acceleration of the centre of mass, filtered", |l| {
        Some(l.sense.own.acceleration().length())
    }),
    row("joint-speed", "rad/s", "Rate of the fastest joint", |l| {
        Some(l.own.v.iter().skip(l.build.root_freedoms()).map(|v| v.abs()).fold(0.0, f64::max))
    }),
    row("posture", "rad", "Mean angle of waist, hips and knees from a quiet stand", posture),
    row("knees", "deg", "Bend of the knee that is bent more", |l| {
        Some(legs(l, |l, side| flexion(l, l.build.biped().leg(side).shank)).into_iter().fold(0.0, f64::max))
    }),
    row("hips", "deg", "Flexion of the hip that is bent more", |l| {
        let hips = legs(l, |l, side| flexion(l, l.build.biped().leg(side).thigh));
        Some(hips.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }),
    row("limbs-bent", "deg", "Mean bend of hips and knees, either way", |l| {
        let bend = |bone: Bone| flexion(l, bone).abs();
        let leg = |side| (bend(l.build.biped().leg(side).thigh), bend(l.build.biped().leg(side).shank));
        Some(Side::BOTH.map(leg).iter().map(|(hip, knee)| hip + knee).sum::<f64>() / 4.0)
    }),
    // Balance.
    row("margin", "m", "How far the centre of mass is within the soles that bear", |l| l.sense.own.margin()),
    row("capture-margin", "m", "The same of the capture point", |l| l.sense.own.capture_margin()),
    row("beyond", "m", "How far the capture point is beyond the soles, all of them on the ground", beyond),
    row("fall-forward", "m", "Capture point forward of the middle of the ankles", |l| Some(fall(l).x)),
    row("fall-left", "m", "Capture point left of the middle of the ankles", |l| Some(fall(l).y)).odd(),
    row(
        "over-feet",
        "m",
        "Distance along the ground of the centre of mass from the middle of the soles",
        |l| {
            let soles = soles(l)?;
            Some((l.sense.own.center_of_mass().truncate() - soles).length())
        },
    ),
    // Environment.
    row("feet-down", "", "Feet that bear", |l| {
        Some(count(l, |part| matches!(part, Part::Foot(_) | Part::Toe(_))))
    }),
    row("hands-down", "", "Hands and forearms that bear", |l| {
        Some(count(l, |part| matches!(part, Part::Hand(_) | Part::Forearm(_))))
    }),
    row("knees-down", "", "Shanks and thighs that bear", |l| {
        Some(count(l, |part| matches!(part, Part::Shank(_) | Part::Thigh(_))))
    }),
    row("trunk-down", "", "Bones of trunk, pelvis and head that bear", |l| {
        Some(count(l, |part| matches!(part, Part::Pelvis | Part::Spine(_) | Part::Neck(_) | Part::Head)))
    }),
    row("feet-apart", "m", "Distance between the ankles along the ground", |l| {
        let ankle = |side: Side| {
            l.sense.data.world_from_body(l.sense.body_of(l.build.biped().leg(side).foot)).translation
        };
        // In the plane they are always as far apart as the hips.
        let way = (ankle(Side::Left) - ankle(Side::Right)).truncate();
        Some(if l.build.is_planar() { way.x.abs() } else { way.length() })
    }),
    row("feet-load", "of 1", "Share of the weight on the feet", |l| {
        Some(Side::BOTH.map(|side| l.sense.own.load(side)).iter().sum::<f64>() / weight(l))
    }),
    row(
        "feet-difference",
        "of 1",
        "Share of the weight on the left foot beyond that on the right one",
        |l| Some((l.sense.own.load(Side::Left) - l.sense.own.load(Side::Right)) / weight(l)),
    )
    .odd(),
    row("arms-under", "", "Hands that lie between the trunk and the ground", arms_under),
    row("struck", "N", "Force of the hardest push, or blow of others, on a bone", struck),
    row("slope", "deg", "How far what it is on is from level", slope),
    row("friction", "", "Least coefficient of friction of what it is on", friction),
    // Target, and the skill itself.
    row("wanted-height", "of 1", "How high the root is wanted, of what it is when it stands", |l| {
        Some(l.goal.height)
    }),
    row("skill-time", "s", "Seconds since the active skill began", |l| Some(l.time)),
    row("skill-progress", "of 1", "How far the active skill has come with what it does", |l| {
        Some(l.progress)
    }),
];

/// How many there are.
pub const COUNT: usize = QUANTITIES.len();

/// The place of a quantity in the table.
pub fn find(name: &str) -> Option<usize> {
    QUANTITIES.iter().position(|q| q.name == name)
}

/// Values of all quantities of one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// In the order of [`QUANTITIES`]; NaN where there is nothing to say.
    pub values: [f64; COUNT],
}

impl Default for Facts {
    fn default() -> Self {
        Self { values: [f64::NAN; COUNT] }
    }
}

impl Facts {
    /// Looks at all of them.
    pub fn take(&mut self, look: &Look<'_>) {
        for (value, quantity) in self.values.iter_mut().zip(QUANTITIES) {
            *value = (quantity.take)(look).unwrap_or(f64::NAN);
        }
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        find(name).map(|k| self.values[k]).filter(|x| !x.is_nan())
    }
}

fn trunk(l: &Look<'_>) -> stuntlab_physics::glam::DMat3 {
    l.sense.data.world_from_body(l.sense.body_of(l.sense.own.physique().trunk())).rotation
}

fn root(l: &Look<'_>) -> stuntlab_physics::glam::DMat3 {
    l.sense.data.world_from_body(l.sense.root()).rotation
}

fn weight(l: &Look<'_>) -> f64 {
    (l.sense.own.mass() * l.sense.model.gravity().length()).max(f64::MIN_POSITIVE)
}

fn legs(l: &Look<'_>, of: impl Fn(&Look<'_>, Side) -> f64) -> [f64; 2] {
    Side::BOTH.map(|side| of(l, side))
}

/// Flexion of the joint above a bone, degrees.
fn flexion(l: &Look<'_>, bone: Bone) -> f64 {
    l.build.angles(l.own, bone)[0].to_degrees()
}

fn posture(l: &Look<'_>) -> Option<f64> {
    let is_meant = |part: &Part| matches!(part, Part::Spine(_) | Part::Thigh(_) | Part::Shank(_));
    let (mut sum, mut n) = (0.0, 0);
    for (body, part) in l.build.own().bodies().iter().zip(l.build.parts()) {
        if is_meant(part) {
            let q = body.coordinates();
            let (is, wanted) = (&l.own.q[q], &l.build.stand().q[q]);
            sum += if is.len() == 4 {
                let turn = DQuat::from_slice(wanted).conjugate() * DQuat::from_slice(is);
                rotation::log(turn).length()
            } else {
                is.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
            };
            n += 1;
        }
    }
    (n > 0).then(|| sum / f64::from(n))
}

/// Middle of all soles, whether they bear or not.
fn soles(l: &Look<'_>) -> Option<DVec2> {
    let all = l.sense.own.physique().soles();
    let place =
        |bone: Bone, point| l.sense.data.world_from_body(l.sense.body_of(bone)).transform_point(point);
    let sum: DVec2 = all.iter().map(|sole| place(sole.bone, sole.point_body).truncate()).sum();
    (!all.is_empty()).then(|| sum / all.len() as f64)
}

/// Of what bears, if anything does; else of where the soles are.
fn beyond(l: &Look<'_>) -> Option<f64> {
    match l.sense.own.capture_margin() {
        Some(margin) => Some(-margin),
        None => Some((l.sense.own.capture_point().truncate() - soles(l)?).length()),
    }
}

/// Capture point from the middle of the ankles, forward and left.
fn fall(l: &Look<'_>) -> DVec2 {
    let ankle = |side: Side| {
        l.sense.data.world_from_body(l.sense.body_of(l.build.biped().leg(side).foot)).translation
    };
    let mid = 0.5 * (ankle(Side::Left) + ankle(Side::Right));
    let forward = root(l).x_axis.truncate().try_normalize().unwrap_or(DVec2::X);
    let way = (l.sense.own.capture_point() - mid).truncate();
    DVec2::new(way.dot(forward), way.dot(forward.perp()))
}

fn count(l: &Look<'_>, is_meant: impl Fn(Part) -> bool) -> f64 {
    let least = BEARS * weight(l);
    let touches = l.sense.own.touches().iter().zip(l.build.parts());
    touches.filter(|(touch, part)| is_meant(**part) && touch.load > least).count() as f64
}

/// Half of the width of a trunk, m, within which a hand is below it and not beside it.
const TRUNK: f64 = 0.13;

fn arms_under(l: &Look<'_>) -> Option<f64> {
    let chest = l.sense.data.world_from_body(l.sense.body_of(l.sense.own.physique().trunk()));
    let up = l.sense.own.up();
    let under = |side: Side| {
        let Some(hand) = l.build.arm(side)[2] else { return false };
        let way = l.sense.data.world_from_body(l.sense.body_of(hand)).translation - chest.translation;
        let local: DVec3 = chest.rotation.transpose() * way;
        // Beside the head a hand is in nobody's way.
        local.y.abs() < TRUNK && (-0.2..0.4).contains(&local.z) && way.dot(up) < 0.0
    };
    Some(Side::BOTH.into_iter().filter(|side| under(*side)).count() as f64)
}

fn struck(l: &Look<'_>) -> Option<f64> {
    let pushes = l.sense.own.pushes().iter().map(|push| push.linear.length());
    let blows = l.sense.own.touches().iter().zip(l.build.parts());
    let blows = blows.filter(|(_, part)| !matches!(part, Part::Foot(_) | Part::Toe(_)));
    pushes.chain(blows.map(|(touch, _)| touch.others.length())).reduce(f64::max)
}

/// Contacts with what never moves that press on it.
fn grounds<'a>(l: &'a Look<'_>) -> impl Iterator<Item = &'a stuntlab_physics::contact::Contact> {
    let own = l.sense.bodies;
    let points = l.sense.data.contact.points.iter();
    points.filter(move |c| c.body_b.is_none() && own.contains(c.body_a) && c.force.length_squared() > 1.0)
}

fn slope(l: &Look<'_>) -> Option<f64> {
    let normal: DVec3 = grounds(l).map(|c| c.normal * c.force.length()).sum();
    normal.try_normalize().map(|n| n.angle_between(l.sense.own.up()).to_degrees())
}

fn friction(l: &Look<'_>) -> Option<f64> {
    grounds(l).map(|c| c.law.material.friction).reduce(f64::min)
}
