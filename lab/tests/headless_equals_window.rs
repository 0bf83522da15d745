//! The window's inside, without a window: the same pixels as headless painting, and what its keys do to a world.

use stuntlab::paint::{Look, Painter};
use stuntlab::run::{Hands, World, variants_of};
use stuntlab::scene::Scene;
use stuntlab::view::{App, ViewOptions};
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::raster::Quality;
use stuntlab_viewer::window::{Input, Key};

fn press(key: Key) -> Input {
    Input { pressed: vec![key], ..Input::default() }
}

#[test]
fn window_and_headless_draw_the_same_pixels() {
    let scene = Scene::load("base-tower", &[]).unwrap();
    let options = ViewOptions { paused: true, ..ViewOptions::default() };
    let mut app = App::new(&scene, &variants_of(&scene, None).unwrap(), &options).unwrap();
    let (mut shown, mut alone) = (Canvas::new(320, 180), Canvas::new(320, 180));
    let mut world = World::new(&scene).unwrap();
    app.frame(&press(Key::Char('h')), 0.01, &shown);
    for _ in 0..30 {
        app.frame(&press(Key::Char('.')), 0.01, &shown);
        world.step(&Hands::default()).unwrap();
    }
    app.draw(&mut shown);
    let whole = alone.rect();
    Painter::new().paint(&world, &Look::default(), app.camera(), &mut alone, whole, Quality::FINE);
    assert!(shown.pixels() == alone.pixels());
}

#[test]
fn spare_things_to_throw_do_not_disturb_the_world() {
    // The window's world has parked balls and crates that the headless one lacks.
    let scene = Scene::load("base-pile", &[]).unwrap();
    let options = ViewOptions { paused: true, ..ViewOptions::default() };
    let mut app = App::new(&scene, &variants_of(&scene, None).unwrap(), &options).unwrap();
    let canvas = Canvas::new(64, 36);
    let mut world = World::new(&scene).unwrap();
    for _ in 0..60 {
        app.frame(&press(Key::Char('.')), 0.01, &canvas);
        world.step(&Hands::default()).unwrap();
    }
    let n = world.state.q.len();
    assert_eq!(app.states()[0].q[..n], world.state.q[..]);
}

#[test]
fn scrubbing_back_and_going_on_repeats_the_run() {
    let scene = Scene::load("base-ragdoll", &[]).unwrap();
    let options = ViewOptions { paused: true, ..ViewOptions::default() };
    let mut app = App::new(&scene, &variants_of(&scene, None).unwrap(), &options).unwrap();
    let canvas = Canvas::new(64, 36);
    for _ in 0..120 {
        app.frame(&press(Key::Char('.')), 0.01, &canvas);
    }
    let then = app.hashes();
    app.frame(&press(Key::Char('[')), 0.01, &canvas);
    assert_ne!(app.hashes(), then);
    // Six frames of 1/60 s are twelve steps.
    for _ in 0..12 {
        app.frame(&press(Key::Char('.')), 0.01, &canvas);
    }
    assert_eq!(app.hashes(), then);
}
