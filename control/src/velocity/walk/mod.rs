//! A walking machine by target states in time (Lligadas, Susín and Ramírez, section 4): no gains, and feet that are pinned where they strike.
//!
//! ```text
//! lift   for a share of the step's time   the leg that stands goes upright, the other one bends
//! reach  until the foot strikes           the legs go where a step of that length ends
//! load   for a share of the step's time   both feet stand; the rear one rolls on to its toes, which are pinned, then lets go
//! ```
//! The hip of the leg that stands holds the pelvis upright and along the course; with its foot pinned it has something to hold it by.
//! Step and speed are commands; a speed of zero closes the step and stands. Balance is the paper's rule (section 4.3):
//!
//! ```text
//! (1)  base = from the heel of the rear foot, b, to the toes of the front foot; if the centre of mass c is not in its middle half:
//!      d = 4/3 (c - b) - 2 L,  L the length of a foot: c is at three quarters of the new base
//! ```

mod kind;
pub mod triangle;

pub use kind::KIND;
pub(crate) use kind::{MUSCLE_KEYS, read_muscles};

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{Actuation, Bodies, Data, Model, State, dynamics::forward_kinematics};

use super::drive::{Drive, Goal, Muscles};
use super::pins::{FootPin, Grip};
use super::target::Pace;
use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::kind::Refusal;
use crate::readings::{Published, Readings, Together};
use crate::walking::{Biped, Course, STRIDE, STRIKE, Strides, hold_parent, other, show};
use triangle::{LegLengths, double_support};

const COMMANDS: &[&str] = &["speed", "step", "heading"];

const PUBLISHED: [Published; 7] = [
    STRIDE[0],
    STRIDE[1],
    STRIDE[2],
    STRIDE[3],
    STRIDE[4],
    Published {
        name: "pull",
        unit: "N",
        help: "Pull of the ground on pinned feet",
        together: Together::Most,
    },
    Published {
        name: "step-error",
        unit: "m",
        help: "How far the last step is from what was asked for",
        together: Together::Most,
    },
];

/// Dorsiflexion of a foot that swings, rad: toes clear the ground by a few centimetres.
const TOES_UP: f64 = 0.2;
/// How far over the ground a foot comes to the place where it is to strike, m.
const OVER: f64 = 0.06;
/// Share of the time to reach out in which it is lowered.
const LOWERING: f64 = 0.4;
/// How fast the knee of the leg that stands gives way while the other foot is late, rad/s.
const GIVING: f64 = 1.0;
/// How far below the ground a foot reaches so that it is sure to strike, m.
const SURE: f64 = 0.02;

/// Share of the time to reach out in which a foot that touches has only brushed the ground.
const SCUFF: f64 = 0.5;
/// How near its place a foot that arrives early must be, m.
const NEAR: f64 = 0.1;

/// What a walk is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkOptions {
    /// Muscles of all joints.
    pub muscles: Muscles,
    /// How feet are held.
    pub grip: Grip,
    /// Length of a step, m.
    pub step: f64,
    /// Speed, m/s; zero stands.
    pub speed: f64,
    /// Shares of a step's time for lift and load.
    pub shares: [f64; 2],
    /// Hip and knee of the leg that swings at the end of lift, rad.
    pub lift: [f64; 2],
    /// Pitch of the rear foot and lean of its calf in a full step, rad: at the strike, and as it lets go.
    pub strike: [f64; 2],
    /// See `strike`.
    pub toe_off: [f64; 2],
    /// Least time a way is spread over, s.
    pub floor: f64,
    /// Whether the balance rule (1) acts.
    pub balance: bool,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            muscles: Muscles::default(),
            grip: Grip::Bilateral,
            step: 0.5,
            speed: 0.8,
            // Swing takes four tenths of a stride, double support a tenth of it on either side (Perry 1992).
            shares: [0.4, 0.2],
            // Mid swing of a normal gait (Perry 1992), a few degrees more: the paths of rates are no arcs, and toes catch.
            lift: [0.5, 1.25],
            // A leg that is nearly straight, its foot flat; then steeper than the paper's 45°, its calf less, so that it pushes off.
            strike: [0.0, 0.36],
            toe_off: [0.8, 0.6],
            floor: 0.04,
            balance: true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Stand,
    Lift,
    Reach,
    Load,
}

/// A walk at work on a character.
#[derive(Clone, Debug)]
pub struct Walk {
    options: WalkOptions,
    biped: Biped,
    legs: LegLengths,
    drive: Drive,
    pins: [FootPin; 2],
    phase: Phase,
    /// The leg that stands; after the strike the front one is the other still.
    stance: Side,
    entered: f64,
    /// Length of the step at hand, as asked for and as balance has it, m.
    step: [f64; 2],
    course: Option<Course>,
    strides: Strides,
    goals: Vec<Option<Goal>>,
    values: [f64; PUBLISHED.len()],
}

impl Walk {
    /// A walk for a character of its own `model` that is `bodies` of the whole one.
    ///
    /// # Errors
    /// A figure without two legs and toes.
    pub fn new(
        own: &Model,
        model: &Model,
        bodies: Bodies,
        physique: &Physique,
        options: WalkOptions,
    ) -> Result<Self, Refusal> {
        let biped = Biped::of(physique)?;
        Ok(Self {
            legs: lengths(own, physique, &biped)?,
            drive: Drive::new(model, bodies, options.muscles),
            pins: Side::BOTH.map(|side| FootPin::new(physique, side, options.grip)),
            phase: Phase::Stand,
            stance: Side::Right,
            entered: 0.0,
            step: [options.step; 2],
            course: None,
            strides: Strides::default(),
            goals: vec![None; bodies.len()],
            values: [0.0; PUBLISHED.len()],
            biped,
            options,
        })
    }

    /// Seconds of a step.
    fn step_time(&self) -> f64 {
        // The foot comes from as far behind as the last step was long.
        let [last, next] = [self.strides.values[1], self.step[0]].map(f64::abs);
        (last.max(next).max(0.2) / self.options.speed.max(0.2)).clamp(0.3, 1.2)
    }

    fn ankle(&self, sense: &Sense<'_>, side: Side) -> DVec3 {
        sense.data.world_from_body(sense.body_of(self.biped.leg(side).foot)).translation
    }

    fn enter_phase(&mut self, phase: Phase, sense: &Sense<'_>) {
        (self.phase, self.entered) = (phase, sense.time());
        let (rear, front) = (self.stance, other(self.stance));
        let [rear_foot, front_foot] = [rear, front].map(|side| self.biped.leg(side).foot);
        match phase {
            Phase::Stand => {
                self.pins[rear as usize].strike(sense, rear_foot);
                self.pins[front as usize].strike(sense, front_foot);
            }
            Phase::Lift => {
                self.step = [if self.options.speed > 0.0 { self.options.step } else { 0.0 }; 2];
                self.pins[front as usize].release();
                self.pins[rear as usize].strike(sense, rear_foot);
            }
            // It stands by now: the length of the step goes by where.
            Phase::Reach => self.strides.settle(rear, self.ankle(sense, rear)),
            // The rear heel may rise: the toes hold on.
            Phase::Load => {
                self.pins[front as usize].strike(sense, front_foot);
                if let Some(toe) = self.biped.leg(rear).toe {
                    self.pins[rear as usize].strike(sense, toe);
                }
            }
        }
    }

    fn go_on(&mut self, sense: &Sense<'_>) {
        let time = sense.time() - self.entered + 0.5 * sense.dt;
        let [lift, load] = self.options.shares.map(|share| share * self.step_time());
        let front = other(self.stance);
        match self.phase {
            Phase::Stand if self.options.speed > 0.0 => self.enter_phase(Phase::Lift, sense),
            Phase::Lift if time >= lift => self.enter_phase(Phase::Reach, sense),
            Phase::Reach if self.has_struck(sense, time, self.step_time() - lift - load) => {
                if let Some(course) = &self.course {
                    let length = self.strides.count(course, front, self.ankle(sense, front), sense.time());
                    self.values[6] = (length - self.step[0]).abs();
                    self.step[1] = length;
                }
                self.enter_phase(Phase::Load, sense);
            }
            Phase::Load if time >= load => {
                let closed = self.step[0] == 0.0 && self.options.speed <= 0.0;
                self.stance = front;
                self.enter_phase(if closed { Phase::Stand } else { Phase::Lift }, sense);
            }
            _ => {}
        }
    }

    /// Whether the foot that reaches out stands, after `time` of `whole`; what it brushes on its way is no ground to stand on.
    fn has_struck(&self, sense: &Sense<'_>, time: f64, whole: f64) -> bool {
        let (Some(course), front) = (&self.course, other(self.stance)) else { return false };
        let way = course.own(self.ankle(sense, front) - self.ankle(sense, self.stance)).x;
        let arrives = time > SCUFF * whole && (way - self.step[1]).abs() < NEAR;
        sense.own.load(front) > STRIKE && (arrives || time > whole)
    }

    /// (1), while the foot is in the air.
    fn keep_balance(&mut self, sense: &Sense<'_>, course: &Course) {
        if !self.options.balance || self.phase != Phase::Reach && self.phase != Phase::Lift {
            return;
        }
        let forward = |p: DVec3| course.own(p).x;
        let foot = self.legs.foot;
        let stance =
            forward(self.strides.place(self.stance).unwrap_or_else(|| self.ankle(sense, self.stance)));
        let heel = stance - 0.4 * foot;
        // The base as the step that is asked for would have it.
        let base = self.step[0] + 2.0 * foot;
        let com = forward(sense.own.center_of_mass()) - heel;
        let share = com / base;
        if !(0.25..=0.75).contains(&share) && share > 0.0 {
            let longer = 4.0 / 3.0 * com - 2.0 * foot;
            self.step[1] = longer.clamp(-0.3, 0.7).max(self.step[0]);
        }
    }

    fn goal(&mut self, bone: Bone, q: [f64; 4], left: f64) {
        self.goals[bone] = Some(Goal::at(q, Pace { left, floor: self.options.floor }));
    }

    /// Hip, knee, ankle and toes of a leg in the time that is left; the hip where it is not to hold the pelvis.
    fn leg(&mut self, side: Side, [hip, knee, ankle, toes]: [f64; 4], hips: bool, left: f64) {
        let leg = *self.biped.leg(side);
        if hips {
            self.goal(leg.thigh, DQuat::from_rotation_y(-hip).to_array(), left);
        }
        self.goal(leg.shank, [knee, 0.0, 0.0, 0.0], left);
        self.goal(leg.foot, DQuat::from_rotation_y(-ankle).to_array(), left);
        if let Some(toe) = leg.toe {
            self.goal(toe, [toes, 0.0, 0.0, 0.0], left);
        }
    }

    fn walk(&mut self, sense: &Sense<'_>, course: &Course) {
        let time = sense.time() - self.entered;
        let total = self.step_time();
        let [lift, load] = self.options.shares.map(|share| share * total);
        let (rear, front) = (self.stance, other(self.stance));
        let still = [0.0, 0.06, 0.03, 0.0];
        let holds = match self.phase {
            Phase::Stand => {
                self.leg(rear, still, false, 0.3 - time);
                self.leg(front, still, true, 0.3 - time);
                rear
            }
            Phase::Lift => {
                let [hip, knee] = self.options.lift;
                self.leg(rear, [0.0, 0.12, 0.08, 0.0], false, lift - time);
                self.leg(front, [hip, knee, TOES_UP, 0.0], true, lift - time);
                rear
            }
            Phase::Reach => {
                // First out over the place, then down on to it.
                let reach = total - lift - load;
                let left = reach - time;
                let down = LOWERING * reach;
                let (below, toes, left) =
                    if left > down { (-OVER, TOES_UP, left - down) } else { (SURE, 0.0, left) };
                let mut pose = double_support(&self.legs, self.step[1], self.options.strike, 0.0);
                // A foot that finds no ground in time: the leg that stands gives way, its calf half as fast.
                let late = (time - reach).clamp(0.0, 1.0);
                pose.rear[1] += GIVING * late;
                pose.rear[2] += 0.5 * GIVING * late;
                self.leg(rear, pose.rear, false, reach - time);
                // The foot goes to its place on the ground, wherever the hips have got to.
                // Where they will be by then: a leg that aims from where they are is late by as much.
                let thigh = sense.body_of(self.biped.leg(front).thigh);
                let drift = sense.data.body_velocity(thigh).linear * left.max(self.options.floor);
                let hip = sense.data.world_from_body(thigh).translation + drift;
                let way = course.own(self.ankle(sense, rear) - hip);
                let down = sense.own.up().dot(hip) - sense.own.ground() - self.legs.ankle + below;
                let [hip, knee, ankle] = triangle::reach(&self.legs, way.x + self.step[1], down);
                self.leg(front, [hip, knee, ankle + toes, 0.0], true, left);
                rear
            }
            Phase::Load => {
                let pose = double_support(&self.legs, self.step[1], self.options.toe_off, 0.0);
                self.leg(rear, pose.rear, true, load - time);
                self.leg(front, pose.front, false, load - time);
                front
            }
        };
        let thigh = self.biped.leg(holds).thigh;
        let upright = hold_parent(sense, thigh, course.world());
        let pace = Pace { left: 0.0, floor: self.options.floor };
        self.goals[thigh] = Some(Goal { rates: upright.v, ..Goal::at(upright.q.to_array(), pace) });
        if let Some(trunk) = self.biped.trunk {
            self.goal(trunk, [0.0; 4], 0.0);
        }
    }
}

/// Lengths of the legs as the figure stands.
fn lengths(own: &Model, physique: &Physique, biped: &Biped) -> Result<LegLengths, Refusal> {
    let mut data = Data::new(own);
    forward_kinematics(own, &State::new(own), &mut data);
    let place = |bone: Bone| data.position.world_from_body[bone.index()].translation;
    let leg = biped.leg(Side::Left);
    let [thigh, shank, foot] = [leg.thigh, leg.shank, leg.foot].map(place);
    let toe = leg
        .toe
        .map(place)
        .ok_or_else(|| Refusal::new("figure", "has no toes, expected a figure with toes"))?;
    let soles = physique.soles().iter();
    let low = soles.map(|s| data.position.world_from_body[s.bone.index()].transform_point(s.point_body).z);
    let ground = low.fold(f64::INFINITY, f64::min);
    Ok(LegLengths {
        thigh: thigh.distance(shank),
        calf: shank.distance(foot),
        ankle: foot.z - ground,
        ball: toe.z - ground,
        foot: toe.x - foot.x,
    })
}

impl Controller for Walk {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        self.course = Some(Course::of(sense));
        for side in Side::BOTH {
            self.strides.stand(side, self.ankle(sense, side), sense.time());
        }
        self.enter_phase(Phase::Stand, sense);
    }

    fn leave(&mut self) {
        self.pins.iter_mut().for_each(FootPin::release);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if self.course.is_none() {
            self.enter(sense);
        }
        self.go_on(sense);
        let Some(mut course) = self.course else { return };
        course.follow(sense.dt);
        self.course = Some(course);
        self.keep_balance(sense, &course);
        self.walk(sense, &course);
        let goals = &self.goals;
        self.drive.act(sense, |bone| goals[bone], out);
        self.pins.iter_mut().for_each(|pin| pin.act(sense, out));
        let pull = self.pins.iter().map(|pin| -pin.wrench(sense).linear.z).fold(0.0, f64::max);
        self.values[..STRIDE.len()].copy_from_slice(&self.strides.values);
        self.values[5] = pull;
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `speed`: m/s, zero stops. `step`: length of the steps from the next on, m. `heading`: degrees left of +x.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match (name, &mut self.course) {
            ("speed", _) => self.options.speed = value.max(0.0),
            ("step", _) => self.options.step = value.clamp(0.0, 0.75),
            ("heading", Some(course)) => course.wanted = value.to_radians(),
            ("heading", None) => {}
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let told = self.goals.iter().enumerate();
        show(sense, told.filter_map(|(k, goal)| Some((Bone::new(k), goal.as_ref()?.q))), q);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
