//! Bars, side by side by category.

use super::Figure;
use super::axis::Axis;
use super::frame::{Key, head, whisker};
use super::svg::{Anchor, CAPITALS, SMALL, Svg};
use crate::palette;

/// Bars of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarSeries {
    /// Name in the legend.
    pub name: String,
    /// Height per category; one that is not finite is left out.
    pub values: Vec<f64>,
    /// Ends of each bar's interval; empty where there are none.
    pub intervals: Vec<(f64, f64)>,
}

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// Heading.
    pub title: String,
    /// Name of the categories.
    pub x_label: String,
    /// Name and unit of the heights.
    pub y_label: String,
    /// The categories.
    pub categories: Vec<String>,
    /// The bars.
    pub series: Vec<BarSeries>,
}

impl Figure for BarChart {
    fn draw(&self, svg: &mut Svg, width: f64, height: f64) {
        let values = self.series.iter().flat_map(|s| &s.values).copied();
        let ends = self.series.iter().flat_map(|s| &s.intervals).flat_map(|i| [i.0, i.1]);
        // Bars begin at zero, or their lengths would lie.
        let finite: Vec<f64> = values.chain(ends).chain([0.0]).filter(|v| v.is_finite()).collect();
        let (low, high) = finite.iter().fold((0.0f64, 0.0f64), |(l, h), v| (l.min(*v), h.max(*v)));
        let axis = Axis::new(Some((1.05 * low, 1.05 * high)), std::iter::empty(), false, 0.0);
        let ticks = axis.ticks((height / 45.0) as usize);
        let labels: Vec<String> = ticks.iter().map(|t| t.1.clone()).collect();
        let legend: Vec<(String, Key)> = self
            .series
            .iter()
            .enumerate()
            .map(|(k, s)| (s.name.clone(), Key::Box(palette::series(k))))
            .collect();
        let names = (self.x_label.as_str(), self.y_label.as_str());
        let frame = head(svg, (width, height), &self.title, &legend, &labels, names, 4.0);
        frame.y_axis(svg, &ticks, &axis);
        let to_y = |v: f64| frame.bottom - axis.part(v).clamp(0.0, 1.0) * frame.height();
        let step = frame.width() / self.categories.len().max(1) as f64;
        let bar = 0.76 * step / self.series.len().max(1) as f64;
        for (i, category) in self.categories.iter().enumerate() {
            let left = frame.left + (i as f64 + 0.12) * step;
            let below = frame.bottom + 6.0 + 0.5 * CAPITALS * SMALL;
            svg.text(
                frame.left + (i as f64 + 0.5) * step,
                below,
                category,
                Anchor::Middle,
                palette::INK,
                SMALL,
            );
            for (k, series) in self.series.iter().enumerate() {
                let Some(value) = series.values.get(i).copied().filter(|v| v.is_finite()) else { continue };
                let x = left + k as f64 * bar;
                let (top, bottom) = (to_y(value.max(0.0)), to_y(value.min(0.0)));
                svg.rect(x + 0.04 * bar, top, 0.92 * bar, bottom - top, palette::series(k), 1.0);
                if let Some((low, high)) =
                    series.intervals.get(i).filter(|e| e.0.is_finite() && e.1.is_finite())
                {
                    whisker(svg, x + 0.5 * bar, to_y(*low), to_y(*high), palette::INK);
                }
            }
        }
        frame.border(svg);
        frame.names(svg, names.0, names.1);
    }
}
