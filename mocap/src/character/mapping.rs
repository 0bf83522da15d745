//! Poses of the skeleton to states of the model and back.
//!
//! Every body takes the orientation of its joint, `world_from_body = world_from_joint · standing⁻¹`; merged joints are
//! thereby composed. Ball joints follow exactly. Where a ball joint carries a hinge (hip and knee, shoulder and elbow) the
//! upper limb is turned about itself so that the hinge's plane holds the lower one: with `d₁, d₂` the directions of the
//! two bones, the hinge axis is `d₁ × d₂`, and near a straight limb the mocap's own axis. Ankles and wrists are then
//! exactly where the mocap has them, whatever axis its knees turn about. A wrist without twist below a forearm that turns
//! leaves the hand's twist to the forearm.

use super::Character;
use super::anatomy::Part;
use super::clamp_to_limits;
use crate::skeleton::JointId;
use crate::spline::{ClipSpline, Sample};
use crate::{Clip, ClipError, Pose};
use glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Data, JointKind, State};

/// Below this sine of the bend a limb counts as straight half and half.
const NEARLY_STRAIGHT: f64 = 0.05;
/// Half step of the central difference for velocities, s.
const HALF_STEP: f64 = 1e-4;

/// Work space of the pose conversions.
#[derive(Clone, Debug, Default)]
pub struct PoseScratch {
    world: Vec<Transform>,
    /// Orientation of every segment against the standing pose.
    turned: Vec<DMat3>,
    sample: Sample,
    ends: [Option<State>; 2],
}

impl Character {
    /// The state of a pose, at rest. Limits are not enforced; see [`super::clamp_to_limits`].
    pub fn state_from_pose(&self, pose: &Pose) -> State {
        let mut state = State::new(&self.model);
        self.write_pose(pose, &mut PoseScratch::default(), &mut state.q);
        state
    }

    /// Writes the coordinates of a pose to `q` (this character's, in its order). Allocates nothing after the first call.
    ///
    /// # Panics
    /// Where the pose is of another skeleton or `q` is shorter than the model's.
    pub fn write_pose(&self, pose: &Pose, scratch: &mut PoseScratch, q: &mut [f64]) {
        assert_eq!(pose.rotations.len(), self.skeleton.n_joints(), "a pose of this character's skeleton");
        pose.world(&self.skeleton, &mut scratch.world);
        let PoseScratch { world, turned, .. } = scratch;
        turned.clear();
        turned.extend(self.plan.segments.iter().map(|s| self.stance.body_rotation(s.frame(), world)));
        self.write_root(&world[self.plan.segments[0].chain[0]].translation, turned, q);
        for index in 1..self.plan.segments.len() {
            self.write_joint(index, world, turned, q);
        }
    }

    /// State with velocities at a time of a clip on this character's skeleton.
    pub fn state_at(&self, spline: &ClipSpline, time: f64) -> State {
        let mut state = State::new(&self.model);
        self.write_state(spline, time, &mut PoseScratch::default(), &mut state.q, &mut state.v);
        state.time = time;
        state
    }

    /// Writes coordinates and velocities at a time of a clip. Velocities are central differences of the states along the
    /// clip's spline, so they belong to the reduced joints exactly; outside of the clip they are zero.
    ///
    /// # Panics
    /// As [`Character::write_pose`].
    pub fn write_state(
        &self,
        spline: &ClipSpline,
        time: f64,
        scratch: &mut PoseScratch,
        q: &mut [f64],
        v: &mut [f64],
    ) {
        let mut sample = core::mem::take(&mut scratch.sample);
        let mut ends = core::mem::take(&mut scratch.ends);
        let (lo, hi) = ((time - HALF_STEP).max(0.0), (time + HALF_STEP).min(spline.duration()));
        for (end, at) in ends.iter_mut().zip([lo, hi]) {
            let state = end.get_or_insert_with(|| State::new(&self.model));
            if state.q.len() != self.model.n_q() {
                *state = State::new(&self.model);
            }
            spline.sample(at, &mut sample);
            self.write_pose(&sample.pose, scratch, &mut state.q);
        }
        v[..self.model.n_v()].fill(0.0);
        if let [Some(a), Some(b)] = &ends
            && hi > lo
        {
            a.difference(&self.model, b, &mut v[..self.model.n_v()]);
            v[..self.model.n_v()].iter_mut().for_each(|x| *x /= hi - lo);
        }
        spline.sample(time, &mut sample);
        self.write_pose(&sample.pose, scratch, q);
        (scratch.sample, scratch.ends) = (sample, ends);
    }

    fn write_root(&self, hips: &DVec3, turned: &mut [DMat3], q: &mut [f64]) {
        let root = &self.model.bodies()[0];
        let height = root.joint().parent_from_joint.translation;
        let place = *hips - height;
        match root.joint().kind {
            JointKind::Planar => {
                let w = turned[0];
                // Nearest turn about -y.
                let angle = (w.x_axis.z - w.z_axis.x).atan2(w.x_axis.x + w.z_axis.z);
                q[..3].copy_from_slice(&[place.x, place.z, angle]);
                turned[0] = DMat3::from_rotation_y(-angle);
            }
            _ => {
                q[..3].copy_from_slice(&place.to_array());
                q[3..7].copy_from_slice(&quaternion(&turned[0]).to_array());
            }
        }
    }

    /// Coordinates of the joint above a segment; `turned` becomes what that joint can do.
    fn write_joint(&self, index: usize, world: &[Transform], turned: &mut [DMat3], q: &mut [f64]) {
        let segment = &self.plan.segments[index];
        let parent = turned[segment.parent.unwrap_or(0)];
        let body = self.model.body(self.body_of_segment[index]);
        let q = &mut q[body.coordinates()];
        match body.joint().kind {
            JointKind::Spherical => {
                if let Some(w) = self.hinged_limb(index, world, &turned[index]) {
                    turned[index] = w;
                }
                q.copy_from_slice(&quaternion(&(parent.transpose() * turned[index])).to_array());
            }
            JointKind::Revolute { axis } => {
                let angle = self
                    .bend(index, world, &parent, axis)
                    .unwrap_or_else(|| twist_about(quaternion(&(parent.transpose() * turned[index])), axis));
                q[0] = angle;
                turned[index] = parent * DMat3::from_axis_angle(axis, angle);
            }
            JointKind::Universal { axes } => {
                let relative = parent.transpose() * turned[index];
                let [mut a, mut b] = universal_angles(&relative, axes);
                if let Some(bend) = self.bend(index, world, &parent, axes[0]) {
                    a = bend;
                    let held = parent * DMat3::from_axis_angle(axes[0], a);
                    b = self.forearm_twist(index, &held, turned, axes[1]);
                }
                q.copy_from_slice(&[a, b]);
                turned[index] =
                    parent * DMat3::from_axis_angle(axes[0], a) * DMat3::from_axis_angle(axes[1], b);
            }
            JointKind::Fixed => turned[index] = parent,
            JointKind::Prismatic { .. } | JointKind::Planar | JointKind::Free => {}
        }
    }

    /// The three joints of a limb whose upper or lower part is this segment.
    fn limb(&self, part: Part) -> Option<[JointId; 3]> {
        let roles = &self.stance.anatomy.roles;
        let side = roles.side(part.side()?);
        match part {
            Part::Thigh(_) | Part::Shank(_) => Some([side.hip?, side.knee?, side.ankle?]),
            Part::UpperArm(_) | Part::Forearm(_) => Some([side.shoulder?, side.elbow?, side.wrist?]),
            _ => None,
        }
    }

    /// Orientation of a thigh or upper arm on a ball joint above a hinge, such that the hinge's plane holds the limb.
    fn hinged_limb(&self, index: usize, world: &[Transform], wanted: &DMat3) -> Option<DMat3> {
        let part = self.plan.segments[index].part;
        if !matches!(part, Part::Thigh(_) | Part::UpperArm(_)) {
            return None;
        }
        let below = self.plan.segments.iter().position(|s| s.parent == Some(index))?;
        let axis = match self.model.body(self.body_of_segment[below]).joint().kind {
            JointKind::Revolute { axis } => axis,
            JointKind::Universal { axes } => axes[0],
            _ => return None,
        };
        let [a, b, c] = self.limb(part)?.map(|j| world[j].translation);
        let (d1, d2) = ((b - a).try_normalize()?, (c - b).try_normalize()?);
        // The bone is -z and the hinge ±y in the body's axes.
        let hint = *wanted * axis;
        let hint = (hint - d1 * hint.dot(d1)).try_normalize()?;
        let bend = d1.cross(d2);
        let bend = if bend.dot(hint) < 0.0 { -bend } else { bend };
        let lateral = (bend + NEARLY_STRAIGHT * hint).try_normalize()? * axis.y;
        let up = -d1;
        Some(DMat3::from_cols(lateral.cross(up), lateral, up))
    }

    /// Bend of a knee or elbow from the places of its limb; `None` for other joints.
    fn bend(&self, index: usize, world: &[Transform], parent: &DMat3, axis: DVec3) -> Option<f64> {
        let part = self.plan.segments[index].part;
        if !matches!(part, Part::Shank(_) | Part::Forearm(_)) || axis.y.abs() < 0.9 {
            return None;
        }
        let [_, b, c] = self.limb(part)?.map(|j| world[j].translation);
        let d = parent.transpose() * (c - b).try_normalize()?;
        // R(±y, q)(-z) = (∓sin q, 0, -cos q).
        Some((-d.x * axis.y).atan2(-d.z))
    }

    /// Turn of a forearm about itself: the hand's where the wrist cannot twist, else its own.
    fn forearm_twist(&self, index: usize, held: &DMat3, turned: &[DMat3], axis: DVec3) -> f64 {
        let hand = self
            .plan
            .segments
            .iter()
            .position(|s| s.parent == Some(index) && matches!(s.part, Part::Hand(_)));
        let hand = hand.filter(|&h| {
            matches!(self.model.body(self.body_of_segment[h]).joint().kind, JointKind::Universal { .. })
        });
        match hand {
            Some(h) => {
                // R = R(z, t) R(x, w₁) R(y, w₂): the y axis of R is R(z, t) R(x, w₁) y.
                let y = held.transpose() * turned[h].y_axis;
                (-y.x * axis.z).atan2(y.y)
            }
            None => twist_about(quaternion(&(held.transpose() * turned[index])), axis),
        }
    }

    /// The pose of a state of this character's model.
    pub fn pose_from_state(&self, state: &State) -> Pose {
        let mut data = Data::new(&self.model);
        forward_kinematics(&self.model, state, &mut data);
        let mut pose = Pose::default();
        self.write_pose_of_bodies(&data.position.world_from_body, &mut pose);
        pose
    }

    /// The pose of bodies at these placements (this character's, in its order). Turns of merged straight chains are
    /// shared equally among their joints.
    ///
    /// # Panics
    /// Where there are fewer placements than bodies.
    pub fn write_pose_of_bodies(&self, world_from_body: &[Transform], pose: &mut Pose) {
        let turned = |segment: usize| {
            let rotation = world_from_body[self.body_of_segment[segment].index()].rotation;
            if segment == 0 { rotation * self.stance_from_root.transpose() } else { rotation }
        };
        let joints = self.skeleton.joints();
        pose.rotations.clear();
        let mut world: Vec<DQuat> = Vec::with_capacity(joints.len());
        let pelvis = quaternion(&turned(0));
        for j in self.skeleton.joint_ids() {
            let local = match joints[j].parent {
                None => (pelvis * self.stance.rotations[0]).normalize(),
                Some(p) => self.chain_turn(j, world[p], &turned),
            };
            world.push(joints[j].parent.map_or(local, |p| (world[p] * local).normalize()));
            pose.rotations.push(local);
        }
        let hips = self.plan.segments[0].chain[0];
        let offset = self.stance.positions[hips] - self.stance.positions[0];
        pose.root_position = world_from_body[self.body_of_segment[0].index()].translation - pelvis * offset;
    }

    /// Local rotation of a joint below `parent`: its share of its chain's turn, or the standing pose's.
    fn chain_turn(&self, joint: JointId, parent: DQuat, turned: &impl Fn(usize) -> DMat3) -> DQuat {
        let segment = self.plan.segment_of_joint[joint];
        let chain = &self.plan.segments[segment].chain;
        let at = self.stance.local(&self.skeleton, joint);
        let Some(k) = chain.iter().position(|&c| c == joint).filter(|_| segment > 0) else { return at };
        let last = chain[chain.len() - 1];
        let wanted = quaternion(&turned(segment)) * self.stance.rotations[last];
        // What the rest of the chain still has to turn, seen from this joint's parent.
        let after: DQuat =
            chain[k..].iter().fold(DQuat::IDENTITY, |q, &c| q * self.stance.local(&self.skeleton, c));
        let left = parent.conjugate() * wanted * after.conjugate();
        let share = 1.0 / (chain.len() - k) as f64;
        let turn = crate::rotation::exp(crate::rotation::log(left.normalize()) * share);
        (turn * at).normalize()
    }

    /// A clip on this character's skeleton with every joint inside its limits, and the share of its frames in which one was not. Who tracks a
    /// motion that its figure cannot make presses joints against their stops with all its strength, and the stops turn the body.
    pub fn clip_within_limits(&self, clip: &Clip) -> (Clip, f64) {
        let mut states: Vec<State> =
            (0..clip.n_frames()).map(|f| self.state_from_pose(&clip.pose(f))).collect();
        let outside: usize =
            states.iter_mut().map(|s| usize::from(clamp_to_limits(&self.model, s) > 0)).sum();
        if outside == 0 {
            return (clip.clone(), 0.0);
        }
        let share = outside as f64 / clip.n_frames() as f64;
        match self.clip_from_states(&clip.name, clip.frame_time(), &states) {
            Ok(inside) => (inside.with_tags(clip.tags.clone()), share),
            // Numbers that are not finite: there is nothing to bring inside.
            Err(_) => (clip.clone(), share),
        }
    }

    /// A motion of this character as a clip on its skeleton, for export.
    ///
    /// # Errors
    /// No states, or numbers that are not finite.
    pub fn clip_from_states(&self, name: &str, frame_time: f64, states: &[State]) -> Result<Clip, ClipError> {
        let poses: Vec<Pose> = states.iter().map(|s| self.pose_from_state(s)).collect();
        let positions = poses.iter().map(|p| p.root_position).collect();
        let rotations = poses.into_iter().flat_map(|p| p.rotations).collect();
        Clip::new(name, self.skeleton.clone(), frame_time, positions, rotations)
    }
}

fn quaternion(m: &DMat3) -> DQuat {
    DQuat::from_mat3(m).normalize()
}

/// Angle of a rotation's part about a unit axis, within ±π.
fn twist_about(q: DQuat, axis: DVec3) -> f64 {
    let angle = 2.0 * q.xyz().dot(axis).atan2(q.w);
    angle - core::f64::consts::TAU * (angle / core::f64::consts::TAU).round()
}

/// Angles of `R(a₀, q₀) R(a₁, q₁)` nearest to a rotation: exact where it is one.
fn universal_angles(r: &DMat3, [a0, a1]: [DVec3; 2]) -> [f64; 2] {
    let a2 = a0.cross(a1);
    let first = *r * a1;
    let second = r.transpose() * a0;
    [first.dot(a2).atan2(first.dot(a1)), second.dot(a2).atan2(second.dot(a0))]
}
