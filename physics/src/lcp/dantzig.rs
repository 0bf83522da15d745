//! Cottle–Dantzig principal pivoting for boxed problems.
//!
//! Rows are taken in one at a time: free rows, then bounded ones, then friction rows. C holds the rows with
//! w = 0, N those resting at a bound with w of the right sign. A new row i with w_i of the wrong sign is
//! driven by Δx_i = ±s,
//!
//! ```text
//! Δx_C = -A_CC⁻¹ A_Ci Δx_i,     Δw_N = A_NC Δx_C + A_Ni Δx_i                            (1)
//! ```
//!
//! with s as large as keeps everyone's condition: until w_i = 0 (i joins C), x_i meets a bound (i joins N),
//! some x_j of C meets a bound (j moves to N) or some w_j of N vanishes (j moves to C). Nothing blocking means
//! no solution. Finite for P matrices, symmetric or not, and for symmetric positive semidefinite ones, where a
//! dependent row never enters C (Cottle, Pang & Stone 1992, §4.3; Baraff, SIGGRAPH 1994; bounds as in ODE).
//! Rows start at clamp(0, lo, hi), so that a box need not contain 0.
//!
//! Friction bounds are those of the last round, ±mu x_f, and rounds repeat until they agree. With the sets of
//! a round known, the coupled equations (x_t = ±mu x_f for sliding rows) are linear: they are solved directly,
//! and mostly end the matter in the first or second round. Where the rounds do not settle Lemke's method is
//! asked, and failing that the report carries the residual that is left.

mod harden;

use super::clamped::{Clamped, size_of_motion};
use super::lemke::Lemke;
use super::lu::Lu;
use super::plain::PlainForm;
use super::problem::{Problem, Report, Status, max_or_nan};
use super::tableau::Tableau;

/// Changes of w below this fraction of the terms they are summed from are rounding.
const SMALLEST_RATE: f64 = 1e-12;
/// |w| below this fraction of the terms it is summed from is zero.
const ZERO: f64 = 1e-13;
/// The same where a row cannot be driven at all, because it depends on those in C.
const ZERO_OF_DEPENDENT: f64 = 1e-9;

/// When a row counts as dependent on C, see [`Clamped::reset`]. The later ones are tried where rows so nearly
/// dependent are met that the answer with the first is not within the tolerance.
const LEAST_PIVOTS: [f64; 3] = [1e-12, 1e-14, 1e-10];

/// Settings of [`Dantzig`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DantzigOptions {
    /// Most pivots of one round, as a multiple of the number of rows, plus 1000.
    pub pivots_per_row: usize,
    /// Most rounds on the friction bounds.
    pub max_friction_rounds: usize,
    /// Ask [`Lemke`] where the rounds on the friction bounds do not settle. Exact, but much slower.
    pub lemke_fallback: bool,
    /// Residual up to which an answer counts as solved, relative to 1 + max |b|.
    pub tolerance: f64,
    /// Most multiplications of one solve, [`Lemke`]'s aside; beyond it ends with [`Status::MaxIterations`]. A count and
    /// not a time, so that the answer never depends on the machine.
    pub most_work: u64,
    /// Where pivoting finds nothing, find out by linear programming whether anything could: then an infeasible
    /// problem is reported as such instead of as [`Status::NoSolution`]. Costs about n³.
    pub diagnose: bool,
}

impl Default for DantzigOptions {
    fn default() -> Self {
        Self {
            pivots_per_row: 50,
            max_friction_rounds: 20,
            lemke_fallback: true,
            tolerance: 1e-9,
            most_work: u64::MAX,
            diagnose: true,
        }
    }
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not taken in yet; at its start value.
    Waiting,
    /// In C.
    Clamped,
    /// At the lower bound, w ≥ 0.
    AtLower,
    /// At the upper bound, w ≤ 0.
    AtUpper,
    /// Between the bounds with w = 0, but dependent on C and so kept out of it.
    Parked,
    /// lo = hi: w is free.
    Pinned,
}

/// What ends a step.
#[derive(Clone, Copy, Debug)]
enum Event {
    Joins,
    OwnBound,
    Leaves { row: usize, upper: bool },
    Releases { row: usize },
}

/// The solver with its workspace.
#[derive(Clone, Debug, Default)]
pub struct Dantzig {
    /// Settings, free to change between solves.
    pub options: DantzigOptions,
    clamped: Clamped,
    place: Vec<Place>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    order: Vec<usize>,
    w: Vec<f64>,
    dw: Vec<f64>,
    dx: Vec<f64>,
    size: f64,
    work: u64,
    refused: Vec<usize>,
    limits: Vec<f64>,
    head: Vec<usize>,
    behind: Vec<usize>,
    coupled: Vec<f64>,
    kept: Vec<f64>,
    lemke: Lemke,
    lu: Lu,
    plain: PlainForm,
    tableau: Tableau,
}

impl Dantzig {
    /// A solver with the given settings.
    pub fn new(options: DantzigOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Multiplications of the last solve, [`Lemke`]'s aside; of leading order in the number of rows.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Writes the solution to `x`. No warm start is read.
    ///
    /// # Panics
    /// When `x` is not of the problem's length.
    pub fn solve(&mut self, problem: &Problem, x: &mut [f64]) -> Report {
        assert!(x.len() == problem.len(), "one entry per row");
        let n = problem.len();
        self.work = 0;
        self.order.clear();
        let unbounded = |i: usize| problem.bounds(i, x) == (f64::NEG_INFINITY, f64::INFINITY);
        let group = |i: usize| if problem.friction(i).is_some() { 2 } else { u8::from(!unbounded(i)) };
        for wanted in 0..3 {
            self.order.extend((0..n).filter(|&i| group(i) == wanted));
        }
        self.limits.clear();
        let (mut status, mut iterations) = (Status::MaxIterations, 0);
        let friction_rounds = if problem.has_friction() { self.options.max_friction_rounds } else { 0 };
        for round in 0..friction_rounds.max(LEAST_PIVOTS.len()) {
            let least_pivot = LEAST_PIVOTS[round % LEAST_PIVOTS.len()];
            let (outcome, pivots) = self.solve_box(problem, x, least_pivot);
            iterations += pivots;
            status = outcome;
            if status == Status::Solved && !self.accepts(problem, x) {
                status = Status::MaxIterations;
                if problem.has_friction() {
                    if self.solve_coupled(problem, x) {
                        x.copy_from_slice(&self.coupled);
                        status = Status::Solved;
                    }
                    self.update_limits(problem, x, round);
                }
            }
            if status == Status::NoSolution && round == 0 && self.options.diagnose {
                self.plain.build(problem);
                if !self.tableau.is_feasible(&self.plain) {
                    status = Status::Infeasible;
                }
            }
            if matches!(status, Status::Solved | Status::Infeasible) || self.work > self.options.most_work {
                break;
            }
        }
        if status == Status::MaxIterations && self.options.lemke_fallback {
            self.kept.clear();
            self.kept.resize(n, 0.0);
            self.lemke.options.tolerance = self.options.tolerance;
            let report = self.lemke.solve(problem, &mut self.kept);
            iterations += report.iterations;
            // Without a solution our own x, near one, is of more use than none.
            if report.status == Status::Solved {
                x.copy_from_slice(&self.kept);
                status = Status::Solved;
            } else if report.status == Status::Infeasible && self.options.diagnose {
                // Proved by linear programming. Rows that depend on each other to rounding had been pivoted on, and led far away.
                status = Status::Infeasible;
            }
        }
        Report { status, residual: problem.residual(x), iterations }
    }

    fn count(&mut self, multiplications: usize) {
        self.work = self.work.saturating_add(multiplications as u64);
    }

    fn accepts(&self, problem: &Problem, x: &[f64]) -> bool {
        problem.is_solved(x, self.options.tolerance)
    }

    /// One pass with friction bounds held: how it ended, and after how many pivots.
    fn solve_box(&mut self, problem: &Problem, x: &mut [f64], least_pivot: f64) -> (Status, usize) {
        let n = problem.len();
        self.count(3 * n * n);
        self.clamped.reset(problem, least_pivot);
        for (list, value) in [(&mut self.lower, 0.0), (&mut self.upper, 0.0), (&mut self.dw, 0.0)] {
            list.clear();
            list.resize(n, value);
        }
        self.place.clear();
        self.place.resize(n, Place::Waiting);
        self.dx.clear();
        self.dx.resize(n, 0.0);
        // Friction rows start at 0 whatever their bounds will be.
        for i in 0..n {
            (self.lower[i], self.upper[i]) =
                if problem.friction(i).is_some() { (0.0, 0.0) } else { problem.bounds(i, x) };
            x[i] = 0.0_f64.clamp(self.lower[i], self.upper[i]);
        }
        self.w.clear();
        self.w.extend((0..n).map(|i| problem.slack_of(i, x)));

        let limit = 1000 + self.options.pivots_per_row * n;
        let mut pivots = 0;
        for k in 0..n {
            let i = self.order[k];
            if let Some((f, mu)) = problem.friction(i) {
                // First round as ODE does: from the normal at hand. Later from the round before.
                let bound = self.limits.get(i).copied().unwrap_or(mu * x[f].max(0.0));
                (self.lower[i], self.upper[i]) = (-bound, bound);
            }
            if let Some(status) = self.drive(problem, x, i, &mut pivots, limit) {
                return (status, pivots);
            }
        }
        self.refine(problem, x);
        (Status::Solved, pivots)
    }

    /// Takes row `i` in. `Some` tells why that failed.
    fn drive(
        &mut self,
        problem: &Problem,
        x: &mut [f64],
        i: usize,
        pivots: &mut usize,
        limit: usize,
    ) -> Option<Status> {
        if self.lower[i] == self.upper[i] {
            self.place[i] = Place::Pinned;
            return None;
        }
        loop {
            let size = size_of_terms(problem, i, x);
            if x[i] == self.lower[i] && self.w[i] >= 0.0 {
                self.place[i] = Place::AtLower;
                return None;
            }
            if x[i] == self.upper[i] && self.w[i] <= 0.0 {
                self.place[i] = Place::AtUpper;
                return None;
            }
            if self.w[i].abs() <= ZERO * size {
                self.settle(problem, x, i);
                return None;
            }
            if *pivots >= limit || self.work > self.options.most_work {
                return Some(Status::MaxIterations);
            }
            *pivots += 1;
            // Rates, and one row that enters C or leaves it: two or three solves with the factors of C.
            let (n, m) = (problem.len(), self.clamped.rows().len());
            self.count(n * m + 3 * m * m + n);

            let direction = if self.w[i] < 0.0 { 1.0 } else { -1.0 };
            self.find_rates(problem, i, direction);
            self.refused.clear();
            let event = loop {
                let Some((step, event)) = self.first_event(problem, x, i, direction) else {
                    if self.w[i].abs() <= ZERO_OF_DEPENDENT * size {
                        self.settle(problem, x, i);
                        return None;
                    }
                    return Some(Status::NoSolution);
                };
                if let Event::Releases { row } = event
                    && !self.clamped.insert(problem, row)
                {
                    self.refused.push(row);
                    continue;
                }
                self.take_step(x, i, direction, step, event);
                break event;
            };
            match event {
                Event::Joins => {
                    self.settle(problem, x, i);
                    return None;
                }
                Event::OwnBound => {
                    self.place[i] = if direction > 0.0 { Place::AtUpper } else { Place::AtLower };
                    return None;
                }
                Event::Leaves { row, upper } => {
                    self.clamped.remove(problem, row);
                    self.place[row] = if upper { Place::AtUpper } else { Place::AtLower };
                }
                Event::Releases { row } => self.place[row] = Place::Clamped,
            }
        }
    }

    /// Places a row whose w has become zero. At a bound it may rest there: should its w turn later, it is
    /// released then.
    fn settle(&mut self, problem: &Problem, x: &[f64], i: usize) {
        self.w[i] = 0.0;
        self.place[i] = if x[i] == self.lower[i] {
            Place::AtLower
        } else if x[i] == self.upper[i] {
            Place::AtUpper
        } else if self.clamped.insert(problem, i) {
            Place::Clamped
        } else {
            Place::Parked
        };
    }

    /// (1) per unit step of x_i in `direction`.
    fn find_rates(&mut self, problem: &Problem, i: usize, direction: f64) {
        let m = self.clamped.rows().len();
        for k in 0..m {
            self.dx[k] = -direction * problem.entry(self.clamped.rows()[k], i);
        }
        self.clamped.solve(&mut self.dx[..m]);
        let rows = self.clamped.rows();
        self.size = size_of_motion(problem, i, rows, &self.dx);
        for j in 0..problem.len() {
            // Rows still waiting move as well: their w is kept current.
            self.dw[j] = if self.place[j] == Place::Clamped {
                0.0
            } else {
                let a = problem.row(j);
                let through: f64 = rows.iter().zip(&self.dx).map(|(&c, d)| a[c] * d).sum();
                through + a[i] * direction
            };
        }
    }

    /// The first thing to happen along (1), least index first among equals.
    fn first_event(&self, problem: &Problem, x: &[f64], i: usize, direction: f64) -> Option<(f64, Event)> {
        let mut first: Option<(f64, Event)> = None;
        let mut offer = |step: f64, event: Event| {
            if step.is_finite() && first.is_none_or(|(least, _)| step < least) {
                first = Some((step.max(0.0), event));
            }
        };
        if self.dw[i] * direction > SMALLEST_RATE * self.size {
            offer(-self.w[i] / self.dw[i], Event::Joins);
        }
        let own_bound = if direction > 0.0 { self.upper[i] } else { self.lower[i] };
        offer((own_bound - x[i]).abs(), Event::OwnBound);
        for (&row, &d) in self.clamped.rows().iter().zip(&self.dx) {
            if d > 0.0 {
                offer((self.upper[row] - x[row]) / d, Event::Leaves { row, upper: true });
            } else if d < 0.0 {
                offer((self.lower[row] - x[row]) / d, Event::Leaves { row, upper: false });
            }
        }
        for row in 0..problem.len() {
            let d = self.dw[row];
            let wrong_way = match self.place[row] {
                Place::AtLower => d < 0.0,
                Place::AtUpper => d > 0.0,
                Place::Parked => d != 0.0,
                _ => false,
            };
            if wrong_way && row != i && !self.refused.contains(&row) {
                let coupling = (problem.entry(row, row).abs() * self.size).sqrt();
                if d.abs() > SMALLEST_RATE * coupling.max(problem.entry(row, i).abs()) {
                    offer(-self.w[row] / d, Event::Releases { row });
                }
            }
        }
        first
    }

    /// Moves along (1). `dx` is still in the order that C had before `event`.
    fn take_step(&mut self, x: &mut [f64], i: usize, direction: f64, step: f64, event: Event) {
        let joined = usize::from(matches!(event, Event::Releases { .. }));
        let rows = self.clamped.rows();
        for (&row, &d) in rows[..rows.len() - joined].iter().zip(&self.dx) {
            x[row] += step * d;
        }
        x[i] += step * direction;
        for (w, d) in self.w.iter_mut().zip(&self.dw) {
            *w += step * d;
        }
        // What the event is about is exact, not a matter of rounding.
        match event {
            Event::Joins => self.w[i] = 0.0,
            Event::OwnBound => x[i] = if direction > 0.0 { self.upper[i] } else { self.lower[i] },
            Event::Leaves { row, upper } => {
                x[row] = if upper { self.upper[row] } else { self.lower[row] };
                self.w[row] = 0.0;
            }
            Event::Releases { row } => self.w[row] = 0.0,
        }
    }

    /// Takes the rounding of the pivots out of x_C: x_C ← x_C - A_CC⁻¹ w_C, as long as that helps. It does
    /// not where A_CC is nearly singular and the correction leaves the bounds.
    fn refine(&mut self, problem: &Problem, x: &mut [f64]) {
        let m = self.clamped.rows().len();
        let mut least = self.box_residual(problem, x);
        for _ in 0..2 {
            self.kept.clear();
            self.kept.extend_from_slice(x);
            for k in 0..m {
                self.dx[k] = problem.slack_of(self.clamped.rows()[k], x);
            }
            self.clamped.solve(&mut self.dx[..m]);
            for (&row, &d) in self.clamped.rows().iter().zip(&self.dx) {
                x[row] = (x[row] - d).clamp(self.lower[row], self.upper[row]);
            }
            let residual = self.box_residual(problem, x);
            if residual.is_nan() || residual > least {
                x.copy_from_slice(&self.kept);
                return;
            }
            least = residual;
        }
    }

    /// The residual with the friction bounds of this round.
    fn box_residual(&self, problem: &Problem, x: &[f64]) -> f64 {
        let row =
            |i: usize| (x[i] - (x[i] - problem.slack_of(i, x)).clamp(self.lower[i], self.upper[i])).abs();
        (0..x.len()).map(row).fold(0.0, max_or_nan)
    }

    /// Solves the equations of the present sets with x_t = ±mu x_f in them, into `coupled`.
    /// True when that satisfies all conditions.
    fn solve_coupled(&mut self, problem: &Problem, x: &[f64]) -> bool {
        let n = problem.len();
        let m = self.clamped.rows().len();
        self.count(m * m * m / 3 + 2 * n * n);
        let rows = self.clamped.rows();
        // A sliding friction row follows its normal: sign and coefficient.
        let slide = |t: usize| {
            let (f, mu) = problem.friction(t)?;
            match self.place[t] {
                Place::AtUpper => Some((f, mu)),
                Place::AtLower => Some((f, -mu)),
                _ => None,
            }
        };
        self.coupled.clear();
        self.coupled.extend_from_slice(x);
        for &row in rows {
            self.coupled[row] = 0.0;
        }
        for t in 0..n {
            if let Some((f, mu)) = slide(t) {
                self.coupled[t] = mu * self.coupled[f];
            }
        }
        for k in 0..m {
            self.dx[k] = -problem.slack_of(rows[k], &self.coupled);
        }
        // Sliding rows behind each other by their normal, to be walked from `head[normal]` on.
        self.head.clear();
        self.head.resize(n, n);
        self.behind.clear();
        self.behind.resize(n, n);
        for t in (0..n).rev() {
            if let Some((f, _)) = slide(t) {
                self.behind[t] = self.head[f];
                self.head[f] = t;
            }
        }
        let (head, behind) = (&self.head, &self.behind);
        let entry = |r: usize, c: usize| {
            let mut sum = problem.entry(rows[r], rows[c]);
            let mut t = head[rows[c]];
            while let Some((_, mu)) = (t < n).then(|| slide(t)).flatten() {
                sum += mu * problem.entry(rows[r], t);
                t = behind[t];
            }
            sum
        };
        if !self.lu.factor(m, entry) {
            return false;
        }
        self.lu.solve(&mut self.dx[..m]);
        for (&row, &v) in rows.iter().zip(&self.dx) {
            self.coupled[row] = v;
        }
        for t in 0..n {
            if let Some((f, mu)) = slide(t) {
                self.coupled[t] = mu * self.coupled[f];
            }
        }
        self.accepts(problem, &self.coupled)
    }

    /// Friction bounds for the next round; later rounds go half way, which calms those that swing.
    fn update_limits(&mut self, problem: &Problem, x: &[f64], round: usize) {
        let fresh = self.limits.is_empty();
        self.limits.resize(problem.len(), 0.0);
        for t in 0..problem.len() {
            let (_, bound) = problem.bounds(t, x);
            let swinging = round > 5 && !fresh;
            self.limits[t] = if swinging { 0.5 * (self.limits[t] + bound) } else { bound };
        }
    }
}

/// |b_i| + max |A_ij x_j|: what w_i is the small difference of.
fn size_of_terms(problem: &Problem, i: usize, x: &[f64]) -> f64 {
    let terms = problem.row(i).iter().zip(x).fold(0.0_f64, |m, (a, x)| m.max((a * x).abs()));
    problem.offset()[i].abs() + terms
}
