//! A walker at the phases of a stride: zero where its left foot strikes, one where it does so again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::BodyId;
use stuntlab_physics::glam::DVec3;

use super::StudyError;
use super::walkers::{WALKERS, Walker};
use crate::run::{Hands, World};
use crate::scene::Scene;

/// Seconds until a walk has found its rhythm.
const RHYTHM: f64 = 5.0;
/// Seconds in which a stride that does not end is none.
const LONGEST: f64 = 4.0;

/// A walk as its left foot strikes, and how long the stride takes that begins there; none where there is no such stride.
type Start = Option<(World, f64)>;

/// Walks up to there, by name, found once: whoever asks gets the same bits.
static STARTS: Mutex<BTreeMap<&'static str, Start>> = Mutex::new(BTreeMap::new());

/// The walker at the start of its scene.
fn begin(walker: &Walker) -> Result<World, StudyError> {
    let plain = ["measure=[]", "event=[]", "variant=[]", "foil=[]"];
    let set: Vec<String> = plain.iter().chain(walker.set).map(|&set| set.to_owned()).collect();
    Ok(World::new(&Scene::load(walker.scene, &set)?)?)
}

/// Steps until the left foot strikes; `false` where it does not in time.
fn to_strike(world: &mut World) -> bool {
    let read = |world: &World, name| world.controllers[0].readings().get(name).unwrap_or(f64::NAN);
    let (end, before) = (world.state.time + LONGEST, read(world, "steps"));
    let mut steps = before;
    while world.state.time < end {
        if world.step(&Hands::default()).is_err() {
            return false;
        }
        let now = read(world, "steps");
        if now > steps && read(world, "stance") == 0.0 {
            return true;
        }
        steps = now;
    }
    false
}

fn find(walker: &Walker) -> Result<Start, StudyError> {
    let mut world = begin(walker)?;
    while world.state.time < RHYTHM {
        if world.step(&Hands::default()).is_err() {
            return Ok(None);
        }
    }
    if !to_strike(&mut world) {
        return Ok(None);
    }
    let start = world.clone();
    Ok(to_strike(&mut world).then(|| {
        let length = world.state.time - start.state.time;
        (start, length)
    }))
}

/// The walker so far into a stride, of 1; `None` where it does not walk that long.
pub(super) fn at_phase(walker: &Walker, phase: f64) -> Result<Option<World>, StudyError> {
    let start = {
        let mut starts = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
        match starts.get(walker.name) {
            Some(start) => start.clone(),
            None => starts.entry(walker.name).or_insert(find(walker)?).clone(),
        }
    };
    let Some((mut world, length)) = start else { return Ok(None) };
    let end = world.state.time + phase * length;
    while world.state.time + 0.5 * world.options.dt < end {
        if world.step(&Hands::default()).is_err() {
            return Ok(None);
        }
    }
    Ok(Some(world))
}

fn part(world: &World, part: Part) -> Option<BodyId> {
    let senses = &world.senses()[0];
    let bone = senses.physique().parts().iter().position(|p| *p == Some(part))?;
    Some(Bone::new(bone).among(senses.bodies()))
}

/// The body that is pushed: the trunk, or the root.
pub(super) fn body(world: &World, trunk: bool) -> Option<BodyId> {
    if trunk { part(world, Part::Spine(0)) } else { Some(world.senses()[0].bodies().at(0)) }
}

/// `m √(g L)` of the walkers, N s, `L` from the hip down to the ground: what gives the whole body the speed `√(g L)`.
pub(super) fn natural_impulse() -> Result<f64, StudyError> {
    let world = begin(&WALKERS[0])?;
    let senses = &world.senses()[0];
    let hip = part(&world, Part::Thigh(Side::Left))
        .map_or(DVec3::ZERO, |thigh| world.data.world_from_body(thigh).translation);
    let leg = (senses.up().dot(hip) - senses.ground()).max(0.0);
    Ok(senses.mass() * (world.model().gravity().length() * leg).sqrt())
}
