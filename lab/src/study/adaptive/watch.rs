//! What is measured while a character is hit.

mod pops;
mod slides;

use stuntlab_control::senses::root_over_lowest;
use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Aabb;
use stuntlab_physics::{BodyId, Freedoms};

use super::super::{Kind, Measured, StudyError};
use super::hit::{BALL_SPEED, Hit};
use crate::measure::has_fallen;
use crate::run::{Hands, Push, Snapshot, World};
use crate::scene::Scene;
use pops::Pops;
use slides::Slides;

const fn outcome(name: &'static str, unit: &'static str, kind: Kind) -> Measured {
    Measured { name, unit, kind }
}

pub(super) const OUTCOMES: [Measured; 18] = [
    outcome("back", "", Kind::Rate),
    outcome("fell", "", Kind::Rate),
    outcome("back_after", "s", Kind::Median),
    outcome("pop", "", Kind::Median),
    outcome("pop_without_blow", "", Kind::Median),
    outcome("freed", "", Kind::Median),
    outcome("freed_by_switch", "", Kind::Median),
    outcome("pop_anywhere", "", Kind::Median),
    outcome("slide", "mm", Kind::Median),
    outcome("active", "of 1", Kind::Mean),
    outcome("steps", "", Kind::Mean),
    outcome("off", "rad", Kind::Median),
    outcome("trunk", "", Kind::Rate),
    outcome("head", "", Kind::Rate),
    outcome("left_arm", "", Kind::Rate),
    outcome("right_arm", "", Kind::Rate),
    outcome("left_leg", "", Kind::Rate),
    outcome("right_leg", "", Kind::Rate),
];

/// Where the limbs begin among the outcomes.
pub(super) const LIMBS: usize = 12;
/// Seconds after the hit in which it is to be back.
const IN_TIME: f64 = 2.0;
/// What is exactly the motion, rad.
const EXACT: f64 = 1e-12;
/// Seconds after which a ball is taken away: what lies on a foot goes on to disturb.
const TAKEN: f64 = 0.4;

fn limb(part: Option<Part>) -> usize {
    let side = |side: Side| side as usize;
    match part {
        Some(Part::Neck(_) | Part::Head) => 1,
        Some(Part::Clavicle(s) | Part::UpperArm(s) | Part::Forearm(s) | Part::Hand(s) | Part::Finger(s)) => {
            2 + side(s)
        }
        Some(Part::Thigh(s) | Part::Shank(s) | Part::Foot(s) | Part::Toe(s)) => 4 + side(s),
        Some(Part::Pelvis | Part::Spine(_)) | None => 0,
    }
}

/// The point of a body that is hit, body frame: so much of the half extents of the box around its shapes off its middle.
fn point_of(world: &World, body: BodyId, share: DVec3) -> DVec3 {
    let own = world.model().colliders().list().iter().filter(|c| c.body == Some(body));
    let boxes = own.filter_map(|c| c.shape.aabb(&c.body_from_shape));
    let all = boxes.reduce(|a: Aabb, b| Aabb { min: a.min.min(b.min), max: a.max.max(b.max) });
    all.map_or(DVec3::ZERO, |all| all.center() + 0.5 * (all.max - all.min) * share)
}

/// Throws the ball so that it comes to a point along its way; from farther off where it would begin inside something.
fn throw(world: &mut World, ball: BodyId, hit: &Hit, point: DVec3) {
    let mut far = hit.radius() + 0.15;
    for _ in 0..12 {
        world.throw(ball, point - hit.along * far, hit.along * BALL_SPEED, DVec3::ZERO);
        let touches = |c: &stuntlab_physics::contact::Contact| c.body_a == ball || c.body_b == Some(ball);
        if !world.data.contact.points.iter().any(|c| touches(c) && c.depth > -0.02) {
            break;
        }
        far += 0.05;
    }
}

/// Runs a hit: a number for each of [`OUTCOMES`].
pub(super) fn run(hit: &Hit) -> Result<Vec<f64>, StudyError> {
    let scene = Scene::parse("adaptive-study.toml", &hit.scene(), &[])?;
    let mut world = World::new(&scene)?;
    let failed = || Ok(vec![f64::NAN; OUTCOMES.len()]);
    let bodies = world.senses()[0].bodies();
    let Some(body) = world.find(&format!("it/{}", hit.body)) else { return failed() };
    while world.state.time + 0.5 * world.options.dt < hit.time {
        if world.step(&Hands::default()).is_err() {
            return failed();
        }
    }
    let mut twin = world.clone();
    let mut hands = Hands::default();
    let point_body = point_of(&world, body, hit.point);
    let ball = world.find("ball").filter(|_| hit.ball);
    let start = world.state.time;
    let mut over = start;
    if let Some(ball) = ball {
        let point = world.data.world_from_body(body).transform_point(point_body);
        throw(&mut world, ball, hit, point);
    } else {
        over += hit.duration;
        let impulse = hit.along * hit.impulse;
        hands.pushes.push(Push { body, point_body, impulse, start, duration: hit.duration });
    }
    let usual = root_over_lowest(&world.data.position.world_from_body[bodies]);
    let (mut pops, mut slides) = (Pops::new(&world), Slides::default());
    let mut limbs = [0.0; 6];
    let (mut fell, mut active, mut back_at, mut taken) = (false, 0.0_f64, start, false);
    let read = |world: &World, name| world.controllers[0].readings().get(name).unwrap_or(f64::NAN);
    let mut last = world.snapshot();
    let mut were = simulated(&world);
    while world.state.time < over + IN_TIME {
        let before = std::mem::replace(&mut last, world.snapshot());
        if world.step(&hands).is_err() || twin.step(&Hands::default()).is_err() {
            return failed();
        }
        if let Some(ball) = ball.filter(|_| !taken) {
            let own = |b: Option<BodyId>| b.is_some_and(|b| bodies.contains(b));
            let struck =
                world.data.memory.felt().iter().any(|f| {
                    f.body_a == ball && own(f.body_b) || f.body_b == Some(ball) && own(Some(f.body_a))
                });
            if struck {
                over = world.state.time;
            }
            if world.state.time > start + TAKEN {
                world.throw(ball, DVec3::new(50.0, 0.0, 5.0), DVec3::ZERO, DVec3::ZERO);
                taken = true;
            }
        }
        let height = root_over_lowest(&world.data.position.world_from_body[bodies]);
        fell |= has_fallen(height, usual) || read(&world, "response") == 2.0;
        active = active.max(read(&world, "active-joints"));
        if read(&world, "response") != 0.0 {
            back_at = world.state.time;
        }
        for (bone, part) in world.senses()[0].physique().parts().iter().enumerate() {
            let glow = world.controllers[0].glow(Bone::new(bone));
            if glow.is_some_and(|g| g.simulated == 1.0) {
                limbs[limb(*part)] = 1.0;
            }
        }
        let are = simulated(&world);
        let freed = || (0..are.len()).filter(|k| are[*k] && !were[*k]);
        let earlier = if freed().next().is_some() {
            freed_earlier(&world, &before, &hands, freed())
        } else {
            Vec::new()
        };
        were = are;
        pops.look(&world, &twin, &earlier);
        slides.look(&world, &twin);
    }
    let off = joints_off(&world, &twin);
    let back = read(&world, "response") == 0.0 && off < EXACT;
    let flag = |is: bool| f64::from(u8::from(is));
    let numbers = [
        flag(back),
        flag(fell),
        if back { (back_at - over).max(0.0) } else { f64::NAN },
        pops.worst(),
        pops.without_blow(),
        pops.freed(),
        pops.by_switch(),
        pops.anywhere(),
        1e3 * slides.farthest(),
        active,
        read(&world, "reactive-steps"),
        off,
    ];
    Ok(numbers.into_iter().chain(limbs).collect())
}

/// Farthest that any joint but the root is from the twin's.
fn joints_off(world: &World, twin: &World) -> f64 {
    let mut way = vec![0.0; world.state.v.len()];
    world.state.difference(world.model(), &twin.state, &mut way);
    let own: Freedoms = world.model().tree_of(world.senses()[0].bodies().at(0)).freedoms;
    way[own].iter().skip(6).fold(0.0, |m, w| f64::max(m, w.abs()))
}

/// Which bones' joints are simulated.
fn simulated(world: &World) -> Vec<bool> {
    let bones = (0..world.senses()[0].bodies().len()).map(Bone::new);
    bones.map(|bone| world.controllers[0].glow(bone).is_some_and(|g| g.simulated == 1.0)).collect()
}

/// How far joints go in the second of two steps from `before` on, if they are free in the first one already; by bone, of others nothing.
fn freed_earlier(
    world: &World,
    before: &Snapshot,
    hands: &Hands,
    freed: impl Iterator<Item = usize> + Clone,
) -> Vec<f64> {
    let mut other = world.clone();
    other.restore(before);
    for bone in freed.clone() {
        // Of a kind that knows the word.
        let _ = other.controllers[0].command("free", bone as f64);
    }
    let bodies = world.senses()[0].bodies();
    let (mut out, mut way) = (vec![0.0; bodies.len()], vec![0.0; world.state.v.len()]);
    if other.step(hands).is_err() {
        return out;
    }
    let middle = other.state.clone();
    if other.step(hands).is_err() {
        return out;
    }
    middle.difference(world.model(), &other.state, &mut way);
    for bone in freed {
        let own = world.model().body(bodies.at(bone)).freedoms();
        out[bone] = own.iter().map(|dof| way[dof] * way[dof]).sum::<f64>().sqrt();
    }
    out
}
