//! Characters: a figure, where it starts, what drives it.
//!
//! A figure is whatever gives a [`Model`] of one tree. A character with a motion starts in its first pose and with its
//! velocities; one without starts where its controller would have it (a fighter in guard), or in the zero pose.

use std::sync::Arc;

use stuntlab_control::Refusal;
use stuntlab_control::gains::{carried_inertia, gains_of_body};
use stuntlab_mocap::character::{Character as Mocap, Physique, arms_out_limits};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Data, Joint, Limits, Model, ModelBuilder, State};

use super::controller::{self, ControllerSpec};
use super::motion::{self, Motion};
use super::place::{read_spread, turn};
use super::{Fields, SceneError};
use crate::registry::Registry;

/// A character of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// The character alone, where it stands in the scene: bodies named `character/part`, limits, damping and strength
    /// applied. The one model of it that is built; the scene's gets it whole.
    pub(crate) model: Arc<Model>,
    /// Joint coordinates of the start pose: body name and a rotation vector or angles, radians.
    pub(crate) pose: Vec<(String, Vec<f64>, usize)>,
    pub(crate) velocity: Option<DVec3>,
    pub(crate) spin: Option<DVec3>,
    /// The figure with its skeleton, where motions can be put on it.
    pub(crate) figure: Option<Arc<Mocap>>,
    /// What it follows.
    pub(crate) motion: Option<Motion>,
    /// Coordinates and velocities to start with, of its own model.
    pub(crate) first: State,
    pub(crate) controller: ControllerSpec,
}

/// What a scene says about all its characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    pub(crate) gravity: DVec3,
    /// Whether bodies of one character collide with each other.
    pub(crate) self_collision: bool,
    /// All chance is its.
    pub(crate) seed: u64,
}

/// Reads one `[[character]]`.
pub(crate) fn read(
    fields: Fields<'_>,
    surroundings: Surroundings,
    registry: &Registry,
) -> Result<Character, SceneError> {
    let name = fields.required_text("name")?.to_owned();
    if name.is_empty() || name.contains('/') {
        return Err(fields.error("name", "expected a name without '/'"));
    }
    let (figure, motion) = motion::read(&fields)?;
    let model = figure.model();
    let controller = controller::read(&fields, registry)?;
    let mut first = motion.as_ref().map_or_else(|| State::new(model), Motion::first);
    let refused = |refusal: Refusal| fields.error(&refusal.key, refusal.problem);
    let start = controller.start(figure.character().as_ref()).map_err(refused)?;
    if let Some(q) = start.filter(|q| motion.is_none() && q.len() == first.q.len()) {
        first.q = q;
    }
    let world_from_model = read_place(&fields, surroundings.seed, model, &first)?;
    let damping = fields.at_least_zero("damping")?.unwrap_or(0.0);
    let stiffness = fields.at_least_zero("stiffness")?.unwrap_or(0.0);
    let limits = fields.flag("limits")?.unwrap_or(true);
    let strength = fields.positive("strength")?;
    let carried = carried_inertia(model, model.body_ids());
    // Figures with a skeleton have limits of their own.
    let is_plain = figure.character().is_none();
    let ranges = (limits && is_plain).then(|| arms_out_limits(model, &Physique::by_name(model)));
    let with_own = |part: &str, mut joint: Joint, inertia: f64, limits: Option<Limits>| {
        joint = joint.with_damping(damping * inertia).with_stiffness(stiffness * inertia);
        if let Some(limits) = limits {
            joint = joint.with_limits(limits);
        }
        match (strength, gains_of_body(part)) {
            (Some(factor), Some(gains)) => joint.with_effort_limit(factor * gains.effort),
            _ => joint,
        }
    };
    let prefix = format!("{name}/");
    let mut builder = ModelBuilder::new().gravity(surroundings.gravity);
    builder = builder.self_collision(surroundings.self_collision);
    builder.append(&prefix, model, world_from_model);
    let (mut inertias, mut ranges) = (carried.iter(), ranges.into_iter().flatten());
    builder.change_bodies(|body| {
        let (inertia, limits) = (inertias.next().copied().unwrap_or(0.0), ranges.next());
        if body.parent.is_some() {
            let part = body.name.strip_prefix(&prefix).unwrap_or(&body.name);
            body.joint = with_own(part, body.joint.clone(), inertia, limits);
        }
    });
    let model = builder.build().map_err(|e| fields.error("", e.to_string()))?;
    let pose = fields
        .named_numbers("pose_deg")?
        .into_iter()
        .map(|(part, values, line)| {
            (format!("{prefix}{part}"), values.into_iter().map(f64::to_radians).collect(), line)
        })
        .collect();
    let character = Character {
        line: fields.line(),
        model: Arc::new(model),
        pose,
        velocity: fields.vector("velocity")?,
        spin: fields.vector("spin")?,
        figure: figure.character(),
        motion,
        first,
        controller,
        name,
    };
    fields.finish()?;
    Ok(character)
}

/// `at` on the ground below the root as it starts, `heading_deg` from the motion's own heading, and `rotation_deg`
/// about the root. By `spread` all characters are off alike, so that those side by side can be compared.
fn read_place(fields: &Fields<'_>, seed: u64, model: &Model, first: &State) -> Result<Transform, SceneError> {
    let at = fields.vector("at")?.unwrap_or(DVec3::ZERO) + read_spread(fields, "characters", seed)?;
    let heading = turn(DVec3::Z * fields.number("heading_deg")?.unwrap_or(0.0));
    let tilt = fields.vector("rotation_deg")?.map_or(Default::default(), turn);
    let mut data = Data::new(model);
    forward_kinematics(model, first, &mut data);
    let root = data.position.world_from_body.first().map_or(DVec3::ZERO, |pose| pose.translation);
    let above = DVec3::new(0.0, 0.0, root.z);
    let turned = Transform::from_quaternion(heading * tilt, above) * Transform::from_translation(-root);
    Ok(Transform::from_translation(at) * turned)
}
