//! Servo gains and effort limits.
//!
//! Two ways to choose them: the table of a tracker known to work (DeepMimic's, for 45 kg; an
//! 80 kg figure wants 1.5 to 1.8 times as much), or in proportion to the inertia a joint carries (Zordan &
//! Hodgins 2002), which gives every joint the same frequency and damping ratio.

use stuntlab_mocap::character::{Part, Strength};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::{Bodies, Data, Model, State};

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

/// The reference gains of the joint above a part, of [`Part::strength`]; none for the pelvis.
pub const fn reference_gains(part: Part) -> Option<JointGains> {
    let Strength { stiffness, damping, effort, .. } = part.strength();
    match part {
        Part::Pelvis => None,
        _ => Some(JointGains { stiffness, damping, effort }),
    }
}

/// The same of a body by its name ([`Part::of_name`]).
pub fn gains_of_body(name: &str) -> Option<JointGains> {
    Part::of_name(name).and_then(reference_gains)
}

/// Stiffness and damping of the joint above each of `bodies`.
pub fn servo_gains(model: &Model, bodies: Bodies, gains: Gains) -> Vec<(f64, f64)> {
    match gains {
        Gains::Inertia { stiffness, damping } => {
            let carried = carried_inertia(model, bodies);
            carried.iter().map(|inertia| (stiffness * inertia, damping * inertia)).collect()
        }
        Gains::Table { scale } => {
            let of = |g: JointGains| (scale * g.stiffness, scale * g.damping);
            let known = model.bodies()[bodies].iter().map(|body| gains_of_body(body.name()));
            known.map(|g| g.map_or((0.0, 0.0), of)).collect()
        }
    }
}

/// Inertia each of `bodies` carries about its joint in the zero pose: masses times squared distance of their
/// centres, plus a third of the trace of each body's own inertia.
pub fn carried_inertia(model: &Model, bodies: Bodies) -> Vec<f64> {
    let mut data = Data::new(model);
    forward_kinematics(model, &State::new(model), &mut data);
    let mut carried = vec![0.0; bodies.len()];
    for body in bodies {
        let inertia = model.body(body).inertia();
        let center = data.position.world_from_body[body].transform_point(inertia.center_of_mass);
        let own = inertia.rotational.trace() / 3.0;
        let mut at = Some(body);
        while let Some((joint, place)) = at.and_then(|j| Some((j, bodies.place_of(j)?))) {
            let arm = center - data.position.world_from_body[joint].translation;
            carried[place] += inertia.mass * arm.length_squared() + own;
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
        let ours = carried_inertia(&model, model.body_ids());
        // The model sorts bodies depth first; the figure lists them as written.
        for (part, expected) in figure.parts.iter().zip(figure.carried_inertia()) {
            let ours = model.find(&part.name).map(|body| ours[body]);
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
