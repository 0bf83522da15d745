//! Motion graphs: edges below the threshold, the same on any number of threads, walks without jumps or sliding feet.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stuntlab_mocap::edit::{mirror, resample};
use stuntlab_mocap::graph::{GraphError, GraphOptions, MotionGraph, Step, clip_distances};
use stuntlab_mocap::skeleton::{Joint, JointId};
use stuntlab_mocap::{Clip, Roles, Skeleton};

/// A figure with all named joints that swings its limbs while it goes round in circles.
fn swinging(phase: f64, rate: f64, n: usize) -> Clip {
    let limb = |side: &str, sign: f64| {
        [
            (format!("{side}UpLeg"), 0, DVec3::new(0.0, 0.1 * sign, 0.0)),
            (format!("{side}Leg"), usize::MAX, DVec3::new(0.0, 0.0, -0.42)),
            (format!("{side}Foot"), usize::MAX, DVec3::new(0.0, 0.0, -0.42)),
            (format!("{side}ToeBase"), usize::MAX, DVec3::new(0.15, 0.0, -0.05)),
            (format!("{side}Arm"), 1, DVec3::new(0.0, 0.2 * sign, 0.1)),
            (format!("{side}ForeArm"), usize::MAX, DVec3::new(0.0, 0.0, -0.3)),
            (format!("{side}Hand"), usize::MAX, DVec3::new(0.0, 0.0, -0.25)),
        ]
    };
    let mut joints =
        vec![("Hips".to_owned(), None, DVec3::ZERO), ("Chest".to_owned(), Some(0), DVec3::Z * 0.35)];
    joints.push(("Head".to_owned(), Some(1), DVec3::Z * 0.3));
    for (name, parent, offset) in limb("Left", 1.0).into_iter().chain(limb("Right", -1.0)) {
        let parent = if parent == usize::MAX { joints.len() - 1 } else { parent };
        joints.push((name, Some(parent), offset));
    }
    let joints = joints.into_iter().map(|(name, parent, offset)| Joint {
        name,
        parent: parent.map(JointId::new),
        offset,
    });
    let skeleton = Skeleton::new(joints.collect(), Vec::new()).unwrap();
    let n_joints = skeleton.n_joints();
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..n {
        let t = frame as f64 / 30.0;
        let swing = (rate * t + phase).sin();
        positions.push(DVec3::new((0.3 * t).sin(), -(0.3 * t).cos(), 0.9) * DVec3::new(3.0, 3.0, 1.0));
        for joint in 0..n_joints {
            let side = if joint < 10 { 1.0 } else { -1.0 };
            let q = match joint {
                0 => DQuat::from_rotation_z(0.3 * t),
                3 | 7 | 10 | 14 => DQuat::from_rotation_y(-0.5 * side * swing),
                4 | 11 => DQuat::from_rotation_y(0.3 + 0.2 * side * swing),
                _ => DQuat::IDENTITY,
            };
            rotations.push(q);
        }
    }
    Clip::new("swing", Arc::new(skeleton), 1.0 / 30.0, positions, rotations).unwrap().with_tags(["swing"])
}

fn build(clips: &[Clip], options: &GraphOptions) -> MotionGraph {
    MotionGraph::build(clips, options, &|_, _| {}).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(16)))]

    #[test]
    fn edges_lie_below_the_threshold_and_fit_their_clips(
        phase in 0.0..3.0f64, rate in 3.0..7.0f64, n in 40usize..120, threshold in 0.01..0.2f64,
    ) {
        let clips = [swinging(0.0, 4.0, 100), swinging(phase, rate, n)];
        let options = GraphOptions { threshold, ..GraphOptions::default() };
        let graph = build(&clips, &options);
        let k = graph.window();
        for t in graph.transitions() {
            prop_assert!(t.distance < threshold);
            prop_assert!(t.from.frame + k <= graph.clips()[t.from.clip].n_frames());
            prop_assert!(t.to.frame >= k && t.to.frame < graph.clips()[t.to.clip].n_frames());
            let (a, b) = (&clips[t.from.clip], &clips[t.to.clip]);
            let map = clip_distances(a, b, &options).unwrap();
            let again = f64::from(map.at(t.from.frame, t.to.frame - k));
            prop_assert!((again - t.distance).abs() < 1e-5);
        }
        if let Ok(walk) = graph.walk(n as u64, Some("swing"), 10.0) {
            prop_assert!(walk.clip.duration() >= 10.0);
            prop_assert_eq!(walk.contacts.n_frames(), walk.clip.n_frames());
            // Limbs of the source turn by at most 0.5 · 7 rad/s; nothing may turn twice as fast.
            for f in 1..walk.clip.n_frames() {
                for (a, b) in walk.clip.rotations(f - 1).iter().zip(walk.clip.rotations(f)) {
                    let jump = 2.0 * (*a - *b).length().min((*a + *b).length());
                    prop_assert!(jump < 8.0 / 30.0, "frame {f}: {jump}");
                }
            }
        }
    }
}

#[cfg(feature = "parallel")]
#[test]
fn the_graph_is_the_same_on_any_number_of_threads() {
    let clips = [swinging(0.0, 4.0, 100), swinging(1.0, 5.0, 80), mirror(&swinging(0.3, 4.5, 90))];
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| build(&clips, &GraphOptions::default()))
    };
    let (one, many) = (on(1), on(4));
    assert!(one.core_size() > 0);
    assert_eq!(one, many);
    assert_eq!(one.walk(5, None, 20.0), many.walk(5, None, 20.0));
}

#[test]
fn progress_counts_every_pair() {
    let clips = [swinging(0.0, 4.0, 60), swinging(1.0, 5.0, 60), swinging(2.0, 5.0, 60)];
    let (calls, last) = (AtomicUsize::new(0), AtomicUsize::new(0));
    MotionGraph::build(&clips, &GraphOptions::default(), &|done, of| {
        calls.fetch_add(1, Ordering::Relaxed);
        last.fetch_max(done, Ordering::Relaxed);
        assert_eq!(of, 6);
    })
    .unwrap();
    assert_eq!((calls.into_inner(), last.into_inner()), (6, 6));
}

#[test]
fn faulty_options_are_refused() {
    let clip = swinging(0.0, 4.0, 50);
    let build = |clips: &[Clip], options| MotionGraph::build(clips, &options, &|_, _| {});
    assert_eq!(build(&[], GraphOptions::default()), Err(GraphError::NoClips));
    let options = GraphOptions { window: 0.0, ..GraphOptions::default() };
    assert!(matches!(build(std::slice::from_ref(&clip), options), Err(GraphError::Options { .. })));
    let graph = build(&[clip], GraphOptions { threshold: 1e-9, ..GraphOptions::default() }).unwrap();
    assert_eq!(graph.walk(1, None, 1.0), Err(GraphError::NoCore));
}

#[test]
fn a_walk_over_captured_gait_reaches_its_tag_and_keeps_its_feet() {
    let Some(table) = crate::common::cmu_table() else { return };
    let clips: Vec<Clip> = [("16_15.bvh", "walk"), ("16_17.bvh", "turn"), ("16_34.bvh", "stop")]
        .iter()
        .flat_map(|&(file, tag)| {
            let clip =
                crate::common::cmu_clip(table.iter().find(|r| r.file == file).unwrap()).with_tags([tag]);
            [mirror(&clip), clip]
        })
        .collect();
    let graph = build(&clips, &GraphOptions::default());
    let walk = graph.walk(3, Some("turn"), 15.0).unwrap();
    assert!(walk.steps.iter().any(|s| matches!(s, Step::Blend(_))));
    // An ankle that rests through a blend stays where it is.
    let roles = Roles::find(walk.clip.skeleton());
    let ankle = walk.clip.track(&[(roles.left.ankle.unwrap(), DVec3::ZERO)]);
    let mut frame = 0;
    let mut held = 0;
    for step in &walk.steps {
        let length = match step {
            Step::Play { frames, .. } => frames.len(),
            Step::Blend(_) => graph.window(),
        };
        if matches!(step, Step::Blend(_)) {
            for f in frame + 1..frame + length {
                if walk.contacts.left.heel[f] && walk.contacts.left.heel[f - 1] {
                    let slide = ankle[f].distance(ankle[f - 1]);
                    assert!(slide < 0.003, "frame {f} slides {slide} m");
                    held += 1;
                }
            }
        }
        frame += length;
    }
    assert!(held > 0, "no contact in any blend was looked at");
    // Gait is continuous: no joint of the result moves faster than three times the fastest of the sources.
    let fastest = |clip: &Clip| {
        let pairs = clip.all_rotations().chunks(clip.n_joints()).collect::<Vec<_>>();
        pairs
            .windows(2)
            .flat_map(|w| w[0].iter().zip(w[1]).map(|(a, b)| (*a - *b).length().min((*a + *b).length())))
            .fold(0.0, f64::max)
    };
    let source = clips.iter().map(|c| fastest(&resample(c, 30.0).unwrap())).fold(0.0, f64::max);
    assert!(fastest(&walk.clip) < 1.5 * source, "{} against {source}", fastest(&walk.clip));
}
