//! Foils beside the scene they are foils of: which worlds that makes, and whether their marks broke.

use serde::Serialize;

use super::lanes::Lane;
use crate::measure::Reading;
use crate::scene::{Foil, FoilOf, Scene, SceneError, Variant, check_names};

/// The variants, and after them every foil in each variant it is for.
///
/// # Errors
/// A scene without foils, or with one that breaks no mark of these variants.
pub fn with_foils(scene: &Scene, variants: &[Variant]) -> Result<Vec<Variant>, SceneError> {
    if scene.foils.is_empty() {
        return Err(scene.error_at(0, "foil", "missing, expected at least one [[foil]] to run"));
    }
    check_names(scene)?;
    let mut all = variants.to_vec();
    for foil in &scene.foils {
        let of = |variant: &&Variant| foil.is_for(&variant.name) && can_break(scene, foil, &variant.name);
        let mine: Vec<Variant> = variants.iter().filter(of).map(|v| put_on(foil, v)).collect();
        if mine.is_empty() {
            let problem = "names no mark of the variants that are run, expected at least one";
            return Err(scene.error_at(foil.lines[1], "foil.breaks", problem));
        }
        all.extend(mine);
    }
    Ok(all)
}

/// Whether a variant has one of the marks that the foil is to break.
fn can_break(scene: &Scene, foil: &Foil, variant: &str) -> bool {
    scene.measures.iter().any(|m| m.has_mark() && m.is_for(variant) && foil.breaks.contains(&m.name))
}

fn put_on(foil: &Foil, variant: &Variant) -> Variant {
    let FoilOf { name, of } = FoilOf { name: foil.name.clone(), of: variant.name.clone() };
    let title = if of.is_empty() { format!("foil {name}") } else { format!("{of}, foil {name}") };
    Variant { name: title, set: [&variant.set[..], &foil.set].concat(), foil: Some(FoilOf { name, of }) }
}

/// The error of overrides that do not fit, with the line of the foil they stand in.
pub(super) fn misfit(scene: &Scene, variant: &Variant, error: SceneError) -> SceneError {
    let Some(FoilOf { name, .. }) = &variant.foil else { return error };
    let line = scene.foils.iter().find(|f| f.name == *name).map_or(0, |f| f.lines[0]);
    let problem = format!("of \"{name}\" does not fit the scene: {error}");
    SceneError { absent: error.absent, ..scene.error_at(line, "foil.set", problem) }
}

/// How a foil went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoilOutcome {
    /// Its name.
    pub name: String,
    /// The variant it was put on; empty for a scene without variants.
    pub of: String,
    /// Whether it ran to its end and every mark that it had to break is broken: then the scene can fail.
    pub broken: bool,
    /// Its marks.
    pub marks: Vec<FoilMark>,
    /// Why it stopped early, if it did; what it measured until then counts for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A mark under a foil.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoilMark {
    /// What was measured.
    #[serde(flatten)]
    pub reading: Reading,
    /// Whether the foil must break it.
    pub must_break: bool,
    /// Whether it is broken: measured, and outside of its mark. What was not measured is not broken.
    pub broken: bool,
}

/// How the foil in a lane went.
pub(super) fn outcome(scene: &Scene, lane: &Lane, foil: &FoilOf) -> FoilOutcome {
    let breaks = scene.foils.iter().find(|f| f.name == foil.name).map_or(&[][..], |f| &f.breaks);
    let mark = |reading: Reading| FoilMark {
        must_break: breaks.contains(&reading.name),
        broken: reading.value.is_some() && !reading.passed,
        reading,
    };
    let marks: Vec<FoilMark> = lane.readings("").filter(Reading::has_mark).map(mark).collect();
    let mut listed = marks.iter().filter(|m| m.must_break).peekable();
    let broken = lane.failure.is_none() && listed.peek().is_some() && listed.all(|m| m.broken);
    let FoilOf { name, of } = foil.clone();
    FoilOutcome { name, of, broken, marks, failure: lane.failure.clone() }
}

impl FoilOutcome {
    /// Its name, after the variant's where there is one.
    pub fn title(&self) -> String {
        if self.of.is_empty() { self.name.clone() } else { format!("{}: {}", self.of, self.name) }
    }
}
