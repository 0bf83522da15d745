//! One world of the window with its past and the hands in it.

use std::time::Instant;

use stuntlab_control::Controller;
use stuntlab_physics::Formulation;
use stuntlab_physics::glam::DVec3;

use super::charts::Charts;
use super::history::History;
use super::timeline::Timeline;
use crate::run::{Hands, Snapshot, World};
use crate::scene::{ControllerSpec, Scene, SceneError, Variant};

/// How long an arrow stays, simulated s.
const ARROW_TIME: f64 = 0.6;

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
        let mut pane = Self {
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
        for (k, old) in self.world.controllers.iter().enumerate() {
            if old.name() != world.controllers[k].name()
                && let Some(controller) = kept(&world, k, old.name())
            {
                world.controllers[k] = controller;
            }
        }
        self.world = world;
        self.history = History::default();
        self.hands = Hands::default();
        self.failure = None;
        self.charts.clear();
        self.timeline = Timeline::default();
        self.next_spare = [0; 2];
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
    }

    /// Keeps the state of now.
    pub(crate) fn save(&mut self) {
        self.saved = Some(self.world.snapshot());
    }

    /// Goes on from the state that was kept.
    pub(crate) fn load(&mut self) {
        if let Some(saved) = &self.saved {
            self.world.restore(saved);
            self.failure = None;
            self.history = History::default();
            self.history.remember(&self.world);
        }
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

/// The controller of this name as the scene sets it up for a character, or with standard settings, if it fits.
fn kept(world: &World, member: usize, name: &str) -> Option<Box<dyn Controller>> {
    let own = &world.cast()[member].controller;
    let usual = || ControllerSpec::usual(world.scene().registry.controller(name)?).ok();
    let spec = if own.name() == name { Some(own.clone()) } else { usual() };
    world.make_controller(&world.cast()[member], &spec?).ok()
}
