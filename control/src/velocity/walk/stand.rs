//! Standing without pins: legs reach from where the feet are to hips over the middle, and what `ξ` is off is answered by ankles, sideways by hips, too.
//!
//! ```text
//! (1)  τ = m g p + c m g (ξ - goal),  c = 3         p: how far ahead of the ankles the goal is
//! ```
//! A body that stands on its feet is a pendulum that topples with `m g` per metre; with `c` times that, fed back from `ξ = c + ċ/ω₀`, it comes
//! back at `ω₀ √(c - 1)` with the damping `c / (2 √(c - 1))`, about one at `c = 3`. Feet that lie on the ground give no more than their length
//! allows; what is beyond it is a step ([`super::placement`]).

use stuntlab_mocap::Side;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};

use super::placement::Rhythm;
use super::triangle::reach;
use super::{Balance, Walk};
use crate::controller::Sense;
use crate::velocity::drive::Goal;
use crate::velocity::pins::{FootPin, Grip};
use crate::velocity::target::Pace;
use crate::walking::{Course, STRIKE, foot_below, from_parent, hold_child, hold_parent, other, outward};

/// `c` of (1).
const TOPPLING: f64 = 3.0;
/// Share of its length to which a leg that stands is stretched: knees that are locked do not give.
const STRETCH: f64 = 0.995;
/// Time a way is spread over in standing, s: what with the tone of a joint is its stiffness.
const FLOOR: f64 = 0.1;
/// How far from the ankle a foot can bear, as shares of its length from ankle to toes: to the heel, to the toes, to either side.
const EDGES: [f64; 3] = [-0.3, 1.0, 0.3];
/// Time in which one who stops stretches its knees, s: at once, it would jump.
const RISING: f64 = 0.5;
/// How far `ξ` is beyond the edge of the feet when a step is needed, m: soles are no sharper than that.
const BEYOND: f64 = 0.01;
/// How far within it must be so that no more is needed, m.
const WITHIN: f64 = 0.02;
/// Way between feet along the course with which it may stay, m: with more, hips cannot hold it sideways.
const CLOSED: f64 = 0.2;
/// How long feet that have just struck take to bear, s.
const SETTLING: f64 = 0.1;
/// Feet that are less apart along the way are level, m.
const LEVEL: f64 = 0.03;
/// How long the weight takes to be over one foot before the other lifts, at most, s.
const SHIFTING: f64 = 1.0;
/// Cosine of the tilt, and share of the legs' length, beyond which nobody walks on.
const FALLEN: [f64; 2] = [0.5, 0.5];

impl Walk {
    /// Whether it lies, or will whatever it does: then muscles let go.
    pub(super) fn has_fallen(&self, sense: &Sense<'_>) -> bool {
        let [tilt, height] = FALLEN;
        let length = self.legs.thigh + self.legs.calf;
        self.options.balance == Balance::Capture
            && (sense.own.trunk_up().dot(sense.own.up()) < tilt
                || sense.own.pelvis_height() < height * length)
    }

    /// Distance of `ξ` from the edge of the feet that bear, m, positive inside. Whole feet count: one that has just struck bears at a corner only,
    /// and will lie flat in a moment.
    fn margin(&mut self, sense: &Sense<'_>) -> Option<f64> {
        let physique = sense.own.physique();
        let bears = |bone| physique.foot(bone).is_some_and(|side| sense.own.load(side) > STRIKE);
        let soles = physique.soles().iter().filter(|sole| bears(sole.bone));
        let place = |bone, point| sense.data.world_from_body(sense.body_of(bone)).transform_point(point);
        self.base.set(soles.map(|sole| place(sole.bone, sole.point_body).truncate()));
        self.base.margin(sense.own.capture_point().truncate())
    }

    /// Whether it may stay where it is.
    pub(super) fn can_stand(&mut self, sense: &Sense<'_>) -> bool {
        let closed = self.strides.values[1].abs() < CLOSED;
        self.options.balance != Balance::Capture || closed && self.margin(sense).is_some_and(|m| m > WITHIN)
    }

    /// The foot with which one who stands begins to walk, or steps because it has to.
    pub(super) fn first_foot(&mut self, sense: &Sense<'_>) -> Option<Side> {
        let (course, walks) = (self.course?, self.options.speed > 0.0);
        let usual = other(self.stance);
        if self.options.balance != Balance::Capture {
            let stands = self.options.grip == Grip::None || self.pins.iter().all(FootPin::is_held);
            return (walks && stands).then_some(usual);
        }
        let ankle = self.ankle(sense, self.stance);
        let way = |point: DVec3| course.own(point - ankle) * DVec3::new(1.0, outward(usual), 1.0);
        let [xi, swing] = [sense.own.capture_point(), self.ankle(sense, usual)].map(way);
        let settled = walks || self.clock > SETTLING;
        if settled && self.margin(sense).is_some_and(|margin| margin < -BEYOND) {
            // To the side only the foot on that side helps; along the way the one that is behind, whichever way it falls.
            let behind = (xi.x - 0.5 * swing.x) * swing.x > 0.0 && swing.x.abs() > LEVEL;
            return Some(match [xi.y < 0.0, xi.y > swing.y] {
                [true, _] => self.stance,
                [_, true] => usual,
                _ if behind => self.stance,
                _ => usual,
            });
        }
        // The weight is over the other foot as in a walk.
        let rhythm = Rhythm { rate: sense.own.pendulum_rate(), time: self.beat, step: 0.0, width: swing.y };
        (walks && (xi.y < rhythm.offset().y || self.clock > SHIFTING)).then_some(usual)
    }

    /// Goals of one who stands, or shifts its weight before the first step.
    pub(super) fn stand_free(&mut self, sense: &Sense<'_>, course: &Course) {
        let (options, length) = (self.options, self.legs.thigh + self.legs.calf);
        let place = |bone| course.own(sense.data.world_from_body(sense.body_of(bone)).translation);
        let ankles = Side::BOTH.map(|side| place(self.biped.leg(side).foot));
        let hips = Side::BOTH.map(|side| place(self.biped.leg(side).thigh));
        let mut middle = (0.5 * (ankles[0] + ankles[1])).truncate() + DVec2::new(options.pressure, 0.0);
        if options.speed > 0.0 {
            middle.y = ankles[self.stance as usize].y;
        }
        self.stray = course.own(sense.own.capture_point()).truncate() - middle;
        // (1) by two ankles and two hips, whose stiffness is their tone over the time of a way.
        let weight = sense.own.mass() * sense.model.gravity().length();
        let angle = |lever: f64, tone: f64| 0.5 * weight * lever * FLOOR / tone;
        // Feet that are pressed harder than that tip, and lift the body on to its toes.
        let [heel, ball, edge] = EDGES.map(|share| share * self.legs.foot);
        let ahead = (options.pressure + TOPPLING * self.stray.x).clamp(heel, ball);
        let aside = (TOPPLING * self.stray.y).clamp(-edge, edge);
        let ways = Side::BOTH.map(|side| {
            let k = side as usize;
            let half = 0.5 * (hips[k] - hips[1 - k]).truncate();
            ankles[k].truncate() - middle - half
        });
        let far = ways.iter().map(|way| way.length_squared()).fold(0.0, f64::max);
        let down = ((STRETCH * length).powi(2) - far).max(0.0).sqrt();
        let pace = Pace { left: 0.0, floor: FLOOR };
        let rising = Pace { left: RISING - self.clock, ..pace };
        let still = |q: [f64; 4], tone: f64| Some(Goal::at(q, pace).softened(tone));
        for side in Side::BOTH {
            let (leg, way) = (*self.biped.leg(side), ways[side as usize]);
            let [hip, knee, ankle] = reach(&self.legs, way.x, way.y.hypot(down));
            let roll = way.y.atan2(down) + angle(2.0 * TOPPLING * self.stray.y, options.tone.stance_hip);
            let thigh = DQuat::from_rotation_x(roll)
                * DQuat::from_rotation_y(-hip)
                * self.turned_as_it_stands(sense, course, side);
            // Half of the hip's effort holds the legs, half the pelvis, whatever the legs do.
            let upright = hold_parent(sense, leg.thigh, course.world());
            let both = from_parent(sense, leg.thigh, thigh).slerp(upright.q, 0.5).to_array();
            let goal = Goal { rates: 0.5 * upright.v, ..Goal::at(both, pace) };
            self.goals[leg.thigh] = Some(goal.softened(options.tone.stance_hip));
            self.goals[leg.shank] = Some(Goal::at([knee, 0.0, 0.0, 0.0], rising).softened(options.tone.knee));
            let foot = foot_below(sense, leg.shank, ankle - angle(ahead, options.tone.stance_ankle))
                * DQuat::from_rotation_x(-angle(aside, options.tone.stance_ankle));
            let foot = hold_child(sense, leg.foot, foot).q.to_array();
            self.goals[leg.foot] = still(foot, options.tone.stance_ankle);
            if let Some(toe) = leg.toe {
                self.goals[toe] = still([0.0; 4], options.tone.toe);
            }
        }
        if let Some(trunk) = self.biped.trunk {
            self.goals[trunk] = still([0.0; 4], options.tone.trunk);
        }
    }
}
