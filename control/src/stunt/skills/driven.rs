//! Any controller as a skill: terms say where it works, what it brings about and whether it does well; the controller acts.
//!
//! Its motion, if it follows one, begins where the body is and when the skill does. What it brings about may be told by one of its own
//! readings: how far that has come since the skill began is the skill's progress.

use std::sync::Arc;

use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Data, State};

use crate::controller::{Controller, Sense};
use crate::kind::Refusal;
use crate::reference::{Beginning, Reference};
use crate::round_trip::place::Place;
use crate::stunt::build::Build;
use crate::stunt::skill::{Skill, Terms};

/// A controller as a skill.
#[derive(Clone)]
pub struct Driven {
    terms: Terms,
    build: Arc<Build>,
    controller: Box<dyn Controller>,
    motion: Box<dyn Reference>,
    first: State,
    data: Data,
    /// Which of its readings is progress, and what that was when it began.
    progress: Option<(usize, f64)>,
}

impl Driven {
    /// A controller that follows a motion ([`Placed`](crate::reference::Placed), so that it can begin anywhere), or none: then the motion is a held pose.
    pub fn new(
        terms: Terms,
        build: Arc<Build>,
        controller: Box<dyn Controller>,
        motion: Box<dyn Reference>,
    ) -> Self {
        let first = State::new(build.own());
        Self { data: Data::new(build.own()), first, terms, build, controller, motion, progress: None }
    }

    /// The same, whose progress is what a reading has risen by.
    ///
    /// # Errors
    /// A reading that its controller does not have.
    pub fn by_reading(mut self, name: &str) -> Result<Self, Refusal> {
        let published = self.controller.readings().published();
        let Some(k) = published.iter().position(|p| p.name == name) else {
            let known: Vec<&str> = published.iter().map(|p| p.name).collect();
            let problem =
                format!("is \"{name}\", expected a reading of its controller: {}", known.join(", "));
            return Err(Refusal::new("progress", problem));
        };
        self.progress = Some((k, 0.0));
        Ok(self)
    }

    fn read(&self, k: usize) -> f64 {
        self.controller.readings().values().get(k).copied().unwrap_or(0.0)
    }

    /// Where on the ground the motion begins below the body, heading as the body does.
    fn place(&mut self, sense: &Sense<'_>) -> Place {
        self.motion.begin(Beginning::default());
        self.motion.write(0.0, &mut self.first.q);
        forward_kinematics(self.build.own(), &self.first, &mut self.data);
        let (theirs, ours) =
            (self.data.position.world_from_body[0], sense.data.world_from_body(sense.root()));
        let forward = |axis: DVec3| axis.y.atan2(axis.x);
        let yaw = forward(ours.rotation.x_axis) - forward(theirs.rotation.x_axis);
        let mut place = Place { yaw, shift: DVec3::ZERO };
        let ground = ours.translation.z - sense.own.pelvis_height();
        place.shift = (ours.translation - place.point(theirs.translation)).with_z(ground);
        place
    }
}

impl Skill for Driven {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        let place = self.place(sense);
        self.controller.begin(Beginning { since: sense.time(), place });
        self.controller.enter(sense);
        if let Some((k, _)) = self.progress {
            self.progress = Some((k, self.read(k)));
        }
    }

    fn end(&mut self) {
        self.controller.leave();
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.controller.act(sense, out);
    }

    fn progress(&self) -> f64 {
        self.progress.map_or(1.0, |(k, before)| (self.read(k) - before).clamp(0.0, 1.0))
    }

    fn controller(&self) -> Option<&dyn Controller> {
        Some(self.controller.as_ref())
    }

    fn controller_mut(&mut self) -> Option<&mut dyn Controller> {
        Some(self.controller.as_mut())
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
