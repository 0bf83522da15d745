//! On both feet: from the pose there is into a quiet stand, balanced on the way and there (Mandel and Zordan 2005; the inverted pendulum of
//! Fitzpatrick et al. 1992 is what [`crate::stand`] balances).

use std::sync::Arc;

use stuntlab_mocap::character::Physique;
use stuntlab_physics::{Actuation, State};

use crate::controller::Sense;
use crate::fighter::Layout;
use crate::kind::Refusal;
use crate::stand::{Stand, StandOptions};
use crate::stunt::build::Build;
use crate::stunt::skill::{Skill, Terms};

/// Stands up straight and stays so.
#[derive(Clone)]
pub(crate) struct Upright {
    terms: Terms,
    build: Arc<Build>,
    stand: Stand,
    layout: Layout,
    began: State,
    since: f64,
    /// Seconds on the way into the stand.
    seconds: f64,
    pose: State,
    rates: Vec<f64>,
    before: State,
    progress: f64,
}

impl Upright {
    pub(crate) fn new(
        build: Arc<Build>,
        physique: &Physique,
        terms: Terms,
        seconds: f64,
    ) -> Result<Self, Refusal> {
        let own = build.own();
        Ok(Self {
            stand: Stand::new(own.clone(), physique, StandOptions::default())?,
            layout: Layout::new(own),
            began: State::new(own),
            since: 0.0,
            pose: State::new(own),
            before: State::new(own),
            rates: vec![0.0; own.n_v()],
            progress: 0.0,
            seconds,
            terms,
            build,
        })
    }

    /// The way into the stand, so many seconds after it began: a smooth step.
    fn write(&mut self, sense: &Sense<'_>, time: f64) {
        let p = (time / self.seconds).clamp(0.0, 1.0);
        self.pose.q.copy_from_slice(&self.began.q);
        self.layout.mix(&mut self.pose.q, &self.build.stand().q, p * p * (3.0 - 2.0 * p));
        let root = self.build.own().bodies()[0].coordinates();
        self.pose.q[root].copy_from_slice(&sense.state.q[sense.model.body(sense.root()).coordinates()]);
    }
}

impl Skill for Upright {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        self.since = sense.time();
        self.progress = 0.0;
        self.began.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
        self.stand.calm();
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let time = sense.time() - self.since;
        self.write(sense, time);
        self.before.clone_from(&self.pose);
        self.write(sense, time + sense.dt);
        self.before.difference(self.build.own(), &self.pose, &mut self.rates);
        self.rates.iter_mut().for_each(|rate| *rate /= sense.dt);
        self.progress = ((time + sense.dt) / self.seconds).min(1.0);
        self.stand.act(sense, &self.pose, &self.rates, true, out);
    }

    fn progress(&self) -> f64 {
        self.progress
    }

    fn pose(&self) -> Option<&State> {
        Some(&self.pose)
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
