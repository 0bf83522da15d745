//! Kovar's distance between stretches of motion, for all pairs of frames of two clips.
//!
//! Each frame is a cloud of joint positions; a window of k frames starting at i of one clip is compared with the
//! window starting at j of the other, after the best turn θ about the vertical and shift (x₀, y₀) of the second:
//! D = min Σ w ‖p − T p'‖² (Kovar, Gleicher & Pighin 2002, eq. 1 to 4, with z up). In closed form, bars being weighted
//! sums and W = Σ w:
//! A = Σw(x x' + y y') − (x̄x̄' + ȳȳ')/W,  B = Σw(y x' − x y') − (ȳx̄' − x̄ȳ')/W,  θ = atan2(B, A)            (1)
//! D = [Σw(x²+y²) − (x̄²+ȳ²)/W] + [the same of p'] + Σw(z − z')² − 2 √(A² + B²)                              (2)
//! The sums of one clip alone are taken once per window; the sums over pairs are taken once per pair of frames and
//! then added along diagonals.

use crate::Clip;
use crate::edit::Planar;
use crate::skeleton::JointId;
use glam::DVec2;

/// Joint positions of all frames, weighted, coordinate by coordinate.
pub(super) struct Cloud {
    pub(super) n_frames: usize,
    /// √w of every point.
    root_weights: Vec<f64>,
    /// √w x, √w y and √w z of every point, over the frames: `[axis][point * n_frames + frame]`.
    scaled: [Vec<f64>; 3],
}

/// Sums over a window of one clip.
#[derive(Clone, Copy, Default)]
struct WindowSums {
    /// x̄, ȳ.
    flat: DVec2,
    /// Σw(x²+y²) − (x̄²+ȳ²)/W.
    spread: f64,
    /// Σ w z².
    height: f64,
}

impl Cloud {
    pub(super) fn new(clip: &Clip, joints: &[(JointId, f64)]) -> Self {
        let points: Vec<_> = joints.iter().map(|&(joint, _)| (joint, glam::DVec3::ZERO)).collect();
        let track = clip.track(&points);
        let (n_frames, n_points) = (clip.n_frames(), joints.len());
        let root_weights: Vec<f64> = joints.iter().map(|j| j.1.sqrt()).collect();
        let scaled = core::array::from_fn(|axis| {
            (0..n_points * n_frames)
                .map(|i| track[i % n_frames * n_points + i / n_frames][axis] * root_weights[i / n_frames])
                .collect()
        });
        Self { n_frames, root_weights, scaled }
    }

    /// Number of windows of `k` frames.
    pub(super) fn n_windows(&self, k: usize) -> usize {
        (self.n_frames + 1).saturating_sub(k)
    }

    fn n_points(&self) -> usize {
        self.root_weights.len()
    }

    /// Coordinate of a point over the frames.
    fn line(&self, axis: usize, point: usize) -> &[f64] {
        &self.scaled[axis][point * self.n_frames..(point + 1) * self.n_frames]
    }

    /// Sums over every window.
    fn window_sums(&self, taper: &[f64]) -> Vec<WindowSums> {
        let total = self.total_weight(taper);
        (0..self.n_windows(taper.len()))
            .map(|start| {
                let mut sums = WindowSums::default();
                for point in 0..self.n_points() {
                    for (f, &w) in taper.iter().enumerate() {
                        let [x, y, z] = [0, 1, 2].map(|axis| self.line(axis, point)[start + f]);
                        sums.flat += DVec2::new(x, y) * (w * self.root_weights[point]);
                        sums.spread += w * (x * x + y * y);
                        sums.height += w * z * z;
                    }
                }
                sums.spread -= sums.flat.length_squared() / total;
                sums
            })
            .collect()
    }

    /// W.
    fn total_weight(&self, taper: &[f64]) -> f64 {
        taper.iter().sum::<f64>() * self.root_weights.iter().map(|w| w * w).sum::<f64>()
    }
}

/// Weights of the frames of a window: a cosine bell that does not reach zero.
pub(super) fn taper(k: usize) -> Vec<f64> {
    (0..k).map(|f| 0.5 - 0.5 * (core::f64::consts::TAU * (f as f64 + 0.5) / k as f64).cos() + 0.1).collect()
}

/// Root mean square distance per point, in metres, of every pair of windows, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceMap {
    /// Windows of the first clip: one per row.
    pub n_rows: usize,
    /// Windows of the second clip.
    pub n_columns: usize,
    /// Distances, row by row, in metres.
    pub distances: Vec<f32>,
}

impl DistanceMap {
    /// Distance of the windows starting at two frames.
    ///
    /// # Panics
    /// Outside of the map.
    pub fn at(&self, row: usize, column: usize) -> f32 {
        self.distances[row * self.n_columns + column]
    }
}

/// Rows of frame products held at a time.
const BAND: usize = 64;

/// Sums over the points for pairs of frames: x x' + y y', y x' − x y' and z z'.
struct Products {
    width: usize,
    rows: [Vec<f64>; 3],
}

impl Products {
    /// Fills the row of frame `f` of `a` against all frames of `b`.
    fn fill(&mut self, slot: usize, a: &Cloud, f: usize, b: &Cloud) {
        let range = slot * self.width..(slot + 1) * self.width;
        let [along, across, up] = &mut self.rows;
        let (along, across, up) = (&mut along[range.clone()], &mut across[range.clone()], &mut up[range]);
        along.fill(0.0);
        across.fill(0.0);
        up.fill(0.0);
        for point in 0..a.n_points() {
            let [x, y, z] = [0, 1, 2].map(|axis| a.line(axis, point)[f]);
            let [xs, ys, zs] = [0, 1, 2].map(|axis| b.line(axis, point));
            let sums = along.iter_mut().zip(across.iter_mut()).zip(up.iter_mut());
            for (((along, across), up), ((xb, yb), zb)) in sums.zip(xs.iter().zip(ys).zip(zs)) {
                *along += x * xb + y * yb;
                *across += y * xb - x * yb;
                *up += z * zb;
            }
        }
    }
}

/// Distances of all pairs of windows of `taper.len()` frames.
pub(super) fn distance_map(a: &Cloud, b: &Cloud, taper: &[f64]) -> DistanceMap {
    let k = taper.len();
    let (n_rows, n_columns) = (a.n_windows(k), b.n_windows(k));
    let mut distances = Vec::with_capacity(n_rows * n_columns);
    let (sums_a, sums_b) = (a.window_sums(taper), b.window_sums(taper));
    let total = a.total_weight(taper);
    let size = (BAND + k) * b.n_frames;
    let mut products =
        Products { width: b.n_frames, rows: [vec![0.0; size], vec![0.0; size], vec![0.0; size]] };
    let mut window = [vec![0.0; n_columns], vec![0.0; n_columns], vec![0.0; n_columns]];
    for start in (0..n_rows).step_by(BAND) {
        let end = (start + BAND).min(n_rows);
        for f in start..end + k - 1 {
            products.fill(f - start, a, f, b);
        }
        for i in start..end {
            // Along the diagonals: frame i+f against frame j+f.
            for (sum, rows) in window.iter_mut().zip(&products.rows) {
                sum.fill(0.0);
                for (f, &w) in taper.iter().enumerate() {
                    let row = &rows[(i + f - start) * b.n_frames + f..][..n_columns];
                    sum.iter_mut().zip(row).for_each(|(s, v)| *s += w * v);
                }
            }
            let own = sums_a[i];
            for (j, other) in sums_b.iter().enumerate() {
                let along = window[0][j] - own.flat.dot(other.flat) / total;
                let across = window[1][j] - other.flat.perp_dot(own.flat) / total;
                let vertical = own.height + other.height - 2.0 * window[2][j];
                let d = own.spread + other.spread + vertical - 2.0 * (along * along + across * across).sqrt();
                distances.push((d.max(0.0) / total).sqrt() as f32);
            }
        }
    }
    DistanceMap { n_rows, n_columns, distances }
}

/// The turn and shift of (1) that brings `b`'s window at `j` onto `a`'s at `i`.
pub(super) fn best_placement(a: &Cloud, i: usize, b: &Cloud, j: usize, taper: &[f64]) -> Planar {
    let total = a.total_weight(taper);
    let (mut mean_a, mut mean_b, mut along, mut across) = (DVec2::ZERO, DVec2::ZERO, 0.0, 0.0);
    for point in 0..a.n_points() {
        let weight = a.root_weights[point];
        for (f, &w) in taper.iter().enumerate() {
            let at = |cloud: &Cloud, frame: usize| {
                DVec2::new(cloud.line(0, point)[frame], cloud.line(1, point)[frame])
            };
            let (p, q) = (at(a, i + f), at(b, j + f));
            mean_a += p * (w * weight);
            mean_b += q * (w * weight);
            along += w * p.dot(q);
            across += w * q.perp_dot(p);
        }
    }
    along -= mean_a.dot(mean_b) / total;
    across -= mean_b.perp_dot(mean_a) / total;
    let yaw = across.atan2(along);
    Planar { yaw, shift: (mean_a - DVec2::from_angle(yaw).rotate(mean_b)) / total }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, Skeleton};
    use glam::{DQuat, DVec3};
    use std::sync::Arc;

    fn clip(seed: f64) -> Clip {
        let joint = |name: &str, parent: Option<usize>, z| Joint {
            name: name.into(),
            parent: parent.map(JointId::new),
            offset: DVec3::new(0.1, 0.3, z),
        };
        let skeleton = Skeleton::new(
            vec![joint("a", None, 0.0), joint("b", Some(0), 0.4), joint("c", Some(1), 0.2)],
            vec![],
        )
        .unwrap();
        let wave = |f: usize, c: f64| (seed + f as f64 * 0.2 * c).sin();
        let positions = (0..30).map(|f| DVec3::new(wave(f, 1.0), wave(f, 1.7), wave(f, 0.6))).collect();
        let turns = (0..90)
            .map(|i| DQuat::from_scaled_axis(DVec3::new(wave(i, 0.3), wave(i, 0.7), wave(i, 0.2))))
            .collect();
        Clip::new("waves", Arc::new(skeleton), 0.1, positions, turns).unwrap()
    }

    /// Weighted squared distance for a given placement.
    fn direct(a: &Cloud, i: usize, b: &Cloud, j: usize, taper: &[f64], placement: &Planar) -> f64 {
        let mut sum = 0.0;
        for point in 0..a.n_points() {
            let w = a.root_weights[point];
            for (f, taper) in taper.iter().enumerate() {
                let at = |c: &Cloud, f: usize| {
                    DVec3::new(c.line(0, point)[f], c.line(1, point)[f], c.line(2, point)[f]) / w
                };
                let d = at(a, i + f) - placement.apply(at(b, j + f));
                sum += taper * w * w * d.length_squared();
            }
        }
        sum
    }

    #[test]
    fn the_closed_form_is_the_distance_at_the_best_placement() {
        let joints = [(0, 1.0), (1, 2.0), (2, 0.5)].map(|(j, weight)| (JointId::new(j), weight));
        let (a, b) = (Cloud::new(&clip(0.0), &joints), Cloud::new(&clip(2.0), &joints));
        let taper = taper(7);
        let map = distance_map(&a, &b, &taper);
        let total = a.total_weight(&taper);
        for (i, j) in [(0, 0), (3, 11), (23, 23), (10, 2)] {
            let best = best_placement(&a, i, &b, j, &taper);
            let least = direct(&a, i, &b, j, &taper, &best);
            assert!(((least / total).sqrt() - f64::from(map.at(i, j))).abs() < 1e-6);
            for (yaw, x, y) in [(0.01, 0.0, 0.0), (-0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, -0.01)] {
                let other = Planar { yaw: best.yaw + yaw, shift: best.shift + DVec2::new(x, y) };
                assert!(direct(&a, i, &b, j, &taper, &other) > least);
            }
        }
    }

    #[test]
    fn distance_does_not_see_turns_and_shifts() {
        let joints = [(0, 1.0), (1, 2.0), (2, 0.5)].map(|(j, weight)| (JointId::new(j), weight));
        let moved = crate::edit::place_planar(&clip(0.0), &Planar { yaw: 1.2, shift: DVec2::new(4.0, -2.0) });
        let (a, b) = (Cloud::new(&clip(0.0), &joints), Cloud::new(&moved, &joints));
        let map = distance_map(&a, &b, &taper(5));
        assert!((0..map.n_rows).all(|i| map.at(i, i) < 1e-6));
    }
}
