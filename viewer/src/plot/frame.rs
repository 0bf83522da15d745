//! What plots have in common: heading, legend, axes, and the frame they leave.

use super::axis::Axis;
use super::svg::{Anchor, CAPITALS, LARGE, NORMAL, Pen, SMALL, Svg, width};
use crate::palette::{self, Color};

pub(super) const GRID: Pen = Pen { color: Color::hex(0xE1E4E8), width: 1.0, dashes: "" };
const BORDER: Pen = Pen { color: Color::hex(0x6F7680), width: 1.0, dashes: "" };
/// Free around everything.
pub(super) const EDGE: f64 = 10.0;
/// From one line of text to the next, as a share of its size.
const LINE: f64 = 1.45;
/// Strokes and gaps of the `k`-th line.
pub(super) const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "9 3 2 3", "4 4"];

/// Where data goes.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Frame {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn border(&self, svg: &mut Svg) {
        let (l, r, t, b) = (self.left, self.right, self.top, self.bottom);
        svg.path(&[(l, t), (r, t), (r, b), (l, b), (l, t)], BORDER);
    }

    /// Numbers and grid of a vertical axis.
    pub(super) fn y_axis(&self, svg: &mut Svg, ticks: &[(f64, String)], axis: &Axis) {
        for (value, label) in ticks {
            let y = self.bottom - axis.part(*value) * self.height();
            svg.path(&[(self.left, y), (self.right, y)], GRID);
            svg.text(self.left - 6.0, y, label, Anchor::End, palette::INK, SMALL);
        }
    }

    /// Numbers and grid of a horizontal axis.
    pub(super) fn x_axis(&self, svg: &mut Svg, ticks: &[(f64, String)], axis: &Axis) {
        for (value, label) in ticks {
            let x = self.left + axis.part(*value) * self.width();
            svg.path(&[(x, self.top), (x, self.bottom)], GRID);
            svg.text(
                x,
                self.bottom + 6.0 + 0.5 * CAPITALS * SMALL,
                label,
                Anchor::Middle,
                palette::INK,
                SMALL,
            );
        }
    }

    /// Names of the axes.
    pub(super) fn names(&self, svg: &mut Svg, x_label: &str, y_label: &str) {
        let below = self.bottom + 6.0 + LINE * SMALL + 0.5 * NORMAL;
        svg.text(0.5 * (self.left + self.right), below, x_label, Anchor::Middle, palette::INK, NORMAL);
        svg.upward_text(EDGE + 0.5 * NORMAL, 0.5 * (self.top + self.bottom), y_label, palette::INK, NORMAL);
    }
}

/// What a name in the legend stands beside.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Line(Pen),
    Mark(usize, Color),
    Box(Color),
}

/// Draws heading and legend above the data, never over it, and leaves the frame. `y_labels` are what stands left of it.
pub(super) fn head(
    svg: &mut Svg,
    size: (f64, f64),
    title: &str,
    legend: &[(String, Key)],
    y_labels: &[String],
    names: (&str, &str),
    right: f64,
) -> Frame {
    let mut top = EDGE;
    if !title.is_empty() {
        // Smaller where it would not fit.
        let fit = LARGE.min(LARGE * (size.0 - 2.0 * EDGE) / width(title, LARGE));
        svg.text(0.5 * size.0, top + 0.5 * LARGE, title, Anchor::Middle, palette::INK, fit);
        top += LINE * LARGE;
    }
    let widest = y_labels.iter().map(|l| width(l, SMALL)).fold(0.0, f64::max);
    let named = if names.1.is_empty() { 0.0 } else { LINE * NORMAL };
    let left = EDGE + named + widest + 8.0;
    top = legend_rows(svg, legend, left, size.0 - EDGE, top);
    let under = if names.0.is_empty() { 0.0 } else { LINE * NORMAL };
    Frame {
        left,
        right: (size.0 - EDGE - right).max(left + 1.0),
        top: top + 5.0,
        bottom: (size.1 - EDGE - under - LINE * SMALL - 4.0).max(top + 6.0),
    }
}

/// Names beside their keys, row by row; where the rows end.
fn legend_rows(svg: &mut Svg, legend: &[(String, Key)], left: f64, right: f64, top: f64) -> f64 {
    const STROKE: f64 = 22.0;
    let named: Vec<&(String, Key)> = legend.iter().filter(|(name, _)| !name.is_empty()).collect();
    if named.is_empty() {
        return top;
    }
    let (mut x, mut y) = (left, top + 0.5 * LINE * SMALL);
    for (name, key) in named {
        let wide = STROKE + 5.0 + width(name, SMALL) + 16.0;
        if x > left && x + wide > right {
            x = left;
            y += LINE * SMALL;
        }
        match key {
            Key::Line(pen) => svg.path(&[(x, y), (x + STROKE, y)], *pen),
            Key::Mark(shape, color) => svg.mark((x + 0.5 * STROKE, y), *shape, *color),
            Key::Box(color) => svg.rect(x + 4.0, y - 5.0, STROKE - 8.0, 10.0, *color, 1.0),
        }
        svg.text(x + STROKE + 5.0, y, name, Anchor::Start, palette::INK, SMALL);
        x += wide;
    }
    y + 0.5 * LINE * SMALL
}

/// An interval as a bar with ends.
pub(super) fn whisker(svg: &mut Svg, x: f64, low: f64, high: f64, color: Color) {
    let pen = Pen { color, width: 1.2, dashes: "" };
    svg.path(&[(x, low), (x, high)], pen);
    svg.path(&[(x - 3.0, low), (x + 3.0, low)], pen);
    svg.path(&[(x - 3.0, high), (x + 3.0, high)], pen);
}
