//! The ground a character stands on, from above: convex hull and signed distance to it.

use stuntlab_physics::glam::DVec2;

/// Convex hull of points, counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    corners: Vec<DVec2>,
    sorted: Vec<DVec2>,
}

impl Hull {
    /// Room for hulls of so many points.
    pub fn with_capacity(points: usize) -> Self {
        Self { corners: Vec::with_capacity(2 * points + 1), sorted: Vec::with_capacity(points) }
    }

    /// Its corners; one or two where all points are one or on a line.
    pub fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// Becomes the hull of some points (Andrew 1979, monotone chain).
    pub fn set(&mut self, points: impl IntoIterator<Item = DVec2>) {
        let Self { corners, sorted } = self;
        sorted.clear();
        sorted.extend(points);
        sorted.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        sorted.dedup();
        corners.clear();
        if sorted.len() < 3 {
            corners.extend_from_slice(sorted);
            return;
        }
        let chain = |corners: &mut Vec<DVec2>, first: usize, p: DVec2| {
            while corners.len() >= first + 2 {
                let [a, b] = [corners[corners.len() - 2], corners[corners.len() - 1]];
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                corners.pop();
            }
            corners.push(p);
        };
        sorted.iter().for_each(|p| chain(corners, 0, *p));
        let turn = corners.len() - 1;
        sorted.iter().rev().skip(1).for_each(|p| chain(corners, turn, *p));
        // The way back ends where the way there began.
        corners.pop();
    }

    /// Distance of a point from the edge, m: positive inside, negative outside. `None` for the hull of nothing.
    pub fn margin(&self, point: DVec2) -> Option<f64> {
        let n = self.corners.len();
        let edges = (0..n).map(|k| (self.corners[k], self.corners[(k + 1) % n]));
        let inside = n >= 3 && edges.clone().all(|(a, b)| (b - a).perp_dot(point - a) >= 0.0);
        let nearest = edges.map(|(a, b)| distance(point, a, b)).reduce(f64::min)?;
        Some(if inside { nearest } else { -nearest })
    }
}

/// Distance of a point from a segment.
fn distance(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let way = b - a;
    let share = ((p - a).dot(way) / way.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    p.distance(a + way * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<DVec2>> {
        // A coarse grid among them: points that are one, in a row, in a square.
        let free = (-1.0..1.0_f64, -1.0..1.0_f64);
        let grid = (-2..3_i8, -2..3_i8).prop_map(|(x, y)| (0.3 * f64::from(x), 0.3 * f64::from(y)));
        prop::collection::vec(prop_oneof![free, grid].prop_map(DVec2::from), 1..17)
    }

    fn hull(points: &[DVec2]) -> Hull {
        let mut hull = Hull::with_capacity(points.len());
        hull.set(points.iter().copied());
        hull
    }

    proptest! {
        #[test]
        fn the_margin_is_how_far_the_least_generous_direction_lets_a_point_go(cloud in points(), p in (-1.5..1.5_f64, -1.5..1.5_f64)) {
            // By brute force: the hull is what all half planes that hold the points have in common, so the margin inside is the
            // least distance to any of them and, outside, the largest by which one is missed.
            let p = DVec2::from(p);
            let brute = (0..7200)
                .map(|k| DVec2::from_angle(f64::from(k) * std::f64::consts::TAU / 7200.0))
                .map(|out| cloud.iter().map(|c| c.dot(out)).fold(f64::NEG_INFINITY, f64::max) - p.dot(out))
                .fold(f64::INFINITY, f64::min);
            let margin = hull(&cloud).margin(p).expect("there are points");
            // Between two of the directions it may be less by a thousandth of the size.
            prop_assert!((margin - brute).abs() < 3e-3, "{margin} and {brute}");
        }

        #[test]
        fn corners_go_round_once_to_the_left_and_hold_all_points(cloud in points()) {
            let hull = hull(&cloud);
            for c in &cloud {
                prop_assert!(hull.margin(*c).expect("there are points") > -1e-12);
            }
            let (corners, n) = (hull.corners(), hull.corners().len());
            let turn: f64 = (0..n).map(|k| {
                let [a, b, c] = [corners[k], corners[(k + 1) % n], corners[(k + 2) % n]];
                (b - a).angle_to(c - b)
            }).sum();
            prop_assert!(n < 3 || (turn - std::f64::consts::TAU).abs() < 1e-9, "{turn}");
            prop_assert!(corners.iter().all(|c| cloud.contains(c)));
        }
    }

    #[test]
    fn nothing_has_no_margin() {
        assert_eq!(hull(&[]).margin(DVec2::ZERO), None);
        assert_eq!(hull(&[DVec2::X]).margin(DVec2::ZERO), Some(-1.0));
    }
}
