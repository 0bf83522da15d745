//! Joint coordinates from the poses and velocities of two bodies that are not held together exactly.

use glam::DVec3;

use crate::model::JointKind;
use crate::spatial::Transform;
use crate::state::{quaternion, write3};

/// Reads a joint's coordinates from where the child is in the joint frame. `q` holds the last reading,
/// which decides between equal ones: full turns of hinges, the sign of quaternions.
///
/// What the joint does not allow is ignored: a hinge takes the twist about its axis, a universal joint the
/// angles of `R(a₀, q₀) R(a₁, q₁)` whose axes come nearest.
pub(super) fn coordinates(kind: JointKind, joint_from_child: &Transform, q: &mut [f64]) {
    let r = &joint_from_child.rotation;
    let p = joint_from_child.translation;
    let turn = |q: &mut [f64], at: usize| {
        let found = joint_from_child.quaternion();
        let same_side = found.dot(quaternion(q, at)) >= 0.0;
        q[at..at + 4].copy_from_slice(&if same_side { found } else { -found }.to_array());
    };
    match kind {
        JointKind::Fixed => {}
        JointKind::Revolute { axis } => {
            let rotation = joint_from_child.quaternion();
            let along = DVec3::new(rotation.x, rotation.y, rotation.z).dot(axis);
            q[0] = nearest_turn(2.0 * along.atan2(rotation.w), q[0]);
        }
        JointKind::Prismatic { axis } => q[0] = axis.dot(p),
        JointKind::Universal { axes: [a, b] } => {
            let c = a.cross(b);
            let (ra, rb, rc) = (*r * a, *r * b, *r * c);
            q[0] = nearest_turn(c.dot(rb).atan2(b.dot(rb)), q[0]);
            q[1] = nearest_turn(a.dot(rc).atan2(a.dot(ra)), q[1]);
        }
        JointKind::Spherical => turn(q, 0),
        JointKind::Planar => {
            (q[0], q[1]) = (p.x, p.y);
            q[2] = nearest_turn(r.x_axis.y.atan2(r.x_axis.x), q[2]);
        }
        JointKind::Free => {
            write3(q, 0, p);
            turn(q, 3);
        }
    }
}

/// `angle` plus whole turns, as near to `last` as it gets.
fn nearest_turn(angle: f64, last: f64) -> f64 {
    let turn = core::f64::consts::TAU;
    angle + turn * ((last - angle) / turn).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::forward_kinematics;
    use crate::{BodySpec, Data, Joint, Model, State, spatial::Inertia};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn reading_undoes_placing(raw in prop::array::uniform7(-1.0..1.0_f64), turns in -2..3_i32) {
            let joints = [
                Joint::revolute(DVec3::new(1.0, 2.0, -0.5)),
                Joint::prismatic(DVec3::new(1.0, 2.0, -0.5)),
                Joint::universal(DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, -1.0, 0.5)),
                Joint::spherical(),
                Joint::planar(),
                Joint::free(),
                Joint::fixed(),
            ];
            for joint in joints {
                let solid = Inertia::solid_box(1.0, DVec3::new(0.1, 0.2, 0.3));
                let model = Model::builder().body(BodySpec::root("b", joint, solid)).build().unwrap();
                let kind = model.bodies()[0].joint().kind;
                let mut state = State::new(&model);
                let n = kind.n_q();
                state.q.copy_from_slice(&raw[..n]);
                if let JointKind::Revolute { .. } = kind {
                    state.q[0] += core::f64::consts::TAU * f64::from(turns);
                }
                state.normalize(&model);
                let mut data = Data::new(&model);
                forward_kinematics(&model, &state, &mut data);
                let mut read: Vec<f64> = state.q.iter().map(|x| 0.9 * x).collect();
                coordinates(kind, &data.position.world_from_body[0], &mut read);
                for (found, wanted) in read.iter().zip(&state.q) {
                    prop_assert!((found - wanted).abs() < 1e-12, "{kind:?}: {read:?} {:?}", state.q);
                }
            }
        }
    }
}
