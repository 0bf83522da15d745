//! Nets: ropes both ways, pinned to each other where they cross, held at the four corners.
//!
//! Ropes along x all hang in the arc `(x_i, f_i)`, those along y in `(y_j, g_j)`; the crossing of rope i and rope j
//! lies at `(x_i, y_j, f_i + g_j)`, so that links of equal length meet exactly.

use stuntlab_physics::Joint;
use stuntlab_physics::collide::Groups;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};

use super::Fields;
use super::SceneError;
use super::chain::{Chain, lay_out};
use super::place::read_material;
use super::stage::PinItem;

/// Ropes of a net meet everything but ropes of nets: crossing ones are pinned together.
const ROPE: Groups = Groups { member: 1 << 31, mask: !(1 << 31) };

/// Reads one `[[net]]`: its ropes and what holds them.
pub(crate) fn read(fields: Fields<'_>) -> Result<(Vec<Chain>, Vec<PinItem>), SceneError> {
    let name = fields.required_text("name")?.to_owned();
    let at = fields.required_vector("at")?;
    let [width, depth] = fields
        .numbers::<2>("size")?
        .filter(|size| size.iter().all(|s| *s > 0.0))
        .ok_or_else(|| fields.missing("size", "two lengths above 0"))?;
    let cells = fields.count("cells", 2, 12)?.unwrap_or(4) as usize;
    let slack = fields.at_least_zero("slack")?.unwrap_or(0.05);
    let radius = fields.positive("radius")?.unwrap_or(0.02);
    let mass = fields.positive("mass")?.unwrap_or(0.2);
    let material = read_material(&fields)?;
    let joint = Joint::spherical().with_damping(fields.at_least_zero("damping")?.unwrap_or(0.1));
    let line = fields.line();
    fields.finish()?;

    let length = |span: f64| span * (1.0 + slack) / cells as f64;
    let half = 0.5 * DVec3::new(width, depth, 0.0);
    let rope = |name: String, from: DVec3, to: DVec3| {
        let length = length(from.distance(to));
        let half_length = (0.5 * length - radius).max(0.0);
        let along_x = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let turn = Transform::from_quaternion(along_x, DVec3::ZERO);
        let mut inertia = Inertia::solid_capsule(mass, radius, half_length).transformed(&turn);
        inertia.center_of_mass = DVec3::X * (0.5 * length);
        Chain {
            name,
            line,
            shape: Shape::Capsule { radius, half_length },
            body_from_shape: Transform::from_quaternion(along_x, inertia.center_of_mass),
            inertia,
            material,
            groups: ROPE,
            joint: joint.clone(),
            links: lay_out(from, to, cells, length),
            length,
            half_width: 0.0,
            loose: true,
            closed: false,
        }
    };
    // Both arcs, seen from the corner with the least coordinates.
    let nodes = |chain: &Chain| -> Vec<DVec3> {
        let end = chain.links.last().map(|l| l.transform_point(DVec3::X * chain.length));
        chain.links.iter().map(|l| l.translation).chain(end).collect()
    };
    let xs = nodes(&rope(String::new(), DVec3::ZERO, DVec3::X * width));
    let ys = nodes(&rope(String::new(), DVec3::ZERO, DVec3::Y * depth));
    let corner = at - half;
    let mut ropes = Vec::new();
    for (j, y) in ys.iter().enumerate() {
        let from = corner + *y;
        ropes.push(rope(format!("{name}-x{j}"), from, from + DVec3::X * width));
    }
    for (i, x) in xs.iter().enumerate() {
        let from = corner + *x;
        ropes.push(rope(format!("{name}-y{i}"), from, from + DVec3::Y * depth));
    }
    let mut pins = Vec::new();
    for (i, x) in xs.iter().enumerate() {
        for (j, y) in ys.iter().enumerate() {
            let (k, l) = (i.min(cells - 1), j.min(cells - 1));
            let body = format!("{name}-x{j}-{k}");
            let at = corner + *x + *y;
            pins.push(PinItem { line, body: body.clone(), to: Some(format!("{name}-y{i}-{l}")), at });
            if i % cells == 0 && j % cells == 0 {
                pins.push(PinItem { line, body, to: None, at });
            }
        }
    }
    Ok((ropes, pins))
}
