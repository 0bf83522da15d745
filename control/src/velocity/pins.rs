//! Feet held to the ground (Lligadas, Susín and Ramírez, section 4.1): a pin is made where a foot strikes, so that the joints above have
//! something to push against, and taken away when the walk says so.
//!
//! The published pin is a joint: it can pull. [`Grip::Bilateral`] is that pin; what is stronger than its strength tears it off. [`Grip::Unilateral`] is what ground can do: no pull, no more
//! friction than it has, and no moment beyond the edge of the sole. Within the solve it gives way at once where it would pull or slide;
//! with
//!
//! ```text
//! (1)  r = n × M / (n · F)          centre of pressure from the pinned point, n up
//! ```
//! outside the sole, or a bound reached, for two steps on end it lets go. Whatever pins give is booked as an aid
//! ([`stuntlab_physics::step::Account::Aids`]).

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::Actuation;
use stuntlab_physics::actuation::{Anchor, Key, Pin, Release};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::Force;
use stuntlab_physics::step::PinReport;

use crate::controller::Sense;
use crate::senses::Hull;

/// Steps on end for which a rule must hold before a pin lets go: one may be a blow.
const PATIENCE: u32 = 2;
/// Share of its error a pin takes away per step: a foot that strikes with its heel is flat within 50 ms at 200 Hz.
const CORRECTION: f64 = 0.1;
/// How far above the ground a foot is held, m: so near that nobody sees it, and contacts do not hold it a second time, which would leave
/// the solver to guess who bears what.
const CLEARANCE: f64 = 5e-4;
/// Speed with which a foot lifts off, m/s: faster than what a solver leaves of rest.
const LIFTING: f64 = 0.01;
/// Moment that is none, N m.
const NO_MOMENT: f64 = 1e-3;
/// What the pins of a character are called, with the place of its root.
const OWNER: u32 = 0x0070_0000;

/// What a pinned foot may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Grip {
    /// Nothing is pinned: contacts alone.
    #[default]
    None,
    /// As published: a joint, which pulls as well as it pushes.
    Bilateral {
        /// Largest force it bears, N; what is held with more for a few steps is torn off. Infinite: whatever comes.
        strength: f64,
    },
    /// What ground with this friction can do.
    Unilateral {
        /// Coefficient of friction.
        friction: f64,
    },
}

/// Why a pin let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It would have pulled.
    Tension,
    /// Its friction was used up.
    Slip,
    /// The centre of pressure left the sole.
    Tipping,
    /// More than it bears was asked of it.
    Torn,
}

/// In the order in which they are looked at.
const CAUSES: [Cause; 4] = [Cause::Tension, Cause::Slip, Cause::Tipping, Cause::Torn];
/// Share of its strength at which a pin is torn: what a solve leaves of a bound.
const ALL_BUT: f64 = 0.999;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Held {
    bone: Bone,
    point: DVec3,
    place: DVec3,
    rotation: DQuat,
    /// Steps on end of tension, slipping, tipping, tearing.
    against: [u32; CAUSES.len()],
}

/// The pin of one foot.
#[derive(Clone, Debug)]
pub struct FootPin {
    grip: Grip,
    side: Side,
    held: Option<Held>,
    sole: Hull,
    /// Why it let go last.
    cause: Option<Cause>,
}

impl FootPin {
    /// For a foot that is in the air.
    pub fn new(physique: &Physique, side: Side, grip: Grip) -> Self {
        Self { grip, side, held: None, sole: Hull::with_capacity(physique.soles().len()), cause: None }
    }

    fn key(&self, sense: &Sense<'_>) -> Key {
        Key::of(OWNER + sense.root().index() as u32, self.side as u32)
    }

    /// Pins a bone, the foot or its toes: the middle of its sole to the ground below, level, as it is turned about the vertical.
    pub fn strike(&mut self, sense: &Sense<'_>, bone: Bone) {
        self.cause = None;
        if self.grip == Grip::None || self.held.is_some_and(|held| held.bone == bone) {
            return;
        }
        let soles = || sense.own.physique().soles().iter().filter(|s| s.bone == bone);
        let count = soles().count().max(1) as f64;
        let lowest = soles().map(|s| s.point_body.z).fold(0.0, f64::min);
        let point = (soles().map(|s| s.point_body).sum::<DVec3>() / count).with_z(lowest);
        let pose = sense.data.world_from_body(sense.body_of(bone));
        let forward = pose.rotation.x_axis;
        let rotation = DQuat::from_rotation_z(forward.y.atan2(forward.x));
        let up = sense.own.up();
        let middle = pose.transform_point(point);
        let height = self.ground(sense, bone) + CLEARANCE - up.dot(middle);
        let place = middle + up * height;
        self.held = Some(Held { bone, point, place, rotation, against: [0; CAUSES.len()] });
    }

    /// Height of the ground below: where the other part of the foot is held, or where this one touches; as low as anything touches where neither is.
    fn ground(&self, sense: &Sense<'_>, bone: Bone) -> f64 {
        let up = sense.own.up();
        if let Some(held) = self.held {
            return up.dot(held.place) - CLEARANCE;
        }
        let body = sense.body_of(bone);
        let felt = sense.data.memory.felt().iter().filter(|f| f.body_a == body && f.body_b.is_none());
        let lowest = felt.map(|f| up.dot(f.point)).fold(f64::INFINITY, f64::min);
        if lowest.is_finite() { lowest } else { sense.own.ground() }
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.held = None;
    }

    /// Whether it holds.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Why it let go of its own last; none if it was told to, or holds.
    pub fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// What it gave in the last step, at the pinned point.
    pub fn wrench(&self, sense: &Sense<'_>) -> Force {
        let report = sense.data.report_of_pin(self.key(sense));
        report.map_or(Force::ZERO, |r| Force::new(r.moment, r.force))
    }

    /// Writes the pin, unless its rules say that it lets go.
    pub fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.judge(sense);
        let Some(held) = self.held else { return };
        let release = match self.grip {
            Grip::Unilateral { friction } => {
                Release { push_direction: sense.own.up(), tension: 0.0, friction, force: f64::INFINITY }
            }
            Grip::Bilateral { strength } => Release { force: strength, ..Release::NEVER },
            Grip::None => Release::NEVER,
        };
        out.pins.push(Pin {
            key: self.key(sense),
            body: sense.body_of(held.bone),
            point: held.point,
            anchor: Anchor::World { point: held.place, rotation: held.rotation },
            weld: true,
            correction: CORRECTION,
            release,
        });
    }

    /// Looks at what it gave in the last step.
    fn judge(&mut self, sense: &Sense<'_>) {
        let Some(mut held) = self.held else { return };
        let Some(report) = sense.data.report_of_pin(self.key(sense)) else { return };
        let now = match self.grip {
            Grip::None => return,
            Grip::Bilateral { strength } => [false, false, false, report.force.length() > ALL_BUT * strength],
            Grip::Unilateral { .. } => {
                let up = sense.own.up();
                let push = report.force.dot(up);
                let body = sense.body_of(held.bone);
                let point = sense.data.world_from_body(body).transform_point(held.point);
                // A pin that gives nothing is not pulled at as long as contacts bear the foot.
                let lifts = push <= 0.0 && sense.data.point_velocity(body, point).dot(up) > LIFTING;
                [lifts, report.slips && push > 0.0, self.tips(sense, &held, report), false]
            }
        };
        for (count, now) in held.against.iter_mut().zip(now) {
            *count = if now { *count + 1 } else { 0 };
        }
        let over = held.against.iter().position(|count| *count >= PATIENCE);
        self.cause = over.map(|k| CAUSES[k]);
        self.held = if over.is_some() { None } else { Some(held) };
    }

    /// (1): whether the centre of pressure of all that the ground gives the foot, by pin and contacts, is outside the sole. Toes have
    /// too little of one to tell.
    fn tips(&mut self, sense: &Sense<'_>, held: &Held, report: &PinReport) -> bool {
        let body = sense.body_of(held.bone);
        let pose = sense.data.world_from_body(body);
        let soles = sense.own.physique().soles().iter().filter(|s| s.bone == held.bone);
        self.sole.set(soles.map(|s| pose.transform_point(s.point_body).truncate()));
        if self.sole.corners().len() < 3 {
            return false;
        }
        let (up, point) = (sense.own.up(), pose.transform_point(held.point));
        let (mut push, mut arm) = (up.dot(report.force), up.cross(report.moment));
        for felt in sense.data.memory.felt().iter().filter(|f| f.body_a == body && f.body_b.is_none()) {
            let load = up.dot(felt.force);
            push += load;
            arm += (felt.point - point) * load;
        }
        // Whatever turns a foot that bears nothing is no ground.
        if push <= 0.0 {
            return arm.length() > NO_MOMENT;
        }
        self.sole.margin((point + arm / push).truncate()).is_some_and(|margin| margin < 0.0)
    }
}
