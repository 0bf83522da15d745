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
        let options = ViewOptions { paused: true, ..ViewOptions::default() };
        let app = App::new(&scene, &variants_of(&scene, None).unwrap(), &options).unwrap();
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
