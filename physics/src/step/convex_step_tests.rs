use glam::DVec3;

use crate::dynamics::{forward_kinematics, forward_velocity};
use crate::model::shape::Shape;
use crate::spatial::Transform;
use crate::step::{StepReport, step};
use crate::{Actuation, Data, Model, ShapeSpec, State, StepOptions, TreeId, figures};

struct Run {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    options: StepOptions,
}

impl Run {
    /// Limp figures far apart, just above the ground, each turning a little faster than the one before.
    fn new(count: usize) -> Self {
        let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
        let figure = figures::humanoid37().model();
        for k in 0..count {
            let place = Transform::from_translation(DVec3::new(5.0 * k as f64, 0.0, 0.1));
            builder.append(&format!("f{k}_"), &figure, place);
        }
        let model = builder.build().unwrap();
        let (mut state, data, act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        for k in 0..count {
            let v = &mut state.v[model.tree(TreeId::new(k)).freedoms];
            (v[3], v[4]) = (0.2 + 0.3 * k as f64, 0.5);
        }
        Self { model, state, data, act, options: StepOptions::at_rate(120.0) }
    }

    fn step(&mut self) -> StepReport {
        step(&self.model, &mut self.state, &mut self.data, &self.act, &self.options).unwrap()
    }
}

#[test]
fn what_is_solved_again_far_away_changes_nothing_here() {
    let (mut alone, mut among) = (Run::new(1), Run::new(3));
    let mut others = 0;
    for _ in 0..240 {
        let (own, all) = (alone.step(), among.step());
        if own.substeps + all.substeps > 2 {
            // Halves are everybody's.
            break;
        }
        assert_eq!(alone.state.q[..], among.state.q[..alone.state.q.len()]);
        assert_eq!(alone.state.v[..], among.state.v[..alone.state.v.len()]);
        others += usize::from(all.solve.again > own.solve.again);
    }
    assert!(others > 0, "nobody was solved again");
}

#[test]
fn a_step_leaves_the_poses_and_velocities_that_kinematics_finds() {
    let mut run = Run::new(2);
    for _ in 0..120 {
        run.step();
        let mut fresh = run.data.clone();
        forward_kinematics(&run.model, &run.state, &mut fresh);
        forward_velocity(&run.model, &run.state, &mut fresh);
        assert_eq!(fresh.position.world_from_body, run.data.position.world_from_body);
        assert_eq!(fresh.position.offset, run.data.position.offset);
        assert_eq!(fresh.velocity.body, run.data.velocity.body);
        assert_eq!(fresh.velocity.bias, run.data.velocity.bias);
    }
}

#[test]
fn books_change_nothing() {
    let (mut plain, mut kept) = (Run::new(3), Run::new(3));
    kept.options.ledger = true;
    let mut again = 0;
    for _ in 0..120 {
        again += plain.step().solve.again;
        kept.step();
        assert_eq!((&plain.state.q, &plain.state.v), (&kept.state.q, &kept.state.v));
    }
    assert!(again > 0, "nothing was solved again");
}
