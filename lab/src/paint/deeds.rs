//! What is done to a world from outside, drawn: pushes, drags and throws, by the scene or by hand.

use stuntlab_physics::BodyId;
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::picture::{Picture, Stroke};

use crate::run::{Hands, World, along};
use crate::scene::What;

/// Something done to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// A spring, drawn as one; else an arrow.
    pub spring: bool,
    /// Where it begins.
    pub from: DVec3,
    /// Where it ends.
    pub to: DVec3,
    /// What it is, with its unit; may be empty.
    pub words: String,
    /// Where the words are: away from what is hit, so that they do not hide it.
    pub said_at: DVec3,
}

/// How long a push or a throw stays in sight, s.
const STAYS: f64 = 0.6;
/// Length of a push's arrow, m per N s.
const PER_IMPULSE: f64 = 0.01;
/// Arrows are no longer than this, m: taller than a figure they say nothing more.
const LONGEST: f64 = 0.9;
/// Length of a throw's arrow, m per m/s.
const PER_SPEED: f64 = 0.08;
/// Words about a push or a drag are so far above whom it is done to, m: over the name.
const OVER_NAME: f64 = 0.45;
/// Words about a throw are so far above where it began, m.
const OVER_THROW: f64 = 0.2;
/// Colour of all deeds.
const COLOR: Color = Color::hex(0xE0218A);

/// What the scene's events and a user's hands do now, or did just before.
pub(crate) fn deeds(world: &World, hands: &Hands) -> Vec<Deed> {
    let time = world.state.time;
    let lasting = |start: f64, duration: f64| time >= start - 1e-9 && time < start + duration + STAYS;
    let pose = |body: BodyId| world.data.world_from_body(body);
    let mut all = Vec::new();
    let mut push = |body: BodyId, point: DVec3, impulse: DVec3| {
        let to = pose(body).transform_point(point);
        let arrow = (impulse * PER_IMPULSE).clamp_length_max(LONGEST);
        let words = format!("{:.0} N s", impulse.length());
        let said_at = above(world, body).unwrap_or(to - arrow);
        all.push(Deed { spring: false, from: to - arrow, to, words, said_at });
    };
    for event in &world.scene().events {
        if let What::Push { body, impulse, point_body, duration } = &event.what
            && let Some(body) = world.find(body).filter(|_| lasting(event.time, *duration))
        {
            push(body, *point_body, *impulse);
        }
    }
    for p in hands.pushes.iter().filter(|p| lasting(p.start, p.duration)) {
        push(p.body, p.point_body, p.impulse);
    }
    for event in &world.scene().events {
        match &event.what {
            What::Drag { body, point_body, path, duration, .. } => {
                let progress = (time - event.time) / duration;
                if let Some(body) = world.find(body).filter(|_| (0.0..1.0).contains(&progress)) {
                    all.push(spring(world, body, *point_body, along(path, progress)));
                }
            }
            What::Throw { body, from: start, velocity, .. } => {
                if let Some(body) = world.find(body).filter(|_| lasting(event.time, 0.0)) {
                    let from = pose(body).translation;
                    let to = from + (*velocity * PER_SPEED).clamp_length_max(LONGEST);
                    all.push(Deed {
                        spring: false,
                        from,
                        to,
                        words: format!("{:.1} m/s", velocity.length()),
                        said_at: *start + DVec3::Z * OVER_THROW,
                    });
                }
            }
            What::Push { .. } | What::Command { .. } => {}
        }
    }
    if let Some(drag) = &hands.drag {
        all.push(spring(world, drag.body, drag.point_body, drag.target));
    }
    all
}

fn spring(world: &World, body: BodyId, point: DVec3, to: DVec3) -> Deed {
    let from = world.data.world_from_body(body).transform_point(point);
    let said_at = above(world, body).unwrap_or(to);
    Deed { spring: true, from, to, words: format!("{:.2} m", from.distance(to)), said_at }
}

/// Above the character a body belongs to.
fn above(world: &World, body: BodyId) -> Option<DVec3> {
    let (k, member) = world.cast().iter().enumerate().find(|(_, m)| m.bodies.contains(body))?;
    let height = |b: BodyId| world.data.world_from_body(b).translation.z;
    let center = world.senses()[k].center_of_mass();
    Some(center.with_z(member.bodies.iter().map(height).fold(center.z, f64::max) + OVER_NAME))
}

/// Turns of a drawn spring.
const TURNS: usize = 9;
/// Its half width, m.
const WIDTH: f64 = 0.035;

pub(super) fn draw(picture: &mut Picture, deed: &Deed) {
    let stroke = Stroke::new(COLOR, 3.5).on_top();
    if deed.spring {
        let way = deed.to - deed.from;
        let side = way.normalize_or(DVec3::Z).any_orthonormal_vector() * WIDTH;
        let turn = |k: usize| {
            let part = (k as f64 + 0.5) / TURNS as f64;
            deed.from + way * part + if k.is_multiple_of(2) { side } else { -side }
        };
        let mut points = vec![deed.from];
        points.extend((0..TURNS).map(turn));
        points.push(deed.to);
        picture.polyline(&points, stroke);
        picture.point(deed.from, Stroke::new(COLOR, 8.0).on_top());
        picture.point(deed.to, Stroke::new(palette::WHITE, 8.0).on_top());
    } else {
        picture.arrow(deed.from, deed.to, Stroke { width: 5.0, ..stroke });
    }
    if !deed.words.is_empty() {
        picture.remark(deed.said_at, deed.words.clone(), COLOR);
    }
}
