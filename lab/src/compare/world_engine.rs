//! A world of a scene as something to compare: whatever its formulation, integrator or coordinates.

use stuntlab_physics::contact::Contact;
use stuntlab_physics::dynamics::spring_energy;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::Motion;
use stuntlab_physics::step::Account;
use stuntlab_physics::{BodyId, JointKind, Model, State};

use super::engine::{BodyState, Engine, Looking, Stages, Touch};
use crate::measure::{Gauge, Start};
use crate::run::{Hands, World};
use crate::scene::{MeasureSpec, Scene, SceneError};

/// A world under comparison.
#[derive(Clone)]
pub struct WorldEngine {
    world: World,
    /// What the scene measures, and what every character is measured by.
    gauges: Vec<Gauge>,
    start: Start,
    /// Whether the static world has pressed on anything, or somebody pushed.
    pressed: bool,
    /// Whether only steps count.
    bare: bool,
    /// Origins of the bodies as the last step began.
    before: Vec<DVec3>,
}

impl WorldEngine {
    /// A scene at its start.
    ///
    /// # Errors
    /// A scene that cannot be built.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        // Characters are watched where something of them is measured.
        let mut scene = scene.clone();
        if !scene.characters.is_empty() {
            let new = |name: &&&str| scene.measures.iter().all(|own| own.name != **name);
            let quantities = CHARACTERS.iter().filter(new).filter_map(|name| scene.registry.quantity(name));
            let more: Vec<MeasureSpec> = quantities.map(|q| MeasureSpec::plain(q, scene.duration)).collect();
            scene.measures.extend(more);
        }
        let mut world = World::new(&scene)?;
        world.keep_touched();
        let gauges = scene.measures.iter().map(|m| Gauge::new(m, &world)).collect();
        let start = Start::of(&world);
        Ok(Self { world, gauges, start, pressed: false, bare: false, before: Vec::new() })
    }

    /// The same without gauges, books and contacts kept, for times and for references.
    ///
    /// # Errors
    /// A scene that cannot be built.
    pub fn bare(scene: &Scene) -> Result<Self, SceneError> {
        let mut world = World::new(scene)?;
        world.options.ledger = false;
        let start = Start::of(&world);
        Ok(Self { world, gauges: Vec::new(), start, pressed: false, bare: true, before: Vec::new() })
    }

    /// The world itself.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Pose of a body and its velocity at its origin, in world axes.
    fn pose(&self, model: &Model, separate: Option<&State>, body: BodyId) -> (DMat3, DVec3, Motion) {
        match separate {
            None => {
                let pose = self.world.data.world_from_body(body);
                (pose.rotation, pose.translation, self.world.data.body_velocity(body))
            }
            Some(state) => {
                let spec = model.body(body);
                let q = &state.q[spec.coordinates()];
                let v = &state.v[spec.freedoms()];
                let rotation = DMat3::from_quat(DQuat::from_slice(&q[3..7]).normalize());
                let three = |x: &[f64]| DVec3::from_slice(x);
                let motion =
                    Motion { linear: rotation * three(&v[..3]), angular: rotation * three(&v[3..6]) };
                (rotation, three(&q[..3]), motion)
            }
        }
    }

    /// Velocity that a step leaves at a point of a body where it was as the step began: what a solver at velocity level answers for. (At
    /// the place of now a ball that rolled on would seem to part from where it touched.)
    fn point_velocity(&self, body: BodyId, point: DVec3) -> DVec3 {
        let (model, separate) = self.model();
        let (_, _, motion) = self.pose(model, separate, body);
        motion.linear + motion.angular.cross(point - self.before[body.index()])
    }

    fn model(&self) -> (&Model, Option<&State>) {
        match self.world.separate() {
            Some((model, state)) => (model, Some(state)),
            None => (self.world.model(), None),
        }
    }

    fn touch(&self, contact: &Contact) -> Touch {
        let b = contact.body_b;
        let at = contact.point;
        let other = b.map_or(DVec3::ZERO, |b| self.point_velocity(b, at));
        Touch {
            bodies: (contact.body_a.index(), b.map(BodyId::index)),
            normal: contact.normal,
            depth: contact.depth,
            force: contact.force,
            velocity: self.point_velocity(contact.body_a, at) - other,
            friction: contact.law.material.friction,
        }
    }
}

/// Name of the work of muscles among an engine's own numbers.
pub(super) const MUSCLES: &str = "muscle-work";

/// What characters are measured by besides what their scene says.
const CHARACTERS: [&str; 4] = ["tracking-error", "jitter", "falls", "aid-work"];

impl Engine for WorldEngine {
    fn step(&mut self) -> Result<(), String> {
        if self.bare {
            return self.world.step(&Hands::default()).map_err(|fault| fault.to_string());
        }
        let mut before = std::mem::take(&mut self.before);
        let (model, separate) = self.model();
        before.clear();
        before.extend(model.body_ids().iter().map(|id| self.pose(model, separate, id).1));
        self.before = before;
        self.world.step(&Hands::default()).map_err(|fault| fault.to_string())?;
        self.start.follow(&self.world);
        for gauge in &mut self.gauges {
            gauge.look(&self.world, &self.start);
        }
        self.pressed |= self.world.touched().iter().any(|c| c.body_b.is_none());
        Ok(())
    }

    fn time(&self) -> f64 {
        self.world.state.time
    }

    fn dt(&self) -> f64 {
        self.world.options.dt
    }

    fn gravity(&self) -> DVec3 {
        self.world.model().gravity()
    }

    fn bodies(&self, out: &mut Vec<BodyState>) {
        out.clear();
        let (model, separate) = self.model();
        for id in model.body_ids() {
            let inertia = model.body(id).inertia();
            let (rotation, origin, motion) = self.pose(model, separate, id);
            let arm = rotation * inertia.center_of_mass;
            out.push(BodyState {
                mass: inertia.mass,
                inertia: inertia.rotational.to_mat3(),
                rotation,
                center: origin + arm,
                velocity: motion.linear + motion.angular.cross(arm),
                spin: motion.angular,
            });
        }
    }

    fn touches(&self, out: &mut Vec<Touch>) {
        out.clear();
        out.extend(self.world.touched().iter().map(|c| self.touch(c)));
    }

    fn deepest(&self) -> f64 {
        self.world.deepest()
    }

    fn stored(&self) -> f64 {
        spring_energy(self.world.model(), &self.world.state)
    }

    fn joint_drift(&mut self) -> Option<f64> {
        self.world.joint_drift().map(|drift| drift.distance)
    }

    fn closure(&self) -> Option<f64> {
        let ledger = &self.world.report.ledger;
        (ledger.scale > 0.0).then(|| ledger.closure / ledger.scale)
    }

    fn is_free(&self) -> bool {
        let model = self.world.model();
        let loose = |k: JointKind| k == JointKind::Free;
        !self.pressed
            && self.world.scene().events.is_empty()
            && self.world.cast().iter().all(|m| m.controller.name() == "none")
            && model.bodies().iter().all(|b| b.parent().is_some() || loose(b.joint().kind))
    }

    fn iterations(&self) -> Option<f64> {
        let report = &self.world.report;
        let n = report.solve.iterations + report.rows.iterations;
        (n > 0).then_some(n as f64)
    }

    fn step_in_stages(&mut self) -> Result<Option<Stages>, String> {
        let stages = self.world.step_in_stages(&Hands::default()).map_err(|fault| fault.to_string())?;
        Ok(Some(stages))
    }

    fn time_of_look(&mut self) -> Option<Looking> {
        Some(self.world.time_of_look())
    }

    fn fork(&self, dt: f64) -> Option<Box<dyn Engine>> {
        let mut copy = self.clone();
        copy.world.options.dt = dt;
        Some(Box::new(copy))
    }

    fn own(&self) -> Vec<(String, f64)> {
        let readings = self.gauges.iter().map(|g| g.reading(""));
        let muscles = (!self.world.cast().is_empty())
            .then(|| (MUSCLES.to_owned(), self.world.ledger.work(Account::Actuation)));
        readings.map(|r| (r.name, r.value.unwrap_or(f64::NAN))).chain(muscles).collect()
    }
}
