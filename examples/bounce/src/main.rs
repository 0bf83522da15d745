//! A controller kind of one's own, from a crate of one's own. Scenes read it and measure what it publishes like any other.

use std::sync::Arc;

use stuntlab::registry::Registry;
use stuntlab::run::{Run, variants_of};
use stuntlab::scene::Scene;
use stuntlab_control::*;
use stuntlab_physics::{Actuation, JointKind};

const BENT: Published =
    Published { name: "bent", unit: "rad", help: "How far knees should bend", together: Together::Mean };

const KIND: Kind = Kind {
    name: "bounce",
    help: "Hinges that go up and down",
    keys: &[&[Setting::new("beat", "1.0", "Hz"), Setting::new("depth", "0.5", "rad")]],
    commands: &[],
    readings: &[BENT],
    read: |fields, _| {
        let (beat, depth) =
            (fields.positive("beat")?.unwrap_or(1.0), fields.positive("depth")?.unwrap_or(0.5));
        Ok(Arc::new(Bounce { beat, depth, bent: [0.0] }))
    },
};

#[derive(Clone, Debug)]
struct Bounce {
    beat: f64,
    depth: f64,
    bent: [f64; 1],
}

impl Maker for Bounce {
    fn make(&self, _casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(self.clone()))
    }
}

impl Controller for Bounce {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.bent = [self.depth * (0.5 - 0.5 * (std::f64::consts::TAU * self.beat * sense.time()).cos())];
        let own = sense.model.bodies()[sense.bodies].iter();
        for body in own.filter(|b| matches!(b.joint().kind, JointKind::Revolute { .. })) {
            out.servo.stiffness[body.freedoms()].fill(300.0);
            out.servo.damping[body.freedoms()].fill(30.0);
            out.servo.target_q[body.coordinates()].fill(self.bent[0]);
        }
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&[BENT], &self.bent)
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add_controller(KIND)?;
    let text = include_str!("../bounce.toml");
    let scene = Scene::parse_with(&Arc::new(registry), "bounce.toml", text, &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    run.advance_to(scene.duration);
    let metrics = run.metrics();
    for m in &metrics.measurements {
        println!("{}: {:.2} {}", m.name, m.value.unwrap_or(f64::NAN), m.unit);
    }
    if metrics.passed { Ok(()) } else { Err("a mark does not hold".into()) }
}
