//! The ledger closes to 1e-9 of the energies involved in every formulation, with everything acting at once
//! (prescribed joints by themselves: rows in the same step are not in their reaction yet).

use stuntlab_physics::actuation::{Motor, Pin};
use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;
use stuntlab_physics::{Formulation, ImplicitForce, JointKind, Limits, StepOptions};
use stuntlab_tests::world::{World, standing};

#[test]
fn the_books_close_with_servos_limits_motors_pins_and_aids() {
    let figure = figures::humanoid37();
    for formulation in Formulation::ALL {
        let mut limited = figure.clone();
        for part in &mut limited.parts {
            let limits = match part.joint.kind {
                JointKind::Revolute { .. } => Limits::range(-0.3, 0.3),
                JointKind::Spherical => Limits::cone(0.4, -0.3, 0.3),
                JointKind::Universal { .. } => Limits::Ellipse { center: [0.0; 2], radius: [0.3, 0.2] },
                _ => Limits::Unlimited,
            };
            part.joint = part.joint.clone().with_limits(limits).with_damping(0.5).with_effort_limit(80.0);
            if part.parent.is_none() {
                part.joint = part.joint.clone().with_damping(0.0).with_effort_limit(f64::INFINITY);
            }
        }
        let model = standing(&limited, 0.02).build().expect("valid");
        // Explicit servos and springs on light hands need short sub-steps.
        let options = StepOptions { ledger: true, substeps: 128, ..StepOptions::default().with(formulation) };
        let mut world = World::new(model, options);
        world.reference_servos(&figure, 0.05);
        (world.state.v[3], world.state.v[4]) = (2.0, -3.0);
        let bodies: Vec<_> = world.model.body_ids().collect();
        let named = |part: &str| {
            *bodies.iter().rfind(|&&b| world.model.body(b).name().contains(part)).expect("it has one")
        };
        let last = named("hand");
        let dof = world.model.n_v() - 1;
        world.act.motors.push(Motor {
            freedom: dof,
            velocity: 2.0,
            lower: -5.0,
            upper: 5.0,
            compliance: 0.0,
        });
        let torso = bodies[1];
        world.act.implicit.push((
            torso,
            ImplicitForce::at_point(
                DVec3::new(20.0, 5.0, 30.0),
                Sym3::diagonal(50.0, 50.0, 10.0),
                DVec3::Z * 0.1,
            ),
        ));
        world.energy();
        let hand = world.data.world_from_body(last).translation;
        world.act.pins.push(Pin::point_to_world(last, DVec3::ZERO, hand));
        let (mut worst, mut contacts, mut rows) = (0.0_f64, 0, 0);
        for step in 0..120 {
            let swing = (0.2 * f64::from(step)).sin();
            world.act.body_force.fill(stuntlab_physics::spatial::Force::ZERO);
            world.act.push(torso, DVec3::Y * 40.0 * swing, DVec3::ZERO, DVec3::Z * -0.2);
            let report = world.step();
            (contacts, rows) = (contacts.max(report.contacts), rows.max(report.rows.rows));
            worst = worst.max(report.ledger.closure / report.ledger.scale.max(1e-3));
        }
        assert!(contacts > 0 && rows > 4, "{}: {contacts} contacts, {rows} rows", formulation.name());
        assert!(worst < 1e-9, "{}: off by {worst:.2e} of the energies", formulation.name());
    }
}

#[test]
fn the_books_close_with_a_prescribed_joint() {
    let figure = figures::humanoid37();
    for formulation in [Formulation::Penalty, Formulation::ImplicitPenalty] {
        let model = standing(&figure, 0.02).build().expect("valid");
        let options = StepOptions { ledger: true, substeps: 128, ..StepOptions::default().with(formulation) };
        let mut world = World::new(model, options);
        world.reference_servos(&figure, 0.05);
        (world.state.v[3], world.state.v[4]) = (2.0, -3.0);
        let body = world.model.body_ids().nth(2).expect("a third body");
        world.act.prescribed[body.index()] = true;
        let mut worst = 0.0_f64;
        for step in 0..60 {
            for k in world.model.body(body).v_range() {
                world.act.prescribed_acceleration[k] = 3.0 * (0.2 * f64::from(step)).sin();
            }
            let ledger = world.step().ledger;
            worst = worst.max(ledger.closure / ledger.scale.max(1e-3));
        }
        assert!(worst < 1e-9, "{}: off by {worst:.2e} of the energies", formulation.name());
    }
}
