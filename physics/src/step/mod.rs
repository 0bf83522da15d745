//! The step: look, let a controller act, advance.
//!
//! ```text
//! observe   poses and velocities, base to tip; contact points (geometry only)
//!           … a controller reads `Data`, writes an `Actuation` …
//! advance   gather   gravity, springs, servos, wrenches, implicit terms
//!           rows     limits, motors, pins, contacts that are not implicit
//!           solve    articulated bodies, then the rows; again where contacts opened, stuck or slipped
//!           commit   only a finite state; the culprit is named otherwise
//! ```
//!
//! Trees (articulations) are independent but for rows between them, and each is solved again only while
//! its own active set changes. A step allocates nothing once the buffers have grown to the scene.

pub(crate) mod bias;
mod books;
mod calm;
pub(crate) mod check;
mod check_rows;
mod contact_rows;
mod convex_step;
mod direct;
mod end_pose;
mod error;
pub(crate) mod gather;
mod ledger;
pub(crate) mod limits;
pub(crate) mod look;
mod options;
pub(crate) mod own_rows;
pub(crate) mod pins;
pub(crate) mod prescribed;
pub(crate) mod reaction;
pub(crate) mod reports;
mod responses;
pub(crate) mod rows;
mod sets;
pub(crate) mod sleep;
mod smooth;
mod solve;
mod springs;
pub(crate) mod told;
mod trees;

pub use crate::convex::SolveReport;
pub use error::StepError;
pub use ledger::{Account, Ledger};
pub use options::{Formulation, NormalLaw, StepOptions};
pub use reaction::Reactions;
pub use reports::{MotorReport, PinReport, Reports, RowForce};
pub use rows::RowReport;
pub use sleep::STILL_SPEED;

pub(crate) use solve::{advance_once, body_velocities};

use crate::actuation::Actuation;
use crate::contact::law::Sizing;
use crate::data::Data;
use crate::forces::Forces;
use crate::integrate::Stepper;
use crate::model::Model;
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};
use crate::state::State;

/// What the step keeps between its stages.
#[derive(Clone, Debug)]
pub(crate) struct StepData {
    /// Known joint forces and joint gains of this step.
    pub(crate) forces: Forces,
    /// Joint velocities at the end of the step, without and with the rows' impulses.
    pub(crate) free_v: Vec<f64>,
    pub(crate) next_v: Vec<f64>,
    /// Body velocities at the end of the step.
    pub(crate) next_body: Vec<Motion>,
    /// Bias forces.
    pub(crate) bias: bias::Bias,
    /// Trees that must be solved (again).
    pub(crate) dirty: Vec<bool>,
    /// Trees whose velocities are new.
    pub(crate) moved: Vec<bool>,
    /// Each body's own inertia and bias force without contacts.
    pub(crate) own_inertia: Vec<ArticulatedInertia>,
    pub(crate) own_bias: Vec<Force>,
    /// Bodies on which something changed since their tree was solved.
    pub(crate) changed: Vec<bool>,
    /// The actuation's implicit terms by tree: order and ranges.
    pub(crate) term_order: Vec<u32>,
    pub(crate) terms_of: Vec<(u32, u32)>,
    /// Whether a servo is at its effort limit: -1, 0, 1 per freedom.
    pub(crate) saturated: Vec<i8>,
    pub(crate) rows: rows::Rows,
    /// Memory for the state under construction, and for the one before the first sub-step.
    pub(crate) spare: State,
    /// Length of the whole step, of which a part may be taken at a time.
    pub(crate) whole: f64,
    /// Points that came through in the step.
    pub(crate) through: Vec<end_pose::Through>,
    /// Where shapes were as the step began.
    pub(crate) placed: Vec<Transform>,
    pub(crate) before: State,
    /// The memory before a step that is taken in halves, once there was one.
    pub(crate) kept: Option<crate::memory::Memory>,
    /// The longest sub-step of explicit springs.
    pub(crate) springs: springs::Springs,
    /// The plain integrators, once one was asked for.
    pub(crate) stepper: Option<Box<Stepper>>,
    /// Work space of sleep.
    pub(crate) rest: sleep::Rest,
    /// Rates of prescribed joints in this part of the step.
    pub(crate) prescribed_v: Vec<f64>,
    /// Bodies that go where they are told.
    pub(crate) told: told::Told,
}

impl StepData {
    pub(crate) fn new(model: &Model) -> Self {
        let (nv, n, trees) = (model.n_v(), model.n_bodies(), model.trees.len());
        Self {
            forces: Forces::new(model),
            free_v: vec![0.0; nv],
            next_v: vec![0.0; nv],
            next_body: vec![Motion::ZERO; n],
            bias: bias::Bias::new(model),
            dirty: vec![false; trees],
            moved: vec![false; trees],
            own_inertia: vec![ArticulatedInertia::ZERO; n],
            own_bias: vec![Force::ZERO; n],
            changed: vec![false; n],
            term_order: Vec::new(),
            terms_of: vec![(0, 0); trees],
            saturated: vec![0; nv],
            rows: rows::Rows::default(),
            spare: State::new(model),
            whole: 0.0,
            through: Vec::new(),
            placed: Vec::new(),
            before: State::new(model),
            kept: None,
            springs: springs::Springs::default(),
            stepper: None,
            rest: sleep::Rest::new(trees),
            prescribed_v: vec![0.0; nv],
            told: told::Told::new(model),
        }
    }
}

/// Pushes rows besides those the step makes itself.
pub(crate) type ExtraRows<'a> = dyn FnMut(&Data, &mut rows::Rows) + 'a;

/// How a step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Rounds of the active set.
    pub passes: usize,
    /// Sub-steps taken, 1 but for explicit springs.
    pub substeps: usize,
    /// The shortest sub-step, s.
    pub substep: f64,
    /// How the convex problems were solved.
    pub solve: SolveReport,
    /// The rows of the last round.
    pub rows: RowReport,
    /// Contact points prepared.
    pub contacts: usize,
    /// Deepest overlap at the start of the step, m.
    pub deepest: f64,
    /// The books, if asked for.
    pub ledger: Ledger,
}

/// Looks at the state: poses, velocities, contact points. Call it before a controller acts and before
/// [`advance`], which refuses a state that is not the model's; there is nothing to be seen in such a one.
pub fn observe(model: &Model, state: &State, data: &mut Data, opt: &StepOptions) {
    if state.q.len() != model.n_q() || state.v.len() != model.n_v() {
        return;
    }
    look::look(model, state, data, opt);
    ready(model, data, opt);
}

/// Contacts from the manifolds at hand, with what is remembered of them and the velocities they have.
pub(crate) fn ready(model: &Model, data: &mut Data, opt: &StepOptions) {
    let carries = opt.formulation == Formulation::ImplicitPenalty;
    let sizing = Sizing { time: opt.contact_time, dt: opt.dt, carries };
    data.contact.update(model, &data.position, &data.collision, &data.memory, sizing);
    for contact in &mut data.contact.points {
        let at = |b: usize| {
            let arm = contact.point - data.position.world_from_body[b].translation;
            data.velocity.body[b].at(arm).linear
        };
        contact.velocity = at(contact.a()) - contact.b().map_or(glam::DVec3::ZERO, at);
    }
}

/// Advances the state by one step under `act`. [`observe`] must have looked at this very state.
///
/// # Errors
/// Input that is not finite is refused, and a step that would leave a state that is not finite is not
/// taken: the state stays as it was.
pub fn advance(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<StepReport, StepError> {
    check::check_input(model, state, act, opt)?;
    begin(data, act, opt);
    let solves = opt.integrator.is_none() && opt.formulation == Formulation::ImplicitPenalty;
    if !solves && data.looked.lacks(&data.step.told) {
        // Only the convex problem knows who is told: the others want all contacts.
        look::look_about(model, state, data, opt);
        ready(model, data, opt);
    }
    if let Some(integrator) = opt.integrator {
        data.looked.forget();
        return smooth::advance(model, state, data, act, opt, integrator);
    }
    if opt.formulation != Formulation::ImplicitPenalty {
        data.looked.forget();
    }
    let whole = |report: StepReport| StepReport { substeps: 1, substep: opt.dt, ..report };
    match opt.formulation {
        Formulation::ImplicitPenalty => convex_step::advance(model, state, data, act, opt),
        Formulation::Penalty => substeps(model, state, data, act, opt, &mut |model, state, data, short| {
            advance_once(model, state, data, act, act, short, None)
        }),
        _ => advance_once(model, state, data, act, act, opt, None).map(whole),
    }
}

/// Before the parts of a step.
pub(crate) fn begin(data: &mut Data, act: &Actuation, opt: &StepOptions) {
    prescribed::begin(data, act);
    data.reports.begin(act);
    data.reactions.begin();
    data.memory.felt.clear();
    data.step.whole = opt.dt;
    data.step.told.clear();
}

/// A part of a step, of the length its options say.
pub(crate) type Part<'a> =
    dyn FnMut(&Model, &mut State, &mut Data, &StepOptions) -> Result<StepReport, StepError> + 'a;

/// Explicit springs: parts as short as they ask for, looking anew before each. The state stays as it was where one fails.
pub(crate) fn substeps(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    part: &mut Part<'_>,
) -> Result<StepReport, StepError> {
    data.step.before.clone_from(state);
    data.step.springs.begin();
    let end = state.time + opt.dt;
    let mut total = StepReport { substep: opt.dt, ..StepReport::default() };
    let mut short = *opt;
    let mut left = opt.dt;
    while left > 0.0 {
        if total.substeps > 0 {
            observe(model, state, data, &short);
            prescribed::go_on(model, state, data, act);
        }
        let mut springs = core::mem::take(&mut data.step.springs);
        let length = springs.next(model, data, act, opt, state.time, left);
        data.step.springs = springs;
        let outcome = length.and_then(|length| {
            short.dt = length;
            part(model, state, data, &short)
        });
        match outcome {
            Ok(report) => {
                total.ledger.add(&report.ledger);
                total = StepReport {
                    deepest: total.deepest.max(report.deepest),
                    ledger: total.ledger,
                    substeps: total.substeps + 1,
                    substep: total.substep.min(short.dt),
                    ..report
                };
            }
            Err(error) => {
                state.clone_from(&data.step.before);
                return Err(error);
            }
        }
        // The last part is all that was left: no rounding stays behind.
        left = if short.dt >= left { 0.0 } else { left - short.dt };
    }
    state.time = end;
    Ok(total)
}

/// [`observe`] and [`advance`] without a controller in between.
pub fn step(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<StepReport, StepError> {
    observe(model, state, data, opt);
    advance(model, state, data, act, opt)
}
