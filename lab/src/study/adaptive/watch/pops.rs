//! Pops: a joint that moves more in one step than before and after it.
//!
//! By the mark a pop is at a switch: a joint that is freed or goes back, the whole body that begins or ends to answer, a foot that begins or ends a
//! step, the leg that stands. What is played back has no excuse there. The step in which a joint is freed is apart: state is carried over, and a blow throws what is
//! free (a knee into its stop within two steps). What of that is the switch's tells a second run of the last two steps, in which the same joints
//! are free a step earlier: there the blow meets them without any switch, and only what goes beyond that is counted.
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
    by_switch: f64,
    without_blow: f64,
}

/// How far a joint went, the twin's, whether it was simulated, and how far it would have gone if it had been so a step earlier.
type Step = (f64, f64, bool, f64);

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
            by_switch: 0.0,
            without_blow: 0.0,
        }
    }

    /// Looks at the step that was taken, by the character and by its twin; `earlier` is how far joints that were freed in it go if they are so a step
    /// earlier, by bone.
    pub(super) fn look(&mut self, world: &World, twin: &World, earlier: &[f64]) {
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
            let free = earlier.get(k).copied().unwrap_or(0.0);
            (far(&self.way, body), by_itself[k], glow.is_some_and(|g| g.simulated == 1.0), free)
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
                // A blow may stop what it frees: there the twin tells how it would have gone on.
                let on = [3, 4]
                    .map(|i| if step(i).2 { step(i).1 } else { 0.0 })
                    .into_iter()
                    .fold(around, f64::max);
                let pop = if beyond > 0.0 { beyond / on } else { 0.0 };
                self.without_blow = self.without_blow.max(pop);
            } else if !step(1).2 {
                self.freed = self.freed.max(pop);
                let pop = if beyond > 0.0 { beyond / around.max(step(2).3) } else { 0.0 };
                self.by_switch = self.by_switch.max(pop);
            }
        }
        self.steps.remove(0);
    }

    /// The largest way of a joint that is played back in the step of a switch or the one after it, of the larger of those around it.
    pub(super) fn worst(&self) -> f64 {
        self.worst
    }

    /// The same in any step, a joint that is freed in the next two being taken to go on as the twin's does: a blow stops it otherwise.
    pub(super) fn without_blow(&self) -> f64 {
        self.without_blow
    }

    /// The same in any step.
    pub(super) fn anywhere(&self) -> f64 {
        self.anywhere
    }

    /// The same of joints in the step in which they are freed, the blow's part in it.
    pub(super) fn freed(&self) -> f64 {
        self.freed
    }

    /// What of that the switch has to do with: of the larger of those around it and of what the same blow does to the joint if it is free a
    /// step earlier.
    pub(super) fn by_switch(&self) -> f64 {
        self.by_switch
    }
}

/// Switches so far.
fn switches(world: &World) -> f64 {
    world.controllers[0].readings().get("switches").unwrap_or(0.0)
}
