//! Many frames on one page, each with its caption: a run at a glance.

use crate::canvas::Canvas;
use crate::font;
use crate::palette::{Color, INK};

const GAP: usize = 6;
/// Letters of the title and of captions, pixels.
const TITLE: usize = 18;
const CAPTION: usize = 13;

/// Lays frames out row by row in `columns`, each shrunk to `cell_width`, captions below, a title on top.
pub fn contact_sheet(title: &str, frames: &[(String, &Canvas)], columns: usize, cell_width: usize) -> Canvas {
    let columns = columns.clamp(1, frames.len().max(1));
    let cell_width = cell_width.clamp(16, 4096);
    let tallest =
        |(_, frame): &(String, &Canvas)| (frame.height() * cell_width).div_ceil(frame.width().max(1));
    let cell_height = frames.iter().map(tallest).max().unwrap_or(0) + font::line_height(CAPTION) + 2;
    let top = font::line_height(TITLE) + 2 * GAP;
    let rows = frames.len().div_ceil(columns);
    let mut sheet = Canvas::new(GAP + columns * (cell_width + GAP), top + rows * (cell_height + GAP));
    sheet.clear(Color::hex(0xF4F5F7));
    let title = font::shortened(title, TITLE, sheet.width().saturating_sub(2 * GAP));
    font::draw_text(&mut sheet, GAP as i32, GAP as i32 + 2, &title, TITLE, INK, 1.0);
    for (number, (caption, frame)) in frames.iter().enumerate() {
        let x = GAP + number % columns * (cell_width + GAP);
        let y = top + number / columns * (cell_height + GAP);
        let height = (frame.height() * cell_width / frame.width().max(1)).max(1);
        let small = frame.shrunk(cell_width, height);
        sheet.paste(&small, x, y);
        let caption = font::shortened(caption, CAPTION, cell_width);
        font::draw_text(&mut sheet, x as i32, (y + small.height() + 4) as i32, &caption, CAPTION, INK, 1.0);
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::VERMILION;

    #[test]
    fn every_frame_is_on_the_sheet() {
        let mut frame = Canvas::new(64, 36);
        frame.clear(VERMILION);
        let frames: Vec<_> = (0..5).map(|i| (format!("{i} s"), &frame)).collect();
        let sheet = contact_sheet("run", &frames, 3, 32);
        let area = sheet.pixels().iter().filter(|&&p| p == VERMILION.pixel()).count();
        assert_eq!(area, 5 * 32 * 18);
        assert!(contact_sheet("none", &[], 0, 0).width() > 0);
    }
}
