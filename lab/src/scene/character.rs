//! Characters: a figure, where it starts, what drives it.
//!
//! A figure is whatever gives a [`Model`] of one tree; scenes name the standard figures of
//! [`stuntlab_physics::figures`].

use stuntlab_control::Gains;
use stuntlab_control::gains::{carried_inertia, reference_gains};
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::{Character as Mocap, CharacterOptions};
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{BodySpec, Joint, Limits, Model, figures};

use super::SceneError;
use super::fields::Fields;
use super::limits::standard_limits;
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
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
    pub(crate) controller: ControllerSpec,
}

/// What drives a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControllerSpec {
    /// Nothing.
    None,
    /// Joint servos that hold the start pose.
    Pose {
        /// How stiff.
        gains: Gains,
    },
}

impl ControllerSpec {
    /// Names scenes may use.
    pub const NAMES: [&'static str; 2] = ["none", "pose"];

    /// Name, as scenes spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pose { .. } => "pose",
        }
    }

    /// The controller of this name with its standard settings.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "pose" => Some(Self::Pose { gains: Gains::Inertia { stiffness: 400.0, damping: 40.0 } }),
            _ => None,
        }
    }
}

type Maker = fn() -> Model;

/// Figures by name.
const FIGURES: [(&str, Maker); 6] = [
    ("humanoid37", || figures::humanoid37().model()),
    ("bones36", || figures::bones36().model()),
    ("stuntperson", || Mocap::stuntperson().model().clone()),
    ("walker", || Mocap::walker(true).model().clone()),
    ("ball-figure", || Mocap::ball_figure().model().clone()),
    ("planar-figure", || Mocap::planar_figure().model().clone()),
];

/// The character a BVH file's skeleton stands for.
fn from_bvh(fields: &Fields<'_>, path: &str) -> Result<Model, SceneError> {
    let bad = |problem: String| fields.error("bvh", format!("{path}: {problem}"));
    let bytes = std::fs::read(path).map_err(|e| bad(e.to_string()))?;
    let bvh = Bvh::parse(&bytes).map_err(|e| bad(e.to_string()))?;
    let (clip, _) = import(path, &bvh, &ImportOptions::default()).map_err(|e| bad(e.to_string()))?;
    let (character, _) =
        Mocap::build(clip.skeleton(), &CharacterOptions::default()).map_err(|e| bad(e.to_string()))?;
    Ok(character.model().clone())
}

/// Reads one `[[character]]`.
pub(crate) fn read(fields: Fields<'_>) -> Result<Character, SceneError> {
    let name = fields.required_text("name")?.to_owned();
    if name.is_empty() || name.contains('/') {
        return Err(fields.error("name", "expected a name without '/'"));
    }
    let model = match fields.text("bvh")? {
        Some(path) => from_bvh(&fields, path)?,
        None => fields.required_choice("figure", &FIGURES)?(),
    };
    let world_from_model = read_place(&fields, &model)?;
    let damping = fields.at_least_zero("damping")?.unwrap_or(0.0);
    let stiffness = fields.at_least_zero("stiffness")?.unwrap_or(0.0);
    let limits = fields.flag("limits")?.unwrap_or(true);
    let strength = fields.positive("strength")?;
    let carried = carried_inertia(&model, 0..model.n_bodies());
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
        velocity: fields.vector("velocity")?.unwrap_or(DVec3::ZERO),
        spin: fields.vector("spin")?.unwrap_or(DVec3::ZERO),
        controller: read_controller(&fields)?,
        name,
    };
    fields.finish()?;
    Ok(character)
}

/// `at` on the ground below the root, `heading_deg`, and `rotation_deg` about the root.
fn read_place(fields: &Fields<'_>, model: &Model) -> Result<Transform, SceneError> {
    let at = fields.vector("at")?.unwrap_or(DVec3::ZERO);
    let heading = turn(DVec3::Z * fields.number("heading_deg")?.unwrap_or(0.0));
    let tilt = fields.vector("rotation_deg")?.map_or(Default::default(), turn);
    let root = model.bodies().first().map_or(DVec3::ZERO, |b| b.joint().parent_from_joint.translation);
    let about_root = Transform::from_quaternion(heading * tilt, root) * Transform::from_translation(-root);
    Ok(Transform::from_translation(at) * about_root)
}

fn read_controller(fields: &Fields<'_>) -> Result<ControllerSpec, SceneError> {
    let Some(table) = fields.table("controller")? else { return Ok(ControllerSpec::None) };
    let kinds = [("none", false), ("pose", true)];
    let spec = if table.required_choice("kind", &kinds)? {
        let words = [("table", false), ("inertia", true)];
        let gains = if table.choice("gains", &words)?.unwrap_or(true) {
            Gains::Inertia {
                stiffness: table.at_least_zero("stiffness")?.unwrap_or(400.0),
                damping: table.at_least_zero("damping")?.unwrap_or(40.0),
            }
        } else {
            Gains::Table { scale: table.at_least_zero("scale")?.unwrap_or(1.6) }
        };
        ControllerSpec::Pose { gains }
    } else {
        ControllerSpec::None
    };
    table.finish()?;
    Ok(spec)
}
