//! The simulated motion of a character as BVH, so that a run can be opened in animation programs.
//!
//! Any tree of bodies is a skeleton: a joint per body, offsets from the joints' placements, rotations between
//! neighbouring bodies. Sliding joints inside a tree do not fit and stay at their place.

use std::sync::Arc;

use stuntlab_mocap::convert::{ExportOptions, export};
use stuntlab_mocap::skeleton::{EndSite, Joint, JointId};
use stuntlab_mocap::{Clip, Skeleton};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::{Bodies, BodyId, JointKind, Model};

use super::world::World;
use crate::scene::Member;

/// Frames per second of the file.
const RATE: f64 = 60.0;

/// Records one character.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    name: String,
    bodies: Bodies,
    roots: Vec<DVec3>,
    rotations: Vec<DQuat>,
}

impl Track {
    pub(crate) fn new(member: &Member) -> Self {
        Self { name: member.name.clone(), bodies: member.bodies, roots: Vec::new(), rotations: Vec::new() }
    }

    /// Name of the character.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Adds the pose of now once its frame is due.
    pub(crate) fn sample(&mut self, world: &World) {
        if world.state.time + 0.5 * world.options.dt < self.roots.len() as f64 / RATE {
            return;
        }
        let poses = &world.data.position.world_from_body;
        self.roots.push(poses[self.bodies.at(0)].translation);
        for i in self.bodies {
            let parent = world.model().body(i).parent().filter(|p| self.bodies.contains(*p));
            let own = poses[i].quaternion();
            self.rotations.push(match parent {
                Some(p) => poses[p].quaternion().conjugate() * own,
                None => own,
            });
        }
    }

    /// The file, or why the motion does not fit one.
    pub(crate) fn write(&self, model: &Model) -> Result<String, String> {
        let skeleton = self.skeleton(model).map_err(|e| e.to_string())?;
        let clip =
            Clip::new(&self.name, Arc::new(skeleton), 1.0 / RATE, self.roots.clone(), self.rotations.clone())
                .map_err(|e| e.to_string())?;
        let bvh = export(&clip, &ExportOptions::default()).map_err(|e| e.to_string())?;
        Ok(bvh.write())
    }

    fn skeleton(&self, model: &Model) -> Result<Skeleton, stuntlab_mocap::SkeletonError> {
        let bodies = &model.bodies()[self.bodies];
        let joint = |id: BodyId| {
            let place = self.bodies.place_of(id).expect("a parent is of the same tree");
            JointId::new(place)
        };
        let joints = bodies
            .iter()
            .map(|body| Joint {
                name: body.name().rsplit('/').next().unwrap_or(body.name()).to_owned(),
                parent: body.parent().map(joint),
                offset: if body.parent().is_some() {
                    body.joint().parent_from_joint.translation
                } else {
                    DVec3::ZERO
                },
            })
            .collect();
        let carries = |id: &BodyId| bodies.iter().any(|b| b.parent() == Some(*id));
        let end_sites = self
            .bodies
            .iter()
            .filter(|id| !carries(id))
            .map(|id| EndSite { joint: joint(id), offset: tip(model, id) })
            .collect();
        Skeleton::new(joints, end_sites)
    }
}

/// The far end of a body's first shape, or twice its centre of mass.
fn tip(model: &Model, id: BodyId) -> DVec3 {
    let body = model.body(id);
    let center = body.inertia().center_of_mass;
    let reach = model.shapes_of(Some(id)).next().map_or(0.0, |spec| match spec.shape {
        Shape::Capsule { radius, half_length } => radius + half_length,
        Shape::Sphere { radius } => radius,
        Shape::Box { half_extents, .. } => half_extents.max_element(),
        _ => 0.0,
    });
    let along = match body.joint().kind {
        JointKind::Fixed => center,
        _ if center.length() > 1e-6 => center,
        _ => DVec3::Z * 0.01,
    };
    along + along.normalize_or_zero() * reach
}
