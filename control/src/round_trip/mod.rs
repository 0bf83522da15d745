//! Round trips from recording to simulation and back (Mandel and Zordan 2005, *Moving beyond ragdolls*): a character plays its motion until something hits it, is a
//! simulated body that reacts with life, and is back in its motion as soon as it can be, without a seam.
//!
//! ```text
//! playing ──(a hit, a command)──▶ reacting: tracks its motion on its own feet
//!    ▲                               │ balanced          │ going over                  │ lost
//!    │                               ▼                   ▼                             ▼
//!    │                  (tracked by its joints alone while the hit acts)             │
//!    │◀─(near)── docking ◀────── its own motion     a stagger that fits           falling, with life
//!    │              ▲                                                                   │ at rest
//!    │              └───────(near, slow)─── settling into the get-up that fits ◀────────┤
//!    │                                                ▲                                 ▼ no room
//!    │                                                └────(room to get up)──────── crawling on
//!    └── a clip that led back is over: its own motion again
//! ```
//! | module | what |
//! |---|---|
//! | [`clips`] | motions that lead back |
//! | [`finder`] | which moment of which of them is nearest |
//! | [`place`], [`remainder`] | where a motion is played; what a body is off it, as it dies out |
//! | `feet` | feet that stay where they stand, into a motion |
//! | [`fall`] | what a body does on its way to the ground |
//! | [`ground`] | whether there is ground for a way back, and crawling on to where there is |
//! | [`dock`] | forces that pull it into place |
//! | `phases`, `target` | what leads from one to the next; where it wants to be |
//!
//! Played back it is its motion to the bit, all joints prescribed. Switches touch no position and no velocity: simulation goes on from the state there is, and a motion
//! takes over with what the body is off it, whose blend begins with the body's own velocities.

pub mod clips;
pub mod dock;
pub mod fall;
mod feet;
pub mod finder;
pub mod ground;
mod kind;
mod options;
mod phases;
pub mod place;
mod published;
pub mod remainder;
mod target;

pub use kind::KIND;
pub use options::RoundTripOptions;

use std::sync::Arc;

use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec2;
use stuntlab_physics::{Actuation, Data, JointKind, Model, State};

use crate::adaptive::disturbance::Disturbance;
use crate::controller::{Controller, Glow, Role, Sense, UnknownCommand};
use crate::gains::{Gains, Tuned};
use crate::kind::Refusal;
use crate::readings::Readings;
use crate::reference::{Beginning, Reference};
use crate::stand::Stand;
use clips::Ways;
use fall::Falling;
use feet::Feet;
use finder::{Finder, OWN_MOTION};
use published::PUBLISHED;
use remainder::Remainder;
use target::Passage;

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// A motion is played back.
    Playing,
    /// Simulated, on its feet.
    Reacting {
        /// Since when, s.
        since: f64,
        /// For how long it has been calm, s.
        calm: f64,
    },
    /// On its way to the ground, or there.
    Falling {
        /// Since when, s.
        since: f64,
        /// For how long it has been down, s.
        landed: f64,
        /// For how long it has been still, s.
        still: f64,
    },
    /// On its way to where it can get up.
    Crawling {
        /// Since when, s.
        since: f64,
        /// Where its centre of mass would be there, along the ground.
        to: DVec2,
        /// When it was last looked at how far it has come, and where it was: s, m.
        last: (f64, DVec2),
    },
    /// Tracks what it found by its joints, while the hit still acts.
    Tracking {
        /// Since when, s.
        since: f64,
    },
    /// Coming into the pose of the motion that leads back.
    Settling {
        /// Since when, s.
        since: f64,
        /// When it last looked for that motion, s.
        searched: f64,
    },
    /// Pulled into place.
    Docking {
        /// Since when, s.
        since: f64,
    },
}

/// What made it switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// It has not switched yet.
    None,
    /// A hand.
    Push,
    /// A contact.
    Blow,
    /// A command.
    Command,
    /// Balance lost.
    Balance,
    /// It came to rest.
    Rest,
    /// It was near enough.
    Near,
    /// A clip was over, or what hit it.
    Over,
    /// Time was up.
    Late,
}

/// What a command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    LetGo,
    Fall,
    ComeBack,
}

/// Of one who is in a clip that leads back: how many times as hard a hand must push to be a hit, and the momentum that what strikes it must bring by its own motion, N s. Bodies and things lie on
/// it and beside it, and who gets up pushes them off. With 20 N s a crate was squeezed until the run stopped (seed 7 of `roundtrip-crate`).
const BUSY: (f64, f64) = (100.0, 6.0);

/// Softer than a standing body's and over-damped: what settles must not swing.
const SETTLING: Gains = Gains::Carried { stiffness: 150.0, damping: 36.0 };

/// Seconds ahead at which a motion has its foot where it is now, to this many metres, if it leaves it there for a step.
const AHEAD: [f64; 3] = [0.15, 0.3, 0.45];
const STAYS: f64 = 0.01;

/// A character on round trips.
#[derive(Clone)]
pub struct RoundTrip {
    options: RoundTripOptions,
    own: Arc<Model>,
    /// Its own motion, then those that lead back.
    motions: Vec<Box<dyn Reference>>,
    /// Standing height of the root, m.
    tall: f64,
    finder: Finder,
    disturbance: Disturbance,
    stand: Stand,
    falling: Falling,
    gains: Tuned,
    phase: Phase,
    /// Its own motion, where and when it begins.
    home: Passage,
    passage: Passage,
    remainder: Remainder,
    feet: Feet,
    /// What was wanted, from a command.
    order: Option<Order>,
    entered: bool,
    actual: State,
    /// The target now and at the end of the step, with its rates.
    wanted: State,
    next: State,
    target: Data,
    ways: Vec<f64>,
    /// How often it has looked for another way to get up.
    tries: u32,
    switches: u32,
    cause: Cause,
    splice: f64,
    /// The largest distance at a splice so far, m.
    farthest: f64,
    docking: f64,
    aided: f64,
    returns: u32,
    falls: u32,
    staggers: u32,
    /// When it left its own motion, s.
    left: Option<f64>,
    longest: f64,
    values: [f64; PUBLISHED.len()],
}

impl RoundTrip {
    /// In a motion, on a figure with these ways back.
    ///
    /// # Errors
    /// A figure that is no biped with a free root.
    pub fn new(
        own: Arc<Model>,
        ways: Arc<Ways>,
        physique: &Physique,
        mut motion: Box<dyn Reference>,
        options: RoundTripOptions,
    ) -> Result<Self, Refusal> {
        if own.bodies()[0].joint().kind != JointKind::Free {
            return Err(Refusal::new("figure", "has a root that cannot move freely, expected one that can"));
        }
        let finder = Finder::new(own.clone(), ways.clone(), motion.as_mut(), options.look)?;
        let mut motions = vec![motion];
        motions.extend(ways.list().iter().map(|way| way.motion.boxed_clone()));
        let state = State::new(&own);
        Ok(Self {
            stand: Stand::new(own.clone(), physique, options.stand)?,
            falling: Falling::new(own.clone(), ways.character(), physique),
            gains: Tuned::new(&own, own.body_ids(), SETTLING),
            disturbance: Disturbance::new(own.n_bodies()),
            remainder: Remainder::new(&own),
            feet: Feet::new(&own, physique)?,
            phase: Phase::Playing,
            home: Passage::own(0.0),
            passage: Passage::own(0.0),
            tall: ways.character().root_height(),
            finder,
            motions,
            order: None,
            entered: false,
            actual: state.clone(),
            wanted: state.clone(),
            next: state,
            target: Data::new(&own),
            ways: vec![0.0; own.n_v()],
            tries: 0,
            switches: 0,
            cause: Cause::None,
            splice: 0.0,
            farthest: 0.0,
            docking: 0.0,
            aided: 0.0,
            returns: 0,
            falls: 0,
            staggers: 0,
            left: None,
            longest: 0.0,
            values: [0.0; PUBLISHED.len()],
            options,
            own,
        })
    }

    /// What it is about.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What made it switch last.
    pub fn cause(&self) -> Cause {
        self.cause
    }

    /// What its motion's blend is.
    pub fn remainder(&self) -> &Remainder {
        &self.remainder
    }

    /// Whether its own motion is played, with nothing left of where it was before.
    fn is_home(&self) -> bool {
        self.phase == Phase::Playing && self.passage.motion == OWN_MOTION && self.left.is_none()
    }

    /// Whether what disturbs it now is a hit.
    fn is_hit(&self, sense: &Sense<'_>) -> bool {
        // What lasts of a hit that is over is none: who is back already would be let go again.
        if self.disturbance.quiet_for() > 0.0 {
            return false;
        }
        if self.phase == Phase::Playing && self.passage.motion != OWN_MOTION {
            let push = sense.own.pushes().iter().map(|p| p.linear.length()).fold(0.0, f64::max);
            return push > BUSY.0 * self.options.notice || self.disturbance.brought() > BUSY.1;
        }
        self.disturbance.hardest().is_some_and(|(_, force)| force > self.options.notice)
    }

    /// Plays its motion back: every joint at the rate that ends the step on it.
    fn play(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let (h, tree, time) = (sense.dt, sense.tree(), sense.time());
        self.passage.write(&mut self.motions, &self.own, time + h, &mut self.next.q);
        if !self.feet.is_over() {
            self.wanted.q.copy_from_slice(&self.next.q);
        }
        self.remainder.add(&self.own, time + h, &mut self.next.q);
        if !self.feet.is_over() {
            self.step_into_place(time, h);
        }
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.actual.difference(&self.own, &self.next, &mut self.ways);
        for (rate, way) in out.prescribed_velocity[tree.freedoms].iter_mut().zip(&self.ways) {
            *rate = way / h;
        }
        out.prescribed[tree.bodies].fill(true);
    }

    /// Has the feet of the next pose stay where they stand; `wanted` has the motion's.
    fn step_into_place(&mut self, time: f64, h: f64) {
        let Self { own, motions, passage, feet, wanted, next, actual, target, remainder, .. } = self;
        let ground = self.finder.base() + passage.place.shift.z;
        let blended = remainder.is_over(time + h);
        let mut ahead = |seconds: f64, foot: Bone| {
            passage.write(motions, own, time + h + seconds, &mut actual.q);
            forward_kinematics(own, actual, target);
            target.position.world_from_body[foot.index()].translation
        };
        feet.put(own, (time, h), ground, &wanted.q, next, blended, |foot| {
            let here = ahead(0.0, foot);
            AHEAD.iter().all(|seconds| ahead(*seconds, foot).distance(here) < STAYS)
        });
    }
}

impl Controller for RoundTrip {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        self.entered = true;
        (self.phase, self.passage) = (Phase::Playing, self.home.at_speed(1.0, sense.time()));
        self.remainder.clear();
        self.feet.clear();
        self.finder.forget();
        self.aim(sense);
        let tree = sense.tree();
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.wanted.difference(&self.own, &self.actual, &mut self.ways);
        // Who is somewhere else goes there first.
        if self.ways.iter().any(|x| x.abs() > 1e-9) {
            self.blend_in(sense, self.options.blend);
        }
    }

    fn begin(&mut self, at: Beginning) {
        self.home = Passage { at: 0.0, since: at.since, place: at.place, ..Passage::own(0.0) };
        (self.order, self.tries, self.left) = (None, 0, None);
    }

    fn leave(&mut self) {
        self.entered = false;
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if !self.entered {
            self.enter(sense);
        }
        let disturbed = self.disturbance.feel(sense);
        let hit = disturbed && self.is_hit(sense);
        self.docking = 0.0;
        self.look_at_ground(sense);
        if self.phase != Phase::Playing {
            self.finder.remember(sense);
        }
        self.go_on(sense, hit);
        match self.phase {
            Phase::Playing => self.play(sense, out),
            Phase::Reacting { .. } | Phase::Tracking { .. } => self.react(sense, out),
            Phase::Falling { since, landed, .. } => {
                self.falling.act(sense, self.options.fall, sense.time() - since, landed, out);
            }
            Phase::Crawling { since, to, .. } => self.crawl(sense, since, to, out),
            Phase::Settling { .. } => self.settle(sense, out),
            Phase::Docking { since } => self.pull(sense, since, out),
        }
        self.publish(sense.time());
    }

    fn commands(&self) -> &[&'static str] {
        kind::COMMANDS
    }

    /// `let-go`: simulated from now on, on its feet. `fall`: falls. `come-back`: goes for its motion from wherever it is.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        let order = match name {
            "let-go" => Order::LetGo,
            "fall" => Order::Fall,
            "come-back" => Order::ComeBack,
            _ => return Err(self.unknown()),
        };
        if value != 0.0 {
            self.order = Some(order);
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let own = sense.tree().coordinates;
        match self.phase {
            Phase::Falling { .. } => {
                q[own].copy_from_slice(&self.falling.pose().q);
                let root = sense.model.body(sense.root()).coordinates();
                q[root].copy_from_slice(&sense.state.q[root]);
            }
            _ => q[own].copy_from_slice(&self.next.q),
        }
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn glow(&self, _bone: Bone) -> Option<Glow> {
        let simulated = match self.phase {
            Phase::Playing => 0.0,
            Phase::Docking { .. } | Phase::Crawling { .. } => 0.5,
            _ => 1.0,
        };
        Some(Glow { ratio: 0.0, simulated })
    }

    fn role(&self) -> Role {
        Role::Adaptive
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
