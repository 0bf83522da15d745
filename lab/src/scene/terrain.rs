//! What never moves: plane, heightfield (formula or noise), stairs, ramp, box.

use std::sync::Arc;

use stuntlab_control::Setting;
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::{Heightfield, Shape};
use stuntlab_physics::spatial::Transform;

use super::formula::Formula;
use super::place::{read_material, read_place};
use super::{Fields, SceneError};
use crate::random::noise;
use crate::registry::Registry;

/// Shapes with their places in a terrain's frame.
pub type Placed = Vec<(Shape, Transform)>;

/// A kind of terrain: a row of [`TERRAINS`], or of another crate's.
#[derive(Clone, Copy, Debug)]
pub struct TerrainKind {
    /// Name, as scenes spell it.
    pub name: &'static str,
    /// What it is, one line.
    pub help: &'static str,
    /// Its keys, besides those of all: `at`, `rotation_deg`, `material`.
    pub keys: &'static [Setting],
    /// Reads its keys: shapes with their places in the terrain's frame. The seed is the scene's.
    pub read: fn(&Fields<'_>, u64) -> Result<Placed, SceneError>,
}

/// All kinds of terrain that come with the program: adding one is adding its row.
pub const TERRAINS: &[TerrainKind] = &[
    TerrainKind {
        name: "plane",
        help: "Level ground without end",
        keys: &[],
        read: |_, _| Ok(vec![(Shape::Plane, Transform::IDENTITY)]),
    },
    TerrainKind {
        name: "heightfield",
        help: "Rolling ground by a formula, noise of the scene's seed, or both",
        keys: &[
            Setting::new("columns", "50", "cells along x, up to 2000"),
            Setting::new("rows", "50", "cells along y, up to 2000"),
            Setting::new("spacing", "0.4", "size of a cell, m"),
            Setting::new("formula", "", "height of x and y, m"),
            Setting::new("noise.amplitude", "0.2", "m"),
            Setting::new("noise.wavelength", "3.0", "m"),
            Setting::new("noise.octaves", "3", "1 to 8"),
        ],
        read: |fields, seed| Ok(vec![(heightfield(fields, seed)?, Transform::IDENTITY)]),
    },
    TerrainKind {
        name: "stairs",
        help: "Solid steps that climb along x",
        keys: &[
            Setting::new("steps", "8", "how many, up to 200"),
            Setting::new("rise", "0.17", "m"),
            Setting::new("run", "0.28", "m"),
            Setting::new("width", "2.0", "m"),
            Setting::new("landing", "0.0", "how much deeper the last step is, m"),
        ],
        read: |fields, _| stairs(fields),
    },
    TerrainKind {
        name: "ramp",
        help: "A slab that rises along x",
        keys: &[
            Setting::new("angle_deg", "20.0", "between -90 and 90"),
            Setting::new("length", "4.0", "m"),
            Setting::new("width", "2.0", "m"),
            Setting::new("thickness", "0.2", "m"),
        ],
        read: |fields, _| ramp(fields),
    },
    TerrainKind {
        name: "box",
        help: "A block about its middle",
        keys: &[Setting::new("size", "", "edge lengths along x, y, z, m")],
        read: |fields, _| {
            let half = 0.5 * required_size(fields)?;
            Ok(vec![(Shape::Box { half_extents: half, rounding: 0.0 }, Transform::IDENTITY)])
        },
    },
];

/// Reads one `[[terrain]]`: its shapes, placed in the world.
pub(crate) fn read(fields: Fields<'_>, seed: u64, registry: &Registry) -> Result<Vec<ShapeSpec>, SceneError> {
    let kinds: Vec<(&str, &TerrainKind)> = registry.terrains().iter().map(|k| (k.name, k)).collect();
    let kind = fields.required_choice("kind", &kinds)?;
    let place = read_place(&fields)?;
    let material = read_material(&fields)?;
    let parts = (kind.read)(&fields, seed)?;
    fields.finish()?;
    Ok(parts.into_iter().map(|(shape, own)| spec(shape, place * own, material)).collect())
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

/// Solid steps that climb along x.
fn stairs(fields: &Fields<'_>) -> Result<Placed, SceneError> {
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
        (Shape::Box { half_extents: half, rounding: 0.0 }, Transform::from_translation(center))
    };
    Ok((0..steps).map(step).collect())
}

/// A slab that rises along x.
fn ramp(fields: &Fields<'_>) -> Result<Placed, SceneError> {
    let angle = fields.number("angle_deg")?.unwrap_or(20.0);
    if angle.abs() >= 90.0 {
        return Err(fields.error("angle_deg", format!("is {angle}, expected between -90 and 90")));
    }
    let length = fields.positive("length")?.unwrap_or(4.0);
    let width = fields.positive("width")?.unwrap_or(2.0);
    let thickness = fields.positive("thickness")?.unwrap_or(0.2);
    let half = 0.5 * DVec3::new(length, width, thickness);
    let turn = DQuat::from_rotation_y(-angle.to_radians());
    // The upper edge of the low end lies at the origin.
    let center = turn * DVec3::new(half.x, 0.0, -half.z);
    Ok(vec![(Shape::Box { half_extents: half, rounding: 0.0 }, Transform::from_quaternion(turn, center))])
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
