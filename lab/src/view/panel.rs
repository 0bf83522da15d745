//! A panel of rows to read and to change: headings, buttons, switches and sliders, by mouse.

use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::font::{self, cap_height};
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::window::Mouse;

use super::board::Act;

/// A line of the panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Row {
    /// A title.
    Heading(String),
    /// Does something when pressed; shows how it stands.
    Button { label: String, value: String, act: Act },
    /// On or off.
    Switch { label: String, on: bool, act: Act },
    /// A number within a range.
    Slider { label: String, value: f64, range: (f64, f64), act: Act },
    /// A number of a whole, to be read only; marked where it is the one that counts.
    Bar { label: String, value: f64, most: f64, marked: bool },
}

/// What was pressed, and of a slider the number it was left at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pressed {
    pub(crate) act: Act,
    pub(crate) value: Option<f64>,
}

/// The panel.
#[derive(Default)]
pub(crate) struct Panel {
    pub(crate) open: bool,
    scroll: usize,
    /// The slider that is held, and where.
    held: Option<(Act, f64)>,
}

const BACK: Color = Color::hex(0x1D2530);
const BAR: Color = Color::hex(0x3A4656);

/// Width in letters.
const WIDTH: usize = 19;

/// Pixels the panel takes of a window with letters of `size`.
pub(crate) fn width(size: usize) -> usize {
    WIDTH * size
}

fn row_height(size: usize) -> usize {
    7 * size / 4
}

/// Where the k-th row is; none where it is scrolled away or does not fit.
fn place(area: Rect, size: usize, scroll: usize, k: usize) -> Option<Rect> {
    let (pad, height) = (size / 2, row_height(size));
    let y = area.y + pad + k.checked_sub(scroll)? * height;
    let fits = y + height <= area.y + area.height;
    fits.then(|| Rect::new(area.x + pad, y, area.width.saturating_sub(2 * pad), height - 3))
}

/// The number a slider has with the mouse at `x`.
fn slid(place: Rect, (low, high): (f64, f64), x: f64) -> f64 {
    let part = ((x - place.x as f64) / place.width.max(1) as f64).clamp(0.0, 1.0);
    low + (high - low) * part
}

impl Panel {
    /// Takes the mouse; gives what it pressed.
    pub(crate) fn mouse(&mut self, area: Rect, size: usize, rows: &[Row], mouse: &Mouse) -> Option<Pressed> {
        let (x, y) = mouse.position;
        if mouse.wheel != 0.0 {
            let by = -2 * mouse.wheel.clamp(-100.0, 100.0).round() as isize;
            self.scroll = self.scroll.saturating_add_signed(by).min(rows.len().saturating_sub(4));
        }
        let under = (0..rows.len())
            .find_map(|k| place(area, size, self.scroll, k).filter(|p| p.contains(x, y)).map(|p| (k, p)));
        if let Some((act, _)) = self.held {
            let row = rows.iter().enumerate().find_map(|(k, row)| match row {
                Row::Slider { range, act: own, .. } if *own == act => {
                    Some((place(area, size, self.scroll, k)?, *range))
                }
                _ => None,
            });
            let value = row.map(|(place, range)| slid(place, range, x));
            self.held = mouse.left.down.then(|| value.map(|v| (act, v))).flatten();
            return value.filter(|_| !mouse.left.down).map(|value| Pressed { act, value: Some(value) });
        }
        if !mouse.left.pressed {
            return None;
        }
        let (k, place) = under?;
        match &rows[k] {
            Row::Heading(_) | Row::Bar { .. } => None,
            Row::Button { act, .. } | Row::Switch { act, .. } => Some(Pressed { act: *act, value: None }),
            Row::Slider { act, range, .. } => {
                self.held = Some((*act, slid(place, *range, x)));
                None
            }
        }
    }

    /// Where the rows that can be seen are, by label.
    pub(crate) fn places(&self, area: Rect, size: usize, rows: &[Row]) -> Vec<(String, [usize; 4])> {
        let label = |row: &Row| match row {
            Row::Heading(label)
            | Row::Button { label, .. }
            | Row::Switch { label, .. }
            | Row::Slider { label, .. }
            | Row::Bar { label, .. } => label.clone(),
        };
        let seen = |(k, row)| Some((label(row), place(area, size, self.scroll, k)?));
        let places = rows.iter().enumerate().filter_map(seen);
        places.map(|(label, r)| (label, [r.x, r.y, r.width, r.height])).collect()
    }

    /// Whether a slider is held.
    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Draws the rows.
    pub(crate) fn draw(&self, canvas: &mut Canvas, area: Rect, size: usize, rows: &[Row]) {
        canvas.blend_rect(area.x as i32, area.y as i32, area.width as i32, area.height as i32, BACK, 1.0);
        for (k, row) in rows.iter().enumerate() {
            if let Some(place) = place(area, size, self.scroll, k) {
                self.draw_row(canvas, place, size, row);
            }
        }
    }

    fn draw_row(&self, canvas: &mut Canvas, place: Rect, size: usize, row: &Row) {
        let (x, y) = (place.x as i32, place.y as i32);
        let (width, height) = (place.width as i32, place.height as i32);
        let middle = y + (height - cap_height(size) as i32) / 2;
        let pad = size as i32 / 2;
        let mut line = |label: &str, value: &str, color: Color, top: i32| {
            let wide = font::text_width(value, size) as i32;
            let room = (width - 3 * pad - wide).max(0) as usize;
            font::draw_text(canvas, x + pad, top, &font::shortened(label, size, room), size, color, 1.0);
            font::draw_text(canvas, x + width - pad - wide, top, value, size, palette::WHITE, 1.0);
        };
        match row {
            Row::Heading(text) => line(text, "", palette::YELLOW, middle),
            Row::Button { label, value, .. } => {
                canvas.blend_rect(x, y, width, height, BAR, 1.0);
                let mut line = |text: &str, left: i32| {
                    font::draw_text(canvas, left, middle, text, size, palette::WHITE, 1.0)
                };
                line(label, x + pad);
                line(value, x + width - pad - font::text_width(value, size) as i32);
            }
            Row::Switch { label, on, .. } => {
                line(label, if *on { "on" } else { "off" }, palette::WHITE, middle)
            }
            Row::Bar { label, value, most, marked } => {
                let wide = ((value / most).clamp(0.0, 1.0) * f64::from(width)) as i32;
                let color = if *marked { palette::ORANGE } else { palette::BLUE };
                canvas.blend_rect(x, y, width, height, BAR, 0.3);
                canvas.blend_rect(x, y, wide, height, color, 0.75);
                let number = short(*value);
                let right = x + width - pad - font::text_width(&number, size) as i32;
                font::draw_text(canvas, x + pad, middle, label, size, palette::WHITE, 1.0);
                font::draw_text(canvas, right, middle, &number, size, palette::WHITE, 1.0);
            }
            Row::Slider { label, value, range: (low, high), act } => {
                let shown = self.held.filter(|(held, _)| held == act).map_or(*value, |(_, value)| value);
                let part = ((shown - low) / (high - low)).clamp(0.0, 1.0);
                canvas.blend_rect(x, y, width, height, BAR, 0.6);
                let color = if self.held.is_some_and(|(held, _)| held == *act) {
                    palette::ORANGE
                } else {
                    palette::BLUE
                };
                canvas.blend_rect(x, y, (part * f64::from(width)) as i32, height, color, 0.75);
                let number = short(shown);
                let wide = font::text_width(&number, size) as i32;
                let room = (width - 3 * pad - wide).max(0) as usize;
                font::draw_text(
                    canvas,
                    x + pad,
                    middle,
                    &font::shortened(label, size, room),
                    size,
                    palette::WHITE,
                    1.0,
                );
                font::draw_text(canvas, x + width - pad - wide, middle, &number, size, palette::WHITE, 1.0);
            }
        }
    }
}

/// A number in a few letters.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        a if !(1e-3..1e5).contains(&a) => format!("{value:.1e}"),
        a if a >= 100.0 => format!("{value:.0}"),
        a if a >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_viewer::window::ButtonState;

    #[test]
    fn a_slider_is_held_moved_and_left() {
        let rows = [
            Row::Heading("world".to_owned()),
            Row::Slider { label: "speed".to_owned(), value: 1.0, range: (0.0, 2.0), act: Act::Speed },
        ];
        let area = Rect::new(100, 0, 200, 300);
        let place = place(area, 12, 0, 1).unwrap();
        let at = |part: f64| (place.x as f64 + part * place.width as f64, place.y as f64 + 3.0);
        let mut panel = Panel::default();
        let mut mouse = Mouse { position: at(0.5), ..Mouse::default() };
        mouse.left = ButtonState { down: true, pressed: true, released: false };
        assert_eq!(panel.mouse(area, 12, &rows, &mouse), None);
        assert!(panel.is_held());
        mouse.left.pressed = false;
        mouse.position = at(0.75);
        assert_eq!(panel.mouse(area, 12, &rows, &mouse), None);
        mouse.left = ButtonState { down: false, pressed: false, released: true };
        let pressed = panel.mouse(area, 12, &rows, &mouse).unwrap();
        assert!(pressed.act == Act::Speed && (pressed.value.unwrap() - 1.5).abs() < 1e-9);
        assert!(!panel.is_held());
    }
}
