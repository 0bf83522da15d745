//! Everything the window shows and does, without the window.

use std::time::Instant;

use stuntlab_physics::State;
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::{Camera, View};
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::Corner;
use stuntlab_viewer::orbit::orbit;
use stuntlab_viewer::palette;
use stuntlab_viewer::raster::Quality;
use stuntlab_viewer::window::Input;

use super::ViewOptions;
use super::capture::Capture;
use super::hud::{self, Status};
use super::keys::{Command, command};
use super::pane::Pane;
use super::play;
use super::script_log::Line;
use super::tools::{self, Picked};
use crate::paint::{Layers, Look, Painter, subject};
use crate::run::divergence;
use crate::scene::{CameraSpec, Scene, SceneError, Variant};

/// Wall-clock time a frame may spend on steps, s; beyond it the simulation runs slower than asked.
const STEP_BUDGET: f64 = 0.05;
/// Frames of history one press of a scrub key goes.
const SCRUB: isize = 6;
/// Samples in the chart.
const CHART: usize = 240;

/// The window's inside.
pub struct App {
    panes: Vec<Pane>,
    active: usize,
    painter: Painter,
    camera: Camera,
    cameras: Vec<CameraSpec>,
    camera_index: usize,
    follow: bool,
    layers: Layers,
    hud: bool,
    help: bool,
    paused: bool,
    speed: f64,
    /// Simulated time owed to the wall clock.
    debt: f64,
    picked: Option<Picked>,
    /// Name of the fighter a person plays.
    playing: Option<String>,
    capture: Capture,
    /// Mean wall-clock time between frames, s.
    frame_time: f64,
    thrown: usize,
    close: bool,
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
        let mut cameras = scene.cameras.clone();
        if cameras.is_empty() {
            cameras.push(CameraSpec::default());
        }
        Ok(Self {
            panes,
            active: 0,
            painter: Painter::new(),
            camera: cameras[0].camera,
            follow: cameras[0].follow.is_some(),
            cameras,
            camera_index: 0,
            layers: Layers::default(),
            hud: true,
            help: false,
            paused: options.paused,
            speed: 1.0,
            debt: 0.0,
            picked: None,
            playing: None,
            capture: Capture::new(&options.shots, &scene.name),
            frame_time: 1.0 / 60.0,
            thrown: 0,
            close: false,
        })
    }

    /// Takes what the user did, then lets `elapsed` seconds of wall-clock time pass.
    pub fn frame(&mut self, input: &Input, elapsed: f64, canvas: &Canvas) {
        let cells = canvas.rect().split(self.panes.len());
        self.mouse(input, &cells, elapsed);
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
        self.panes.iter_mut().for_each(|pane| pane.chart(CHART));
        // What is left over is less than a step; a machine too slow owes nothing.
        let left = goal - self.panes.iter().map(clock).fold(0.0, f64::max);
        self.debt = if late { 0.0 } else { left.clamp(0.0, 0.1) };
    }

    fn view_at(&self, cells: &[Rect], (x, y): (f64, f64)) -> Option<(usize, View)> {
        let cell = cells.iter().position(|c| c.contains(x, y))?;
        Some((cell, self.camera.view(cells[cell])))
    }

    /// Orbiting, picking and dragging. What is done to one pane is done to all.
    fn mouse(&mut self, input: &Input, cells: &[Rect], elapsed: f64) {
        let mouse = &input.mouse;
        let cell = cells.iter().find(|c| c.contains(mouse.position.0, mouse.position.1));
        orbit(&mut self.camera, input, *cell.or(cells.first()).unwrap_or(&Rect::new(0, 0, 1, 1)), elapsed);
        let Some((pane, view)) = self.view_at(cells, mouse.position) else { return };
        if mouse.left.pressed {
            self.active = pane;
            let picked = tools::pick(&self.panes[pane].world, &view, mouse.position);
            match picked {
                Some(p) if input.modifiers.shift => {
                    let ray = view.ray(mouse.position.0, mouse.position.1);
                    self.push(p.body, p.point_body, ray.direction);
                }
                picked => self.picked = picked,
            }
        }
        if !mouse.left.down {
            self.picked = None;
        }
        let drag = self.picked.map(|p| p.drag(&view, mouse.position));
        for pane in &mut self.panes {
            pane.hands.drag = drag;
        }
    }

    fn push(&mut self, body: stuntlab_physics::BodyId, point_body: DVec3, direction: DVec3) {
        for pane in &mut self.panes {
            let push = tools::push(&pane.world, body, point_body, direction);
            pane.hands.pushes.push(push);
        }
    }

    fn obey(&mut self, command: Command, input: &Input, cells: &[Rect], canvas: &Canvas) {
        let toggle = |flag: &mut bool| *flag = !*flag;
        match command {
            Command::Pause => toggle(&mut self.paused),
            Command::Step => {
                self.paused = true;
                self.panes.iter_mut().for_each(Pane::step);
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
            Command::Formulation => self.panes[self.active].next_formulation(),
            Command::Controller => {
                self.panes[self.active].next_controller();
                self.tell("autonomous", 0.0);
            }
            Command::Chart => self.panes.iter_mut().for_each(Pane::next_chart),
            Command::Play => self.play_or_let_go(),
            Command::Order(word) => self.tell(word, 1.0),
            Command::Ghost => toggle(&mut self.layers.ghost),
            Command::Contacts => toggle(&mut self.layers.contacts),
            Command::Forces => toggle(&mut self.layers.forces),
            Command::Balance => toggle(&mut self.layers.balance),
            Command::Support => toggle(&mut self.layers.support),
            Command::Frames => toggle(&mut self.layers.frames),
            Command::Wireframe => toggle(&mut self.layers.wireframe),
            Command::NextPane => self.active = (self.active + 1) % self.panes.len(),
            Command::Hud => toggle(&mut self.hud),
            Command::Screenshot => self.capture.want_screenshot(),
            Command::Record => self.capture.toggle_recording(canvas),
            Command::Help => toggle(&mut self.help),
            Command::Close => self.close = true,
        }
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

    /// Says a word to the fighter that is played, in all panes.
    fn tell(&mut self, word: &str, value: f64) {
        let Some(name) = &self.playing else { return };
        self.panes.iter_mut().for_each(|pane| play::tell(&mut pane.world, name, word, value));
    }

    fn push_from_key(&mut self, input: &Input, cells: &[Rect]) {
        let at = self.view_at(cells, input.mouse.position);
        let under = at.and_then(|(pane, view)| {
            let world = &self.panes[pane].world;
            tools::pick(world, &view, input.mouse.position).map(|p| (p.body, p.point_body))
        });
        let forward = cells.first().map_or(DVec3::X, |c| self.camera.view(*c).forward);
        let level = DVec3::new(forward.x, forward.y, 0.0);
        if let Some((body, point)) =
            under.or_else(|| self.panes.first().and_then(|p| tools::usual_target(&p.world)))
        {
            self.push(body, point, level);
        }
    }

    /// Throws from the eye towards what is under the mouse.
    fn throw(&mut self, kind: usize, input: &Input, cells: &[Rect]) {
        let at = self.view_at(cells, input.mouse.position);
        let view = at.map(|(_, view)| view).or_else(|| cells.first().map(|c| self.camera.view(*c)));
        let Some(view) = view else { return };
        let ray = view.ray(input.mouse.position.0, input.mouse.position.1);
        let from = view.eye + 0.6 * ray.direction;
        for pane in &mut self.panes {
            pane.throw(kind, from, ray.direction * 9.0 + DVec3::Z);
        }
        self.thrown += 1;
    }

    /// Draws everything.
    pub fn draw(&mut self, canvas: &mut Canvas) {
        let cells = canvas.rect().split(self.panes.len());
        let apart = if self.panes.len() > 1 { self.divergence() } else { Vec::new() };
        let score = |name: &String| self.panes.first().map(|pane| play::score(&pane.world, name));
        let playing = self.playing.as_ref().and_then(score);
        let status = Status {
            paused: self.paused,
            speed: self.speed,
            frames_per_second: 1.0 / self.frame_time.max(1e-3),
            recording: self.capture.is_recording(),
            playing: playing.as_deref(),
            message: &self.capture.message,
        };
        for (k, (pane, cell)) in self.panes.iter().zip(&cells).enumerate() {
            let mut look = Look {
                layers: self.layers,
                arrows: pane.arrows(),
                marked: self.picked.map(|p| p.body),
                ..Look::default()
            };
            if self.hud {
                let active = self.panes.len() > 1 && k == self.active;
                look.texts.push(hud::facts(pane, active, apart.get(k).copied()));
                let chart = StripChart::new(Corner::BottomRight, pane.chart_title(), CHART);
                look.charts.push(chart.curve("", palette::ORANGE, pane.curve.clone()));
                if k == 0 {
                    look.texts.push(hud::status(&status, pane.history.frames_back()));
                }
            }
            if self.help && k == 0 {
                look.texts.push(hud::help());
            }
            let quality = if self.paused { Quality::FINE } else { Quality::FAST };
            self.painter.paint(&pane.world, &look, &self.camera, canvas, *cell, quality);
        }
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

    pub(super) fn line(&self, frame: u64) -> Line {
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
            help: self.help,
        }
    }
}
