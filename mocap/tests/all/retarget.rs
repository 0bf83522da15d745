//! Captured motion on the standard figures.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use stuntlab_mocap::character::{Character, CharacterOptions, limit_violation};
use stuntlab_mocap::edit::{resample, trim};
use stuntlab_mocap::retarget::{RetargetError, RetargetOptions, retarget};
use stuntlab_mocap::{Clip, Pose};

/// Some seconds of a CMU clip at 30 Hz.
fn clip(file: &str, seconds: f64) -> Option<Clip> {
    let table = crate::common::cmu_table()?;
    let row = table.iter().find(|r| r.file == file).unwrap();
    let clip = resample(&crate::common::cmu_clip(row), 30.0).unwrap();
    let n = ((seconds * 30.0) as usize).min(clip.n_frames());
    Some(trim(&clip, 0..n).unwrap())
}

#[test]
fn captured_motion_fits_the_stuntperson() {
    let figure = Character::stuntperson();
    for file in ["16_15.bvh", "49_06.bvh", "13_18.bvh", "13_39.bvh"] {
        let Some(clip) = clip(file, 4.0) else { return };
        let fitted = retarget(&clip, &figure, &RetargetOptions::default()).unwrap();
        let r = &fitted.report;
        assert!(r.mean_cm < 3.0, "{file}: {r:?}");
        assert!(r.slide_cm < 1.5, "{file}: feet slide {} cm", r.slide_cm);
        for state in &fitted.states {
            assert!(limit_violation(figure.model(), state) < 1e-9, "{file} at {}", state.time);
        }
        // The clip on the figure's skeleton says the same motion.
        let state = figure.state_from_pose(&fitted.clip.pose(20));
        let mut difference = vec![0.0; figure.model().n_v()];
        fitted.states[20].difference(figure.model(), &state, &mut difference);
        assert!(difference.iter().all(|d| d.abs() < 1e-5), "{file}: {difference:?}");
    }
}

#[test]
fn every_standard_figure_takes_a_walk() {
    let Some(clip) = clip("16_15.bvh", 2.0) else { return };
    for (figure, limit) in
        [(Character::ball_figure(), 2.0), (Character::walker(true), 2.0), (Character::planar_figure(), 4.0)]
    {
        let fitted = retarget(&clip, &figure, &RetargetOptions::default()).unwrap();
        assert!(fitted.report.mean_cm < limit, "{}: {:?}", figure.name(), fitted.report);
        assert_eq!(fitted.states.len(), clip.n_frames());
        // It walks forward as far as the actor does, by the ratio of the legs.
        let (first, last) = (&fitted.clip, clip.n_frames() - 1);
        let way = first.root_position(last).distance(first.root_position(0));
        let source = clip.root_position(last).distance(clip.root_position(0));
        assert!(
            (way / (source * fitted.report.scale) - 1.0).abs() < 0.1,
            "{}: {way} {source}",
            figure.name()
        );
    }
}

#[test]
fn a_character_s_own_motion_comes_back() {
    // The stuntperson waves one arm: retargeted onto itself nothing changes.
    let figure = Character::stuntperson();
    let arm = figure.roles().left.upper_arm.unwrap();
    let knee = figure.roles().right.shank.unwrap();
    let poses: Vec<Pose> = (0..30)
        .map(|i| {
            let mut state = figure.state_from_pose(&Pose {
                root_position: glam::DVec3::Z * figure.root_height(),
                rotations: vec![glam::DQuat::IDENTITY; figure.skeleton().n_joints()],
            });
            let t = f64::from(i) / 30.0;
            figure.set_angles(&mut state, arm, [0.3 * t, 0.6 + 0.3 * t, 0.0]);
            figure.set_angles(&mut state, knee, [0.4 * t, 0.0, 0.0]);
            figure.pose_from_state(&state)
        })
        .collect();
    let positions = poses.iter().map(|p| p.root_position).collect();
    let rotations = poses.into_iter().flat_map(|p| p.rotations).collect();
    let clip = Clip::new("wave", figure.skeleton().clone(), 1.0 / 30.0, positions, rotations).unwrap();
    let options = RetargetOptions { keep_contacts: false, ..RetargetOptions::default() };
    let fitted = retarget(&clip, &figure, &options).unwrap();
    assert!(fitted.report.mean_cm < 0.05, "{:?}", fitted.report);
    assert!((fitted.report.scale - 1.0).abs() < 1e-12);
}

#[test]
fn the_same_motion_gives_the_same_bits() {
    let Some(clip) = clip("49_06.bvh", 1.0) else { return };
    let figure = Character::stuntperson();
    let run = || retarget(&clip, &figure, &RetargetOptions::default()).unwrap().states;
    assert_eq!(run(), run());
}

#[test]
fn what_cannot_be_retargeted_is_said() {
    let joint =
        stuntlab_mocap::skeleton::Joint { name: "a".to_owned(), parent: None, offset: glam::DVec3::ZERO };
    let skeleton = stuntlab_mocap::Skeleton::new(vec![joint], Vec::new()).unwrap();
    let clip = Clip::new(
        "dot",
        std::sync::Arc::new(skeleton),
        0.1,
        vec![glam::DVec3::ZERO],
        vec![glam::DQuat::IDENTITY],
    )
    .unwrap();
    let figure = Character::stuntperson();
    let error = retarget(&clip, &figure, &RetargetOptions::default()).unwrap_err();
    assert!(matches!(error, RetargetError::Source(_)), "{error}");
    let (own, _) = Character::build(figure.skeleton(), &CharacterOptions::default()).unwrap();
    let still = own.clip_from_states("still", 0.1, &[stuntlab_physics::State::new(own.model())]).unwrap();
    let none = RetargetOptions { iterations: 0, ..RetargetOptions::default() };
    assert!(matches!(retarget(&still, &figure, &none), Err(RetargetError::Iterations(0))));
}
