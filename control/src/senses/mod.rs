//! What a character feels of its own body: balance, support, contacts by part, loads, joints, directions and heights.
//!
//! Computed once per step and character, after `observe`, and read by every controller (as [`crate::Sense::own`]), measurement and
//! picture. Vectors are in world axes, SI units.
//!
//! ```text
//! ξ = c + ċ / ω₀,  ω₀ = √(g / (c_z - ground))        (Hof 2005; Pratt et al. 2006)
//! ```
//!
//! A character that stays still stands if `ξ` is over its support. The support is the hull of the *soles in contact*: points of the
//! soles that bore weight within the last moments, so that it does not flicker with single contact points.

mod joints;
mod support;

pub use joints::Joints;
pub use support::Hull;

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::center_of_mass_of;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Transform};
use stuntlab_physics::{Actuation, Bodies, BodyId, Data, Model, State};

/// Weight on a point of a sole that makes it bear, N; less is a graze.
const BEARING: f64 = 5.0;
/// How long a point of a sole that bore goes on to count, s: longer than contacts flicker, shorter than a step of the feet.
const LASTING: f64 = 0.03;
/// Time constant of the filter on the acceleration, s: it passes what moves a body (under 8 Hz), not the steps of contacts.
const SMOOTHING: f64 = 0.02;
/// Least height of a centre of mass over its ground, m: one who lies has no pendulum.
const LEAST_HEIGHT: f64 = 0.05;

/// What a body felt in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Force of the static world, N.
    pub ground: DVec3,
    /// Force of other bodies than the character's own, N.
    pub others: DVec3,
    /// What it bore upwards, N.
    pub load: f64,
}

impl Touch {
    /// Force of all that is not the character itself, N.
    pub fn force(&self) -> DVec3 {
        self.ground + self.others
    }
}

/// Senses of one character.
#[derive(Clone, Debug)]
pub struct Senses {
    physique: Arc<Physique>,
    bodies: Bodies,
    mass: f64,
    /// Time of the last look, s; none before the first.
    looked: Option<f64>,
    center: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    up: DVec3,
    ground: f64,
    pendulum_rate: f64,
    touches: Vec<Touch>,
    touching: bool,
    outside: DVec3,
    pushes: Vec<Force>,
    /// Per point of a sole: its place, what it bears, and when it last bore enough, s.
    soles: Vec<(DVec3, f64, f64)>,
    support: Hull,
    pressure: Option<DVec3>,
    trunk: Transform,
    pelvis: DVec3,
    head: Option<DVec3>,
    joints: Joints,
}

impl Senses {
    /// Senses of the character made of `bodies` of a model, which is what `physique` says.
    pub fn new(model: &Model, bodies: Bodies, physique: Arc<Physique>) -> Self {
        let n = physique.soles().len();
        Self {
            mass: model.bodies()[bodies].iter().map(|b| b.inertia().mass).sum(),
            looked: None,
            center: DVec3::ZERO,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            up: -model.gravity().try_normalize().unwrap_or(-DVec3::Z),
            ground: 0.0,
            pendulum_rate: 0.0,
            touches: vec![Touch::default(); bodies.len()],
            touching: false,
            outside: DVec3::ZERO,
            pushes: vec![Force::ZERO; bodies.len()],
            soles: vec![(DVec3::ZERO, 0.0, f64::NEG_INFINITY); n],
            support: Hull::with_capacity(n),
            pressure: None,
            trunk: Transform::IDENTITY,
            pelvis: DVec3::ZERO,
            head: None,
            joints: Joints::new(model, bodies),
            physique,
            bodies,
        }
    }

    /// Looks at a state that was observed. Looking twice at one state changes nothing.
    pub fn look(&mut self, model: &Model, state: &State, data: &Data) {
        let own = &data.position.world_from_body[self.bodies];
        self.pelvis = own.first().map_or(DVec3::ZERO, |pose| pose.translation);
        self.trunk = own.get(self.physique.trunk().index()).copied().unwrap_or(Transform::IDENTITY);
        self.head = self.physique.head().map(|head| own[head].translation);
        for (place, sole) in self.soles.iter_mut().zip(self.physique.soles()) {
            place.0 = own[sole.bone].transform_point(sole.point_body);
        }
        self.feel(data, state.time);
        self.balance(model, data, state.time);
        self.joints.look(data, self.bodies);
        self.looked = Some(state.time);
    }

    /// Notes what hands push it with in the coming step: what is written before any controller acts.
    pub fn brace(&mut self, act: &Actuation, data: &Data) {
        self.pushes.copy_from_slice(&act.body_force[self.bodies]);
        for (body, force) in &act.implicit {
            if let Some(bone) = Bone::of(*body, self.bodies) {
                self.pushes[bone] += force.at_rest - force.gain * data.body_velocity(*body);
            }
        }
    }

    /// Contacts of the last step: by body, by sole, and all together.
    fn feel(&mut self, data: &Data, time: f64) {
        self.touches.fill(Touch::default());
        self.soles.iter_mut().for_each(|sole| sole.1 = 0.0);
        self.touching = false;
        let (mut pressure, mut pressing, mut lowest) = (DVec3::ZERO, 0.0, f64::INFINITY);
        for felt in data.memory.felt() {
            let own = |b: BodyId| Bone::of(b, self.bodies);
            let (bone, force) = match (own(felt.body_a), felt.body_b.and_then(own)) {
                (Some(bone), None) => (bone, felt.force),
                (None, Some(bone)) => (bone, -felt.force),
                // Nobody's concern, or between two of its own bodies.
                _ => continue,
            };
            self.touching = true;
            let load = force.dot(self.up).max(0.0);
            let touch = &mut self.touches[bone];
            *if felt.body_b.is_none() { &mut touch.ground } else { &mut touch.others } += force;
            touch.load += load;
            // A blow from below is no ground.
            if load > 0.0 && (felt.body_b.is_none() || self.physique.is_foot(bone)) {
                lowest = lowest.min(felt.point.dot(self.up));
            }
            if self.physique.is_foot(bone) {
                pressure += felt.point * load;
                pressing += load;
                let of_bone = self.physique.soles().iter().enumerate().filter(|(_, s)| s.bone == bone);
                let far = |k: usize| self.soles[k].0.distance_squared(felt.point);
                let nearest = of_bone.map(|(k, _)| k).min_by(|a, b| far(*a).total_cmp(&far(*b)));
                if let Some(k) = nearest {
                    self.soles[k].1 += load;
                }
            }
        }
        self.pressure = (pressing > BEARING).then(|| pressure / pressing);
        for sole in self.soles.iter_mut().filter(|s| s.1 > BEARING) {
            sole.2 = time;
        }
        if lowest.is_finite() {
            self.ground = lowest;
        } else if self.looked.is_none() {
            let soles = self.soles.iter().map(|s| s.0.dot(self.up)).fold(f64::INFINITY, f64::min);
            self.ground = if soles.is_finite() { soles } else { 0.0 };
        }
        // A step back in time, as by a user who scrubs, forgets what bore after it.
        let bears = |s: &&(DVec3, f64, f64)| s.2 <= time && time - s.2 <= LASTING;
        self.support.set(self.soles.iter().filter(bears).map(|s| s.0.truncate()));
    }

    /// Whole-body sums and the pendulum.
    fn balance(&mut self, model: &Model, data: &Data, time: f64) {
        let whole = center_of_mass_of(model, data, self.bodies);
        match self.looked {
            Some(before) if time > before => {
                let dt = time - before;
                let raw = (whole.velocity - self.velocity) / dt;
                self.acceleration += (raw - self.acceleration) * (1.0 - (-dt / SMOOTHING).exp());
                let touched: DVec3 = self.touches.iter().map(Touch::force).sum();
                self.outside = whole.mass * (raw - model.gravity()) - touched;
            }
            Some(before) if time == before => {}
            _ => (self.acceleration, self.outside) = (DVec3::ZERO, DVec3::ZERO),
        }
        (self.center, self.velocity) = (whole.position, whole.velocity);
        let height = (whole.position.dot(self.up) - self.ground).max(LEAST_HEIGHT);
        self.pendulum_rate = (model.gravity().length() / height).sqrt();
    }

    /// What every body is, and where its soles are.
    pub fn physique(&self) -> &Physique {
        &self.physique
    }

    /// Its bodies in the whole model.
    pub fn bodies(&self) -> Bodies {
        self.bodies
    }

    /// What passed through its joints in the last step, and what they can bear.
    pub fn joints(&self) -> &Joints {
        &self.joints
    }

    /// Mass, kg.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Against gravity; +z where there is none.
    pub fn up(&self) -> DVec3 {
        self.up
    }

    /// Centre of mass, m.
    pub fn center_of_mass(&self) -> DVec3 {
        self.center
    }

    /// Velocity of the centre of mass, m/s.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Acceleration of the centre of mass, filtered over a fiftieth of a second, m/s².
    pub fn acceleration(&self) -> DVec3 {
        self.acceleration
    }

    /// Linear momentum, and angular momentum about the centre of mass. Of the state at hand, and found when asked for: few do.
    pub fn momentum(&self, model: &Model, data: &Data) -> Force {
        let whole = center_of_mass_of(model, data, self.bodies);
        let mut spin = DVec3::ZERO;
        for i in self.bodies {
            let (inertia, pose) = (model.bodies()[i].inertia(), &data.position.world_from_body[i]);
            let (velocity, c) = (data.velocity.body[i], pose.rotation * inertia.center_of_mass);
            let arm = pose.translation + c - whole.position;
            spin += pose.rotation * (inertia.rotational * (pose.rotation.transpose() * velocity.angular));
            spin += arm.cross(inertia.mass * velocity.at(c).linear);
        }
        Force::new(spin, whole.velocity * whole.mass)
    }

    /// Height of the ground it stands or stood on last, m.
    pub fn ground(&self) -> f64 {
        self.ground
    }

    /// `ω₀` of the pendulum it is, 1/s.
    pub fn pendulum_rate(&self) -> f64 {
        self.pendulum_rate
    }

    /// Where it would have to step to come to rest, on the ground.
    pub fn capture_point(&self) -> DVec3 {
        let lead = if self.pendulum_rate > 0.0 { self.velocity / self.pendulum_rate } else { DVec3::ZERO };
        self.on_ground(self.center + lead)
    }

    /// The point of the ground below or above another.
    pub fn on_ground(&self, point: DVec3) -> DVec3 {
        point + self.up * (self.ground - point.dot(self.up))
    }

    /// Hull of the soles in contact, seen from above.
    pub fn support(&self) -> &Hull {
        &self.support
    }

    /// Distance of the centre of mass from the edge of the support, m, positive inside; `None` without support.
    pub fn margin(&self) -> Option<f64> {
        self.support.margin(self.center.truncate())
    }

    /// The same of the capture point: below zero it cannot stay as it is.
    pub fn capture_margin(&self) -> Option<f64> {
        self.support.margin(self.capture_point().truncate())
    }

    /// Where the ground's reaction on the feet acts; `None` while they bear nothing.
    pub fn center_of_pressure(&self) -> Option<DVec3> {
        self.pressure
    }

    /// Whether it touches anything but itself.
    pub fn is_touching(&self) -> bool {
        self.touching
    }

    /// What every bone felt in the last step.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    fn felt(&self) -> impl Iterator<Item = (Bone, &Touch)> {
        self.touches.iter().enumerate().map(|(k, touch)| (Bone::new(k), touch))
    }

    /// What a bone bears if it is a foot or toes, N; else nothing.
    pub fn load_on(&self, bone: Bone) -> f64 {
        if self.physique.is_foot(bone) { self.touches[bone].load } else { 0.0 }
    }

    /// What a foot with its toes bears, N.
    pub fn load(&self, side: Side) -> f64 {
        self.felt()
            .filter(|(bone, _)| self.physique.foot(*bone) == Some(side))
            .map(|(_, touch)| touch.load)
            .sum()
    }

    /// Force of other things than the ground on all but the feet, N: what strikes it.
    pub fn blows(&self) -> DVec3 {
        self.felt().filter(|(bone, _)| !self.physique.is_foot(*bone)).map(|(_, touch)| touch.others).sum()
    }

    /// Force of the last step that neither gravity nor any contact explains, N: what hands, drags, pins and a controller's own
    /// aids pushed with, as the momentum of the whole body tells it, `F = m (ċ' - g) - Σ f`.
    pub fn outside(&self) -> DVec3 {
        self.outside
    }

    /// What hands push each bone with in the coming step, world axes at its origin.
    pub fn pushes(&self) -> &[Force] {
        &self.pushes
    }

    /// Whether a foot bears on anything.
    pub fn stands_on_something(&self) -> bool {
        self.felt().any(|(bone, touch)| self.physique.is_foot(bone) && touch.force() != DVec3::ZERO)
    }

    /// Direction of the trunk that is up when it stands.
    pub fn trunk_up(&self) -> DVec3 {
        self.trunk.rotation.z_axis
    }

    /// Direction the chest faces.
    pub fn trunk_front(&self) -> DVec3 {
        self.trunk.rotation.x_axis
    }

    /// Height of the pelvis over the ground, m.
    pub fn pelvis_height(&self) -> f64 {
        self.pelvis.dot(self.up) - self.ground
    }

    /// Height of the head's joint over the ground, m.
    pub fn head_height(&self) -> Option<f64> {
        self.head.map(|head| head.dot(self.up) - self.ground)
    }

    /// Height of the centre of mass over the ground, m.
    pub fn height(&self) -> f64 {
        self.center.dot(self.up) - self.ground
    }
}

/// Height of a figure's root over the lowest of its joints, m; uneven ground does not matter to it.
pub fn root_over_lowest(poses: &[Transform]) -> f64 {
    let lowest = poses.iter().map(|p| p.translation.z).fold(f64::INFINITY, f64::min);
    poses.first().map_or(0.0, |root| root.translation.z - lowest)
}
