//! What joints carry as the body is now (Zordan and Hodgins 2002; Mandel and Zordan 2005, "Choosing controller gains").
//!
//! With a unit rate of a freedom about the axis `a` through the joint at `x` the bodies beyond it have the angular momentum
//!
//! ```text
//! (1)  a·H = Σ a·(m r × (a × r) + I a) = aᵀ I_x a        I_x the inertia of all beyond the joint, about it
//! ```
//! the entry of the freedom on the diagonal of the mass matrix. Beyond a joint of a leg that stands is all that is above it: the whole body less the leg's
//! own part, as much of it as the foot bears. So one spring and one damper per inertia serve for a leg in the air and for one that carries everybody.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;

use crate::controller::Sense;
use crate::joint_axes::axes_of;

/// Time constant of the filter on the feet's shares of the weight, s: longer than contacts flicker.
const SETTLING: f64 = 0.05;

/// Masses about the root's origin, world axes.
#[derive(Clone, Copy, Debug)]
struct Sum {
    mass: f64,
    first: DVec3,
    second: Sym3,
}

impl Sum {
    const NONE: Self = Self { mass: 0.0, first: DVec3::ZERO, second: Sym3::ZERO };

    fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first += other.first;
        self.second += other.second;
    }

    fn less(&self, other: &Self) -> Self {
        Self {
            mass: self.mass - other.mass,
            first: self.first - other.first,
            second: self.second - other.second,
        }
    }

    /// (1) about an axis through a point.
    fn about(&self, axis: DVec3, point: DVec3) -> f64 {
        let along = axis.dot(point);
        self.second.quadratic(axis, axis) - 2.0 * self.first.dot(point)
            + 2.0 * axis.dot(self.first) * along
            + self.mass * (point.length_squared() - along * along)
    }
}

/// What every freedom of a character carries.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Per bone: it and all beyond it.
    sums: Vec<Sum>,
    /// Per freedom, kg m².
    inertia: Vec<f64>,
    /// Share of the weight that each foot bears, filtered.
    shares: [f64; 2],
    looked: Option<f64>,
}

impl Carried {
    /// Room for a character of so many bones and freedoms.
    pub fn new(bones: usize, freedoms: usize) -> Self {
        Self { sums: vec![Sum::NONE; bones], inertia: vec![0.0; freedoms], shares: [0.0; 2], looked: None }
    }

    /// Looks at a character.
    pub fn look(&mut self, sense: &Sense<'_>) {
        let weight = sense.own.mass() * sense.model.gravity().length();
        for side in Side::BOTH {
            let share = if weight > 0.0 { (sense.own.load(side) / weight).min(1.0) } else { 0.0 };
            let filtered = &mut self.shares[side as usize];
            match self.looked {
                Some(before) if sense.time() >= before => {
                    *filtered += (share - *filtered) * (1.0 - (-(sense.time() - before) / SETTLING).exp());
                }
                _ => *filtered = share,
            }
        }
        self.looked = Some(sense.time());
        let origin = sense.data.world_from_body(sense.root()).translation;
        for (k, sum) in self.sums.iter_mut().enumerate() {
            let bone = Bone::new(k);
            let (inertia, pose) =
                (sense.bone(bone).inertia(), sense.data.world_from_body(sense.body_of(bone)));
            let center = pose.transform_point(inertia.center_of_mass) - origin;
            *sum = Sum {
                mass: inertia.mass,
                first: center * inertia.mass,
                second: inertia.rotational.rotated(&pose.rotation)
                    + Sym3::point_inertia(center) * inertia.mass,
            };
        }
        for k in (1..self.sums.len()).rev() {
            let parent = sense.bone(Bone::new(k)).parent().and_then(|p| sense.bodies.place_of(p));
            if let Some(parent) = parent {
                let own = self.sums[k];
                self.sums[parent].add(&own);
            }
        }
        let own = sense.tree().freedoms.range().start;
        for k in 0..self.sums.len() {
            let bone = Bone::new(k);
            let body = sense.body_of(bone);
            let point = sense.data.world_from_body(body).translation - origin;
            let above = self.sums[0].less(&self.sums[k]);
            let share = leg(sense.own.physique().part(bone)).map_or(0.0, |side| self.shares[side as usize]);
            let (axes, n) = axes_of(sense.model, sense.data, body);
            for (dof, axis) in sense.bone(bone).freedoms().iter().zip(&axes[..n]) {
                let beyond = self.sums[k].about(*axis, point);
                self.inertia[dof.index() - own] = beyond.max(share * above.about(*axis, point));
            }
        }
    }

    /// What every freedom carries, kg m²; nothing of the root's.
    pub fn inertia(&self) -> &[f64] {
        &self.inertia
    }

    /// Share of the weight that a foot bears.
    pub fn share(&self, side: Side) -> f64 {
        self.shares[side as usize]
    }
}

/// Of which leg a part is.
pub(crate) fn leg(part: Option<Part>) -> Option<Side> {
    match part {
        Some(Part::Thigh(side) | Part::Shank(side) | Part::Foot(side) | Part::Toe(side)) => Some(side),
        _ => None,
    }
}
