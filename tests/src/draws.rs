//! Random numbers for tests, the same on every machine.

use std::ops::{Deref, DerefMut};

use stuntlab_physics::random::Random;

/// A stream of random numbers, with what tests draw besides. Recorded seeds mean what they meant: the start and
/// [`Draws::below`] stay as they are.
#[derive(Clone, Debug)]
pub struct Draws(Random);

impl Draws {
    /// The stream of a seed; neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed.wrapping_mul(0xa076_1d64_78bd_642f) ^ 0x5eed))
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.0.bits() % n as u64) as usize
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

impl Deref for Draws {
    type Target = Random;

    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Draws {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}
