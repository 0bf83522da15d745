//! What to draw: a list the caller clears and fills for every frame. It knows shapes and poses, not bodies.

use std::sync::Arc;

use glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;

use crate::blob::Blob;
use crate::chart::StripChart;
use crate::hud::TextBlock;
use crate::palette::{self, Color};

/// How a solid looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Colour in full light.
    pub color: Color,
    /// 1 is solid; below, what is behind shines through (all transparent solids count as one layer, of which
    /// the nearest surface is seen, so that the overlapping limbs of a ghost do not show).
    pub alpha: f64,
    /// Edges only.
    pub wireframe: bool,
    /// Strength of the highlight, 0 to 1.
    pub gloss: f64,
    /// Whether it throws a shadow. Planes and heightfields never do.
    pub casts_shadow: bool,
    /// Ground pattern with fields of this many metres; 0 for none. Planes and heightfields only.
    pub grid: f64,
}

impl Paint {
    /// A solid, slightly glossy colour.
    pub const fn solid(color: Color) -> Self {
        Self { color, alpha: 1.0, wireframe: false, gloss: 0.25, casts_shadow: true, grid: 0.0 }
    }

    /// A translucent figure without shadow.
    pub const fn ghost(color: Color, alpha: f64) -> Self {
        Self { color, alpha, wireframe: false, gloss: 0.1, casts_shadow: false, grid: 0.0 }
    }

    /// Matt ground with a one-metre grid.
    pub const fn ground(color: Color) -> Self {
        Self { color, alpha: 1.0, wireframe: false, gloss: 0.0, casts_shadow: false, grid: 1.0 }
    }

    /// Edges only.
    pub const fn wire(color: Color) -> Self {
        Self { color, alpha: 1.0, wireframe: true, gloss: 0.0, casts_shadow: false, grid: 0.0 }
    }
}

/// Whether solids hide a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hiding {
    /// Hidden where something is in front.
    Hidden,
    /// Faint where something is in front.
    Faint,
    /// Always seen.
    OnTop,
}

/// How a line, arrow or point looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Flat colour, unlit.
    pub color: Color,
    /// Width (or a point's diameter) in pixels of the canvas.
    pub width: f64,
    /// 0 to 1.
    pub alpha: f64,
    /// What solids in front do to it.
    pub hiding: Hiding,
}

impl Stroke {
    /// An opaque stroke that solids hide.
    pub const fn new(color: Color, width: f64) -> Self {
        Self { color, width, alpha: 1.0, hiding: Hiding::Hidden }
    }

    /// The same, seen faintly through solids.
    pub const fn faint_behind(mut self) -> Self {
        self.hiding = Hiding::Faint;
        self
    }

    /// The same, always seen.
    pub const fn on_top(mut self) -> Self {
        self.hiding = Hiding::OnTop;
        self
    }

    /// The same with another opacity.
    pub const fn with_alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }
}

/// What a solid is.
#[derive(Clone, Debug)]
pub enum Form {
    /// A shape as contacts know it.
    Shape(Shape),
    /// A smooth body that is only drawn.
    Blob(Arc<Blob>),
}

/// A form somewhere.
#[derive(Clone, Debug)]
pub struct Solid {
    /// Geometry in its own frame.
    pub form: Form,
    /// Where it is.
    pub world_from_shape: Transform,
    /// How it looks.
    pub paint: Paint,
}

/// A flat drawing in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mark {
    Segment {
        from: DVec3,
        to: DVec3,
    },
    Arrow {
        from: DVec3,
        to: DVec3,
    },
    Point {
        at: DVec3,
    },
    /// Convex loop, a range of `Picture::corners`.
    Polygon {
        first: usize,
        count: usize,
    },
}

/// Text hung on a world point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    pub(crate) at: DVec3,
    pub(crate) text: String,
    pub(crate) color: Color,
    /// Whether it stays at the rim when its point leaves the picture.
    pub(crate) stays: bool,
}

/// Light, sky and air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Environment {
    /// Direction towards the sun.
    pub sun: DVec3,
    /// Sky overhead.
    pub zenith: Color,
    /// Sky at the horizon; also what distance fades to.
    pub horizon: Color,
    /// Distance at which half of a thing's colour is lost to the air, metres.
    pub fog_distance: f64,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            sun: DVec3::new(-0.52, -0.42, 0.86),
            zenith: Color::hex(0x6F9BC8),
            horizon: Color::hex(0xDFE7EE),
            fog_distance: 38.0,
        }
    }
}

/// Everything seen in one viewport.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Light, sky and air.
    pub environment: Environment,
    /// Size of letters, pixels; 0 chooses by the viewport.
    pub letters: usize,
    pub(crate) solids: Vec<Solid>,
    pub(crate) marks: Vec<(Mark, Stroke)>,
    pub(crate) corners: Vec<DVec3>,
    pub(crate) labels: Vec<Label>,
    pub(crate) texts: Vec<TextBlock>,
    pub(crate) charts: Vec<StripChart>,
}

impl Picture {
    /// An empty world under the standard sky.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the list, keeps the memory, the environment and the size of letters.
    pub fn clear(&mut self) {
        self.solids.clear();
        self.marks.clear();
        self.corners.clear();
        self.labels.clear();
        self.texts.clear();
        self.charts.clear();
    }

    /// The solids so far.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// Adds a shape. One with a pose that is not finite is left out.
    pub fn solid(&mut self, shape: &Shape, world_from_shape: Transform, paint: Paint) {
        self.form(Form::Shape(shape.clone()), world_from_shape, paint);
    }

    /// Adds a smooth body. One with a pose that is not finite is left out.
    pub fn blob(&mut self, blob: &Arc<Blob>, world_from_blob: Transform, paint: Paint) {
        self.form(Form::Blob(blob.clone()), world_from_blob, paint);
    }

    fn form(&mut self, form: Form, world_from_shape: Transform, paint: Paint) {
        if world_from_shape.is_finite() {
            self.solids.push(Solid { form, world_from_shape, paint });
        }
    }

    /// Adds the ground z = 0 with its grid.
    pub fn ground(&mut self) {
        self.solid(&Shape::Plane, Transform::IDENTITY, Paint::ground(palette::GROUND));
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: DVec3, to: DVec3, stroke: Stroke) {
        self.mark(Mark::Segment { from, to }, from.is_finite() && to.is_finite(), stroke);
    }

    /// Adds an arrow, its head at `to`.
    pub fn arrow(&mut self, from: DVec3, to: DVec3, stroke: Stroke) {
        self.mark(Mark::Arrow { from, to }, from.is_finite() && to.is_finite(), stroke);
    }

    /// Adds a round dot of `stroke.width` pixels across.
    pub fn point(&mut self, at: DVec3, stroke: Stroke) {
        self.mark(Mark::Point { at }, at.is_finite(), stroke);
    }

    /// Adds a line through points, such as a trajectory.
    pub fn polyline(&mut self, points: &[DVec3], stroke: Stroke) {
        for pair in points.windows(2) {
            self.line(pair[0], pair[1], stroke);
        }
    }

    /// Adds a trajectory that fades out towards its first (oldest) point.
    pub fn trail(&mut self, points: &[DVec3], stroke: Stroke) {
        let n = points.len().max(2) as f64 - 1.0;
        for (i, pair) in points.windows(2).enumerate() {
            self.line(pair[0], pair[1], stroke.with_alpha(stroke.alpha * (i as f64 + 1.0) / n));
        }
    }

    /// Adds a filled convex polygon; `points` in order around it. The stroke's width is the outline's.
    pub fn polygon(&mut self, points: &[DVec3], stroke: Stroke) {
        if points.len() >= 3 && points.iter().all(|p| p.is_finite()) {
            let first = self.corners.len();
            self.corners.extend_from_slice(points);
            self.mark(
                Mark::Polygon { first, count: points.len() },
                true,
                stroke.with_alpha(0.3 * stroke.alpha),
            );
        }
        if stroke.width > 0.0 {
            for (i, &from) in points.iter().enumerate() {
                self.line(from, points[(i + 1) % points.len()], stroke);
            }
        }
    }

    /// Adds the support polygon: the convex hull, seen from above, of the contact points.
    pub fn support_polygon(&mut self, contacts: &[DVec3], stroke: Stroke) {
        self.polygon(&convex_hull_from_above(contacts), stroke);
    }

    /// Adds three short axes, x vermilion, y green, z blue.
    pub fn frame(&mut self, world_from_frame: Transform, length: f64) {
        let colors = [palette::VERMILION, palette::GREEN, palette::BLUE];
        for (axis, color) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(colors) {
            let tip = world_from_frame.transform_point(axis * length);
            self.line(world_from_frame.translation, tip, Stroke::new(color, 2.0).on_top());
        }
    }

    /// Hangs a name on a world point; where that leaves the picture, the name stays at its rim.
    pub fn label(&mut self, at: DVec3, text: impl Into<String>, color: Color) {
        if at.is_finite() {
            self.labels.push(Label { at, text: text.into(), color, stays: true });
        }
    }

    /// Hangs a remark on a world point, left out where that is outside of the picture.
    pub fn remark(&mut self, at: DVec3, text: impl Into<String>, color: Color) {
        if at.is_finite() {
            self.labels.push(Label { at, text: text.into(), color, stays: false });
        }
    }

    /// Adds a block of text in a corner of the viewport.
    pub fn text(&mut self, block: TextBlock) {
        self.texts.push(block);
    }

    /// Adds a strip chart.
    pub fn chart(&mut self, chart: StripChart) {
        self.charts.push(chart);
    }

    fn mark(&mut self, mark: Mark, finite: bool, stroke: Stroke) {
        if finite {
            self.marks.push((mark, stroke));
        }
    }
}

/// Corners of the hull in x and y, counter-clockwise (Andrew's monotone chain); z is each point's own.
fn convex_hull_from_above(points: &[DVec3]) -> Vec<DVec3> {
    let mut sorted: Vec<DVec3> = points.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup_by(|a, b| a.x == b.x && a.y == b.y);
    if sorted.len() < 3 {
        return sorted;
    }
    let chain = |order: &mut dyn Iterator<Item = DVec3>| {
        let mut hull: Vec<DVec3> = Vec::new();
        for p in order {
            while let [.., a, b] = hull[..] {
                if (b - a).truncate().perp_dot((p - a).truncate()) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
        hull
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_drops_inner_points() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let mut points: Vec<DVec3> = square.iter().map(|&(x, y)| DVec3::new(x, y, 0.1)).collect();
        points.extend([DVec3::new(0.5, 0.4, 0.0), DVec3::new(0.5, 0.0, 0.0), DVec3::NAN]);
        let hull = convex_hull_from_above(&points);
        assert_eq!(hull.len(), 4);
        assert!(hull.iter().all(|p| p.z == 0.1));
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let mut picture = Picture::new();
        picture.line(DVec3::NAN, DVec3::ZERO, Stroke::new(palette::BLUE, 1.0));
        picture.solid(
            &Shape::Plane,
            Transform::from_translation(DVec3::INFINITY),
            Paint::ground(palette::GROUND),
        );
        picture.support_polygon(&[DVec3::ZERO], Stroke::new(palette::BLUE, 0.0));
        assert!(picture.marks.is_empty() && picture.solids.is_empty());
    }
}
