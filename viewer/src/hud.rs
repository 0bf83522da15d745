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
    /// Lines stand beside each other, as many in a row as there is room for.
    pub strip: bool,
}

/// Opacity of panels: orange letters must read before a bright floor, too.
pub const PANEL: f64 = 0.68;

impl TextBlock {
    /// White text, split at line ends, on a faint panel.
    pub fn new(corner: Corner, text: &str) -> Self {
        let lines = text.lines().map(|line| (line.to_owned(), palette::WHITE)).collect();
        Self { corner, lines, size: 0, panel: PANEL, legend: false, strip: false }
    }

    /// A legend: what a colour means, line by line.
    pub fn legend(corner: Corner, lines: Vec<(String, Color)>) -> Self {
        Self { corner, lines, size: 0, panel: PANEL, legend: true, strip: false }
    }

    /// The same with letters of another size, pixels.
    pub fn sized(mut self, size: usize) -> Self {
        self.size = size;
        self
    }

    /// The same with its lines beside each other.
    pub fn in_a_strip(mut self) -> Self {
        self.strip = true;
        self
    }

    /// Pixels it takes of the height of a viewport with letters of `size` (0 chooses by the viewport), its margin included.
    pub fn height(&self, viewport: Rect, size: usize) -> usize {
        lay(self, &mut Stack::new(viewport, size)).height + MARGIN
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
    size: usize,
    used: [usize; 5],
    /// Left, top, width and height of what was placed so far.
    pub(crate) taken: Vec<[i32; 4]>,
}

const MARGIN: usize = 6;

/// Size of letters that reads well in a viewport.
pub fn text_size(viewport: Rect) -> usize {
    (viewport.height / 42).min(viewport.width / 50).clamp(11, 34)
}

impl Stack {
    /// With letters of `size`; 0 chooses by the viewport.
    pub(crate) fn new(viewport: Rect, size: usize) -> Self {
        let size = if size == 0 { text_size(viewport) } else { size };
        Self { viewport, size, used: [MARGIN; 5], taken: Vec::new() }
    }

    /// Size of letters here.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Pixels across that are left to a block.
    pub(crate) fn room(&self) -> usize {
        self.viewport.width.saturating_sub(2 * MARGIN)
    }

    /// Pixels down in all.
    pub(crate) fn whole_height(&self) -> usize {
        self.viewport.height
    }

    /// Pixels down that are left in a corner.
    pub(crate) fn height_left(&self, corner: Corner) -> usize {
        self.viewport.height.saturating_sub(self.used[corner as usize] + MARGIN)
    }

    /// Top left pixel for a thing of this size: in its corner beyond what is there, and clear of what reaches over from the
    /// other side where there is room for that.
    pub(crate) fn place(&mut self, corner: Corner, width: usize, height: usize) -> (i32, i32) {
        let view = self.viewport;
        let (left, top, margin) = (view.x as i32, view.y as i32, MARGIN as i32);
        let (wide, high) = (width as i32, height as i32);
        let (far_x, far_y) = (left + view.width as i32 - wide, top + view.height as i32 - high);
        let x = match corner {
            Corner::TopLeft | Corner::BottomLeft => left + margin,
            Corner::TopRight | Corner::BottomRight => far_x - margin,
            // What is in the middle covers all else, and is not kept clear of.
            Corner::Center => return ((left + far_x) / 2, (top + far_y) / 2),
        };
        let down = matches!(corner, Corner::TopLeft | Corner::TopRight);
        let y_at = |used: i32| if down { top + used } else { far_y - used };
        let first = self.used[corner as usize] as i32;
        let mut used = first;
        // Each thing that is in the way pushes it on at most once.
        for _ in 0..self.taken.len() {
            let y = y_at(used);
            let meets =
                |t: &&[i32; 4]| x < t[0] + t[2] && t[0] < x + wide && y < t[1] + t[3] && t[1] < y + high;
            let Some([_, ty, _, th]) = self.taken.iter().find(meets) else { break };
            used = margin / 2 + if down { ty + th - top } else { top + view.height as i32 - ty };
        }
        if used + high > view.height as i32 {
            used = first;
        }
        self.used[corner as usize] = (used + high + margin / 2).max(0) as usize;
        self.taken.push([x, y_at(used), wide, high]);
        (x, y_at(used))
    }
}

/// A piece of a block: its place within, its words, its colour.
struct Piece {
    x: usize,
    y: usize,
    text: String,
    color: Color,
    /// A patch of the colour before white words.
    patch: bool,
}

/// A block that has its place.
pub(crate) struct Laid {
    at: (i32, i32),
    width: usize,
    height: usize,
    size: usize,
    panel: f64,
    pieces: Vec<Piece>,
}

/// Finds room for a block.
pub(crate) fn lay(block: &TextBlock, stack: &mut Stack) -> Laid {
    let size = if block.size == 0 { stack.size() } else { block.size };
    let pad = size / 2;
    let room = stack.room().saturating_sub(2 * pad);
    let mut pieces = if block.strip { strip(block, size, room) } else { column(block, size, room) };
    // What does not fit below each other is left out, but for the first line.
    let deep = stack.height_left(block.corner);
    pieces.retain(|p| p.y == 0 || p.y + cap_height(size) + 2 * pad <= deep);
    let right = |p: &Piece| p.x + font::text_width(&p.text, size);
    let width = pieces.iter().map(right).max().unwrap_or(0) + 2 * pad;
    let last = pieces.iter().map(|p| p.y).max().unwrap_or(0);
    let height = last + cap_height(size) + 2 * pad;
    let at = stack.place(block.corner, width, height);
    Laid { at, width, height, size, panel: block.panel, pieces }
}

/// Width of a patch of colour and the gap after it.
fn patch_width(block: &TextBlock, size: usize) -> usize {
    if block.legend { size + size / 3 } else { 0 }
}

/// One line below the other, in two columns where there are tabs.
fn column(block: &TextBlock, size: usize, room: usize) -> Vec<Piece> {
    let patch = patch_width(block, size);
    let room = room.saturating_sub(patch);
    // The first column is as wide as its widest entry.
    let first = block.lines.iter().filter_map(|(line, _)| line.split_once('\t'));
    let indent = first.map(|(a, _)| font::text_width(a, size) + size).max().unwrap_or(0);
    let mut pieces = Vec::new();
    for (k, (line, color)) in block.lines.iter().enumerate() {
        let (a, b) = line.split_once('\t').map_or((line.as_str(), None), |(a, b)| (a, Some(b)));
        let y = k * line_height(size);
        let mut piece = |x: usize, text: &str, room: usize, patch: bool| {
            let text = font::shortened(text, size, room);
            pieces.push(Piece { x, y, text, color: *color, patch });
        };
        piece(patch, a, room, block.legend);
        if let Some(b) = b {
            piece(patch + indent, b, room.saturating_sub(indent), false);
        }
    }
    pieces
}

/// One entry beside the other, as many in a row as there is room for.
fn strip(block: &TextBlock, size: usize, room: usize) -> Vec<Piece> {
    let patch = patch_width(block, size);
    let (mut x, mut y, mut pieces) = (0, 0, Vec::new());
    for (line, color) in &block.lines {
        let text = font::shortened(line, size, room.saturating_sub(patch));
        let width = patch + font::text_width(&text, size);
        if x > 0 && x + width > room {
            (x, y) = (0, y + line_height(size));
        }
        pieces.push(Piece { x: x + patch, y, text, color: *color, patch: block.legend });
        x += width + size;
    }
    pieces
}

impl Laid {
    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        let (x, y) = self.at;
        let (size, pad) = (self.size, self.size / 2);
        if self.panel > 0.0 {
            panel(canvas, x, y, self.width as i32, self.height as i32, self.panel);
        }
        for piece in &self.pieces {
            let (left, top) = (x + (pad + piece.x) as i32, y + (pad + piece.y) as i32);
            let mut ink = piece.color;
            if piece.patch {
                let (side, at) = (cap_height(size) as i32, left - (size + size / 3) as i32);
                canvas.blend_rect(at - 1, top - 1, side + 2, side + 2, palette::WHITE, 0.85);
                canvas.blend_rect(at, top, side, side, piece.color, 1.0);
                ink = palette::WHITE;
            }
            if self.panel > 0.3 {
                font::draw_text(canvas, left, top, &piece.text, size, ink, 1.0);
            } else {
                font::draw_text_shadowed(canvas, left, top, &piece.text, size, ink);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{StripChart, lay_charts};

    #[test]
    fn texts_and_charts_stay_in_the_picture_whatever_its_size() {
        let words = |n: usize| -> Vec<(String, Color)> {
            let line = |k: usize| (format!("a line of some length, number {k}"), palette::SKY_BLUE);
            (0..n).map(line).collect()
        };
        for (width, height) in [(1280, 720), (640, 360), (480, 300), (319, 171), (200, 120), (96, 64)] {
            let view = Rect::new(31, 17, width, height);
            for size in [0, 15] {
                let mut stack = Stack::new(view, size);
                let blocks = [
                    TextBlock::legend(Corner::TopLeft, words(5)),
                    TextBlock::new(Corner::TopLeft, "another\none\nbelow\tin two columns"),
                    TextBlock::legend(Corner::BottomLeft, words(7)).in_a_strip(),
                    TextBlock { lines: words(30), ..TextBlock::new(Corner::TopRight, "") },
                ];
                let laid: Vec<Laid> = blocks.iter().map(|block| lay(block, &mut stack)).collect();
                let charts: Vec<StripChart> =
                    (0..4).map(|k| StripChart::new(Corner::BottomRight, format!("chart {k}"), 100)).collect();
                let mut places: Vec<[i32; 4]> =
                    laid.iter().map(|l| [l.at.0, l.at.1, l.width as i32, l.height as i32]).collect();
                // A second block in a corner may find no room at all in a tiny picture; the first always does.
                if height < 150 {
                    places.remove(1);
                }
                places.extend(lay_charts(&charts, &mut stack).into_iter().flatten());
                for [x, y, w, h] in places {
                    let inside =
                        x >= 31 && y >= 17 && x + w <= 31 + width as i32 && y + h <= 17 + height as i32;
                    assert!(inside, "{x} {y} {w} {h} in {width}x{height}, letters {size}");
                }
            }
        }
    }

    #[test]
    fn a_strip_stands_in_rows_and_is_lower_than_a_column() {
        let lines: Vec<(String, Color)> = (0..5).map(|k| (format!("figure {k}"), palette::BLUE)).collect();
        let view = Rect::new(0, 0, 640, 360);
        let legend = TextBlock::legend(Corner::BottomLeft, lines);
        let strip = legend.clone().in_a_strip();
        assert!(2 * strip.height(view, 15) < legend.height(view, 15));
        assert!(strip.height(Rect::new(0, 0, 150, 360), 15) > strip.height(view, 15));
    }
}
