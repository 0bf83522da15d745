//! Anatomical angles: their order, signs and ranges, and the joint rotations they stand for.
//!
//! All in degrees. Flexion is positive (hip, knee, trunk, neck, shoulder, elbow, wrist), so are dorsiflexion, abduction,
//! and toe extension. Lateral bends and twists of trunk and neck are positive to the left; twists of hip and shoulder
//! are positive outwards, those of the forearm in supination. A three-angle joint turns by flexion first, then abduction in
//! the flexed frame, then twist about the bone: parent_from_joint = Ry(∓flexion) · Rx(±abduction) · Rz(±twist).

use crate::library::skeleton::{CHEST, HEAD, HIPS, N_JOINTS, NECK, SPINE, joints_of};
use crate::roles::Side;
use glam::{DQuat, EulerRot};

/// Number of angles: 9 of trunk, neck and root, 14 per side.
pub(crate) const N_ANGLES: usize = 37;
/// First angle of trunk (flexion, left bend, left twist), neck (the same) and root (pitch, roll, yaw).
pub(crate) const TRUNK: usize = 0;
pub(crate) const NECK_ANGLES: usize = 3;
pub(crate) const ROOT: usize = 6;

/// First angle of a side's joints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideAngles {
    pub(crate) hip: usize,
    pub(crate) knee: usize,
    pub(crate) ankle: usize,
    pub(crate) toe: usize,
    pub(crate) shoulder: usize,
    pub(crate) elbow: usize,
    pub(crate) wrist: usize,
}

/// Where a side's angles are.
pub(crate) const fn angles_of(side: Side) -> SideAngles {
    let first = match side {
        Side::Left => 9,
        Side::Right => 23,
    };
    SideAngles {
        hip: first,
        knee: first + 3,
        ankle: first + 4,
        toe: first + 6,
        shoulder: first + 7,
        elbow: first + 10,
        wrist: first + 12,
    }
}

/// A full set of angles in degrees.
pub(crate) type Angles = [f64; N_ANGLES];

/// The angles seen in a mirror: sides swapped, lateral bends, twists, roll and yaw of the middle turned round.
pub(crate) fn mirrored(angles: &Angles) -> Angles {
    let mut out = *angles;
    for i in [TRUNK + 1, TRUNK + 2, NECK_ANGLES + 1, NECK_ANGLES + 2, ROOT + 1, ROOT + 2] {
        out[i] = -out[i];
    }
    for i in 0..14 {
        out.swap(9 + i, 23 + i);
    }
    out
}

/// Outward sign of a side.
const fn outward(side: Side) -> f64 {
    match side {
        Side::Left => 1.0,
        Side::Right => -1.0,
    }
}

/// Joint rotations of the library skeleton; trunk and neck angles are shared by two joints each.
pub(crate) fn rotations(angles: &Angles) -> [DQuat; N_JOINTS] {
    let mut q = [DQuat::IDENTITY; N_JOINTS];
    let at = |i: usize| angles[i].to_radians();
    let (ry, rx, rz) = (DQuat::from_rotation_y, DQuat::from_rotation_x, DQuat::from_rotation_z);
    q[HIPS] = rz(at(ROOT + 2)) * ry(at(ROOT)) * rx(at(ROOT + 1));
    for (first, joints) in [(TRUNK, [SPINE, CHEST]), (NECK_ANGLES, [NECK, HEAD])] {
        for joint in joints {
            q[joint] = ry(0.5 * at(first)) * rx(-0.5 * at(first + 1)) * rz(0.5 * at(first + 2));
        }
    }
    for side in Side::BOTH {
        let (a, j, s) = (angles_of(side), joints_of(side), outward(side));
        let ball = |i: usize| ry(-at(i)) * rx(s * at(i + 1)) * rz(s * at(i + 2));
        q[j.hip] = ball(a.hip);
        q[j.knee] = ry(at(a.knee));
        q[j.foot] = ry(-at(a.ankle)) * rx(-s * at(a.ankle + 1));
        q[j.toe] = ry(-at(a.toe));
        q[j.shoulder] = ball(a.shoulder);
        q[j.elbow] = ry(-at(a.elbow)) * rz(s * at(a.elbow + 1));
        q[j.hand] = rx(-s * at(a.wrist)) * ry(at(a.wrist + 1));
    }
    q
}

/// Range of one angle in degrees, with its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleLimit {
    /// What turns.
    pub name: &'static str,
    /// Smallest angle.
    pub lower: f64,
    /// Greatest angle.
    pub upper: f64,
}

const fn limit(name: &'static str, lower: f64, upper: f64) -> AngleLimit {
    AngleLimit { name, lower, upper }
}

const TRUNK_LIMITS: [AngleLimit; 3] = [
    limit("trunk flexion", -25.0, 60.0),
    limit("trunk bend", -30.0, 30.0),
    limit("trunk twist", -40.0, 40.0),
];
const NECK_LIMITS: [AngleLimit; 3] =
    [limit("neck flexion", -45.0, 45.0), limit("neck bend", -35.0, 35.0), limit("neck twist", -70.0, 70.0)];
const HIP_LIMITS: [AngleLimit; 3] = [
    limit("hip flexion", -30.0, 125.0),
    limit("hip abduction", -25.0, 45.0),
    limit("hip twist", -40.0, 40.0),
];
const KNEE_LIMIT: AngleLimit = limit("knee flexion", 0.0, 150.0);
const ANKLE_LIMITS: [AngleLimit; 2] =
    [limit("ankle dorsiflexion", -50.0, 25.0), limit("ankle inversion", -25.0, 25.0)];
const TOE_LIMIT: AngleLimit = limit("toe extension", 0.0, 60.0);
const SHOULDER_LIMITS: [AngleLimit; 3] = [
    limit("shoulder flexion", -60.0, 180.0),
    limit("shoulder abduction", -20.0, 150.0),
    limit("shoulder twist", -90.0, 60.0),
];
const ELBOW_LIMITS: [AngleLimit; 2] =
    [limit("elbow flexion", 0.0, 150.0), limit("forearm supination", -80.0, 80.0)];
const WRIST_LIMITS: [AngleLimit; 2] =
    [limit("wrist flexion", -70.0, 80.0), limit("wrist deviation", -25.0, 25.0)];

/// How far an angle lies outside of its range, in degrees.
fn excess(value: f64, limit: AngleLimit) -> f64 {
    (value - limit.upper).max(limit.lower - value).max(0.0)
}

/// The worst limit violation of a frame: degrees, limit, side.
pub(crate) fn worst_violation(q: &[DQuat]) -> (f64, AngleLimit, Option<Side>) {
    let mut worst = (0.0, KNEE_LIMIT, None);
    let mut see = |value: f64, limit: AngleLimit, side: Option<Side>| {
        let over = excess(value, limit);
        if over > worst.0 {
            worst = (over, limit, side);
        }
    };
    for (joint, limits) in [(q[SPINE] * q[CHEST], TRUNK_LIMITS), (q[NECK] * q[HEAD], NECK_LIMITS)] {
        let (y, x, z) = joint.to_euler(EulerRot::YXZ);
        for (angle, limit) in [y, -x, z].into_iter().zip(limits) {
            see(angle.to_degrees(), limit, None);
        }
    }
    for side in Side::BOTH {
        let (j, s) = (joints_of(side), outward(side));
        for (joint, limits) in [(j.hip, HIP_LIMITS), (j.shoulder, SHOULDER_LIMITS)] {
            let angles = ball_angles(q[joint], s, &limits);
            for (angle, limit) in angles.into_iter().zip(limits) {
                see(angle, limit, Some(side));
            }
        }
        let hinge = |q: DQuat| {
            let q = if q.w < 0.0 { -q } else { q };
            (2.0 * q.y.atan2(q.w)).to_degrees()
        };
        see(hinge(q[j.knee]), KNEE_LIMIT, Some(side));
        see(-hinge(q[j.toe]), TOE_LIMIT, Some(side));
        let (dorsi, tilt, _) = q[j.foot].to_euler(EulerRot::YXZ);
        see(-dorsi.to_degrees(), ANKLE_LIMITS[0], Some(side));
        see(-s * tilt.to_degrees(), ANKLE_LIMITS[1], Some(side));
        let (bend, _, roll) = q[j.elbow].to_euler(EulerRot::YXZ);
        see(-bend.to_degrees(), ELBOW_LIMITS[0], Some(side));
        see(s * roll.to_degrees(), ELBOW_LIMITS[1], Some(side));
        let (flexion, deviation, _) = q[j.hand].to_euler(EulerRot::XYZ);
        see(-s * flexion.to_degrees(), WRIST_LIMITS[0], Some(side));
        see(deviation.to_degrees(), WRIST_LIMITS[1], Some(side));
    }
    worst
}

/// Flexion, abduction and twist of a ball joint; of the two sets that give the same rotation the one that violates
/// the limits least, and near 90° of abduction, where flexion and twist turn about one axis, the best split of both.
fn ball_angles(q: DQuat, s: f64, limits: &[AngleLimit; 3]) -> [f64; 3] {
    let (y, x, z) = q.to_euler(EulerRot::YXZ);
    let (flexion, abduction, twist) = (-y.to_degrees(), s * x.to_degrees(), s * z.to_degrees());
    let wrap = |a: f64| a - 360.0 * ((a + 180.0) / 360.0).floor();
    let mut candidates = vec![
        [flexion, abduction, twist],
        [wrap(flexion + 180.0), wrap(180.0 - abduction), wrap(twist + 180.0)],
    ];
    if abduction.abs() > 86.0 {
        // Only flexion − twist (arm raised sideways) is left to see.
        let sum = flexion - twist;
        candidates.extend((-18..=18).map(|i| {
            let twist = f64::from(i) * 5.0;
            [wrap(sum + twist), abduction, twist]
        }));
    }
    let cost = |a: &[f64; 3]| a.iter().zip(limits).map(|(a, l)| excess(*a, *l)).sum::<f64>();
    candidates.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("at least two candidates")
}

/// Limits of every authored angle in the order of [`Angles`]; the root has none.
pub(crate) fn authored_limits() -> [Option<AngleLimit>; N_ANGLES] {
    let mut all = [None; N_ANGLES];
    let mut put = |first: usize, limits: &[AngleLimit]| {
        for (i, limit) in limits.iter().enumerate() {
            all[first + i] = Some(*limit);
        }
    };
    put(TRUNK, &TRUNK_LIMITS);
    put(NECK_ANGLES, &NECK_LIMITS);
    for side in Side::BOTH {
        let a = angles_of(side);
        put(a.hip, &HIP_LIMITS);
        put(a.knee, &[KNEE_LIMIT]);
        put(a.ankle, &ANKLE_LIMITS);
        put(a.toe, &[TOE_LIMIT]);
        put(a.shoulder, &SHOULDER_LIMITS);
        put(a.elbow, &ELBOW_LIMITS);
        put(a.wrist, &WRIST_LIMITS);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::skeleton::{Placed, skeleton};
    use crate::skeleton::JointId;
    use proptest::prelude::*;

    /// Where left hand and foot go for one angle of 90°.
    #[test]
    fn signs_are_anatomical() {
        let a = angles_of(Side::Left);
        let j = joints_of(Side::Left);
        let place = |angle: usize, value: f64, joint: JointId| {
            let mut angles = [0.0; N_ANGLES];
            angles[angle] = value;
            Placed::new(&skeleton(), glam::DVec3::ZERO, &rotations(&angles)).position[joint]
        };
        let rest = |joint| place(a.hip, 0.0, joint);
        assert!(place(a.hip, 90.0, j.knee).x > 0.4);
        assert!(place(a.hip + 1, 40.0, j.knee).y > rest(j.knee).y + 0.2);
        assert!(place(a.hip + 2, 40.0, j.toe).y > rest(j.toe).y + 0.05);
        assert!(place(a.knee, 90.0, j.foot).x < -0.4);
        assert!(place(a.ankle, 20.0, j.toe).z > rest(j.toe).z);
        assert!(place(a.shoulder, 90.0, j.hand).x > 0.5);
        assert!(place(a.shoulder + 1, 90.0, j.hand).y > 0.6);
        assert!(place(a.elbow, 90.0, j.hand).x > 0.2);
        assert!(place(TRUNK, 40.0, NECK).x > 0.1);
        assert!(place(TRUNK + 1, 30.0, NECK).y > 0.05);
        assert!(place(TRUNK + 2, 30.0, j.shoulder).x < -0.05);
        assert!(place(ROOT, 30.0, HEAD).x > 0.2);
    }

    proptest! {
        #[test]
        fn poses_inside_the_limits_are_seen_inside(parts in proptest::collection::vec(0.02..0.98, N_ANGLES)) {
            let mut angles = [0.0; N_ANGLES];
            for (i, limit) in authored_limits().iter().enumerate() {
                if let Some(l) = limit {
                    angles[i] = l.lower + parts[i] * (l.upper - l.lower);
                }
            }
            // Halving trunk and neck twists between joints mixes the axes a little when all three are large.
            for i in [TRUNK + 1, TRUNK + 2, NECK_ANGLES + 1, NECK_ANGLES + 2] {
                angles[i] *= 0.3;
            }
            let (over, limit, _) = worst_violation(&rotations(&angles));
            prop_assert!(over < 1e-6 || (limit.name.starts_with("trunk") || limit.name.starts_with("neck")) && over < 4.0, "{over} {}", limit.name);
        }
    }
}
