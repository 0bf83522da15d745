//! The black box: the last steps of a run, kept so that the first thing that goes wrong can be told and
//! replayed.
//!
//! [`BlackBox::advance`] takes the place of [`crate::step::advance`]. It records what goes into each step
//! and watches what comes out: a step that fails, and one after which the energy of an articulation (kinetic
//! and gravity's) exceeds what it was at some recorded step by an absurd amount that nobody put there,
//!
//! ```text
//! E - E_r - G - L > growth · K_r + floor · mass        for any recorded step r                  (1)
//! ```
//!
//! both become a [`Fault`] that names step, articulation, body and term. `G` is what came from outside since `r`: a
//! state that somebody changed between two steps (a throw, a world put back), and the work of what
//! [`BlackBox::outside`] was told of. `L` is what the other articulations lost since, which may have gone into this one.
//!
//! The state goes back to the last good one, and [`BlackBox::dump`] has everything needed to take the failing step
//! again, bit for bit. Once the ring is full and contacts have been as many as they get, recording allocates nothing.

mod dump;
mod energy;
mod memory;
mod snapshot;
mod text;

pub use dump::{Dump, DumpError, Replayed};
pub use snapshot::Snapshot;

use energy::{Energy, Helper, energies, kinetic};
use thiserror::Error;

use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::{forward_kinematics, forward_velocity};
use crate::fingerprint::Fingerprint;
use crate::forces::ImplicitForce;
use crate::memory::Memory;
use crate::model::{BodyId, Model};
use crate::state::State;
use crate::step::{Account, Ledger, StepError, StepOptions, StepReport, advance, observe};

/// What counts as absurd, see (1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alarm {
    /// Allowed gain of energy per kinetic energy.
    pub growth: f64,
    /// Allowed gain of energy per mass, J/kg. The default, 200, is a standing start to 20 m/s. Under more than the
    /// Earth's gravity it grows with it: what a contact lifts out of the ground weighs more there.
    pub floor: f64,
}

/// The Earth's gravity, m/s².
const EARTH: f64 = 9.81;

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
         within {steps} steps{}; most of it is in body '{body}' ({joint} joint), most work was done by {term}",
        from_outside(*given)
    )]
    EnergyJump {
        step: u64,
        time: f64,
        articulation: String,
        body: Box<str>,
        joint: &'static str,
        term: &'static str,
        before: f64,
        after: f64,
        given: f64,
        steps: u64,
    },
}

/// Says how much of a jump of energy came from outside, where any did.
fn from_outside(given: f64) -> String {
    if given == 0.0 { String::new() } else { format!(", {given} J of it from outside") }
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
    /// Fingerprint of the state it led to; `None` for a step that failed. The next record need not begin there:
    /// somebody may have changed the state in between.
    led_to: Option<u64>,
    pub(crate) memory: Memory,
    /// Energy of each tree before the step.
    energy: Vec<Energy>,
}

impl Record {
    fn new(model: &Model) -> Self {
        Self {
            step: 0,
            state: State::new(model),
            act: Actuation::new(model),
            options: StepOptions::default(),
            report: None,
            led_to: None,
            memory: Memory::new(model),
            energy: vec![Energy::default(); model.trees().len()],
        }
    }

    /// Takes the recorded step again; the state it leads to and how it went.
    fn again(&self, model: &Model, data: &mut Data, ledger: bool) -> (State, Result<StepReport, StepError>) {
        let mut state = self.state.clone();
        let options = StepOptions { ledger: ledger || self.options.ledger, ..self.options };
        data.memory.clone_from(&self.memory);
        observe(model, &state, data, &options);
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
    /// Energy of each tree after the last step.
    energy: Vec<Energy>,
    /// What pulls and pushes from outside in the step to come.
    helpers: Vec<Helper>,
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
            energy: vec![Energy::default(); model.trees().len()],
            helpers: Vec::new(),
        }
    }

    /// Says that `force`, which the actuation of the next step holds too, comes from outside: the energy it brings is no
    /// reason for an alarm.
    pub fn outside(&mut self, body: BodyId, force: ImplicitForce) {
        self.helpers.push(Helper::new(body, force));
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
        self.advance_by(model, state, data, act, opt, advance)
    }

    /// [`BlackBox::advance`] with another way to take the step, such as [`crate::maximal::Maximal::advance`] between two
    /// translations. A dump of such steps tells their story but is not replayed by [`Dump::replay`].
    ///
    /// # Errors
    /// As [`BlackBox::advance`].
    pub fn advance_by(
        &mut self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        act: &Actuation,
        opt: &StepOptions,
        step: impl FnOnce(
            &Model,
            &mut State,
            &mut Data,
            &Actuation,
            &StepOptions,
        ) -> Result<StepReport, StepError>,
    ) -> Result<StepReport, Fault> {
        self.record(model, state, data, act, opt);
        let outcome = step(model, state, data, act, opt);
        let fault = match outcome {
            Ok(report) => {
                self.newest().led_to = Some(fingerprint(state));
                self.weigh(model, state, data, act, opt);
                let Some((tree, before, steps)) = self.jump(model) else {
                    let newest = self.newest();
                    newest.report = Some(report);
                    return Ok(report);
                };
                self.after = Some(state.clone());
                let fault = self.energy_fault(model, state, tree, before, steps);
                let newest = &self.ring[self.place()];
                state.clone_from(&newest.state);
                data.memory.clone_from(&newest.memory);
                self.energy.clone_from(&newest.energy);
                fault
            }
            Err(source) => {
                self.after = None;
                let good = self.records().filter(|r| r.state.is_finite()).last();
                let energy = good.map(|record| record.energy.clone());
                if let (false, Some(good)) = (state.is_finite(), good) {
                    state.clone_from(&good.state);
                }
                self.energy = energy.unwrap_or_default();
                self.energy.resize(model.trees.len(), Energy::default());
                self.helpers.clear();
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
            bodies: names(model).collect(),
            reason: self.fault.as_ref().map_or_else(|| "no fault".to_owned(), ToString::to_string),
            records: self.records().cloned().collect(),
            after: self.after.clone(),
        }
    }

    /// Where the newest record is.
    fn place(&self) -> usize {
        ((self.count - 1) % self.ring.len() as u64) as usize
    }

    fn newest(&mut self) -> &mut Record {
        let place = self.place();
        &mut self.ring[place]
    }

    fn record(&mut self, model: &Model, state: &State, data: &Data, act: &Actuation, opt: &StepOptions) {
        let first = self.count == 0;
        self.count += 1;
        let place = self.place();
        let record = &mut self.ring[place];
        record.step = self.count - 1;
        record.state.clone_from(state);
        record.act.copy_from(act);
        record.options = *opt;
        record.report = None;
        record.led_to = None;
        record.memory.clone_from(&data.memory);
        energies(model, data, &state.v, &mut record.energy);
        for (now, last) in record.energy.iter_mut().zip(&self.energy) {
            // Whatever changed since the last step ended was somebody's doing.
            now.given = if first { 0.0 } else { last.given + (now.total - last.total) };
        }
        self.helpers.iter_mut().for_each(|helper| helper.look(data));
    }

    /// Energies after a step, and what came from outside during it.
    fn weigh(&mut self, model: &Model, state: &State, data: &Data, act: &Actuation, opt: &StepOptions) {
        // The convex step leaves poses and velocities of its end.
        let after = if data.looked.is_of(state) {
            data
        } else {
            forward_kinematics(model, state, &mut self.scratch);
            forward_velocity(model, state, &mut self.scratch);
            &self.scratch
        };
        energies(model, after, &state.v, &mut self.energy);
        let before = &self.ring[self.place()].energy;
        for (tree, (now, before)) in self.energy.iter_mut().zip(before).enumerate() {
            // A tree that moves exactly as it is told moves by somebody's will.
            let told = act.prescribed[model.trees[tree].clone()].iter().all(|on| *on);
            now.given = before.given + if told { now.total - before.total } else { 0.0 };
        }
        for helper in self.helpers.drain(..) {
            self.energy[model.tree_number(helper.body)].given += helper.work(after, opt.dt);
        }
    }

    /// The tree whose energy jumped most by (1), from which energy, and over how many steps.
    fn jump(&self, model: &Model) -> Option<(usize, Energy, u64)> {
        let weight = (model.gravity.length() / EARTH).max(1.0);
        let mut worst = None;
        let mut most = 0.0;
        for record in self.records() {
            let pairs = || record.energy.iter().zip(&self.energy);
            let lost: f64 = pairs().map(|(before, after)| (before.own() - after.own()).max(0.0)).sum();
            for (tree, (before, after)) in pairs().enumerate() {
                let mass = model.tree_mass[model.trees[tree].start];
                let allowed = self.alarm.growth * before.kinetic + self.alarm.floor * weight * mass;
                let beyond = after.own() - before.own() - lost - allowed;
                // Not-a-number counts as beyond: energies overflow before velocities do.
                if beyond > most || beyond.is_nan() {
                    most = if beyond.is_nan() { f64::INFINITY } else { beyond };
                    worst = Some((tree, *before, self.count - record.step));
                }
            }
        }
        worst
    }

    fn energy_fault(
        &mut self,
        model: &Model,
        state: &State,
        tree: usize,
        before: Energy,
        steps: u64,
    ) -> Fault {
        let mut body = model.trees[tree].start;
        let mut most = f64::NEG_INFINITY;
        forward_kinematics(model, state, &mut self.scratch);
        forward_velocity(model, state, &mut self.scratch);
        for i in model.trees[tree].clone() {
            let energy = kinetic(model, &self.scratch, &state.v, i);
            if energy > most {
                (body, most) = (i, energy);
            }
        }
        let newest = &self.ring[self.place()];
        let (_, outcome) = newest.again(model, &mut self.scratch, true);
        Fault::EnergyJump {
            step: newest.step,
            time: newest.state.time,
            articulation: root_name(model, tree),
            body: model.bodies[body].name.as_str().into(),
            joint: model.bodies[body].joint.kind.name(),
            term: outcome.map_or("nobody knows what", |report| busiest(&report.ledger)),
            before: before.total,
            after: self.energy[tree].total,
            given: self.energy[tree].given - before.given,
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
        StepError::BadStep { .. }
        | StepError::BadOption { .. }
        | StepError::WrongLength { .. }
        | StepError::SameKey { .. } => None,
        StepError::BadInput { body, .. }
        | StepError::BadActuation { body, .. }
        | StepError::BadRow { body, .. }
        | StepError::NotSmooth { body, .. }
        | StepError::TooStiff { body, .. }
        | StepError::NotFinite { body, .. } => model.find(body),
    };
    body.map_or_else(|| "all".to_owned(), |b| root_name(model, model.tree_number(b)))
}

/// Names of a model's bodies as files have them.
fn names(model: &Model) -> impl Iterator<Item = String> + '_ {
    model.bodies().iter().map(|body| text::one_line(body.name()))
}

/// Of the bits of a state; equal states have equal numbers.
fn fingerprint(state: &State) -> u64 {
    let mut print = Fingerprint::default();
    // Word by word: bytes would take longer than the step of somebody who is played back.
    state.q.iter().chain(&state.v).chain(core::iter::once(&state.time)).for_each(|x| print.word(x.to_bits()));
    print.value()
}

#[cfg(test)]
mod tests;
