//! Set-ups: what is simulated in a cell of a comparison, and what is known of it beforehand.

use super::engine::{BodyState, Engine, Touch};
use super::{WorldEngine, scenes, suites};
use crate::scene::{Scene, SceneError};

/// A set-up that comes with the program.
#[derive(Clone, Copy)]
pub struct Setup {
    /// Name, as in `stuntlab compare NAME`.
    pub name: &'static str,
    /// Where it is from, and what of it is ours.
    pub source: &'static str,
    /// What its source found of other engines, told in our words; empty where we know of nothing. Cited, not measured here.
    pub published: &'static str,
    /// Metrics that its report shows; the others are in `results.csv`.
    pub columns: &'static [&'static str],
    /// The number it is about.
    pub headline: Option<Headline>,
    /// How it is held against its own small steps.
    pub pieces: Option<Pieces>,
    /// What makes it.
    pub make: Make,
}

/// What makes a set-up.
#[derive(Clone, Copy)]
pub enum Make {
    /// The scene of the same name.
    Scene,
    /// Code, where a scene cannot say it.
    Code(&'static Coded),
}

/// A set-up made by code.
pub struct Coded {
    /// What it shows.
    pub shows: &'static str,
    /// All of it in words, as a scene would say it.
    pub text: &'static str,
    /// A scene that shows it as it starts, for its picture.
    pub drawn: &'static str,
    /// How long it lasts, s.
    pub duration: f64,
    /// Keys with what is usual and what is allowed.
    pub keys: &'static [CodedKey],
    /// Makes it under these settings, a value for every key.
    pub build: fn(&Settings) -> Result<Box<dyn Engine>, SceneError>,
}

/// A key of a set-up made by code.
#[derive(Clone, Copy, Debug)]
pub struct CodedKey {
    /// Name.
    pub name: &'static str,
    /// Value where none is given.
    pub usual: &'static str,
    /// The words allowed; a number above zero where empty.
    pub words: &'static [&'static str],
}

/// The number a set-up is about: a curve over time and what it boils down to.
#[derive(Clone, Copy)]
pub struct Headline {
    /// Name.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What is followed over time.
    pub curve: &'static str,
    /// Unit of the curve.
    pub curve_unit: &'static str,
    /// The value of the curve.
    pub follow: fn(&Seen<'_>) -> f64,
    /// What all of the curve comes to.
    pub boil: fn(&[(f64, f64)]) -> f64,
    /// What it should come to.
    pub expected: Option<f64>,
    /// What the curve should be.
    pub closed_form: Option<fn(f64) -> f64>,
}

/// What a headline sees after a step.
pub struct Seen<'a> {
    /// Bodies at the start.
    pub start: &'a [BodyState],
    /// Bodies now.
    pub bodies: &'a [BodyState],
    /// Contacts of the step.
    pub touches: &'a [Touch],
    /// Time, s.
    pub time: f64,
}

/// Pieces of a run that are held against the formulation's own small steps.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// Steps per second of the reference.
    pub rate: f64,
    /// Length of a piece, s.
    pub length: f64,
    /// How many.
    pub count: usize,
}

/// `key=value` pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub Vec<(String, String)>);

impl Settings {
    /// The value of a key; the last that was given.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// A number; NaN where there is none.
    pub fn number(&self, key: &str) -> f64 {
        self.get(key).and_then(|v| v.parse().ok()).unwrap_or(f64::NAN)
    }

    /// As `path=value` overrides.
    pub fn overrides(&self) -> Vec<String> {
        self.0.iter().map(|(k, v)| format!("{k}={v}")).collect()
    }
}

/// What is compared: a set-up of ours or a scene.
#[derive(Clone)]
pub enum Subject {
    /// A row of the table.
    Ours(&'static Setup),
    /// A scene: its file and text.
    Scene {
        /// File, for messages and its name.
        file: String,
        /// Its TOML.
        text: String,
    },
}

impl Subject {
    /// The set-up of this name.
    pub fn find(name: &str) -> Option<Self> {
        suites::SETUPS.iter().flat_map(|s| s.iter()).find(|s| s.name == name).map(Self::Ours)
    }

    /// Its row, where it is one of ours.
    pub fn row(&self) -> Option<&'static Setup> {
        match self {
            Self::Ours(row) => Some(row),
            Self::Scene { .. } => None,
        }
    }

    /// All that it is, as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Ours(Setup { make: Make::Code(coded), .. }) => coded.text,
            Self::Ours(setup) => scenes::text(setup.name).unwrap_or_default(),
            Self::Scene { text, .. } => text,
        }
    }

    /// The scene under some settings; `None` where it is made by code.
    ///
    /// # Errors
    /// Settings that do not fit.
    pub fn scene(&self, settings: &Settings, seed: u64) -> Result<Option<Scene>, SceneError> {
        match self {
            Self::Ours(Setup { make: Make::Code(_), .. }) => Ok(None),
            _ => self.parsed(settings, seed).map(Some),
        }
    }

    /// Its text, read as a scene.
    fn parsed(&self, settings: &Settings, seed: u64) -> Result<Scene, SceneError> {
        let set = [settings.overrides(), vec![format!("seed={seed}")]].concat();
        match self {
            Self::Ours(setup) => {
                Scene::parse(&format!("scenes/compare/{}.toml", setup.name), self.text(), &set)
            }
            Self::Scene { file, text } => Scene::parse(file, text, &set),
        }
    }

    /// Something to step, and how long for, s. Without gauges and books where it is timed.
    ///
    /// # Errors
    /// Settings that do not fit.
    pub fn build(
        &self,
        settings: &Settings,
        seed: u64,
        timed: bool,
    ) -> Result<(Box<dyn Engine>, f64), SceneError> {
        if let Self::Ours(Setup { make: Make::Code(coded), .. }) = self {
            let engine = (coded.build)(&coded.settings(settings)?)?;
            return Ok((engine, coded.duration));
        }
        let scene = self.parsed(settings, seed)?;
        let engine = if timed { WorldEngine::bare(&scene)? } else { WorldEngine::new(&scene)? };
        Ok((Box::new(engine), scene.duration))
    }
}

impl Coded {
    /// A value for every key: what was given, checked, or what is usual.
    fn settings(&self, given: &Settings) -> Result<Settings, SceneError> {
        let bad = |key: &str, problem: String| SceneError {
            file: "set-up".to_owned(),
            line: 0,
            key: key.to_owned(),
            problem,
            absent: false,
        };
        for (key, value) in &given.0 {
            let Some(known) = self.keys.iter().find(|k| k.name == key) else {
                let names: Vec<&str> = self.keys.iter().map(|k| k.name).collect();
                return Err(bad(key, format!("unknown key, expected one of: {}", names.join(", "))));
            };
            let number = value.parse::<f64>().is_ok_and(|x| x.is_finite() && x > 0.0);
            if known.words.is_empty() && !number {
                return Err(bad(key, format!("is {value}, expected a number above 0")));
            }
            if !known.words.is_empty() && !known.words.contains(&value.as_str()) {
                let words = known.words.join(", ");
                return Err(bad(key, format!("is \"{value}\", expected one of: {words}")));
            }
        }
        let value = |k: &CodedKey| (k.name.to_owned(), given.get(k.name).unwrap_or(k.usual).to_owned());
        Ok(Settings(self.keys.iter().map(value).collect()))
    }
}
