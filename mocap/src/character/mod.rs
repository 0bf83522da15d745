//! Characters: dynamic bodies made from skeletons by rule, and the standard figures.
//!
//! [`Character::build`] stands any humanoid skeleton up (legs and arms down, facing +x), merges joints that are no bodies
//! of their own, gives every body mass and inertia (de Leva 1996), shapes, joint limits and servo gains, and keeps the way
//! back: poses of the skeleton become states of the model and states become poses.
//!
//! At zero every body's axes are the world's (only a planar root's differ) and the soles are at z = 0.
//!
//! ```
//! use stuntlab_mocap::character::Character;
//! let stuntperson = Character::stuntperson();
//! assert_eq!(stuntperson.model().n_v(), 37);
//! let left_knee = stuntperson.roles().left.shank.ok_or("it has a shank")?;
//! assert_eq!(stuntperson.model().body(left_knee).name(), "lshank");
//! # Ok::<(), &'static str>(())
//! ```

pub(crate) mod anatomy;
mod bone;
mod figures;
mod joints;
mod limit;
mod mapping;
mod measures;
mod physique;
mod plan;
mod ranges;
mod report;
mod segments;
mod shapes;
pub(crate) mod stance;
mod strength;

pub use anatomy::Part;
pub use bone::Bone;
pub use joints::{JointStyle, ServoGains};
pub(crate) use limit::ball_bounds;
pub use limit::{clamp_to_limits, limit_violation};
pub use mapping::PoseScratch;
pub use physique::{Physique, Sole};
pub use ranges::arms_out_limits;
pub use report::{CharacterError, CharacterReport, Merge, MergeReason, Overlap};
pub use segments::Sex;
pub use shapes::SolePlace;
pub use strength::{STRENGTH_MASS, Strength};

use crate::roles::Side;
use crate::skeleton::JointId;
use crate::{Roles, Skeleton};
use glam::{DMat3, DQuat, DVec3};
use measures::Measures;
use plan::{Keep, Plan};
use segments::Table;
use stance::Stance;
use std::sync::Arc;
use stuntlab_physics::model::Body;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{BodyId, BodySpec, JointKind, Model, ModelBuilder, State, Tree};

/// How a character is built. The default guesses everything from the skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CharacterOptions {
    /// Which of de Leva's tables.
    pub sex: Sex,
    /// Stature in metres; `None` takes it from the legs (thigh and shank are 49 % of it).
    pub stature: Option<f64>,
    /// Mass in kg; `None` takes it from the stature and the mean body mass index of the table's sample.
    pub mass: Option<f64>,
    /// Which joints it gets.
    pub joints: JointStyle,
    /// Every spine and neck joint carries a body; else straight chains become one.
    pub separate_spine: bool,
    /// Collar bones are bodies; else they move with the chest.
    pub separate_clavicles: bool,
    /// Finger bones are bodies; else they move with the hand.
    pub separate_fingers: bool,
    /// Toes are bodies; else they move with the foot.
    pub separate_toes: bool,
}

/// Bodies of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimbBodies {
    /// Collar bone.
    pub clavicle: Option<BodyId>,
    /// Upper arm.
    pub upper_arm: Option<BodyId>,
    /// Forearm.
    pub forearm: Option<BodyId>,
    /// Hand.
    pub hand: Option<BodyId>,
    /// Thigh.
    pub thigh: Option<BodyId>,
    /// Shank.
    pub shank: Option<BodyId>,
    /// Foot.
    pub foot: Option<BodyId>,
    /// Toes, where they are a body.
    pub toe: Option<BodyId>,
}

/// Bodies by what they are, so that controllers are written once for all figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRoles {
    /// Carries the root joint.
    pub pelvis: BodyId,
    /// Trunk above the waist, lowest first.
    pub spine: Vec<BodyId>,
    /// Neck, lowest first.
    pub neck: Vec<BodyId>,
    /// Head.
    pub head: Option<BodyId>,
    /// The figure's left.
    pub left: LimbBodies,
    /// The figure's right.
    pub right: LimbBodies,
}

impl BodyRoles {
    /// The limbs of one side.
    pub const fn side(&self, side: Side) -> &LimbBodies {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// The uppermost trunk body, which carries arms and neck; the pelvis where there is no other.
    pub fn chest(&self) -> BodyId {
        self.spine.last().copied().unwrap_or(self.pelvis)
    }
}

/// A point of a sole that touches flat ground in the standing pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolePoint {
    /// Which foot.
    pub side: Side,
    /// Where on it.
    pub place: SolePlace,
    /// Foot or toe body.
    pub body: BodyId,
    /// Lowest point of the contact sphere, body frame.
    pub point_body: DVec3,
    /// Radius of the contact sphere, m.
    pub radius: f64,
}

/// A landmark of the body: a point fixed to a body of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// The body.
    pub body: BodyId,
    /// The point in its frame.
    pub point_body: DVec3,
}

/// A skeleton with the dynamic model made from it.
#[derive(Clone, Debug)]
pub struct Character {
    name: String,
    skeleton: Arc<Skeleton>,
    model: Arc<Model>,
    roles: BodyRoles,
    soles: Vec<SolePoint>,
    gains: Vec<ServoGains>,
    parts: Vec<Part>,
    measures: Measures,
    stance: Stance,
    plan: Plan,
    body_of_segment: Vec<BodyId>,
    /// Axes of the root body in the standing pose.
    stance_from_root: DMat3,
}

impl Character {
    /// Builds a character from a humanoid skeleton in metres with z up, as [`crate::convert::import`] gives it.
    ///
    /// # Errors
    /// A skeleton without legs by name or by shape, bones without length, or options out of range.
    pub fn build(
        skeleton: &Skeleton,
        options: &CharacterOptions,
    ) -> Result<(Self, CharacterReport), CharacterError> {
        Self::build_with(skeleton, options, |_| None)
    }

    /// As [`Character::build`], with masses of some parts given.
    fn build_with(
        skeleton: &Skeleton,
        options: &CharacterOptions,
        mass_of: impl Fn(Part) -> Option<f64>,
    ) -> Result<(Self, CharacterReport), CharacterError> {
        let stance = Stance::find(skeleton).map_err(CharacterError::Missing)?;
        let rows = Table::of(options.sex);
        let mut notes = Vec::new();
        if stance.anatomy.by_shape {
            notes.push("Joint names say nothing; limbs were found by the shape of the tree.".to_owned());
        }
        let leg = check_bones(skeleton, &stance)?;
        let stature = options.stature.unwrap_or_else(|| {
            let stature = leg / measures::LEG_SHARE;
            notes.push(format!("Stature {stature:.2} m from legs of {leg:.2} m."));
            stature
        });
        let mass = options.mass.unwrap_or_else(|| {
            let mass = rows.body_mass_index * stature * stature;
            notes.push(format!("Mass {mass:.1} kg from the stature."));
            mass
        });
        check_range(stature, 0.3..=4.0, "a stature of 0.3 to 4 m")?;
        check_range(mass, 1.0..=1000.0, "a mass of 1 to 1000 kg")?;

        let keep = Keep {
            spine: options.separate_spine,
            clavicles: options.separate_clavicles,
            fingers: options.separate_fingers,
            toes: options.separate_toes,
        };
        let plan = Plan::new(skeleton, &stance, keep, stature);
        let measures = Measures::new(skeleton, &stance, stature, mass);
        let mut inertias = measures.inertias(&plan, &stance, rows);
        for (inertia, segment) in inertias.iter_mut().zip(&plan.segments) {
            if let Some(wanted) = mass_of(segment.part) {
                inertia.rotational = inertia.rotational * (wanted / inertia.mass);
                inertia.mass = wanted;
            }
        }
        let total = inertias.iter().map(|i| i.mass).sum();
        let soles = shapes::soles(&plan, &measures);
        let mut specs = Vec::with_capacity(plan.segments.len());
        for (index, segment) in plan.segments.iter().enumerate() {
            let share = match segment.part {
                Part::Spine(_) => 1.0 / plan.spine().len() as f64,
                Part::Neck(_) if options.separate_spine => 0.5,
                _ => 1.0,
            };
            let mut joint = joints::joint(options.joints, segment.part, share, total);
            let parent = segment.parent.map(|p| &plan.segments[p]);
            joint.parent_from_joint = Transform::from_translation(match parent {
                Some(parent) => segment.origin - parent.origin,
                None => DVec3::Z * (segment.origin.z - measures.sole),
            });
            let mut spec = BodySpec {
                name: segment.name.clone(),
                parent: parent.map(|p| p.name.clone()),
                joint,
                inertia: inertias[index],
                shapes: shapes::shapes(&plan, &stance, &measures, &inertias[index], index),
            };
            let own = soles.iter().filter(|s| s.segment == index);
            spec.shapes.extend(own.map(shapes::sole_shape));
            specs.push(spec);
        }
        let stance_from_root = turn_planar_root(&mut specs);
        let shapes::Separation { overlaps, apart } = shapes::separate(&mut specs)?;
        let mut builder = Model::builder();
        specs.into_iter().for_each(|spec| builder.push(spec));
        apart.into_iter().for_each(|(a, b)| builder.keep_apart(a, b));
        let model = builder.build()?;
        let report = CharacterReport { stature, mass: total, merges: plan.merges.clone(), overlaps, notes };
        let measures = Measures { mass: total, ..measures };
        Ok((Self::assemble(skeleton, model, plan, stance, measures, &soles, stance_from_root), report))
    }

    fn assemble(
        skeleton: &Skeleton,
        model: Model,
        plan: Plan,
        stance: Stance,
        measures: Measures,
        soles: &[shapes::SoleSpec],
        stance_from_root: DMat3,
    ) -> Self {
        let find = |name: &str| model.find(name).expect("every segment is a body of the model");
        let body_of_segment: Vec<BodyId> = plan.segments.iter().map(|s| find(&s.name)).collect();
        let body = |part: Part| plan.find(part).map(|i| body_of_segment[i]);
        let limbs = |side| LimbBodies {
            clavicle: body(Part::Clavicle(side)),
            upper_arm: body(Part::UpperArm(side)),
            forearm: body(Part::Forearm(side)),
            hand: body(Part::Hand(side)),
            thigh: body(Part::Thigh(side)),
            shank: body(Part::Shank(side)),
            foot: body(Part::Foot(side)),
            toe: body(Part::Toe(side)),
        };
        let roles = BodyRoles {
            pelvis: body_of_segment[0],
            spine: plan.spine().iter().map(|&i| body_of_segment[i]).collect(),
            neck: (0..=u8::MAX).map_while(|i| body(Part::Neck(i))).collect(),
            head: body(Part::Head),
            left: limbs(Side::Left),
            right: limbs(Side::Right),
        };
        let soles = soles
            .iter()
            .map(|s| SolePoint {
                side: s.side,
                place: s.place,
                body: body_of_segment[s.segment],
                point_body: s.point,
                radius: s.radius,
            })
            .collect();
        let mut parts = vec![Part::Pelvis; model.n_bodies()];
        for (segment, id) in plan.segments.iter().zip(&body_of_segment) {
            parts[id.index()] = segment.part;
        }
        let gains = parts.iter().map(|&part| joints::gains(part, measures.mass)).collect();
        Self {
            name: "character".to_owned(),
            skeleton: Arc::new(skeleton.clone()),
            model: Arc::new(model),
            roles,
            soles,
            gains,
            parts,
            measures,
            stance,
            plan,
            body_of_segment,
            stance_from_root,
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Calls it something else.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The model: this character alone, standing at the origin with its soles at z = 0, no ground.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The same model, to keep.
    pub fn shared_model(&self) -> Arc<Model> {
        self.model.clone()
    }

    /// The skeleton its poses are of.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Bodies by what they are.
    pub fn roles(&self) -> &BodyRoles {
        &self.roles
    }

    /// What every body is, by body index.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Roles of the skeleton's joints, found by name or by shape.
    pub fn joint_roles(&self) -> &Roles {
        &self.stance.anatomy.roles
    }

    /// Contact points of the soles, left foot first.
    pub fn soles(&self) -> &[SolePoint] {
        &self.soles
    }

    /// Reference servo gains of the joint above every body, by body index (DeepMimic's, Peng et al. 2018, scaled by mass; zero for the root).
    pub fn gains(&self) -> &[ServoGains] {
        &self.gains
    }

    /// Stature in metres.
    pub fn stature(&self) -> f64 {
        self.measures.stature
    }

    /// Mass in kg.
    pub fn mass(&self) -> f64 {
        self.measures.mass
    }

    /// Height of the root body above the soles in the standing pose.
    pub fn root_height(&self) -> f64 {
        -self.measures.sole
    }

    /// Height of the lowest foot joint above the sole: what [`crate::edit::align_to_ground`] wants.
    pub fn sole_height(&self) -> f64 {
        self.measures.feet.iter().flatten().map(|p| p.z).fold(f64::INFINITY, f64::min) - self.measures.sole
    }

    /// The body a joint of the skeleton went to.
    ///
    /// # Panics
    /// Where the joint does not exist.
    pub fn body_of_joint(&self, joint: JointId) -> BodyId {
        self.body_of_segment[self.plan.segment_of_joint[joint]]
    }

    /// The joint of the skeleton whose orientation a body has, with the fixed turn `joint_from_body` between the two.
    pub fn joint_of_body(&self, body: BodyId) -> (JointId, DQuat) {
        let segment = self.segment_of_body(body);
        let frame = self.plan.segments[segment].frame();
        let stance_from_body = if segment == 0 { self.stance_from_root } else { DMat3::IDENTITY };
        (frame, (self.stance.rotations[frame].conjugate() * DQuat::from_mat3(&stance_from_body)).normalize())
    }

    /// A joint of the skeleton as a point of the body it went to.
    ///
    /// # Panics
    /// Where the joint does not exist.
    pub fn joint_point(&self, joint: JointId) -> BodyPoint {
        let segment = self.plan.segment_of_joint[joint];
        self.stance_point(segment, self.stance.positions[joint])
    }

    /// The far end of a body: top of the head, tip of hand and toes, next joint of a limb.
    pub fn tip(&self, body: BodyId) -> BodyPoint {
        let segment = self.segment_of_body(body);
        self.stance_point(segment, self.measures.tip(&self.plan, &self.stance, segment))
    }

    /// A point of the standing pose (hips at zero) in the frame of a segment's body.
    pub(crate) fn stance_point(&self, segment: usize, point: DVec3) -> BodyPoint {
        let offset = point - self.plan.segments[segment].origin;
        let point_body = if segment == 0 { self.stance_from_root.transpose() * offset } else { offset };
        BodyPoint { body: self.body_of_segment[segment], point_body }
    }

    fn segment_of_body(&self, body: BodyId) -> usize {
        self.body_of_segment.iter().position(|&b| b == body).unwrap_or(0)
    }

    pub(crate) fn stance(&self) -> &Stance {
        &self.stance
    }

    /// Axes of the root body in the standing pose: the world's unless the root is planar.
    pub(crate) fn stance_from_root(&self) -> DMat3 {
        self.stance_from_root
    }

    /// Adds the character to a scene: names prefixed, placed by `world_from_character`.
    pub fn append_to(&self, builder: &mut ModelBuilder, prefix: &str, world_from_character: Transform) {
        builder.append(prefix, &self.model, world_from_character);
    }

    /// Finds the character in a model it was appended to under this prefix.
    ///
    /// It is a tree whose bodies, coordinates and freedoms are in the character's own order.
    pub fn find_in(&self, model: &Model, prefix: &str) -> Option<Tree> {
        let root = model.find(&format!("{prefix}{}", self.model.bodies()[0].name()))?;
        let tree = model.tree_of(root);
        let (theirs, own) = (&model.bodies()[tree.bodies], self.model.bodies());
        let same = |(a, b): (&Body, &Body)| a.name().strip_prefix(prefix) == Some(b.name());
        (theirs.len() == own.len() && theirs.iter().zip(own).all(same)).then_some(tree)
    }

    /// Sets a joint by its anatomical angles in radians: flexion, abduction, twist (signs as in `joints`; those it lacks are
    /// ignored). Nothing happens for the root.
    pub fn set_angles(&self, state: &mut State, body: BodyId, angles: [f64; 3]) {
        let part = self.parts[body.index()];
        let b = self.model.body(body);
        match b.joint().kind {
            JointKind::Spherical => state.set_rotation(b, joints::rotation(part, angles)),
            JointKind::Revolute { .. } => state.q[b.coordinates()][0] = angles[0],
            JointKind::Universal { axes } => {
                let named = joints::axes(part);
                for (k, axis) in axes.iter().enumerate() {
                    let angle = named.iter().position(|n| n.dot(*axis) > 0.9).map_or(0.0, |i| angles[i]);
                    state.q[b.coordinates()][k] = angle;
                }
            }
            _ => {}
        }
    }

    /// Anatomical angles of a joint in radians: flexion, abduction, twist; zero for those it lacks and for the root.
    pub fn angles(&self, state: &State, body: BodyId) -> [f64; 3] {
        let part = self.parts[body.index()];
        let b = self.model.body(body);
        let q = &state.q[b.coordinates()];
        match b.joint().kind {
            JointKind::Spherical => joints::angles(part, state.rotation(b)),
            JointKind::Revolute { .. } => [q[0], 0.0, 0.0],
            JointKind::Universal { axes } => {
                let named = joints::axes(part);
                named.map(|n| (0..2).find(|&k| n.dot(axes[k]) > 0.9).map_or(0.0, |k| q[k]))
            }
            _ => [0.0; 3],
        }
    }
}

fn check_range(
    found: f64,
    range: core::ops::RangeInclusive<f64>,
    expected: &'static str,
) -> Result<(), CharacterError> {
    if range.contains(&found) { Ok(()) } else { Err(CharacterError::Option { expected, found }) }
}

/// Mean leg length; legs and arms must have bones.
fn check_bones(skeleton: &Skeleton, stance: &Stance) -> Result<f64, CharacterError> {
    let mut legs = 0.0;
    for side in Side::BOTH {
        let l = stance.anatomy.roles.side(side);
        for chain in [[l.hip, l.knee, l.ankle], [l.shoulder, l.elbow, l.wrist]] {
            for pair in chain.windows(2) {
                let (Some(a), Some(b)) = (pair[0], pair[1]) else { continue };
                let length = stance.positions[a].distance(stance.positions[b]);
                if length < 0.02 {
                    let name = |j: JointId| skeleton.joints()[j].name.clone();
                    return Err(CharacterError::NoLength(name(a), name(b)));
                }
                legs += if Some(b) == l.knee || Some(b) == l.ankle { 0.5 * length } else { 0.0 };
            }
        }
    }
    Ok(legs)
}

/// A planar joint moves in its own xy plane: its frame, and with it the root body's, has y up and z to the right.
fn turn_planar_root(specs: &mut [BodySpec]) -> DMat3 {
    if specs[0].joint.kind != JointKind::Planar {
        return DMat3::IDENTITY;
    }
    let stance_from_root = DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y);
    let root_from_stance = Transform::from_rotation(stance_from_root.transpose());
    specs[0].joint.parent_from_joint.rotation = stance_from_root;
    specs[0].inertia = specs[0].inertia.transformed(&root_from_stance);
    for shape in &mut specs[0].shapes {
        shape.body_from_shape = root_from_stance * shape.body_from_shape;
    }
    let root = specs[0].name.clone();
    for spec in specs.iter_mut().filter(|s| s.parent.as_ref() == Some(&root)) {
        spec.joint.parent_from_joint = root_from_stance * spec.joint.parent_from_joint;
    }
    stance_from_root
}
