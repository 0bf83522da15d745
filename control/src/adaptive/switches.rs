//! How often anything about an answer has switched: a joint's mode, what decides where the whole body goes, a foot's step, the leg that stands. At
//! switches nothing may jump, so that whoever looks for jumps must know of them.

use stuntlab_mocap::Side;

use super::articulation::Mode;

/// Counts switches.
#[derive(Clone, Debug)]
pub(super) struct Switches {
    /// Of every joint: played back, simulated or on its way back; then of the whole body, both feet and the support.
    now: Vec<u8>,
    count: u32,
}

impl Switches {
    pub(super) fn new(bones: usize) -> Self {
        Self { now: vec![0; bones + 4], count: 0 }
    }

    /// So far.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Looks at what is the case now.
    pub(super) fn look(&mut self, modes: &[Mode], whole: u8, swings: [bool; 2], support: Side) {
        let joint = |mode: &Mode| match mode {
            Mode::Kinematic => 0,
            Mode::Dynamic { .. } => 1,
            Mode::Returning { .. } => 2,
        };
        let rest = [whole, u8::from(swings[0]), u8::from(swings[1]), support as u8];
        let mut any = false;
        for (now, new) in self.now.iter_mut().zip(modes.iter().map(joint).chain(rest)) {
            any |= std::mem::replace(now, new) != new;
        }
        self.count += u32::from(any);
    }
}
