//! What the mouse does in the window: orbiting, picking, selecting, dragging, pushing, throwing.

use stuntlab_physics::BodyId;
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::View;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::orbit::orbit;
use stuntlab_viewer::palette;
use stuntlab_viewer::window::Input;

use super::app::App;
use super::timeline::time_at;
use super::tools;

/// Pixels a click may move and still be one.
const STILL: f64 = 4.0;

impl App {
    fn view_at(&self, cells: &[Rect], (x, y): (f64, f64)) -> Option<(usize, View)> {
        let cell = cells.iter().position(|c| c.contains(x, y))?;
        Some((cell, self.pane_camera(cell).view(cells[cell])))
    }

    /// Orbiting, picking and dragging. What is done to one pane is done to all.
    pub(super) fn mouse(&mut self, input: &Input, cells: &[Rect], elapsed: f64, canvas: &Canvas) {
        let mouse = &input.mouse;
        if mouse.moved != (0.0, 0.0) || mouse.left.down {
            self.pointer = Some(mouse.position);
        }
        if self.picked.is_none() && self.side(input, canvas) {
            self.hovered = None;
            return;
        }
        let cell = cells.iter().find(|c| c.contains(mouse.position.0, mouse.position.1));
        orbit(&mut self.camera, input, *cell.or(cells.first()).unwrap_or(&Rect::new(0, 0, 1, 1)), elapsed);
        let Some((pane, view)) = self.view_at(cells, mouse.position) else { return };
        let free = self.pointer.is_some() && !mouse.left.down && !mouse.right.down && !mouse.middle.down;
        let world = &self.panes[pane].world;
        self.hovered = free.then(|| tools::pick(world, &view, mouse.position).map(|p| p.body)).flatten();
        if mouse.left.released && self.clicked.take().is_some() {
            self.select(self.picked.map(|p| p.body));
        }
        let still = |(x, y): (f64, f64)| (mouse.position.0 - x).hypot(mouse.position.1 - y) < STILL;
        self.clicked = self.clicked.filter(|from| still(*from));
        if mouse.left.pressed {
            self.active = pane;
            self.clicked = Some(mouse.position);
            let picked = tools::pick(&self.panes[pane].world, &view, mouse.position);
            match picked {
                Some(p) if input.modifiers.shift => {
                    let ray = view.ray(mouse.position.0, mouse.position.1);
                    self.clicked = None;
                    self.push(p.body, p.point_body, ray.direction);
                }
                picked => self.picked = picked,
            }
        }
        // Down and up again since the last look.
        if mouse.left.pressed && !mouse.left.down && self.clicked.take().is_some() {
            self.select(self.picked.map(|p| p.body));
        }
        if !mouse.left.down {
            self.picked = None;
        }
        let drag = self.picked.map(|p| p.drag(&view, mouse.position));
        for pane in &mut self.panes {
            pane.hands.drag = drag;
        }
    }

    /// Reads out a body; keys and panel are then about its character.
    fn select(&mut self, body: Option<BodyId>) {
        self.selected = body;
        let cast = self.panes[self.active].world.cast();
        if let Some(k) = body.and_then(|body| cast.iter().position(|m| m.bodies.contains(body))) {
            self.character = k;
        }
    }

    /// The side panel and the strip below take the mouse first; whether they did.
    fn side(&mut self, input: &Input, canvas: &Canvas) -> bool {
        let (mouse, size) = (&input.mouse, self.letter_size(canvas));
        let (x, y) = mouse.position;
        if let Some(area) = self.panel_area(canvas)
            && (area.contains(x, y) || self.panel.is_held())
        {
            let rows = self.rows();
            if let Some(pressed) = self.panel.mouse(area, size, &rows, mouse) {
                self.press(pressed);
            }
            return true;
        }
        if let Some(area) = self.strip_area(canvas)
            && area.contains(x, y)
            && self.pointer.is_some()
        {
            if mouse.left.down {
                let span = self.panes[self.active].history.span();
                self.scrub_to(time_at(area, span, x));
            }
            return true;
        }
        false
    }

    fn push(&mut self, body: BodyId, point_body: DVec3, direction: DVec3) {
        for pane in &mut self.panes {
            let push = tools::push(&pane.world, body, point_body, direction);
            pane.timeline.note(push.start, "push by hand", palette::YELLOW);
            pane.hands.pushes.push(push);
        }
    }

    pub(super) fn push_from_key(&mut self, input: &Input, cells: &[Rect]) {
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
    pub(super) fn throw(&mut self, kind: usize, input: &Input, cells: &[Rect]) {
        let at = self.view_at(cells, input.mouse.position);
        let view = at.map(|(_, view)| view).or_else(|| cells.first().map(|c| self.camera.view(*c)));
        let Some(view) = view else { return };
        let ray = view.ray(input.mouse.position.0, input.mouse.position.1);
        let from = view.eye + 0.6 * ray.direction;
        for pane in &mut self.panes {
            pane.timeline.note(pane.world.state.time, "throw by hand", palette::YELLOW);
            pane.throw(kind, from, ray.direction * 9.0 + DVec3::Z);
        }
        self.thrown += 1;
    }
}
