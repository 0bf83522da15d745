use super::*;
use crate::model::shape::Shape;
use crate::model::{BodySpec, Joint, ShapeSpec};
use crate::spatial::{Force, Inertia};
use crate::step::{Formulation, observe, step};
use glam::DVec3;

/// Two stacks of three boxes, far apart, a ball high above the first, and a hinged arm.
fn scene() -> Model {
    let half = DVec3::splat(0.2);
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    for k in 0..6 {
        let at = DVec3::new(if k < 3 { 0.0 } else { 5.0 }, 0.0, 0.2 + 0.4 * f64::from(k % 3));
        let block = BodySpec::root(format!("box{k}"), Joint::free().at(at), Inertia::solid_box(5.0, half));
        builder.push(block.with_shape(ShapeSpec::new(Shape::Box { half_extents: half, rounding: 0.0 })));
    }
    let ball = BodySpec::root(
        "ball",
        Joint::free().at(DVec3::new(0.15, 0.0, 30.0)),
        Inertia::solid_sphere(3.0, 0.15),
    );
    builder.push(ball.with_shape(ShapeSpec::new(Shape::Sphere { radius: 0.15 })));
    let arm = Inertia { center_of_mass: DVec3::X * 0.3, ..Inertia::solid_sphere(1.0, 0.1) };
    builder.push(BodySpec::root("arm", Joint::revolute(DVec3::Y).at(DVec3::new(-5.0, 0.0, 2.0)), arm));
    builder.build().unwrap()
}

struct Run {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    opt: StepOptions,
}

impl Run {
    fn new(sleep_after: Option<f64>, formulation: Formulation) -> Self {
        let model = scene();
        let mut act = Actuation::new(&model);
        let dof = model.n_v() - 1;
        act.servo.stiffness[dof] = 500.0;
        act.servo.damping[dof] = 50.0;
        let opt = StepOptions { sleep_after, ..StepOptions::default() }.with(formulation);
        Self { state: State::new(&model), data: Data::new(&model), act, opt, model }
    }

    fn go(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.opt.dt).round() as usize {
            step(&self.model, &mut self.state, &mut self.data, &self.act, &self.opt).unwrap();
        }
    }

    fn asleep(&self, name: &str) -> bool {
        self.data.memory.sleep.asleep[self.model.tree_number(self.model.find(name).unwrap())]
    }
}

#[test]
fn a_sleeping_stack_wakes_when_hit_and_only_that_one() {
    for formulation in [Formulation::ImplicitPenalty, Formulation::LcpDantzig] {
        let mut run = Run::new(Some(0.5), formulation);
        run.go(2.0);
        for name in ["box0", "box1", "box2", "box3", "box4", "box5", "arm"] {
            assert!(run.asleep(name), "{name}, {formulation:?}");
        }
        assert!(!run.asleep("ball"));
        let resting = run.state.clone();
        run.go(0.2);
        let first_ball = run.model.body(run.model.find("ball").unwrap()).q_range().start;
        assert_eq!(run.state.q[..first_ball], resting.q[..first_ball], "sleepers stay to the last bit");
        // The ball needs 2.4 s to come down.
        run.go(0.4);
        assert!(!run.asleep("box2") && !run.asleep("box0") && run.asleep("box3"), "{formulation:?}");
        let top = run.model.body(run.model.find("box2").unwrap()).q_range();
        let moved = run.state.q[top.clone()] != resting.q[top];
        assert!(moved, "the hit box moves, {formulation:?}");
    }
}

#[test]
fn pushes_targets_and_teleports_wake() {
    let mut run = Run::new(Some(0.5), Formulation::ImplicitPenalty);
    run.go(2.0);
    let base = run.model.find("box3").unwrap();
    run.act.body_force[base.index()] = Force::new(DVec3::ZERO, DVec3::X * 300.0);
    run.go(0.05);
    assert!(!run.asleep("box3") && !run.asleep("box5") && run.asleep("box0") && run.asleep("arm"));
    let dof = run.model.n_v() - 1;
    let target = run.model.n_q() - 1;
    run.act.servo.target_q[target] = 0.5;
    run.go(0.05);
    assert!(!run.asleep("arm") && run.state.v[dof] > 0.1);
    run.state.q[0] += 0.01;
    run.go(0.05);
    assert!(!run.asleep("box0"));
    run.act.body_force[base.index()] = Force::ZERO;
    run.go(0.3);
    run.state.v[2] = 1.0;
    observe(&run.model, &run.state, &mut run.data, &run.opt);
    run.go(0.05);
    assert!(!run.asleep("box0"));
}

#[test]
fn sleep_that_never_comes_changes_no_bit() {
    for formulation in Formulation::ALL {
        let mut off = Run::new(None, formulation);
        let mut late = Run::new(Some(1e9), formulation);
        off.go(0.5);
        late.go(0.5);
        assert_eq!(off.state, late.state, "{formulation:?}");
    }
}
