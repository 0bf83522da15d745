//! States to learn from (Faloutsos, van de Panne and Terzopoulos 2001, section 4.2.2): 0.3 s of a random bounded force at the pelvis, while the servos drive
//! the joints towards random offsets of where they were.
//!
//! ```text
//! F = f d,   f ~ U(0, F_max),   d any direction the root can go          at the pelvis' centre of mass, all of the time
//! q̄ = q₀ + δ,   δ ~ N(0, σ),   σ for legs and trunk, 2 σ for arms        through the figure's reference servos
//! ```
//! A state in which shapes overlap by more than a centimetre is none that a body comes into, and is drawn again. Every sample draws from its own seed.

use std::sync::Arc;

use stuntlab_control::learned::Features;
use stuntlab_control::{Controller, Gains, Pose};
use stuntlab_mocap::character::Part;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{JointKind, State};

use crate::random::Random;
use crate::run::{Hands, Push, Snapshot, World};

/// How long a state is disturbed, s, as published.
pub const DISTURBED: f64 = 0.3;
/// Deepest overlap of a state that counts, m.
pub const DEEPEST: f64 = 0.01;
/// Draws until one counts; a nominal state of which none does is no place to learn.
const DRAWS: u64 = 40;
/// Scale of the servos that hold and disturb: the reference table is for 45 kg, the figure has 80.
const SCALE: f64 = 1.6;

/// Bounds of what disturbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `F_max`, N.
    pub force: f64,
    /// `σ`, rad.
    pub offset: f64,
}

/// A world in the nominal state of a skill.
pub struct Ground {
    world: World,
    nominal: Snapshot,
    features: Arc<Features>,
}

impl Ground {
    /// Of a world's first character as it is.
    pub fn new(world: World) -> Option<Self> {
        let member = world.cast().first()?;
        let features = Arc::new(Features::new(&member.model, &member.physique));
        let nominal = world.snapshot();
        Some(Self { world, nominal, features })
    }

    /// The features of its figure.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// A copy for a thread.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self { world: self.world.clone(), nominal: self.nominal.clone(), features: self.features.clone() }
    }

    /// The state it is in becomes the nominal one.
    pub fn settle(&mut self) {
        self.nominal = self.world.snapshot();
    }

    /// Goes back to the nominal state.
    pub fn restart(&mut self) {
        self.world.restore(&self.nominal);
    }

    /// Features of the state it is in.
    pub fn read(&self) -> Vec<f64> {
        let mut row = vec![0.0; self.features.names().len()];
        self.features.read(&self.world.sense(0), &mut row);
        // As they are kept: in single precision.
        row.iter().map(|x| f64::from(*x as f32)).collect()
    }

    /// Goes to the nominal state disturbed by the draws of a seed; returns how many draws were thrown away, or nothing where all were.
    pub fn disturb(&mut self, bounds: &Bounds, seed: u64) -> Option<u64> {
        (0..DRAWS).find(|draw| {
            let mut random = Random::named(seed.wrapping_add(draw << 48), "disturb");
            self.draw(bounds, &mut random)
        })
    }

    /// One draw; whether the state counts.
    fn draw(&mut self, bounds: &Bounds, random: &mut Random) -> bool {
        self.world.restore(&self.nominal);
        let bodies = self.world.cast()[0].bodies;
        let model = self.world.model();
        let root = model.body(bodies.at(0));
        let direction = match root.joint().kind {
            JointKind::Planar => {
                let (sin, cos) = random.between(0.0, core::f64::consts::TAU).sin_cos();
                // The plane of the root's joint, in the world.
                root.joint().parent_from_joint.rotation * DVec3::new(cos, sin, 0.0)
            }
            _ => random.direction(),
        };
        let force = random.between(0.0, bounds.force);
        let push = Push {
            body: bodies.at(0),
            point_body: root.inertia().center_of_mass,
            impulse: direction * force * DISTURBED,
            start: self.world.state.time,
            duration: DISTURBED,
        };
        let mut posed = self.world.state.clone();
        let mut offsets = vec![0.0; model.n_v()];
        for (body, part) in bodies.iter().skip(1).zip(self.world.cast()[0].physique.parts().iter().skip(1)) {
            let arms = matches!(part, Some(Part::UpperArm(_) | Part::Forearm(_) | Part::Hand(_)));
            for freedom in model.body(body).freedoms() {
                offsets[freedom.index()] = bounds.offset * if arms { 2.0 } else { 1.0 } * random.normal();
            }
        }
        posed.integrate(model, &offsets, 1.0);
        let servos = self.servos(&posed);
        self.act(servos, &Hands { pushes: vec![push], drag: None }, DISTURBED)
            && self.world.deepest() <= DEEPEST
    }

    /// Servos towards a pose.
    fn servos(&self, pose: &State) -> Box<dyn Controller> {
        let bodies = self.world.cast()[0].bodies;
        Box::new(Pose::new(self.world.model(), bodies, Gains::Table { scale: SCALE }, pose))
    }

    /// Has a controller act for some time; whether no step went wrong.
    pub fn act(&mut self, controller: Box<dyn Controller>, hands: &Hands, seconds: f64) -> bool {
        self.world.controllers[0] = controller;
        let end = self.world.state.time + seconds - 0.5 * self.world.options.dt;
        while self.world.state.time < end {
            if self.world.step(hands).is_err() {
                return false;
            }
        }
        true
    }

    /// Has a skill act from the state it is in until `verdict` says whether it did what it is for, at most so long; what goes wrong or takes longer has failed.
    pub fn attempt(
        &mut self,
        skill: Box<dyn Controller>,
        seconds: f64,
        verdict: impl Fn(&World) -> Option<bool>,
    ) -> bool {
        self.attempt_watched(skill, seconds, verdict, |_| ())
    }

    /// The same under the eyes of somebody who looks after every step.
    pub fn attempt_watched(
        &mut self,
        skill: Box<dyn Controller>,
        seconds: f64,
        verdict: impl Fn(&World) -> Option<bool>,
        mut watch: impl FnMut(&World),
    ) -> bool {
        self.world.controllers[0] = skill;
        let end = self.world.state.time + seconds - 0.5 * self.world.options.dt;
        while self.world.state.time < end {
            if self.world.step(&Hands::default()).is_err() {
                return false;
            }
            watch(&self.world);
            if let Some(done) = verdict(&self.world) {
                return done;
            }
        }
        false
    }
}
