//! When the whole body cannot keep its feet where they are: reactive steps (Nguyen et al. 2011, section 5, after Wu and Zordan 2010).
//!
//! Feet have offsets from where the motion puts them. Both at the same offset are the motion itself, somewhere else. A push makes the
//! capture point of the body leave that of the motion by `δξ = δ + δ̇/ω₀`, δ from where the feet want it; where that leaves the support by
//! more than the motion's own does, a foot is put where it will be,
//!
//! ```text
//! (1)  δξ(T) = d + (δξ - d) e^{ω₀ T}          d: as far as the pressure can go, T: the time of a step
//! ```
//! the centre of mass goes to the middle of the feet, and the other foot follows when nothing pushes any more. A foot that the motion
//! itself swings lands with the offset that is wanted, without a step of its own.

use stuntlab_mocap::Side;
use stuntlab_physics::glam::DVec3;

use crate::walking::{other, outward};

/// Settings of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// T: seconds of a step.
    pub seconds: f64,
    /// Height of a step, m.
    pub height: f64,
    /// Longest step, m: who would need a longer one gives up.
    pub longest: f64,
}

impl Default for StepOptions {
    fn default() -> Self {
        // A person's first protective step takes some 0.4 s from the push, and reaches six to eight tenths of a leg (Maki and McIlroy 1997).
        Self { seconds: 0.38, height: 0.09, longest: 0.8 }
    }
}

/// Beyond the support of the motion itself by so much, a step is due, m.
const OUT: f64 = 0.02;
/// A capture point so far from where the feet want it is worth a step in any case, m: what legs can follow ends soon.
const FAR: f64 = 0.13;
/// Least way of the capture point that is worth a step, m.
const WORTH: f64 = 0.06;
/// A foot is put so much beyond where the capture point will be, m.
const BEYOND: f64 = 0.03;
/// A step is due for so long before it begins, s: as long as a blow takes to reach the whole body, so that all of it counts.
const WAIT: f64 = 0.04;
/// Seconds between two steps at least.
const PAUSE: f64 = 0.06;
/// Offsets of the feet that differ by less need no further step, m: less than anybody sees a foot slide by.
const TOGETHER: f64 = 0.004;
/// Feet are kept so far apart sideways, m.
const APART: f64 = 0.1;
/// Share of a step's time that must be left for it to go farther, and the time constant of either lag with which its end does, s: most of
/// it is there before the foot is.
const LATE: f64 = 0.35;
const LAG: f64 = 0.03;
/// Time constant of either lag with which a foot that the motion swings takes its new offset, s.
const SWINGING: f64 = 0.04;
/// The centre of mass comes to rest so long after the foot, s.
pub const AFTER: f64 = 0.15;

/// A foot on its way. Where it is to land moves on while it swings, by two lags in a row, so that its speed has no jump.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Swing {
    from: DVec3,
    to: DVec3,
    /// Where `to` goes, and where that goes.
    aim: DVec3,
    goal: DVec3,
    since: f64,
    /// Where the feet wanted the centre of mass when it began; of a step that closes the stance nothing.
    home: Option<DVec3>,
}

/// A foot and its offset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Foot {
    offset: DVec3,
    /// Where the offset of a foot that the motion swings goes, after what is wanted: two lags in a row.
    aim: DVec3,
    lift: f64,
    swing: Option<Swing>,
}

/// What the supervisor looks at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Time, and step, s.
    pub time: f64,
    /// See `time`.
    pub dt: f64,
    /// δξ from where the feet want the centre of mass, level, m.
    pub capture: DVec3,
    /// Signed margins of the capture points, the body's and the motion's own, to the support, m.
    pub margins: [f64; 2],
    /// How far the pressure can go in the direction of δξ, m.
    pub reach: f64,
    /// ω₀, 1/s.
    pub rate: f64,
    /// The ankles where they are wanted now, left and right, world.
    pub ankles: [DVec3; 2],
    /// Which of the motion's own feet are in the air, left and right.
    pub airborne: [bool; 2],
    /// How much they are, 0 to 1: nothing where the foot strikes or leaves.
    pub swings: [f64; 2],
    /// Direction that is left of the body, level.
    pub left: DVec3,
    /// The foot that bears more.
    pub support: Side,
    /// Up.
    pub up: DVec3,
    /// Whether anything pushes.
    pub disturbed: bool,
}

/// What it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing new.
    Stay,
    /// A step has begun: the centre of mass is to be at this offset when it is over.
    Step(DVec3),
    /// No step would do.
    GiveUp,
}

/// The supervisor.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    options: StepOptions,
    feet: [Foot; 2],
    ended: f64,
    /// Since when a step has been due.
    due_since: Option<f64>,
    steps: u32,
}

/// (1): where a foot is to land, from home, for a capture point that is `off` by so much.
fn landing(off: DVec3, look: &Look, seconds: f64) -> DVec3 {
    let far = off.length();
    let reach = look.reach.clamp(0.0, far);
    off / far.max(1e-9) * (reach + (far - reach) * (look.rate * seconds).exp() + BEYOND)
}

impl Stepping {
    /// Feet where the motion has them.
    pub fn new(options: StepOptions) -> Self {
        Self { options, feet: [Foot::default(); 2], ended: f64::NEG_INFINITY, due_since: None, steps: 0 }
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// Whether both feet are where the motion has them, moved by one offset.
    pub fn is_at_rest(&self) -> bool {
        let [a, b] = &self.feet;
        a.swing.is_none() && b.swing.is_none() && a.offset == b.offset
    }

    /// Where the feet, those on their way having arrived, want the centre of mass.
    pub fn home(&self) -> DVec3 {
        let [a, b] = self.feet.map(|f| f.swing.map_or(f.offset, |s| s.to));
        // The same to the bit where both are one.
        if a == b { a } else { 0.5 * (a + b) }
    }

    /// Offsets of the ankles now, with their lift.
    pub fn offsets(&self, up: DVec3) -> [DVec3; 2] {
        self.feet.map(|f| f.offset + up * f.lift)
    }

    /// How high the feet are lifted, left and right, m.
    pub fn lifts(&self) -> [f64; 2] {
        self.feet.map(|f| f.lift)
    }

    /// Which feet take a step of their own, left and right.
    pub(super) fn swinging(&self) -> [bool; 2] {
        self.feet.map(|f| f.swing.is_some())
    }

    /// The foot that stands while the other one steps.
    pub fn standing(&self) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.feet[*side as usize].swing.is_some()).map(other)
    }

    /// Moves feet on, and begins a step where one is due.
    pub fn step(&mut self, look: &Look) -> Verdict {
        self.reach_farther(look);
        self.swing(look);
        let swinging = self.feet.iter().any(|f| f.swing.is_some());
        if swinging || look.time - self.ended < PAUSE {
            return Verdict::Stay;
        }
        let airborne = look.airborne.iter().any(|a| *a);
        let far = look.capture.length();
        let out = look.margins[0] < look.margins[1].min(0.0) - OUT;
        let due = far > FAR || far > WORTH && out;
        if !due || airborne {
            self.due_since = None;
        } else {
            let since = *self.due_since.get_or_insert(look.time);
            if look.time - since < WAIT - 0.5 * look.dt {
                return Verdict::Stay;
            }
            self.due_since = None;
            let home = self.home();
            let way = landing(look.capture, look, self.options.seconds);
            if way.length() > self.options.longest {
                return Verdict::GiveUp;
            }
            let side = self.choose(way, look);
            return self.begin(side, home + way, Some(home), look);
        }
        let [a, b] = self.feet;
        let astray = (a.offset - b.offset).length();
        if astray > TOGETHER && !look.disturbed && !airborne && far < WORTH {
            // The foot that stepped last is where all will be.
            let side = other(self.last_stepped());
            let to = self.feet[other(side) as usize].offset;
            return self.begin(side, to, None, look);
        }
        if astray > 0.0 && astray <= TOGETHER {
            // Too little to step for: it is made up for as it stands.
            let to = self.feet[self.last_stepped() as usize].offset;
            for foot in &mut self.feet {
                let way = to - foot.offset;
                foot.offset = if way.length() < 1e-4 { to } else { foot.offset + way * (look.dt / AFTER) };
            }
        }
        Verdict::Stay
    }

    /// A push that goes on takes a foot on its way farther, as far as it reaches; whether that was enough is seen when it has landed.
    fn reach_farther(&mut self, look: &Look) {
        let (longest, seconds, now) = (self.options.longest, self.options.seconds, self.home());
        let Some(swing) = self.feet.iter_mut().find_map(|f| f.swing.as_mut()) else { return };
        let Some(home) = swing.home else { return };
        let left = seconds - (look.time - swing.since);
        if !look.disturbed || left < LATE * seconds {
            return;
        }
        // Off where the feet wanted it when the step began.
        let way = landing(now + look.capture - home, look, left).clamp_length_max(longest);
        if way.length() > (swing.goal - home).length() {
            swing.goal = home + way;
        }
    }

    /// Which foot is farther from where the motion has it.
    fn last_stepped(&self) -> Side {
        let [a, b] = self.feet.map(|f| f.offset.length_squared());
        if a >= b { Side::Left } else { Side::Right }
    }

    fn begin(&mut self, side: Side, to: DVec3, home: Option<DVec3>, look: &Look) -> Verdict {
        let foot = &mut self.feet[side as usize];
        // It has not moved yet at the end of this step.
        let since = look.time + look.dt;
        foot.swing = Some(Swing { from: foot.offset, to, aim: to, goal: to, since, home });
        self.steps += 1;
        Verdict::Step(self.home())
    }

    /// The foot whose step does not cross the other one; of both that do not, the one that bears less, or is behind.
    fn choose(&self, way: DVec3, look: &Look) -> Side {
        let cost = |side: Side| {
            let stays = look.ankles[other(side) as usize];
            let lands = look.ankles[side as usize] + way;
            let apart = outward(side) * look.left.dot(lands - stays);
            let behind = (stays - look.ankles[side as usize]).dot(way) / way.length().max(1e-9);
            let bears = if side == look.support { 0.05 } else { 0.0 };
            // A decimetre too near is as bad as a foot's length the wrong way.
            3.0 * (APART - apart).max(0.0) - behind.clamp(-0.3, 0.3) + bears
        };
        if cost(Side::Left) <= cost(Side::Right) { Side::Left } else { Side::Right }
    }

    fn swing(&mut self, look: &Look) {
        let home = self.home();
        let wanted = if look.capture.length() > WORTH { home + look.capture } else { self.settled() };
        for (k, foot) in self.feet.iter_mut().enumerate() {
            if let Some(swing) = &mut foot.swing {
                let share = 1.0 - (-look.dt / LAG).exp();
                swing.to += (swing.aim - swing.to) * share;
                swing.aim += (swing.goal - swing.aim) * share;
                let swing = *swing;
                let s = ((look.time + look.dt - swing.since) / self.options.seconds).clamp(0.0, 1.0);
                let eased = s * s * s * (10.0 + s * (6.0 * s - 15.0));
                foot.offset = swing.from + (swing.to - swing.from) * eased;
                // Up and down without a knock at either end.
                foot.lift = self.options.height * 16.0 * s * s * (1.0 - s) * (1.0 - s);
                if s >= 1.0 {
                    (foot.offset, foot.lift, foot.swing) = (swing.to, 0.0, None);
                    self.ended = look.time;
                }
                foot.aim = foot.offset;
            } else if look.airborne[k] {
                // In and out with the swing, so that it neither starts nor stops at once.
                let share = look.swings[k] * look.dt / (SWINGING + look.dt);
                foot.offset += (foot.aim - foot.offset) * share;
                foot.aim += (wanted - foot.aim) * share;
                if (wanted - foot.offset).length() < 1e-4 {
                    (foot.offset, foot.aim) = (wanted, wanted);
                }
            } else {
                foot.aim = foot.offset;
            }
        }
    }

    /// The offset that both feet are to have in the end.
    fn settled(&self) -> DVec3 {
        let [a, b] = self.feet;
        if a.offset == b.offset { a.offset } else { self.feet[self.last_stepped() as usize].offset }
    }
}
