//! Rotation vectors: logarithm and exponential of unit quaternions.

use glam::{DQuat, DVec3};

/// Rotation vector (axis times angle, at most π long) of a unit quaternion.
pub(crate) fn log(q: DQuat) -> DVec3 {
    // q and -q are the same rotation; the shorter way round is meant.
    let q = if q.w < 0.0 { -q } else { q };
    let v = q.xyz();
    let sine = v.length();
    if sine < 1e-9 {
        return v * 2.0;
    }
    v * (2.0 * sine.atan2(q.w) / sine)
}

/// Unit quaternion of a rotation vector.
pub(crate) fn exp(v: DVec3) -> DQuat {
    let half = 0.5 * v.length();
    // sin x / x with its series near zero.
    let sinc = if half < 1e-5 { 0.5 * (1.0 - half * half / 6.0) } else { 0.5 * half.sin() / half };
    let (x, y, z) = (v * sinc).into();
    DQuat::from_xyzw(x, y, z, half.cos()).normalize()
}

/// The one of q and -q that lies on the same side as `reference`.
pub(crate) fn near(q: DQuat, reference: DQuat) -> DQuat {
    if q.dot(reference) < 0.0 { -q } else { q }
}

/// Angle between two rotations in radians, 0 to π.
pub(crate) fn angle(a: DQuat, b: DQuat) -> f64 {
    log(a.conjugate() * b).length()
}

/// Rotation on the shortest arc, `weight` 0 gives `a`, 1 gives `b`.
pub(crate) fn slerp(a: DQuat, b: DQuat, weight: f64) -> DQuat {
    (a * exp(log(a.conjugate() * b) * weight)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn log_undoes_exp(x in -1.7..1.7, y in -1.7..1.7, z in -1.7..1.7, scale in 1e-12..1.0) {
            let v = DVec3::new(x, y, z) * scale;
            prop_assert!((log(exp(v)) - v).length() < 1e-13);
        }
    }
}
