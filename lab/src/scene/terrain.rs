//! What never moves: plane, heightfield (formula or noise), stairs, ramp, box.

use std::sync::Arc;

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::{Heightfield, Shape};
use stuntlab_physics::spatial::Transform;

use super::SceneError;
use super::fields::Fields;
use super::formula::Formula;
use super::place::{read_material, read_place};
use crate::random::noise;

#[derive(Clone, Copy)]
enum Kind {
    Plane,
    Heightfield,
    Stairs,
    Ramp,
    Box,
}

const KINDS: [(&str, Kind); 5] = [
    ("plane", Kind::Plane),
    ("heightfield", Kind::Heightfield),
    ("stairs", Kind::Stairs),
    ("ramp", Kind::Ramp),
    ("box", Kind::Box),
];

/// Reads one `[[terrain]]`: its shapes, placed in the world.
pub(crate) fn read(fields: Fields<'_>, seed: u64) -> Result<Vec<ShapeSpec>, SceneError> {
    let kind = fields.required_choice("kind", &KINDS)?;
    let place = read_place(&fields)?;
    let material = read_material(&fields)?;
    let parts = match kind {
        Kind::Plane => vec![(Shape::Plane, place)],
        Kind::Box => {
            let half = 0.5 * required_size(&fields)?;
            vec![(Shape::Box { half_extents: half, rounding: 0.0 }, place)]
        }
        Kind::Stairs => stairs(&fields, place)?,
        Kind::Ramp => ramp(&fields, place)?,
        Kind::Heightfield => vec![(heightfield(&fields, seed)?, place)],
    };
    fields.finish()?;
    Ok(parts.into_iter().map(|(shape, place)| spec(shape, place, material)).collect())
}

fn spec(shape: Shape, place: Transform, material: Material) -> ShapeSpec {
    ShapeSpec::new(shape).placed(place).made_of(material)
}

/// `size`, three edge lengths above zero.
pub(crate) fn required_size(fields: &Fields<'_>) -> Result<DVec3, SceneError> {
    let size = fields.required_vector("size")?;
    if size.min_element() <= 0.0 {
        return Err(fields.error("size", format!("is {size}, expected three lengths above 0")));
    }
    Ok(size)
}

/// Solid steps that climb along the placement's x axis.
fn stairs(fields: &Fields<'_>, place: Transform) -> Result<Vec<(Shape, Transform)>, SceneError> {
    let steps = fields.count("steps", 1, 200)?.unwrap_or(8);
    let rise = fields.positive("rise")?.unwrap_or(0.17);
    let run = fields.positive("run")?.unwrap_or(0.28);
    let width = fields.positive("width")?.unwrap_or(2.0);
    let landing = fields.at_least_zero("landing")?.unwrap_or(0.0);
    let step = |k: u64| {
        let (x, height) = (k as f64 * run, (k + 1) as f64 * rise);
        let depth = if k + 1 == steps { run + landing } else { run };
        let half = 0.5 * DVec3::new(depth, width, height);
        let center = DVec3::new(x + half.x, 0.0, half.z);
        (Shape::Box { half_extents: half, rounding: 0.0 }, place * Transform::from_translation(center))
    };
    Ok((0..steps).map(step).collect())
}

/// A slab that rises along the placement's x axis.
fn ramp(fields: &Fields<'_>, place: Transform) -> Result<Vec<(Shape, Transform)>, SceneError> {
    let angle = fields.number("angle_deg")?.unwrap_or(20.0);
    if angle.abs() >= 90.0 {
        return Err(fields.error("angle_deg", format!("is {angle}, expected between -90 and 90")));
    }
    let length = fields.positive("length")?.unwrap_or(4.0);
    let width = fields.positive("width")?.unwrap_or(2.0);
    let thickness = fields.positive("thickness")?.unwrap_or(0.2);
    let half = 0.5 * DVec3::new(length, width, thickness);
    let turn = DQuat::from_rotation_y(-angle.to_radians());
    // The upper edge of the low end lies at the placement's origin.
    let center = turn * DVec3::new(half.x, 0.0, -half.z);
    Ok(vec![(
        Shape::Box { half_extents: half, rounding: 0.0 },
        place * Transform::from_quaternion(turn, center),
    )])
}

fn heightfield(fields: &Fields<'_>, seed: u64) -> Result<Shape, SceneError> {
    let cells = |key| fields.count(key, 1, 2000).map(|n| n.unwrap_or(50) as usize + 1);
    let (columns, rows) = (cells("columns")?, cells("rows")?);
    let spacing = fields.positive("spacing")?.unwrap_or(0.4);
    let formula = fields
        .text("formula")?
        .map(|text| Formula::parse(text).map_err(|e| fields.error("formula", e)))
        .transpose()?;
    let waves = match fields.table("noise")? {
        Some(table) => {
            let amplitude = table.at_least_zero("amplitude")?.unwrap_or(0.2);
            let wavelength = table.positive("wavelength")?.unwrap_or(3.0);
            let octaves = table.count("octaves", 1, 8)?.unwrap_or(3);
            table.finish()?;
            Some((amplitude, wavelength, octaves))
        }
        None => None,
    };
    if formula.is_none() && waves.is_none() {
        return Err(fields.missing("formula", "a formula of x and y, or a table `noise`"));
    }
    let height = |x: f64, y: f64| {
        let mut z = formula.as_ref().map_or(0.0, |f| f.at(x, y));
        if let Some((amplitude, wavelength, octaves)) = waves {
            for k in 0..octaves {
                let scale = f64::from(1_u32 << k);
                z += amplitude / scale
                    * noise(seed.wrapping_add(k), x * scale / wavelength, y * scale / wavelength);
            }
        }
        z
    };
    let field = Heightfield::from_fn(columns, rows, spacing, height)
        .map_err(|e| fields.error(if formula.is_some() { "formula" } else { "noise" }, e.to_string()))?;
    Ok(Shape::Heightfield(Arc::new(field)))
}
