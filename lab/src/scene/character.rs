//! Characters: a figure, where it starts, what drives it.
//!
//! A figure is whatever gives a [`Model`] of one tree. A character with a motion starts in its first pose and with its
//! velocities, a fighter without one in guard.

use std::sync::Arc;

use stuntlab_control::gains::{carried_inertia, reference_gains};
use stuntlab_mocap::character::Character as Mocap;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{BodySpec, Data, Joint, Limits, Model, State};

use super::SceneError;
use super::controller::{self, ControllerSpec};
use super::fields::Fields;
use super::fighters::repertoire;
use super::limits::standard_limits;
use super::motion::{self, Motion};
use super::place::turn;

/// A character of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// Its bodies, named `character/part`, limits, damping and strength applied, placed in the world.
    pub(crate) bodies: Vec<BodySpec>,
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

/// Reads one `[[character]]`.
pub(crate) fn read(fields: Fields<'_>) -> Result<Character, SceneError> {
    let name = fields.required_text("name")?.to_owned();
    if name.is_empty() || name.contains('/') {
        return Err(fields.error("name", "expected a name without '/'"));
    }
    let (figure, motion) = motion::read(&fields)?;
    let model = figure.model();
    let controller = controller::read(&fields)?;
    let mut first = motion.as_ref().map_or_else(|| State::new(model), Motion::first);
    if let ControllerSpec::Fighter(_) = controller {
        let Some(repertoire) = figure.character().and_then(|f| repertoire(&f)) else {
            let problem = "is no figure a fighter has clips for, expected library";
            return Err(fields.error("figure", problem));
        };
        if motion.is_none() {
            first.q.copy_from_slice(repertoire.start());
        }
    }
    let lift = motion.as_ref().map_or(0.0, Motion::lift);
    let world_from_model = Transform::from_translation(DVec3::Z * lift) * read_place(&fields, model, &first)?;
    let damping = fields.at_least_zero("damping")?.unwrap_or(0.0);
    let stiffness = fields.at_least_zero("stiffness")?.unwrap_or(0.0);
    let limits = fields.flag("limits")?.unwrap_or(true);
    let strength = fields.positive("strength")?;
    let carried = carried_inertia(model, 0..model.n_bodies());
    let with_own = |part: &str, mut joint: Joint, inertia: f64| {
        joint = joint.with_damping(damping * inertia).with_stiffness(stiffness * inertia);
        // Figures with limits of their own keep them.
        let bare = joint.limits == Limits::Unlimited;
        if let Some(limits) = standard_limits(part, &joint.kind).filter(|_| limits && bare) {
            joint = joint.with_limits(limits);
        }
        match (strength, reference_gains(part)) {
            (Some(factor), Some(gains)) => joint.with_effort_limit(factor * gains.effort),
            _ => joint,
        }
    };
    let prefixed = |part: &str| format!("{name}/{part}");
    let bodies = model
        .body_ids()
        .map(|id| {
            let body = model.body(id);
            let mut joint = body.joint().clone();
            match body.parent() {
                None => joint.parent_from_joint = world_from_model * joint.parent_from_joint,
                Some(_) => joint = with_own(body.name(), joint, carried[id.index()]),
            }
            BodySpec {
                name: prefixed(body.name()),
                parent: body.parent().map(|p| prefixed(model.body(p).name())),
                joint,
                inertia: *body.inertia(),
                shapes: model.shapes_of(Some(id)).collect(),
            }
        })
        .collect();
    let pose = fields
        .named_numbers("pose_deg")?
        .into_iter()
        .map(|(part, values, line)| {
            (prefixed(&part), values.into_iter().map(f64::to_radians).collect(), line)
        })
        .collect();
    let character = Character {
        line: fields.line(),
        bodies,
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
/// about the root.
fn read_place(fields: &Fields<'_>, model: &Model, first: &State) -> Result<Transform, SceneError> {
    let at = fields.vector("at")?.unwrap_or(DVec3::ZERO);
    let heading = turn(DVec3::Z * fields.number("heading_deg")?.unwrap_or(0.0));
    let tilt = fields.vector("rotation_deg")?.map_or(Default::default(), turn);
    let mut data = Data::new(model);
    forward_kinematics(model, first, &mut data);
    let root = data.position.world_from_body.first().map_or(DVec3::ZERO, |pose| pose.translation);
    let above = DVec3::new(0.0, 0.0, root.z);
    let turned = Transform::from_quaternion(heading * tilt, above) * Transform::from_translation(-root);
    Ok(Transform::from_translation(at) * turned)
}
