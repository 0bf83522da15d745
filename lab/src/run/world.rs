//! A world: a scene's model with its state, controllers and events, stepping.
//!
//! Between steps `data` always describes `state`: it is observed at the end of each step, so that controllers,
//! measurements and pictures see the same thing.

mod edit;

use std::sync::Arc;
use std::time::Instant;

use stuntlab_control::{Controller, Refusal, Sense, Senses};
use stuntlab_physics::blackbox::{BlackBox, Dump, Fault};
use stuntlab_physics::contact::Contact;
use stuntlab_physics::dynamics::{forward_kinematics, forward_velocity};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::maximal::Drift;
use stuntlab_physics::memory::Memory;
use stuntlab_physics::step::Ledger;
use stuntlab_physics::{Actuation, BodyId, Data, JointKind, Model, State, StepOptions, StepReport, observe};

use super::apart::Apart;
use super::hands::{Drag, Hands, Push, Reach};
use crate::compare::engine::{Looking, Stages};
use crate::scene::{ControllerSpec, Dynamics, Member, Scene, SceneError, Stage, What};
use crate::words::fingerprint;

/// A scene being simulated.
#[derive(Clone)]
pub struct World {
    /// Positions, velocities, time.
    pub state: State,
    /// What was observed of `state`.
    pub data: Data,
    /// How steps are taken; may be changed between steps.
    pub options: StepOptions,
    /// One per character, in the order of [`World::cast`]; may be swapped between steps.
    pub controllers: Vec<Box<dyn Controller>>,
    /// How the last step went.
    pub report: StepReport,
    /// The books of all steps so far.
    pub ledger: Ledger,
    /// What all steps so far took.
    pub toll: Toll,
    /// What the characters feel of themselves, in the order of [`World::cast`], as of `state`.
    senses: Vec<Senses>,
    scene: Scene,
    stage: Stage,
    act: Actuation,
    /// Whether each event of the kind that happens once has happened.
    fired: Vec<bool>,
    /// Bodies that wait to be thrown.
    parked: Vec<BodyId>,
    /// The last steps, for when one goes wrong.
    black_box: BlackBox,
    /// The separate bodies, in maximal coordinates.
    apart: Option<Apart>,
    /// Contacts of the last step with the forces it found, once somebody wants them.
    touched: Option<Vec<Contact>>,
    /// The model as the scene has it, once it was changed, and the factor on its friction.
    usual: Option<Arc<Model>>,
    friction: f64,
}

/// What steps took: what a run's manifest says of how it was really stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Toll {
    /// Most sub-steps of a step.
    pub substeps: usize,
    /// The shortest sub-step, s.
    pub substep: f64,
    /// Most multiplications of the rigid solvers in a step.
    pub work: u64,
    /// Steps in which the direct solver gave an island up.
    pub given_up: u64,
}

impl Toll {
    fn none(options: &StepOptions) -> Self {
        Self { substeps: 0, substep: options.dt, work: 0, given_up: 0 }
    }

    fn add(&mut self, report: &StepReport) {
        self.substeps = self.substeps.max(report.substeps);
        self.substep = self.substep.min(report.substep);
        self.work = self.work.max(report.rows.work);
        self.given_up += u64::from(report.rows.given_up > 0);
    }
}

/// Steps the black box remembers.
const REMEMBERED: usize = 60;

/// All that is needed to continue a world from the middle.
#[derive(Clone)]
pub struct Snapshot {
    /// Positions, velocities, time.
    pub state: State,
    memory: Memory,
    controllers: Vec<Box<dyn Controller>>,
    senses: Vec<Senses>,
    fired: Vec<bool>,
    parked: Vec<BodyId>,
    ledger: Ledger,
    toll: Toll,
    apart: Option<Apart>,
}

impl World {
    /// A scene at its start.
    ///
    /// # Errors
    /// A scene that cannot be built.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let stage = Stage::build(scene)?;
        let apart = match scene.dynamics {
            Dynamics::Reduced => None,
            Dynamics::Maximal => {
                let apart = Apart::new(&stage.model, &stage.state);
                Some(apart.map_err(|e| scene.error_at(0, "dynamics", format!("is \"maximal\", but {e}")))?)
            }
        };
        let mut world = Self {
            state: stage.state.clone(),
            data: Data::new(&stage.model),
            options: scene.options,
            controllers: Vec::new(),
            report: StepReport::default(),
            ledger: Ledger::default(),
            toll: Toll::none(&scene.options),
            senses: fresh_senses(&stage),
            scene: scene.clone(),
            act: Actuation::new(&stage.model),
            fired: vec![false; scene.events.len()],
            parked: stage.parked.clone(),
            black_box: BlackBox::new(&stage.model, REMEMBERED),
            apart,
            touched: None,
            usual: None,
            friction: 1.0,
            stage,
        };
        let made = world.cast().iter().map(|m| world.make_controller(m, &m.controller));
        let made: Result<Vec<_>, Refusal> = made.collect();
        world.controllers = made.map_err(|r| scene.error_at(0, &r.key, r.problem))?;
        world.check_commands()?;
        world.look();
        Ok(world)
    }

    /// Every word of a command event must be known to the controller it is said to.
    fn check_commands(&self) -> Result<(), SceneError> {
        for event in &self.scene.events {
            let What::Command { character, name, value, place } = &event.what else { continue };
            let member = self.cast().iter().position(|m| m.name == *character);
            let Some(mut controller) = member.map(|m| self.controllers[m].clone()) else { continue };
            controller.command(name, *value).map_err(|unknown| SceneError {
                problem: format!("is \"{name}\", {unknown} (controller {})", controller.name()),
                ..place.clone()
            })?;
        }
        Ok(())
    }

    /// The controller `spec` describes, for a character of this world.
    ///
    /// # Errors
    /// A character, or surroundings, that it does not fit.
    pub fn make_controller(
        &self,
        member: &Member,
        spec: &ControllerSpec,
    ) -> Result<Box<dyn Controller>, Refusal> {
        self.stage.make_controller(member, spec)
    }

    /// What is simulated.
    pub fn model(&self) -> &Model {
        &self.stage.model
    }

    /// The scene it came from.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The characters.
    pub fn cast(&self) -> &[Member] {
        &self.stage.cast
    }

    /// What the characters feel of themselves, in the order of [`World::cast`].
    pub fn senses(&self) -> &[Senses] {
        &self.senses
    }

    /// What a character sees, for its controller.
    pub(crate) fn sense(&self, member: usize) -> Sense<'_> {
        Sense::new(self.model(), &self.state, &self.data, self.options.dt, &self.senses[member])
    }

    /// The body of this name; a character's name means its root.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.stage.find(name)
    }

    /// Whether a body waits to be thrown.
    pub fn is_parked(&self, body: BodyId) -> bool {
        self.parked.contains(&body)
    }

    /// The first body that waits to be thrown and whose name starts with `prefix`.
    pub fn next_parked(&self, prefix: &str) -> Option<BodyId> {
        self.parked.iter().copied().find(|b| self.model().body(*b).name().starts_with(prefix))
    }

    /// The last steps as a file that can be replayed.
    pub fn dump(&self) -> Dump {
        self.black_box.dump(&self.stage.model)
    }

    /// Deepest overlap of shapes now, m.
    pub fn deepest(&self) -> f64 {
        self.data.contact.points.iter().map(|c| c.depth).fold(0.0, f64::max)
    }

    /// From now on every step leaves its contacts, where they were as it began, with the forces it found.
    pub fn keep_touched(&mut self) {
        self.touched.get_or_insert_default();
    }

    /// The contacts of the last step that pressed, where somebody asked to keep them.
    pub fn touched(&self) -> &[Contact] {
        self.touched.as_deref().unwrap_or_default()
    }

    /// The separate bodies of maximal coordinates, of which joints have come apart a little; `None` in reduced ones.
    pub fn separate(&self) -> Option<(&Model, &State)> {
        self.apart.as_ref().map(Apart::bodies)
    }

    /// How far joints have come apart; `None` in reduced coordinates, where they cannot.
    pub fn joint_drift(&mut self) -> Option<Drift> {
        let options = self.options;
        self.apart.as_mut().map(|apart| apart.drift(&options))
    }

    /// Takes one step.
    ///
    /// # Errors
    /// A step that went wrong; the state is the last good one.
    pub fn step(&mut self, hands: &Hands) -> Result<(), Fault> {
        self.decide(hands);
        self.advance()?;
        self.look();
        Ok(())
    }

    /// [`World::step`] with what its parts took.
    ///
    /// # Errors
    /// A step that went wrong; the state is the last good one.
    pub fn step_in_stages(&mut self, hands: &Hands) -> Result<Stages, Fault> {
        let begun = Instant::now();
        self.decide(hands);
        let decided = Instant::now();
        self.advance()?;
        let advance = decided.elapsed();
        self.look();
        Ok(Stages { control: decided - begun, advance })
    }

    /// What acts in the coming step: events, hands, characters.
    fn decide(&mut self, hands: &Hands) {
        self.fire_events();
        self.act.clear();
        // Hands first: characters feel what pushes them.
        self.act_events();
        let (time, dt) = (self.state.time, self.options.dt);
        let mut reach = Reach { act: &mut self.act, black_box: &mut self.black_box };
        for push in &hands.pushes {
            reach.push(push, &self.data, time, dt);
        }
        if let Some(drag) = &hands.drag {
            reach.drag(drag, &self.stage.model, &self.data, dt);
        }
        let model = &self.stage.model;
        self.senses.iter_mut().for_each(|senses| senses.brace(&self.act, &self.data));
        for (senses, controller) in self.senses.iter().zip(&mut self.controllers) {
            let sense = Sense::new(model, &self.state, &self.data, dt, senses);
            controller.act(&sense, &mut self.act);
        }
        self.act.pins.extend_from_slice(&self.stage.pins);
        for body in &self.parked {
            self.act.prescribed[body.index()] = true;
        }
    }

    /// From what acts to the next state.
    fn advance(&mut self) -> Result<(), Fault> {
        let (model, state, data) = (&self.stage.model, &mut self.state, &mut self.data);
        self.report = match &mut self.apart {
            None => self.black_box.advance(model, state, data, &self.act, &self.options)?,
            Some(apart) => {
                let step =
                    |_: &Model,
                     state: &mut State,
                     data: &mut Data,
                     act: &Actuation,
                     options: &StepOptions| { apart.advance(state, data, act, options) };
                self.black_box.advance_by(model, state, data, &self.act, &self.options, step)?
            }
        };
        if let Some(touched) = &mut self.touched {
            let contacts = self.apart.as_ref().map_or(&*self.data.contact.points, Apart::contacts);
            touched.clear();
            touched.extend(contacts.iter().filter(|c| c.force != DVec3::ZERO));
        }
        self.toll.add(&self.report);
        self.ledger.add(&self.report.ledger);
        Ok(())
    }

    /// How long it takes to look at a state: poses, velocities, contacts. Looks at one a hair away, since one that was seen is not looked at
    /// again, and back. Poses and velocities are then found once more by themselves.
    pub fn time_of_look(&mut self) -> Looking {
        let mut aside = self.state.clone();
        aside.v.iter_mut().for_each(|v| *v += 1e-9);
        let (model, data) = (&self.stage.model, &mut self.data);
        let begun = Instant::now();
        observe(model, &aside, data, &self.options);
        let whole = begun.elapsed();
        let begun = Instant::now();
        forward_kinematics(model, &aside, data);
        forward_velocity(model, &aside, data);
        let poses = begun.elapsed();
        observe(model, &self.state, data, &self.options);
        Looking { poses, whole }
    }

    fn look(&mut self) {
        observe(&self.stage.model, &self.state, &mut self.data, &self.options);
        for senses in &mut self.senses {
            senses.look(&self.stage.model, &self.state, &self.data);
        }
    }

    /// Events that happen once, at the step that contains their time.
    fn fire_events(&mut self) {
        let due = self.state.time + 0.5 * self.options.dt;
        for k in 0..self.scene.events.len() {
            let event = &self.scene.events[k];
            if self.fired[k] || event.time > due {
                continue;
            }
            match event.what.clone() {
                What::Throw { body, from, velocity, spin } => {
                    if let Some(body) = self.find(&body) {
                        self.throw(body, from, velocity, spin);
                    }
                }
                What::Command { character, name, value, .. } => self.tell(&character, &name, value),
                What::Push { .. } | What::Drag { .. } => {}
            }
            self.fired[k] = true;
        }
    }

    /// Says a word to a character.
    fn tell(&mut self, character: &str, word: &str, value: f64) {
        let member = self.cast().iter().position(|m| m.name == character);
        if let Some(controller) = member.and_then(|m| self.controllers.get_mut(m)) {
            // Checked at the start; a controller swapped in since need not know the word.
            let _ = controller.command(word, value);
        }
    }

    /// Events that last.
    fn act_events(&mut self) {
        let (time, dt) = (self.state.time, self.options.dt);
        let mut reach = Reach { act: &mut self.act, black_box: &mut self.black_box };
        for event in &self.scene.events {
            match &event.what {
                What::Push { body, impulse, point_body, duration } => {
                    if let Some(body) = self.stage.find(body) {
                        let push = Push {
                            body,
                            point_body: *point_body,
                            impulse: *impulse,
                            start: event.time,
                            duration: *duration,
                        };
                        reach.push(&push, &self.data, time, dt);
                    }
                }
                What::Drag { body, point_body, path, duration, frequency } => {
                    let progress = (time - event.time) / duration;
                    if let Some(body) = self.stage.find(body).filter(|_| (0.0..1.0).contains(&progress)) {
                        let target = along(path, progress);
                        let drag = Drag { body, point_body: *point_body, target, frequency: *frequency };
                        reach.drag(&drag, &self.stage.model, &self.data, dt);
                    }
                }
                What::Throw { .. } | What::Command { .. } => {}
            }
        }
    }

    /// Puts a loose body somewhere with a velocity.
    pub fn throw(&mut self, body: BodyId, from: DVec3, velocity: DVec3, spin: DVec3) {
        let spec = self.stage.model.body(body);
        if spec.joint().kind != JointKind::Free {
            return;
        }
        let frame = spec.joint().parent_from_joint;
        let place = frame.inverse_transform_point(from);
        let to_body = frame.rotation.transpose();
        let (q, v) = (&mut self.state.q[spec.coordinates()], &mut self.state.v[spec.freedoms()]);
        q[..3].copy_from_slice(&place.to_array());
        q[3..].copy_from_slice(&DQuat::IDENTITY.to_array());
        v[..3].copy_from_slice(&(to_body * velocity).to_array());
        v[3..].copy_from_slice(&(to_body * spin).to_array());
        self.parked.retain(|b| *b != body);
        self.look();
    }

    /// What is needed to continue from here.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            memory: self.data.memory.clone(),
            controllers: self.controllers.clone(),
            senses: self.senses.clone(),
            fired: self.fired.clone(),
            parked: self.parked.clone(),
            ledger: self.ledger,
            toll: self.toll,
            apart: self.apart.clone(),
        }
    }

    /// Goes back (or ahead) to a snapshot of this world.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.state.clone_from(&snapshot.state);
        self.controllers.clone_from(&snapshot.controllers);
        self.senses.clone_from(&snapshot.senses);
        self.fired.clone_from(&snapshot.fired);
        self.parked.clone_from(&snapshot.parked);
        self.ledger = snapshot.ledger;
        self.toll = snapshot.toll;
        self.apart.clone_from(&snapshot.apart);
        self.data.memory.clone_from(&snapshot.memory);
        self.look();
    }

    /// The state in one number; equal states have equal numbers.
    pub fn hash(&self) -> u64 {
        state_hash(&self.state)
    }
}

/// Senses of all characters that have felt nothing yet.
fn fresh_senses(stage: &Stage) -> Vec<Senses> {
    stage.cast.iter().map(|m| Senses::new(&stage.model, m.bodies, m.physique.clone())).collect()
}

/// The point `progress` (0 to 1) of the way along a polyline, by number of points.
pub(crate) fn along(path: &[DVec3], progress: f64) -> DVec3 {
    let last = path.len() - 1;
    let at = progress.clamp(0.0, 1.0) * last as f64;
    let k = (at as usize).min(last);
    let next = (k + 1).min(last);
    path[k] + (path[next] - path[k]) * (at - k as f64)
}

/// Fingerprint of the bits of positions, velocities and time.
pub fn state_hash(state: &State) -> u64 {
    let numbers = state.q.iter().chain(&state.v).chain(std::iter::once(&state.time));
    fingerprint(numbers.flat_map(|x| x.to_bits().to_le_bytes()))
}
