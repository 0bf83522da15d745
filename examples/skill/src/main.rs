//! A skill of one's own, from a crate of one's own: it joins the pool of stuntpersons, bids like all others, and scenes change its terms.

use std::sync::Arc;

use stuntlab::registry::Registry;
use stuntlab::run::{Run, variants_of};
use stuntlab::scene::Scene;
use stuntlab_control::stand::write_servos;
use stuntlab_control::stunt::pool::{Row, bid};
use stuntlab_control::stunt::relation::Conditions;
use stuntlab_control::stunt::{Build, Skill, Terms};
use stuntlab_control::{Gains, Sense, Tuned};
use stuntlab_mocap::{Side, character::Part};
use stuntlab_physics::{Actuation, State};

const TUCK: Row = Row {
    name: "tuck",
    help: "Falls with hips and knees drawn up",
    bid: bid("bid-tuck"),
    planar: false,
    terms: || Terms {
        urgent: true,
        before: Conditions::parse(&["pelvis-rise > 0.3", "beyond > 0.0", "com-speed > 0.2"])
            .expect("relations"),
        after: Conditions::parse(&["com-speed < 0.1", "trunk-down > 0.5"]).expect("relations"),
        settled: 0.3,
        ..Terms::new("tuck", 10)
    },
    table: None,
    make: |terms, making| {
        let (build, mut pose) = (making.build.clone(), State::new(making.build.own()));
        for side in Side::BOTH {
            build.set(&mut pose, Part::Thigh(side), [70.0, 0.0, 0.0]);
            build.set(&mut pose, Part::Shank(side), [90.0, 0.0, 0.0]);
        }
        let gains = Tuned::new(build.own(), build.own().body_ids(), Gains::Table { scale: 1.0 });
        Ok(Box::new(Tuck { terms, build, gains, pose }))
    },
};

#[derive(Clone)]
struct Tuck {
    terms: Terms,
    build: Arc<Build>,
    gains: Tuned,
    pose: State,
}

impl Skill for Tuck {
    fn terms(&self) -> &Terms {
        &self.terms
    }
    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }
    fn begin(&mut self, _sense: &Sense<'_>) {}
    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let (own, still) = (self.build.own(), vec![0.0; self.pose.v.len()]);
        write_servos(sense, own, &self.gains, &self.pose, &still, out, |_| (1.0, 1.0));
    }
    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add_skill(TUCK)?;
    let scene = Scene::parse_with(&Arc::new(registry), "skill.toml", include_str!("../skill.toml"), &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    run.advance_to(scene.duration);
    let metrics = run.metrics();
    for m in &metrics.measurements {
        println!("{}: {:.2} {}", m.name, m.value.unwrap_or(f64::NAN), m.unit);
    }
    if metrics.passed { Ok(()) } else { Err("a mark does not hold".into()) }
}
