//! Motion of one skeleton on another's body: least squares on world positions and orientations, frame after frame.
//!
//! Wanted places come from the source's orientations on the target's proportions (`targets.rs`); a damped Gauss-Newton
//! method fits the character's reduced joints to them within their limits (`solve.rs`), starting from the frame before. Feet
//! stay where they are while they rest. The root's path is scaled by the ratio of leg lengths.

mod cholesky;
mod solve;
mod targets;

use crate::character::{Character, CharacterError};
use crate::contacts::{ContactOptions, Contacts, find_contacts};
use crate::edit::face_forward;
use crate::{Clip, ClipError};
use solve::Solver;
use stuntlab_physics::{JointKind, State};
use targets::Targets;
use thiserror::Error;

/// How a motion is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetOptions {
    /// Gauss-Newton steps per frame; the first frame takes ten times as many.
    pub iterations: usize,
    /// Hold feet in place while they rest; feet that shift by more than 5 cm while they bear are held piece by piece.
    pub keep_contacts: bool,
    /// How resting feet are found.
    pub contacts: ContactOptions,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self { iterations: 5, keep_contacts: true, contacts: ContactOptions::default() }
    }
}

/// How well a motion fits.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetReport {
    /// Mean distance of the joints from their wanted places over all frames, in cm.
    pub mean_cm: f64,
    /// The largest distance of any joint, in cm.
    pub worst_cm: f64,
    /// The frame it occurs in.
    pub worst_frame: usize,
    /// Mean distance per joint, in cm.
    pub joints: Vec<(&'static str, f64)>,
    /// Mean angle between wanted and found orientations of pelvis, chest, head, hands and feet, in degrees.
    pub orientation_deg: f64,
    /// The farthest a heel or toe that is held in place moves from it, in cm.
    pub slide_cm: f64,
    /// Share of the frames with a resting heel or toe in which it is held; the rest are steps between places and feet
    /// that never keep one, of which `slide_cm` says nothing. One where nothing rests or feet are not held at all.
    pub held_share: f64,
    /// Leg length of the target over that of the source.
    pub scale: f64,
}

/// A motion on another body.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The character's states, one per frame of the source, with velocities.
    pub states: Vec<State>,
    /// The same motion on the character's skeleton.
    pub clip: Clip,
    /// When its feet rest.
    pub contacts: Option<Contacts>,
    /// How well it fits.
    pub report: RetargetReport,
}

/// A clip that does not go onto a character.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// The source is no humanoid.
    #[error(transparent)]
    Source(#[from] CharacterError),
    /// The motion does not make a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// No step at all.
    #[error("expected 1 to 1000 iterations, found {0}")]
    Iterations(usize),
}

/// Puts a clip onto a character. A planar figure gets the motion turned to face +x in its first frame, and its residual
/// is measured in its plane.
///
/// # Errors
/// A clip whose skeleton is no humanoid, or options out of range.
pub fn retarget(
    clip: &Clip,
    character: &Character,
    options: &RetargetOptions,
) -> Result<Retargeted, RetargetError> {
    if !(1..=1000).contains(&options.iterations) {
        return Err(RetargetError::Iterations(options.iterations));
    }
    let planar = character.model().bodies()[0].joint().kind == JointKind::Planar;
    let turned;
    let clip = if planar {
        turned = face_forward(clip, 0);
        &turned
    } else {
        clip
    };
    let contacts = find_contacts(clip, &options.contacts);
    let held = contacts.as_ref().filter(|_| options.keep_contacts);
    let targets = Targets::new(clip, character, held)?;
    let mut solver = Solver::new(character, &targets);
    let mut states = Vec::with_capacity(clip.n_frames());
    for frame in 0..clip.n_frames() {
        states.push(solver.fit(frame, options.iterations));
    }
    set_velocities(character, &mut states, clip.frame_time());
    let report = solver.report(&states);
    let retargeted =
        character.clip_from_states(&clip.name, clip.frame_time(), &states)?.with_tags(clip.tags.clone());
    Ok(Retargeted { states, clip: retargeted, contacts, report })
}

/// Central differences on the manifold, one-sided at the ends.
fn set_velocities(character: &Character, states: &mut [State], frame_time: f64) {
    let model = character.model();
    let last = states.len() - 1;
    for frame in 0..states.len() {
        let (a, b) = (frame.saturating_sub(1), (frame + 1).min(last));
        let mut v = vec![0.0; model.n_v()];
        if b > a {
            states[a].difference(model, &states[b], &mut v);
            v.iter_mut().for_each(|x| *x /= (b - a) as f64 * frame_time);
        }
        states[frame].v = v;
        states[frame].time = frame as f64 * frame_time;
    }
}
