//! Adaptive dynamics with hybrid response (Nguyen, Arista, Liu and Zordan 2011): a character that follows its motion exactly until
//! something touches it. Then only the joints that matter become dynamic, the whole body answers as one rigid body, and it steps if it
//! must.
//!
//! ```text
//! disturbance ──▶ articulation   joints become dynamic where C/(A+B) > ε           local
//!      │             ▲
//!      ▼             │ q̃
//!    whole ──▶ stepping ──▶ posture   the motion, shifted, tilted, with other footholds        global
//! ```
//! | module | what |
//! |---|---|
//! | [`disturbance`] | what acts on it, and what is about to |
//! | [`effort`] | A and B: what the motion's joints bear by themselves |
//! | [`articulation`] | which joints are simulated, and how they come and go |
//! | [`whole`] | the body as one rigid body |
//! | [`stepping`] | footholds |
//! | [`posture`] | the pose that has all this |
//!
//! Undisturbed it costs a look at the contacts and is the motion to the bit. The root and the leg that stands are always played back,
//! so it cannot fall, which is what games ask for; where no step would do it gives up, into a rag doll or world-space tracking.

pub mod articulation;
pub mod disturbance;
pub mod effort;
mod kind;
pub mod posture;
pub mod stepping;
pub mod whole;

pub use kind::KIND;

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::{DVec2, DVec3};
use stuntlab_physics::spatial::Sym3;
use stuntlab_physics::{Actuation, Data, Model, State};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::dynamo::{Dynamo, DynamoOptions};
use crate::gains::carried_inertia;
use crate::kind::Refusal;
use crate::readings::{Published, Readings, Together};
use crate::reference::Reference;
use crate::senses::Hull;
use crate::walking::other;
use articulation::{Allowed, Articulation, Mode};
use disturbance::Disturbance;
use effort::Efforts;
use posture::{Change, Posture};
use stepping::{AFTER, Look, Stepping, Verdict};
use whole::{Load, Whole, WholeOptions};

/// What becomes of a body that no step can save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUp {
    /// It leans as far as it may and stays up.
    Never,
    /// A rag doll.
    Ragdoll,
    /// World-space tracking of the same motion, with its weak balance.
    Dynamo,
}

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// ε: ratio of torques from which a joint is simulated.
    pub threshold: f64,
    /// Whether joints become dynamic at all.
    pub local: bool,
    /// Whether everything that may does so at the first touch.
    pub everything: bool,
    /// Joints that may be dynamic at once.
    pub most: usize,
    /// Names of bones that never are, without the character's own.
    pub keep: Vec<String>,
    /// Frequency of the tracker, rad/s, and its damping ratio.
    pub frequency: f64,
    /// See `frequency`.
    pub damping_ratio: f64,
    /// Whether the whole body answers.
    pub global: bool,
    /// How.
    pub whole: WholeOptions,
    /// Whether it steps.
    pub steps: bool,
    /// How.
    pub stepping: stepping::StepOptions,
    /// What then.
    pub give_up: GiveUp,
}

impl Default for AdaptiveOptions {
    fn default() -> Self {
        Self {
            threshold: 0.25, // as published
            local: true,
            everything: false,
            most: usize::MAX,
            keep: Vec::new(),
            // Between what sways visibly and what is back within half a second.
            frequency: 16.0,
            damping_ratio: 0.8,
            global: true,
            whole: WholeOptions::default(),
            steps: true,
            stepping: stepping::StepOptions::default(),
            give_up: GiveUp::Ragdoll,
        }
    }
}

const PUBLISHED: [Published; 7] = [
    Published {
        name: "active-joints",
        unit: "of 1",
        help: "Share of its joints that are simulated",
        together: Together::Most,
    },
    Published {
        name: "ratio",
        unit: "of 1",
        help: "Largest C/(A+B) of its joints",
        together: Together::Most,
    },
    Published {
        name: "shift",
        unit: "m",
        help: "How far the whole body is off its feet's middle",
        together: Together::Most,
    },
    Published {
        name: "tilt",
        unit: "°",
        help: "How far the whole body leans off its motion",
        together: Together::Most,
    },
    Published { name: "reactive-steps", unit: "", help: "Steps it took of its own", together: Together::Sum },
    Published {
        name: "displaced",
        unit: "m",
        help: "How far its feet are off the motion's place",
        together: Together::Most,
    },
    Published {
        name: "response",
        unit: "",
        help: "0: it plays back, 1: it answers, 2: it has given up",
        together: Together::Most,
    },
];

/// Speed of the motion's ankle above which its foot is in the air, m/s: a foot that rolls over its toes is slower.
const AIRBORNE_SPEED: f64 = 0.4;
/// How much nearer to the centre of mass the other foot must be to become the one that stands, m.
const FIRM: f64 = 0.03;

/// What is known of the motion itself around now.
#[derive(Clone, Copy, Debug, Default)]
struct Motion {
    com: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    ankles: [DVec3; 2],
    airborne: [bool; 2],
}

/// A character that answers what disturbs it.
#[derive(Clone)]
pub struct Adaptive {
    options: AdaptiveOptions,
    own: Arc<Model>,
    reference: Box<dyn Reference>,
    posture: Posture,
    disturbance: Disturbance,
    articulation: Articulation,
    efforts: Efforts,
    whole: Whole,
    stepping: Stepping,
    support: Side,
    /// Bones that never become dynamic, by choice.
    kept: Vec<bool>,
    allowed: Allowed,
    carried: Vec<f64>,
    hull: Hull,
    data: Data,
    /// q̃ as of now, and as of the end of the step.
    before: State,
    next: State,
    actual: State,
    /// One number per freedom.
    off: Vec<f64>,
    rates: Vec<f64>,
    ways: Vec<f64>,
    /// One per bone.
    torques: Vec<f64>,
    entered: bool,
    given_up: bool,
    fallback: Option<Box<Dynamo>>,
    values: [f64; PUBLISHED.len()],
}

impl Adaptive {
    /// Follows `reference` on a character with its own model.
    ///
    /// # Errors
    /// A figure without two legs, or without a bone that is to be kept.
    pub fn new(
        own: Arc<Model>,
        physique: &Physique,
        reference: Box<dyn Reference>,
        options: AdaptiveOptions,
    ) -> Result<Self, Refusal> {
        let n = own.n_bodies();
        let mut kept = vec![false; n];
        for name in &options.keep {
            let is_it = |k: &usize| own.bodies()[*k].name().rsplit('/').next() == Some(name);
            let known = || {
                let names = own.bodies().iter().map(|b| b.name().rsplit('/').next().unwrap_or_default());
                names.collect::<Vec<_>>().join(", ")
            };
            let bone = (0..n).find(is_it).ok_or_else(|| {
                Refusal::new("controller.keep", format!("has \"{name}\", expected some of: {}", known()))
            })?;
            kept[bone] = true;
        }
        let state = State::new(&own);
        let freedoms = vec![0.0; own.n_v()];
        Ok(Self {
            posture: Posture::new(&own, physique)?,
            disturbance: Disturbance::new(n),
            articulation: Articulation::new(physique),
            efforts: Efforts::new(&own),
            whole: Whole::default(),
            stepping: Stepping::new(options.stepping),
            support: Side::Left,
            allowed: Allowed { bones: vec![false; n], most: options.most },
            kept,
            carried: carried_inertia(&own, own.body_ids()),
            hull: Hull::with_capacity(physique.soles().len()),
            data: Data::new(&own),
            before: state.clone(),
            next: state.clone(),
            actual: state,
            off: freedoms.clone(),
            rates: freedoms.clone(),
            ways: freedoms,
            torques: vec![0.0; n],
            entered: false,
            given_up: false,
            fallback: None,
            values: [0.0; PUBLISHED.len()],
            own,
            reference,
            options,
        })
    }

    /// C/(A+B) of every joint by bone, as of the last disturbance.
    pub fn ratios(&self) -> &[f64] {
        self.articulation.ratios()
    }

    /// How every joint moves, by bone.
    pub fn modes(&self) -> &[Mode] {
        self.articulation.modes()
    }

    /// How the whole body is off its motion.
    pub fn whole(&self) -> &Whole {
        &self.whole
    }

    fn is_at_rest(&self) -> bool {
        self.articulation.is_at_rest() && self.whole.is_at_rest() && self.stepping.is_at_rest()
    }

    /// Writes the motion at `time`, moved to where its feet have got to.
    fn write(&mut self, time: f64) {
        let root = &self.own.bodies()[0];
        self.reference.write(time, &mut self.next.q);
        let home = self.stepping.home();
        if home != DVec3::ZERO && self.stepping.is_at_rest() {
            let way = root.joint().parent_from_joint.rotation.transpose() * home;
            let place = &mut self.next.q[root.coordinates()];
            place.iter_mut().zip(way.to_array()).for_each(|(q, way)| *q += way);
        }
    }

    /// Looks at the motion a step before, at and after `time`.
    fn look_at_motion(&mut self, time: f64, dt: f64) -> Motion {
        let mut coms = [DVec3::ZERO; 3];
        let mut ankles = [[DVec3::ZERO; 2]; 3];
        for (k, t) in [time - dt, time, time + dt].into_iter().enumerate() {
            self.reference.write(t, &mut self.next.q);
            forward_kinematics(&self.own, &self.next, &mut self.data);
            coms[k] = center_of_mass(&self.own, &self.data).position;
            ankles[k] = Side::BOTH.map(|side| {
                self.data.position.world_from_body[self.posture.leg(side).foot.index()].translation
            });
        }
        let speed = |k: usize| (ankles[2][k] - ankles[0][k]).length() / (2.0 * dt);
        Motion {
            com: coms[1],
            velocity: (coms[2] - coms[0]) / (2.0 * dt),
            acceleration: (coms[2] - 2.0 * coms[1] + coms[0]) / (dt * dt),
            ankles: ankles[1],
            airborne: [0, 1].map(|k| speed(k) > AIRBORNE_SPEED),
        }
    }

    /// The leg that stands: that of the foot which is nearest to the centre of mass (section 5).
    fn choose_support(&mut self, motion: &Motion, sense: &Sense<'_>) {
        let feet = self.stepping.offsets(DVec3::ZERO);
        let center = sense.own.center_of_mass().truncate();
        let far = |side: Side| {
            let k = side as usize;
            let air = if motion.airborne[k] { 10.0 } else { 0.0 };
            (motion.ankles[k] + feet[k]).truncate().distance(center) + air
        };
        if let Some(side) = self.stepping.standing() {
            self.support = side;
        } else if far(other(self.support)) + FIRM < far(self.support) {
            self.support = other(self.support);
        }
    }

    /// What may be dynamic: all but the root, the leg that stands, and what was asked to be kept.
    fn allow(&mut self) {
        self.allowed.bones.iter_mut().zip(&self.kept).for_each(|(allowed, kept)| *allowed = !kept);
        self.allowed.bones[0] = false;
        let leg = *self.posture.leg(self.support);
        for bone in [Some(leg.thigh), Some(leg.shank), Some(leg.foot), leg.toe].into_iter().flatten() {
            self.allowed.bones[bone] = false;
        }
    }

    /// The local answer: which joints are dynamic.
    fn articulate(&mut self, sense: &Sense<'_>, disturbed: bool) {
        let foot = self.posture.leg(self.support).foot;
        let time = sense.time();
        self.efforts.estimate(&self.own, self.reference.as_mut(), time, foot, &mut self.data);
        self.disturbance.torques(&self.own, sense, foot, &mut self.torques);
        self.articulation.compare(&self.torques, &self.efforts.inertial, &self.efforts.gravity);
        if !self.options.local || !disturbed {
            return;
        }
        if self.options.everything {
            self.articulation.grow_all(time, &self.allowed);
        } else {
            let disturbance = &self.disturbance;
            let struck = |bone| disturbance.is_struck(bone);
            self.articulation.grow(&self.own, time, self.options.threshold, &self.allowed, struck);
        }
    }

    /// The soles that bear, seen from above, from where they are.
    fn stand_on(&mut self, motion: &Motion, sense: &Sense<'_>) {
        let swings = self.stepping.standing().map(other);
        let bears = |side: Side| !motion.airborne[side as usize] && swings != Some(side);
        let soles = sense.own.physique().soles().iter().filter(|s| bears(s.side));
        self.hull.set(soles.map(|s| {
            let pose = sense.data.world_from_body(sense.body_of(s.bone));
            pose.transform_point(s.point_body).truncate()
        }));
    }

    /// The global answer: where the whole body goes and whether it steps. Returns whether it is lost.
    fn respond(&mut self, motion: &Motion, sense: &Sense<'_>) -> bool {
        self.stand_on(motion, sense);
        let (center, up) = (sense.own.center_of_mass(), sense.own.up());
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (k, f) in self.disturbance.forces().iter().enumerate() {
            let origin = sense.data.world_from_body(sense.body_of(Bone::new(k))).translation;
            force += f.linear;
            moment += f.angular + (origin - center).cross(f.linear);
        }
        let disturbed = self.disturbance.quiet_for() == 0.0 && force != DVec3::ZERO;
        let level = |v: DVec3| v - up * up.dot(v);
        let reach = |hull: &Hull, towards: DVec3| reach(hull, center.truncate(), towards.truncate());
        let mut load = Load {
            force,
            moment,
            acceleration: motion.acceleration,
            reach: 0.0,
            height: sense.own.height(),
            home: self.stepping.home(),
            mass: sense.own.mass(),
            inertia: composite_inertia(sense),
            gravity: sense.model.gravity(),
            dt: sense.dt,
        };
        load.reach = reach(&self.hull, -level(self.whole.balance(&self.options.whole, &load)));
        self.whole.step(&self.options.whole, &load, disturbed, sense.time());
        if !self.options.steps {
            return false;
        }
        let rate = sense.own.pendulum_rate();
        let capture = level(self.whole.shift - load.home + self.whole.velocity / rate.max(1e-3));
        let own = motion.com + load.home + motion.velocity / rate.max(1e-3);
        let margin = |p: DVec3| self.hull.margin(p.truncate()).unwrap_or(0.0);
        let feet = self.stepping.offsets(DVec3::ZERO);
        let left = sense.data.world_from_body(sense.root()).rotation.y_axis;
        let verdict = self.stepping.step(&Look {
            time: sense.time(),
            dt: sense.dt,
            capture,
            margins: [margin(own + capture), margin(own)],
            reach: reach(&self.hull, capture),
            rate,
            ankles: [0, 1].map(|k| motion.ankles[k] + feet[k]),
            airborne: motion.airborne,
            left: level(left).normalize_or(DVec3::Y),
            support: self.support,
            up,
            disturbed: self.disturbance.quiet_for() < AFTER,
        });
        match verdict {
            Verdict::Stay => false,
            Verdict::Step(home) => {
                self.whole.go_home(home, sense.time() + sense.dt, self.options.stepping.seconds + AFTER);
                false
            }
            Verdict::GiveUp => self.options.give_up != GiveUp::Never,
        }
    }

    /// Prescribes what is played back and drives the rest to q̃.
    fn write_joints(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let (own, h) = (&self.own, sense.dt);
        let tree = sense.tree();
        self.before.difference(own, &self.next, &mut self.rates);
        // Servos go after the pose itself.
        let (w, z) = (self.options.frequency, self.options.damping_ratio);
        for (k, body) in own.bodies().iter().enumerate() {
            if !matches!(self.articulation.modes()[k], Mode::Dynamic { .. }) {
                continue;
            }
            let id = sense.body_of(Bone::new(k));
            let whole = sense.model.body(id);
            for (to, from) in whole.freedoms().iter().zip(body.freedoms()) {
                out.servo.stiffness[to] = self.carried[k] * w * w;
                out.servo.damping[to] = 2.0 * z * w * self.carried[k];
                out.servo.target_v[to] = self.rates[from] / h;
            }
            out.servo.target_q[whole.coordinates()].copy_from_slice(&self.next.q[body.coordinates()]);
        }
        // What is played back lands on it, or on what is left of a way back.
        self.articulation.offsets(own, sense.time() + h, &mut self.off);
        self.before.q.copy_from_slice(&self.next.q);
        self.next.integrate(own, &self.off, 1.0);
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.actual.difference(own, &self.next, &mut self.ways);
        for (k, mode) in self.articulation.modes().iter().enumerate() {
            let body = sense.body_of(Bone::new(k));
            let played = !matches!(mode, Mode::Dynamic { .. });
            out.prescribed[body] = played;
            if played {
                let to = sense.model.body(body).freedoms();
                for (to, from) in to.iter().zip(own.bodies()[k].freedoms()) {
                    out.prescribed_velocity[to] = self.ways[from] / h;
                }
            }
        }
    }

    /// How far the body is off q̃ now, and how fast it goes against it.
    fn compare_with_target(&mut self, sense: &Sense<'_>) {
        let tree = sense.tree();
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.before.difference(&self.own, &self.actual, &mut self.off);
        self.before.difference(&self.own, &self.next, &mut self.rates);
        for (rate, v) in self.rates.iter_mut().zip(&sense.state.v[tree.freedoms]) {
            *rate = v - *rate / sense.dt;
        }
    }

    fn publish(&mut self, answering: bool) {
        let joints = (self.articulation.modes().len() - 1).max(1);
        let home = self.stepping.home();
        self.values = [
            self.articulation.active() as f64 / joints as f64,
            self.articulation.ratios().iter().copied().fold(0.0, f64::max),
            (self.whole.posture().0 - home).length(),
            self.whole.posture().1.length().to_degrees(),
            f64::from(self.stepping.steps()),
            home.length(),
            f64::from(u8::from(answering)),
        ];
    }

    /// Hands the body over to forces.
    fn fall(&mut self, sense: &Sense<'_>) {
        self.given_up = true;
        self.values[6] = 2.0;
        self.values[0] = 1.0;
        if self.options.give_up == GiveUp::Dynamo {
            let mut dynamo = Dynamo::new(self.own.clone(), self.reference.clone(), DynamoOptions::default());
            dynamo.enter(sense);
            self.fallback = Some(Box::new(dynamo));
        }
    }
}

/// Inertia of the whole body about its centre of mass, as if it were rigid, world axes.
fn composite_inertia(sense: &Sense<'_>) -> Sym3 {
    let center = sense.own.center_of_mass();
    let mut sum = Sym3::diagonal(0.0, 0.0, 0.0);
    for id in sense.bodies {
        let (inertia, pose) = (sense.model.body(id).inertia(), sense.data.world_from_body(id));
        let arm = pose.transform_point(inertia.center_of_mass) - center;
        sum = sum + inertia.rotational.rotated(&pose.rotation) + Sym3::point_inertia(arm) * inertia.mass;
    }
    sum
}

/// How far a hull reaches from a point inside it in a direction; nothing from a point outside.
fn reach(hull: &Hull, from: DVec2, towards: DVec2) -> f64 {
    let (corners, Some(direction)) = (hull.corners(), towards.try_normalize()) else { return 0.0 };
    if hull.margin(from).is_none_or(|m| m <= 0.0) {
        return 0.0;
    }
    let n = corners.len();
    let far = |k: usize| {
        let (a, way) = (corners[k], corners[(k + 1) % n] - corners[k]);
        // Edges go round to the left: their outward side is to the right.
        let out = DVec2::new(way.y, -way.x);
        let speed = out.dot(direction);
        if speed > 0.0 { out.dot(a - from) / speed } else { f64::INFINITY }
    };
    let nearest = (0..n).map(far).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest } else { 0.0 }
}

impl Controller for Adaptive {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        (self.given_up, self.fallback) = (false, None);
        (self.whole, self.stepping) = (Whole::default(), Stepping::new(self.options.stepping));
        self.entered = true;
        self.write(sense.time());
        std::mem::swap(&mut self.before, &mut self.next);
        self.write(sense.time() + sense.dt);
        self.compare_with_target(sense);
        // Who is somewhere else goes there first.
        if self.off.iter().any(|x| x.abs() > 1e-9) {
            self.articulation.return_all(sense.time(), &self.own, &self.off, &self.rates);
        }
    }

    fn leave(&mut self) {
        self.entered = false;
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if !self.entered {
            self.enter(sense);
        }
        if self.given_up {
            if let Some(dynamo) = &mut self.fallback {
                dynamo.act(sense, out);
            }
            return;
        }
        let disturbed = self.disturbance.feel(sense);
        if !disturbed && self.is_at_rest() {
            self.articulation.calm();
            self.write(sense.time() + sense.dt);
            self.write_joints(sense, out);
            self.publish(false);
            return;
        }
        let motion = self.look_at_motion(sense.time(), sense.dt);
        self.choose_support(&motion, sense);
        self.allow();
        self.articulate(sense, disturbed);
        if self.options.global && self.respond(&motion, sense) {
            self.fall(sense);
            return self.act(sense, out);
        }
        self.write(sense.time() + sense.dt);
        if !(self.whole.is_at_rest() && self.stepping.is_at_rest()) {
            self.reference.write(sense.time() + sense.dt, &mut self.next.q);
            let feet = self.stepping.offsets(sense.own.up());
            let (shift, tilt) = self.whole.posture();
            let change = Change { shift, tilt, feet };
            self.posture.change(&self.own, &mut self.next, &change, &mut self.data);
        }
        self.compare_with_target(sense);
        let quiet = self.disturbance.quiet_for();
        self.articulation.settle(
            &self.own,
            sense.time(),
            sense.dt,
            quiet,
            &self.allowed,
            &self.off,
            &self.rates,
        );
        self.write_joints(sense, out);
        self.publish(true);
    }

    fn commands(&self) -> &[&'static str] {
        kind::COMMANDS
    }

    /// `threshold`: ε. `local`, `global`, `steps`: 0 turns that part of the answer off. `fall`: gives up.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "threshold" => self.options.threshold = value.max(0.0),
            "local" => self.options.local = value != 0.0,
            "global" => self.options.global = value != 0.0,
            "steps" => self.options.steps = value != 0.0,
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        q[sense.tree().coordinates].copy_from_slice(&self.before.q);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::Recording
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
