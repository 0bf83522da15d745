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
//! (2)  T⁺ = T                                      trees that no motor and nothing prescribed drives
//! ```
//!
//! In flight, where no term of the problem acts on the tree, the way is that of the parabola, `h P/m - ½ h² g`, so that the
//! energy of a throw stays what it was.
//!
//! For (1) the root is shifted and its velocity corrected. With the momenta fixed the energy is that of the tree as one
//! rigid body, `T_l = P²/2m + ½ L·I⁻¹L`, and that of the joints' motion, which are orthogonal; so (2) is a factor
//! on the joints' motion, `s² = (T - T_l)/(T⁺ - T_l)`, at most [`MOST_GAIN`]: where the motion is resolved too badly energy is lost,
//! never made. A lone body keeps `L` and turns by `ω = I⁻¹L`.
//!
//! Joints held by springs, servos or a limit move on at the rate of the kick, since that is the way those reckoned with; a stiff joint that
//! the flow moved elsewhere would gain what its spring did not give, and one at its limit would pass it.
//!
//! So velocities belong to the poses they stand beside, and energy comes from the kicks alone.

use glam::{DQuat, DVec3};

use super::Convex;
use super::rows::Source;
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::aba::{Drive, inward, outward_from, rigid};
use crate::dynamics::impulse::{Hit, propagate};
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of, joint_force};
use crate::integrate::coordinate_rates_of;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion, Sym3, rotation};
use crate::state::{State, quaternion, vec3, write3};

/// A tree in which a body turns further than this in a step, rad, moves by free flow. Below, inertial forces of the
/// start of the step are off by the square of the turn, and (2) takes what they would add.
const FAST: f64 = 0.02;
/// Turn of one stage of the free motion, rad: midpoint up to the first, fourth order up to the second.
const TURN: [f64; 2] = [0.1, 0.3];
/// Turn of one stage of a lone body, rad, at fourth order: it costs next to nothing.
const LONE_TURN: f64 = 0.1;
/// Most that (2) may add to joint rates. The method's own error is a hundredth of it; what is more is bad resolution.
const MOST_GAIN: f64 = 1.01;
/// Share of the energy that a stage may be off by; (2) sets it right. Ten times less changes none of the laws and takes twice the stages.
const KEPT: f64 = 1e-2;
/// Most stages in a step. Rates beyond are resolved badly, but make no energy either.
const MOST: usize = 64;

/// Work space of the free motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    zeros: Vec<Force>,
    no_force: Vec<f64>,
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

/// Decides by the velocities at hand which trees leave their inertial forces to the flow.
pub(crate) fn choose(model: &Model, act: &Actuation, data: &Data, dt: f64, convex: &mut Convex) {
    for (i, body) in model.bodies.iter().enumerate() {
        let has_spring =
            |k: usize| body.joint.stiffness[k] > 0.0 || act.servo.stiffness[body.v_start + k] > 0.0;
        convex.held[i] = act.prescribed[i]
            || body.joint.kind != JointKind::Free && (0..body.joint.kind.n_v()).any(has_spring);
    }
    for tree in 0..model.trees.len() {
        convex.flows[tree] =
            super::smooth::is_lone(model, act, tree) || turn(model, tree, &data.velocity.body, dt) > FAST;
    }
    // With a motor at work (2) does not set the energy right: better resolved.
    for motor in &act.motors {
        convex.flows[model.tree_of[model.body_of_freedom(motor.freedom).index()] as usize] = true;
    }
}

/// Moves all trees that are awake from `state` to `next`. Afterwards `data` holds poses and velocities of
/// `next`, but for sleeping trees, which did not move.
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
    convex.driven_work = 0.0;
    convex.is_driven.fill(false);
    for row in &convex.joints {
        let tree = model.tree_of[row.body as usize] as usize;
        match row.source {
            Source::Limit if row.impulse != 0.0 => convex.held[row.body as usize] = true,
            // A motor that is not at its bounds holds its rate in the flow as well, and works there.
            Source::Motor(_) if row.gain > 0.0 => {
                convex.held[row.body as usize] = true;
                convex.is_driven[tree] = true;
            }
            _ => {}
        }
    }
    for term in convex.combined.iter().filter(|term| !term.is_at_bound()) {
        if let Some(home) = term.home {
            convex.held[home.body as usize] = true;
            convex.is_driven[model.tree_of[home.body as usize] as usize] = true;
        }
    }
    for (i, _) in act.prescribed.iter().enumerate().filter(|(_, on)| **on) {
        convex.is_driven[model.tree_of[i] as usize] = true;
    }
    add_reactions(model, data, convex, &flow);
    next.v.copy_from_slice(&convex.v);
    for tree in 0..model.trees.len() {
        if convex.is_asleep[tree] {
            continue;
        }
        if convex.is_lone[tree] {
            move_lone(model, state, data, convex, next, tree);
        } else {
            move_tree(model, state, data, act, convex, next, tree, &mut flow);
        }
    }
    convex.flow = flow;
}

/// What the inertial forces that are left to the flow take in the joints, at the pose and velocities the step begins with.
fn add_reactions(model: &Model, data: &mut Data, convex: &mut Convex, flow: &Flow) {
    for tree in 0..model.trees.len() {
        let bodies = model.trees[tree].clone();
        let freedoms = model.freedoms_of(tree);
        if convex.is_asleep[tree] || !convex.flows[tree] || bodies.len() == 1 {
            convex.flow_force[bodies].fill(Force::ZERO);
            convex.flow_along[freedoms].fill(0.0);
            continue;
        }
        accelerate(model, data, &convex.held, &flow.zeros, &flow.no_force, tree);
        for i in bodies.clone() {
            convex.flow_force[i] = inertial(model, data, i, data.dynamics.body_acceleration[i]);
        }
        convex.flow_along[freedoms].fill(0.0);
        for i in bodies.rev() {
            let (link, f) = (&model.links[i], convex.flow_force[i]);
            if link.parent != NONE {
                convex.flow_force[link.parent as usize] += f.seen_from(data.position.offset[i]);
            }
            if convex.held[i] {
                let out = &mut convex.flow_along[model.bodies[i].v_range()];
                joint_force(link.kind, &data.position.axes[i], f, out);
            }
        }
    }
}

/// A lone body: its centre of mass goes straight on, its angular momentum stays.
fn move_lone(model: &Model, state: &State, data: &mut Data, convex: &Convex, next: &mut State, tree: usize) {
    let i = model.trees[tree].start;
    let link = &model.links[i];
    let (h, inertia) = (convex.dt, &link.inertia);
    let Motion { angular, linear } = convex.velocity[i];
    let before = data.position.world_from_body[i].rotation;
    let arm = before * inertia.center_of_mass;
    let at_center = linear + angular.cross(arm);
    // World from body is placement times joint rotation: turn about world axes.
    let (turned, spin) = turn_freely(&inertia.rotational, &before, angular, h);
    let q = &mut next.q[link.q as usize..link.q as usize + 7];
    let placement = DQuat::from_mat3(&link.placement.rotation);
    let local = placement.conjugate() * turned * placement;
    let rotation = (local * quaternion(&state.q, link.q as usize + 3)).normalize();
    q[3..7].copy_from_slice(&rotation.to_array());
    forward_kinematics_of(model, next, data, i..i + 1);
    let pose = &mut data.position.world_from_body[i];
    let new_arm = pose.rotation * inertia.center_of_mass;
    let moved = at_center * h + arm - new_arm + ballistic(model, convex, tree);
    let way = placement.conjugate() * moved;
    let q = &mut next.q[link.q as usize..link.q as usize + 3];
    for (q, x) in q.iter_mut().zip(way.to_array()) {
        *q += x;
    }
    pose.translation += moved;
    data.position.offset[i] += moved;
    let axes = data.position.axes[i].transpose();
    write3(&mut next.v, link.v as usize, axes * (at_center - spin.cross(new_arm)));
    write3(&mut next.v, link.v as usize + 3, axes * spin);
    forward_velocity_of(model, next, data, i..i + 1);
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

/// The rotation (about world axes) of a free body in `h`, and its spin afterwards: `Ṙ = ω × R`, `ω = R I⁻¹Rᵀ L`.
fn turn_freely(inertia: &Sym3, start: &glam::DMat3, w: DVec3, h: f64) -> (DQuat, DVec3) {
    let even = inertia.xx == inertia.yy
        && inertia.yy == inertia.zz
        && inertia.xy == 0.0
        && inertia.xz == 0.0
        && inertia.yz == 0.0;
    let angle = w.length() * h;
    if even || angle == 0.0 {
        return (rotation::exp(w * h), w);
    }
    let inverse = inertia.inverse_definite();
    let l = start.transpose() * w;
    let momentum = *start * (*inertia * l);
    let spin = |turned: DQuat| {
        let r = turned * DQuat::from_mat3(start);
        r * (inverse * (r.conjugate() * momentum))
    };
    let rate = |turned: DQuat| {
        let turned = turned.normalize();
        let w = spin(turned);
        DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * turned * 0.5
    };
    let n = ((angle / LONE_TURN).ceil() as usize).clamp(1, MOST);
    let dt = h / n as f64;
    let mut turned = DQuat::IDENTITY;
    for _ in 0..n {
        let k1 = rate(turned);
        let k2 = rate(turned + k1 * (0.5 * dt));
        let k3 = rate(turned + k2 * (0.5 * dt));
        let k4 = rate(turned + k3 * dt);
        turned = (turned + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (dt / 6.0)).normalize();
    }
    (turned, spin(turned))
}

/// Sums over the bodies of a tree.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    mass: f64,
    center: DVec3,
    momentum: DVec3,
    /// Angular momentum and rotational inertia about the centre of mass.
    spin: DVec3,
    inertia: Sym3,
    /// Kinetic energy, rotors included.
    energy: f64,
}

impl Sums {
    fn of(model: &Model, data: &Data, tree: usize, motions: &[Motion], v: &[f64]) -> Self {
        let mut sums = Self::default();
        let (mut moment, mut about, mut inertia) = (DVec3::ZERO, DVec3::ZERO, Sym3::ZERO);
        // About the root's place, so that nothing is lost far from the origin.
        let base = data.position.world_from_body[model.trees[tree].start].translation;
        for i in model.trees[tree].clone() {
            let own = &model.links[i].inertia;
            let pose = &data.position.world_from_body[i];
            let c = pose.rotation * own.center_of_mass;
            let place = pose.translation + c - base;
            let turning = own.rotational.rotated(&pose.rotation);
            let velocity = motions[i].at(c).linear;
            let w = motions[i].angular;
            let spin = turning * w;
            sums.mass += own.mass;
            moment += place * own.mass;
            sums.momentum += velocity * own.mass;
            about += spin + place.cross(velocity) * own.mass;
            inertia += turning + Sym3::point_inertia(place) * own.mass;
            sums.energy += 0.5 * (own.mass * velocity.length_squared() + w.dot(spin));
            if model.links[i].armature {
                let body = &model.bodies[i];
                for (rate, armature) in v[body.v_range()].iter().zip(&body.joint.armature) {
                    sums.energy += 0.5 * armature * rate * rate;
                }
            }
        }
        let middle = moment * (1.0 / sums.mass.max(f64::MIN_POSITIVE));
        sums.center = base + middle;
        sums.spin = about - middle.cross(sums.momentum);
        sums.inertia = inertia - Sym3::point_inertia(middle) * sums.mass;
        sums
    }
}

/// An articulated tree: straight on or by the flow, then (1) and (2).
fn move_tree(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    next: &mut State,
    tree: usize,
    flow: &mut Flow,
) {
    let h = convex.dt;
    let bodies = model.trees[tree].clone();
    let mut kicked = Sums::of(model, data, tree, &convex.velocity, &convex.v);
    let mut fast = convex.flows[tree];
    if !fast {
        kick_without_turning(model, data, convex, tree);
        kicked = Sums::of(model, data, tree, &convex.direction, &convex.dv);
        if turn(model, tree, &convex.velocity, h) > FAST {
            // Made fast by the kick.
            fast = true;
            let freedoms = model.freedoms_of(tree);
            next.v[freedoms.clone()].copy_from_slice(&convex.dv[freedoms]);
        }
    }
    let any_free = !convex.held[bodies.clone()].iter().all(|&held| held);
    let (mut is_known, mut is_resolved) = (false, true);
    if fast && any_free {
        is_resolved = follow(model, data, &convex.held, next, tree, h, flow);
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
    let has_free_root = model.links[bodies.start].kind == JointKind::Free && !act.prescribed[bodies.start];
    // What is not resolved is no work of a drive.
    let driven = convex.is_driven[tree] && is_resolved;
    let found = Sums::of(model, data, tree, &data.velocity.body, &next.v);
    if driven && fast {
        // What drives it did the rest; of a slow tree it did all of it in the kick.
        convex.driven_work += found.energy - kicked.energy;
    }
    if has_free_root && kicked.mass > 0.0 {
        let way = kicked.momentum * (h / kicked.mass) + ballistic(model, convex, tree);
        keep_momentum(model, data, next, tree, &kicked, &found, way, !driven);
    } else if !driven && found.energy > 0.0 {
        let share = (kicked.energy / found.energy).sqrt().min(MOST_GAIN);
        next.v[model.freedoms_of(tree)].iter_mut().for_each(|v| *v *= share);
        forward_velocity_of(model, next, data, bodies);
    }
}

/// Moves the joint of body `i` by its rates after the kick.
fn go_straight(model: &Model, state: &State, convex: &Convex, next: &mut State, i: usize) {
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

/// Velocities after the kick without the inertial forces that were part of the problem, to `convex.dv` and
/// `convex.direction`: what those took of the energy the new pose gives back. The kick differs by `∇²ℓ⁻¹ h C`, through
/// the factors of the last Newton step.
fn kick_without_turning(model: &Model, data: &mut Data, convex: &mut Convex, tree: usize) {
    let bodies = model.trees[tree].clone();
    for i in bodies.clone() {
        let carried = data.velocity.drift[i] + Motion::new(DVec3::ZERO, model.gravity);
        data.dynamics.impulse[i] = inertial(model, data, i, carried) * convex.dt;
    }
    propagate(model, data, bodies.clone(), &[], &mut convex.dv);
    for i in bodies {
        convex.direction[i] = convex.velocity[i] + data.dynamics.response[i];
    }
    for k in model.freedoms_of(tree) {
        convex.dv[k] += convex.v[k];
    }
}

/// The force that the velocity-dependent terms of body `i` take at the start of the step, `J̇v` being `carried`.
pub(super) fn inertial(model: &Model, data: &Data, i: usize, carried: Motion) -> Force {
    let inertia = &model.links[i].inertia;
    let r = &data.position.world_from_body[i].rotation;
    let c = *r * inertia.center_of_mass;
    let w = data.velocity.body[i].angular;
    let turning = inertia.rotational.rotated(r);
    let linear = (carried.linear + carried.angular.cross(c) + w.cross(w.cross(c))) * inertia.mass;
    let moment = turning * carried.angular + w.cross(turning * w);
    Force::new(moment + c.cross(linear), linear)
}

/// (1) and, if asked, (2) for a tree with a free root whose sums after the move are `found`.
fn keep_momentum(
    model: &Model,
    data: &mut Data,
    next: &mut State,
    tree: usize,
    kicked: &Sums,
    found: &Sums,
    way: DVec3,
    keep_energy: bool,
) {
    let bodies = model.trees[tree].clone();
    let root = &model.links[bodies.start];
    let per_mass = 1.0 / kicked.mass;
    let shift = kicked.center + way - found.center;
    let way = root.placement.rotation.transpose() * shift;
    let at = root.q as usize;
    for (q, x) in next.q[at..at + 3].iter_mut().zip(way.to_array()) {
        *q += x;
    }
    for pose in &mut data.position.world_from_body[bodies.clone()] {
        pose.translation += shift;
    }
    data.position.offset[bodies.start] += shift;
    // The root's share: one rigid motion added to all bodies.
    let inverse = found.inertia.inverse_definite();
    let arm = data.position.world_from_body[bodies.start].translation - (found.center + shift);
    let rigid = |spin: DVec3, velocity: DVec3| Motion::new(spin, velocity + spin.cross(arm));
    let turning = inverse * (kicked.spin - found.spin);
    let added = rigid(turning, (kicked.momentum - found.momentum) * per_mass);
    let mut motion = data.velocity.body[bodies.start] + added;
    let spin = inverse * kicked.spin;
    let locked = 0.5 * (kicked.momentum.length_squared() * per_mass + kicked.spin.dot(spin));
    // Energy with the right momenta: what was found, less its own rigid part, plus the right one.
    let found_spin = inverse * found.spin;
    let found_locked = 0.5 * (found.momentum.length_squared() * per_mass + found.spin.dot(found_spin));
    let shape = found.energy - found_locked;
    if keep_energy && shape > 0.0 {
        let share = ((kicked.energy - locked).max(0.0) / shape).sqrt().min(MOST_GAIN);
        let whole = rigid(spin, kicked.momentum * per_mass);
        motion = whole + (motion - whole) * share;
        let freedoms = model.freedoms_of(tree);
        next.v[freedoms].iter_mut().for_each(|v| *v *= share);
    }
    let axes = data.position.axes[bodies.start].transpose();
    write3(&mut next.v, root.v as usize, axes * motion.linear);
    write3(&mut next.v, root.v as usize + 3, axes * motion.angular);
    forward_velocity_of(model, next, data, bodies);
}

/// Free motion of one tree over `h`, from the pose and velocities in `next`, which it moves on. `data` holds that pose, and
/// pose and velocities of `next` afterwards. Whether the stages resolved it.
fn follow(
    model: &Model,
    data: &mut Data,
    held: &[bool],
    next: &mut State,
    tree: usize,
    h: f64,
    flow: &mut Flow,
) -> bool {
    let bodies = model.trees[tree].clone();
    let (qs, vs) = (model.coordinates_of(tree), model.freedoms_of(tree));
    let shortest = h / MOST as f64;
    let (mut left, mut longest) = (h, h);
    forward_velocity_of(model, next, data, bodies.clone());
    let mut energy = kinetic(model, data, &next.v, tree);
    let mut all = turn(model, tree, &data.velocity.body, left);
    slope(model, data, held, next, tree, 0, flow);
    loop {
        let dt = left.min((left * TURN[1] / all).min(longest).max(shortest));
        let begun = &mut flow.begun.0;
        begun.q[qs.clone()].copy_from_slice(&next.q[qs.clone()]);
        begun.v[vs.clone()].copy_from_slice(&next.v[vs.clone()]);
        let (fractions, weights) = if all <= TURN[0] { MIDPOINT } else { FOURTH_ORDER };
        for (k, &fraction) in fractions.iter().enumerate() {
            let mut s = core::mem::take(&mut flow.stage);
            s.0.q[qs.clone()].copy_from_slice(&next.q[qs.clone()]);
            s.0.v[vs.clone()].copy_from_slice(&next.v[vs.clone()]);
            axpy(&mut s.0.q[qs.clone()], fraction * dt, &flow.rates[k][qs.clone()]);
            axpy(&mut s.0.v[vs.clone()], fraction * dt, &flow.accelerations[k][vs.clone()]);
            s.0.normalize_of(model, bodies.clone());
            forward_kinematics_of(model, &s.0, data, bodies.clone());
            forward_velocity_of(model, &s.0, data, bodies.clone());
            slope(model, data, held, &s.0, tree, k + 1, flow);
            flow.stage = s;
        }
        for (k, weight) in weights.iter().enumerate() {
            axpy(&mut next.q[qs.clone()], weight * dt, &flow.rates[k][qs.clone()]);
            axpy(&mut next.v[vs.clone()], weight * dt, &flow.accelerations[k][vs.clone()]);
        }
        next.normalize_of(model, bodies.clone());
        forward_kinematics_of(model, next, data, bodies.clone());
        forward_velocity_of(model, next, data, bodies.clone());
        let after = kinetic(model, data, &next.v, tree);
        let is_kept = (after - energy).abs() <= KEPT * energy;
        if !is_kept && dt > shortest {
            // As where a whip of links runs out: half the stage, with the same slope to begin with.
            next.q[qs.clone()].copy_from_slice(&flow.begun.0.q[qs.clone()]);
            next.v[vs.clone()].copy_from_slice(&flow.begun.0.v[vs.clone()]);
            longest = 0.5 * dt;
            continue;
        }
        let is_wild = after.is_nan() || (after - energy).abs() > energy;
        if !is_kept && is_wild {
            // Rates that no stage resolves: straight on for the rest, and (2) keeps the energy.
            next.q[qs.clone()].copy_from_slice(&flow.begun.0.q[qs.clone()]);
            next.v[vs.clone()].copy_from_slice(&flow.begun.0.v[vs.clone()]);
            next.integrate_of(model, &flow.begun.0.v, left, bodies.clone());
            forward_kinematics_of(model, next, data, bodies.clone());
            forward_velocity_of(model, next, data, bodies);
            return false;
        }
        left -= dt;
        if left <= 1e-9 * h {
            break;
        }
        energy = after;
        all = turn(model, tree, &data.velocity.body, left);
        slope(model, data, held, next, tree, 0, flow);
    }
    true
}

/// Fractions of a stage at which slopes are taken after the first, each from the one before; weights of all.
type Scheme = (&'static [f64], &'static [f64]);
const MIDPOINT: Scheme = (&[0.5], &[0.0, 1.0]);
const FOURTH_ORDER: Scheme = (&[0.5, 0.5, 1.0], &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]);

/// The `k`-th slope of a stage: rates of coordinates and velocities at `state`, whose pose and velocities `data` holds.
fn slope(
    model: &Model,
    data: &mut Data,
    held: &[bool],
    state: &State,
    tree: usize,
    k: usize,
    flow: &mut Flow,
) {
    let vs = model.freedoms_of(tree);
    accelerate(model, data, held, &flow.zeros, &flow.no_force, tree);
    flow.accelerations[k][vs.clone()].copy_from_slice(&data.dynamics.acceleration[vs]);
    coordinate_rates_of(model, state, &mut flow.rates[k], model.trees[tree].clone());
}

/// Kinetic energy of a tree, as `data` has its poses and velocities.
fn kinetic(model: &Model, data: &Data, v: &[f64], tree: usize) -> f64 {
    let mut energy = 0.0;
    for i in model.trees[tree].clone() {
        let (inertia, pose) = (&model.links[i].inertia, &data.position.world_from_body[i]);
        let motion = data.velocity.body[i];
        let at_center = motion.at(pose.rotation * inertia.center_of_mass).linear;
        let w = pose.rotation.transpose() * motion.angular;
        energy += 0.5 * (inertia.mass * at_center.length_squared() + inertia.rotational.quadratic(w, w));
        if model.links[i].armature {
            let body = &model.bodies[i];
            for (rate, armature) in v[body.v_range()].iter().zip(&body.joint.armature) {
                energy += 0.5 * armature * rate * rate;
            }
        }
    }
    energy
}

/// Joint accelerations of a tree on which nothing acts; prescribed and held joints keep their rates.
fn accelerate(model: &Model, data: &mut Data, held: &[bool], zeros: &[Force], no_force: &[f64], tree: usize) {
    let bodies = model.trees[tree].clone();
    for i in bodies.clone().filter(|&i| held[i]) {
        data.dynamics.acceleration[model.bodies[i].v_range()].fill(0.0);
    }
    rigid(model, data, bodies.clone(), zeros);
    inward(model, data, bodies.clone(), &Drive::explicit(no_force).prescribing(held));
    outward_from(model, data, bodies, Motion::ZERO);
}

fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
