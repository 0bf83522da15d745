//! Pops and slides at switches.
//!
//! A pop is an acceleration of a body's centre of mass in the step of a switch, or the one after it, beyond those of the tenths of a second before and after it. Switches
//! while something strikes the ground are apart: what a contact does is its own. A slide is how far a foot that is flat on the ground goes along it within the blend after a splice of one who is on its feet.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Sole;
use stuntlab_physics::glam::{DVec2, DVec3};

use crate::run::World;

/// Steps of a tenth of a second.
const AROUND: usize = 12;
/// Acceleration that nobody sees, m/s²: a tenth of a fall.
const UNSEEN: f64 = 1.0;
/// Height over the ground below which all points of a sole are that is flat on it, m.
const FLAT: f64 = 0.02;
/// Height of the pelvis of one who is on its feet, m.
const UPRIGHT: f64 = 0.7;
/// Seconds after a splice in which feet are looked at: the blend's.
const BLEND: f64 = 0.3;

/// Looks at the first character.
pub(super) struct Splices {
    velocities: Vec<DVec3>,
    /// Accelerations of all bodies in the last steps, oldest first, and whether a switch between recording and simulation was just made.
    steps: Vec<(Vec<f64>, bool)>,
    switches: f64,
    worst: f64,
    /// When the last splice was, s, and where each point of a sole touched down since.
    spliced: f64,
    soles: Vec<Option<DVec2>>,
    slide: f64,
}

impl Splices {
    pub(super) fn new(world: &World) -> Self {
        let soles = world.senses()[0].physique().soles().len();
        Self {
            velocities: velocities(world),
            steps: Vec::new(),
            switches: read(world, "trip-switches"),
            worst: 0.0,
            spliced: f64::NEG_INFINITY,
            soles: vec![None; soles],
            slide: 0.0,
        }
    }

    /// Looks at the step that was taken.
    pub(super) fn look(&mut self, world: &World) {
        let now = velocities(world);
        let dt = world.options.dt;
        let accelerations: Vec<f64> =
            now.iter().zip(&self.velocities).map(|(a, b)| (*a - *b).length() / dt).collect();
        self.velocities = now;
        let switches = read(world, "trip-switches");
        // Into or out of a recording.
        let spliced = switches != self.switches && read(world, "moving") == 0.0;
        self.switches = switches;
        self.steps.push((accelerations, spliced));
        if spliced {
            self.spliced = world.state.time;
            self.soles.fill(None);
        }
        self.slides(world);
        let middle = AROUND + 1;
        if self.steps.len() < 2 * AROUND + 3 {
            return;
        }
        if self.steps[middle].1 {
            for body in 0..self.velocities.len() {
                let at = |k: usize| self.steps[k].0[body];
                let around = (0..AROUND).chain(middle + 2..self.steps.len()).map(at).fold(0.0, f64::max);
                let here = at(middle).max(at(middle + 1));
                self.worst = self.worst.max((here - UNSEEN).max(0.0) / around.max(UNSEEN));
            }
        }
        self.steps.remove(0);
    }

    fn slides(&mut self, world: &World) {
        if world.state.time > self.spliced + BLEND {
            return;
        }
        let senses = &world.senses()[0];
        let place = |sole: &Sole| {
            world.data.world_from_body(sole.bone.among(senses.bodies())).transform_point(sole.point_body)
        };
        let soles = senses.physique().soles();
        let root = world.data.world_from_body(senses.bodies().at(0)).translation.z;
        let flat = Side::BOTH.map(|side| {
            let highest = soles.iter().filter(|s| s.side == side).map(|s| place(s).z).fold(0.0, f64::max);
            highest < FLAT && root > UPRIGHT
        });
        for (sole, began) in soles.iter().zip(&mut self.soles) {
            if !flat[sole.side as usize] {
                *began = None;
                continue;
            }
            let now = place(sole).truncate();
            let from = *began.get_or_insert(now);
            self.slide = self.slide.max(from.distance(now));
        }
    }

    /// The largest acceleration at a splice, of the larger of those around it.
    pub(super) fn pop(&self) -> f64 {
        self.worst
    }

    /// The farthest slide, m.
    pub(super) fn slide(&self) -> f64 {
        self.slide
    }
}

/// Velocities of all centres of mass.
fn velocities(world: &World) -> Vec<DVec3> {
    let bodies = world.senses()[0].bodies();
    let of = |body| {
        let center = world.model().body(body).inertia().center_of_mass;
        let at = world.data.world_from_body(body).transform_point(center);
        world.data.point_velocity(body, at)
    };
    bodies.iter().map(of).collect()
}

/// A reading of the first character.
pub(super) fn read(world: &World, name: &str) -> f64 {
    world.controllers[0].readings().get(name).unwrap_or(f64::NAN)
}
