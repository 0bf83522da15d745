//! `stuntlab scenes`.

use std::process::ExitCode;

use serde::Serialize;
use stuntlab::reference;
use stuntlab::registry::Registry;
use stuntlab::scene::{LIBRARY, Scene};
use stuntlab::study::{Size, Study};

use super::{Voice, bad_input, to_json};

#[derive(Serialize)]
struct Entry {
    name: String,
    /// `scene` or `study`.
    kind: &'static str,
    shows: String,
    /// Absent for a study.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    measures: Vec<String>,
    variants: Vec<String>,
    foils: Vec<String>,
}

pub(super) fn list(voice: Voice) -> ExitCode {
    let mut entries = Vec::new();
    for (name, _) in LIBRARY {
        match Scene::load(name, &[]) {
            Ok(scene) => entries.push(entry(&scene)),
            Err(error) => return bad_input(&error),
        }
    }
    entries.extend(Registry::standard().studies().iter().map(of_study));
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let line = |e: &Entry| {
        format!("{:width$}  {}\n{:width$}  measures {}\n", e.name, e.shows, "", e.measures.join(", "))
    };
    voice.end(0, || to_json(&entries), || entries.iter().map(line).collect())
}

/// What scenes may name.
pub(super) fn kinds(voice: Voice) -> ExitCode {
    let sections = reference::sections(&Registry::standard());
    let json = || to_json(&sections.iter().cloned().collect::<std::collections::BTreeMap<_, _>>());
    voice.end(0, json, || sections.iter().map(|(name, text)| format!("{name}\n\n{text}\n")).collect())
}

fn entry(scene: &Scene) -> Entry {
    let mut measures: Vec<String> = Vec::new();
    for measure in &scene.measures {
        if !measures.contains(&measure.name) {
            measures.push(measure.name.clone());
        }
    }
    Entry {
        kind: "scene",
        name: scene.name.clone(),
        shows: scene.shows.clone(),
        duration: Some(scene.duration),
        measures,
        variants: scene.variants.iter().map(|v| v.name.clone()).collect(),
        foils: scene.foils.iter().map(|f| f.name.clone()).collect(),
    }
}

fn of_study(study: &Study) -> Entry {
    let plan = (study.plan)(Size::Full);
    Entry {
        kind: "study",
        name: study.name.to_owned(),
        shows: format!("{} (study of {} trials)", study.help, plan.trials.len()),
        duration: None,
        measures: plan.outcomes.iter().map(|o| o.name.to_owned()).collect(),
        variants: Vec::new(),
        foils: Vec::new(),
    }
}
