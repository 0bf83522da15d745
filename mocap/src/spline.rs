//! C² interpolation of a clip, with velocities and accelerations.
//!
//! Root coordinates and the four numbers of each sign-consistent quaternion run through the cubic spline that
//! interpolates the frames (not-a-knot ends; de Boor, *A Practical Guide to Splines*, ch. IV), and the quaternion
//! is then brought back to unit length: q(t) = s(t)/|s(t)|. The curve is exact at the frames because |s| = 1 there,
//! C² because s is and |s| ≠ 0, and does not depend on the choice of axes on either side, because multiplying by a
//! unit quaternion is a rotation of R⁴, which commutes with the (linear) spline and with the projection. Projection
//! of an ambient spline is the construction of Belta & Kumar, *An SVD-based projection method for interpolation on
//! SE(3)*, 2002, in its quaternion form. With frames less than 90° apart, as motion capture has them, |s| stays
//! near 1.
//!
//! With u the fraction of the step h, m = h² s″ at the frames:
//! s(u)   = (1−u) y₀ + u y₁ + ((1−u)³−(1−u)) m₀/6 + (u³−u) m₁/6                                             (1)
//! h² s″ from m₋₁ + 4 m₀ + m₁ = 6 (y₋₁ − 2 y₀ + y₁), ends m₀ = 2 m₁ − m₂                                     (2)
//! q̇ = (ṡ − a q)/n with n = |s|, a = q·ṡ;   q̈ = (s̈ − ȧ q − 2 a q̇)/n with ȧ = q̇·ṡ + q·s̈                     (3)
//! ω = 2 q* q̇ and ω̇ = 2 q* q̈ (vector parts), in the axes of the joint                                       (4)

use crate::clip::place;
use crate::rotation::near;
use crate::{Clip, Pose, Skeleton};
use glam::{DQuat, DVec3, DVec4};
use stuntlab_physics::spatial::Transform;

/// A clip prepared for smooth sampling at any time. Owns its numbers; sampling allocates nothing after the first
/// call with the same output.
#[derive(Clone, Debug)]
pub struct ClipSpline {
    frame_time: f64,
    n_frames: usize,
    n_joints: usize,
    /// Per frame: 3 root coordinates, then 4 per joint.
    values: Vec<f64>,
    /// h² times the second derivative of `values`.
    curvature: Vec<f64>,
}

/// Pose, velocities and accelerations at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The pose.
    pub pose: Pose,
    /// Velocity of the root in world axes, m/s.
    pub root_velocity: DVec3,
    /// Acceleration of the root in world axes, m/s².
    pub root_acceleration: DVec3,
    /// Angular velocity of every joint against its parent, in the joint's own axes, rad/s.
    pub angular_velocities: Vec<DVec3>,
    /// Time derivative of `angular_velocities`, rad/s².
    pub angular_accelerations: Vec<DVec3>,
}

/// A joint's motion seen from the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMotion {
    /// Placement.
    pub world_from_joint: Transform,
    /// Velocity of the joint's origin in world axes, m/s.
    pub velocity: DVec3,
    /// Angular velocity in world axes, rad/s.
    pub angular_velocity: DVec3,
}

impl Sample {
    /// Placement and velocity of every joint in the world, written to `out`.
    pub fn world(&self, skeleton: &Skeleton, out: &mut Vec<JointMotion>) {
        out.clear();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let local = Transform::from_quaternion(self.pose.rotations[index], joint.offset);
            let (world_from_joint, velocity, parent_spin) = match joint.parent {
                Some(p) => {
                    let parent = out[p];
                    let world_from_joint = parent.world_from_joint * local;
                    let arm = world_from_joint.translation - parent.world_from_joint.translation;
                    let velocity = parent.velocity + parent.angular_velocity.cross(arm);
                    (world_from_joint, velocity, parent.angular_velocity)
                }
                None => (
                    Transform { translation: self.pose.root_position, ..local },
                    self.root_velocity,
                    DVec3::ZERO,
                ),
            };
            let angular_velocity =
                parent_spin + world_from_joint.transform_vector(self.angular_velocities[index]);
            out.push(JointMotion { world_from_joint, velocity, angular_velocity });
        }
    }
}

impl ClipSpline {
    /// Solves for the spline through all frames: O(frames × joints).
    pub fn new(clip: &Clip) -> Self {
        let (n_frames, n_joints) = (clip.n_frames(), clip.n_joints());
        let mut values = Vec::with_capacity(n_frames * (3 + 4 * n_joints));
        let mut previous: Vec<DQuat> = clip.rotations(0).to_vec();
        for frame in 0..n_frames {
            values.extend(clip.root_position(frame).to_array());
            for (q, last) in clip.rotations(frame).iter().zip(&mut previous) {
                *last = near(*q, *last);
                values.extend(last.to_array());
            }
        }
        let curvature = curvatures(&values, 3 + 4 * n_joints);
        Self { frame_time: clip.frame_time(), n_frames, n_joints, values, curvature }
    }

    /// Time from the first frame to the last in seconds.
    pub fn duration(&self) -> f64 {
        (self.n_frames - 1) as f64 * self.frame_time
    }

    /// Pose, velocities and accelerations at a time. Before the first frame and after the last the pose is held
    /// and at rest; at the ends themselves the one-sided derivatives are given.
    pub fn sample(&self, time: f64, out: &mut Sample) {
        let piece = self.piece(time);
        let root = |i| piece.at(i);
        let [x, y, z] = [root(0), root(1), root(2)];
        out.pose.root_position = DVec3::new(x[0], y[0], z[0]);
        out.root_velocity = DVec3::new(x[1], y[1], z[1]);
        out.root_acceleration = DVec3::new(x[2], y[2], z[2]);
        out.pose.rotations.clear();
        out.angular_velocities.clear();
        out.angular_accelerations.clear();
        for joint in 0..self.n_joints {
            let (q, w, a) = piece.rotation(3 + 4 * joint);
            out.pose.rotations.push(q);
            out.angular_velocities.push(w);
            out.angular_accelerations.push(a);
        }
    }

    /// The pose alone, the very bits of [`ClipSpline::sample`]'s, for a third of the price.
    pub fn sample_pose(&self, time: f64, out: &mut Pose) {
        let piece = self.piece(time);
        out.root_position = DVec3::new(piece.value(0), piece.value(1), piece.value(2));
        out.rotations.clear();
        out.rotations.extend((0..self.n_joints).map(|joint| piece.turn(3 + 4 * joint)));
    }

    fn piece(&self, time: f64) -> Piece<'_> {
        let (frame, u) = place(time, self.frame_time, self.n_frames);
        let held = !(0.0..=self.duration() * (1.0 + 4.0 * f64::EPSILON)).contains(&time);
        let width = 3 + 4 * self.n_joints;
        // At the last frame the piece before it is evaluated at its end.
        let (frame, u) = if frame + 1 == self.n_frames && frame > 0 { (frame - 1, 1.0) } else { (frame, u) };
        let next = (frame + 1).min(self.n_frames - 1);
        let w = 1.0 - u;
        Piece {
            y0: &self.values[frame * width..][..width],
            y1: &self.values[next * width..][..width],
            m0: &self.curvature[frame * width..][..width],
            m1: &self.curvature[next * width..][..width],
            u,
            bends: [w * w * w - w, u * u * u - u],
            rate: if held { 0.0 } else { 1.0 / self.frame_time },
        }
    }
}

/// The cubic between two frames.
struct Piece<'a> {
    y0: &'a [f64],
    y1: &'a [f64],
    m0: &'a [f64],
    m1: &'a [f64],
    u: f64,
    /// (1): the factors of m₀/6 and m₁/6.
    bends: [f64; 2],
    rate: f64,
}

impl Piece<'_> {
    /// Value, first and second derivative of coordinate `i`: (1).
    #[inline]
    fn at(&self, i: usize) -> [f64; 3] {
        let (y0, y1, m0, m1) = (self.y0[i], self.y1[i], self.m0[i], self.m1[i]);
        let (u, w) = (self.u, 1.0 - self.u);
        let value = self.value(i);
        let slope = y1 - y0 + ((1.0 - 3.0 * w * w) * m0 + (3.0 * u * u - 1.0) * m1) / 6.0;
        [value, slope * self.rate, (w * m0 + u * m1) * self.rate * self.rate]
    }

    /// Value of coordinate `i`.
    #[inline]
    fn value(&self, i: usize) -> f64 {
        let [b0, b1] = self.bends;
        (1.0 - self.u) * self.y0[i] + self.u * self.y1[i] + (b0 * self.m0[i] + b1 * self.m1[i]) / 6.0
    }

    /// Rotation alone.
    #[inline]
    fn turn(&self, i: usize) -> DQuat {
        let s = DVec4::new(self.value(i), self.value(i + 1), self.value(i + 2), self.value(i + 3));
        let n = s.length();
        if n < 1e-6 {
            return DQuat::from_slice(&self.y0[i..i + 4]);
        }
        DQuat::from_vec4(if self.u == 0.0 || self.u == 1.0 { s } else { s / n })
    }

    /// Rotation, angular velocity and acceleration: (3), (4).
    fn rotation(&self, i: usize) -> (DQuat, DVec3, DVec3) {
        let [x, y, z, w] = [self.at(i), self.at(i + 1), self.at(i + 2), self.at(i + 3)];
        let column = |k: usize| DVec4::new(x[k], y[k], z[k], w[k]);
        let (s, s1, s2) = (column(0), column(1), column(2));
        let n = s.length();
        if n < 1e-6 {
            // Frames half a turn apart can cancel; the earlier one is held.
            return (DQuat::from_slice(&self.y0[i..i + 4]), DVec3::ZERO, DVec3::ZERO);
        }
        // Frames themselves keep their bits.
        let q = if self.u == 0.0 || self.u == 1.0 { s } else { s / n };
        let a = q.dot(s1);
        let q1 = (s1 - a * q) / n;
        let a1 = q1.dot(s1) + q.dot(s2);
        let q2 = (s2 - a1 * q - 2.0 * a * q1) / n;
        let turn = DQuat::from_vec4(q);
        let body = |v: DVec4| (turn.conjugate() * DQuat::from_vec4(v)).xyz() * 2.0;
        (turn, body(q1), body(q2))
    }
}

/// Solves (2) for all columns at once: Thomas' algorithm, whose coefficients all columns share.
fn curvatures(values: &[f64], width: usize) -> Vec<f64> {
    let n = values.len() / width;
    let mut m = vec![0.0; values.len()];
    if n < 3 {
        return m;
    }
    let right_side = |i: usize, c: usize| {
        let y = |k: usize| values[k * width + c];
        6.0 * (y(i - 1) - 2.0 * y(i) + y(i + 1))
    };
    // The end conditions put into the second and the last row but one leave 6 m = right side there.
    for c in 0..width {
        m[width + c] = right_side(1, c) / 6.0;
        m[(n - 2) * width + c] = right_side(n - 2, c) / 6.0;
    }
    // Rows 2 to n-3: forward elimination with super-diagonal factors, then back.
    let mut factors = vec![0.0; n];
    for i in 2..n.saturating_sub(2) {
        let pivot = 1.0 / (4.0 - factors[i - 1]);
        factors[i] = pivot;
        for c in 0..width {
            m[i * width + c] = (right_side(i, c) - m[(i - 1) * width + c]) * pivot;
        }
    }
    for i in (2..n.saturating_sub(2)).rev() {
        for c in 0..width {
            m[i * width + c] -= factors[i] * m[(i + 1) * width + c];
        }
    }
    for c in 0..width {
        let at = |i: usize| i * width + c;
        m[c] = if n == 3 { m[at(1)] } else { 2.0 * m[at(1)] - m[at(2)] };
        m[at(n - 1)] = if n == 3 { m[at(1)] } else { 2.0 * m[at(n - 2)] - m[at(n - 3)] };
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubics are their own not-a-knot spline.
    #[test]
    fn reproduces_cubics() {
        for n in [4usize, 5, 6, 9, 40] {
            let f = |t: f64| 0.3 * t * t * t - 2.0 * t * t + t - 5.0;
            let values: Vec<f64> = (0..n).map(|i| f(i as f64)).collect();
            let m = curvatures(&values, 1);
            for (i, m) in m.iter().enumerate() {
                let wanted = 1.8 * i as f64 - 4.0;
                assert!((m - wanted).abs() < 1e-9 * n as f64 * n as f64, "n {n} frame {i}: {m} {wanted}");
            }
        }
    }
}
