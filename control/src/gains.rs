//! Servo gains and effort limits.
//!
//! Ways to choose them: the table of a tracker known to work (DeepMimic's, for 45 kg; an
//! 80 kg figure wants 1.5 to 1.8 times as much), or in proportion to the inertia a joint carries (Zordan &
//! Hodgins 2002), which gives every joint the same frequency and damping ratio: that of the zero pose, or that of the pose it is in, with
//! all that is above the foot for a leg that stands ([`Carried`]).

mod carried;

pub use carried::Carried;
pub(crate) use carried::leg;

use stuntlab_mocap::character::{Part, Strength};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::{Bodies, Data, Model, State};

use crate::controller::Sense;

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
    /// In proportion to the inertia the joint carries as the body is now, with all that is above the foot where a leg stands.
    Carried {
        /// Stiffness per inertia, 1/s²: one spring for the whole figure.
        stiffness: f64,
        /// Damping per inertia, 1/s: one damper.
        damping: f64,
    },
}

/// Gains of all freedoms of a character under any rule.
#[derive(Clone, Debug)]
pub struct Tuned {
    rule: Gains,
    /// Stiffness and damping per freedom, root first.
    table: Vec<(f64, f64)>,
    carried: Option<Carried>,
}

/// Least stiffness and damping of [`Gains::Carried`], as shares of the reference gains of the part ([`Part::strength`]): hands and feet in the air carry hardly
/// anything but themselves, and friction in the joint would stop them.
const FLOOR: f64 = 0.05;

impl Tuned {
    /// By a rule, for the character made of `bodies`.
    pub fn new(model: &Model, bodies: Bodies, rule: Gains) -> Self {
        let per_body = servo_gains(model, bodies, rule);
        let mut table = Vec::new();
        for (body, gains) in bodies.iter().zip(per_body) {
            table.extend(std::iter::repeat_n(gains, model.body(body).freedoms().len()));
        }
        let is_carried = matches!(rule, Gains::Carried { .. });
        let carried = is_carried.then(|| Carried::new(bodies.len(), table.len()));
        Self { rule, table, carried }
    }

    /// Looks at the character; a rule that does not depend on its pose has nothing to look at.
    pub fn look(&mut self, sense: &Sense<'_>) {
        let (Gains::Carried { stiffness, damping }, Some(carried)) = (self.rule, &mut self.carried) else {
            return;
        };
        carried.look(sense);
        let first = sense.tree().freedoms.range().start;
        for (body, part) in sense.bodies.iter().zip(sense.own.physique().parts()) {
            let floor = part.and_then(reference_gains).map_or(0.0, |gains| FLOOR * gains.stiffness);
            for dof in sense.model.body(body).freedoms().iter().map(|dof| dof.index() - first) {
                let inertia = carried.inertia()[dof].max(floor / stiffness.max(f64::MIN_POSITIVE));
                self.table[dof] = (stiffness * inertia, damping * inertia);
            }
        }
    }

    /// Stiffness and damping of every freedom, root first.
    pub fn table(&self) -> &[(f64, f64)] {
        &self.table
    }
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
        // A figure that nobody has looked at yet is in its zero pose.
        Gains::Inertia { stiffness, damping } | Gains::Carried { stiffness, damping } => {
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
