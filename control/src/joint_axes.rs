//! The axes about which joints turn, as they are in the world now.

use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::{Actuation, BodyId, Data, JointKind, Model};

/// World axes of a joint's freedoms, unit; none where it does more than turn.
pub(crate) fn axes_of(model: &Model, data: &Data, body: BodyId) -> ([DVec3; 3], usize) {
    let joint = model.body(body).joint();
    let child = data.world_from_body(body).rotation;
    let z = DVec3::ZERO;
    match joint.kind {
        JointKind::Spherical => ([child.x_axis, child.y_axis, child.z_axis], 3),
        JointKind::Revolute { axis } => ([child * axis, z, z], 1),
        JointKind::Universal { axes } => {
            let above = |parent| data.world_from_body(parent).rotation;
            let parent = model.body(body).parent().map_or(DMat3::IDENTITY, above);
            ([parent * joint.parent_from_joint.rotation * axes[0], child * axes[1], z], 2)
        }
        JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Planar | JointKind::Free => ([z; 3], 0),
    }
}

/// Adds a torque on a body, world axes, to what the joint above it gives: as much of it as the joint's axes have.
pub(crate) fn add_torque(model: &Model, data: &Data, body: BodyId, torque: DVec3, out: &mut Actuation) {
    let (axes, n) = axes_of(model, data, body);
    for (dof, axis) in model.body(body).freedoms().iter().zip(&axes[..n]) {
        out.joint_force[dof] += axis.dot(torque);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stuntlab_mocap::character::{Character, CharacterOptions};
    use stuntlab_mocap::library;
    use stuntlab_physics::State;
    use stuntlab_physics::dynamics::{forward_kinematics, point_jacobian};
    use stuntlab_physics::spatial::Motion;

    proptest! {
        #[test]
        fn they_are_those_of_the_jacobian(turns in prop::collection::vec(-0.8..0.8_f64, 200)) {
            let (figure, _) = Character::build(&library::skeleton(), &CharacterOptions::default()).expect("our own");
            let model = figure.model();
            let (mut state, mut data) = (State::new(model), Data::new(model));
            state.integrate(model, &turns[..model.n_v()], 1.0);
            forward_kinematics(model, &state, &mut data);
            let mut columns = vec![Motion::ZERO; model.n_v()];
            for body in model.body_ids().iter().skip(1) {
                point_jacobian(model, &data, body, data.world_from_body(body).translation, &mut columns);
                let (axes, n) = axes_of(model, &data, body);
                prop_assert_eq!(n, model.body(body).freedoms().len());
                for (dof, axis) in model.body(body).freedoms().iter().zip(axes) {
                    prop_assert!(columns[dof.index()].angular.distance(axis) < 1e-12);
                }
            }
        }
    }
}
