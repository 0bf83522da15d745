//! Tests of the three solvers against fixtures, laws and each other.

mod edges;
mod fixtures;
mod properties;

use super::{Problem, ProblemError};

/// A problem that owns its numbers.
#[derive(Clone, Debug, Default)]
struct Owned {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    index: Vec<Option<usize>>,
    coefficient: Vec<f64>,
}

impl Owned {
    /// x ≥ 0 without upper bounds.
    fn plain(rows: &[&[f64]], offset: &[f64]) -> Self {
        let n = offset.len();
        Self {
            matrix: rows.concat(),
            offset: offset.to_vec(),
            lower: vec![0.0; n],
            upper: vec![f64::INFINITY; n],
            index: vec![None; n],
            coefficient: vec![0.0; n],
        }
    }

    fn try_view(&self) -> Result<Problem<'_>, ProblemError> {
        Problem::new(&self.matrix, &self.offset, &self.lower, &self.upper)?
            .with_friction(&self.index, &self.coefficient)
    }

    fn view(&self) -> Problem<'_> {
        self.try_view().expect("a well-formed problem")
    }

    fn len(&self) -> usize {
        self.offset.len()
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (p, q)| m.max((p - q).abs()))
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, v| m.max(v.abs()))
}
