//! Motors, pins and welds as rows.

use glam::DVec3;

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows, force_hit, moment_hit};
use crate::actuation::{Actuation, Anchor};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;
use crate::spatial::rotation;

/// What a pin did.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PinReport {
    /// Mean force on the pinned body, world.
    pub force: DVec3,
    /// Mean moment on the pinned body (welds), world.
    pub moment: DVec3,
    /// Distance of the pinned point from its anchor at the start of the step.
    pub error: f64,
    /// Whether its [`crate::actuation::Release`] says it must let go.
    pub let_go: bool,
}

/// Adds the rows of all motors and pins; tags are indices into the actuation's lists.
pub(crate) fn push_rows(model: &Model, data: &Data, act: &Actuation, opt: &StepOptions, rows: &mut Rows) {
    for (index, motor) in act.motors.iter().enumerate() {
        let spec = RowSpec {
            target: motor.velocity,
            compliance: motor.compliance / opt.dt,
            lower: motor.lower * opt.dt,
            upper: motor.upper * opt.dt,
            tag: index as u32,
            ..RowSpec::new(Cause::Motor, Hit::Freedom(motor.freedom, 1.0))
        };
        rows.push(model, spec);
    }
    for (index, pin) in act.pins.iter().enumerate() {
        let body = pin.body.index();
        let pose = &data.position.world_from_body[body];
        let point = pose.transform_point(pin.point);
        let (goal, turn, other) = match pin.anchor {
            Anchor::World { point, rotation } => (point, rotation, None),
            Anchor::Body { body, point, rotation } => {
                let pose = &data.position.world_from_body[body.index()];
                (pose.transform_point(point), pose.quaternion() * rotation, Some(body.index()))
            }
        };
        let rate = pin.correction / opt.dt;
        let mut push = |hit: Hit, opposite: Option<Hit>, error: f64| {
            let spec = RowSpec {
                hits: [Some(hit), opposite],
                target: -rate * error,
                tag: index as u32,
                ..RowSpec::new(Cause::Pin, hit)
            };
            rows.push(model, spec);
        };
        let away = point - goal;
        for axis in DVec3::AXES {
            let opposite = other.map(|b| force_hit(data, b, -axis, point));
            push(force_hit(data, body, axis, point), opposite, axis.dot(away));
        }
        if pin.weld {
            let twisted = rotation::log(pose.quaternion() * turn.conjugate());
            for axis in DVec3::AXES {
                let opposite = other.map(|b| moment_hit(b, -axis));
                push(moment_hit(body, axis), opposite, axis.dot(twisted));
            }
        }
    }
}

/// Reads the pins' forces from the solved rows.
pub(crate) fn report(act: &Actuation, data: &mut Data, opt: &StepOptions) {
    let reports = &mut data.step.pins;
    reports.clear();
    reports.resize(act.pins.len(), PinReport::default());
    let rows = &data.step.rows;
    let mut seen = [0_usize; 2]; // the pin being read, and how many of its rows were
    for (spec, &impulse) in rows.specs.iter().zip(&rows.x) {
        if spec.cause != Cause::Pin {
            continue;
        }
        let pin = spec.tag as usize;
        seen = if seen[0] == pin { [pin, seen[1] + 1] } else { [pin, 1] };
        let axis = DVec3::AXES[(seen[1] - 1) % 3] * (impulse / opt.dt);
        if seen[1] <= 3 {
            reports[pin].force += axis;
        } else {
            reports[pin].moment += axis;
        }
    }
    for (report, pin) in reports.iter_mut().zip(&act.pins) {
        let point = data.position.world_from_body[pin.body.index()].transform_point(pin.point);
        let goal = match pin.anchor {
            Anchor::World { point, .. } => point,
            Anchor::Body { body, point, .. } => {
                data.position.world_from_body[body.index()].transform_point(point)
            }
        };
        report.error = point.distance(goal);
        report.let_go = pin.release.lets_go(report.force);
    }
}
