//! The mass or inertia that each freedom carries, in the zero pose: the measure of a residual momentum.

use glam::DVec3;

use crate::model::{JointKind, Model};
use crate::spatial::{Inertia, Sym3};

/// One positive number per freedom: about the diagonal of the mass matrix.
pub(super) fn carried(model: &Model) -> Vec<f64> {
    let mut composite: Vec<Inertia> = model.bodies.iter().map(|b| b.inertia).collect();
    let mut carried = vec![0.0; model.n_v()];
    for (i, body) in model.bodies.iter().enumerate().rev() {
        let c = composite[i];
        let about = c.rotational + Sym3::point_inertia(c.center_of_mass) * c.mass;
        let mean = about.trace() / 3.0;
        let own = &mut carried[body.v_range()];
        match body.joint.kind {
            JointKind::Fixed => {}
            JointKind::Revolute { axis } => own[0] = about.quadratic(axis, axis),
            JointKind::Universal { axes } => {
                (own[0], own[1]) = (about.quadratic(axes[0], axes[0]), about.quadratic(axes[1], axes[1]));
            }
            JointKind::Spherical => own.fill(mean),
            JointKind::Prismatic { .. } => own[0] = c.mass,
            JointKind::Planar => {
                (own[0], own[1], own[2]) = (c.mass, c.mass, about.quadratic(DVec3::Z, DVec3::Z));
            }
            JointKind::Free => {
                own[..3].fill(c.mass);
                own[3..].fill(mean);
            }
        }
        // A freedom that carries nothing in the zero pose still needs a measure.
        own.iter_mut().for_each(|x| *x = x.max(1e-12 * (1.0 + c.mass)));
        if let Some(p) = body.parent {
            let moved = c.transformed(&body.joint.parent_from_joint);
            composite[p.index()] = composite[p.index()].combined(&moved);
        }
    }
    carried
}
