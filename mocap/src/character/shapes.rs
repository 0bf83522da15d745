//! What bodies look like to contacts: capsules for limbs, rounded boxes for the trunk, soles of small spheres; and how
//! shapes that meet in the standing pose give way.

use super::anatomy::Part;
use super::measures::Measures;
use super::plan::Plan;
use super::report::Overlap;
use super::segments::capsule_radius;
use super::stance::Stance;
use crate::roles::Side;
use glam::{DQuat, DVec3};
use stuntlab_physics::collide::{ContactOptions, Contacts, find_contacts};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::model::{ModelError, ShapeSpec};
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{BodySpec, Data, Model, State};

/// Where on the foot a sole point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolePlace {
    /// Inner side of the heel.
    HeelInner,
    /// Outer side of the heel.
    HeelOuter,
    /// Inner side of the ball of the foot.
    BallInner,
    /// Outer side of the ball of the foot.
    BallOuter,
    /// Tip of the toes.
    Toe,
}

/// A sole point before bodies have numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoleSpec {
    pub(super) side: Side,
    pub(super) place: SolePlace,
    pub(super) segment: usize,
    /// Lowest point of the sphere in the body frame.
    pub(super) point: DVec3,
    pub(super) radius: f64,
}

/// Sole points of both feet.
pub(super) fn soles(plan: &Plan, measures: &Measures) -> Vec<SoleSpec> {
    let radius = 0.007 * measures.stature;
    let half_width = 0.022 * measures.stature;
    let mut out = Vec::new();
    for side in Side::BOTH {
        let Some(foot) = plan.find(Part::Foot(side)) else { continue };
        let toe = plan.find(Part::Toe(side)).unwrap_or(foot);
        let heel = measures.heel(side);
        let [_, ball, tip] = measures.feet[side as usize];
        let inner = if side == Side::Left { -1.0 } else { 1.0 };
        let mut add = |place, segment: usize, x: f64, y: f64| {
            let point = DVec3::new(x, y, measures.sole) - plan.segments[segment].origin;
            out.push(SoleSpec { side, place, segment, point, radius });
        };
        add(SolePlace::HeelInner, foot, heel.x + radius, heel.y + inner * half_width * 0.8);
        add(SolePlace::HeelOuter, foot, heel.x + radius, heel.y - inner * half_width * 0.8);
        add(SolePlace::BallInner, foot, ball.x, ball.y + inner * half_width);
        add(SolePlace::BallOuter, foot, ball.x, ball.y - inner * half_width);
        add(SolePlace::Toe, toe, tip.x - radius, tip.y);
    }
    out
}

/// Shapes of a segment in its body frame; sole points come on top.
pub(super) fn shapes(
    plan: &Plan,
    stance: &Stance,
    measures: &Measures,
    inertia: &Inertia,
    index: usize,
) -> Vec<ShapeSpec> {
    let segment = &plan.segments[index];
    let tip = measures.tip(plan, stance, index) - segment.origin;
    let h = measures.stature / 1.8;
    let arm = 0.045 * h;
    // Room beside the trunk for the hanging arms.
    let beside = if measures.shoulder > 0.0 { (measures.shoulder - arm - 0.015).max(0.06) } else { 0.16 * h };
    match segment.part {
        Part::Pelvis => {
            let hips = measures.mid_hip - segment.origin;
            let hip_half = stance
                .anatomy
                .roles
                .left
                .hip
                .map_or(0.08, |j| (stance.positions[j].y - measures.mid_hip.y).abs());
            let top = tip.z.max(hips.z + 0.10 * h);
            let half =
                DVec3::new(0.09 * h, (hip_half + 0.06 * h).min(beside), 0.5 * (top - hips.z) + 0.03 * h);
            let middle = DVec3::new(0.5 * hips.x, hips.y, 0.5 * (top + hips.z) - 0.02 * h);
            vec![rounded(half, middle)]
        }
        Part::Spine(i) => {
            let last = plan.find(Part::Spine(i + 1)).is_none();
            // The top leaves room for the head, which is not its neighbour.
            let top = tip.z - if last { 0.02 * h } else { 0.0 };
            let half = DVec3::new(0.105 * h, beside, (0.5 * (top - 0.01)).max(0.03 * h));
            let middle = DVec3::new(0.5 * tip.x, 0.5 * tip.y, 0.5 * (top + 0.01).max(0.07 * h));
            vec![rounded(half, middle)]
        }
        Part::Neck(_) => vec![capsule(DVec3::ZERO, tip, 0.05 * h)],
        Part::Head => {
            let bottom = DVec3::new(tip.x, tip.y, 0.01);
            vec![capsule(bottom, tip, 0.085 * h)]
        }
        Part::Clavicle(_) => vec![capsule(DVec3::ZERO, tip, 0.04 * h)],
        Part::Hand(_) => {
            let length = tip.length().max(0.04);
            let half = DVec3::new(0.04 * h, 0.016 * h, 0.5 * length - 0.004);
            vec![rounded(half, DVec3::new(0.0, 0.0, -0.5 * length))]
        }
        Part::Finger(_) => vec![capsule(DVec3::ZERO, tip, 0.009 * h)],
        Part::UpperArm(_) | Part::Forearm(_) | Part::Thigh(_) | Part::Shank(_) => {
            let radius = capsule_radius(inertia.mass, tip.length()).min(0.3 * tip.length()).max(0.01);
            vec![capsule(DVec3::ZERO, tip, radius)]
        }
        Part::Foot(side) | Part::Toe(side) => {
            let is_toe = matches!(segment.part, Part::Toe(_));
            let heel = measures.heel(side) - segment.origin;
            let back = if is_toe { 0.0 } else { heel.x };
            let front = tip.x.max(back + 0.03 * h);
            let floor = measures.sole - segment.origin.z;
            // Only the spheres of the sole touch flat ground.
            let bottom = floor + 0.004;
            let height = if is_toe { 0.030 * h } else { (0.7 * -bottom).clamp(0.03 * h, 0.06 * h) };
            let half = DVec3::new(0.5 * (front - back), 0.028 * measures.stature, 0.5 * height);
            vec![rounded(
                half,
                DVec3::new(0.5 * (front + back), 0.5 * (heel.y + tip.y), bottom + 0.5 * height),
            )]
        }
    }
}

/// The sphere of a sole point.
pub(super) fn sole_shape(sole: &SoleSpec) -> ShapeSpec {
    let center = sole.point + DVec3::Z * sole.radius;
    ShapeSpec::new(Shape::Sphere { radius: sole.radius }).placed(Transform::from_translation(center))
}

fn rounded(half_extents: DVec3, middle: DVec3) -> ShapeSpec {
    let rounding = (0.6 * half_extents.min_element()).min(0.05);
    ShapeSpec::new(Shape::Box { half_extents, rounding }).placed(Transform::from_translation(middle))
}

/// A capsule from `a` to `b`, round ends included.
fn capsule(a: DVec3, b: DVec3, radius: f64) -> ShapeSpec {
    let length = a.distance(b);
    let radius = radius.min(0.5 * length.max(0.02));
    let half_length = (0.5 * length - radius).max(0.0);
    let along = (b - a).normalize_or(DVec3::Z);
    let turn = DQuat::from_rotation_arc(DVec3::Z, along);
    ShapeSpec::new(Shape::Capsule { radius, half_length })
        .placed(Transform::from_quaternion(turn, 0.5 * (a + b)))
}

/// Shapes may shrink to this share of their size before two bodies are let through each other.
const SMALLEST: f64 = 0.7;
/// Gap left between shapes that were made smaller, m.
const GAP: f64 = 0.001;

/// What was done about shapes that met.
pub(super) struct Separation {
    pub(super) overlaps: Vec<Overlap>,
    /// Bodies that must never collide.
    pub(super) apart: Vec<(String, String)>,
}

/// Makes shapes that meet in the standing pose smaller, or notes that their bodies must never collide.
pub(super) fn separate(bodies: &mut [BodySpec]) -> Result<Separation, ModelError> {
    let original: Vec<Vec<ShapeSpec>> = bodies.iter().map(|b| b.shapes.clone()).collect();
    let mut overlaps: Vec<Overlap> = Vec::new();
    let mut apart: Vec<(String, String)> = Vec::new();
    for round in 0..8 {
        let mut builder = Model::builder();
        bodies.iter().for_each(|b| builder.push(b.clone()));
        apart.iter().for_each(|(a, b)| builder.keep_apart(a.clone(), b.clone()));
        let model = builder.build()?;
        let found = meetings(&model);
        if found.is_empty() {
            break;
        }
        for meeting in found {
            let name = |b: usize| model.bodies()[b].name().to_owned();
            let (a, b) = (name(meeting.bodies[0]), name(meeting.bodies[1]));
            let known = overlaps.iter_mut().find(|o| o.a == a && o.b == b);
            let shrunk = round < 7
                && [(&a, meeting.shapes[0]), (&b, meeting.shapes[1])].iter().all(|(body, shape)| {
                    let index = bodies.iter().position(|x| x.name == **body).expect("bodies of the model");
                    let way = bodies_normal(&model, &meeting, index, bodies);
                    shrink(
                        &mut bodies[index].shapes[*shape],
                        &original[index][*shape],
                        0.5 * meeting.depth + GAP,
                        way,
                    )
                });
            match known {
                Some(o) => o.shrunk &= shrunk,
                None => overlaps.push(Overlap { a: a.clone(), b: b.clone(), depth: meeting.depth, shrunk }),
            }
            if !shrunk {
                apart.push((a, b));
            }
        }
    }
    Ok(Separation { overlaps, apart })
}

/// Two shapes that overlap.
struct Meeting {
    bodies: [usize; 2],
    /// Number of the shape on its body.
    shapes: [usize; 2],
    depth: f64,
    normal: DVec3,
}

/// The contact normal in the body's own axes.
fn bodies_normal(model: &Model, meeting: &Meeting, index: usize, bodies: &[BodySpec]) -> DVec3 {
    let mut data = Data::new(model);
    forward_kinematics(model, &State::new(model), &mut data);
    let body = model.find(&bodies[index].name).expect("bodies of the model");
    data.world_from_body(body).inverse_transform_vector(meeting.normal)
}

fn meetings(model: &Model) -> Vec<Meeting> {
    let mut data = Data::new(model);
    forward_kinematics(model, &State::new(model), &mut data);
    let mut contacts = Contacts::new();
    let poses = &data.position.world_from_body;
    find_contacts(model.colliders(), |b| poses[b], &ContactOptions { margin: 0.0 }, &mut contacts);
    let list = model.colliders().list();
    let rank = |collider: usize| list[..collider].iter().filter(|c| c.body == list[collider].body).count();
    contacts
        .manifolds
        .iter()
        .filter_map(|m| {
            let deepest = m.deepest().filter(|p| p.depth > 1e-6)?;
            let (a, b) = (m.collider_a.index(), m.collider_b.index());
            Some(Meeting {
                bodies: [list[a].body?.index(), list[b].body?.index()],
                shapes: [rank(a), rank(b)],
                depth: deepest.depth,
                normal: deepest.normal_world,
            })
        })
        .collect()
}

/// Makes a shape smaller by `by` along a direction of the body; false where it would become too small.
fn shrink(spec: &mut ShapeSpec, original: &ShapeSpec, by: f64, way_body: DVec3) -> bool {
    match (&mut spec.shape, &original.shape) {
        (Shape::Capsule { radius, half_length }, Shape::Capsule { radius: first, .. }) => {
            if *radius - by < SMALLEST * first {
                return false;
            }
            *radius -= by;
            // The ends stay where they were unless they are what meets.
            let along = spec.body_from_shape.rotation.z_axis.dot(way_body).abs();
            if along < 0.7 {
                *half_length += by;
            }
            true
        }
        (Shape::Sphere { radius }, Shape::Sphere { radius: first }) if *radius - by >= SMALLEST * first => {
            *radius -= by;
            true
        }
        (Shape::Box { half_extents, rounding }, Shape::Box { half_extents: first, .. }) => {
            let way = spec.body_from_shape.inverse_transform_vector(way_body).abs();
            let axis = if way.x >= way.y && way.x >= way.z {
                0
            } else if way.y >= way.z {
                1
            } else {
                2
            };
            if half_extents[axis] - by < SMALLEST * first[axis] {
                return false;
            }
            half_extents[axis] -= by;
            *rounding = rounding.min(0.9 * half_extents.min_element());
            true
        }
        _ => false,
    }
}
