//! From a plan to a clip, in passes: the root's way from the supports, feet and hands to their places, then what the
//! placed limbs change in turn (reach, balance, centre of mass in flight), again until nothing moves by a visible amount.

use super::limbs::{REACH, Targets};
use super::path::{Corrections, bend_to_flights, frames, root_path, weight_over};
use super::plan::{Contact, FlightPhase, Part, Plan, ROUNDS};
use super::{Compiled, KeyframeError, PoseBook, Source, angles};
use crate::Clip;
use crate::keyframe::curve::smoother;
use crate::library::skeleton::{N_JOINTS, Placed, SHANK, THIGH, joints_of, masses, skeleton};
use crate::roles::Side;
use glam::{DQuat, DVec3};

/// Passes over the clip.
const N_PASSES: usize = 12;
/// Time over which the root is lowered for a foot out of reach, s.
const LOWERING: f64 = 0.1;
/// Time over which balance sets in, s.
const BALANCE_RAMP: f64 = 0.3;
/// Half the time in which the goal of balance goes from foot to foot, s.
const BALANCE_SHIFT: f64 = 0.15;
/// Half the time over which the balancing shift is averaged, s.
const SMOOTHING: f64 = 0.1;

/// Compiles a plan.
pub(crate) fn compile_plan(
    source: &Source<'_>,
    plan: &Plan,
    tags: &[String],
) -> Result<Compiled, KeyframeError> {
    let n = (plan.duration * plan.rate).round() as usize + 1;
    let skeleton = skeleton();
    let masses = masses();
    let authored: Vec<[DQuat; N_JOINTS]> =
        (0..n).map(|f| angles::rotations(&plan.angles(f as f64 / plan.rate))).collect();
    let at_origin: Vec<Placed> =
        authored.iter().map(|pose| Placed::new(&skeleton, DVec3::ZERO, pose)).collect();
    let mut fixes = Corrections {
        drop: vec![0.0; n],
        steady: vec![DVec3::ZERO; n],
        shift: vec![DVec3::ZERO; n],
        bend: vec![DVec3::ZERO; n],
        center: at_origin.iter().map(|p| p.center_of_mass(&masses)).collect(),
    };
    let mut poses = authored.clone();
    let mut path = Vec::new();
    for pass in 0..N_PASSES {
        path = root_path(plan, &at_origin, &fixes);
        if plan.steady > 0.0 {
            steady(plan, &path, &mut fixes.steady);
            path = root_path(plan, &at_origin, &fixes);
        }
        let placed: Vec<Placed> =
            authored.iter().zip(&path).map(|(pose, &root)| Placed::new(&skeleton, root, pose)).collect();
        let mut targets = Vec::new();
        for side in Side::BOTH {
            targets.push(Targets::new(plan, &placed, side, true));
            targets.push(Targets::new(plan, &placed, side, false));
        }
        poses.clone_from(&authored);
        for (frame, pose) in poses.iter_mut().enumerate() {
            for limb in &targets {
                limb.reach(&skeleton, path[frame], pose, frame);
            }
        }
        let centers: Vec<DVec3> = poses
            .iter()
            .zip(&path)
            .map(|(pose, &root)| Placed::new(&skeleton, root, pose).center_of_mass(&masses))
            .collect();
        fixes.center = centers.iter().zip(&path).map(|(c, p)| *c - *p).collect();
        if pass + 1 < N_PASSES {
            bend_to_flights(plan, &path, &mut fixes.bend);
            balance(plan, &targets, &centers, &mut fixes.shift);
            lower(plan, &targets, &placed, &mut fixes.drop);
        } else {
            exact_flights(plan, &centers, &mut path);
        }
    }
    let first = if plan.looped { (plan.period * plan.rate).round() as usize } else { 0 };
    let last = if plan.looped { 2 * first } else { n - 1 };
    debug_assert!(last < n && ROUNDS == 3);
    // Rounds start at the origin of the ground.
    let start = DVec3 { z: 0.0, ..path[first] };
    let clip = Clip::new(
        source.file.trim_end_matches(".toml"),
        skeleton,
        1.0 / plan.rate,
        path[first..=last].iter().map(|p| *p - start).collect(),
        poses[first..=last].iter().flatten().copied().collect(),
    )
    .map_err(|e| source.error(0, e.to_string()))?;
    let origin = first as f64 / plan.rate;
    let inside = |from: f64, to: f64| from < origin + plan.period - 1e-9 && to > origin + 1e-9;
    let contacts = plan.contacts.iter().filter(|c| inside(c.from, c.to));
    let flights = plan.flights.iter().filter(|f| inside(f.from, f.to));
    Ok(Compiled {
        clip: clip.with_tags(tags.iter().cloned()),
        contacts: contacts.map(|c| Contact { from: c.from - origin, to: c.to - origin, ..*c }).collect(),
        flights: flights.map(|f| FlightPhase { from: f.from - origin, to: f.to - origin, ..*f }).collect(),
        looped: plan.looped,
    })
}

/// Shifts the root so that the centre of mass comes over the middle of the planted feet; after the last moment of
/// balance the shift stays as it is.
fn balance(plan: &Plan, targets: &[Targets], centers: &[DVec3], shift: &mut [DVec3]) {
    let mut held = DVec3::ZERO;
    let mut wanted = vec![DVec3::ZERO; shift.len()];
    let mut balanced = false;
    for (frame, center) in centers.iter().enumerate() {
        let t = frame as f64 / plan.rate;
        let interval = plan.balance.iter().find(|b| (b.from - 1e-9..=b.to + 1e-9).contains(&t));
        let Some(interval) = interval else {
            if balanced {
                held = wanted[frame - 1];
            }
            balanced = false;
            wanted[frame] = held;
            continue;
        };
        balanced = true;
        let share = if interval.from <= 1e-9 { 1.0 } else { smoother((t - interval.from) / BALANCE_RAMP) };
        // Feet count by how firmly they stand, so that the middle moves smoothly from foot to foot.
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for limb in targets.iter().filter(|l| l.is_leg) {
            for contact in &plan.contacts {
                if !matches!(contact.part, Part::Heel(s) | Part::Toe(s) | Part::Foot(s) if s == limb.side) {
                    continue;
                }
                let firm = weight_over(contact, plan, t, BALANCE_SHIFT);
                if let Some(print) = limb.prints[frame] {
                    sum += firm * print;
                    total += firm;
                }
            }
        }
        wanted[frame] = held;
        if total > 1e-6 {
            let goal = sum / total + DVec3::new(interval.shift[0], interval.shift[1], 0.0);
            let needed = shift[frame] + DVec3 { z: 0.0, ..goal - *center };
            wanted[frame] = held.lerp(needed, share);
        }
    }
    let half = (SMOOTHING * plan.rate) as usize;
    for k in 0..shift.len() {
        shift[k] = averaged(&wanted, k, half);
    }
}

/// A body keeps its momentum: what carries it in turns makes its way jerk, so the way is averaged and the legs follow.
/// (The pelvis of a walker speeds up and slows down by a tenth, and rises by four centimetres.)
fn steady(plan: &Plan, path: &[DVec3], steady: &mut [DVec3]) {
    let half = (plan.steady * plan.rate) as usize;
    let bare: Vec<DVec3> = path.iter().zip(&*steady).map(|(p, s)| *p - *s).collect();
    for (k, steady) in steady.iter_mut().enumerate() {
        // No wider than there is way on both sides, so that an even way stays as it is.
        *steady = averaged(&bare, k, half.min(k).min(bare.len() - 1 - k)) - bare[k];
    }
}

/// Average of the neighbours within `half` frames, nearer ones counting more; outside of the ends the end counts.
fn averaged(values: &[DVec3], k: usize, half: usize) -> DVec3 {
    let last = values.len() as isize - 1;
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for d in -(half as isize)..=half as isize {
        let w = 1.0 - (d as f64 / (half + 1) as f64).powi(2);
        sum += w * w * values[(k as isize + d).clamp(0, last) as usize];
        total += w * w;
    }
    sum / total
}

/// Lowers the root where a planted foot is out of reach: the greatest lack nearby, averaged, which is never less than
/// the lack itself.
fn lower(plan: &Plan, targets: &[Targets], placed: &[Placed], drop: &mut [f64]) {
    let n = placed.len();
    let reach = REACH * (THIGH + SHANK);
    let lack: Vec<f64> = (0..n)
        .map(|frame| {
            let missing = targets.iter().filter(|l| l.is_leg && l.planted[frame]).map(|limb| {
                let away = placed[frame].position[joints_of(limb.side).hip] - limb.places[frame];
                let height = (reach * reach - away.truncate().length_squared()).max(0.0).sqrt();
                away.z - height
            });
            missing.fold(0.0, f64::max)
        })
        .collect();
    let half = (LOWERING * plan.rate) as usize;
    let around = |k: usize| k.saturating_sub(half)..(k + half + 1).min(n);
    let greatest: Vec<f64> = (0..n).map(|k| lack[around(k)].iter().copied().fold(0.0, f64::max)).collect();
    for k in 0..n {
        let (mut sum, mut total) = (0.0, 0.0);
        for j in around(k) {
            let w = 1.0 - (j as f64 - k as f64).abs() / (half + 1) as f64;
            sum += w * w * greatest[j];
            total += w * w;
        }
        drop[k] += sum / total;
    }
}

/// Moves flying frames by what the placed limbs left of the difference to free fall, nothing at both ends.
fn exact_flights(plan: &Plan, centers: &[DVec3], path: &mut [DVec3]) {
    for flight in &plan.flights {
        let (a, b) = frames(flight, plan);
        if b >= path.len() {
            continue;
        }
        let duration = (b - a) as f64 / plan.rate;
        for frame in a + 1..b {
            let t = (frame - a) as f64 / plan.rate;
            let fall = 0.5 * super::path::GRAVITY * t * (duration - t);
            let wanted = centers[a].lerp(centers[b], t / duration) + DVec3::Z * fall;
            path[frame] += wanted - centers[frame];
        }
    }
}

/// Compiles a file with poses to fall back on.
pub(crate) fn compile_source(source: &Source<'_>, book: &PoseBook) -> Result<Compiled, KeyframeError> {
    let table = source.read()?;
    let plan = Plan::new(source, &table, book)?;
    compile_plan(source, &plan, &table.tags)
}
