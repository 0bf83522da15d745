//! Random streams by name, how they are saved, and smooth noise.

pub(crate) use stuntlab_physics::random::Random;
use stuntlab_physics::random::{mix, unit};

/// The seed of what is called `name`, from a scene's seed.
pub(crate) fn seed_of(seed: u64, name: &str) -> u64 {
    Random::named(seed, name).bits()
}

/// A stream in files: read again it goes on where it was.
pub(crate) mod saved {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Random;

    pub(crate) fn serialize<S: Serializer>(random: &Random, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_u64(random.state())
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Random, D::Error> {
        u64::deserialize(from).map(Random::new)
    }
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
