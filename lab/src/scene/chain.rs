//! Chains, ropes and plank bridges: equal links from one point to another, sagging on an arc.
//!
//! `n` links of length `L` whose directions turn by equal angles `α` lie on a circle and span
//! `D = L sin(nα/2) / sin(α/2)`; bisection finds `α` for a given span.

use stuntlab_physics::Joint;
use stuntlab_physics::collide::Groups;
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};

use super::Fields;
use super::SceneError;
use super::place::read_material;

/// A chain of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) shape: Shape,
    pub(crate) body_from_shape: Transform,
    pub(crate) inertia: Inertia,
    pub(crate) material: Material,
    pub(crate) groups: Groups,
    pub(crate) joint: Joint,
    /// Frame of every link at the start: origin at its first end, x along it, y level.
    pub(crate) links: Vec<Transform>,
    pub(crate) length: f64,
    /// Half the distance between the two pins that hold the far end; 0 for a single one.
    pub(crate) half_width: f64,
    /// Whether the near end is loose rather than jointed to the world.
    pub(crate) loose: bool,
    /// Whether the far end is held.
    pub(crate) closed: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Capsule,
    Box,
}

/// Reads one `[[chain]]`.
pub(crate) fn read(fields: Fields<'_>) -> Result<Chain, SceneError> {
    let name = fields.required_text("name")?.to_owned();
    let n = fields.count("links", 1, 500)?.unwrap_or(10) as usize;
    let from = fields.required_vector("from")?;
    let to = fields.required_vector("to")?;
    let slack = fields.at_least_zero("slack")?.unwrap_or(0.0);
    let span = to.distance(from);
    if span < 1e-6 {
        return Err(fields.error("to", "is where the chain starts, expected another point"));
    }
    let length = span * (1.0 + slack) / n as f64;
    let mass = fields.positive("mass")?.unwrap_or(1.0);
    let gap = fields.at_least_zero("gap")?.unwrap_or(0.0);
    let kind =
        fields.choice("link", &[("capsule", Kind::Capsule), ("box", Kind::Box)])?.unwrap_or(Kind::Capsule);
    let middle = DVec3::X * (0.5 * length);
    let (shape, turn, mut inertia, half_width) = match kind {
        Kind::Capsule => {
            let radius = fields.positive("radius")?.unwrap_or(0.03);
            let half_length = (0.5 * (length - gap) - radius).max(0.0);
            let shape = Shape::Capsule { radius, half_length };
            let along_x = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
            let inertia = Inertia::solid_capsule(mass, radius, half_length);
            (shape, along_x, inertia.transformed(&Transform::from_quaternion(along_x, DVec3::ZERO)), 0.0)
        }
        Kind::Box => {
            let width = fields.positive("width")?.unwrap_or(1.0);
            let thickness = fields.positive("thickness")?.unwrap_or(0.05);
            let half_extents = 0.5 * DVec3::new((length - gap).max(0.01), width, thickness);
            let shape = Shape::Box { half_extents, rounding: 0.0 };
            (shape, DQuat::IDENTITY, Inertia::solid_box(mass, half_extents), 0.5 * width)
        }
    };
    inertia.center_of_mass = middle;
    let joint = match fields.choice("joint", &[("spherical", false), ("revolute", true)])?.unwrap_or(false) {
        true => Joint::revolute(DVec3::Y),
        false => Joint::spherical(),
    };
    let closed = fields.choice("end", &[("held", true), ("free", false)])?.unwrap_or(true);
    let joint = joint.with_damping(fields.at_least_zero("damping")?.unwrap_or(0.0));
    let chain = Chain {
        name,
        line: fields.line(),
        shape,
        body_from_shape: Transform::from_quaternion(turn, middle),
        inertia,
        material: read_material(&fields)?,
        groups: Groups::ALL,
        joint,
        links: lay_out(from, to, n, length),
        length,
        half_width,
        loose: false,
        closed,
    };
    fields.finish()?;
    Ok(chain)
}

/// Frames of `n` links of `length` from one point to another, sagging.
pub(crate) fn lay_out(from: DVec3, to: DVec3, n: usize, length: f64) -> Vec<Transform> {
    let span = (to - from).length();
    let reach = |alpha: f64| match alpha {
        a if a < 1e-9 => length * n as f64,
        a => length * (0.5 * n as f64 * a).sin() / (0.5 * a).sin(),
    };
    // The span falls from n·L to 0 as the arc closes to a full circle.
    let (mut low, mut high) = (0.0, std::f64::consts::TAU / n as f64);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if reach(middle) > span { low = middle } else { high = middle }
    }
    let alpha = 0.5 * (low + high);
    let along = (to - from) / span;
    // Level across, and the direction into which the arc bulges (down, or sideways for a plumb line).
    let across = DVec3::Z.cross(along).try_normalize().unwrap_or(DVec3::Y);
    let up = along.cross(across);
    let mut at = from;
    (0..n)
        .map(|k| {
            let angle = alpha * (k as f64 - 0.5 * (n as f64 - 1.0));
            let x = along * angle.cos() + up * angle.sin();
            let frame = Transform::new(DMat3::from_cols(x, across, x.cross(across)), at);
            at += x * length;
            frame
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slack_chain_ends_where_it_should_and_sags() {
        let (from, to) = (DVec3::new(-2.0, 1.0, 3.0), DVec3::new(2.0, 1.0, 3.0));
        let length = 4.0 * 1.1 / 12.0;
        let links = lay_out(from, to, 12, length);
        let end = links[11].transform_point(DVec3::X * length);
        assert!(end.distance(to) < 1e-9, "{end}");
        assert!(links[6].translation.z < 2.5);
        for pair in links.windows(2) {
            assert!(pair[0].transform_point(DVec3::X * length).distance(pair[1].translation) < 1e-12);
        }
        let plumb = lay_out(DVec3::Z, DVec3::ZERO, 4, 0.25);
        assert!(plumb[3].transform_point(DVec3::X * 0.25).length() < 1e-9);
    }
}
