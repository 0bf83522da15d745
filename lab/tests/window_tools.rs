//! The window's tools without a display: selecting, hovering, sliding a gain, charting, scrubbing to an event, keeping a state,
//! swapping one character's controller. The mouse is moved and pressed as a hand would.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use serde_json::Value;
use stuntlab::run::variants_of;
use stuntlab::scene::Scene;
use stuntlab::view::{App, ViewOptions};
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::window::{ButtonState, Input, Key};

struct Hand {
    app: App,
    canvas: Canvas,
    at: (f64, f64),
}

impl Hand {
    fn new(scene: &str, set: &[&str]) -> Self {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        let scene = Scene::load(scene, &set).unwrap();
        // Nobody else's directory: states go there.
        let shots = std::env::temp_dir().join(format!("stuntlab-tools-{}", std::process::id()));
        std::fs::create_dir_all(&shots).unwrap();
        let options = ViewOptions { paused: true, shots, ..ViewOptions::default() };
        Self::with(&scene, &options)
    }

    fn with(scene: &Scene, options: &ViewOptions) -> Self {
        let app = App::new(scene, &variants_of(scene, None).unwrap(), options).unwrap();
        let mut hand = Self { app, canvas: Canvas::new(640, 360), at: (0.0, 0.0) };
        hand.app.draw(&mut hand.canvas);
        hand
    }

    fn frame(&mut self, input: &Input) {
        self.app.frame(input, 0.01, &self.canvas);
        self.app.draw(&mut self.canvas);
    }

    fn key(&mut self, key: Key) {
        let mut input = Input { pressed: vec![key], ..Input::default() };
        input.mouse.position = self.at;
        self.frame(&input);
    }

    fn steps(&mut self, n: usize) {
        for _ in 0..n {
            let mut input = Input { pressed: vec![Key::Char('.')], ..Input::default() };
            input.mouse.position = self.at;
            self.app.frame(&input, 0.01, &self.canvas);
        }
    }

    /// Moves there with the button up or down.
    fn mouse(&mut self, to: (f64, f64), left: ButtonState) {
        let mut input = Input::default();
        input.mouse.moved = (to.0 - self.at.0, to.1 - self.at.1);
        input.mouse.position = to;
        input.mouse.left = left;
        self.at = to;
        self.app.frame(&input, 0.01, &self.canvas);
    }

    /// Down at one place, up at another.
    fn slide(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse(from, ButtonState::default());
        self.mouse(from, ButtonState { down: true, pressed: true, released: false });
        self.mouse(to, ButtonState { down: true, pressed: false, released: false });
        self.mouse(to, ButtonState { down: false, pressed: false, released: true });
        self.app.draw(&mut self.canvas);
    }

    fn report(&self) -> Value {
        serde_json::from_str(&self.app.report(0)).unwrap()
    }

    /// A point of a row of the panel, `part` of the way along it.
    fn row(&self, label: &str, part: f64) -> (f64, f64) {
        let report = self.report();
        let rows = report["rows"].as_array().unwrap();
        let row =
            rows.iter().find(|row| row[0] == label).unwrap_or_else(|| panic!("no row {label} in {rows:?}"));
        let number = |k: usize| row[1][k].as_f64().unwrap();
        (number(0) + part * number(2), number(1) + 0.5 * number(3))
    }
}

#[test]
fn a_click_selects_a_body_and_shows_it() {
    let mut hand = Hand::new("base-ragdoll", &["character.0.at=[0,0,0]", "character.0.spin=[0,0,0]"]);
    let bare = hand.canvas.pixels().to_vec();
    assert_eq!(hand.report()["selected"], Value::Null);
    // Somewhere in the middle there is somebody.
    let places = (100..320)
        .step_by(12)
        .flat_map(|y| (220..420).step_by(12).map(move |x| (f64::from(x), f64::from(y))));
    let mut seen = None;
    for place in places {
        hand.slide(place, place);
        if hand.report()["selected"] != Value::Null {
            seen = Some(place);
            break;
        }
    }
    seen.expect("nobody to click at");
    assert!(hand.canvas.pixels() != bare, "a selected body looks like any other");
    // A click at the sky selects nothing.
    hand.slide((320.0, 8.0), (320.0, 8.0));
    assert_eq!(hand.report()["selected"], Value::Null);
    // A drag of the mouse is no click.
    hand.slide((320.0, 8.0), (400.0, 60.0));
    assert_eq!(hand.report()["selected"], Value::Null);
}

#[test]
fn a_gain_is_slid_and_the_world_goes_elsewhere() {
    let run = |slide: bool| {
        let mut hand = Hand::new("base-game", &[]);
        hand.key(Key::F(2));
        assert_eq!(hand.report()["panel"], true);
        if slide {
            hand.slide(hand.row("stiffness", 0.3), hand.row("stiffness", 0.02));
            let said = hand.report()["message"].as_str().unwrap().to_owned();
            assert!(said.starts_with("stiffness = "), "{said}");
        }
        let before = hand.app.hashes();
        hand.steps(30);
        (before, hand.app.hashes())
    };
    let (kept, slid) = (run(false), run(true));
    assert_eq!(kept.0, slid.0, "sliding itself moves nothing");
    assert_ne!(kept.1, slid.1);
}

#[test]
fn readings_are_charted_by_mouse_up_to_four() {
    let mut hand = Hand::new("base-game", &[]);
    hand.key(Key::F(2));
    let charts = |hand: &Hand| hand.report()["charts"].as_array().unwrap().len();
    assert_eq!(charts(&hand), 1);
    for label in ["deepest overlap, mm", "contact forces, N", "anna: height, m"] {
        let place = hand.row(label, 0.5);
        hand.slide(place, place);
    }
    assert_eq!(charts(&hand), 4);
    let place = hand.row("contact forces, N", 0.5);
    hand.slide(place, place);
    assert_eq!(charts(&hand), 3);
}

#[test]
fn only_one_character_is_swapped_and_the_window_says_so() {
    let mut hand = Hand::new("base-game", &[]);
    hand.key(Key::Char('k'));
    let report = hand.report();
    let drivers: Vec<&str> =
        report["controllers"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    assert!(drivers[0] != "pose" && drivers[1..].iter().all(|d| *d == "pose"), "{drivers:?}");
    assert!(report["message"].as_str().unwrap().starts_with("anna is driven by"), "{report}");
}

#[test]
fn a_state_is_kept_and_gone_back_to_bit_for_bit() {
    let mut hand = Hand::new("base-pile", &[]);
    hand.steps(20);
    let (kept, mut later) = (hand.app.hashes(), Vec::new());
    hand.key(Key::F(5));
    for _ in 0..2 {
        hand.steps(25);
        later.push(hand.app.hashes());
        hand.key(Key::F(9));
        assert_eq!(hand.app.hashes(), kept);
    }
    assert_eq!(later[0], later[1], "the same way on");
}

#[test]
fn the_strip_below_leads_to_what_happened() {
    let mut hand = Hand::new("base-ragdoll", &["character.0.at=[0,0,0]", "character.0.spin=[0,0,0]"]);
    hand.steps(60);
    hand.key(Key::Char('p'));
    let pushed = hand.report()["time"].as_f64().unwrap();
    hand.steps(60);
    assert!(hand.report()["marks"].as_u64().unwrap() >= 1);
    // By key.
    while hand.report()["time"].as_f64().unwrap() > pushed + 0.03 {
        let before = hand.report()["time"].as_f64().unwrap();
        hand.key(Key::Char(','));
        assert!(hand.report()["time"].as_f64().unwrap() < before, "no event before {before}");
    }
    assert!((hand.report()["time"].as_f64().unwrap() - pushed).abs() < 0.03);
    // By mouse: the left end of the strip is the start.
    hand.slide((5.0, 354.0), (5.0, 354.0));
    assert_eq!(hand.report()["time"], 0.0);
}

#[test]
fn a_paused_window_is_not_drawn_again_until_something_changes() {
    let mut hand = Hand::new("base-tower", &[]);
    hand.frame(&Input::default());
    hand.app.frame(&Input::default(), 0.01, &hand.canvas);
    assert!(!hand.app.has_changed(&hand.canvas));
    hand.steps(1);
    assert!(hand.app.has_changed(&hand.canvas));
}

#[test]
fn help_is_turned_page_by_page_and_fits() {
    let mut hand = Hand::new("base-tower", &[]);
    // Without the texts, which count frames.
    hand.key(Key::Char('h'));
    let bare = hand.canvas.pixels().to_vec();
    let mut pages = Vec::new();
    loop {
        hand.key(Key::F(1));
        if hand.report()["help"] == false {
            break;
        }
        assert!(!pages.contains(&hand.canvas.pixels().to_vec()) && pages.len() < 9);
        pages.push(hand.canvas.pixels().to_vec());
    }
    assert!(pages.len() >= 2 && hand.canvas.pixels() == bare);
}

#[test]
fn gravity_and_friction_are_slid_and_act() {
    let fall = |label: Option<(&str, f64, f64)>| {
        let mut hand = Hand::new("base-ragdoll", &[]);
        hand.key(Key::F(2));
        if let Some((label, from, to)) = label {
            hand.slide(hand.row(label, from), hand.row(label, to));
        }
        let before = hand.app.hashes();
        hand.steps(40);
        let height = hand.app.states()[0].q[2];
        (before, height, hand.report())
    };
    let usual = fall(None);
    let moon = fall(Some(("gravity, m/s²", 0.5, 0.08)));
    assert_eq!(usual.0, moon.0, "sliding itself moves nothing");
    assert!((moon.2["gravity"].as_f64().unwrap() - 1.6).abs() < 0.2, "{}", moon.2["gravity"]);
    assert!(moon.1 > usual.1 + 0.1, "falls to {} m on the moon, {} m here", moon.1, usual.1);
    let ice = fall(Some(("friction, times", 0.33, 0.01)));
    assert!(ice.2["friction"].as_f64().unwrap() < 0.1);
    // Back where it was: the same bits as before.
    let mut hand = Hand::new("base-ragdoll", &[]);
    hand.key(Key::F(2));
    hand.slide(hand.row("friction, times", 0.33), hand.row("friction, times", 0.9));
    hand.key(Key::Char('r'));
    assert!(hand.report()["friction"].as_f64().unwrap() > 2.0, "starting again keeps settings");
}

#[test]
fn what_the_scene_measures_is_charted() {
    let mut hand = Hand::new("base-tower", &[]);
    let titles = |hand: &Hand| -> Vec<String> {
        let report = hand.report();
        report["charts"].as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
    };
    // Through all there is by key: measurements come, too.
    let seen: Vec<String> = (0..40)
        .flat_map(|_| {
            hand.key(Key::Char('e'));
            titles(&hand)
        })
        .collect();
    assert!(seen.iter().any(|t| t.starts_with("measured: top before the throw")), "{seen:?}");
    // A curve grows with every step.
    while !titles(&hand)[0].starts_with("measured: top before the throw") {
        hand.key(Key::Char('e'));
    }
    let before = hand.canvas.pixels().to_vec();
    hand.steps(30);
    hand.app.draw(&mut hand.canvas);
    assert!(hand.canvas.pixels() != before);
}

#[test]
fn a_state_is_written_and_another_window_goes_on_from_it() {
    let dir = std::env::temp_dir().join(format!("stuntlab-state-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let scene = Scene::load("base-pile", &[]).unwrap();
    let options = ViewOptions { paused: true, shots: dir.clone(), ..ViewOptions::default() };
    let mut first = Hand::with(&scene, &options);
    first.steps(30);
    first.key(Key::F(5));
    let kept = first.app.hashes();
    first.steps(20);
    // Nobody controls what is in this scene, so that it goes on bit for bit.
    let mut second = Hand::with(&scene, &options);
    second.key(Key::F(9));
    assert_eq!(second.app.hashes(), kept);
    second.steps(20);
    assert_eq!(second.app.hashes(), first.app.hashes());
    let file = dir.join("base-pile.state");
    let third = Hand::with(&scene, &ViewOptions { state: Some(file.clone()), ..options.clone() });
    assert_eq!(third.app.hashes(), kept);
    // Of another scene it is refused by name.
    let other = Scene::load("base-tower", &[]).unwrap();
    let wrong = ViewOptions { state: Some(file), ..options };
    let error = App::new(&other, &variants_of(&other, None).unwrap(), &wrong).err().unwrap().to_string();
    assert!(error.contains("base-pile.state") && error.contains("another model"), "{error}");
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_state_in_a_file_has_its_controllers_unless_hands_were_in_the_run() {
    let dir = std::env::temp_dir().join(format!("stuntlab-lived-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    // Which node of its graph it is in, and since when, only the controller knows.
    let scene = Scene::load("base-pose-graph", &[]).unwrap();
    let options = ViewOptions { paused: true, shots: dir.clone(), ..ViewOptions::default() };
    let mut first = Hand::with(&scene, &options);
    first.steps(40);
    first.key(Key::F(5));
    let kept = first.app.hashes();
    first.steps(30);
    let mut second = Hand::with(&scene, &options);
    second.key(Key::F(9));
    assert_eq!(second.app.hashes(), kept);
    assert!(!second.report()["message"].as_str().unwrap().contains("anew"));
    second.steps(30);
    assert_eq!(second.app.hashes(), first.app.hashes());
    // A push is not in the file: bodies are where they were, and it is said that controllers begin anew.
    first.key(Key::Char('p'));
    first.steps(5);
    first.key(Key::F(5));
    let pushed = first.app.hashes();
    let mut third = Hand::with(&scene, &options);
    third.key(Key::F(9));
    assert_eq!(third.app.hashes(), pushed);
    let message = third.report()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("controllers begin anew"), "{message}");
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_paused_world_is_edited_and_goes_on() {
    let mut hand = Hand::new("base-ragdoll", &["character.0.at=[0,0,0]", "character.0.spin=[0,0,0]"]);
    let place = {
        let report = hand.report();
        let at = &report["places"][0][1];
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    };
    // Some joint near the middle of the body that is no root.
    let joint = (0..40)
        .map(|k| (place.0 + f64::from(k % 5) * 6.0 - 12.0, place.1 + f64::from(k / 5) * 8.0 - 50.0))
        .find(|at| {
            hand.slide(*at, *at);
            hand.key(Key::F(2));
            let report = hand.report();
            let has = report["rows"].as_array().unwrap().iter().any(|row| row[0] == "joint 1, °");
            if !has {
                hand.key(Key::F(2));
            }
            has
        });
    joint.expect("no joint to edit");
    let before = (hand.app.hashes(), hand.app.states()[0].clone());
    hand.slide(hand.row("joint 1, °", 0.5), hand.row("joint 1, °", 0.62));
    let after = hand.app.states()[0].clone();
    assert_ne!(hand.app.hashes(), before.0);
    let changed = after.q.iter().zip(&before.1.q).filter(|(a, b)| a != b).count();
    assert!((1..=4).contains(&changed), "{changed} coordinates changed");
    hand.slide(hand.row("rate 1, °/s", 0.5), hand.row("rate 1, °/s", 0.6));
    let rates = hand.app.states()[0].v.iter().zip(&before.1.v).filter(|(a, b)| a != b).count();
    assert_eq!(rates, 1);
    hand.steps(3);
    assert!(hand.report()["time"].as_f64().unwrap() > 0.02, "it goes on");
}
