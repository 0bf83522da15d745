//! Mouse and keys to camera: right drag orbits, middle drag (or shift and right drag) pans, the wheel zooms,
//! arrow keys orbit, page keys zoom.

use crate::camera::Camera;
use crate::canvas::Rect;
use crate::window::{Input, Key};

/// Radians per pixel of dragging.
const TURN: f64 = 0.006;
/// Factor on the distance per click of the wheel.
const ZOOM: f64 = 0.9;
/// Radians per second an arrow key turns.
const KEY_TURN: f64 = 1.5;

/// Moves the camera as the user asked; `dt` is the time since the last call. Returns whether it moved.
pub fn orbit(camera: &mut Camera, input: &Input, viewport: Rect, dt: f64) -> bool {
    let before = *camera;
    let mouse = &input.mouse;
    let (dx, dy) = mouse.moved;
    let dragging = |down: bool, pressed: bool| down && !pressed;
    let right = dragging(mouse.right.down, mouse.right.pressed);
    let middle = dragging(mouse.middle.down, mouse.middle.pressed);
    if middle || right && input.modifiers.shift {
        camera.pan(dx, dy, viewport);
    } else if right {
        camera.orbit(-dx * TURN, dy * TURN);
    }
    if mouse.wheel != 0.0 && mouse.wheel.is_finite() {
        camera.zoom(ZOOM.powf(mouse.wheel.clamp(-10.0, 10.0)));
    }
    let held = |key: Key| if input.held.contains(&key) { 1.0 } else { 0.0 };
    let (yaw, pitch) = (held(Key::Right) - held(Key::Left), held(Key::Up) - held(Key::Down));
    if yaw != 0.0 || pitch != 0.0 {
        camera.orbit(yaw * KEY_TURN * dt, pitch * KEY_TURN * dt);
    }
    let nearer = held(Key::PageUp) - held(Key::PageDown);
    if nearer != 0.0 {
        camera.zoom((-nearer * dt).exp());
    }
    *camera != before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::{ButtonState, Modifiers};

    const VIEWPORT: Rect = Rect::new(0, 0, 640, 360);

    #[test]
    fn dragging_orbits_panning_moves_and_the_wheel_zooms() {
        let start = Camera::default();
        let mut input = Input::default();
        let mut camera = start;
        assert!(!orbit(&mut camera, &input, VIEWPORT, 0.02));
        input.mouse.moved = (10.0, 5.0);
        assert!(!orbit(&mut camera, &input, VIEWPORT, 0.02), "moving without a button");
        input.mouse.right = ButtonState { down: true, ..ButtonState::default() };
        assert!(orbit(&mut camera, &input, VIEWPORT, 0.02));
        assert!(camera.yaw < start.yaw && camera.pitch > start.pitch && camera.target == start.target);
        input.modifiers = Modifiers { shift: true, ..Modifiers::default() };
        assert!(orbit(&mut camera, &input, VIEWPORT, 0.02));
        assert_ne!(camera.target, start.target);
        let mut wheel = Input::default();
        wheel.mouse.wheel = 1.0;
        assert!(orbit(&mut camera, &wheel, VIEWPORT, 0.02));
        assert!(camera.distance < start.distance);
    }

    #[test]
    fn the_first_sample_of_a_drag_does_not_jump() {
        let mut input = Input::default();
        input.mouse.moved = (300.0, 200.0);
        input.mouse.right = ButtonState { down: true, pressed: true, released: false };
        assert!(!orbit(&mut Camera::default(), &input, VIEWPORT, 0.02));
    }
}
