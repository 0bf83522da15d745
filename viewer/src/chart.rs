//! Strip charts: small running curves in a corner of the viewport.

use crate::canvas::Canvas;
use crate::font;
use crate::hud::{Corner, Stack, panel};
use crate::palette::{self, Color};

/// A running curve with the newest value at the right.
#[derive(Clone, Debug, PartialEq)]
pub struct StripChart {
    /// Where.
    pub corner: Corner,
    /// Heading, with the unit.
    pub title: String,
    /// Curves: name, colour and samples, oldest first. Gaps are not-a-number.
    pub curves: Vec<(String, Color, Vec<f64>)>,
    /// Samples the width stands for.
    pub capacity: usize,
    /// Vertical range; from the data where absent.
    pub range: Option<(f64, f64)>,
    /// Width and height in pixels at letter size 1; both grow with the letters in large viewports.
    pub size: (usize, usize),
}

impl StripChart {
    /// An empty chart of 200 by 64 pixels in a corner.
    pub fn new(corner: Corner, title: impl Into<String>, capacity: usize) -> Self {
        Self { corner, title: title.into(), curves: Vec::new(), capacity, range: None, size: (200, 64) }
    }

    /// Adds a curve.
    pub fn curve(mut self, name: impl Into<String>, color: Color, samples: Vec<f64>) -> Self {
        self.curves.push((name.into(), color, samples));
        self
    }

    fn vertical_range(&self) -> (f64, f64) {
        let (low, high) = self.range.unwrap_or_else(|| {
            let values = self.curves.iter().flat_map(|c| &c.2).copied().filter(|v| v.is_finite());
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        });
        match high - low {
            span if span.is_finite() && span > 1e-12 => (low, high),
            _ if low.is_finite() => (low - 0.5, low + 0.5),
            _ => (0.0, 1.0),
        }
    }
}

pub(crate) fn draw_chart(chart: &StripChart, stack: &mut Stack, canvas: &mut Canvas) {
    let scale = stack.scale();
    let k = scale as i32;
    let (width, height) = (chart.size.0.max(60) as i32 * k, chart.size.1.max(30) as i32 * k);
    let (x, y) = stack.place(chart.corner, width as usize, height as usize);
    panel(canvas, x, y, width, height, 0.55);
    let (low, high) = chart.vertical_range();
    font::draw_text(canvas, x + 4 * k, y + 4 * k, &chart.title, scale, palette::WHITE, 1.0);

    // Frame of the curves: title above, numbers at the right.
    let (left, right, top, bottom) = (x + 4 * k, x + width - 42 * k, y + 16 * k, y + height - 5 * k);
    let to_y =
        |v: f64| f64::from(bottom) - (v.clamp(low, high) - low) / (high - low) * f64::from(bottom - top);
    canvas.blend_rect(left, bottom, right - left, 1, palette::WHITE, 0.3);
    canvas.blend_rect(left, top, right - left, 1, palette::WHITE, 0.15);
    if low < 0.0 && high > 0.0 {
        canvas.blend_rect(left, to_y(0.0) as i32, right - left, 1, palette::WHITE, 0.4);
    }
    let number = |canvas: &mut Canvas, value: f64, at: i32| {
        font::draw_text(canvas, right + 4 * k, at, &short_number(value), scale, palette::WHITE, 0.8);
    };
    number(canvas, high, top - 3 * k);
    number(canvas, low, bottom - 6 * k);

    let step = f64::from(right - left) / (chart.capacity.max(2) - 1) as f64;
    let mut name_x = right;
    for (name, color, samples) in &chart.curves {
        let skip = samples.len().saturating_sub(chart.capacity.max(2));
        let shown = &samples[skip..];
        let to_x = |i: usize| f64::from(right) - step * (shown.len() - 1 - i) as f64;
        for (i, pair) in shown.windows(2).enumerate() {
            if pair.iter().all(|v| v.is_finite()) {
                let (from, to) = ((to_x(i), to_y(pair[0])), (to_x(i + 1), to_y(pair[1])));
                canvas.stroke(from, to, 0.4 + f64::from(k), *color, 1.0);
            }
        }
        if let Some(last) = shown.last().filter(|v| v.is_finite()) {
            canvas.disc((f64::from(right), to_y(*last)), 2.0 * f64::from(k), *color, 1.0);
        }
        if !name.is_empty() {
            name_x -= font::text_width(name, scale) as i32 + 6 * k;
            font::draw_text(canvas, name_x + 6 * k, y + 4 * k, name, scale, *color, 1.0);
        }
    }
}

/// At most six letters.
pub(crate) fn short_number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(0.01..100_000.0).contains(&size) {
        format!("{value:.0e}")
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}
