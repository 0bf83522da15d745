//! Silence of the heap: once the buffers have grown to a motion, taking it again allocates nothing, whatever the
//! formulation: falling, hitting, lying.

use stuntlab_alloc_test::{Counting, allocations};
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Inertia;
use stuntlab_physics::step::{observe, step};
use stuntlab_physics::{
    Actuation, BlackBox, BodySpec, Data, Formulation, Joint, Limits, Maximal, Model, State, StepOptions,
    figures,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A damped ragdoll with limited knees and self-collision, beside a stack of boxes.
fn scene(material: Material) -> Model {
    let figure = figures::humanoid37();
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
        let mut spec = part.spec();
        if part.parent.is_some() {
            spec.joint = spec.joint.with_damping(4.0 * carried).with_effort_limit(50.0);
        }
        if part.name.ends_with("shank") {
            spec.joint = spec.joint.with_limits(Limits::range(0.0, 2.5));
        }
        spec.shapes.iter_mut().for_each(|shape| shape.material = material);
        builder.push(spec);
    }
    let half = DVec3::splat(0.2);
    for k in 0..4 {
        let at = DVec3::new(5.0, 0.0, 0.2 + 0.4 * f64::from(k));
        let block = BodySpec::root(format!("box{k}"), Joint::free().at(at), Inertia::solid_box(5.0, half));
        builder.push(block.with_shape(ShapeSpec::new(Shape::Box { half_extents: half, rounding: 0.0 })));
    }
    builder.build().expect("a valid model")
}

/// Servos that hold the pose softly, and a helping hand.
fn actuation(model: &Model) -> Actuation {
    let mut act = Actuation::new(model);
    act.servo.stiffness[6..37].fill(5.0);
    act.servo.damping[6..37].fill(1.0);
    act.body_force[0].linear.z = 1.0;
    act
}

#[test]
fn steps_do_not_allocate_once_buffers_have_grown() {
    // Soft enough for explicit springs on hands and feet.
    let soft = Material { stiffness: Some(5e3), damping: Some(20.0), ..Material::default() };
    for formulation in Formulation::ALL {
        let model = scene(if formulation == Formulation::Penalty { soft } else { Material::default() });
        let act = actuation(&model);
        for (ledger, sleep_after) in [(false, None), (true, Some(0.5))] {
            let opt = StepOptions { ledger, sleep_after, ..StepOptions::default() }.with(formulation);
            let mut data = Data::new(&model);
            let mut run = || {
                let mut state = State::new(&model);
                data.contact.clear();
                // The very same run: with what the last one left it would be another, with other contacts.
                data.memory.clone_from(&Data::new(&model).memory);
                allocations(|| {
                    for _ in 0..400 {
                        step(&model, &mut state, &mut data, &act, &opt).expect("a finite step");
                    }
                })
            };
            assert!(run() > 0);
            assert_eq!(run(), 0, "{}, ledger {ledger}", formulation.name());
        }
    }
}

#[test]
fn recording_does_not_allocate_once_the_ring_is_full() {
    let model = scene(Material::default());
    let act = actuation(&model);
    let opt = StepOptions::default();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let mut black_box = BlackBox::new(&model, 10);
    let mut run = |steps: usize| {
        for _ in 0..steps {
            observe(&model, &state, &mut data, &opt);
            black_box.advance(&model, &mut state, &mut data, &act, &opt).expect("a sane step");
        }
    };
    run(300);
    assert_eq!(allocations(|| run(60)), 0);
}

#[test]
fn settled_maximal_steps_do_not_allocate() {
    let model = scene(Material::default());
    let act = actuation(&model);
    let opt = StepOptions::default();
    let mut maximal = Maximal::new(&model).expect("every body has mass");
    let mut state = maximal.separate(&State::new(&model));
    let mut data = Data::new(maximal.model());
    let mut run = |steps: usize| {
        for _ in 0..steps {
            maximal.step(&mut state, &mut data, &act, &opt).expect("a finite step");
        }
    };
    run(200);
    assert_eq!(allocations(|| run(20)), 0);
}
