//! Motions that lead back: ways to get up and to catch oneself, and the mirror image of each.
//!
//! Ways into gaits are made by program: the library's start, faded into the gait at the phase that fits. Clips are the library's; on other skeletons they are retargeted. The library's own figures have theirs made once.

use std::sync::{Arc, OnceLock};

use stuntlab_mocap::character::Character;
use stuntlab_mocap::edit::{align_to_ground, concatenate, mirror, trim};
use stuntlab_mocap::footing::set_feet;
use stuntlab_mocap::library;
use stuntlab_mocap::retarget::{RetargetOptions, retarget};
use stuntlab_mocap::{Clip, ClipError};

use super::finder::Tables;
use crate::fighter::library_figure;
use crate::kind::Refusal;
use crate::reference::ClipReference;

/// What a clip is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// From lying on the ground.
    GetUp,
    /// Before the ground: steps that catch.
    Stagger,
    /// From standing into a gait.
    Start,
}

/// Clips and what they are good for; all have a mirror image.
const CLIPS: &[(&str, Road)] = &[
    ("get-up-prone", Road::GetUp),
    ("get-up-supine", Road::GetUp),
    ("get-up-side", Road::GetUp),
    ("kneel-up", Road::GetUp),
    ("stagger", Road::Stagger),
    ("stagger-forward", Road::Stagger),
    ("stagger-left", Road::Stagger),
    ("stagger-forward-left", Road::Stagger),
    ("stagger-back-left", Road::Stagger),
    ("stop", Road::Stagger),
    ("start", Road::Start),
];

/// Seconds into a clip until which it may be entered, where that is less than usual: on one hand and a hip, or on one knee, nobody comes to rest. With the whole beginning of the
/// way up from the side 9 of 118 hits were not back in time.
const ENTRIES: &[(&str, f64)] = &[("get-up-side", 0.35), ("kneel-up", 0.3)];

/// Gaits that one who stands starts into, besides the walk, with which the start itself ends.
const GAITS: [&str; 2] = ["fast-walk", "run"];
/// Seconds in which a start fades into a gait: about a step of a run.
const FADE: f64 = 0.35;

/// A clip on the figure.
#[derive(Clone)]
pub struct Way {
    /// Name; `mirrored` comes after it for a mirror image.
    pub name: String,
    /// What it is good for.
    pub road: Road,
    /// The motion.
    pub motion: ClipReference,
    /// Seconds into it until which it may be entered.
    pub entry: f64,
}

/// Ways back of one figure.
#[derive(Clone)]
pub struct Ways {
    character: Arc<Character>,
    list: Vec<Way>,
    tables: Tables,
}

static MADE: [OnceLock<Arc<Ways>>; 2] = [const { OnceLock::new() }; 2];

impl Ways {
    /// Those of a figure.
    ///
    /// # Errors
    /// A figure that clips of the library do not fit.
    pub fn of(character: &Arc<Character>) -> Result<Arc<Self>, Refusal> {
        for (toes, made) in MADE.iter().enumerate() {
            if Arc::ptr_eq(character, &library_figure(toes == 1)) {
                if let Some(known) = made.get() {
                    return Ok(known.clone());
                }
                let ways = Arc::new(Self::make(character)?);
                return Ok(made.get_or_init(|| ways).clone());
            }
        }
        Ok(Arc::new(Self::make(character)?))
    }

    fn make(character: &Arc<Character>) -> Result<Self, Refusal> {
        let mut list = Vec::with_capacity(2 * CLIPS.len());
        for (name, road) in CLIPS {
            let bad = |e: &dyn std::fmt::Display| {
                Refusal::new("figure", format!("cannot play the clip {name:?}: {e}"))
            };
            let clip = library::clip(name).map_err(|e| bad(&e))?;
            let mut clips = vec![((*name).to_owned(), clip)];
            if *road == Road::Start {
                for gait in GAITS {
                    let into = library::clip(gait).map_err(|e| bad(&e))?;
                    let both = into_gait(&clips[0].1, &into).map_err(|e| bad(&e))?;
                    clips.push((format!("{name} into {gait}"), both));
                }
            }
            for (name, clip) in clips {
                for (clip, name) in [(mirror(&clip), format!("{name} mirrored")), (clip, name)] {
                    let fitted = fit(&clip, character).map_err(|e| bad(&e))?;
                    let motion = ClipReference::new(character.clone(), &fitted, false);
                    let known = ENTRIES.iter().find(|(known, _)| name.starts_with(known));
                    let entry = known.map_or(f64::INFINITY, |(_, entry)| *entry);
                    list.push(Way { name, road: *road, motion, entry });
                }
            }
        }
        let tables = Tables::new(character, &list)?;
        Ok(Self { character: character.clone(), list, tables })
    }

    /// The figure.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// What they are looked for by.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// All of them.
    pub fn list(&self) -> &[Way] {
        &self.list
    }
}

/// From standing into a gait: `start`, faded into the gait from the frame on that is nearest to where the start has come to by then.
fn into_gait(start: &Clip, gait: &Clip) -> Result<Clip, ClipError> {
    let frames = ((FADE / gait.frame_time()) as usize).clamp(1, start.n_frames() - 1);
    let n = gait.n_frames();
    // Three rounds, so that from any frame on there is a whole one.
    let rounds = concatenate(&concatenate(gait, gait, 1)?, gait, 1)?;
    let middle = start.rotations(start.n_frames() - 1 - frames / 2);
    let far = |from: usize| {
        let there = rounds.rotations(from + frames / 2);
        let joints = middle.iter().zip(there).skip(1);
        joints.map(|(a, b)| a.angle_between(*b).powi(2)).sum::<f64>()
    };
    let from = (0..n).min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(0);
    concatenate(start, &trim(&rounds, from..from + n + frames)?, frames)
}

/// A clip of the library on a figure.
///
/// # Errors
/// A clip that is not there, or does not fit.
pub(crate) fn of_library(
    character: &Arc<Character>,
    name: &str,
    cyclic: bool,
) -> Result<ClipReference, Refusal> {
    let bad = |e: &dyn std::fmt::Display| Refusal::new("motion.clip", format!("cannot play {name:?}: {e}"));
    let clip = library::clip(name).map_err(|e| bad(&e))?;
    let fitted = fit(&clip, character).map_err(|e| bad(&e))?;
    Ok(ClipReference::new(character.clone(), &fitted, cyclic))
}

/// A clip on a figure, feet on the ground.
fn fit(clip: &Clip, character: &Character) -> Result<Clip, stuntlab_mocap::retarget::RetargetError> {
    let mut clip = clip.clone();
    if !clip.skeleton().same_layout(character.skeleton()) {
        let fitted = retarget(&clip, character, &RetargetOptions::default())?;
        clip = align_to_ground(&fitted.clip, character.sole_height());
    }
    Ok(set_feet(&clip, character, false).clip)
}
