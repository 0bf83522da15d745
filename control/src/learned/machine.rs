//! Kernel machines as data.
//!
//! ```text
//! (1)  f(x) = Σ wᵢ k(xᵢ, x) + b,   wᵢ = αᵢ yᵢ
//! (2)  k = x·y,   (x·y + 1)^p,   exp(-γ |x - y|²)
//! (3)  Σ wᵢ (xᵢ·x + 1)^p = Σ c_{ij…} zᵢ zⱼ …  over i ≤ j ≤ …,   z = (1, x),   c = (number of orders) Σ wₛ z_{s,i} z_{s,j} …
//! ```
//! (3) is the same polynomial written out: for `p` of 2 or 3 a few thousand products whatever the number of support vectors, which are thousands of rows
//! where success and failure overlap.

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kernel {
    /// `x·y`.
    Linear,
    /// `(x·y + 1)^p`.
    Polynomial {
        /// `p`, 2 or 3.
        degree: u32,
    },
    /// `exp(-γ |x - y|²)`.
    Radial {
        /// `γ`; the paper's `1/2σ²`.
        gamma: f64,
    },
}

impl Kernel {
    /// From `x·y` and the squares of both.
    pub fn of(self, dot: f64, xx: f64, yy: f64) -> f64 {
        match self {
            Self::Linear => dot,
            Self::Polynomial { degree } => (dot + 1.0).powi(degree as i32),
            Self::Radial { gamma } => (-gamma * (xx + yy - 2.0 * dot).max(0.0)).exp(),
        }
    }

    /// Name as files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Polynomial { .. } => "polynomial",
            Self::Radial { .. } => "radial",
        }
    }

    /// In a few words.
    pub fn words(self) -> String {
        match self {
            Self::Linear => "linear".to_owned(),
            Self::Polynomial { degree } => format!("polynomial {degree}"),
            Self::Radial { gamma } => format!("radial {gamma}"),
        }
    }
}

/// (1), by support vectors or, where (3) has been done, by coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub(super) kernel: Kernel,
    /// Features.
    pub(super) width: usize,
    /// `b`.
    pub(super) bias: f64,
    pub(super) body: Body,
}

/// How the sum is kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    /// `w`, and the vectors row by row.
    Vectors { weights: Vec<f64>, rows: Vec<f64> },
    /// `c` of (3), in the order of its indices; of a linear kernel its normal.
    Coefficients(Vec<f64>),
}

impl Machine {
    /// From support vectors, row by row.
    ///
    /// # Panics
    /// If there is not a row of `width` numbers for each weight.
    pub fn new(kernel: Kernel, width: usize, weights: Vec<f64>, rows: Vec<f64>, bias: f64) -> Self {
        assert_eq!(rows.len(), weights.len() * width, "a row of {width} numbers for each weight");
        Self { kernel, width, bias, body: Body::Vectors { weights, rows } }
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Features it reads.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Its support vectors; 0 once written out.
    pub fn n_vectors(&self) -> usize {
        match &self.body {
            Body::Vectors { weights, .. } => weights.len(),
            Body::Coefficients(_) => 0,
        }
    }

    /// (1) as written, which is slow for thousands of vectors: the reference that the quick way is tested against.
    pub fn value(&self, x: &[f64]) -> f64 {
        match &self.body {
            Body::Vectors { weights, rows } => {
                let xx = dot(x, x);
                let term = |(w, row): (&f64, &[f64])| w * self.kernel.of(dot(row, x), dot(row, row), xx);
                self.bias + weights.iter().zip(rows.chunks_exact(self.width.max(1))).map(term).sum::<f64>()
            }
            Body::Coefficients(c) => {
                let z: Vec<f64> = with_one(x, self.kernel).collect();
                self.bias + polynomial(c, &z, degree(self.kernel))
            }
        }
    }

    /// The same written out, (3), where the kernel is a polynomial; a radial one stays as it is.
    #[must_use]
    pub fn written_out(&self) -> Self {
        let Body::Vectors { weights, rows } = &self.body else { return self.clone() };
        if matches!(self.kernel, Kernel::Radial { .. }) {
            return self.clone();
        }
        let degree = degree(self.kernel);
        let mut c = vec![0.0; terms(self.kernel, self.width)];
        let mut z = Vec::with_capacity(self.width + 1);
        for (w, row) in weights.iter().zip(rows.chunks_exact(self.width.max(1))) {
            z.clear();
            z.extend(with_one(row, self.kernel));
            add(&mut c, *w, &z, degree);
        }
        orders(&mut c, self.width + 1, degree);
        Self { body: Body::Coefficients(c), ..self.clone() }
    }
}

/// Degree of the polynomial that the kernel is; a radial kernel is none.
pub(super) const fn degree(kernel: Kernel) -> u32 {
    match kernel {
        Kernel::Polynomial { degree } => degree,
        Kernel::Linear | Kernel::Radial { .. } => 1,
    }
}

/// Coefficients of (3).
pub(super) fn terms(kernel: Kernel, width: usize) -> usize {
    let n = width + 1;
    match kernel {
        Kernel::Linear | Kernel::Radial { .. } => width,
        Kernel::Polynomial { degree: 2 } => n * (n + 1) / 2,
        Kernel::Polynomial { .. } => n * (n + 1) * (n + 2) / 6,
    }
}

/// `z`: the linear kernel has no 1.
pub(super) fn with_one(x: &[f64], kernel: Kernel) -> impl Iterator<Item = f64> {
    let one = matches!(kernel, Kernel::Polynomial { .. }).then_some(1.0);
    one.into_iter().chain(x.iter().copied())
}

/// Adds `w zᵢ zⱼ …` to the coefficients.
fn add(c: &mut [f64], w: f64, z: &[f64], degree: u32) {
    let mut rest = c;
    let mut add_line = |factor: f64, z: &[f64]| {
        let (line, after) = std::mem::take(&mut rest).split_at_mut(z.len());
        line.iter_mut().zip(z).for_each(|(c, z)| *c += factor * z);
        rest = after;
    };
    match degree {
        1 => add_line(w, z),
        2 => (0..z.len()).for_each(|i| add_line(w * z[i], &z[i..])),
        _ => {
            for i in 0..z.len() {
                (i..z.len()).for_each(|j| add_line(w * z[i] * z[j], &z[j..]));
            }
        }
    }
}

/// Multiplies every coefficient by the number of orders its indices have.
fn orders(c: &mut [f64], n: usize, degree: u32) {
    let mut c = c.iter_mut();
    let mut next = |factor: f64| {
        if let Some(c) = c.next() {
            *c *= factor;
        }
    };
    match degree {
        1 => {}
        2 => {
            for i in 0..n {
                (i..n).for_each(|j| next(if i == j { 1.0 } else { 2.0 }));
            }
        }
        _ => {
            for i in 0..n {
                for j in i..n {
                    for k in j..n {
                        next(match (i == j, j == k) {
                            (true, true) => 1.0,
                            (false, false) => 6.0,
                            _ => 3.0,
                        });
                    }
                }
            }
        }
    }
}

/// (3), by Horner's rule over the indices: rows of coefficients lie one after the other.
pub(super) fn polynomial(c: &[f64], z: &[f64], degree: u32) -> f64 {
    let n = z.len();
    let mut rest = c;
    let mut line = |z: &[f64]| {
        let (line, after) = rest.split_at(z.len());
        rest = after;
        dot(line, z)
    };
    match degree {
        1 => line(z),
        2 => (0..n).map(|i| z[i] * line(&z[i..])).sum(),
        _ => (0..n).map(|i| z[i] * (i..n).map(|j| z[j] * line(&z[j..])).sum::<f64>()).sum(),
    }
}

/// In four sums, so that one need not wait for the other.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours_a, fours_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = fours_a.remainder().iter().zip(fours_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in fours_a.zip(fours_b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn machine(kernel: Kernel) -> impl Strategy<Value = (Machine, Vec<f64>)> {
        (1..9_usize, 1..12_usize).prop_flat_map(move |(width, n)| {
            let numbers = |n: usize| prop::collection::vec(-2.0..2.0_f64, n);
            (numbers(n), numbers(n * width), numbers(width))
                .prop_map(move |(w, rows, x)| (Machine::new(kernel, width, w, rows, 0.3), x))
        })
    }

    proptest! {
        #[test]
        fn written_out_it_is_the_same_polynomial(
            (linear, x) in machine(Kernel::Linear),
            (square, y) in machine(Kernel::Polynomial { degree: 2 }),
            (cube, z) in machine(Kernel::Polynomial { degree: 3 }),
        ) {
            for (machine, x) in [(linear, x), (square, y), (cube, z)] {
                let (slow, quick) = (machine.value(&x), machine.written_out().value(&x));
                prop_assert!((slow - quick).abs() < 1e-9 * (1.0 + slow.abs()) * 1e3, "{slow} and {quick}");
            }
        }
    }

    #[test]
    fn kernels_are_those_of_the_paper() {
        let (x, y) = ([1.0, 2.0], [0.5, -1.0]);
        let of = |kernel: Kernel| kernel.of(dot(&x, &y), dot(&x, &x), dot(&y, &y));
        assert_eq!(of(Kernel::Linear), -1.5);
        assert_eq!(of(Kernel::Polynomial { degree: 2 }), 0.25);
        assert_eq!(of(Kernel::Polynomial { degree: 3 }), -0.125);
        assert!((of(Kernel::Radial { gamma: 0.2 }) - (-0.2 * 9.25_f64).exp()).abs() < 1e-15);
    }
}
