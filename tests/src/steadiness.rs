//! Stability trials: a figure under servos of any gain, standing, falling or dragged.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;
use stuntlab_physics::step::Account;
use stuntlab_physics::{ImplicitForce, State, StepOptions, observe, step};

use crate::world::{World, standing};

/// What the figure does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Starts on its feet and holds its pose.
    Standing,
    /// Starts a metre up, turning, and holds its pose while it lands.
    Falling,
    /// Is pulled about by a spring on a hand.
    Dragged,
}

impl Deed {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Standing, Self::Falling, Self::Dragged];
}

/// How a trial went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The error that ended it, if any.
    pub broke: Option<String>,
    /// Largest energy the servos gave in a step beyond what their springs held, J (see [`servo_surplus`]), of the
    /// energy they turned over in that step.
    pub from_servos: f64,
    /// Energy contacts put in, summed from the start, at its highest, J.
    pub from_contacts: f64,
    /// Largest kinetic energy on the way, J.
    pub kinetic: f64,
}

impl Outcome {
    /// Finite to the end, servos passive in every step, and no more energy from contacts than 2 % of what moved.
    pub fn is_sound(&self) -> bool {
        let allowed = 0.02 * self.kinetic + 0.1;
        self.broke.is_none() && self.from_servos <= 1e-9 && self.from_contacts <= allowed
    }
}

/// Runs the 37-freedom figure in the default formulation.
pub fn trial(deed: Deed, factor: f64, hz: f64, seconds: f64) -> Outcome {
    let figure = figures::humanoid37();
    let lift = if deed == Deed::Falling { 1.0 } else { 0.0 };
    let model = standing(&figure, lift).build().expect("the figure is a valid model");
    let mut world = World::new(model, StepOptions { ledger: true, ..StepOptions::at_rate(hz) });
    world.reference_servos(&figure, factor);
    if deed == Deed::Falling {
        (world.state.v[3], world.state.v[4]) = (2.0, 3.0);
    }
    let hand = world.model.body_ids().last().expect("a figure has bodies");
    let mut outcome = Outcome { broke: None, from_servos: 0.0, from_contacts: 0.0, kinetic: 0.0 };
    let (mut contacts, mut kinetic) = (0.0, 0.0);
    for _ in 0..(seconds * hz) as usize {
        observe(&world.model, &world.state, &mut world.data, &world.options);
        world.act.implicit.clear();
        if deed == Deed::Dragged {
            // A spring of 2 kN/m and a damper to a point that circles over the ground.
            let t = world.state.time;
            let goal = DVec3::new(1.5 * (2.0 * t).sin(), 1.5 * (2.0 * t).cos(), 1.0);
            let way = goal - world.data.world_from_body(hand).translation;
            let gain = 200.0 + 2000.0 / hz;
            let spring = ImplicitForce::at_point(way * 2000.0, Sym3::diagonal(gain, gain, gain), DVec3::ZERO);
            world.act.implicit.push((hand, spring));
        }
        let before = world.state.clone();
        match step::advance(&world.model, &mut world.state, &mut world.data, &world.act, &world.options) {
            Ok(report) => {
                let (surplus, turnover) = servo_surplus(&world, &before);
                outcome.from_servos = outcome.from_servos.max(surplus / turnover.max(1e-3));
                contacts += report.ledger.work(Account::Contact);
                kinetic += report.ledger.kinetic;
                outcome.from_contacts = outcome.from_contacts.max(contacts);
                outcome.kinetic = outcome.kinetic.max(kinetic);
            }
            Err(error) => {
                outcome.broke = Some(error.to_string());
                break;
            }
        }
    }
    outcome
}

/// What the servos gave in the last step beyond what their springs `½ kp e²` held, and the energy they turned over, J.
///
/// The implicit servo `τ = kp (e - h v⁺) - kd v⁺` moves its joint by `h v⁺`, so for a fixed target it gives
/// `h τ v⁺ + Δ(½ kp e²) = -½ kp (h v⁺)² - h kd v⁺²`: never anything, in any step. On a ball joint with equal gains `≤`
/// stands for `=`, since `|log(exp(-h ω) exp(e))| ≤ |e - h ω|` (rotations curve inwards).
pub fn servo_surplus(world: &World, before: &State) -> (f64, f64) {
    let (servo, h) = (&world.act.servo, world.options.dt);
    let mut target = world.state.clone();
    target.q.copy_from_slice(&servo.target_q);
    let nv = world.model.n_v();
    let (mut error, mut left, mut way) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]);
    before.difference(&world.model, &target, &mut error);
    world.state.difference(&world.model, &target, &mut left);
    // The way it went, not the velocity it ended with: after the kick the body as a whole moves on freely.
    before.difference(&world.model, &world.state, &mut way);
    let (mut surplus, mut turnover) = (0.0, 0.0);
    for (k, v) in way.iter().map(|w| w / h).enumerate() {
        let (kp, kd) = (servo.stiffness[k], servo.damping[k]);
        let effort = kp * (error[k] - h * v) - kd * v;
        let (held, holds) = (0.5 * kp * error[k] * error[k], 0.5 * kp * left[k] * left[k]);
        surplus += h * effort * v + holds - held;
        turnover += (h * effort * v).abs() + held + holds;
    }
    (surplus, turnover)
}
