//! Skills that scenes make: `[[skill]]`, any controller with terms.

use std::sync::Arc;

use stuntlab_mocap::library;

use super::build::Build;
use super::kind::Change;
use super::skill::{Skill, Terms};
use super::skills::driven::Driven;
use crate::kind::{Casting, Maker, Refusal, Setting, Stock};
use crate::layers;
use crate::readings::lasting;
use crate::reference::{ClipReference, Placed, Reference};
use crate::round_trip::clips;
use crate::settings::{Fields, SettingError};

/// Keys of `[[skill]]` besides those of terms.
pub(super) const KEYS: &[Setting] = &[
    Setting::new(
        "skill.name",
        "",
        "of a `[[skill]]`, any controller as a skill: what commands, marks and bids call it",
    ),
    Setting::new("skill.controller", "", "a table with a `kind`, as of a character; or `[[skill.layer]]`"),
    Setting::new("skill.layer", "", "layers in its place, as of a character"),
    Setting::new(
        "skill.motion",
        "",
        "what it follows, from where the body is when it begins: `{ clip = \"wave\", cyclic = false }` of the library; the character's own motion, or its first pose, where it is not written",
    ),
    Setting::new(
        "skill.progress",
        "",
        "a reading of its controller: `skill-progress` is what that has risen by since the skill began, 1 at most",
    ),
    Setting::new(
        "skill.weight",
        "",
        "1 to 10, 5 where it is not written; and `before`, `after` and all else a `[[terms]]` has",
    ),
];

/// A motion of the library that a skill follows.
#[derive(Clone, Debug)]
struct Motion {
    clip: String,
    cyclic: bool,
}

/// A skill as a scene makes it.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) name: &'static str,
    line: usize,
    maker: Arc<dyn Maker>,
    motion: Option<Motion>,
    progress: Option<String>,
    terms: Change,
}

/// Reads a `[[skill]]`; `taken` says whether there is a skill of that name.
pub(super) fn read(
    table: Fields<'_>,
    stock: &Stock<'_>,
    taken: impl Fn(&str) -> bool,
) -> Result<Made, SettingError> {
    let name = table.required_text("name")?;
    if name.is_empty() || taken(name) {
        let problem = format!("is \"{name}\", expected a name that no skill and no command has");
        return Err(table.error("name", problem));
    }
    let driver = layers::read_driver(&table, stock)?;
    let (_, maker) = driver.ok_or_else(|| table.missing("controller", "a table with a kind, or layers"))?;
    let motion = table.table("motion")?.map(read_motion).transpose()?;
    let progress = table.text("progress")?.map(str::to_owned);
    let terms = Change::read(&table)?;
    let line = table.line();
    table.finish()?;
    Ok(Made { name: lasting(name), line, maker, motion, progress, terms })
}

fn read_motion(table: Fields<'_>) -> Result<Motion, SettingError> {
    let clip = table.required_text("clip")?;
    let compiled = library::compiled(clip).map_err(|e| table.error("clip", e.to_string()))?;
    let cyclic = table.flag("cyclic")?.unwrap_or(compiled.looped);
    table.finish()?;
    Ok(Motion { clip: clip.to_owned(), cyclic })
}

impl Made {
    /// The skill on a figure.
    pub(super) fn make(&self, build: &Arc<Build>, casting: &Casting<'_>) -> Result<Box<dyn Skill>, Refusal> {
        let blamed = |refusal: Refusal| {
            let line = if refusal.line > 0 { refusal.line } else { self.line };
            let key = refusal.key.strip_prefix("controller.").unwrap_or(&refusal.key);
            Refusal { line, key: format!("controller.skill \"{}\": {key}", self.name), ..refusal }
        };
        let own: Option<ClipReference> = match &self.motion {
            None => None,
            Some(Motion { clip, cyclic }) => {
                Some(clips::of_library(build.figure(), clip, *cyclic).map_err(blamed)?)
            }
        };
        let reference = || -> Box<dyn Reference> {
            let inner = own.as_ref().map_or_else(|| (casting.reference)(), Reference::boxed_clone);
            Box::new(Placed::new(build.own().clone(), inner))
        };
        let casting = Casting {
            reference: &reference,
            bodies: casting.bodies,
            own: casting.own.clone(),
            figure: casting.figure.clone(),
            physique: casting.physique.clone(),
            ..*casting
        };
        let controller = self.maker.make(&casting).map_err(blamed)?;
        let mut terms = Terms::new(self.name, 5);
        self.terms.apply(&mut terms);
        let skill = Driven::new(terms, build.clone(), controller, reference());
        Ok(Box::new(match &self.progress {
            Some(name) => skill.by_reading(name).map_err(blamed)?,
            None => skill,
        }))
    }
}
