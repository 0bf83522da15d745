//! Whether a character is thrown up: the highest of its bodies beside the highest point of its recording.

use stuntlab_control::reference::Reference;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Data, State};

use crate::scene::Member;

/// Looks at the recording per second.
const LOOKS: f64 = 30.0;

/// How high one character may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    /// Height of its lowest body at the start, m.
    floor: f64,
    /// Height of the recording's highest body over its lowest, over the whole run, m.
    top: f64,
    /// Height of its own highest body over the floor, as of the last step, m.
    now: f64,
}

fn lowest(poses: &[Transform]) -> f64 {
    poses.iter().map(|p| p.translation.z).fold(f64::INFINITY, f64::min)
}

fn highest(poses: &[Transform]) -> f64 {
    poses.iter().map(|p| p.translation.z).fold(f64::NEG_INFINITY, f64::max)
}

impl Launch {
    /// At the start of a run of `duration` seconds; `None` without a recording.
    pub(crate) fn new(member: &Member, duration: f64, poses: &[Transform]) -> Option<Self> {
        let mut reference = member.motion.as_ref()?.reference();
        let (mut state, mut data) = (State::new(&member.model), Data::new(&member.model));
        let (mut bottom, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..=(duration * LOOKS) as usize {
            reference.write(k as f64 / LOOKS, &mut state.q);
            forward_kinematics(&member.model, &state, &mut data);
            bottom = bottom.min(lowest(&data.position.world_from_body));
            top = top.max(highest(&data.position.world_from_body));
        }
        let floor = lowest(poses);
        Some(Self { floor, top: top - bottom, now: highest(poses) - floor })
    }

    /// After a step.
    pub(crate) fn follow(&mut self, poses: &[Transform]) {
        self.now = highest(poses) - self.floor;
    }

    /// Height now relative to the recording's greatest.
    pub(crate) fn share(&self) -> Option<f64> {
        (self.top > 0.0).then(|| self.now / self.top)
    }
}
