//! Responses of a tree to several wrenches on the same bodies at once: the three directions of a contact.
//!
//! As [`super::impulse`], but one walk along the path and one over the bodies that are asked for serve all of them, and
//! the memory of the joints' factors is read once.

use glam::DVec3;

use super::joint::projected;
use crate::data::Data;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion};

/// Directions treated together.
pub(crate) const DIRECTIONS: usize = 3;

/// Work space, indexed by body.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseScratch {
    /// `D⁻¹ u` of the joints on the paths, zero elsewhere.
    drive: Vec<[DVec3; DIRECTIONS]>,
    /// The answer: body velocities per direction, for the bodies asked for.
    pub(crate) motion: Vec<[Motion; DIRECTIONS]>,
}

impl ResponseScratch {
    pub(crate) fn fit(&mut self, n_bodies: usize) {
        self.drive.resize(n_bodies, [DVec3::ZERO; DIRECTIONS]);
        self.motion.resize(n_bodies, [Motion::ZERO; DIRECTIONS]);
    }
}

/// Velocity changes of the bodies `asked` (in order from the root, ancestors included) when wrenches hit one or two
/// bodies of their tree. The tree must have no free joint but at its root.
pub(crate) fn contact_responses(
    model: &Model,
    data: &Data,
    asked: &[u32],
    hits: &[(usize, [Force; DIRECTIONS])],
    scratch: &mut ResponseScratch,
) {
    let (offsets, axes) = (&data.position.offset, &data.position.axes);
    let dynamics = &data.dynamics;
    let mut on_root = [Force::ZERO; DIRECTIONS];
    for &(body, wrenches) in hits {
        let (mut at, mut own) = (body, wrenches);
        loop {
            let link = &model.links[at];
            let factor = &dynamics.factor[at];
            if link.kind == JointKind::Free && !factor.prescribed {
                for k in 0..DIRECTIONS {
                    on_root[k] += own[k];
                }
                break;
            }
            if !factor.prescribed && link.kind != JointKind::Fixed {
                for k in 0..DIRECTIONS {
                    let u = projected(link.kind, &axes[at], own[k]);
                    let (drive, taken) = factor.meet(link.kind, u);
                    scratch.drive[at][k] += drive;
                    own[k] -= taken;
                }
            }
            if link.parent == NONE {
                break;
            }
            own = own.map(|f| f.seen_from(offsets[at]));
            at = link.parent as usize;
        }
    }
    for &i in asked {
        let i = i as usize;
        let link = &model.links[i];
        let factor = &dynamics.factor[i];
        let r = offsets[i];
        let parent = if link.parent == NONE { None } else { Some(scratch.motion[link.parent as usize]) };
        for k in 0..DIRECTIONS {
            let inherited = parent.map_or(Motion::ZERO, |p| p[k].at(r));
            let own = if factor.prescribed {
                Motion::ZERO
            } else {
                match link.kind {
                    JointKind::Fixed => Motion::ZERO,
                    JointKind::Free => dynamics.free_factor[link.free as usize].solve(on_root[k]),
                    kind => factor.move_along(kind, &axes[i], inherited, scratch.drive[i][k]).1,
                }
            };
            scratch.motion[i][k] = inherited + own;
        }
    }
    // Leave the work space clean for the next.
    for &(body, _) in hits {
        let mut at = body as u32;
        while at != NONE {
            scratch.drive[at as usize] = [DVec3::ZERO; DIRECTIONS];
            at = model.links[at as usize].parent;
        }
    }
}
