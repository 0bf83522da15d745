//! Random numbers from a seed, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).

use stuntlab_physics::glam::{DQuat, DVec3};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The stream of a seed; neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xa076_1d64_78bd_642f) ^ 0x5eed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True in a share of all cases.
    pub fn chance(&mut self, share: f64) -> bool {
        self.between(0.0, 1.0) < share
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A vector in a cube of half edge `size`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    /// A direction.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// A rotation by up to half a turn.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, std::f64::consts::PI))
    }
}
