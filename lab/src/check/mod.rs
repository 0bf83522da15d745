//! All scenes against their own marks, foils and recorded hashes, in parallel.
//!
//! A piece of work is one world, so that a long scene does not hold up the rest. Worlds know nothing of each other:
//! threads change no bit of what comes out, only when.

mod hashes;

use serde::Serialize;

pub use hashes::{Bits, Hashes, libm};

use crate::parallel;
use crate::run::{Metrics, Run, variants_of, with_foils};
use crate::scene::{Scene, SceneError, Variant};
use crate::words::spelled;

/// How a scene did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneOutcome {
    /// Marks and foils.
    pub metrics: Metrics,
    /// Where its worlds ended, foils aside.
    pub ends: Vec<End>,
    /// What its worlds took, s, all together.
    pub seconds: f64,
}

/// Where a world ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    /// Name of the variant; empty for a scene without.
    pub variant: String,
    /// Hash of its last state.
    pub hash: String,
}

/// One world of a scene at its end.
struct Ended {
    metrics: Metrics,
    end: Option<End>,
    seconds: f64,
}

/// Runs scenes with all their variants, and with their foils where asked, on `threads` threads (0: one per core).
/// `heard` is told of every world that ends: how many have, how many there are, and which it was.
///
/// # Errors
/// A variant or a foil that does not fit its scene.
pub fn check(
    scenes: &[Scene],
    foils: bool,
    threads: usize,
    mut heard: impl FnMut(usize, usize, &str),
) -> Result<Vec<SceneOutcome>, SceneError> {
    let mut worlds: Vec<(usize, Variant)> = Vec::new();
    for (k, scene) in scenes.iter().enumerate() {
        let own = variants_of(scene, None)?;
        let all = if foils && !scene.foils.is_empty() { with_foils(scene, &own)? } else { own };
        worlds.extend(all.into_iter().map(|variant| (k, variant)));
    }
    // The longest first, so that none is left over for one thread at the end.
    let mut order: Vec<usize> = (0..worlds.len()).collect();
    order.sort_by(|a, b| effort(&scenes[worlds[*b].0]).total_cmp(&effort(&scenes[worlds[*a].0])));
    let work = |k: usize| {
        let (scene, variant) = &worlds[order[k]];
        run_to_end(&scenes[*scene], variant)
    };
    let mut ended: Vec<Option<Ended>> = worlds.iter().map(|_| None).collect();
    let mut count = 0;
    parallel::each(worlds.len(), threads, work, |k, result| {
        let (scene, variant) = &worlds[order[k]];
        ended[order[k]] = Some(result?);
        count += 1;
        heard(count, worlds.len(), format!("{} {}", scenes[*scene].name, variant.name).trim_end());
        Ok(())
    })?;
    Ok(gather(scenes, &worlds, ended))
}

/// What the worlds of every scene gave, in the order of the scenes and their variants.
fn gather(scenes: &[Scene], worlds: &[(usize, Variant)], ended: Vec<Option<Ended>>) -> Vec<SceneOutcome> {
    let mut outcomes: Vec<Option<SceneOutcome>> = scenes.iter().map(|_| None).collect();
    for ((scene, _), ended) in worlds.iter().zip(ended) {
        let Some(Ended { metrics, end, seconds }) = ended else { continue };
        match &mut outcomes[*scene] {
            Some(outcome) => {
                outcome.metrics.add(metrics);
                outcome.ends.extend(end);
                outcome.seconds += seconds;
            }
            none => *none = Some(SceneOutcome { metrics, ends: end.into_iter().collect(), seconds }),
        }
    }
    outcomes.into_iter().flatten().collect()
}

/// About how long a scene takes, in steps of bodies.
fn effort(scene: &Scene) -> f64 {
    let bodies = 36 * scene.characters.len() + 16 * scene.chains.len() + scene.bodies.len();
    scene.duration / scene.options.dt * bodies as f64
}

fn run_to_end(scene: &Scene, variant: &Variant) -> Result<Ended, SceneError> {
    let start = std::time::Instant::now();
    let mut run = Run::new(scene, std::slice::from_ref(variant))?;
    run.advance_to(f64::INFINITY);
    let lane = run.lanes.first().filter(|lane| lane.foil.is_none());
    let end = lane.map(|lane| End { variant: lane.name.clone(), hash: spelled(lane.world.hash()) });
    Ok(Ended { metrics: run.metrics(), end, seconds: start.elapsed().as_secs_f64() })
}
