//! The global answer: the whole body under what disturbs it, and its steps.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DVec2, DVec3};
use stuntlab_physics::spatial::Sym3;

use super::motion::Motion;
use super::stepping::{AFTER, Look, Verdict};
use super::whole::Load;
use super::{Adaptive, GiveUp};
use crate::controller::Sense;
use crate::senses::Hull;
use crate::walking::other;

impl Adaptive {
    /// The soles that bear, seen from above, from where they are.
    fn stand_on(&mut self, motion: &Motion, sense: &Sense<'_>) {
        let swings = self.stepping.standing().map(other);
        let bears = |side: Side| !motion.airborne[side as usize] && swings != Some(side);
        let soles = sense.own.physique().soles().iter().filter(|s| bears(s.side));
        self.hull.set(soles.map(|s| {
            let pose = sense.data.world_from_body(sense.body_of(s.bone));
            pose.transform_point(s.point_body).truncate()
        }));
    }

    /// The global answer: where the whole body goes and whether it steps. Returns whether it is lost.
    pub(super) fn respond(&mut self, motion: &Motion, sense: &Sense<'_>) -> bool {
        self.stand_on(motion, sense);
        let (center, up) = (sense.own.center_of_mass(), sense.own.up());
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (k, f) in self.disturbance.forces().iter().enumerate() {
            let origin = sense.data.world_from_body(sense.body_of(Bone::new(k))).translation;
            force += f.linear;
            moment += f.angular + (origin - center).cross(f.linear);
        }
        let disturbed = self.disturbance.quiet_for() == 0.0 && force != DVec3::ZERO;
        // What of a blow is still to come counts for where it leads.
        let pending = self.disturbance.pending() / sense.own.mass();
        let level = |v: DVec3| v - up * up.dot(v);
        let reach = |hull: &Hull, towards: DVec3| reach(hull, center.truncate(), towards.truncate());
        let mut load = Load {
            force,
            moment,
            acceleration: motion.acceleration,
            reach: 0.0,
            height: sense.own.height(),
            home: self.stepping.home(),
            mass: sense.own.mass(),
            inertia: if moment == DVec3::ZERO {
                Sym3::diagonal(1.0, 1.0, 1.0)
            } else {
                composite_inertia(sense)
            },
            gravity: sense.model.gravity(),
            dt: sense.dt,
        };
        load.reach = reach(&self.hull, -level(self.whole.balance(&self.options.whole, &load)));
        self.whole.step(&self.options.whole, &load, disturbed, sense.time());
        if !self.options.steps {
            return false;
        }
        let rate = sense.own.pendulum_rate();
        let capture = level(self.whole.shift - load.home + (self.whole.velocity + pending) / rate.max(1e-3));
        let own = motion.com + load.home + motion.velocity / rate.max(1e-3);
        let margin = |p: DVec3| self.hull.margin(p.truncate()).unwrap_or(0.0);
        let feet = self.stepping.offsets(DVec3::ZERO);
        let left = sense.data.world_from_body(sense.root()).rotation.y_axis;
        let verdict = self.stepping.step(&Look {
            time: sense.time(),
            dt: sense.dt,
            capture,
            margins: [margin(own + capture), margin(own)],
            reach: reach(&self.hull, capture),
            rate,
            ankles: [0, 1].map(|k| motion.ankles[k] + feet[k]),
            airborne: motion.airborne,
            swings: motion.swings,
            left: level(left).normalize_or(DVec3::Y),
            support: self.support,
            up,
            disturbed: self.disturbance.quiet_for() < AFTER,
        });
        match verdict {
            Verdict::Stay => false,
            Verdict::Step(home) => {
                self.whole.go_home(home, sense.time() + sense.dt, self.options.stepping.seconds + AFTER);
                false
            }
            Verdict::GiveUp => self.options.give_up != GiveUp::Never,
        }
    }
}

/// Inertia of the whole body about its centre of mass, as if it were rigid, world axes.
fn composite_inertia(sense: &Sense<'_>) -> Sym3 {
    let center = sense.own.center_of_mass();
    let mut sum = Sym3::diagonal(0.0, 0.0, 0.0);
    for id in sense.bodies {
        let (inertia, pose) = (sense.model.body(id).inertia(), sense.data.world_from_body(id));
        let arm = pose.transform_point(inertia.center_of_mass) - center;
        sum = sum + inertia.rotational.rotated(&pose.rotation) + Sym3::point_inertia(arm) * inertia.mass;
    }
    sum
}

/// How far a hull reaches from a point inside it in a direction; nothing from a point outside.
fn reach(hull: &Hull, from: DVec2, towards: DVec2) -> f64 {
    let (corners, Some(direction)) = (hull.corners(), towards.try_normalize()) else { return 0.0 };
    if hull.margin(from).is_none_or(|m| m <= 0.0) {
        return 0.0;
    }
    let n = corners.len();
    let far = |k: usize| {
        let (a, way) = (corners[k], corners[(k + 1) % n] - corners[k]);
        // Edges go round to the left: their outward side is to the right.
        let out = DVec2::new(way.y, -way.x);
        let speed = out.dot(direction);
        if speed > 0.0 { out.dot(a - from) / speed } else { f64::INFINITY }
    };
    let nearest = (0..n).map(far).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest } else { 0.0 }
}
