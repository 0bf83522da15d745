//! What disturbs a character: forces of others on its bones, by contact and by hand, and blows that are about to land.
//!
//! A blow is over within a step, and a joint that is played back takes no notice of it. So whoever is to answer it must be free before
//! it lands: contacts are seen before they close, and what comes counts with the momentum it brings,
//!
//! ```text
//! (1)  F̂ = m v / T        m the mass of the body that comes, v how fast it closes in, T the filter's time
//! ```
//! which is what the filtered force of an impulse `m v` would peak at. What goes on to press counts for no more than a share of the body's
//! weight: two that are both played back cannot give way, and the solver's force between them is that of a wall. Of another character it is the limb that comes, not all of it.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::Model;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;

use super::articulation::Strike;
use super::effort::beyond;
use crate::controller::Sense;

/// T, s: a blow is spread over so long, whatever the step; muscles would not notice it faster.
pub const FILTER: f64 = 0.03;
/// Time of the second filter, of what the whole body answers, s: half of the first.
const SPREAD: f64 = 0.015;
/// Least filtered force on a bone that is any, N.
const LEAST: f64 = 0.5;
/// Least closing speed of a blow, m/s: slower, it is a touch, whose force will be felt.
const BLOW: f64 = 0.2;

/// Share of the filtered force that what acts now must have to count as pressing: of a push that goes on it has all, of a blow's echo a tenth.
const PRESSES: f64 = 0.5;

/// Largest force of a contact beyond the blow that began it, of the weight: as much as somebody who leans on it.
const LEANING: f64 = 0.3;

/// Forces and moments about the world's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wrench {
    force: DVec3,
    moment: DVec3,
}

impl std::ops::Add for Wrench {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, moment: self.moment + other.moment }
    }
}

impl std::ops::Sub for Wrench {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { force: self.force - other.force, moment: self.moment - other.moment }
    }
}

/// Whether there is anything to be felt: mostly there is not, and who is played back costs next to nothing then.
fn is_touched(sense: &Sense<'_>) -> bool {
    let is_other = |a, b: Option<_>| {
        b.is_some() && (sense.bodies.contains(a) || b.is_some_and(|b| sense.bodies.contains(b)))
    };
    sense.own.pushes().iter().any(|push| *push != Force::ZERO)
        || sense.data.contact.points.iter().any(|c| is_other(c.body_a, c.body_b))
        || sense.data.memory.felt().iter().any(|f| is_other(f.body_a, f.body_b))
}

/// What disturbs one character.
#[derive(Clone, Debug)]
pub struct Disturbance {
    /// Forces of the last step on every bone, world axes at its origin.
    now: Vec<Force>,
    /// The same, filtered.
    lasting: Vec<Force>,
    /// The same, filtered once more: what the whole body answers, so that a blow does not start it within a step.
    spread: Vec<Force>,
    /// Of blows that are about to land.
    coming: Vec<Force>,
    beyond: Vec<Wrench>,
    quiet_for: f64,
    /// Most momentum that something about to land brings by its own motion, N s.
    brought: f64,
    /// Whether nothing is left of whatever was.
    is_over: bool,
}

impl Disturbance {
    /// Of a character of so many bones, undisturbed.
    pub fn new(bones: usize) -> Self {
        let none = vec![Force::ZERO; bones];
        Self {
            now: none.clone(),
            lasting: none.clone(),
            spread: none.clone(),
            coming: none,
            beyond: vec![Wrench::default(); bones],
            quiet_for: f64::INFINITY,
            brought: 0.0,
            is_over: true,
        }
    }

    /// Seconds since anything disturbed it.
    pub fn quiet_for(&self) -> f64 {
        self.quiet_for
    }

    /// Most momentum that something which is about to land brings by its own motion, N s: nothing of what the character runs into.
    pub fn brought(&self) -> f64 {
        self.brought
    }

    /// How a bone is struck, if it is. A ball that has struck and rolls along the arm is a blow that is over: what is left of it in the filter is
    /// more than what presses.
    pub fn strikes(&self, bone: Bone) -> Strike {
        let [now, lasting] = [&self.now, &self.lasting].map(|f| f[bone].linear.length_squared());
        let presses = self.now[bone] != Force::ZERO && now > PRESSES * PRESSES * lasting;
        if presses || self.coming[bone] != Force::ZERO {
            Strike::Now
        } else if self.lasting[bone] != Force::ZERO {
            Strike::Over
        } else {
            Strike::None
        }
    }

    /// The bone that is struck hardest, and with what force of what acts, lasts or is about to land, N; none where nothing disturbs.
    pub fn hardest(&self) -> Option<(Bone, f64)> {
        let force = |k: usize| {
            [&self.now, &self.lasting, &self.coming]
                .map(|f| f[k].linear.length())
                .into_iter()
                .fold(0.0, f64::max)
        };
        let all = (0..self.now.len()).map(|k| (Bone::new(k), force(k)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, force)| *force > 0.0)
    }

    /// Forces on every bone for the whole body to answer, world axes at its origin: all of what acted, a little later.
    pub fn forces(&self) -> &[Force] {
        &self.spread
    }

    /// What of the disturbance the whole body has yet to answer, N s.
    pub fn pending(&self) -> DVec3 {
        let lags = self.lasting.iter().zip(&self.spread);
        lags.map(|(lasting, spread)| FILTER * lasting.linear + SPREAD * spread.linear).sum()
    }

    /// Feels what acts on a character now. Returns whether it is disturbed at all.
    pub fn feel(&mut self, sense: &Sense<'_>) -> bool {
        self.brought = 0.0;
        if self.is_over && !is_touched(sense) {
            self.quiet_for += sense.dt;
            return false;
        }
        self.now.fill(Force::ZERO);
        let weight = sense.own.mass() * sense.model.gravity().length();
        let origin = |bone: Bone| sense.data.world_from_body(sense.body_of(bone)).translation;
        let own = |body| Bone::of(body, sense.bodies);
        let mut any = false;
        for felt in sense.data.memory.felt() {
            // Friction between two of which neither can move across, one played back, one on a rail, is not known.
            let Some(other) = felt.body_b.filter(|_| felt.force.is_finite()) else { continue };
            let (bone, force) = match (own(felt.body_a), own(other)) {
                (Some(bone), None) => (bone, felt.force),
                (None, Some(bone)) => (bone, -felt.force),
                _ => continue,
            };
            self.now[bone] += Force::at_offset(force, felt.point - origin(bone));
            any = true;
        }
        for (now, coming) in self.now.iter_mut().zip(&self.coming) {
            // A blow that bounces has twice what it brought.
            let blow = 2.0 * coming.linear.length() * FILTER / sense.dt;
            let (most, force) = (blow.max(LEANING * weight), now.linear.length());
            if force > most {
                *now = *now * (most / force);
            }
        }
        self.coming.fill(Force::ZERO);
        for (k, push) in sense.own.pushes().iter().enumerate().filter(|(_, p)| **p != Force::ZERO) {
            self.now[k] += *push;
            any = true;
        }
        for contact in &sense.data.contact.points {
            let Some(other) = contact.body_b else { continue };
            let (bone, towards, other) = match (own(contact.body_a), own(other)) {
                (Some(bone), None) => (bone, contact.normal, other),
                (None, Some(bone)) => (bone, -contact.normal, contact.body_a),
                _ => continue,
            };
            let speed = |body| sense.data.point_velocity(body, contact.point);
            let closing = (speed(other) - speed(sense.body_of(bone))).dot(towards);
            if closing > BLOW && contact.depth + closing * sense.dt > 0.0 {
                let mass = sense.model.body(other).inertia().mass;
                let force = towards * (mass * closing / FILTER); // (1)
                self.brought = self.brought.max(mass * speed(other).dot(towards).min(closing));
                let share = Force::at_offset(force, contact.point - origin(bone));
                // Several points of one blow are one blow.
                if share.linear.length_squared() > self.coming[bone].linear.length_squared() {
                    self.coming[bone] = share;
                }
                any = true;
            }
        }
        let share = 1.0 - (-sense.dt / FILTER).exp();
        for (lasting, now) in self.lasting.iter_mut().zip(&self.now) {
            *lasting += (*now - *lasting) * share;
            if *now == Force::ZERO && lasting.linear.length() < LEAST {
                *lasting = Force::ZERO;
            }
        }
        let share = 1.0 - (-sense.dt / SPREAD).exp();
        for (spread, lasting) in self.spread.iter_mut().zip(&self.lasting) {
            *spread += (*lasting - *spread) * share;
            if *lasting == Force::ZERO && spread.linear.length() < LEAST {
                *spread = Force::ZERO;
            }
        }
        self.quiet_for = if any { 0.0 } else { self.quiet_for + sense.dt };
        let lasts = self.lasting.iter().chain(&self.spread).any(|f| *f != Force::ZERO);
        // The first look at a bone that nothing acts on any more clears what did.
        self.is_over = !any && !lasts;
        any || lasts
    }

    /// C: torque of the disturbance about every joint, from what acts beyond it as the foot that supports sees it, N m.
    pub fn torques(&mut self, own: &Model, sense: &Sense<'_>, foot: Bone, out: &mut [f64]) {
        let place = |k: usize| sense.data.world_from_body(sense.body_of(Bone::new(k))).translation;
        for (k, sum) in self.beyond.iter_mut().enumerate() {
            let (lasting, coming) = (self.lasting[k], self.coming[k]);
            let force = if coming.linear.length_squared() > lasting.linear.length_squared() {
                coming
            } else {
                lasting
            };
            *sum = Wrench { force: force.linear, moment: force.angular + place(k).cross(force.linear) };
        }
        beyond(own, foot, &mut self.beyond);
        for (k, (out, sum)) in out.iter_mut().zip(&self.beyond).enumerate() {
            *out = if k == 0 { 0.0 } else { (sum.moment - place(k).cross(sum.force)).length() };
        }
    }
}
