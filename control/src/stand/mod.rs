//! Standing without aids: a motion is tracked by joint servos, legs bear the body where its fall comes back ([`balance`]), and what ankles
//! cannot do hips and arms do ([`sway`]).

pub mod balance;
mod kind;
pub mod sway;

pub use balance::{Balance, Poise, Press, Wanted};
pub use kind::KIND;
pub(crate) use kind::{KEYS, read};
pub use sway::Sway;

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::DVec2;
use stuntlab_physics::{Actuation, Data, Model, State};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::gains::{Gains, Tuned, leg};
use crate::kind::Refusal;
use crate::readings::{Published, Readings, Together};
use crate::reference::Reference;
use crate::walking::Biped;

/// Share of its stiffness that the ankle of a foot that bears keeps: it follows the ground, not the motion.
const ANKLE: f64 = 0.0;
/// Share of its damping.
const ANKLE_DAMPING: f64 = 0.02;

/// Settings of a [`Stand`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandOptions {
    /// Of the servos.
    pub gains: Gains,
    /// Factor on the balance of the legs; 0 leaves them to the servos.
    pub balance: f64,
    /// Hips and arms.
    pub sway: Sway,
}

impl Default for StandOptions {
    fn default() -> Self {
        Self {
            gains: Gains::Carried { stiffness: 300.0, damping: 30.0 },
            balance: 1.0,
            sway: Sway::default(),
        }
    }
}

/// Tracks a pose on its own two feet. What a pose is comes from elsewhere each step.
#[derive(Clone, Debug)]
pub struct Stand {
    /// Settings; free to change between steps.
    pub options: StandOptions,
    own: Arc<Model>,
    balance: Balance,
    gains: Tuned,
    data: Data,
    /// The pose with what hips and arms do about the fall.
    swayed: State,
    /// How far hips and arms have gone forward, rad.
    lean: f64,
    poise: Poise,
}

impl Stand {
    /// On a figure of its own model.
    ///
    /// # Errors
    /// A figure without two legs.
    pub fn new(own: Arc<Model>, physique: &Physique, options: StandOptions) -> Result<Self, Refusal> {
        Ok(Self {
            balance: Balance::new(physique)?,
            gains: Tuned::new(&own, own.body_ids(), options.gains),
            data: Data::new(&own),
            swayed: State::new(&own),
            lean: 0.0,
            poise: Poise::default(),
            options,
            own,
        })
    }

    /// How it stood in the last step.
    pub fn poise(&self) -> Poise {
        self.poise
    }

    /// Forgets what it was about.
    pub fn calm(&mut self) {
        self.lean = 0.0;
    }

    /// Tracks the pose `wanted`, coordinates of its own model, which goes at `rates`; one that goes somewhere is not balanced.
    pub fn act(
        &mut self,
        sense: &Sense<'_>,
        wanted: &State,
        rates: &[f64],
        stays: bool,
        out: &mut Actuation,
    ) {
        let balance = if stays { self.options.balance } else { 0.0 };
        self.poise = Poise::default();
        if balance > 0.0 {
            forward_kinematics(&self.own, wanted, &mut self.data);
            let biped = *self.balance.biped();
            let want = of_pose(&self.own, &self.data, &biped);
            self.poise = self.balance.act(sense, &want, balance, out);
        }
        self.options.sway.follow(&mut self.lean, self.poise.beyond.x, sense.dt);
        self.swayed.q.copy_from_slice(&wanted.q);
        self.options.sway.bend(&self.own, sense.own.physique(), self.lean, &mut self.swayed);
        self.gains.look(sense);
        let parts = sense.own.physique().parts();
        let bears = |bone: Bone| leg(parts[bone.index()]).map_or(0.0, |side| self.poise.bears[side as usize]);
        write_servos(sense, &self.own, &self.gains, &self.swayed, rates, out, |bone| {
            let on_ground = sense.own.physique().is_foot(bone) && balance > 0.0;
            let borne = if on_ground { bears(bone) } else { 0.0 };
            (1.0 - (1.0 - ANKLE) * borne, 1.0 - (1.0 - ANKLE_DAMPING) * borne)
        });
    }
}

/// What a pose wants of feet and centre of mass.
fn of_pose(own: &Model, data: &Data, biped: &Biped) -> Wanted {
    let foot = |side: Side| data.world_from_body(biped.leg(side).foot.among(own.body_ids()));
    let forward: DVec2 =
        Side::BOTH.into_iter().map(|side| foot(side).rotation.x_axis.truncate().normalize_or_zero()).sum();
    Wanted {
        ankles: Side::BOTH.map(|side| foot(side).translation),
        center_of_mass: center_of_mass(own, data).position,
        heading: forward.to_angle(),
    }
}

/// Writes servos towards a pose of the character's own model on all joints but the root, with factors on stiffness and damping per bone.
pub fn write_servos(
    sense: &Sense<'_>,
    own: &Model,
    gains: &Tuned,
    wanted: &State,
    rates: &[f64],
    out: &mut Actuation,
    factors: impl Fn(Bone) -> (f64, f64),
) {
    for (k, body) in own.bodies().iter().enumerate().skip(1) {
        let whole = sense.bone(Bone::new(k));
        let (stiffness, damping) = factors(Bone::new(k));
        for (to, from) in whole.freedoms().iter().zip(body.freedoms()) {
            let (k, d) = gains.table()[from.index()];
            out.servo.stiffness[to] = stiffness * k;
            out.servo.damping[to] = damping * d;
            out.servo.target_v[to] = rates[from.index()];
        }
        out.servo.target_q[whole.coordinates()].copy_from_slice(&wanted.q[body.coordinates()]);
    }
}

const PUBLISHED: [Published; 2] = [
    Published {
        name: "beyond-soles",
        unit: "m",
        help: "How far beyond its soles the ground would have to press to bring it back",
        together: Together::Most,
    },
    Published {
        name: "sway",
        unit: "°",
        help: "How far hips and arms go with its fall",
        together: Together::Most,
    },
];

/// Stands in a motion: the controller.
#[derive(Clone)]
pub struct Standing {
    stand: Stand,
    reference: Box<dyn Reference>,
    wanted: State,
    next: State,
    rates: Vec<f64>,
    values: [f64; PUBLISHED.len()],
}

impl Standing {
    /// In a motion.
    pub fn new(stand: Stand, reference: Box<dyn Reference>) -> Self {
        let state = State::new(&stand.own);
        let rates = vec![0.0; stand.own.n_v()];
        Self { wanted: state.clone(), next: state, rates, stand, reference, values: [0.0; PUBLISHED.len()] }
    }
}

impl Controller for Standing {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let h = sense.dt;
        self.reference.write(sense.time(), &mut self.wanted.q);
        self.reference.write(sense.time() + h, &mut self.next.q);
        self.wanted.difference(&self.stand.own, &self.next, &mut self.rates);
        self.rates.iter_mut().for_each(|rate| *rate /= h);
        self.stand.act(sense, &self.next, &self.rates, true, out);
        self.values = [self.stand.poise.beyond.length(), self.stand.lean.abs().to_degrees()];
    }

    fn commands(&self) -> &[&'static str] {
        kind::COMMANDS
    }

    /// `balance`: factor on the legs' balance.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "balance" => self.stand.options.balance = value.max(0.0),
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        q[sense.tree().coordinates].copy_from_slice(&self.wanted.q);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
