//! The motion's pose, changed so that its centre of mass and attitude are where the whole body is (Nguyen et al. 2011, section 4).
//!
//! ```text
//! (1)  turn    minimise |Σ w_i θ_i - φ|² + λ² Σ |θ_i|²:  θ_i = w_i φ / (Σ w² + λ²)      over pelvis and waist
//! (2)  shift   p ← p + (c̃ - c(p)) / (1 - s)                                            descent, the feet held
//! (3)  feet    two bones that reach the ankle, the sole as it is in the motion
//! (4)  hips    come down where a leg would get longer than l(d) + d₀ - l(d₀),  l(d) = a + r (1 - e^{-(d - a)/r})  for d > a
//! ```
//! The paper descends over the angles of the leg that stands. Here the hips are what is moved and both legs are solved exactly for
//! wherever they are, so that the foot that stands is in its place to rounding after every iteration, and the descent has three
//! unknowns and nearly the unit matrix for its derivative, but for the share `s` of the masses that stays behind with the feet.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, JointKind, Model, State};

use super::knees::Knees;
use super::legs::{LegPose, Share};
use crate::kind::Refusal;
use crate::limb::set_turn;
use crate::walking::{Biped, Leg};

/// λ of (1).
const DAMPING: f64 = 0.05;
/// Share of a turn that the pelvis takes by itself, and the waist beyond it: a bow is of both.
const SHARES: [f64; 2] = [0.5, 0.5];
/// How much of a hip's way thighs, shanks and feet do not go: knees go half of it, ankles none, centres of mass are at four tenths.
const BEHIND: [f64; 3] = [0.22, 0.72, 1.0];
/// Iterations of (2) at most: errors go to a twentieth in each, and farther out to a fifth.
const ITERATIONS: usize = 8;
/// Error at which (2) ends, m: poses of steps that end one iteration apart must not be told apart.
const CLOSE: f64 = 1e-7;
/// From where on a leg is stretched less and less, of its length, and what it comes to in the end. A knee that is nearly straight goes fast for
/// a little way, so that a stop there would be a jolt.
const STRETCHES: [f64; 2] = [0.965, 0.987];
/// Straightest a leg gets, of its length: where a motion's own is nearly so, there is nothing left to be less and less.
const STRAIGHT: f64 = 0.999;
/// How near to each other what two legs ask for counts as one, m: which of them asks for more must not show.
const ALIKE: f64 = 0.003;
/// Farthest that a foot on the ground is off its place for its knee's sake, along the leg, m.
const LOOSE: f64 = 0.006;
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
    /// How high they are lifted, of that, m: so far they need not be where they are wanted.
    pub lifts: [f64; 2],
}

/// Solves poses for a figure with two legs.
#[derive(Clone, Debug)]
pub struct Posture {
    biped: Biped,
    turns: [f64; 2],
    /// 1 / (1 - s) of (2).
    stride: f64,
    /// By bone: the part of a leg that it moves with, left and right; of the rest none.
    moves_with: Vec<Option<(Side, Segment)>>,
    mass: f64,
}

/// What of a leg moves as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment {
    Thigh,
    Shank,
    Foot,
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
        let mass = |bone: Bone| own.bodies()[bone].inertia().mass;
        let legs = Side::BOTH.map(|side| biped.leg(side));
        let behind = legs.iter().flat_map(|leg| [leg.thigh, leg.shank, leg.foot].into_iter().zip(BEHIND));
        let toes = legs.iter().filter_map(|leg| leg.toe).map(mass).sum::<f64>();
        let all: f64 = own.bodies().iter().map(|b| b.inertia().mass).sum();
        let left = (behind.map(|(bone, share)| share * mass(bone)).sum::<f64>() + toes) / all;
        let mut moves_with: Vec<Option<(Side, Segment)>> = Vec::with_capacity(own.n_bodies());
        for (k, body) in own.bodies().iter().enumerate() {
            let as_parent = body.parent().and_then(|p| moves_with[p.index()]);
            let itself = Side::BOTH.into_iter().find_map(|side| {
                let leg = biped.leg(side);
                let segments =
                    [(leg.thigh, Segment::Thigh), (leg.shank, Segment::Shank), (leg.foot, Segment::Foot)];
                segments.into_iter().find(|(bone, _)| bone.index() == k).map(|(_, segment)| (side, segment))
            });
            moves_with.push(itself.or(as_parent));
        }
        let stride = 1.0 / (1.0 - left.clamp(0.0, 0.5));
        Ok(Self { turns: w.map(|w| w / sum), stride, biped, moves_with, mass: all }) // (1)
    }

    /// The bones of a leg.
    pub(crate) fn leg(&self, side: Side) -> &Leg {
        self.biped.leg(side)
    }

    /// Changes a pose, a step of `dt` after the last one; `data` is scratch.
    ///
    /// Only the legs move against the hips, so that a look at the centre of mass takes two of them and no kinematics.
    pub fn change(
        &self,
        own: &Model,
        pose: &mut State,
        change: &Change,
        knees: &mut Knees,
        dt: f64,
        data: &mut Data,
    ) {
        forward_kinematics(own, pose, data);
        let place = |data: &Data, bone: Bone| data.position.world_from_body[bone.index()].translation;
        let wanted = center_of_mass(own, data).position + change.shift;
        let goals = Side::BOTH.map(|side| {
            let leg = self.biped.leg(side);
            let [hip, knee, ankle] = [leg.thigh, leg.shank, leg.foot].map(|b| place(data, b));
            Goal {
                ankle: ankle + change.feet[side as usize],
                loose: LOOSE + change.lifts[side as usize],
                sole: data.position.world_from_body[leg.foot.index()].rotation,
                length: hip.distance(knee) + knee.distance(ankle),
                own: hip.distance(ankle),
            }
        });
        self.turn(own, pose, change.tilt, data);
        let up = -own.gravity().try_normalize().unwrap_or(-DVec3::Z);
        let legs =
            Side::BOTH.map(|side| LegPose::new(own, data, self.biped.leg(side), &goals[side as usize]));
        let (rest, legs) = self.weigh(own, data, legs);
        let mut way = change.shift;
        let mut hips = way;
        for _ in 0..ITERATIONS {
            // Where legs would have to be longer than they are, the hips come down.
            let [a, b] = [0, 1].map(|k| goals[k].too_far(legs[k].hip + way, up));
            let drop = larger(a, b).min(LOWEST);
            hips = way - up * drop;
            let sums =
                legs.iter().zip(&goals).map(|(leg, goal)| leg.first_moment(hips, leg.reach(hips, goal)));
            let first = rest.first + rest.mass * hips + sums.sum::<DVec3>();
            let error = wanted - first / self.mass; // (2)
            // From where the hips are: height that legs do not have is sought anew, and taken off again, without a kink.
            let step = error * self.stride - up * drop;
            way += step;
            if step.length() < CLOSE {
                break;
            }
        }
        self.put(own, pose, place(data, Bone::new(0)) + hips);
        for side in Side::BOTH {
            let (leg, goal) = (&legs[side as usize], &goals[side as usize]);
            let turns = leg.eased(hips, goal, leg.reach(hips, goal), |wanted| knees.follow(side, wanted, dt));
            leg.write(own, pose, data, self.biped.leg(side), goal, turns);
        }
    }

    /// Masses of what moves with the hips, and of the parts of the legs.
    fn weigh(&self, own: &Model, data: &Data, mut legs: [LegPose; 2]) -> (Share, [LegPose; 2]) {
        let mut rest = Share::default();
        for (k, (body, pose)) in own.bodies().iter().zip(&data.position.world_from_body).enumerate() {
            let (mass, center) = (body.inertia().mass, pose.transform_point(body.inertia().center_of_mass));
            match self.moves_with[k] {
                None => rest.add(mass, center),
                Some((side, segment)) => {
                    let leg = &mut legs[side as usize];
                    match segment {
                        Segment::Thigh => leg.shares[0].add(mass, center - leg.hip),
                        Segment::Shank => leg.shares[1].add(mass, center - leg.hip - leg.limb.upper),
                        Segment::Foot => {
                            leg.shares[2].add(mass, center - leg.hip - leg.limb.upper - leg.limb.lower);
                        }
                    }
                }
            }
        }
        (rest, legs)
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
    fn put(&self, own: &Model, pose: &mut State, root: DVec3) {
        let body = &own.bodies()[0];
        let place = body.joint().parent_from_joint.inverse_transform_point(root);
        pose.q[body.coordinates()][..3].copy_from_slice(&place.to_array());
    }
}

/// What a leg shall do.
pub(super) struct Goal {
    pub(super) ankle: DVec3,
    pub(super) sole: DMat3,
    /// All of its length, and how far the motion's own ankle is from its hip, m.
    length: f64,
    own: f64,
    /// How far its foot may be off its place along it, m.
    pub(super) loose: f64,
}

/// The larger of two numbers, without a kink where they are equal, and the same as either there.
fn larger(a: f64, b: f64) -> f64 {
    let apart = (a - b).abs() / ALIKE;
    a.max(b) + ALIKE * (0.5 * (1.0 + (-apart).exp())).ln()
}

impl Goal {
    /// (4): l(d).
    fn stretched(&self, far: f64) -> f64 {
        let [begins, ends] = STRETCHES.map(|share| share * self.length);
        let range = ends - begins;
        if far <= begins { far } else { begins + range * (1.0 - (-(far - begins) / range).exp()) }
    }

    /// (4): how far hips have to come down; nothing where the leg is as long as in the motion. Beyond [`LOWEST`] the foot is drawn after them.
    fn too_far(&self, hip: DVec3, up: DVec3) -> f64 {
        let way = hip - self.ankle;
        let far = way.length();
        let longest = self.stretched(far) + self.own - self.stretched(self.own);
        let longest = longest.min(self.own.max(STRAIGHT * self.length));
        let height = up.dot(way);
        let level = (way - up * height).length();
        height - (longest * longest - level * level).max(0.0).sqrt()
    }
}
