//! Strip charts: small running curves in a corner of the viewport.

use crate::canvas::Canvas;
use crate::font;
use crate::hud::{Corner, PANEL, Stack, panel};
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
    /// Width and height in heights of its letters.
    pub size: (usize, usize),
}

impl StripChart {
    /// An empty chart in a corner, 20 letters wide and 6 high.
    pub fn new(corner: Corner, title: impl Into<String>, capacity: usize) -> Self {
        Self { corner, title: title.into(), curves: Vec::new(), capacity, range: None, size: (20, 6) }
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

/// Part of a viewport's width that charts take at most.
const WIDEST: usize = 45;
/// Part of a viewport's height that all charts of a corner take at most.
const HIGHEST: usize = 80;

/// Finds room for charts: as large as they ask for, smaller where the viewport is small. What would be too small to
/// read is left out.
pub(crate) fn lay_charts(charts: &[StripChart], stack: &mut Stack) -> Vec<Option<[i32; 4]>> {
    let em = stack.size();
    let mut place = |chart: &StripChart| {
        let many = charts.iter().filter(|c| c.corner == chart.corner).count();
        let width = (chart.size.0.max(8) * em).min(stack.room() * WIDEST / 100);
        let share = (stack.whole_height() * HIGHEST / 100 / many).saturating_sub(3);
        let height = (chart.size.1.max(3) * em).min(share);
        if width < 6 * em || height < 3 * em || stack.height_left(chart.corner) < height {
            return None;
        }
        let (x, y) = stack.place(chart.corner, width, height);
        Some([x, y, width as i32, height as i32])
    };
    charts.iter().map(&mut place).collect()
}

pub(crate) fn draw_chart(
    chart: &StripChart,
    [x, y, width, height]: [i32; 4],
    size: usize,
    canvas: &mut Canvas,
) {
    let em = size as i32;
    panel(canvas, x, y, width, height, PANEL);
    let (low, high) = chart.vertical_range();
    let pad = em / 3;
    let cap = font::cap_height(size) as i32;
    let title = font::shortened(&chart.title, size, (width - 2 * pad).max(1) as usize);
    font::draw_text(canvas, x + pad, y + pad, &title, size, palette::WHITE, 1.0);

    // Frame of the curves: title above, numbers at the right.
    let small = (4 * size / 5).max(9);
    let numbers = font::text_width("-0.000", small) as i32;
    let (left, right) = (x + pad, x + width - numbers - 2 * pad);
    let (top, bottom) = (y + 2 * pad + cap + em / 3, y + height - pad - 1);
    let to_y =
        |v: f64| f64::from(bottom) - (v.clamp(low, high) - low) / (high - low) * f64::from(bottom - top);
    canvas.blend_rect(left, bottom, right - left, 1, palette::WHITE, 0.3);
    canvas.blend_rect(left, top, right - left, 1, palette::WHITE, 0.15);
    if low < 0.0 && high > 0.0 {
        canvas.blend_rect(left, to_y(0.0) as i32, right - left, 1, palette::WHITE, 0.4);
    }
    let mut number = |value: f64, at: i32| {
        font::draw_text(canvas, right + pad, at, &short_number(value), small, palette::WHITE, 0.8);
    };
    number(high, top - 1);
    number(low, bottom - font::cap_height(small) as i32);

    let step = f64::from(right - left) / (chart.capacity.max(2) - 1) as f64;
    let mut name_x = x + width - pad;
    for (name, color, samples) in &chart.curves {
        let skip = samples.len().saturating_sub(chart.capacity.max(2));
        let shown = &samples[skip..];
        let to_x = |i: usize| f64::from(right) - step * (shown.len() - 1 - i) as f64;
        for (i, pair) in shown.windows(2).enumerate() {
            if pair.iter().all(|v| v.is_finite()) {
                let (from, to) = ((to_x(i), to_y(pair[0])), (to_x(i + 1), to_y(pair[1])));
                canvas.stroke(from, to, 0.4 + f64::from(em) / 11.0, *color, 1.0);
            }
        }
        if let Some(last) = shown.last().filter(|v| v.is_finite()) {
            canvas.disc((f64::from(right), to_y(*last)), f64::from(em) / 5.0, *color, 1.0);
        }
        if !name.is_empty() {
            name_x -= font::text_width(name, size) as i32;
            font::draw_text(canvas, name_x, y + pad, name, size, *color, 1.0);
            name_x -= em / 2;
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
