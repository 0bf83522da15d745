//! The way of the root, from what carries the body.
//!
//! A resting point does not move, so the root moves against it: with r_i the place of a support relative to the root,
//!   z = Σ w_i (h_i − r_i,z) / Σ w_i                                                                          (1)
//!   Δxy = −Σ w_i Δr_i,xy / Σ w_i                                                                             (2)
//! where weights w_i rise and fall smoothly at the ends of a contact, h_i is the height of what is rested on, and Δr_i is
//! taken at the material point that touches, so that round parts roll. Knees and trunk carry before feet and hands, because
//! these can be brought to their places afterwards by inverse kinematics. In flight the centre of mass c follows
//!   c(τ) = c₀ + (c₁ − c₀) τ/T + ½ g τ (T − τ) ẑ                                                               (3)
//! and contacts before and after are bent by cubics without offset at both ends until the root's velocities agree.

use super::curve::smoother;
use super::limbs::{Episode, episodes};
use super::plan::{Contact, FlightPhase, Part, Plan};
use crate::library::skeleton::{
    BALL, Ball, HEEL, KNEE_RADIUS, PALM, PALM_RADIUS, Placed, joints_of, seat, trunk,
};
use crate::roles::Side;
use glam::DVec3;

/// Standard gravity, m/s².
pub(crate) const GRAVITY: f64 = 9.81;
/// Half the time in which weight goes from heel to ball, s.
const RAMP: f64 = 0.05;
/// Half the time in which weight goes from limb to limb, s.
const LIMB_RAMP: f64 = 0.09;
/// Half the time in which knees and trunk take over, s.
const BODY_RAMP: f64 = 0.12;
/// How sharply the lowest ball of a rolling part is chosen, m.
const SHARPNESS: f64 = 0.006;
/// Longest stretch of contact that is bent to meet a flight's velocity, s.
const BEND: f64 = 0.24;

/// Weight of a contact at a time, 0 to 1, that rises and falls within `half` of its ends.
pub(crate) fn weight_over(contact: &Contact, plan: &Plan, time: f64, half: f64) -> f64 {
    let half = half.min((contact.to - contact.from) / 3.0);
    let rise = |edge: f64| smoother((time - edge + half) / (2.0 * half));
    let begin = if contact.from <= 1e-9 { 1.0 } else { rise(contact.from) };
    let end = if contact.to >= plan.duration - 1e-9 { 0.0 } else { rise(contact.to) };
    begin * (1.0 - end)
}

/// Points that carry, with their weights.
struct Support {
    ball: Ball,
    weight: f64,
    height: f64,
}

/// What carries the body at a time.
fn supports(plan: &Plan, limbs_in_contact: &[Episode], time: f64, placed: &Placed) -> Vec<Support> {
    let (mut limbs, mut body) = (Vec::new(), Vec::new());
    let mut carried: f64 = 0.0;
    for episode in limbs_in_contact {
        let whole = Contact { from: episode.from, to: episode.to, ..episode.contacts[0] };
        let firm = weight_over(&whole, plan, time, LIMB_RAMP);
        if firm <= 0.0 {
            continue;
        }
        // Heel, sole and ball share what the foot carries.
        let inside = time.clamp(episode.from + 1e-6, episode.to - 1e-6);
        let shares: Vec<f64> = episode.contacts.iter().map(|c| weight_over(c, plan, inside, RAMP)).collect();
        let total: f64 = shares.iter().sum();
        for (contact, share) in episode.contacts.iter().zip(shares) {
            let mut add = |joint, center, radius, part: f64| {
                let weight = firm * part * share / total.max(1e-12);
                limbs.push(Support { ball: Ball { joint, center, radius }, weight, height: contact.height });
            };
            match contact.part {
                Part::Heel(side) => add(joints_of(side).foot, HEEL, 0.0, 1.0),
                Part::Toe(side) => add(joints_of(side).foot, BALL, 0.0, 1.0),
                Part::Foot(side) => {
                    add(joints_of(side).foot, HEEL, 0.0, 0.5);
                    add(joints_of(side).foot, BALL, 0.0, 0.5);
                }
                Part::Hand(side) => add(joints_of(side).hand, PALM, PALM_RADIUS, 1.0),
                Part::Knee(_) | Part::Seat | Part::Trunk => {}
            }
        }
    }
    for contact in &plan.contacts {
        let height = contact.height;
        let w = weight_over(contact, plan, time, BODY_RAMP);
        let mut rolling = |balls: Vec<Ball>| {
            let lowest = balls.iter().map(|b| placed.bottom(b)).fold(f64::INFINITY, f64::min);
            let share = |b: &Ball| (-(placed.bottom(b) - lowest) / SHARPNESS).exp();
            let total: f64 = balls.iter().map(share).sum();
            body.extend(balls.iter().map(|&ball| Support { ball, weight: w * share(&ball) / total, height }));
        };
        if matches!(contact.part, Part::Knee(_) | Part::Seat | Part::Trunk) {
            carried = carried.max(w);
        }
        match contact.part {
            _ if w <= 0.0 => {}
            Part::Knee(side) => {
                let ball = Ball { joint: joints_of(side).knee, center: DVec3::ZERO, radius: KNEE_RADIUS };
                body.push(Support { ball, weight: w, height });
            }
            Part::Seat => rolling(seat()),
            Part::Trunk => rolling(trunk()),
            Part::Heel(_) | Part::Toe(_) | Part::Foot(_) | Part::Hand(_) => {}
        }
    }
    let rest = 1.0 - carried;
    limbs.iter_mut().for_each(|s| s.weight *= rest);
    body.extend(limbs.into_iter().filter(|s| s.weight > 1e-9));
    body
}

/// What earlier passes found: additions to the root's place, frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct Corrections {
    /// Lowering that brings planted feet within reach.
    pub(crate) drop: Vec<f64>,
    /// Shift that steadies the way.
    pub(crate) steady: Vec<DVec3>,
    /// Shift that balances.
    pub(crate) shift: Vec<DVec3>,
    /// Bends that make velocities agree at take-off and landing.
    pub(crate) bend: Vec<DVec3>,
    /// Centre of mass relative to the root.
    pub(crate) center: Vec<DVec3>,
}

/// Frames of a flight.
pub(crate) fn frames(flight: &FlightPhase, plan: &Plan) -> (usize, usize) {
    ((flight.from * plan.rate).round() as usize, (flight.to * plan.rate).round() as usize)
}

/// Root positions: (1), (2), (3). `placed` are the authored poses with the root at the origin.
pub(crate) fn root_path(plan: &Plan, placed: &[Placed], fixes: &Corrections) -> Vec<DVec3> {
    let n = placed.len();
    let time = |frame: usize| frame as f64 / plan.rate;
    let mut path = vec![DVec3::ZERO; n];
    let mut before: Vec<Support> = Vec::new();
    let held: Vec<Episode> = Side::BOTH
        .into_iter()
        .flat_map(|side| [true, false].map(|leg| episodes(plan, side, leg)))
        .flatten()
        .collect();
    for frame in 0..n {
        let now = supports(plan, &held, time(frame), &placed[frame]);
        let total: f64 = now.iter().map(|s| s.weight).sum();
        path[frame].z = if total > 0.0 {
            now.iter().map(|s| s.weight * (s.height - placed[frame].bottom(&s.ball))).sum::<f64>() / total
        } else {
            path[frame.saturating_sub(1)].z
        };
        if frame > 0 {
            let total: f64 = before.iter().map(|s| s.weight).sum();
            let slip: DVec3 =
                before.iter().map(|s| s.weight * way(&s.ball, &placed[frame - 1], &placed[frame])).sum();
            let step = if total > 0.0 { slip / total } else { DVec3::ZERO };
            let last = path[frame - 1];
            path[frame].x = last.x - step.x;
            path[frame].y = last.y - step.y;
        }
        before = now;
    }
    add_heights(plan, &mut path);
    for frame in 0..n {
        path[frame] += fixes.steady[frame] + fixes.shift[frame] - DVec3::Z * fixes.drop[frame];
    }
    let mut flights = plan.flights.clone();
    flights.sort_by(|a, b| a.from.total_cmp(&b.from));
    for flight in &flights {
        fly(plan, flight, fixes, &mut path);
    }
    path.iter().zip(&fixes.bend).map(|(p, b)| *p + *b).collect()
}

/// Way of the point of a ball that touches the ground, from one frame to the next.
fn way(ball: &Ball, from: &Placed, to: &Placed) -> DVec3 {
    let touching = ball.center + from.rotation[ball.joint].conjugate() * DVec3::new(0.0, 0.0, -ball.radius);
    to.point(ball.joint, touching) - from.point(ball.joint, touching)
}

/// Adds what is missing to the heights that keys ask for, run smoothly through all keys.
fn add_heights(plan: &Plan, path: &mut [DVec3]) {
    use super::curve::{Curve, Ease, End};
    if plan.heights.iter().all(|h| h.1.is_none()) {
        return;
    }
    let last = path.len() - 1;
    let at = |t: f64| path[((t * plan.rate).round().max(0.0) as usize).min(last)].z;
    let times: Vec<f64> = plan.heights.iter().map(|h| h.0).collect();
    let missing = plan.heights.iter().map(|&(t, h)| h.map_or(0.0, |h| h - at(t))).collect();
    let curve = Curve::new(&times, missing, &vec![Ease::Smooth; times.len()], [End::Rest; 2]);
    for (frame, p) in path.iter_mut().enumerate() {
        p.z += curve.at(frame as f64 / plan.rate);
    }
}

/// Puts the root where the centre of mass is in free fall, and all that follows after it: (3).
fn fly(plan: &Plan, flight: &FlightPhase, fixes: &Corrections, path: &mut [DVec3]) {
    let (a, b) = frames(flight, plan);
    if b >= path.len() {
        return;
    }
    let duration = (b - a) as f64 / plan.rate;
    let start = path[a] + fixes.center[a];
    let way = DVec3::new(flight.travel[0], flight.travel[1], 0.0);
    let landing = start + way - fixes.center[b];
    let shift = DVec3::new(landing.x - path[b].x, landing.y - path[b].y, 0.0);
    path[b..].iter_mut().for_each(|p| *p += shift);
    let end = path[b] + fixes.center[b];
    for frame in a + 1..b {
        let t = (frame - a) as f64 / plan.rate;
        let center = start.lerp(end, t / duration) + DVec3::Z * (0.5 * GRAVITY * t * (duration - t));
        path[frame] = center - fixes.center[frame];
    }
}

/// Bends contacts before and after each flight until the root's velocity is continuous.
pub(crate) fn bend_to_flights(plan: &Plan, path: &[DVec3], bend: &mut [DVec3]) {
    let n = path.len();
    let flights: Vec<(usize, usize)> =
        plan.flights.iter().map(|f| frames(f, plan)).filter(|f| f.1 < n && f.0 > 2).collect();
    let reach = (BEND * plan.rate) as usize;
    for &(a, b) in &flights {
        // Contact before take-off, back to half of the way to the flight before it.
        let earlier = flights.iter().map(|f| f.1).filter(|&e| e <= a).max();
        let room = earlier.map_or(a, |e| (a - e) / 2).min(reach);
        let jump = slope(path, a, 1, plan.rate) - slope(path, a, -1, plan.rate);
        for k in 0..room {
            let s = 1.0 - k as f64 / room as f64;
            // Hermite: no offset at both ends, slope `jump` at take-off.
            bend[a - k] += jump * (room as f64 / plan.rate) * (s * s * s - s * s);
        }
        let later = flights.iter().map(|f| f.0).filter(|&e| e >= b).min();
        let room = later.map_or(n - 1 - b, |e| (e - b) / 2).min(reach);
        let jump = slope(path, b, -1, plan.rate) - slope(path, b, 1, plan.rate);
        for k in 0..room {
            let s = 1.0 - k as f64 / room as f64;
            bend[b + k] -= jump * (room as f64 / plan.rate) * (s * s * s - s * s);
        }
    }
}

/// One-sided velocity, second order.
fn slope(path: &[DVec3], frame: usize, step: isize, rate: f64) -> DVec3 {
    let at = |k: isize| {
        let index = frame as isize + k * step;
        path[index.clamp(0, path.len() as isize - 1) as usize]
    };
    (at(1) * 4.0 - at(2) - at(0) * 3.0) * (0.5 * rate * step as f64)
}
