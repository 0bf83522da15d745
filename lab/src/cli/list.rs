//! `stuntlab scenes`.

use std::process::ExitCode;

use serde::Serialize;
use stuntlab::scene::{LIBRARY, Scene};

use super::{Voice, bad_input, to_json};

#[derive(Serialize)]
struct Entry {
    name: String,
    shows: String,
    duration: f64,
    measures: Vec<String>,
    variants: Vec<String>,
}

pub(super) fn list(voice: Voice) -> ExitCode {
    let mut entries = Vec::new();
    for (name, _) in LIBRARY {
        match Scene::load(name, &[]) {
            Ok(scene) => entries.push(entry(&scene)),
            Err(error) => return bad_input(&error),
        }
    }
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let line = |e: &Entry| {
        format!("{:width$}  {}\n{:width$}  measures {}\n", e.name, e.shows, "", e.measures.join(", "))
    };
    voice.end(0, || to_json(&entries), || entries.iter().map(line).collect())
}

fn entry(scene: &Scene) -> Entry {
    let mut measures: Vec<String> = Vec::new();
    for measure in &scene.measures {
        if !measures.contains(&measure.name) {
            measures.push(measure.name.clone());
        }
    }
    Entry {
        name: scene.name.clone(),
        shows: scene.shows.clone(),
        duration: scene.duration,
        measures,
        variants: scene.variants.iter().map(|v| v.name.clone()).collect(),
    }
}
