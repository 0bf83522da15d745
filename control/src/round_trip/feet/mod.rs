//! Feet that stand stay where they are while a body is blended into a motion.
//!
//! A blend moves the root and all joints at once, so a foot on the ground would slide to where the motion has it. Here each foot has a base and what it is off
//! that, which dies out from the position and velocity it has ([`fading`]) whenever the base changes:
//!
//! | the motion's foot | the foot | base |
//! |---|---|---|
//! | stands | is down | the motion's foot at a place of its own on the ground, the one it has now |
//! | swings | still flat on the ground | the blend's, along the ground where it is: it is lifted first |
//! | any | in the air | the blend's |
//! | stands, and will | off its place, the other foot down | a step of its own into place |
//!
//! The leg follows by inverse kinematics. So a foot goes to the motion's place while the motion lifts it, or by a small step where the motion never does.

mod leg;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique, Sole};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, Model, State};

use super::place::Place;
use crate::adaptive::articulation::fading;
use crate::controller::Sense;
use crate::kind::Refusal;
use crate::walking::{Biped, Leg, other};
use leg::{Pose, put};

/// Height over the ground below which a point of a motion's sole stands if it is slower than that: m, m/s. Recordings are set on the ground to a few millimetres.
const STANDS: (f64, f64) = (0.02, 0.25);
/// Height below which the lowest point of a sole is down, and all of them are if it is flat, m.
const DOWN: (f64, f64) = (0.02, 0.022);
/// A foot that is faster is not stopped before this long after a splice: m/s, s. What a splice begins with goes on.
const FAST: (f64, f64) = (0.4, 0.02);
/// Seconds in which what a foot is off its base dies out: of one that stands, and of one in the air.
const FADES: (f64, f64) = (0.15, 0.25);
/// How far a foot goes on where it touches down, along the ground and into it, m, times 27/4.
const SLIDES: f64 = 0.003 * 27.0 / 4.0;
const SINKS: f64 = 0.002 * 27.0 / 4.0;
/// How far off its place a foot is not worth a step, m and rad.
const IN_PLACE: (f64, f64) = (0.006, 0.04);
/// A step into place: seconds, and how high, m.
const STEP: (f64, f64) = (0.32, 0.04);
/// Share of a step in which the foot is lifted, and put down, before and after it goes along the ground.
const LIFTED: f64 = 0.25;

/// What a foot follows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    /// The blend.
    Blend,
    /// The blend's height and tilt, here along the ground: place and heading.
    Lifting(DVec2, f64),
    /// The motion's foot at a place of its own.
    Held(Place),
    /// From there into the motion's place, since when, s.
    Step(Place, f64),
}

/// One foot.
#[derive(Clone, Copy, Debug)]
struct Foot {
    base: Base,
    /// What it was off the base when that changed, and how that changed; when, s.
    off: [DVec3; 2],
    rate: [DVec3; 2],
    since: f64,
    /// In how many seconds it dies out.
    whole: f64,
    /// Where it is and how it moves; where the motion and the blend have it.
    now: Pose,
    velocity: [DVec3; 2],
    motion: Pose,
    blend: Pose,
}

/// Both feet of a character.
#[derive(Clone)]
pub(super) struct Feet {
    legs: [Leg; 2],
    soles: Vec<Sole>,
    feet: [Foot; 2],
    active: bool,
    /// When they began, s.
    begun: f64,
    state: State,
    data: Data,
}

impl Feet {
    pub(super) fn new(own: &Model, physique: &Physique) -> Result<Self, Refusal> {
        let biped = Biped::of(physique)?;
        let nowhere = Pose { at: DVec3::ZERO, turn: DQuat::IDENTITY };
        let foot = Foot {
            base: Base::Blend,
            off: [DVec3::ZERO; 2],
            rate: [DVec3::ZERO; 2],
            since: 0.0,
            whole: FADES.1,
            now: nowhere,
            velocity: [DVec3::ZERO; 2],
            motion: nowhere,
            blend: nowhere,
        };
        Ok(Self {
            legs: Side::BOTH.map(|side| *biped.leg(side)),
            soles: physique.soles().to_vec(),
            feet: [foot; 2],
            active: false,
            begun: 0.0,
            state: State::new(own),
            data: Data::new(own),
        })
    }

    /// Forgets where they were.
    pub(super) fn clear(&mut self) {
        self.active = false;
    }

    /// Whether they are where the motion has them.
    pub(super) fn is_over(&self) -> bool {
        !self.active
    }

    /// Begins where the body has them, on the way into a motion whose pose is `wanted` now.
    pub(super) fn begin(&mut self, sense: &Sense<'_>, own: &Model, wanted: &[f64]) {
        (self.active, self.begun) = (true, sense.time());
        self.state.q.copy_from_slice(wanted);
        forward_kinematics(own, &self.state, &mut self.data);
        for side in Side::BOTH {
            let bone = self.legs[side as usize].foot;
            let body = sense.body_of(bone);
            let pose = sense.data.world_from_body(body);
            let now = Pose { at: pose.translation, turn: DQuat::from_mat3(&pose.rotation) };
            let spin = sense.data.velocity.body[body.index()].angular;
            self.feet[side as usize] = Foot {
                base: Base::Blend,
                off: [DVec3::ZERO; 2],
                rate: [DVec3::ZERO; 2],
                since: sense.time(),
                whole: FADES.1,
                now,
                velocity: [sense.data.point_velocity(body, pose.translation), spin],
                motion: Pose::of(&self.data, bone),
                blend: now,
            };
        }
    }

    /// Height of the lowest and the highest point of a sole on a foot at `pose`, over `ground`. `data` has the pose of the whole body.
    fn heights(&self, side: Side, pose: &Pose, ground: f64) -> (f64, f64) {
        let foot = &self.data.position.world_from_body[self.legs[side as usize].foot.index()];
        let height = |sole: &Sole| {
            let point =
                self.data.position.world_from_body[sole.bone.index()].transform_point(sole.point_body);
            (pose.at + pose.turn * foot.inverse_transform_point(point)).z - ground
        };
        let all = self.soles.iter().filter(|s| s.side == side).map(height);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(z), high.max(z)))
    }

    /// Whether a foot that goes from one pose to another within `dt` has a point that stands.
    fn stands(&self, side: Side, from: &Pose, to: &Pose, ground: f64, dt: f64) -> bool {
        let foot = &self.data.position.world_from_body[self.legs[side as usize].foot.index()];
        self.soles.iter().filter(|s| s.side == side).any(|sole| {
            let point =
                self.data.position.world_from_body[sole.bone.index()].transform_point(sole.point_body);
            let arm = foot.inverse_transform_point(point);
            let (a, b) = (from.at + from.turn * arm, to.at + to.turn * arm);
            b.z - ground < STANDS.0 && a.distance(b) < STANDS.1 * dt
        })
    }

    /// Puts the feet of a pose `dt` seconds ahead of `time`: `motion` is the motion's, `next` the blend's. `stays` says of a foot whether the motion leaves it where it is
    /// for longer than a step takes; it is asked only where a step would be worth it.
    pub(super) fn put(
        &mut self,
        own: &Model,
        (time, dt): (f64, f64),
        ground: f64,
        motion: &[f64],
        next: &mut State,
        blended: bool,
        mut stays: impl FnMut(Bone) -> bool,
    ) {
        if !self.active {
            return;
        }
        self.state.q.copy_from_slice(motion);
        forward_kinematics(own, &self.state, &mut self.data);
        let there = [0, 1].map(|k: usize| Pose::of(&self.data, self.legs[k].foot));
        let stand =
            Side::BOTH.map(|s| self.stands(s, &self.feet[s as usize].motion, &there[s as usize], ground, dt));
        forward_kinematics(own, next, &mut self.data);
        for side in Side::BOTH {
            let k = side as usize;
            let (motion, blend) = (there[k], Pose::of(&self.data, self.legs[k].foot));
            let (low, high) = self.heights(side, &self.feet[k].now, ground);
            let foot = self.feet[k];
            let goes_on = foot.velocity[0].length() > FAST.0 && time - self.begun < FAST.1;
            let is_down = low < DOWN.0 && !goes_on;
            let bears = |other: &Foot| matches!(other.base, Base::Held(_) | Base::Blend);
            let wanted = match foot.base {
                Base::Step(_, since) if time - since < STEP.0 => foot.base,
                Base::Step(..) if blended => Base::Blend,
                Base::Held(place) if stand[k] && time - foot.since > FADES.0 => {
                    let (far, turned) = off_place(&place, &foot.motion);
                    let other = &self.feet[other(side) as usize];
                    if far < IN_PLACE.0 && turned < IN_PLACE.1 {
                        if blended { Base::Blend } else { foot.base }
                    } else if bears(other) && stand[1 - k] && stays(self.legs[k].foot) {
                        Base::Step(place, time)
                    } else {
                        foot.base
                    }
                }
                Base::Held(_) if stand[k] => foot.base,
                // Where the motion has it already, there is nothing to hold.
                Base::Blend if blended && is_small(foot.now.off(&foot.blend)) => Base::Blend,
                _ if stand[k] && is_down => Base::Held(place_of(&foot.motion, &foot.now)),
                Base::Lifting(..) if is_down && high < DOWN.1 => foot.base,
                _ if !stand[k] && is_down && high < DOWN.1 => {
                    Base::Lifting(foot.now.at.truncate(), yaw_of(foot.now.turn))
                }
                _ => Base::Blend,
            };
            let foot = &mut self.feet[k];
            if std::mem::discriminant(&wanted) != std::mem::discriminant(&foot.base) {
                let (was, will) = (
                    pose_on(wanted, &foot.motion, &foot.blend, time),
                    pose_on(wanted, &motion, &blend, time + dt),
                );
                let before = foot.now.off(&was);
                let after = foot.now.later(foot.velocity, dt).off(&will);
                foot.off = before;
                foot.rate = [0, 1].map(|k: usize| (after[k] - before[k]) / dt);
                foot.since = time;
                foot.whole =
                    if wanted == Base::Blend { FADES.1 } else { stopping(foot.off[0], foot.rate[0], dt) };
            }
            foot.base = wanted;
            let left = [0, 1].map(|k: usize| {
                let of =
                    |j: usize| fading(foot.off[k][j], foot.rate[k][j], time + dt - foot.since, foot.whole);
                DVec3::new(of(0), of(1), of(2))
            });
            let goal = pose_on(wanted, &motion, &blend, time + dt).plus(left);
            let turn = (goal.turn * foot.now.turn.conjugate()).normalize();
            foot.velocity = [(goal.at - foot.now.at) / dt, rotation::log(turn) / dt];
            (foot.now, foot.motion, foot.blend) = (goal, motion, blend);
            if left != [DVec3::ZERO; 2] || !matches!(wanted, Base::Blend) {
                put(own, &self.data, next, &self.legs[k], &goal);
            }
        }
        let free = |foot: &Foot| {
            foot.base == Base::Blend
                && (time + dt - foot.since > FADES.1 || foot.now.off(&foot.blend)[0].length() < 1e-4)
        };
        if blended && self.feet.iter().all(free) {
            self.active = false;
        }
    }
}

/// Seconds in which a foot that touches down stops: it goes on by [`SLIDES`] at most, and into the ground by [`SINKS`]. The fading of a rate goes `4/27` of its way at most, and not below
/// nothing if that way is at most three times what it is off. Not into the ground at all was a stop within a step: seven times the accelerations around it.
fn stopping(off: DVec3, rate: DVec3, dt: f64) -> f64 {
    let along = rate.truncate().length();
    let slides = if along > 0.0 { SLIDES / along } else { f64::INFINITY };
    let sinks = if rate.z < 0.0 && off.z > 0.0 { (3.0 * off.z).max(SINKS) / -rate.z } else { f64::INFINITY };
    FADES.0.min(slides).min(sinks).max(dt)
}

/// Whether a foot is as good as in place.
fn is_small(off: [DVec3; 2]) -> bool {
    off[0].length() < IN_PLACE.0 && off[1].length() < IN_PLACE.1
}

/// How far a place of a foot's own is from where the motion has the foot, m and rad.
fn off_place(place: &Place, motion: &Pose) -> (f64, f64) {
    (place.point(motion.at).distance(motion.at), place.yaw.abs())
}

/// Where a foot is that follows a base.
fn pose_on(base: Base, motion: &Pose, blend: &Pose, time: f64) -> Pose {
    match base {
        Base::Blend => *blend,
        Base::Lifting(at, yaw) => {
            let back = DQuat::from_rotation_z(yaw - yaw_of(blend.turn));
            Pose { at: at.extend(blend.at.z), turn: back * blend.turn }
        }
        Base::Held(place) => placed(&place, motion),
        Base::Step(place, since) => {
            let s = ((time - since) / STEP.0).clamp(0.0, 1.0);
            let along = ((s - LIFTED) / (1.0 - 2.0 * LIFTED)).clamp(0.0, 1.0);
            let gone = along * along * (3.0 - 2.0 * along);
            let (from, sine) = (placed(&place, motion), (std::f64::consts::PI * s).sin());
            let at = from.at.lerp(motion.at, gone) + STEP.1 * sine * sine * DVec3::Z;
            Pose { at, turn: from.turn.slerp(motion.turn, gone) }
        }
    }
}

fn placed(place: &Place, motion: &Pose) -> Pose {
    Pose { at: place.point(motion.at), turn: DQuat::from_rotation_z(place.yaw) * motion.turn }
}

/// The place on the ground at which the motion's foot is where a foot is.
fn place_of(motion: &Pose, now: &Pose) -> Place {
    let yaw = yaw_of(now.turn * motion.turn.conjugate());
    let shift = now.at - DQuat::from_rotation_z(yaw) * motion.at;
    Place { yaw, shift: shift.truncate().extend(0.0) }
}

/// How far a rotation turns about the vertical.
fn yaw_of(turn: DQuat) -> f64 {
    let yaw = 2.0 * turn.z.atan2(turn.w);
    yaw.sin().atan2(yaw.cos())
}
