//! Geometric Jacobian: joint rates to the motion of a point (RBDA 4.4 read column by column).

use glam::{DMat3, DVec3};

use crate::data::Data;
use crate::model::{BodyId, JointKind, Model};
use crate::spatial::Motion;

/// Fills `out` (one entry per freedom) with the motion, at `point_world` as if fixed to `body`, that a
/// unit rate of each freedom causes; world axes. Poses are those in `data.position`.
pub fn point_jacobian(model: &Model, data: &Data, body: BodyId, point_world: DVec3, out: &mut [Motion]) {
    out.fill(Motion::ZERO);
    let mut at = Some(body);
    while let Some(id) = at {
        let i = id.index();
        let link = &model.links[i];
        let r = point_world - data.position.world_from_body[i].translation;
        let columns = freedoms(link.kind, &data.position.axes[i]);
        for (slot, column) in out[link.v as usize..].iter_mut().zip(&columns[..link.kind.n_v()]) {
            *slot = column.at(r);
        }
        at = model.bodies[i].parent;
    }
}

/// The joint's motion subspace `S`, a column per freedom.
fn freedoms(kind: JointKind, axes: &DMat3) -> [Motion; 6] {
    let turn = |axis: DVec3| Motion::new(axis, DVec3::ZERO);
    let slide = |axis: DVec3| Motion::new(DVec3::ZERO, axis);
    let (x, y, z) = (axes.x_axis, axes.y_axis, axes.z_axis);
    let mut s = [Motion::ZERO; 6];
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute { .. } => s[0] = turn(x),
        JointKind::Prismatic { .. } => s[0] = slide(x),
        JointKind::Universal { .. } => (s[0], s[1]) = (turn(x), turn(y)),
        JointKind::Spherical => (s[0], s[1], s[2]) = (turn(x), turn(y), turn(z)),
        JointKind::Planar => (s[0], s[1], s[2]) = (slide(x), slide(y), turn(z)),
        JointKind::Free => s = [slide(x), slide(y), slide(z), turn(x), turn(y), turn(z)],
    }
    s
}
