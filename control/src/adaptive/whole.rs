//! The whole body as one rigid body (Nguyen et al. 2011, section 3): how far its centre of mass and its attitude are off the motion's.
//!
//! ```text
//! F_r = m (c̈ - g) - F_e          what the ground would have to give for the body to take no notice …
//!       0 ≤ F_n ≤ 3 m g,  |F_t| ≤ F_n min(μ, d/z)                            … and what it can
//! m δ̈  = F_e + m g + F_r + F_c - m c̈
//! F_c  = k_c (δ₀ - δ) - d_c δ̇    balance, eq. 2          τ_θ = -k_θ φ - d_θ φ̇    righting, eq. 3
//! I φ̈  = (x - c) × F_e + τ_θ
//! ```
//! The printed eqs. 2 and 3 have the sign of their springs reversed. The paper bounds the ground by friction alone, which holds half the
//! weight sideways: nobody would ever sway. A foot gives only what its sole can: the pressure under it goes at most the way `d` to the edge
//! of the support, so that a reaction that passes the centre of mass at the height `z` leans by `d/z`; it has no moment then. Turns
//! about the vertical are left out, as published.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;

use super::articulation::fading;

/// Settings of the whole-body response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeOptions {
    /// Frequency of the balance, Hz.
    pub balance: f64,
    /// Frequency of the righting, Hz.
    pub righting: f64,
    /// Damping ratio of both.
    pub damping: f64,
    /// Friction of the ground.
    pub friction: f64,
    /// Farthest the centre of mass goes from where it should be, level, m.
    pub farthest: f64,
    /// Farthest up and down, m.
    pub highest: f64,
    /// Largest tilt, rad.
    pub tilt: f64,
}

impl Default for WholeOptions {
    fn default() -> Self {
        Self {
            // A person who stands sways back within a second.
            balance: 0.8,
            righting: 1.0,
            damping: 0.75,
            friction: 0.8,
            // What legs can follow without a step: two thirds of a foot's length, a bend of the knees, a bow.
            farthest: 0.18,
            highest: 0.08,
            tilt: 22.0_f64.to_radians(),
        }
    }
}

/// What acts on the whole body in a step.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Force of the disturbance, N, and its moment about the centre of mass, N m.
    pub force: DVec3,
    /// See `force`.
    pub moment: DVec3,
    /// Acceleration of the motion's own centre of mass, m/s².
    pub acceleration: DVec3,
    /// How far the support reaches beyond the centre of mass in the direction of the push, m.
    pub reach: f64,
    /// Height of the centre of mass over the ground, m.
    pub height: f64,
    /// Where the feet want the centre of mass to be off the motion, m.
    pub home: DVec3,
    /// Mass, kg, and composite inertia about the centre of mass, world axes.
    pub mass: f64,
    /// See `mass`.
    pub inertia: Sym3,
    /// Acceleration of gravity.
    pub gravity: DVec3,
    /// Step, s.
    pub dt: f64,
}

/// How the whole body is off its motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Whole {
    /// δ: of the centre of mass, world, m.
    pub shift: DVec3,
    /// Its rate, m/s.
    pub velocity: DVec3,
    /// φ: rotation vector, world, level, rad.
    pub tilt: DVec3,
    /// Its rate, rad/s.
    pub spin: DVec3,
    way: Way,
}

/// What decides where it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Way {
    /// Nothing: it is where the motion is.
    #[default]
    Rest,
    /// Forces.
    Free,
    /// A path to rest, of the shift and of the tilt: since when, from where with what rate.
    Back { since: f64, shift: (DVec3, DVec3), tilt: (DVec3, DVec3), seconds: f64 },
}

/// Seconds of the last bit of the way.
const WAY_BACK: f64 = 0.4;
/// How near and how slow it must be for that, m, rad and per second.
const NEAR: [f64; 4] = [0.02, 0.052, 0.1, 0.26];

/// A vector without its part along gravity.
fn level(v: DVec3, gravity: DVec3) -> DVec3 {
    let down = gravity.try_normalize().unwrap_or(-DVec3::Z);
    v - down * down.dot(v)
}

impl Whole {
    /// Whether it is where the motion is.
    pub fn is_at_rest(&self) -> bool {
        self.way == Way::Rest
    }

    /// What the ground gives, N.
    pub fn ground(options: &WholeOptions, load: &Load) -> DVec3 {
        let up = -load.gravity.try_normalize().unwrap_or(-DVec3::Z);
        let wanted = load.mass * (load.acceleration - load.gravity) - load.force;
        let most = 3.0 * load.mass * load.gravity.length();
        let normal = up.dot(wanted).clamp(0.0, most);
        let lean = options.friction.min(load.reach.max(0.0) / load.height.max(0.1));
        up * normal + (wanted - up * up.dot(wanted)).clamp_length_max(normal * lean)
    }

    /// Takes a step under `load`. A body at rest that nothing disturbs stays so.
    pub fn step(&mut self, options: &WholeOptions, load: &Load, disturbed: bool, time: f64) {
        if disturbed {
            self.way = Way::Free;
        }
        match self.way {
            Way::Rest => {}
            Way::Free => {
                self.fall(options, load);
                self.keep_within(options, load);
                let far = [
                    (self.shift - load.home).length(),
                    self.tilt.length(),
                    self.velocity.length(),
                    self.spin.length(),
                ];
                if !disturbed && far.iter().zip(NEAR).all(|(far, near)| *far < near) {
                    self.way = Way::Back {
                        since: time,
                        shift: (self.shift - load.home, self.velocity),
                        tilt: (self.tilt, self.spin),
                        seconds: WAY_BACK,
                    };
                }
            }
            Way::Back { since, shift, tilt, seconds } => {
                let at = |(from, rate): (DVec3, DVec3), t: f64| {
                    DVec3::from_array([0, 1, 2].map(|i| fading(from[i], rate[i], t, seconds)))
                };
                let t = time + load.dt - since;
                let before = (self.shift, self.tilt);
                (self.shift, self.tilt) = (load.home + at(shift, t), at(tilt, t));
                (self.velocity, self.spin) =
                    ((self.shift - before.0) / load.dt, (self.tilt - before.1) / load.dt);
                if t >= seconds - 0.5 * load.dt {
                    *self = Self { shift: load.home, ..Self::default() };
                }
            }
        }
    }

    /// Goes to a new home along a path of its own, as one who steps does.
    pub fn go_home(&mut self, home: DVec3, time: f64, seconds: f64) {
        self.way = Way::Back {
            since: time,
            shift: (self.shift - home, self.velocity),
            tilt: (self.tilt, self.spin),
            seconds,
        };
    }

    /// The springs are taken at the end of the step.
    fn fall(&mut self, options: &WholeOptions, load: &Load) {
        let (h, m) = (load.dt, load.mass);
        let rate = |hertz: f64| std::f64::consts::TAU * hertz;
        let force = load.force + m * load.gravity + Self::ground(options, load) - m * load.acceleration;
        let (w, z) = (rate(options.balance), options.damping);
        let pull = h * w * w * (load.home - self.shift);
        self.velocity =
            (self.velocity + h / m * force + pull) / (1.0 + h * w * (2.0 * z + h * w));
        self.shift += h * self.velocity;
        // Gains in proportion to the inertia make the righting the same in every direction.
        let w = rate(options.righting);
        let turn = load.inertia.inverse_definite() * level(load.moment, load.gravity);
        let pull = h * (turn - w * w * self.tilt);
        self.spin = level(self.spin + pull, load.gravity) / (1.0 + h * w * (2.0 * z + h * w));
        self.tilt += h * self.spin;
    }

    /// Stops at the ends of what legs can follow.
    fn keep_within(&mut self, options: &WholeOptions, load: &Load) {
        let up = -load.gravity.try_normalize().unwrap_or(-DVec3::Z);
        let off = self.shift - load.home;
        let (height, rise) = (up.dot(off), up.dot(self.velocity));
        let (mut along, mut speed) = (off - up * height, self.velocity - up * rise);
        stop(&mut along, &mut speed, options.farthest);
        let kept = height.clamp(-options.highest, options.highest);
        let rise = if kept == height || rise * height < 0.0 { rise } else { 0.0 };
        self.shift = load.home + along + up * kept;
        self.velocity = speed + up * rise;
        stop(&mut self.tilt, &mut self.spin, options.tilt);
    }
}

/// Keeps a vector within a length; its rate does not lead out there.
fn stop(at: &mut DVec3, rate: &mut DVec3, most: f64) {
    let size = at.length();
    if size > most {
        let out = *at / size;
        *at = out * most;
        *rate -= out * out.dot(*rate).max(0.0);
    }
}
