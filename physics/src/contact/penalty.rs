//! Explicit penalty forces with stiction anchors (bristles as in Azad & Featherstone 2010).
//!
//! ```text
//! normal    Kelvin–Voigt   max(0, k d - c v_n)      or Hunt–Crossley  k dᵖ max(0, 1 - 3/2 α v_n)
//! friction  f_t = -k_t s - c_t v_t; beyond the cone it is cut back to μ f_n and the anchor follows
//! ```
//!
//! `v_n > 0` parts the surfaces. Semi-implicit Euler is stable only while `h²k + 2hc < 4m`.

use glam::DVec3;

use super::point::{Contact, Phase};
use crate::step::NormalLaw;

/// Tangential stiffness and damping relative to the normal ones. When a slide ends in rolling the wound-up
/// spring lets go within `c_t / k_t`, during which the point still creeps: a stiffer spring makes that short. Sixteen times
/// the stiffness is a thirtieth of the normal spring's own time at critical damping, and costs no sub-steps: dampers do.
pub(crate) const TANGENT_STIFFNESS: f64 = 16.0;
pub(crate) const TANGENT_DAMPING: f64 = 0.5;

/// The force on body A for the relative velocity `v`; updates phase and stretch.
pub(crate) fn force(contact: &mut Contact, v: DVec3, law: NormalLaw) -> DVec3 {
    let (k, c, d) = (contact.law.stiffness, contact.law.damping, contact.law.pressed);
    let v_n = contact.normal.dot(v);
    let f_n = if d <= 0.0 {
        0.0
    } else {
        match law {
            NormalLaw::KelvinVoigt => (k * d - c * v_n).max(0.0),
            NormalLaw::HuntCrossley { exponent, dissipation } => {
                k * d.powf(exponent) * (1.0 - 1.5 * dissipation * v_n).max(0.0)
            }
        }
    };
    if f_n <= 0.0 {
        contact.phase = Phase::Open;
        contact.force = DVec3::ZERO;
        return contact.force;
    }
    let v_t = v - contact.normal * v_n;
    let (k_t, c_t) = (TANGENT_STIFFNESS * k, TANGENT_DAMPING * c);
    let mut f_t = contact.stick.stretch * -k_t - v_t * c_t;
    let limit = contact.law.material.friction * f_n;
    let size = f_t.length();
    contact.phase = Phase::Stick;
    if size > limit {
        f_t *= limit / size;
        contact.phase = Phase::Slip;
        // The anchor moves so that the spring alone carries what the damper leaves of the limit.
        contact.stick.stretch = if k_t > 0.0 { (f_t + v_t * c_t) * (-1.0 / k_t) } else { DVec3::ZERO };
        // Never more stretch than the cone can hold: fast slides must not wind the anchor backwards.
        let longest = limit / k_t.max(f64::MIN_POSITIVE);
        if contact.stick.stretch.length() > longest {
            contact.stick.stretch *= longest / contact.stick.stretch.length();
        }
    }
    contact.force = contact.normal * f_n + f_t;
    contact.force
}
