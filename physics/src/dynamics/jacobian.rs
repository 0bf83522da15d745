//! Geometric Jacobian: joint rates to the motion of a point (RBDA 4.4 read column by column).

use glam::DVec3;

use super::crba::freedoms;
use crate::data::Data;
use crate::model::{BodyId, Model};
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
