//! The books of a step: what each cause did at the pose the step begins with; see [`Ledger`].

use glam::DVec3;

use super::Convex;
use super::combined::{Combined, Part};
use super::rows::{JointRow, Source};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::joint_force;
use crate::dynamics::{kinetic_energy, potential_energy};
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::State;
use crate::step::gather::position_error;
use crate::step::{Account, Ledger};

/// The books while the bodies have not moved on yet.
pub(crate) struct Open {
    ledger: Ledger,
    before: f64,
    same_pose: f64,
    fall: f64,
    inertial_work: f64,
}

/// Enters everything that acted in the kick. `data` holds the pose the step began with.
pub(crate) fn enter(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
) -> Open {
    let mut ledger = Ledger::default();
    enter_gravity(model, data, convex, &mut ledger);
    enter_joints(model, state, data, act, convex, &mut ledger);
    enter_aids(data, act, convex, &mut ledger);
    enter_rows(model, state, data, convex, &mut ledger);
    let inertial_work = work_of_turning(model, data, convex);
    let before = kinetic_energy(model, data, &state.v);
    core::mem::swap(&mut data.velocity.body, &mut convex.velocity);
    let same_pose = kinetic_energy(model, data, &convex.v);
    core::mem::swap(&mut data.velocity.body, &mut convex.velocity);
    // What the solve left over is momentum from nowhere; it goes with the integrator's remainder.
    let left_over = |k: usize| 0.5 * (state.v[k] + convex.v[k]) * convex.residual[k];
    let awake = (0..model.trees.len()).filter(|&tree| !convex.is_asleep[tree]);
    let inertial_work =
        inertial_work + awake.flat_map(|tree| model.freedoms_of(tree)).map(left_over).sum::<f64>();
    let done: f64 = Account::ALL.iter().map(|&a| ledger.work(a)).sum::<f64>() + inertial_work;
    ledger.closure = (same_pose - before - done).abs();
    ledger.scale +=
        before.abs().max(same_pose.abs()) + Account::ALL.iter().map(|&a| ledger.work(a).abs()).sum::<f64>();
    Open { ledger, before, same_pose, fall: potential_energy(model, data), inertial_work }
}

impl Open {
    /// Closes the books once `data` holds the pose and velocities the step ended with.
    pub(crate) fn close(mut self, model: &Model, data: &Data, convex: &Convex, next: &State) -> Ledger {
        let after = kinetic_energy(model, data, &next.v);
        let driven_work: f64 = convex.driven_work.iter().sum();
        self.ledger.add_work(Account::Actuation, driven_work);
        self.ledger.kinetic = after - self.before;
        self.ledger.potential = potential_energy(model, data) - self.fall;
        self.ledger.remainder = after - self.same_pose + self.inertial_work - driven_work;
        self.ledger
    }
}

/// Velocity half-way between start and end of the kick.
#[inline]
fn middle(data: &Data, convex: &Convex, i: usize) -> Motion {
    (data.velocity.body[i] + convex.velocity[i]) * 0.5
}

fn enter_gravity(model: &Model, data: &Data, convex: &Convex, ledger: &mut Ledger) {
    for (i, body) in model.bodies.iter().enumerate() {
        if convex.is_asleep[model.tree_of[i] as usize] {
            continue;
        }
        let pose = &data.position.world_from_body[i];
        let c = pose.rotation * body.inertia.center_of_mass;
        let impulse = model.gravity * (body.inertia.mass * convex.dt);
        ledger.add_work(Account::Gravity, impulse.dot(middle(data, convex, i).at(c).linear));
        ledger.add_impulse(Account::Gravity, impulse, pose.translation + c);
    }
}

/// Joint forces that are linear in the next velocity, and what prescribed joints took.
fn enter_joints(
    model: &Model,
    state: &State,
    data: &Data,
    act: &Actuation,
    convex: &Convex,
    ledger: &mut Ledger,
) {
    let (h, servo) = (convex.dt, &act.servo);
    for (i, body) in model.bodies.iter().enumerate() {
        let range = body.v_range();
        if act.prescribed[i] {
            for k in range {
                let middle = 0.5 * (state.v[k] + convex.v[k]);
                ledger.add_work(Account::Actuation, data.dynamics.joint_force[k] * h * middle);
            }
            continue;
        }
        let mut error = [0.0; 6];
        let (q, target) = (&state.q[body.q_range()], &servo.target_q[body.q_range()]);
        position_error(body.joint.kind, q, target, &mut error);
        for (n, k) in range.enumerate() {
            let (kp, kd, limit) = (servo.stiffness[k], servo.damping[k], body.joint.effort_limit[n]);
            let gain = kd + h * kp;
            let force = act.joint_force[k] + kp * error[n] + kd * servo.target_v[k];
            // Servos with an effort limit are rows.
            let effort = if limit.is_infinite() {
                force - gain * convex.v[k]
            } else if gain == 0.0 {
                force.clamp(-limit, limit)
            } else {
                0.0
            };
            let total = convex.forces.joint[k] - convex.forces.joint_gain[k] * convex.v[k];
            let middle = 0.5 * (state.v[k] + convex.v[k]);
            ledger.add_work(Account::Actuation, effort * h * middle);
            ledger.add_work(Account::Passive, (total - effort) * h * middle);
        }
    }
}

/// Helpers from outside: wrenches, and forces linear in the next velocity.
fn enter_aids(data: &Data, act: &Actuation, convex: &Convex, ledger: &mut Ledger) {
    let mut aid = |i: usize, wrench: Force| {
        let impulse = wrench * convex.dt;
        ledger.add_work(Account::Aids, middle(data, convex, i).dot(impulse));
        ledger.add_impulse(Account::Aids, impulse.linear, data.position.world_from_body[i].translation);
        ledger.add_angular_impulse(Account::Aids, impulse.angular);
    };
    for (i, &wrench) in act.body_force.iter().enumerate() {
        if wrench != Force::ZERO {
            aid(i, wrench);
        }
    }
    for (body, term) in &act.implicit {
        let i = body.index();
        aid(i, term.at_rest - term.gain * convex.velocity[i]);
    }
}

fn account(source: Source) -> Account {
    match source {
        Source::Contact(_) | Source::Turning(_) => Account::Contact,
        Source::Pin(_) | Source::Weld(_) | Source::Own(_) => Account::Aids,
        Source::Limit => Account::Limits,
        Source::Motor(_) | Source::Servo(_) => Account::Actuation,
    }
}

fn enter_rows(model: &Model, state: &State, data: &Data, convex: &Convex, ledger: &mut Ledger) {
    // Energy an impulse passes on at one of its ends, nothing cancelling: what rounding is to be judged by.
    let turnover = |i: usize, f: Force| {
        let m = middle(data, convex, i);
        f.angular.length() * m.angular.length() + f.linear.length() * m.linear.length()
    };
    for row in convex.rows.iter().filter(|r| r.impulse != DVec3::ZERO) {
        let account = account(row.source);
        let speed = (row.relative(&data.velocity.body) + row.relative(&convex.velocity)) * 0.5;
        ledger.add_work(account, row.impulse.dot(speed));
        let on_a = row.wrench_a(row.impulse);
        ledger.scale += turnover(row.a as usize, on_a);
        if row.b == NONE {
            let origin = data.position.world_from_body[row.a as usize].translation;
            ledger.add_impulse(account, on_a.linear, origin);
            ledger.add_angular_impulse(account, on_a.angular);
        } else {
            let on_b = row.wrench_b(row.impulse);
            ledger.scale += turnover(row.b as usize, on_b);
            if matches!(row.source, Source::Own(_)) {
                // Its two ends need not be at one place.
                for (body, wrench) in [(row.a, on_a), (row.b, on_b)] {
                    let origin = data.position.world_from_body[body as usize].translation;
                    ledger.add_impulse(account, wrench.linear, origin);
                    ledger.add_angular_impulse(account, wrench.angular);
                }
            }
        }
    }
    for term in &convex.combined {
        let account = account(term.source);
        let rate = |bodies: &[Motion], v: &[f64]| term.rate(&convex.parts, bodies, v);
        let speed = (rate(&data.velocity.body, &state.v) + rate(&convex.velocity, &convex.v)) * 0.5;
        ledger.add_work(account, term.impulse.dot(speed));
        for part in term.of(&convex.parts) {
            let x = term.impulse[part.component];
            match part.hit {
                Hit::Body(i, wrench) => {
                    let wrench = wrench * x;
                    ledger.scale += turnover(i, wrench);
                    ledger.add_impulse(account, wrench.linear, data.position.world_from_body[i].translation);
                    ledger.add_angular_impulse(account, wrench.angular);
                }
                Hit::Freedom(k, scale) => {
                    ledger.scale += (x * scale * 0.5 * (state.v[k] + convex.v[k])).abs();
                }
            }
        }
    }
    for row in convex.joints.iter().filter(|r| r.impulse != 0.0) {
        let speed = 0.5 * (row.rate(model, &state.v) + row.rate(model, &convex.v));
        ledger.add_work(account(row.source), row.impulse * speed);
        ledger.scale += (row.impulse * speed).abs();
        if row.source == Source::Limit && row.impulse * speed > 0.0 {
            let (size, side) = (row.impulse.abs(), row.impulse.signum());
            let drives = (-side * pressed_with(model, convex, row)).clamp(0.0, size);
            let pins = (-side * pulled_with(model, data, convex, row)).clamp(0.0, size - drives);
            ledger.add_work(Account::Limits, -(drives + pins) * side * speed);
            ledger.add_work(Account::Actuation, drives * side * speed);
            ledger.add_work(Account::Aids, pins * side * speed);
        }
    }
}

/// What the joint's drives push with along the row of a stop. As much of it as the stop undoes does nothing and is nobody's work: a motor that turns a
/// joint about and against its stop within a step would else take energy at the mean rate which the stop seems to give.
fn pressed_with(model: &Model, convex: &Convex, stop: &JointRow) -> f64 {
    let (d, first) = (stop.direction.to_array(), stop.first as usize);
    let freedoms = first..(first + 3).min(model.bodies[stop.body as usize].v_range().end);
    let along = |k: usize| if freedoms.contains(&k) { d[k - first] } else { 0.0 };
    let linear = |k: usize| convex.dt * (convex.drive[k][0] - convex.drive[k][1] * convex.v[k]) * along(k);
    let rows = convex.joints.iter().filter(|row| row.body == stop.body && row.first == stop.first);
    let rows = rows.filter(|row| account(row.source) == Account::Actuation);
    let terms = convex.combined.iter().filter(|term| account(term.source) == Account::Actuation);
    let parts = terms.flat_map(|term| term.of(&convex.parts).iter().map(move |part| (term, part)));
    let in_part = |(term, part): (&Combined, &Part)| match part.hit {
        Hit::Freedom(k, scale) => term.impulse[part.component] * scale * along(k),
        Hit::Body(..) => 0.0,
    };
    freedoms.clone().map(linear).sum::<f64>()
        + rows.map(|row| row.impulse * row.direction.dot(stop.direction)).sum::<f64>()
        + parts.map(in_part).sum::<f64>()
}

/// The same of pins and rows of one's own: what they do to all that hangs on the joint, along the row of its stop.
fn pulled_with(model: &Model, data: &Data, convex: &Convex, stop: &JointRow) -> f64 {
    let joint = stop.body as usize;
    let hangs_on_it = |body: usize| {
        let mut at = body;
        while at > joint && model.links[at].parent != NONE {
            at = model.links[at].parent as usize;
        }
        at == joint
    };
    let place = |i: usize| data.position.world_from_body[i].translation;
    let mut all = Force::ZERO;
    let mut add = |body: usize, wrench: Force| {
        if hangs_on_it(body) {
            all += Force::at_offset(wrench.linear, place(body) - place(joint))
                + Force::new(wrench.angular, DVec3::ZERO);
        }
    };
    for row in convex.rows.iter().filter(|row| account(row.source) == Account::Aids) {
        add(row.a as usize, row.wrench_a(row.impulse));
        if row.b != NONE {
            add(row.b as usize, row.wrench_b(row.impulse));
        }
    }
    for term in convex.combined.iter().filter(|term| account(term.source) == Account::Aids) {
        for part in term.of(&convex.parts) {
            if let Hit::Body(body, wrench) = part.hit {
                add(body, wrench * term.impulse[part.component]);
            }
        }
    }
    let mut along = [0.0; 6];
    joint_force(model.links[joint].kind, &data.position.axes[joint], all, &mut along);
    let from = stop.first as usize - model.bodies[joint].v_range().start;
    along[from..].iter().zip(stop.direction.to_array()).map(|(force, d)| force * d).sum()
}

/// Work of the velocity-dependent inertial forces that were part of the problem.
fn work_of_turning(model: &Model, data: &Data, convex: &Convex) -> f64 {
    let mut work = 0.0;
    for (tree, bodies) in model.trees.iter().enumerate() {
        if convex.flows[tree] || convex.is_asleep[tree] {
            continue;
        }
        for i in bodies.clone() {
            let carried = data.velocity.drift[i] + Motion::new(DVec3::ZERO, model.gravity);
            let force = super::flow::inertial(model, data, i, carried);
            work -= convex.dt * middle(data, convex, i).dot(force);
        }
    }
    work
}
