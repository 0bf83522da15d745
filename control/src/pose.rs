//! Joint servos that hold a pose: `τ = k (q̄ ⊖ q) - d q̇` on every joint but the root, taken at the end of the
//! step (stable PD, Tan et al. 2011). The effort limits are those of the joints.

use std::sync::Arc;

use stuntlab_physics::{Actuation, Bodies, Coordinate, Freedom, JointKind, Model, State};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::gains::{Gains, Tuned};
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::readings::{Published, Readings, Together};
use crate::settings::{Fields, SettingError};

/// Holds a pose.
#[derive(Clone, Debug)]
pub struct Pose {
    gains: Tuned,
    /// Freedoms of the character's bodies, root excluded, with their places among the character's own.
    servos: Vec<(Freedom, usize)>,
    /// Coordinates and the wanted values, root excluded.
    target: Vec<(Coordinate, f64)>,
    strength: f64,
    /// Readings.
    values: [f64; 1],
}

/// What it says of itself.
pub(crate) const STRENGTH: Published = Published {
    name: "strength",
    unit: "of 1",
    help: "Scale of its gains: below 1 while stunned or told to let go",
    together: Together::Least,
};
const PUBLISHED: &[Published] = &[STRENGTH];

impl Pose {
    /// Servos that hold the joints of `bodies` where they are in `pose`.
    pub fn new(model: &Model, bodies: Bodies, gains: Gains, pose: &State) -> Self {
        let (mut servos, mut target) = (Vec::new(), Vec::new());
        let first = bodies.first().map_or(0, |root| model.tree_of(root).freedoms.range().start);
        for id in bodies {
            let body = model.body(id);
            if body.parent().is_none() && body.joint().kind == JointKind::Free {
                continue;
            }
            servos.extend(body.freedoms().iter().map(|dof| (dof, dof.index() - first)));
            target.extend(body.coordinates().iter().map(|at| (at, pose.q[at])));
        }
        Self { gains: Tuned::new(model, bodies, gains), servos, target, strength: 1.0, values: [1.0] }
    }
}

const COMMANDS: &[&str] = &["strength"];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "pose",
    help: "Joint servos that hold the pose the character starts in",
    keys: &[GAIN_KEYS],
    commands: COMMANDS,
    readings: PUBLISHED,
    read: |fields, _| Ok(Arc::new(PoseMaker { gains: read_gains(fields)? })),
};

/// Keys of servo gains.
pub(crate) const GAIN_KEYS: &[Setting] = &[
    Setting::new(
        "gains",
        "\"inertia\"",
        "`inertia` (by what a joint carries in the zero pose), `carried` (as the body is, with all above the foot for legs that stand) or `table` (by body part)",
    ),
    Setting::new("stiffness", "400.0", "of `inertia` and `carried`: 1/s², the square of the frequency"),
    Setting::new("damping", "40.0", "of `inertia` and `carried`: 1/s"),
    Setting::new("scale", "", "of `table`: factor on all, 1.6 where it is not written"),
];

/// Reads servo gains.
pub(crate) fn read_gains(table: &Fields<'_>) -> Result<Gains, SettingError> {
    #[derive(Clone, Copy)]
    enum Rule {
        Table,
        Inertia,
        Carried,
    }
    let words = [("table", Rule::Table), ("inertia", Rule::Inertia), ("carried", Rule::Carried)];
    let per_inertia = || {
        let stiffness = table.at_least_zero("stiffness")?.unwrap_or(400.0);
        Ok((stiffness, table.at_least_zero("damping")?.unwrap_or(40.0)))
    };
    Ok(match table.choice("gains", &words)?.unwrap_or(Rule::Inertia) {
        Rule::Inertia => {
            let (stiffness, damping) = per_inertia()?;
            Gains::Inertia { stiffness, damping }
        }
        Rule::Carried => {
            let (stiffness, damping) = per_inertia()?;
            Gains::Carried { stiffness, damping }
        }
        Rule::Table => Gains::Table { scale: table.at_least_zero("scale")?.unwrap_or(1.6) },
    })
}

#[derive(Debug)]
struct PoseMaker {
    gains: Gains,
}

impl Maker for PoseMaker {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(Pose::new(casting.model, casting.bodies, self.gains, casting.state)))
    }
}

impl Controller for Pose {
    fn name(&self) -> &'static str {
        "pose"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.values = [self.strength.min(1.0)];
        self.gains.look(sense);
        for &(dof, place) in &self.servos {
            let (stiffness, damping) = self.gains.table()[place];
            out.servo.stiffness[dof] = self.strength * stiffness;
            out.servo.damping[dof] = self.strength * damping;
            out.servo.target_v[dof] = 0.0;
        }
        for &(at, value) in &self.target {
            out.servo.target_q[at] = value;
        }
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `strength`: factor on all gains, 0 lets go.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "strength" => {
                self.strength = value.max(0.0);
                Ok(())
            }
            _ => Err(self.unknown()),
        }
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        // The root goes where it is; only the joints have a will.
        for body in sense.bodies {
            let range = sense.model.body(body).coordinates();
            q[range].copy_from_slice(&sense.state.q[range]);
        }
        for &(at, value) in &self.target {
            q[at] = value;
        }
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::senses::Senses;
    use stuntlab_mocap::character::Physique;
    use stuntlab_physics::step::{advance, observe};
    use stuntlab_physics::{Data, StepOptions, figures};

    #[test]
    fn an_arm_stretched_sideways_holds_against_gravity() {
        // A chain on the world is a character too: 3 links held out straight by inertia-scaled servos.
        let model = figures::chain(3).model();
        let options = StepOptions::default();
        let mut state = State::new(&model);
        state.q[0] = 0.5;
        let gains = Gains::Inertia { stiffness: 10_000.0, damping: 200.0 };
        let mut pose = Pose::new(&model, model.body_ids(), gains, &state);
        let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
        let mut senses = Senses::new(&model, model.body_ids(), Physique::by_name(&model).into());
        for _ in 0..360 {
            observe(&model, &state, &mut data, &options);
            act.clear();
            senses.look(&model, &state, &data);
            pose.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
            advance(&model, &mut state, &mut data, &act, &options).expect("a quiet chain");
        }
        assert!((state.q[0] - 0.5).abs() < 0.01, "{:?}", state.q);
        assert!(state.v.iter().all(|v| v.abs() < 1e-6));
    }

    #[test]
    fn commands_are_checked() {
        let model = figures::humanoid37().model();
        let mut pose = Pose::new(&model, model.body_ids(), Gains::Table { scale: 1.6 }, &State::new(&model));
        assert!(pose.command("strength", 0.5).is_ok());
        let error = pose.command("strenght", 0.5).expect_err("a typing error");
        assert_eq!(error.to_string(), "expected one of: strength");
    }
}
