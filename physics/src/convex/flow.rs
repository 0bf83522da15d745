//! After the kick: bodies move on freely, and nothing is made on the way.
//!
//! The problem of a step gives all velocities their kick at the pose the step begins with. Between kicks a tree moves without
//! forces. A tree that turns fast has left its inertial forces out of the problem and moves along this free motion,
//! Runge–Kutta in turns of at most [`TURN`]; one that hardly turns had them in the problem, and moves straight on.
//! Either way three things hold afterwards (`c`, `P`, `L` centre of mass, momentum and angular momentum about it, `T`
//! kinetic energy, all after the kick):
//!
//! ```text
//! (1)  c⁺ = c + h P/m,   P⁺ = P,   L⁺ = L          trees with a free root, to rounding
//! (2)  T⁺ = T + w                                  w = 0 unless a motor or something prescribed drives the tree
//! ```
//!
//! A tree that hangs on the world does not fall the way its kick reckoned with. What it rises by is kept from step to step and paid for, (3) of
//! `flow/rise.rs`.
//!
//! In flight, where no term of the problem acts on the tree, the way is that of the parabola, `h P/m - ½ h² g`, so that the
//! energy of a throw stays what it was.
//!
//! For (1) the root is shifted and its velocity corrected. With the momenta fixed the energy is that of the tree as one
//! rigid body, `T_l = P²/2m + ½ L·I⁻¹L`, and that of the joints' motion, which are orthogonal; so (2) is a factor
//! on the joints' motion, `s² = (T - T_l)/(T⁺ - T_l)`, at most [`MOST_GAIN`]: where the motion is resolved too badly energy is lost,
//! never made. A lone body keeps `L` and turns by `ω = I⁻¹L`.
//!
//! What the problem has along a joint (springs, dampers, servos, motors) is inertia of that joint in the flow, as it is in `M̂`: the stiffer, the
//! closer to the rate of the kick, which is the way a spring reckoned with. Joints at a limit keep that rate, or would pass it.
//!
//! Drives work in the flow, but by no more than their largest effort does along the rate they hold. With `L` fixed no rate of any joint makes
//! up for masses that are drawn in: where `T_l` at the new pose is more than there is, the joints go a shorter way, down to none
//! and a tree that turns as one body, at which `T_l ≤ T`.
//!
//! So velocities belong to the poses they stand beside, and energy comes from the kicks alone.

mod after_rows;
mod inertial;
mod keep;
mod lone;
mod rise;
mod stages;
mod sums;

use glam::DVec3;

pub(crate) use self::after_rows::{move_fast, take_over};
pub(super) use self::inertial::inertial;
use self::inertial::{add_reactions, kick_without_turning};
use self::keep::keep_momentum;
use self::lone::{move_lone, turn_as_one};
pub(crate) use self::rise::Rise;
use self::stages::follow;
use self::sums::Sums;
use super::Convex;
use super::rows::Source;
use crate::actuation::{Actuation, Anchor};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::{State, quaternion, vec3, write3};

/// A tree in which a body turns further than this in a step, rad (see [`bend`]), moves by free flow. Below, inertial forces of the
/// start of the step are off by the square of the turn, and (2) takes what they would add.
pub(crate) const FAST: f64 = 0.02;
/// Most stages in a step. Rates beyond are resolved badly, but make no energy either.
const MOST: usize = 64;
/// Share of its energy by which a free tree's kick without inertial forces may be above (4): contacts that answered to them, while they press.
const GIVEN: f64 = 1e-3;
/// Energy that counts as rounding, of all of it.
const ROUNDING: f64 = 1e-9;
/// A flow that ends with so many times the energy it began with was not resolved at all, and (1) and (2) would be differences of numbers that have lost
/// the digits for it: a tree with a free root keeps its shape for this step and turns as one, rates and all, which changes no energy. (Straight on,
/// links that whirl by radians end anywhere, with any energy. A tree that hangs has its rates scaled, which loses no digits.)
const LOST: f64 = 1e4;
/// Shortest part of their way that joints go whose tree lacks the energy for all of it; then they stay.
const SHORTEST: f64 = 0.1;

/// Work space of the free motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    zeros: Vec<Force>,
    no_force: Vec<f64>,
    /// What the problem has along the joints, as inertia, by freedom.
    inertia: Vec<f64>,
    stage: Stage,
    begun: Stage,
    rates: [Vec<f64>; 4],
    accelerations: [Vec<f64>; 4],
}

#[derive(Clone, Debug)]
struct Stage(State);

impl Default for Stage {
    fn default() -> Self {
        Self(State { q: Vec::new(), v: Vec::new(), time: 0.0 })
    }
}

impl Flow {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            zeros: vec![Force::ZERO; model.n_bodies()],
            no_force: vec![0.0; model.n_v()],
            inertia: vec![0.0; model.n_v()],
            stage: Stage(State::new(model)),
            begun: Stage(State::new(model)),
            rates: core::array::from_fn(|_| vec![0.0; model.n_q()]),
            accelerations: core::array::from_fn(|_| vec![0.0; model.n_v()]),
        }
    }
}

/// Largest turn of a tree's bodies in a step.
fn turn(model: &Model, tree: usize, motions: &[Motion], dt: f64) -> f64 {
    let fastest = model.trees[tree].clone().map(|i| motions[i].angular.length_squared()).fold(0.0, f64::max);
    fastest.sqrt() * dt
}

/// How far a tree is from moving straight on in a step: its largest turn, times how much faster what has slid away is carried round by it than the tree
/// moves on the whole. A body that stays where it is, 150 m from a speck that spins under it, slides at 10 km/s; what turns square leave out of its
/// inertial forces is little of that, and more than all the energy there is.
fn bend(model: &Model, data: &Data, tree: usize, motions: &[Motion], dt: f64) -> f64 {
    let turn = turn(model, tree, motions, dt);
    let slides = |kind: &JointKind| matches!(kind, JointKind::Prismatic { .. } | JointKind::Planar);
    let place = |i: usize| data.position.world_from_body[i].translation;
    let mut carried = 0.0_f64;
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        if link.parent != NONE && slides(&link.kind) {
            let parent = link.parent as usize;
            carried = carried.max(motions[parent].angular.cross(place(i) - place(parent)).length_squared());
        }
    }
    if carried == 0.0 {
        return turn;
    }
    let (mut mass, mut twice_energy) = (0.0, 0.0);
    for i in model.trees[tree].clone() {
        let inertia = &model.links[i].inertia;
        let turned = data.position.world_from_body[i].rotation;
        let spin = turned.transpose() * motions[i].angular;
        let speed = motions[i].at(turned * inertia.center_of_mass).linear.length_squared();
        mass += inertia.mass;
        twice_energy += inertia.mass * speed + spin.dot(inertia.rotational * spin);
    }
    turn * (carried * mass / twice_energy.max(f64::MIN_POSITIVE)).sqrt().max(1.0)
}

/// Decides by the velocities at hand which trees leave their inertial forces to the flow.
pub(crate) fn choose(model: &Model, act: &Actuation, data: &Data, dt: f64, convex: &mut Convex) {
    convex.held.copy_from_slice(&act.prescribed);
    for tree in 0..model.trees.len() {
        convex.flows[tree] = super::smooth::is_lone(model, act, tree)
            || bend(model, data, tree, &data.velocity.body, dt) > FAST;
    }
    // Bodies that are tied to each other pass on inertial forces, which the tree's own factors do not know.
    for pin in &act.pins {
        if let Anchor::Body { body, .. } = pin.anchor {
            convex.flows[model.tree_of[pin.body.index()] as usize] = true;
            convex.flows[model.tree_of[body.index()] as usize] = true;
        }
    }
    // With a motor at work (2) does not set the energy right: better resolved.
    for motor in &act.motors {
        convex.flows[model.tree_of[model.body_of_freedom(motor.first()).index()] as usize] = true;
    }
}

/// Moves all trees that are awake and open from `state` to `next`, where the others are already. Afterwards `data` holds poses and velocities of `next`, the very bits that
/// kinematics would find: a run that goes on from `next` alone begins with those.
pub(crate) fn move_on(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    next: &mut State,
) {
    let mut flow = core::mem::take(&mut convex.flow);
    find_flights(model, convex);
    find_drives(model, act, convex, &mut flow);
    add_reactions(model, data, convex, &flow);
    for tree in 0..model.trees.len() {
        if !convex.is_open[tree] {
            continue;
        }
        let freedoms = model.freedoms_of(tree);
        next.v[freedoms.clone()].copy_from_slice(&convex.v[freedoms]);
        if data.step.told.is_idle(tree) {
            super::told::move_on(model, state, data, act, convex, next, tree);
            continue;
        }
        if convex.is_asleep[tree] {
            continue;
        }
        if convex.is_lone[tree] {
            move_lone(model, state, data, convex, next, tree);
        } else {
            let is_factored = convex.flows[tree];
            move_tree(model, state, data, act, convex, next, tree, &mut flow, is_factored);
        }
    }
    convex.flow = flow;
}

/// Notes which joints keep their rates, the inertia of all others, and the most that drives may do in the flow.
fn find_drives(model: &Model, act: &Actuation, convex: &mut Convex, flow: &mut Flow) {
    for (work, _) in convex.driven_work.iter_mut().zip(&convex.is_open).filter(|(_, open)| **open) {
        *work = 0.0;
    }
    convex.most_driven.fill(0.0);
    for (inertia, gain) in flow.inertia.iter_mut().zip(&convex.forces.joint_gain) {
        *inertia = convex.dt * gain;
    }
    for row in &convex.joints {
        let (body, rate) = (row.body as usize, row.velocity.abs());
        match row.source {
            Source::Limit if row.impulse != 0.0 => convex.held[body] = true,
            Source::Servo(dof) => flow.inertia[dof as usize] += row.gain,
            // A motor that is not at its bounds holds its rate in the flow as well, and works there.
            Source::Motor(_) if row.gain > 0.0 => {
                convex.held[body] = true;
                let most = row.law.lower.abs().max(row.law.upper.abs());
                convex.most_driven[model.tree_of[body] as usize] += most * rate;
            }
            _ => {}
        }
    }
    for term in convex.combined.iter().filter(|term| !term.is_at_bound()) {
        if let Some(home) = term.home {
            convex.held[home.body as usize] = true;
            convex.most_driven[model.tree_of[home.body as usize] as usize] = f64::INFINITY;
        }
    }
    for (i, _) in act.prescribed.iter().enumerate().filter(|(_, on)| **on) {
        convex.most_driven[model.tree_of[i] as usize] = f64::INFINITY;
    }
}

/// What the way of a tree in flight differs by from its velocity at the end of the step: `-½ h² g`.
fn ballistic(model: &Model, convex: &Convex, tree: usize) -> DVec3 {
    if convex.in_flight[tree] { model.gravity * (-0.5 * convex.dt * convex.dt) } else { DVec3::ZERO }
}

/// Notes which trees no term acts on from outside. Gravity's half step back must not lead into a ceiling.
fn find_flights(model: &Model, convex: &mut Convex) {
    convex.in_flight.fill(true);
    for row in &convex.rows {
        let up = row.law.normal.dot(model.gravity);
        let near = |way: f64| matches!(row.source, Source::Contact(_)) && way > 0.0;
        let acts = row.impulse != DVec3::ZERO;
        if acts || near(up) {
            convex.in_flight[model.tree_of[row.a as usize] as usize] = false;
        }
        if row.b != NONE && (acts || near(-up)) {
            convex.in_flight[model.tree_of[row.b as usize] as usize] = false;
        }
    }
    for term in convex.combined.iter().filter(|term| term.impulse != DVec3::ZERO) {
        for part in term.of(&convex.parts) {
            if let Hit::Body(b, _) = part.hit {
                convex.in_flight[model.tree_of[b] as usize] = false;
            }
        }
    }
}

/// An articulated tree: straight on or by the flow, then (1) and (2). `is_factored` says that `data` has the flow's factors at the
/// pose the step begins with.
fn move_tree(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    next: &mut State,
    tree: usize,
    flow: &mut Flow,
    is_factored: bool,
) {
    let h = convex.dt;
    let bodies = model.trees[tree].clone();
    let has_free_root = model.links[bodies.start].kind == JointKind::Free && !act.prescribed[bodies.start];
    let is_bent = bend(model, data, tree, &convex.velocity, h) > FAST;
    if !has_free_root && !convex.flows[tree] && !is_bent && convex.most_driven[tree] == f64::INFINITY {
        // What drives it gives and takes whatever there is: neither momentum nor energy is to be kept.
        bodies.clone().for_each(|i| go_straight(model, state, convex, next, i));
        forward_kinematics_of(model, next, data, bodies.clone());
        forward_velocity_of(model, next, data, bodies);
        return;
    }
    let falling = if has_free_root { 0.0 } else { rise::falling(model, data, convex, tree) };
    let mut fast = convex.flows[tree];
    let kicked = if fast {
        Sums::of(model, data, tree, &convex.velocity, &convex.v)
    } else {
        let given = kick_without_turning(model, data, convex, tree);
        let mut kicked = Sums::of(model, data, tree, &convex.direction, &convex.dv);
        if !has_free_root {
            // It falls along the way of the kick with inertial forces, and that differs.
            kicked.energy = given.energy.max(0.0);
        } else if kicked.energy > (1.0 + GIVEN) * given.energy {
            // Contacts that answered to inertial forces cannot be asked without.
            kicked = given;
        } else {
            // What a contact gave one side it took from the other: momenta are those of the forces as they acted.
            (kicked.momentum, kicked.spin) = (given.momentum, given.spin);
        }
        kicked
    };
    if !fast && is_bent {
        // Made fast by the kick.
        fast = true;
        let freedoms = model.freedoms_of(tree);
        next.v[freedoms.clone()].copy_from_slice(&convex.dv[freedoms]);
    }
    let any_free = convex.held[bodies.clone()].iter().any(|&held| !held);
    let (mut is_known, mut is_resolved) = (false, true);
    if fast && any_free {
        is_resolved = follow(model, data, &convex.held, next, tree, h, flow, is_factored);
        is_known = true;
    }
    // Held joints go just the way of their rates, on the manifold; slow trees with all joints.
    for i in bodies.clone().filter(|&i| !fast || convex.held[i]) {
        go_straight(model, state, convex, next, i);
        is_known = false;
    }
    if !is_known {
        forward_kinematics_of(model, next, data, bodies.clone());
        forward_velocity_of(model, next, data, bodies.clone());
    }
    let mut found = Sums::of(model, data, tree, &data.velocity.body, &next.v);
    if has_free_root && fast && (found.energy > LOST * kicked.energy || found.energy.is_nan()) {
        is_resolved = false;
        for i in bodies.clone() {
            let part = if i == bodies.start || convex.held[i] { 1.0 } else { 0.0 };
            go_part(model, state, convex, next, i, part);
        }
        let freedoms = model.freedoms_of(tree);
        next.v[freedoms.clone()].copy_from_slice(&convex.v[freedoms]);
        turn_as_one(model, state, next, bodies.start, &kicked, h);
        forward_kinematics_of(model, next, data, bodies.clone());
        forward_velocity_of(model, next, data, bodies.clone());
        found = Sums::of(model, data, tree, &data.velocity.body, &next.v);
    }
    // What is not resolved is no work of a drive.
    let most = if is_resolved { convex.most_driven[tree] } else { 0.0 };
    // With the momenta it will have: what setting them right changes is the drives' work as well, and no more than they can do.
    let is_driven = fast && most > 0.0;
    let driven = if is_driven && has_free_root { found.with_momenta_of(&kicked) } else { found.energy };
    // (Not `clamp`: where numbers are out of range the bounds are none, which the step's end tells by name.)
    let energy = driven.max(kicked.energy - most).min(kicked.energy + most);
    if is_driven {
        // What drives it did the rest; of a slow tree it did all of it in the kick.
        convex.driven_work[tree] += energy - kicked.energy;
    }
    // Of a slow tree drives did all in the kick, and of a fast one they did this: as it was found.
    let keep_energy = most == 0.0 || energy != driven;
    if has_free_root && kicked.mass > 0.0 {
        let mut part = 1.0;
        while keep_energy && part > 0.0 && found.locked(&kicked) > energy * (1.0 + ROUNDING) {
            part = if part > SHORTEST { 0.5 * part } else { 0.0 };
            for i in bodies.clone().skip(1) {
                go_part(model, state, convex, next, i, part);
            }
            if part == 0.0 {
                turn_as_one(model, state, next, bodies.start, &kicked, h);
            }
            forward_kinematics_of(model, next, data, bodies.clone());
            forward_velocity_of(model, next, data, bodies.clone());
            found = Sums::of(model, data, tree, &data.velocity.body, &next.v);
        }
        let way = kicked.momentum * (h / kicked.mass) + ballistic(model, convex, tree);
        keep_momentum(model, data, next, tree, &kicked, &found, way, keep_energy.then_some(energy));
    } else if keep_energy && found.energy > 0.0 {
        let before = data.memory.rises[tree];
        let pay = |found: &Sums| rise::pay(model, before, falling, kicked.center, found, energy, h);
        let mut paid = pay(&found);
        let mut part = 2.0;
        let mut least = (f64::INFINITY, 0.0);
        while !paid.is_paid && part > 0.0 {
            part = if part > SHORTEST { 0.5 * part } else { 0.0 };
            found = go_parts(model, state, data, convex, next, tree, part);
            paid = pay(&found);
            if paid.rise.ahead < least.0 {
                least = (paid.rise.ahead, part);
            }
        }
        if !paid.is_paid && least.1 > 0.0 {
            // Nothing pays all of it: what leaves the least. (Who stays where it is stays for good: its next kick gives what falling would have paid.)
            found = go_parts(model, state, data, convex, next, tree, least.1);
            paid = pay(&found);
        }
        convex.rises[tree] = paid.rise;
        let share = paid.share;
        next.v[model.freedoms_of(tree)].iter_mut().for_each(|v| *v *= share);
        forward_velocity_of(model, next, data, bodies);
    }
}

/// Moves all joints of a tree by a part of their ways after the kick, at the kick's rates, and sums up where that leads.
fn go_parts(
    model: &Model,
    state: &State,
    data: &mut Data,
    convex: &Convex,
    next: &mut State,
    tree: usize,
    part: f64,
) -> Sums {
    let (bodies, freedoms) = (model.trees[tree].clone(), model.freedoms_of(tree));
    next.v[freedoms.clone()].copy_from_slice(&convex.v[freedoms]);
    bodies.clone().for_each(|i| go_part(model, state, convex, next, i, part));
    forward_kinematics_of(model, next, data, bodies.clone());
    forward_velocity_of(model, next, data, bodies);
    Sums::of(model, data, tree, &data.velocity.body, &next.v)
}

/// Moves the joint of body `i` by a part of its way after the kick.
fn go_part(model: &Model, state: &State, convex: &Convex, next: &mut State, i: usize, part: f64) {
    let body = &model.bodies[i];
    next.q[body.q_range()].copy_from_slice(&state.q[body.q_range()]);
    next.integrate_of(model, &convex.v, convex.dt * part, i..i + 1);
}

/// Moves the joint of body `i` by its rates after the kick.
pub(super) fn go_straight(model: &Model, state: &State, convex: &Convex, next: &mut State, i: usize) {
    let (body, link) = (&model.bodies[i], &model.links[i]);
    next.q[body.q_range()].copy_from_slice(&state.q[body.q_range()]);
    next.v[body.v_range()].copy_from_slice(&convex.v[body.v_range()]);
    next.integrate_of(model, &convex.v, convex.dt, i..i + 1);
    if link.kind == JointKind::Free && link.parent == NONE {
        // The problem kept the linear velocity in the axes of the start.
        let world = state.rotation(body) * vec3(&convex.v, link.v as usize);
        let turned = quaternion(&next.q, link.q as usize + 3).conjugate() * world;
        write3(&mut next.v, link.v as usize, turned);
    }
}
