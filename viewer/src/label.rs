//! Names hung on world points: each inside the picture, none over another.

use crate::camera::View;
use crate::canvas::{Canvas, Rect};
use crate::font::{self, cap_height};
use crate::hud::{PANEL, Stack, panel};
use crate::palette::{self, Color};
use crate::picture::Label;

/// Where a label goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    /// Number of the label.
    pub(crate) label: usize,
    /// Its panel: left, top, width, height.
    pub(crate) panel: [i32; 4],
    /// What it names, pixels.
    pub(crate) anchor: (f64, f64),
}

/// Pixels between letters and the rim of the panel.
fn pad(size: usize) -> i32 {
    size as i32 / 4 + 1
}

/// Whether two rectangles (left, top, width, height) have no pixel in common.
fn apart([ax, ay, aw, ah]: [i32; 4], [bx, by, bw, bh]: [i32; 4]) -> bool {
    ax + aw <= bx || bx + bw <= ax || ay + ah <= by || by + bh <= ay
}

/// Places names, then remarks, the nearest first, clear of each other and, where there is room, of what is in the corners. One whose
/// point is outside of the picture sits at the picture's rim; one behind the eye, or wider than the picture, is left out.
pub(crate) fn place(labels: &[Label], view: &View, viewport: Rect, stack: &Stack) -> Vec<Placed> {
    let size = stack.size();
    let pad = pad(size);
    let mut order: Vec<(usize, f64)> =
        labels.iter().enumerate().filter_map(|(k, l)| Some((k, view.project(l.at)?.depth))).collect();
    let remark = |k: usize| !labels[k].stays;
    order.sort_by(|a, b| remark(a.0).cmp(&remark(b.0)).then(a.1.total_cmp(&b.1)).then(a.0.cmp(&b.0)));
    let mut placed: Vec<Placed> = Vec::new();
    for (number, _) in order {
        let label = &labels[number];
        let Some(seen) = view.project(label.at) else { continue };
        if !label.stays && !viewport.contains(seen.pixel.x, seen.pixel.y) {
            continue;
        }
        let width = font::text_width(&label.text, size) as i32 + 2 * pad;
        let height = cap_height(size) as i32 + 2 * pad;
        let (left, top) = (viewport.x as i32, viewport.y as i32);
        let (most_x, most_y) = (left + viewport.width as i32 - width, top + viewport.height as i32 - height);
        if most_x < left || most_y < top {
            continue;
        }
        let x = (seen.pixel.x.clamp(-1e6, 1e6) as i32 - width / 2).clamp(left, most_x);
        let start = (seen.pixel.y.clamp(-1e6, 1e6) as i32 - height - pad).clamp(top, most_y);
        let free = |y: &i32| placed.iter().all(|p| apart(p.panel, [x, *y, width, height]));
        let clear = |y: &i32| stack.taken.iter().all(|t| apart(*t, [x, *y, width, height]));
        // Up while there is room, then down.
        let step = height + 2;
        let rows = (most_y - top) / step + 1;
        let up = (0..rows).map(|k| start - k * step).filter(|y| *y >= top);
        let down = (1..rows).map(|k| start + k * step).filter(|y| *y <= most_y);
        let places: Vec<i32> = up.chain(down).filter(free).collect();
        let y = places.iter().find(|y| clear(y)).or(places.first()).copied().unwrap_or(start);
        let anchor = (seen.pixel.x, seen.pixel.y);
        placed.push(Placed { label: number, panel: [x, y, width, height], anchor });
    }
    placed
}

pub(crate) fn draw(labels: &[Label], view: &View, viewport: Rect, stack: &Stack, canvas: &mut Canvas) {
    let size = stack.size();
    let pad = pad(size);
    for Placed { label, panel: [x, y, width, height], anchor } in place(labels, view, viewport, stack) {
        let label = &labels[label];
        let bottom = f64::from(y + height);
        let middle = f64::from(x + width / 2);
        // Remarks are above names, which a line would cross.
        if label.stays && anchor.1 > bottom + 1.5 * f64::from(height) {
            canvas.stroke((middle, bottom), anchor, 1.2, palette::WHITE, 0.7);
        }
        panel(canvas, x, y, width, height, PANEL);
        // The colour of what is named as a bar under its name; letters stay legible whatever it is.
        canvas.blend_rect(x + pad, y + height - pad / 2 - 1, width - 2 * pad, 2, label.color, 1.0);
        font::draw_text(canvas, x + pad, y + pad - 1, &label.text, size, Color::hex(0xFFFFFF), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::hud::{Corner, TextBlock, lay};
    use glam::DVec3;

    #[test]
    fn every_label_is_inside_the_picture_and_few_meet() {
        let mut random = 7u64;
        let mut draw = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for _ in 0..200 {
            let viewport = Rect::new(17, 9, 320, 200);
            let camera = Camera { yaw: 6.0 * draw(), pitch: draw(), ..Camera::default() };
            let labels: Vec<Label> = (0..6)
                .map(|k| Label {
                    at: DVec3::new(4.0 * draw(), 4.0 * draw(), 2.0 * draw()),
                    text: format!("figure {k}"),
                    color: palette::ORANGE,
                    stays: k % 2 == 0,
                })
                .collect();
            let mut stack = Stack::new(viewport, 0);
            lay(&TextBlock::new(Corner::TopLeft, "a title\nand a line"), &mut stack);
            let placed = place(&labels, &camera.view(viewport), viewport, &stack);
            for (k, p) in placed.iter().enumerate() {
                let [x, y, width, height] = p.panel;
                assert!(x >= 17 && y >= 9 && x + width <= 17 + 320 && y + height <= 9 + 200, "{p:?}");
                assert!(stack.taken.iter().all(|t| apart(*t, p.panel)), "{p:?} over the title");
                for q in &placed[..k] {
                    assert!(apart(q.panel, p.panel), "{p:?} over {q:?}");
                }
            }
        }
    }
}
