//! Pops: a joint that moves more in one step than before and after it.
//!
//! By the mark a pop is at a switch: a joint that is freed or goes back, the whole body that begins or ends to answer, a foot that begins or ends a
//! step, the leg that stands. What is played back has no excuse there. The step in which a joint is freed is apart: state is carried over, and what it does then
//! is the blow's (a knee is thrown into its stop within two steps).
//! Steps without a switch are looked at too, and reported beside it: there a walk has what its own clip has, whose knees turn about within a step where
//! the foot strikes. What the motion does by itself beyond those around it is taken off everywhere.

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
    /// Of the last steps, oldest first, by bone; and whether anything switched in them.
    steps: Vec<(Vec<Step>, bool)>,
    switches: f64,
    worst: f64,
    anywhere: f64,
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
            switches: switches(world),
            worst: 0.0,
            anywhere: 0.0,
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
        let switched = switches(world) != self.switches;
        self.switches = switches(world);
        self.steps.push((bodies.iter().enumerate().map(bone).collect(), switched));
        if self.steps.len() < WINDOW {
            return;
        }
        // The step of a switch, and the one after it, which still has its rate.
        let at_switch = self.steps[1].1 || self.steps[2].1;
        for k in 0..bodies.len() {
            let step = |i: usize| &self.steps[i].0[k];
            let of = |pick: fn(&Step) -> f64| {
                let around = [0, 1, 3, 4].map(|i| pick(step(i))).into_iter().fold(0.0, f64::max);
                (pick(step(2)), around)
            };
            let ((way, around), (twin, twin_around)) = (of(|s| s.0), of(|s| s.1));
            let beyond = way - UNSEEN - (twin - twin_around).max(0.0);
            let pop = if beyond > 0.0 { beyond / around } else { 0.0 };
            if !step(2).2 {
                self.anywhere = self.anywhere.max(pop);
                if at_switch {
                    self.worst = self.worst.max(pop);
                }
            } else if !step(1).2 {
                self.freed = self.freed.max(pop);
            }
        }
        self.steps.remove(0);
    }

    /// The largest way of a joint that is played back in the step of a switch or the one after it, of the larger of those around it.
    pub(super) fn worst(&self) -> f64 {
        self.worst
    }

    /// The same in any step.
    pub(super) fn anywhere(&self) -> f64 {
        self.anywhere
    }

    /// The same of joints in the step in which they are freed: what it has is the blow's.
    pub(super) fn freed(&self) -> f64 {
        self.freed
    }
}

/// Switches so far.
fn switches(world: &World) -> f64 {
    world.controllers[0].readings().get("switches").unwrap_or(0.0)
}
