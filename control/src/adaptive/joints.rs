//! Writes joints: what is played back by the rate with which it lands on its target, what is simulated by servos.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::Actuation;

use super::Adaptive;
use super::articulation::Mode;
use crate::controller::Sense;

impl Adaptive {
    /// Prescribes what is played back and drives the rest to q̃; where anything is off, [`Adaptive::compare_with_target`] has looked before.
    pub(super) fn write_joints(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let (own, h) = (&self.own, sense.dt);
        let tree = sense.tree();
        let at_rest = self.articulation.is_at_rest();
        // Servos go after the pose itself.
        let (w, z) = (self.options.frequency, self.options.damping_ratio);
        for (k, body) in own.bodies().iter().enumerate() {
            if !matches!(self.articulation.modes()[k], Mode::Dynamic { .. }) {
                continue;
            }
            let id = sense.body_of(Bone::new(k));
            let whole = sense.model.body(id);
            for (to, from) in whole.freedoms().iter().zip(body.freedoms()) {
                out.servo.stiffness[to] = self.carried[k] * w * w;
                out.servo.damping[to] = 2.0 * z * w * self.carried[k];
                out.servo.target_v[to] = self.pace[from] / h;
            }
            out.servo.target_q[whole.coordinates()].copy_from_slice(&self.next.q[body.coordinates()]);
        }
        // What is played back lands on it, or on what is left of a way back.
        self.before.q.copy_from_slice(&self.next.q);
        if !at_rest {
            self.articulation.offsets(own, sense.time() + h, &mut self.off);
            self.next.integrate(own, &self.off, 1.0);
        }
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        for (k, mode) in self.articulation.modes().iter().enumerate() {
            let body = sense.body_of(Bone::new(k));
            let played = !matches!(mode, Mode::Dynamic { .. });
            out.prescribed[body] = played;
            if played {
                self.actual.difference_of(&own.bodies()[k], &self.next, &mut self.ways);
                let to = sense.model.body(body).freedoms();
                for (to, from) in to.iter().zip(own.bodies()[k].freedoms()) {
                    out.prescribed_velocity[to] = self.ways[from] / h;
                }
            }
        }
    }

    /// How far joints are off q̃ now, and how fast they go against it: those that are simulated, or `all`.
    pub(super) fn compare_with_target(&mut self, sense: &Sense<'_>, all: bool) {
        let tree = sense.tree();
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        let v = &sense.state.v[tree.freedoms];
        for (body, mode) in self.own.bodies().iter().zip(self.articulation.modes()) {
            if !all && !matches!(mode, Mode::Dynamic { .. }) {
                continue;
            }
            self.before.difference_of(body, &self.actual, &mut self.off);
            self.before.difference_of(body, &self.next, &mut self.pace);
            for k in body.freedoms() {
                self.rates[k] = v[k.index()] - self.pace[k] / sense.dt;
            }
        }
    }
}
