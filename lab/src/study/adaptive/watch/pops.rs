//! Pops: a joint that moves more in one step than before and after it.
//!
//! Joints that are played back have no excuse, whatever happens: they are looked at in every step, the first of their way back too. The step
//! in which a joint is freed is apart: state is carried over, and what it does then is the blow's (a knee is thrown into its stop within two steps).
//! What the motion does by itself beyond those around it is taken off: before the twin was looked at, the first run had every walk above the
//! mark, whose own ankles have 1.36 where the foot strikes.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::State;

use crate::run::World;

/// Way of a joint in a step that nobody sees, rad: a seventieth of a degree.
const UNSEEN: f64 = 2e-4;
/// Steps that are compared: two before, the one in question, two after.
const WINDOW: usize = 5;

/// Looks for pops of the first character.
pub(super) struct Pops {
    before: State,
    way: Vec<f64>,
    /// The same of the twin.
    twin: State,
    /// Of the last steps, oldest first, by bone.
    steps: Vec<Vec<Step>>,
    worst: f64,
    freed: f64,
}

/// How far a joint went, the twin's, and whether it was simulated.
type Step = (f64, f64, bool);

impl Pops {
    pub(super) fn new(world: &World) -> Self {
        Self {
            before: world.state.clone(),
            twin: world.state.clone(),
            way: vec![0.0; world.state.v.len()],
            steps: Vec::new(),
            worst: 0.0,
            freed: 0.0,
        }
    }

    /// Looks at the step that was taken, by the character and by its twin.
    pub(super) fn look(&mut self, world: &World, twin: &World) {
        let model = world.model();
        let bodies = world.senses()[0].bodies();
        let far = |way: &[f64], body| {
            let freedoms = model.body(body).freedoms();
            freedoms.iter().map(|dof| way[dof] * way[dof]).sum::<f64>().sqrt()
        };
        self.twin.difference(model, &twin.state, &mut self.way);
        self.twin.clone_from(&twin.state);
        let by_itself: Vec<f64> = bodies.iter().map(|body| far(&self.way, body)).collect();
        self.before.difference(model, &world.state, &mut self.way);
        self.before.clone_from(&world.state);
        let bone = |(k, body)| {
            let glow = world.controllers[0].glow(Bone::new(k));
            (far(&self.way, body), by_itself[k], glow.is_some_and(|g| g.simulated == 1.0))
        };
        self.steps.push(bodies.iter().enumerate().map(bone).collect());
        if self.steps.len() < WINDOW {
            return;
        }
        for k in 0..bodies.len() {
            let simulated = |i: usize| self.steps[i][k].2;
            let of = |pick: fn(&Step) -> f64| {
                let around = [0, 1, 3, 4].map(|i| pick(&self.steps[i][k])).into_iter().fold(0.0, f64::max);
                (pick(&self.steps[2][k]), around)
            };
            let ((way, around), (twin, twin_around)) = (of(|s| s.0), of(|s| s.1));
            let beyond = way - UNSEEN - (twin - twin_around).max(0.0);
            let pop = if beyond > 0.0 { beyond / around } else { 0.0 };
            if !simulated(2) {
                self.worst = self.worst.max(pop);
            } else if !simulated(1) {
                self.freed = self.freed.max(pop);
            }
        }
        self.steps.remove(0);
    }

    /// The largest way of a joint that is played back in a step, of the larger of those around it.
    pub(super) fn worst(&self) -> f64 {
        self.worst
    }

    /// The same of joints in the step in which they are freed: what it has is the blow's.
    pub(super) fn freed(&self) -> f64 {
        self.freed
    }
}
