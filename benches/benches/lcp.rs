//! `lcp/<solver>/<rows>`: boxed problems as contact makes them. Rows come in threes, a normal and two friction rows,
//! and each contact is coupled to its neighbours, as in a stack. Lemke, which knows no friction rows, solves the
//! same matrix with fixed bounds on the tangents.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stuntlab_benches::Random;
use stuntlab_physics::lcp::{Dantzig, DantzigOptions, Lemke, LemkeOptions, Pgs, PgsOptions, Problem};

/// The numbers of a problem.
struct Rows {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    friction: Vec<Option<usize>>,
    coefficient: Vec<f64>,
}

/// `A = B Bᵀ + 0.1` with `B` coupling each contact to the next one; `n` is a multiple of three.
fn rows(n: usize) -> Rows {
    let mut random = Random::new(n as u64);
    let mut b = vec![0.0; n * n];
    for i in 0..n {
        let contact = i / 3;
        for j in (3 * contact)..(3 * contact + 6).min(n) {
            b[i * n + j] = random.symmetric();
        }
        b[i * n + i] += 2.0;
    }
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum();
        }
        matrix[i * n + i] += 0.1;
    }
    let is_normal = |i: usize| i.is_multiple_of(3);
    Rows {
        matrix,
        offset: (0..n).map(|i| random.symmetric() - if is_normal(i) { 1.0 } else { 0.0 }).collect(),
        lower: (0..n).map(|i| if is_normal(i) { 0.0 } else { -1.0 }).collect(),
        upper: (0..n).map(|i| if is_normal(i) { f64::INFINITY } else { 1.0 }).collect(),
        friction: (0..n).map(|i| (!is_normal(i)).then_some(i - i % 3)).collect(),
        coefficient: vec![0.8; n],
    }
}

fn solvers(c: &mut Criterion) {
    let mut group = c.benchmark_group("lcp");
    for n in [12, 48, 120] {
        let r = rows(n);
        let boxed = Problem::new(&r.matrix, &r.offset, &r.lower, &r.upper).expect("a valid problem");
        let rubbing = boxed.with_friction(&r.friction, &r.coefficient).expect("valid friction rows");
        let mut x = vec![0.0; n];
        let mut pgs = Pgs::new(PgsOptions::default());
        group.bench_function(BenchmarkId::new("pgs", n), |b| {
            b.iter(|| {
                x.fill(0.0);
                pgs.solve(&rubbing, &mut x)
            });
        });
        let mut dantzig = Dantzig::new(DantzigOptions::default());
        group.bench_function(BenchmarkId::new("dantzig", n), |b| {
            b.iter(|| {
                x.fill(0.0);
                dantzig.solve(&rubbing, &mut x)
            });
        });
        let mut lemke = Lemke::new(LemkeOptions::default());
        group.bench_function(BenchmarkId::new("lemke", n), |b| {
            b.iter(|| {
                x.fill(0.0);
                lemke.solve(&boxed, &mut x)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, solvers);
criterion_main!(benches);
