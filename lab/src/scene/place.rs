//! Pieces many tables share: placement, material.

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::Transform;

use super::Fields;
use super::SceneError;
use crate::random::Random;

/// Turns about the fixed x, then y, then z axis, degrees.
pub(crate) fn turn(degrees: DVec3) -> DQuat {
    let r = degrees * (std::f64::consts::PI / 180.0);
    DQuat::from_rotation_z(r.z) * DQuat::from_rotation_y(r.y) * DQuat::from_rotation_x(r.x)
}

/// `at` and `rotation_deg`.
pub(crate) fn read_place(fields: &Fields<'_>) -> Result<Transform, SceneError> {
    let at = fields.vector("at")?.unwrap_or(DVec3::ZERO);
    let rotation = fields.vector("rotation_deg")?.map_or(DQuat::IDENTITY, turn);
    Ok(Transform::from_quaternion(rotation, at))
}

/// `spread`: how far off something may begin, another way for every seed and `who` draws.
pub(crate) fn read_spread(fields: &Fields<'_>, who: &str, seed: u64) -> Result<DVec3, SceneError> {
    let spread = fields.vector("spread")?.unwrap_or(DVec3::ZERO);
    let mut random = Random::named(seed, who);
    Ok(spread * DVec3::new(random.symmetric(), random.symmetric(), random.symmetric()))
}

/// The table `material`.
pub(crate) fn read_material(fields: &Fields<'_>) -> Result<Material, SceneError> {
    let mut material = Material::default();
    if let Some(table) = fields.table("material")? {
        let set = |target: &mut f64, value: Option<f64>| {
            if let Some(value) = value {
                *target = value;
            }
        };
        set(&mut material.friction, table.at_least_zero("friction")?);
        set(&mut material.restitution, table.at_least_zero("restitution")?);
        set(&mut material.rolling, table.at_least_zero("rolling")?);
        set(&mut material.torsional, table.at_least_zero("torsional")?);
        material.stiffness = table.positive("stiffness")?;
        material.damping = table.at_least_zero("damping")?;
        table.finish()?;
    }
    Ok(material)
}
