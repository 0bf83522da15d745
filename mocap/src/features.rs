//! Numbers that compare poses: joint positions with the place and heading of the body taken out (Mandel & Zordan,
//! *Beyond ragdolls*, GDC 2005, "aligned positions"), optionally with velocities and a window of neighbouring times.
//!
//! Positions are relative to the root's place on the floor and turned about the vertical to face +x; heights stay
//! absolute. Every point is weighted (trunk and hips 2, limbs 1, hands ½) by the square root, so that plain Euclidean
//! distance is the weighted one.

use crate::edit::heading_direction;
use crate::skeleton::JointId;
use crate::{Clip, Roles, Skeleton};
use glam::{DVec2, DVec3};
use thiserror::Error;

/// What the features contain.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureOptions {
    /// Seconds by which velocities are multiplied to compare with positions (0.05 to 0.1); 0 leaves them out.
    pub velocity_time: f64,
    /// Times relative to the pose, in seconds, whose positions are included; `[0.0]` is the pose alone.
    pub window: Vec<f64>,
    /// Time from the pose at which a time of the window would count nothing, s: weights fall off in a straight line (Kovar et al. 2002 taper theirs towards the edges). Infinite: all count alike.
    pub reach: f64,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        Self { velocity_time: 0.0, window: vec![0.0], reach: f64::INFINITY }
    }
}

impl FeatureOptions {
    /// What the points of a time of the window count, of those of the pose.
    pub fn taper(&self, offset: f64) -> f64 {
        (1.0 - offset.abs() / self.reach).max(0.0)
    }
}

/// Where the feature points of a skeleton are.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureLayout {
    /// Joint and weight of every point.
    points: Vec<(JointId, f64)>,
    roles: Roles,
    options: FeatureOptions,
}

/// A skeleton or option for which there are no features.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FeatureError {
    /// Joints that must be known by name.
    #[error("expected a skeleton with named legs, arms, chest and head, found no {0}")]
    MissingJoint(&'static str),
    /// Options out of range.
    #[error("expected a window of 1 to 16 finite times, a finite velocity time and a reach beyond all times")]
    Options,
}

/// Number of feature points: chest, head, and per side shoulder, elbow, hand, hip, knee, ankle, toe.
pub const N_POINTS: usize = 16;

impl FeatureLayout {
    /// Finds the feature points of a skeleton.
    ///
    /// # Errors
    /// A joint that is not found by name, or options out of range.
    pub fn new(skeleton: &Skeleton, options: FeatureOptions) -> Result<Self, FeatureError> {
        let window = &options.window;
        let sane = (1..=16).contains(&window.len())
            && window.iter().all(|t| t.is_finite() && options.taper(*t) > 0.0);
        if !sane || !options.velocity_time.is_finite() {
            return Err(FeatureError::Options);
        }
        let roles = Roles::find(skeleton);
        let mut points = Vec::with_capacity(N_POINTS);
        let mut add = |joint: Option<JointId>, weight: f64, name| {
            points.push((joint.ok_or(FeatureError::MissingJoint(name))?, weight));
            Ok(())
        };
        add(roles.chest, 2.0, "chest")?;
        add(roles.head.or(roles.neck), 1.0, "head")?;
        for limbs in [&roles.left, &roles.right] {
            add(limbs.shoulder, 2.0, "shoulder")?;
            add(limbs.elbow, 1.0, "elbow")?;
            add(limbs.wrist, 0.5, "hand")?;
            add(limbs.hip, 2.0, "hip")?;
            add(limbs.knee, 1.0, "knee")?;
            add(limbs.ankle, 1.0, "ankle")?;
            add(limbs.toe.or(limbs.ankle), 1.0, "toe")?;
        }
        Ok(Self { points, roles, options })
    }

    /// Length of a feature vector.
    pub fn width(&self) -> usize {
        let with_velocity = if self.options.velocity_time != 0.0 { 2 } else { 1 };
        3 * self.points.len() * self.options.window.len() * with_velocity
    }

    /// Joints of the feature points, in order.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.points.iter().map(|p| p.0)
    }

    /// Joints and weights of the feature points.
    pub(crate) fn weighted_joints(&self) -> &[(JointId, f64)] {
        &self.points
    }

    /// Features of every frame of a clip on the layout's skeleton, frame by frame; times before the first frame and
    /// after the last hold its pose.
    pub fn of_clip(&self, clip: &Clip) -> Vec<f32> {
        let points: Vec<(JointId, DVec3)> = self.points.iter().map(|p| (p.0, DVec3::ZERO)).collect();
        let track = clip.track(&points);
        let n = self.points.len();
        let last = clip.n_frames() - 1;
        let frame_at = |frame: usize, offset: f64| {
            let shifted = frame as f64 + (offset / clip.frame_time()).round();
            shifted.clamp(0.0, last as f64) as usize
        };
        let mut out = Vec::with_capacity(clip.n_frames() * self.width());
        let mut world = Vec::new();
        for frame in 0..clip.n_frames() {
            clip.world(frame, &mut world);
            let origin = Origin::new(&self.roles, |joint| world[joint].translation);
            for &offset in &self.options.window {
                let (at, taper) = (frame_at(frame, offset), self.options.taper(offset));
                for (point, &(_, weight)) in self.points.iter().enumerate() {
                    push(&mut out, origin.place(track[at * n + point]), (taper * weight).sqrt());
                }
                if self.options.velocity_time != 0.0 {
                    let (a, b) = (at.saturating_sub(1), (at + 1).min(last));
                    let time = (b - a).max(1) as f64 * clip.frame_time();
                    let scale = |weight: f64| (taper * weight).sqrt() * self.options.velocity_time;
                    for (point, &(_, weight)) in self.points.iter().enumerate() {
                        let velocity = (track[b * n + point] - track[a * n + point]) / time;
                        push(&mut out, origin.turn(velocity), scale(weight));
                    }
                }
            }
        }
        out
    }

    /// Features of a pose from elsewhere, such as a simulation: world position and velocity of every joint by
    /// number, for a layout whose window is the pose alone. Velocities are ignored where the layout has none.
    pub fn of_pose(
        &self,
        position: impl Fn(JointId) -> DVec3,
        velocity: impl Fn(JointId) -> DVec3,
    ) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.width());
        self.write_pose(0.0, position, velocity, &mut out);
        out
    }

    /// The same into room that is there, with the heading taken to be off by `turn` radians: one who lies on the side has no heading of its
    /// own, and is looked for under several.
    pub fn write_pose(
        &self,
        turn: f64,
        position: impl Fn(JointId) -> DVec3,
        velocity: impl Fn(JointId) -> DVec3,
        out: &mut Vec<f32>,
    ) {
        self.write_window(turn, &position, |_, joint| position(joint), |_, joint| velocity(joint), out);
    }

    /// The same for a whole window: `now` is the pose whose place and heading count, the others are asked by number of the window's time.
    pub fn write_window(
        &self,
        turn: f64,
        now: impl Fn(JointId) -> DVec3,
        position: impl Fn(usize, JointId) -> DVec3,
        velocity: impl Fn(usize, JointId) -> DVec3,
        out: &mut Vec<f32>,
    ) {
        let mut origin = Origin::new(&self.roles, &now);
        if turn != 0.0 {
            origin.back = origin.back.rotate(DVec2::from_angle(-turn));
        }
        out.clear();
        for (k, &offset) in self.options.window.iter().enumerate() {
            let taper = self.options.taper(offset);
            for &(joint, weight) in &self.points {
                push(out, origin.place(position(k, joint)), (taper * weight).sqrt());
            }
            if self.options.velocity_time != 0.0 {
                for &(joint, weight) in &self.points {
                    let scale = (taper * weight).sqrt() * self.options.velocity_time;
                    push(out, origin.turn(velocity(k, joint)), scale);
                }
            }
        }
    }

    /// What the features contain.
    pub fn options(&self) -> &FeatureOptions {
        &self.options
    }

    /// Sum of the points' weights: a squared distance of positions over it is their mean square.
    pub fn weight(&self) -> f64 {
        self.points.iter().map(|p| p.1).sum()
    }
}

fn push(out: &mut Vec<f32>, v: DVec3, weight: f64) {
    out.extend((v * weight).to_array().map(|x| x as f32));
}

/// The body's place on the floor and its heading.
struct Origin {
    floor: DVec2,
    /// Unit vector that turns the heading to +x.
    back: DVec2,
}

impl Origin {
    fn new(roles: &Roles, position: impl Fn(JointId) -> DVec3) -> Self {
        let hips = position(roles.hips);
        let at = |joint: Option<JointId>| joint.map(&position);
        let forward = heading_direction(
            at(roles.left.hip),
            at(roles.right.hip),
            Some(hips),
            at(roles.neck.or(roles.chest)),
        )
        .unwrap_or(DVec2::X);
        Self { floor: hips.truncate(), back: DVec2::new(forward.x, -forward.y) }
    }

    fn place(&self, p: DVec3) -> DVec3 {
        self.back.rotate(p.truncate() - self.floor).extend(p.z)
    }

    fn turn(&self, v: DVec3) -> DVec3 {
        self.back.rotate(v.truncate()).extend(v.z)
    }
}
