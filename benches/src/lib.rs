//! What the benches share: the figures by name, and random states that are the same in every run.

use stuntlab_physics::figures::{self, Figure};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Forces, Model, State, glam::DVec3};

/// The figures every dynamics algorithm is timed on.
pub fn dynamics_figures() -> Vec<Figure> {
    let mut all = vec![figures::humanoid37(), figures::bones36()];
    all.extend([8, 32, 128, 512].map(figures::chain));
    all
}

/// Reproducible numbers for benches: splitmix64.
pub struct Random(u64);

impl Random {
    /// Starts a stream.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in [-1, 1).
    pub fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
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
                let range = body.q_range();
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
