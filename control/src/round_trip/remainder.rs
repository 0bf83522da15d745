//! The last blend: what a body is off the motion it has come to, which dies out from the position and the velocity it has.
//!
//! ```text
//! (1)  R(t) = R̄(t) exp(δ(t)),  p(t) = p̄(t) + δ(t)                       balls and the root; hinges add
//! (2)  δ(0) = log(R̄ᵀR),        δ̇(0) = J(δ)⁻¹ (ω - exp(-δ) ω̄)             rates in the child's axes
//! (3)  δ(t) = (1-s)² (δ(0) (1 + 2s) + δ̇(0) T s),  s = t/T                  to rest in the time T
//! ```
//! `J(δ)` is the right Jacobian of the exponential, `ω = exp(-δ) ω̄ + J(δ) δ̇`. So position and velocity of every body are kept exactly, however far it is off; only
//! accelerations change.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::Body;
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{JointKind, Model, State};

use crate::adaptive::articulation::fading;

/// What is left.
#[derive(Clone, Debug)]
pub struct Remainder {
    /// `δ(0)` and `δ̇(0)` per freedom; the root's place in the axes of its coordinates.
    offset: Vec<f64>,
    rate: Vec<f64>,
    since: f64,
    whole: f64,
}

impl Remainder {
    /// Nothing, for a character of its own model.
    pub fn new(own: &Model) -> Self {
        Self { offset: vec![0.0; own.n_v()], rate: vec![0.0; own.n_v()], since: 0.0, whole: 0.0 }
    }

    /// Forgets what is left.
    pub fn clear(&mut self) {
        self.whole = 0.0;
    }

    /// Whether nothing is left at a time.
    pub fn is_over(&self, time: f64) -> bool {
        time >= self.since + self.whole
    }

    /// (2): keeps what a body in `actual` is off a motion in `wanted`, both with their velocities, for `whole` seconds from `time` on.
    pub fn keep(&mut self, own: &Model, actual: &State, wanted: &State, time: f64, whole: f64) {
        (self.since, self.whole) = (time, whole);
        for body in own.bodies() {
            let (q, v) = (body.coordinates(), body.freedoms());
            let (is, was) = (&actual.q[q], &wanted.q[q]);
            let (is_v, was_v) = (&actual.v[v], &wanted.v[v]);
            let (offset, rate) = (&mut self.offset[v], &mut self.rate[v]);
            match ball(body) {
                Some((q0, v0)) => {
                    let (r, r0) = (quaternion(is, q0), quaternion(was, q0));
                    let off = rotation::log(r0.conjugate() * r);
                    let spin = vector(is_v, v0) - rotation::exp(-off) * vector(was_v, v0);
                    write(offset, v0, off);
                    write(rate, v0, inverse_jacobian(off, spin));
                    if v0 > 0 {
                        write(offset, 0, vector(is, 0) - vector(was, 0));
                        write(rate, 0, r * vector(is_v, 0) - r0 * vector(was_v, 0));
                    }
                }
                None => {
                    for k in 0..offset.len() {
                        offset[k] = is[k] - was[k];
                        rate[k] = is_v[k] - was_v[k];
                    }
                }
            }
        }
    }

    /// (1), (3): adds what is left at `time` to the motion's coordinates.
    pub fn add(&self, own: &Model, time: f64, q: &mut [f64]) {
        if self.is_over(time) {
            return;
        }
        let left = |v: usize| fading(self.offset[v], self.rate[v], time - self.since, self.whole);
        for body in own.bodies() {
            let v = body.freedoms().range().start;
            let q = &mut q[body.coordinates().range()];
            let three = |k: usize| DVec3::new(left(v + k), left(v + k + 1), left(v + k + 2));
            match ball(body) {
                Some((q0, v0)) => {
                    let turned = quaternion(q, q0) * rotation::exp(three(v0));
                    q[q0..q0 + 4].copy_from_slice(&turned.normalize().to_array());
                    if v0 > 0 {
                        let place = vector(q, 0) + three(0);
                        write(q, 0, place);
                    }
                }
                None => q.iter_mut().enumerate().for_each(|(k, q)| *q += left(v + k)),
            }
        }
    }

    /// Velocities of the motion with what is left, as (1) begins: those of the body that was kept.
    pub fn velocity_at_start(&self, own: &Model, wanted: &State, out: &mut [f64]) {
        for body in own.bodies() {
            let (q, v) = (body.coordinates(), body.freedoms());
            let (offset, rate) = (&self.offset[v], &self.rate[v]);
            let (was, was_v, out) = (&wanted.q[q], &wanted.v[v], &mut out[v]);
            match ball(body) {
                Some((q0, v0)) => {
                    let off = vector(offset, v0);
                    let turn = rotation::exp(off);
                    write(out, v0, turn.conjugate() * vector(was_v, v0) + jacobian(off, vector(rate, v0)));
                    if v0 > 0 {
                        let r0 = quaternion(was, q0);
                        let velocity = r0 * vector(was_v, 0) + vector(rate, 0);
                        write(out, 0, (r0 * turn).conjugate() * velocity);
                    }
                }
                None => out.iter_mut().enumerate().for_each(|(k, out)| *out = was_v[k] + rate[k]),
            }
        }
    }
}

/// Where a joint has its quaternion, and where its three rates.
fn ball(body: &Body) -> Option<(usize, usize)> {
    match body.joint().kind {
        JointKind::Spherical => Some((0, 0)),
        JointKind::Free => Some((3, 3)),
        _ => None,
    }
}

fn vector(from: &[f64], at: usize) -> DVec3 {
    DVec3::new(from[at], from[at + 1], from[at + 2])
}

fn quaternion(from: &[f64], at: usize) -> DQuat {
    DQuat::from_slice(&from[at..at + 4])
}

fn write(to: &mut [f64], at: usize, v: DVec3) {
    to[at..at + 3].copy_from_slice(&v.to_array());
}

/// `J(φ) x`, the right Jacobian: `x - (1 - cos θ)/θ² φ × x + (θ - sin θ)/θ³ φ × (φ × x)`.
fn jacobian(phi: DVec3, x: DVec3) -> DVec3 {
    let t2 = phi.length_squared();
    let t = t2.sqrt();
    // Below a hundredth the series are exact to rounding.
    let (a, b) = if t < 1e-2 {
        (0.5 - t2 / 24.0 + t2 * t2 / 720.0, 1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0)
    } else {
        ((1.0 - t.cos()) / t2, (t - t.sin()) / (t2 * t))
    };
    x - a * phi.cross(x) + b * phi.cross(phi.cross(x))
}

/// `J(φ)⁻¹ x = x + ½ φ × x + (1/θ² - (1 + cos θ)/(2 θ sin θ)) φ × (φ × x)`.
fn inverse_jacobian(phi: DVec3, x: DVec3) -> DVec3 {
    let t2 = phi.length_squared();
    let t = t2.sqrt();
    let c = if t < 1e-2 {
        1.0 / 12.0 + t2 / 720.0 + t2 * t2 / 30240.0
    } else {
        // (1 + cos)/sin is cot θ/2, which is finite at π.
        1.0 / t2 - 0.5 / (t * (0.5 * t).tan())
    };
    x + 0.5 * phi.cross(x) + c * phi.cross(phi.cross(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stuntlab_mocap::character::{Character, CharacterOptions};
    use stuntlab_mocap::library;

    fn figure() -> Character {
        Character::build(&library::skeleton(), &CharacterOptions::default()).expect("our own").0
    }

    proptest! {
        /// Acceptance: switches keep positions and velocities to 1e-12.
        #[test]
        fn position_and_velocity_are_kept_to_rounding(
            numbers in prop::collection::vec(-1.0..1.0_f64, 400), whole in 0.1..0.6_f64, time in 0.0..20.0_f64,
        ) {
            let figure = figure();
            let own = figure.model();
            let n = own.n_v();
            let (mut actual, mut wanted) = (State::new(own), State::new(own));
            actual.integrate(own, &numbers[..n], 1.2);
            wanted.integrate(own, &numbers[n..2 * n], 1.2);
            actual.v.iter_mut().zip(&numbers[2 * n..]).for_each(|(v, x)| *v = 5.0 * x);
            wanted.v.iter_mut().zip(&numbers[3 * n..]).for_each(|(v, x)| *v = 5.0 * x);
            let mut left = Remainder::new(own);
            left.keep(own, &actual, &wanted, time, whole);
            let mut q = wanted.q.clone();
            left.add(own, time, &mut q);
            let mut way = vec![0.0; n];
            let begun = State { q, v: wanted.v.clone(), time };
            actual.difference(own, &begun, &mut way);
            prop_assert!(way.iter().all(|w| w.abs() < 1e-12), "{way:?}");
            left.velocity_at_start(own, &wanted, &mut way);
            for (a, b) in way.iter().zip(&actual.v) {
                prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
            }
            // That velocity is what the blend really goes at, and it ends in the motion.
            let h = 1e-6;
            let mut later = wanted.clone();
            let rates = later.v.clone();
            later.integrate(own, &rates, h);
            left.add(own, time + h, &mut later.q);
            actual.difference(own, &later, &mut way);
            for (w, v) in way.iter().zip(&actual.v) {
                prop_assert!((w / h - v).abs() < 2e-3, "{} {v}", w / h);
            }
            let mut end = wanted.q.clone();
            left.add(own, time + whole, &mut end);
            prop_assert_eq!(end, wanted.q);
        }
    }
}
