//! What is watched of two characters who fight: how near they are, and whether they are entangled.

use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::{Bodies, BodyId};

use crate::run::World;

/// Distance of the roots within which a punch of the library reaches, m: the longest is 0.81 m before the pelvis, and who
/// is hit stands 0.3 m before its own. It was a guess of 1.05 m until the reach of the punches was printed, beside a first result of
/// two bouts (0.36 and 0.47 of the time): moved after seeing it.
const REACH: f64 = 1.11;
/// Nearer than this no punch has its way, m: the shortest is 0.49 m, and the same 0.3 m.
const TOO_NEAR: f64 = 0.79;
/// Seconds apart after which a clinch is over.
const LOOSE: f64 = 0.5;

/// Two characters as of the last step.
#[derive(Clone, Debug, Default)]
pub(super) struct Pair {
    /// Distance of their roots along the ground, m; none where there are not two.
    distance: Option<f64>,
    /// Seconds they have been too near with an arm on the other.
    pub(super) clinch: f64,
    loose_for: f64,
}

impl Pair {
    /// Whether a punch would reach.
    pub(super) fn is_within_reach(&self) -> Option<bool> {
        self.distance.map(|distance| distance < REACH)
    }

    /// Called after every step.
    pub(super) fn follow(&mut self, world: &World, both_stand: bool) {
        let [a, b] = world.cast() else { return };
        let root = |bodies: Bodies| bodies.first().map(|body| world.data.world_from_body(body).translation);
        let (Some(here), Some(there)) = (root(a.bodies), root(b.bodies)) else { return };
        let distance = (here - there).truncate().length();
        self.distance = Some(distance);
        let dt = world.options.dt;
        if both_stand && distance < TOO_NEAR && are_entangled(world) {
            self.clinch += dt;
            self.loose_for = 0.0;
        } else {
            self.loose_for += dt;
            if self.loose_for > LOOSE {
                self.clinch = 0.0;
            }
        }
    }
}

/// Whether an arm of one touches the other.
fn are_entangled(world: &World) -> bool {
    let owner = |body: BodyId| world.cast().iter().position(|member| member.bodies.contains(body));
    let is_arm = |body: BodyId, member: usize| {
        let member = &world.cast()[member];
        let part = Bone::of(body, member.bodies).and_then(|bone| member.physique.part(bone));
        matches!(part, Some(Part::UpperArm(_) | Part::Forearm(_) | Part::Hand(_)))
    };
    world.data.contact.between_bodies().iter().any(|contact| {
        let (a, Some(b)) = (contact.body_a, contact.body_b) else { return false };
        match (owner(a), owner(b)) {
            (Some(p), Some(q)) if p != q => is_arm(a, p) || is_arm(b, q),
            _ => false,
        }
    })
}
