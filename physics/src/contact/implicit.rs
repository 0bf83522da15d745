//! Contacts with the static world as implicit terms of the articulated-body algorithm (recipes 2.4).
//!
//! With `v⁺` the point's velocity at the end of the step, `d` the overlap and `s` the tangential stretch
//! at its beginning:
//!
//! ```text
//! normal   f_n = k (d - θ h v_n⁺) - c v_n⁺        ≥ 0, else open; θ is the contact's foresight
//! stick    f_t = -k_t (s + h v_t⁺) - c_t v_t⁺     |f_t| ≤ μ f_n, else slip
//! slip     f_t = -(μ f_n / |v_t|) v_t⁺            (the coefficient lags one round)
//! ```
//!
//! All are of the form `at_rest - gain v⁺` with a positive semidefinite gain, hence stable at any
//! stiffness. Which of the three holds is found by rounds: solve, look at the forces, switch, solve again.

use glam::DVec3;

use super::point::{Contact, Phase, Slip, along_and_across};
use crate::forces::ImplicitForce;
use crate::spatial::Sym3;

/// Tangential stiffness and damping relative to the normal ones.
const TANGENT: f64 = 0.8;
/// A gap closes with the spring alone: a damper would act across the gap.
#[inline]
fn damping(contact: &Contact) -> f64 {
    if contact.depth > 0.0 { contact.damping } else { 0.0 }
}

/// The term of a closed contact on its body; `r` from the body's origin to the point.
#[inline]
pub(crate) fn term(contact: &Contact, r: DVec3, dt: f64) -> ImplicitForce {
    let gain_n = contact.foresight * dt * contact.stiffness + damping(contact);
    let normal = contact.normal * (contact.stiffness * contact.pressed);
    let (push, gain_t) = match (contact.phase, contact.slip) {
        (Phase::Slip, Slip(gain)) => (DVec3::ZERO, gain),
        _ => (contact.stretch * (-TANGENT * contact.stiffness), stick_gain(contact, dt)),
    };
    let gain = along_and_across(contact.normal, gain_n, gain_t);
    let mut term = ImplicitForce::at_point(normal + push, gain, r);
    term.gain.angular += contact.turning;
    term
}

/// Rolling and turning resistance as viscosity of the body's spin, from the last step's normal force and the spin the
/// step begins with.
pub(crate) fn turning(contact: &Contact, spin: DVec3) -> Sym3 {
    let m = &contact.material;
    if m.rolling == 0.0 && m.torsional == 0.0 {
        return Sym3::ZERO;
    }
    let pressed = contact.force.dot(contact.normal).max(0.0);
    let about = contact.normal.dot(spin);
    let across = contact.tangential(spin).length();
    let viscosity = |length: f64, rate: f64| length * pressed / rate.abs().max(1e-2);
    along_and_across(contact.normal, viscosity(m.torsional, about), viscosity(m.rolling, across))
}

/// What a contact's force would be if its point ended the step at `v` (relative velocity).
#[inline]
pub(crate) fn force(contact: &Contact, v: DVec3, dt: f64) -> DVec3 {
    let v_n = contact.normal.dot(v);
    let v_t = v - contact.normal * v_n;
    let f_n = normal_force(contact, v_n, dt);
    let f_t = match (contact.phase, contact.slip) {
        (Phase::Slip, Slip(gain)) => v_t * -gain,
        _ => spring(contact, v_t, dt),
    };
    contact.normal * f_n + f_t
}

/// The linearised force of the present round: that of [`force`], nothing for an open contact.
#[inline]
pub(crate) fn felt(contact: &Contact, v: DVec3, dt: f64) -> DVec3 {
    if contact.phase == Phase::Open { DVec3::ZERO } else { force(contact, v, dt) }
}

/// Largest friction at velocity `v`.
#[inline]
pub(crate) fn friction_bound(contact: &Contact, v: DVec3, dt: f64) -> f64 {
    INSIDE * contact.material.friction * normal_force(contact, contact.normal.dot(v), dt).max(0.0)
}

#[inline]
fn normal_force(contact: &Contact, v_n: f64, dt: f64) -> f64 {
    contact.stiffness * (contact.pressed - contact.foresight * dt * v_n) - damping(contact) * v_n
}

/// The force law itself, with friction up to a known bound: the negative gradient of a convex function of `v`.
#[inline]
pub(crate) fn law(contact: &Contact, v: DVec3, bound: f64, dt: f64) -> DVec3 {
    let v_n = contact.normal.dot(v);
    let f_n = normal_force(contact, v_n, dt).max(0.0);
    let mut f_t = spring(contact, v - contact.normal * v_n, dt);
    let square = f_t.length_squared();
    if square > bound * bound {
        f_t *= bound / square.sqrt();
    }
    contact.normal * f_n + f_t
}

/// Tangential force per velocity of a stuck point.
#[inline]
fn stick_gain(contact: &Contact, dt: f64) -> f64 {
    TANGENT * (dt * contact.stiffness + contact.damping)
}

/// Tangential force of a stuck point.
#[inline]
fn spring(contact: &Contact, v_t: DVec3, dt: f64) -> DVec3 {
    contact.stretch * (-TANGENT * contact.stiffness) - v_t * stick_gain(contact, dt)
}

/// Viscosity for a friction force of size `limit` where one of size `used` was found. Where friction gives way for good
/// the point will be faster than it was, and more so the lighter what is behind it: a large excess counts twice.
fn viscosity(v_t: DVec3, used: f64, limit: f64) -> f64 {
    let over = (1.5 * limit / used.max(f64::MIN_POSITIVE)).min(1.0);
    over * limit / v_t.length().max(1e-12)
}

/// Sliding friction is set to this share of the cone, so that small changes of the normal force between
/// rounds leave it inside.
const INSIDE: f64 = 0.995;

/// Looks at the outcome of a round and switches the contact; whether it must be solved again.
///
/// Friction may change its mind while `friction_rounds` lasts, then only contacts open and close (a Newton method on a
/// convex problem) and friction that leaves the cone gives way to the share `give_way` of it.
pub(crate) fn switch(
    contact: &mut Contact,
    v: DVec3,
    dt: f64,
    friction_rounds: usize,
    give_way: f64,
) -> bool {
    let found = force(contact, v, dt);
    let f_n = contact.normal.dot(found);
    if contact.phase == Phase::Open {
        contact.force = DVec3::ZERO;
        if f_n <= 0.0 {
            return false;
        }
        // What touches down at speed slides; sticking first would stop it within the step. Once friction only gives way, a
        // contact that closes goes without it for this step: to leave it open would let the point sink in unhindered.
        let gain = INSIDE * contact.material.friction * f_n / contact.tangential(v).length().max(1e-12);
        let slides = friction_rounds == 0 || gain < stick_gain(contact, dt);
        contact.phase = if slides { Phase::Slip } else { Phase::Stick };
        contact.slip = Slip(if slides && friction_rounds > 0 { gain } else { 0.0 });
        contact.stretch = DVec3::ZERO;
        return true;
    }
    contact.force = found;
    if f_n < 0.0 {
        contact.phase = Phase::Open;
        contact.slip = Slip(0.0);
        return true;
    }
    let f_t = found - contact.normal * f_n;
    let v_t = contact.tangential(v);
    let cone = contact.material.friction * f_n;
    let limit = INSIDE * cone;
    let stick_gain = stick_gain(contact, dt);
    if friction_rounds == 0 {
        // Friction may only give way: viscosity that leaves the cone becomes less, which ends by itself.
        let inside = f_t.length() <= cone && (contact.phase == Phase::Stick || f_t.dot(v_t) <= 0.0);
        if inside {
            return false;
        }
        contact.phase = Phase::Slip;
        contact.slip = Slip(give_way * viscosity(v_t, f_t.length(), limit).min(stick_gain));
        return true;
    }
    if contact.phase == Phase::Slip {
        let used = f_t.length();
        // Inside the cone and not far from it is good enough.
        if f_t.dot(v_t) <= 0.0 && used <= cone && used >= 0.97 * limit {
            return false;
        }
        if spring(contact, v_t, dt).length() <= limit {
            // Slower than a stuck point would creep: it has stopped.
            contact.phase = Phase::Stick;
            return true;
        }
    } else {
        if f_t.length() <= cone {
            return false;
        }
        let held = TANGENT * contact.stiffness * contact.stretch.length();
        if held > limit || f_t.dot(v_t) >= 0.0 {
            // The spring itself is stretched beyond what friction holds: it creeps back (plastic flow).
            contact.stretch *= (0.9 * limit / held.max(f64::MIN_POSITIVE)).min(0.5);
            return true;
        }
        contact.phase = Phase::Slip;
    }
    contact.slip = Slip(viscosity(v_t, f_t.length(), limit).min(stick_gain));
    true
}

/// Makes the viscosity of a sliding contact ready for the next step, once this one's forces are final.
pub(crate) fn look_forward(contact: &mut Contact, v: DVec3) {
    let limit = if contact.phase == Phase::Slip {
        INSIDE * contact.material.friction * contact.normal.dot(contact.force).max(0.0)
    } else {
        0.0
    };
    contact.slip = Slip(limit / contact.tangential(v).length().max(1e-12));
}

/// The stretch to go on with after the step, before its motion: a sliding point keeps just what its
/// friction force would hold, so that it can stick from there without a jump.
pub(crate) fn kept_stretch(contact: &Contact) -> DVec3 {
    match contact.phase {
        Phase::Open => DVec3::ZERO,
        Phase::Stick => contact.stretch,
        Phase::Slip => contact.tangential(contact.force) * (-1.0 / (TANGENT * contact.stiffness)),
    }
}
