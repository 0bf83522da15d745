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
//! | [`effort`], [`profile`] | A and B: what the motion's joints bear by themselves, once per clip |
//! | [`articulation`] | which joints are simulated, and how they come and go |
//! | [`whole`] | the body as one rigid body |
//! | [`stepping`] | footholds |
//! | [`posture`], `legs`, `knees` | the pose that has all this |
//! | `motion`, `respond`, `joints` | what the motion does, the global answer, and what is written |
//! | `switches` | where jumps would be looked for |
//!
//! Undisturbed it costs a look at the contacts and is the motion to the bit. The root and the leg that stands are always played back,
//! so it cannot fall, which is what games ask for; where no step would do it gives up, into a rag doll or world-space tracking.

pub mod articulation;
pub mod disturbance;
pub mod effort;
mod joints;
mod kind;
mod knees;
mod legs;
mod motion;
mod options;
pub mod posture;
pub mod profile;
mod published;
mod respond;
pub mod stepping;
mod switches;
pub mod whole;

pub use effort::Estimate;
pub use kind::KIND;
pub use options::{AdaptiveOptions, GiveUp};

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Data, JointKind, Model, State};

use crate::controller::{Controller, Glow, Role, Sense, UnknownCommand};
use crate::dynamo::{Dynamo, DynamoOptions};
use crate::gains::carried_inertia;
use crate::kind::Refusal;
use crate::readings::Readings;
use crate::reference::{Beginning, Reference};
use crate::senses::Hull;
use articulation::{Allowed, Articulation, Mode};
use disturbance::Disturbance;
use knees::Knees;
use posture::{Change, Posture};
use profile::Profile;
use published::{PUBLISHED, Response};
use stepping::Stepping;
use switches::Switches;
use whole::Whole;

/// A character that answers what disturbs it.
#[derive(Clone)]
pub struct Adaptive {
    options: AdaptiveOptions,
    own: Arc<Model>,
    reference: Box<dyn Reference>,
    posture: Posture,
    disturbance: Disturbance,
    articulation: Articulation,
    profile: Profile,
    whole: Whole,
    stepping: Stepping,
    knees: Knees,
    support: Side,
    switches: Switches,
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
    /// One number per freedom: how far the body is off q̃, how fast it goes against it, how far q̃ goes in the step, and what is played back.
    off: Vec<f64>,
    rates: Vec<f64>,
    pace: Vec<f64>,
    ways: Vec<f64>,
    /// When the motion was last looked at, and where it had its root.
    seen: (f64, [f64; 7]),
    /// One per bone.
    torques: Vec<f64>,
    entered: bool,
    given_up: bool,
    /// Told to give up.
    lets_go: bool,
    /// Time of the last step.
    now: f64,
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
        mut reference: Box<dyn Reference>,
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
        if own.bodies()[0].joint().kind != JointKind::Free {
            return Err(Refusal::new("figure", "has a root that cannot move freely, expected one that can"));
        }
        let posture = Posture::new(&own, physique)?;
        let feet = Side::BOTH.map(|side| posture.leg(side).foot);
        let state = State::new(&own);
        let freedoms = vec![0.0; own.n_v()];
        Ok(Self {
            profile: Profile::new(&own, feet, reference.as_mut(), options.estimate),
            posture,
            disturbance: Disturbance::new(n),
            articulation: Articulation::new(physique),
            whole: Whole::default(),
            stepping: Stepping::new(options.stepping),
            knees: Knees::default(),
            support: Side::Left,
            switches: Switches::new(n),
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
            pace: freedoms.clone(),
            ways: freedoms,
            seen: (f64::NAN, [0.0; 7]),
            torques: vec![0.0; n],
            entered: false,
            given_up: false,
            lets_go: false,
            now: 0.0,
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
        self.articulation.is_at_rest() && self.stands_still()
    }

    /// Whether the whole body is where its motion is, on feet that are where the motion has them or have gone on together.
    fn stands_still(&self) -> bool {
        self.whole.is_at_rest() && self.stepping.is_at_rest() && self.knees.is_at_rest()
    }

    /// Writes the motion itself at `time`.
    fn play(&mut self, time: f64) {
        self.reference.write(time, &mut self.next.q);
        self.seen.0 = time;
        self.seen.1.copy_from_slice(&self.next.q[self.own.bodies()[0].coordinates()]);
    }

    /// Writes the motion at `time`, moved to where its feet have got to.
    fn write(&mut self, time: f64) {
        self.play(time);
        let root = &self.own.bodies()[0];
        let home = self.stepping.home();
        if home != DVec3::ZERO && self.stepping.is_at_rest() {
            let way = root.joint().parent_from_joint.rotation.transpose() * home;
            let place = &mut self.next.q[root.coordinates()];
            place.iter_mut().zip(way.to_array()).for_each(|(q, way)| *q += way);
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
        self.disturbance.torques(&self.own, sense, foot, &mut self.torques);
        self.articulation.compare(&self.torques, &self.profile.now().bears[self.support as usize]);
        if !self.options.local || !disturbed {
            return;
        }
        if self.options.everything {
            self.articulation.grow_all(time, &self.allowed);
        } else {
            let disturbance = &self.disturbance;
            let struck = |bone| disturbance.strikes(bone);
            self.articulation.grow(&self.own, time, self.options.threshold, &self.allowed, struck);
        }
    }

    /// Hands the body over to forces.
    fn fall(&mut self, sense: &Sense<'_>) {
        (self.given_up, self.lets_go) = (true, false);
        self.publish(Response::GivenUp);
        if self.options.give_up == GiveUp::Dynamo {
            let mut dynamo = Dynamo::new(self.own.clone(), self.reference.clone(), DynamoOptions::default());
            dynamo.enter(sense);
            self.fallback = Some(Box::new(dynamo));
        }
    }
}

impl Controller for Adaptive {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        (self.given_up, self.fallback) = (false, None);
        (self.whole, self.stepping) = (Whole::default(), Stepping::new(self.options.stepping));
        self.knees = Knees::default();
        self.entered = true;
        self.write(sense.time());
        std::mem::swap(&mut self.before, &mut self.next);
        self.write(sense.time() + sense.dt);
        self.compare_with_target(sense, true);
        // Who is somewhere else goes there first.
        if self.off.iter().any(|x| x.abs() > 1e-9) {
            self.articulation.return_all(sense.time(), &self.own, &self.off, &self.rates);
        }
    }

    fn begin(&mut self, at: Beginning) {
        self.reference.begin(at);
        self.profile.begin(at.since);
        self.seen.0 = f64::NAN;
    }

    fn leave(&mut self) {
        self.entered = false;
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if !self.entered {
            self.enter(sense);
        }
        self.now = sense.time();
        if self.lets_go && !self.given_up {
            self.fall(sense);
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
            self.publish(Response::PlaysBack);
            return;
        }
        let motion = self.look_at_motion(sense.time());
        self.choose_support(&motion, sense);
        self.allow();
        self.articulate(sense, disturbed);
        if self.options.global && self.respond(&motion, sense) {
            self.fall(sense);
            return self.act(sense, out);
        }
        if self.stands_still() {
            self.write(sense.time() + sense.dt);
        } else {
            self.play(sense.time() + sense.dt);
            let feet = self.stepping.offsets(sense.own.up());
            let (shift, tilt) = self.whole.posture();
            let change = Change { shift, tilt, feet, lifts: self.stepping.lifts() };
            self.posture.change(
                &self.own,
                &mut self.next,
                &change,
                &mut self.knees,
                sense.dt,
                &mut self.data,
            );
        }
        self.compare_with_target(sense, false);
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
        let swings = self.stepping.swinging();
        self.switches.look(self.articulation.modes(), self.whole.phase(), swings, self.support);
        self.publish(Response::Answers);
    }

    fn commands(&self) -> &[&'static str] {
        kind::COMMANDS
    }

    /// `threshold`: ε. `local`, `global`, `steps`: 0 turns that part of the answer off. `free`: the joint above the bone of this number is
    /// simulated from the next step on. `fall`: gives up.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "threshold" => self.options.threshold = value.max(0.0),
            "local" => self.options.local = value != 0.0,
            "global" => self.options.global = value != 0.0,
            "steps" => self.options.steps = value != 0.0,
            "free" => self.articulation.free(Bone::new(value.max(0.0) as usize), self.now),
            "fall" => self.lets_go = value != 0.0,
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

    fn glow(&self, bone: Bone) -> Option<Glow> {
        let ratio = self.articulation.ratios().get(bone.index()).copied().unwrap_or(0.0);
        let simulated = if self.given_up { 1.0 } else { self.articulation.simulated(bone, self.now) };
        Some(Glow { ratio, simulated })
    }

    fn role(&self) -> Role {
        Role::Adaptive
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
