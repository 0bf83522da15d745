//! `stuntlab scenes`.

use std::process::ExitCode;

use serde::Serialize;
use stuntlab::scene::{LIBRARY, Scene};

use super::bad_input;

#[derive(Serialize)]
struct Entry {
    name: String,
    shows: String,
    duration: f64,
    measures: Vec<String>,
    variants: Vec<String>,
}

pub(super) fn list(json: bool) -> ExitCode {
    let mut entries = Vec::new();
    for (name, _) in LIBRARY {
        match Scene::load(name, &[]) {
            Ok(scene) => entries.push(entry(&scene)),
            Err(error) => return bad_input(&error),
        }
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&entries).expect("a list of texts and numbers"));
        return ExitCode::SUCCESS;
    }
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for entry in entries {
        println!("{:width$}  {}", entry.name, entry.shows);
        println!("{:width$}  measures {}", "", entry.measures.join(", "));
    }
    ExitCode::SUCCESS
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
