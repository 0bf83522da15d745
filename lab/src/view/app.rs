//! Everything the window shows and does, without the window.

use std::time::Instant;

use stuntlab_physics::{BodyId, State};
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::palette;
use stuntlab_viewer::window::Input;

use super::ViewOptions;
use super::capture::Capture;
use super::charts::Source;
use super::hud;
use super::keys::{Command, command};
use super::pane::{Found, Pane};
use super::panel::Panel;
use super::play;
use super::script_log::Line;
use super::show::Shown;
use super::tools::Picked;
use crate::paint::{Layers, Painter, subject};
use crate::run::divergence;
use crate::scene::{CameraSpec, Scene, SceneError, Variant};

/// Wall-clock time a frame may spend on steps, s; beyond it the simulation runs slower than asked.
const STEP_BUDGET: f64 = 0.05;
/// Frames of history one press of a scrub key goes.
const SCRUB: isize = 6;

/// The window's inside.
pub struct App {
    pub(super) panes: Vec<Pane>,
    pub(super) active: usize,
    /// The character keys and panel are about.
    pub(super) character: usize,
    pub(super) painter: Painter,
    pub(super) camera: Camera,
    pub(super) cameras: Vec<CameraSpec>,
    pub(super) camera_index: usize,
    pub(super) follow: bool,
    pub(super) layers: Layers,
    pub(super) hud: bool,
    /// Page of the help; 0 for none.
    pub(super) help: usize,
    pub(super) panel: Panel,
    pub(super) paused: bool,
    pub(super) speed: f64,
    /// Simulated time owed to the wall clock.
    debt: f64,
    pub(super) picked: Option<Picked>,
    /// Where the left button went down, while nothing was moved since.
    pub(super) clicked: Option<(f64, f64)>,
    /// The body that is read out.
    pub(super) selected: Option<BodyId>,
    /// The body under the mouse.
    pub(super) hovered: Option<BodyId>,
    /// The mouse, once it has moved.
    pub(super) pointer: Option<(f64, f64)>,
    /// Name of the fighter or stuntperson a person plays.
    pub(super) playing: Option<String>,
    pub(super) capture: Capture,
    /// Mean wall-clock time between frames, s.
    pub(super) frame_time: f64,
    pub(super) thrown: usize,
    close: bool,
    /// What the last picture showed.
    pub(super) shown: Option<Shown>,
    /// Where its panes were.
    pub(super) laid: Vec<Rect>,
}

impl App {
    /// A scene in one pane, or its variants side by side.
    ///
    /// # Errors
    /// A variant that does not fit the scene.
    pub fn new(scene: &Scene, variants: &[Variant], options: &ViewOptions) -> Result<Self, SceneError> {
        let mut panes = Vec::new();
        for variant in variants {
            match Pane::new(scene, variant) {
                Ok(pane) => panes.push(pane),
                // Its data is not on this machine.
                Err(error) if error.absent && variants.len() > 1 => {}
                Err(error) => return Err(error),
            }
        }
        let mut capture = Capture::new(&options.shots, &scene.name);
        if let Some(path) = &options.state {
            let mut found = Vec::new();
            for pane in &mut panes {
                let wrong = |problem| scene.error_at(0, "state", problem);
                found.push(pane.load_file(path).map_err(wrong)?);
            }
            capture.message = Found::words(&found, panes[0].world.state.time);
        }
        let mut cameras = scene.cameras.clone();
        if cameras.is_empty() {
            cameras.push(CameraSpec::default());
        }
        Ok(Self {
            panes,
            active: 0,
            character: 0,
            painter: Painter::new(),
            camera: cameras[0].camera,
            follow: cameras[0].follow.is_some(),
            cameras,
            camera_index: 0,
            layers: Layers::default(),
            hud: true,
            help: 0,
            panel: Panel::default(),
            paused: options.paused,
            speed: 1.0,
            debt: 0.0,
            picked: None,
            clicked: None,
            selected: None,
            hovered: None,
            pointer: None,
            playing: None,
            capture,
            frame_time: 1.0 / 60.0,
            thrown: 0,
            close: false,
            shown: None,
            laid: Vec::new(),
        })
    }

    /// Takes what the user did, then lets `elapsed` seconds of wall-clock time pass.
    pub fn frame(&mut self, input: &Input, elapsed: f64, canvas: &Canvas) {
        let cells = self.cells(canvas);
        self.mouse(input, &cells, elapsed, canvas);
        for key in &input.pressed {
            if let Some(command) = command(*key) {
                self.obey(command, input, &cells, canvas);
            }
        }
        self.frame_time += 0.1 * (elapsed - self.frame_time);
        if !self.paused {
            self.run(elapsed.min(0.1));
        }
        if self.follow
            && let Some(pane) = self.panes.first()
        {
            let name = self.cameras[self.camera_index].follow.clone();
            let first = pane.world.cast().first().map(|m| m.name.clone());
            if let Some(point) = name.or(first).and_then(|name| subject(&pane.world, &name)) {
                self.camera.follow(point, elapsed, 0.2);
            }
        }
    }

    /// Steps all panes by some simulated time, as far as the budget goes.
    fn run(&mut self, elapsed: f64) {
        self.debt += elapsed * self.speed;
        let start = Instant::now();
        let alive = |p: &&mut Pane| p.failure.is_none();
        let clock = |p: &Pane| p.world.state.time;
        let latest = self.panes.iter().map(clock).fold(0.0, f64::max);
        let goal = latest + self.debt;
        // The pane that is furthest behind goes first, so that all show the same time.
        let mut late = false;
        while let Some(pane) =
            self.panes.iter_mut().filter(alive).min_by(|a, b| clock(a).total_cmp(&clock(b)))
        {
            late |= start.elapsed().as_secs_f64() > STEP_BUDGET;
            let level = clock(pane) + 1e-9 >= latest;
            if clock(pane) + pane.world.options.dt > goal + 1e-9 || late && level {
                break;
            }
            pane.step();
        }
        self.panes.iter_mut().for_each(Pane::sample);
        // What is left over is less than a step; a machine too slow owes nothing.
        let left = goal - self.panes.iter().map(clock).fold(0.0, f64::max);
        self.debt = if late { 0.0 } else { left.clamp(0.0, 0.1) };
    }

    fn obey(&mut self, command: Command, input: &Input, cells: &[Rect], canvas: &Canvas) {
        let toggle = |flag: &mut bool| *flag = !*flag;
        match command {
            Command::Pause => toggle(&mut self.paused),
            Command::Step => {
                self.paused = true;
                self.panes.iter_mut().for_each(Pane::step);
                self.panes.iter_mut().for_each(Pane::sample);
            }
            Command::Back | Command::Forward => {
                self.paused = true;
                let frames = if command == Command::Back { SCRUB } else { -SCRUB };
                for pane in &mut self.panes {
                    pane.history.scrub(frames, &mut pane.world);
                    pane.failure = None;
                }
                self.tell("autonomous", 0.0);
            }
            Command::Slower => self.speed = (0.5 * self.speed).max(1.0 / 64.0),
            Command::Faster => self.speed = (2.0 * self.speed).min(8.0),
            Command::Restart => {
                self.debt = 0.0;
                self.picked = None;
                self.panes.iter_mut().for_each(Pane::restart);
                self.tell("autonomous", 0.0);
            }
            Command::Follow => toggle(&mut self.follow),
            Command::NextCamera => {
                self.camera_index = (self.camera_index + 1) % self.cameras.len();
                let spec = &self.cameras[self.camera_index];
                (self.camera, self.follow) = (spec.camera, spec.follow.is_some());
            }
            Command::Push => self.push_from_key(input, cells),
            Command::Ball | Command::Crate => {
                self.throw(usize::from(command == Command::Crate), input, cells);
            }
            Command::Formulation => {
                self.panes[self.active].next_formulation();
                let name = self.panes[self.active].world.options.formulation.name();
                self.say(format!("contacts by {name}"));
            }
            Command::Controller => self.swap_controller(),
            Command::Chart => {
                for pane in &mut self.panes {
                    let all = Source::all(pane, self.character);
                    pane.charts.next(&all);
                }
            }
            Command::Panel => toggle(&mut self.panel.open),
            Command::Save => self.save(),
            Command::Load => self.load(),
            Command::EventBefore | Command::EventAfter => self.go_to_event(command == Command::EventAfter),
            Command::Play => self.play_or_let_go(),
            Command::Order(word) => self.tell(word, 1.0),
            Command::Ask(number) => self.ask(number),
            Command::Ghost => toggle(&mut self.layers.ghost),
            Command::Contacts => toggle(&mut self.layers.contacts),
            Command::Forces => toggle(&mut self.layers.forces),
            Command::Balance => toggle(&mut self.layers.balance),
            Command::Support => toggle(&mut self.layers.support),
            Command::Frames => toggle(&mut self.layers.frames),
            Command::Wireframe => toggle(&mut self.layers.wireframe),
            Command::Collision => toggle(&mut self.layers.collision),
            Command::NextPane => self.active = (self.active + 1) % self.panes.len(),
            Command::Hud => toggle(&mut self.hud),
            Command::Screenshot => self.capture.want_screenshot(),
            Command::Record => self.capture.toggle_recording(canvas),
            Command::Help => self.help = (self.help + 1) % (hud::help_pages() + 1),
            Command::Close => self.close = true,
        }
    }

    /// Says something in the line at the bottom.
    pub(super) fn say(&mut self, words: String) {
        self.capture.message = words;
    }

    /// The next controller for one character of the active pane.
    pub(super) fn swap_controller(&mut self) {
        let (k, pane) = (self.character, &mut self.panes[self.active]);
        let swapped = pane.next_controller(k).zip(pane.world.cast().get(k).map(|m| m.name.clone()));
        if let Some((controller, name)) = swapped {
            pane.timeline.note(pane.world.state.time, format!("{name}: {controller}"), palette::GREEN);
            self.say(format!("{name} is driven by {controller}"));
        }
        self.tell("autonomous", 0.0);
    }

    /// Keeps the state of every pane, in memory and in files beside the screenshots.
    pub(super) fn save(&mut self) {
        let dir = self.capture.dir().to_owned();
        let kept: Result<Vec<()>, String> = self.panes.iter_mut().map(|pane| pane.save(&dir)).collect();
        let time = self.panes[0].world.state.time;
        // Where the directory is, whoever started the window knows.
        let file = self.panes[0].file(&dir).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.say(match kept {
            Ok(_) => format!("kept the state at {time:.2} s in {file}; F9 comes back to it"),
            Err(error) => error,
        });
    }

    /// Goes on from the states that were kept.
    pub(super) fn load(&mut self) {
        self.debt = 0.0;
        let dir = self.capture.dir().to_owned();
        let loaded: Result<Vec<Found>, String> = self.panes.iter_mut().map(|pane| pane.load(&dir)).collect();
        let time = self.panes[0].world.state.time;
        self.say(loaded.map_or_else(|error| error, |found| Found::words(&found, time)));
        self.tell("autonomous", 0.0);
    }

    /// To what happened before or after now in the active pane.
    fn go_to_event(&mut self, after: bool) {
        let pane = &self.panes[self.active];
        match pane.timeline.next(pane.world.state.time, after) {
            Some(time) => self.scrub_to(time),
            None => self.say(format!("nothing happened {} now", if after { "after" } else { "before" })),
        }
    }

    /// All panes to a time, paused.
    pub(super) fn scrub_to(&mut self, time: f64) {
        self.paused = true;
        for pane in &mut self.panes {
            pane.history.go_to(time, &mut pane.world);
            pane.failure = None;
        }
        self.tell("autonomous", 0.0);
    }

    fn play_or_let_go(&mut self) {
        if self.playing.is_some() {
            self.tell("autonomous", 1.0);
            self.playing = None;
            return;
        }
        let followed = self.cameras[self.camera_index].follow.as_deref();
        self.playing = self.panes.first().and_then(|pane| play::candidate(&pane.world, followed));
        self.tell("autonomous", 0.0);
    }

    /// Asks whom a person plays for something it waits to be asked for.
    fn ask(&mut self, number: usize) {
        let Some(name) = &self.playing else { return };
        let Some(word) = self.panes.first().and_then(|pane| play::order(&pane.world, name, number)) else {
            return;
        };
        self.tell(word, 1.0);
        self.say(word.to_owned());
    }

    /// Says a word to who is played, in all panes.
    pub(super) fn tell(&mut self, word: &str, value: f64) {
        let Some(name) = &self.playing else { return };
        self.panes.iter_mut().for_each(|pane| play::tell(&mut pane.world, name, word, value));
    }

    /// Sees the frame that was shown: screenshots and recordings.
    pub fn capture(&mut self, canvas: &Canvas) {
        self.capture.frame(canvas);
    }

    /// Whether the user asked to close.
    pub fn wants_to_close(&self) -> bool {
        self.close
    }

    /// Ends what is still being written.
    pub fn end(&mut self) {
        self.capture.end();
    }

    /// Hash of the state in each pane.
    pub fn hashes(&self) -> Vec<u64> {
        self.panes.iter().map(|p| p.world.hash()).collect()
    }

    /// The state in each pane.
    pub fn states(&self) -> Vec<&State> {
        self.panes.iter().map(|p| &p.world.state).collect()
    }

    /// How far each pane has come apart from the first: mean distance of its bodies, m.
    pub fn divergence(&self) -> Vec<f64> {
        let worlds: Vec<_> = self.panes.iter().map(|p| &p.world).collect();
        divergence(&worlds)
    }

    /// The camera everything is seen by.
    pub fn camera(&self) -> &Camera {
        &self.camera
    }

    /// How the window stands, as a line of JSON: what scripts read after every frame.
    pub fn report(&self, frame: u64) -> String {
        serde_json::to_string(&self.line(frame)).expect("texts and numbers")
    }

    fn line(&self, frame: u64) -> Line {
        let pane = &self.panes[self.active.min(self.panes.len() - 1)];
        Line {
            frame,
            time: pane.world.state.time,
            paused: self.paused,
            hash: format!("{:016x}", pane.world.hash()),
            formulation: pane.world.options.formulation.name(),
            controller: pane.world.controllers.first().map_or("", |c| c.name()),
            playing: self.playing.clone(),
            dragging: pane.hands.drag.is_some(),
            pushes: pane.hands.pushes.len(),
            thrown: self.thrown,
            screenshots: self.capture.taken(),
            help: self.help > 0,
            panel: self.panel.open,
            selected: self.selected.map(|b| pane.world.model().body(b).name().to_owned()),
            controllers: pane.world.controllers.iter().map(|c| c.name()).collect(),
            charts: pane.charts.titles(pane),
            marks: pane.timeline.marks().len(),
            saved: pane.saved.as_ref().map(|s| s.state.time),
            gravity: pane.world.model().gravity().length(),
            friction: pane.world.friction(),
            message: self.capture.message.clone(),
            places: self.character_places(),
            rows: self.row_places(),
        }
    }
}
