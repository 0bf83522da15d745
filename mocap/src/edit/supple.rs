//! Joints that turn about evenly: a short average over the frames around.
//!
//! Feet that are fitted to the ground make a knee that is nearly straight turn about within a frame where they strike: a millimetre of the hip is
//! hundredths of a radian there. Nobody's does. Averaged over a few frames it is off by as much, and the foot by that millimetre.

use crate::Clip;
use crate::skeleton::JointId;
use glam::DQuat;

/// The clip with the rotations of some joints averaged over `half` seconds either side, nearer frames counting more. Of a cycle, whose last frame is
/// its first one moved on, neighbours go round; ends of other clips stay as they are.
pub fn supple(clip: &Clip, joints: &[JointId], half: f64, cyclic: bool) -> Clip {
    let reach = (half / clip.frame_time()).round() as usize;
    let (width, last) = (clip.n_joints(), clip.n_frames() - 1);
    if reach == 0 || last < 2 * reach {
        return clip.clone();
    }
    let old = clip.all_rotations();
    let mut rotations = old.to_vec();
    for frame in 0..=last {
        let near = if cyclic { reach } else { reach.min(frame).min(last - frame) };
        for joint in joints.iter().map(|joint| joint.index()) {
            let here = old[frame * width + joint];
            let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
            for k in 0..=2 * near {
                // In a cycle the first frame stands for the last one too.
                let at = if cyclic { (frame + last + k - near) % last } else { frame + k - near };
                let off = (k as f64 - near as f64) / (near + 1) as f64;
                let weight = (1.0 - off * off).powi(2);
                let there = old[at * width + joint];
                sum += there * if there.dot(here) < 0.0 { -weight } else { weight };
            }
            rotations[frame * width + joint] = sum.normalize();
        }
    }
    clip.with_frames(clip.root_positions().to_vec(), rotations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::rotation::angle;

    /// Largest change of a joint's way from one frame to the next, rad.
    fn roughest(clip: &Clip, joint: JointId) -> f64 {
        let q = |frame: usize| clip.rotations(frame)[joint.index()];
        let ways = (1..clip.n_frames()).map(|k| q(k - 1).conjugate() * q(k)).collect::<Vec<_>>();
        ways.windows(2).map(|w| angle(w[0], w[1])).fold(0.0, f64::max)
    }

    #[test]
    fn knees_turn_about_evenly_and_a_cycle_stays_one() {
        let walk = library::clip("walk").expect("in the library");
        let knee = JointId::new(
            walk.skeleton().joints().iter().position(|j| j.name.contains("Leg")).expect("a leg"),
        );
        let soft = supple(&walk, &[knee], 0.03, true);
        assert!(roughest(&soft, knee) < 0.6 * roughest(&walk, knee));
        let last = walk.n_frames() - 1;
        assert!(soft.rotations(0)[knee.index()].dot(soft.rotations(last)[knee.index()]).abs() > 1.0 - 1e-12);
        let other = JointId::new(1);
        assert_eq!(soft.rotations(7)[other.index()], walk.rotations(7)[other.index()]);
    }

    #[test]
    fn ends_of_what_is_no_cycle_stay() {
        let jump = library::clip("jump").expect("in the library");
        let all: Vec<JointId> = (0..jump.n_joints()).map(JointId::new).collect();
        let soft = supple(&jump, &all, 0.05, false);
        for frame in [0, jump.n_frames() - 1] {
            for (a, b) in soft.rotations(frame).iter().zip(jump.rotations(frame)) {
                assert!(a.dot(*b).abs() > 1.0 - 1e-12);
            }
        }
    }
}
