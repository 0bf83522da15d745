//! A boxing ring for tests and the example: fighters on uneven ground, and a crate to throw.

use std::sync::Arc;

use stuntlab_control::fighter::{Fighter, FighterOptions, Repertoire};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Bone, Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{
    Actuation, BodyId, BodySpec, Data, Joint, Model, ShapeSpec, State, StepOptions, Tree, advance, observe,
};

/// Who is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// Two fighters.
    Boxing,
    /// One fighter that is struck by a crate of 20 kg at 6 m/s after a second.
    Crate,
}

/// What came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Seed of the run.
    pub(crate) seed: u64,
    /// Simulated time, s.
    pub(crate) time: f64,
    /// Whether all went on to the end.
    pub(crate) finite: bool,
    /// Falls of all fighters.
    pub(crate) falls: u64,
    /// Times a fighter stood again.
    pub(crate) recoveries: u64,
    /// Longest time down, s.
    pub(crate) longest: f64,
    /// Punches begun.
    pub(crate) punches: u64,
    /// Punches that landed on head or trunk.
    pub(crate) hits: u64,
    /// Deepest overlap of a foot with the ground, m.
    pub(crate) deepest: f64,
    /// Highest place of a pelvis, m.
    pub(crate) highest: f64,
}

/// Height of the bumps, m.
const BUMPS: f64 = 0.05;
/// Half the crate's edge, m.
const CRATE: f64 = 0.2;

/// The figure all fighters have.
pub(crate) fn boxer() -> Arc<Character> {
    let (character, _) = Character::build(&library::skeleton(), &CharacterOptions::default())
        .expect("the library's skeleton is a body");
    Arc::new(character)
}

/// A scene with its fighters.
#[derive(Clone)]
pub(crate) struct Ring {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) data: Data,
    pub(crate) fighters: Vec<(Fighter, Tree)>,
    pub(crate) senses: Vec<Senses>,
    options: StepOptions,
    act: Actuation,
    crate_body: Option<BodyId>,
    /// Time and direction of the throw.
    throw: Option<(f64, f64)>,
    outcome: Outcome,
}

impl Ring {
    /// Fighters in guard, 1.6 m apart, facing each other.
    pub(crate) fn new(repertoire: &Arc<Repertoire>, setup: Setup, seed: u64, options: StepOptions) -> Self {
        let character = repertoire.character();
        let mut dice = Random::new(seed ^ 0x5eed);
        let mut builder = Model::builder().fixture(bumps(&mut dice));
        let names: &[&str] = if setup == Setup::Boxing { &["red/", "blue/"] } else { &["red/"] };
        names.iter().for_each(|name| character.append_to(&mut builder, name, Transform::IDENTITY));
        if setup == Setup::Crate {
            let half = DVec3::splat(CRATE);
            let shape = ShapeSpec::new(Shape::cuboid(half).expect("a sound box"));
            builder.push(
                BodySpec::root("crate", Joint::free(), Inertia::solid_box(20.0, half)).with_shape(shape),
            );
        }
        let model = builder.build().expect("a sound scene");
        let places: Vec<Tree> =
            names.iter().map(|n| character.find_in(&model, n).expect("it was appended")).collect();
        let physique = Arc::new(Physique::of(character));
        let senses = places.iter().map(|p| Senses::new(&model, p.bodies, physique.clone())).collect();
        let mut state = State::new(&model);
        let mut fighters = Vec::new();
        for (k, place) in places.iter().enumerate() {
            let opponent = places.get(1 - k).filter(|_| places.len() == 2).map(|o| o.bodies);
            let own = FighterOptions { opponent, seed: 2 * seed + k as u64, ..FighterOptions::default() };
            fighters.push((Fighter::new(repertoire.clone(), own), *place));
            let q = &mut state.q[place.coordinates];
            q.copy_from_slice(repertoire.start());
            q[2] += BUMPS / 2.0;
            if k == 1 {
                q[0] = 1.6;
                let turned = DQuat::from_rotation_z(std::f64::consts::PI) * DQuat::from_slice(&q[3..7]);
                q[3..7].copy_from_slice(&turned.to_array());
            }
        }
        let crate_body = model.find("crate");
        let throw = crate_body.map(|_| (1.0 + dice.unit(), std::f64::consts::TAU * dice.unit()));
        let (data, act) = (Data::new(&model), Actuation::new(&model));
        let outcome = Outcome { seed, finite: true, ..Outcome::default() };
        Self { model, state, data, fighters, senses, options, act, crate_body, throw, outcome }
    }

    /// Throws no crate.
    pub(crate) fn put_crate_away(&mut self) {
        self.throw = self.throw.map(|(_, angle)| (f64::INFINITY, angle));
    }

    /// Runs on for so long; stops at a fault.
    pub(crate) fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.options.dt).round() as usize {
            if !self.outcome.finite {
                return;
            }
            self.step();
        }
    }

    /// One step.
    pub(crate) fn step(&mut self) {
        self.hold_or_throw();
        let Self { model, state, data, fighters, senses, options, act, .. } = self;
        observe(model, state, data, options);
        act.clear();
        for ((fighter, _), own) in fighters.iter_mut().zip(senses) {
            own.look(model, state, data);
            let sense = Sense::new(model, state, data, options.dt, own);
            fighter.act(&sense, act);
        }
        let done = advance(model, state, data, act, options);
        self.outcome.finite &= done.is_ok() && self.state.is_finite();
        self.measure();
    }

    /// Keeps the crate away until it is thrown at the chest.
    fn hold_or_throw(&mut self) {
        let (Some(id), Some((when, angle))) = (self.crate_body, self.throw) else { return };
        let body = self.model.body(id);
        let mut place = DVec3::new(50.0, 0.0, 50.0);
        let mut velocity = DVec3::ZERO;
        if self.state.time >= when {
            let torso = self.model.find("red/torso").unwrap_or(id);
            let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let flight = 0.25;
            let chest = self.data.world_from_body(torso).translation + DVec3::Z * 0.15;
            place = chest - direction * (6.0 * flight);
            velocity = DVec3::new(6.0, 0.0, 0.5 * 9.81 * flight);
            self.throw = None;
        }
        let (q, v) = (&mut self.state.q[body.coordinates()], &mut self.state.v[body.freedoms()]);
        q[..3].copy_from_slice(&place.to_array());
        q[3..].copy_from_slice(&DQuat::from_rotation_z(angle).to_array());
        v.fill(0.0);
        v[..3].copy_from_slice(&velocity.to_array());
    }

    fn measure(&mut self) {
        let feet = |body: BodyId| {
            let bone = |own: &Senses| Bone::of(body, own.bodies());
            let foot = |own: &Senses| bone(own).is_some_and(|bone| own.physique().is_foot(bone));
            self.senses.iter().any(foot)
        };
        let touching = self.data.contact.with_world().iter().filter(|c| feet(c.body_a));
        self.outcome.deepest = touching.map(|c| c.depth).fold(self.outcome.deepest, f64::max);
        for (_, place) in &self.fighters {
            let height = self.data.position.world_from_body[place.bodies.at(0)].translation.z;
            self.outcome.highest = self.outcome.highest.max(height);
        }
    }

    /// What came out so far.
    pub(crate) fn outcome(&self) -> Outcome {
        let mut outcome = Outcome { time: self.state.time, ..self.outcome };
        for (fighter, _) in &self.fighters {
            let tally = fighter.tally();
            outcome.falls += tally.falls;
            outcome.recoveries += tally.recoveries;
            outcome.longest = outcome.longest.max(tally.longest);
            outcome.punches += tally.punches;
            outcome.hits += fighter.hurt().hits;
        }
        outcome
    }
}

/// Gentle bumps, others for every seed.
fn bumps(dice: &mut Random) -> ShapeSpec {
    let (n, spacing) = (97, 0.25);
    let phase: [f64; 3] = core::array::from_fn(|_| std::f64::consts::TAU * dice.unit());
    let height = |k: usize| {
        let (x, y) = ((k % n) as f64 * spacing, (k / n) as f64 * spacing);
        let wave = (2.1 * x + phase[0]).sin() * (1.7 * y + phase[1]).cos()
            + 0.5 * (3.9 * x + 2.3 * y + phase[2]).sin();
        0.5 * BUMPS * wave / 1.5
    };
    let field = Shape::heightfield(n, n, spacing, (0..n * n).map(height).collect());
    ShapeSpec::new(field.expect("finite heights on a grid"))
}
