//! What happened in a world and when: events of the scene, hits, falls and the user's own deeds, on a strip to scrub along.

use stuntlab_control::chronicle::Entry;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::font::{self, cap_height};
use stuntlab_viewer::palette::{self, Color};

use crate::run::World;
use crate::scene::What;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) time: f64,
    pub(crate) words: String,
    pub(crate) color: Color,
}

/// All that happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Timeline {
    marks: Vec<Mark>,
    seen: f64,
    /// Whether each character lies, and when it was last hit.
    lies: Vec<bool>,
    hit: Vec<f64>,
    tall: Vec<f64>,
}

/// Marks kept.
const MOST: usize = 400;
/// A centre of mass below this part of its height at the start is a fall.
const LOW: f64 = 0.55;
/// A force of another body beyond this is a hit, N: a light punch.
const HIT: f64 = 200.0;
/// Hits within this time are one, s.
const ONE_HIT: f64 = 0.4;

impl Timeline {
    /// Notes something of now.
    pub(crate) fn note(&mut self, time: f64, words: impl Into<String>, color: Color) {
        if self.marks.len() == MOST {
            self.marks.remove(0);
        }
        self.marks.push(Mark { time, words: words.into(), color });
    }

    /// Looks at a world after a step.
    pub(crate) fn look(&mut self, world: &World) {
        let time = world.state.time;
        if time < self.seen {
            // Somebody scrubbed back and goes on: what had followed did not happen.
            self.marks.retain(|mark| mark.time <= time);
            self.hit.iter_mut().for_each(|hit| *hit = hit.min(time));
        }
        let before = self.seen.min(time);
        self.seen = time;
        for event in world.scene().events.iter().filter(|e| e.time > before - 1e-9 && e.time <= time - 1e-9) {
            let words = match &event.what {
                What::Push { body, .. } => format!("push {body}"),
                What::Throw { body, .. } => format!("throw {body}"),
                What::Drag { body, .. } => format!("drag {body}"),
                What::Command { character, name, .. } => format!("{character}: {name}"),
            };
            self.note(event.time, words, palette::YELLOW);
        }
        for k in 0..world.cast().len() {
            self.member(world, k, time);
            self.choices(world, k, (before, time));
        }
    }

    /// What a character chose within a step.
    fn choices(&mut self, world: &World, k: usize, (before, time): (f64, f64)) {
        let of = |entry: &&Entry| entry.time > before - 1e-9 && entry.time <= time - 1e-9;
        let chosen = world.controllers[k].chronicle();
        for entry in chosen.iter().rev().take(2).rev().filter(of) {
            self.note(
                entry.time,
                format!("{}: {}, {}", world.cast()[k].name, entry.chosen, entry.why),
                palette::BLUE,
            );
        }
    }

    fn member(&mut self, world: &World, k: usize, time: f64) {
        let n = world.cast().len();
        let (senses, member) = (&world.senses()[k], &world.cast()[k]);
        let height = senses.center_of_mass().z - senses.ground();
        if self.tall.len() != n {
            (self.lies, self.hit, self.tall) = (vec![false; n], vec![f64::NEG_INFINITY; n], vec![0.0; n]);
        }
        self.tall[k] = self.tall[k].max(height);
        let lies = height < LOW * self.tall[k];
        if lies && !self.lies[k] {
            self.note(time, format!("{} falls", member.name), palette::VERMILION);
        }
        self.lies[k] = lies;
        let mine = |body| member.bodies.contains(body);
        let other =
            |c: &&stuntlab_physics::contact::Contact| c.body_b.is_some_and(|b| mine(b) != mine(c.body_a));
        let blow: f64 = world.data.contact.points.iter().filter(other).map(|c| c.force.length()).sum();
        if blow > HIT {
            if time > self.hit[k] + ONE_HIT {
                self.note(time, format!("{} is hit, {blow:.0} N", member.name), palette::PURPLE);
            }
            self.hit[k] = time;
        }
    }

    /// All marks.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The mark next to a time, before or after it.
    pub(crate) fn next(&self, time: f64, after: bool) -> Option<f64> {
        let times = self.marks.iter().map(|mark| mark.time);
        if after {
            times.filter(|t| *t > time + 0.02).reduce(f64::min)
        } else {
            times.filter(|t| *t < time - 0.02).reduce(f64::max)
        }
    }

    /// Draws the strip from `span.0` to `span.1` seconds with the present on it, and the words of what the mouse is near.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas,
        area: Rect,
        span: (f64, f64),
        now: f64,
        mouse: Option<(f64, f64)>,
    ) {
        let (x, y, width, height) = (area.x as i32, area.y as i32, area.width as i32, area.height as i32);
        canvas.blend_rect(x, y, width, height, Color::hex(0x1D2530), 1.0);
        // The present may be a step beyond what is remembered.
        let part = |time: f64| ((time - span.0) / (span.1 - span.0).max(1e-9)).clamp(0.0, 1.0);
        let at = |time: f64| x + 4 + (part(time) * f64::from(width - 9)) as i32;
        canvas.blend_rect(x + 4, y + height / 2, width - 8, 2, palette::WHITE, 0.35);
        let mut near: Option<(&Mark, i32)> = None;
        for mark in self.marks.iter().filter(|m| m.time >= span.0 - 1e-9 && m.time <= span.1 + 1e-9) {
            canvas.blend_rect(at(mark.time) - 1, y + 3, 3, height - 6, mark.color, 1.0);
            if let Some((mx, my)) = mouse.filter(|(mx, my)| area.contains(*mx, *my)) {
                let off = (mx as i32 - at(mark.time)).abs();
                if my >= 0.0 && off < 12 && near.is_none_or(|(_, least)| off < least) {
                    near = Some((mark, off));
                }
            }
        }
        canvas.disc(
            (f64::from(at(now)) + 0.5, f64::from(y) + 0.5 * f64::from(height)),
            0.32 * f64::from(height),
            palette::WHITE,
            1.0,
        );
        if let Some((mark, _)) = near {
            let size = (height as usize * 2 / 3).max(11);
            let words = format!("{:.2} s  {}", mark.time, mark.words);
            let wide = font::text_width(&words, size) as i32;
            let left = (at(mark.time) - wide / 2).clamp(x, (x + width - wide).max(x));
            let top = y - cap_height(size) as i32 - 8;
            canvas.blend_rect(
                left - 4,
                top - 4,
                wide + 8,
                cap_height(size) as i32 + 8,
                Color::hex(0x161C26),
                0.8,
            );
            font::draw_text(canvas, left, top, &words, size, palette::WHITE, 1.0);
        }
    }
}

/// The time under the mouse on a strip.
pub(crate) fn time_at(area: Rect, span: (f64, f64), x: f64) -> f64 {
    let part = ((x - area.x as f64 - 4.0) / (area.width as f64 - 9.0).max(1.0)).clamp(0.0, 1.0);
    span.0 + (span.1 - span.0) * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_is_drawn_whatever_is_remembered() {
        let mut timeline = Timeline::default();
        timeline.note(0.0, "push", palette::YELLOW);
        timeline.note(0.5, "fall", palette::VERMILION);
        let mut canvas = Canvas::new(64, 40);
        let area = Rect::new(0, 20, 64, 20);
        for span in [(0.0, 0.0), (0.0, 0.5), (3.0, 2.0), (0.0, f64::NAN)] {
            timeline.draw(&mut canvas, area, span, 7.0, Some((5.0, 30.0)));
        }
        assert_eq!((timeline.next(0.3, false), timeline.next(0.3, true)), (Some(0.0), Some(0.5)));
        assert_eq!(time_at(area, (1.0, 2.0), 1e9), 2.0);
    }
}
