//! What a keyframe file may say, and what is wrong with one that says something else.

use super::angles::{Angles, N_ANGLES, NECK_ANGLES, ROOT, TRUNK, angles_of, authored_limits, mirrored};
use super::curve::Ease;
use crate::roles::Side;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;
use toml::Spanned;

/// The format's version that this compiler reads.
pub const SCHEMA: u32 = 1;

/// A keyframe file that cannot be compiled; the message names file and line, what was found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {what}")]
pub struct KeyframeError {
    /// The file as named by the caller.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

/// One to three angles in degrees; a single number is the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn(Vec<f64>);

impl<'de> Deserialize<'de> for Turn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Turn;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an angle in degrees or a list of one to three angles")
            }
            fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Turn, E> {
                Ok(Turn(vec![v]))
            }
            fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Turn, E> {
                Ok(Turn(vec![v as f64]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Turn, A::Error> {
                let mut turn = Vec::new();
                while let Some(v) = seq.next_element::<f64>()? {
                    turn.push(v);
                }
                if turn.is_empty() || turn.len() > 3 {
                    return Err(serde::de::Error::invalid_length(turn.len(), &self));
                }
                Ok(Turn(turn))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// Angles of one arm and leg.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SideTable {
    hip: Option<Spanned<Turn>>,
    knee: Option<Spanned<Turn>>,
    ankle: Option<Spanned<Turn>>,
    toe: Option<Spanned<Turn>>,
    shoulder: Option<Spanned<Turn>>,
    elbow: Option<Spanned<Turn>>,
    wrist: Option<Spanned<Turn>>,
}

/// Angles of a pose; what is not said comes from the base.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PoseTable {
    base: Option<Spanned<String>>,
    /// The base seen in a mirror.
    #[serde(default)]
    mirrored: bool,
    trunk: Option<Spanned<Turn>>,
    neck: Option<Spanned<Turn>>,
    pitch: Option<Spanned<Turn>>,
    roll: Option<Spanned<Turn>>,
    yaw: Option<Spanned<Turn>>,
    hip: Option<Spanned<Turn>>,
    knee: Option<Spanned<Turn>>,
    ankle: Option<Spanned<Turn>>,
    toe: Option<Spanned<Turn>>,
    shoulder: Option<Spanned<Turn>>,
    elbow: Option<Spanned<Turn>>,
    wrist: Option<Spanned<Turn>>,
    left: Option<SideTable>,
    right: Option<SideTable>,
}

/// A pose at a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyTable {
    pub(crate) time: Spanned<f64>,
    pub(crate) pose: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) with: PoseTable,
    #[serde(default)]
    pub(crate) ease: Ease,
    /// Height of the root over the floor in metres, instead of what the contacts make it.
    pub(crate) height: Option<Spanned<f64>>,
}

/// Parts of the body on the ground for a while.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContactTable {
    pub(crate) on: Spanned<String>,
    pub(crate) from: Spanned<f64>,
    pub(crate) to: Spanned<f64>,
    /// Height of what is touched: 0 for the floor.
    #[serde(default)]
    pub(crate) height: f64,
}

/// Nothing on the ground for a while.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlightTable {
    pub(crate) from: Spanned<f64>,
    pub(crate) to: Spanned<f64>,
    /// How far the centre of mass flies, world x and y in metres.
    #[serde(default)]
    pub(crate) travel: [f64; 2],
}

/// The centre of mass is held over the feet for a while.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BalanceTable {
    pub(crate) from: Spanned<f64>,
    pub(crate) to: Spanned<f64>,
    /// From the middle of the planted feet, world x and y in metres.
    #[serde(default)]
    pub(crate) shift: [f64; 2],
}

/// A whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileTable {
    pub(crate) schema: Spanned<u32>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// Frames per second.
    pub(crate) rate: Option<Spanned<u32>>,
    /// Length in seconds; one cycle of a loop.
    pub(crate) duration: Option<Spanned<f64>>,
    #[serde(default, rename = "loop")]
    pub(crate) looped: bool,
    /// The second half is the first one mirrored.
    #[serde(default)]
    pub(crate) mirror: bool,
    /// Half of the time over which the root's way is averaged, s.
    pub(crate) steady: Option<Spanned<f64>>,
    #[serde(default)]
    pub(crate) starts_moving: bool,
    #[serde(default)]
    pub(crate) ends_moving: bool,
    /// Pose of keys that name none.
    pub(crate) base: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) poses: BTreeMap<String, PoseTable>,
    #[serde(default)]
    pub(crate) keys: Vec<KeyTable>,
    #[serde(default)]
    pub(crate) contacts: Vec<ContactTable>,
    #[serde(default)]
    pub(crate) flights: Vec<FlightTable>,
    #[serde(default)]
    pub(crate) balance: Vec<BalanceTable>,
}

/// Text with its name, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// An error at a byte of the text.
    pub(crate) fn error(&self, at: usize, what: impl Into<String>) -> KeyframeError {
        let line = 1 + self.text.bytes().take(at).filter(|&b| b == b'\n').count();
        KeyframeError { file: self.file.to_owned(), line, what: what.into() }
    }

    /// Reads the tables.
    pub(crate) fn read(&self) -> Result<FileTable, KeyframeError> {
        let table: FileTable = toml::from_str(self.text)
            .map_err(|e| self.error(e.span().map_or(0, |s| s.start), e.message().to_owned()))?;
        if *table.schema.get_ref() != SCHEMA {
            let found = table.schema.get_ref();
            return Err(self.error(table.schema.span().start, format!("schema {found}: expected {SCHEMA}")));
        }
        Ok(table)
    }
}

/// Named poses: those of one file, with others to fall back on.
#[derive(Clone, Debug, Default)]
pub struct PoseBook {
    poses: BTreeMap<String, Angles>,
}

impl PoseBook {
    /// The poses of a file that holds nothing else, for use in others.
    ///
    /// # Errors
    /// See [`KeyframeError`].
    pub fn read(file: &str, text: &str) -> Result<Self, KeyframeError> {
        let source = Source { file, text };
        let table = source.read()?;
        Self::default().with(&source, &table.poses)
    }

    /// This book with the poses of a file added; its own names win.
    pub(crate) fn with(
        &self,
        source: &Source<'_>,
        tables: &BTreeMap<String, PoseTable>,
    ) -> Result<Self, KeyframeError> {
        let mut book = self.clone();
        book.poses.retain(|name, _| !tables.contains_key(name));
        // Bases may come in any order; each round resolves those whose base is known.
        let mut left: Vec<(&String, &PoseTable)> = tables.iter().collect();
        while !left.is_empty() {
            let n_left = left.len();
            let mut waiting = Vec::new();
            for (name, table) in left {
                match &table.base {
                    Some(base) if !book.poses.contains_key(base.get_ref()) => waiting.push((name, table)),
                    _ => {
                        let angles = book.resolve(source, table, &[0.0; N_ANGLES])?;
                        book.poses.insert(name.clone(), angles);
                    }
                }
            }
            if waiting.len() == n_left {
                let base = waiting[0].1.base.as_ref().expect("only poses with a base wait");
                return Err(book.unknown(source, base));
            }
            left = waiting;
        }
        Ok(book)
    }

    /// A pose by name.
    pub(crate) fn get(&self, source: &Source<'_>, name: &Spanned<String>) -> Result<Angles, KeyframeError> {
        self.poses.get(name.get_ref()).copied().ok_or_else(|| self.unknown(source, name))
    }

    fn unknown(&self, source: &Source<'_>, name: &Spanned<String>) -> KeyframeError {
        let known: Vec<&str> = self.poses.keys().map(String::as_str).collect();
        let what =
            format!("no pose {:?}: expected one of {} (without a circle)", name.get_ref(), known.join(", "));
        source.error(name.span().start, what)
    }

    /// The angles a table stands for, where what it does not say is as in `start`.
    pub(crate) fn resolve(
        &self,
        source: &Source<'_>,
        table: &PoseTable,
        start: &Angles,
    ) -> Result<Angles, KeyframeError> {
        let mut angles = match &table.base {
            Some(name) => self.get(source, name)?,
            None => *start,
        };
        if table.mirrored {
            angles = mirrored(&angles);
        }
        let mut put = |turn: &Option<Spanned<Turn>>, first: usize, n: usize, what: &str| match turn {
            Some(turn) => write_turn(source, &mut angles, turn, first, n, what),
            None => Ok(()),
        };
        put(&table.trunk, TRUNK, 3, "trunk")?;
        put(&table.neck, NECK_ANGLES, 3, "neck")?;
        put(&table.pitch, ROOT, 1, "pitch")?;
        put(&table.roll, ROOT + 1, 1, "roll")?;
        put(&table.yaw, ROOT + 2, 1, "yaw")?;
        for side in Side::BOTH {
            let a = angles_of(side);
            let own = match side {
                Side::Left => &table.left,
                Side::Right => &table.right,
            };
            let none = SideTable::default();
            let own = own.as_ref().unwrap_or(&none);
            for (both, one, first, n, what) in [
                (&table.hip, &own.hip, a.hip, 3, "hip"),
                (&table.knee, &own.knee, a.knee, 1, "knee"),
                (&table.ankle, &own.ankle, a.ankle, 2, "ankle"),
                (&table.toe, &own.toe, a.toe, 1, "toe"),
                (&table.shoulder, &own.shoulder, a.shoulder, 3, "shoulder"),
                (&table.elbow, &own.elbow, a.elbow, 2, "elbow"),
                (&table.wrist, &own.wrist, a.wrist, 2, "wrist"),
            ] {
                put(both, first, n, what)?;
                put(one, first, n, what)?;
            }
        }
        Ok(angles)
    }
}

/// Writes one joint's angles after checking them against their ranges.
fn write_turn(
    source: &Source<'_>,
    angles: &mut Angles,
    turn: &Spanned<Turn>,
    first: usize,
    n: usize,
    what: &str,
) -> Result<(), KeyframeError> {
    let at = turn.span().start;
    let values = &turn.get_ref().0;
    if values.len() > n {
        let found = values.len();
        return Err(source.error(at, format!("{what}: expected at most {n} angle(s), found {found}")));
    }
    let limits = authored_limits();
    for (i, &value) in values.iter().enumerate() {
        let (name, lower, upper) =
            limits[first + i].map_or((what, -3600.0, 3600.0), |l| (l.name, l.lower, l.upper));
        if !(lower..=upper).contains(&value) {
            let what = format!("{name} {value}: expected {lower} to {upper} degrees");
            return Err(source.error(at, what));
        }
        angles[first + i] = value;
    }
    Ok(())
}
