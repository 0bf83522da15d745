//! A run: one world, or several variants of it side by side, with their measurements, logs and hashes.

use serde::Serialize;
use stuntlab_physics::Bodies;
use stuntlab_physics::dynamics::center_of_mass_of;

use super::bvh::Track;
use super::foils::{FoilOutcome, misfit, outcome};
use super::hands::Hands;
use super::log::Log;
use super::tables::Table;
use super::world::World;
use crate::measure::{Gauge, Reading, Start};
use crate::scene::{FoilOf, Scene, SceneError, Variant};
use crate::words::spelled;

/// One world of a run.
#[derive(Clone)]
pub struct Lane {
    /// Name of the variant; empty for a single run.
    pub name: String,
    /// The variant's overrides.
    pub set: Vec<String>,
    /// The foil it is, if it is one.
    pub foil: Option<FoilOf>,
    /// The world.
    pub world: World,
    /// Hash of the state at every full second, the start included.
    pub hashes: Vec<String>,
    /// Why it stopped early, if it did.
    pub failure: Option<String>,
    pub(crate) log: Log,
    pub(crate) tables: Vec<Table>,
    pub(crate) tracks: Vec<Track>,
    gauges: Vec<Gauge>,
    start: Start,
}

/// A scene running headless.
pub struct Run {
    /// The scene.
    pub scene: Scene,
    /// Its worlds.
    pub lanes: Vec<Lane>,
    /// Variants that need data which is not here, and which.
    pub skipped: Vec<String>,
    steps: u64,
}

impl Lane {
    fn new(scene: &Scene, variant: &Variant) -> Result<Self, SceneError> {
        let scene = if variant.set.is_empty() { scene.clone() } else { scene.with(&variant.set)? };
        let world = World::new(&scene)?;
        let own = variant.foil.as_ref().map_or(&variant.name, |foil| &foil.of);
        let mine = scene.measures.iter().filter(|m| m.is_for(own));
        let gauges = mine.map(|m| Gauge::new(m, &world)).collect();
        let start = Start::of(&world);
        let mut lane = Self {
            name: variant.name.clone(),
            set: variant.set.clone(),
            foil: variant.foil.clone(),
            hashes: vec![spelled(world.hash())],
            failure: None,
            log: Log::new(&world),
            tables: Table::of(&world),
            tracks: world.cast().iter().map(Track::new).collect(),
            gauges,
            start,
            world,
        };
        lane.log.sample(&lane.world);
        lane.tables.iter_mut().for_each(|table| table.sample(&lane.world));
        lane.tracks.iter_mut().for_each(|track| track.sample(&lane.world));
        Ok(lane)
    }

    /// What its gauges read; `name` is put before theirs.
    pub(super) fn readings(&self, name: &str) -> impl Iterator<Item = Reading> {
        self.gauges.iter().map(move |g| g.reading(name))
    }

    fn step(&mut self) {
        if self.failure.is_some() {
            return;
        }
        if let Err(error) = self.world.step(&Hands::default()) {
            self.failure = Some(error.to_string());
            return;
        }
        self.start.follow(&self.world);
        for gauge in &mut self.gauges {
            gauge.look(&self.world, &self.start);
        }
        self.log.sample(&self.world);
        self.tables.iter_mut().for_each(|table| table.sample(&self.world));
        self.tracks.iter_mut().for_each(|track| track.sample(&self.world));
        // A step that ends on a full second, to within half a step.
        let (time, dt) = (self.world.state.time, self.world.options.dt);
        if (time - time.round()).abs() < 0.5 * dt && time.round() as usize == self.hashes.len() {
            self.hashes.push(spelled(self.world.hash()));
        }
    }
}

/// How a run went, for machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Name of the scene.
    pub scene: String,
    /// Simulated seconds.
    pub duration: f64,
    /// Whether every measurement passed, no step failed and every foil broke its marks.
    pub passed: bool,
    /// The measurements.
    pub measurements: Vec<Reading>,
    /// The foils, where they were run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foils: Vec<FoilOutcome>,
    /// Steps that went wrong, by lane.
    pub failures: Vec<String>,
    /// Variants that were not run because data they need is not here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// What was repaired, cut off or left of the recordings that were followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
}

impl Metrics {
    /// Whether all of it is as it should be.
    fn judge(&mut self) {
        self.passed = self.failures.is_empty()
            && self.measurements.iter().all(|m| m.passed)
            && self.foils.iter().all(|f| f.broken);
    }

    /// Adds remarks on recordings, each once.
    fn add_clips(&mut self, notes: Vec<String>) {
        let fresh: Vec<String> = notes.into_iter().filter(|note| !self.clips.contains(note)).collect();
        self.clips.extend(fresh);
    }

    /// Adds what other worlds of the same scene gave.
    pub(crate) fn add(&mut self, other: Self) {
        self.measurements.extend(other.measurements);
        self.foils.extend(other.foils);
        self.failures.extend(other.failures);
        self.skipped.extend(other.skipped);
        self.add_clips(other.clips);
        self.judge();
    }
}

impl Run {
    /// Sets up the variants of a scene; those whose data is not here are skipped.
    ///
    /// # Errors
    /// A variant that does not fit the scene.
    pub fn new(scene: &Scene, variants: &[Variant]) -> Result<Self, SceneError> {
        let (mut lanes, mut skipped) = (Vec::new(), Vec::new());
        for variant in variants {
            match Lane::new(scene, variant).map_err(|e| misfit(scene, variant, e)) {
                Ok(lane) => lanes.push(lane),
                Err(error) if error.absent => skipped.push(format!("{}: {}", variant.name, error.problem)),
                Err(error) => return Err(error),
            }
        }
        Ok(Self { scene: scene.clone(), lanes, skipped, steps: 0 })
    }

    /// Steps every lane until it has reached `time`, or the end of its own scene.
    pub fn advance_to(&mut self, time: f64) {
        for lane in &mut self.lanes {
            let time = time.min(lane.world.scene().duration);
            while lane.failure.is_none() && lane.world.state.time + 0.5 * lane.world.options.dt < time {
                lane.step();
                self.steps += 1;
            }
        }
    }

    /// How long it lasts, s: as long as the longest of its variants, which may be longer than the scene.
    pub fn seconds(&self) -> f64 {
        self.lanes.iter().map(|lane| lane.world.scene().duration).fold(0.0, f64::max)
    }

    /// How long the first character's motion lasts, s; `None` where it has none.
    pub fn motion_seconds(&self) -> Option<f64> {
        Some(self.lanes.first()?.world.cast().first()?.motion.as_ref()?.duration())
    }

    /// Steps taken so far, by all lanes together.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What was measured.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics {
            scene: self.scene.name.clone(),
            duration: self.seconds(),
            passed: false,
            measurements: Vec::new(),
            foils: Vec::new(),
            failures: Vec::new(),
            skipped: self.skipped.clone(),
            clips: Vec::new(),
        };
        for lane in &self.lanes {
            metrics.add_clips(lane.world.scene().clip_notes());
            if let Some(foil) = &lane.foil {
                metrics.foils.push(outcome(&self.scene, lane, foil));
                continue;
            }
            metrics.measurements.extend(lane.readings(&lane.name));
            let name = if lane.name.is_empty() { &self.scene.name } else { &lane.name };
            metrics.failures.extend(lane.failure.as_ref().map(|e| format!("{name}: {e}")));
        }
        metrics.judge();
        metrics
    }

    /// How far the lanes have come apart: for each the mean distance of its bodies from those of the first, m.
    pub fn divergence(&self) -> Vec<f64> {
        let worlds: Vec<&World> = self.lanes.iter().map(|l| &l.world).collect();
        divergence(&worlds)
    }
}

/// Mean distance of every world's bodies from those of the first, m.
pub(crate) fn divergence(worlds: &[&World]) -> Vec<f64> {
    let Some(first) = worlds.first() else { return Vec::new() };
    let places = |world: &World| -> Vec<_> {
        let center = |b| center_of_mass_of(world.model(), &world.data, Bodies::one(b)).position;
        world.model().body_ids().iter().map(center).collect()
    };
    let base = places(first);
    let apart = |world: &&World| {
        let here = places(world);
        let sum: f64 = here.iter().zip(&base).map(|(a, b)| a.distance(*b)).sum();
        sum / here.len().max(1) as f64
    };
    worlds.iter().map(apart).collect()
}
