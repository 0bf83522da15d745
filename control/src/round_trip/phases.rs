//! What leads from one phase to the next, and what is done in each that is simulated.

use stuntlab_mocap::character::Part;
use stuntlab_physics::Actuation;
use stuntlab_physics::glam::DVec3;

use super::finder::{Among, Found, OWN_MOTION};
use super::target::Passage;
use super::{Cause, Order, Phase, RoundTrip};
use crate::controller::Sense;
use crate::stand::write_servos;

/// Seconds without a hit before it may go back.
const QUIET: f64 = 0.02;
/// Seconds in which feet feel the ground again.
const FEELING: f64 = 0.1;
/// Calm on its feet: distance of the capture point within the soles (m), and speed of the centre of mass against its motion's (m/s), for so long (s).
const CALM: (f64, f64, f64) = (0.015, 0.15, 0.1);
/// Seconds after which one who stands goes back wherever it is.
const LONGEST_REACTION: f64 = 1.2;
/// Lost: cosine of the trunk's tilt, share of the standing height, and how far the capture point is beyond the soles (m).
const LOST: (f64, f64, f64) = (0.7, 0.72, 0.3);
/// Still: root mean square speed of its masses (m/s), for so long (s), and what is waited for it at most (s).
const STILL: (f64, f64, f64) = (0.15, 0.2, 2.2);
/// Lies: height of the pelvis, of the standing height.
const LIES: f64 = 0.6;
/// Settled: mean error of the joints (rad), their mean rate (rad/s), and seconds it takes at least and at most.
const SETTLED: (f64, f64, f64, f64) = (0.15, 0.5, 0.15, 1.0);
/// Mean rate of joints below which one who settles will not come nearer, rad/s.
const STUCK: f64 = 0.12;
/// Seconds between two searches while it settles, and by how much the new must be nearer than the old.
const AGAIN: (f64, f64) = (0.25, 0.85);
/// Docked: distance that is near at once (m), that is near enough (m) after a while (s), and what is waited for it at most (s).
const DOCKED: (f64, f64, f64, f64) = (0.02, 0.045, 0.3, 1.0);
/// How often one who lies and does not come near looks for another way, and the distance at which it need not, m.
const TRIES: (u32, f64) = (1, 0.05);
/// Docked on its feet: distance (m), and how much faster or slower its centre of mass may be than the motion's (m/s: a body that stands takes as much).
const DOCKED_UP: (f64, f64) = (0.045, 0.5);
/// Acceleration with which the blend of one who lies begins, m/s².
const GENTLE: f64 = 1.0;
/// How far a motion that begins on the ground is put higher or lower, m: as far as flesh differs from what its author thought.
const HIGHER: f64 = 0.08;
/// How far the capture point is beyond the soles of one who will not stand, m.
const GOING: f64 = 0.04;
/// Distance from which a stagger can still be docked to, m.
const CATCHABLE: f64 = 0.16;
/// Seconds between two looks for a stagger.
const LOOKING: f64 = 1.0 / 30.0;
/// Share of a clip from which its own motion may follow, and distance of that at which a way into its gait is looked for first, m.
const ENDING: (f64, f64) = (0.5, 0.05);
/// Speed of a motion's centre of mass above which it does not stand, m/s.
const STANDS: f64 = 0.25;

impl RoundTrip {
    /// Leads on.
    pub(super) fn go_on(&mut self, sense: &Sense<'_>, hit: bool) {
        let time = sense.time();
        match self.order.take() {
            Some(Order::Fall) => return self.fall(sense, Cause::Command),
            Some(Order::ComeBack) if self.phase != Phase::Playing => return self.lie(sense, Cause::Command),
            Some(Order::LetGo) if self.phase == Phase::Playing => return self.let_go(sense, Cause::Command),
            _ => {}
        }
        match self.phase {
            Phase::Playing => {
                if hit {
                    let pushed = sense.own.pushes().iter().any(|p| p.linear != DVec3::ZERO);
                    self.let_go(sense, if pushed { Cause::Push } else { Cause::Blow });
                } else if self.passage.motion != OWN_MOTION {
                    self.lead_home(sense);
                } else if self.left.is_some() && self.remainder.is_over(time) && self.feet.is_over() {
                    self.left = None;
                    self.returns += 1;
                }
            }
            Phase::Reacting { since, calm } => self.look_out(sense, since, calm),
            Phase::Falling { since, landed, still } => {
                let down = sense.own.pelvis_height() < LIES * self.tall && self.trunk_bears(sense);
                let landed = if down || landed > 0.0 { landed + sense.dt } else { 0.0 };
                let still = if self.is_still(sense) { still + sense.dt } else { 0.0 };
                self.phase = Phase::Falling { since, landed, still };
                let rested = still > STILL.1 || time - since > STILL.2;
                if rested && self.options.back {
                    self.tries = 0;
                    self.lie(sense, if still > STILL.1 { Cause::Rest } else { Cause::Late });
                }
            }
            Phase::Crawling { since, last, .. } => self.look_for_room(sense, since, last),
            Phase::Settling { since, searched } => self.look_again(sense, since, searched),
            Phase::Docking { since } => self.arrive(sense, since),
            Phase::Tracking { since } => self.go_along(sense, since),
        }
    }

    /// Switches, and says why.
    pub(super) fn switch(&mut self, phase: Phase, cause: Cause) {
        (self.phase, self.cause) = (phase, cause);
        self.switches += 1;
    }

    /// Becomes a simulated body that tracks what it was about.
    fn let_go(&mut self, sense: &Sense<'_>, cause: Cause) {
        self.left.get_or_insert(sense.time());
        self.stand.calm();
        self.remainder.clear();
        self.feet.clear();
        self.finder.forget();
        if self.is_lost(sense) {
            self.fall(sense, cause);
        } else {
            self.switch(Phase::Reacting { since: sense.time(), calm: 0.0 }, cause);
        }
    }

    /// Whether it is tilted or sunk too far to stay on its feet.
    fn is_lost(&self, sense: &Sense<'_>) -> bool {
        let upright = sense.own.trunk_up().dot(sense.own.up()) > LOST.0;
        let height = sense.own.pelvis_height() + sense.own.ground() - self.finder.ground();
        !upright || height <= LOST.1 * self.tall
    }

    fn fall(&mut self, sense: &Sense<'_>, cause: Cause) {
        self.left.get_or_insert(sense.time());
        self.falls += 1;
        self.falling.begin(sense);
        self.switch(Phase::Falling { since: sense.time(), landed: 0.0, still: 0.0 }, cause);
    }

    /// On its feet: balanced, going over, or lost?
    fn look_out(&mut self, sense: &Sense<'_>, since: f64, calm: f64) {
        let time = sense.time();
        let lasted = time - since;
        // Feet that were played back have not felt the ground yet; later, who feels none is in the air.
        let unknown = if lasted < FEELING { 0.0 } else { -1.0 };
        let margin = sense.own.capture_margin().unwrap_or(unknown);
        if self.is_lost(sense) {
            return self.fall(sense, Cause::Balance);
        }
        let steady = margin > CALM.0 && sense.own.velocity().length() < CALM.1;
        let calm = if steady { calm + sense.dt } else { 0.0 };
        self.phase = Phase::Reacting { since, calm };
        let stays = self.stays();
        if self.options.back && self.disturbance.quiet_for() > QUIET && calm > CALM.2 && stays {
            let (motion, at) = (self.passage.motion, self.passage.clip_time(time));
            let lift = self.finder.lift();
            let (place, distance) = self.finder.measure(sense, self.motions[motion].as_mut(), at, lift, 10.0);
            let found = Found { motion, at, place, distance };
            return self.dock(sense, &found, 1.0, Cause::Near);
        }
        // What goes over, or goes somewhere, looks at once, while the hit still acts: in a tenth of a second a gait is lost.
        let goes = margin < -GOING;
        let looks = (goes || !stays || lasted > LONGEST_REACTION) && lasted >= self.options.delay;
        if looks && self.options.back && self.options.catch && (!stays || is_turn(time, sense.dt)) {
            // Who stood and goes over does not come back by standing.
            let among = if stays && goes { Among::Staggers } else { Among::Moving };
            let found = self.finder.moving(sense, &mut self.motions, among);
            if let Some(found) = found.filter(|found| found.distance < CATCHABLE)
                && self.has_ground(sense, &found)
            {
                if self.options.track > 0.0 && self.disturbance.quiet_for() == 0.0 {
                    return self.track(sense, &found);
                }
                return self.dock(sense, &found, 1.0, Cause::Balance);
            }
        }
        // One who stands and will not come back by itself is lost; one who goes somewhere was out of balance before.
        if stays && margin < -LOST.2 {
            self.fall(sense, Cause::Balance);
        }
    }

    /// Begins to track what was found.
    fn track(&mut self, sense: &Sense<'_>, found: &Found) {
        self.passage = Passage::found(found, sense.time(), 1.0);
        self.splice = found.distance;
        self.switch(Phase::Tracking { since: sense.time() }, Cause::Balance);
    }

    /// Tracks what was found, or what has come nearer, for a while as long as the hit acts; then it is docked to.
    fn go_along(&mut self, sense: &Sense<'_>, since: f64) {
        let time = sense.time();
        if self.is_lost(sense) {
            return self.fall(sense, Cause::Balance);
        }
        if is_turn(time, sense.dt) {
            self.fit(sense, true);
            if self.options.search {
                self.look_for_nearer(sense);
            }
        }
        let is_over = self.disturbance.quiet_for() > 0.0;
        if is_over || time - since >= self.options.track {
            self.switch(Phase::Docking { since: time }, if is_over { Cause::Over } else { Cause::Late });
        }
    }

    /// Whether the motion it tracks stays where it is.
    fn stays(&self) -> bool {
        let root = &self.wanted.v[..3];
        root.iter().map(|v| v * v).sum::<f64>().sqrt() < STANDS
    }

    /// Has come to rest: what leads back from here?
    fn lie(&mut self, sense: &Sense<'_>, cause: Cause) {
        let lies = self.over_ground(sense) < LIES * self.tall;
        let found = if !self.options.search {
            let motion = self.motions.len() - 1;
            let lift = self.finder.lift();
            let (place, distance) = self.finder.measure(sense, self.motions[1].as_mut(), 0.0, lift, 1.0);
            Some(Found { motion: motion.min(1), at: 0.0, place, distance })
        } else if self.tries > 0 {
            self.finder.flat(sense, &mut self.motions)
        } else if lies {
            self.finder.lying(sense, &mut self.motions)
        } else {
            self.finder.moving(sense, &mut self.motions, Among::Moving)
        };
        let Some(found) = found else { return };
        if lies && self.crawl_on(sense, &found, cause) {
            return;
        }
        self.settle_into(sense, &found, cause);
    }

    /// Comes into the pose of what was found.
    pub(super) fn settle_into(&mut self, sense: &Sense<'_>, found: &Found, cause: Cause) {
        let time = sense.time();
        if self.options.settle {
            self.passage = Passage::found(found, time, 0.0);
            self.splice = found.distance;
            self.switch(Phase::Settling { since: time, searched: time }, cause);
        } else {
            self.dock(sense, found, 0.0, cause);
        }
    }

    /// Looks again while it settles: what it is nearest to may have changed.
    fn look_again(&mut self, sense: &Sense<'_>, since: f64, searched: f64) {
        let time = sense.time();
        let may_move = self.options.search && self.tries == 0 && !self.passage.stays;
        let searched = if may_move && time - searched > AGAIN.0 {
            if let Some(found) = self.finder.lying(sense, &mut self.motions) {
                let motion = self.passage.motion;
                let (at, lift) = (self.passage.at, self.finder.lift());
                let (place, now) = self.finder.measure(sense, self.motions[motion].as_mut(), at, lift, 1.0);
                if found.distance < AGAIN.1 * now && self.may_get_up(sense, &found) {
                    self.passage = Passage::found(&found, time, 0.0);
                } else {
                    self.passage.place = place;
                }
            }
            time
        } else {
            searched
        };
        self.phase = Phase::Settling { since, searched };
        let (error, rate) = self.joint_error(sense);
        let lasted = time - since;
        let settled = (error < SETTLED.0 && rate < SETTLED.1 || rate < STUCK) && lasted > SETTLED.2;
        if settled || lasted > SETTLED.3 {
            let cause = if settled { Cause::Near } else { Cause::Late };
            self.passage.since = time;
            self.switch(Phase::Docking { since: time }, cause);
        }
    }

    /// Begins to be pulled to what was found, held or going.
    fn dock(&mut self, sense: &Sense<'_>, found: &Found, speed: f64, cause: Cause) {
        self.passage = Passage::found(found, sense.time(), speed);
        self.splice = found.distance;
        self.switch(Phase::Docking { since: sense.time() }, cause);
    }

    /// Whether it has come to where it is pulled.
    fn arrive(&mut self, sense: &Sense<'_>, since: f64) {
        let (time, on_feet) = (sense.time(), self.passage.speed > 0.0);
        if is_turn(time, sense.dt) && !self.passage.stays {
            self.fit(sense, on_feet);
            if on_feet && self.options.search && !self.stays() {
                self.look_for_nearer(sense);
            }
        }
        self.passage.write(&mut self.motions, &self.own, time, &mut self.wanted.q);
        let distance = self.finder.distance(sense, &self.wanted.q);
        let lasted = time - since;
        if on_feet {
            // However far it is off what it docks to, who is upright has lost nothing: one arm that is flung aside is a quarter of a metre in the mean of all joints.
            let lost = self.is_lost(sense);
            let quiet = self.disturbance.quiet_for() > QUIET;
            if quiet && distance < DOCKED_UP.0 && self.speed_off(sense) < DOCKED_UP.1 {
                self.begin_to_play(sense, distance, Cause::Near);
            } else if lost {
                self.fall(sense, Cause::Balance);
            } else if lasted > self.options.patience {
                // Who is still on its feet is not lost: it stands, and looks again.
                self.passage = self.home.at_speed(1.0, time);
                self.stand.calm();
                self.switch(Phase::Reacting { since: time, calm: 0.0 }, Cause::Late);
            }
            return;
        }
        let (at_once, enough, a_while, longest) = DOCKED;
        if distance < at_once || distance < enough && lasted > a_while {
            self.begin_to_play(sense, distance, Cause::Near);
        } else if lasted > longest {
            if self.options.search && distance > TRIES.1 && self.tries < TRIES.0 && !self.passage.stays {
                self.tries += 1;
                self.lie(sense, Cause::Late);
            } else {
                self.begin_to_play(sense, distance, Cause::Late);
            }
        }
    }

    /// Looks whether another moment has come nearer than the one it docks to.
    fn look_for_nearer(&mut self, sense: &Sense<'_>) {
        let among = if self.passage.motion == OWN_MOTION { Among::Moving } else { Among::Staggers };
        let (motion, at) = (self.passage.motion, self.passage.clip_time(sense.time()));
        let lift = self.finder.lift();
        let (_, now) = self.finder.measure(sense, self.motions[motion].as_mut(), at, lift, 3.0);
        if let Some(found) = self.finder.moving(sense, &mut self.motions, among)
            && found.distance < AGAIN.1 * now
            && self.has_ground(sense, &found)
        {
            self.passage = Passage::found(&found, sense.time(), 1.0);
        }
    }

    /// How much faster or slower its centre of mass is than that of what it docks to, m/s.
    fn speed_off(&mut self, sense: &Sense<'_>) -> f64 {
        let (motion, place) = (self.passage.motion, self.passage.place);
        let at = self.passage.clip_time(sense.time());
        self.finder.speed_off(sense, self.motions[motion].as_mut(), at, &place)
    }

    /// Puts the motion where the body is: nothing is pulled along the ground that need not be. One who lies is as high as its own flesh.
    fn fit(&mut self, sense: &Sense<'_>, on_feet: bool) {
        let (motion, at) = (self.passage.motion, self.passage.clip_time(sense.time()));
        let ground = self.finder.lift();
        let feet = if on_feet { 10.0 } else { 1.0 };
        let (place, _) = self.finder.measure(sense, self.motions[motion].as_mut(), at, ground, feet);
        self.passage.place = place;
        if !on_feet {
            let off = self.finder.height_off(sense);
            self.passage.place.shift.z = ground + off.clamp(-HIGHER, HIGHER);
        }
    }

    fn begin_to_play(&mut self, sense: &Sense<'_>, distance: f64, cause: Cause) {
        self.finder.forget();
        self.splice = distance;
        self.farthest = self.farthest.max(distance);
        let lies = self.passage.speed == 0.0;
        self.staggers += u32::from(!lies && self.passage.motion != OWN_MOTION);
        self.passage = self.passage.at_speed(1.0, sense.time());
        if !self.passage.stays {
            let lift = self.finder.lift();
            self.passage.sink(lift, sense.time());
        }
        self.switch(Phase::Playing, cause);
        // A blend begins with an acceleration of 6 d/T²: who lies still has the time not to be jerked.
        let gentle = if lies { (6.0 * distance / GENTLE).sqrt() } else { 0.0 };
        let blend = if self.options.blend > 0.0 { self.options.blend.max(gentle) } else { 0.0 };
        self.blend_in(sense, blend);
    }

    /// A clip that leads back: is it over?
    fn lead_home(&mut self, sense: &Sense<'_>) {
        let time = sense.time();
        let length = self.motions[self.passage.motion].duration();
        let at = self.passage.clip_time(time);
        let over = at + sense.dt >= length;
        // Towards its end its own motion may be as near.
        let may_end = at > ENDING.0 * length && is_turn(time, sense.dt) && self.remainder.is_over(time);
        if !over && !may_end {
            return;
        }
        let mut found = self.finder.moving(sense, &mut self.motions, Among::Own);
        if found.is_some_and(|found| found.distance > ENDING.1) && !self.finder.is_start(self.passage.motion)
        {
            let start = self.finder.moving(sense, &mut self.motions, Among::Starts);
            found = start.filter(|start| start.distance < ENDING.1).or(found);
        }
        if !over && found.is_none_or(|found| found.distance > self.options.home) {
            return;
        }
        if let Some(found) = found {
            self.passage = Passage::found(&found, time, 1.0);
            self.splice = found.distance;
            self.farthest = self.farthest.max(found.distance);
        } else {
            self.passage = self.home.at_speed(1.0, time);
        }
        self.switch(Phase::Playing, Cause::Over);
        self.blend_in(sense, self.options.blend);
    }

    /// Simulated on its feet.
    pub(super) fn react(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.aim(sense);
        let stays = self.passage.motion == OWN_MOTION && self.stays();
        self.stand.act(sense, &self.next, &self.next.v, stays, out);
    }

    /// Joints go to the pose that leads back.
    pub(super) fn settle(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.aim(sense);
        self.gains.look(sense);
        write_servos(sense, &self.own, &self.gains, &self.next, &self.next.v, out, |_| (1.0, 1.0));
    }

    /// Docking: joints and forces.
    pub(super) fn pull(&mut self, sense: &Sense<'_>, since: f64, out: &mut Actuation) {
        self.aim(sense);
        if self.passage.speed > 0.0 {
            let stays = self.passage.motion == OWN_MOTION && self.stays();
            self.stand.act(sense, &self.next, &self.next.v, stays, out);
        } else {
            self.gains.look(sense);
            write_servos(sense, &self.own, &self.gains, &self.next, &self.next.v, out, |_| (2.0, 1.4));
        }
        self.look_at_target();
        let weight = sense.own.mass() * sense.model.gravity().length();
        let pull = self.options.dock.act(sense, &self.own, &self.target, sense.time() - since, out);
        self.docking = if weight > 0.0 { pull / weight } else { 0.0 };
        self.aided += if pull > 0.0 { sense.dt } else { 0.0 };
    }

    /// Whether nothing of it moves to speak of.
    fn is_still(&self, sense: &Sense<'_>) -> bool {
        let (mut sum, mut mass) = (0.0, 0.0);
        for body in sense.bodies {
            let inertia = sense.model.body(body).inertia();
            let at = sense.data.world_from_body(body).transform_point(inertia.center_of_mass);
            sum += inertia.mass * sense.data.point_velocity(body, at).length_squared();
            mass += inertia.mass;
        }
        sense.own.is_touching() && sum < STILL.0 * STILL.0 * mass
    }

    /// Whether it bears on anything but its feet and hands.
    fn trunk_bears(&self, sense: &Sense<'_>) -> bool {
        let trunk = |part| matches!(part, Some(Part::Pelvis | Part::Spine(_) | Part::Thigh(_)));
        let all = sense.own.physique().parts().iter().zip(sense.own.touches());
        all.filter(|(part, _)| trunk(**part)).any(|(_, touch)| touch.load > 0.0)
    }

    /// Mean error of the joints against the target, rad, and their mean rate, rad/s.
    fn joint_error(&mut self, sense: &Sense<'_>) -> (f64, f64) {
        let tree = sense.tree();
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.actual.difference(&self.own, &self.next, &mut self.ways);
        let mean = |numbers: &[f64]| {
            let n = (self.own.n_bodies() - 1).max(1) as f64;
            let size = |body: &stuntlab_physics::model::Body| {
                body.freedoms().iter().map(|v| numbers[v.index()].powi(2)).sum::<f64>().sqrt()
            };
            self.own.bodies()[1..].iter().map(size).sum::<f64>() / n
        };
        (mean(&self.ways), mean(&sense.state.v[tree.freedoms]))
    }
}

/// Whether it is time for one of the looks that are not taken in every step.
pub(super) fn is_turn(time: f64, dt: f64) -> bool {
    (time / LOOKING).floor() != ((time - dt) / LOOKING).floor()
}
