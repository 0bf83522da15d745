//! A contact law of one's own, from a crate of one's own, measured beside ours by the same metrics and held to the same laws.

use stuntlab::compare::{BodyState, Engine, Touch, WorldEngine, laws, side_by_side};
use stuntlab::scene::Scene;
use stuntlab_physics::glam::DVec3;

/// A ball of 1 kg on Hertz's spring with a damper after Hunt and Crossley, stepped by semi-implicit Euler.
struct Hertz {
    body: BodyState,
    touch: Option<Touch>,
    time: f64,
}
const DT: f64 = 1.0 / 4000.0;
const RADIUS: f64 = 0.1;
const STIFFNESS: f64 = 1e6;
const DISSIPATION: f64 = 0.2;

impl Engine for Hertz {
    fn step(&mut self) -> Result<(), String> {
        let (depth, approach) = (RADIUS - self.body.center.z, -self.body.velocity.z);
        let press = STIFFNESS * depth.max(0.0).powf(1.5) * (1.0 + 1.5 * DISSIPATION * approach).max(0.0);
        self.body.velocity += DT * (self.gravity() + DVec3::Z * press / self.body.mass);
        self.body.center += DT * self.body.velocity;
        self.time += DT;
        let (normal, force, velocity) = (DVec3::Z, DVec3::Z * press, self.body.velocity);
        self.touch = Some(Touch { bodies: (0, None), normal, depth, force, velocity, friction: 0.0 });
        Ok(())
    }
    fn time(&self) -> f64 {
        self.time
    }
    fn dt(&self) -> f64 {
        DT
    }
    fn gravity(&self) -> DVec3 {
        DVec3::new(0.0, 0.0, -9.81)
    }
    fn bodies(&self, out: &mut Vec<BodyState>) {
        *out = vec![self.body];
    }
    fn touches(&self, out: &mut Vec<Touch>) {
        *out = self.touch.into_iter().filter(|touch| touch.press() > 0.0).collect();
    }
}

fn hertz() -> Hertz {
    Hertz { body: BodyState::ball(1.0, RADIUS, DVec3::Z * 0.5), touch: None, time: 0.0 }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut all: Vec<(&str, Box<dyn Engine>)> = vec![("Hertz at 4 kHz", Box::new(hertz()))];
    for formulation in ["implicit-penalty", "lcp-pgs", "lcp-dantzig", "penalty"] {
        let set = [format!("formulation={formulation}")];
        let scene = Scene::parse("ball.toml", include_str!("../ball.toml"), &set)?;
        all.push((formulation, Box::new(WorldEngine::new(&scene)?)));
    }
    print!("{}", side_by_side(&mut all, 2.0, &["energy_gain", "penetration", "signorini", "ncp"]));
    laws::check(&mut hertz(), 2.0, &[("ends", 0.0), ("passive", 0.01), ("cone", 0.0)])?;
    Ok(())
}
