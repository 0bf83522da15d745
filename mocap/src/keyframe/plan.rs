//! From the tables of a file to curves, contacts and flights on one time line.

use super::angles::{Angles, N_ANGLES, mirrored};
use super::curve::{Curve, Ease, End};
use super::file::{FileTable, KeyframeError, PoseBook, Source};
use crate::roles::Side;
use toml::Spanned;

/// A part of the body that can rest on something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Heel of a foot.
    Heel(Side),
    /// Ball of a foot.
    Toe(Side),
    /// The whole sole.
    Foot(Side),
    /// Palm or fist.
    Hand(Side),
    /// Knee.
    Knee(Side),
    /// Buttocks.
    Seat,
    /// Whatever of pelvis, back, chest, shoulders and head is lowest; it rolls.
    Trunk,
}

impl Part {
    /// The part on the other side.
    fn mirrored(self) -> Self {
        let other = |side| match side {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        };
        match self {
            Self::Heel(s) => Self::Heel(other(s)),
            Self::Toe(s) => Self::Toe(other(s)),
            Self::Foot(s) => Self::Foot(other(s)),
            Self::Hand(s) => Self::Hand(other(s)),
            Self::Knee(s) => Self::Knee(other(s)),
            Self::Seat | Self::Trunk => self,
        }
    }

    /// The parts a word stands for.
    fn parse(word: &str) -> Option<Vec<Self>> {
        let both = |make: fn(Side) -> Self| Side::BOTH.map(make).to_vec();
        let (side, rest) = match word.split_once('-') {
            Some(("left", rest)) => (Side::Left, rest),
            Some(("right", rest)) => (Side::Right, rest),
            _ => {
                return match word {
                    "heels" => Some(both(Self::Heel)),
                    "toes" => Some(both(Self::Toe)),
                    "feet" => Some(both(Self::Foot)),
                    "hands" => Some(both(Self::Hand)),
                    "knees" => Some(both(Self::Knee)),
                    "seat" => Some(vec![Self::Seat]),
                    "trunk" => Some(vec![Self::Trunk]),
                    _ => None,
                };
            }
        };
        let make = match rest {
            "heel" => Self::Heel,
            "toe" => Self::Toe,
            "foot" => Self::Foot,
            "hand" => Self::Hand,
            "knee" => Self::Knee,
            _ => return None,
        };
        Some(vec![make(side)])
    }
}

/// A part at rest for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What rests.
    pub part: Part,
    /// From this time, in seconds.
    pub from: f64,
    /// To this time.
    pub to: f64,
    /// Height of what it rests on, in metres: 0 is the floor.
    pub height: f64,
}

/// Free fall for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlightPhase {
    /// Take-off, in seconds.
    pub from: f64,
    /// Landing.
    pub to: f64,
    /// Way of the centre of mass, x and y in metres.
    pub travel: [f64; 2],
}

/// The centre of mass held over the feet for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) shift: [f64; 2],
}

/// A key with its pose worked out.
#[derive(Clone, Debug)]
struct Key {
    time: f64,
    angles: Angles,
    ease: Ease,
    height: Option<f64>,
}

/// Everything the compiler needs, on one time line.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) rate: f64,
    /// Length of the time line; of a loop three rounds.
    pub(crate) duration: f64,
    /// Length of one round.
    pub(crate) period: f64,
    pub(crate) looped: bool,
    /// Half of the time over which the root's way is averaged, s.
    pub(crate) steady: f64,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) flights: Vec<FlightPhase>,
    pub(crate) balance: Vec<Balance>,
    /// Heights of the root that keys ask for, and the times of all keys.
    pub(crate) heights: Vec<(f64, Option<f64>)>,
    curves: Vec<Curve>,
}

/// Rounds of a loop that are worked out; the middle one is kept.
pub(crate) const ROUNDS: usize = 3;

impl Plan {
    /// Checks a file and lays it out.
    pub(crate) fn new(
        source: &Source<'_>,
        table: &FileTable,
        book: &PoseBook,
    ) -> Result<Self, KeyframeError> {
        let rate = match &table.rate {
            Some(rate) if ![60, 120].contains(rate.get_ref()) => {
                let what = format!("rate {}: expected 60 or 120 frames per second", rate.get_ref());
                return Err(source.error(rate.span().start, what));
            }
            Some(rate) => f64::from(*rate.get_ref()),
            None => 120.0,
        };
        let book = book.with(source, &table.poses)?;
        let mut keys = read_keys(source, table, &book)?;
        let last = keys.last().map_or(0.0, |k| k.time);
        let period = match &table.duration {
            Some(d) if !(d.get_ref().is_finite() && *d.get_ref() >= last && *d.get_ref() <= 600.0) => {
                let what = format!("duration {}: expected at least the last key's time {last}", d.get_ref());
                return Err(source.error(d.span().start, what));
            }
            Some(d) => *d.get_ref(),
            None => last,
        };
        let period = (period * rate).round().max(2.0) / rate;
        let steady = match &table.steady {
            // A loop is worked out in three rounds, of which the outer ones must hold the average's ends.
            Some(s) if !(0.0..=period).contains(s.get_ref()) => {
                let what = format!("steady {}: expected 0 to the duration of {period} s", s.get_ref());
                return Err(source.error(s.span().start, what));
            }
            Some(s) => *s.get_ref(),
            None => 0.0,
        };
        let mut plan = Self {
            rate,
            duration: period,
            period,
            looped: table.looped,
            steady,
            contacts: Vec::new(),
            flights: Vec::new(),
            balance: Vec::new(),
            heights: Vec::new(),
            curves: Vec::new(),
        };
        plan.read_intervals(source, table)?;
        if table.mirror {
            plan.add_mirrored_half(source, table, &mut keys)?;
        }
        if table.looped {
            plan.unroll(&mut keys);
        }
        plan.find_gaps(source)?;
        let ends = [table.starts_moving, table.ends_moving].map(|m| if m { End::Moving } else { End::Rest });
        let times: Vec<f64> = keys.iter().map(|k| k.time).collect();
        let eases: Vec<Ease> = keys.iter().map(|k| k.ease).collect();
        plan.heights = keys.iter().map(|k| (k.time, k.height)).collect();
        plan.curves = (0..N_ANGLES)
            .map(|i| Curve::new(&times, keys.iter().map(|k| k.angles[i]).collect(), &eases, ends))
            .collect();
        Ok(plan)
    }

    /// All angles at a time, in degrees.
    pub(crate) fn angles(&self, time: f64) -> Angles {
        core::array::from_fn(|i| self.curves[i].at(time))
    }

    fn read_intervals(&mut self, source: &Source<'_>, table: &FileTable) -> Result<(), KeyframeError> {
        let end = self.period;
        let range = |from: &Spanned<f64>, to: &Spanned<f64>| {
            let (a, b) = (*from.get_ref(), *to.get_ref());
            // A loop's interval may run into the next round.
            let latest = if table.looped { 2.0 * end } else { end + 1e-9 };
            if a >= 0.0 && a < b && b <= latest && a <= end {
                return Ok((a, b));
            }
            let what = format!("from {a} to {b}: expected an interval inside 0 to {end}");
            Err(source.error(from.span().start, what))
        };
        for contact in &table.contacts {
            let (from, to) = range(&contact.from, &contact.to)?;
            let word = contact.on.get_ref();
            let parts = Part::parse(word).ok_or_else(|| {
                let what = format!(
                    "no part {word:?}: expected left- or right- with heel, toe, foot, hand or knee; heels, toes, feet, hands, knees; seat or trunk"
                );
                source.error(contact.on.span().start, what)
            })?;
            let height = contact.height;
            self.contacts.extend(parts.into_iter().map(|part| Contact { part, from, to, height }));
        }
        for flight in &table.flights {
            let (from, to) = range(&flight.from, &flight.to)?;
            // Take-off and landing are frames.
            let whole = |t: f64| (t * self.rate).round() / self.rate;
            let (from, to) = (whole(from), whole(to));
            if to - from < 3.0 / self.rate || !table.looped && (from <= 0.0 || to >= end) {
                let what = "expected a flight of at least three frames between two contacts";
                return Err(source.error(flight.from.span().start, what));
            }
            self.flights.push(FlightPhase { from, to, travel: flight.travel });
        }
        for balance in &table.balance {
            let (from, to) = range(&balance.from, &balance.to)?;
            self.balance.push(Balance { from, to, shift: balance.shift });
        }
        Ok(())
    }

    /// Appends the mirrored first half.
    fn add_mirrored_half(
        &mut self,
        source: &Source<'_>,
        table: &FileTable,
        keys: &mut Vec<Key>,
    ) -> Result<(), KeyframeError> {
        let half = 0.5 * self.period;
        if let Some(late) = table.keys.iter().find(|k| *k.time.get_ref() >= half - 1e-9) {
            let what = format!("time {}: with mirror, expected keys before {half}", late.time.get_ref());
            return Err(source.error(late.time.span().start, what));
        }
        let second: Vec<Key> = keys
            .iter()
            .map(|k| Key { time: k.time + half, angles: mirrored(&k.angles), ..k.clone() })
            .collect();
        keys.extend(second);
        let contacts = self.contacts.clone();
        self.contacts.extend(contacts.iter().map(|c| Contact {
            part: c.part.mirrored(),
            from: c.from + half,
            to: c.to + half,
            ..*c
        }));
        let flights = self.flights.clone();
        self.flights.extend(flights.iter().map(|f| FlightPhase {
            from: f.from + half,
            to: f.to + half,
            travel: [f.travel[0], -f.travel[1]],
        }));
        Ok(())
    }

    /// Repeats a loop.
    fn unroll(&mut self, keys: &mut Vec<Key>) {
        let one = keys.clone();
        let (contacts, flights, balance) =
            (self.contacts.clone(), self.flights.clone(), self.balance.clone());
        keys.clear();
        // One round more on both sides gives the contacts that reach over the seam.
        for round in -1..=ROUNDS as i32 {
            let shift = f64::from(round) * self.period;
            keys.extend(one.iter().map(|k| Key { time: k.time + shift, ..k.clone() }));
            if round < 0 {
                self.contacts.clear();
                self.flights.clear();
                self.balance.clear();
            }
            self.contacts.extend(contacts.iter().map(|c| Contact {
                from: c.from + shift,
                to: c.to + shift,
                ..*c
            }));
            self.flights.extend(flights.iter().map(|f| FlightPhase {
                from: f.from + shift,
                to: f.to + shift,
                ..*f
            }));
            self.balance.extend(balance.iter().map(|b| Balance {
                from: b.from + shift,
                to: b.to + shift,
                ..*b
            }));
        }
        self.duration = self.period * ROUNDS as f64;
        let duration = self.duration;
        self.contacts.retain(|c| c.to > 0.0 && c.from < duration);
        // A flight cut by the ends of the time line cannot be flown; the middle round has its own.
        self.flights.retain(|f| f.from > 0.0 && f.to < duration);
        self.balance.retain(|b| b.to > 0.0 && b.from < duration);
        // What lasts to the end of one round and from the start of the next does not end.
        let mut joined: Vec<Contact> = Vec::new();
        for c in &self.contacts {
            let before = joined
                .iter_mut()
                .find(|j| j.part == c.part && j.height == c.height && (j.to - c.from).abs() < 1e-6);
            match before {
                Some(before) => before.to = c.to,
                None => joined.push(*c),
            }
        }
        self.contacts = joined;
        let mut joined: Vec<Balance> = Vec::new();
        for b in &self.balance {
            match joined.iter_mut().find(|j| j.shift == b.shift && (j.to - b.from).abs() < 1e-6) {
                Some(before) => before.to = b.to,
                None => joined.push(*b),
            }
        }
        self.balance = joined;
    }

    /// Every moment needs something that carries the body, or is flight.
    fn find_gaps(&self, source: &Source<'_>) -> Result<(), KeyframeError> {
        let n = (self.duration * self.rate).round() as usize;
        for frame in 0..=n {
            let t = frame as f64 / self.rate;
            let carried = self.contacts.iter().any(|c| (c.from - 1e-9..=c.to + 1e-9).contains(&t))
                || self.flights.iter().any(|f| (f.from..=f.to).contains(&t));
            // Flights over the outer seams of a loop were taken out above.
            let cut = self.looped && !(self.period * 0.5..=self.duration - self.period * 0.5).contains(&t);
            if !carried && !cut {
                let t = if self.looped { t % self.period } else { t };
                return Err(
                    source.error(0, format!("time {t:.3}: expected a contact or a flight at every moment"))
                );
            }
        }
        Ok(())
    }
}

/// Reads and checks the keys.
fn read_keys(source: &Source<'_>, table: &FileTable, book: &PoseBook) -> Result<Vec<Key>, KeyframeError> {
    let base = match &table.base {
        Some(name) => book.get(source, name)?,
        None => [0.0; N_ANGLES],
    };
    let mut keys: Vec<Key> = Vec::with_capacity(table.keys.len());
    for key in &table.keys {
        let time = *key.time.get_ref();
        let after = keys.last().map_or(-1e-9, |k| k.time);
        if !(time.is_finite() && time > after) {
            let what = format!("time {time}: expected keys in order of time, from 0");
            return Err(source.error(key.time.span().start, what));
        }
        let start = match &key.pose {
            Some(name) => book.get(source, name)?,
            None => base,
        };
        let angles = book.resolve(source, &key.with, &start)?;
        if let Some(height) = key.height.as_ref().filter(|h| !(0.0..=5.0).contains(h.get_ref())) {
            let what = format!("height {}: expected 0 to 5 m", height.get_ref());
            return Err(source.error(height.span().start, what));
        }
        let height = key.height.as_ref().map(|h| *h.get_ref());
        keys.push(Key { time, angles, ease: key.ease, height });
    }
    if keys.first().is_none_or(|k| k.time != 0.0) {
        let at = table.keys.first().map_or(0, |k| k.time.span().start);
        return Err(source.error(at, "expected a first key at time 0"));
    }
    Ok(keys)
}
