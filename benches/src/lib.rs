//! What the benches share: the figures by name, and random states that are the same in every run.

pub mod adaptive;
pub mod scenes;
pub mod walker;

use stuntlab_physics::figures::{self, Figure};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Forces, Model, State, glam::DVec3};

pub use stuntlab_physics::random::Random;

/// The figures every dynamics algorithm is timed on.
pub fn dynamics_figures() -> Vec<Figure> {
    let mut all = vec![figures::humanoid37(), figures::bones36()];
    all.extend([8, 32, 128, 512].map(figures::chain));
    all
}

/// CPU seconds of the calling thread, so that other processes disturb less.
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// A state, forces and accelerations to compute with.
pub struct Case {
    /// Joint positions within ±1.5 (rad or m), velocities within ±1.
    pub state: State,
    /// Joint forces within ±10.
    pub forces: Forces,
    /// Joint accelerations within ±10.
    pub acceleration: Vec<f64>,
}

/// `n` random cases, so that no branch predictor learns one by heart.
pub fn cases(model: &Model, n: usize) -> Vec<Case> {
    let mut random = Random::new(1);
    (0..n)
        .map(|_| {
            let mut state = State::new(model);
            for body in model.bodies() {
                let range = body.coordinates();
                state.q[range].iter_mut().for_each(|q| *q = 1.5 * random.symmetric());
                let turn = DVec3::new(random.symmetric(), random.symmetric(), random.symmetric()) * 1.5;
                state.set_rotation(body, rotation::exp(turn));
            }
            state.v.iter_mut().for_each(|v| *v = random.symmetric());
            let mut forces = Forces::new(model);
            forces.joint.iter_mut().for_each(|f| *f = 10.0 * random.symmetric());
            Case { state, acceleration: forces.joint.clone(), forces }
        })
        .collect()
}
