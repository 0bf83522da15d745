//! What the window shows and does, without a display: panes, debug layers, swaps, throws, scrubbing, recording, and a
//! golden picture of a whole scene.
//!
//! `UPDATE_GOLDEN=1 cargo test -p stuntlab --test window_inside` rewrites the golden file; look at it before committing.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::path::Path;

use stuntlab::paint::{Look, Painter};
use stuntlab::run::{Hands, Run, World, variants_of};
use stuntlab::scene::Scene;
use stuntlab::view::{App, ViewOptions};
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::png::{read_png, write_png};
use stuntlab_viewer::raster::Quality;
use stuntlab_viewer::window::{Input, Key};

fn press(key: char) -> Input {
    Input { pressed: vec![Key::Char(key)], ..Input::default() }
}

fn paused(scene: &str, vary: Option<&str>) -> (App, Canvas) {
    let scene = Scene::load(scene, &[]).unwrap();
    let options = ViewOptions { paused: true, ..ViewOptions::default() };
    let app = App::new(&scene, &variants_of(&scene, vary).unwrap(), &options).unwrap();
    (app, Canvas::new(320, 180))
}

fn steps(app: &mut App, canvas: &Canvas, n: usize) {
    for _ in 0..n {
        app.frame(&press('.'), 0.01, canvas);
    }
}

fn picture(app: &mut App, canvas: &mut Canvas) -> Vec<u32> {
    app.draw(canvas);
    canvas.pixels().to_vec()
}

/// Pixels of a part of a picture.
fn part(pixels: &[u32], width: usize, rect: Rect) -> Vec<u32> {
    (rect.y..rect.y + rect.height)
        .flat_map(|y| pixels[y * width + rect.x..y * width + rect.x + rect.width].iter().copied())
        .collect()
}

#[test]
fn panes_are_painted_and_come_apart_only_where_settings_differ() {
    let four = "formulation=implicit-penalty,implicit-penalty,lcp-pgs,penalty";
    let scene = Scene::load("base-ragdoll", &["duration=1.0".to_owned(), "measure=[]".to_owned()]).unwrap();
    let mut run = Run::new(&scene, &variants_of(&scene, Some(four)).unwrap()).unwrap();
    assert_eq!(run.divergence(), [0.0; 4]);
    run.advance_to(0.9);
    let apart = run.divergence();
    assert_eq!(apart[..2], [0.0; 2], "same settings");
    assert!(apart[2] > 1e-6 && apart[3] > 1e-6, "other formulations: {apart:?}");

    for (vary, n) in [("formulation=implicit-penalty,lcp-pgs", 2), (four, 4)] {
        let (mut app, mut canvas) = paused("base-ragdoll", Some(vary));
        app.frame(&press('h'), 0.01, &canvas);
        steps(&mut app, &canvas, 110);
        assert_eq!(app.divergence().len(), n);
        assert_eq!(app.divergence()[0], 0.0);
        assert!(app.divergence()[n - 1] > 1e-6, "{:?}", app.divergence());
        canvas.clear(stuntlab_viewer::palette::Color::hex(0xFF00FF));
        let pixels = picture(&mut app, &mut canvas);
        let cells = canvas.rect().split(n);
        let panes: Vec<Vec<u32>> = cells.iter().map(|c| part(&pixels, 320, *c)).collect();
        for pane in &panes {
            assert!(!pane.contains(&0xFF00FF), "a pane has holes");
            let colors: std::collections::BTreeSet<u32> = pane.iter().copied().collect();
            assert!(colors.len() > 200, "a pane shows {} colours", colors.len());
        }
        assert!(panes[0] != panes[n - 1], "other formulation, same picture");
        if n == 4 {
            assert_eq!(app.divergence()[1], 0.0, "same settings");
        }
    }
}

#[test]
fn every_debug_layer_changes_the_picture_and_goes_away_again() {
    let (mut app, mut canvas) = paused("base-game", None);
    app.frame(&press('h'), 0.01, &canvas);
    steps(&mut app, &canvas, 80);
    let bare = picture(&mut app, &mut canvas);
    for key in ['1', '2', '3', '4', '5', '6', 'g', 'h'] {
        app.frame(&press(key), 0.01, &canvas);
        assert!(picture(&mut app, &mut canvas) != bare, "key {key} shows nothing");
        app.frame(&press(key), 0.01, &canvas);
        assert!(picture(&mut app, &mut canvas) == bare, "key {key} does not go away");
    }
}

#[test]
fn scrubbing_back_and_forward_restores_every_bit() {
    let (mut app, canvas) = paused("base-pile", None);
    let mut hashes = vec![app.hashes()];
    for _ in 0..48 {
        steps(&mut app, &canvas, 1);
        hashes.push(app.hashes());
    }
    // A press goes six frames of 1/60 s: twelve steps of 1/120 s.
    for presses in 1..=3 {
        app.frame(&press('['), 0.01, &canvas);
        assert_eq!(app.hashes(), hashes[48 - 12 * presses]);
    }
    app.frame(&press(']'), 0.01, &canvas);
    assert_eq!(app.hashes(), hashes[24]);
}

#[test]
fn a_formulation_swapped_live_leads_elsewhere() {
    let run = |swap: bool| {
        let (mut app, canvas) = paused("base-ragdoll", None);
        steps(&mut app, &canvas, 60);
        if swap {
            app.frame(&press('m'), 0.01, &canvas);
        }
        let at_swap = app.hashes();
        steps(&mut app, &canvas, 60);
        (at_swap, app.hashes())
    };
    let (kept, swapped) = (run(false), run(true));
    assert_eq!(kept.0, swapped.0, "the swap itself moves nothing");
    assert_ne!(kept.1, swapped.1);
}

#[test]
fn thrown_balls_and_crates_fly_and_are_seen() {
    for key in ['b', 'x'] {
        let (mut app, mut canvas) = paused("base-tower", None);
        app.frame(&press('h'), 0.01, &canvas);
        steps(&mut app, &canvas, 1);
        let before = (app.hashes(), picture(&mut app, &mut canvas));
        let mut input = press(key);
        input.mouse.position = (160.0, 90.0);
        app.frame(&input, 0.01, &canvas);
        assert_ne!(app.hashes(), before.0, "key {key}");
        steps(&mut app, &canvas, 30);
        let after = picture(&mut app, &mut canvas);
        let (mut alone, mut plain) = paused("base-tower", None);
        alone.frame(&press('h'), 0.01, &plain);
        steps(&mut alone, &plain, 31);
        assert!(after != picture(&mut alone, &mut plain), "key {key}: nothing in the picture");
    }
}

#[test]
fn a_recording_is_a_film_of_the_window() {
    let dir = std::env::temp_dir().join(format!("stuntlab-record-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let scene = Scene::load("base-tumble", &[]).unwrap();
    let options = ViewOptions { paused: true, shots: dir.clone(), ..ViewOptions::default() };
    let mut app = App::new(&scene, &variants_of(&scene, None).unwrap(), &options).unwrap();
    let mut canvas = Canvas::new(160, 90);
    app.draw(&mut canvas);
    app.frame(&press('v'), 0.01, &canvas);
    for _ in 0..3 {
        app.frame(&press('.'), 0.01, &canvas);
        app.draw(&mut canvas);
        app.capture(&canvas);
        std::thread::sleep(std::time::Duration::from_millis(55));
    }
    app.frame(&press('v'), 0.01, &canvas);
    let film = std::fs::read(dir.join("base-tumble-1.gif")).unwrap();
    assert!(film.starts_with(b"GIF89a") && film.ends_with(&[0x3B]), "a whole file");
    assert_eq!((film[6], film[7], film[8], film[9]), (160, 0, 90, 0));
    // Image descriptors of whole or partial frames follow graphic control extensions.
    let frames = film.windows(3).filter(|w| *w == [0x21, 0xF9, 0x04]).count();
    assert_eq!(frames, 3);
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn the_game_scene_looks_as_it_did() {
    let scene = Scene::load("base-game", &[]).unwrap();
    let mut world = World::new(&scene).unwrap();
    for _ in 0..120 {
        world.step(&Hands::default()).unwrap();
    }
    let mut canvas = Canvas::new(320, 180);
    let whole = canvas.rect();
    let (app, _) = paused("base-game", None);
    Painter::new().paint(&world, &Look::default(), app.camera(), &mut canvas, whole, Quality::FINE);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/base-game.png");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write_png(&canvas, &path).unwrap();
    }
    let golden = read_png(&path).unwrap();
    assert_eq!((canvas.width(), canvas.height()), (golden.width(), golden.height()));
    // Bodies in flight may land a little elsewhere with another compiler or a better solver; the picture as a whole
    // stays the same.
    let difference = |(&a, &b): (&u32, &u32)| {
        [16, 8, 0].map(|s| ((a >> s & 255) as i32 - (b >> s & 255) as i32).abs()).into_iter().max().unwrap()
    };
    let all: Vec<i32> = canvas.pixels().iter().zip(golden.pixels()).map(difference).collect();
    let changed = all.iter().filter(|d| **d > 12).count() as f64 / all.len() as f64;
    assert!(changed < 0.04, "{:.1} % of the pixels changed", 100.0 * changed);
}

#[test]
fn a_person_plays_a_fighter_by_keys() {
    // Coordinates of the fighter that is played: the first character's, after its root.
    let apart = |a: &[f64], b: &[f64], own: std::ops::Range<usize>| {
        a[own.clone()].iter().zip(&b[own]).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    let bout = |keys: &[char]| {
        let (mut app, canvas) = paused("dynamo-boxing", None);
        let before = app.hashes();
        for key in keys {
            app.frame(&press(*key), 0.01, &canvas);
        }
        assert_eq!(app.hashes(), before, "an order moves nothing by itself");
        let mut poses = Vec::new();
        for _ in 0..60 {
            steps(&mut app, &canvas, 1);
            poses.push(app.states()[0].q.clone());
        }
        poses
    };
    let world = World::new(&Scene::load("dynamo-boxing", &[]).unwrap()).unwrap();
    let joints = 7..world.cast()[0].model.n_q();
    let farthest = |a: &[Vec<f64>], b: &[Vec<f64>]| {
        a.iter().zip(b).map(|(a, b)| apart(a, b, joints.clone())).fold(0.0, f64::max)
    };
    let waiting = bout(&['n']);
    let orders = ['j', 'l', 'u', 'i', 'o', 'w', 'z', 'a', 'd'].map(|key| (key, bout(&['n', key])));
    for (k, (key, poses)) in orders.iter().enumerate() {
        let moved = farthest(&waiting, poses);
        assert!(moved > 0.1, "key {key} moved its joints by {moved}");
        for (other, others) in &orders[..k] {
            assert!(farthest(poses, others) > 0.1, "keys {key} and {other} do the same");
        }
    }
    // Without a person in its place it goes its own way, whatever is pressed.
    assert_eq!(bout(&['j']), bout(&[]));
    // Given back, it decides for itself again.
    assert_eq!(bout(&['n', 'n']), bout(&[]));
}

#[test]
fn a_person_plays_a_stuntperson_by_keys_and_sees_all_bids() {
    let play = |keys: &[char]| {
        let (mut app, canvas) = paused("stunt-all", None);
        // Far enough for it to stand balanced.
        steps(&mut app, &canvas, 150);
        for key in keys {
            app.frame(&press(*key), 0.01, &canvas);
        }
        let mut poses = Vec::new();
        for _ in 0..24 {
            steps(&mut app, &canvas, 1);
            poses.push(app.states()[0].q.clone());
        }
        (poses, app, canvas)
    };
    let line = |app: &App| serde_json::from_str::<serde_json::Value>(&app.report(0)).unwrap();
    let (alone, ..) = play(&[]);
    let (played, mut app, _) = play(&['n']);
    assert_eq!(line(&app)["playing"], "it");
    assert_eq!(played, alone, "who is played goes on to decide for itself");
    // Four skills wait to be asked: bend, idle, walk, wave.
    let asked = ['8', '9', '0', 't'].map(|key| play(&['n', key]).0);
    for (k, poses) in asked.iter().enumerate() {
        assert!(
            *poses != played && asked[..k].iter().all(|others| others != poses),
            "key {k} does nothing of its own"
        );
    }
    // A bar for every skill of the pool, seen.
    let mut large = Canvas::new(1280, 720);
    app.frame(&Input { pressed: vec![Key::F(2)], ..Input::default() }, 0.01, &large);
    app.draw(&mut large);
    let rows = line(&app)["rows"].to_string();
    for name in ["balance", "bend", "fall", "idle", "land", "trip", "walk", "wave"] {
        assert!(rows.contains(&format!("[\"{name}\",")), "{name}: {rows}");
    }
    // To be looked at.
    write_png(&large, Path::new(env!("CARGO_TARGET_TMPDIR")).join("bids.png")).unwrap();
}
