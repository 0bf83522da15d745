//! A box that tips over an edge which stands on springs.
//!
//! Fixtures tell when a box tips over a rigid edge. Springs of the stated stiffness give way before it has tipped at all: weight goes to the lower
//! edge, which sinks in, and the box leans. A fall that begins as slowly as `θ̈ = λ²(θ + θ₀)` forgives no start: a lean of a fiftieth of a radian
//! takes a fifth of its time off. That is no fault of whoever follows the springs, so these are measured against the motion of just that: a box in the plane
//! of its fall, its lower edges on the fixture's springs and dampers,
//!
//! ```text
//! m c̈ = m g + Σ F,   I θ̈ = Σ r × F,   F_n = max(0, k d - c ḋ⁻),   F_t = -μ F_n tanh(u_t/v)
//! ```
//!
//! in steps so short that it is exact for this purpose. It knows nothing of the engine.

use stuntlab_physics::glam::DVec2;

/// Step, s: a thousandth of the period of a corner on the fixtures' springs.
const STEP: f64 = 1e-5;
/// Speed over which friction turns round, m/s; a fifth or five times of it change the time by less than a thousandth.
const TURNS: f64 = 5e-3;

/// A box on a slope, seen from the side: first downhill, second along the normal.
pub(super) struct Tipping {
    /// Width and height, m.
    pub(super) size: DVec2,
    /// kg.
    pub(super) mass: f64,
    /// About its centre, kg m².
    pub(super) inertia: f64,
    /// m/s².
    pub(super) gravity: DVec2,
    /// Of both corners of an edge together, N/m and N s/m.
    pub(super) spring: (f64, f64),
    /// Coefficient.
    pub(super) friction: f64,
    /// Of its centre above the slope at the start, m.
    pub(super) height: f64,
}

impl Tipping {
    /// When it leans by `tilt`, s, unless that takes longer than `most`.
    pub(super) fn time_to(&self, tilt: f64, most: f64) -> Option<f64> {
        let (stiffness, damping) = self.spring;
        let (mut place, mut velocity) = (DVec2::new(0.0, self.height), DVec2::ZERO);
        let (mut lean, mut spin, mut time) = (0.0_f64, 0.0_f64, 0.0);
        while time < most {
            let (mut force, mut moment) = (self.gravity * self.mass, 0.0);
            for side in [-0.5, 0.5] {
                // Downhill is to the right; a lean turns the top that way.
                let arm = DVec2::from_angle(-lean).rotate(DVec2::new(side * self.size.x, -0.5 * self.size.y));
                let depth = -(place.y + arm.y);
                if depth > 0.0 {
                    let slip = velocity + DVec2::new(arm.y, -arm.x) * spin;
                    let pressed = (stiffness * depth - damping * slip.y).max(0.0);
                    let push = DVec2::new(-self.friction * pressed * (slip.x / TURNS).tanh(), pressed);
                    force += push;
                    moment += arm.y * push.x - arm.x * push.y;
                }
            }
            velocity += force * (STEP / self.mass);
            spin += moment * (STEP / self.inertia);
            place += velocity * STEP;
            let before = lean;
            lean += spin * STEP;
            if lean >= tilt {
                return Some(time + STEP * (tilt - before) / (lean - before));
            }
            time += STEP;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 2 kg, 0.1 m by 0.4 m, on a slope a little steeper than it stands on.
    fn time_on(stiffness: f64) -> f64 {
        let (size, mass) = (DVec2::new(0.1, 0.4), 2.0);
        let tipping = Tipping {
            size,
            mass,
            inertia: mass * size.length_squared() / 12.0,
            gravity: DVec2::from_angle(-1.25) * 9.81,
            spring: (stiffness, 2.0 * (stiffness * 0.5).sqrt()),
            friction: 2.0,
            height: 0.2,
        };
        tipping.time_to(0.4, 5.0).expect("it tips")
    }

    #[test]
    fn hard_springs_are_an_edge_and_soft_ones_are_early() {
        // Over a rigid edge: I_e θ̈ = m g r sin(θ + θ₀), θ₀ what the slope is past the diagonal.
        let (size, mass): (DVec2, f64) = (DVec2::new(0.1, 0.4), 2.0);
        let (radius, steeper) =
            (0.5 * size.length(), core::f64::consts::FRAC_PI_2 - 1.25 - (0.25_f64).atan());
        let inertia = mass * size.length_squared() / 12.0 + mass * radius * radius;
        let (mut lean, mut spin, mut rigid) = (0.0_f64, 0.0, 0.0);
        while lean < 0.4 {
            spin += STEP * mass * 9.81 * radius * (lean + steeper).sin() / inertia;
            lean += STEP * spin;
            rigid += STEP;
        }
        let (hard, soft) = (time_on(1e7), time_on(7e3));
        assert!((hard - rigid).abs() < 0.02 * rigid, "{hard} s on hard springs, {rigid} s over an edge");
        assert!(soft < 0.9 * rigid, "{soft} s on soft springs, {rigid} s over an edge");
    }
}
