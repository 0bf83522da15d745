//! Servo gains and effort limits.
//!
//! Two ways to choose them: the table of a tracker known to work (DeepMimic's, for 45 kg; an
//! 80 kg figure wants 1.5 to 1.8 times as much), or in proportion to the inertia a joint carries (Zordan &
//! Hodgins 2002), which gives every joint the same frequency and damping ratio.

use std::ops::Range;

use stuntlab_mocap::character::Part;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::{BodyId, Data, Model, State};

/// How stiff the servos are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gains {
    /// By body part, times a factor.
    Table {
        /// Factor on stiffness and damping.
        scale: f64,
    },
    /// In proportion to the inertia the joint carries in the zero pose.
    Inertia {
        /// Stiffness per inertia: the square of the natural frequency, 1/s².
        stiffness: f64,
        /// Damping per inertia, 1/s; critical at `2 √stiffness`.
        damping: f64,
    },
}

/// Stiffness, damping and strength of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGains {
    /// N m/rad.
    pub stiffness: f64,
    /// N m s/rad.
    pub damping: f64,
    /// Largest effort, N m.
    pub effort: f64,
}

const fn gains(stiffness: f64, damping: f64, effort: f64) -> JointGains {
    JointGains { stiffness, damping, effort }
}

/// The reference gains of the joint above a part; none for the pelvis. DeepMimic's table (Peng et al. 2018); hands, toes and
/// shoulder girdle are not in it: they take floors of our own and the shoulder's values.
pub const fn reference_gains(part: Part) -> Option<JointGains> {
    Some(match part {
        Part::Pelvis => return None,
        Part::Spine(_) => gains(1000.0, 100.0, 200.0),
        Part::Neck(_) | Part::Head => gains(100.0, 10.0, 50.0),
        Part::Thigh(_) => gains(500.0, 50.0, 200.0),
        Part::Shank(_) => gains(500.0, 50.0, 150.0),
        Part::Foot(_) => gains(400.0, 40.0, 90.0),
        Part::Toe(_) => gains(100.0, 10.0, 30.0),
        Part::Clavicle(_) | Part::UpperArm(_) => gains(400.0, 40.0, 100.0),
        Part::Forearm(_) => gains(300.0, 30.0, 60.0),
        Part::Hand(_) | Part::Finger(_) => gains(10.0, 1.0, 10.0),
    })
}

/// The same of a body by its name ([`Part::of_name`]).
pub fn gains_of_body(name: &str) -> Option<JointGains> {
    Part::of_name(name).and_then(reference_gains)
}

/// Inertia each of `bodies` carries about its joint in the zero pose: masses times squared distance of their
/// centres, plus a third of the trace of each body's own inertia.
pub fn carried_inertia(model: &Model, bodies: Range<usize>) -> Vec<f64> {
    let mut data = Data::new(model);
    forward_kinematics(model, &State::new(model), &mut data);
    let ids: Vec<BodyId> = model.body_ids().collect();
    let mut carried = vec![0.0; bodies.len()];
    for k in bodies.clone() {
        let inertia = model.body(ids[k]).inertia();
        let center = data.position.world_from_body[k].transform_point(inertia.center_of_mass);
        let own = inertia.rotational.trace() / 3.0;
        let mut at = Some(ids[k]);
        while let Some(joint) = at.filter(|j| bodies.contains(&j.index())) {
            let arm = center - data.position.world_from_body[joint.index()].translation;
            carried[joint.index() - bodies.start] += inertia.mass * arm.length_squared() + own;
            at = model.body(joint).parent();
        }
    }
    carried
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_physics::figures;

    #[test]
    fn carried_inertia_is_that_of_the_figure() {
        let figure = figures::bones36();
        let model = figure.model();
        let ours = carried_inertia(&model, 0..model.n_bodies());
        // The model sorts bodies depth first; the figure lists them as written.
        for (part, expected) in figure.parts.iter().zip(figure.carried_inertia()) {
            let index = model.find(&part.name).map(BodyId::index);
            let ours = index.map(|i| ours[i]);
            assert!(ours.is_some_and(|o| (o - expected).abs() < 1e-9 * expected), "{}", part.name);
        }
    }

    #[test]
    fn every_part_of_the_standard_figures_is_in_the_table() {
        for figure in [figures::humanoid37(), figures::bones36()] {
            for part in figure.parts.iter().filter(|p| p.parent.is_some()) {
                assert!(gains_of_body(&part.name).is_some(), "{}", part.name);
            }
        }
        assert_eq!(gains_of_body("anna/lthigh").map(|g| g.effort), Some(200.0));
        assert_eq!(gains_of_body("pelvis"), None);
    }
}
