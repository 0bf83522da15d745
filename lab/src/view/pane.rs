//! One world of the window with its past and the hands in it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use stuntlab_control::Controller;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ModelError;
use stuntlab_physics::{BodyId, Formulation, State, blackbox};

use super::charts::Charts;
use super::history::History;
use super::timeline::Timeline;
use crate::disk;
use crate::measure::{Gauge, Start};
use crate::run::{Hands, Snapshot, World};
use crate::scene::{ControllerSpec, Scene, SceneError, Variant};

/// How long an arrow stays, simulated s.
const ARROW_TIME: f64 = 0.6;

/// A state in a file is looked for in the first so many simulated seconds of its scene: those of most take a few seconds.
const LONGEST_LIFE: f64 = 30.0;

/// What a state that was kept brings back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All, bit for bit.
    Whole,
    /// Bodies and contacts; controllers begin anew.
    Bodies,
}

impl Found {
    /// What the panes of a window came back to.
    pub(crate) fn words(all: &[Self], time: f64) -> String {
        match all.contains(&Self::Bodies) {
            true => format!("back at {time:.2} s; hands were in that run: controllers begin anew"),
            false => format!("back at {time:.2} s"),
        }
    }
}

/// A world in the window.
pub(crate) struct Pane {
    pub(crate) name: String,
    pub(crate) world: World,
    pub(crate) history: History,
    pub(crate) hands: Hands,
    pub(crate) failure: Option<String>,
    /// Mean cost of a step, s.
    pub(crate) step_cost: f64,
    pub(crate) charts: Charts,
    /// What happened.
    pub(crate) timeline: Timeline,
    /// A state to come back to.
    pub(crate) saved: Option<Snapshot>,
    /// What the scene measures, and against what, for charts.
    pub(crate) gauges: Vec<Gauge>,
    pub(crate) start: Start,
    pub(super) scene: Scene,
    /// Which spare body is thrown next.
    next_spare: [usize; 2],
}

impl Pane {
    pub(crate) fn new(scene: &Scene, variant: &Variant) -> Result<Self, SceneError> {
        let mut scene = if variant.set.is_empty() { scene.clone() } else { scene.with(&variant.set)? };
        scene.add_spares();
        // Nobody reads the books in the window.
        scene.options.ledger = false;
        let world = World::new(&scene)?;
        let mine = scene.measures.iter().filter(|m| m.is_for(&variant.name));
        let mut pane = Self {
            gauges: mine.map(|m| Gauge::new(m, &world)).collect(),
            start: Start::of(&world),
            name: variant.name.clone(),
            world,
            history: History::default(),
            hands: Hands::default(),
            failure: None,
            step_cost: 0.0,
            charts: Charts::default(),
            timeline: Timeline::default(),
            saved: None,
            scene,
            next_spare: [0; 2],
        };
        pane.history.remember(&pane.world);
        Ok(pane)
    }

    /// Back to the start, settings as they are.
    pub(crate) fn restart(&mut self) {
        // The scene was built before, so it can be built again.
        let Ok(mut world) = World::new(&self.scene) else { return };
        world.options = self.world.options;
        keep_controllers(&mut world, &self.world);
        let (gravity, friction) = (self.world.model().gravity(), self.world.friction());
        if (gravity, friction) != (world.model().gravity(), 1.0) {
            // Both were changed before, so they can be again.
            let _ = world.move_elsewhere(gravity, friction);
        }
        self.start = Start::of(&world);
        self.world = world;
        self.hands = Hands::default();
        self.charts.clear();
        self.timeline = Timeline::default();
        self.next_spare = [0; 2];
        self.begin_here();
    }

    /// Forgets the past.
    fn begin_here(&mut self) {
        self.failure = None;
        self.history = History::default();
        self.history.remember(&self.world);
    }

    /// One step; a failed one stops the pane.
    pub(crate) fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        let start = Instant::now();
        if let Err(error) = self.world.step(&self.hands) {
            self.failure = Some(error.to_string());
            return;
        }
        let cost = start.elapsed().as_secs_f64();
        self.step_cost += 0.05 * (cost - self.step_cost);
        let time = self.world.state.time;
        self.hands.pushes.retain(|p| time < p.start + p.duration + ARROW_TIME);
        self.history.remember(&self.world);
        self.timeline.look(&self.world);
        self.start.follow(&self.world);
    }

    /// Takes a sample of what is charted.
    pub(crate) fn sample(&mut self) {
        let values = self.charts.values(self);
        self.charts.add(&values);
    }

    /// Where its state is written: beside the screenshots, by scene and variant.
    pub(crate) fn file(&self, dir: &Path) -> PathBuf {
        let scene = &self.world.scene().name;
        let name = if self.name.is_empty() { scene.clone() } else { format!("{scene}-{}", self.name) };
        dir.join(format!("{name}.state"))
    }

    /// Keeps the state of now, in memory and in a file.
    ///
    /// # Errors
    /// A file that cannot be written; in memory it is kept all the same.
    pub(crate) fn save(&mut self, dir: &Path) -> Result<(), String> {
        self.saved = Some(self.world.snapshot());
        let mut text = Vec::new();
        self.world.saved().write(&mut text).map_err(|e| e.to_string())?;
        disk::replace(&self.file(dir), &text).map_err(|e| e.to_string())
    }

    /// Goes on from the state that was kept: the one in memory, with all that controllers knew, else the one in the file.
    ///
    /// # Errors
    /// Neither is there, or the file is of another scene.
    pub(crate) fn load(&mut self, dir: &Path) -> Result<Found, String> {
        if let Some(saved) = &self.saved {
            self.world.restore(saved);
            self.begin_here();
            return Ok(Found::Whole);
        }
        self.load_file(&self.file(dir))
    }

    /// Goes on from a state in a file.
    ///
    /// A file holds no controllers. Where the scene comes to this very state by itself they are those of that run; where hands were in
    /// it they begin anew.
    ///
    /// # Errors
    /// No such file, or one of another scene.
    pub(crate) fn load_file(&mut self, path: &Path) -> Result<Found, String> {
        let named = |problem: String| format!("{}: {problem}", path.display());
        let text = disk::read(path).map_err(|e| named(e.to_string()))?;
        let saved = blackbox::Snapshot::read(&text[..]).map_err(|e| named(e.to_string()))?;
        let before = self.world.clone();
        self.world.resume(&saved).map_err(|e| named(e.to_string()))?;
        keep_controllers(&mut self.world, &before);
        let found = match self.lived(&saved) {
            Some(world) => {
                self.world = world;
                Found::Whole
            }
            None => Found::Bodies,
        };
        self.begin_here();
        Ok(found)
    }

    /// The scene run from its start to a state, if it gets there.
    fn lived(&self, saved: &blackbox::Snapshot) -> Option<World> {
        let mut world = World::new(&self.scene).ok()?;
        world.options = self.world.options;
        let same = |(a, b): (&World, &World)| {
            let names = |w: &World| w.controllers.iter().map(|c| c.name()).collect::<Vec<_>>();
            names(a) == names(b) && a.friction() == b.friction() && a.model().gravity() == b.model().gravity()
        };
        if saved.state.time > LONGEST_LIFE || !same((&world, &self.world)) {
            return None;
        }
        while world.state.time + 0.5 * world.options.dt < saved.state.time {
            world.step(&Hands::default()).ok()?;
        }
        (world.saved() == *saved).then_some(world)
    }

    /// Puts a freedom of a body's joint elsewhere, rad or m; all other joints stay as they are.
    pub(crate) fn pose(&mut self, body: BodyId, freedom: usize, value: f64) {
        self.world.edit(|model, state| {
            let (spec, zero) = (model.body(body), State::new(model));
            let mut way = vec![0.0; model.n_v()];
            zero.difference(model, state, &mut way);
            // From the zero pose of this joint along its own way, with one number changed.
            let mut own = vec![0.0; model.n_v()];
            own[spec.freedoms()].copy_from_slice(&way[spec.freedoms()]);
            if let Some(number) = own[spec.freedoms()].get_mut(freedom) {
                *number = value;
            }
            state.q[spec.coordinates()].copy_from_slice(&zero.q[spec.coordinates()]);
            state.integrate(model, &own, 1.0);
        });
        self.edited();
    }

    /// Gives a freedom of a body's joint another rate, rad/s or m/s.
    pub(crate) fn rate(&mut self, body: BodyId, freedom: usize, value: f64) {
        self.world.edit(|model, state| {
            if let Some(rate) = state.v[model.body(body).freedoms()].get_mut(freedom) {
                *rate = value;
            }
        });
        self.edited();
    }

    /// What was ahead of an edited state no longer follows from it.
    fn edited(&mut self) {
        self.failure = None;
        self.history.remember(&self.world);
    }

    /// Another gravity (down, m/s²), and another factor on all friction.
    ///
    /// # Errors
    /// Numbers that make no sense.
    pub(crate) fn move_elsewhere(&mut self, gravity: f64, friction: f64) -> Result<(), ModelError> {
        let down = self.world.scene().gravity.normalize_or(DVec3::NEG_Z);
        self.world.move_elsewhere(down * gravity, friction)
    }

    /// Gives a number of a character's controller another value: the controller is made anew, the world goes on.
    ///
    /// # Errors
    /// A value that the controller refuses.
    pub(crate) fn set(&mut self, member: usize, key: &str, value: f64) -> Result<(), SceneError> {
        let mut scene = self.scene.with(&[format!("character.{member}.controller.{key}={value:?}")])?;
        scene.add_spares();
        scene.options = self.scene.options;
        let mut fresh = World::new(&scene)?;
        self.world.controllers[member] = fresh.controllers.swap_remove(member);
        self.scene = scene;
        Ok(())
    }

    /// The next contact formulation.
    pub(crate) fn next_formulation(&mut self) {
        let all = Formulation::ALL;
        let now = all.iter().position(|f| *f == self.world.options.formulation).unwrap_or(0);
        self.world.options.formulation = all[(now + 1) % all.len()];
    }

    /// The next controller that fits a character; its name.
    pub(crate) fn next_controller(&mut self, k: usize) -> Option<&'static str> {
        let names: Vec<&str> = self.world.scene().registry.controllers().iter().map(|k| k.name).collect();
        let now =
            names.iter().position(|name| *name == self.world.controllers.get(k).map_or("", |c| c.name()));
        let next = |by: usize| names[now.map_or(by - 1, |now| now + by) % names.len()];
        let made = (1..=names.len()).map(next).find_map(|name| kept(&self.world, k, name))?;
        self.world.controllers[k] = made;
        Some(self.world.controllers[k].name())
    }

    /// Throws a spare thing: `kind` 0 is a ball, 1 a crate.
    pub(crate) fn throw(&mut self, kind: usize, from: DVec3, velocity: DVec3) {
        let prefix = Scene::SPARES[kind];
        let name = format!("{prefix}-{}", self.next_spare[kind] % Scene::SPARES_EACH);
        self.next_spare[kind] += 1;
        if let Some(body) = self.world.model().find(&name) {
            self.world.throw(body, from, velocity, DVec3::new(1.0, 2.0, 3.0) * kind as f64);
        }
    }
}

/// Gives a world made anew the controllers that were swapped in before.
fn keep_controllers(world: &mut World, before: &World) {
    for (k, old) in before.controllers.iter().enumerate() {
        if old.name() != world.controllers[k].name()
            && let Some(controller) = kept(world, k, old.name())
        {
            world.controllers[k] = controller;
        }
    }
}

/// The controller of this name as the scene sets it up for a character, or with standard settings, if it fits.
fn kept(world: &World, member: usize, name: &str) -> Option<Box<dyn Controller>> {
    let own = &world.cast()[member].controller;
    let usual = || ControllerSpec::usual(world.scene().registry.controller(name)?).ok();
    let spec = if own.name() == name { Some(own.clone()) } else { usual() };
    world.make_controller(&world.cast()[member], &spec?).ok()
}
