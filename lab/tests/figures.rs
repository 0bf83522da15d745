//! Characters in scenes are the figures they were made from: one model each, and what a figure keeps apart stays so.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::sync::Arc;

use stuntlab::run::{Hands, World};
use stuntlab::scene::{Scene, Stage};
use stuntlab_physics::collide::ColliderId;
use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_physics::{Bodies, Formulation, Model};

fn scene(figures: &[&str], head: &str) -> Scene {
    let mut text = format!("schema = 1\nshows = \"figures at rest\"\nduration = 1.0\n{head}\n");
    for (k, figure) in figures.iter().enumerate() {
        text += &format!("[[character]]\nname = \"c{k}\"\nfigure = \"{figure}\"\nat = [0.0, {k}.0, 3.0]\n");
    }
    Scene::parse("figures.toml", &text, &[]).unwrap()
}

/// Whether the filters let each pair of the colliders on some bodies touch.
fn pairs(model: &Model, bodies: Bodies) -> Vec<bool> {
    let list = model.colliders().list();
    let own = |c: &usize| list[*c].body.is_some_and(|b| bodies.contains(b));
    let ids: Vec<ColliderId> = (0..list.len()).filter(own).map(|c| ColliderId(c as u32)).collect();
    let touch = |a: &ColliderId| ids.iter().map(|b| model.colliders().may_touch(*a, *b)).collect::<Vec<_>>();
    ids.iter().flat_map(touch).collect()
}

const FIGURES: [&str; 6] = ["humanoid37", "library", "stuntperson", "walker", "ball-figure", "planar-figure"];

/// A figure of 36 bones on ball joints has shapes that meet where it stands. They used to push it to 1.6 m/s.
#[test]
fn a_figure_at_rest_that_may_touch_itself_stays_at_rest() {
    for figure in FIGURES {
        for formulation in Formulation::ALL {
            let head = format!(
                "self_collision = true\ngravity = [0.0, 0.0, 0.0]\nformulation = \"{}\"",
                formulation.name()
            );
            let mut world = World::new(&scene(&[figure], &head)).unwrap();
            for _ in 0..60 {
                world.step(&Hands::default()).unwrap();
                let energy = kinetic_energy(world.model(), &world.data, &world.state.v);
                assert!(energy < 1e-12, "{figure}, {}: {energy} J", formulation.name());
            }
        }
    }
}

#[test]
fn a_character_in_a_scene_is_its_own_model_appended() {
    for head in ["", "self_collision = true"] {
        let scene = scene(&FIGURES, head);
        let stage = Stage::build(&scene).unwrap();
        for member in &stage.cast {
            let own = &member.model;
            assert_eq!(member.bodies.len(), own.n_bodies());
            let there = &stage.model.bodies()[member.bodies];
            for (a, b) in there.iter().zip(own.bodies()) {
                assert_eq!((a.name(), a.joint(), a.inertia()), (b.name(), b.joint(), b.inertia()));
            }
            let (whole, alone) = (pairs(&stage.model, member.bodies), pairs(own, own.body_ids()));
            assert_eq!(whole, alone, "{}", member.name);
            assert_eq!(alone.contains(&true), !head.is_empty(), "{}", member.name);
            assert_eq!(own.gravity(), stage.model.gravity());
        }
    }
}

#[test]
fn the_pairs_a_figure_keeps_apart_are_those_of_its_character() {
    let scene = scene(&["ball-figure"], "self_collision = true");
    let stage = Stage::build(&scene).unwrap();
    let figure = stage.cast[0].figure.clone().unwrap();
    assert_eq!(pairs(&stage.model, stage.model.body_ids()), pairs(figure.model(), figure.model().body_ids()));
}

#[test]
fn a_character_has_one_model_however_often_the_scene_is_built() {
    let scene = scene(&["library", "bones36"], "");
    let (stage, world) = (Stage::build(&scene).unwrap(), World::new(&scene).unwrap());
    for (a, b) in stage.cast.iter().zip(world.cast()) {
        assert!(Arc::ptr_eq(&a.model, &b.model));
    }
}
