//! A stuntperson: a pool of skills that bid for each state, and a supervisor that picks one (Faloutsos, van de Panne and Terzopoulos 2001,
//! *Composable controllers for physics-based character animation*).
//!
//! ```text
//!             quantities of state, environment, balance, goal
//!                │                      │
//!   skills: P, then what was learned    │  active skill: E, O      every tick
//!                │ bids 0 to 20         ▼ nominal, success, failure
//!                └──────────────▶ supervisor ──▶ one skill acts ──▶ fade from what was commanded
//! ```
//! | module | what |
//! |---|---|
//! | [`quantity`] | what conditions are about: one table, invariant to place and heading |
//! | [`relation`] | conditions as data |
//! | [`skill`] | the trait, its terms, bids and status; where a learned classifier is asked |
//! | [`features`] | the state as classifiers see it |
//! | [`supervisor`] | who acts |
//! | [`pool`] | the skills, a row each |
//! | [`Driven`], `made` | any controller as a skill; skills that scenes make |
//! | [`keys`] | pose control |
//! | `build`, `kind` | the figure; what scenes write |

mod alone;
pub mod build;
pub mod features;
pub mod keys;
mod kind;
mod made;
pub mod pool;
pub mod quantity;
pub mod relation;
pub mod skill;
mod skills;
pub mod supervisor;

pub use alone::Alone;
pub use build::Build;
pub use kind::KIND;
pub use skill::{Bid, Learned, Skill, Status, Terms};
pub use skills::driven::Driven;
pub use skills::planar::moved;
pub use supervisor::Supervisor;

use std::sync::Arc;

use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::random::Random;
use stuntlab_physics::{Actuation, Model, State};

use crate::chronicle::Entry;
use crate::controller::{Controller, Glow, Role, Sense, UnknownCommand};
use crate::dynamo::{CHEAT, per_weight};
use crate::gains::{Gains, Tuned};
use crate::layers::merge::{self, Mask};
use crate::readings::{Published, Readings, Together, lasting};
use features::Features;
use pool::SKILLS;
use quantity::{Facts, Goal, Look, QUANTITIES};

/// Pushes and other targets by chance before the first skill begins: how states are sampled in which a skill may work or not (the
/// paper's 4.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shake {
    /// For so long, s.
    pub seconds: f64,
    /// Largest force on the pelvis, N.
    pub force: f64,
    /// Largest angle by which joints are driven elsewhere, rad.
    pub angle: f64,
}

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuntOptions {
    /// Seconds between looks of the supervisor.
    pub tick: f64,
    /// Seconds from what was commanded to what the next skill commands.
    pub fade: f64,
    /// What happens to it first.
    pub shake: Shake,
}

const fn row(name: &'static str, unit: &'static str, help: &'static str, together: Together) -> Published {
    Published { name, unit, help, together }
}

const FIRST: [Published; 8] = [
    CHEAT,
    row(
        "skill",
        "",
        "Which skill acts: its place in the table of skills, from 0; -1 none, or one that the scene has made",
        Together::Most,
    ),
    row("skill-changes", "", "Times another skill took over so far", Together::Sum),
    row("head-impact", "m/s", "Fastest that its head has come down on anything so far", Together::Most),
    row(
        "aid",
        "of 1",
        "Forces and moments from outside on its bodies, the latter at an arm of one metre, per weight; not of joints that are played back",
        Together::Most,
    ),
    row("helped", "s", "Seconds so far in which forces from outside helped it", Together::Most),
    row("played", "s", "Seconds so far in which joints were played back", Together::Most),
    row(
        "switch-jolt",
        "m/s",
        "Largest change of a bone's velocity over a step in which another skill took over, so far",
        Together::Most,
    ),
];

/// Force on a head that has struck something, N.
const STRUCK: f64 = 10.0;
/// Steps before a blow is felt in which a head may have been slowed by it.
const LATELY: usize = 6;
/// How long a body that starts holds its pose to feel the ground, s.
const FEELING: f64 = 0.1;

const COUNT: usize = FIRST.len() + SKILLS.len() + QUANTITIES.len();

/// Readings: of the supervisor, what every skill that comes with this crate bids, and all quantities.
const PUBLISHED: [Published; COUNT] = {
    let mut all = [FIRST[0]; COUNT];
    let mut k = 0;
    while k < COUNT {
        all[k] = if k < FIRST.len() {
            FIRST[k]
        } else if k < FIRST.len() + SKILLS.len() {
            SKILLS[k - FIRST.len()].bid
        } else {
            QUANTITIES[k - FIRST.len() - SKILLS.len()].published()
        };
        k += 1;
    }
    all
};

const COMMANDS: &[&str] = &["wanted-height"];

/// What was commanded, and what is.
#[derive(Clone)]
struct Desk {
    /// Of the last step.
    said: Actuation,
    /// When the active skill began.
    frozen: Actuation,
    now: Actuation,
}

/// A character with a pool of skills.
#[derive(Clone)]
pub struct Stuntperson {
    build: Arc<Build>,
    supervisor: Supervisor,
    options: StuntOptions,
    goal: Goal,
    own: State,
    facts: Facts,
    features: Features,
    /// Steps until the next look.
    wait: u32,
    /// Seconds since the active skill took over from another one; none while nothing has to fade.
    fading: Option<f64>,
    desk: Option<Box<Desk>>,
    random: Random,
    /// What chance does to it: the force, and where joints are driven.
    shaken: Option<(DVec3, State, Tuned)>,
    began: Option<f64>,
    /// How fast the head went in the last steps, the latest last, m/s; whether it touched something, and the fastest blow so far.
    head: ([f64; LATELY], bool, f64),
    /// Seconds with forces from outside, and with joints that were played back.
    aided: [f64; 2],
    /// How fast bones went as a skill took over, and the largest change over such a step so far, m/s.
    switched: (Vec<DVec3>, f64),
    /// Those of every stuntperson, then bids of other skills, then what controllers of skills say.
    published: Vec<Published>,
    values: Vec<f64>,
    commands: Vec<&'static str>,
}

impl Stuntperson {
    /// With a supervisor over its pool.
    pub fn new(build: Arc<Build>, supervisor: Supervisor, options: StuntOptions, seed: u64) -> Self {
        let (mut published, mut commands) = (PUBLISHED.to_vec(), COMMANDS.to_vec());
        let mut publish = |new: Published| {
            if published.iter().all(|other| other.name != new.name) {
                published.push(new);
            }
        };
        for skill in supervisor.skills() {
            publish(pool::bid(lasting(&format!("bid-{}", skill.terms().name))));
        }
        for controller in supervisor.skills().iter().filter_map(|skill| skill.controller()) {
            controller.readings().published().iter().for_each(|reading| publish(*reading));
            commands.extend(controller.commands());
        }
        Self {
            own: State::new(build.own()),
            features: Features::new(build.own(), &Physique::of(build.figure())),
            build,
            supervisor,
            options,
            goal: Goal::default(),
            facts: Facts::default(),
            wait: 0,
            fading: None,
            desk: None,
            random: Random::new(seed),
            shaken: None,
            began: None,
            head: ([0.0; LATELY], false, 0.0),
            aided: [0.0; 2],
            switched: (Vec::new(), 0.0),
            values: vec![0.0; published.len()],
            published,
            commands,
        }
    }

    /// The supervisor, with what it chose and why.
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// The supervisor, to change the terms of its skills.
    pub fn supervisor_mut(&mut self) -> &mut Supervisor {
        &mut self.supervisor
    }

    /// What is known of the state, as of the last look.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The state as classifiers see it, as of the last look.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// What every skill bids for a state, without taking any up.
    pub fn bids_for(&mut self, sense: &Sense<'_>) -> Vec<(&'static str, Bid)> {
        self.look(sense);
        let (facts, features) = (&self.facts, &self.features);
        let look = skill::Look { facts, features, asked: false };
        let skills = self.supervisor.skills().iter();
        skills.map(|skill| (skill.terms().name, skill.bid(&look))).collect()
    }

    /// Looks at itself.
    fn look(&mut self, sense: &Sense<'_>) {
        let tree = sense.tree();
        self.own.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.own.v.copy_from_slice(&sense.state.v[tree.freedoms]);
        let progress = self.supervisor.active().map_or(0.0, Skill::progress);
        let time = self.supervisor.time(sense.time());
        let (build, own, goal) = (&*self.build, &self.own, self.goal);
        self.facts.take(&Look { sense, build, own, goal, time, progress });
        self.features.take(sense);
    }

    /// Pushed about, before anything else. Returns whether it still is.
    fn shake(&mut self, sense: &Sense<'_>, out: &mut Actuation) -> bool {
        let shake = self.options.shake;
        let since = sense.time() - *self.began.get_or_insert(sense.time());
        if since + 0.5 * sense.dt >= shake.seconds.max(FEELING) {
            return false;
        }
        let (random, build) = (&mut self.random, &self.build);
        let own = &mut self.own;
        let (force, pose, gains) = self.shaken.get_or_insert_with(|| {
            let mut one = || random.between(-1.0, 1.0);
            let force = shake.force * DVec3::new(one(), one(), one());
            own.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
            let ways: Vec<f64> = own
                .v
                .iter()
                .enumerate()
                .map(|(k, _)| if k < build.root_freedoms() { 0.0 } else { one() })
                .collect();
            let mut pose = own.clone();
            pose.integrate(build.own(), &ways, shake.angle);
            let gains = Tuned::new(build.own(), build.own().body_ids(), Gains::Table { scale: 1.0 });
            (force, pose, gains)
        });
        // The rest of the time it holds still until it feels the ground.
        let force = if since < shake.seconds { *force } else { DVec3::ZERO };
        out.body_force[sense.root()].linear += force;
        self.values[0] = per_weight(force.cross(DVec3::ONE), sense);
        let still = vec![0.0; pose.v.len()];
        crate::stand::write_servos(sense, build.own(), gains, pose, &still, out, |_| (1.0, 1.0));
        true
    }

    /// How fast a head strikes is how fast it went before.
    fn mind_the_head(&mut self, sense: &Sense<'_>) {
        let Some(head) = sense.own.physique().head() else { return };
        let body = sense.body_of(head);
        let center =
            sense.data.world_from_body(body).transform_point(sense.bone(head).inertia().center_of_mass);
        let speed = sense.data.point_velocity(body, center).length();
        let touches = sense.own.touches()[head.index()].force().length() > STRUCK;
        let (lately, touched, worst) = &mut self.head;
        if touches && !*touched {
            *worst = lately.iter().copied().fold(*worst, f64::max);
        }
        lately.rotate_left(1);
        lately[LATELY - 1] = speed;
        *touched = touches;
    }

    /// How much a switch of the last step has changed the velocities of bones.
    fn feel_switch(&mut self, sense: &Sense<'_>) {
        let (before, worst) = &mut self.switched;
        let jolts = sense.bodies.iter().zip(before.drain(..));
        *worst = jolts
            .map(|(body, old)| sense.data.body_velocity(body).linear.distance(old))
            .fold(*worst, f64::max);
    }

    /// What was said that is not the body's own doing.
    fn count_aids(&mut self, sense: &Sense<'_>, said: &Actuation) {
        let mut aid = 0.0;
        for body in sense.bodies {
            let force = said.body_force[body];
            aid += force.linear.length() + force.angular.length();
        }
        for (body, term) in &said.implicit {
            let force = term.at_rest - term.gain * sense.data.velocity.body[*body];
            aid += force.linear.length() + force.angular.length();
        }
        let weight = (sense.own.mass() * sense.model.gravity().length()).max(f64::MIN_POSITIVE);
        self.values[4] = aid / weight;
        self.aided[0] += if aid > 0.0 || !said.pins.is_empty() { sense.dt } else { 0.0 };
        self.aided[1] += if plays(said, sense) { sense.dt } else { 0.0 };
    }

    fn publish(&mut self) {
        self.values[3] = self.head.2;
        self.values[5..7].copy_from_slice(&self.aided);
        self.values[7] = self.switched.1;
        let active = self.supervisor.active().and_then(Skill::controller);
        if let Some(cheat) = active.and_then(|controller| controller.readings().get(CHEAT.name)) {
            self.values[0] += cheat;
        }
        for (published, value) in self.published.iter().zip(&mut self.values).skip(COUNT) {
            let bids = self.supervisor.skills().iter().zip(self.supervisor.bids());
            let is_it = |name: &str| published.name.strip_prefix("bid-") == Some(name);
            let bid = bids.clone().find(|(skill, _)| is_it(skill.terms().name));
            // The one that acts speaks for a name, else the first that has it.
            let others = self.supervisor.skills().iter().filter_map(|skill| skill.controller());
            let said = || active.into_iter().chain(others).find_map(|c| c.readings().get(published.name));
            *value = bid.map(|(_, bid)| f64::from(bid.score)).or_else(said).unwrap_or(*value);
        }
        let skill = self.supervisor.active().and_then(|skill| pool::find(skill.terms().name));
        self.values[1] = skill.map_or(-1.0, |k| k as f64);
        self.values[2] = f64::from(self.supervisor.changes());
        for (skill, bid) in self.supervisor.skills().iter().zip(self.supervisor.bids()) {
            if let Some(k) = pool::find(skill.terms().name) {
                self.values[FIRST.len() + k] = f64::from(bid.score);
            }
        }
        let from = FIRST.len() + SKILLS.len();
        for (value, fact) in self.values[from..COUNT].iter_mut().zip(self.facts.values) {
            *value = fact;
        }
    }
}

/// Whether any joint of the character's is played back.
fn plays(said: &Actuation, sense: &Sense<'_>) -> bool {
    sense.bodies.iter().any(|body| said.prescribed[body])
}

fn desk(model: &Model) -> Box<Desk> {
    let empty = Actuation::new(model);
    Box::new(Desk { said: empty.clone(), frozen: empty.clone(), now: empty })
}

impl Controller for Stuntperson {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.values[0] = 0.0;
        self.mind_the_head(sense);
        self.feel_switch(sense);
        let mut desk = self.desk.take().unwrap_or_else(|| desk(sense.model));
        desk.now.clear();
        if self.shake(sense, &mut desk.now) {
            self.look(sense);
        } else {
            let tick = (self.options.tick / sense.dt).round().max(1.0);
            if self.wait == 0 {
                self.look(sense);
                let seconds = tick * sense.dt;
                if self.supervisor.tick(sense, &self.facts, &self.features, seconds) {
                    let speeds = sense.bodies.iter().map(|body| sense.data.body_velocity(body).linear);
                    self.switched.0.extend(speeds);
                    desk.frozen.clone_from(&desk.said);
                    self.fading = Some(0.0);
                }
                self.wait = tick as u32;
            }
            self.wait -= 1;
            self.supervisor.act(sense, &mut desk.now);
        }
        // What is played back comes and goes at once: whoever plays goes on from the state there is, and so does who comes after.
        if plays(&desk.frozen, sense) || plays(&desk.now, sense) {
            self.fading = None;
        }
        let said = match self.fading {
            Some(time) if time < self.options.fade => {
                let time = time + sense.dt;
                self.fading = Some(time);
                let p = (time / self.options.fade).clamp(0.0, 1.0);
                let Desk { said, frozen, now } = desk.as_mut();
                said.clone_from(frozen);
                let mask = Mask { bodies: sense.bodies, on: &[] };
                merge::blend(said, now, sense, mask, p * p * (3.0 - 2.0 * p));
                &desk.said
            }
            _ => {
                self.fading = None;
                let Desk { said, now, .. } = desk.as_mut();
                said.clone_from(now);
                &desk.said
            }
        };
        merge::add(out, said, sense);
        self.count_aids(sense, &desk.said);
        self.desk = Some(desk);
        self.publish();
    }

    fn commands(&self) -> &[&'static str] {
        &self.commands
    }

    /// `wanted-height`: how high the root is wanted, of its height when it stands. The name of a skill asks for it; all else goes to the
    /// controllers of skills that know it.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        if name == COMMANDS[0] {
            self.goal.height = value.max(0.0);
        } else if !self.supervisor.ask(name) {
            let mut known = false;
            let skills = self.supervisor.skills_mut().iter_mut();
            for controller in skills.filter_map(|skill| skill.controller_mut()) {
                known |= controller.command(name, value).is_ok();
            }
            if !known {
                return Err(self.unknown());
            }
        }
        Ok(())
    }

    /// Skills that wait to be asked, by name.
    fn orders(&self) -> Vec<&'static str> {
        let waiting = self.supervisor.skills().iter().map(|skill| skill.terms()).filter(|t| t.voluntary);
        waiting.map(|terms| terms.name).collect()
    }

    fn unknown(&self) -> UnknownCommand {
        let names = self.supervisor.skills().iter().map(|skill| skill.terms().name);
        UnknownCommand { known: names.chain(self.commands.iter().copied()).map(str::to_owned).collect() }
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let active = self.supervisor.active();
        if let Some(controller) = active.and_then(Skill::controller) {
            return controller.target(sense, q);
        }
        let Some(pose) = active.and_then(Skill::pose) else { return false };
        q[sense.tree().coordinates].copy_from_slice(&pose.q);
        let root = sense.model.body(sense.root()).coordinates();
        q[root].copy_from_slice(&sense.state.q[root]);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&self.published, &self.values)
    }

    fn chronicle(&self) -> &[Entry] {
        self.supervisor.entries()
    }

    fn glow(&self, bone: Bone) -> Option<Glow> {
        self.supervisor.active().and_then(Skill::controller).and_then(|controller| controller.glow(bone))
    }

    fn role(&self) -> Role {
        Role::Deciding
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
