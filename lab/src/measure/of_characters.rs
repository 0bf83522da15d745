//! Quantities of characters, with their references and feet: adding one is adding its row here. (What a controller says
//! of itself needs no row: scenes measure its readings by name.)

use stuntlab_control::Senses;
use stuntlab_control::chronicle::{Entry, in_order};
use stuntlab_physics::Bodies;
use stuntlab_physics::collide::{ColliderId, Ray, cast_ray};
use stuntlab_physics::glam::DVec3;

use super::quantity::{Base, Look, Quantity, Stat, Subject};
use super::watch::Watched;

/// Jitter is relative to the reference's own, or to this where the reference is calmer, rad/s².
const CALM: f64 = 5.0;

const fn row(
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    sample: fn(&Look<'_>) -> Option<f64>,
) -> Quantity {
    Quantity::new(name, unit, Subject::Characters, help, sample)
}

/// Needs the character's recording, which is followed only where this is measured.
pub(super) const WAY_SHARE: &str = "way-share";

/// Needs a look at the whole recording, which is taken only where this is measured.
pub(super) const LAUNCH: &str = "launch";

/// The rows.
pub(super) const ROWS: &[Quantity] = &[
    row(
        "falls",
        "",
        "Characters whose root is over their lowest part by less than 60 % of what it is in their reference, or was at the start, and by more than 12 cm less",
        |l| Some(all(l).filter(|w| w.has_fallen()).count() as f64),
    )
    .usually(Stat::Last),
    row("standing", "", "Characters that are about as high and as upright as their reference", |l| {
        Some(all(l).filter(|w| w.stands()).count() as f64)
    })
    .usually(Stat::Last),
    row(
        "tracking-error",
        "rad",
        "Mean angle between a character's bones and those of its reference, relative to their roots",
        |l| mean(all(l).filter_map(|w| w.tracking_error)),
    )
    .usually(Stat::Mean),
    row(
        "attitude-error",
        "rad",
        "Mean angle between a character's bones, root included, and those of its reference turned about the vertical to fit them best",
        |l| mean(all(l).filter_map(|w| w.attitude_error)),
    )
    .usually(Stat::Mean),
    Quantity {
        base: Some(Base { of: |l| mean(powers(l).map(|p| p.1.sqrt())).unwrap_or(0.0), least: CALM }),
        ..row(
            "jitter",
            "of 1",
            "Angular acceleration of the bones above 10 Hz relative to the reference's own (at least 5 rad/s², a calm hand's)",
            |l| mean(powers(l).map(|p| p.0.sqrt())),
        )
    }
    .usually(Stat::Rms),
    row("root-tilt", "rad", "Angle by which a character's root leans away from its reference's", |l| {
        mean(all(l).filter_map(|w| w.tilt))
    })
    .usually(Stat::Rms),
    row("flight", "of 1", "Whether a character touches nothing: its total is seconds of flight", |l| {
        mean(all(l).map(|w| f64::from(u8::from(w.airborne))))
    })
    .totalling("s"),
    row("foot-penetration", "m", "Deepest overlap of a character's feet", |l| {
        Some(all(l).map(|w| w.foot_depth).fold(0.0, f64::max))
    }),
    row(
        "clearance",
        "m",
        "Least height of a character's soles and joints over what never moves, seen from a metre above them: below zero they are inside, played back or not",
        clearance,
    )
    .usually(Stat::Min),
    row(
        "foot-slide",
        "m/s",
        "Speed of a character's feet along what they stand on: its total is the way they slid",
        |l| mean(all(l).map(|w| w.foot_slide)),
    )
    .totalling("m"),
    row("slide-per-metre", "m/m", "Way a character's feet slid so far per metre it has come", |l| {
        mean(all(l).map(|w| w.way.slide()))
    })
    .usually(Stat::Last),
    row(
        "within-reach",
        "of 1",
        "Whether two characters, while both stand, are near enough for a punch: roots within 1.11 m",
        |l| {
            let both_stand = all(l).count() == 2 && all(l).all(Watched::stands);
            l.start.pair().is_within_reach().filter(|_| both_stand).map(|near| f64::from(u8::from(near)))
        },
    )
    .usually(Stat::Mean),
    row(
        "clinch",
        "s",
        "For how long two characters who stand have been too near for a punch (0.79 m), with an arm on the other",
        |l| Some(l.start.pair().clinch),
    ),
    row(WAY_SHARE, "of 1", "How far a character has come, of how far its recording comes", |l| {
        mean(all(l).filter_map(|w| w.way.share()))
    })
    .usually(Stat::Last),
    row(
        "skill-order",
        "of 1",
        "Whether what characters chose, one after the other, is the measurement's `order` (names that end in ? may be left out): 1 if all of it is, else the share that agrees from the start on",
        skill_order,
    )
    .usually(Stat::Last),
    row(LAUNCH, "of 1", "Height of a character's highest body beside the highest of its whole recording", |l| {
        all(l).filter_map(|w| w.launch.and_then(|launch| launch.share())).reduce(f64::max)
    }),
];

/// The least of all characters that choose.
fn skill_order(look: &Look<'_>) -> Option<f64> {
    let own = |bodies: Bodies| look.of.is_none_or(|body| bodies.contains(body));
    let all = look.world.cast().iter().zip(&look.world.controllers);
    let share = |chosen: &[Entry]| in_order(chosen, look.order);
    let mine =
        all.filter(|(member, _)| own(member.bodies)).map(|(_, controller)| share(controller.chronicle()));
    mine.reduce(f64::min)
}

/// Played back bodies have no contacts with the world, so contacts do not tell.
fn clearance(look: &Look<'_>) -> Option<f64> {
    let (world, colliders) = (look.world, look.world.model().colliders());
    let is_fixed = |id: ColliderId| colliders.list()[id.index()].body.is_none();
    let over = |point: DVec3| {
        let ray = Ray { origin: point + DVec3::Z, direction: DVec3::NEG_Z, max_distance: 100.0 };
        let hit = cast_ray(colliders, &world.data.collision.world_from_shape, &ray, is_fixed)?;
        Some(point.z - hit.point_world.z)
    };
    let of = |senses: &Senses| {
        let poses = &world.data.position.world_from_body[senses.bodies()];
        let soles =
            senses.physique().soles().iter().map(|s| poses[s.bone.index()].transform_point(s.point_body));
        let joints = poses.iter().map(|pose| pose.translation);
        soles.chain(joints).filter_map(over).fold(f64::INFINITY, f64::min)
    };
    let own = |senses: &&Senses| look.of.is_none_or(|body| senses.bodies().contains(body));
    let least = world.senses().iter().filter(own).map(of).fold(f64::INFINITY, f64::min);
    least.is_finite().then_some(least)
}

/// The characters a measurement is about.
fn all<'a>(look: &'a Look<'_>) -> impl Iterator<Item = &'a Watched> {
    look.start.characters(look.of)
}

/// Power of the shaking of those whose filters have settled, and of their references.
fn powers<'a>(look: &'a Look<'_>) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    look.start.characters(look.of).filter_map(|w| w.jitter.power())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), x| (sum + x, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
