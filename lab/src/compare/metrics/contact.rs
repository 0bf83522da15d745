//! Contacts against the laws they stand for: Signorini's, Coulomb's cone, maximum dissipation, and all of them as one nonlinear
//! complementarity problem (de Saxcé and Feng 1998; compared so by Le Lidec et al. 2023).
//!
//! With the velocity `u` at the contact as the step ends, the mean force `f`, the gap `g` as it begins and the step `h`:
//!
//! ```text
//! 0 ≤ f_n  ⟂  w_n = u_n + max(g, 0)/h ≥ 0                          Signorini at velocity level   (1)
//! |f_t| ≤ μ f_n,  f_t·u_t = -μ f_n |u_t|                           maximum dissipation           (2)
//! K ∋ f  ⟂  û = u + (μ|u_t| + max(g, 0)/h) n ∈ K*                  both                          (3)
//! ```
//! (3) holds where `f = P(f - ρ û)` for any ρ > 0, P being the projection onto the cone K of forces. What bounces, or is pushed out of
//! an overlap, breaks (1) on purpose; the set-ups that are about it have neither.

use stuntlab_physics::glam::DVec3;

use super::{Readings, Sight};
use crate::compare::engine::{BodyState, Touch};

/// Friction below this share of its bound should not slide.
const STICKS: f64 = 0.95;

/// What contacts did so far.
#[derive(Default)]
pub(super) struct Contact {
    touched: bool,
    penetration: f64,
    late_penetration: Mean,
    creep: Mean,
    cone: f64,
    signorini: Mean,
    dissipation: Mean,
    ncp: Mean,
    inner_force: Mean,
}

#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, x: f64) {
        self.sum += x;
        self.count += 1.0;
    }

    fn value(self) -> f64 {
        self.sum / self.count
    }
}

impl Contact {
    pub(super) fn look(&mut self, sight: &Sight<'_>) {
        self.penetration = self.penetration.max(sight.deepest);
        if sight.is_late() {
            self.late_penetration.add(sight.deepest);
        }
        if sight.touches.is_empty() {
            return;
        }
        self.touched = true;
        let most = sight.touches.iter().map(Touch::press).fold(1e-9, f64::max);
        let (mut signorini, mut dissipation, mut ncp) = (0.0_f64, 0.0, 0.0_f64);
        for touch in sight.touches {
            let press = touch.press();
            let (force, slide) = (touch.across(touch.force), touch.across(touch.velocity));
            let bound = touch.friction * press.max(0.0);
            self.cone = self.cone.max((force.length() - bound) / most);
            if press > 1e-6 * most && force.length() < STICKS * bound {
                self.creep.add(slide.length_squared());
            }
            let part = touch.normal.dot(touch.velocity) + (-touch.depth).max(0.0) / sight.dt;
            signorini = signorini.max(sight.dt * press * part.abs());
            dissipation += (bound * slide.length() + force.dot(slide)).abs();
            ncp = ncp.max(residual(touch, part, sight));
        }
        self.signorini.add(signorini);
        self.dissipation.add(dissipation);
        self.ncp.add(ncp);
        if sight.is_late() {
            let sideways: Vec<DVec3> = sight.touches.iter().map(|t| t.across(t.force)).collect();
            let weight: f64 = sight.bodies.iter().map(|b| b.mass).sum::<f64>() * sight.gravity.length();
            let (all, sum) =
                (sideways.iter().map(|f| f.length()).sum::<f64>(), sideways.iter().sum::<DVec3>());
            if weight > 0.0 {
                self.inner_force.add((all - sum.length()) / weight);
            }
        }
    }

    pub(super) fn read(&self, out: &mut Readings) {
        out.put("penetration", self.penetration);
        out.put("rest_penetration", self.late_penetration.value());
        if !self.touched {
            return;
        }
        out.put("creep", self.creep.value().sqrt());
        out.put("cone", self.cone.max(0.0));
        out.put("signorini", self.signorini.value());
        out.put("dissipation", self.dissipation.value());
        out.put("ncp", self.ncp.value());
        out.put("inner_force", self.inner_force.value());
    }
}

/// (3), with the force over a step that stops the lighter body as ρ.
fn residual(touch: &Touch, part: f64, sight: &Sight<'_>) -> f64 {
    let mass = |k: usize| sight.bodies.get(k).map_or(f64::INFINITY, |b: &BodyState| b.mass);
    let (a, b) = touch.bodies;
    let lighter = mass(a).min(b.map_or(f64::INFINITY, mass));
    let slide = touch.across(touch.velocity);
    let raised = slide + touch.normal * (part + touch.friction * slide.length());
    let there = touch.force - raised * (lighter / sight.dt);
    (touch.force - onto_cone(there, touch.normal, touch.friction)).length()
}

/// The nearest point of Coulomb's cone.
fn onto_cone(f: DVec3, normal: DVec3, friction: f64) -> DVec3 {
    let press = normal.dot(f);
    let across = f - normal * press;
    let length = across.length();
    if length <= friction * press {
        return f;
    }
    if friction * length <= -press {
        return DVec3::ZERO;
    }
    let press = (press + friction * length) / (1.0 + friction * friction);
    normal * press + across * (friction * press / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_is_the_nearest_point_of_the_cone() {
        let (n, mu) = (DVec3::new(0.6, 0.0, 0.8), 0.5);
        let inside = |f: DVec3| (f - n * n.dot(f)).length() <= mu * n.dot(f) + 1e-9;
        let t = n.any_orthonormal_vector();
        for (press, slide) in [(1.0, 0.2), (1.0, 3.0), (-1.0, 1.0), (-1.0, 5.0), (0.0, 1.0)] {
            let f = n * press + t * slide;
            let p = onto_cone(f, n, mu);
            assert!(inside(p));
            // No nearby point of the cone is nearer.
            for step in [n, -n, t, -t].map(|d| p + 1e-4 * d).into_iter().filter(|q| inside(*q)) {
                assert!(step.distance(f) >= p.distance(f) - 1e-9, "{press} {slide}");
            }
        }
    }

    #[test]
    fn forces_that_obey_the_laws_have_no_residual() {
        let body = BodyState {
            mass: 2.0,
            inertia: stuntlab_physics::glam::DMat3::IDENTITY,
            rotation: stuntlab_physics::glam::DMat3::IDENTITY,
            center: DVec3::ZERO,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        };
        let sight = |touches: &[Touch]| {
            let mut contact = Contact::default();
            contact.look(&Sight {
                time: 0.5,
                dt: 0.01,
                end: 1.0,
                gravity: DVec3::NEG_Z,
                bodies: &[body],
                touches,
                deepest: 0.0,
                stored: 0.0,
                is_free: false,
            });
            let mut out = Readings::default();
            contact.read(&mut out);
            out
        };
        let touch = |force: DVec3, velocity: DVec3| Touch {
            bodies: (0, None),
            normal: DVec3::Z,
            depth: 0.0,
            force,
            velocity,
            friction: 0.5,
        };
        // Sticks; slides against its velocity with all the friction there is.
        for good in [
            touch(DVec3::new(1.0, 0.0, 10.0), DVec3::ZERO),
            touch(DVec3::new(-5.0, 0.0, 10.0), DVec3::new(0.3, 0.0, 0.0)),
        ] {
            let out = sight(&[good]);
            for name in ["ncp", "signorini", "dissipation", "cone"] {
                assert!(out.get(name) < 1e-9, "{name} {}", out.get(name));
            }
        }
        // Presses and parts; slides with half the friction; pulls sideways beyond the cone.
        assert!(sight(&[touch(DVec3::Z * 10.0, DVec3::Z)]).get("signorini") > 0.09);
        let lazy = sight(&[touch(DVec3::new(-2.5, 0.0, 10.0), DVec3::new(0.3, 0.0, 0.0))]);
        assert!((lazy.get("dissipation") - 0.75).abs() < 1e-9 && lazy.get("ncp") > 1.0);
        assert!((sight(&[touch(DVec3::new(8.0, 0.0, 10.0), DVec3::ZERO)]).get("cone") - 0.3).abs() < 1e-9);
    }
}
