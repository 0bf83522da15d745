//! Laws of the solvers over random problems.

use proptest::prelude::*;

use super::super::{Dantzig, Friction, Lemke, Pgs, PgsOptions, Report, Status, Sweep};
use super::{Owned, largest, largest_difference};

const TOLERANCE: f64 = 1e-8;

fn entries(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, count)
}

/// G Gᵀ + ε I with G n x k: semidefinite for k < n and ε = 0.
fn gram(g: &[f64], n: usize, k: usize, diagonal: f64) -> Vec<f64> {
    let row = |i: usize| &g[i * k..(i + 1) * k];
    let entry = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum::<f64>();
    (0..n * n)
        .map(|e| {
            let (i, j) = (e / n, e % n);
            entry(i.min(j), i.max(j)) + if i == j { diagonal } else { 0.0 }
        })
        .collect()
}

/// Symmetric positive definite, x ≥ 0.
fn plain() -> impl Strategy<Value = Owned> {
    (1..14_usize).prop_flat_map(|n| {
        (entries(n * n), entries(n)).prop_map(move |(g, offset)| Owned {
            matrix: gram(&g, n, n, 0.1),
            offset,
            lower: vec![0.0; n],
            upper: vec![f64::INFINITY; n],
            index: vec![None; n],
            coefficient: vec![0.0; n],
        })
    })
}

/// Contact-like and redundant: A = G Gᵀ of low rank, b in its range so that a solution exists.
fn redundant() -> impl Strategy<Value = Owned> {
    (2..14_usize, 1..4_usize).prop_flat_map(|(n, k)| {
        (entries(n * k), entries(k)).prop_map(move |(g, v)| {
            let offset = (0..n).map(|i| (0..k).map(|c| g[i * k + c] * v[c]).sum()).collect();
            Owned {
                matrix: gram(&g, n, k, 0.0),
                offset,
                lower: vec![0.0; n],
                upper: vec![f64::INFINITY; n],
                index: vec![None; n],
                coefficient: vec![0.0; n],
            }
        })
    })
}

/// Bounds of every kind: free, one-sided, two-sided, pinned, with and without 0 between them.
fn bounds() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![
        Just((f64::NEG_INFINITY, f64::INFINITY)),
        (-1.0..1.0_f64).prop_map(|lo| (lo, f64::INFINITY)),
        (-1.0..1.0_f64).prop_map(|hi| (f64::NEG_INFINITY, hi)),
        (-1.0..1.0_f64, 0.0..1.0_f64).prop_map(|(lo, width)| (lo, lo + width)),
        (-1.0..1.0_f64).prop_map(|at| (at, at)),
    ]
}

/// Positive definite with boxes; a skew part makes it non-symmetric (but still a P matrix).
fn boxed() -> impl Strategy<Value = Owned> {
    (1..14_usize, prop::bool::ANY).prop_flat_map(|(n, symmetric)| {
        (entries(n * n), entries(n * n), entries(n), prop::collection::vec(bounds(), n)).prop_map(
            move |(g, s, offset, boxes)| {
                let mut matrix = gram(&g, n, n, 0.2);
                if !symmetric {
                    for i in 0..n {
                        for j in 0..i {
                            matrix[i * n + j] += s[i * n + j];
                            matrix[j * n + i] -= s[i * n + j];
                        }
                    }
                }
                let (lower, upper) = boxes.into_iter().unzip();
                Owned { matrix, offset, lower, upper, index: vec![None; n], coefficient: vec![0.0; n] }
            },
        )
    })
}

/// Contacts of a normal and two tangents each. Friction up to 0.5.
fn contacts() -> impl Strategy<Value = Owned> {
    (1..6_usize).prop_flat_map(|contacts| {
        let n = 3 * contacts;
        (entries(n * n), entries(n), prop::collection::vec(0.0..0.5_f64, contacts)).prop_map(
            move |(g, offset, mu)| Owned {
                matrix: gram(&g, n, n, 0.5),
                offset,
                lower: vec![0.0; n],
                upper: vec![f64::INFINITY; n],
                index: (0..n).map(|i| (i % 3 != 0).then_some(i - i % 3)).collect(),
                coefficient: (0..n).map(|i| if i % 3 == 0 { 0.0 } else { mu[i / 3] }).collect(),
            },
        )
    })
}

fn dantzig(owned: &Owned) -> (Report, Vec<f64>) {
    let mut x = vec![0.0; owned.len()];
    (Dantzig::default().solve(&owned.view(), &mut x), x)
}

fn lemke(owned: &Owned) -> (Report, Vec<f64>) {
    let mut x = vec![0.0; owned.len()];
    (Lemke::default().solve(&owned.view(), &mut x), x)
}

fn patient() -> PgsOptions {
    PgsOptions { max_sweeps: 50_000, tolerance: 1e-11, ..PgsOptions::default() }
}

fn pgs(owned: &Owned, options: PgsOptions) -> (Report, Vec<f64>) {
    let mut x = vec![0.0; owned.len()];
    (Pgs::new(options).solve(&owned.view(), &mut x), x)
}

/// The conditions themselves, spelled out row by row rather than through the residual.
fn check_conditions(owned: &Owned, x: &[f64]) -> Result<(), TestCaseError> {
    let problem = owned.view();
    let mut w = vec![0.0; x.len()];
    problem.slack(x, &mut w);
    let near = TOLERANCE * (1.0 + largest(x));
    for i in 0..x.len() {
        let (lo, hi) = problem.bounds(i, x);
        prop_assert!(lo - near <= x[i] && x[i] <= hi + near, "row {i}: {} outside [{lo}, {hi}]", x[i]);
        let (at_lower, at_upper) = (x[i] - lo <= near, hi - x[i] <= near);
        prop_assert!(at_lower || w[i] <= near, "row {i}: w = {} off the lower bound", w[i]);
        prop_assert!(at_upper || w[i] >= -near, "row {i}: w = {} off the upper bound", w[i]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn all_three_agree_on_definite_problems(owned in plain()) {
        let (report_d, x_d) = dantzig(&owned);
        let (report_l, x_l) = lemke(&owned);
        let (report_p, x_p) = pgs(&owned, patient());
        for report in [report_d, report_l, report_p] {
            prop_assert_eq!(report.status, Status::Solved);
        }
        check_conditions(&owned, &x_d)?;
        prop_assert!(largest_difference(&x_d, &x_l) <= TOLERANCE * (1.0 + largest(&x_d)));
        prop_assert!(largest_difference(&x_d, &x_p) <= TOLERANCE * (1.0 + largest(&x_d)));
    }

    #[test]
    fn direct_solvers_agree_on_boxes_of_every_kind(owned in boxed()) {
        let (report_d, x_d) = dantzig(&owned);
        let (report_l, x_l) = lemke(&owned);
        prop_assert_eq!(report_d.status, Status::Solved);
        prop_assert_eq!(report_l.status, Status::Solved);
        check_conditions(&owned, &x_d)?;
        check_conditions(&owned, &x_l)?;
        prop_assert!(largest_difference(&x_d, &x_l) <= TOLERANCE * (1.0 + largest(&x_d)));
    }

    #[test]
    fn redundant_contacts_have_one_w(owned in redundant()) {
        let (report_d, x_d) = dantzig(&owned);
        let (report_l, x_l) = lemke(&owned);
        prop_assert_eq!(report_d.status, Status::Solved, "{:?}", report_d);
        prop_assert_eq!(report_l.status, Status::Solved, "{:?}", report_l);
        check_conditions(&owned, &x_d)?;
        check_conditions(&owned, &x_l)?;
        let (mut w_d, mut w_l) = (vec![0.0; owned.len()], vec![0.0; owned.len()]);
        owned.view().slack(&x_d, &mut w_d);
        owned.view().slack(&x_l, &mut w_l);
        prop_assert!(largest_difference(&w_d, &w_l) <= TOLERANCE * (1.0 + largest(&x_d)));
    }

    #[test]
    fn friction_stays_within_the_normal_force(owned in contacts()) {
        for (report, x) in [dantzig(&owned), lemke(&owned), pgs(&owned, patient())] {
            prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
            check_conditions(&owned, &x)?;
        }
        let blocks = PgsOptions { friction: Friction::Pyramid, ..patient() };
        let (report, x) = pgs(&owned, blocks);
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        check_conditions(&owned, &x)?;
    }

    #[test]
    fn cone_friction_is_in_the_disc_and_opposes_sliding(owned in contacts()) {
        let (report, x) = pgs(&owned, PgsOptions { friction: Friction::Cone, ..patient() });
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        let mut w = vec![0.0; x.len()];
        owned.view().slack(&x, &mut w);
        for n in (0..x.len()).step_by(3) {
            let radius = owned.coefficient[n + 1] * x[n];
            let size = x[n + 1].hypot(x[n + 2]);
            let speed = w[n + 1].hypot(w[n + 2]);
            prop_assert!(x[n] >= 0.0 && w[n] >= -TOLERANCE && x[n] * w[n] <= TOLERANCE);
            prop_assert!(size <= radius + TOLERANCE);
            // Sliding: the friction is full, and its power is -|f| |w|.
            if speed > 1e-6 {
                prop_assert!(radius - size <= TOLERANCE);
                let power = x[n + 1] * w[n + 1] + x[n + 2] * w[n + 2];
                prop_assert!(power + size * speed <= TOLERANCE, "power {power}, |f| |w| {}", size * speed);
            }
        }
    }

    #[test]
    fn a_warm_start_at_the_solution_needs_one_sweep(owned in contacts()) {
        let mut solver = Pgs::new(patient());
        let mut x = vec![0.0; owned.len()];
        solver.solve(&owned.view(), &mut x);
        let solution = x.clone();
        solver.options.tolerance = 1e-9;
        let report = solver.solve(&owned.view(), &mut x);
        prop_assert_eq!((report.status, report.iterations), (Status::Solved, 1));
        prop_assert!(largest_difference(&x, &solution) <= 1e-9);
    }

    #[test]
    fn symmetric_sweeps_and_relaxation_reach_the_same_x(owned in plain(), relaxation in 0.7..1.5_f64) {
        let (_, exact) = dantzig(&owned);
        let options = PgsOptions { relaxation, sweep: Sweep::Symmetric, ..patient() };
        let (report, x) = pgs(&owned, options);
        prop_assert_eq!(report.status, Status::Solved, "{:?}", report);
        prop_assert!(largest_difference(&x, &exact) <= TOLERANCE * (1.0 + largest(&exact)));
    }

    /// Two rows that ask for opposite motions of the same quantity: A (e₀ + e₁) = 0, b₀ + b₁ < 0.
    #[test]
    fn opposing_rows_are_infeasible(mut owned in redundant(), gap in 0.01..1.0_f64) {
        let n = owned.len();
        let column: Vec<f64> = (0..n).map(|j| owned.matrix[j]).collect();
        prop_assume!(largest(&column) > 0.01);
        for j in 0..n {
            owned.matrix[n + j] = -column[j];
        }
        for i in 0..n {
            owned.matrix[i * n + 1] = -owned.matrix[i * n];
        }
        owned.offset[1] = -owned.offset[0] - gap;
        prop_assert_eq!(dantzig(&owned).0.status, Status::Infeasible);
        prop_assert_eq!(lemke(&owned).0.status, Status::Infeasible);
        let options = PgsOptions { max_sweeps: 20, diagnose: true, ..PgsOptions::default() };
        prop_assert_eq!(pgs(&owned, options).0.status, Status::Infeasible);
    }

    /// The same among up to thirty rows with more freedoms than rows, some a few times the size of others: pivots on what depends to rounding led far away.
    #[test]
    fn opposing_rows_among_many_are_infeasible(
        (n, numbers) in (2..30_usize).prop_flat_map(|n| (Just(n), prop::collection::vec(-8..9_i32, n * (n + 2)))),
        scales in prop::collection::vec(0..5_i32, 30),
        turn in 0..30_usize,
    ) {
        let d = n + 1;
        let mut rows: Vec<Vec<f64>> = numbers.chunks(d).take(n).map(|row| row.iter().map(|&k| f64::from(k) / 8.0).collect()).collect();
        prop_assume!(rows[0].iter().any(|&x| x != 0.0));
        rows[1] = rows[0].iter().map(|x| -x).collect();
        let size = |k: usize| 2_f64.powi(scales[k] - 2);
        let mut offset: Vec<f64> = numbers[n * d..].iter().map(|&k| f64::from(k) / 8.0).collect();
        (offset[0], offset[1]) = (-size(0), 0.5 * size(1));
        for (k, row) in rows.iter_mut().enumerate() {
            row.iter_mut().for_each(|x| *x *= size(k));
        }
        rows.rotate_left(turn % n);
        offset.rotate_left(turn % n);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let matrix: Vec<Vec<f64>> = rows.iter().map(|a| rows.iter().map(|b| dot(a, b)).collect()).collect();
        let owned = Owned::plain(&matrix.iter().map(Vec::as_slice).collect::<Vec<_>>(), &offset);
        prop_assert_eq!(dantzig(&owned).0.status, Status::Infeasible);
        prop_assert_eq!(lemke(&owned).0.status, Status::Infeasible);
    }

    /// A convex objective that falls forever along a free direction A does not see.
    #[test]
    fn an_objective_unbounded_below_is_infeasible(owned in plain(), pull in 0.01..1.0_f64, sign in prop::bool::ANY) {
        let n = owned.len();
        let mut wider = owned.clone();
        wider.matrix = (0..(n + 1) * (n + 1))
            .map(|e| (e / (n + 1), e % (n + 1)))
            .map(|(i, j)| if i < n && j < n { owned.matrix[i * n + j] } else { 0.0 })
            .collect();
        wider.offset.push(if sign { pull } else { -pull });
        wider.lower.push(f64::NEG_INFINITY);
        wider.upper.push(f64::INFINITY);
        wider.index.push(None);
        wider.coefficient.push(0.0);
        prop_assert_eq!(dantzig(&wider).0.status, Status::Infeasible);
        prop_assert_eq!(lemke(&wider).0.status, Status::Infeasible);
    }

    /// The answer to a problem does not depend on what the workspace solved before.
    #[test]
    fn a_used_workspace_gives_the_same_bits(first in boxed(), second in contacts()) {
        let (mut dantzig_used, mut lemke_used) = (Dantzig::default(), Lemke::default());
        let mut pgs_used = Pgs::new(PgsOptions::default());
        let mut scratch = vec![0.0; first.len()];
        dantzig_used.solve(&first.view(), &mut scratch);
        lemke_used.solve(&first.view(), &mut scratch);
        pgs_used.solve(&first.view(), &mut scratch);

        let mut x = vec![0.0; second.len()];
        prop_assert_eq!((dantzig_used.solve(&second.view(), &mut x), x.clone()), dantzig(&second));
        prop_assert_eq!((lemke_used.solve(&second.view(), &mut x), x.clone()), lemke(&second));
        x.fill(0.0);
        prop_assert_eq!((pgs_used.solve(&second.view(), &mut x), x.clone()), pgs(&second, PgsOptions::default()));
    }
}

/// Rows 0 and 1 contradict each other, row 2 is row 0 but for 10⁻⁷: what a small pivot leaves of rounding is no way out.
#[test]
fn opposing_rows_beside_a_nearly_dependent_one_are_infeasible() {
    let (a, b, c) = (0.5479090974710632, 0.3986031563647484, 0.28998340272271683);
    let owned = Owned {
        matrix: vec![a, -a, b, -a, a, -b, b, -b, c],
        offset: vec![-0.5746123004479544, 0.04844930286259053, -0.417853939786196],
        lower: vec![0.0; 3],
        upper: vec![f64::INFINITY; 3],
        index: vec![None; 3],
        coefficient: vec![0.0; 3],
    };
    assert_eq!(dantzig(&owned).0.status, Status::Infeasible);
    assert_eq!(lemke(&owned).0.status, Status::Infeasible);
}
