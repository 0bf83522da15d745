//! The drive knows neither left nor right, and its torques are those of the complementarity problem.

use crate::stage::Stage;
use proptest::prelude::*;
use stuntlab_control::Sense;
use stuntlab_control::velocity::{Drive, Goal, Muscles, Pace, Ramp, Servos};
use stuntlab_physics::actuation::Effort;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::step::RowReport;
use stuntlab_physics::{Actuation, Formulation, JointKind, Model, StepOptions, advance};

fn options(formulation: Formulation) -> StepOptions {
    StepOptions { tolerance: 1e-12, ..StepOptions::at_rate(200.0).with(formulation) }
}

/// How far places may differ from their image's, m, but for what solves leave over: by that share of the speed that motors at work can give a toe, m/s, for as long as the law
/// looks. Near-rigid motors change sides by a billionth, and what is left over in one step decides the next: 2e-5 of it in a step was 1e-4 m of a toe, 1.5 m per unit in all (it was
/// reckoned as a share of a fall's speed, 0.05 m/s, which is not what is at work here). A left that is mistaken for a right shows in centimetres.
const MIRRORED: f64 = 1e-6;
const DRIVEN: f64 = 30.0;
const SECONDS: f64 = 0.2;
/// Share of the momenta at work that a solve may leave over (`convex/rounds.rs`).
const SOLVED: f64 = 1e-4;

/// How far a motor that is not at a bound may be off, of the fastest rate: sweeps end by what the last one changed, a thousandth of what is left.
const SLIP: f64 = 5e-3;

/// Share of an island's fastest row that sweeps need not resolve; a row is about two bodies at most.
const EXACT: f64 = 1e-3;

/// What either solver leaves of a figure at rest, rad/s: the tolerance it is told, or ten rounded pivots.
const ROUNDING: f64 = 1e-8;

/// A step, and how its rows were solved.
fn step(stage: &mut Stage, act: impl FnOnce(&Sense<'_>, &mut Actuation)) -> RowReport {
    stage.act.clear();
    let sense = Sense::new(&stage.model, &stage.state, &stage.data, stage.options.dt, &stage.senses);
    act(&sense, &mut stage.act);
    let report = advance(&stage.model, &mut stage.state, &mut stage.data, &stage.act, &stage.options);
    stage.look();
    report.expect("a sound step").rows
}

/// The part of the other side.
fn image(model: &Model, k: usize) -> usize {
    let name = model.bodies()[k].name();
    let other = match (name.strip_prefix('l'), name.strip_prefix('r')) {
        (Some(part), _) => format!("r{part}"),
        (_, Some(part)) => format!("l{part}"),
        _ => name.to_owned(),
    };
    model.find(&other).or_else(|| model.find(name)).expect("both sides have the same parts").index()
}

/// A target for every joint.
fn targets(model: &Model, draw: &[f64]) -> Vec<[f64; 4]> {
    let mut draws = draw.iter().cycle();
    let mut next = || draws.next().copied().unwrap_or(0.0);
    let target = |body: &stuntlab_physics::model::Body| match body.joint().kind {
        JointKind::Spherical => rotation::exp(0.4 * DVec3::new(next(), next(), next())).to_array(),
        // Knees bend one way.
        JointKind::Revolute { .. } => [0.4 * next().abs(), 0.0, 0.0, 0.0],
        _ => [0.0; 4],
    };
    model.bodies().iter().map(target).collect()
}

/// What the other side's joint is to be when everything is seen in a mirror in which left is right.
fn mirrored(model: &Model, targets: &[[f64; 4]]) -> Vec<[f64; 4]> {
    let seen = |k: usize| {
        let [x, y, z, w] = targets[image(model, k)];
        match model.bodies()[k].joint().kind {
            JointKind::Spherical => DQuat::from_xyzw(-x, y, -z, w).to_array(),
            _ => [x, y, z, w],
        }
    };
    (0..targets.len()).map(seen).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(6)))]

    #[test]
    fn a_mirrored_goal_gives_the_mirrored_motion(draw in prop::collection::vec(-1.0..1.0_f64, 31), by_servos: bool) {
        let servos = by_servos.then(Servos::default);
        let muscles = Muscles { ramp: Ramp::Rate, servos, ..Muscles::default() };
        let mut ours = Stage::walker(options(Formulation::ImplicitPenalty));
        let mut theirs = Stage::walker(options(Formulation::ImplicitPenalty));
        let drive = Drive::new(&ours.model, ours.model.body_ids(), muscles);
        let goals = targets(&ours.model, &draw);
        let images = mirrored(&ours.model, &goals);
        let pace = Pace { left: 0.2, floor: 0.04 };
        for part in 1..=5 {
            ours.run(0.04, |sense, out| drive.act(sense, |bone| Some(Goal::at(goals[bone], pace)), out));
            theirs.run(0.04, |sense, out| drive.act(sense, |bone| Some(Goal::at(images[bone], pace)), out));
            // Every solve came to its end.
            let most = SOLVED * 8.0 * f64::from(part);
            prop_assert!(ours.left.max(theirs.left) <= most, "left over: {} {}", ours.left, theirs.left);
            for k in 0..ours.model.n_bodies() {
                let other = image(&ours.model, k);
                let (a, b) = (ours.place(k), theirs.place(other) * DVec3::new(1.0, -1.0, 1.0));
                let allowed = MIRRORED + (ours.left + theirs.left) * DRIVEN * SECONDS;
                prop_assert!(a.distance(b) < allowed, "{}: {a} {b}", ours.model.bodies()[k].name());
            }
        }
    }

    #[test]
    fn rates_and_torques_complement_each_other_in_every_step(draw in prop::collection::vec(-1.0..1.0_f64, 31)) {
        complement(&draw, true)?;
    }

    #[test]
    #[ignore = "known fault: in four seeds of 1,000 sweeps settle in fewer than 30 of 40 steps on the ground; where they settle they are right"]
    fn they_complement_each_other_on_the_ground_too(draw in prop::collection::vec(-1.0..1.0_f64, 31)) {
        complement(&draw, false)?;
    }
}

/// With `w` the rate beyond what is wanted: `w > 0` only at the least torque, `w < 0` only at the largest.
fn complement(draw: &[f64], in_air: bool) -> Result<(), TestCaseError> {
    for formulation in [Formulation::LcpPgs, Formulation::LcpDantzig] {
        // Sweeps that are told to end in time leave an error that the report tells; here they may take theirs.
        let mut stage = Stage::walker(StepOptions { sweeps: 4000, tolerance: 1e-9, ..options(formulation) });
        if in_air {
            stage.state.q[2] += 2.0;
            stage.look();
        }
        let mut settled = 0;
        let muscles = Muscles { strength: 0.3, ramp: Ramp::Rate, ..Muscles::default() };
        let drive = Drive::new(&stage.model, stage.model.body_ids(), muscles);
        for k in 0..40 {
            let goals = targets(&stage.model, &draw[(k / 8)..]);
            let pace = Pace { left: 0.1, floor: 0.05 };
            let fast = stage
                .data
                .velocity
                .body
                .iter()
                .map(|v| v.angular.length() + v.linear.length())
                .fold(0.0, f64::max);
            let rows = step(&mut stage, |sense, out| {
                drive.act(sense, |bone| Some(Goal::at(goals[bone], pace)), out);
            });
            settled += usize::from(rows.settled);
            if !rows.settled {
                continue;
            }
            let fastest = stage.act.motors.iter().map(|m| m.velocity.length()).fold(1.0, f64::max);
            let slip = SLIP * fastest + rows.residual;
            prop_assert!(
                rows.residual < if in_air { 0.01 } else { 2.0 * EXACT * fast + ROUNDING },
                "{}: {rows:?}",
                formulation.name()
            );
            for motor in &stage.act.motors {
                let report = stage.data.report_of_motor(motor.key).expect("every motor reports");
                let Effort::Between { lower, upper } = motor.effort else { panic!("bounded per freedom") };
                for i in 0..motor.freedoms.len() {
                    let (over, torque) = (-report.error[i], report.force[i]);
                    // At a bound: to rounding of the impulse.
                    let slack = 1e-6 * (upper[i] - lower[i]).max(1.0);
                    let least = torque <= lower[i] + slack;
                    let most = torque >= upper[i] - slack;
                    prop_assert!(
                        (over <= slip || least) && (over >= -slip || most),
                        "{} step {k}: {over:e} rad/s at {torque} in {} to {}, {rows:?}",
                        formulation.name(),
                        lower[i],
                        upper[i]
                    );
                }
            }
        }
        prop_assert!(
            settled >= if in_air { 36 } else { 30 },
            "{}: only {settled} of 40 steps settled",
            formulation.name()
        );
    }
    Ok(())
}
