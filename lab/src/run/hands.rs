//! What reaches into a world from outside: springs that pull a point, impulses spread over a time.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{ArticulatedInertia, Force, Sym3};
use stuntlab_physics::{Actuation, BlackBox, BodyId, Data, ImplicitForce, Model};

/// A point of a body pulled to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// The body.
    pub body: BodyId,
    /// The point, in its frame.
    pub point_body: DVec3,
    /// Where it should go, world.
    pub target: DVec3,
    /// Frequency of the spring with the mass of the whole tree, Hz.
    pub frequency: f64,
}

/// An impulse on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The body.
    pub body: BodyId,
    /// Where on it, in its frame.
    pub point_body: DVec3,
    /// The impulse, world, N s.
    pub impulse: DVec3,
    /// When it starts, s.
    pub start: f64,
    /// How long it lasts, s.
    pub duration: f64,
}

/// Everything a user does to a world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hands {
    /// The mouse's spring.
    pub drag: Option<Drag>,
    /// Pushes under way.
    pub pushes: Vec<Push>,
}

/// Lets hands act on a step. The black box hears of them too, for the energy they bring is no alarm.
pub(crate) struct Reach<'a> {
    pub(crate) act: &'a mut Actuation,
    pub(crate) black_box: &'a mut BlackBox,
}

impl Reach<'_> {
    pub(crate) fn drag(&mut self, drag: &Drag, model: &Model, data: &Data, dt: f64) {
        let force = drag.force(model, data, dt);
        self.act.implicit.push((drag.body, force));
        self.black_box.outside(drag.body, force);
    }

    pub(crate) fn push(&mut self, push: &Push, data: &Data, time: f64, dt: f64) {
        if let Some(force) = push.force(data, time, dt) {
            self.act.body_force[push.body.index()] += force;
            let even = ImplicitForce { at_rest: force, gain: ArticulatedInertia::ZERO };
            self.black_box.outside(push.body, even);
        }
    }
}

/// Largest pull of a drag, in weights of the tree.
const STRONGEST: f64 = 15.0;

impl Drag {
    /// The spring: `f = k (target - p - h v⁺) - c v⁺`, critically damped for the tree's mass.
    fn force(&self, model: &Model, data: &Data, dt: f64) -> ImplicitForce {
        let pose = data.world_from_body(self.body);
        let point = pose.transform_point(self.point_body);
        let mass: f64 =
            model.bodies()[model.tree_of(self.body).bodies].iter().map(|b| b.inertia().mass).sum();
        let omega = std::f64::consts::TAU * self.frequency;
        let (mut stiffness, damping) = (mass * omega * omega, 2.0 * mass * omega);
        let way = self.target - point;
        let most = STRONGEST * mass * model.gravity().length().max(9.81);
        let pull = stiffness * way.length();
        if pull > most {
            stiffness *= most / pull;
        }
        let gain = damping + dt * stiffness;
        let arm = point - pose.translation;
        ImplicitForce::at_point(stiffness * way, Sym3::diagonal(gain, gain, gain), arm)
    }
}

impl Push {
    /// The force of the step that starts at `time`: what falls into the step of an even force.
    fn force(&self, data: &Data, time: f64, dt: f64) -> Option<Force> {
        let overlap = (time + dt).min(self.start + self.duration) - time.max(self.start);
        if overlap <= 1e-12 {
            return None;
        }
        let pose = data.world_from_body(self.body);
        let force = self.impulse * (overlap / (self.duration * dt));
        Some(Force::at_offset(force, pose.transform_point(self.point_body) - pose.translation))
    }
}
