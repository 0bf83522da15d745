//! Falling with life: what a body does on its way to the ground (Mandel and Zordan 2005, "Adding life to the falling motion").
//!
//! | way | what |
//! |---|---|
//! | limp | dampers only: a rag doll |
//! | [`table`] | example poses by the direction of the fall |
//! | [`reach`] | the same for trunk and legs; arms go where the shoulders will land, as it comes |
//!
//! Direction is that of the centre of mass and of the trunk's toppling together, in the pelvis' own heading. Hands that touch the ground give way.

pub mod reach;
pub mod table;

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Character, Part, Physique};
use stuntlab_physics::glam::{DQuat, DVec2};
use stuntlab_physics::{Actuation, Model, State};

use crate::controller::Sense;
use crate::fighter::Layout;
use crate::gains::{Gains, Tuned};
use crate::stand::write_servos;
use reach::Arms;
use table::Table;

/// How a body falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fall {
    /// A rag doll.
    Limp,
    /// Example poses.
    Table,
    /// Arms that reach for the ground.
    Reach,
}

/// Stiffness and damping per carried inertia: a body that braces itself, not one that stands to attention. Hands are where they shall be in a quarter of a second.
const TONE: Gains = Gains::Carried { stiffness: 120.0, damping: 16.0 };
/// Damping of a rag doll's joints, as a share of the reference gains: limp, not rattling.
const SLACK: f64 = 0.12;
/// Factors on stiffness and damping of an arm whose hand bears: it gives way and takes up what comes.
const GIVING: (f64, f64) = (0.35, 2.5);
/// Time constant with which the direction is followed, s: a fall turns about slowly.
const TURNING: f64 = 0.08;
/// How long one who is down goes on to brace itself, and in what time it then lets go, s.
const LETTING_GO: (f64, f64) = (0.15, 0.35);
/// Share of its strength that is left then: it lies as it fell, and does not rattle.
const LEFT: f64 = 0.1;
/// Time in which the pose of the fall comes in, s: people take 80 ms to begin.
const COMING: f64 = 0.12;

/// A body that falls.
#[derive(Clone)]
pub struct Falling {
    own: Arc<Model>,
    table: Table,
    arms: Arms,
    layout: Layout,
    gains: Tuned,
    /// Reference damping of the joint above every bone.
    damping: Vec<f64>,
    direction: DVec2,
    began: State,
    pose: State,
    rates: Vec<f64>,
}

impl Falling {
    /// For a figure.
    pub fn new(own: Arc<Model>, character: &Character, physique: &Physique) -> Self {
        Self {
            table: Table::new(&own, character),
            arms: Arms::new(physique),
            layout: Layout::new(&own),
            gains: Tuned::new(&own, own.body_ids(), TONE),
            damping: character.gains().iter().map(|g| g.damping).collect(),
            direction: DVec2::X,
            began: State::new(&own),
            pose: State::new(&own),
            rates: vec![0.0; own.n_v()],
            own,
        }
    }

    /// Begins to fall.
    pub fn begin(&mut self, sense: &Sense<'_>) {
        self.direction = direction(sense).normalize_or(DVec2::X);
        self.began.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
    }

    /// Direction it falls in, forward and left.
    pub fn direction(&self) -> DVec2 {
        self.direction
    }

    /// What it strives for.
    pub fn pose(&self) -> &State {
        &self.pose
    }

    /// Falls on, `since` seconds after it began, `landed` seconds after it was down.
    pub fn act(&mut self, sense: &Sense<'_>, way: Fall, since: f64, landed: f64, out: &mut Actuation) {
        let strength = 1.0 - (1.0 - LEFT) * ((landed - LETTING_GO.0) / LETTING_GO.1).clamp(0.0, 1.0);
        if way == Fall::Limp {
            self.pose.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
            self.slacken(sense, out);
            return;
        }
        let share = 1.0 - (-sense.dt / TURNING).exp();
        // One who lies goes nowhere: what it was about stays.
        if let Some(now) = direction(sense).try_normalize().filter(|_| landed == 0.0) {
            self.direction = self.direction.lerp(now, share).normalize_or(now);
        }
        self.table.write(&self.layout, self.direction, &mut self.pose.q);
        if way == Fall::Reach && landed == 0.0 {
            self.arms.reach(sense, &self.own, self.direction, &mut self.pose);
        }
        let come = (since / COMING).clamp(0.0, 1.0);
        let mut pose = std::mem::take(&mut self.pose.q);
        self.layout.mix(&mut pose, &self.began.q, 1.0 - come * come * (3.0 - 2.0 * come));
        self.pose.q = pose;
        self.gains.look(sense);
        let bears = Side::BOTH.map(|side| self.arms.bears(sense, side));
        let parts = sense.own.physique().parts();
        write_servos(sense, &self.own, &self.gains, &self.pose, &self.rates, out, |bone| {
            let gives = arm(parts[bone.index()]).is_some_and(|side| bears[side as usize]);
            let (k, d) = if gives { GIVING } else { (1.0, 1.0) };
            (strength * k, strength.max(0.5) * d)
        });
    }

    /// Joint dampers of a rag doll.
    pub fn slacken(&self, sense: &Sense<'_>, out: &mut Actuation) {
        for (body, damping) in sense.model.bodies()[sense.bodies].iter().zip(&self.damping) {
            let (q, v) = (body.coordinates(), body.freedoms());
            out.servo.target_q[q].copy_from_slice(&sense.state.q[q]);
            out.servo.damping[v].fill(SLACK * damping);
        }
    }
}

/// Of which arm a part is.
fn arm(part: Option<Part>) -> Option<Side> {
    match part {
        Some(Part::UpperArm(side) | Part::Forearm(side) | Part::Hand(side)) => Some(side),
        _ => None,
    }
}

/// Where a body falls to, in the heading of its pelvis, forward and left: how far the trunk leans and where the centre of mass goes, m.
fn direction(sense: &Sense<'_>) -> DVec2 {
    let lean = sense.own.trunk_up().truncate();
    let going = sense.own.velocity().truncate() / sense.own.pendulum_rate().max(1.0);
    let root = sense.data.world_from_body(sense.root()).rotation;
    // The heading of a pelvis that lies is the way its trunk is turned.
    let forward = if root.z_axis.z > 0.3 { root.x_axis } else { root.z_axis * -root.x_axis.z.signum() };
    let heading = DQuat::from_rotation_z(-forward.y.atan2(forward.x));
    let way = (heading * (0.4 * lean + going).extend(0.0)).truncate();
    if way.length() < 0.02 { DVec2::ZERO } else { way }
}

/// The bone that is a part.
fn find(physique: &Physique, part: Part) -> Option<Bone> {
    physique.parts().iter().position(|p| *p == Some(part)).map(Bone::new)
}
