//! Feet held to the ground: as published they pull, honestly they push, and let go when pulled, tipped or dragged.

use crate::stage::Stage;
use stuntlab_control::velocity::pins::Cause;
use stuntlab_control::velocity::{Drive, FootPin, Goal, Grip, Muscles, Pace};
use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::step::Account;
use stuntlab_physics::{BodyId, Formulation, State, StepOptions};

/// The walker on its two feet, both pinned, holding its pose.
struct Pinned {
    stage: Stage,
    drive: Drive,
    pins: [FootPin; 2],
    feet: [Bone; 2],
}

impl Pinned {
    fn new(formulation: Formulation, grip: Grip) -> Self {
        let mut options = StepOptions::at_rate(200.0).with(formulation);
        options.ledger = true;
        let stage = Stage::walker(options);
        let parts = stage.physique.parts();
        let find = |part| Bone::new(parts.iter().position(|p| *p == Some(part)).expect("a part"));
        let feet = Side::BOTH.map(|side| find(Part::Foot(side)));
        let mut pins = Side::BOTH.map(|side| FootPin::new(&stage.physique, side, grip));
        for (pin, foot) in pins.iter_mut().zip(feet) {
            pin.strike(&stage.sense(), foot);
        }
        let quick = Muscles { reaction: 0.0, ..Muscles::default() };
        Self { drive: Drive::new(&stage.model, stage.model.body_ids(), quick), stage, pins, feet }
    }

    fn step(&mut self, pushes: &[(BodyId, DVec3)]) {
        let Self { stage, drive, pins, .. } = self;
        let neutral = State::new(&stage.model);
        stage.step(|sense, out| {
            let hold = |bone: Bone| {
                let mut q = [0.0; 4];
                q.iter_mut().zip(&neutral.q[sense.bone(bone).coordinates()]).for_each(|(q, own)| *q = *own);
                Some(Goal::at(q, Pace { left: 0.0, floor: 0.05 }))
            };
            drive.act(sense, hold, out);
            pins.iter_mut().for_each(|pin| pin.act(sense, out));
            for &(body, push) in pushes {
                // Feet are dragged along the ground, all else is pushed at its origin.
                let origin = sense.data.world_from_body(body).translation;
                let point = if body == BodyId::new(0) { origin } else { origin.with_z(0.0) };
                out.push(body, push, point, origin);
            }
        });
    }

    fn height(&self) -> f64 {
        self.stage.place(0).z
    }

    /// The strongest pull of a pin in the last step, N.
    fn pull(&self) -> f64 {
        self.stage.data.reports.pins.iter().map(|r| -r.force.z).fold(0.0, f64::max)
    }
}

/// What is pushed, and how hard.
type Pushes<'a> = &'a dyn Fn(&Pinned) -> Vec<(BodyId, DVec3)>;

const WEIGHT: f64 = 83.0 * 9.81;
const ALL: [Formulation; 3] = [Formulation::ImplicitPenalty, Formulation::LcpPgs, Formulation::LcpDantzig];
const HONEST: Grip = Grip::Unilateral { friction: 0.8 };

#[test]
fn honest_pins_never_pull_and_published_ones_do() {
    for formulation in ALL {
        let lifted = |grip| {
            let mut stage = Pinned::new(formulation, grip);
            let start = stage.height();
            let mut pull = 0.0_f64;
            for k in 0..100 {
                // Pulled up ever harder, to one and a half of its weight.
                let up = DVec3::Z * (1.5 * WEIGHT * f64::from(k) / 60.0).min(1.5 * WEIGHT);
                stage.step(&[(BodyId::new(0), up)]);
                pull = pull.max(stage.pull());
            }
            (
                stage.height() - start,
                pull,
                stage.pins[0].cause(),
                stage.stage.books.impulse(Account::Aids).linear.z,
            )
        };
        let name = formulation.name();
        let (rise, pull, cause, _) = lifted(HONEST);
        assert!(pull < 1e-6, "{name}: {pull} N");
        assert!(rise > 0.05 && cause.is_some(), "{name}: {rise} m, {cause:?}");
        let (rise, pull, cause, booked) = lifted(Grip::Bilateral { strength: f64::INFINITY });
        assert!(rise < 0.02 && cause.is_none(), "{name}: {rise} m, {cause:?}");
        assert!(pull > 0.1 * WEIGHT, "{name}: {pull} N");
        // All that kept it down is in the books: half a second of pulling and pins, less its weight, and it is at rest.
        assert!(booked.abs() < 1.5 * WEIGHT * 0.5 && booked != 0.0, "{name}: {booked} N s");
    }
}

#[test]
fn pins_of_a_strength_bear_that_and_are_torn_by_more() {
    for formulation in ALL {
        // Each foot bears half of the weight, then a quarter of it as a pull: more than the one, less than the other.
        for (strength, torn) in [(0.025 * WEIGHT, true), (2.0 * WEIGHT, false)] {
            let mut stage = Pinned::new(formulation, Grip::Bilateral { strength });
            let (mut most, mut cause) = (0.0_f64, None);
            for k in 0..100 {
                let up = DVec3::Z * (1.5 * WEIGHT * f64::from(k) / 60.0).min(1.5 * WEIGHT);
                stage.step(&[(BodyId::new(0), up)]);
                let forces = stage.stage.data.reports.pins.iter().map(|pin| pin.force.length());
                most = forces.fold(most, f64::max);
                cause = cause.or(stage.pins[0].cause());
            }
            let name = formulation.name();
            // The convex problem ends by a residual of momentum: 2e-4 beyond the bound were found.
            assert!(most < strength * (1.0 + 1e-3), "{name}: {most} N of {strength}");
            assert_eq!(cause, torn.then_some(Cause::Torn), "{name}");
        }
    }
}

#[test]
fn honest_pins_let_go_when_dragged_or_tipped() {
    for formulation in ALL {
        // Leaned on at the pelvis, shoved there, and dragged by the feet.
        let pelvis = |share: f64| move |_: &Pinned| vec![(BodyId::new(0), DVec3::X * share * WEIGHT)];
        let feet = |stage: &Pinned| -> Vec<(BodyId, DVec3)> {
            stage.feet.iter().map(|foot| (BodyId::new(foot.index()), DVec3::X * 0.5 * WEIGHT)).collect()
        };
        // Where contacts bear at the edge already, the middle of a foot that tips lifts off instead; what drags a foot turns it too.
        let tipped = [Some(Cause::Tipping), Some(Cause::Tension)];
        let cases: [(Pushes<'_>, [Option<Cause>; 2]); 3] = [
            (&pelvis(0.03), [None; 2]),
            (&pelvis(0.4), tipped),
            (&feet, [Some(Cause::Slip), Some(Cause::Tipping)]),
        ];
        for (pushes, expected) in cases {
            let mut stage = Pinned::new(formulation, HONEST);
            for _ in 0..5 {
                stage.step(&[]);
            }
            let mut cause = None;
            for _ in 0..20 {
                stage.step(&pushes(&stage));
                cause = cause.or(stage.pins[0].cause());
            }
            assert!(expected.contains(&cause), "{}: {cause:?} of {expected:?}", formulation.name());
        }
    }
}
