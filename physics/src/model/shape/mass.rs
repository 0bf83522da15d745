//! Volume, centre and inertia of closed shapes at unit density.
//!
//! Polyhedra: sums over tetrahedra from a common apex (Tonon 2004, "Explicit exact formulas for the 3-D tetrahedron
//! inertia tensor"). Rounded boxes: the Minkowski sum of a box and a ball falls into a core, 6 slabs, 12 quarter
//! cylinders and 8 octants of a ball, whose second moments are elementary.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::Shape;

/// Mass properties per unit of density; multiply volume and inertia by kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume in m³.
    pub volume: f64,
    /// Centre of mass in the shape's frame.
    pub center: DVec3,
    /// Rotational inertia about the centre of mass, axes of the shape's frame (m⁵).
    pub inertia: DMat3,
}

impl Shape {
    /// Volume, centre and inertia; `None` for shapes that enclose no volume (plane, heightfield, open mesh).
    pub fn mass_properties(&self) -> Option<MassProperties> {
        match self {
            Self::Sphere { radius } => Some(rounded_box(DVec3::ZERO, *radius)),
            Self::Capsule { radius, half_length } => {
                Some(rounded_box(DVec3::new(0.0, 0.0, *half_length), *radius))
            }
            Self::Box { half_extents, rounding } => {
                Some(rounded_box(*half_extents - DVec3::splat(*rounding), *rounding))
            }
            Self::Hull(hull) => {
                let fans = hull.faces().flat_map(|face| {
                    (1..face.len() - 1)
                        .map(|k| [face[0], face[k], face[k + 1]].map(|v| hull.vertices()[v as usize]))
                });
                polyhedron(fans, hull.vertices()[0])
            }
            Self::Mesh(mesh) if mesh.is_closed() => {
                let triangles = (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t));
                polyhedron(triangles, mesh.vertices()[0])
            }
            Self::Plane | Self::Heightfield(_) | Self::Mesh(_) => None,
        }
    }
}

/// A box of half extents `core` grown by a ball of radius `r`. A core without extent gives a ball, one with extent
/// along z only a capsule.
fn rounded_box(core: DVec3, r: f64) -> MassProperties {
    let DVec3 { x: a, y: b, z: c } = core;
    let volume = 8.0 * a * b * c
        + 8.0 * r * (a * b + b * c + c * a)
        + 2.0 * PI * r * r * (a + b + c)
        + 4.0 / 3.0 * PI * r.powi(3);
    // ∫x² dV, then the same with the axes renamed.
    let moment = |a: f64, b: f64, c: f64| {
        let square = a * a / 3.0;
        let inner = (8.0 * a * b * c + 8.0 * r * a * (b + c) + 2.0 * PI * r * r * a) * square;
        let slabs = 8.0 * b * c * ((a + r).powi(3) - a.powi(3)) / 3.0;
        let quarter = a * a * PI * r * r / 4.0 + 2.0 * a * r.powi(3) / 3.0 + PI * r.powi(4) / 16.0;
        let octant = a * a * PI * r.powi(3) / 6.0 + 2.0 * a * PI * r.powi(4) / 16.0 + PI * r.powi(5) / 30.0;
        inner + slabs + 8.0 * (b + c) * quarter + 8.0 * octant
    };
    let (xx, yy, zz) = (moment(a, b, c), moment(b, c, a), moment(c, a, b));
    let inertia = DMat3::from_diagonal(DVec3::new(yy + zz, zz + xx, xx + yy));
    MassProperties { volume, center: DVec3::ZERO, inertia }
}

fn polyhedron(triangles: impl Iterator<Item = [DVec3; 3]>, apex: DVec3) -> Option<MassProperties> {
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for corners in triangles {
        let [a, b, c] = corners.map(|p| p - apex);
        let six_volume = a.cross(b).dot(c);
        let sum = a + b + c;
        volume += six_volume / 6.0;
        first += sum * (six_volume / 24.0);
        // ∫ p pᵀ over a tetrahedron with one corner at the origin: V/20 (Σ pᵢpᵢᵀ + (Σp)(Σp)ᵀ).
        let products = outer(a) + outer(b) + outer(c) + outer(sum);
        second += products * (six_volume / 120.0);
    }
    if volume <= 0.0 {
        return None;
    }
    let center = first / volume;
    let second = second - outer(center) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
    Some(MassProperties { volume, center: center + apex, inertia })
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shape::Hull;

    fn check(shape: &Shape, volume: f64, inertia: DVec3) {
        let mass = shape.mass_properties().unwrap();
        assert!((mass.volume / volume - 1.0).abs() < 1e-12, "{mass:?}");
        assert!((mass.inertia - DMat3::from_diagonal(inertia)).abs_diff_eq(DMat3::ZERO, 1e-12), "{mass:?}");
    }

    #[test]
    fn closed_forms() {
        let r: f64 = 0.3;
        let ball = 4.0 / 3.0 * PI * r.powi(3);
        check(&Shape::Sphere { radius: r }, ball, DVec3::splat(0.4 * ball * r * r));
        let (h, cylinder) = (0.5, PI * r * r * 1.0);
        let axial = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
        let across =
            cylinder * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 3.0 / 4.0 * r * h);
        let capsule = Shape::Capsule { radius: r, half_length: h };
        check(&capsule, cylinder + ball, DVec3::new(across, across, axial));
        let e = DVec3::new(0.3, 0.2, 0.5);
        let sum = DVec3::new(e.y * e.y + e.z * e.z, e.x * e.x + e.z * e.z, e.x * e.x + e.y * e.y);
        let volume = 8.0 * e.x * e.y * e.z;
        check(&Shape::Box { half_extents: e, rounding: 0.0 }, volume, sum * volume / 3.0);
        // A box rounded all the way is a ball.
        check(
            &Shape::Box { half_extents: DVec3::splat(r), rounding: r },
            ball,
            DVec3::splat(0.4 * ball * r * r),
        );
    }

    #[test]
    fn hull_and_closed_mesh_agree_with_the_box_wherever_they_sit() {
        let e = DVec3::new(0.3, 0.2, 0.5);
        let shift = DVec3::new(3.0, -2.0, 1.0);
        let hull = Hull::from_box(e).unwrap();
        let moved: Vec<DVec3> = hull.vertices().iter().map(|v| *v + shift).collect();
        let moved = Shape::hull(&moved).unwrap();
        let (want, got) = (
            Shape::Box { half_extents: e, rounding: 0.0 }.mass_properties().unwrap(),
            moved.mass_properties().unwrap(),
        );
        assert!((want.volume - got.volume).abs() < 1e-12);
        assert!((got.center - shift).length() < 1e-12);
        assert!(want.inertia.abs_diff_eq(got.inertia, 1e-12));
        let triangles: Vec<[u32; 3]> =
            hull.faces().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
        let mesh = Shape::mesh(hull.vertices().to_vec(), triangles).unwrap().mass_properties().unwrap();
        assert!(want.inertia.abs_diff_eq(mesh.inertia, 1e-12));
        assert_eq!(Shape::Plane.mass_properties(), None);
    }
}
