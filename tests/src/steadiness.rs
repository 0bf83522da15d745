//! Stability trials: a figure under servos of any gain, standing, falling or dragged.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;
use stuntlab_physics::step::Account;
use stuntlab_physics::{ImplicitForce, StepOptions, observe, step};

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
    /// Energy the servos and joints put in, summed from the start, at its highest, J. Servos start at their
    /// targets, so all they can give is what they took.
    pub from_servos: f64,
    /// The same for contacts, J.
    pub from_contacts: f64,
    /// Largest kinetic energy on the way, J.
    pub kinetic: f64,
}

impl Outcome {
    /// Finite to the end, and no more energy from servos or contacts than 2 % of what moved.
    pub fn is_sound(&self) -> bool {
        let allowed = 0.02 * self.kinetic + 0.1;
        self.broke.is_none() && self.from_servos <= allowed && self.from_contacts <= allowed
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
    let (mut servos, mut contacts, mut kinetic) = (0.0, 0.0, 0.0);
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
        match step::advance(&world.model, &mut world.state, &mut world.data, &world.act, &world.options) {
            Ok(report) => {
                servos += report.ledger.work(Account::Actuation) + report.ledger.work(Account::Passive);
                contacts += report.ledger.work(Account::Contact);
                kinetic += report.ledger.kinetic;
                outcome.from_servos = outcome.from_servos.max(servos);
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
