//! Which state of the walk follows which, and when; and where the foot that swings is to strike, anew in every step.

use stuntlab_mocap::Side;
use stuntlab_physics::glam::{DVec2, DVec3};

use super::placement::{Rhythm, longer_step};
use super::{Balance, Walk, WalkOptions};
use crate::controller::Sense;
use crate::walking::{Course, STRIKE, other, outward};

/// Share of the time to reach out in which a foot that touches has only brushed the ground.
const SCUFF: f64 = 0.5;
/// How near its place a foot that arrives early must be, m.
const NEAR: f64 = 0.1;
/// Feet less than so far apart along the way are side by side, m: the length of a foot.
const FOOT: f64 = 0.25;
/// How much longer or shorter than the one before a step may be that goes where balance wants it, m: a walk begins and ends within three.
const CHANGE: f64 = 0.15;
/// A step of two feet tells a slope if it is so long, m: less is told by how the feet lie.
const TELLING: f64 = 0.15;
/// Share of what the last two footholds tell of the slope that is believed at once: ground is uneven, too.
const BELIEVED: f64 = 0.5;
/// Share of a step's error that the next steps make good, and the largest error that counts: steps of one who was pushed tell nothing of the walk.
const LEARNING: [f64; 2] = [0.15, 0.2];
/// How many times as long as they shall be steps may be asked for.
const EAGER: [f64; 2] = [0.7, 2.0];
/// Steepest slope that is believed, rise per metre: about the steepest that feet hold on.
const STEEPEST: f64 = 0.4;

/// Seconds of a step of the walk; the usual ones where it begins with standing.
pub(super) fn beat(options: &WalkOptions) -> f64 {
    let usual = WalkOptions::honest();
    let [step, speed] =
        if options.speed > 0.0 { [options.step, options.speed] } else { [usual.step, usual.speed] };
    (step / speed).clamp(0.3, 1.2)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Stand,
    Lift,
    Reach,
    Load,
}

/// Seconds of the states of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    pub(super) lift: f64,
    pub(super) reach: f64,
    pub(super) load: f64,
}

impl Walk {
    /// Seconds of the states of the step at hand.
    pub(super) fn times(&self) -> Times {
        let total = if self.options.balance == Balance::Capture {
            self.beat
        } else {
            // The foot comes from as far behind as the last step was long.
            let longest = self.strides.values[1].abs().max(self.step[0].abs()).max(0.2);
            (longest / self.options.speed.max(0.2)).clamp(0.3, 1.2)
        };
        let [lift, load] = self.options.shares.map(|share| share * total);
        Times { lift, reach: total - lift - load, load }
    }

    pub(super) fn enter_phase(&mut self, phase: Phase, sense: &Sense<'_>) {
        (self.phase, self.clock, self.hurry) = (phase, 0.0, 1.0);
        let (rear, front) = (self.stance, other(self.stance));
        let [rear_foot, front_foot] = [rear, front].map(|side| self.biped.leg(side).foot);
        match phase {
            Phase::Stand => {}
            Phase::Lift => {
                let asked = if self.options.speed > 0.0 { self.options.step } else { 0.0 };
                let before = self.step[0];
                self.step = match self.options.balance {
                    Balance::Capture => [asked.clamp(before - CHANGE, before + CHANGE); 2],
                    _ => [asked; 2],
                };
                self.aside = self.options.width;
                self.pins[front as usize].release();
                self.pins[rear as usize].strike(sense, rear_foot);
            }
            // It stands by now: the length of the step goes by where.
            Phase::Reach => {
                self.strides.settle(rear, self.ankle(sense, rear));
                self.feel_grade();
            }
            // The rear heel may rise: the toes hold on.
            Phase::Load => {
                self.pins[front as usize].strike(sense, front_foot);
                if let Some(toe) = self.biped.leg(rear).toe {
                    self.pins[rear as usize].strike(sense, toe);
                }
            }
        }
    }

    pub(super) fn go_on(&mut self, sense: &Sense<'_>) {
        let time = self.clock + 0.5 * sense.dt;
        let times = self.times();
        let front = other(self.stance);
        match self.phase {
            Phase::Stand => {
                self.pin_what_bears(sense);
                if let Some(swing) = self.first_foot(sense) {
                    self.stance = other(swing);
                    self.enter_phase(Phase::Lift, sense);
                }
            }
            Phase::Lift if time >= times.lift => self.enter_phase(Phase::Reach, sense),
            Phase::Reach if self.has_struck(sense, time, times.reach) => {
                if let Some(course) = &self.course {
                    let length = self.strides.count(course, front, self.ankle(sense, front), sense.time());
                    self.values[6] = (length - self.step[0]).abs();
                    self.step[1] = length;
                    self.learn(length);
                }
                self.enter_phase(Phase::Load, sense);
            }
            Phase::Load if time >= times.load => {
                let closed = self.step[0] == 0.0 && self.options.speed <= 0.0 && self.can_stand(sense);
                self.stance = front;
                self.enter_phase(if closed { Phase::Stand } else { Phase::Lift }, sense);
            }
            _ => {}
        }
    }

    /// Pins feet that stand: one that is in the air still, as at a start, has no ground to be held to.
    fn pin_what_bears(&mut self, sense: &Sense<'_>) {
        for side in Side::BOTH {
            let (foot, pin) = (self.biped.leg(side).foot, &mut self.pins[side as usize]);
            if !pin.is_held() && sense.own.load(side) > STRIKE {
                pin.strike(sense, foot);
            }
        }
    }

    /// Takes a speed; where steps have a time of their own it is their length.
    pub(super) fn set_speed(&mut self, speed: f64) {
        self.options.speed = speed;
        if self.options.balance == Balance::Capture && speed > 0.0 {
            self.options.step = speed * self.beat;
        }
    }

    /// Takes a length of steps.
    pub(super) fn set_step(&mut self, step: f64) {
        self.options.step = step;
        self.beat = beat(&self.options);
    }

    /// A pendulum loses nothing when it steps from foot to foot; a body does, and comes to walk more slowly than it was told. So what steps are too
    /// short is added to those that follow.
    fn learn(&mut self, length: f64) {
        let asked = self.step[0];
        if asked > TELLING {
            let [share, most] = LEARNING;
            let error = (1.0 - length / asked).clamp(-most, most);
            self.eager = (self.eager + share * error).clamp(EAGER[0], EAGER[1]);
        }
    }

    /// The slope, from the foothold of the leg that stands and the one before it.
    fn feel_grade(&mut self) {
        let places = [self.stance, other(self.stance)].map(|side| self.strides.place(side));
        let (Some(course), [Some(now), Some(before)]) = (&self.course, places) else { return };
        let way = course.own(now - before);
        if self.options.balance == Balance::Capture && way.x > TELLING {
            self.grade += BELIEVED * ((way.z / way.x).clamp(-STEEPEST, STEEPEST) - self.grade);
        }
    }

    /// Whether the foot that reaches out stands, after `time` of `whole`; what it brushes on its way is no ground to stand on.
    fn has_struck(&self, sense: &Sense<'_>, time: f64, whole: f64) -> bool {
        let (Some(course), front) = (&self.course, other(self.stance)) else { return false };
        let way = course.own(self.ankle(sense, front) - self.ankle(sense, self.stance)).x;
        let arrives = time > SCUFF * whole && (way - self.step[1]).abs() < NEAR;
        sense.own.load(front) > STRIKE && (arrives || time > whole)
    }

    /// Where the ankle of the leg that stands is while its foot lies flat. Late in a step the heel rises and the leg twists, and the ankle with it: the
    /// foot bears where it did.
    pub(super) fn foothold(&self, sense: &Sense<'_>) -> DVec3 {
        let settled = self.strides.place(self.stance).filter(|_| self.phase == Phase::Reach);
        settled.unwrap_or_else(|| self.ankle(sense, self.stance))
    }

    /// Says where the foot that swings is to strike, and how soon.
    pub(super) fn place_foot(&mut self, sense: &Sense<'_>, course: &Course) {
        let times = self.times();
        let until_strike = match self.phase {
            Phase::Lift => times.lift + times.reach - self.clock,
            Phase::Reach => times.reach - self.clock,
            Phase::Stand | Phase::Load => return,
        };
        match self.options.balance {
            Balance::None => {}
            Balance::Base => {
                let stance =
                    self.strides.place(self.stance).unwrap_or_else(|| self.ankle(sense, self.stance));
                let com = course.own(sense.own.center_of_mass() - stance).x;
                if let Some(longer) = longer_step(self.step[0], self.legs.foot, com) {
                    self.step[1] = longer;
                }
            }
            Balance::Capture => self.capture(sense, course, until_strike.max(0.0)),
        }
    }

    fn capture(&mut self, sense: &Sense<'_>, course: &Course, until_strike: f64) {
        let (options, times) = (&self.options, self.times());
        let outward = DVec2::new(1.0, outward(other(self.stance)));
        let rhythm = Rhythm {
            rate: sense.own.pendulum_rate(),
            time: times.lift + times.reach + times.load,
            step: self.eager * self.step[0],
            width: options.width,
        };
        // From where the foot bears, forward and outward.
        let xi = course.own(sense.own.capture_point() - self.foothold(sense)).truncate();
        let xi = (xi - DVec2::new(options.pressure, 0.0)) * outward;
        // Both feet bear while the weight goes over: it is there in the middle of that time.
        let over = 0.5 * times.load;
        let nominal = until_strike + over;
        let least = if self.step[1].abs() < FOOT { options.passing } else { options.apart[0] };
        let least = least.min(options.apart[1]);
        let bounds = [DVec2::new(-options.reach[0], least), DVec2::new(options.reach[1], options.apart[1])];
        let soonest = until_strike / options.hurry + over;
        let left = rhythm.in_reach(xi, bounds).clamp(soonest.min(nominal), nominal);
        self.hurry = if left > over { (until_strike / (left - over)).clamp(1.0, options.hurry) } else { 1.0 };
        let place = rhythm.place(xi, left).clamp(bounds[0], bounds[1]);
        self.stray = (xi - rhythm.steady(nominal)) * outward;
        (self.step[1], self.aside) = (place.x, place.y);
    }

    /// How far left of the other the foot that swings is to strike, m, and before that to pass it.
    pub(super) fn leftward(&self, sense: &Sense<'_>, course: &Course, swing: Side) -> f64 {
        let ahead = course.own(self.ankle(sense, swing) - self.foothold(sense)).x;
        let least = if ahead.abs() < FOOT { self.options.passing } else { f64::NEG_INFINITY };
        outward(swing) * self.aside.max(least)
    }
}
