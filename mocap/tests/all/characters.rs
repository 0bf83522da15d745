//! Characters from skeletons of every kind, and the standard figures.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use stuntlab_mocap::character::{
    Character, CharacterError, CharacterOptions, JointStyle, MergeReason, Overlap, Sex, SolePlace,
    clamp_to_limits, limit_violation,
};
use stuntlab_mocap::skeleton::{EndSite, Joint, JointId};
use stuntlab_mocap::{ClipSpline, Sample, Skeleton};
use stuntlab_physics::collide::{ContactOptions, Contacts, find_contacts};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics, forward_velocity};
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Data, Model, State};

fn at_rest(model: &Model) -> (State, Data) {
    let (state, mut data) = (State::new(model), Data::new(model));
    forward_kinematics(model, &state, &mut data);
    forward_velocity(model, &state, &mut data);
    (state, data)
}

fn deepest_overlap(model: &Model, data: &Data) -> f64 {
    let mut contacts = Contacts::new();
    let poses = &data.position.world_from_body;
    find_contacts(model.colliders(), |b| poses[b], &ContactOptions { margin: 0.0 }, &mut contacts);
    contacts.manifolds.iter().filter_map(|m| m.deepest()).map(|p| p.depth).fold(0.0, f64::max)
}

/// Stands with its soles on z = 0, nothing below it, nothing overlapping, weight over its feet.
fn check_standing(character: &Character) {
    let name = character.name();
    let model = character.model();
    let (state, data) = at_rest(model);
    assert!(deepest_overlap(model, &data) < 1e-6, "{name}: {}", deepest_overlap(model, &data));
    assert_eq!(limit_violation(model, &state), 0.0, "{name}");
    assert_eq!(character.soles().len(), 10, "{name}");
    let mut support = [f64::INFINITY, f64::NEG_INFINITY];
    for sole in character.soles() {
        let point = data.world_from_body(sole.body).transform_point(sole.point_body);
        assert!(point.z.abs() < 1e-9, "{name} {:?}: {point}", sole.place);
        support = [support[0].min(point.x), support[1].max(point.x)];
    }
    for body in model.body_ids() {
        for shape in model.shapes_of(Some(body)) {
            let place = *data.world_from_body(body) * shape.body_from_shape;
            let low = shape.shape.aabb(&place).unwrap().min.z;
            assert!(low > -1e-9, "{name}: {} reaches down to {low}", model.body(body).name());
        }
    }
    let com = center_of_mass(model, &data);
    assert!((com.mass - character.mass()).abs() < 1e-9, "{name}: {} kg", com.mass);
    assert!(com.position.x > support[0] && com.position.x < support[1], "{name}: {}", com.position);
    let height = com.position.z / character.stature();
    assert!((0.4..0.65).contains(&height), "{name}: centre of mass at {height} of the stature");
}

#[test]
fn standard_figures_stand_and_have_their_freedoms() {
    let figures = [
        (Character::stuntperson(), 37, 16, 80.0),
        (Character::planar_figure(), 16, 16, 80.0),
        (Character::walker(true), 24, 10, 83.0),
        (Character::walker(false), 22, 10, 83.0),
        (Character::ball_figure(), 111, 36, 82.0),
    ];
    for (figure, freedoms, bodies, mass) in figures {
        let name = figure.name().to_owned();
        assert_eq!(figure.model().n_v(), freedoms, "{name}");
        assert_eq!(figure.model().n_bodies(), bodies, "{name}");
        assert!((figure.mass() - mass).abs() < 1e-9, "{name}: {}", figure.mass());
        check_standing(&figure);
        for limbs in [&figure.roles().left, &figure.roles().right] {
            assert!(limbs.thigh.is_some() && limbs.shank.is_some() && limbs.foot.is_some());
        }
    }
}

#[test]
fn the_stuntperson_has_the_reference_body_s_numbers() {
    // Computed independently: centre of mass 1.037 m, inertia about it 14.1, 13.4, 1.09 kg m².
    let figure = Character::stuntperson();
    let (_, data) = at_rest(figure.model());
    let com = center_of_mass(figure.model(), &data);
    assert!((com.position.z - 1.037).abs() < 0.04, "{}", com.position);
    let mut about = [0.0; 3];
    for (body, pose) in figure.model().bodies().iter().zip(&data.position.world_from_body) {
        let i = body.inertia();
        let own = i.rotational.rotated(&pose.rotation);
        let c = pose.transform_point(i.center_of_mass) - com.position;
        about[0] += own.xx + i.mass * (c.y * c.y + c.z * c.z);
        about[1] += own.yy + i.mass * (c.x * c.x + c.z * c.z);
        about[2] += own.zz + i.mass * (c.x * c.x + c.y * c.y);
    }
    for (found, wanted) in about.iter().zip([14.1, 13.4, 1.09]) {
        assert!((found / wanted - 1.0).abs() < 0.15, "{about:?}");
    }
}

#[test]
fn characters_of_all_cmu_clips_are_valid() {
    let Some(table) = crate::common::cmu_table() else { return };
    let mut n_tight = 0;
    for row in &table {
        let clip = crate::common::cmu_clip(row);
        let (character, report) = Character::build(clip.skeleton(), &CharacterOptions::default()).unwrap();
        let character = character.named(&row.file);
        check_standing(&character);
        assert_eq!(character.model().n_bodies(), 16, "{}", row.file);
        // Every joint is a body or a reported merge.
        assert_eq!(report.merges.len() + 16, clip.n_joints(), "{}: {report}", row.file);
        let merged = |name: &str| report.merges.iter().find(|m| m.joint == name).unwrap();
        assert_eq!(
            (merged("LHipJoint").into.as_str(), merged("LHipJoint").reason),
            ("pelvis", MergeReason::ZeroLength)
        );
        assert_eq!(
            (merged("Spine1").into.as_str(), merged("Spine1").reason),
            ("torso", MergeReason::Straight)
        );
        assert_eq!((merged("LThumb").into.as_str(), merged("LThumb").reason), ("lhand", MergeReason::Finger));
        // Narrow shoulders over wide hips leave hanging arms no room beside the thighs; nothing else is let through.
        let arm_and_leg =
            |o: &Overlap| o.a.ends_with("thigh") && (o.b.ends_with("farm") || o.b.ends_with("hand"));
        assert!(report.overlaps.iter().all(|o| o.shrunk || arm_and_leg(o)), "{}: {report}", row.file);
        n_tight += usize::from(report.overlaps.iter().any(|o| !o.shrunk));
        // Legs follow the mocap exactly, through hinge knees.
        let (_, mut data) = at_rest(character.model());
        let roles = character.joint_roles().clone();
        let mut world = Vec::new();
        for frame in (0..clip.n_frames()).step_by(97) {
            let state = character.state_from_pose(&clip.pose(frame));
            forward_kinematics(character.model(), &state, &mut data);
            clip.world(frame, &mut world);
            for limbs in [&roles.left, &roles.right] {
                for joint in [limbs.hip, limbs.knee, limbs.ankle].map(Option::unwrap) {
                    let point = character.joint_point(joint);
                    let found = data.world_from_body(point.body).transform_point(point.point_body);
                    let error = found.distance(world[joint].translation);
                    // A nearly straight knee keeps the mocap's axis, which costs millimetres.
                    assert!(error < 0.012, "{} frame {frame} {joint:?}: {error}", row.file);
                }
            }
        }
    }
    println!("arms let through thighs in {n_tight} of {} characters", table.len());
}

#[test]
fn poses_come_back_from_states() {
    let Some(table) = crate::common::cmu_table() else { return };
    for row in table.iter().step_by(5) {
        let clip = crate::common::cmu_clip(row);
        let (character, _) = Character::build(clip.skeleton(), &CharacterOptions::default()).unwrap();
        for frame in (0..clip.n_frames()).step_by(211) {
            let pose = clip.pose(frame);
            let state = character.state_from_pose(&pose);
            let back = character.pose_from_state(&state);
            let again = character.state_from_pose(&back);
            assert!(back.root_position.distance(pose.root_position) < 1e-12);
            for (a, b) in state.q.iter().zip(&again.q) {
                assert!((a - b).abs() < 1e-6 || (a + b).abs() < 1e-6, "{} frame {frame}: {a} {b}", row.file);
            }
        }
    }
}

#[test]
fn velocities_belong_to_the_motion() {
    let Some(table) = crate::common::cmu_table() else { return };
    let clip = crate::common::cmu_clip(&table[2]);
    let (character, _) = Character::build(clip.skeleton(), &CharacterOptions::default()).unwrap();
    let spline = ClipSpline::new(&clip);
    let (mut sample, mut world) = (Sample::default(), Vec::new());
    let ankle = character.joint_roles().left.ankle.unwrap();
    let mut data = Data::new(character.model());
    for i in 1..20 {
        let time = 0.1 * f64::from(i) + 0.013;
        let state = character.state_at(&spline, time);
        forward_kinematics(character.model(), &state, &mut data);
        forward_velocity(character.model(), &state, &mut data);
        spline.sample(time, &mut sample);
        sample.world(clip.skeleton(), &mut world);
        let point = character.joint_point(ankle);
        let place = data.world_from_body(point.body).transform_point(point.point_body);
        let found = data.point_velocity(point.body, place);
        assert!(found.distance(world[ankle].velocity) < 0.15, "{time}: {found} {}", world[ankle].velocity);
    }
}

/// A T-posed humanoid with names made by `name`, y left and x forward.
fn humanoid(name: impl Fn(&str, Option<bool>) -> String) -> Skeleton {
    let mut joints = Vec::new();
    let mut sites = Vec::new();
    let mut add = |stem: &str, side: Option<bool>, parent: Option<JointId>, offset: [f64; 3]| {
        joints.push(Joint { name: name(stem, side), parent, offset: DVec3::from_array(offset) });
        JointId::new(joints.len() - 1)
    };
    let hips = add("hips", None, None, [0.0, 0.0, 0.98]);
    let spine = add("spine", None, Some(hips), [0.0, 0.0, 0.1]);
    let chest = add("spine1", None, Some(spine), [0.0, 0.0, 0.2]);
    let neck = add("neck", None, Some(chest), [0.0, 0.0, 0.2]);
    let head = add("head", None, Some(neck), [0.0, 0.0, 0.1]);
    sites.push(EndSite { joint: head, offset: DVec3::Z * 0.18 });
    for left in [true, false] {
        let s = if left { 1.0 } else { -1.0 };
        let side = Some(left);
        let collar = add("collar", side, Some(chest), [0.0, 0.05 * s, 0.14]);
        let shoulder = add("upperarm", side, Some(collar), [0.0, 0.13 * s, 0.0]);
        let elbow = add("forearm", side, Some(shoulder), [0.0, 0.28 * s, 0.0]);
        let wrist = add("hand", side, Some(elbow), [0.0, 0.26 * s, 0.0]);
        let finger = add("finger", side, Some(wrist), [0.0, 0.09 * s, 0.0]);
        sites.push(EndSite { joint: finger, offset: DVec3::Y * 0.08 * s });
        let hip = add("thigh", side, Some(hips), [0.0, 0.09 * s, -0.05]);
        let knee = add("calf", side, Some(hip), [0.0, 0.0, -0.42]);
        let ankle = add("foot", side, Some(knee), [0.0, 0.0, -0.42]);
        let toe = add("toe", side, Some(ankle), [0.13, 0.0, -0.06]);
        sites.push(EndSite { joint: toe, offset: DVec3::X * 0.06 });
    }
    Skeleton::new(joints, sites).unwrap()
}

fn styles() -> Vec<(&'static str, Skeleton)> {
    let sided = |stem: &str, side: Option<bool>, l: &str, r: &str| match side {
        Some(true) => format!("{l}{stem}"),
        Some(false) => format!("{r}{stem}"),
        None => stem.to_owned(),
    };
    let upper = |stem: &str| stem[..1].to_uppercase() + &stem[1..];
    vec![
        (
            "mixamo",
            humanoid(|stem, side| {
                let stem = match stem {
                    "collar" => "Shoulder",
                    "upperarm" => "Arm",
                    "forearm" => "ForeArm",
                    "hand" => "Hand",
                    "finger" => "HandIndex1",
                    "thigh" => "UpLeg",
                    "calf" => "Leg",
                    "foot" => "Foot",
                    "toe" => "ToeBase",
                    other => return format!("mixamorig:{}", upper(other)),
                };
                format!("mixamorig:{}", sided(stem, side, "Left", "Right"))
            }),
        ),
        (
            "asf",
            humanoid(|stem, side| {
                let stem = match stem {
                    "hips" => "root",
                    "spine" => "lowerback",
                    "spine1" => "thorax",
                    "neck" => "lowerneck",
                    "collar" => "clavicle",
                    "upperarm" => "humerus",
                    "forearm" => "radius",
                    "finger" => "fingers",
                    "thigh" => "femur",
                    "calf" => "tibia",
                    "toe" => "toes",
                    other => other,
                };
                sided(stem, side, "l", "r")
            }),
        ),
        (
            "biped",
            humanoid(|stem, side| {
                let stem = match stem {
                    "hips" => "Pelvis".to_owned(),
                    "collar" => "Clavicle".to_owned(),
                    "upperarm" => "UpperArm".to_owned(),
                    "finger" => "Finger0".to_owned(),
                    "toe" => "Toe0".to_owned(),
                    other => upper(other),
                };
                format!("Bip01 {}", sided(&stem, side, "L ", "R "))
            }),
        ),
        ("nameless", humanoid(|_, _| "joint".to_owned())),
    ]
}

#[test]
fn every_naming_style_gives_the_same_body() {
    let build = |skeleton: &Skeleton| Character::build(skeleton, &CharacterOptions::default()).unwrap();
    let styles = styles();
    let (first, _) = build(&styles[0].1);
    for (style, skeleton) in &styles {
        let (character, report) = build(skeleton);
        check_standing(&character);
        assert_eq!(character.model().n_bodies(), 16, "{style}: {report}");
        for (a, b) in first.model().bodies().iter().zip(character.model().bodies()) {
            assert_eq!((a.name(), a.joint().kind.name()), (b.name(), b.joint().kind.name()), "{style}");
            assert!((a.inertia().mass - b.inertia().mass).abs() < 1e-9, "{style}: {}", a.name());
        }
        assert_eq!(
            report.notes.iter().any(|n| n.contains("names say nothing")),
            *style == "nameless",
            "{report}"
        );
    }
}

#[test]
fn a_nameless_skeleton_seen_from_elsewhere_is_the_same_body() {
    let (_, skeleton) = styles().pop().unwrap();
    let turned = skeleton.turned_and_scaled(DQuat::from_rotation_z(2.0), 1.0).unwrap();
    let (character, _) = Character::build(&turned, &CharacterOptions::default()).unwrap();
    check_standing(&character);
    let (_, data) = at_rest(character.model());
    let hand = data.world_from_body(character.roles().left.hand.unwrap()).translation;
    assert!(hand.y > 0.1, "the left hand is on the left: {hand}");
}

#[test]
fn sizes_follow_the_options() {
    let (_, skeleton) = styles().remove(0);
    let options = CharacterOptions { sex: Sex::Female, mass: Some(55.0), ..CharacterOptions::default() };
    let (character, report) = Character::build(&skeleton, &options).unwrap();
    assert!((character.mass() - 55.0).abs() < 1e-9);
    assert!((report.stature - 0.84 / 0.4917).abs() < 0.01, "{report}");
    let thigh = character.roles().left.thigh.unwrap();
    assert!((character.model().body(thigh).inertia().mass - 0.1478 * 55.0).abs() < 1e-9);
    for bad in [0.0, -3.0, f64::NAN, 1e9] {
        let options = CharacterOptions { mass: Some(bad), ..CharacterOptions::default() };
        assert!(matches!(Character::build(&skeleton, &options), Err(CharacterError::Option { .. })), "{bad}");
    }
}

#[test]
fn what_is_no_humanoid_is_refused() {
    let joint = |parent, offset| Joint { name: "j".to_owned(), parent, offset };
    let chain =
        Skeleton::new(vec![joint(None, DVec3::ZERO), joint(Some(JointId::ROOT), DVec3::Z)], Vec::new())
            .unwrap();
    let error = Character::build(&chain, &CharacterOptions::default()).unwrap_err();
    assert!(error.to_string().contains("humanoid"), "{error}");
    let (_, skeleton) = styles().remove(0);
    let flat = skeleton.turned_and_scaled(DQuat::IDENTITY, 1e-3).unwrap();
    assert!(matches!(
        Character::build(&flat, &CharacterOptions::default()),
        Err(CharacterError::NoLength(..))
    ));
}

#[test]
fn several_stand_in_one_scene() {
    let figure = Character::stuntperson();
    let mut builder = Model::builder();
    figure.append_to(&mut builder, "a/", Transform::from_translation(DVec3::X));
    figure.append_to(&mut builder, "b/", Transform::from_translation(DVec3::Y * 2.0));
    let model = builder.build().unwrap();
    let b = figure.find_in(&model, "b/").unwrap();
    assert_eq!((b.bodies.range(), b.freedoms.range()), (16..32, 37..74));
    let (_, data) = at_rest(&model);
    let place = data.position.world_from_body[b.bodies.at(0)].translation;
    assert!(place.distance(DVec3::new(0.0, 2.0, figure.root_height())) < 1e-12);
    assert_eq!(figure.find_in(&model, "c/"), None);
}

#[test]
fn soles_are_named_by_side_and_place() {
    let figure = Character::stuntperson();
    let (_, data) = at_rest(figure.model());
    let place = |side, place| {
        let s = figure.soles().iter().find(|s| s.side == side && s.place == place).unwrap();
        data.world_from_body(s.body).transform_point(s.point_body)
    };
    use stuntlab_mocap::roles::Side::{Left, Right};
    assert!(place(Left, SolePlace::Toe).x > place(Left, SolePlace::HeelInner).x + 0.2);
    assert!(place(Left, SolePlace::HeelOuter).y > place(Left, SolePlace::HeelInner).y);
    assert!(place(Right, SolePlace::BallOuter).y < place(Right, SolePlace::BallInner).y);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(24)))]

    /// Whatever a figure does within its limits, its pose says the same state.
    #[test]
    fn states_come_back_from_poses(
        which in 0usize..4,
        values in prop::collection::vec(-1.0f64..1.0, 150),
    ) {
        let figure = match which {
            0 => Character::stuntperson(),
            1 => Character::planar_figure(),
            2 => Character::walker(true),
            _ => Character::ball_figure(),
        };
        let model = figure.model();
        let mut state = State::new(model);
        let velocity: Vec<f64> = values.iter().cycle().take(model.n_v()).copied().collect();
        state.integrate(model, &velocity, 1.0);
        clamp_to_limits(model, &mut state);
        prop_assert!(limit_violation(model, &state) < 1e-9);
        let back = figure.state_from_pose(&figure.pose_from_state(&state));
        let mut difference = vec![0.0; model.n_v()];
        state.difference(model, &back, &mut difference);
        let worst = difference.iter().fold(0.0f64, |m, d| m.max(d.abs()));
        prop_assert!(worst < 1e-5, "{}: {worst}", figure.name());
    }

    /// Any build of limb lengths makes a body that stands without overlap.
    #[test]
    fn proportions_do_not_matter(scale in 0.5f64..1.6, style in 0usize..3) {
        let (_, skeleton) = styles().remove(style);
        let skeleton = skeleton.turned_and_scaled(DQuat::IDENTITY, scale).unwrap();
        for joints in [JointStyle::Natural, JointStyle::Stunt, JointStyle::Ball, JointStyle::Planar] {
            let options = CharacterOptions { joints, ..CharacterOptions::default() };
            let (character, _) = Character::build(&skeleton, &options).unwrap();
            check_standing(&character);
        }
    }
}
