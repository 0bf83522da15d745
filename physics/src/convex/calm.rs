//! Contacts and stops that make energy ask for nothing instead.
//!
//! A term that asks for no more than rest (`û_n ≤ 0`, `û_t = 0`) takes energy only: what it does relative to the step without it is
//! `γ·u⁺ - ½ γᵀWγ ≤ 0`, both ways of counting. Contacts ask for more where they bounce, push an overlap out, spring back from a
//! stretch that their friction remembers, or part what came through. Each is bounded by itself, but not in company: a motor or pin that presses
//! on a bounce, or a mobility that was another when the stretch was made, and they give what they never took. So the
//! books of an island's contacts and stops,
//!
//! ```text
//! (1)  w = Σ γ·(u⁰ + u⁺)/2  ≤  share of T
//! ```
//!
//! are looked at once it is solved. Where (1) does not hold it is solved again: first those terms that gave energy ask to part no faster than
//! they came, `û_n ≤ -u⁰_n` and `û_t = 0`, and stops to be returned to slowly; then all ask for rest. The first is enough for what whirls: a free flow that bends into a
//! contact leaves it with the speed at which the next kick may part it, and at rest after every kick it would sink.

use super::Convex;
use super::contacts::{TAU, push_out};
use super::islands::Island;
use super::rows::{Row, Source};
use crate::contact::Contact;
use crate::data::Data;
use crate::model::Model;
use crate::spatial::Motion;
use crate::state::State;

/// What an island's contacts may give of its kinetic energy, per second: half of what soak allows in its seconds. Push-out and friction's
/// springs give less by far.
pub(crate) const SHARE: f64 = 0.01;
/// The same, of the energy `½ γᵀWγ` they exchange: at rest, where there is next to no other. Contacts that a motor presses together, which were
/// placed into each other, exchange any amount of it, and so do stops that a bounce is pressed against, so theirs is no more than the energy of a fall over one step.
const SHARE_OF_EXCHANGE: f64 = 0.01;
/// What a load that swings presses with at most, of its island's weight.
const SWING: f64 = 2.0;
/// How fast a joint may come back from outside its stop where that makes energy, rad/s or m/s: a joint set down a right angle outside is back
/// within eight seconds, and the energy of that speed is too little to be seen.
const RETURN: f64 = 0.2;

/// Calms the terms of a solved island that made energy, if there are any to calm; whether it has to be solved again.
pub(super) fn calm(model: &Model, state: &State, data: &Data, convex: &mut Convex, island: Island) -> bool {
    let (mut given, mut allowed, mut exchanged) = (0.0, 0.0, 0.0);
    let mut load = None;
    let trees = Island::of(island.trees, &convex.islands.trees).iter();
    let mass: f64 = trees.map(|&tree| model.tree_mass[model.trees[tree as usize].start]).sum();
    let heaviest = SWING * mass * model.gravity.length();
    for &k in Island::of(island.rows, &convex.islands.rows) {
        let row = &convex.rows[k as usize];
        let Source::Contact(index) = row.source else { continue };
        if row.impulse != glam::DVec3::ZERO {
            given += 0.5 * row.impulse.dot(row.relative(&data.velocity.body) + row.velocity);
            exchanged += SHARE_OF_EXCHANGE * 0.5 * row.mobility * row.impulse.length_squared();
            if row.law.along.target > 0.0 && row.mobility > 0.0 {
                // What overlaps is meant to be pushed out.
                allowed += 0.5 * row.law.along.target.min(push_out(model, row)).powi(2) / row.mobility;
            }
            let contact = &data.contact.points[index as usize];
            allowed += sprung_back(row, contact, heaviest, convex.dt);
            let law = &contact.law;
            if law.material.stiffness.is_some() {
                // A spring of the material's own gives back what was pressed into it.
                allowed += 0.5 * law.stiffness * law.pressed.max(0.0).powi(2);
            }
        }
    }
    for &k in Island::of(island.joints, &convex.islands.joints) {
        let row = &convex.joints[k as usize];
        if row.source == Source::Limit && row.impulse != 0.0 {
            given += 0.5 * row.impulse * (row.rate(model, &state.v) + row.velocity);
            // What a torque pressed in, it gives back.
            exchanged += SHARE_OF_EXCHANGE * 0.5 * row.mobility * row.impulse * row.impulse;
            // What began outside is meant to come back, also against what presses on; but not against any contact: a limb whose stop and
            // whose contacts contradict each other presses with whatever they are worth, and would be let give all of it.
            if row.law.target > 0.0 {
                let load = *load.get_or_insert_with(|| load_of(model, data, convex, island));
                allowed += row.impulse.abs().min(load) * row.law.target.min(RETURN);
            }
        }
    }
    if given <= allowed {
        return false;
    }
    let (energy, fall) = energies(model, data, convex, island);
    if given <= allowed + exchanged.min(fall) + SHARE * convex.dt * energy {
        return false;
    }
    let mut any = false;
    for to_rest in [false, true] {
        for &k in Island::of(island.rows, &convex.islands.rows) {
            let row = &mut convex.rows[k as usize];
            if !matches!(row.source, Source::Contact(_)) || row.impulse == glam::DVec3::ZERO {
                continue;
            }
            let before = row.relative(&data.velocity.body);
            if to_rest || row.impulse.dot(before + row.velocity) > 0.0 {
                let most = if to_rest { 0.0 } else { (-row.law.normal.dot(before)).max(0.0) };
                any |= row.law.along.target > most
                    || row.law.along.lower > 0.0
                    || row.law.target != glam::DVec3::ZERO;
                row.is_calm = true;
                row.law.along.target = row.law.along.target.min(most);
                row.compressed = None;
                row.law.along.lower = 0.0;
                row.law.target = glam::DVec3::ZERO;
            }
        }
        for &k in Island::of(island.joints, &convex.islands.joints) {
            let row = &mut convex.joints[k as usize];
            let most = if to_rest { 0.0 } else { RETURN };
            if row.source == Source::Limit && row.law.target > most && row.impulse != 0.0 {
                row.law.target = most;
                any = true;
            }
        }
        if any {
            break;
        }
    }
    any
}

/// What a load pressed into a contact's spring and this step's way lets out of it, J: `L w (1 - w/2d)` of the force `L` of the last step, on the way `w`
/// of the depth `d` to which that presses. (A thousand kilograms on light boxes swing by micrometres; calmed as makers of energy they let the load fall for
/// a step, which pressed them in again, for ever.) Nothing is loaded by more than `heaviest`: what contradicts each other presses with any force.
fn sprung_back(row: &Row, contact: &Contact, heaviest: f64, dt: f64) -> f64 {
    let load = row.law.normal.dot(contact.force).clamp(0.0, heaviest);
    let pressed = (dt * (1.0 + TAU) * row.law.along.shortfall(load * dt)).min(contact.depth);
    if load == 0.0 || pressed <= 0.0 {
        return 0.0;
    }
    let way = (dt * row.law.normal.dot(row.velocity)).clamp(0.0, pressed);
    load * way * (1.0 - 0.5 * way / pressed)
}

/// What weight, joint forces and drives press a joint of an island with in a step at most, N m s: each tree's weight at the end of an arm as long as it is.
fn load_of(model: &Model, data: &Data, convex: &Convex, island: Island) -> f64 {
    let weight = model.gravity.length() * convex.dt;
    let trees = Island::of(island.trees, &convex.islands.trees);
    let weights = trees.iter().map(|&tree| {
        let bodies = model.trees[tree as usize].clone();
        let place = |i: usize| data.position.world_from_body[i].translation;
        let root = place(bodies.start);
        let (mass, span) = bodies.clone().fold((0.0, 0.0_f64), |(mass, span), i| {
            let inertia = &model.links[i].inertia;
            (mass + inertia.mass, span.max(place(i).distance(root) + inertia.center_of_mass.length()))
        });
        2.0 * mass * weight * span
    });
    let forces = trees.iter().flat_map(|&tree| model.trees[tree as usize].clone());
    let forces = forces.flat_map(|i| data.step.forces.joint[model.bodies[i].v_range()].iter());
    let rows = Island::of(island.joints, &convex.islands.joints).iter().map(|&k| &convex.joints[k as usize]);
    let drives = rows.filter(|row| row.source != Source::Limit).map(|row| row.impulse.abs());
    weights.sum::<f64>() + convex.dt * forces.map(|f| f.abs()).sum::<f64>() + drives.sum::<f64>()
}

/// Kinetic energy of an island as the step begins, and of a fall over one step.
pub(super) fn energies(model: &Model, data: &Data, convex: &Convex, island: Island) -> (f64, f64) {
    let fall = model.gravity.length() * convex.dt;
    let trees = Island::of(island.trees, &convex.islands.trees);
    let bodies = trees.iter().flat_map(|&tree| model.trees[tree as usize].clone());
    bodies.fold((0.0, 0.0), |(energy, fallen), i| {
        let mass = model.links[i].inertia.mass;
        (energy + energy_of(model, data, i), fallen + 0.5 * mass * fall * fall)
    })
}

/// Kinetic energy of a body as the step begins.
pub(crate) fn energy_of(model: &Model, data: &Data, i: usize) -> f64 {
    energy_at(model, data, i, data.velocity.body[i])
}

/// Kinetic energy of a body that moves so at the pose the step begins with.
pub(crate) fn energy_at(model: &Model, data: &Data, i: usize, motion: Motion) -> f64 {
    let link = &model.links[i].inertia;
    let pose = &data.position.world_from_body[i];
    let w = pose.rotation.transpose() * motion.angular;
    let v = motion.at(pose.rotation * link.center_of_mass).linear;
    0.5 * (link.mass * v.length_squared() + link.rotational.quadratic(w, w))
}
