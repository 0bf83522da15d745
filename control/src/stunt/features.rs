//! The state as classifiers see it: a vector that depends neither on place nor on heading.
//!
//! ```text
//! x = (z, u, v, ω, q ⊖ q₀, q̇, c - s, ξ - s, L/m, z_k, f_k)
//! ```
//! `z` the height of the root, `u` what is up in its axes, `v` and `ω` its velocities in its heading, joints from a quiet stand and their
//! rates, the centre of mass and the capture point from the middle of the ankles in its heading, spin per mass, heights of hands and feet,
//! and what feet bear.

use stuntlab_mocap::Side;
use stuntlab_physics::State;
use stuntlab_physics::glam::{DQuat, DVec3};

use super::build::Build;
use crate::controller::Sense;

/// Features of one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Features {
    values: Vec<f64>,
    ways: Vec<f64>,
}

impl Features {
    /// What they are called for a figure, in their order: models say which they were learned from.
    pub fn names(build: &Build) -> Vec<String> {
        let three = |name: &str| ["forward", "left", "up"].map(|axis| format!("{name}-{axis}"));
        let mut names = vec!["root-height".to_owned()];
        for name in ["up", "root-velocity", "root-spin"] {
            names.extend(three(name));
        }
        for what in ["angle", "rate"] {
            for body in build.own().bodies().iter().skip(1) {
                let part = body.name().rsplit('/').next().unwrap_or_default();
                names.extend((0..body.freedoms().len()).map(|k| format!("{part}-{what}-{k}")));
            }
        }
        for name in ["com", "capture-point"] {
            names.extend([format!("{name}-forward"), format!("{name}-left")]);
        }
        names.extend(three("spin-per-mass"));
        for name in ["foot-height", "hand-height", "foot-load"] {
            names.extend([format!("{name}-left"), format!("{name}-right")]);
        }
        names
    }

    /// The vector.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Looks at a state; `own` has the character's own coordinates and rates.
    pub fn take(&mut self, sense: &Sense<'_>, build: &Build, own: &State) {
        let (senses, data) = (sense.own, sense.data);
        let pose = data.world_from_body(sense.root());
        let rate = data.body_velocity(sense.root());
        let forward = pose.rotation.x_axis;
        let heading = DQuat::from_rotation_z(-forward.y.atan2(forward.x));
        let turned = |v: DVec3| (heading * v).to_array();
        self.values.clear();
        self.values.push(senses.pelvis_height());
        self.values.extend((pose.rotation.transpose() * senses.up()).to_array());
        self.values.extend(turned(rate.linear));
        self.values.extend(turned(rate.angular));
        self.ways.resize(own.v.len(), 0.0);
        build.stand().difference(build.own(), own, &mut self.ways);
        self.values.extend(self.ways.iter().skip(6));
        self.values.extend(own.v.iter().skip(6));
        let ankle = Side::BOTH.map(|side| data.world_from_body(sense.body_of(build.biped().leg(side).foot)).translation);
        let mid = 0.5 * (ankle[0] + ankle[1]);
        for point in [senses.center_of_mass(), senses.capture_point()] {
            let [x, y, _] = turned(point - mid);
            self.values.extend([x, y]);
        }
        let mass = senses.mass().max(f64::MIN_POSITIVE);
        self.values.extend(turned(senses.momentum().angular / mass));
        let height = |point: DVec3| point.dot(senses.up()) - senses.ground();
        self.values.extend(ankle.map(height));
        let hand = |side: Side| {
            build.arm(side)[2].map_or(0.0, |hand| height(data.world_from_body(sense.body_of(hand)).translation))
        };
        self.values.extend(Side::BOTH.map(hand));
        let weight = mass * sense.model.gravity().length().max(f64::MIN_POSITIVE);
        self.values.extend(Side::BOTH.map(|side| senses.load(side) / weight));
    }
}
