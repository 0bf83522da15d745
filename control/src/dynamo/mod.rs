//! Dynamo: world-space tracking with adjustable balance (Wrotek, Jenkins, McGuire 2006).
//!
//! Every bone but the root is driven towards its world orientation, not its angle to the parent:
//!
//! ```text
//! (5)  τ_b = k₁ Δ(W_d, W_a) + k₂ (ω_d - ω_a)
//! ```
//!
//! The torques are implicit terms of the articulated-body algorithm: each adds `h k₂ + h² k₁` to its bone's rotational
//! inertia, so they are stable at any gain (recipes 1.7). How they act is a choice, because external torques are what
//! makes the published law so forgiving:
//!
//! | [`Application`] | torque | reaction |
//! |---|---|---|
//! | `External` | on the bone, from outside (the paper) | none; the ledger books it as an aid |
//! | `Internal` | by the joint, towards the same world orientation | on the parent |
//! | `ParentSpace` | by the joint, towards the mocap angle (the baseline), implicit | on the parent |
//! | `ParentSpaceExplicit` | the same, explicit | on the parent |

mod root;
mod stun;
mod targets;

pub use root::{Balance, Root, RootSense, WeakSpring};
pub use stun::{Stun, StunOptions};
pub use targets::{Frame, Targets, difference, heading_turn};

use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::spatial::Sym3;
use stuntlab_physics::{Actuation, BodyId, ImplicitForce, JointKind, Model};

use crate::controller::{Controller, Sense, UnknownCommand};
use crate::gains::{carried_inertia, reference_gains};
use crate::reference::Reference;

/// How tracking torques act on the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Application {
    /// From outside, on each bone alone.
    #[default]
    External,
    /// By the joints, towards world orientations.
    Internal,
    /// By the joints, towards joint angles.
    ParentSpace,
    /// By the joints, towards joint angles, without implicit terms.
    ParentSpaceExplicit,
}

/// Settings of [`Dynamo`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamoOptions {
    /// Natural frequency of the tracking, rad/s: `k₁ = I ω²` with `I` the inertia the bone carries.
    pub frequency: f64,
    /// Damping ratio: `k₂ = 2 ζ I ω`.
    pub damping_ratio: f64,
    /// How torques act.
    pub application: Application,
    /// Whose root the targets hang on.
    pub frame: Frame,
    /// How the root balances.
    pub balance: Balance,
    /// How impacts weaken the character.
    pub stun: StunOptions,
}

impl Default for DynamoOptions {
    fn default() -> Self {
        Self {
            frequency: 25.0,
            damping_ratio: 1.0,
            application: Application::External,
            frame: Frame::Egocentric,
            balance: Balance::WeakSpring(WeakSpring::default()),
            stun: StunOptions::default(),
        }
    }
}

/// Bones with little below them would be too weak; hands and feet get at least this share of the reference gains.
const GAIN_FLOOR: f64 = 0.25;

/// World-space tracker of one character.
#[derive(Clone)]
pub struct Dynamo {
    /// Settings; free to change between steps.
    pub options: DynamoOptions,
    model: Model,
    reference: Box<dyn Reference>,
    targets: Targets,
    /// Carried inertia and the floors of stiffness and damping, per bone.
    inertia: Vec<f64>,
    floor: Vec<(f64, f64)>,
    feet: Vec<bool>,
    root: Root,
    stun: Stun,
    started: f64,
    standing_height: f64,
    /// Net external moment of the last step, N m.
    cheat: DVec3,
    /// Impulse to be felt besides those of contacts, N s.
    felt: f64,
}

impl Dynamo {
    /// A tracker for a character with its own `model` (one tree, as it was appended to the scene).
    pub fn new(model: Model, reference: Box<dyn Reference>, options: DynamoOptions) -> Self {
        let n = model.n_bodies();
        let inertia = carried_inertia(&model, 0..n);
        let named = |i: usize| reference_gains(model.bodies()[i].name());
        let floor = (0..n)
            .map(|i| named(i).map_or((0.0, 0.0), |g| (GAIN_FLOOR * g.stiffness, GAIN_FLOOR * g.damping)))
            .collect();
        let feet = model
            .bodies()
            .iter()
            .map(|b| ["foot", "toe"].iter().any(|w| b.name().to_lowercase().contains(w)))
            .collect();
        Self {
            targets: Targets::new(&model),
            inertia,
            floor,
            feet,
            root: Root::new(options.balance),
            stun: Stun::new(options.stun),
            started: 0.0,
            standing_height: 0.0,
            cheat: DVec3::ZERO,
            felt: 0.0,
            options,
            model,
            reference,
        }
    }

    /// Follows another motion from `time` on. The state of the character is not touched.
    pub fn follow(&mut self, reference: Box<dyn Reference>, time: f64) {
        self.reference = reference;
        self.started = time;
    }

    /// k₁ and k₂ of bone `i` at full strength.
    pub fn gains(&self, i: usize) -> (f64, f64) {
        let (w, zeta) = (self.options.frequency, self.options.damping_ratio);
        let (k1, k2) = (self.inertia[i] * w * w, 2.0 * zeta * self.inertia[i] * w);
        (k1.max(self.floor[i].0), k2.max(self.floor[i].1))
    }

    /// Gain scale of the stun.
    pub fn strength(&self) -> f64 {
        self.stun.strength()
    }

    /// The motion being followed.
    pub fn reference_mut(&mut self) -> &mut dyn Reference {
        self.reference.as_mut()
    }

    /// Seconds since the root spring broke; zero while it holds.
    pub fn broken_for(&self) -> f64 {
        self.root.broken_for()
    }

    /// Whether knocked out.
    pub fn is_unconscious(&self) -> bool {
        self.stun.is_unconscious()
    }

    /// Breaks the root spring: strength fades, as after a fall.
    pub fn break_spring(&mut self) {
        self.root.set_broken(true);
    }

    /// Makes a broken root spring hold again at once; strength comes back.
    pub fn rearm(&mut self) {
        self.root.set_broken(false);
    }

    /// Lets the stun feel an impulse (N s) in the next step besides those of contacts.
    pub fn strike(&mut self, impulse: f64) {
        self.felt = self.felt.max(impulse);
    }

    /// Net moment that came from outside in the last step ("cheat level"), as it would be at the velocities the step
    /// began with, N m.
    pub fn cheat(&self) -> DVec3 {
        self.cheat
    }

    /// Mean angle between the bones' orientations and their targets, rad, as of the last step.
    pub fn error(&self, sense: &Sense<'_>) -> f64 {
        let own = &sense.data.position.world_from_body[sense.bodies.clone()];
        let sum: f64 =
            (1..own.len()).map(|i| difference(&self.targets.orientation[i], &own[i].rotation).length()).sum();
        sum / (own.len() - 1).max(1) as f64
    }

    /// Largest impulse per step on anything but the feet, N s; whether anything was touched.
    fn impacts(&self, sense: &Sense<'_>) -> (f64, bool) {
        let (mut impulse, mut touching) = (0.0, false);
        for contact in &sense.data.contact.points {
            let own = |b: usize| sense.bodies.contains(&b).then(|| b - sense.bodies.start);
            let (a, b) = (own(contact.body_a), contact.body_b.and_then(own));
            if a.is_none() && b.is_none() || contact.force == DVec3::ZERO {
                continue;
            }
            touching = true;
            // Only hits by other things stun: lying on the ground does not.
            let struck = contact.body_b.is_some() && !(a.is_some() && b.is_some());
            let foot = a.or(b).is_some_and(|i| self.feet[i]);
            if struck && !foot {
                impulse += contact.force.length() * sense.dt;
            }
        }
        (impulse, touching)
    }

    /// (5) for every bone but the root.
    fn track(&mut self, sense: &Sense<'_>, strength: f64, out: &mut Actuation) {
        let dt = sense.dt;
        for i in 1..self.model.n_bodies() {
            let (k1, k2) = self.gains(i);
            // Damping fades more slowly than stiffness: limp, not jittery.
            let (k1, k2) = (k1 * strength, k2 * strength.sqrt());
            let index = sense.bodies.start + i;
            let rotation = sense.data.position.world_from_body[index].rotation;
            let (wanted, rate) = (self.targets.orientation[i], self.targets.angular_velocity[i]);
            match self.options.application {
                Application::External => {
                    let error = difference(&wanted, &rotation);
                    let at_rest = k1 * (error + dt * rate) + k2 * rate;
                    let gain = k2 + dt * k1;
                    let term = ImplicitForce::moment(at_rest, Sym3::diagonal(gain, gain, gain));
                    self.cheat += at_rest - gain * sense.data.velocity.body[index].angular;
                    out.implicit.push((self.id(sense, index), term));
                }
                Application::Internal => self.serve(sense, i, (k1, k2), &wanted, rate, out),
                Application::ParentSpace | Application::ParentSpaceExplicit => {
                    let parent = self.model.bodies()[i].parent().map_or(0, BodyId::index);
                    let relative = self.targets.orientation[parent].transpose() * wanted;
                    let actual = sense.data.position.world_from_body[sense.bodies.start + parent].rotation;
                    let rate = rate - self.targets.angular_velocity[parent]
                        + sense.data.velocity.body[sense.bodies.start + parent].angular;
                    self.serve(sense, i, (k1, k2), &(actual * relative), rate, out);
                }
            }
        }
    }

    /// A joint servo that turns bone `i` towards the world orientation `wanted` with its rate.
    fn serve(
        &self,
        sense: &Sense<'_>,
        i: usize,
        (k1, k2): (f64, f64),
        wanted: &DMat3,
        rate: DVec3,
        out: &mut Actuation,
    ) {
        let body = &sense.model.bodies()[sense.bodies.start + i];
        let parent = body
            .parent()
            .map_or(DMat3::IDENTITY, |p| sense.data.position.world_from_body[p.index()].rotation);
        let parent_rate = body.parent().map_or(DVec3::ZERO, |p| sense.data.velocity.body[p.index()].angular);
        let pose = &sense.data.position.world_from_body[sense.bodies.start + i].rotation;
        let frame = parent * body.joint().parent_from_joint.rotation;
        // Rotation vector from the bone to its target, and the wanted relative rate, in child axes.
        let error = pose.transpose() * difference(wanted, pose);
        let relative_rate = pose.transpose() * (rate - parent_rate);
        let (q, v) = (body.q_range(), body.v_range());
        let explicit = self.options.application == Application::ParentSpaceExplicit;
        let mut drive = |k: usize, axis: DVec3| {
            let (e, w, now) = (axis.dot(error), axis.dot(relative_rate), sense.state.v[v.start + k]);
            if explicit {
                out.joint_force[v.start + k] += k1 * e + k2 * (w - now);
            } else {
                out.servo.stiffness[v.start + k] = k1;
                out.servo.damping[v.start + k] = k2;
                out.servo.target_v[v.start + k] = w;
            }
            e + w * sense.dt
        };
        match body.joint().kind {
            JointKind::Spherical => {
                let step = DVec3::new(drive(0, DVec3::X), drive(1, DVec3::Y), drive(2, DVec3::Z));
                let target = sense.state.rotation(body) * stuntlab_physics::spatial::rotation::exp(step);
                out.servo.target_q[q].copy_from_slice(&target.to_array());
            }
            JointKind::Revolute { axis } => {
                out.servo.target_q[q.start] = sense.state.q[q.start] + drive(0, axis);
            }
            JointKind::Universal { axes } => {
                // The first axis is fixed in the joint frame, the second in the child.
                let first = pose.transpose() * (frame * axes[0]);
                out.servo.target_q[q.start] = sense.state.q[q.start] + drive(0, first);
                out.servo.target_q[q.start + 1] = sense.state.q[q.start + 1] + drive(1, axes[1]);
            }
            _ => {}
        }
    }

    fn id(&self, sense: &Sense<'_>, index: usize) -> BodyId {
        sense.model.body_ids().nth(index).expect("the character's bodies are the model's")
    }
}

impl Controller for Dynamo {
    fn name(&self) -> &'static str {
        "dynamo"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let root_index = sense.bodies.start;
        let pose = sense.data.position.world_from_body[root_index];
        let time = sense.time() - self.started;
        let Self { targets, reference, model, .. } = self;
        targets.update(model, reference.as_mut(), time, &pose.rotation, self.options.frame);
        let usual = self.targets.reference_pose().position.world_from_body[0].translation.z;
        self.standing_height = self.standing_height.max(usual);

        let (impulse, touching) = self.impacts(sense);
        let felt = impulse.max(std::mem::take(&mut self.felt));
        let strength = self.stun.update(felt, self.root.broken_for(), sense.dt);
        self.cheat = DVec3::ZERO;
        self.track(sense, strength, out);

        self.root.balance = self.options.balance;
        let gravity = sense.model.gravity();
        let root = RootSense {
            error: difference(&self.targets.orientation[0], &pose.rotation),
            wanted: self.targets.angular_velocity[0],
            actual: sense.data.velocity.body[root_index].angular,
            down: gravity.try_normalize().unwrap_or(-DVec3::Z),
            touching,
            height: pose.translation.z / self.standing_height.max(1e-9),
            strength,
            dt: sense.dt,
        };
        if let Some(term) = self.root.moment(&root) {
            self.cheat += term.at_rest.angular - term.gain.angular * root.actual;
            out.implicit.push((self.id(sense, root_index), term));
        }
    }

    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "frequency" => self.options.frequency = value.max(0.0),
            "damping-ratio" => self.options.damping_ratio = value.max(0.0),
            _ => return Err(UnknownCommand { known: &["frequency", "damping-ratio"] }),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let time = sense.time() - self.started;
        let mut own = vec![0.0; self.model.n_q()];
        self.reference.clone().write(time, &mut own);
        let bodies = sense.bodies.clone();
        let first = sense.model.bodies()[bodies.start].q_range().start;
        q[first..first + own.len()].copy_from_slice(&own);
        true
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
