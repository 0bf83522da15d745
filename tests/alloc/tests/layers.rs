//! Silence of the heap: layers with pose graphs, servos and an aid allocate nothing once their buffers have grown, fades included.

use std::sync::Arc;

use stuntlab_alloc_test::{Counting, allocations};
use stuntlab_control::fighter::Spring;
use stuntlab_control::pose_graph::{Graph, Stance};
use stuntlab_control::upright::Upright;
use stuntlab_control::{Controller, Gains, Layer, Layers, Pose, PoseGraph, Rule, Sense, Senses};
use stuntlab_mocap::character::Physique;
use stuntlab_physics::{Actuation, Data, State, StepOptions, advance, figures, observe};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn layers_do_not_allocate_once_buffers_have_grown() {
    let model = figures::humanoid37().model();
    let rest = State::new(&model);
    let physique = Arc::new(Physique::by_name(&model));
    let gains = Gains::Table { scale: 1.6 };
    let n = model.n_bodies();
    let squat =
        Stance::new("squat").posed("lshank", [60.0]).facing("torso", [0.0, 20.0, 0.0]).lasting(0.1, "stand");
    let graph = Graph { states: vec![squat, Stance::new("stand").lasting(0.1, "squat")] };
    let graph = PoseGraph::new(&model, &physique, &graph, gains, &rest.q).expect("it fits");
    let arms = (0..n).map(|k| k % 2 == 0).collect();
    let aid = Upright::new(Spring { stiffness: 500.0, damping: 50.0, limit: 100.0 });
    let mut layers = Layers::new(vec![
        Layer::new("graph", Box::new(graph)),
        Layer::new("arms", Box::new(Pose::new(&model, model.body_ids(), gains, &rest)))
            .by(Rule::Override)
            .on(arms)
            .fading(0.2),
        Layer::new("aid", Box::new(aid)).by(Rule::Blend { weight: 0.3 }),
    ]);
    let options = StepOptions::default();
    let (mut state, mut data, mut act) = (rest.clone(), Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, model.body_ids(), physique);
    // What the engine needs for another motion is its own affair.
    let mut run = |steps: usize| {
        let mut counted = 0;
        for k in 0..steps {
            observe(&model, &state, &mut data, &options);
            act.clear();
            layers.switch("arms", k % 60 < 30);
            counted += allocations(|| {
                senses.look(&model, &state, &data);
                layers.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
            });
            advance(&model, &mut state, &mut data, &act, &options).expect("a sound step");
        }
        counted
    };
    assert!(run(200) > 0);
    assert_eq!(run(200), 0);
}
