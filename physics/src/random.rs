//! Random numbers from a seed, the same on every machine: SplitMix64 (Steele, Lea & Flood 2014).
//!
//! The one generator of the project. It is small enough to be part of what is saved: [`Random::state`] is all of it.

use glam::{DQuat, DVec3};

use crate::fingerprint::fingerprint;

/// `2⁶⁴/φ`, odd: the step of the counter, and what spreads neighbouring seeds.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// The stream that follows from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream called `name` of a seed: streams of one seed have nothing in common.
    pub fn named(seed: u64, name: &str) -> Self {
        Self(fingerprint(name.bytes()) ^ seed.wrapping_mul(GOLDEN))
    }

    /// What [`Random::new`] takes to go on from here.
    pub const fn state(&self) -> u64 {
        self.0
    }

    /// All 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Evenly from 0 up to but not including 1.
    pub fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Evenly from -1 up to but not including 1.
    pub fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Evenly from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// From the normal distribution of mean 0 and variance 1 (Box and Muller 1958, one of the two).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (core::f64::consts::TAU * self.unit()).cos()
    }

    /// Evenly one of `0..n`; 0 for an empty range.
    pub fn below(&mut self, n: usize) -> usize {
        // The product of 64-bit words, high half: biased by less than n / 2⁶⁴.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// True in a share of all cases.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A vector in a cube of half edge `size`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    /// A direction, evenly.
    pub fn direction(&mut self) -> DVec3 {
        loop {
            let v = self.vector(1.0);
            // Near the middle too few digits are left to tell directions apart.
            if (0.01..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// A rotation by up to half a turn about any axis.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(0.0, core::f64::consts::PI))
    }
}

/// The bits of a number, thoroughly mixed: a stream's value at one place, for noise that needs no order.
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// From 0 up to but not including 1, by the upper 53 bits.
pub fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference() {
        // splitmix64.c of Vigna, seed 1234567.
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn a_stream_goes_on_from_its_state() {
        let mut random = Random::named(7, "noise");
        random.normal();
        let mut again = Random::new(random.state());
        assert_eq!(again.unit(), random.unit());
        assert_ne!(Random::named(7, "noise"), Random::named(7, "start"));
    }

    #[test]
    fn draws_stay_in_their_ranges_and_fill_them() {
        let mut random = Random::new(3);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[random.below(5)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
            assert!((random.direction().length() - 1.0).abs() < 1e-12);
        }
        assert!(seen.iter().all(|n| (150..250).contains(n)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
