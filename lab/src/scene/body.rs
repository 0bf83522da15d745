//! Loose and jointed bodies: boxes, spheres, capsules, one by one or in rows.

use stuntlab_physics::Joint;
use stuntlab_physics::Limits;
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};

use super::Fields;
use super::SceneError;
use super::place::{read_material, read_place, turn};
use super::terrain::required_size;
use crate::random::Random;

/// A body of a scene.
#[derive(Clone, Debug)]
pub(crate) struct BodyItem {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) shape: Shape,
    pub(crate) inertia: Inertia,
    pub(crate) material: Material,
    /// Where the shape is at the start.
    pub(crate) world_from_shape: Transform,
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    /// Waits out of the way until an event throws it.
    pub(crate) parked: bool,
    pub(crate) joint: Option<BodyJoint>,
}

/// A joint to another body or to the world.
#[derive(Clone, Debug)]
pub(crate) struct BodyJoint {
    pub(crate) parent: Option<String>,
    pub(crate) joint: Joint,
    /// Where the joint is, world.
    pub(crate) anchor: DVec3,
    /// Position at the start, in the joint's own units.
    pub(crate) start: f64,
    /// Rates at the start: one, or those of a ball joint.
    pub(crate) rate: DVec3,
}

#[derive(Clone, Copy)]
enum Kind {
    Box,
    Sphere,
    Capsule,
}

const KINDS: [(&str, Kind); 3] = [("box", Kind::Box), ("sphere", Kind::Sphere), ("capsule", Kind::Capsule)];

/// Shape and volume from `shape` and its dimensions.
fn read_shape(fields: &Fields<'_>) -> Result<(Shape, f64), SceneError> {
    let required =
        |key| fields.positive(key).and_then(|v| v.ok_or_else(|| fields.missing(key, "a length in metres")));
    Ok(match fields.required_choice("shape", &KINDS)? {
        Kind::Box => {
            let size = required_size(fields)?;
            let half_extents = 0.5 * size;
            let rounding = fields.at_least_zero("rounding")?.unwrap_or(0.0);
            if rounding > half_extents.min_element() {
                return Err(fields.error("rounding", "is more than half of the smallest edge"));
            }
            (Shape::Box { half_extents, rounding }, size.x * size.y * size.z)
        }
        Kind::Sphere => {
            let radius = required("radius")?;
            (Shape::Sphere { radius }, 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3))
        }
        Kind::Capsule => {
            let (radius, length) = (required("radius")?, required("length")?);
            let half_length = 0.5 * length;
            let volume = std::f64::consts::PI * radius * radius * (length + 4.0 / 3.0 * radius);
            (Shape::Capsule { radius, half_length }, volume)
        }
    })
}

fn inertia_of(shape: &Shape, mass: f64) -> Inertia {
    match shape {
        Shape::Box { half_extents, .. } => Inertia::solid_box(mass, *half_extents),
        Shape::Capsule { radius, half_length } => Inertia::solid_capsule(mass, *radius, *half_length),
        Shape::Sphere { radius } => Inertia::solid_sphere(mass, *radius),
        _ => Inertia::solid_sphere(mass, 0.1),
    }
}

fn read_mass(fields: &Fields<'_>, volume: f64) -> Result<f64, SceneError> {
    match (fields.positive("mass")?, fields.positive("density")?) {
        (Some(_), Some(_)) => Err(fields.error("density", "stands beside mass, expected one of the two")),
        (Some(mass), None) => Ok(mass),
        (None, Some(density)) => Ok(density * volume),
        (None, None) => Err(fields.missing("mass", "mass in kg or density in kg/m³")),
    }
}

/// Reads one `[[body]]`; `repeat` makes several of it.
pub(crate) fn read(fields: Fields<'_>, seed: u64) -> Result<Vec<BodyItem>, SceneError> {
    let name = fields.required_text("name")?.to_owned();
    let (shape, volume) = read_shape(&fields)?;
    let mass = read_mass(&fields, volume)?;
    let item = BodyItem {
        line: fields.line(),
        inertia: inertia_of(&shape, mass),
        shape,
        material: read_material(&fields)?,
        world_from_shape: read_place(&fields)?,
        velocity: fields.vector("velocity")?.unwrap_or(DVec3::ZERO),
        spin: fields.vector("spin")?.unwrap_or(DVec3::ZERO),
        parked: fields.flag("parked")?.unwrap_or(false),
        joint: read_joint(&fields)?,
        name,
    };
    if item.parked && item.joint.is_some() {
        return Err(fields.error("parked", "a jointed body cannot be parked"));
    }
    if item.joint.is_some() && (fields.has("velocity") || fields.has("spin")) {
        return Err(fields.error("joint", "a jointed body starts at rest; leave velocity and spin out"));
    }
    let items = repeat(&fields, item, seed)?;
    fields.finish()?;
    Ok(items)
}

/// Copies in a grid, each a little out of place: `repeat = { count = [4, 4, 2], step = [0.5, 0.5, 0.5], jitter = 0.01 }`.
fn repeat(fields: &Fields<'_>, item: BodyItem, seed: u64) -> Result<Vec<BodyItem>, SceneError> {
    let Some(table) = fields.table("repeat")? else { return Ok(vec![item]) };
    let count = table.numbers::<3>("count")?.ok_or_else(|| table.missing("count", "three whole numbers"))?;
    if count.iter().any(|n| n.fract() != 0.0 || *n < 1.0) || count.iter().product::<f64>() > 10_000.0 {
        return Err(table
            .error("count", "expected three whole numbers of at least 1 with a product of at most 10000"));
    }
    let step = table.required_vector("step")?;
    let jitter = table.at_least_zero("jitter")?.unwrap_or(0.0);
    let turn_jitter = table.at_least_zero("turn_deg")?.unwrap_or(0.0);
    table.finish()?;
    let mut random = Random::named(seed, &item.name);
    let mut items = Vec::new();
    for k in 0..count[2] as usize {
        for j in 0..count[1] as usize {
            for i in 0..count[0] as usize {
                let mut copy = item.clone();
                copy.name = format!("{}-{}", item.name, items.len());
                let mut shake = || DVec3::new(random.symmetric(), random.symmetric(), random.symmetric());
                let offset = step * DVec3::new(i as f64, j as f64, k as f64) + jitter * shake();
                let place = Transform::from_quaternion(turn(turn_jitter * shake()), offset);
                let at = copy.world_from_shape;
                copy.world_from_shape =
                    Transform::new(place.rotation * at.rotation, at.translation + place.translation);
                if let Some(joint) = &mut copy.joint {
                    joint.anchor += offset;
                }
                items.push(copy);
            }
        }
    }
    Ok(items)
}

#[derive(Clone, Copy)]
enum JointWord {
    Fixed,
    Revolute,
    Prismatic,
    Spherical,
}

const JOINTS: [(&str, JointWord); 4] = [
    ("fixed", JointWord::Fixed),
    ("revolute", JointWord::Revolute),
    ("prismatic", JointWord::Prismatic),
    ("spherical", JointWord::Spherical),
];

fn read_joint(fields: &Fields<'_>) -> Result<Option<BodyJoint>, SceneError> {
    let Some(table) = fields.table("joint")? else { return Ok(None) };
    let axis = table.vector("axis")?.unwrap_or(DVec3::Y);
    let word = table.required_choice("kind", &JOINTS)?;
    let mut joint = match word {
        JointWord::Fixed => Joint::fixed(),
        JointWord::Revolute => Joint::revolute(axis),
        JointWord::Prismatic => Joint::prismatic(axis),
        JointWord::Spherical => Joint::spherical(),
    };
    let (limit, start) = match word {
        JointWord::Revolute => {
            let limit = table.numbers::<2>("limit_deg")?.map(|l| l.map(f64::to_radians));
            (limit, table.number("angle_deg")?.unwrap_or(0.0).to_radians())
        }
        JointWord::Prismatic => (table.numbers::<2>("limit")?, table.number("shift")?.unwrap_or(0.0)),
        _ => (None, 0.0),
    };
    let rate = match word {
        JointWord::Revolute | JointWord::Prismatic => DVec3::X * table.number("speed")?.unwrap_or(0.0),
        JointWord::Spherical => table.vector("spin")?.unwrap_or(DVec3::ZERO),
        JointWord::Fixed => DVec3::ZERO,
    };
    if let Some([lower, upper]) = limit {
        joint = joint.with_limits(Limits::range(lower, upper));
    }
    joint = joint.with_damping(table.at_least_zero("damping")?.unwrap_or(0.0));
    joint = joint.with_stiffness(table.at_least_zero("stiffness")?.unwrap_or(0.0));
    let parent = table.text("parent")?.map(str::to_owned);
    let anchor = table.required_vector("anchor")?;
    table.finish()?;
    Ok(Some(BodyJoint { parent, joint, anchor, start, rate }))
}
