//! Small problems with known answers, and the ends of what the solvers are asked.

use super::super::{Dantzig, Friction, Lemke, Pgs, PgsOptions, Problem, ProblemError, Status};
use super::Owned;

fn statuses(owned: &Owned) -> [Status; 3] {
    let problem = owned.view();
    let mut x = vec![0.0; owned.len()];
    let options = PgsOptions { diagnose: true, ..PgsOptions::default() };
    [
        Dantzig::default().solve(&problem, &mut x).status,
        Lemke::default().solve(&problem, &mut x).status,
        Pgs::new(options).solve(&problem, &mut x).status,
    ]
}

#[test]
fn nothing_to_solve_is_solved() {
    assert_eq!(statuses(&Owned::default()), [Status::Solved; 3]);
}

#[test]
fn a_row_that_nothing_can_lift_is_infeasible() {
    assert_eq!(statuses(&Owned::plain(&[&[0.0]], &[-1.0])), [Status::Infeasible; 3]);
}

#[test]
fn a_row_that_sinks_when_pushed_is_infeasible() {
    assert_eq!(statuses(&Owned::plain(&[&[-2.0]], &[-1.0])), [Status::Infeasible; 3]);
}

#[test]
fn feasible_without_complementarity_has_no_solution() {
    // w₀ = x₁ - 1 needs x₁ ≥ 1, but w₁ = 1 forbids it.
    let owned = Owned::plain(&[&[0.0, 1.0], &[0.0, 0.0]], &[-1.0, 1.0]);
    let [dantzig, lemke, pgs] = statuses(&owned);
    assert_eq!([dantzig, lemke], [Status::NoSolution; 2]);
    // Sweeping finds no solution either, and does not claim more than that.
    assert_eq!(pgs, Status::MaxIterations);
}

#[test]
fn doubled_pins_are_solved_and_contradicting_ones_reported() {
    let mut owned = Owned::plain(&[&[2.0, 2.0], &[2.0, 2.0]], &[-3.0, -3.0]);
    owned.lower = vec![f64::NEG_INFINITY; 2];
    assert_eq!(statuses(&owned), [Status::Solved; 3]);
    owned.offset[1] = -2.0;
    assert_eq!(statuses(&owned), [Status::Infeasible; 3]);
}

/// Plain principal pivoting cycles here and Gauss–Seidel diverges; the driving rule does not care.
#[test]
fn a_cyclic_p_matrix_is_solved_by_the_direct_solvers() {
    let owned = Owned::plain(&[&[1.0, 2.0, 0.0], &[0.0, 1.0, 2.0], &[2.0, 0.0, 1.0]], &[-1.0, -1.0, -1.0]);
    let mut x = vec![0.0; 3];
    for status in &statuses(&owned)[..2] {
        assert_eq!(*status, Status::Solved);
    }
    Dantzig::default().solve(&owned.view(), &mut x);
    for v in x {
        assert!((v - 1.0 / 3.0).abs() < 1e-15);
    }
}

/// A block of unit mass pushed sideways on the ground: sticks below mu, slides at mu above it.
#[test]
fn a_block_sticks_or_slides() {
    for (push, expected) in [(0.3, -0.3), (0.9, -0.5)] {
        let mut owned =
            Owned::plain(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]], &[-1.0, push, 0.0]);
        owned.index = vec![None, Some(0), Some(0)];
        owned.coefficient = vec![0.0, 0.5, 0.5];
        let problem = owned.view();
        for friction in [Friction::Rows, Friction::Pyramid, Friction::Cone] {
            let mut x = vec![0.0; 3];
            let report = Pgs::new(PgsOptions { friction, ..PgsOptions::default() }).solve(&problem, &mut x);
            assert_eq!((report.status, x), (Status::Solved, vec![1.0, expected, 0.0]));
        }
        let mut x = vec![0.0; 3];
        assert_eq!(Dantzig::default().solve(&problem, &mut x).status, Status::Solved);
        assert_eq!(x, [1.0, expected, 0.0]);
    }
}

/// Pushed along the diagonal the square of the pyramid holds √2 times what the disc does.
#[test]
fn the_cone_is_round_and_the_pyramid_is_not() {
    let mut owned = Owned::plain(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]], &[-1.0, 5.0, 5.0]);
    owned.index = vec![None, Some(0), Some(0)];
    owned.coefficient = vec![0.0, 0.5, 0.5];
    let friction_force = |friction| {
        let mut x = vec![0.0; 3];
        Pgs::new(PgsOptions { friction, ..PgsOptions::default() }).solve(&owned.view(), &mut x);
        f64::hypot(x[1], x[2])
    };
    assert!((friction_force(Friction::Cone) - 0.5).abs() < 1e-15);
    assert!((friction_force(Friction::Pyramid) - 0.5 * 2.0_f64.sqrt()).abs() < 1e-15);
}

#[test]
fn the_residual_history_has_one_entry_per_sweep_and_ends_at_the_residual() {
    let owned = Owned::plain(&[&[2.0, 1.0], &[1.0, 2.0]], &[-1.0, -1.5]);
    let mut solver = Pgs::new(PgsOptions { record_history: true, ..PgsOptions::default() });
    let mut x = vec![0.0; 2];
    let report = solver.solve(&owned.view(), &mut x);
    assert_eq!(solver.history().len(), report.iterations);
    assert_eq!(solver.history().last(), Some(&report.residual));
    assert!(solver.history()[0] > report.residual);
}

#[test]
fn running_out_of_sweeps_is_said_with_the_residual_left() {
    let owned = Owned::plain(&[&[2.0, 1.9], &[1.9, 2.0]], &[-1.0, -1.0]);
    let mut x = vec![0.0; 2];
    let report = Pgs::new(PgsOptions { max_sweeps: 3, ..PgsOptions::default() }).solve(&owned.view(), &mut x);
    assert_eq!((report.status, report.iterations), (Status::MaxIterations, 3));
    assert_eq!(report.residual, owned.view().residual(&x));
    assert!(report.residual > 1e-3);
}

#[test]
fn bad_numbers_are_refused_by_name() {
    let inf = f64::INFINITY;
    let length = Problem::new(&[1.0; 3], &[0.0; 2], &[0.0; 2], &[inf; 2]).unwrap_err();
    assert_eq!(length.to_string(), "lcp: matrix has 3 entries, 4 were expected");
    let nan = Problem::new(&[1.0, 0.0, f64::NAN, 1.0], &[0.0; 2], &[0.0; 2], &[inf; 2]).unwrap_err();
    assert_eq!(nan, ProblemError::NotFinite { what: "matrix", row: 1 });
    for (lo, hi) in [(1.0, 0.0), (f64::NAN, 0.0), (inf, inf), (-inf, -inf)] {
        let error = Problem::new(&[1.0], &[0.0], &[lo], &[hi]).unwrap_err();
        assert!(matches!(error, ProblemError::EmptyBox { row: 0, .. }), "{lo} {hi}");
    }

    let mut owned = Owned::plain(&[&[1.0, 0.0], &[0.0, 1.0]], &[0.0, 0.0]);
    owned.index = vec![None, Some(2)];
    assert_eq!(owned.try_view().unwrap_err(), ProblemError::FrictionIndex { row: 1, index: 2 });
    owned.index = vec![None, Some(1)];
    assert_eq!(owned.try_view().unwrap_err(), ProblemError::FrictionIndex { row: 1, index: 1 });
    owned.index = vec![None, Some(0)];
    owned.coefficient = vec![0.0, -0.5];
    assert_eq!(
        owned.try_view().unwrap_err(),
        ProblemError::FrictionCoefficient { row: 1, coefficient: -0.5 }
    );
}

/// Rank three in four rows, and the last row's w vanishes while another is driven: its Schur complement is
/// rounding, and taking it for a pivot once gave a wrong answer.
#[test]
fn a_dependent_row_met_at_zero_is_no_pivot() {
    let owned = Owned::plain(
        &[
            &[0.09481078864717961, -0.28352542815352066, 0.26747408685018415, 0.0],
            &[-0.28352542815352066, 1.6075160835709301, -1.5296690815917318, -0.4999630863506488],
            &[0.26747408685018415, -1.5296690815917318, 1.4557122123416457, 0.48031967039894724],
            &[0.0, -0.4999630863506488, 0.48031967039894724, 0.3290494969666238],
        ],
        &[0.14165933004722117, -0.42362291018422044, 0.39964017269374835, 0.0],
    );
    assert_eq!(statuses(&owned)[..2], [Status::Solved; 2]);
}
