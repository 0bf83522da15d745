//! Laws of velocity-based control: rates are met, states are reached in time, muscles give no more and no faster than they can, slow
//! muscles stay calm, and both rigid solvers find the same torques.

use crate::stage::{GRAVITY, Stage};
use proptest::prelude::*;
use stuntlab_control::velocity::{Drive, Goal, Muscle, Muscles, Pace, Ramp};
use stuntlab_mocap::character::Bone;
use stuntlab_physics::actuation::Effort;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Transform, rotation};
use stuntlab_physics::{Formulation, JointKind, Model, ModelBuilder, State, StepOptions, figures};

/// A character alone, under velocity control.
struct Driven {
    stage: Stage,
    drive: Drive,
}

impl Driven {
    fn new(model: Model, formulation: Formulation, muscles: Muscles) -> Self {
        Self::on(Stage::new(model, options(formulation)), muscles)
    }

    fn on(stage: Stage, muscles: Muscles) -> Self {
        Self { drive: Drive::new(&stage.model, stage.model.body_ids(), muscles), stage }
    }

    fn step(&mut self, targets: &[[f64; 4]], pace: Pace) {
        let drive = &self.drive;
        self.stage.step(|sense, out| drive.act(sense, |bone| Some(Goal::at(targets[bone], pace)), out));
    }

    /// Torques of the last step, and the muscles that gave them.
    fn torques(&self) -> Vec<(Bone, DVec3, Muscle)> {
        let sense = self.stage.sense();
        self.drive.torques(&sense).map(|(bone, torque, muscle)| (bone, torque, *muscle)).collect()
    }
}

/// As published: 200 Hz.
fn options(formulation: Formulation) -> StepOptions {
    StepOptions { tolerance: 1e-12, ..StepOptions::at_rate(200.0).with(formulation) }
}

/// Coordinates of every joint, `size` rad or so away from `state`'s.
fn targets(model: &Model, state: &State, draw: &[f64], size: f64) -> Vec<[f64; 4]> {
    let mut draws = draw.iter().cycle();
    let mut next = || size * draws.next().copied().unwrap_or(0.0);
    let target = |body: &stuntlab_physics::model::Body| {
        let mut q = [0.0; 4];
        let own = &state.q[body.coordinates()];
        if body.joint().kind == JointKind::Spherical {
            let turn = DVec3::new(next(), next(), next());
            q = (DQuat::from_slice(own) * rotation::exp(turn)).to_array();
        } else {
            q.iter_mut().zip(own).for_each(|(q, own)| *q = own + next());
        }
        q
    };
    model.bodies().iter().map(target).collect()
}

fn unlimited() -> Muscles {
    // Joints of plain figures have no effort limits.
    Muscles { reaction: 0.0, ..Muscles::default() }
}

/// The humanoid in the air, limbs free to pass through each other: nothing but its muscles acts.
fn humanoid() -> Model {
    let mut builder = ModelBuilder::new().gravity(GRAVITY).self_collision(false);
    builder.append("", &figures::humanoid37().model(), Transform::IDENTITY);
    builder.build().expect("a figure")
}

/// Both rigid solvers and how exact they are, as a share of the fastest rate. Sweeps end at a thousandth of it.
const RIGID: [(Formulation, f64); 2] = [(Formulation::LcpPgs, 2e-3), (Formulation::LcpDantzig, 1e-9)];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(24)))]

    #[test]
    fn muscles_without_limits_meet_the_wanted_rates(draw in prop::collection::vec(-1.0..1.0_f64, 61)) {
        for (formulation, share) in RIGID {
            let mut stage = Driven::new(humanoid(), formulation, unlimited());
            stage.stage.state.v.iter_mut().zip(draw.iter().rev()).for_each(|(v, x)| *v = 0.5 * x);
            stage.stage.look();
            let targets = targets(&stage.stage.model, &stage.stage.state, &draw, 0.4);
            let pace = Pace { left: 0.4, floor: 0.0 };
            stage.step(&targets, pace);
            let worst = stage.stage.data.reports.motors.iter().map(|m| m.error.length()).fold(0.0, f64::max);
            let fastest = stage.stage.act.motors.iter().map(|m| m.velocity.length()).fold(1.0, f64::max);
            prop_assert!(worst < share * fastest, "{}: {worst:e} of {fastest} rad/s", formulation.name());
        }
    }

    #[test]
    fn a_state_is_reached_on_time(draw in prop::collection::vec(-1.0..1.0_f64, 61), steps in 5..40_u32) {
        for (formulation, share) in RIGID {
            let mut stage = Driven::new(humanoid(), formulation, unlimited());
            let targets = targets(&stage.stage.model, &stage.stage.state, &draw, 0.5);
            for k in 0..steps {
                let left = f64::from(steps - k) * stage.stage.options.dt;
                stage.step(&targets, Pace { left, floor: 0.0 });
            }
            // What a step leaves undone the next one takes up: one step's error is left.
            let off = farthest(&stage, &targets);
            prop_assert!(off < share, "{}: {off:e} rad", formulation.name());
        }
    }

    #[test]
    fn with_a_floor_a_state_is_nearly_reached_and_never_in_a_hurry(draw in prop::collection::vec(-1.0..1.0_f64, 61)) {
        let mut stage = Driven::new(humanoid(), Formulation::LcpDantzig, unlimited());
        let targets = targets(&stage.stage.model, &stage.stage.state, &draw, 0.5);
        let (steps, floor) = (80_u32, 0.05);
        let total = f64::from(steps) * stage.stage.options.dt;
        let first = farthest(&stage, &targets);
        let mut fastest = 0.0_f64;
        for k in 0..steps {
            stage.step(&targets, Pace { left: f64::from(steps - k) * stage.stage.options.dt, floor });
            let root = stage.stage.model.bodies()[0].freedoms().len();
            fastest = stage.stage.state.v[root..].iter().fold(fastest, |m, v| m.max(v.abs()));
        }
        // The way that is left when the floor is reached is its share of the time, and e⁻¹ of that is left at the end.
        let left = farthest(&stage, &targets);
        prop_assert!(left < 1.05 * first * floor / total / std::f64::consts::E, "{left} of {first}");
        prop_assert!(fastest < 1.01 * first / total, "{fastest} rad/s for {first} rad in {total} s");
    }

    #[test]
    fn torques_are_within_their_bounds_in_every_step(
        draw in prop::collection::vec(-1.0..1.0_f64, 31), reaction in 0.0..0.12_f64, lead in 0.0..0.12_f64,
    ) {
        for ramp in [Ramp::Cap, Ramp::Rate] {
            for formulation in [Formulation::ImplicitPenalty, Formulation::LcpPgs, Formulation::LcpDantzig] {
                let muscles = Muscles { strength: 0.3, reaction, ramp, lead, servos: None };
                let mut stage = Driven::on(Stage::walker(options(formulation)), muscles);
                let mut before: Vec<DVec3> = stage.torques().iter().map(|t| t.1).collect();
                for k in 0..40 {
                    // Targets that jump about: the worst that a state machine can do.
                    let targets = targets(&stage.stage.model, &stage.stage.state, &draw[(k / 8)..], 1.5);
                    stage.step(&targets, Pace { left: 0.1, floor: 0.05 });
                    let after = stage.torques();
                    for ((bone, torque, muscle), before) in after.iter().zip(&before) {
                        let Effort::Between { lower, upper } = muscle.effort(*before, stage.stage.options.dt) else {
                            panic!("muscles are bounded per freedom");
                        };
                        let slack = DVec3::splat(1e-6 * 500.0);
                        let n = stage.stage.model.bodies()[*bone].freedoms().len();
                        for i in 0..n {
                            prop_assert!(torque[i].abs() <= muscle.most[i] + slack[i]);
                            prop_assert!(
                                torque[i] >= lower[i] - slack[i] && torque[i] <= upper[i] + slack[i],
                                "{} {ramp:?}: {torque} not in {lower} to {upper}", formulation.name()
                            );
                        }
                    }
                    before = after.iter().map(|t| t.1).collect();
                }
            }
        }
    }
}

/// Largest distance of a joint from its target, rad.
fn farthest(stage: &Driven, targets: &[[f64; 4]]) -> f64 {
    let mut worst = 0.0_f64;
    for (body, target) in stage.stage.model.bodies().iter().zip(targets) {
        let way = stuntlab_control::velocity::target::way(
            &body.joint().kind,
            &stage.stage.state.q[body.coordinates()],
            target,
        );
        worst = worst.max(way.length());
    }
    worst
}

#[test]
fn both_rigid_solvers_find_the_same_torques() {
    // A crouch on the ground: contacts, limits and muscles at their bounds in one problem.
    let run = |formulation| {
        let muscles = Muscles { strength: 0.5, ..Muscles::default() };
        let mut stage = Driven::on(Stage::walker(options(formulation)), muscles);
        let mut goal = targets(&stage.stage.model, &stage.stage.state, &[0.0], 0.0);
        let crouch = |name: &str, q: [f64; 4], goal: &mut Vec<[f64; 4]>| {
            let k = stage.stage.model.find(name).expect("a part").index();
            goal[k] = q;
        };
        for side in ["l", "r"] {
            crouch(&format!("{side}thigh"), rotation::exp(DVec3::Y * -0.5).to_array(), &mut goal);
            crouch(&format!("{side}shank"), [0.9, 0.0, 0.0, 0.0], &mut goal);
            crouch(&format!("{side}foot"), rotation::exp(DVec3::Y * -0.4).to_array(), &mut goal);
        }
        for k in 0..60 {
            stage.step(&goal, Pace { left: 0.3 - f64::from(k) * stage.stage.options.dt, floor: 0.05 });
        }
        stage.stage.state
    };
    let (swept, pivoted) = (run(Formulation::LcpPgs), run(Formulation::LcpDantzig));
    // Sweeps are a thousandth of the speeds off in every step; a centimetre, or a hundredth of a radian, is the same motion.
    let off = swept.q.iter().zip(&pivoted.q).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off < 0.01, "{off}");
}

/// A muscle's force takes a tenth of a second to build up: beyond the paper, which is unstable above 20 ms. Without the lead it rings.
#[test]
fn slow_muscles_are_calm_with_a_lead_and_ring_without() {
    let restlessness = |reaction: f64, lead: f64| {
        let model = figures::chain(4).model();
        let mut builder = ModelBuilder::new().gravity(GRAVITY);
        builder.append("", &model, Transform::IDENTITY);
        // Three times what holds the chain out straight.
        builder.change_bodies(|body| body.joint = body.joint.clone().with_effort_limit(60.0));
        let model = builder.build().expect("a chain");
        let muscles = Muscles { strength: 1.0, reaction, ramp: Ramp::Rate, lead, servos: None };
        let mut stage = Driven::new(model, Formulation::LcpDantzig, muscles);
        let goal = targets(&stage.stage.model, &stage.stage.state, &[0.8, -0.3, 0.5, 0.4], 1.0);
        let (mut shaking, steps) = (0.0, 600);
        for k in 0..steps {
            stage.step(
                &goal,
                Pace { left: 0.5 - f64::from(k) * stage.stage.options.dt, floor: 4.0 * lead.max(0.02) },
            );
            if k >= 3 * steps / 4 {
                shaking += stage.stage.state.v.iter().map(|v| v * v).sum::<f64>() / f64::from(steps / 4);
            }
        }
        (shaking.sqrt(), farthest(&stage, &goal))
    };
    for reaction in [0.02, 0.1] {
        let (shaking, off) = restlessness(reaction, reaction);
        assert!(shaking < 1e-3 && off < 1e-3, "{reaction} s with a lead: {shaking} rad/s, {off} rad");
    }
    let (shaking, _) = restlessness(0.1, 0.0);
    assert!(shaking > 0.5, "0.1 s without: {shaking} rad/s");
}
