//! What does not change about a stuntperson: its figure, where it would stand, which bones its conditions are about.

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Character, Part, Physique};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{BodyId, JointKind, Model, State};

use crate::kind::Refusal;
use crate::walking::Biped;

/// A part of either side, with flexion, abduction and twist in degrees.
pub(crate) type Posture = (fn(Side) -> Part, [f64; 3]);

/// A quiet stand, degrees: joints of the legs a little bent, so that they give either way, arms hanging (Winter 1995).
pub(crate) const STAND: [Posture; 5] = [
    (Part::Thigh, [6.0, 3.0, 0.0]),
    (Part::Shank, [12.0, 0.0, 0.0]),
    (Part::Foot, [6.0, -3.0, 0.0]),
    (Part::UpperArm, [3.0, 9.0, 0.0]),
    (Part::Forearm, [12.0, 0.0, 0.0]),
];

/// A figure with two legs, two arms and a trunk that can fall and get up.
#[derive(Clone, Debug)]
pub struct Build {
    figure: Arc<Character>,
    own: Arc<Model>,
    biped: Biped,
    parts: Vec<Part>,
    /// Arms, left and right: upper arm, forearm and hand.
    arms: [[Option<Bone>; 3]; 2],
    stand: State,
    /// Height of the root when it stands, m.
    tall: f64,
    /// Whether it lives in a plane.
    is_planar: bool,
}

impl Build {
    /// Of a figure; `own` is the character alone in the scene.
    ///
    /// # Errors
    /// A figure without legs, or with a root that cannot move freely.
    pub fn new(figure: Arc<Character>, own: Arc<Model>, physique: &Physique) -> Result<Self, Refusal> {
        let is_planar = match own.bodies()[0].joint().kind {
            JointKind::Free => false,
            JointKind::Planar => true,
            _ => {
                return Err(Refusal::new(
                    "figure",
                    "has a root that cannot move freely, expected one that can",
                ));
            }
        };
        let find = |part: Part| physique.parts().iter().position(|p| *p == Some(part)).map(Bone::new);
        let arm = |side| [find(Part::UpperArm(side)), find(Part::Forearm(side)), find(Part::Hand(side))];
        let mut build = Self {
            biped: Biped::of(physique)?,
            parts: figure.parts().to_vec(),
            arms: Side::BOTH.map(arm),
            stand: State::new(&own),
            tall: figure.root_height(),
            is_planar,
            figure,
            own,
        };
        let mut stand = build.stand.clone();
        for (part, angles) in STAND {
            for side in Side::BOTH {
                build.set(&mut stand, part(side), angles);
            }
        }
        build.stand = stand;
        Ok(build)
    }

    /// The figure.
    pub fn figure(&self) -> &Arc<Character> {
        &self.figure
    }

    /// The character alone.
    pub fn own(&self) -> &Arc<Model> {
        &self.own
    }

    pub(crate) fn biped(&self) -> &Biped {
        &self.biped
    }

    /// Upper arm, forearm and hand of a side, as far as it has them.
    pub fn arm(&self, side: Side) -> [Option<Bone>; 3] {
        self.arms[side as usize]
    }

    /// The pose in which it stands, root apart.
    pub fn stand(&self) -> &State {
        &self.stand
    }

    /// Height of its root when it stands, m.
    pub fn tall(&self) -> f64 {
        self.tall
    }

    /// Whether it lives in a plane.
    pub fn is_planar(&self) -> bool {
        self.is_planar
    }

    /// Freedoms of its root.
    pub fn root_freedoms(&self) -> usize {
        self.own.bodies()[0].freedoms().len()
    }

    /// What is up in the root's axes when it stands: a planar root's y is.
    pub fn root_up(&self) -> DVec3 {
        if self.is_planar { DVec3::Y } else { DVec3::Z }
    }

    /// What every body is.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Sets all joints of a part by flexion, abduction and twist, degrees.
    pub fn set(&self, state: &mut State, part: Part, angles: [f64; 3]) {
        for (k, _) in self.parts.iter().enumerate().filter(|(_, p)| **p == part) {
            self.figure.set_angles(state, BodyId::new(k), angles.map(f64::to_radians));
        }
    }

    /// Flexion, abduction and twist of a bone's joint in a state of its own model, rad.
    pub fn angles(&self, state: &State, bone: Bone) -> [f64; 3] {
        self.figure.angles(state, BodyId::new(bone.index()))
    }
}
