//! How intents become one: sums, and shares of two.
//!
//! An intent is what a controller wrote into an empty [`Actuation`]. A joint's freedoms, its servo and its prescription belong to the
//! body below it; wrenches, pins and rows to the (first) body they are about.
//!
//! ```text
//! (1)  a + b            forces and aids add; servos add as springs side by side:
//!                       k = kₐ + k_b,  k (q̄ ⊖ q) = kₐ (q̄ₐ ⊖ q) + k_b (q̄_b ⊖ q),  dampers likewise; rates of prescribed joints add
//! (2)  s · a            forces, gains and bounds of motors and rows times s
//! (3)  blend = (1 - w) · a + w · b
//! ```
//! (1) is associative and does not depend on the order, to rounding (and but for the order of lists): all happens in the tangent space
//! at the present pose, where the engine takes a servo's error. With (3) the torque is the mean of the two torques. What
//! cannot be shared (pins, motors and rows without bounds, a joint that only one prescribes) goes with the larger share, at half with
//! the upper.

use stuntlab_physics::actuation::{Effort, Motor, Row, Term};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Force, rotation};
use stuntlab_physics::{Actuation, Bodies, BodyId, ImplicitForce, JointKind, Model};

use crate::controller::Sense;

/// Which bodies of a character an intent is about; all where empty.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    /// The character's bodies.
    pub bodies: Bodies,
    /// One per body of it, or none for all.
    pub on: &'a [bool],
}

impl Mask<'_> {
    /// Whether a body of the model is meant.
    pub fn holds(&self, body: BodyId) -> bool {
        let on = |k: usize| self.on.get(k).copied().unwrap_or(self.on.is_empty());
        self.bodies.place_of(body).is_some_and(on)
    }

    fn holds_not(&self, body: BodyId) -> bool {
        self.bodies.contains(body) && !self.holds(body)
    }
}

/// The body whose joint a motor drives; none where the model has no such freedom.
fn body_of_motor(model: &Model, motor: &Motor) -> Option<BodyId> {
    let first = motor.freedoms.first()?;
    model.freedoms().contains(first).then(|| model.body_of(first))
}

/// The body a row is about first.
fn body_of_row(model: &Model, row: &Row) -> Option<BodyId> {
    match row.terms[0]? {
        Term::Point { body, .. } | Term::Spin { body, .. } => Some(body),
        Term::Freedom { freedom, .. } => model.freedoms().contains(freedom).then(|| model.body_of(freedom)),
    }
}

/// Leaves nothing of an intent but what is about the bodies of the mask.
pub fn restrict(intent: &mut Actuation, model: &Model, mask: Mask<'_>) {
    if !mask.on.is_empty() {
        strip(intent, model, mask.bodies, &|body| mask.holds_not(body));
    }
}

/// Takes away what is about some of the bodies.
fn strip(intent: &mut Actuation, model: &Model, bodies: Bodies, gone: &dyn Fn(BodyId) -> bool) {
    for body in bodies.iter().filter(|b| gone(*b)) {
        let freedoms = model.body(body).freedoms();
        intent.joint_force[freedoms].fill(0.0);
        intent.servo.stiffness[freedoms].fill(0.0);
        intent.servo.damping[freedoms].fill(0.0);
        intent.servo.target_v[freedoms].fill(0.0);
        intent.body_force[body] = Force::ZERO;
        intent.prescribed[body] = false;
        intent.prescribed_velocity[freedoms].fill(0.0);
    }
    intent.implicit.retain(|(body, _)| !gone(*body));
    intent.motors.retain(|m| !body_of_motor(model, m).is_some_and(gone));
    intent.pins.retain(|p| !gone(p.body));
    intent.rows.retain(|r| !body_of_row(model, r).is_some_and(gone));
}

/// (2) for the bodies of a mask, prescriptions apart; `keeps` is whether what cannot be shared stays.
pub fn scale(intent: &mut Actuation, model: &Model, mask: Mask<'_>, share: f64, keeps: bool) {
    for body in mask.bodies.iter().filter(|b| mask.holds(*b)) {
        let freedoms = model.body(body).freedoms();
        let servo = &mut intent.servo;
        for numbers in [&mut intent.joint_force, &mut servo.stiffness, &mut servo.damping] {
            numbers[freedoms].iter_mut().for_each(|x| *x *= share);
        }
        intent.body_force[body] = intent.body_force[body] * share;
    }
    for (body, force) in &mut intent.implicit {
        if mask.holds(*body) {
            *force = ImplicitForce { at_rest: force.at_rest * share, gain: force.gain * share };
        }
    }
    intent.pins.retain(|p| keeps || !mask.holds(p.body));
    let meant = |m: &Motor| body_of_motor(model, m).is_some_and(|b| mask.holds(b));
    intent.motors.retain(|m| keeps || !meant(m) || is_bounded(m));
    for motor in intent.motors.iter_mut().filter(|m| meant(m) && is_bounded(m)) {
        motor.compliance /= share;
        motor.effort = match motor.effort {
            Effort::Between { lower, upper } => {
                Effort::Between { lower: lower * share, upper: upper * share }
            }
            Effort::Magnitude(most) => Effort::Magnitude(most * share),
        };
    }
    let meant = |r: &Row| body_of_row(model, r).is_some_and(|b| mask.holds(b));
    let bounded = |r: &Row| r.lower.is_finite() && r.upper.is_finite();
    intent.rows.retain(|r| keeps || !meant(r) || bounded(r));
    for row in intent.rows.iter_mut().filter(|r| meant(r) && bounded(r)) {
        (row.lower, row.upper, row.compliance) =
            (row.lower * share, row.upper * share, row.compliance / share);
    }
}

fn is_bounded(motor: &Motor) -> bool {
    match motor.effort {
        Effort::Between { lower, upper } => lower.is_finite() && upper.is_finite(),
        Effort::Magnitude(most) => most.is_finite(),
    }
}

/// (3) on the bodies of a mask, to which `above` is restricted: a share `w` of `above` and the rest of `below`, left in `below`.
/// At 0 and 1 it is one of the two, bit for bit.
pub fn blend(below: &mut Actuation, above: &mut Actuation, sense: &Sense<'_>, mask: Mask<'_>, w: f64) {
    if w <= 0.0 {
        return;
    }
    if w >= 1.0 {
        strip(below, sense.model, mask.bodies, &|body| mask.holds(body));
    } else {
        let upper_leads = w >= 0.5;
        for body in mask.bodies.iter().filter(|b| mask.holds(*b)) {
            share_prescription(below, above, sense.model, body, w);
        }
        scale(below, sense.model, mask, 1.0 - w, !upper_leads);
        scale(above, sense.model, mask, w, upper_leads);
    }
    add(below, above, sense);
}

/// Leaves in `below` what is prescribed for a joint, and nothing in `above`.
fn share_prescription(below: &mut Actuation, above: &mut Actuation, model: &Model, body: BodyId, w: f64) {
    let freedoms = model.body(body).freedoms();
    let both = below.prescribed[body] && above.prescribed[body];
    let upper = if w >= 0.5 { 1.0 } else { 0.0 };
    let w = if both { w } else { upper };
    below.prescribed[body] = if upper > 0.5 { above.prescribed[body] } else { below.prescribed[body] };
    above.prescribed[body] = false;
    for k in freedoms {
        let (lower, upper) = (&mut below.prescribed_velocity[k], &mut above.prescribed_velocity[k]);
        *lower = (1.0 - w) * *lower + w * *upper;
        *upper = 0.0;
    }
}

/// (1): adds what `from` has about the character's bodies.
pub fn add(into: &mut Actuation, from: &Actuation, sense: &Sense<'_>) {
    for body in sense.bodies {
        let freedoms = sense.model.body(body).freedoms();
        for k in freedoms {
            into.joint_force[k] += from.joint_force[k];
            if from.prescribed[body] {
                into.prescribed_velocity[k] += from.prescribed_velocity[k];
            }
        }
        into.prescribed[body] |= from.prescribed[body];
        into.body_force[body] += from.body_force[body];
        add_servo(into, from, sense, body);
    }
    into.implicit.extend_from_slice(&from.implicit);
    into.motors.extend_from_slice(&from.motors);
    into.pins.extend_from_slice(&from.pins);
    into.rows.extend_from_slice(&from.rows);
}

fn add_servo(into: &mut Actuation, from: &Actuation, sense: &Sense<'_>, body: BodyId) {
    let spec = sense.model.body(body);
    let (q, v) = (spec.coordinates(), spec.freedoms());
    let (a, b) = (&mut into.servo, &from.servo);
    let silent = |k: &[f64], d: &[f64]| k.iter().chain(d).all(|x| *x == 0.0);
    if silent(&b.stiffness[v], &b.damping[v]) {
        return;
    }
    let alone = silent(&a.stiffness[v], &a.damping[v]);
    let kind = spec.joint().kind;
    if alone || !(q.len() == v.len() || kind == JointKind::Spherical) {
        // Roots have no servos worth adding: the later one counts.
        a.target_q[q].copy_from_slice(&b.target_q[q]);
        for (ours, theirs) in
            [(&mut a.stiffness, &b.stiffness), (&mut a.damping, &b.damping), (&mut a.target_v, &b.target_v)]
        {
            ours[v].copy_from_slice(&theirs[v]);
        }
        return;
    }
    let ball = kind == JointKind::Spherical;
    let now = &sense.state.q[q];
    let turn = |to: &[f64]| rotation::log(DQuat::from_slice(now).conjugate() * DQuat::from_slice(to));
    let errors = ball.then(|| (turn(&a.target_q[q]), turn(&b.target_q[q])));
    let mut step = DVec3::ZERO;
    for (k, freedom) in v.iter().enumerate() {
        let (ea, eb) = match errors {
            Some((ea, eb)) => (ea[k], eb[k]),
            None => (a.target_q[q][k] - now[k], b.target_q[q][k] - now[k]),
        };
        let (ka, kb) = (a.stiffness[freedom], b.stiffness[freedom]);
        let (da, db) = (a.damping[freedom], b.damping[freedom]);
        let error = mean((ka, ea), (kb, eb));
        if ball {
            step[k] = error;
        } else {
            a.target_q[q][k] = now[k] + error;
        }
        a.target_v[freedom] = mean((da, a.target_v[freedom]), (db, b.target_v[freedom]));
        (a.stiffness[freedom], a.damping[freedom]) = (ka + kb, da + db);
    }
    if ball {
        let target = DQuat::from_slice(now) * rotation::exp(step);
        a.target_q[q].copy_from_slice(&target.to_array());
    }
}

/// Mean of two numbers by their gains; the first's where there is no gain.
fn mean((ka, a): (f64, f64), (kb, b): (f64, f64)) -> f64 {
    match (ka == 0.0, kb == 0.0) {
        (_, true) => a,
        (true, false) => b,
        _ => (ka * a + kb * b) / (ka + kb),
    }
}
