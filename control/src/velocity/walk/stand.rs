//! Standing without pins: joints give what it takes that both feet bear the body where its fall comes back (`bearing`); knees are held straight,
//! the pelvis upright, feet flat.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};

use super::placement::Rhythm;
use super::triangle::reach;
use super::{Balance, Walk};
use crate::bearing::Standing;
use crate::controller::Sense;
use crate::velocity::drive::Goal;
use crate::velocity::pins::{FootPin, Grip};
use crate::velocity::target::Pace;
use crate::walking::{Course, STRIKE, heading_of, hold_child, hold_parent, other, outward};

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
        let (options, tone) = (self.options, self.options.tone);
        let place = |bone| course.own(sense.data.world_from_body(sense.body_of(bone)).translation);
        let ankles = Side::BOTH.map(|side| place(self.biped.leg(side).foot));
        let mut goal = (0.5 * (ankles[0] + ankles[1])).truncate() + DVec2::new(options.pressure, 0.0);
        if options.speed > 0.0 {
            goal.y = ankles[self.stance as usize].y;
        }
        let [heel, ball, edge] = EDGES.map(|share| share * self.legs.foot);
        let down = DVec3::new(0.0, 0.0, self.legs.ankle);
        let standing = Standing {
            feet: ankles.map(|ankle| ankle - down),
            edges: [DVec2::new(heel, -edge), DVec2::new(ball, edge)],
            center_of_mass: course.own(sense.own.center_of_mass()),
            capture_point: course.own(sense.own.capture_point()).truncate(),
            weight: sense.own.mass() * sense.model.gravity().length(),
        };
        self.stray = standing.capture_point - goal;
        let feet = standing.bear(goal);
        // The leg that is further from below its hip is stretched, the other bent as much as it is nearer.
        let hips = Side::BOTH.map(|side| place(self.biped.leg(side).thigh));
        let ways = Side::BOTH.map(|side| {
            let k = side as usize;
            let half = 0.5 * (hips[k] - hips[1 - k]).truncate();
            (ankles[k].truncate() - goal - half).length()
        });
        let length = STRETCH * (self.legs.thigh + self.legs.calf);
        let tall = (length.powi(2) - ways[0].max(ways[1]).powi(2)).max(0.0).sqrt();
        let pace = Pace { left: 0.0, floor: FLOOR };
        let rising = Pace { left: RISING - self.clock, ..pace };
        for side in Side::BOTH {
            let (leg, bearing) = (*self.biped.leg(side), feet[side as usize]);
            // What a joint has to give, in the axes of its child, as a rate: a motor gives its tone times what the rate is off.
            let effort = |bone: Bone, tone: f64| {
                let child = sense.data.world_from_body(sense.body_of(bone)).rotation;
                let torque = course.world() * bearing.torque_at(place(bone));
                child.transpose() * torque / tone
            };
            // Both hips hold the pelvis.
            let upright = hold_parent(sense, leg.thigh, course.world());
            let rates = upright.v + effort(leg.thigh, tone.stance_hip);
            let goal = Goal { rates, ..Goal::at(upright.q.to_array(), pace) };
            self.goals[leg.thigh] = Some(goal.softened(tone.stance_hip));
            // Knees turn about y.
            let [_, knee, _] = reach(&self.legs, ways[side as usize], tall);
            let rates = DVec3::new(effort(leg.shank, tone.knee).y, 0.0, 0.0);
            let goal = Goal { rates, ..Goal::at([knee, 0.0, 0.0, 0.0], rising) };
            self.goals[leg.shank] = Some(goal.softened(tone.knee));
            let flat = hold_child(sense, leg.foot, DQuat::from_rotation_z(heading_of(sense, leg.foot)));
            let goal =
                Goal { rates: effort(leg.foot, tone.stance_ankle), ..Goal::at(flat.q.to_array(), pace) };
            self.goals[leg.foot] = Some(goal.softened(tone.stance_ankle));
            if let Some(toe) = leg.toe {
                self.goals[toe] = Some(Goal::at([0.0; 4], pace).softened(tone.toe));
            }
        }
        if let Some(trunk) = self.biped.trunk {
            self.goals[trunk] = Some(Goal::at([0.0; 4], pace).softened(tone.trunk));
        }
    }
}
