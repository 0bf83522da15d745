//! The motion's pose, changed so that its centre of mass and attitude are where the whole body is (Nguyen et al. 2011, section 4).
//!
//! ```text
//! (1)  turn    minimise |Σ w_i θ_i - φ|² + λ² Σ |θ_i|²:  θ_i = w_i φ / (Σ w² + λ²)      over pelvis and waist
//! (2)  shift   p ← p + (c̃ - c(p))                                                      descent, the feet held
//! (3)  feet    two bones that reach the ankle, the sole as it is in the motion
//! ```
//! The paper descends over the angles of the leg that stands. Here the hips are what is moved and both legs are solved exactly for
//! wherever they are, so that the foot that stands is in its place to rounding after every iteration, and the descent has three
//! unknowns and nearly the unit matrix for its derivative.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, JointKind, Model, State};

use crate::kind::Refusal;
use crate::limb::Limb;
use crate::walking::{Biped, Leg};

/// λ of (1).
const DAMPING: f64 = 0.05;
/// Share of a turn that the pelvis takes by itself, and the waist beyond it: a bow is of both.
const SHARES: [f64; 2] = [0.5, 0.5];
/// Iterations of (2) at most: with an error that goes to a fifth in each, eight end below a micrometre.
const ITERATIONS: usize = 8;
/// Error at which (2) ends, m: poses of steps that end one iteration apart must not be told apart.
const CLOSE: f64 = 1e-7;
/// Straightest a leg gets, of its length, unless the motion's own is straighter.
const STRETCHED: f64 = 0.985;

/// Deepest that hips come down for feet that are too far apart, m: a lunge.
const LOWEST: f64 = 0.2;

/// What a pose shall become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Of the centre of mass, m.
    pub shift: DVec3,
    /// Of the attitude, a rotation vector, world.
    pub tilt: DVec3,
    /// Of the ankles, left and right, m.
    pub feet: [DVec3; 2],
}

/// Solves poses for a figure with two legs.
#[derive(Clone, Debug)]
pub struct Posture {
    biped: Biped,
    turns: [f64; 2],
}

impl Posture {
    /// For a figure with two legs.
    ///
    /// # Errors
    /// A figure without them.
    pub fn new(own: &Model, physique: &Physique) -> Result<Self, Refusal> {
        let biped = Biped::of(physique)?;
        let waist = biped.trunk.is_some_and(|b| own.bodies()[b].joint().kind == JointKind::Spherical);
        let w = if waist { SHARES } else { [1.0, 0.0] };
        let sum: f64 = w.iter().map(|w| w * w).sum::<f64>() + DAMPING * DAMPING;
        Ok(Self { biped, turns: w.map(|w| w / sum) }) // (1)
    }

    /// The bones of a leg.
    pub(crate) fn leg(&self, side: Side) -> &Leg {
        self.biped.leg(side)
    }

    /// Changes a pose. `data` is scratch; it holds the kinematics of the pose that comes out.
    pub fn change(&self, own: &Model, pose: &mut State, change: &Change, data: &mut Data) {
        forward_kinematics(own, pose, data);
        let place = |data: &Data, bone: Bone| data.position.world_from_body[bone.index()].translation;
        let turned = |data: &Data, bone: Bone| data.position.world_from_body[bone.index()].rotation;
        let wanted = center_of_mass(own, data).position + change.shift;
        let legs = Side::BOTH.map(|side| {
            let leg = *self.biped.leg(side);
            let [hip, knee, ankle] = [leg.thigh, leg.shank, leg.foot].map(|b| place(data, b));
            let length = hip.distance(knee) + knee.distance(ankle);
            Goal {
                ankle: ankle + change.feet[side as usize],
                sole: turned(data, leg.foot),
                longest: length * (hip.distance(ankle) / length).max(STRETCHED),
                leg,
            }
        });
        self.turn(own, pose, change.tilt, data);
        let up = -own.gravity().try_normalize().unwrap_or(-DVec3::Z);
        let mut root = place(data, Bone::new(0)) + change.shift;
        for _ in 0..ITERATIONS {
            self.put(own, pose, root, data);
            // Where legs would have to be longer than they are, the hips come down.
            let drop =
                legs.iter().map(|goal| goal.too_far(place(data, goal.leg.thigh), up)).fold(0.0, f64::max);
            if drop > 0.0 {
                self.put(own, pose, root - up * drop, data);
            }
            legs.iter().for_each(|goal| goal.reach(own, pose, data));
            forward_kinematics(own, pose, data);
            let error = wanted - center_of_mass(own, data).position; // (2)
            // From where the hips are: height that legs do not have is sought anew, and taken off again, without a kink.
            root += error - up * drop;
            let left = if drop > 0.0 { error - up * up.dot(error) } else { error };
            if left.length() < CLOSE {
                break;
            }
        }
    }

    /// (1)
    fn turn(&self, own: &Model, pose: &mut State, tilt: DVec3, data: &mut Data) {
        if tilt == DVec3::ZERO {
            return;
        }
        let world = |data: &Data, k: usize| DQuat::from_mat3(&data.position.world_from_body[k].rotation);
        let [pelvis, waist] = self.turns.map(|share| rotation::exp(tilt * share));
        if let Some(trunk) = self.biped.trunk.filter(|_| self.turns[1] > 0.0) {
            let parent = own.bodies()[trunk].parent().map_or(DQuat::IDENTITY, |p| world(data, p.index()));
            let target = waist * world(data, trunk.index());
            set_turn(own, pose, trunk, parent, target);
        }
        let root = pelvis * world(data, 0);
        set_turn(own, pose, Bone::new(0), DQuat::IDENTITY, root);
        forward_kinematics(own, pose, data);
    }

    /// Puts the root somewhere.
    fn put(&self, own: &Model, pose: &mut State, root: DVec3, data: &mut Data) {
        let body = &own.bodies()[0];
        let place = body.joint().parent_from_joint.inverse_transform_point(root);
        pose.q[body.coordinates()][..3].copy_from_slice(&place.to_array());
        forward_kinematics(own, pose, data);
    }
}

/// Turns the joint above a bone so that the bone has an attitude of the world, its parent being turned as `parent`.
fn set_turn(own: &Model, pose: &mut State, bone: Bone, parent: DQuat, wanted: DQuat) {
    let body = &own.bodies()[bone];
    let frame = parent * DQuat::from_mat3(&body.joint().parent_from_joint.rotation);
    let turn = frame.conjugate() * wanted;
    match body.joint().kind {
        JointKind::Universal { axes } => {
            let q = &mut pose.q[body.coordinates()];
            // The second axis is where the first turn takes it; what is left of the turn is lost.
            let (a, b) = (axes[0], axes[1]);
            let seen = turn * b;
            let across = a.cross(b);
            let first = seen.dot(across).atan2(seen.dot(b));
            let rest = DQuat::from_axis_angle(a, first).conjugate() * turn;
            let second = rotation::log(rest).dot(b);
            (q[0], q[1]) = (first, second);
        }
        _ => pose.set_rotation(body, turn),
    }
}

/// What a leg shall do.
struct Goal {
    leg: Leg,
    ankle: DVec3,
    sole: DMat3,
    longest: f64,
}

impl Goal {
    /// How far hips have to come down for the ankle to be within reach of the hip; no farther than [`LOWEST`], beyond which the foot is
    /// drawn after them.
    fn too_far(&self, hip: DVec3, up: DVec3) -> f64 {
        let way = hip - self.ankle;
        if way.length() <= self.longest {
            return 0.0;
        }
        let height = up.dot(way);
        let level = (way - up * height).length();
        (height - (self.longest * self.longest - level * level).max(0.0).sqrt()).clamp(0.0, LOWEST)
    }

    /// (3)
    fn reach(&self, own: &Model, pose: &mut State, data: &mut Data) {
        let poses = &data.position.world_from_body;
        let place = |bone: Bone| poses[bone.index()].translation;
        let turned = |bone: Bone| DQuat::from_mat3(&poses[bone.index()].rotation);
        let Leg { thigh, shank, foot, .. } = self.leg;
        let knee = own.bodies()[shank].joint();
        let axis = match knee.kind {
            JointKind::Revolute { axis } => {
                let parent = own.bodies()[shank].parent().map_or(DMat3::IDENTITY, |p| poses[p].rotation);
                parent * (knee.parent_from_joint.rotation * axis)
            }
            // A ball joint bends the way it is bent, or as knees do.
            _ => {
                let bent = (place(shank) - place(thigh)).cross(place(foot) - place(shank));
                bent.try_normalize().unwrap_or(poses[0].rotation * DVec3::Y)
            }
        };
        let limb = Limb { upper: place(shank) - place(thigh), lower: place(foot) - place(shank), axis };
        let (upper, lower) = limb.reach(self.ankle - place(thigh));
        let parent = own.bodies()[thigh].parent().map_or(DQuat::IDENTITY, |p| turned(Bone::new(p.index())));
        let (new_thigh, new_shank) = (upper * turned(thigh), lower * turned(shank));
        let sole = DQuat::from_mat3(&self.sole);
        set_turn(own, pose, thigh, parent, new_thigh);
        if let JointKind::Revolute { .. } = knee.kind {
            // `lower` is the swing of the whole leg after the bend of the knee.
            let bend = rotation::log(upper.conjugate() * lower).dot(axis);
            pose.q[own.bodies()[shank].coordinates()][0] += bend;
        } else {
            set_turn(own, pose, shank, new_thigh, new_shank);
        }
        set_turn(own, pose, foot, new_shank, sole);
    }
}
