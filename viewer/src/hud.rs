//! Blocks of text in the corners of a viewport.

use crate::canvas::{Canvas, Rect};
use crate::font::{self, cap_height, line_height};
use crate::palette::{self, Color};

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
    /// Size of the letters, pixels; 0 chooses by the viewport.
    pub size: usize,
    /// Opacity of the dark panel behind; 0 leaves shadowed text only.
    pub panel: f64,
    /// A legend: the colour of a line is that of a patch before it, the text is white.
    pub legend: bool,
}

impl TextBlock {
    /// White text, split at line ends, on a faint panel.
    pub fn new(corner: Corner, text: &str) -> Self {
        let lines = text.lines().map(|line| (line.to_owned(), palette::WHITE)).collect();
        Self { corner, lines, size: 0, panel: 0.55, legend: false }
    }

    /// A legend: what a colour means, line by line.
    pub fn legend(corner: Corner, lines: Vec<(String, Color)>) -> Self {
        Self { corner, lines, size: 0, panel: 0.55, legend: true }
    }

    /// The same with letters of another size, pixels.
    pub fn sized(mut self, size: usize) -> Self {
        self.size = size;
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

/// Size of letters that reads well in a viewport, also where it is shown at half its size.
pub fn text_size(viewport: Rect) -> usize {
    (viewport.height / 42).min(viewport.width / 50).clamp(11, 34)
}

impl Stack {
    pub(crate) fn new(viewport: Rect) -> Self {
        Self { viewport, used: [MARGIN; 5] }
    }

    /// Size of letters that reads well in this viewport.
    pub(crate) fn size(&self) -> usize {
        text_size(self.viewport)
    }

    /// Pixels across that are left to a block.
    fn room(&self) -> usize {
        self.viewport.width.saturating_sub(2 * MARGIN)
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
    let size = if block.size == 0 { stack.size() } else { block.size };
    let (pad, line) = (size / 2, line_height(size));
    let patch = if block.legend { size + size / 3 } else { 0 };
    // Two columns: the first as wide as its widest entry.
    let first = block.lines.iter().filter_map(|(line, _)| line.split_once('\t'));
    let first = first.map(|(a, _)| font::text_width(a, size)).max();
    let indent = first.map_or(0, |width| width + size);
    let room = stack.room().saturating_sub(2 * pad + patch);
    let fitted: Vec<(String, Option<String>)> = block
        .lines
        .iter()
        .map(|(line, _)| match line.split_once('\t') {
            Some((a, b)) => (a.to_owned(), Some(font::shortened(b, size, room.saturating_sub(indent)))),
            None => (font::shortened(line, size, room), None),
        })
        .collect();
    let wide = |(a, b): &(String, Option<String>)| match b {
        Some(b) => indent + font::text_width(b, size),
        None => font::text_width(a, size),
    };
    let width = fitted.iter().map(wide).max().unwrap_or(0) + patch + 2 * pad;
    let height = (block.lines.len() * line).saturating_sub(line - cap_height(size)) + 2 * pad;
    let (x, y) = stack.place(block.corner, width, height);
    if block.panel > 0.0 {
        panel(canvas, x, y, width as i32, height as i32, block.panel);
    }
    for (i, ((a, b), (_, color))) in fitted.iter().zip(&block.lines).enumerate() {
        let (mut left, top) = (x + pad as i32, y + (pad + i * line) as i32);
        let mut ink = *color;
        if block.legend {
            let side = cap_height(size) as i32;
            canvas.blend_rect(left - 1, top - 1, side + 2, side + 2, palette::WHITE, 0.85);
            canvas.blend_rect(left, top, side, side, *color, 1.0);
            left += patch as i32;
            ink = palette::WHITE;
        }
        let mut draw = |indent: usize, text: &str| {
            let at = left + indent as i32;
            if block.panel > 0.3 {
                font::draw_text(canvas, at, top, text, size, ink, 1.0);
            } else {
                font::draw_text_shadowed(canvas, at, top, text, size, ink);
            }
        };
        draw(0, a);
        if let Some(b) = b {
            draw(indent, b);
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
