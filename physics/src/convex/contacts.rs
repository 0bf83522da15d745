//! Contacts as terms: near-rigid by articulated mobility, the same law across a gap.
//!
//! ```text
//! normal    û_n = -gap/h                                          before touch: what is left may be used up, no more
//!           û_n = min(d/(h + τ_d), p + y(γ⁻))                     overlap d: pushed out no faster than p beyond its load
//!           R_n = ρ W_n up to y = D/h, stiffer beyond,            ρ = β²/4π², τ_d = β h/π
//! friction  û_t = -s/2h,  R_t = σ W_t,  bound μ γ_n of the round before
//!           sticking s⁺ = s + h u_t,  sliding s⁺ = -2 h R_t γ_t
//! ```
//!
//! `W` is velocity per impulse at the point (`mobility.rs`), `γ⁻` the impulse of the last step, `y(γ)` the shortfall of
//! velocity at an impulse.
//! A contact is a spring-damper whose period is `β` steps of whatever mass is behind the point (Castro et al. 2022): near
//! rigid. `D` bounds what a hard blow or a large load presses in. The
//! load `γ⁻` in the push-out keeps the bound `p` from bounding the load. Friction is soft by the share `σ`, which
//! the solver likes, and does not creep all the same: `s` remembers how far the point has been dragged.

use glam::DVec3;

use super::Convex;
use super::law::Bounded;
use super::mobility::Mobility;
use super::rows::{Compressed, Row, Source};
use crate::contact::{Contact, Phase};
use crate::data::Data;
use crate::model::{Model, NONE};
use crate::step::StepOptions;

/// `β`: periods of a contact's spring per step. Smaller is stiffer and costs iterations; at 0.3 what rests sinks by micrometres.
const BETA: f64 = 0.3;
/// `ρ = β²/4π²`: softness of a contact relative to what it acts on.
pub(super) const RHO: f64 = BETA * BETA / (4.0 * core::f64::consts::PI * core::f64::consts::PI);
/// `τ_d/h = β/π`: the dissipation time of the spring, critically damped.
pub(super) const TAU: f64 = BETA / core::f64::consts::PI;
/// `D`: what a blow or a load may press in, m.
const PRESSED_IN: f64 = 5e-4;
/// `p`: fastest push-out of an overlap that nothing loads, m/s: bodies placed into each other part without a jump. Where a body can hardly move along
/// the normal, as on a rail across it, much faster ways of the joints would belong to it: see [`push_out`].
const PUSH_OUT: f64 = 0.5;
/// `σ`: softness of friction. The main lever on the number of iterations; with the anchor it shows nowhere else.
const SIGMA: f64 = 0.1;
/// How much stiffer friction is in the first step of a contact, which has no anchor yet: what begins to slide shall do so
/// without the speed that softness leaves to what sticks.
const STIFFER: f64 = 0.1;
/// The same for resistance to rolling, which has no anchor and would creep.
const SIGMA_TURNING: f64 = 1e-3;
/// Share of the largest bound by which what friction pushes with may still change.
pub(super) const SETTLED: f64 = 1e-3;
/// The same after a few rounds: what still changes then is a corner that lands and tips, and goes on with less care.
const SETTLED_LATE: f64 = 0.04;

/// Adds the rows of all contacts of trees that are awake.
pub(super) fn push(data: &mut Data, convex: &mut Convex, is_asleep: impl Fn(usize) -> bool) {
    for (index, contact) in data.contact.points.iter_mut().enumerate() {
        contact.row = NONE;
        if data.step.told.holds(contact.body_a, contact.body_b) {
            contact.let_go();
            continue;
        }
        if is_asleep(contact.a()) {
            continue;
        }
        contact.row = convex.rows.len() as u32;
        let source = index as u32;
        let mut row = Row::new(Source::Contact(source), contact.a(), contact.b(), contact.normal);
        let arm = |b: usize, p: DVec3| p - data.position.world_from_body[b].translation;
        match contact.b() {
            // Two bodies are pushed at one point, or their friction across a gap would turn them both.
            Some(b) => {
                row.arm_a = arm(contact.a(), contact.point);
                row.arm_b = arm(b, contact.point);
            }
            // Against the world a body is pushed at its own surface.
            None => {
                let surface = contact.point - contact.normal * (0.5 * contact.depth.min(0.0));
                row.arm_a = arm(contact.a(), surface);
            }
        }
        convex.rows.push(row);
        if contact.law.material.rolling > 0.0 || contact.law.material.torsional > 0.0 {
            let row = Row::new(Source::Turning(source), contact.a(), contact.b(), contact.normal);
            convex.rows.push(Row { spins: true, ..row });
        }
    }
}

/// Least mobility across a contact that friction reckons with, of that along it.
const LEAST_ACROSS: f64 = 1e-3;

/// Fastest push-out of a row's overlap: with no more energy, `½ u²/W`, than all that hangs on it has at [`PUSH_OUT`]. Only what hangs on the world can be
/// so hard to move: `W` of what is free is `1/m` at least.
pub(super) fn push_out(model: &Model, row: &Row) -> f64 {
    let other = if row.b == NONE { 0.0 } else { model.tree_mass[row.b as usize] };
    let mass = model.tree_mass[row.a as usize] + other;
    PUSH_OUT * (mass * row.mobility).sqrt().min(1.0)
}

/// Writes the law of a contact's row once mobilities are known.
pub(super) fn write_law(
    model: &Model,
    row: &mut Row,
    contact: &Contact,
    known: &[Mobility],
    opt: &StepOptions,
) {
    let (h, gravity) = (opt.dt, model.gravity);
    let n = contact.normal;
    let [mut w_n, mut w_t] = known[row.a as usize].along_and_across(row.arm_a, n);
    if row.b != NONE {
        let [b_n, b_t] = known[row.b as usize].along_and_across(row.arm_b, n);
        (w_n, w_t) = (w_n + b_n, w_t + b_t);
    }
    // What has bounced off and flies away carries nothing: friction bounded by the blow would tear it back.
    let flies = contact.depth < 0.0 && n.dot(contact.velocity) > opt.restitution_threshold;
    let load = if flies { 0.0 } else { (contact.force.dot(n) * h).max(0.0) };
    row.mobility = w_n.max(f64::MIN_POSITIVE);
    if row.is_immovable() {
        return row.law.rest();
    }
    let approach = (-n.dot(contact.velocity)).max(0.0);
    let push_out = push_out(model, row);
    let softness = RHO * row.mobility;
    let along = &mut row.law.along;
    *along = Bounded { softness, knee: PRESSED_IN / (h * softness), ..Bounded::PUSH };
    along.target = if contact.depth > 0.0 {
        (contact.depth / (h * (1.0 + TAU))).min(push_out + along.shortfall(load))
    } else {
        contact.depth / h
    };
    if contact.law.material.stiffness.is_some() {
        let (target, soft) = springy(contact, h);
        if soft > softness {
            *along = Bounded { target, softness: soft, ..Bounded::PUSH };
        }
    }
    // What the end of the step asked for; but nothing is thrown back faster than it came.
    along.target = (along.target + contact.ahead).min(along.target.max(approach.max(push_out)));
    if let Some((bounce, stopped)) = bounce(contact, approach, gravity, opt) {
        // First it is stopped, in spite of its softness; what it gives back then is a share of what that took.
        let lost = along.shortfall(stopped / row.mobility);
        row.compressed = Some(Compressed { gives_back: bounce / stopped, target: along.target });
        along.target = along.target.max(lost);
    }
    row.is_new = load == 0.0;
    let presses_on = load > 0.0 && row.compressed.is_none();
    row.stuck = presses_on.then_some(contact.phase == Phase::Stick);
    // What is on a rail cannot move across: stiffness without bound there would be no number.
    row.law.softness = SIGMA * w_t.max(LEAST_ACROSS * row.mobility) * row.stiffer();
    row.law.target = contact.stick.stretch * (-0.5 / h);
    row.law.bound = contact.law.material.friction * load;
}

impl Row {
    /// The impulse across that it would push with if nothing bounded it.
    fn wanted_across(&self) -> f64 {
        let n = self.law.normal;
        (self.law.target - (self.velocity - n * n.dot(self.velocity))).length() / self.law.softness
    }

    /// What its friction's softness is multiplied by.
    fn stiffer(&self) -> f64 {
        if self.is_new { STIFFER } else { 1.0 }
    }
}

/// Lets what was compressed give back its share: no less than `(1 + e) γ` from now on, with `γ` what the compression took
/// (Poisson). A speed to part with, asked for outright, would make energy where something else holds a body in the same step, as
/// the stop of its joint does (Kane & Levinson 1985). Whether there was any.
pub(super) fn rebound(rows: &mut [Row], island: &[u32]) -> bool {
    let mut any = false;
    for &k in island {
        let row = &mut rows[k as usize];
        if let Some(Compressed { gives_back, target }) = row.compressed.take() {
            let pressed = row.law.normal.dot(row.impulse);
            row.law.along.lower = pressed * (1.0 + gives_back);
            row.law.along.target = target;
            any = true;
        }
    }
    any
}

/// The speed at which a bouncing contact must part, if it touches within the step, and the speed that has to be stopped before.
///
/// The blow falls somewhere within the step, at the speed gravity has made by then, `a² + 2 g z` for a gap `z`; the step ends a
/// way `h u` further up. So that it ends with the energy of `e` times that speed at the surface,
/// `½ u² + g (z + h u) = ½ e² (a² + 2 g z)`.
fn bounce(contact: &Contact, approach: f64, gravity: DVec3, opt: &StepOptions) -> Option<(f64, f64)> {
    let touches = contact.depth + opt.dt * approach >= 0.0;
    let e = contact.law.material.restitution;
    if e == 0.0 || !touches || approach <= opt.restitution_threshold {
        return None;
    }
    let (g, z) = ((-gravity.dot(contact.normal)).max(0.0), (-contact.depth).max(0.0));
    let fall = g * opt.dt;
    let square = e * e * (approach * approach + 2.0 * g * z) - 2.0 * g * z + fall * fall;
    Some(((square.max(0.0).sqrt() - fall).max(0.0), approach + fall))
}

/// Target and softness of a spring and damper of the material's own: `γ = h (k (d - θ h u) - c u)`.
fn springy(contact: &Contact, h: f64) -> (f64, f64) {
    let damping = if contact.depth > 0.0 { contact.law.damping } else { 0.0 };
    let gain = contact.law.foresight * h * contact.law.stiffness + damping;
    // A spring without foresight or damper is a known force; the row keeps a trace of softness to be one.
    let gain = gain.max(1e-3 * h * contact.law.stiffness);
    (contact.law.stiffness * contact.law.pressed / gain, 1.0 / (h * gain))
}

/// Writes the law of a contact's resistance to rolling and turning on the spot.
pub(super) fn write_turning_law(row: &mut Row, contact: &Contact, known: &[Mobility], opt: &StepOptions) {
    let n = contact.normal;
    let sum = |of: &dyn Fn(&Mobility) -> f64| {
        let a = of(&known[row.a as usize]);
        (if row.b == NONE { a } else { a + of(&known[row.b as usize]) }).max(f64::MIN_POSITIVE)
    };
    row.mobility = sum(&|m| m.spin_along(n));
    if row.is_immovable() {
        return row.law.rest();
    }
    row.law.along.softness = SIGMA_TURNING * row.mobility;
    row.law.softness = SIGMA_TURNING * sum(&|m| m.spin_across(n));
    bound_turning(row, contact, (contact.force.dot(n) * opt.dt).max(0.0));
}

/// Bounds a contact's resistance to turning by its normal impulse.
fn bound_turning(row: &mut Row, contact: &Contact, pressed: f64) {
    let m = &contact.law.material;
    (row.law.along.lower, row.law.along.upper) = (-m.torsional * pressed, m.torsional * pressed);
    row.law.bound = m.rolling * pressed;
}

/// Rounds in which bounds may grow: a block that begins to slide leans on its front edge, and what its rear loses of
/// friction its front must gain.
const FREE_ROUNDS: usize = 2;
/// Most that a stride of [`Bounds`] is longer than the excess, for a jam that loses a sixteenth per round. Slower ones take
/// several strides; rough solves do not tell them apart.
const LONGEST_STRIDE: f64 = 16.0;

/// Bounds of an island's friction from round to round.
///
/// After the first rounds they only become smaller: contacts that take turns in carrying come to an end so, inside the cone. Where
/// friction makes the normal forces it is bounded by, as in a wedge, every round takes only a share `1 - r` of what the bounds `b`
/// are too large. So the stride is the secant's,
///
/// ```text
/// e = b - μ γ_n(b),   b⁺ = b - f e,   f⁺ = f |e|/(|e| - |e⁺|)
/// ```
///
/// with one `f` per island, which is `1/(1 - r)` where all shrink alike; `|e|` is the largest, and bounds stand when a stride is a small
/// share of the largest bound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    /// Rounds so far.
    round: usize,
    /// `|e|` and `f` of the last one; no `f` before bounds shrink.
    excess: f64,
    stride: f64,
}

impl Bounds {
    /// Bounds friction by the normal impulses just found; whether that changes anything that would show.
    pub(super) fn renew(&mut self, data: &Data, rows: &mut [Row], island: &[u32]) -> bool {
        let shrink = self.round >= FREE_ROUNDS;
        let settled = if self.round < 3 { SETTLED } else { SETTLED_LATE };
        self.round += 1;
        let (mut change, mut size) = (0.0, 0.0);
        for &k in island {
            let row = &rows[k as usize];
            if let (Source::Contact(index), false) = (row.source, row.is_immovable()) {
                let allowed = data.contact.points[index as usize].law.material.friction * pressed(row);
                // A bound that nothing comes up to changes nothing.
                let wanted = row.wanted_across();
                let excess = row.law.bound.min(wanted) - allowed.min(wanted);
                change = f64::max(change, if shrink { excess } else { excess.abs() });
                size = f64::max(size, allowed);
            }
        }
        let stride = if shrink { self.stride(change) } else { 1.0 };
        let mut load = 0.0;
        for &k in island {
            let row = &mut rows[k as usize];
            if row.is_immovable() {
                load = 0.0;
                continue;
            }
            match row.source {
                Source::Contact(index) => {
                    load = pressed(row);
                    let allowed = data.contact.points[index as usize].law.material.friction * load;
                    let excess = row.law.bound - allowed;
                    if !shrink {
                        row.law.bound = allowed;
                    } else if excess > 0.0 {
                        row.law.bound = (row.law.bound - stride * excess).max(0.0);
                    }
                }
                // Comes right after its contact.
                Source::Turning(index) => bound_turning(row, &data.contact.points[index as usize], load),
                _ => {}
            }
        }
        stride * change > settled * size
    }

    /// `f⁺`, with `|e⁺|` given.
    fn stride(&mut self, excess: f64) -> f64 {
        let lost = self.excess - excess;
        self.stride = if self.stride == 0.0 {
            1.0
        } else if lost > 0.0 {
            (self.stride * self.excess / lost).clamp(1.0, LONGEST_STRIDE)
        } else {
            (2.0 * self.stride).min(LONGEST_STRIDE)
        };
        self.excess = excess;
        self.stride
    }
}

/// The normal impulse of a contact's row.
fn pressed(row: &Row) -> f64 {
    row.law.normal.dot(row.impulse).max(0.0)
}

/// Leaves force, phase and anchor with the contacts.
pub(super) fn read_back(data: &mut Data, rows: &[Row], dt: f64) {
    for row in rows {
        let Source::Contact(index) = row.source else { continue };
        let contact = &mut data.contact.points[index as usize];
        let pressed = row.law.normal.dot(row.impulse);
        contact.force = row.impulse * (1.0 / dt);
        let across = row.impulse - row.law.normal * pressed;
        // Kept as for a row that is soft.
        let stiffer = row.stiffer();
        if row.is_calm {
            contact.stick.stretch = DVec3::ZERO;
        }
        if pressed <= 0.0 {
            contact.phase = Phase::Open;
            contact.stick.stretch = DVec3::ZERO;
        } else if row.slides {
            contact.phase = Phase::Slip;
            contact.stick.stretch = across * (-2.0 * dt * row.law.softness / stiffer);
        } else {
            contact.phase = Phase::Stick;
            contact.stick.stretch += contact.tangential(row.velocity) * (dt / stiffer);
        }
    }
}
