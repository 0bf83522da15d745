//! Overrides of a scene as a file: what a tuning found, for `run SCENE --patch FILE`.

use std::path::Path;

use crate::scene::{Fields, SceneError, parse_node};

/// Schema of the files.
const SCHEMA: u64 = 1;

/// A patch of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Name of the scene it is for.
    pub scene: String,
    /// The command that made it.
    pub command: String,
    /// `path=value` overrides, in the order they are applied.
    pub set: Vec<String>,
    /// Lines of explanation that head the file.
    pub notes: Vec<String>,
}

impl Patch {
    /// Reads a patch for the scene called `scene`.
    ///
    /// # Errors
    /// A file that cannot be read, is malformed, or is for another scene.
    pub fn load(path: &Path, scene: &str) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let problem = |problem: String| SceneError {
            file: file.clone(),
            line: 0,
            key: String::new(),
            problem,
            absent: false,
        };
        let bytes = crate::disk::read(path).map_err(|e| problem(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| problem("is not text".to_owned()))?;
        let root = parse_node(&file, &text)?;
        let fields = Fields::new(&file, "", &root)?;
        let expected = format!("{SCHEMA}, the only schema of patches this program reads");
        match fields.count("schema", 0, u64::MAX >> 1)? {
            Some(SCHEMA) => {}
            Some(other) => return Err(fields.error("schema", format!("is {other}, expected {expected}"))),
            None => return Err(fields.missing("schema", &expected)),
        }
        let patch = Self {
            scene: fields.required_text("scene")?.to_owned(),
            command: fields.required_text("command")?.to_owned(),
            set: fields.texts("set")?,
            notes: Vec::new(),
        };
        if patch.scene != scene {
            let problem = format!("is \"{}\", expected a patch for \"{scene}\"", patch.scene);
            return Err(fields.error("scene", problem));
        }
        fields.finish()?;
        Ok(patch)
    }

    /// The file's text.
    pub fn to_toml(&self) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let notes: String = self.notes.iter().map(|line| format!("# {line}\n")).collect();
        let set: String = self.set.iter().map(|s| format!("  {},\n", quoted(s))).collect();
        format!(
            "{notes}schema = {SCHEMA}\nscene = {}\ncommand = {}\nset = [\n{set}]\n",
            quoted(&self.scene),
            quoted(&self.command)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_read_as_it_was_written_and_only_for_its_scene() {
        let patch = Patch {
            scene: "base-\"x\"".to_owned(),
            command: "stuntlab tune 'a b.toml' --set at=[0,\\1]".to_owned(),
            set: vec!["body.0.joint.stiffness=1e-7".to_owned(), "character.0.name=\"é\"".to_owned()],
            notes: Vec::new(),
        };
        let path = std::env::temp_dir().join(format!("stuntlab-patch-{}.toml", std::process::id()));
        std::fs::write(&path, Patch { notes: vec!["why".to_owned()], ..patch.clone() }.to_toml()).unwrap();
        assert_eq!(Patch::load(&path, "base-\"x\"").unwrap(), patch);
        let error = Patch::load(&path, "base-y").unwrap_err().to_string();
        assert!(error.contains("expected a patch for \"base-y\""), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
