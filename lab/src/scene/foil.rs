//! Foils: sabotage under which a scene's marks must not hold. A mark that holds all the same proves nothing.

use stuntlab_control::settings::{self, Node};

use super::{Fields, MeasureSpec, Scene, SceneError};

/// A change to a scene, and the marks that must not hold then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foil {
    /// Name in reports.
    pub name: String,
    /// `path=value` overrides, on top of the variant's.
    pub set: Vec<String>,
    /// Names of the marks that it must break, every one of them.
    pub breaks: Vec<String>,
    /// Variants it is run in; all of them where empty.
    pub only: Vec<String>,
    /// Lines of `set`, `breaks` and `only`.
    pub(crate) lines: [usize; 3],
}

/// Keys whose lines a foil remembers.
const KEYS: [&str; 3] = ["set", "breaks", "only"];

impl Foil {
    /// Whether it is run in a variant.
    pub fn is_for(&self, variant: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == variant)
    }
}

/// Reads the tables `[[foil]]`.
pub(crate) fn read(tables: Vec<Fields<'_>>) -> Result<Vec<Foil>, SceneError> {
    let mut foils: Vec<Foil> = Vec::new();
    for fields in tables {
        let foil = Foil {
            name: fields.required_text("name")?.to_owned(),
            set: fields.texts("set")?,
            breaks: fields.texts("breaks")?,
            only: fields.texts("only")?,
            lines: KEYS.map(|key| fields.error(key, "").line),
        };
        if foil.name.is_empty() {
            return Err(fields.error("name", "is empty, expected a name"));
        }
        if foils.iter().any(|other| other.name == foil.name) {
            let problem = format!("\"{}\" is defined twice, expected another name", foil.name);
            return Err(fields.error("name", problem));
        }
        for (key, list, expected) in [
            ("set", &foil.set, "overrides such as character.0.controller.balance=unpowered"),
            ("breaks", &foil.breaks, "names of marks that must not hold"),
        ] {
            if list.is_empty() {
                let problem = format!("is an empty list, expected {expected}");
                return Err(if fields.has(key) {
                    fields.error(key, problem)
                } else {
                    fields.missing(key, expected)
                });
            }
        }
        fields.finish()?;
        foils.push(foil);
    }
    Ok(foils)
}

/// An error about a key of the foil of this number.
fn misplaced(scene: &Scene, foil: usize, key: usize, problem: String) -> SceneError {
    scene.error_at(scene.foils[foil].lines[key], &format!("foil[{foil}].{}", KEYS[key]), problem)
}

/// Checks the names in a scene's foils against the marks and variants there are.
pub(crate) fn check_names(scene: &Scene) -> Result<(), SceneError> {
    let variants = &scene.variants;
    for (k, foil) in scene.foils.iter().enumerate() {
        if let Some(stray) = foil.only.iter().find(|name| !variants.iter().any(|v| v.name == **name)) {
            let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
            let known = if names.is_empty() { "there are none".to_owned() } else { names.join(", ") };
            return Err(misplaced(scene, k, 2, format!("has \"{stray}\", expected variants: {known}")));
        }
        let applies = |m: &&MeasureSpec| {
            m.only.is_empty() || variants.iter().any(|v| foil.is_for(&v.name) && m.is_for(&v.name))
        };
        let mut marks: Vec<&str> = Vec::new();
        for measure in scene.measures.iter().filter(|m| m.has_mark()).filter(applies) {
            if !marks.contains(&measure.name.as_str()) {
                marks.push(&measure.name);
            }
        }
        if let Some(stray) = foil.breaks.iter().find(|name| !marks.contains(&name.as_str())) {
            let problem = format!("has \"{stray}\", expected marks: {}", marks.join(", "));
            return Err(misplaced(scene, k, 1, problem));
        }
    }
    Ok(())
}

/// Checks that the overrides of foils find their places in the text. Whether the scene takes the values is seen when they
/// are run.
pub(crate) fn check_paths(scene: &Scene, root: &Node) -> Result<(), SceneError> {
    for (k, foil) in scene.foils.iter().enumerate() {
        let mut changed = root.clone();
        for assignment in &foil.set {
            let misfit = |e: SceneError| misplaced(scene, k, 0, format!("{}: {}", e.file, e.problem));
            settings::set(&mut changed, assignment).map_err(misfit)?;
        }
    }
    Ok(())
}
