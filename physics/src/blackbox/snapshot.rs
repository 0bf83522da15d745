//! A run in the middle: state and memory, kept as text, from which it goes on bit for bit.

use std::io::{self, BufReader, Read, Write};

use super::dump::{DumpError, other_bodies, read_bodies, read_state, write_bodies, write_state};
use super::memory;
use super::text::{Line, Lines};
use crate::data::Data;
use crate::memory::Memory;
use crate::model::Model;
use crate::state::State;

const TITLE: &str = "stuntlab-snapshot";
const VERSION: u32 = 3;

/// All that a run goes on from, apart from what its controllers remember.
///
/// ```
/// # use stuntlab_physics::spatial::Inertia;
/// # use stuntlab_physics::{BodySpec, Data, Joint, Model, State};
/// use stuntlab_physics::blackbox::Snapshot;
/// # let ball = BodySpec::root("ball", Joint::free(), Inertia::solid_sphere(1.0, 0.1));
/// # let model = Model::builder().body(ball).build()?;
/// # let (mut state, mut data) = (State::new(&model), Data::new(&model));
///
/// let mut text = Vec::new();
/// Snapshot::take(&model, &state, &data).write(&mut text)?;
/// // … another day:
/// Snapshot::read(&text[..])?.restore(&model, &mut state, &mut data)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Names of the model's bodies, characters that would break a line escaped.
    pub bodies: Vec<String>,
    /// Where everything is.
    pub state: State,
    /// What the last step left for the next.
    pub memory: Memory,
}

impl Snapshot {
    /// Keeps where a run is.
    pub fn take(model: &Model, state: &State, data: &Data) -> Self {
        Self { bodies: super::names(model).collect(), state: state.clone(), memory: data.memory.clone() }
    }

    /// Puts a run where the snapshot was taken. `data` has to be looked at again ([`crate::observe`]), as after any change
    /// of a state.
    ///
    /// # Errors
    /// [`DumpError::OtherModel`] where `model` is not the one it was taken of; state and data stay as they are then.
    pub fn restore(&self, model: &Model, state: &mut State, data: &mut Data) -> Result<(), DumpError> {
        if let Some(what) = self.mismatch(model) {
            return Err(DumpError::OtherModel { what });
        }
        state.clone_from(&self.state);
        data.memory.clone_from(&self.memory);
        Ok(())
    }

    fn mismatch(&self, model: &Model) -> Option<String> {
        let State { q, v, .. } = &self.state;
        let fits = (q.len(), v.len()) == (model.n_q(), model.n_v()) && memory::fits(&self.memory, model);
        other_bodies(&self.bodies, model)
            .or_else(|| (!fits).then(|| "the sizes of its state or memory do not fit".to_owned()))
    }

    /// Writes it as text.
    ///
    /// # Errors
    /// Whatever `out` reports.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let out = &mut out;
        Line::new(TITLE).word(VERSION).end(out)?;
        write_bodies(&self.bodies, out)?;
        write_state(&self.state, out)?;
        memory::write(&self.memory, out)
    }

    /// Reads what [`Snapshot::write`] wrote.
    ///
    /// # Errors
    /// [`DumpError`] names the line and what was expected there.
    pub fn read(input: impl Read) -> Result<Self, DumpError> {
        let mut lines = Lines::new(BufReader::new(input));
        lines.expect(TITLE)?;
        let version: u32 = lines.word("a version")?;
        if version != VERSION {
            return Err(lines.wrong("version 3", &version.to_string()));
        }
        Ok(Self {
            bodies: read_bodies(&mut lines)?,
            state: read_state(&mut lines)?,
            memory: memory::read(&mut lines)?,
        })
    }
}
