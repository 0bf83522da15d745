//! What classifiers read of a state: numbers that are the same wherever a character is and whichever way it faces.
//!
//! Directions are forward, left and up along axes that turn with the trunk's left: however far a body pitches, prone or supine, its left stays level, so that
//! forward is well defined where the trunk's own front points into the ground. One who lies on the side has no such forward; there it is where the crown points.
//!
//! | features | of |
//! |---|---|
//! | `pelvis height` | over the ground, m |
//! | `up …` | up, seen from the trunk |
//! | `velocity …` | of the centre of mass, m/s |
//! | `spin …` | of the trunk, rad/s |
//! | `PART angle`, `PART rate` | of the joints of legs, trunk, shoulders and elbows, per freedom; rad and rad/s |
//! | `offset …` | of the centre of mass from the middle of the soles, m |
//! | `capture margin` | of the capture point in the support, m |
//! | `momentum …` | angular momentum per mass, m²/s |
//! | `SIDE sole height` | of the lowest point of either sole over the ground, m |
//! | `load …` | on feet, shanks, arms and the rest, as shares of the weight |

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::fingerprint::Fingerprint;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Bodies, JointKind, Model};

use crate::controller::Sense;

/// Version of the table below: a classifier of another one reads other numbers.
pub const LAYOUT: u64 = 1;

/// Farthest that a margin counts, m: beyond, one who falls has fallen, and without support it is as far out.
const MARGIN: f64 = 0.5;
/// Most that a load counts, in weights: blows are over within a step and say little.
const LOAD: f64 = 2.0;
/// Horizontal part of the trunk's left below which it has no level left.
const LEVEL: f64 = 0.1;

/// One number or three.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    PelvisHeight,
    Up,
    Velocity,
    Spin,
    Joint(Bone),
    Offset,
    CaptureMargin,
    Momentum,
    SoleHeights,
    Loads,
}

/// Who bears a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bearer {
    Foot(Side),
    Shank(Side),
    Arms,
    Rest,
}

/// The bearers, in the order of their features.
const BEARERS: [(Bearer, &str); 6] = [
    (Bearer::Foot(Side::Left), "load of the left foot"),
    (Bearer::Foot(Side::Right), "load of the right foot"),
    (Bearer::Shank(Side::Left), "load of the left shank"),
    (Bearer::Shank(Side::Right), "load of the right shank"),
    (Bearer::Arms, "load of the arms"),
    (Bearer::Rest, "load of the rest"),
];

fn bearer(part: Option<Part>) -> Bearer {
    match part {
        Some(Part::Foot(side) | Part::Toe(side)) => Bearer::Foot(side),
        Some(Part::Shank(side)) => Bearer::Shank(side),
        Some(Part::Forearm(_) | Part::Hand(_) | Part::Finger(_)) => Bearer::Arms,
        _ => Bearer::Rest,
    }
}

/// Which joints are read: heads and hands do not decide whether a body can get up.
const fn is_read(part: Option<Part>) -> bool {
    matches!(
        part,
        Some(
            Part::Spine(_)
                | Part::UpperArm(_)
                | Part::Forearm(_)
                | Part::Thigh(_)
                | Part::Shank(_)
                | Part::Foot(_)
        )
    )
}

/// The features of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    items: Vec<Item>,
    names: Vec<String>,
    bearers: Vec<Bearer>,
}

const AXES: [&str; 3] = ["forward", "left", "up"];

impl Features {
    /// Of a figure of its own model.
    pub fn new(model: &Model, physique: &Physique) -> Self {
        let joints = (0..model.n_bodies()).map(Bone::new).filter(|bone| is_read(physique.part(*bone)));
        let mut items = vec![Item::PelvisHeight, Item::Up, Item::Velocity, Item::Spin];
        items.extend(joints.map(Item::Joint));
        items.extend([Item::Offset, Item::CaptureMargin, Item::Momentum, Item::SoleHeights, Item::Loads]);
        let names = items.iter().flat_map(|item| names(*item, model)).collect();
        let bearers = physique.parts().iter().map(|part| bearer(*part)).collect();
        Self { items, names, bearers }
    }

    /// Their names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Reads a character that is like the figure they are of.
    ///
    /// # Panics
    /// If there is no room for each of [`Features::names`].
    pub fn read(&self, sense: &Sense<'_>, out: &mut [f64]) {
        let mut at = 0;
        let mut write = |x: f64| {
            out[at] = x;
            at += 1;
        };
        let axes = axes(sense);
        let own = |v: DVec3| axes.map(|axis| axis.dot(v));
        let senses = sense.own;
        for item in &self.items {
            match *item {
                Item::PelvisHeight => write(senses.pelvis_height()),
                Item::Up => {
                    let trunk = sense.data.world_from_body(sense.body_of(senses.physique().trunk())).rotation;
                    (trunk.transpose() * senses.up()).to_array().into_iter().for_each(&mut write);
                }
                Item::Velocity => own(senses.velocity()).into_iter().for_each(&mut write),
                Item::Spin => {
                    let trunk = sense.body_of(senses.physique().trunk());
                    own(sense.data.body_velocity(trunk).angular).into_iter().for_each(&mut write);
                }
                Item::Joint(bone) => {
                    let body = sense.bone(bone);
                    let range = body.coordinates();
                    match body.joint().kind {
                        JointKind::Spherical => rotation::log(sense.state.rotation(body))
                            .to_array()
                            .into_iter()
                            .for_each(&mut write),
                        _ => sense.state.q[range].iter().copied().for_each(&mut write),
                    }
                    sense.state.v[body.freedoms()].iter().copied().for_each(&mut write);
                }
                Item::Offset => {
                    let soles = senses.physique().soles();
                    let place = |s: &stuntlab_mocap::character::Sole| {
                        sense.data.world_from_body(sense.body_of(s.bone)).transform_point(s.point_body)
                    };
                    let mid = soles.iter().map(place).sum::<DVec3>() / soles.len().max(1) as f64;
                    own(senses.center_of_mass() - mid).into_iter().for_each(&mut write);
                }
                Item::CaptureMargin => {
                    write(senses.capture_margin().unwrap_or(-MARGIN).clamp(-MARGIN, MARGIN));
                }
                Item::Momentum => {
                    let spin = senses.momentum(sense.model, sense.data).angular
                        / senses.mass().max(f64::MIN_POSITIVE);
                    own(spin).into_iter().for_each(&mut write);
                }
                Item::SoleHeights => {
                    for side in Side::BOTH {
                        let soles = senses.physique().soles().iter().filter(|s| s.side == side);
                        let height = soles.map(|s| {
                            let pose = sense.data.world_from_body(sense.body_of(s.bone));
                            pose.transform_point(s.point_body).dot(senses.up()) - senses.ground()
                        });
                        let lowest = height.fold(f64::INFINITY, f64::min);
                        write(if lowest.is_finite() { lowest } else { 0.0 });
                    }
                }
                Item::Loads => {
                    let weight = senses.mass() * sense.model.gravity().length();
                    for (who, _) in BEARERS {
                        let borne: f64 = self
                            .bearers
                            .iter()
                            .zip(senses.touches())
                            .filter(|(b, _)| **b == who)
                            .map(|(_, touch)| touch.load)
                            .sum();
                        write(if weight > 0.0 { (borne / weight).min(LOAD) } else { 0.0 });
                    }
                }
            }
        }
    }
}

/// Forward, left and up.
fn axes(sense: &Sense<'_>) -> [DVec3; 3] {
    let up = sense.own.up();
    let left = sense.own.trunk_up().cross(sense.own.trunk_front());
    let level = left - up * left.dot(up);
    let forward = if level.length() > LEVEL {
        level.cross(up)
    } else {
        let crown = sense.own.trunk_up();
        crown - up * crown.dot(up)
    };
    let forward = forward.try_normalize().unwrap_or(DVec3::X);
    [forward, up.cross(forward), up]
}

fn names(item: Item, model: &Model) -> Vec<String> {
    let three = |what: &str| AXES.iter().map(|axis| format!("{what} {axis}")).collect();
    match item {
        Item::PelvisHeight => vec!["pelvis height".to_owned()],
        Item::Up => three("up"),
        Item::Velocity => three("velocity"),
        Item::Spin => three("spin"),
        Item::Offset => three("offset"),
        Item::CaptureMargin => vec!["capture margin".to_owned()],
        Item::Momentum => three("momentum"),
        Item::SoleHeights => ["left", "right"].iter().map(|side| format!("{side} sole height")).collect(),
        Item::Loads => BEARERS.iter().map(|(_, name)| (*name).to_owned()).collect(),
        Item::Joint(bone) => {
            let body = model.body(model.body_ids().at(bone.index()));
            let part = body.name().rsplit('/').next().unwrap_or_default();
            let n = body.freedoms().len();
            let of = |what: &str| -> Vec<String> {
                (0..n)
                    .map(|k| if n == 1 { format!("{part} {what}") } else { format!("{part} {what} {k}") })
                    .collect()
            };
            [of("angle"), of("rate")].concat()
        }
    }
}

/// Tells a figure from others by its bodies and joints, wherever it stands and whatever it is called: who else is there, its name and its place do not
/// count.
pub fn figure_fingerprint(model: &Model, bodies: Bodies) -> u64 {
    let mut print = Fingerprint::default();
    for body in bodies {
        let spec = model.body(body);
        let parent = spec.parent().and_then(|p| bodies.place_of(p));
        print.word(parent.map_or(u64::MAX, |p| p as u64));
        spec.joint().kind.name().bytes().for_each(|byte| print.byte(byte));
        let inertia = spec.inertia();
        let turn = inertia.rotational;
        print.numbers(&[inertia.mass, turn.xx, turn.yy, turn.zz]);
        print.numbers(&inertia.center_of_mass.to_array());
        // The root's joint is where it was put.
        if parent.is_some() {
            print.numbers(&spec.joint().parent_from_joint.translation.to_array());
            print.numbers(&spec.joint().effort_limit);
        }
    }
    print.value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use stuntlab_mocap::character::Character;
    use stuntlab_physics::glam::DQuat;
    use stuntlab_physics::spatial::Transform;
    use stuntlab_physics::{Actuation, Data, ModelBuilder, State, StepOptions, advance, observe};

    use crate::senses::Senses;

    /// Drops a figure from a crooked pose and reads it on the way, placed and turned.
    fn fallen(figure: &Character, place: Transform, steps: usize) -> Vec<f64> {
        let mut builder = ModelBuilder::new()
            .fixture(stuntlab_physics::ShapeSpec::new(stuntlab_physics::model::shape::Shape::Plane));
        figure.append_to(&mut builder, "who/", place);
        let model = builder.build().expect("a figure on the ground");
        let bodies = figure.find_in(&model, "who/").expect("it was appended").bodies;
        let physique = Arc::new(Physique::of(figure));
        let (mut state, mut data, act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        let mut senses = Senses::new(&model, bodies, physique.clone());
        let mut random = stuntlab_physics::random::Random::new(5);
        let bend: Vec<f64> =
            (0..model.n_v()).map(|k| if k < 6 { 0.0 } else { random.between(-0.4, 0.4) }).collect();
        state.integrate(&model, &bend, 1.0);
        let options = StepOptions::at_rate(120.0);
        observe(&model, &state, &mut data, &options);
        senses.look(&model, &state, &data);
        for _ in 0..steps {
            advance(&model, &mut state, &mut data, &act, &options).expect("it falls");
            observe(&model, &state, &mut data, &options);
            senses.look(&model, &state, &data);
        }
        let features = Features::new(figure.model(), &physique);
        let mut out = vec![f64::NAN; features.names().len()];
        features.read(&Sense::new(&model, &state, &data, options.dt, &senses), &mut out);
        out
    }

    #[test]
    fn features_do_not_know_where_they_are_nor_whither_they_face() {
        let figure = Character::stuntperson();
        for steps in [0, 12] {
            let here = fallen(&figure, Transform::IDENTITY, steps);
            assert!(here.iter().all(|x| x.is_finite()));
            let turn = DQuat::from_rotation_z(2.2);
            let there = fallen(&figure, Transform::from_quaternion(turn, DVec3::new(7.0, -3.0, 0.0)), steps);
            for (k, (a, b)) in here.iter().zip(&there).enumerate() {
                // Contacts are solved to a residual only, and what is left of it grows as it falls.
                let tolerance = if steps == 0 { 1e-9 } else { 2e-3 };
                assert!((a - b).abs() < tolerance * (1.0 + a.abs()), "feature {k}: {a} and {b}");
            }
        }
    }

    #[test]
    fn a_planar_figure_has_features_of_its_plane_only() {
        let figure = Character::planar_figure();
        let read = fallen(&figure, Transform::IDENTITY, 20);
        let features = Features::new(figure.model(), &Physique::of(&figure));
        assert_eq!(read.len(), features.names().len());
        for (x, name) in read.iter().zip(features.names()) {
            if name.ends_with(" left") && name != "offset left" {
                let turns = name.starts_with("spin") || name.starts_with("momentum");
                assert!(turns || x.abs() < 1e-9, "{name}: {x}");
            }
        }
        let unique: std::collections::BTreeSet<&String> = features.names().iter().collect();
        assert_eq!(unique.len(), read.len());
    }

    #[test]
    fn figures_are_told_apart_wherever_they_stand() {
        let print = |figure: &Character| figure_fingerprint(figure.model(), figure.model().body_ids());
        let (planar, stunt) = (Character::planar_figure(), Character::stuntperson());
        assert_ne!(print(&planar), print(&stunt));
        let heavier = Character::stuntperson_of(1.80, 81.0).expect("a body");
        assert_ne!(print(&heavier), print(&stunt));
        let mut builder = ModelBuilder::new();
        planar.append_to(&mut builder, "a/", Transform::IDENTITY);
        stunt.append_to(&mut builder, "b/", Transform::from_translation(DVec3::new(3.0, 1.0, 0.0)));
        let model = builder.build().expect("two figures");
        let second = stunt.find_in(&model, "b/").expect("it was appended");
        assert_eq!(figure_fingerprint(&model, second.bodies), print(&stunt));
    }
}
