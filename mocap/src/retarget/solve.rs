//! Damped Gauss-Newton (Levenberg-Marquardt) on the joint manifold, within limits.
//!
//! One step solves `(JᵀJ + λ1) δ = Jᵀ r` with a row per wanted coordinate, then moves `q ⊕ δ` and brings it within the
//! limits; freedoms that stand at a bound and are pushed outward take no part. A weak pull towards the frame before
//! decides what the targets leave open (the twist of a straight arm).

use super::RetargetReport;
use super::cholesky;
use super::targets::Targets;
use crate::character::{Character, ball_bounds, clamp_to_limits};
use crate::contacts::intervals;
use crate::rotation::log;
use glam::{DQuat, DVec3};
use stuntlab_physics::dynamics::{forward_kinematics, point_jacobian};
use stuntlab_physics::spatial::Motion;
use stuntlab_physics::{Data, Limits, Model, State};

/// Stiffness that keeps a ball joint from leaving its limits, m² per rad²: far above any target's.
const WALL: f64 = 1e5;
/// Weight of the pull towards the frame before, m² per rad².
const PULL: f64 = 2e-5;

/// Cost above which a frame counts as far off, m²: some 4 cm at every joint.
const FAR: f64 = 0.03;

/// Weight of resting feet against free ones while all else is fitted, and then to bring them to their place: a large
/// weight from the start would refuse every step that bends their path.
const PLANTED: [f64; 2] = [50.0, 1e4];
/// Steps with the second weight.
const SETTLE: usize = 3;
/// Rounds of the active-set method.
const ROUNDS: usize = 5;

/// A linearised limit: `way · δ ≤ distance` over up to three freedoms from `first`.
struct LinearLimit {
    first: usize,
    n: usize,
    way: [f64; 3],
    distance: f64,
}

impl LinearLimit {
    fn along(&self, delta: &[f64]) -> f64 {
        (0..self.n).map(|k| self.way[k] * delta[self.first + k]).sum()
    }

    /// Adds a stiff row that makes the limit an equality.
    fn hold(&self, matrix: &mut [f64], right: &mut [f64]) {
        let size = right.len();
        for i in 0..self.n {
            right[self.first + i] += WALL * self.way[i] * self.distance;
            for j in 0..=i {
                matrix[(self.first + i) * size + self.first + j] += WALL * self.way[i] * self.way[j];
            }
        }
    }
}

/// All limits of a model, seen from a state.
fn bounds(model: &Model, state: &State) -> Vec<LinearLimit> {
    let mut list = Vec::new();
    for body in model.bodies() {
        let first = body.freedoms().range().start;
        if let Limits::Range { lower, upper } = &body.joint().limits {
            for (k, q) in body.coordinates().iter().enumerate() {
                let mut add = |sign: f64, distance: f64| {
                    list.push(LinearLimit { first: first + k, n: 1, way: [sign, 0.0, 0.0], distance });
                };
                add(1.0, upper[k] - state.q[q]);
                add(-1.0, state.q[q] - lower[k]);
            }
        }
        for bound in ball_bounds(body, state).into_iter().flatten() {
            list.push(LinearLimit { first, n: 3, way: bound.outward.to_array(), distance: bound.distance });
        }
    }
    list
}

pub(super) struct Solver<'a> {
    character: &'a Character,
    targets: &'a Targets,
    data: Data,
    previous: Option<State>,
    /// Weight of resting feet at present.
    planted: f64,
    /// Damping λ, kept from frame to frame.
    damping: f64,
    columns: Vec<Motion>,
    /// `JᵀJ` and `Jᵀ r`.
    normal: Vec<f64>,
    gradient: Vec<f64>,
    row: [Vec<f64>; 3],
}

impl<'a> Solver<'a> {
    pub(super) fn new(character: &'a Character, targets: &'a Targets) -> Self {
        let n = character.model().n_v();
        Self {
            character,
            targets,
            data: Data::new(character.model()),
            previous: None,
            planted: PLANTED[0],
            damping: 1e-4,
            columns: vec![Motion::ZERO; n],
            normal: vec![0.0; n * n],
            gradient: vec![0.0; n],
            row: core::array::from_fn(|_| vec![0.0; n]),
        }
    }

    /// The state of one frame, starting from the one before; where that ends far off, also from the source's
    /// orientations, and the better of the two.
    pub(super) fn fit(&mut self, frame: usize, iterations: usize) -> State {
        let mut best = self.previous.take().map(|previous| self.descend(previous, frame, iterations));
        if best.as_ref().is_none_or(|b| b.1 > FAR) {
            let mut fresh = self.character.state_from_pose(&self.targets.starts[frame]);
            clamp_to_limits(self.character.model(), &mut fresh);
            let other = self.descend(fresh, frame, 10 * iterations);
            // A jump to another solution must be worth it.
            if best.as_ref().is_none_or(|b| other.1 < 0.5 * b.1) {
                best = Some(other);
            }
        }
        let state = best.expect("one of the two was tried").0;
        self.previous = Some(state.clone());
        state
    }

    /// Goes downhill from a state, then sets the feet down; returns the end and its cost.
    fn descend(&mut self, state: State, frame: usize, iterations: usize) -> (State, f64) {
        self.planted = PLANTED[0];
        let (state, cost) = self.iterate(state, frame, iterations);
        self.planted = PLANTED[1];
        let kept = core::mem::replace(&mut self.damping, 1e-3);
        let (settled, _) = self.iterate(state.clone(), frame, SETTLE);
        (self.damping, self.planted) = (kept, PLANTED[0]);
        // A foot that cannot reach its place must not tear the rest along.
        let torn = self.cost(&settled, frame) > 1.5 * cost + 0.01;
        (if torn { state } else { settled }, cost)
    }

    fn iterate(&mut self, mut state: State, frame: usize, iterations: usize) -> (State, f64) {
        let origin = state.clone();
        let mut cost = self.cost(&state, frame);
        for _ in 0..iterations {
            self.assemble(&state, &origin, frame);
            let Some(next) = self.step(&state, self.damping) else { break };
            let next_cost = self.cost(&next, frame);
            if next_cost < cost {
                let gained = cost - next_cost;
                (state, cost) = (next, next_cost);
                self.damping = (0.1 * self.damping).max(1e-7);
                if gained < 1e-6 * cost {
                    break;
                }
            } else {
                self.damping = (10.0 * self.damping).min(1e3);
            }
        }
        (state, cost)
    }

    /// Weighted sum of squares, m².
    fn cost(&mut self, state: &State, frame: usize) -> f64 {
        forward_kinematics(self.character.model(), state, &mut self.data);
        let t = self.targets;
        let width = t.landmarks.len();
        let mut cost = 0.0;
        for (k, landmark) in t.landmarks.iter().enumerate() {
            let at = frame * width + k;
            let found = self.place(k, landmark.point.point_body);
            cost += self.weight(at, landmark.weight) * t.error(frame, k, found).length_squared();
        }
        for (k, heading) in t.headings.iter().enumerate() {
            cost += heading.arm * heading.arm * self.turn(frame, k).length_squared();
        }
        cost
    }

    /// Weight of a landmark's place.
    fn weight(&self, at: usize, free: f64) -> f64 {
        if self.targets.planted[at] { self.planted } else { free }
    }

    fn place(&self, landmark: usize, point_body: DVec3) -> DVec3 {
        self.data.world_from_body(self.targets.landmarks[landmark].point.body).transform_point(point_body)
    }

    /// Rotation vector from the body's orientation to the wanted one, world axes.
    fn turn(&self, frame: usize, heading: usize) -> DVec3 {
        let t = self.targets;
        let wanted = t.orientations[frame * t.headings.len() + heading];
        let found = self.data.world_from_body(t.headings[heading].body).rotation;
        log(DQuat::from_mat3(&(wanted * found.transpose())).normalize())
    }

    /// `JᵀJ` and `Jᵀ r` at a state (poses of which are in `data`).
    fn assemble(&mut self, state: &State, origin: &State, frame: usize) {
        let model = self.character.model();
        let n = model.n_v();
        forward_kinematics(model, state, &mut self.data);
        self.normal.fill(0.0);
        self.gradient.fill(0.0);
        let t = self.targets;
        let width = t.landmarks.len();
        for (k, landmark) in t.landmarks.iter().enumerate() {
            let found = self.place(k, landmark.point.point_body);
            let at = frame * width + k;
            point_jacobian(model, &self.data, landmark.point.body, found, &mut self.columns);
            self.add_rows(t.error(frame, k, found), self.weight(at, landmark.weight), |m| m.linear);
        }
        for (k, heading) in t.headings.iter().enumerate() {
            let error = self.turn(frame, k);
            let origin = self.data.world_from_body(heading.body).translation;
            point_jacobian(model, &self.data, heading.body, origin, &mut self.columns);
            self.add_rows(error, heading.arm * heading.arm, |m| m.angular);
        }
        let mut back = vec![0.0; n];
        state.difference(model, origin, &mut back);
        for i in 0..n {
            self.normal[i * n + i] += PULL;
            self.gradient[i] += PULL * back[i];
        }
    }

    /// Adds three rows with a common weight.
    fn add_rows(&mut self, error: DVec3, weight: f64, part: impl Fn(&Motion) -> DVec3) {
        let n = self.columns.len();
        let mut touched = Vec::with_capacity(n);
        for (i, column) in self.columns.iter().enumerate() {
            let c = part(column);
            (self.row[0][i], self.row[1][i], self.row[2][i]) = (c.x, c.y, c.z);
            if c != DVec3::ZERO {
                touched.push(i);
                self.gradient[i] += weight * c.dot(error);
            }
        }
        let [x, y, z] = &self.row;
        for (a, &i) in touched.iter().enumerate() {
            for &j in &touched[..=a] {
                self.normal[i * n + j] += weight * (x[i] * x[j] + y[i] * y[j] + z[i] * z[j]);
            }
        }
    }

    /// The next state, within limits; `None` where the equations cannot be solved.
    ///
    /// Limits that a step would break are made equalities and the step is solved again: a few rounds of an active-set
    /// method on the linearised limits. What curvature leaves outside is then brought in.
    fn step(&mut self, state: &State, damping: f64) -> Option<State> {
        let model = self.character.model();
        let n = model.n_v();
        let bounds = bounds(model, state);
        let mut active = vec![false; bounds.len()];
        let mut delta = Vec::new();
        for _ in 0..ROUNDS {
            let mut matrix = self.normal.clone();
            delta.clone_from(&self.gradient);
            for i in 0..n {
                matrix[i * n + i] += damping;
            }
            for (bound, _) in bounds.iter().zip(&active).filter(|(_, on)| **on) {
                bound.hold(&mut matrix, &mut delta);
            }
            if !cholesky::solve(&mut matrix, &mut delta) {
                return None;
            }
            let mut changed = false;
            for (bound, on) in bounds.iter().zip(&mut active) {
                if !*on && bound.along(&delta) > bound.distance + 1e-9 {
                    (*on, changed) = (true, true);
                }
            }
            if !changed {
                break;
            }
        }
        // Steps beyond half a radian leave the range in which the linearisation means anything.
        let longest = delta.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        let scale = if longest > 0.5 { 0.5 / longest } else { 1.0 };
        let mut next = state.clone();
        next.integrate(model, &delta, scale);
        clamp_to_limits(model, &mut next);
        Some(next)
    }

    /// How well the states fit.
    pub(super) fn report(&mut self, states: &[State]) -> RetargetReport {
        let t = self.targets;
        let width = t.landmarks.len();
        let mut sums = vec![0.0; width];
        let (mut worst, mut worst_frame, mut angle) = (0.0, 0, 0.0);
        let mut tracks: Vec<Vec<DVec3>> = vec![Vec::with_capacity(states.len()); width];
        for (frame, state) in states.iter().enumerate() {
            forward_kinematics(self.character.model(), state, &mut self.data);
            for (k, landmark) in t.landmarks.iter().enumerate() {
                let found = self.place(k, landmark.point.point_body);
                let error = t.error(frame, k, found).length();
                sums[k] += error;
                if error > worst {
                    (worst, worst_frame) = (error, frame);
                }
                tracks[k].push(found);
            }
            angle += (0..t.headings.len()).map(|k| self.turn(frame, k).length()).sum::<f64>();
        }
        let n = states.len() as f64;
        let mut slide: f64 = 0.0;
        for (k, track) in tracks.iter().enumerate() {
            for run in intervals(&t.held(k)) {
                let mean = track[run.clone()].iter().sum::<DVec3>() / run.len() as f64;
                slide = track[run].iter().map(|p| p.distance(mean)).fold(slide, f64::max);
            }
        }
        RetargetReport {
            mean_cm: 100.0 * sums.iter().sum::<f64>() / (n * width as f64),
            worst_cm: 100.0 * worst,
            worst_frame,
            joints: t.landmarks.iter().zip(&sums).map(|(l, s)| (l.name, 100.0 * s / n)).collect(),
            orientation_deg: (angle / (n * t.headings.len() as f64)).to_degrees(),
            slide_cm: 100.0 * slide,
            held_share: match t.n_resting {
                0 => 1.0,
                resting => t.planted.iter().filter(|&&p| p).count() as f64 / resting as f64,
            },
            scale: t.scale,
        }
    }
}
