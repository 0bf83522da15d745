//! Kinds of controllers: one row each, beside the controller's code.
//!
//! A row says what a scene may write about a controller, how that is read and how the controller is made of it. Scenes,
//! `--set`, the documents, the list of kinds and the window all read rows, so that a new kind is its own file and a line in
//! [`KINDS`](crate::KINDS), or a row that another crate adds to the laboratory's registry.

use std::fmt;
use std::sync::Arc;

use stuntlab_mocap::character::{Character, Physique};
use stuntlab_physics::{Bodies, Model, State};

use crate::controller::Controller;
use crate::readings::Published;
use crate::reference::Reference;
use crate::settings::{Fields, SettingError, parse};
use crate::stunt::pool::{Row, SKILLS};

/// A key of a table, for documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name; `a.b` for a key of a table inside.
    pub name: &'static str,
    /// What it is where it is not written, as TOML writes it; empty where it must be, or has no such value.
    pub usual: &'static str,
    /// What it is: unit, words it may be.
    pub help: &'static str,
}

impl Setting {
    /// A key that has a value where it is not written.
    pub const fn new(name: &'static str, usual: &'static str, help: &'static str) -> Self {
        Self { name, usual, help }
    }
}

/// A kind of controller.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Name, as scenes spell it.
    pub name: &'static str,
    /// What it is, one line.
    pub help: &'static str,
    /// Its keys, in groups that several kinds may share.
    pub keys: &'static [&'static [Setting]],
    /// Commands it takes.
    pub commands: &'static [&'static str],
    /// What it publishes.
    pub readings: &'static [Published],
    /// Reads its table. The caller refuses keys that were not asked for.
    pub read: Read,
}

/// Reads a table, with what there is to be named in it.
pub type Read = fn(&Fields<'_>, &Stock<'_>) -> Result<Arc<dyn Maker>, SettingError>;

/// What a table may name besides itself: controllers made of others read them from here.
#[derive(Clone, Copy, Debug)]
pub struct Stock<'a> {
    /// Kinds of controllers.
    pub kinds: &'a [Kind],
    /// Skills of stuntpersons.
    pub skills: &'a [Row],
}

impl Stock<'static> {
    /// All that comes with this crate.
    pub const fn standard() -> Self {
        Self { kinds: crate::KINDS, skills: SKILLS }
    }
}

impl Kind {
    /// The kind without any key written.
    ///
    /// # Errors
    /// A kind that needs some.
    pub fn usual(&self) -> Result<Arc<dyn Maker>, SettingError> {
        let root = parse(self.name, "")?;
        (self.read)(&Fields::new(self.name, "", &root)?, &Stock::standard())
    }

    /// All its keys.
    pub fn settings(&self) -> impl Iterator<Item = &'static Setting> + use<> {
        self.keys.iter().flat_map(|group| group.iter())
    }
}

/// Reads a table that names its `kind`.
///
/// # Errors
/// What is wrong, with line and key.
pub fn read(table: Fields<'_>, stock: &Stock<'_>) -> Result<(Kind, Arc<dyn Maker>), SettingError> {
    let names: Vec<(&str, &Kind)> = stock.kinds.iter().map(|k| (k.name, k)).collect();
    let kind = *table.required_choice("kind", &names)?;
    let maker = (kind.read)(&table, stock)?;
    table.finish()?;
    Ok((kind, maker))
}

/// Settings that were read, from which controllers are made.
pub trait Maker: fmt::Debug + Send + Sync {
    /// Where a character without a motion starts, in the coordinates of its own model; `None` leaves it where it is.
    ///
    /// # Errors
    /// A figure this kind cannot drive.
    fn start(&self, _figure: Option<&Arc<Character>>) -> Result<Option<Vec<f64>>, Refusal> {
        Ok(None)
    }

    /// A controller for a character.
    ///
    /// # Errors
    /// A character, or surroundings, that do not fit.
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal>;
}

/// Who is to be driven, and who else is there.
pub struct Casting<'a> {
    /// Name of the character.
    pub name: &'a str,
    /// Seed of its own for all chance.
    pub seed: u64,
    /// Everything that is simulated.
    pub model: &'a Model,
    /// Where everything starts.
    pub state: &'a State,
    /// The character's bodies in it.
    pub bodies: Bodies,
    /// The character alone, where it stands; coordinates as in the whole.
    pub own: Arc<Model>,
    /// The figure with its skeleton, where motions can be put on it.
    pub figure: Option<Arc<Character>>,
    /// What its bodies are.
    pub physique: Arc<Physique>,
    /// Makes its motion, or the pose it starts in where it has none.
    pub reference: &'a dyn Fn() -> Box<dyn Reference>,
    /// All characters, this one too.
    pub cast: &'a [Figurant<'a>],
}

/// A character as others see it.
#[derive(Clone, Debug)]
pub struct Figurant<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its bodies.
    pub bodies: Bodies,
    /// Its figure, where it has a skeleton.
    pub figure: Option<&'a Arc<Character>>,
}

/// A character that a controller does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key to blame, as seen from the character: `figure`, `controller.opponent`.
    pub key: String,
    /// What is wrong and what was expected.
    pub problem: String,
    /// The line to blame; 0 for none but the character's.
    pub line: usize,
}

impl Refusal {
    /// Blames a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into(), line: 0 }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.problem)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KINDS;

    #[test]
    fn writing_out_what_is_usual_changes_nothing() {
        for kind in KINDS {
            // Kinds that need a key have no usual settings.
            let Ok(usual) = kind.usual() else { continue };
            let mut written: Vec<String> = Vec::new();
            for setting in kind.settings().filter(|s| !s.usual.is_empty()) {
                written.push(format!("{} = {}", setting.name, setting.usual));
            }
            let text = written.join("\n");
            let root = parse(kind.name, &text).expect("what is usual is TOML");
            let fields = Fields::new(kind.name, "", &root).expect("a table");
            let read = (kind.read)(&fields, &Stock::standard()).expect("what is usual may be written");
            fields.finish().expect("what is documented is asked for");
            assert_eq!(format!("{read:?}"), format!("{usual:?}"), "{}", kind.name);
        }
    }

    #[test]
    fn rows_have_names_of_their_own_and_say_something() {
        for (k, kind) in KINDS.iter().enumerate() {
            assert!(!kind.help.is_empty() && KINDS[..k].iter().all(|other| other.name != kind.name));
            let settings: Vec<&Setting> = kind.settings().collect();
            for (k, setting) in settings.iter().enumerate() {
                let unique = settings[..k].iter().all(|other| other.name != setting.name);
                assert!(unique && !setting.help.is_empty(), "{}.{}", kind.name, setting.name);
            }
        }
    }

    #[test]
    fn keys_that_are_documented_are_all_there_are() {
        for kind in KINDS {
            let root = parse(kind.name, "nobody_knows_this_key = 1").expect("TOML");
            let fields = Fields::new(kind.name, "", &root).expect("a table");
            if (kind.read)(&fields, &Stock::standard()).is_err() {
                continue;
            }
            let error = fields.finish().expect_err("a key nobody asked for").to_string();
            let asked = error.rsplit("one of: ").next().unwrap_or_default();
            for key in asked.split(", ").filter(|k| !k.is_empty()) {
                let head = |s: &Setting| s.name.split('.').next() == Some(key);
                assert!(kind.settings().any(head), "{}: {key} is not documented", kind.name);
            }
        }
    }
}
