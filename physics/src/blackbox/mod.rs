//! The black box: the last steps of a run, kept so that the first thing that goes wrong can be told and
//! replayed.
//!
//! [`BlackBox::advance`] takes the place of [`crate::step::advance`]. It records what goes into each step
//! and watches what comes out: a step that fails, and one after which the energy of an articulation (kinetic
//! and gravity's) exceeds what it was at some recorded step by an absurd amount,
//!
//! ```text
//! E - E_r > growth · K_r + floor · mass        for any recorded step r                          (1)
//! ```
//!
//! both become a [`Fault`] that names step, articulation, body and term. The state goes back to the last
//! good one, and [`BlackBox::dump`] has everything needed to take the failing step again, bit for bit. Once
//! the ring is full and contacts have been as many as they get, recording allocates nothing.

mod dump;
mod text;

pub use dump::{Dump, DumpError, Replayed};

use thiserror::Error;

use crate::actuation::Actuation;
use crate::contact::Contact;
use crate::data::Data;
use crate::dynamics::{forward_kinematics, forward_velocity};
use crate::model::Model;
use crate::state::State;
use crate::step::{Account, Ledger, StepError, StepOptions, StepReport, advance, observe};

/// What counts as absurd, see (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alarm {
    /// Allowed gain of energy per kinetic energy.
    pub growth: f64,
    /// Allowed gain of energy per mass, J/kg. The default, 200, is a standing start to 20 m/s.
    pub floor: f64,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { growth: 10.0, floor: 200.0 }
    }
}

/// Something went wrong; the state is the last good one.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields mean")]
pub enum Fault {
    #[error("step {step}, articulation '{articulation}': {source}")]
    Step { step: u64, articulation: String, source: StepError },
    #[error(
        "step {step} at t = {time} s, articulation '{articulation}': its energy went from {before} J to {after} J \
         within {steps} steps; most of it is in body '{body}' ({joint} joint), most work was done by {term}"
    )]
    EnergyJump {
        step: u64,
        time: f64,
        articulation: String,
        body: String,
        joint: &'static str,
        term: &'static str,
        before: f64,
        after: f64,
        steps: u64,
    },
}

/// What went into one step.
#[derive(Clone, Debug)]
pub struct Record {
    /// Number of the step, from zero.
    pub step: u64,
    /// The state before it.
    pub state: State,
    /// What acted.
    pub act: Actuation,
    /// How it was taken.
    pub options: StepOptions,
    /// How it went; `None` for the step that failed.
    pub report: Option<StepReport>,
    pub(crate) memory: Memory,
    /// Kinetic and total energy of each tree before the step.
    energy: Vec<(f64, f64)>,
}

/// What a step remembers of those before it, besides the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) contacts: Vec<Contact>,
    pub(crate) n_static: usize,
    pub(crate) still: Vec<f64>,
    pub(crate) asleep: Vec<bool>,
    pub(crate) print: Vec<u64>,
}

impl Memory {
    fn remember(&mut self, data: &Data) {
        self.contacts.clone_from(&data.contact.points);
        self.n_static = data.contact.n_static;
        self.still.clone_from(&data.step.sleep.still);
        self.asleep.clone_from(&data.step.sleep.asleep);
        self.print.clone_from(&data.step.sleep.print);
    }

    fn restore(&self, data: &mut Data) {
        data.contact.points.clone_from(&self.contacts);
        data.contact.n_static = self.n_static;
        data.step.sleep.still.clone_from(&self.still);
        data.step.sleep.asleep.clone_from(&self.asleep);
        data.step.sleep.print.clone_from(&self.print);
    }
}

impl Record {
    fn new(model: &Model) -> Self {
        Self {
            step: 0,
            state: State::new(model),
            act: Actuation::new(model),
            options: StepOptions::default(),
            report: None,
            memory: Memory::default(),
            energy: vec![(0.0, 0.0); model.trees().len()],
        }
    }

    /// Takes the recorded step again; the state it leads to and how it went.
    fn again(&self, model: &Model, data: &mut Data, ledger: bool) -> (State, Result<StepReport, StepError>) {
        let mut state = self.state.clone();
        let options = StepOptions { ledger: ledger || self.options.ledger, ..self.options };
        observe(model, &state, data, &options);
        self.memory.restore(data);
        let outcome = advance(model, &mut state, data, &self.act, &options);
        (state, outcome)
    }
}

/// Ring buffer of the last steps with an alarm.
#[derive(Clone, Debug)]
pub struct BlackBox {
    /// What counts as absurd.
    pub alarm: Alarm,
    ring: Vec<Record>,
    /// Steps recorded so far.
    count: u64,
    /// What the failing step led to, where it led anywhere.
    after: Option<State>,
    fault: Option<Fault>,
    scratch: Data,
    energy: Vec<(f64, f64)>,
}

impl BlackBox {
    /// Room for the last `steps` steps, at least one.
    pub fn new(model: &Model, steps: usize) -> Self {
        Self {
            alarm: Alarm::default(),
            ring: vec![Record::new(model); steps.max(1)],
            count: 0,
            after: None,
            fault: None,
            scratch: Data::new(model),
            energy: vec![(0.0, 0.0); model.trees().len()],
        }
    }

    /// The recorded steps, oldest first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        let n = self.ring.len() as u64;
        (self.count.saturating_sub(n)..self.count).map(move |step| &self.ring[(step % n) as usize])
    }

    /// The newest recorded state whose numbers are all finite.
    pub fn last_good(&self) -> Option<&State> {
        self.records().map(|r| &r.state).filter(|s| s.is_finite()).last()
    }

    /// What went wrong, once something has.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// [`crate::step::advance`], recorded and watched.
    ///
    /// # Errors
    /// [`Fault`]; the state is then the last good one, and [`BlackBox::dump`] has the story.
    pub fn advance(
        &mut self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        act: &Actuation,
        opt: &StepOptions,
    ) -> Result<StepReport, Fault> {
        self.record(model, state, data, act, opt);
        let fault = match advance(model, state, data, act, opt) {
            Ok(report) => {
                forward_kinematics(model, state, &mut self.scratch);
                forward_velocity(model, state, &mut self.scratch);
                energies(model, &self.scratch, &state.v, &mut self.energy);
                let Some((tree, before, steps)) = self.jump(model) else {
                    let newest = self.newest();
                    newest.report = Some(report);
                    return Ok(report);
                };
                self.after = Some(state.clone());
                let fault = self.energy_fault(model, state, tree, before, steps);
                let newest = self.newest();
                state.clone_from(&newest.state);
                newest.memory.restore(data);
                fault
            }
            Err(source) => {
                self.after = None;
                if let (false, Some(good)) = (state.is_finite(), self.last_good()) {
                    state.clone_from(good);
                }
                let articulation = articulation_of(model, &source);
                Fault::Step { step: self.count - 1, articulation, source }
            }
        };
        self.fault = Some(fault.clone());
        Err(fault)
    }

    /// Everything recorded, to be written to a file and replayed.
    pub fn dump(&self, model: &Model) -> Dump {
        Dump {
            bodies: model.bodies().iter().map(|b| b.name().to_owned()).collect(),
            reason: self.fault.as_ref().map_or_else(|| "no fault".to_owned(), ToString::to_string),
            records: self.records().cloned().collect(),
            after: self.after.clone(),
        }
    }

    fn newest(&mut self) -> &mut Record {
        let n = self.ring.len() as u64;
        &mut self.ring[((self.count - 1) % n) as usize]
    }

    fn record(&mut self, model: &Model, state: &State, data: &Data, act: &Actuation, opt: &StepOptions) {
        self.count += 1;
        let step = self.count - 1;
        let record = self.newest();
        record.step = step;
        record.state.clone_from(state);
        record.act.copy_from(act);
        record.options = *opt;
        record.report = None;
        record.memory.remember(data);
        energies(model, data, &state.v, &mut record.energy);
    }

    /// The tree whose energy jumped most by (1), from which energy, and over how many steps.
    fn jump(&self, model: &Model) -> Option<(usize, f64, u64)> {
        let mut worst = None;
        let mut most = 0.0;
        for record in self.records() {
            for (tree, (&(kinetic, before), &(_, after))) in
                record.energy.iter().zip(&self.energy).enumerate()
            {
                let mass = model.tree_mass[model.trees[tree].start];
                let beyond = after - before - self.alarm.growth * kinetic - self.alarm.floor * mass;
                // Not-a-number counts as beyond: energies overflow before velocities do.
                if beyond > most || beyond.is_nan() {
                    most = if beyond.is_nan() { f64::INFINITY } else { beyond };
                    worst = Some((tree, before, self.count - record.step));
                }
            }
        }
        worst
    }

    fn energy_fault(&mut self, model: &Model, state: &State, tree: usize, before: f64, steps: u64) -> Fault {
        let mut body = model.trees[tree].start;
        let mut most = f64::NEG_INFINITY;
        for i in model.trees[tree].clone() {
            let energy = kinetic(model, &self.scratch, &state.v, i);
            if energy > most {
                (body, most) = (i, energy);
            }
        }
        let step = self.count - 1;
        let at = (step % self.ring.len() as u64) as usize;
        let (_, outcome) = self.ring[at].again(model, &mut self.scratch, true);
        Fault::EnergyJump {
            step,
            time: self.ring[at].state.time,
            articulation: root_name(model, tree),
            body: model.bodies[body].name.clone(),
            joint: model.bodies[body].joint.kind.name(),
            term: outcome.map_or("nobody knows what", |report| busiest(&report.ledger)),
            before,
            after: self.energy[tree].1,
            steps,
        }
    }
}

/// Who did most of the work that added energy; gravity only moves it.
fn busiest(ledger: &Ledger) -> &'static str {
    let mut busiest = ("the integrator's remainder", ledger.remainder);
    for account in Account::ALL {
        if account != Account::Gravity && ledger.work(account) > busiest.1 {
            busiest = (account.name(), ledger.work(account));
        }
    }
    busiest.0
}

fn root_name(model: &Model, tree: usize) -> String {
    model.bodies[model.trees[tree].start].name.clone()
}

/// The root of the tree that the body of a step error belongs to.
fn articulation_of(model: &Model, error: &StepError) -> String {
    let body = match error {
        StepError::BadStep { .. } => None,
        StepError::BadInput { body, .. } | StepError::NotFinite { body, .. } => model.find(body),
    };
    body.map_or_else(|| "all".to_owned(), |b| root_name(model, model.tree_of(b)))
}

/// Kinetic energy of body `i` and of its joint's rotors.
fn kinetic(model: &Model, data: &Data, v: &[f64], i: usize) -> f64 {
    let body = &model.bodies[i];
    let pose = &data.position.world_from_body[i];
    let velocity = data.velocity.body[i];
    let at_com = velocity.at(pose.rotation * body.inertia.center_of_mass).linear;
    let w = pose.rotation.transpose() * velocity.angular;
    let rotors: f64 = v[body.v_range()].iter().zip(&body.joint.armature).map(|(v, a)| a * v * v).sum();
    0.5 * (body.inertia.mass * at_com.length_squared() + body.inertia.rotational.quadratic(w, w) + rotors)
}

/// Kinetic and total energy of every tree.
fn energies(model: &Model, data: &Data, v: &[f64], out: &mut [(f64, f64)]) {
    for (tree, out) in model.trees.iter().zip(out) {
        let (mut moving, mut raised) = (0.0, 0.0);
        for i in tree.clone() {
            let inertia = &model.bodies[i].inertia;
            moving += kinetic(model, data, v, i);
            let center = data.position.world_from_body[i].transform_point(inertia.center_of_mass);
            raised -= inertia.mass * model.gravity.dot(center);
        }
        *out = (moving, moving + raised);
    }
}

#[cfg(test)]
mod tests;
