//! Random numbers from a seed, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014), and smooth noise.

use serde::{Deserialize, Serialize};

use crate::words::fingerprint;

/// The seed of what is called `name`, from a scene's seed.
pub(crate) fn seed_of(seed: u64, name: &str) -> u64 {
    Random::new(seed, name).next()
}

/// A stream of random numbers. Saved and read again it goes on where it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream called `name` of a scene's seed.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(fingerprint(name.bytes()) ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Evenly between -1 and 1.
    pub(crate) fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Evenly from 0 up to but not including 1.
    pub(crate) fn unit(&mut self) -> f64 {
        unit(self.next())
    }

    /// From the normal distribution of mean 0 and variance 1 (Box and Muller 1958, one of the two).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Evenly one of `0..n`; 0 for an empty range.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The product of 64-bit words, high half: biased by less than n / 2⁶⁴.
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn unit(z: u64) -> f64 {
    (z >> 11) as f64 / (1_u64 << 53) as f64
}

/// Value noise in -1..1, smooth, about one bump per unit of length.
pub(crate) fn noise(seed: u64, x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor(), y.floor());
    let fade = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (fade(x - i), fade(y - j));
    let corner = |di: f64, dj: f64| {
        let (a, b) = ((i + di) as i64 as u64, (j + dj) as i64 as u64);
        2.0 * unit(mix(seed ^ mix(a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(b.wrapping_add(1))))) - 1.0
    };
    let lerp = |a: f64, b: f64, t: f64| a + (b - a) * t;
    lerp(lerp(corner(0.0, 0.0), corner(1.0, 0.0), u), lerp(corner(0.0, 1.0), corner(1.0, 1.0), u), v)
}
