//! Samples with labels, and their standardised form.

/// States as features, each with whether the skill succeeded from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Features of a state.
    pub width: usize,
    /// Row by row.
    pub rows: Vec<f64>,
    /// Whether the skill succeeded.
    pub labels: Vec<bool>,
}

impl Samples {
    /// None yet.
    pub const fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), labels: Vec::new() }
    }

    /// One more.
    ///
    /// # Panics
    /// If the row is of another width.
    pub fn push(&mut self, row: &[f64], label: bool) {
        assert_eq!(row.len(), self.width, "a number for each feature");
        self.rows.extend_from_slice(row);
        self.labels.push(label);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Features of one.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.rows[k * self.width..(k + 1) * self.width]
    }

    /// How many succeeded.
    pub fn successes(&self) -> usize {
        self.labels.iter().filter(|l| **l).count()
    }

    /// Some of them.
    #[must_use]
    pub fn pick(&self, which: impl IntoIterator<Item = usize>) -> Self {
        let mut picked = Self::new(self.width);
        which.into_iter().for_each(|k| picked.push(self.row(k), self.labels[k]));
        picked
    }
}

/// Mean and scale with which features become numbers of like size: `z = (x - mean) · scale`, mean 0 and `Σ z² = 1` over all features on average, so that a
/// kernel `(x·y + 1)^p` weighs its powers alike however many features there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Standard {
    /// Subtracted.
    pub mean: Vec<f64>,
    /// Multiplied with; 0 for a feature that does not change.
    pub scale: Vec<f64>,
}

/// Spread below which a feature does not change: rounding of what a plane keeps at zero.
const STILL: f64 = 1e-6;

impl Standard {
    /// Of some samples.
    pub fn of(samples: &Samples) -> Self {
        let (width, n) = (samples.width, samples.len().max(1) as f64);
        let mut mean = vec![0.0; width];
        let mut square = vec![0.0; width];
        for row in samples.rows.chunks_exact(width.max(1)) {
            (0..width).for_each(|j| mean[j] += row[j] / n);
        }
        for row in samples.rows.chunks_exact(width.max(1)) {
            (0..width).for_each(|j| square[j] += (row[j] - mean[j]).powi(2) / n);
        }
        let moving = square.iter().filter(|s| s.sqrt() > STILL).count().max(1) as f64;
        let scale =
            square.iter().map(|s| if s.sqrt() > STILL { 1.0 / (s * moving).sqrt() } else { 0.0 }).collect();
        Self { mean, scale }
    }

    /// Samples in it.
    #[must_use]
    pub fn apply(&self, samples: &Samples) -> Samples {
        let both = || self.mean.iter().zip(&self.scale);
        let rows = samples.rows.chunks_exact(samples.width.max(1));
        let rows = rows.flat_map(|row| row.iter().zip(both()).map(|(x, (mean, scale))| (x - mean) * scale));
        Samples { rows: rows.collect(), ..samples.clone() }
    }
}
