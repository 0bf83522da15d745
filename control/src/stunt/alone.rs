//! A single skill at work without a supervisor, that says how it went: what learners and searches run.

use std::sync::Arc;

use stuntlab_physics::{Actuation, State};

use super::build::Build;
use super::quantity::{Facts, Goal, Look};
use super::skill::{Skill, Status};
use crate::controller::{Controller, Sense};
use crate::readings::{Published, Readings, Together};

/// What it says: 1 it has brought about what it is for, -1 it has failed, 0 neither yet.
const PUBLISHED: [Published; 1] = [Published {
    name: "verdict",
    unit: "",
    help: "Whether a skill alone has succeeded, 1, failed, -1, or neither yet, 0",
    together: Together::Least,
}];

/// Seconds between looks, as the supervisor's.
const TICK: f64 = 0.015;

/// A skill alone.
#[derive(Clone)]
pub struct Alone {
    build: Arc<Build>,
    skill: Box<dyn Skill>,
    own: State,
    facts: Facts,
    began: Option<f64>,
    wait: u32,
    held: f64,
    missed: f64,
    verdict: [f64; 1],
}

impl Alone {
    /// Of a figure.
    pub fn new(build: Arc<Build>, skill: Box<dyn Skill>) -> Self {
        Self {
            own: State::new(build.own()),
            build,
            skill,
            facts: Facts::default(),
            began: None,
            wait: 0,
            held: 0.0,
            missed: 0.0,
            verdict: [0.0],
        }
    }

    /// What is known of the state, as of the last look.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Looks at itself as a supervisor would: post-conditions count once they have lasted, missed performance once it has been missed for long.
    fn look(&mut self, sense: &Sense<'_>, seconds: f64) {
        let tree = sense.tree();
        self.own.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.own.v.copy_from_slice(&sense.state.v[tree.freedoms]);
        let time = sense.time() - self.began.unwrap_or(sense.time());
        let (build, own, progress) = (&*self.build, &self.own, self.skill.progress());
        self.facts.take(&Look { sense, build, own, goal: Goal::default(), time, progress });
        let (status, terms) = (self.skill.judge(&self.facts), self.skill.terms());
        self.held = if status == Status::Success { self.held + seconds } else { 0.0 };
        self.missed = if matches!(status, Status::Failure(_)) { self.missed + seconds } else { 0.0 };
        let due = |lasted: f64, wanted: f64| lasted > 0.0 && lasted + 0.5 * seconds >= wanted;
        if self.verdict[0] == 0.0 {
            if due(self.missed, terms.patience) {
                self.verdict[0] = -1.0;
            } else if due(self.held, terms.settled) {
                self.verdict[0] = 1.0;
            }
        }
    }
}

impl Controller for Alone {
    fn name(&self) -> &'static str {
        "alone"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let begins = self.began.is_none();
        if begins {
            self.began = Some(sense.time());
            self.skill.begin(sense);
        }
        let tick = (TICK / sense.dt).round().max(1.0);
        if self.wait == 0 {
            // The state it begins in says nothing of what it does.
            if !begins {
                self.look(sense, tick * sense.dt);
            }
            self.wait = tick as u32;
        }
        self.wait -= 1;
        self.skill.act(sense, out);
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.verdict)
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
