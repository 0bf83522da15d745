//! What is watched of every character, step by step: how it follows its reference, how it touches the ground.
//!
//! The reference is what its controller wants ([`stuntlab_control::Controller::target`]). Tracking error and tilt are
//! relative to the root and to the heading, so that a character that walks elsewhere may still track well.

use stuntlab_control::Senses;
use stuntlab_control::senses::root_over_lowest;
use stuntlab_mocap::character::Bone;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::{Transform, rotation};
use stuntlab_physics::{Bodies, BodyId, Data, State};

use super::jitter::Jitter;
use super::launch::Launch;
use super::of_characters::{LAUNCH, WAY_SHARE};
use super::pair::Pair;
use super::way::Way;
use crate::run::World;

/// A character's root lower than this share of its usual height over its lowest part, and by more than this (m): it has fallen. One who
/// lies on purpose is low, and a hand below the back makes no fall.
const FALLEN: (f64, f64) = (0.6, 0.12);
/// Standing: at least this share of the usual height, and tilted by no more than this angle.
const STANDING: (f64, f64) = (0.8, 0.6);

/// Whether a root at a height over the lowest part that is usually another, m, is that of one who has fallen.
pub(crate) fn has_fallen(height: f64, usual: f64) -> bool {
    height < FALLEN.0 * usual && usual - height > FALLEN.1
}

/// All characters of a world.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// One per character.
    pub(crate) members: Vec<Watched>,
    /// Two of them, where there are two.
    pub(super) pair: Pair,
    reference: Option<(State, Data)>,
}

/// One character as of the last step.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// Its bodies.
    pub(crate) bodies: Bodies,
    /// Mean angle between its bones and those of its reference, both relative to their roots, rad.
    pub(crate) tracking_error: Option<f64>,
    /// Mean angle between its bones and those of its reference turned to its heading, rad.
    pub(crate) attitude_error: Option<f64>,
    /// Angle between the verticals as its root and the reference's see them, rad.
    pub(crate) tilt: Option<f64>,
    /// Whether it touches nothing.
    pub(crate) airborne: bool,
    /// Deepest overlap of a foot, m.
    pub(crate) foot_depth: f64,
    /// Speed of the feet along what they stand on, weighted by the force they bear, m/s.
    pub(crate) foot_slide: f64,
    /// Angular accelerations above 10 Hz.
    pub(crate) jitter: Jitter,
    /// How far it has come and slid.
    pub(crate) way: Way,
    /// How high it is thrown; where that is measured, of one with a recording.
    pub(crate) launch: Option<Launch>,
    /// Height of the root over the lowest part: now, at the start or as the reference has it.
    height: f64,
    usual: f64,
}

impl Watch {
    /// Watches the characters if the scene measures anything of them.
    pub(crate) fn new(world: &World) -> Self {
        if !world.scene().measures.iter().any(|m| m.quantity.is_watched()) {
            return Self { members: Vec::new(), pair: Pair::default(), reference: None };
        }
        let model = world.model();
        let measured = |name: &str| world.scene().measures.iter().any(|m| m.quantity.name == name);
        let (beside, above) = (measured(WAY_SHARE), measured(LAUNCH));
        let duration = world.scene().duration;
        let members = world.cast().iter().map(|member| {
            let own = &model.bodies()[member.bodies];
            let poses = &world.data.position.world_from_body[member.bodies];
            let height = root_over_lowest(poses);
            Watched {
                bodies: member.bodies,
                tracking_error: None,
                attitude_error: None,
                tilt: None,
                airborne: false,
                foot_depth: 0.0,
                foot_slide: 0.0,
                jitter: Jitter::new(own.len(), world.options.dt),
                way: Way::new(member, poses[0].translation.truncate(), beside),
                launch: above.then(|| Launch::new(member, duration, poses)).flatten(),
                height,
                usual: height,
            }
        });
        let mut watch = Self { members: members.collect(), pair: Pair::default(), reference: None };
        watch.follow(world);
        watch
    }

    /// Called after every step, before samples are taken.
    pub(crate) fn follow(&mut self, world: &World) {
        if self.members.is_empty() {
            return;
        }
        let (model, data) = (world.model(), &world.data);
        let (target, reference) = self.reference.get_or_insert_with(|| (State::new(model), Data::new(model)));
        target.clone_from(&world.state);
        let mut wanted = vec![false; self.members.len()];
        for (k, (controller, wanted)) in world.controllers.iter().zip(&mut wanted).enumerate() {
            *wanted = controller.target(&world.sense(k), &mut target.q);
        }
        if wanted.contains(&true) {
            forward_kinematics(model, target, reference);
        }
        for (k, watched) in self.members.iter_mut().enumerate() {
            let bodies = watched.bodies;
            let own = &data.position.world_from_body[bodies];
            let ghost = &reference.position.world_from_body[bodies];
            watched.height = root_over_lowest(own);
            watched.touch(world, &world.senses()[k]);
            let slid = watched.foot_slide * world.options.dt;
            watched.way.follow(world.state.time, own[0].translation.truncate(), slid);
            if let Some(launch) = &mut watched.launch {
                launch.follow(own);
            }
            if wanted[k] {
                watched.compare(own, ghost);
            }
        }
        let both_stand = self.members.iter().all(Watched::stands);
        self.pair.follow(world, both_stand);
    }
}

impl Watched {
    /// Whether the root is far too low.
    pub(crate) fn has_fallen(&self) -> bool {
        has_fallen(self.height, self.usual)
    }

    /// Whether it is about as high and as upright as it should be.
    pub(crate) fn stands(&self) -> bool {
        self.height > STANDING.0 * self.usual && self.tilt.is_none_or(|tilt| tilt < STANDING.1)
    }

    fn compare(&mut self, own: &[Transform], ghost: &[Transform]) {
        let relative = |poses: &[Transform], i: usize| poses[0].rotation.transpose() * poses[i].rotation;
        let sum: f64 = (1..own.len()).map(|i| angle(&relative(ghost, i), &relative(own, i))).sum();
        self.tracking_error = Some(sum / (own.len() - 1).max(1) as f64);
        let heading = heading_turn(own, ghost);
        let turned =
            own.iter().zip(ghost).map(|(own, ghost)| angle(&(heading * ghost.rotation), &own.rotation));
        self.attitude_error = Some(turned.sum::<f64>() / own.len().max(1) as f64);
        // Who wants a pose of the joints alone has its reference at the character's own root, however that lies: no judge of falls.
        if ghost[0] != own[0] || ghost == own {
            let up = |poses: &[Transform]| poses[0].rotation.transpose() * DVec3::Z;
            self.tilt = Some(up(own).angle_between(up(ghost)));
            self.usual = root_over_lowest(ghost);
        }
        self.jitter.follow(own, ghost);
    }

    fn touch(&mut self, world: &World, senses: &Senses) {
        let (poses, rates) = (&world.data.position.world_from_body, &world.data.velocity.body);
        let point_velocity = |b: BodyId, p: DVec3| rates[b].at(p - poses[b].translation).linear;
        (self.airborne, self.foot_depth, self.foot_slide) = (true, 0.0, 0.0);
        let mut load = 0.0;
        for contact in &world.data.contact.points {
            let own = |b: BodyId| self.bodies.contains(b);
            let (a, b) = (contact.body_a, contact.body_b);
            if !own(a) && !b.is_some_and(own) || contact.force == DVec3::ZERO {
                continue;
            }
            self.airborne = false;
            let foot =
                |b: BodyId| Bone::of(b, self.bodies).is_some_and(|bone| senses.physique().is_foot(bone));
            if !foot(a) && !b.is_some_and(foot) {
                continue;
            }
            self.foot_depth = self.foot_depth.max(contact.depth);
            let relative = point_velocity(a, contact.point)
                - b.map_or(DVec3::ZERO, |b| point_velocity(b, contact.point));
            let along = relative - contact.normal * contact.normal.dot(relative);
            let force = contact.force.dot(contact.normal).abs();
            self.foot_slide += force * along.length();
            load += force;
        }
        self.foot_slide /= f64::max(load, 1e-9);
    }
}

/// Turn about the vertical that brings the reference's bones nearest to the character's: `Σ tr(Rzᵀ W Gᵀ) → max`.
fn heading_turn(own: &[Transform], ghost: &[Transform]) -> DMat3 {
    let turn = |(own, ghost): (&Transform, &Transform)| own.rotation * ghost.rotation.transpose();
    let add = |(c, s), r: DMat3| (c + r.x_axis.x + r.y_axis.y, s + r.x_axis.y - r.y_axis.x);
    let (cosine, sine): (f64, f64) = own.iter().zip(ghost).map(turn).fold((0.0, 0.0), add);
    DMat3::from_rotation_z(sine.atan2(cosine))
}

/// Angle of the rotation between two orientations.
fn angle(a: &DMat3, b: &DMat3) -> f64 {
    rotation::log(DQuat::from_mat3(&(*a * b.transpose()))).length()
}
