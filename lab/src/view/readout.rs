//! What is known of the body that was clicked: joint, angles, rates, torques against their limits, contact forces.

use stuntlab_physics::{BodyId, JointKind, State};
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::palette;

use crate::run::World;

/// The block of a body.
pub(crate) fn readout(world: &World, body: BodyId) -> TextBlock {
    let model = world.model();
    let spec = model.body(body);
    let mut block = TextBlock::new(Corner::TopRight, spec.name());
    if let Some(line) = block.lines.first_mut() {
        line.1 = palette::YELLOW;
    }
    let kind = match spec.joint().kind {
        JointKind::Free => "free",
        JointKind::Spherical => "ball joint",
        JointKind::Revolute { .. } => "hinge",
        _ => "joint",
    };
    let speed = world.data.velocity.body[body.index()].linear.length();
    let mut lines = vec![format!("{kind}, {:.2} kg, {speed:.2} m/s", spec.inertia().mass)];
    let mut way = vec![0.0; model.n_v()];
    State::new(model).difference(model, &world.state, &mut way);
    let (drive, limits) = (&world.data.reactions.drive, &spec.joint().effort_limit);
    let turns = !matches!(spec.joint().kind, JointKind::Free);
    for (number, k) in spec.freedoms().iter().enumerate().filter(|_| turns) {
        let (angle, rate) = (way[k].to_degrees(), world.state.v[k].to_degrees());
        let limit = limits.get(number).copied().filter(|l| l.is_finite());
        let of = limit.map_or_else(String::new, |l| format!(" of {l:.0}"));
        lines.push(format!("{angle:7.1}°  {rate:7.0}°/s  {:7.1}{of} N m", drive[k]));
    }
    let touching = world.data.contact.points.iter().filter(|c| c.body_a == body || c.body_b == Some(body));
    let (count, force) = touching.fold((0, 0.0), |(n, f), c| (n + 1, f + c.force.length()));
    lines.push(format!("{count} contacts, {force:.0} N"));
    lines.into_iter().fold(block, |block, line| block.line(line, palette::WHITE))
}
