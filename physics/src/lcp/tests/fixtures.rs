//! The reference problems (part D of the reference fixtures: constructed, with known solution or status)
//! through every solver that applies.

use std::path::PathBuf;

use serde_json::Value;

use super::super::{Dantzig, Friction, Lemke, Pgs, PgsOptions, Report, Status};
use super::{Owned, largest, largest_difference};

struct Fixture {
    name: String,
    problem: Owned,
    status: Status,
    x: Vec<f64>,
    w: Vec<f64>,
    compare: String,
    pgs_sweeps: Option<u64>,
}

fn fixtures() -> Option<Vec<Fixture>> {
    let shared = std::env::var_os("STUNTLAB_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = shared.join("reference/lcp/lcp.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no reference problems at {}", path.display());
        return None;
    };
    let file: Value = serde_json::from_str(&text).unwrap();
    Some(file["problems"].as_array().unwrap().iter().map(read).collect())
}

fn numbers(value: &Value, missing: f64) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(missing)).collect()
}

fn read(value: &Value) -> Fixture {
    let n = value["n"].as_u64().unwrap() as usize;
    let rows = value["M"].as_array().unwrap();
    let index = value.get("friction_index").map_or_else(
        || vec![None; n],
        |list| list.as_array().unwrap().iter().map(|f| usize::try_from(f.as_i64().unwrap()).ok()).collect(),
    );
    let expected = &value["expected"];
    let status = match expected["status"].as_str().unwrap() {
        "solved" => Status::Solved,
        "infeasible" => Status::Infeasible,
        "no_solution" => Status::NoSolution,
        other => panic!("unknown status {other}"),
    };
    let known = |key: &str| expected.get(key).map_or_else(Vec::new, |list| numbers(list, f64::NAN));
    Fixture {
        name: value["name"].as_str().unwrap().to_owned(),
        problem: Owned {
            matrix: rows.iter().flat_map(|row| numbers(row, f64::NAN)).collect(),
            offset: numbers(&value["q"], f64::NAN),
            lower: numbers(&value["lo"], f64::NEG_INFINITY),
            upper: numbers(&value["hi"], f64::INFINITY),
            index,
            coefficient: value
                .get("friction_coefficient")
                .map_or_else(|| vec![0.0; n], |mu| numbers(mu, f64::NAN)),
        },
        status,
        x: known("x"),
        w: known("w"),
        compare: value["compare"].as_str().unwrap().to_owned(),
        pgs_sweeps: value["pgs_iterations_to_1e-8"].as_u64(),
    }
}

/// What a fixture asks to compare; `None` when it is right.
fn complaint(fixture: &Fixture, report: Report, x: &[f64], tolerance: f64) -> Option<String> {
    let name = &fixture.name;
    if report.status != fixture.status {
        return Some(format!("{name}: {report:?}, expected {:?}", fixture.status));
    }
    let (got, want): (Vec<f64>, &[f64]) = match fixture.compare.as_str() {
        "x" => (x.to_vec(), &fixture.x),
        "w" => {
            let mut w = vec![0.0; x.len()];
            fixture.problem.view().slack(x, &mut w);
            (w, &fixture.w)
        }
        "residual" => (vec![fixture.problem.view().residual(x)], &[0.0]),
        _ => return None,
    };
    let error = largest_difference(&got, want) / largest(want).max(1.0);
    (error.is_nan() || error > tolerance)
        .then(|| format!("{name}: {} off by {error:e}, {report:?}", fixture.compare))
}

/// Runs all fixtures that `applies` to and asserts that none is wrong.
fn check(
    solver: &str,
    tolerance: f64,
    applies: fn(&Fixture) -> bool,
    mut solve: impl FnMut(&Owned, &mut [f64]) -> Report,
) {
    let Some(fixtures) = fixtures() else { return };
    let mut complaints = Vec::new();
    let mut tried = 0;
    for fixture in fixtures.iter().filter(|f| applies(f)) {
        let mut x = vec![0.0; fixture.problem.len()];
        let report = solve(&fixture.problem, &mut x);
        complaints.extend(complaint(fixture, report, &x, tolerance));
        tried += 1;
    }
    println!("{solver}: {} of {tried} right ({} fixtures)", tried - complaints.len(), fixtures.len());
    assert!(complaints.is_empty(), "{solver}:\n{}", complaints.join("\n"));
}

#[test]
fn dantzig_solves_every_fixture() {
    let mut solver = Dantzig::default();
    check("dantzig", 1e-9, |_| true, |p, x| solver.solve(&p.view(), x));
}

#[test]
fn lemke_solves_every_fixture() {
    let mut solver = Lemke::default();
    check("lemke", 1e-9, |_| true, |p, x| solver.solve(&p.view(), x));
}

#[test]
fn direct_solvers_solve_friction_fixtures_with_bounds_held_fixed() {
    let hold = |p: &Owned| Owned { index: vec![None; p.len()], ..p.clone() };
    let (mut dantzig, mut lemke) = (Dantzig::default(), Lemke::default());
    check(
        "dantzig, bounds held",
        1e-9,
        |f| f.name.starts_with("friction"),
        |p, x| dantzig.solve(&hold(p).view(), x),
    );
    check(
        "lemke, bounds held",
        1e-9,
        |f| f.name.starts_with("friction"),
        |p, x| lemke.solve(&hold(p).view(), x),
    );
}

/// Where plain Gauss–Seidel is known to converge it must, and where nothing solves the problem it must say so.
#[test]
fn pgs_solves_every_fixture_it_converges_on() {
    for friction in [Friction::Rows, Friction::Pyramid] {
        let options = PgsOptions {
            max_sweeps: 100_000,
            tolerance: 1e-11,
            friction,
            diagnose: true,
            ..PgsOptions::default()
        };
        let mut solver = Pgs::new(options);
        // x is as far off as the residual times the condition of the matrix, which reaches some 1e3 here.
        let applies = |f: &Fixture| f.pgs_sweeps.is_some() || f.status == Status::Infeasible;
        check("pgs", 1e-7, applies, |p, x| solver.solve(&p.view(), x));
    }
}

/// The fixtures tell how many sweeps textbook Gauss–Seidel takes (in steps of ten above twenty or so).
#[test]
fn pgs_takes_as_many_sweeps_as_the_textbook() {
    let Some(fixtures) = fixtures() else { return };
    let mut solver = Pgs::new(PgsOptions { max_sweeps: 20_000, ..PgsOptions::default() });
    for fixture in &fixtures {
        let Some(sweeps) = fixture.pgs_sweeps else { continue };
        let mut x = vec![0.0; fixture.problem.len()];
        let report = solver.solve(&fixture.problem.view(), &mut x);
        assert!(
            report.iterations as u64 <= sweeps + sweeps / 10 + 2,
            "{}: {report:?}, textbook {sweeps}",
            fixture.name
        );
    }
}
