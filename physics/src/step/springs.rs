//! How long a sub-step of explicit springs may be, from the springs that act right now.
//!
//! The gain check says that semi-implicit Euler is stable while `λ_max(M⁻¹(h²K + 2hC)) < 4` (`gains.rs`, (1)). Here `K` and
//! `C` hold joint springs, dampers and servos, and every contact that presses, normal and tangents:
//!
//! ```text
//! G = h²K + 2hC = diag(joints) + Σ Jᵀ (g_n n nᵀ + g_t (1 - n nᵀ)) J,     g = h²k + 2hc            (1)
//! ```
//!
//! Power iteration applies `G` body by body and `M⁻¹` by the factors of the mass matrix, so a round costs a pass over bodies
//! and contacts; `h` follows the mode as it emerges, by the root of `h²k̄ + 2hc̄ = 4`. The mode is kept, so that a
//! state that changes little asks for a round or two.

use glam::DVec3;

use super::{NormalLaw, StepError, StepOptions};
use crate::actuation::Actuation;
use crate::contact::Contact;
use crate::contact::penalty::{TANGENT_DAMPING, TANGENT_STIFFNESS};
use crate::contact::point::Key;
use crate::data::Data;
use crate::dynamics::kinematics::joint_force;
use crate::dynamics::{crba_at, factorize, solve};
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};
use crate::step::body_velocities;

/// Share of the longest stable sub-step that is taken. Power iteration finds the fastest mode from below, contacts that
/// stick and slip are not linear, and beyond half of the limit a damper overshoots.
const SAFETY: f64 = 0.5;
/// Rounds for a new mode; what is still missing then is within [`SAFETY`].
const ROUNDS: usize = 40;
/// Relative change of the sub-step below which the mode is known well enough.
const CLOSE: f64 = 0.02;

/// The springs of the last sub-step, and the fastest mode they have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Springs {
    mode: Vec<f64>,
    force: Vec<f64>,
    next: Vec<f64>,
    bodies: Vec<Motion>,
    pushes: Vec<Force>,
    /// Contacts that pressed when the mode was found.
    touching: Vec<Key>,
    longest: f64,
}

/// Stiffness and damping of a mode, times its amplitude squared.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    stiffness: f64,
    damping: f64,
}

impl Gains {
    fn weight(self, h: f64) -> f64 {
        h * h * self.stiffness + 2.0 * h * self.damping
    }

    fn add(&mut self, gain: Self, rate: f64) {
        self.stiffness += gain.stiffness * rate * rate;
        self.damping += gain.damping * rate * rate;
    }
}

impl Springs {
    /// Forgets what was found: gains may have changed with a new step.
    pub(super) fn begin(&mut self) {
        self.touching.clear();
        self.longest = f64::NAN;
    }

    /// The sub-step to take next, of the `left` seconds that are. `data` must have observed the state.
    ///
    /// # Errors
    /// [`StepError::TooStiff`] where a step would need more than [`StepOptions::most_substeps`].
    pub(super) fn next(
        &mut self,
        model: &Model,
        data: &mut Data,
        act: &Actuation,
        opt: &StepOptions,
        time: f64,
        left: f64,
    ) -> Result<f64, StepError> {
        let usual = opt.dt / opt.substeps.max(1) as f64;
        if opt.most_substeps == 0 {
            return Ok(equal_part(left, usual));
        }
        if self.longest.is_nan() || !self.same_contacts(data) || opt.normal_law != NormalLaw::KelvinVoigt {
            self.longest = self.find_longest(model, data, act, opt);
            self.touching.clear();
            self.touching.extend(pressing(data).map(|c| c.key));
        }
        let allowed = SAFETY * self.longest;
        if opt.dt > allowed * opt.most_substeps.max(opt.substeps) as f64 {
            return Err(StepError::TooStiff {
                body: self.stiffest(model, data, act, opt),
                time,
                substep: allowed,
                needed: opt.dt / allowed,
                allowed: opt.most_substeps,
                rate: 1.0 / (allowed * opt.most_substeps as f64),
            });
        }
        Ok(equal_part(left, usual.min(allowed)))
    }

    fn same_contacts(&self, data: &Data) -> bool {
        pressing(data).map(|c| &c.key).eq(&self.touching)
    }

    /// The longest stable sub-step of everything that acts.
    fn find_longest(&mut self, model: &Model, data: &mut Data, act: &Actuation, opt: &StepOptions) -> f64 {
        crba_at(model, data);
        factorize(model, data);
        let nv = model.n_v();
        if self.mode.len() != nv {
            // Something of every mode, the same each time.
            self.mode.clear();
            self.mode.extend((0..nv).map(|k| 1.0 + 0.5 * (1.7 * k as f64).sin()));
            self.next.resize(nv, 0.0);
            self.force.resize(nv, 0.0);
            self.bodies.resize(model.n_bodies(), Motion::ZERO);
            self.pushes.resize(model.n_bodies(), Force::ZERO);
        }
        // A trace of everything, where the last mode has left nothing of what is new.
        for (k, x) in self.mode.iter_mut().enumerate() {
            *x += 1e-3 * (1.0 + 0.5 * (1.7 * k as f64).sin());
        }
        hold_prescribed(model, act, &mut self.mode);
        let mut h = opt.dt / opt.substeps.max(1) as f64;
        for _ in 0..ROUNDS {
            let gains = self.push(model, data, act, opt, h);
            // Before as well as after, or what is left of `M⁻¹` is not definite and has modes without mass.
            self.next.copy_from_slice(&self.force);
            hold_prescribed(model, act, &mut self.next);
            solve(model, data, &mut self.next);
            hold_prescribed(model, act, &mut self.next);
            // xᵀG M⁻¹G x / xᵀG x, and the mode's own stiffness and damping per mass.
            let response: f64 = self.force.iter().zip(&self.next).map(|(f, y)| f * y).sum();
            let size = self.next.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let energy = gains.weight(h);
            if !response.is_finite() {
                // Stiffer than numbers can tell: no sub-step is short enough.
                return 0.0;
            }
            if !(size > 0.0 && energy > 0.0) {
                return f64::INFINITY;
            }
            let mass = energy * energy / response;
            let (k, c) = (gains.stiffness / mass, gains.damping / mass);
            for (x, y) in self.mode.iter_mut().zip(&self.next) {
                *x = y / size;
            }
            // h²k + 2hc = 4, in the form that does not cancel.
            let longest = 4.0 / (c + (c * c + 4.0 * k).sqrt());
            let close = (longest - h).abs() <= CLOSE * h;
            h = longest;
            if close {
                break;
            }
        }
        h
    }

    /// `force` ← G x for the mode x; its stiffness and damping, `xᵀKx` and `xᵀCx`.
    fn push(&mut self, model: &Model, data: &Data, act: &Actuation, opt: &StepOptions, h: f64) -> Gains {
        let mut sum = Gains::default();
        for tree in 0..model.trees.len() {
            body_velocities(model, data, tree, &self.mode, &mut self.bodies);
        }
        self.pushes.fill(Force::ZERO);
        for contact in pressing(data) {
            let [normal, tangent] = contact_gains(contact, opt.normal_law);
            let arm = |b: usize| contact.point - data.position.world_from_body[b].translation;
            let at = |b: usize| self.bodies[b].at(arm(b)).linear;
            let rate = at(contact.a()) - contact.b().map_or(DVec3::ZERO, at);
            let along = contact.normal.dot(rate);
            let across = rate - contact.normal * along;
            sum.add(normal, along);
            sum.add(tangent, across.length());
            let push = contact.normal * (normal.weight(h) * along) + across * tangent.weight(h);
            self.pushes[contact.a()] += Force::at_offset(push, arm(contact.a()));
            if let Some(b) = contact.b() {
                self.pushes[b] += Force::at_offset(-push, arm(b));
            }
        }
        for i in (0..model.n_bodies()).rev() {
            let (link, body) = (&model.links[i], &model.bodies[i]);
            let through = self.pushes[i];
            if link.parent != NONE {
                self.pushes[link.parent as usize] += through.seen_from(data.position.offset[i]);
            }
            let range = body.v_range();
            joint_force(link.kind, &data.position.axes[i], through, &mut self.force[range.clone()]);
            for (k, dof) in range.enumerate() {
                let gain = joint_gains(model, act, i, k);
                self.force[dof] += gain.weight(h) * self.mode[dof];
                sum.add(gain, self.mode[dof]);
            }
        }
        sum
    }

    /// Name of the body that has most of the mode's energy in springs of its own.
    fn stiffest(&mut self, model: &Model, data: &Data, act: &Actuation, opt: &StepOptions) -> String {
        let h = self.longest;
        for tree in 0..model.trees.len() {
            body_velocities(model, data, tree, &self.mode, &mut self.bodies);
        }
        let mut most = (0, f64::NEG_INFINITY);
        for (i, body) in model.bodies.iter().enumerate() {
            let mut sum = Gains::default();
            for (k, dof) in body.v_range().enumerate() {
                sum.add(joint_gains(model, act, i, k), self.mode[dof]);
            }
            for contact in pressing(data).filter(|c| c.a() == i || c.b() == Some(i)) {
                let arm = contact.point - data.position.world_from_body[i].translation;
                let rate = self.bodies[i].at(arm).linear;
                sum.add(contact_gains(contact, opt.normal_law)[0], rate.length());
            }
            if sum.weight(h) > most.1 {
                most = (i, sum.weight(h));
            }
        }
        model.bodies.get(most.0).map_or_else(|| "?".to_owned(), |b| b.name.clone())
    }
}

/// Nothing along joints whose rates are given.
fn hold_prescribed(model: &Model, act: &Actuation, x: &mut [f64]) {
    for (_, body) in model.bodies.iter().enumerate().filter(|(i, _)| act.prescribed[*i]) {
        x[body.v_range()].fill(0.0);
    }
}

/// The longest part of at most `most`, but for rounding, that `left` is a multiple of.
fn equal_part(left: f64, most: f64) -> f64 {
    left / (left / most - 1e-9).ceil().max(1.0)
}

/// Contacts whose springs act.
fn pressing(data: &Data) -> impl Iterator<Item = &Contact> {
    data.contact.points.iter().filter(|c| c.depth > 0.0)
}

/// Normal and tangential gains of a contact in its present state.
fn contact_gains(contact: &Contact, law: NormalLaw) -> [Gains; 2] {
    let (k, c) = (contact.law.stiffness, contact.law.damping);
    let normal = match law {
        NormalLaw::KelvinVoigt => Gains { stiffness: k, damping: c },
        NormalLaw::HuntCrossley { exponent, dissipation } => {
            let d = contact.depth.max(0.0);
            Gains {
                stiffness: k * exponent * d.powf(exponent - 1.0),
                damping: 1.5 * dissipation.abs() * k * d.powf(exponent),
            }
        }
    };
    [normal, Gains { stiffness: TANGENT_STIFFNESS * k, damping: TANGENT_DAMPING * c }]
}

/// Spring, damper and servo of one freedom of a body's joint.
fn joint_gains(model: &Model, act: &Actuation, body: usize, k: usize) -> Gains {
    if act.prescribed[body] {
        return Gains::default();
    }
    let (joint, dof) = (&model.bodies[body].joint, model.bodies[body].v_start + k);
    Gains {
        stiffness: joint.stiffness[k] + act.servo.stiffness[dof],
        damping: joint.damping[k] + act.servo.damping[dof],
    }
}
