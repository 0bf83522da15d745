//! How far a formulation is from itself: pieces of a run at its step against the same formulation at a small one.
//!
//! After Erez, Tassa and Todorov (2015): small steps lead the way; at the start of every piece a copy is taken that goes on with the step
//! under test, and the distance at the end of the piece is what counts. So errors do not pile up, chaos does not hide them, and no
//! engine has to be right for another to be measured.
//!
//! ```text
//! d² = Σ m (|c - c'|² + r² θ²) / Σ m        r² = tr I / (2 m), θ the angle between the two attitudes     (1)
//! ```

use stuntlab_physics::glam::{DMat3, DQuat};
use stuntlab_physics::spatial::rotation;

use super::ask::Cell;
use super::engine::{BodyState, Engine};
use super::setup::{Pieces, Settings, Subject};

/// RMS over the pieces of (1), m; `None` where steps do not fit into pieces or copies cannot be had, infinite where a piece fails.
pub(super) fn measure(subject: &Subject, cell: &Cell, pieces: Pieces) -> Option<f64> {
    let (engine, _) = subject.build(&cell.settings, cell.seed, true).ok()?;
    let dt = engine.dt();
    let mut fine = cell.settings.clone();
    fine.0.push(("rate".to_owned(), format!("{}", pieces.rate)));
    let (reference, _) = subject.build(&Settings(fine.0), cell.seed, true).ok()?;
    against(reference, dt, pieces)
}

fn against(mut reference: Box<dyn Engine>, dt: f64, pieces: Pieces) -> Option<f64> {
    let small = reference.dt();
    let steps = (pieces.length / dt).round().max(1.0);
    let length = steps * dt;
    let small_steps = (length / small).round();
    if (small_steps * small - length).abs() > 1e-9 * length || small > dt {
        return None;
    }
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let mut sum = 0.0;
    for _ in 0..pieces.count {
        let mut copy = reference.fork(dt)?;
        for _ in 0..small_steps as usize {
            // The reference itself fails: nothing to compare with.
            reference.step().ok()?;
        }
        for _ in 0..steps as usize {
            if copy.step().is_err() {
                return Some(f64::INFINITY);
            }
        }
        reference.bodies(&mut theirs);
        copy.bodies(&mut ours);
        sum += square(&ours, &theirs);
    }
    Some((sum / pieces.count as f64).sqrt())
}

/// (1).
fn square(a: &[BodyState], b: &[BodyState]) -> f64 {
    let mass: f64 = a.iter().map(|x| x.mass).sum();
    let of = |(a, b): (&BodyState, &BodyState)| {
        let turn = rotation::log(DQuat::from_mat3(&(a.rotation * b.rotation.transpose())));
        let spread = 0.5 * trace(&a.inertia);
        a.mass * a.center.distance_squared(b.center) + spread * turn.length_squared()
    };
    a.iter().zip(b).map(of).sum::<f64>() / mass
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
