//! Feet stand where they rest and clear the ground where they swing, on the figure's own soles.

use stuntlab_mocap::character::{Character, CharacterOptions, limit_violation};
use stuntlab_mocap::footing::set_feet;
use stuntlab_mocap::{Clip, library};
use stuntlab_physics::glam::{DQuat, DVec3};

fn figure(clip: &Clip) -> Character {
    let options = CharacterOptions { separate_toes: false, ..CharacterOptions::default() };
    Character::build(clip.skeleton(), &options).expect("the library's skeleton").0
}

/// The clip with its root moved by what `shift` says of the time.
fn moved(clip: &Clip, shift: impl Fn(f64) -> DVec3) -> Clip {
    let n = clip.n_frames();
    let positions = (0..n).map(|f| clip.root_position(f) + shift(f as f64 * clip.frame_time())).collect();
    let rotations: Vec<DQuat> = (0..n).flat_map(|f| clip.rotations(f).to_vec()).collect();
    Clip::new(&clip.name, clip.skeleton().clone(), clip.frame_time(), positions, rotations).expect("frames")
}

/// Lowest and highest of the soles' least heights over all frames, m.
fn soles(clip: &Clip, character: &Character) -> (f64, f64) {
    let mut data = stuntlab_physics::Data::new(character.model());
    let heights: Vec<f64> = (0..clip.n_frames())
        .map(|f| {
            let state = character.state_from_pose(&clip.pose(f));
            stuntlab_physics::dynamics::forward_kinematics(character.model(), &state, &mut data);
            let lowest = character.soles().iter().map(|s| {
                let center = data.world_from_body(s.body).transform_point(s.point_body + DVec3::Z * s.radius);
                center.z - s.radius
            });
            lowest.fold(f64::INFINITY, f64::min)
        })
        .collect();
    (
        heights.iter().copied().fold(f64::INFINITY, f64::min),
        heights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

#[test]
fn a_walk_that_floats_and_skates_stands_afterwards() {
    let walk = library::compiled("walk").expect("walk").clip;
    let character = figure(&walk);
    // Two centimetres above the ground, and a tenth of a metre per second too fast for its feet.
    let skating = moved(&walk, |t| DVec3::new(0.1 * t, 0.0, 0.02));
    let set = set_feet(&skating, &character, true);
    assert!(set.slide_before > 0.05, "{}", set.slide_before);
    assert!(set.slide < 0.01, "{} m per m", set.slide);
    // A walker always stands on something, and nothing is below the ground.
    let (deepest, highest) = soles(&set.clip, &character);
    assert!(deepest > -0.004 && highest < 0.012, "{deepest} to {highest} m");
}

#[test]
fn feet_that_swing_clear_the_ground_by_their_speed() {
    let walk = library::compiled("walk").expect("walk").clip;
    let character = figure(&walk);
    let set = set_feet(&walk, &character, true).clip;
    let n = set.n_frames();
    let mut data = stuntlab_physics::Data::new(character.model());
    let mut points: Vec<Vec<DVec3>> = Vec::new();
    for f in 0..n {
        let state = character.state_from_pose(&set.pose(f));
        stuntlab_physics::dynamics::forward_kinematics(character.model(), &state, &mut data);
        let place = |s: &stuntlab_mocap::character::SolePoint| {
            data.world_from_body(s.body).transform_point(s.point_body + DVec3::Z * s.radius)
                - DVec3::Z * s.radius
        };
        points.push(character.soles().iter().map(place).collect());
    }
    for f in 0..n - 1 {
        for (a, b) in points[f].iter().zip(&points[f + 1]) {
            let speed = (*b - *a).truncate().length() / set.frame_time();
            assert!(speed < 2.0 || a.z > 0.008, "{speed} m/s at {} m in frame {f}", a.z);
        }
    }
}

#[test]
fn a_cycle_stays_one() {
    let walk = library::compiled("walk").expect("walk").clip;
    let set = set_feet(&walk, &figure(&walk), true).clip;
    let last = set.n_frames() - 1;
    for (a, b) in set.rotations(0).iter().zip(set.rotations(last)) {
        assert!(a.angle_between(*b) < 1e-6, "{}", a.angle_between(*b));
    }
    assert!((set.root_position(last).z - set.root_position(0).z).abs() < 1e-9);
}

#[test]
fn a_jump_keeps_its_flight() {
    let jump = library::compiled("jump").expect("jump").clip;
    let character = figure(&jump);
    let highest = |clip: &Clip| soles(clip, &character).1;
    let set = set_feet(&jump, &character, false).clip;
    // Toes that push off below the ground are raised, and the foot flies on as much higher; a body that hovers is let fall, which takes a centimetre
    // of it (0.108 of 0.121 m; the bound was -0.01 before flights became parabolas).
    let gained = highest(&set) - highest(&jump);
    assert!((-0.02..0.05).contains(&gained), "{} of {}", highest(&set), highest(&jump));
    assert!(highest(&set) > 0.1);
}

#[test]
fn a_pose_beyond_its_limits_is_brought_inside_and_others_stay() {
    let idle = library::compiled("idle").expect("idle").clip;
    let character = figure(&idle);
    let (same, share) = character.clip_within_limits(&idle);
    assert!(share == 0.0 && same == idle, "{share}");
    // A knee bent the wrong way in the last frame.
    let knee = character.joint_roles().left.knee.expect("a knee");
    let mut rotations: Vec<DQuat> = (0..idle.n_frames()).flat_map(|f| idle.rotations(f).to_vec()).collect();
    let first = (idle.n_frames() - 1) * idle.n_joints();
    rotations[first..][knee] = DQuat::from_rotation_y(-0.5);
    let positions = (0..idle.n_frames()).map(|f| idle.root_position(f)).collect();
    let broken = Clip::new("broken", idle.skeleton().clone(), idle.frame_time(), positions, rotations)
        .expect("frames");
    let (inside, share) = character.clip_within_limits(&broken);
    assert!(share > 0.0 && share < 0.02, "{share}");
    let state = character.state_from_pose(&inside.pose(idle.n_frames() - 1));
    assert!(limit_violation(character.model(), &state) < 1e-6);
}
