//! Taking models apart and putting them together differently.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Motion, Transform};
use stuntlab_physics::{BodySpec, Data, Model, State};

/// The descriptions a model could have been built from, in its own order.
pub fn specs(model: &Model) -> Vec<BodySpec> {
    model
        .bodies()
        .iter()
        .map(|body| BodySpec {
            name: body.name().to_owned(),
            parent: body.parent().map(|p| model.body(p).name().to_owned()),
            joint: body.joint().clone(),
            inertia: *body.inertia(),
            shapes: Vec::new(),
        })
        .collect()
}

/// A model from descriptions.
///
/// # Panics
/// If they are not valid.
pub fn build(gravity: DVec3, specs: Vec<BodySpec>) -> Model {
    let mut builder = Model::builder().gravity(gravity);
    specs.into_iter().for_each(|spec| builder.push(spec));
    builder.build().expect("surgery keeps models valid")
}

/// Copies the coordinates and rates of the joints that both models have, by name and kind.
pub fn carry_state(from: &Model, state: &State, to: &Model) -> State {
    let mut out = State::new(to);
    for body in to.bodies() {
        let Some(old) = from.find(body.name()).map(|id| from.body(id)) else { continue };
        if old.joint().kind.name() == body.joint().kind.name() {
            out.q[body.coordinates()].copy_from_slice(&state.q[old.coordinates()]);
            out.v[body.freedoms()].copy_from_slice(&state.v[old.freedoms()]);
        }
    }
    out
}

/// Copies numbers of the freedoms that both models have, by name and kind; zero for the others.
pub fn carry_freedoms(from: &Model, values: &[f64], to: &Model) -> Vec<f64> {
    let mut out = vec![0.0; to.n_v()];
    for body in to.bodies() {
        let Some(old) = from.find(body.name()).map(|id| from.body(id)) else { continue };
        if old.joint().kind.name() == body.joint().kind.name() {
            out[body.freedoms()].copy_from_slice(&values[old.freedoms()]);
        }
    }
    out
}

/// Copies per-body numbers by name, `fallback` for bodies that are new.
pub fn carry_bodies<T: Copy>(from: &Model, values: &[T], to: &Model, fallback: T) -> Vec<T> {
    to.bodies().iter().map(|body| from.find(body.name()).map_or(fallback, |id| values[id.index()])).collect()
}

/// Pose of body `i` in its parent as of `data`.
pub fn parent_from_body(model: &Model, data: &Data, i: usize) -> Transform {
    let world_from_parent =
        model.bodies()[i].parent().map_or(Transform::IDENTITY, |p| *data.world_from_body(p));
    world_from_parent.inverse() * data.position.world_from_body[i]
}

/// True accelerations of the bodies as of `data`: what it keeps has gravity taken off.
pub fn body_accelerations(model: &Model, data: &Data) -> Vec<Motion> {
    let gravity = Motion::new(DVec3::ZERO, model.gravity());
    data.dynamics.body_acceleration.iter().map(|&a| a + gravity).collect()
}
