//! Part D of the fixtures: complementarity problems with known solutions or status, through every solver.
//!
//! Direct solvers take every problem, friction problems also with their bounds held at the solution's. Projected
//! Gauss–Seidel takes those on which the fixture says it converges, and those nothing solves.

use std::path::Path;

use serde::Deserialize;
use stuntlab_physics::lcp::{Dantzig, Lemke, Pgs, PgsOptions, Problem, Status};

use super::fixture::malformed;
use super::{Report, VerifyError};

#[derive(Deserialize)]
pub(crate) struct LcpFixture {
    problems: Vec<ProblemFixture>,
}

#[derive(Deserialize)]
struct ProblemFixture {
    name: String,
    n: usize,
    #[serde(rename = "M")]
    matrix: Vec<Vec<f64>>,
    q: Vec<f64>,
    lo: Vec<Option<f64>>,
    hi: Vec<Option<f64>>,
    friction_index: Option<Vec<i64>>,
    friction_coefficient: Option<Vec<f64>>,
    expected: Expected,
    compare: Compare,
    #[serde(rename = "pgs_iterations_to_1e-8")]
    pgs_sweeps: Option<u64>,
}

#[derive(Deserialize)]
struct Expected {
    status: StatusFixture,
    x: Option<Vec<f64>>,
    w: Option<Vec<f64>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum StatusFixture {
    Solved,
    Infeasible,
    NoSolution,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Compare {
    X,
    W,
    Residual,
    Status,
}

/// Exact solvers: rounding times the condition of the matrices.
const DIRECT: f64 = 1e-9;
/// Iterative ones: x is as far off as the residual, 1e-11, times the condition of the matrix.
const ITERATIVE: f64 = 1e-7;

pub(crate) fn check(path: &Path, fixture: &LcpFixture, report: &mut Report) -> Result<(), VerifyError> {
    let (mut dantzig, mut lemke) = (Dantzig::default(), Lemke::default());
    let sweeps =
        PgsOptions { max_sweeps: 100_000, tolerance: 1e-11, diagnose: true, ..PgsOptions::default() };
    let mut pgs = Pgs::new(sweeps);
    for (index, case) in fixture.problems.iter().enumerate() {
        let field = format!("problems[{index}]");
        let numbers = Numbers::read(path, &field, case)?;
        let moving = numbers.problem(path, &field, true)?;
        let held = numbers.problem(path, &field, false)?;
        let mut x = vec![0.0; case.n];
        let mut judge = |solver: &str, problem: &Problem<'_>, found: Status, x: &[f64], allowed: f64| {
            let label = || format!("{} {solver}", case.name);
            let wrong = if matches(found, case.expected.status) { 0.0 } else { f64::INFINITY };
            report.add("lcp", format!("{solver} status"), label, wrong, 0.5);
            if let Some((what, error)) = error(case, problem, x) {
                report.add("lcp", format!("{solver} {what}"), label, error, allowed);
            }
        };
        let found = dantzig.solve(&moving, &mut x);
        judge("dantzig", &moving, found.status, &x, DIRECT);
        x.fill(0.0);
        let found = lemke.solve(&moving, &mut x);
        judge("lemke", &moving, found.status, &x, DIRECT);
        if moving.has_friction() {
            x.fill(0.0);
            let found = dantzig.solve(&held, &mut x);
            judge("dantzig, bounds held:", &held, found.status, &x, DIRECT);
            x.fill(0.0);
            let found = lemke.solve(&held, &mut x);
            judge("lemke, bounds held:", &held, found.status, &x, DIRECT);
        }
        if case.pgs_sweeps.is_some() || case.expected.status == StatusFixture::Infeasible {
            x.fill(0.0);
            let found = pgs.solve(&moving, &mut x);
            judge("pgs", &moving, found.status, &x, ITERATIVE);
        }
    }
    Ok(())
}

fn matches(found: Status, expected: StatusFixture) -> bool {
    found
        == match expected {
            StatusFixture::Solved => Status::Solved,
            StatusFixture::Infeasible => Status::Infeasible,
            StatusFixture::NoSolution => Status::NoSolution,
        }
}

/// What the problem asks to compare, and how far it is off.
fn error(case: &ProblemFixture, problem: &Problem<'_>, x: &[f64]) -> Option<(&'static str, f64)> {
    let distance = |ours: &[f64], theirs: &[f64]| {
        let scale = theirs.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        ours.iter().zip(theirs).fold(0.0_f64, |m, (a, b)| {
            let d = (a - b).abs() / scale;
            if d.is_nan() { f64::INFINITY } else { m.max(d) }
        })
    };
    match case.compare {
        Compare::X => Some(("x", distance(x, case.expected.x.as_deref()?))),
        Compare::W => {
            let mut w = vec![0.0; x.len()];
            problem.slack(x, &mut w);
            Some(("w", distance(&w, case.expected.w.as_deref()?)))
        }
        Compare::Residual => Some(("residual", problem.residual(x))),
        Compare::Status => None,
    }
}

/// A problem's numbers as the solvers take them.
struct Numbers {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    index: Vec<Option<usize>>,
    coefficient: Vec<f64>,
}

impl Numbers {
    fn read(path: &Path, field: &str, case: &ProblemFixture) -> Result<Self, VerifyError> {
        let n = case.n;
        let sized = |name: &str, length: usize| {
            if length == n {
                return Ok(());
            }
            Err(malformed(path, format!("{field}.{name}"), format!("has {length} entries, expected n = {n}")))
        };
        sized("M", case.matrix.len())?;
        for (i, row) in case.matrix.iter().enumerate() {
            sized(&format!("M[{i}]"), row.len())?;
        }
        sized("q", case.q.len())?;
        sized("lo", case.lo.len())?;
        sized("hi", case.hi.len())?;
        if let Some(list) = &case.friction_index {
            sized("friction_index", list.len())?;
        }
        if let Some(list) = &case.friction_coefficient {
            sized("friction_coefficient", list.len())?;
        }
        for (name, list, needed) in [
            ("x", &case.expected.x, matches!(case.compare, Compare::X)),
            ("w", &case.expected.w, matches!(case.compare, Compare::W)),
        ] {
            match list {
                Some(list) => sized(&format!("expected.{name}"), list.len())?,
                None if needed => {
                    return Err(malformed(path, format!("{field}.expected.{name}"), "missing, but compared"));
                }
                None => {}
            }
        }
        let index = case.friction_index.iter().flatten().map(|&f| usize::try_from(f).ok());
        Ok(Self {
            matrix: case.matrix.concat(),
            offset: case.q.clone(),
            lower: case.lo.iter().map(|b| b.unwrap_or(f64::NEG_INFINITY)).collect(),
            upper: case.hi.iter().map(|b| b.unwrap_or(f64::INFINITY)).collect(),
            index: if case.friction_index.is_some() { index.collect() } else { vec![None; n] },
            coefficient: case.friction_coefficient.clone().unwrap_or_else(|| vec![0.0; n]),
        })
    }

    /// The problem, with friction bounds that follow the solution or stay where the fixture has them.
    fn problem(&self, path: &Path, field: &str, moving: bool) -> Result<Problem<'_>, VerifyError> {
        let problem = Problem::new(&self.matrix, &self.offset, &self.lower, &self.upper);
        let problem = if moving {
            problem.and_then(|p| p.with_friction(&self.index, &self.coefficient))
        } else {
            problem
        };
        problem.map_err(|error| malformed(path, field, error))
    }
}
