//! What the joints of the walk shall be in every state, and in what time.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};

use super::states::Phase;
use super::triangle::{bend, double_support, folded, reach};
use super::{Balance, Walk};
use crate::controller::Sense;
use crate::velocity::drive::Goal;
use crate::velocity::target::Pace;
use crate::walking::{Course, STRIKE, foot_below, from_parent, heading_of, hold_child, hold_parent, other};

/// Dorsiflexion of a foot that swings, rad: toes clear the ground by a few centimetres.
const TOES_UP: f64 = 0.2;
/// How fast the knee of the leg that stands gives way while the other foot is late, rad/s.
const GIVING: f64 = 1.0;
/// How much more or less a hip is bent for balance at most, rad.
const MORE: f64 = 0.4;
/// How far pelvis and trunk lean into a fall at most, rad: a hip's range leaves the legs theirs.
const SWAY: f64 = 0.4;
/// How far below the ground a foot reaches so that it is sure to strike, m.
const SURE: f64 = 0.02;
/// Knee and ankle of one who stands, rad.
const STILL: [f64; 3] = [0.06, 0.03, 0.0];

/// Where a leg that swings is to be: its thigh in the world, course axes; knee, dorsiflexion of the foot against the level.
struct Swing {
    thigh: DQuat,
    knee: f64,
    toes_up: f64,
}

impl Walk {
    pub(super) fn goal(&mut self, bone: Bone, q: [f64; 4], left: f64, tone: f64) {
        let pace = Pace { left, floor: self.options.floor };
        self.goals[bone] = Some(Goal::at(q, pace).softened(tone));
    }

    /// Knee, ankle and toes of a leg that stands, in the time that is left.
    fn stand_on(&mut self, sense: &Sense<'_>, side: Side, [knee, ankle, toes]: [f64; 3], left: f64) {
        let (leg, tone) = (*self.biped.leg(side), self.options.tone);
        let left = if self.options.balance == Balance::Capture { 0.0 } else { left };
        self.goal(leg.shank, [knee, 0.0, 0.0, 0.0], left, tone.knee);
        // Where pins hold the foot its leg holds the body sideways; where ground does, the foot lies flat whatever the leg does.
        let foot = if self.options.balance == Balance::Capture {
            let [forward, aside] = self.options.ankles;
            let level = foot_below(sense, leg.shank, ankle + self.grade.atan() - forward * self.stray.x);
            hold_child(sense, leg.foot, level * DQuat::from_rotation_x(aside * self.stray.y)).q
        } else {
            DQuat::from_rotation_y(-ankle)
        };
        self.goal(leg.foot, foot.to_array(), left, tone.stance_ankle);
        if let Some(toe) = leg.toe {
            self.goal(toe, [toes, 0.0, 0.0, 0.0], left, tone.toe);
        }
    }

    /// A leg that swings, in the time that is left.
    fn swing(&mut self, sense: &Sense<'_>, course: &Course, side: Side, swing: &Swing, left: f64) {
        let (leg, tone) = (*self.biped.leg(side), self.options.tone);
        let thigh = hold_child(sense, leg.thigh, course.world() * swing.thigh);
        let pace = Pace { left, floor: self.options.floor };
        let goal = Goal { rates: thigh.v, ..Goal::at(thigh.q.to_array(), pace) };
        self.goals[leg.thigh] = Some(goal.softened(tone.swing_hip));
        self.goal(leg.shank, [swing.knee, 0.0, 0.0, 0.0], left, tone.knee);
        // Level as the leg will be.
        let shank = swing.thigh * DQuat::from_rotation_y(swing.knee);
        let foot = shank.conjugate() * DQuat::from_rotation_y(-swing.toes_up - self.grade.atan());
        self.goal(leg.foot, foot.to_array(), left, tone.swing_ankle);
        if let Some(toe) = leg.toe {
            self.goal(toe, [0.0; 4], left, tone.toe);
        }
    }

    /// The leg with its ankle so far ahead of the hip, to the left and below it, m.
    fn leg_to(&self, way: DVec3, toes_up: f64) -> Swing {
        let [hip, knee, _] = reach(&self.legs, way.x, way.y.hypot(way.z));
        let roll = way.y.atan2(-way.z);
        Swing { thigh: DQuat::from_rotation_x(roll) * DQuat::from_rotation_y(-hip), knee, toes_up }
    }

    /// Where the hip of the leg that swings will be `left` seconds from now and the place where its foot is to strike, course axes: the way
    /// from one to the other. A leg that aims from where its hip is would be late by as much.
    fn way_to_strike(&self, sense: &Sense<'_>, course: &Course, left: f64, below: f64) -> DVec3 {
        let side = other(self.stance);
        let thigh = sense.body_of(self.biped.leg(side).thigh);
        let drift = sense.data.body_velocity(thigh).linear * left.max(self.options.floor);
        let hip = sense.data.world_from_body(thigh).translation + drift;
        let stance = match self.options.balance {
            Balance::Capture => self.foothold(sense),
            _ => self.ankle(sense, self.stance),
        };
        let way = course.own(stance - hip);
        let ground = sense.own.ground() + self.grade * self.step[1];
        let down = sense.own.up().dot(hip) - ground - self.legs.ankle + below;
        DVec3::new(way.x + self.step[1], way.y + self.leftward(sense, course, side), -down)
    }

    /// A leg that is lifted: it bends in the plane in which it will reach out `left` seconds from now.
    fn bent_leg(&self, sense: &Sense<'_>, course: &Course, left: f64) -> Swing {
        let [hip, knee] = self.options.lift;
        // One who falls ahead has further to go.
        let hip = hip + (self.options.lift_forward * self.stray.x).clamp(-MORE, MORE);
        let way = self.way_to_strike(sense, course, left, 0.0);
        let thigh = DQuat::from_rotation_x(way.y.atan2(-way.z)) * DQuat::from_rotation_y(-hip);
        Swing { thigh, knee, toes_up: TOES_UP + hip - knee }
    }

    /// Knee, ankle and toes of the leg that stands as the other one `lowers` its foot and strikes, or is `late`, s.
    fn strike_pose(&self, late: f64, lowers: bool) -> [f64; 3] {
        let [pitch, lean] = self.options.strike;
        // Without pins a leg that is not straight bounces: it stays as it is, and its ankle drives it on.
        let [knee, ankle, toe] = if self.options.balance == Balance::Capture {
            [self.options.stance[0], lean, 0.0]
        } else {
            let [_, rear @ ..] = double_support(&self.legs, self.step[1], [pitch, lean], 0.0).rear;
            rear
        };
        // A foot that finds no ground in time: the leg that stands gives way, its calf half as fast.
        let giving = GIVING * late.clamp(0.0, 1.0) + if lowers { self.stepping_down() } else { 0.0 };
        [knee + giving, ankle + 0.5 * giving, toe]
    }

    /// How much more than on level ground the leg that stands is bent as the other foot strikes further down, rad: a hip that stays up there is out of
    /// its foot's reach, which strikes late, and the fall grows all that time.
    fn stepping_down(&self) -> f64 {
        let drop = (-self.grade * self.step[1]).max(0.0);
        let knee = self.options.stance[0];
        let far = folded(&self.legs, knee) - drop;
        if self.options.balance == Balance::Capture && drop > 0.0 {
            bend(&self.legs, far) - knee
        } else {
            0.0
        }
    }

    /// Both feet stand: the front leg takes the weight, the rear one pushes off.
    fn load(&mut self, sense: &Sense<'_>, course: &Course, left: f64) {
        let (rear, front) = (self.stance, other(self.stance));
        let thigh = self.biped.leg(rear).thigh;
        if self.options.balance == Balance::Capture {
            let [pitch, bend] = self.options.toe_off;
            let [knee, ankle] = self.options.stance;
            self.stand_on(sense, rear, [bend, -pitch, 0.0], left);
            self.stand_on(sense, front, [knee, ankle, 0.0], left);
            let hip = hold_child(sense, thigh, course.world());
            self.goal(thigh, hip.q.to_array(), left + self.times().lift, self.options.tone.swing_hip);
        } else {
            let pose = double_support(&self.legs, self.step[1], self.options.toe_off, 0.0);
            let ([hip, rear_leg @ ..], [_, front_leg @ ..]) = (pose.rear, pose.front);
            self.stand_on(sense, rear, rear_leg, left);
            self.stand_on(sense, front, front_leg, left);
            let hip = DQuat::from_rotation_y(-hip) * self.turned_as_it_stands(sense, course, rear);
            self.goal(thigh, from_parent(sense, thigh, hip).to_array(), left, self.options.tone.swing_hip);
        }
    }

    /// The turn from the course to a foot that stands: what the leg above must not take back, as long as the ground holds the foot.
    pub(super) fn turned_as_it_stands(&self, sense: &Sense<'_>, course: &Course, side: Side) -> DQuat {
        DQuat::from_rotation_z(heading_of(sense, self.biped.leg(side).foot) - course.heading)
    }

    pub(super) fn set_goals(&mut self, sense: &Sense<'_>, course: &Course) {
        let times = self.times();
        let time = self.clock;
        let (rear, front) = (self.stance, other(self.stance));
        let holds = match self.phase {
            Phase::Stand if self.options.balance == Balance::Capture => {
                self.stand_free(sense, course);
                return;
            }
            Phase::Stand => {
                self.stand_on(sense, rear, STILL, 0.3 - time);
                self.stand_on(sense, front, STILL, 0.3 - time);
                let thigh = self.biped.leg(front).thigh;
                let straight = from_parent(sense, thigh, self.turned_as_it_stands(sense, course, front));
                self.goal(thigh, straight.to_array(), 0.3 - time, self.options.tone.stance_hip);
                rear
            }
            Phase::Lift => {
                let left = (times.lift - time) / self.hurry;
                let [knee, ankle] = self.options.stance;
                self.stand_on(sense, rear, [knee, ankle, 0.0], left);
                let swing = self.bent_leg(sense, course, left + times.reach / self.hurry);
                self.swing(sense, course, front, &swing, left);
                rear
            }
            Phase::Reach => {
                // First out over the place, then down on to it.
                let left = (times.reach - time) / self.hurry;
                let down = self.options.lowering * times.reach / self.hurry;
                let (below, toes, swing_left) =
                    if left > down { (-self.options.over, TOES_UP, left - down) } else { (SURE, 0.0, left) };
                let [knee, ankle, toe] = self.strike_pose(-left, left <= down);
                self.stand_on(sense, rear, [knee, ankle, toe], left);
                let swing = self.leg_to(self.way_to_strike(sense, course, swing_left, below), toes);
                self.swing(sense, course, front, &swing, swing_left);
                rear
            }
            Phase::Load => {
                self.load(sense, course, times.load - time);
                front
            }
        };
        self.hold_trunk(sense, course, holds);
    }

    /// The pelvis by the hip of a leg that stands, the trunk straight above it. A foot that bears nothing has nothing to hold it by.
    fn hold_trunk(&mut self, sense: &Sense<'_>, course: &Course, holds: Side) {
        let thigh = self.biped.leg(holds).thigh;
        let free = self.options.balance == Balance::Capture && sense.own.load(holds) < STRIKE;
        let DVec2 { x: ahead, y: aside } = self.stray * DVec2::from(self.options.sway);
        let lean = DQuat::from_rotation_y(self.options.lean + ahead.clamp(-SWAY, SWAY))
            * DQuat::from_rotation_x(-aside.clamp(-SWAY, SWAY));
        let upright = hold_parent(sense, thigh, course.world() * lean);
        let pace = Pace { left: 0.0, floor: self.options.floor };
        let goal = Goal { rates: upright.v, ..Goal::at(upright.q.to_array(), pace) };
        self.goals[thigh] = (!free).then(|| goal.softened(self.options.tone.stance_hip));
        if let Some(trunk) = self.biped.trunk {
            self.goal(trunk, [0.0; 4], 0.0, self.options.tone.trunk);
        }
    }
}
