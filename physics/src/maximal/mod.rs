//! The same model in maximal coordinates: every body on its own, joints as constraint rows.
//!
//! This is how ODE and its descendants see an articulation (Baraff 1996; Smith 2006), here as the baseline
//! reduced coordinates are compared with. A second [`Model`] is made in which every body hangs on the world
//! by a free joint; shapes, materials, filters and gravity stay. Each step adds `6 - n_v` bilateral rows per
//! joint,
//!
//! ```text
//! J v⁺ = -(β/h) φ          φ: how far the child is from where its joint allows, β: correction   (1)
//! ```
//!
//! and what acts along the joint's freedoms (springs, dampers, servos, armature, motors, limits) as
//! compliant or bounded rows, so that a servo's effort limit is exact. With `s` the joint's rate, a force
//! `τ₀ - b s⁺` and a rotor of inertia `a` together are
//!
//! ```text
//! s⁺ + λ/(h b + a) = (h τ₀ + a s)/(h b + a)                                                     (2)
//! ```
//!
//! The rows are solved directly with whatever other rows there are, so [`Formulation::LcpPgs`] and
//! [`Formulation::LcpDantzig`] coincide up to 600 rows. Cost: cubic in the number of rows, where reduced
//! coordinates are linear in the number of bodies.
//!
//! (1) lets a joint drift by `h²/2` times its centripetal acceleration per step and takes `β` of it back, so
//! the drift is about `h² |a|/(2β)`, second order in the step.

mod joints;
mod reactions;
mod read;
#[cfg(test)]
mod tests;

use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::{forward_kinematics, forward_velocity};
use crate::forces::Forces;
use crate::model::{BodyId, BodySpec, Joint, Model, ModelError};
use crate::spatial::Motion;
use crate::state::{State, write3};
use crate::step::check::check_input;
use crate::step::reaction::Reactions;
use crate::step::{Formulation, StepError, StepOptions, StepReport, advance_once, begin, observe, substeps};

use joints::JointFrame;

/// A model taken apart, with the work space of its steps.
#[derive(Clone, Debug)]
pub struct Maximal {
    reduced: Model,
    split: Model,
    /// Share of the joint error removed per step (ODE's ERP), 0 to 1.
    pub correction: f64,
    /// Joint coordinates and rates as last read from the bodies.
    read: State,
    frames: Vec<JointFrame>,
    /// Springs and dampers of the joints.
    passive: Forces,
    /// What acts along the freedoms as a known force: all of it, and the share of joint force and servo.
    known: Vec<[f64; 2]>,
    /// What the separate bodies see of an actuation.
    act: Actuation,
    /// An actuation without servos: what explicit springs between the separate bodies are checked with.
    idle: Actuation,
}

/// How far joints have come apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// Largest distance of a child from where its joint allows, m.
    pub distance: f64,
    /// Largest turn away from what a joint allows, rad.
    pub angle: f64,
}

impl Maximal {
    /// Takes a model apart. Bodies keep their names and indices.
    ///
    /// # Errors
    /// A body without mass cannot move on its own: [`ModelError`] names it.
    pub fn new(model: &Model) -> Result<Self, ModelError> {
        let mut builder = Model::builder().gravity(model.gravity);
        for body in &model.bodies {
            builder.push(BodySpec::root(body.name.clone(), Joint::free(), body.inertia));
        }
        let mut split = builder.build()?;
        // Roots stay in order, so everything indexed by body is as valid as it was: neighbours still never
        // touch, and contacts are as stiff as the whole tree asks for.
        split.colliders = model.colliders.clone();
        split.materials.clone_from(&model.materials);
        split.apart.clone_from(&model.apart);
        split.tree_mass.clone_from(&model.tree_mass);
        Ok(Self {
            correction: 0.4,
            read: State::new(model),
            frames: vec![JointFrame::default(); model.n_bodies()],
            passive: Forces::new(model),
            known: vec![[0.0; 2]; model.n_v()],
            act: Actuation::new(&split),
            idle: Actuation::new(&split),
            reduced: model.clone(),
            split,
        })
    }

    /// The separate bodies: make [`State`] and [`Data`] of the maximal run from this.
    pub fn model(&self) -> &Model {
        &self.split
    }

    /// The state of the separate bodies that corresponds to a reduced state.
    pub fn separate(&mut self, reduced: &State) -> State {
        let mut data = Data::new(&self.reduced);
        forward_kinematics(&self.reduced, reduced, &mut data);
        forward_velocity(&self.reduced, reduced, &mut data);
        let mut out = State::new(&self.split);
        out.time = reduced.time;
        for (i, body) in self.split.bodies.iter().enumerate() {
            let pose = &data.position.world_from_body[i];
            let Motion { angular, linear } = data.velocity.body[i];
            write3(&mut out.q, body.q_start, pose.translation);
            out.q[body.q_start + 3..body.q_start + 7].copy_from_slice(&pose.quaternion().to_array());
            write3(&mut out.v, body.v_start, pose.inverse_transform_vector(linear));
            write3(&mut out.v, body.v_start + 3, pose.inverse_transform_vector(angular));
        }
        self.read.clone_from(reduced);
        out
    }

    /// The reduced state nearest to what the separate bodies do: joint coordinates and rates read from
    /// neighbours, drift left out. Full turns of hinges count from the last reading.
    pub fn join(&mut self, separate: &State) -> State {
        let mut data = Data::new(&self.split);
        forward_kinematics(&self.split, separate, &mut data);
        forward_velocity(&self.split, separate, &mut data);
        joints::read(&self.reduced, &data, &mut self.read, &mut self.frames);
        self.read.time = separate.time;
        self.read.clone()
    }

    /// How far joints are apart, as of the last [`observe`] of the separate bodies.
    pub fn drift(&mut self, data: &Data) -> Drift {
        joints::read(&self.reduced, data, &mut self.read, &mut self.frames);
        self.frames.iter().fold(Drift::default(), |worst, frame| Drift {
            distance: worst.distance.max(frame.apart.length()),
            angle: worst.angle.max(frame.turned.length()),
        })
    }

    /// Advances the separate bodies by one step under an actuation of the *reduced* model: the counterpart of
    /// [`crate::step::advance`], after [`observe`] with [`Maximal::model`]. [`Data::reactions`] are those of the reduced model's
    /// joints.
    ///
    /// # Errors
    /// As [`crate::step::advance`]; the state then stays as it was.
    pub fn advance(
        &mut self,
        state: &mut State,
        data: &mut Data,
        act: &Actuation,
        opt: &StepOptions,
    ) -> Result<StepReport, StepError> {
        // A joint's two bodies cannot rest one without the other: nobody sleeps here.
        // Joints are rows here, and so are contacts.
        let formulation = match opt.formulation {
            Formulation::ImplicitPenalty => Formulation::LcpPgs,
            other => other,
        };
        let opt = &StepOptions { sleep_after: None, formulation, ..*opt };
        if !data.reactions.are_of(&self.reduced) {
            data.reactions = Reactions::new(&self.reduced);
        }
        begin(data, act, opt);
        data.looked.forget();
        let Self { reduced, split, read, frames, passive, known, act: bodies, idle, correction } = self;
        let mut part = |split: &Model, state: &mut State, data: &mut Data, opt: &StepOptions| {
            // Joint quantities do not reach the step's own door: refuse bad ones here, naming the joint.
            read.time = state.time;
            joints::read(reduced, data, read, frames);
            check_input(reduced, read, act, opt)?;
            bodies.body_force.copy_from_slice(&act.body_force);
            bodies.implicit.clone_from(&act.implicit);
            bodies.pins.clone_from(&act.pins);
            joints::gather(reduced, read, frames, act, opt, passive, known, &mut bodies.body_force);
            check_input(split, state, bodies, opt)?;
            let world = joints::World { reduced, split, read, frames };
            let report = advance_once(
                split,
                state,
                data,
                bodies,
                act,
                opt,
                Some(&mut |data, rows| {
                    world.push_rows(data, act, passive, *correction, opt, rows);
                }),
            )?;
            world.write_reactions(data, act, known, opt);
            Ok(report)
        };
        if opt.formulation == Formulation::Penalty {
            // Explicit joint forces follow the bodies from sub-step to sub-step.
            return substeps(split, state, data, idle, opt, &mut part);
        }
        let report = part(split, state, data, opt)?;
        Ok(StepReport { substeps: 1, substep: opt.dt, ..report })
    }

    /// [`observe`] and [`Maximal::advance`] without a controller in between.
    ///
    /// # Errors
    /// As [`Maximal::advance`].
    pub fn step(
        &mut self,
        state: &mut State,
        data: &mut Data,
        act: &Actuation,
        opt: &StepOptions,
    ) -> Result<StepReport, StepError> {
        observe(&self.split, state, data, opt);
        self.advance(state, data, act, opt)
    }
}

/// The body above a joint, if it is not the world.
fn parent_of(model: &Model, i: usize) -> Option<usize> {
    model.bodies[i].parent.map(BodyId::index)
}
