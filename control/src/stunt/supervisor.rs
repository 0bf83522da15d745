//! Who acts: the supervisor of a pool of skills (Faloutsos et al. 2001, Fig. 2).
//!
//! ```text
//! every tick:  none active, it has succeeded or failed, or a command came?
//!                 no  -> it goes on
//!                 yes -> every skill bids; the highest acts (a command adds to its skill's bid)
//! ```
//! Not in the paper: one that has acted for less than `dwell` is interrupted by urgent skills only; what a skill brings about or misses
//! counts after it has lasted ([`Terms::settled`](super::skill::Terms), `patience`); one that has succeeded and still bids as much as any
//! other goes on. Among equals the first by name acts, so that the order of the pool does not matter.

use stuntlab_physics::Actuation;

use super::features::Features;
use super::quantity::Facts;
use super::relation::Unmet;
use super::skill::{Bid, Look, MOST, Skill, Status};
use crate::chronicle::Entry;
use crate::controller::Sense;

/// What a command adds to the bid of its skill: more than any skill can bid against it.
const ASKED: u32 = MOST as u32;
/// How long a command waits for a state in which its skill can work, s.
const WAITS: f64 = 3.0;

/// What made it ask for bids.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cause {
    Nobody,
    Success,
    Failure(Unmet),
    Command,
}

/// A command that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wish {
    skill: usize,
    /// Since when, s; none before the first tick that saw it.
    since: Option<f64>,
}

/// The supervisor.
#[derive(Clone)]
pub struct Supervisor {
    skills: Vec<Box<dyn Skill>>,
    bids: Vec<Bid>,
    active: Option<usize>,
    /// Since when the active one acts, s.
    since: f64,
    /// For how long its post-conditions have held, and its expected performance has been missed, s.
    held: f64,
    missed: f64,
    wish: Option<Wish>,
    /// Whether it chooses at all; else the first choice stays.
    supervises: bool,
    dwell: f64,
    changes: u32,
    entries: Vec<Entry>,
}

impl Supervisor {
    /// Over a pool.
    pub fn new(mut skills: Vec<Box<dyn Skill>>, dwell: f64, supervises: bool) -> Self {
        skills.sort_by_key(|skill| skill.terms().name);
        let none = Bid { score: 0, why: super::skill::Why::NotAsked };
        Self {
            bids: vec![none; skills.len()],
            skills,
            active: None,
            since: 0.0,
            held: 0.0,
            missed: 0.0,
            wish: None,
            supervises,
            dwell,
            changes: 0,
            entries: Vec::new(),
        }
    }

    /// The skills, by name.
    pub fn skills(&self) -> &[Box<dyn Skill>] {
        &self.skills
    }

    /// The skills, to change their terms.
    pub fn skills_mut(&mut self) -> &mut [Box<dyn Skill>] {
        &mut self.skills
    }

    /// The one that acts.
    pub fn active(&self) -> Option<&dyn Skill> {
        self.active.map(|k| self.skills[k].as_ref())
    }

    /// Seconds it has acted.
    pub fn time(&self, now: f64) -> f64 {
        if self.active.is_some() { now - self.since } else { 0.0 }
    }

    /// What each bid when it was asked last, in the order of [`Supervisor::skills`].
    pub fn bids(&self) -> &[Bid] {
        &self.bids
    }

    /// How often another one took over.
    pub fn changes(&self) -> u32 {
        self.changes
    }

    /// What it chose and why.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Asks for a skill by name; returns whether there is one.
    pub fn ask(&mut self, name: &str) -> bool {
        let found = self.skills.iter().position(|skill| skill.terms().name == name);
        self.wish = found.map(|skill| Wish { skill, since: None }).or(self.wish);
        found.is_some()
    }

    /// Looks at the active skill and, where it must, for another one. Returns whether one has just begun.
    pub fn tick(&mut self, sense: &Sense<'_>, facts: &Facts, features: &Features, seconds: f64) -> bool {
        let now = sense.time();
        if let Some(wish) = &mut self.wish {
            let since = *wish.since.get_or_insert(now);
            if now - since > WAITS {
                self.wish = None;
            }
        }
        let Some(cause) = self.cause(facts, seconds) else { return false };
        if self.active.is_some() && !self.supervises {
            return false;
        }
        self.poll(facts, features);
        let Some(best) = self.best() else { return false };
        if self.active == Some(best) && matches!(cause, Cause::Success | Cause::Command) {
            self.fulfil(best);
            return false;
        }
        if cause == Cause::Command && self.wish.is_some_and(|wish| wish.skill != best) {
            // What is asked for cannot be done here: who acts is not disturbed by that.
            return false;
        }
        let young = self.active.is_some() && now - self.since < self.dwell;
        if young && cause != Cause::Command && !self.skills[best].terms().urgent {
            return false;
        }
        self.begin(best, cause, sense);
        true
    }

    /// Acts.
    pub fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if let Some(k) = self.active {
            self.skills[k].act(sense, out);
        }
    }

    /// Why bids are due, if they are.
    fn cause(&mut self, facts: &Facts, seconds: f64) -> Option<Cause> {
        let Some(active) = self.active else { return Some(Cause::Nobody) };
        let terms = self.skills[active].terms();
        let status = self.skills[active].judge(facts);
        self.held = if status == Status::Success { self.held + seconds } else { 0.0 };
        self.missed = if matches!(status, Status::Failure(_)) { self.missed + seconds } else { 0.0 };
        let due = |lasted: f64, wanted: f64| lasted > 0.0 && lasted + 0.5 * seconds >= wanted;
        match status {
            Status::Failure(unmet) if due(self.missed, terms.patience) => Some(Cause::Failure(unmet)),
            Status::Success if due(self.held, terms.settled) => Some(Cause::Success),
            _ if self.wish.is_some_and(|wish| wish.skill != active) => Some(Cause::Command),
            _ => None,
        }
    }

    fn poll(&mut self, facts: &Facts, features: &Features) {
        for (k, (skill, bid)) in self.skills.iter().zip(&mut self.bids).enumerate() {
            let asked = self.wish.is_some_and(|wish| wish.skill == k);
            *bid = skill.bid(&Look { facts, features, asked });
        }
    }

    /// The highest bid; the active skill's among equals, else the first by name.
    fn best(&self) -> Option<usize> {
        let asked = |k: usize| self.wish.is_some_and(|wish| wish.skill == k);
        let score = |k: usize| u32::from(self.bids[k].score) + if asked(k) { ASKED } else { 0 };
        let bidders = (0..self.skills.len()).filter(|k| self.bids[*k].score > 0);
        // `max_by_key` takes the last of equals.
        bidders.rev().max_by_key(|k| (score(*k), self.active == Some(*k)))
    }

    fn fulfil(&mut self, skill: usize) {
        if self.wish.is_some_and(|wish| wish.skill == skill) {
            self.wish = None;
        }
    }

    fn begin(&mut self, best: usize, cause: Cause, sense: &Sense<'_>) {
        let before = self.active.map_or("", |k| self.skills[k].terms().name);
        let why = match cause {
            Cause::Nobody => "nobody acted".to_owned(),
            Cause::Success => format!("{before} has succeeded"),
            Cause::Failure(unmet) => format!("{before} has failed: {unmet}"),
            Cause::Command => "a command".to_owned(),
        };
        let name = |k: usize| self.skills[k].terms().name;
        let bids = self.bids.iter().enumerate().map(|(k, bid)| (name(k), bid.score, bid.why.to_string()));
        let entry = Entry { time: sense.time(), chosen: name(best), why, bids: bids.collect() };
        self.entries.push(entry);
        self.fulfil(best);
        self.changes += u32::from(self.active != Some(best));
        let ended = self.active.filter(|k| *k != best);
        (self.active, self.since, self.held, self.missed) = (Some(best), sense.time(), 0.0, 0.0);
        if let Some(k) = ended {
            self.skills[k].end();
        }
        self.skills[best].begin(sense);
    }
}
