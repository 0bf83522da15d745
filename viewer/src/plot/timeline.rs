//! What went on when: spans in rows over time.

use super::Figure;
use super::axis::Axis;
use super::frame::{GRID, Key, head};
use super::svg::{Anchor, SMALL, Svg, width as text_width};
use crate::palette::{self, Color};

/// Something that lasted.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Which row.
    pub row: usize,
    /// When it began.
    pub from: f64,
    /// When it ended; a moment where it is the same.
    pub to: f64,
    /// Which kind of thing: its colour and name are those of the kind.
    pub kind: usize,
}

/// Rows of spans over a common time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Heading.
    pub title: String,
    /// Name and unit of time.
    pub x_label: String,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// Names of the kinds.
    pub kinds: Vec<String>,
    /// The spans.
    pub spans: Vec<Span>,
    /// Range of time; from the spans where absent.
    pub x_range: Option<(f64, f64)>,
}

impl Figure for Timeline {
    fn draw(&self, svg: &mut Svg, width: f64, height: f64) {
        let sound: Vec<&Span> =
            self.spans.iter().filter(|s| s.from.is_finite() && s.to.is_finite()).collect();
        let axis = Axis::new(self.x_range, sound.iter().flat_map(|s| [s.from, s.to]), false, 0.0);
        let legend: Vec<(String, Key)> = self
            .kinds
            .iter()
            .enumerate()
            .map(|(k, name)| (name.clone(), Key::Box(palette::series(k))))
            .collect();
        let names = (self.x_label.as_str(), "");
        let frame = head(svg, (width, height), &self.title, &legend, &self.rows, names, 4.0);
        let row = frame.height() / self.rows.len().max(1) as f64;
        frame.x_axis(svg, &axis.ticks((frame.width() / 65.0) as usize), &axis);
        for (j, name) in self.rows.iter().enumerate() {
            let y = frame.top + (j as f64 + 0.5) * row;
            svg.path(&[(frame.left, y), (frame.right, y)], GRID);
            svg.text(frame.left - 6.0, y, name, Anchor::End, palette::INK, SMALL);
        }
        for span in sound.iter().filter(|s| s.row < self.rows.len()) {
            let place = |t: f64| frame.left + axis.part(t).clamp(0.0, 1.0) * frame.width();
            // A moment is still seen.
            let (from, wide) = (place(span.from), (place(span.to) - place(span.from)).max(1.6));
            let (top, tall) = (frame.top + (span.row as f64 + 0.2) * row, 0.6 * row);
            let color = palette::series(span.kind);
            svg.rect(from, top, wide, tall, color, 1.0);
            let label = self.kinds.get(span.kind).map_or("", String::as_str);
            if text_width(label, SMALL) + 8.0 < wide && 1.3 * SMALL < tall {
                svg.text(from + 0.5 * wide, top + 0.5 * tall, label, Anchor::Middle, ink_on(color), SMALL);
            }
        }
        frame.border(svg);
        frame.names(svg, names.0, names.1);
    }
}

fn ink_on(c: Color) -> Color {
    let light = 0.2126 * f64::from(c.r) + 0.7152 * f64::from(c.g) + 0.0722 * f64::from(c.b);
    if light > 140.0 { palette::INK } else { palette::WHITE }
}
