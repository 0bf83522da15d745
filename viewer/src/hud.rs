//! Blocks of text in the corners of a viewport, and labels hung on world points.

use crate::camera::View;
use crate::canvas::{Canvas, Rect};
use crate::font::{self, ADVANCE, CAP_HEIGHT, LINE};
use crate::palette::{self, Color};
use crate::picture::Label;

/// Where a block of text or a chart sits in its viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// Top left.
    TopLeft,
    /// Top right.
    TopRight,
    /// Bottom left.
    BottomLeft,
    /// Bottom right.
    BottomRight,
    /// The middle, for help overlays.
    Center,
}

/// Some lines of text on a translucent panel. Blocks and charts in the same corner stack.
#[derive(Clone, Debug, PartialEq)]
pub struct TextBlock {
    /// Where.
    pub corner: Corner,
    /// Lines with their colours; a tab starts a second column.
    pub lines: Vec<(String, Color)>,
    /// Size of the letters, 1 to 3; 0 chooses by the height of the viewport.
    pub scale: usize,
    /// Opacity of the dark panel behind; 0 leaves shadowed text only.
    pub panel: f64,
}

impl TextBlock {
    /// White text, split at line ends, on a faint panel.
    pub fn new(corner: Corner, text: &str) -> Self {
        let lines = text.lines().map(|line| (line.to_owned(), palette::WHITE)).collect();
        Self { corner, lines, scale: 0, panel: 0.55 }
    }

    /// The same in another size.
    pub fn scaled(mut self, scale: usize) -> Self {
        self.scale = scale.min(3);
        self
    }

    /// Adds a coloured line.
    pub fn line(mut self, text: impl Into<String>, color: Color) -> Self {
        self.lines.push((text.into(), color));
        self
    }
}

/// Hands out places in the corners of a viewport, stacking what comes later below (or above) what came first.
pub(crate) struct Stack {
    viewport: Rect,
    used: [usize; 5],
}

const MARGIN: usize = 6;

/// Size of letters that reads well in a viewport.
fn text_scale(viewport: Rect) -> usize {
    match viewport.height {
        0..560 => 1,
        560..1300 => 2,
        _ => 3,
    }
}

impl Stack {
    pub(crate) fn new(viewport: Rect) -> Self {
        Self { viewport, used: [MARGIN; 5] }
    }

    /// Size of letters that reads well in this viewport.
    pub(crate) fn scale(&self) -> usize {
        text_scale(self.viewport)
    }

    /// Top left pixel for a thing of this size.
    pub(crate) fn place(&mut self, corner: Corner, width: usize, height: usize) -> (i32, i32) {
        let used = self.used[corner as usize] as i32;
        self.used[corner as usize] += height + MARGIN / 2;
        let view = self.viewport;
        let (left, top) = (view.x as i32, view.y as i32);
        let (far_x, far_y) =
            (left + view.width as i32 - width as i32, top + view.height as i32 - height as i32);
        let margin = MARGIN as i32;
        match corner {
            Corner::TopLeft => (left + margin, top + used),
            Corner::TopRight => (far_x - margin, top + used),
            Corner::BottomLeft => (left + margin, far_y - used),
            Corner::BottomRight => (far_x - margin, far_y - used),
            Corner::Center => ((left + far_x) / 2, (top + far_y) / 2),
        }
    }
}

pub(crate) fn draw_block(block: &TextBlock, stack: &mut Stack, canvas: &mut Canvas) {
    let scale = if block.scale == 0 { stack.scale() } else { block.scale.min(3) };
    // Two columns: the first as wide as its widest entry.
    let columns = |line: &str| match line.split_once('\t') {
        Some((a, b)) => (a.chars().count(), b.chars().count()),
        None => (0, line.chars().count()),
    };
    let first = block.lines.iter().map(|(line, _)| columns(line).0).max().unwrap_or(0);
    let indent = if first > 0 { first + 2 } else { 0 };
    let letters = block
        .lines
        .iter()
        .map(|(line, _)| columns(line).1 + if line.contains('\t') { indent } else { 0 })
        .max()
        .unwrap_or(0);
    let pad = 4 * scale;
    let width = letters * ADVANCE * scale + 2 * pad;
    let height = (block.lines.len() * LINE).saturating_sub(LINE - CAP_HEIGHT) * scale + 2 * pad;
    let (x, y) = stack.place(block.corner, width, height);
    if block.panel > 0.0 {
        panel(canvas, x, y, width as i32, height as i32, block.panel);
    }
    for (i, (line, color)) in block.lines.iter().enumerate() {
        let (left, top) = (x + pad as i32, y + (pad + i * LINE * scale) as i32);
        let mut draw = |column: usize, text: &str| {
            let at = left + (column * ADVANCE * scale) as i32;
            if block.panel > 0.3 {
                font::draw_text(canvas, at, top, text, scale, *color, 1.0);
            } else {
                font::draw_text_shadowed(canvas, at, top, text, scale, *color);
            }
        };
        match line.split_once('\t') {
            Some((a, b)) => {
                draw(0, a);
                draw(indent, b);
            }
            None => draw(0, line),
        }
    }
}

/// A dark translucent rectangle with softened corners.
pub(crate) fn panel(canvas: &mut Canvas, x: i32, y: i32, width: i32, height: i32, alpha: f64) {
    let dark = Color::hex(0x161C26);
    canvas.blend_rect(x + 2, y, width - 4, 1, dark, alpha);
    canvas.blend_rect(x + 1, y + 1, width - 2, 1, dark, alpha);
    canvas.blend_rect(x, y + 2, width, height - 4, dark, alpha);
    canvas.blend_rect(x + 1, y + height - 2, width - 2, 1, dark, alpha);
    canvas.blend_rect(x + 2, y + height - 1, width - 4, 1, dark, alpha);
}

pub(crate) fn draw_label(label: &Label, view: &View, viewport: Rect, canvas: &mut Canvas) {
    let Some(seen) = view.project(label.at) else { return };
    let scale = text_scale(viewport);
    let (width, height) = (font::text_width(&label.text, scale) as i32, (CAP_HEIGHT * scale) as i32);
    let pad = 2 * scale as i32 + 1;
    let (x, y) = (seen.pixel.x as i32 - width / 2, seen.pixel.y as i32 - height - 3 * pad);
    let inside = |x: i32, y: i32| viewport.contains(f64::from(x), f64::from(y));
    if inside(x - pad, y - pad) && inside(x + width + pad, y + height + pad) {
        panel(canvas, x - pad, y - pad, width + 2 * pad, height + 2 * pad, 0.5);
        font::draw_text(canvas, x, y, &label.text, scale, label.color, 1.0);
    }
}
