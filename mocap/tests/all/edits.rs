//! Edits of captured motion.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::DVec3;
use stuntlab_mocap::contacts::{ContactOptions, find_contacts, ground_height};
use stuntlab_mocap::edit::{
    align_to_ground, butterworth, concatenate, face_forward, heading, lock_feet, make_cycle, place_planar,
    resample, trim,
};
use stuntlab_mocap::{Clip, ClipSpline, JointId, Roles, Sample};

fn cmu(file: &str) -> Option<Clip> {
    Some(crate::common::cmu_clip(crate::common::cmu_table()?.iter().find(|r| r.file == file).unwrap()))
}

/// Greatest turn of a joint between two frames of two clips.
fn jump(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize) -> f64 {
    let pairs = a.rotations(frame_a).iter().zip(b.rotations(frame_b));
    pairs.map(|(a, b)| 2.0 * (*a - *b).length().min((*a + *b).length())).fold(0.0, f64::max)
}

fn largest_jump(clip: &Clip) -> f64 {
    (1..clip.n_frames()).map(|f| jump(clip, f - 1, clip, f)).fold(0.0, f64::max)
}

#[test]
fn alignment_puts_the_clip_on_the_floor_facing_forward() {
    let Some(clip) = cmu("16_17.bvh") else { return };
    let placed = align_to_ground(&face_forward(&clip, 20), 0.025);
    assert!((ground_height(&placed).unwrap() - 0.025).abs() < 1e-12);
    assert!(heading(&placed, 20).abs() < 1e-9);
    assert!(placed.root_position(20).truncate().length() < 1e-12);
    // The actor walks the way the body faces, and ends turned to the left.
    assert!(placed.root_position(120).x > 0.3);
    assert!(heading(&placed, placed.n_frames() - 1) > 1.0);
}

#[test]
fn a_gait_cycle_repeats_without_a_seam() {
    let Some(clip) = cmu("16_15.bvh") else { return };
    // The stretch whose end is most like its start.
    let pose_gap = |end: usize| jump(&clip, 60, &clip, end);
    let end = (160..230).min_by(|&a, &b| pose_gap(a).total_cmp(&pose_gap(b))).unwrap();
    let gait = trim(&clip, 60..end + 12).unwrap();
    let cycle = make_cycle(&gait, 12).unwrap();
    let next = place_planar(&cycle.clip, &cycle.advance);
    let last = cycle.clip.n_frames() - 1;
    let usual = largest_jump(&gait);
    assert!(jump(&cycle.clip, last, &next, 0) < 1.5 * usual);
    let step = next.root_position(0).distance(cycle.clip.root_position(last));
    let stride = gait.root_position(1).distance(gait.root_position(0));
    assert!(step < 2.0 * stride, "{step} against {stride}");
    // One round of a walk at 1.1 m/s goes about a metre and a half forward.
    let way = cycle.clip.root_position(0).distance(next.root_position(0));
    assert!((0.8..2.0).contains(&way), "{way}");
}

#[test]
fn the_filter_removes_noise_and_keeps_the_motion() {
    let Some(clip) = cmu("104_13.bvh") else { return };
    let smooth = butterworth(&clip, 10.0).unwrap();
    let roles = Roles::find(clip.skeleton());
    let foot = [(roles.left.ankle.unwrap(), DVec3::ZERO)];
    let shifts =
        clip.track(&foot).iter().zip(smooth.track(&foot)).map(|(a, b)| a.distance_squared(b)).sum::<f64>();
    let shift = (shifts / clip.n_frames() as f64).sqrt();
    assert!(shift < 0.02, "the ankle moved by {shift} m");
    let roughness = |clip: &Clip| {
        let spline = ClipSpline::new(clip);
        let mut sample = Sample::default();
        let mut sum = 0.0;
        for frame in 0..clip.n_frames() {
            spline.sample(frame as f64 * clip.frame_time(), &mut sample);
            sum += sample.angular_accelerations.iter().map(|a| a.length_squared()).sum::<f64>();
        }
        sum.sqrt()
    };
    assert!(roughness(&smooth) < 0.3 * roughness(&clip));
    assert!(butterworth(&clip, f64::NAN).is_err() && butterworth(&clip, 1e-300).is_err());
}

#[test]
fn joined_clips_go_on_from_each_other() {
    let (Some(start), Some(walk)) = (cmu("16_15.bvh"), cmu("16_34.bvh")) else { return };
    let (start, walk) = (resample(&start, 60.0).unwrap(), resample(&walk, 60.0).unwrap());
    let joined = concatenate(&start, &walk, 20).unwrap();
    assert_eq!(joined.n_frames(), start.n_frames() + walk.n_frames() - 20);
    // Blending two poses over twenty frames adds at most their difference times the steepest weight.
    let apart = jump(&start, start.n_frames() - 10, &walk, 10).min(3.2);
    let limit = largest_jump(&start).max(largest_jump(&walk)) + 2.0 * apart * 1.5 / 20.0;
    assert!(largest_jump(&joined) < limit);
    let step = |clip: &Clip, f: usize| clip.root_position(f).distance(clip.root_position(f - 1));
    assert!((1..joined.n_frames()).all(|f| step(&joined, f) < 0.06));
}

#[test]
fn held_feet_do_not_slide_and_the_rest_stays() {
    let Some(clip) = cmu("16_15.bvh") else { return };
    let contacts = find_contacts(&clip, &ContactOptions::default()).unwrap();
    let locked = lock_feet(&clip, &contacts, std::slice::from_ref(&(0..clip.n_frames())), 12);
    let roles = Roles::find(clip.skeleton());
    let track = |clip: &Clip, joint: Option<JointId>| clip.track(&[(joint.unwrap(), DVec3::ZERO)]);
    let mut correction = 0.0f64;
    for (ankle, heel) in [(roles.left.ankle, &contacts.left.heel), (roles.right.ankle, &contacts.right.heel)]
    {
        let (before, after) = (track(&clip, ankle), track(&locked, ankle));
        for f in 1..clip.n_frames() {
            if heel[f] && heel[f - 1] {
                assert!(after[f].distance(after[f - 1]) < 1e-4, "frame {f}");
            }
            correction = correction.max(after[f].distance(before[f]));
        }
    }
    let (before, after) = (track(&clip, roles.head), track(&locked, roles.head));
    // Ankles roll on at up to 0.5 m/s near the ends of a contact; the body gives way by no more than they are held back.
    assert!(correction < 0.08, "an ankle moved by {correction} m");
    let drop = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(drop <= correction, "the head moved by {drop} m, an ankle by {correction} m");
}
