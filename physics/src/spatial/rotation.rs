//! Exponential and logarithm of rotations, robust at zero and at π.

use glam::{DMat3, DQuat, DVec3};

/// The rotation by `vector.length()` about `vector`.
pub fn exp(vector: DVec3) -> DQuat {
    let half = 0.5 * vector;
    let angle = half.length();
    // sin(x)/x loses nothing below 1e-4 with three terms of its series.
    let sinc = if angle < 1e-4 {
        let a2 = angle * angle;
        1.0 - a2 / 6.0 * (1.0 - a2 / 20.0)
    } else {
        angle.sin() / angle
    };
    let v = half * sinc;
    DQuat::from_xyzw(v.x, v.y, v.z, angle.cos())
}

/// The shortest rotation vector of the unit quaternion `q` (angle at most π).
pub fn log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let s2 = v.length_squared();
    if s2 < 0.01 {
        // 2 asin(s)/s by its series, exact to rounding for s < 0.1 (angles below 0.2 rad, most of a servo's life).
        let series = [1.0 / 6.0, 3.0 / 40.0, 5.0 / 112.0, 35.0 / 1152.0, 63.0 / 2816.0, 231.0 / 13312.0];
        return v * (2.0 + 2.0 * s2 * series.iter().rev().fold(0.0, |sum, c| c + s2 * sum));
    }
    let sine = s2.sqrt();
    v * (2.0 * sine.atan2(q.w) / sine)
}

/// Matrix of the unit quaternion `q` (no normalisation).
#[inline]
pub fn matrix(q: DQuat) -> DMat3 {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
    let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    DMat3::from_cols(
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// `R(axis, angle)` for a unit axis (Rodrigues).
pub fn about_axis(axis: DVec3, angle: f64) -> DMat3 {
    let (s, c) = angle.sin_cos();
    about_axis_sin_cos(axis, s, c)
}

/// `R(axis, angle)` from the angle's sine and cosine.
#[inline]
pub(crate) fn about_axis_sin_cos(axis: DVec3, s: f64, c: f64) -> DMat3 {
    let t = axis * (1.0 - c);
    let w = axis * s;
    DMat3::from_cols(
        DVec3::new(t.x * axis.x + c, t.x * axis.y + w.z, t.x * axis.z - w.y),
        DVec3::new(t.x * axis.y - w.z, t.y * axis.y + c, t.y * axis.z + w.x),
        DVec3::new(t.x * axis.z + w.y, t.y * axis.z - w.x, t.z * axis.z + c),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;

    #[test]
    fn log_undoes_exp_from_tiny_to_pi() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        for angle in [0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.19, 0.21, 0.5, 2.0, 3.0, PI - 1e-9] {
            let back = log(exp(axis * angle));
            assert!((back - axis * angle).length() <= 1e-15 + 4e-16 * angle.max(1.0) * 4.0, "{angle}");
        }
    }

    #[test]
    fn axis_angle_matrix_agrees_with_exp() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        let a = about_axis(axis, 0.7);
        let b = matrix(exp(axis * 0.7));
        assert!(a.abs_diff_eq(b, 1e-15));
    }
}
