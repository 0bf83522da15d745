//! Letters at any size: outlines of the embedded DejaVu Sans, filled with soft edges. The same font as in plots.
//!
//! A size is the height of the font's square in pixels; capitals take about seven tenths of it. Letters sit at quarters of a
//! pixel. Each is drawn once per size and place and kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use resvg::tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider as _};

use crate::canvas::Canvas;
use crate::palette::Color;

/// DejaVu Sans, reduced to Latin, Greek and some signs; its licence lies beside it.
pub(crate) const FONT: &[u8] = include_bytes!("../assets/DejaVuSans.ttf");

/// Sizes that are drawn, pixels.
const SIZES: std::ops::RangeInclusive<usize> = 6..=96;
/// Places of a letter within a pixel.
const PLACES: i32 = 4;

/// Height of the capitals, pixels.
pub fn cap_height(size: usize) -> usize {
    (0.73 * size as f64).round() as usize
}

/// From one line to the next, pixels.
pub fn line_height(size: usize) -> usize {
    (1.32 * size as f64).round() as usize
}

/// Whether the font has its own drawing for a character; others show as a box.
pub fn covers(letter: char) -> bool {
    font().is_some_and(|font| font.charmap().map(letter).is_some())
}

/// Width in pixels of a line of text.
pub fn text_width(text: &str, size: usize) -> usize {
    text.chars().map(|letter| advance(letter, size)).sum::<f32>().ceil() as usize
}

/// Draws one line; `(x, y)` is the top left of the capitals.
pub fn draw_text(canvas: &mut Canvas, x: i32, y: i32, text: &str, size: usize, color: Color, alpha: f64) {
    let baseline = y + cap_height(size) as i32;
    let mut left = x as f32;
    for letter in text.chars() {
        if left > canvas.width() as f32 {
            return;
        }
        let quarters = (left * PLACES as f32).round() as i32;
        let glyph = glyph(letter, size, quarters.rem_euclid(PLACES) as u8);
        let (column, row) = (quarters.div_euclid(PLACES) + glyph.left, baseline + glyph.top);
        for (k, cover) in glyph.cover.chunks_exact(glyph.width.max(1)).enumerate() {
            canvas.blend_row(column, row + k as i32, cover, color, alpha);
        }
        left += glyph.advance;
    }
}

/// Draws one line with a rim, so that it reads on any background.
pub fn draw_text_shadowed(canvas: &mut Canvas, x: i32, y: i32, text: &str, size: usize, color: Color) {
    let bright = u32::from(color.r) * 3 + u32::from(color.g) * 6 + u32::from(color.b) > 1100;
    let rim = if bright { Color::hex(0x10151C) } else { Color::hex(0xFFFFFF) };
    for (dx, dy, alpha) in [(1, 1, 0.6), (-1, 0, 0.4), (1, 0, 0.4), (0, -1, 0.4), (0, 1, 0.4)] {
        draw_text(canvas, x + dx, y + dy, text, size, rim, alpha);
    }
    draw_text(canvas, x, y, text, size, color, 1.0);
}

/// `text`, shortened with dots where it is wider than `width` pixels.
pub fn shortened(text: &str, size: usize, width: usize) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut short: String = text.to_owned();
    while short.pop().is_some() {
        let dotted = format!("{}…", short.trim_end());
        if text_width(&dotted, size) <= width {
            return dotted;
        }
    }
    short
}

/// A letter as coverage, relative to its place on the baseline.
struct Glyph {
    left: i32,
    top: i32,
    width: usize,
    cover: Vec<u8>,
    advance: f32,
}

fn font() -> Option<&'static FontRef<'static>> {
    static FACE: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    FACE.get_or_init(|| FontRef::new(FONT).ok()).as_ref()
}

fn advance(letter: char, size: usize) -> f32 {
    glyph(letter, size, 0).advance
}

/// Letters drawn so far, by letter, size and place.
type Drawn = BTreeMap<(char, u16, u8), Arc<Glyph>>;

fn glyph(letter: char, size: usize, place: u8) -> Arc<Glyph> {
    static DRAWN: Mutex<Drawn> = Mutex::new(BTreeMap::new());
    let size = size.clamp(*SIZES.start(), *SIZES.end());
    // A poisoned lock only means that another thread panicked; letters are whole or absent.
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let made = drawn.entry((letter, size as u16, place));
    made.or_insert_with(|| Arc::new(draw_glyph(letter, size, place))).clone()
}

/// Collects an outline with y down.
struct Pen(PathBuilder);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }
    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to(cx, -cy, x, -y);
    }
    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.0.cubic_to(ax, -ay, bx, -by, x, -y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

fn draw_glyph(letter: char, size: usize, place: u8) -> Glyph {
    let mut drawn = Glyph { left: 0, top: 0, width: 0, cover: Vec::new(), advance: 0.5 * size as f32 };
    let Some(font) = font() else { return drawn };
    let scale = Size::new(size as f32);
    // Number 0 is the font's own box for what it does not have.
    let id = font.charmap().map(letter).unwrap_or_default();
    if let Some(advance) = font.glyph_metrics(scale, LocationRef::default()).advance_width(id) {
        drawn.advance = advance;
    }
    let outline = font.outline_glyphs().get(id);
    let path = outline.and_then(|outline| {
        let mut pen = Pen(PathBuilder::new());
        outline.draw(DrawSettings::unhinted(scale, LocationRef::default()), &mut pen).ok()?;
        pen.0.finish()
    });
    if let Some(path) = path {
        fill(&mut drawn, &path, f32::from(place) / PLACES as f32);
    }
    drawn
}

fn fill(drawn: &mut Glyph, path: &Path, shift: f32) {
    let bounds = path.bounds();
    drawn.left = (bounds.left() + shift).floor() as i32;
    drawn.top = bounds.top().floor() as i32;
    let width = ((bounds.right() + shift).ceil() as i32 - drawn.left).clamp(1, 512) as u32;
    let height = (bounds.bottom().ceil() as i32 - drawn.top).clamp(1, 512) as u32;
    let Some(mut mask) = Mask::new(width, height) else { return };
    let place = Transform::from_translate(shift - drawn.left as f32, -drawn.top as f32);
    mask.fill_path(path, FillRule::Winding, true, place);
    drawn.width = width as usize;
    drawn.cover = mask.data().to_vec();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{BLACK, WHITE};

    #[test]
    fn every_printable_letter_has_its_own_drawing() {
        for letter in (' '..='~').chain("äöüßéµΔθ°²³·×±≤≥…–".chars()) {
            assert!(covers(letter), "{letter:?}");
        }
    }

    #[test]
    fn text_fills_the_width_it_announces_at_every_size() {
        for size in [8, 11, 17, 40] {
            let mut canvas = Canvas::new(600, 80);
            canvas.clear(BLACK);
            draw_text(&mut canvas, 10, 20, "Hold 0.25 s", size, WHITE, 1.0);
            let lit = |x: usize| (0..80).any(|y| canvas.get(x, y) != BLACK);
            let last = (0..600).rev().find(|&x| lit(x)).unwrap();
            let announced = 10 + text_width("Hold 0.25 s", size);
            assert!(last < announced + 1 && last + size > announced, "{size}: {last} of {announced}");
            // Capitals are as tall as announced; small letters may rise above them.
            canvas.clear(BLACK);
            draw_text(&mut canvas, 10, 20, "HEXT", size, WHITE, 1.0);
            let tall = (0..80).filter(|&y| (0..600).any(|x| canvas.get(x, y).r > 120)).count();
            assert!(tall.abs_diff(cap_height(size)) <= 1, "{size}: {tall}");
        }
    }

    #[test]
    fn long_text_is_shortened_to_fit() {
        let short = shortened("a very long name of a character", 12, 80);
        assert!(short.ends_with('…') && text_width(&short, 12) <= 80);
        assert_eq!(shortened("anna", 12, 80), "anna");
    }
}
