//! Sweeps against dense solutions.

use super::sweep::SweepReport;
use super::*;
use crate::random::Random;

const ROW: CoupledRow =
    CoupledRow { offset: 0.0, speed: 0.0, compliance: 0.0, lower: 0.0, upper: f64::INFINITY, friction: None };

fn effort(max_sweeps: usize, tolerance: f64) -> Effort {
    Effort { max_sweeps, tolerance, most_work: u64::MAX }
}

/// Couples all groups that a dense matrix couples.
fn coupled(rows: &[CoupledRow], matrix: &[f64]) -> Coupled {
    let n = rows.len();
    let mut c = Coupled::default();
    c.group(rows);
    for group in 0..c.n_groups() {
        let all: Vec<u32> = (0..c.n_groups() as u32).collect();
        let feels = |&other: &u32| {
            let columns = c.rows_of(other as usize);
            c.rows_of(group).any(|i| columns.clone().any(|k| matrix[i * n + k] != 0.0))
        };
        let others: Vec<u32> = all.iter().copied().filter(feels).collect();
        c.couple(group, &others, |rows, columns, out| {
            for i in rows {
                out.extend(columns.clone().map(|k| matrix[i * n + k]));
            }
        });
    }
    c.arrange(1, |_| 0);
    c
}

#[test]
fn sweeps_reach_the_dense_solution() {
    let rows = [CoupledRow { offset: -1.0, ..ROW }, CoupledRow { offset: 0.5, ..ROW }];
    let mut x = [0.0; 2];
    let mut coupled = coupled(&rows, &[1.0, -1.0, -1.0, 1.5]);
    // Two groups get 44 sweeps at a time; a solve goes on where the last one stopped.
    let mut report = SweepReport::default();
    for _ in 0..4 {
        report = coupled.solve(&rows, &mut x, &effort(400, 1e-14), |_| true);
    }
    // [1 -1; -1 1.5] x = [1, -0.5] has the solution (2, 1).
    assert!((x[0] - 2.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12, "{x:?} {report:?}");
    assert!(report.settled);
}

#[test]
fn a_group_of_three_finds_what_single_visits_find() {
    // Two contacts, the second felt by the first; tangents slip on one and stick on the other.
    let friction = |normal, mu| Some((normal, mu));
    let mut rows = [ROW; 6];
    for (i, offset) in [-1.0, 2.0, 0.5, -2.0, 0.1, -0.1].into_iter().enumerate() {
        let normal = if i < 3 { 0 } else { 3 };
        rows[i] = CoupledRow {
            offset,
            compliance: 0.05,
            friction: if i % 3 == 0 { None } else { friction(normal, 0.5) },
            ..ROW
        };
    }
    let n = 6;
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            matrix[i * n + k] = if i == k { 2.0 } else { 0.3 / (1.0 + (i as f64 - k as f64).abs()) };
        }
    }
    let mut x = [0.0; 6];
    let report = coupled(&rows, &matrix).solve(&rows, &mut x, &effort(200, 1e-13), |_| true);
    assert!(report.settled, "{report:?}");
    for i in 0..n {
        let w: f64 = rows[i].offset
            + rows[i].compliance * x[i]
            + (0..n).map(|k| matrix[i * n + k] * x[k]).sum::<f64>();
        match i {
            // Pressed: nothing left over. The first slips: at its bound, against what is left over.
            0 | 3 | 4 | 5 => assert!(w.abs() < 1e-11, "row {i}: {w}"),
            _ => assert!(w * x[i] < 0.0, "row {i}: {w} {}", x[i]),
        }
    }
    assert!((x[1].hypot(x[2]) - 0.5 * x[0]).abs() < 1e-12);
    assert!(!leaves_cone(&rows, &x, 0..n));
}

/// What sweeps changed last had been called what is left: on a figure with a motor at every joint rows were off by five times as much.
#[test]
fn rows_of_small_islands_that_settle_are_off_by_no_more_than_they_may_be() {
    const N: usize = 12;
    const TOLERANCE: f64 = 1e-2;
    let mut random = Random::new(11);
    let mut settled = 0;
    for problem in 0..300 {
        let mut number = || random.symmetric();
        // Motors of a figure: rows of light toes answer a hundred times as much as those of hips, some bounds are in reach, and goals move a little from step to step.
        let weights: [f64; N] = std::array::from_fn(|_| 10.0_f64.powf(number()));
        let links: Vec<f64> = (0..N * N).map(|e| number() * weights[e / N]).collect();
        let entry = |i: usize, k: usize| (0..N).map(|l| links[i * N + l] * links[k * N + l]).sum::<f64>();
        let matrix: Vec<f64> = (0..N * N).map(|e| entry(e / N, e % N)).collect();
        let mut rows: Vec<_> = (0..N)
            .map(|_| CoupledRow { offset: number(), compliance: 0.1, lower: -1.0, upper: 1.0, ..ROW })
            .collect();
        let mut x = [0.0; N];
        let mut coupled = coupled(&rows, &matrix);
        for _ in 0..10 {
            rows.iter_mut().for_each(|row| row.offset += 0.03 * number());
            let report = coupled.solve(&rows, &mut x, &effort(4000, TOLERANCE), |_| true);
            settled += usize::from(report.settled);
            for (i, row) in rows.iter().enumerate().filter(|_| report.settled) {
                let slack = row.compliance * x[i] + (0..N).map(|k| matrix[i * N + k] * x[k]).sum::<f64>();
                let own = matrix[i * N + i] + row.compliance;
                let off =
                    ((x[i] - (row.offset + slack) / own).clamp(row.lower, row.upper) - x[i]).abs() * own;
                // To rounding of the sums.
                assert!(off <= TOLERANCE + 1e-12, "problem {problem}, row {i} is off by {off}, {report:?}");
            }
        }
    }
    assert!(settled >= 2900, "{settled}");
}
