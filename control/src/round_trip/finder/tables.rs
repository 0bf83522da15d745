//! Rows of features that moments are looked for by: of the ways back, made once per figure, and of a character's own motion.
//!
//! | look | rows | of |
//! |---|---|---|
//! | lying | positions | beginnings of ways to get up |
//! | moving | positions and velocities | all one may come to on its feet |
//! | window | positions now and up to [`BACK`] ago | the same |

use std::sync::Arc;

use stuntlab_mocap::JointId;
use stuntlab_mocap::character::{BodyPoint, Character};
use stuntlab_mocap::features::{FeatureLayout, FeatureOptions};
use stuntlab_mocap::search::{Axes, DatabaseError, PoseDatabase};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Data, Model, State};

use super::super::clips::{Road, Way};
use crate::kind::Refusal;
use crate::reference::Reference;

/// Frames per second of the rows.
pub(super) const RATE: f64 = 30.0;
/// Seconds by which velocities count as positions: a hand at 1 m/s is as far off as one that is 10 cm away.
const VELOCITY_TIME: f64 = 0.1;
/// How long ago the times of a window are, s: four frames. Zordan et al. (2005) compare what a body does after an impact; half of their shortest look, since who goes over has no more.
pub(super) const BACK: [f64; 3] = [0.0, 1.0 / 15.0, 2.0 / 15.0];
/// How long ago a time would count nothing, s: the oldest of the window counts a third.
const REACH: f64 = 0.2;

/// Ways to look.
pub(super) const LYING: usize = 0;
pub(super) const MOVING: usize = 1;
pub(super) const WINDOW: usize = 2;

/// Rows of one motion, per look.
type Rows = [Vec<f32>; 3];

/// What is known of a figure and its ways back.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(super) layouts: [FeatureLayout; 3],
    /// Joints of the features: bodies and points of them, with their weights.
    pub(super) points: Arc<[(JointId, BodyPoint)]>,
    pub(super) weights: Arc<[f64]>,
    ways: Vec<Rows>,
    axes: [Axes; 3],
}

impl Tables {
    /// Of a figure's ways back.
    ///
    /// # Errors
    /// A skeleton without the joints that poses are compared by.
    pub(crate) fn new(character: &Character, ways: &[Way]) -> Result<Self, Refusal> {
        let bad = |e: &dyn std::fmt::Display| Refusal::new("figure", e.to_string());
        let layout = |velocity_time, window: &[f64], reach| {
            let window = window.iter().map(|back| -back).collect();
            let options = FeatureOptions { velocity_time, window, reach };
            FeatureLayout::new(character.skeleton(), options).map_err(|e| bad(&e))
        };
        let layouts = [
            layout(0.0, &BACK[..1], f64::INFINITY)?,
            layout(VELOCITY_TIME, &BACK[..1], f64::INFINITY)?,
            layout(0.0, &BACK, REACH)?,
        ];
        let points: Arc<[_]> =
            joints_of(character).into_iter().map(|j| (j, character.joint_point(j))).collect();
        let features: Vec<JointId> = layouts[0].joints().collect();
        let weights: Arc<[f64]> =
            points.iter().map(|(j, _)| f64::from(u8::from(features.contains(j)))).collect();
        let sampled: Vec<Rows> = ways
            .iter()
            .map(|way| {
                let mut motion = way.motion.clone();
                let length = motion.duration();
                let mut rows =
                    Sampling::new(character.model(), 0.0, &points).rows(&mut motion, length, &layouts);
                // Only those that matter: nobody who lies comes to a stagger, nobody on its feet to a way up.
                match way.road {
                    Road::GetUp => (rows[MOVING], rows[WINDOW]) = (Vec::new(), Vec::new()),
                    Road::Stagger | Road::Start => rows[LYING] = Vec::new(),
                }
                rows
            })
            .collect();
        let made = [LYING, MOVING, WINDOW].map(|look| {
            let tables = sampled.iter().map(|rows| (rows[look].clone(), Vec::new())).collect();
            PoseDatabase::from_rows(layouts[look].width(), tables).map(|d| d.axes().clone())
        });
        let [a, b, c] = made;
        let axes = [a.map_err(|e| bad(&e))?, b.map_err(|e| bad(&e))?, c.map_err(|e| bad(&e))?];
        Ok(Self { layouts, points, weights, ways: sampled, axes })
    }

    /// Databases of a character's own motion, which is number 0, and of its ways back.
    pub(super) fn databases(
        &self,
        own: &Model,
        base: f64,
        motion: &mut dyn Reference,
        length: f64,
    ) -> Result<[PoseDatabase; 3], DatabaseError> {
        let rows = Sampling::new(own, base, &self.points).rows(motion, length, &self.layouts);
        let make = |look: usize| {
            let own = if look == LYING { Vec::new() } else { rows[look].clone() };
            let ways = self.ways.iter().map(|rows| rows[look].clone());
            let tables = std::iter::once(own).chain(ways).map(|rows| (rows, Vec::new())).collect();
            PoseDatabase::from_rows_along(&self.axes[look], tables)
        };
        Ok([make(LYING)?, make(MOVING)?, make(WINDOW)?])
    }

    /// What a time of the window counts.
    pub(super) fn taper(&self, back: f64) -> f64 {
        self.layouts[WINDOW].options().taper(back)
    }
}

/// Looks at the poses of motions.
struct Sampling<'a> {
    own: &'a Model,
    base: f64,
    points: &'a [(JointId, BodyPoint)],
    state: State,
    data: Data,
}

impl<'a> Sampling<'a> {
    fn new(own: &'a Model, base: f64, points: &'a [(JointId, BodyPoint)]) -> Self {
        Self { own, base, points, state: State::new(own), data: Data::new(own) }
    }

    /// Where a motion has the joints at a time.
    fn places(&mut self, motion: &mut dyn Reference, at: f64) -> Vec<DVec3> {
        motion.write(at, &mut self.state.q);
        forward_kinematics(self.own, &self.state, &mut self.data);
        let place = |point: &BodyPoint| {
            self.data.world_from_body(point.body).transform_point(point.point_body) - DVec3::Z * self.base
        };
        self.points.iter().map(|(_, point)| place(point)).collect()
    }

    /// Feature rows of a motion per look.
    fn rows(&mut self, motion: &mut dyn Reference, length: f64, layouts: &[FeatureLayout; 3]) -> Rows {
        let n = if length.is_finite() { (length * RATE) as usize + 1 } else { 1 };
        let goes_round = motion.period().is_some();
        let mut out = Rows::default();
        let mut row = Vec::new();
        // Velocities look ahead, at the end back.
        let ahead = 0.5 / RATE;
        let points = self.points;
        let number = |joint| points.iter().position(|(j, _)| *j == joint).unwrap_or(0);
        for at in (0..n).map(|k| k as f64 / RATE) {
            let from = if at + ahead > length { (at - ahead).max(0.0) } else { at };
            let (before, after) = (self.places(motion, from), self.places(motion, from + ahead));
            let speeds: Vec<DVec3> = after.iter().zip(&before).map(|(b, a)| (*b - *a) / ahead).collect();
            let then = |back: f64| if goes_round { at - back } else { (at - back).max(0.0) };
            let window = BACK.map(|back| self.places(motion, then(back)));
            for (layout, out) in layouts.iter().zip(&mut out) {
                let position = |k: usize, j| window[k][number(j)];
                layout.write_window(
                    0.0,
                    |j| window[0][number(j)],
                    position,
                    |_, j| speeds[number(j)],
                    &mut row,
                );
                out.extend_from_slice(&row);
            }
        }
        out
    }
}

/// Joints that features are made of.
fn joints_of(character: &Character) -> Vec<JointId> {
    let roles = character.joint_roles();
    let mut joints = vec![roles.hips];
    joints.extend([roles.chest, roles.neck, roles.head].into_iter().flatten());
    for limbs in [&roles.left, &roles.right] {
        let all = [limbs.shoulder, limbs.elbow, limbs.wrist, limbs.hip, limbs.knee, limbs.ankle, limbs.toe];
        joints.extend(all.into_iter().flatten());
    }
    joints
}
