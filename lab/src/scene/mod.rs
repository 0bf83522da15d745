//! Scenes: TOML files that say what is simulated, what happens, from where it is seen and what is measured.
//!
//! ```text
//! text --node--> tree with lines --set--> overrides --fields--> Scene --stage--> Model, State, cast
//! ```
//! Every error is one line: file, line, key, what was expected.

mod body;
mod camera;
mod chain;
mod character;
mod controller;
mod event;
mod foil;
mod formula;
mod library;
mod log;
mod measure;
mod motion;
mod net;
mod place;
pub(crate) mod shared;
mod solver;
mod spares;
mod stage;
mod terrain;
mod tune;

use std::path::Path;
use std::sync::Arc;

use stuntlab_control::settings;
use stuntlab_physics::StepOptions;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;

pub(crate) use camera::CameraSpec;
pub use controller::ControllerSpec;
pub(crate) use event::{Event, What};
pub use foil::Foil;
pub(crate) use foil::check_names;
pub use library::LIBRARY;
pub use log::{Logged, log_overrides};
pub use measure::MeasureSpec;
pub use motion::Motion;
pub use solver::Dynamics;
pub use stage::{Member, Stage};
pub use terrain::{Placed, TERRAINS, TerrainKind};
pub use tune::{Aim, CostSpec, ParameterSpec, StageSpec, TuneSpec};

pub(crate) use stuntlab_control::settings::parse as parse_node;
pub use stuntlab_control::settings::{Fields, SettingError as SceneError};

use crate::registry::Registry;
use crate::words::line_break;

/// The schema this program reads.
pub const SCHEMA: u64 = 1;

/// A scene, checked.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name: its system, a dash, what it is.
    pub name: String,
    /// What it shows, one line.
    pub shows: String,
    /// How long it lasts, s.
    pub duration: f64,
    /// How steps are taken.
    pub options: StepOptions,
    /// In which coordinates.
    pub dynamics: Dynamics,
    /// Where all its random numbers come from.
    pub seed: u64,
    /// What it measures.
    pub measures: Vec<MeasureSpec>,
    /// The same scene under other settings, to be run side by side.
    pub variants: Vec<Variant>,
    /// Sabotage under which its marks must not hold.
    pub foils: Vec<Foil>,
    /// What is logged besides `log.csv`, and how many times a second.
    pub log: Vec<(Logged, f64)>,
    /// How it is tuned, where it says so.
    pub tune: Option<TuneSpec>,
    /// Where it was read from.
    pub file: String,
    /// Its text and the overrides, from which it can be read again.
    pub source: Source,
    /// What it may name.
    pub registry: Arc<Registry>,
    pub(crate) gravity: DVec3,
    pub(crate) self_collision: bool,
    pub(crate) terrain: Vec<ShapeSpec>,
    pub(crate) characters: Vec<character::Character>,
    pub(crate) bodies: Vec<body::BodyItem>,
    pub(crate) chains: Vec<chain::Chain>,
    pub(crate) pins: Vec<stage::PinItem>,
    pub(crate) events: Vec<Event>,
    pub(crate) cameras: Vec<CameraSpec>,
}

/// A scene's text and the overrides on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The TOML.
    pub text: String,
    /// `path=value` in the order they were applied.
    pub set: Vec<String>,
}

/// The same scene under other settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Name in reports and pictures.
    pub name: String,
    /// `path=value` overrides.
    pub set: Vec<String>,
    /// The foil it is, and of what; none for the scene itself.
    pub foil: Option<FoilOf>,
}

/// Which foil a variant is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoilOf {
    /// Name of the foil.
    pub name: String,
    /// Name of the variant it is put on; empty for a scene without variants.
    pub of: String,
}

impl Scene {
    /// The camera of this name or number; the first, or the usual one, for `auto` and where there is none.
    pub(crate) fn camera(&self, name: &str) -> CameraSpec {
        let named = self.camera_named(name).or(self.cameras.first());
        named.cloned().unwrap_or_default()
    }

    fn camera_named(&self, name: &str) -> Option<&CameraSpec> {
        let by_name = self.cameras.iter().find(|c| c.name.as_deref() == Some(name));
        by_name.or_else(|| self.cameras.get(name.parse::<usize>().ok()?))
    }

    /// A number of a character's controller as it is written in the scene, or over it; none where it is not.
    pub(crate) fn controller_number(&self, member: usize, key: &str) -> Option<f64> {
        let path = format!("character.{member}.controller.{key}=");
        let over = self.source.set.iter().rev().find_map(|set| set.strip_prefix(&path));
        if let Some(text) = over {
            return text.trim().parse().ok();
        }
        let table: toml::Table = self.source.text.parse().ok()?;
        let mut value = table.get("character")?.get(member)?.get("controller")?;
        for step in key.split('.') {
            value = value.get(step)?;
        }
        value.as_float().or_else(|| Some(value.as_integer()? as f64))
    }

    /// Checks that films may ask for a camera: `auto`, or a name or number of the scene.
    ///
    /// # Errors
    /// Another name.
    pub fn check_camera(&self, name: &str) -> Result<(), SceneError> {
        if name == "auto" || self.camera_named(name).is_some() {
            return Ok(());
        }
        let known = self.cameras.iter().enumerate().map(|(k, c)| c.name.clone().unwrap_or(k.to_string()));
        let known: Vec<String> = known.collect();
        Err(self.error_at(
            0,
            "camera",
            format!("is \"{name}\", expected auto or one of {}", known.join(", ")),
        ))
    }

    /// Finds a scene by name among those that come with the program, or as a file.
    ///
    /// # Errors
    /// A name nobody knows, or a scene that is malformed.
    pub fn load(name_or_path: &str, set: &[String]) -> Result<Self, SceneError> {
        if let Some((name, text)) = LIBRARY.iter().find(|(name, _)| *name == name_or_path) {
            return Self::parse(&format!("scenes/{name}.toml"), text, set);
        }
        if let Some(text) = crate::compare::scenes::text(name_or_path) {
            return Self::parse(&format!("scenes/compare/{name_or_path}.toml"), text, set);
        }
        let lone = |problem: String| SceneError {
            file: name_or_path.to_owned(),
            line: 0,
            key: String::new(),
            problem,
            absent: false,
        };
        if !name_or_path.ends_with(".toml") {
            let names: Vec<&str> = LIBRARY.iter().map(|(name, _)| *name).collect();
            return Err(lone(format!(
                "no such scene, expected a .toml file or one of: {}",
                names.join(", ")
            )));
        }
        let text = std::fs::read_to_string(name_or_path).map_err(|e| lone(e.to_string()))?;
        Self::parse(name_or_path, &text, set)
    }

    /// Reads a scene; `file` is for messages and gives the scene its name.
    ///
    /// # Errors
    /// What is wrong, with file, line and key.
    pub fn parse(file: &str, text: &str, set: &[String]) -> Result<Self, SceneError> {
        Self::parse_with(&Registry::standard(), file, text, set)
    }

    /// The same with another registry than the standard one.
    ///
    /// # Errors
    /// What is wrong, with file, line and key.
    pub fn parse_with(
        registry: &Arc<Registry>,
        file: &str,
        text: &str,
        set: &[String],
    ) -> Result<Self, SceneError> {
        let mut root = parse_node(file, text)?;
        for assignment in set {
            settings::set(&mut root, assignment)?;
        }
        let fields = Fields::new(file, "", &root)?;
        let expected = format!("{SCHEMA}, the only schema this program reads");
        match fields.count("schema", 0, u64::MAX >> 1)? {
            Some(SCHEMA) => {}
            Some(other) => return Err(fields.error("schema", format!("is {other}, expected {expected}"))),
            None => return Err(fields.missing("schema", &expected)),
        }
        let shows = fields.required_text("shows")?.to_owned();
        let duration =
            fields.positive("duration")?.ok_or_else(|| fields.missing("duration", "seconds above 0"))?;
        if duration > 3600.0 {
            return Err(fields.error("duration", format!("is {duration}, expected at most 3600 s")));
        }
        let seed = fields.count("seed", 0, u64::MAX >> 1)?.unwrap_or(1);
        let each = |key| fields.tables(key);
        let terrain = each("terrain")?.into_iter().map(|f| terrain::read(f, seed, registry));
        let bodies = each("body")?.into_iter().map(|f| body::read(f, seed));
        let mut chains: Vec<chain::Chain> =
            each("chain")?.into_iter().map(chain::read).collect::<Result<_, _>>()?;
        let mut pins: Vec<stage::PinItem> =
            each("pin")?.into_iter().map(stage::read_pin).collect::<Result<_, _>>()?;
        for (ropes, knots) in each("net")?.into_iter().map(net::read).collect::<Result<Vec<_>, _>>()? {
            chains.extend(ropes);
            pins.extend(knots);
        }
        let gravity = fields.vector("gravity")?.unwrap_or(DVec3::new(0.0, 0.0, -9.81));
        let self_collision = fields.flag("self_collision")?.unwrap_or(false);
        let surroundings = character::Surroundings { gravity, self_collision, seed };
        let name = Path::new(file).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        if let Some(c) = line_break(&name) {
            let problem = format!("has the character {c} in its name, expected a name on one line");
            return Err(SceneError { line: 0, ..fields.error("", problem) });
        }
        let options = solver::read(&fields)?;
        let held = !pins.is_empty() || chains.iter().any(|chain| chain.closed);
        if options.integrator.is_some() && held {
            let problem = "takes smooth motion only, in a scene with pins, nets or chains held at both ends; expected none, or \
                           a formulation instead";
            return Err(fields.error("integrator", problem));
        }
        let scene = Self {
            name,
            shows,
            duration,
            options,
            dynamics: solver::read_dynamics(&fields, &options)?,
            seed,
            gravity,
            self_collision,
            terrain: terrain.collect::<Result<Vec<_>, _>>()?.concat(),
            characters: each("character")?
                .into_iter()
                .map(|f| character::read(f, surroundings, registry))
                .collect::<Result<_, _>>()?,
            bodies: bodies.collect::<Result<Vec<_>, _>>()?.concat(),
            chains,
            pins,
            events: each("event")?.into_iter().map(|f| event::read(f, seed)).collect::<Result<_, _>>()?,
            measures: each("measure")?
                .into_iter()
                .map(|f| measure::read(f, duration, registry))
                .collect::<Result<_, _>>()?,
            cameras: each("camera")?.into_iter().map(camera::read).collect::<Result<_, _>>()?,
            variants: read_variants(each("variant")?)?,
            foils: foil::read(each("foil")?)?,
            log: log::read(&fields)?,
            tune: fields.table("tune")?.map(|f| tune::read(f, seed)).transpose()?,
            file: file.to_owned(),
            source: Source { text: text.to_owned(), set: set.to_vec() },
            registry: registry.clone(),
        };
        fields.finish()?;
        // Overrides may replace what foils are about, as `measure=[]` does; then they are checked only where they are run.
        if set.is_empty() {
            check_names(&scene)?;
            foil::check_paths(&scene, &root)?;
        }
        // Building the model finds what only the whole can tell: names, masses, joints.
        Stage::build(&scene)?;
        Ok(scene)
    }

    /// The same scene with more overrides.
    ///
    /// # Errors
    /// Overrides that do not fit.
    pub fn with(&self, set: &[String]) -> Result<Self, SceneError> {
        let all: Vec<String> = self.source.set.iter().chain(set).cloned().collect();
        Self::parse_with(&self.registry, &self.file, &self.source.text, &all)
    }

    /// What was repaired, cut off or left of the recordings its characters follow, in sentences; each once.
    pub fn clip_notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for note in self.characters.iter().filter_map(|c| c.motion.as_ref()).flat_map(|motion| &motion.notes)
        {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        notes
    }

    pub(crate) fn error_at(&self, line: usize, key: &str, problem: impl Into<String>) -> SceneError {
        SceneError {
            file: self.file.clone(),
            line,
            key: key.to_owned(),
            problem: problem.into(),
            absent: false,
        }
    }
}

fn read_variants(tables: Vec<Fields<'_>>) -> Result<Vec<Variant>, SceneError> {
    let mut variants: Vec<Variant> = Vec::new();
    for fields in tables {
        let name = fields.required_text("name")?.to_owned();
        let variant = Variant { name, set: fields.texts("set")?, foil: None };
        if variant.name.is_empty() {
            return Err(fields.error("name", "is empty, expected a name"));
        }
        if variants.iter().any(|v| v.name == variant.name) {
            let problem = format!("\"{}\" is defined twice, expected another name", variant.name);
            return Err(fields.error("name", problem));
        }
        fields.finish()?;
        variants.push(variant);
    }
    Ok(variants)
}
