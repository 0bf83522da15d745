//! The whole body as one rigid body (Nguyen et al. 2011, section 3): how far its centre of mass and its attitude are off the motion's.
//!
//! ```text
//! F_r = m (c̈ - g) + F_c          what the ground would have to give for the motion and for balance …
//!       0 ≤ F_n ≤ 3 m g,  |F_t| ≤ μ F_n,  |F_c,t| ≤ F_n d/z                  … and what it can
//! F_c  = k_c (δ₀ - δ) - d_c δ̇    balance, eq. 2          τ_θ = -k_θ φ - d_θ φ̇    righting, eq. 3
//! m δ̈  = F_e + F_r - F_r|F_c=0                           I φ̈ = (x - c) × F_e + τ_θ
//! ```
//! Where the ground can give what the motion needs, the second line is `F_e + m g + F_r - m c̈`. Drawn motions ask for more than that at times: a quick walk brakes
//! harder than friction does. What it lacks is the motion's own, and no reason to go away from it (a tap of 5 N s had it drift off by 0.6 m/s).
//!
//! The printed eqs. 2 and 3 have the sign of their springs reversed. The paper has the ground take out F_e as well, up to friction, and adds F_c
//! from nowhere: pushes of up to half the weight would never be seen. Here it is the ground that balances: the body sways until that holds
//! the push, and a foot gives only what its sole can. The pressure under it goes at most the way `d` to the edge of the support, so that a
//! reaction that passes the centre of mass at the height `z` leans by `d/z`; it has no moment then. Turns about the vertical are left out, as
//! published.

use std::f64::consts::TAU;

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
    /// How far the support reaches beyond the centre of mass, against what is wanted of the ground, m.
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
///
/// What legs are asked to follow is bounded ([`Whole::posture`]): beyond three fifths of the bounds less and less of it, up to them. What it
/// is by forces goes on to twice as far, so that the bounds save nobody from falling.
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
    /// As far as it was off when forces took over, m: so far all of it is followed.
    followed: f64,
    /// What legs are asked to follow, and its rates.
    shown: [DVec3; 4],
}

/// What decides where it goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Way {
    /// Nothing: it is where the motion is.
    #[default]
    Rest,
    /// Forces.
    Free,
    /// A path to rest at `home`, of the shift and of the tilt: since when, from where with what rate.
    Back { home: DVec3, since: f64, shift: (DVec3, DVec3), tilt: (DVec3, DVec3), seconds: f64 },
}

/// Least way of the pressure, m: in a gait the weight is ahead of the foot that stands, which can be put down a little elsewhere all the same;
/// and one who leans out at the end of his feet is to come back some time.
pub const LEAST_REACH: f64 = 0.06;
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

    /// What decides where it goes, as a number: nothing, forces, or a path.
    pub(super) fn phase(&self) -> u8 {
        match self.way {
            Way::Rest => 0,
            Way::Free => 1,
            Way::Back { .. } => 2,
        }
    }

    /// F_c, N.
    pub fn balance(&self, options: &WholeOptions, load: &Load) -> DVec3 {
        let (w, z) = (TAU * options.balance, options.damping);
        // The spring at the end of the step.
        let pull = w * w * (load.home - self.shift - load.dt * self.velocity) - 2.0 * z * w * self.velocity;
        load.mass * pull / (1.0 + load.dt * w * (2.0 * z + load.dt * w))
    }

    /// What the ground gives, N: what the motion needs, which somebody stood on, and of `balance` what soles can.
    pub fn ground(options: &WholeOptions, load: &Load, balance: DVec3) -> DVec3 {
        let up = -load.gravity.try_normalize().unwrap_or(-DVec3::Z);
        let motion = load.mass * (load.acceleration - load.gravity);
        let most = 3.0 * load.mass * load.gravity.length();
        let normal = up.dot(motion + balance).clamp(0.0, most);
        let lean = load.reach.max(LEAST_REACH) / load.height.max(0.1);
        let across =
            level(motion, load.gravity) + level(balance, load.gravity).clamp_length_max(normal * lean);
        up * normal + across.clamp_length_max(normal * options.friction)
    }

    /// Shift and tilt that legs can follow.
    pub fn posture(&self) -> (DVec3, DVec3) {
        (self.shown[0], self.shown[1])
    }

    /// Takes a step under `load`. A body at rest that nothing disturbs stays so.
    pub fn step(&mut self, options: &WholeOptions, load: &Load, disturbed: bool, time: f64) {
        if disturbed && self.way != Way::Free {
            self.way = Way::Free;
            self.followed = level(self.shift - load.home, load.gravity).length();
        }
        // Feet that go elsewhere take the way back with them.
        match self.way {
            Way::Rest if self.shift != load.home => self.go_home(load.home, time, WAY_BACK),
            Way::Back { home, since, seconds, .. } if home != load.home => {
                self.go_home(load.home, time, (since + seconds - time).max(WAY_BACK));
            }
            _ => {}
        }
        match self.way {
            Way::Rest => {}
            Way::Free => {
                self.fall(options, load);
                self.stop(options, load);
                self.show(options, load);
                let far = [
                    (self.shift - load.home).length(),
                    self.tilt.length(),
                    self.velocity.length(),
                    self.spin.length(),
                ];
                let over = !disturbed && load.force == DVec3::ZERO;
                if over && far.iter().zip(NEAR).all(|(far, near)| *far < near) {
                    self.go_home(load.home, time + load.dt, WAY_BACK);
                }
            }
            Way::Back { since, shift, tilt, seconds, .. } => {
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
                self.shown = [self.shift, self.tilt, self.velocity, self.spin];
            }
        }
    }

    /// Goes to a home along a path of its own from what is shown, as one who steps does; `time` is that of the state it is in.
    pub fn go_home(&mut self, home: DVec3, time: f64, seconds: f64) {
        [self.shift, self.tilt, self.velocity, self.spin] = self.shown;
        self.way = Way::Back {
            home,
            since: time,
            shift: (self.shift - home, self.velocity),
            tilt: (self.tilt, self.spin),
            seconds,
        };
    }

    fn fall(&mut self, options: &WholeOptions, load: &Load) {
        let (h, m) = (load.dt, load.mass);
        let ground = Self::ground(options, load, self.balance(options, load));
        let own = Self::ground(options, load, DVec3::ZERO);
        self.velocity += h * (load.force + ground - own) / m;
        self.shift += h * self.velocity;
        // Gains in proportion to the inertia make the righting the same in every direction; taken at the end of the step.
        let (w, z) = (TAU * options.righting, options.damping);
        let turn = load.inertia.inverse_definite() * level(load.moment, load.gravity);
        let pull = h * (turn - w * w * self.tilt);
        self.spin = level(self.spin + pull, load.gravity) / (1.0 + h * w * (2.0 * z + h * w));
        self.tilt += h * self.spin;
    }

    /// Nobody leans farther out than twice what legs follow, where they follow no more: who does not fall comes back from there.
    fn stop(&mut self, options: &WholeOptions, load: &Load) {
        let up = -load.gravity.try_normalize().unwrap_or(-DVec3::Z);
        let off = self.shift - load.home;
        let (mut rise, mut climb) = (up * up.dot(off), up * up.dot(self.velocity));
        let (mut along, mut speed) = (off - rise, self.velocity - climb);
        halt(&mut along, &mut speed, 2.0 * options.farthest.max(self.followed));
        halt(&mut rise, &mut climb, 2.0 * options.highest);
        halt(&mut self.tilt, &mut self.spin, 2.0 * options.tilt);
        (self.shift, self.velocity) = (load.home + along + rise, speed + climb);
    }

    /// What of it legs can follow.
    fn show(&mut self, options: &WholeOptions, load: &Load) {
        let up = -load.gravity.try_normalize().unwrap_or(-DVec3::Z);
        let off = self.shift - load.home;
        let height = up.dot(off);
        let along = within(off - up * height, self.followed, options.farthest);
        let rise = within(up * height, 0.0, options.highest);
        let (shift, tilt) = (load.home + along + rise, within(self.tilt, 0.0, options.tilt));
        let [before, before_tilt, ..] = self.shown;
        self.shown = [shift, tilt, (shift - before) / load.dt, (tilt - before_tilt) / load.dt];
    }
}

/// Share of a bound up to which all is followed.
const ALL: f64 = 0.6;

/// A vector that grows to no more than `most` (or what was followed already and a bit), without a kink.
fn within(x: DVec3, followed: f64, most: f64) -> DVec3 {
    let (inner, rest) = (followed.max(ALL * most), (1.0 - ALL) * most);
    let size = x.length();
    if size <= inner || rest <= 0.0 {
        x
    } else {
        x * ((inner + rest * ((size - inner) / rest).tanh()) / size)
    }
}

/// Keeps a vector within a length; its rate does not lead out there.
fn halt(at: &mut DVec3, rate: &mut DVec3, most: f64) {
    let size = at.length();
    if size > most {
        let out = *at / size;
        *at = out * most;
        *rate -= out * out.dot(*rate).max(0.0);
    }
}
