//! Support vector machines by sequential minimal optimisation.
//!
//! ```text
//! (1)  min ½ αᵀQα - Σα,   0 ≤ αᵢ ≤ Cᵢ,   Σ yᵢ αᵢ = 0,   Q_ij = yᵢ yⱼ k(xᵢ, xⱼ)
//! (2)  G = Qα - 1;   up: αᵢ may move along +yᵢ,   low: along -yᵢ
//! (3)  m = max_{up} -yᵢ Gᵢ,   M = min_{low} -yᵢ Gᵢ;   optimal within ε when m - M ≤ ε
//! (4)  i the argument of m, j that of the largest b²/a over low with b = m + yⱼ Gⱼ > 0, a = K_ii + K_jj - 2 K_ij
//! ```
//! (1) is the dual of the paper's machine for data that do not separate (Burges 1998), with a bound per class. (4) takes the pair that promises most by second
//! order (Fan, Chen and Lin 2005); the step is (1) for two multipliers. Features are dense, so a row of `K` is a pass over contiguous memory; rows are
//! kept, and those used longest ago given up. Multipliers that have stayed at a bound for long are left out and looked at again at the end
//! (shrinking; Joachims 1999). Everything is done in one order by one thread: the same samples give the same bits.

use std::collections::VecDeque;

use stuntlab_control::learned::{Kernel, Machine};

use super::samples::Samples;

/// How a machine is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The kernel.
    pub kernel: Kernel,
    /// `C`: what a sample on the wrong side costs.
    pub cost: f64,
    /// Factor on `C` of successes and of failures, so that a rare class counts as much as a frequent one.
    pub weights: [f64; 2],
}

/// `ε` of (3): LIBSVM's and SVM^light's.
const TOLERANCE: f64 = 1e-3;
/// Steps without convergence after which the machine is taken as it is, per sample: what the grid's largest costs need on data that overlap is a tenth.
const STEPS_PER_SAMPLE: usize = 400;
/// Bytes of kernel rows that are kept: all of 16,000 samples' support vectors.
const CACHE: usize = 640 << 20;
/// Curvature of a pair that has none.
const FLAT: f64 = 1e-12;

/// What a training found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The machine.
    pub machine: Machine,
    /// Multipliers, one for each sample.
    pub alpha: Vec<f64>,
    /// `m - M` of (3).
    pub gap: f64,
    /// Steps taken.
    pub steps: usize,
}

/// Bounds that weigh both classes alike, however many there are of each.
pub fn balanced(samples: &Samples) -> [f64; 2] {
    let (n, good) = (samples.len() as f64, samples.successes() as f64);
    let weight = |count: f64| if count > 0.0 { n / (2.0 * count) } else { 1.0 };
    [weight(good), weight(n - good)]
}

/// Trains on standardised samples. Where all labels are alike there is nothing to tell apart: the machine says so of everything.
pub fn train(samples: &Samples, settings: &Settings) -> Solution {
    let n = samples.len();
    let good = samples.successes();
    if good == 0 || good == n {
        let bias = if good == n && n > 0 { 1.0 } else { -1.0 };
        let machine = Machine::new(settings.kernel, samples.width, Vec::new(), Vec::new(), bias);
        return Solution { machine, alpha: vec![0.0; n], gap: 0.0, steps: 0 };
    }
    let mut smo = Smo::new(samples, settings);
    smo.run();
    smo.finish()
}

/// Rows of the kernel matrix, in single precision as LIBSVM keeps them.
struct Rows<'a> {
    samples: &'a Samples,
    kernel: Kernel,
    squares: Vec<f64>,
    kept: Vec<Option<Box<[f32]>>>,
    /// In the order they were computed.
    order: VecDeque<usize>,
    most: usize,
}

impl<'a> Rows<'a> {
    fn new(samples: &'a Samples, kernel: Kernel) -> Self {
        let n = samples.len();
        Self {
            squares: (0..n).map(|k| dot(samples.row(k), samples.row(k))).collect(),
            kept: vec![None; n],
            order: VecDeque::new(),
            most: (CACHE / (4 * n)).max(2),
            samples,
            kernel,
        }
    }

    fn diagonal(&self, k: usize) -> f64 {
        self.kernel.of(self.squares[k], self.squares[k], self.squares[k])
    }

    /// Sees to it that a row is there; `other` is needed besides and stays.
    fn need(&mut self, k: usize, other: usize) {
        if self.kept[k].is_some() {
            return;
        }
        while self.order.len() >= self.most {
            let Some(oldest) = self.order.pop_front() else { break };
            if oldest == other {
                self.order.push_back(oldest);
            } else {
                self.kept[oldest] = None;
            }
        }
        let (x, xx) = (self.samples.row(k), self.squares[k]);
        let rows = self.samples.rows.chunks_exact(self.samples.width).zip(&self.squares);
        let row = rows.map(|(y, yy)| self.kernel.of(dot(x, y), xx, *yy) as f32);
        self.kept[k] = Some(row.collect());
        self.order.push_back(k);
    }

    fn row(&self, k: usize) -> &[f32] {
        self.kept[k].as_deref().unwrap_or_default()
    }
}

struct Smo<'a> {
    samples: &'a Samples,
    settings: &'a Settings,
    rows: Rows<'a>,
    y: Vec<f64>,
    bound: Vec<f64>,
    alpha: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// Samples that are looked at.
    active: Vec<usize>,
    steps: usize,
}

impl<'a> Smo<'a> {
    fn new(samples: &'a Samples, settings: &'a Settings) -> Self {
        let n = samples.len();
        let rows = Rows::new(samples, settings.kernel);
        let [good, bad] = settings.weights;
        let sign = |label: &bool| if *label { 1.0 } else { -1.0 };
        Self {
            y: samples.labels.iter().map(sign).collect(),
            bound: samples.labels.iter().map(|l| settings.cost * if *l { good } else { bad }).collect(),
            alpha: vec![0.0; n],
            gradient: vec![-1.0; n],
            diagonal: (0..n).map(|k| rows.diagonal(k)).collect(),
            active: (0..n).collect(),
            steps: 0,
            rows,
            samples,
            settings,
        }
    }

    fn is_up(&self, k: usize) -> bool {
        if self.y[k] > 0.0 { self.alpha[k] < self.bound[k] } else { self.alpha[k] > 0.0 }
    }

    fn is_low(&self, k: usize) -> bool {
        if self.y[k] > 0.0 { self.alpha[k] > 0.0 } else { self.alpha[k] < self.bound[k] }
    }

    /// (3) over the active samples.
    fn extremes(&self) -> (f64, f64, usize) {
        let (mut most, mut least, mut at) = (f64::NEG_INFINITY, f64::INFINITY, usize::MAX);
        for &k in &self.active {
            let v = -self.y[k] * self.gradient[k];
            if self.is_up(k) && v > most {
                (most, at) = (v, k);
            }
            if self.is_low(k) && v < least {
                least = v;
            }
        }
        (most, least, at)
    }

    fn run(&mut self) {
        let n = self.samples.len();
        let most = STEPS_PER_SAMPLE * n;
        // As often as LIBSVM.
        let look = n.min(1000);
        let mut whole = true;
        while self.steps < most {
            if self.steps > 0 && self.steps.is_multiple_of(look) {
                whole = self.shrink() && whole;
            }
            if self.step() {
                continue;
            }
            // Optimal among the active: is it among all?
            if whole {
                return;
            }
            self.unshrink();
            whole = true;
            let (m, l, _) = self.extremes();
            if m - l <= TOLERANCE {
                return;
            }
        }
        self.unshrink();
    }

    /// Leaves out who stays at a bound by far: whose `-yG` lies beyond both ends of (3). Returns whether nobody was left out.
    fn shrink(&mut self) -> bool {
        let (m, l, _) = self.extremes();
        if m - l <= 10.0 * TOLERANCE {
            return self.active.len() == self.samples.len();
        }
        let stays = |s: &Self, k: usize| {
            let v = -s.y[k] * s.gradient[k];
            let (up, low) = (s.is_up(k), s.is_low(k));
            (up && (low || v >= l)) || (low && v <= m)
        };
        let active = std::mem::take(&mut self.active);
        self.active = active.into_iter().filter(|&k| stays(self, k)).collect();
        self.active.len() == self.samples.len()
    }

    /// Looks at all again: their gradients are summed anew.
    fn unshrink(&mut self) {
        let n = self.samples.len();
        if self.active.len() == n {
            return;
        }
        let mut is_active = vec![false; n];
        self.active.iter().for_each(|&k| is_active[k] = true);
        let idle: Vec<usize> = (0..n).filter(|k| !is_active[*k]).collect();
        idle.iter().for_each(|&k| self.gradient[k] = -1.0);
        for j in (0..n).filter(|j| self.alpha[*j] > 0.0).collect::<Vec<_>>() {
            self.rows.need(j, j);
            let (row, factor) = (self.rows.row(j), self.y[j] * self.alpha[j]);
            idle.iter().for_each(|&k| self.gradient[k] += self.y[k] * factor * f64::from(row[k]));
        }
        self.active = (0..n).collect();
    }

    /// One pair; false where (3) holds.
    fn step(&mut self) -> bool {
        let (m, l, i) = self.extremes();
        if m - l <= TOLERANCE || i == usize::MAX {
            return false;
        }
        self.rows.need(i, i);
        let row = self.rows.row(i);
        // (4)
        let (mut best, mut j) = (0.0, usize::MAX);
        for &k in &self.active {
            let b = m + self.y[k] * self.gradient[k];
            if b > 0.0 && self.is_low(k) {
                let a = (self.diagonal[i] + self.diagonal[k] - 2.0 * f64::from(row[k])).max(FLAT);
                let gain = b * b / a;
                if gain > best {
                    (best, j) = (gain, k);
                }
            }
        }
        if j == usize::MAX {
            return false;
        }
        let a = (self.diagonal[i] + self.diagonal[j] - 2.0 * f64::from(row[j])).max(FLAT);
        let b = m + self.y[j] * self.gradient[j];
        // Along +yᵢ and -yⱼ, as far as both may go.
        let room = |k: usize, along: f64| {
            if along > 0.0 { self.bound[k] - self.alpha[k] } else { self.alpha[k] }
        };
        let (up, down) = (self.y[i], -self.y[j]);
        let (room_i, room_j) = (room(i, up), room(j, down));
        let t = (b / a).min(room_i).min(room_j);
        // Bounds are met exactly: who is at one is known by equality.
        let moved = |k: usize, along: f64, room: f64| match t == room {
            true if along > 0.0 => self.bound[k],
            true => 0.0,
            false => self.alpha[k] + along * t,
        };
        let (to_i, to_j) = (moved(i, up, room_i), moved(j, down, room_j));
        (self.alpha[i], self.alpha[j]) = (to_i, to_j);
        self.rows.need(j, i);
        let (row_i, row_j) = (self.rows.row(i), self.rows.row(j));
        // ΔG = Q Δα = y t (K_i - K_j), with yᵢ Δαᵢ = t = -yⱼ Δαⱼ.
        for &k in &self.active {
            self.gradient[k] += self.y[k] * t * f64::from(row_i[k] - row_j[k]);
        }
        self.steps += 1;
        true
    }

    fn finish(self) -> Solution {
        let (m, l, _) = self.extremes();
        // Between both ends; where samples lie on the margin both are there.
        let bias = 0.5 * (m + l);
        let vectors: Vec<usize> = (0..self.samples.len()).filter(|k| self.alpha[*k] > 0.0).collect();
        let weights = vectors.iter().map(|&k| self.y[k] * self.alpha[k]).collect();
        let rows = vectors.iter().flat_map(|&k| self.samples.row(k).to_vec()).collect();
        let machine = Machine::new(self.settings.kernel, self.samples.width, weights, rows, bias);
        Solution { machine, alpha: self.alpha, gap: m - l, steps: self.steps }
    }
}

/// In eight sums, so that the compiler may do them side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (blocks_a, blocks_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = blocks_a.remainder().iter().zip(blocks_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in blocks_a.zip(blocks_b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn samples(points: &[([f64; 2], bool)]) -> Samples {
        let mut samples = Samples::new(2);
        points.iter().for_each(|(x, label)| samples.push(x, *label));
        samples
    }

    fn settings(kernel: Kernel, cost: f64) -> Settings {
        Settings { kernel, cost, weights: [1.0; 2] }
    }

    #[test]
    fn two_points_have_the_plane_between_them() {
        // Margin 2 between x = -1 and x = 1: w = (1, 0), b = 0, α = ½ each.
        let found =
            train(&samples(&[([1.0, 3.0], true), ([-1.0, 3.0], false)]), &settings(Kernel::Linear, 10.0));
        assert!((found.alpha[0] - 0.5).abs() < 1e-12 && (found.alpha[1] - 0.5).abs() < 1e-12);
        for (x, f) in [([1.0, 3.0], 1.0), ([-1.0, 3.0], -1.0), ([0.0, 9.0], 0.0), ([4.0, -2.0], 4.0)] {
            assert!((found.machine.value(&x) - f).abs() < 1e-9, "{x:?}");
        }
    }

    #[test]
    fn the_margin_of_a_separable_set_is_the_known_one() {
        // Support vectors (0, 1), (1, 0) against (-1, -1): the widest strip is perpendicular to (1, 1), from x + y = -2 to 1.
        // w = (2/3)(1, 1), b = 1/3, margin 2/|w| = 3/√2; others lie farther out and have no say.
        let set = samples(&[
            ([0.0, 1.0], true),
            ([1.0, 0.0], true),
            ([3.0, 2.0], true),
            ([-1.0, -1.0], false),
            ([-4.0, -2.0], false),
        ]);
        let found = train(&set, &settings(Kernel::Linear, 100.0));
        let f = |x: [f64; 2]| found.machine.value(&x);
        let w = [f([1.0, 0.0]) - f([0.0, 0.0]), f([0.0, 1.0]) - f([0.0, 0.0])];
        assert!((w[0] - 2.0 / 3.0).abs() < 1e-3 && (w[1] - 2.0 / 3.0).abs() < 1e-3, "{w:?}");
        assert!((f([0.0, 0.0]) - 1.0 / 3.0).abs() < 1e-3);
        assert!(found.alpha[2] == 0.0 && found.alpha[4] == 0.0);
    }

    #[test]
    fn exclusive_or_is_a_product_of_features() {
        // Burges 1998, section 4: degree 2 tells apart what no line does.
        let set =
            samples(&[([1.0, 1.0], true), ([-1.0, -1.0], true), ([1.0, -1.0], false), ([-1.0, 1.0], false)]);
        let found = train(&set, &settings(Kernel::Polynomial { degree: 2 }, 100.0));
        // By symmetry α is the same for all: the optimum of 4a - ½ a² 32 is 1/8, and f = x y (Cherkassky and Mulier 1998).
        assert!(found.alpha.iter().all(|a| (a - 0.125).abs() < 1e-3), "{:?}", found.alpha);
        for x in [[0.5, 0.7], [-1.0, 2.0]] {
            assert!((found.machine.value(&x) - x[0] * x[1]).abs() < 1e-2);
        }
    }

    /// Two clouds that overlap.
    fn clouds(n: usize, seed: u64) -> Samples {
        let mut random = Random::named(seed, "clouds");
        let mut samples = Samples::new(2);
        for k in 0..n {
            let label = k % 3 != 0;
            let shift = if label { 0.7 } else { -0.7 };
            samples.push(&[shift + random.normal(), 0.5 * random.normal() * shift], label);
        }
        samples
    }

    const KERNELS: [Kernel; 4] = [
        Kernel::Linear,
        Kernel::Polynomial { degree: 2 },
        Kernel::Polynomial { degree: 3 },
        Kernel::Radial { gamma: 0.5 },
    ];

    #[test]
    fn multipliers_meet_the_conditions_of_karush_kuhn_and_tucker() {
        let set = clouds(300, 1);
        for kernel in KERNELS {
            for cost in [0.1, 1.0, 10.0] {
                let settings = Settings { weights: balanced(&set), ..settings(kernel, cost) };
                let found = train(&set, &settings);
                assert!(found.gap <= TOLERANCE, "{kernel:?} {cost}: {}", found.gap);
                let mut balance = 0.0;
                for (k, (&alpha, &label)) in found.alpha.iter().zip(&set.labels).enumerate() {
                    let y = if label { 1.0 } else { -1.0 };
                    let bound = cost * settings.weights[usize::from(!label)];
                    balance += y * alpha;
                    assert!((0.0..=bound).contains(&alpha));
                    let margin = y * found.machine.value(set.row(k));
                    // Rows are single: a hundred thousandth of the largest product.
                    let slack = 2.0 * TOLERANCE;
                    match alpha {
                        0.0 => assert!(margin >= 1.0 - slack, "{kernel:?}: {margin} outside"),
                        a if a == bound => assert!(margin <= 1.0 + slack, "{kernel:?}: {margin} within"),
                        _ => assert!((margin - 1.0).abs() <= slack, "{kernel:?}: {margin} on the margin"),
                    }
                }
                assert!(balance.abs() < 1e-9 * cost * 300.0, "{balance}");
            }
        }
    }

    #[test]
    fn the_same_samples_give_the_same_bits() {
        let set = clouds(200, 2);
        for kernel in KERNELS {
            assert_eq!(train(&set, &settings(kernel, 1.0)), train(&set, &settings(kernel, 1.0)));
        }
    }

    #[test]
    fn one_class_alone_is_all_there_is() {
        let set = samples(&[([1.0, 3.0], true), ([-1.0, 3.0], true)]);
        let found = train(&set, &settings(Kernel::Linear, 1.0));
        assert!(found.machine.value(&[9.0, 9.0]) > 0.0);
    }

    /// Another implementation comes to the same function: LIBSVM's algorithm in Rust.
    #[test]
    fn decisions_are_those_of_libsvm() {
        use libsvm_rs::{
            KernelType, SvmNode, SvmParameter, SvmProblem, SvmType, predict::predict_values, train::svm_train,
        };
        let set = clouds(400, 3);
        let node = |x: &[f64]| -> Vec<SvmNode> {
            x.iter().enumerate().map(|(k, v)| SvmNode { index: k as i32 + 1, value: *v }).collect()
        };
        let problem = SvmProblem {
            labels: set.labels.iter().map(|l| if *l { 1.0 } else { -1.0 }).collect(),
            instances: (0..set.len()).map(|k| node(set.row(k))).collect(),
        };
        for kernel in KERNELS {
            let (kernel_type, degree, gamma) = match kernel {
                Kernel::Linear => (KernelType::Linear, 1, 1.0),
                Kernel::Polynomial { degree } => (KernelType::Polynomial, degree as i32, 1.0),
                Kernel::Radial { gamma } => (KernelType::Rbf, 1, gamma),
            };
            let parameter = SvmParameter {
                svm_type: SvmType::CSvc,
                kernel_type,
                degree,
                gamma,
                coef0: 1.0,
                c: 2.0,
                eps: TOLERANCE,
                ..SvmParameter::default()
            };
            let theirs = svm_train(&problem, &parameter);
            let ours = train(&set, &settings(kernel, 2.0));
            // The first label seen is their positive one: a failure.
            let sign = if theirs.label[0] > 0 { 1.0 } else { -1.0 };
            for k in 0..set.len() {
                let mut value = [0.0; 1];
                predict_values(&theirs, &node(set.row(k)), &mut value);
                let (a, b) = (ours.machine.value(set.row(k)), sign * value[0]);
                assert!((a - b).abs() < 1e-2 * (1.0 + a.abs()), "{kernel:?} {k}: {a} and {b}");
            }
        }
    }
}
