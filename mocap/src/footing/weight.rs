//! Where the weight goes: a motion whose centre of mass a body could have.
//!
//! Nothing holds a tracked body up in flight, and what carries it forward is friction. A recording that was smoothed, put on another
//! figure or drawn by hand asks for more: it hovers in flight, brakes a rise with the feet on the ground, or lurches forward at three times
//! what friction gives. The body that follows it takes off too slowly, lands early on a foot that still swings, and skates. So the
//! centre of mass `c` is brought near to a way that could be: with `k` the load, in units of mass,
//!
//! ```text
//! k = c̈ + g,   0 in flight;   k_z from LEAST to MOST, |k_xy| ≤ μ k_z, its own mean over 0.1 s where feet bear     (4)
//! Σ |d|²/D² + Σ |c̈ + d̈ - a|²/A² → min,   d: by how much c is moved, a: the nearest acceleration that fits (4)    (5)
//! ```
//!
//! taken in turns: `a` from (4), then `d` from (5), a banded linear problem. What other parts than feet bear is left alone. (After the
//! momentum constraints of Liu & Popović, *Synthesis of Complex Dynamic Character Motion from Simple Animations*, 2002; the turn of the body is left alone.)

use glam::DVec3;

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;
/// Half of the time over which an acceleration is judged, s: recordings are smoothed at 12 Hz.
const SPAN: f64 = 0.02;
/// Share of the weight beyond which a body is carried.
const CARRIED: f64 = 0.5;
/// Bounds of the upward load of a body on its feet, of the weight: a runner's is 2.5 to 3.
const LEAST: f64 = 0.3;
const MOST: f64 = 3.0;
/// μ: what is asked of friction, less than the 0.8 of usual ground so that some is left for balance.
const FRICTION: f64 = 0.5;
/// Half of the time over which a load is its own mean, s: muscles do not push, let go and push again within a tenth of a second.
const EVEN: f64 = 0.05;
/// D, m: a centimetre or two are nothing …
const DISTANCE: f64 = 0.03;
/// … A, m/s²: beside an acceleration that is off by a tenth of gravity, on the feet and in flight.
const ACCELERATION: [f64; 2] = [1.0, 0.3];
/// Smoothness of `d` where nothing is asked, m/s².
const SMOOTH: f64 = 10.0;
/// Turns between (4) and (5): bounds are met to a few hundredths of gravity.
const TURNS: usize = 60;
/// The farthest that the centre of mass is moved, m: what is farther off is another motion.
const FARTHEST: f64 = 0.12;

/// What bears a body in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bearer {
    /// Nothing.
    Flight,
    /// Soles.
    Feet,
    /// Something else, or nobody knows what.
    Other,
}

/// Second differences over `k` frames to each side, m/s²; at the ends those of the nearest frame that has them.
fn acceleration(way: &[DVec3], k: usize, frame_time: f64) -> Vec<DVec3> {
    let n = way.len();
    if n < 2 * k + 1 {
        return vec![DVec3::ZERO; n];
    }
    let at = |f: usize| {
        let f = f.clamp(k, n - 1 - k);
        (way[f + k] - 2.0 * way[f] + way[f - k]) / (k as f64 * frame_time).powi(2)
    };
    (0..n).map(at).collect()
}

/// Whether somebody carries the body whose centre of mass goes this way, frame by frame.
pub(super) fn carried(center: &[DVec3], frame_time: f64) -> Vec<bool> {
    let k = ((SPAN / frame_time).round() as usize).max(1);
    acceleration(center, k, frame_time).iter().map(|a| a.z > (CARRIED - 1.0) * GRAVITY).collect()
}

/// What bears, where soles or other parts touch: frames without either are flight if the body falls on the whole.
pub(super) fn bearers(center: &[DVec3], frame_time: f64, soles: &[bool], others: &[bool]) -> Vec<Bearer> {
    let mut bearers: Vec<Bearer> = soles
        .iter()
        .zip(others)
        .map(|(sole, other)| if *other || !*sole { Bearer::Other } else { Bearer::Feet })
        .collect();
    let free: Vec<bool> = soles.iter().zip(others).map(|(sole, other)| !sole && !other).collect();
    for run in crate::contacts::intervals(&free) {
        // Both ends are in sight, and the rise is lost as fast as gravity takes it, or nearly.
        if run.start == 0 || run.end == center.len() || run.len() < 2 {
            continue;
        }
        let rate = |f: usize| (center[f].z - center[f - 1].z) / frame_time;
        let fall = (rate(run.end) - rate(run.start)) / (run.len() as f64 * frame_time);
        if fall < (CARRIED - 1.0) * GRAVITY {
            bearers[run].fill(Bearer::Flight);
        }
    }
    bearers
}

/// The nearest acceleration that fits (4).
fn possible(a: DVec3, bearer: Bearer) -> DVec3 {
    match bearer {
        Bearer::Flight => -GRAVITY * DVec3::Z,
        Bearer::Other => a,
        Bearer::Feet => {
            let up = (a.z + GRAVITY).clamp(LEAST * GRAVITY, MOST * GRAVITY);
            let along = a.truncate().clamp_length_max(FRICTION * up);
            along.extend(up - GRAVITY)
        }
    }
}

/// Means over `k` frames to each side, as far as the same bears there.
fn evened(values: &[DVec3], bearers: &[Bearer], k: usize) -> Vec<DVec3> {
    let mut means = values.to_vec();
    let bears: Vec<bool> = bearers.iter().map(|b| *b == Bearer::Feet).collect();
    for run in crate::contacts::intervals(&bears) {
        for f in run.clone() {
            let near = run.start.max(f.saturating_sub(k))..run.end.min(f + k + 1);
            means[f] = values[near.clone()].iter().sum::<DVec3>() / near.len() as f64;
        }
    }
    means
}

/// By how much the centre of mass is to be moved in every frame: (5).
pub(super) fn moves(center: &[DVec3], frame_time: f64, bearers: &[Bearer]) -> Vec<DVec3> {
    let n = center.len();
    if n < 5 || !bearers.contains(&Bearer::Flight) && !bearers.contains(&Bearer::Feet) {
        return vec![DVec3::ZERO; n];
    }
    let per_step = frame_time.powi(-2);
    let weight = |f: usize| match bearers[f] {
        Bearer::Feet => ACCELERATION[0].powi(-2),
        Bearer::Flight => ACCELERATION[1].powi(-2),
        Bearer::Other => SMOOTH.powi(-2),
    };
    // Rows of the normal equations of (5): the diagonal and two beside it.
    let mut band = vec![[DISTANCE.powi(-2), 0.0, 0.0]; n];
    let stencil = [per_step, -2.0 * per_step, per_step];
    for f in 1..n - 1 {
        for i in 0..3 {
            for j in 0..=i {
                band[f - 1 + i][i - j] += weight(f) * stencil[i] * stencil[j];
            }
        }
    }
    factor(&mut band);
    let recorded = acceleration(center, 1, frame_time);
    let mut moves = vec![DVec3::ZERO; n];
    let k = (EVEN / frame_time).round() as usize;
    for _ in 0..TURNS {
        let moved: Vec<DVec3> =
            acceleration(&moves, 1, frame_time).iter().zip(&recorded).map(|(d, a)| *d + *a).collect();
        let even = evened(&moved, bearers, k);
        let mut right = vec![DVec3::ZERO; n];
        for f in 1..n - 1 {
            // Where nobody knows what bears, the move itself is to be smooth.
            let wanted = possible(even[f], bearers[f]) - recorded[f];
            let wanted = if bearers[f] == Bearer::Other { DVec3::ZERO } else { wanted };
            for (i, s) in stencil.iter().enumerate() {
                right[f - 1 + i] += weight(f) * *s * wanted;
            }
        }
        solve(&band, &mut right);
        moves = right;
    }
    moves.iter_mut().for_each(|d| *d = d.clamp_length_max(FARTHEST));
    moves
}

/// `L Lᵀ` of a matrix with two bands beside its diagonal, in place: `band[i][k]` is in row i, k columns before the diagonal.
fn factor(band: &mut [[f64; 3]]) {
    for i in 0..band.len() {
        if i > 1 {
            band[i][2] /= band[i - 2][0];
        }
        if i > 0 {
            band[i][1] = (band[i][1] - band[i][2] * band[i - 1][1]) / band[i - 1][0];
        }
        band[i][0] = (band[i][0] - band[i][1].powi(2) - band[i][2].powi(2)).max(1e-12).sqrt();
    }
}

fn solve(band: &[[f64; 3]], b: &mut [DVec3]) {
    let n = b.len();
    for i in 0..n {
        for k in 1..=2.min(i) {
            let before = b[i - k];
            b[i] -= before * band[i][k];
        }
        b[i] /= band[i][0];
    }
    for i in (0..n).rev() {
        for k in 1..=2.min(n - 1 - i) {
            let after = b[i + k];
            b[i] -= after * band[i + k][k];
        }
        b[i] /= band[i][0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: f64 = 1.0 / 120.0;

    /// A hop: stands, rises at once, hovers for 0.3 s, stands.
    fn hovering() -> (Vec<DVec3>, Vec<Bearer>) {
        let height = |f: usize| if (60..96).contains(&f) { 0.05 } else { 0.0 };
        let center = (0..156).map(|f| DVec3::new(0.0, 0.0, 0.9 + height(f))).collect();
        let bearers = (0..156).map(|f| if (60..96).contains(&f) { Bearer::Flight } else { Bearer::Feet });
        (center, bearers.collect())
    }

    #[test]
    fn flights_become_parabolas_and_feet_push_before_them() {
        let (center, bearers) = hovering();
        let moves = moves(&center, FRAME, &bearers);
        let way: Vec<DVec3> = center.iter().zip(&moves).map(|(c, d)| *c + *d).collect();
        let load = |frames: std::ops::Range<usize>| {
            let a = acceleration(&way, 1, FRAME);
            let sum: f64 = a[frames.clone()].iter().map(|a| a.z / GRAVITY + 1.0).sum();
            sum / frames.len() as f64
        };
        assert!(load(63..93).abs() < 0.1, "load in flight {}", load(63..93));
        assert!(load(30..58) > 1.15, "load before it {}", load(30..58));
        assert!(
            moves.iter().all(|d| d.truncate().length() < 1e-9),
            "nothing asks for a way along the ground"
        );
    }

    #[test]
    fn what_a_body_can_do_is_left_alone() {
        // Sways by 2 cm at 1 Hz: 0.8 m/s².
        let sway = |f: usize| 0.02 * (f as f64 * FRAME * std::f64::consts::TAU).sin();
        let center: Vec<DVec3> = (0..240).map(|f| DVec3::new(sway(f), 0.0, 0.9)).collect();
        let moves = moves(&center, FRAME, &[Bearer::Feet; 240]);
        assert!(moves.iter().all(|d| d.length() < 0.002), "moved by up to 2 mm");
    }

    #[test]
    fn a_lurch_is_brought_within_friction() {
        // 0.3 m forward within 0.2 s: 30 m/s² to and fro.
        let place = |f: usize| 0.3 * crate::edit::fade_weight(90_usize.saturating_sub(f).min(24), 24);
        let center: Vec<DVec3> = (0..156).map(|f| DVec3::new(place(f), 0.0, 0.9)).collect();
        let most = |way: &[DVec3]| {
            acceleration(way, 3, FRAME).iter().map(|a| a.truncate().length()).fold(0.0, f64::max)
        };
        let moved: Vec<DVec3> =
            center.iter().zip(moves(&center, FRAME, &[Bearer::Feet; 156])).map(|(c, d)| *c + d).collect();
        assert!(most(&moved) < 0.5 * most(&center), "{} of {}", most(&moved), most(&center));
    }
}
