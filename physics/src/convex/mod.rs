//! One convex problem per step and island: every term of a step in one solve.
//!
//! ```text
//! v⁺ = argmin  ½ vᵀM̂v - pᵀv + Σ ψ(J v)
//! ```
//!
//! `M̂` is the mass matrix with everything that is linear in the next velocity (servos, springs, dampers, implicit forces),
//! `p` the momentum the step would end with but for the terms `ψ`: contacts with the world and between bodies, joint
//! limits, servos with effort limits, motors, pins. All of them follow one law (`law.rs`), a soft target with bounds, and differ in
//! their numbers (`contacts.rs`, `drives.rs`, `pins.rs`).
//!
//! ```text
//! gather     what is linear; which trees turn fast                        smooth.rs, drives.rs
//! terms      rows on bodies and joints; islands                           rows.rs, islands.rs
//! mobility   how far bodies give way, which sizes the terms               mobility.rs
//! solve      Newton with exact second derivatives, island by island       newton.rs, factors.rs, pairs.rs, alone.rs, firm.rs
//!            over the bodies that can give way                            giving.rs
//! again      with friction bounded by the normal impulses found
//! ```
//!
//! Friction is bounded by normal impulses known beforehand, those of the last step and then of the first solve: with the
//! bound inside the problem it would stay convex only at the price of lifting what slides.

mod again;
mod alone;
pub(crate) mod books;
pub(crate) mod calm;
mod combined;
mod contacts;
mod drives;
mod factors;
mod firm;
pub(crate) mod flow;
mod giving;
mod islands;
pub(crate) mod law;
mod limits;
mod mobility;
mod newton;
mod own;
mod pairs;
pub(crate) mod pins;
mod report;
mod rounds;
pub(crate) mod rows;
mod scale;
mod smooth;
mod tension;
mod ties;
pub(crate) mod told;

use glam::DVec3;

use self::combined::{Combined, Correction, Part};
use self::giving::Giving;
use self::islands::Islands;
use self::mobility::Mobility;
use self::newton::Begin;
use self::pairs::Pairs;
use self::rows::{JointRow, Row, Source};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::forces::Forces;
use crate::model::{Model, NONE};
use crate::spatial::{ArticulatedInertia, Force, Motion, Sym3};
use crate::state::State;
use crate::step::StepOptions;

/// How often a step is solved again with limits that turned out to be reached. Tangents of a curved limit come close
/// at the second.
const AGAIN: usize = 8;

/// Newton steps of the slowest islands of all solves of a step, or of all parts of one that is halved, after which it goes on with what it has:
/// nothing is solved again, nor the step halved. Steps that are hard take 50; a tangle in which points come through whatever is done took 4000, two seconds.
const PATIENCE: usize = 300;

/// Work space of the problem; nothing in it outlives a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Convex {
    dt: f64,
    /// Linear joint forces and gains.
    pub(crate) forces: Forces,
    pub(crate) rows: Vec<Row>,
    pub(crate) joints: Vec<JointRow>,
    pub(crate) combined: Vec<Combined>,
    pub(crate) parts: Vec<Part>,
    /// How far pins are from their places as the step begins.
    pin_errors: Vec<f64>,
    correction: Correction,
    islands: Islands,
    giving: Giving,
    before: again::Before,
    pairs: Pairs,
    // By body.
    /// `H_i` and `b_i` of the smooth part.
    own: Vec<ArticulatedInertia>,
    constant: Vec<Force>,
    /// Velocity at the end of the step, and the Newton direction.
    pub(crate) velocity: Vec<Motion>,
    direction: Vec<Motion>,
    /// (1) of `smooth.rs`, and its change along the Newton direction.
    smooth: Vec<Force>,
    along: Vec<Force>,
    /// The gradient's force.
    force: Vec<Force>,
    /// Added inertia of the joints: their own, and with rows.
    own_extra: Vec<[Sym3; 2]>,
    extra: Vec<[Sym3; 2]>,
    /// What pins pull with beyond each body's joint, and how that stiffens it; see `tension.rs`.
    pulls: Vec<DVec3>,
    stretched: Vec<f64>,
    /// Gain from lone bodies that press on it.
    pressed: Vec<ArticulatedInertia>,
    mobility: Vec<Mobility>,
    changed: Vec<bool>,
    /// A mark, nowhere set between its uses.
    wanted: Vec<bool>,
    /// The least distance a joint has left to limits without a row; those found since.
    room: Vec<f64>,
    unseen: Vec<limits::Unseen>,
    /// How many of them there were before the end was looked at.
    overshot: usize,
    /// Joints that keep their rates in the free flow.
    held: Vec<bool>,
    // By freedom.
    pub(crate) v: Vec<f64>,
    dv: Vec<f64>,
    /// Of joint force and servo: the force at rest and the gain, where they are linear.
    drive: Vec<[f64; 2]>,
    joint_gain: Vec<f64>,
    joint_constant: Vec<f64>,
    joint_force: Vec<f64>,
    /// Momentum that is left over.
    residual: Vec<f64>,
    /// What a freedom carries, and one over that with its gain.
    scale: Vec<f64>,
    weight: Vec<f64>,
    // By tree.
    is_lone: Vec<bool>,
    is_asleep: Vec<bool>,
    /// To be solved and moved; to be solved in this round, for more limits. The others have been.
    is_open: Vec<bool>,
    is_in_round: Vec<bool>,
    is_changed: Vec<bool>,
    in_flight: Vec<bool>,
    is_warm: Vec<bool>,
    /// What trees that hang have risen by, at the end of this step.
    pub(crate) rises: Vec<flow::Rise>,
    /// The most that motors, which hold their rates, and prescribed joints may do in the flow; what they did, J.
    most_driven: Vec<f64>,
    driven_work: Vec<f64>,
    /// Newton steps of the slowest islands of this step's solves.
    spent: usize,
    /// Trees whose inertial forces are left to the free flow.
    pub(crate) flows: Vec<bool>,
    /// Bodies on the way from tied ones to their roots, base to tip.
    on_paths: Vec<u32>,
    flow: flow::Flow,
    /// What the flow adds to what passes through the joints: forces on bodies, and along freedoms whose rates are held.
    pub(crate) flow_force: Vec<Force>,
    pub(crate) flow_along: Vec<f64>,
}

/// Velocities to start the next solve from.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Warm {
    /// Joint velocities after the kick, and free roots' in world axes.
    pub(crate) kicked: Vec<f64>,
    pub(crate) roots: Vec<Motion>,
    /// The state's velocities that the step left.
    pub(crate) left: Vec<f64>,
}

impl Clone for Warm {
    fn clone(&self) -> Self {
        Self { kicked: self.kicked.clone(), roots: self.roots.clone(), left: self.left.clone() }
    }

    /// Reuses the memory, which the derived one would not.
    fn clone_from(&mut self, source: &Self) {
        self.kicked.clone_from(&source.kicked);
        self.roots.clone_from(&source.roots);
        self.left.clone_from(&source.left);
    }
}

impl Warm {
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            kicked: vec![0.0; model.n_v()],
            roots: vec![Motion::ZERO; model.trees.len()],
            left: vec![f64::NAN; model.n_v()],
        }
    }

    /// Keeps what the step found and left.
    pub(crate) fn remember(&mut self, model: &Model, convex: &Convex, next: &State) {
        self.kicked.copy_from_slice(&convex.v);
        self.left.copy_from_slice(&next.v);
        for (root, tree) in self.roots.iter_mut().zip(&model.trees) {
            *root = convex.velocity[tree.start];
        }
    }
}

/// How the problems of a step were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Islands with any term.
    pub islands: usize,
    /// Newton steps of all islands, and of the island that took most.
    pub iterations: usize,
    /// Newton steps of the island that took most.
    pub most: usize,
    /// Islands whose momentum residual is still above the tolerance.
    pub unsolved: usize,
    /// Largest residual, relative to the momenta at work.
    pub residual: f64,
    /// Times the problem was solved again because points came through at the end of the step.
    pub again: usize,
    /// Whether the step ran out of patience: limits and points that were passed are left to the next.
    pub cut_short: bool,
}

impl SolveReport {
    /// Adds another solve of the same step.
    pub(crate) fn join(&mut self, other: &Self) {
        self.islands = self.islands.max(other.islands);
        self.iterations += other.iterations;
        self.most = self.most.max(other.most);
        self.unsolved += other.unsolved;
        self.residual = self.residual.max(other.residual);
        self.again += other.again;
        self.cut_short |= other.cut_short;
    }
}

impl Convex {
    /// Before the first solve of a step or a part of it.
    pub(crate) fn begin(&mut self) {
        self.unseen.clear();
    }

    /// Before a step, and once before its parts.
    pub(crate) fn take_heart(&mut self) {
        self.spent = 0;
    }

    /// Whether the step has to go on with what it has.
    pub(crate) fn is_tired(&self) -> bool {
        self.spent > PATIENCE
    }

    pub(crate) fn new(model: &Model) -> Self {
        let (n, nv, trees) = (model.n_bodies(), model.n_v(), model.trees.len());
        Self {
            forces: Forces::new(model),
            pairs: Pairs::new(nv),
            giving: Giving::new(model),
            own: vec![ArticulatedInertia::ZERO; n],
            constant: vec![Force::ZERO; n],
            velocity: vec![Motion::ZERO; n],
            direction: vec![Motion::ZERO; n],
            smooth: vec![Force::ZERO; n],
            along: vec![Force::ZERO; n],
            force: vec![Force::ZERO; n],
            own_extra: vec![[Sym3::ZERO; 2]; n],
            extra: vec![[Sym3::ZERO; 2]; n],
            pulls: vec![DVec3::ZERO; n],
            stretched: vec![0.0; n],
            pressed: vec![ArticulatedInertia::ZERO; n],
            mobility: vec![Mobility::NONE; n],
            changed: vec![false; n],
            wanted: vec![false; n],
            room: vec![f64::INFINITY; n],
            held: vec![false; n],
            v: vec![0.0; nv],
            dv: vec![0.0; nv],
            drive: vec![[0.0; 2]; nv],
            joint_gain: vec![0.0; nv],
            joint_constant: vec![0.0; nv],
            joint_force: vec![0.0; nv],
            residual: vec![0.0; nv],
            scale: scale::carried(model),
            weight: vec![0.0; nv],
            is_lone: vec![false; trees],
            rises: vec![flow::Rise::default(); trees],
            is_asleep: vec![false; trees],
            is_open: vec![true; trees],
            is_in_round: vec![true; trees],
            is_changed: vec![false; trees],
            flows: vec![false; trees],
            most_driven: vec![0.0; trees],
            driven_work: vec![0.0; trees],
            in_flight: vec![false; trees],
            is_warm: vec![false; trees],
            flow: flow::Flow::new(model),
            flow_force: vec![Force::ZERO; n],
            flow_along: vec![0.0; nv],
            ..Self::default()
        }
    }
}

/// Solves the step's problems: leaves velocities at its end in `data.step.next_v` and `data.step.next_body`. `convex.flows` says which
/// trees leave their inertial forces to the free flow. Solved `again`, it starts where it ended, and only islands that are open are.
pub(crate) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    convex: &mut Convex,
    again: bool,
) -> SolveReport {
    let mut report = SolveReport::default();
    convex.is_in_round.copy_from_slice(&convex.is_open);
    for round in 0..=AGAIN {
        gather(model, state, data, act, opt, convex);
        start(model, state, data, act, convex, again || round > 0);
        size_terms(model, data, act, opt, convex);
        convex.take_back();
        report = SolveReport { iterations: report.iterations, ..SolveReport::default() };
        for k in 0..convex.islands.list.len() {
            let island = convex.islands.list[k];
            let begin = if again || round > 0 { Begin::Look } else { Begin::Leap };
            if convex.is_island_in_round(island) {
                let (outcome, steps) = rounds::solve(model, state, data, act, opt, convex, island, begin);
                convex.islands.outcomes[k] = outcome;
                report.iterations += steps;
                report.most = report.most.max(steps);
            }
            let outcome = convex.islands.outcomes[k];
            report.residual = report.residual.max(outcome.residual);
            report.unsolved += usize::from(!outcome.converged);
            report.islands += usize::from(island.has_terms());
        }
        convex.spent += report.most;
        let known = convex.unseen.len();
        if !limits::find_unseen(model, state, act, convex) {
            break;
        }
        let unseen = core::mem::take(&mut convex.unseen);
        convex.open_for_round(unseen[known..].iter().map(|unseen| unseen.tree(model)));
        convex.unseen = unseen;
        if convex.is_tired() {
            report.cut_short = true;
            break;
        }
    }
    giving::pass_on(model, state, data, act, convex);
    data.step.next_v.copy_from_slice(&convex.v);
    data.step.next_body.copy_from_slice(&convex.velocity);
    report
}

/// Leaves the solution's forces with contacts, pins and joints, for readers and for the next step.
pub(crate) fn keep(model: &Model, act: &Actuation, data: &mut Data, convex: &Convex) {
    contacts::read_back(data, &convex.rows, convex.dt);
    let share = convex.dt / data.step.whole;
    report::write(act, data, convex, share);
    report::write_reactions(model, act, data, convex, share);
    drives::remember(convex, data);
}

/// The smooth part, the terms, the islands.
fn gather(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    convex: &mut Convex,
) {
    convex.dt = opt.dt;
    convex.put_away();
    convex.is_asleep.copy_from_slice(&data.memory.sleep.asleep);
    told::leave_out(data, convex);
    convex.giving.find(model, &data.step.told);
    for tree in 0..model.trees.len() {
        convex.is_lone[tree] = smooth::is_lone(model, act, tree);
    }
    drives::gather(model, state, data, act, convex);
    tension::damp(model, data, act, convex);
    limits::push(model, state, act, opt, convex);
    drives::push(model, act, convex);
    pins::push(model, data, act, opt, convex);
    own::push(model, data, act, convex);
    let is_asleep = core::mem::take(&mut convex.is_asleep);
    contacts::push(data, convex, |body| is_asleep[model.tree_of[body] as usize]);
    convex.is_asleep = is_asleep;
    for tree in 0..model.trees.len() {
        if !convex.is_asleep[tree] && convex.is_in_round[tree] {
            smooth::prepare(model, state, data, act, convex, tree, !convex.flows[tree]);
        }
    }
    smooth::add_implicit(model, act, convex);
    let combined = (&convex.combined[..], &convex.parts[..]);
    convex.islands.find(model, &convex.rows, &convex.joints, combined, &convex.is_asleep);
}

/// Starts at the velocities of the last step: those after its kick, which heeded contacts and limits, as long as nobody has
/// changed what the bodies then moved on with. Prescribed joints start at their new velocities. Where the problem is solved `again` those
/// just found are the start.
fn start(model: &Model, state: &State, data: &mut Data, act: &Actuation, convex: &mut Convex, again: bool) {
    if !again {
        start_from_last(model, state, data, act, convex);
    }
    for row in &mut convex.rows {
        row.velocity = row.relative(&convex.velocity);
    }
    for row in &mut convex.joints {
        row.velocity = row.rate(model, &convex.v);
    }
    combined::start(convex);
}

fn start_from_last(model: &Model, state: &State, data: &mut Data, act: &Actuation, convex: &mut Convex) {
    convex.v.copy_from_slice(&state.v);
    convex.velocity.copy_from_slice(&data.velocity.body);
    let warm = &data.memory.warm;
    for tree in 0..model.trees.len() {
        let range = model.freedoms_of(tree);
        convex.is_warm[tree] =
            model.trees[tree].len() > 1 && warm.left[range.clone()] == state.v[range.clone()];
        if convex.is_warm[tree] {
            convex.v[range.clone()].copy_from_slice(&warm.kicked[range]);
            let root = model.trees[tree].start;
            if model.links[root].kind == crate::model::JointKind::Free {
                let (axes, at) = (data.position.axes[root].transpose(), model.links[root].v as usize);
                let Motion { angular, linear } = warm.roots[tree];
                crate::state::write3(&mut convex.v, at, axes * linear);
                crate::state::write3(&mut convex.v, at + 3, axes * angular);
            }
        }
    }
    for tree in 0..model.trees.len() {
        let bodies = model.trees[tree].clone();
        if data.step.told.is_idle(tree) {
            told::kick(model, data, convex, tree);
            continue;
        }
        if convex.is_asleep[tree] {
            convex.v[model.freedoms_of(tree)].fill(0.0);
            convex.velocity[bodies].fill(Motion::ZERO);
            continue;
        }
        let mut moved = convex.is_warm[tree];
        for i in bodies.filter(|&i| act.prescribed[i]) {
            for k in model.bodies[i].v_range() {
                convex.v[k] = data.step.prescribed_v[k];
                moved = true;
            }
        }
        if moved {
            let v = core::mem::take(&mut convex.v);
            crate::step::body_velocities(model, data, tree, &v, &mut convex.velocity);
            convex.v = v;
        }
    }
}

/// Factors without contacts, mobilities from them, and what the terms' laws take from those.
fn size_terms(model: &Model, data: &mut Data, act: &Actuation, opt: &StepOptions, convex: &mut Convex) {
    for bodies in model.trees.iter().zip(&convex.is_asleep).filter(|(_, asleep)| !**asleep).map(|(b, _)| b) {
        convex.extra[bodies.clone()].copy_from_slice(&convex.own_extra[bodies.clone()]);
    }
    // Servos count as long as they are within their limits.
    for k in 0..convex.joints.len() {
        let row = &mut convex.joints[k];
        if let Source::Servo(_) = row.source {
            row.answer();
            row.folded = row.gain;
            let d = row.in_factor_axes(model, &data.position.axes[row.body as usize]);
            convex.extra[row.body as usize][usize::from(row.second)] += Sym3::outer(d) * row.gain;
        }
    }
    let mut want = |body: u32| {
        let mut at = body;
        while at != NONE && !convex.wanted[at as usize] {
            convex.wanted[at as usize] = true;
            at = model.links[at as usize].parent;
        }
    };
    let is_in_round = |body: u32| convex.is_in_round[model.tree_of[body as usize] as usize];
    for row in convex.rows.iter().filter(|row| is_in_round(row.a)) {
        want(row.a);
        if row.b != NONE {
            want(row.b);
        }
    }
    for row in convex.joints.iter().filter(|row| is_in_round(row.body)) {
        want(row.body);
    }
    for part in &convex.parts {
        want(match part.hit {
            Hit::Body(b, _) => b as u32,
            Hit::Freedom(dof, _) => model.body_of_freedom(dof).index() as u32,
        });
    }
    for tree in 0..model.trees.len() {
        if convex.is_asleep[tree] || !convex.is_in_round[tree] {
            continue;
        }
        let root = model.trees[tree].start;
        if convex.is_lone[tree] {
            if convex.wanted[root] {
                convex.mobility[root] = factors::lone_mobility(convex, root);
            }
            continue;
        }
        factors::begin(model, data, act, convex, tree);
        if convex.wanted[root] {
            mobility::find(model, data, tree, &convex.wanted, &mut convex.mobility);
        }
    }
    convex.wanted.fill(false);
    let known = &convex.mobility;
    let is_in_round = |body: u32| convex.is_in_round[model.tree_of[body as usize] as usize];
    for row in convex.rows.iter_mut().filter(|row| is_in_round(row.a)) {
        match row.source {
            Source::Contact(k) => {
                contacts::write_law(model, row, &data.contact.points[k as usize], known, opt);
            }
            Source::Turning(k) => {
                contacts::write_turning_law(row, &data.contact.points[k as usize], known, opt);
            }
            Source::Own(_) => own::write_law(row, known),
            _ => pins::write_law(model, act, row, known, opt.dt),
        }
    }
    combined::write_laws(model, data, convex);
    let known = &convex.mobility;
    let is_in_round = |body: u32| convex.is_in_round[model.tree_of[body as usize] as usize];
    for row in convex.joints.iter_mut().filter(|row| is_in_round(row.body)) {
        let i = row.body as usize;
        let d = row.in_factor_axes(model, &data.position.axes[i]);
        let mobility = mobility::of_joint(model, data, i, d, row.second, known);
        drives::write_law(row, mobility, data.memory.limit_loads[i]);
    }
}
