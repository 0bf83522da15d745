//! One world of the window with its past and the hands in it.

use std::time::Instant;

use stuntlab_control::{Controller, Published};
use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{BodyId, Formulation};

use super::history::History;
use crate::run::{Hands, World};
use crate::scene::{ControllerSpec, Scene, SceneError, Variant};

/// How long an arrow stays, simulated s.
const ARROW_TIME: f64 = 0.6;
/// Arrow length, m per N s.
const METRES_PER_IMPULSE: f64 = 0.01;

/// A world in the window.
pub(crate) struct Pane {
    pub(crate) name: String,
    pub(crate) world: World,
    pub(crate) history: History,
    pub(crate) hands: Hands,
    pub(crate) failure: Option<String>,
    /// Mean cost of a step, s.
    pub(crate) step_cost: f64,
    /// The charted number of late.
    pub(crate) curve: Vec<f64>,
    /// Which reading of the first character is charted; the kinetic energy where none.
    charted: Option<Published>,
    scene: Scene,
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
            curve: Vec::new(),
            charted: None,
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
        self.curve.clear();
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
    }

    /// Charts the next of: the kinetic energy, the readings of the first character.
    pub(crate) fn next_chart(&mut self) {
        let readings = self.world.controllers.first().map(|c| c.readings().published());
        let names = readings.unwrap_or_default();
        let next = match self.charted {
            None => 0,
            Some(now) => names.iter().position(|p| p.name == now.name).map_or(0, |k| k + 1),
        };
        self.charted = names.get(next).copied();
        self.curve.clear();
    }

    /// What is charted, with its unit.
    pub(crate) fn chart_title(&self) -> String {
        match &self.charted {
            None => "kinetic energy, J".to_owned(),
            Some(p) if p.unit.is_empty() => p.name.to_owned(),
            Some(p) => format!("{}, {}", p.name, p.unit),
        }
    }

    /// Takes a point of the chart, keeping the last `most`.
    pub(crate) fn chart(&mut self, most: usize) {
        let world = &self.world;
        let value = match &self.charted {
            None => Some(kinetic_energy(world.model(), &world.data, &world.state.v)),
            Some(p) => world.controllers.first().and_then(|c| c.readings().get(p.name)),
        };
        self.curve.extend(value);
        if self.curve.len() > most {
            self.curve.remove(0);
        }
    }

    /// The next contact formulation.
    pub(crate) fn next_formulation(&mut self) {
        let all = Formulation::ALL;
        let now = all.iter().position(|f| *f == self.world.options.formulation).unwrap_or(0);
        self.world.options.formulation = all[(now + 1) % all.len()];
    }

    /// The next controller that fits, for every character.
    pub(crate) fn next_controller(&mut self) {
        let names: Vec<&str> = self.world.scene().registry.controllers().iter().map(|k| k.name).collect();
        for k in 0..self.world.controllers.len() {
            let now = names.iter().position(|name| *name == self.world.controllers[k].name());
            let next = |by: usize| names[now.map_or(by - 1, |now| now + by) % names.len()];
            if let Some(made) = (1..=names.len()).map(next).find_map(|name| kept(&self.world, k, name)) {
                self.world.controllers[k] = made;
            }
        }
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

    /// Arrows of pushes and of the drag.
    pub(crate) fn arrows(&self) -> Vec<(DVec3, DVec3)> {
        let pose = |body: BodyId| self.world.data.world_from_body(body);
        let mut arrows: Vec<(DVec3, DVec3)> = Vec::new();
        for push in &self.hands.pushes {
            let tip = pose(push.body).transform_point(push.point_body);
            arrows.push((tip - push.impulse * METRES_PER_IMPULSE, tip));
        }
        if let Some(drag) = &self.hands.drag {
            arrows.push((pose(drag.body).transform_point(drag.point_body), drag.target));
        }
        arrows
    }
}

/// The controller of this name as the scene sets it up for a character, or with standard settings, if it fits.
fn kept(world: &World, member: usize, name: &str) -> Option<Box<dyn Controller>> {
    let own = &world.cast()[member].controller;
    let usual = || ControllerSpec::usual(world.scene().registry.controller(name)?).ok();
    let spec = if own.name() == name { Some(own.clone()) } else { usual() };
    world.make_controller(&world.cast()[member], &spec?).ok()
}
