//! What a file does not say, guessed from the motion, with sentences for a person: unit and up axis.

use crate::skeleton::JointId;
use crate::{Clip, Roles};
use glam::DVec3;

/// Length unit of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Unit {
    /// 1 m.
    Metres,
    /// 0.01 m.
    Centimetres,
    /// 0.001 m.
    Millimetres,
    /// 0.0254 m.
    Inches,
    /// 0.0254/0.45 m, the unit of the CMU database.
    Cmu,
    /// Any other, in metres.
    Other(f64),
}

impl Unit {
    /// Units a file is likely to be in.
    pub const COMMON: [Self; 5] =
        [Self::Metres, Self::Centimetres, Self::Millimetres, Self::Inches, Self::Cmu];

    /// Length of the unit in metres.
    pub const fn metres(self) -> f64 {
        match self {
            Self::Metres => 1.0,
            Self::Centimetres => 0.01,
            Self::Millimetres => 0.001,
            Self::Inches => 0.0254,
            Self::Cmu => 0.0254 / 0.45,
            Self::Other(metres) => metres,
        }
    }

    /// Word for a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metres => "metres",
            Self::Centimetres => "centimetres",
            Self::Millimetres => "millimetres",
            Self::Inches => "inches",
            Self::Cmu => "CMU units (5.64 cm)",
            Self::Other(_) => "a unit of its own",
        }
    }
}

/// Up axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// y points up, as in most BVH files.
    Y,
    /// z points up.
    Z,
}

/// Leg length of a middle-sized adult, hip to ankle, in metres.
const LEG: f64 = 0.83;
/// Height of the joints of a middle-sized adult, in metres.
const HEIGHT: f64 = 1.6;

/// The common unit that makes the body most nearly adult-sized, and a sentence about it. The clip is in file units.
pub(crate) fn find_unit(clip: &Clip, roles: &Roles) -> (Unit, String) {
    let leg = leg_length(clip, roles).unwrap_or(0.0);
    let (size, adult, what) =
        if leg > 0.0 { (leg, LEG, "leg") } else { (first_extent(clip), HEIGHT, "skeleton") };
    let misfit = |unit: &Unit| (size * unit.metres() / adult).ln().abs();
    let unit =
        Unit::COMMON.into_iter().min_by(|a, b| misfit(a).total_cmp(&misfit(b))).unwrap_or(Unit::Metres);
    let fitted = size * unit.metres();
    if size <= 0.0 || misfit(&unit) > 0.5 {
        let unit = if size > 0.0 { Unit::Other(adult / size) } else { Unit::Metres };
        return (
            unit,
            format!(
                "No common length unit fits a {what} of {size:.3} file units; it was scaled to an adult's."
            ),
        );
    }
    (unit, format!("The unit is taken as {}: the {what} is then {fitted:.2} m long.", unit.name()))
}

/// The longer leg, hip to ankle, in the clip's units; none where no knees and ankles are found by name.
pub(crate) fn leg_length(clip: &Clip, roles: &Roles) -> Option<f64> {
    let offset = |joint: Option<JointId>| joint.map(|j| clip.skeleton().joints()[j].offset.length());
    let legs = [roles.left, roles.right];
    legs.iter().filter_map(|l| Some(offset(l.knee)? + offset(l.ankle)?)).max_by(f64::total_cmp)
}

/// Largest extent of the first frame, in file units.
fn first_extent(clip: &Clip) -> f64 {
    let mut world = Vec::new();
    clip.world(0, &mut world);
    let points = world.iter().map(|t| t.translation);
    let sites = clip.skeleton().end_sites().iter().map(|e| world[e.joint].transform_point(e.offset));
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for p in points.chain(sites) {
        (low, high) = (low.min(p), high.max(p));
    }
    (high - low).max_element()
}

/// The up axis as the mean direction from feet to head, and a sentence about it. The clip is in file axes.
pub(crate) fn find_up_axis(clip: &Clip, roles: &Roles) -> (UpAxis, String) {
    let upper = roles.head.or(roles.neck).or(roles.chest);
    let (Some(upper), Some(left), Some(right)) = (upper, roles.left.ankle, roles.right.ankle) else {
        return up_axis_of_extent(clip);
    };
    // A rest pose that stands along an axis tells it, whatever the actor does.
    let rest = clip.skeleton().rest_positions();
    let stand = (rest[upper] - 0.5 * (rest[left] + rest[right])).normalize_or_zero();
    for (up, along) in [(UpAxis::Y, stand.y), (UpAxis::Z, stand.z)] {
        if along > 0.9 {
            return (up, format!("The up axis is taken as {up:?}: the rest pose stands along it."));
        }
    }
    let mut world = Vec::new();
    let mut sum = DVec3::ZERO;
    let step = (clip.n_frames() / 100).max(1);
    for frame in (0..clip.n_frames()).step_by(step) {
        clip.world(frame, &mut world);
        let feet = 0.5 * (world[left].translation + world[right].translation);
        // A stretched body says more than a crouched one: no normalising.
        sum += world[upper].translation - feet;
    }
    let up = if sum.z.abs() > sum.y.abs() { UpAxis::Z } else { UpAxis::Y };
    (up, format!("The up axis is taken as {up:?}: the head is above the feet along it on average."))
}

/// Without feet and head: the longer extent of the first frame.
fn up_axis_of_extent(clip: &Clip) -> (UpAxis, String) {
    let mut world = Vec::new();
    clip.world(0, &mut world);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let sites = clip.skeleton().end_sites().iter().map(|e| world[e.joint].transform_point(e.offset));
    for p in world.iter().map(|t| t.translation).chain(sites) {
        (low, high) = (low.min(p), high.max(p));
    }
    let size = high - low;
    let up = if size.z > size.y { UpAxis::Z } else { UpAxis::Y };
    (
        up,
        format!(
            "The up axis is taken as {up:?}, the longer side of the first frame: no legs and head were found by name."
        ),
    )
}
