//! Quantities of bodies and of the whole: adding one is adding its row here.

use stuntlab_physics::dynamics::centroidal_momentum;
use stuntlab_physics::step::Account;
use stuntlab_physics::{BodyId, Freedoms};

use super::quantity::{Look, Quantity, Stat, Subject};
use super::sample::{com_of_body, energy, kinetic};
use crate::run::World;

const SMALL: f64 = 1e-12;

/// The rows.
pub(super) const ROWS: &[Quantity] = &[
    Quantity::new("penetration", "m", Subject::World, "Deepest overlap of shapes", |l| {
        Some(l.world.deepest())
    }),
    Quantity {
        before_end: Some(0.5),
        ..Quantity::new("settle-speed", "m/s", Subject::Any, "Fastest body near the end of the run", speed)
    },
    Quantity::new(
        "speed",
        "m/s",
        Subject::Any,
        "Speed of a body's centre of mass, or of the fastest body",
        speed,
    ),
    Quantity::new("energy-gain", "J", Subject::World, "Mechanical energy above that at the start", |l| {
        Some(energy(l.world) - l.start.energy)
    }),
    Quantity::new(
        "energy-drift",
        "of 1",
        Subject::World,
        "Mechanical energy away from that at the start, relative to the largest kinetic energy seen",
        |l| Some((energy(l.world) - l.start.energy).abs() / l.start.largest_kinetic.max(SMALL)),
    ),
    Quantity::new(
        "kinetic-share",
        "of 1",
        Subject::World,
        "Kinetic energy relative to that at the start",
        |l| Some(kinetic(l.world) / l.start.kinetic.max(SMALL)),
    ),
    Quantity::new(
        "momentum-drift",
        "of 1",
        Subject::World,
        "Linear momentum away from `p₀ + m g t`, relative to the momentum at the start",
        momentum_drift,
    ),
    Quantity::new(
        "spin-drift",
        "of 1",
        Subject::World,
        "Angular momentum about the centre of mass away from that at the start, relative",
        spin_drift,
    ),
    Quantity::new(
        "ballistic-error",
        "m",
        Subject::Body,
        "Distance of a body's centre of mass from its parabola",
        ballistic_error,
    ),
    Quantity::new(
        "pose-error",
        "deg",
        Subject::World,
        "Mean angle between joints and where their controller wants them",
        |l| Some(pose_error(l.world)?.to_degrees()),
    ),
    Quantity::new("joint-drift", "m", Subject::World, "Distance of pinned points from their anchors", |l| {
        Some(l.world.data.reports.pins.iter().map(|p| p.error).fold(0.0, f64::max))
    }),
    Quantity::new("height", "m", Subject::Body, "Height of a body's centre of mass", |l| {
        Some(com_of_body(l.world, l.of?).0.z)
    })
    .usually(Stat::Last),
    Quantity::new(
        "travel",
        "m",
        Subject::Body,
        "Horizontal distance of a body from where it started",
        travel,
    )
    .usually(Stat::Last),
    Quantity::new("joint-angle", "deg", Subject::Body, "First coordinate of the joint above a body", |l| {
        let first = l.world.model().body(l.of?).coordinates().range().start;
        Some(l.world.state.q.get(first)?.to_degrees())
    })
    .usually(Stat::Last),
    Quantity::new("aid-work", "J", Subject::World, "Work of aids from outside so far", |l| {
        Some(l.world.ledger.work(Account::Aids))
    })
    .usually(Stat::Last),
    Quantity::new(
        "ledger-closure",
        "of 1",
        Subject::World,
        "Mismatch of the step's energy books relative to the energies involved",
        |l| {
            let ledger = &l.world.report.ledger;
            Some(ledger.closure / ledger.scale.max(SMALL))
        },
    ),
    Quantity::new("lost-bodies", "", Subject::World, "Bodies that fell out of the world", lost_bodies),
];

fn speed(look: &Look<'_>) -> Option<f64> {
    let of = |body| com_of_body(look.world, body).1.length();
    Some(match look.of {
        Some(body) => of(body),
        None => look.world.model().body_ids().iter().map(of).fold(0.0, f64::max),
    })
}

fn momentum_drift(look: &Look<'_>) -> Option<f64> {
    let (world, start) = (look.world, look.start);
    let model = world.model();
    let now = centroidal_momentum(model, &world.data).linear;
    let expected = start.momentum.linear + model.gravity() * (model.total_mass() * world.state.time);
    Some((now - expected).length() / start.momentum.linear.length().max(SMALL))
}

fn spin_drift(look: &Look<'_>) -> Option<f64> {
    let now = centroidal_momentum(look.world.model(), &look.world.data).angular;
    let before = look.start.momentum.angular;
    Some((now - before).length() / before.length().max(SMALL))
}

fn ballistic_error(look: &Look<'_>) -> Option<f64> {
    let body = look.of?;
    let (position, velocity) = look.start.place[body.index()];
    let t = look.world.state.time;
    let expected = position + velocity * t + 0.5 * look.world.model().gravity() * t * t;
    Some(com_of_body(look.world, body).0.distance(expected))
}

fn travel(look: &Look<'_>) -> Option<f64> {
    let body = look.of?;
    let way = com_of_body(look.world, body).0 - look.start.place[body.index()].0;
    Some(way.truncate().length())
}

fn lost_bodies(look: &Look<'_>) -> Option<f64> {
    let world = look.world;
    let lost = |b: &BodyId| {
        let at = world.data.world_from_body(*b).translation;
        at.z < -3.0 || at.truncate().length() > 100.0
    };
    Some(world.model().body_ids().iter().filter(lost).filter(|b| !world.is_parked(*b)).count() as f64)
}

/// Mean angle between the joints of all driven characters and their targets, rad.
fn pose_error(world: &World) -> Option<f64> {
    let model = world.model();
    let mut target = world.state.clone();
    let mut joints: Vec<Freedoms> = Vec::new();
    for (k, controller) in world.controllers.iter().enumerate() {
        let sense = world.sense(k);
        if controller.target(&sense, &mut target.q) {
            joints.extend(
                model.bodies()[sense.bodies].iter().filter(|b| b.parent().is_some()).map(|b| b.freedoms()),
            );
        }
    }
    let mut way = vec![0.0; model.n_v()];
    world.state.difference(model, &target, &mut way);
    let angle = |freedoms: &Freedoms| way[*freedoms].iter().map(|x| x * x).sum::<f64>().sqrt();
    (!joints.is_empty()).then(|| joints.iter().map(angle).sum::<f64>() / joints.len() as f64)
}
