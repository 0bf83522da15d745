//! Laws of clips and their edits, over random skeletons and motions.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use std::sync::Arc;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::convert::{ExportOptions, ImportOptions, export, import};
use stuntlab_mocap::detect::{Unit, UpAxis};
use stuntlab_mocap::edit::{
    Planar, blend, butterworth, change_speed, concatenate, make_cycle, mirror, place_planar, resample, trim,
};
use stuntlab_mocap::skeleton::{EndSite, Joint, JointId};
use stuntlab_mocap::{Clip, ClipSpline, Pose, Sample, Skeleton};

/// A figure with both sides and random lengths.
fn skeleton() -> impl Strategy<Value = Skeleton> {
    prop::collection::vec(-0.5..0.5f64, 27).prop_map(|lengths| {
        let names = [
            ("Hips", None),
            ("LeftUpLeg", Some(0)),
            ("LeftLeg", Some(1)),
            ("LeftFoot", Some(2)),
            ("RightUpLeg", Some(0)),
            ("RightLeg", Some(4)),
            ("RightFoot", Some(5)),
            ("Neck", Some(0)),
        ];
        let joints = names.iter().enumerate().map(|(i, &(name, parent))| Joint {
            name: name.to_owned(),
            parent: parent.map(JointId::new),
            offset: DVec3::from_slice(&lengths[3 * i..]),
        });
        let site = EndSite { joint: JointId::new(7), offset: DVec3::from_slice(&lengths[24..]) };
        Skeleton::new(joints.collect(), vec![site]).unwrap()
    })
}

/// Smooth motion: sums of slow waves in the root's path and every joint's rotation vector.
fn clip() -> impl Strategy<Value = Clip> {
    (skeleton(), 4usize..60, prop::collection::vec((-1.0..1.0f64, 0.1..1.0f64, 0.0..6.2f64), 27)).prop_map(
        |(skeleton, n, waves)| {
            let frame_time = 1.0 / 60.0;
            let wave =
                |i: usize, t: f64| waves[i].0 * (core::f64::consts::TAU * waves[i].1 * t + waves[i].2).sin();
            let (mut positions, mut rotations) = (Vec::new(), Vec::new());
            for frame in 0..n {
                let t = frame as f64 * frame_time;
                let v = |i: usize| DVec3::new(wave(i, t), wave(i + 1, t), wave(i + 2, t));
                positions.push(v(24));
                rotations.extend((0..8).map(|j| DQuat::from_scaled_axis(v(3 * j))));
            }
            Clip::new("random", Arc::new(skeleton), frame_time, positions, rotations).unwrap()
        },
    )
}

/// Largest distance between two clips: metres for the root, radians for joints.
fn distance(a: &Clip, b: &Clip) -> f64 {
    assert_eq!(a.n_frames(), b.n_frames());
    let roots = a.root_positions().iter().zip(b.root_positions()).map(|(a, b)| a.distance(*b));
    let turns = a.all_rotations().iter().zip(b.all_rotations());
    let turns = turns.map(|(a, b)| 2.0 * (*a - *b).length().min((*a + *b).length()));
    roots.chain(turns).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

    #[test]
    fn writing_and_reading_keeps_the_motion(clip in clip(), z_up in any::<bool>()) {
        let up = if z_up { UpAxis::Z } else { UpAxis::Y };
        let bvh = export(&clip, &ExportOptions { unit: Unit::Metres, up }).unwrap();
        let again = Bvh::parse(bvh.write().as_bytes()).unwrap();
        prop_assert_eq!(&again, &bvh);
        let options = ImportOptions { unit: Some(Unit::Metres), up: Some(up), ..ImportOptions::default() };
        // The skeleton is random, so its left may point anywhere: only whole quarter turns may differ.
        let (back, _) = import("random", &again, &options).unwrap();
        let quarter = |k: f64| Planar { yaw: k * core::f64::consts::FRAC_PI_2, ..Planar::default() };
        let heights = clip.root_positions().iter().zip(back.root_positions());
        prop_assert!(heights.clone().all(|(a, b)| (a.z - b.z).abs() < 1e-12));
        let fits = (0..4).any(|k| {
            let turned = place_planar(&clip, &quarter(f64::from(k)));
            turned.root_positions().iter().zip(back.root_positions()).all(|(a, b)| a.distance(*b) < 1e-11)
        });
        prop_assert!(fits);
    }

    /// Going round so often at once is going round one by one, and back again.
    #[test]
    fn a_way_taken_so_often_is_that_way_again_and_again(
        yaw in -3.0..3.0_f64, x in -2.0..2.0_f64, y in -2.0..2.0_f64, rounds in -70..70_i64,
    ) {
        let way = Planar { yaw, shift: glam::DVec2::new(x, y) };
        let once = if rounds < 0 { way.inverse() } else { way };
        let from = DVec3::new(0.4, -0.3, 0.9);
        let by_one = (0..rounds.abs()).fold(from, |p, _| once.apply(p));
        let at_once = way.times(rounds);
        prop_assert!((at_once.apply(from) - by_one).length() < 1e-10, "{by_one}");
        prop_assert!((at_once.yaw - yaw * rounds as f64).abs() < 1e-10);
        prop_assert!((way.times(-rounds).apply(by_one) - from).length() < 1e-10);
    }

    #[test]
    fn mirroring_twice_changes_nothing(clip in clip()) {
        let once = mirror(&clip);
        prop_assert!(distance(&once, &clip) > 0.0);
        prop_assert_eq!(mirror(&once), clip);
    }

    #[test]
    fn mirrored_positions_are_reflected(clip in clip()) {
        let mirrored = mirror(&clip);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        clip.world(0, &mut a);
        mirrored.world(0, &mut b);
        for (left, right) in [(0, 0), (3, 6), (6, 3), (7, 7)] {
            let reflected = a[left].translation * DVec3::new(1.0, -1.0, 1.0);
            prop_assert!(reflected.distance(b[right].translation) < 1e-13);
        }
    }

    #[test]
    fn sampling_at_frames_gives_the_frames(clip in clip()) {
        let spline = ClipSpline::new(&clip);
        let (mut sample, mut pose) = (Sample::default(), Pose::default());
        for frame in 0..clip.n_frames() {
            let time = frame as f64 * clip.frame_time();
            spline.sample(time, &mut sample);
            clip.sample_slerp(time, &mut pose);
            let wanted = clip.pose(frame);
            prop_assert_eq!(&pose, &wanted);
            prop_assert_eq!(sample.pose.root_position, wanted.root_position);
            for (a, b) in sample.pose.rotations.iter().zip(&wanted.rotations) {
                prop_assert!(*a == *b || *a == -*b);
            }
        }
    }

    #[test]
    fn velocities_are_derivatives(clip in clip(), place in 0.0..1.0f64) {
        let spline = ClipSpline::new(&clip);
        let h = 1e-4;
        let time = h + place * (clip.duration() - 2.0 * h);
        let at = |t: f64| { let mut s = Sample::default(); spline.sample(t, &mut s); s };
        let (before, now, after) = (at(time - h), at(time), at(time + h));
        let slope = (after.pose.root_position - before.pose.root_position) / (2.0 * h);
        prop_assert!(slope.distance(now.root_velocity) < 1e-4);
        let slope = (after.root_velocity - before.root_velocity) / (2.0 * h);
        prop_assert!(slope.distance(now.root_acceleration) < 0.05, "{slope} {}", now.root_acceleration);
        for j in 0..clip.n_joints() {
            let turn = before.pose.rotations[j].conjugate() * after.pose.rotations[j];
            let turn = if turn.w < 0.0 { -turn } else { turn };
            let slope = turn.to_scaled_axis() / (2.0 * h);
            prop_assert!(slope.distance(now.angular_velocities[j]) < 1e-4);
            let slope = (after.angular_velocities[j] - before.angular_velocities[j]) / (2.0 * h);
            prop_assert!(slope.distance(now.angular_accelerations[j]) < 0.05);
        }
    }

    #[test]
    fn the_spline_is_twice_continuously_differentiable(clip in clip()) {
        // Both sides of every inner frame.
        let spline = ClipSpline::new(&clip);
        let at = |t: f64| { let mut s = Sample::default(); spline.sample(t, &mut s); s };
        for frame in 1..clip.n_frames() - 1 {
            let time = frame as f64 * clip.frame_time();
            let (before, after) = (at(time - 1e-8), at(time + 1e-8));
            prop_assert!(before.root_acceleration.distance(after.root_acceleration) < 1e-3);
            for j in 0..clip.n_joints() {
                prop_assert!(before.angular_velocities[j].distance(after.angular_velocities[j]) < 1e-5);
                prop_assert!(before.angular_accelerations[j].distance(after.angular_accelerations[j]) < 1e-3);
            }
        }
    }

    #[test]
    fn the_spline_does_not_depend_on_the_axes(clip in clip(), yaw in -3.0..3.0f64, place in 0.0..1.0f64) {
        let turned = place_planar(&clip, &Planar { yaw, ..Planar::default() });
        let time = place * clip.duration();
        let (mut a, mut b) = (Sample::default(), Sample::default());
        ClipSpline::new(&clip).sample(time, &mut a);
        ClipSpline::new(&turned).sample(time, &mut b);
        let wanted = DQuat::from_rotation_z(yaw) * a.pose.rotations[0];
        prop_assert!((wanted - b.pose.rotations[0]).length().min((wanted + b.pose.rotations[0]).length()) < 1e-12);
        prop_assert!(a.angular_velocities[0].distance(b.angular_velocities[0]) < 1e-10);
    }

    #[test]
    fn resampling_there_and_back_is_within_the_spline_error(clip in clip()) {
        let rate = 1.0 / clip.frame_time();
        let fine = resample(&clip, 4.0 * rate).unwrap();
        prop_assert_eq!(fine.n_frames(), 4 * (clip.n_frames() - 1) + 1);
        let back = resample(&fine, rate).unwrap();
        prop_assert!(distance(&clip, &back) < 1e-12);
        // Half the rate loses what a C² cubic cannot hold at 30 Hz: h⁴ times the fourth derivative of 1 Hz waves.
        if clip.n_frames() >= 12 {
            let even = trim(&clip, 0..(clip.n_frames() - 1) / 2 * 2 + 1).unwrap();
            let coarse = resample(&even, 0.5 * rate).unwrap();
            prop_assert!(distance(&even, &resample(&coarse, rate).unwrap()) < 5e-3);
        }
    }

    #[test]
    fn speed_there_and_back(clip in clip()) {
        let slow = change_speed(&clip, 0.5).unwrap();
        prop_assert!((slow.duration() - 2.0 * clip.duration()).abs() < 1e-9);
        prop_assert!(distance(&clip, &change_speed(&slow, 2.0).unwrap()) < 1e-12);
    }

    #[test]
    fn the_filter_keeps_a_resting_clip(clip in clip(), n in 3usize..40) {
        let pose = clip.pose(0);
        let rotations = pose.rotations.iter().copied().cycle().take(n * clip.n_joints()).collect();
        let still = Clip::new("still", Arc::clone(clip.skeleton()), 0.01, vec![pose.root_position; n], rotations).unwrap();
        prop_assert!(distance(&still, &butterworth(&still, 6.0).unwrap()) < 1e-9);
    }

    #[test]
    fn blends_meet_their_ends(clip in clip()) {
        prop_assert!(distance(&clip, &blend(&clip, &mirror(&clip), 0.0).unwrap()) < 1e-12);
        let other = place_planar(&clip, &Planar { yaw: 1.0, shift: glam::DVec2::new(3.0, 1.0) });
        // A clip joined to a moved copy of itself at full overlap is the clip itself.
        let joined = concatenate(&clip, &other, clip.n_frames()).unwrap();
        prop_assert!(distance(&clip, &joined) < 1e-9);
    }

    #[test]
    fn a_cycle_goes_on_where_it_ends(clip in clip()) {
        let k = clip.n_frames() / 4;
        prop_assume!(k > 0);
        let cycle = make_cycle(&clip, k).unwrap();
        let n = cycle.clip.n_frames();
        prop_assert_eq!(n, clip.n_frames() - k);
        // The frame that followed the last in the recording, and the first of the next round.
        let next = place_planar(&cycle.clip, &cycle.advance);
        let blended = stuntlab_mocap::edit::fade_weight(0, k);
        let step = clip.root_position(n).distance(next.root_position(0));
        let spread = clip.root_positions().iter().map(|p| p.distance(clip.root_position(0))).fold(0.0, f64::max);
        prop_assert!(step <= 4.0 * (1.0 - blended) * spread + 1e-9, "{step}");
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Bvh::parse(&bytes);
        let mut text = b"HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } MOTION\nFrames: 2\nFrame Time: .1\n".to_vec();
        text.extend(&bytes);
        let _ = Bvh::parse(&text);
    }
}
