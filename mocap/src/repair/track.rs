//! What a joint or the root does over the frames: a row of rotations or of places, told apart by steps.

use glam::{DQuat, DVec3};

use crate::rotation::{exp, log};

/// A rotation or a place: what differs by a vector.
pub(super) trait Value: Copy {
    /// The way here from another: a rotation vector in the other's axes, or a shift.
    fn from(self, other: Self) -> DVec3;
    /// Farther by a way.
    fn to(self, way: DVec3) -> Self;
    /// Moved as `before` would be to become `after`; `outer` in the axes it is given in, else in its own.
    fn moved(self, before: Self, after: Self, outer: bool) -> Self;
}

impl Value for DQuat {
    fn from(self, other: Self) -> DVec3 {
        log(other.conjugate() * self)
    }

    fn to(self, way: DVec3) -> Self {
        (self * exp(way)).normalize()
    }

    fn moved(self, before: Self, after: Self, outer: bool) -> Self {
        let moved = if outer { after * before.conjugate() * self } else { self * before.conjugate() * after };
        moved.normalize()
    }
}

impl Value for DVec3 {
    fn from(self, other: Self) -> DVec3 {
        self - other
    }

    fn to(self, way: DVec3) -> Self {
        self + way
    }

    fn moved(self, before: Self, after: Self, _outer: bool) -> Self {
        self + (after - before)
    }
}

/// Steps from frame to frame.
pub(super) fn steps<V: Value>(values: &[V]) -> Vec<DVec3> {
    std::iter::once(DVec3::ZERO).chain(values.windows(2).map(|w| w[1].from(w[0]))).collect()
}

/// The step a motion arrives with at `frame`, from the two before it: `(3dᵢ - dᵢ₋₁)/2`, the slope of the parabola
/// through three frames.
pub(super) fn arrival<V: Value>(values: &[V], frame: usize) -> DVec3 {
    match frame {
        0 => DVec3::ZERO,
        1 => values[1].from(values[0]),
        _ => 1.5 * values[frame].from(values[frame - 1]) - 0.5 * values[frame - 1].from(values[frame - 2]),
    }
}

/// The step a motion leaves `frame` with, from the two after it.
pub(super) fn departure<V: Value>(values: &[V], frame: usize) -> DVec3 {
    let n = values.len();
    let step = |i: usize| values[i].from(values[i - 1]);
    match n - 1 - frame {
        0 => DVec3::ZERO,
        1 => step(frame + 1),
        _ => 1.5 * step(frame + 1) - 0.5 * step(frame + 2),
    }
}

/// Replaces what lies between two frames by the cubic that leaves the first and reaches the last as the motion does
/// outside (Hermite). At the ends of the clip, where nothing is outside, straight.
pub(super) fn bridge<V: Value>(values: &mut [V], first: usize, last: usize) {
    let n = (last - first) as f64;
    let (a, way) = (values[first], values[last].from(values[first]));
    let (mut leave, mut reach) = (arrival(values, first), departure(values, last));
    for (end, alone) in [(&mut leave, first == 0), (&mut reach, last + 1 == values.len())] {
        if alone {
            *end = way / n;
        }
    }
    for frame in first + 1..last {
        let t = (frame - first) as f64 / n;
        let (h10, h01, h11) = (t * (1.0 - t) * (1.0 - t), t * t * (3.0 - 2.0 * t), t * t * (t - 1.0));
        values[frame] = a.to(n * h10 * leave + h01 * way + n * h11 * reach);
    }
}
