//! Falling: arms go where the body will land, the head away from it ([`crate::round_trip::fall`]; Hsiao and Robinovitch 1998).

use std::sync::Arc;

use stuntlab_mocap::character::{Part, Physique};
use stuntlab_physics::{Actuation, State};

use crate::controller::Sense;
use crate::round_trip::fall::{Fall, Falling};
use crate::stunt::build::Build;
use crate::stunt::skill::{Skill, Terms};

/// Load on pelvis, trunk or head that is a landing, N.
const LANDED: f64 = 50.0;

/// Falls with life.
#[derive(Clone)]
pub(crate) struct Faller {
    terms: Terms,
    build: Arc<Build>,
    falling: Falling,
    way: Fall,
    since: f64,
    landed: f64,
}

impl Faller {
    pub(crate) fn new(build: Arc<Build>, physique: &Physique, terms: Terms, way: Fall) -> Self {
        let falling = Falling::new(build.own().clone(), build.figure(), physique);
        Self { terms, build, falling, way, since: 0.0, landed: 0.0 }
    }

    fn has_landed(&self, sense: &Sense<'_>) -> bool {
        let touches = sense.own.touches().iter().zip(self.build.parts());
        let trunk = |part: Part| matches!(part, Part::Pelvis | Part::Spine(_) | Part::Neck(_) | Part::Head);
        touches.filter(|(_, part)| trunk(**part)).any(|(touch, _)| touch.force().length() > LANDED)
    }
}

impl Skill for Faller {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        (self.since, self.landed) = (sense.time(), 0.0);
        self.falling.begin(sense);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if self.landed > 0.0 || self.has_landed(sense) {
            self.landed += sense.dt;
        }
        self.falling.act(sense, self.way, sense.time() - self.since, self.landed, out);
    }

    fn pose(&self) -> Option<&State> {
        Some(self.falling.pose())
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
