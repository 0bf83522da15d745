//! The black box as a text file, and the failing step taken again.
//!
//! One line per quantity, key first; [`Dump::write`] is the format's definition. Structs are taken apart
//! field by field, so a field that is added anywhere cannot be forgotten here.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use thiserror::Error;

use super::memory;
use super::text::{Line, Lines, one_line};
use super::{Record, fingerprint};
use crate::actuation::{Actuation, Anchor, Effort, Key, MOST_TERMS, Motor, Pin, Release, Row, Servos, Term};
use crate::data::Data;
use crate::forces::ImplicitForce;
use crate::integrate::Integrator;
use crate::model::{BodyId, Freedom, Freedoms, Model};
use crate::spatial::{ArticulatedInertia, Force, Sym3};
use crate::state::State;
use crate::step::{Formulation, NormalLaw, StepError, StepOptions, StepReport};

const TITLE: &str = "stuntlab-black-box";
const VERSION: u32 = 9;

/// The word for the formulation's own integrator.
const OWN: &str = "own";

/// Recorded steps, the last of them usually the one that went wrong.
#[derive(Clone, Debug)]
pub struct Dump {
    /// Names of the model's bodies, characters that would break a line escaped.
    pub bodies: Vec<String>,
    /// What went wrong, in a sentence.
    pub reason: String,
    /// The steps, oldest first.
    pub records: Vec<Record>,
    /// What the last step led to, unless it failed.
    pub after: Option<State>,
}

/// Why a dump could not be read or replayed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields mean")]
pub enum DumpError {
    #[error("line {line}: {message}")]
    Io { line: usize, message: String },
    #[error("line {line}: the file ends where {expected} was expected")]
    Ended { line: usize, expected: &'static str },
    #[error("line {line}: found '{found}' where {expected} was expected")]
    Wrong { line: usize, expected: &'static str, found: String },
    #[error("recorded on another model: {what}")]
    OtherModel { what: String },
}

/// A recorded step taken again.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// Its number.
    pub step: u64,
    /// The state it led to (the one before it, where it failed).
    pub state: State,
    /// How it went.
    pub outcome: Result<StepReport, StepError>,
    /// Whether that is, bit for bit, where the recorded step led.
    pub same: bool,
}

impl Dump {
    /// Takes every recorded step again, each from its own record.
    ///
    /// # Errors
    /// [`DumpError::OtherModel`] where `model` is not the one recorded.
    pub fn replay(&self, model: &Model) -> Result<Vec<Replayed>, DumpError> {
        if let Some(what) = self.mismatch(model) {
            return Err(DumpError::OtherModel { what });
        }
        let mut data = Data::new(model);
        let mut replayed = Vec::with_capacity(self.records.len());
        for record in &self.records {
            let (state, outcome) = record.again(model, &mut data, false);
            let same = match record.led_to {
                Some(known) => outcome.is_ok() && fingerprint(&state) == known,
                None => outcome.is_err(),
            };
            replayed.push(Replayed { step: record.step, state, outcome, same });
        }
        Ok(replayed)
    }

    fn mismatch(&self, model: &Model) -> Option<String> {
        if let Some(what) = other_bodies(&self.bodies, model) {
            return Some(what);
        }
        let sizes = (model.n_q(), model.n_v(), model.n_bodies(), model.trees().len());
        let fits = |r: &Record| {
            (r.state.q.len(), r.state.v.len(), r.act.body_force.len(), r.memory.sleep.still.len()) == sizes
                && memory::fits(&r.memory, model)
                && r.act.implicit.iter().all(|(b, _)| b.index() < sizes.2)
                && r.act.motors.iter().all(|m| m.freedoms.range().end <= sizes.1)
                && r.act.rows.iter().flat_map(|row| row.terms.iter().flatten()).all(|term| match *term {
                    Term::Freedom { freedom, .. } => freedom.index() < sizes.1,
                    _ => term.bodies().into_iter().flatten().all(|b| b.index() < sizes.2),
                })
                && r.act.pins.iter().all(|p| match p.anchor {
                    Anchor::World { .. } => p.body.index() < sizes.2,
                    Anchor::Body { body, .. } => p.body.index().max(body.index()) < sizes.2,
                })
        };
        let odd = self.records.iter().find(|r| !fits(r))?;
        Some(format!("the sizes of step {} do not fit", odd.step))
    }

    /// Writes the dump as text.
    ///
    /// # Errors
    /// Whatever `out` reports.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let out = &mut out;
        Line::new(TITLE).word(VERSION).end(out)?;
        Line::new("reason").word(one_line(&self.reason)).end(out)?;
        write_bodies(&self.bodies, out)?;
        Line::new("records").word(self.records.len()).end(out)?;
        for record in &self.records {
            Line::new("step").word(record.step).end(out)?;
            Line::new("led_to").word(Place(record.led_to)).end(out)?;
            write_state(&record.state, out)?;
            write_options(&record.options, out)?;
            write_actuation(&record.act, out)?;
            memory::write(&record.memory, out)?;
        }
        Line::new("after").word(u8::from(self.after.is_some())).end(out)?;
        match &self.after {
            Some(state) => write_state(state, out),
            None => Ok(()),
        }
    }

    /// Reads what [`Dump::write`] wrote.
    ///
    /// # Errors
    /// [`DumpError`] names the line and what was expected there.
    pub fn read(input: impl Read) -> Result<Self, DumpError> {
        let mut lines = Lines::new(BufReader::new(input));
        lines.expect(TITLE)?;
        let version: u32 = lines.word("a version")?;
        if version != VERSION {
            return Err(lines.wrong("version 9", &version.to_string()));
        }
        lines.expect("reason")?;
        let reason = lines.rest();
        let bodies = read_bodies(&mut lines)?;
        let mut records = Vec::new();
        for _ in 0..count(&mut lines, "records")? {
            lines.expect("step")?;
            records.push(Record {
                step: lines.word("a step number")?,
                led_to: read_place(&mut lines)?,
                state: read_state(&mut lines)?,
                options: read_options(&mut lines)?,
                act: read_actuation(&mut lines)?,
                report: None,
                memory: memory::read(&mut lines)?,
                energy: Vec::new(),
            });
        }
        let after = if count(&mut lines, "after")? > 0 { Some(read_state(&mut lines)?) } else { None };
        Ok(Self { bodies, reason, records, after })
    }
}

/// Where a step led, in words.
struct Place(Option<u64>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hash) => write!(f, "{hash:016x}"),
            None => f.write_str("nowhere"),
        }
    }
}

fn read_place<R: BufRead>(lines: &mut Lines<R>) -> Result<Option<u64>, DumpError> {
    const EXPECTED: &str = "sixteen hexadecimal digits or 'nowhere'";
    lines.expect("led_to")?;
    let word: String = lines.word(EXPECTED)?;
    match (word.as_str(), u64::from_str_radix(&word, 16)) {
        ("nowhere", _) => Ok(None),
        (_, Ok(hash)) => Ok(Some(hash)),
        _ => Err(lines.wrong(EXPECTED, &word)),
    }
}

/// What names of bodies say against their being those of the model.
pub(super) fn other_bodies(bodies: &[String], model: &Model) -> Option<String> {
    if bodies.len() != model.n_bodies() {
        return Some(format!("it had {} bodies, this one has {}", bodies.len(), model.n_bodies()));
    }
    let (a, b) = bodies.iter().zip(super::names(model)).find(|(a, b)| **a != *b)?;
    Some(format!("it had a body '{a}' where this one has '{b}'"))
}

pub(super) fn write_bodies(bodies: &[String], out: &mut impl Write) -> io::Result<()> {
    Line::new("bodies").word(bodies.len()).end(out)?;
    bodies.iter().try_for_each(|name| Line::new("body").word(name).end(out))
}

pub(super) fn read_bodies<R: BufRead>(lines: &mut Lines<R>) -> Result<Vec<String>, DumpError> {
    let mut bodies = Vec::new();
    for _ in 0..count(lines, "bodies")? {
        lines.expect("body")?;
        bodies.push(lines.rest());
    }
    Ok(bodies)
}

/// A line with a key and a number of things.
pub(super) fn count<R: BufRead>(lines: &mut Lines<R>, key: &'static str) -> Result<usize, DumpError> {
    lines.expect(key)?;
    lines.word("a count")
}

pub(super) fn write_list(key: &str, values: &[f64], out: &mut impl Write) -> io::Result<()> {
    Line::new(key).word(values.len()).numbers(values).end(out)
}

pub(super) fn read_list<R: BufRead>(lines: &mut Lines<R>, key: &'static str) -> Result<Vec<f64>, DumpError> {
    let n = count(lines, key)?;
    (0..n).map(|_| lines.word("a number")).collect()
}

pub(super) fn write_state(state: &State, out: &mut impl Write) -> io::Result<()> {
    let State { q, v, time } = state;
    Line::new("time").number(*time).end(out)?;
    write_list("q", q, out)?;
    write_list("v", v, out)
}

pub(super) fn read_state<R: BufRead>(lines: &mut Lines<R>) -> Result<State, DumpError> {
    lines.expect("time")?;
    let time = lines.word("a time")?;
    Ok(State { q: read_list(lines, "q")?, v: read_list(lines, "v")?, time })
}

fn write_options(options: &StepOptions, out: &mut impl Write) -> io::Result<()> {
    let StepOptions {
        dt,
        formulation,
        integrator,
        substeps,
        most_substeps,
        normal_law,
        contact_time,
        margin,
        passes,
        sweeps,
        most_work,
        tolerance,
        correction,
        slop,
        max_correction_speed,
        restitution_threshold,
        ledger,
        sleep_after,
    } = *options;
    let (exponent, dissipation) = match normal_law {
        NormalLaw::KelvinVoigt => (0.0, 0.0),
        NormalLaw::HuntCrossley { exponent, dissipation } => (exponent, dissipation),
    };
    Line::new("options")
        .word(formulation.name())
        .word(integrator.map_or(OWN, Integrator::name))
        .word(substeps)
        .word(most_substeps)
        .word(passes)
        .word(sweeps)
        .word(most_work)
        .word(ledger)
        .numbers(&[dt, exponent, dissipation, contact_time, margin, tolerance, correction, slop])
        .numbers(&[max_correction_speed, restitution_threshold, sleep_after.unwrap_or(f64::NAN)])
        .end(out)
}

fn read_options<R: BufRead>(lines: &mut Lines<R>) -> Result<StepOptions, DumpError> {
    lines.expect("options")?;
    let name: String = lines.word("a formulation")?;
    let formulation = Formulation::from_name(&name).ok_or_else(|| lines.wrong("a formulation", &name))?;
    let name: String = lines.word("an integrator")?;
    let integrator = match Integrator::from_name(&name) {
        None if name != OWN => return Err(lines.wrong("an integrator", &name)),
        integrator => integrator,
    };
    let substeps = lines.word("sub-steps")?;
    let most_substeps = lines.word("most sub-steps")?;
    let passes = lines.word("passes")?;
    let sweeps = lines.word("sweeps")?;
    let most_work = lines.word("a bound on the work")?;
    let ledger = lines.word("true or false")?;
    let [dt, exponent, dissipation, contact_time, margin, tolerance, correction, slop] =
        lines.array("a number")?;
    let [max_correction_speed, restitution_threshold, sleep_after] = lines.array("a number")?;
    let normal_law = if exponent == 0.0 {
        NormalLaw::KelvinVoigt
    } else {
        NormalLaw::HuntCrossley { exponent, dissipation }
    };
    Ok(StepOptions {
        dt,
        formulation,
        integrator,
        substeps,
        most_substeps,
        normal_law,
        contact_time,
        margin,
        passes,
        sweeps,
        most_work,
        tolerance,
        correction,
        slop,
        max_correction_speed,
        restitution_threshold,
        ledger,
        sleep_after: (!sleep_after.is_nan()).then_some(sleep_after),
    })
}

fn write_actuation(act: &Actuation, out: &mut impl Write) -> io::Result<()> {
    let Actuation {
        joint_force,
        servo,
        body_force,
        implicit,
        motors,
        pins,
        rows,
        prescribed,
        prescribed_velocity,
    } = act;
    let Servos { stiffness, damping, target_q, target_v } = servo;
    write_list("joint_force", joint_force, out)?;
    write_list("stiffness", stiffness, out)?;
    write_list("damping", damping, out)?;
    write_list("target_q", target_q, out)?;
    write_list("target_v", target_v, out)?;
    write_list("prescribed_velocity", prescribed_velocity, out)?;
    let line = Line::new("prescribed").word(prescribed.len());
    prescribed.iter().fold(line, |line, &on| line.word(on)).end(out)?;
    Line::new("body_forces").word(body_force.len()).end(out)?;
    for force in body_force {
        write_force(Line::new("force"), force).end(out)?;
    }
    Line::new("implicit_terms").word(implicit.len()).end(out)?;
    for (body, ImplicitForce { at_rest, gain }) in implicit {
        let line = write_force(Line::new("term").word(body.index()), at_rest);
        let line = write_sym3(line, &gain.angular);
        write_sym3(line.numbers(&gain.coupling.to_cols_array()), &gain.linear).end(out)?;
    }
    Line::new("motors").word(motors.len()).end(out)?;
    for &Motor { key, freedoms, velocity, effort, compliance } in motors {
        let line = Line::new("motor").word(key).word(freedoms.range().start).word(freedoms.len());
        let line = line.vector(velocity).number(compliance);
        match effort {
            Effort::Between { lower, upper } => line.word("between").vector(lower).vector(upper),
            Effort::Magnitude(most) => line.word("magnitude").number(most),
        }
        .end(out)?;
    }
    Line::new("pins").word(pins.len()).end(out)?;
    for &Pin { key, body, point, anchor, weld, correction, release } in pins {
        let (other, place, rotation) = match anchor {
            Anchor::World { point, rotation } => (-1, point, rotation),
            Anchor::Body { body, point, rotation } => (body.index() as i64, point, rotation),
        };
        let Release { push_direction, tension, friction, force } = release;
        Line::new("pin")
            .word(key)
            .word(body.index())
            .word(other)
            .word(weld)
            .vector(point)
            .vector(place)
            .numbers(&rotation.to_array())
            .number(correction)
            .vector(push_direction)
            .numbers(&[tension, friction, force])
            .end(out)?;
    }
    Line::new("rows").word(rows.len()).end(out)?;
    rows.iter().try_for_each(|row| write_row(row, out))
}

fn read_actuation<R: BufRead>(lines: &mut Lines<R>) -> Result<Actuation, DumpError> {
    let joint_force = read_list(lines, "joint_force")?;
    let servo = Servos {
        stiffness: read_list(lines, "stiffness")?,
        damping: read_list(lines, "damping")?,
        target_q: read_list(lines, "target_q")?,
        target_v: read_list(lines, "target_v")?,
    };
    let prescribed_velocity = read_list(lines, "prescribed_velocity")?;
    let n = count(lines, "prescribed")?;
    let prescribed = (0..n).map(|_| lines.word("true or false")).collect::<Result<_, _>>()?;
    let mut body_force = Vec::new();
    for _ in 0..count(lines, "body_forces")? {
        lines.expect("force")?;
        body_force.push(read_force(lines)?);
    }
    let mut implicit = Vec::new();
    for _ in 0..count(lines, "implicit_terms")? {
        lines.expect("term")?;
        let body = read_body(lines)?;
        let at_rest = read_force(lines)?;
        let angular = read_sym3(lines)?;
        let coupling = glam::DMat3::from_cols_array(&lines.array("a number")?);
        let gain = ArticulatedInertia { angular, coupling, linear: read_sym3(lines)? };
        implicit.push((body, ImplicitForce { at_rest, gain }));
    }
    let mut motors = Vec::new();
    for _ in 0..count(lines, "motors")? {
        lines.expect("motor")?;
        let key = read_key(lines)?;
        let (first, count): (u32, u32) = (lines.word("a freedom")?, lines.word("a count")?);
        let end = first.checked_add(count).ok_or_else(|| lines.wrong("a count", &count.to_string()))?;
        let freedoms = Freedoms::new(first as usize..end as usize);
        let (velocity, compliance) = (lines.vector("a velocity")?, lines.word("a number")?);
        let word: String = lines.word("between or magnitude")?;
        let effort = match word.as_str() {
            "between" => Effort::Between { lower: lines.vector("a force")?, upper: lines.vector("a force")? },
            "magnitude" => Effort::Magnitude(lines.word("a number")?),
            _ => return Err(lines.wrong("between or magnitude", &word)),
        };
        motors.push(Motor { key, freedoms, velocity, effort, compliance });
    }
    let mut pins = Vec::new();
    for _ in 0..count(lines, "pins")? {
        lines.expect("pin")?;
        let key = read_key(lines)?;
        let body = read_body(lines)?;
        let other: i64 = lines.word("a body")?;
        let weld = lines.word("true or false")?;
        let point = lines.vector("a point")?;
        let (place, rotation) = (lines.vector("a point")?, lines.quaternion("a rotation")?);
        let anchor = match u32::try_from(other) {
            Ok(body) => Anchor::Body { body: BodyId::new(body as usize), point: place, rotation },
            Err(_) => Anchor::World { point: place, rotation },
        };
        let correction = lines.word("a number")?;
        let push_direction = lines.vector("a direction")?;
        let [tension, friction, force] = lines.array("a number")?;
        let release = Release { push_direction, tension, friction, force };
        pins.push(Pin { key, body, point, anchor, weld, correction, release });
    }
    let mut rows = Vec::new();
    for _ in 0..count(lines, "rows")? {
        rows.push(read_row(lines)?);
    }
    Ok(Actuation {
        joint_force,
        servo,
        body_force,
        implicit,
        motors,
        pins,
        rows,
        prescribed,
        prescribed_velocity,
    })
}

fn read_key<R: BufRead>(lines: &mut Lines<R>) -> Result<Key, DumpError> {
    lines.word("a key").map(Key)
}

/// A row, then a line per term. The world has no number.
fn write_row(row: &Row, out: &mut impl Write) -> io::Result<()> {
    let Row { key, terms, velocity, compliance, lower, upper } = row;
    let line = Line::new("row").word(key).word(terms.iter().flatten().count());
    line.numbers(&[*velocity, *compliance, *lower, *upper]).end(out)?;
    let world = u32::MAX as usize;
    for term in terms.iter().flatten() {
        let line = Line::new("term");
        match *term {
            Term::Point { body, point, other, direction } => {
                let (b, at) = other.map_or((world, glam::DVec3::ZERO), |(b, at)| (b.index(), at));
                line.word("point").word(body.index()).word(b).vector(point).vector(at).vector(direction)
            }
            Term::Spin { body, other, direction } => {
                let b = other.map_or(world, BodyId::index);
                line.word("spin").word(body.index()).word(b).vector(direction)
            }
            Term::Freedom { freedom, weight } => line.word("freedom").word(freedom.index()).number(weight),
        }
        .end(out)?;
    }
    Ok(())
}

fn read_row<R: BufRead>(lines: &mut Lines<R>) -> Result<Row, DumpError> {
    lines.expect("row")?;
    let key = read_key(lines)?;
    let n: usize = lines.word("a count")?;
    let [velocity, compliance, lower, upper] = lines.array("a number")?;
    let mut terms = [None; MOST_TERMS];
    if n > MOST_TERMS {
        return Err(lines.wrong("at most four terms", &n.to_string()));
    }
    for term in &mut terms[..n] {
        lines.expect("term")?;
        *term = Some(read_term(lines)?);
    }
    Ok(Row { key, terms, velocity, compliance, lower, upper })
}

fn read_term<R: BufRead>(lines: &mut Lines<R>) -> Result<Term, DumpError> {
    let other = |lines: &mut Lines<R>| -> Result<Option<BodyId>, DumpError> {
        let index: u32 = lines.word("a body")?;
        Ok((index != u32::MAX).then(|| BodyId::new(index as usize)))
    };
    let word: String = lines.word("point, spin or freedom")?;
    match word.as_str() {
        "point" => {
            let (body, other) = (read_body(lines)?, other(lines)?);
            let (point, at) = (lines.vector("a point")?, lines.vector("a point")?);
            let direction = lines.vector("a direction")?;
            Ok(Term::Point { body, point, other: other.map(|b| (b, at)), direction })
        }
        "spin" => {
            let (body, other) = (read_body(lines)?, other(lines)?);
            Ok(Term::Spin { body, other, direction: lines.vector("a direction")? })
        }
        "freedom" => {
            let freedom = Freedom::new(lines.word::<u32>("a freedom")? as usize);
            Ok(Term::Freedom { freedom, weight: lines.word("a number")? })
        }
        _ => Err(lines.wrong("point, spin or freedom", &word)),
    }
}

fn read_body<R: BufRead>(lines: &mut Lines<R>) -> Result<BodyId, DumpError> {
    let index: u32 = lines.word("a body")?;
    Ok(BodyId::new(index as usize))
}

fn write_force(line: Line, force: &Force) -> Line {
    line.vector(force.angular).vector(force.linear)
}

fn read_force<R: BufRead>(lines: &mut Lines<R>) -> Result<Force, DumpError> {
    Ok(Force::new(lines.vector("a moment")?, lines.vector("a force")?))
}

fn write_sym3(line: Line, m: &Sym3) -> Line {
    line.numbers(&[m.xx, m.yy, m.zz, m.xy, m.xz, m.yz])
}

fn read_sym3<R: BufRead>(lines: &mut Lines<R>) -> Result<Sym3, DumpError> {
    let [xx, yy, zz, xy, xz, yz] = lines.array("a number")?;
    Ok(Sym3 { xx, yy, zz, xy, xz, yz })
}
