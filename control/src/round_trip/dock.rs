//! Docking: forces from outside that pull a body into the place and pose of a motion (Mandel and Zordan 2005, "Physically-based transitions"; Zordan and Van Der Horst 2003).
//!
//! ```text
//! (1)  F = k_f (x̄ - x) + b_f (x̄̇ - ẋ)     at a landmark, the centre of mass of each body; k_f = m ω², b_f = 2 ζ m ω
//! (2)  Σ |F| ≤ ½ m g                      all of them are scaled down together; and come in within a tenth of a second
//! ```
//! The damper is taken at the end of the step. Springs that would be cut off are constant forces. All of it is an aid, and the ledger books it as such.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Sym3};
use stuntlab_physics::{Actuation, Data, ImplicitForce, Model};

use crate::controller::Sense;

/// How hard a body is pulled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dock {
    /// ω, rad/s.
    pub frequency: f64,
    /// ζ.
    pub damping_ratio: f64,
    /// Largest sum of all forces, of the weight; 0 docks by joints alone.
    pub limit: f64,
}

impl Default for Dock {
    fn default() -> Self {
        Self { frequency: 9.0, damping_ratio: 1.0, limit: 0.45 }
    }
}

/// Most that aids may ever be, of the weight.
pub const MOST: f64 = 0.5;
/// Time in which forces come in, s.
const COMING: f64 = 0.1;

/// A landmark: where a body's centre of mass is and shall be, and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landmark {
    /// Kg.
    pub mass: f64,
    /// From where it is to where it shall be, m.
    pub way: DVec3,
    /// What its velocity is off, m/s.
    pub rate: DVec3,
}

impl Dock {
    /// (1), before any limit, N.
    pub fn force(&self, landmark: &Landmark) -> DVec3 {
        let w = self.frequency;
        landmark.mass * (w * w * landmark.way + 2.0 * self.damping_ratio * w * landmark.rate)
    }

    /// (2): what all forces are scaled by, `since` seconds after docking began, where their sizes add up to `sum` of a body of such a `weight`.
    pub fn share(&self, sum: f64, weight: f64, since: f64) -> f64 {
        let ramp = (since / COMING).clamp(0.0, 1.0);
        let most = self.limit.min(MOST) * weight;
        ramp * if sum > most && sum > 0.0 { most / sum } else { 1.0 }
    }

    /// Pulls a character to a motion whose bodies are in `wanted`, of its own model, with velocities. Returns the sum of all forces' sizes, N.
    pub fn act(&self, sense: &Sense<'_>, own: &Model, wanted: &Data, since: f64, out: &mut Actuation) -> f64 {
        if self.limit <= 0.0 {
            return 0.0;
        }
        let landmark = |k: usize| {
            let (body, inertia) = (sense.body_of(Bone::new(k)), own.bodies()[k].inertia());
            let at = sense.data.world_from_body(body).transform_point(inertia.center_of_mass);
            let place = wanted.world_from_body(own.body_ids().at(k));
            let to = place.transform_point(inertia.center_of_mass);
            let rate = wanted.point_velocity(own.body_ids().at(k), to) - sense.data.point_velocity(body, at);
            (Landmark { mass: inertia.mass, way: to - at, rate }, body, at)
        };
        let n = own.n_bodies();
        let sum: f64 = (0..n).map(|k| self.force(&landmark(k).0).length()).sum();
        let weight = sense.own.mass() * sense.model.gravity().length();
        let share = self.share(sum, weight, since);
        let is_cut = self.limit.min(MOST) * weight < sum;
        let w = self.frequency;
        for k in 0..n {
            let (mark, body, at) = landmark(k);
            let arm = at - sense.data.world_from_body(body).translation;
            if is_cut {
                let force = Force::at_offset(share * self.force(&mark), arm);
                out.body_force[body.index()] += force;
                continue;
            }
            // The damper and the spring's own way at the end of the step.
            let gain = share * mark.mass * (2.0 * self.damping_ratio * w + sense.dt * w * w);
            let velocity = sense.data.point_velocity(body, at);
            let at_rest =
                share * self.force(&mark) + gain * velocity - share * mark.mass * w * w * sense.dt * velocity;
            out.implicit.push((body, ImplicitForce::at_point(at_rest, Sym3::IDENTITY * gain, arm)));
        }
        share * sum
    }
}

impl Dock {
    /// Helps some of a character's bodies on at a velocity: (1) without springs, and (2). Returns the sum of all forces' sizes, N.
    pub fn drag(
        &self,
        sense: &Sense<'_>,
        own: &Model,
        velocity: DVec3,
        comes_on: impl Fn(usize) -> bool,
        since: f64,
        out: &mut Actuation,
    ) -> f64 {
        let landmark = |k: usize| {
            let (body, inertia) = (sense.body_of(Bone::new(k)), own.bodies()[k].inertia());
            let at = sense.data.world_from_body(body).transform_point(inertia.center_of_mass);
            let rate = velocity - sense.data.point_velocity(body, at);
            let force = self.force(&Landmark { mass: inertia.mass, way: DVec3::ZERO, rate });
            (force, body, at - sense.data.world_from_body(body).translation)
        };
        let all = || (0..own.n_bodies()).filter(|k| comes_on(*k)).map(landmark);
        let sum: f64 = all().map(|(force, ..)| force.length()).sum();
        let share = self.share(sum, sense.own.mass() * sense.model.gravity().length(), since);
        for (force, body, arm) in all() {
            out.body_force[body.index()] += Force::at_offset(share * force, arm);
        }
        share * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-2.0..2.0_f64).prop_map(DVec3::from_array)
    }

    proptest! {
        /// Acceptance: docking force bounded and zero at the landmark.
        #[test]
        fn all_forces_together_stay_below_half_the_weight(
            marks in prop::collection::vec((0.1..20.0_f64, vector(), vector()), 1..25), since in 0.0..2.0_f64,
            limit in 0.0..2.0_f64, frequency in 1.0..40.0_f64,
        ) {
            let dock = Dock { frequency, damping_ratio: 1.0, limit };
            let marks: Vec<Landmark> =
                marks.into_iter().map(|(mass, way, rate)| Landmark { mass, way, rate }).collect();
            let weight = 9.81 * marks.iter().map(|m| m.mass).sum::<f64>();
            let sum: f64 = marks.iter().map(|m| dock.force(m).length()).sum();
            let share = dock.share(sum, weight, since);
            let total: DVec3 = marks.iter().map(|m| share * dock.force(m)).sum();
            prop_assert!(share * sum <= 0.5 * weight * (1.0 + 1e-12));
            prop_assert!(total.length() <= 0.5 * weight * (1.0 + 1e-12));
        }

        #[test]
        fn at_the_landmark_there_is_none(mass in 0.1..20.0_f64) {
            let there = Landmark { mass, way: DVec3::ZERO, rate: DVec3::ZERO };
            prop_assert_eq!(Dock::default().force(&there), DVec3::ZERO);
        }

        #[test]
        fn turned_by_any_yaw_it_pulls_the_same_way(way in vector(), rate in vector(), yaw in -3.0..3.0_f64) {
            let turn = stuntlab_physics::glam::DQuat::from_rotation_z(yaw);
            let (dock, mark) = (Dock::default(), Landmark { mass: 3.0, way, rate });
            let turned = Landmark { way: turn * way, rate: turn * rate, ..mark };
            prop_assert!((turn * dock.force(&mark)).distance(dock.force(&turned)) < 1e-9);
        }
    }
}
