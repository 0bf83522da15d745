//! What the window shows: panes, texts, charts, the side panel and the strip of what happened.

use stuntlab_control::Senses;
use stuntlab_physics::BodyId;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::hud::{Corner, text_size};
use stuntlab_viewer::palette::Color;
use stuntlab_viewer::raster::Quality;

use super::app::App;
use super::hud::{self, Status};
use super::panel::{Row, width};
use super::play;
use super::readout::readout;
use crate::paint::{Layers, Look, deeds, legend, subject};
use crate::scene::Member;

/// Most panes that have room for all facts.
const FULL_FACTS: usize = 2;
/// Where there is no pane.
const EMPTY: Color = Color::hex(0x1E2530);

/// All that a picture depends on, but for worlds that run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    size: (usize, usize),
    camera: Camera,
    layers: Layers,
    marked: [Option<BodyId>; 2],
    pointer: Option<(f64, f64)>,
    flags: (bool, usize, bool, bool, usize),
    message: String,
    hashes: Vec<u64>,
    pushes: usize,
    charts: Vec<String>,
    rows: Vec<Row>,
}

impl App {
    /// Size of letters in the window.
    pub(super) fn letter_size(&self, canvas: &Canvas) -> usize {
        text_size(canvas.rect())
    }

    /// Where the side panel is, if it is open.
    pub(super) fn panel_area(&self, canvas: &Canvas) -> Option<Rect> {
        let width = width(self.letter_size(canvas)).min(canvas.width() / 2);
        self.panel.open.then(|| Rect::new(canvas.width() - width, 0, width, canvas.height()))
    }

    /// Where the strip of what happened is; it goes with the texts.
    pub(super) fn strip_area(&self, canvas: &Canvas) -> Option<Rect> {
        let height = self.letter_size(canvas) + 4;
        let width = canvas.width() - self.panel_area(canvas).map_or(0, |area| area.width);
        self.hud.then(|| Rect::new(0, canvas.height().saturating_sub(height), width, height))
    }

    /// Where the panes are.
    pub(super) fn cells(&self, canvas: &Canvas) -> Vec<Rect> {
        let width = canvas.width() - self.panel_area(canvas).map_or(0, |area| area.width);
        let height = canvas.height() - self.strip_area(canvas).map_or(0, |area| area.height);
        Rect::new(0, 0, width, height).split(self.panes.len())
    }

    /// The camera of a pane: while it follows, each looks at its own.
    pub(super) fn pane_camera(&self, pane: usize) -> Camera {
        let mut camera = self.camera;
        let name = self.cameras[self.camera_index].follow.clone();
        let first = self.panes[0].world.cast().first().map(|m| m.name.clone());
        if let Some(name) = name.or(first).filter(|_| self.follow && pane > 0) {
            let place = |k: usize| subject(&self.panes[k].world, &name);
            if let (Some(here), Some(there)) = (place(pane), place(0)) {
                camera.target += here - there;
            }
        }
        camera
    }

    /// Where the rows of the side panel were drawn last, by label.
    pub(super) fn row_places(&self) -> Vec<(String, [usize; 4])> {
        let Some(shown) = self.shown.as_ref().filter(|_| self.panel.open) else { return Vec::new() };
        let canvas = Canvas::new(shown.size.0, shown.size.1);
        let (area, size) = (self.panel_area(&canvas), self.letter_size(&canvas));
        area.map(|area| self.panel.places(area, size, &self.rows())).unwrap_or_default()
    }

    /// Where the characters of the active pane were drawn last: their centres of mass, pixels.
    pub(super) fn character_places(&self) -> Vec<(String, [f64; 2])> {
        let Some(shown) = self.shown.as_ref() else { return Vec::new() };
        let cells = self.cells(&Canvas::new(shown.size.0, shown.size.1));
        let Some(cell) = cells.get(self.active) else { return Vec::new() };
        let (view, world) = (self.pane_camera(self.active).view(*cell), &self.panes[self.active].world);
        let place = |(member, senses): (&Member, &Senses)| {
            let seen = view.project(senses.center_of_mass())?.pixel;
            Some((member.name.clone(), [seen.x, seen.y]))
        };
        world.cast().iter().zip(world.senses()).filter_map(place).collect()
    }

    /// Whether the next picture would differ from the last.
    pub fn has_changed(&self, canvas: &Canvas) -> bool {
        !self.paused || self.capture.is_recording() || self.shown.as_ref() != Some(&self.showing(canvas))
    }

    fn showing(&self, canvas: &Canvas) -> Shown {
        let pane = &self.panes[self.active];
        Shown {
            size: (canvas.width(), canvas.height()),
            camera: self.camera,
            layers: self.layers,
            marked: [self.selected, self.hovered],
            pointer: self.pointer,
            flags: (self.hud, self.help, self.paused, self.panel.open, self.character + 1000 * self.active),
            message: self.capture.message.clone(),
            hashes: self.hashes(),
            pushes: pane.hands.pushes.len() + usize::from(pane.hands.drag.is_some()),
            charts: pane.charts.titles(pane),
            rows: if self.panel.open { self.rows() } else { Vec::new() },
        }
    }

    /// Draws everything.
    pub fn draw(&mut self, canvas: &mut Canvas) {
        self.shown = Some(self.showing(canvas));
        let cells = self.cells(canvas);
        if cells != self.laid {
            // Nothing of another layout stays between panes or where there is none.
            canvas.clear(EMPTY);
            self.laid.clone_from(&cells);
        }
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
        let quality = if self.paused { Quality::FINE } else { Quality::FAST };
        for (k, cell) in cells.iter().enumerate() {
            let camera = self.pane_camera(k);
            let pane = &self.panes[k];
            let mut look = Look {
                layers: self.layers,
                deeds: deeds(&pane.world, &pane.hands),
                names: self.hud,
                marked: self.picked.map(|p| p.body).or(self.selected),
                hovered: self.hovered,
                ..Look::default()
            };
            if self.hud {
                let active = self.panes.len() > 1 && k == self.active;
                let brief = cells.len() > FULL_FACTS;
                look.texts.push(hud::facts(pane, active, self.paused, apart.get(k).copied(), brief));
                if !pane.world.cast().is_empty() {
                    look.texts.push(legend(&pane.world, Corner::TopRight));
                }
                if let Some(body) = self.selected.filter(|_| k == self.active) {
                    look.texts.push(readout(&pane.world, body));
                }
                look.charts = pane.charts.pictures(pane);
                if k == 0 {
                    look.texts.push(hud::status(&status, pane.history.frames_back()));
                }
            }
            if self.help > 0 && k == 0 {
                look.texts.push(hud::help(self.help));
            }
            self.painter.paint(&pane.world, &look, &camera, canvas, *cell, quality);
        }
        if let Some(area) = self.strip_area(canvas) {
            let pane = &self.panes[self.active];
            pane.timeline.draw(canvas, area, pane.history.span(), pane.world.state.time, self.pointer);
        }
        if let Some(area) = self.panel_area(canvas) {
            self.panel.draw(canvas, area, self.letter_size(canvas), &self.rows());
        }
    }
}
