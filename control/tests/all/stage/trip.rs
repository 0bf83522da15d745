//! The library's figure on a round trip, on level ground.

use std::sync::Arc;

use stuntlab_control::Controller;
use stuntlab_control::reference::ClipReference;
use stuntlab_control::round_trip::clips::Ways;
use stuntlab_control::round_trip::{RoundTrip, RoundTripOptions};
use stuntlab_mocap::character::{Character, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Force, Transform};
use stuntlab_physics::{ModelBuilder, ShapeSpec, StepOptions};

use super::{GRAVITY, Stage};

pub(crate) fn figure() -> Arc<Character> {
    stuntlab_control::fighter::library_figure(false)
}

/// The library's figure on level ground, turned about the vertical.
pub(crate) fn stage(turn: f64) -> (Stage, Arc<stuntlab_physics::Model>) {
    let figure = figure();
    let place = Transform::from_rotation(stuntlab_physics::glam::DMat3::from_rotation_z(turn));
    let mut builder = ModelBuilder::new().gravity(GRAVITY);
    builder.append("", figure.model(), place);
    let alone = builder.clone().build().expect("a figure");
    builder.push_fixture(ShapeSpec::new(Shape::Plane));
    let model = builder.build().expect("a figure on a plane");
    (Stage::with(model, Physique::of(&figure), StepOptions::at_rate(120.0)), Arc::new(alone))
}

pub(crate) fn motion(clip: &str) -> ClipReference {
    ClipReference::new(figure(), &library::clip(clip).expect("in the library"), true)
}

pub(crate) fn trip(own: Arc<stuntlab_physics::Model>, clip: &str, options: RoundTripOptions) -> RoundTrip {
    let figure = figure();
    let ways = Ways::of(&figure).expect("its own clips");
    RoundTrip::new(own, ways, &Physique::of(&figure), Box::new(motion(clip)), options).expect("a biped")
}

pub(crate) fn begin(stage: &mut Stage, clip: &str) {
    let start = motion(clip).state_at(0.0);
    (stage.state.q, stage.state.v) = (start.q, start.v);
    stage.look();
}

/// A step under a force at a body's centre of mass.
pub(crate) fn step(stage: &mut Stage, controller: &mut dyn Controller, body: &str, force: DVec3) {
    let id = stage.model.find(body).expect("a body");
    let arm = stage.data.world_from_body(id).rotation * stage.model.body(id).inertia().center_of_mass;
    stage.act.clear();
    stage.act.body_force[id.index()] = Force::at_offset(force, arm);
    stage.step_pushed(|sense, out| controller.act(sense, out));
}
