//! What every clip of the library must keep: feet stay, joints obey their ranges, nothing sinks or jumps, flights fall.

use super::skeleton::{BALL, Ball, HEEL, PALM, Placed, joints_of, limbs, masses, skeleton, sole, trunk};
use super::{LibraryError, compiled};
use crate::keyframe::{Compiled, GRAVITY, Part, worst_violation};
use crate::roles::Side;
use crate::rotation::{angle, log};
use crate::skeleton::JointId;
use glam::DVec3;

/// What a check measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name of the clip.
    pub name: String,
    /// Length in seconds.
    pub duration: f64,
    /// Farthest that a planted heel, ball or palm gets from where its contact begins, in metres.
    pub slide: f64,
    /// Greatest excess over a joint's range, in degrees, and which.
    pub limit_excess: f64,
    /// The angle of that excess.
    pub limit_name: String,
    /// Deepest point of a sole below the floor, in metres.
    pub sole_depth: f64,
    /// When, in seconds.
    pub sole_time: f64,
    /// Deepest point of the rest of the body below the floor, in metres.
    pub body_depth: f64,
    /// Greatest height of the lowest point above the floor outside of flights, in metres.
    pub float: f64,
    /// Worst |acceleration + g| / g of the centre of mass within flights.
    pub gravity_error: f64,
    /// Greatest difference of first and last pose of a loop: angle in degrees or height in centimetres.
    pub seam: f64,
    /// Greatest change of a joint's angular velocity from one frame to the next, rad/s.
    pub spin_jump: f64,
    /// Joint and time of that change.
    pub spin_name: String,
    /// Greatest change of the root's velocity from one frame to the next, m/s.
    pub root_jump: f64,
    /// When, in seconds.
    pub root_jump_time: f64,
}

/// Bounds of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Greatest slide, m.
    pub slide: f64,
    /// Greatest excess over a joint's range, degrees.
    pub limit_excess: f64,
    /// Greatest depth of soles, m.
    pub sole_depth: f64,
    /// Greatest depth of the rest of the body, m.
    pub body_depth: f64,
    /// Greatest height of the lowest point while something should rest, m.
    pub float: f64,
    /// Greatest error of gravity, as a share of g.
    pub gravity_error: f64,
    /// Greatest seam of a loop.
    pub seam: f64,
    /// Greatest jump of angular velocity, rad/s.
    pub spin_jump: f64,
    /// Greatest jump of the root's velocity, m/s.
    pub root_jump: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            slide: 0.01,
            limit_excess: 0.5,
            sole_depth: 0.01,
            body_depth: 0.02,
            float: 0.02,
            gravity_error: 0.1,
            seam: 0.1,
            spin_jump: 9.5,
            root_jump: 0.7,
        }
    }
}

impl Check {
    /// What exceeds the limits, in words; empty where all holds.
    pub fn complaints(&self, limits: &Limits) -> Vec<String> {
        let mut found = Vec::new();
        let mut see = |value: f64, limit: f64, what: &str| {
            if value.is_nan() || value > limit {
                found.push(format!("{}: {what} {value:.4}, at most {limit}", self.name));
            }
        };
        see(self.slide, limits.slide, "slide in m");
        see(self.limit_excess, limits.limit_excess, &format!("{} beyond its range by", self.limit_name));
        let when = format!("sole below the floor at {:.2} s in m", self.sole_time);
        see(self.sole_depth, limits.sole_depth, &when);
        see(self.body_depth, limits.body_depth, "body below the floor in m");
        see(self.float, limits.float, "lowest point above the floor in m");
        see(self.gravity_error, limits.gravity_error, "gravity in flight off by a share of");
        see(self.seam, limits.seam, "seam of the loop");
        see(
            self.spin_jump,
            limits.spin_jump,
            &format!("jump of angular velocity of {} in rad/s", self.spin_name),
        );
        let when = format!("jump of root velocity at {:.2} s in m/s", self.root_jump_time);
        see(self.root_jump, limits.root_jump, &when);
        found
    }
}

/// Measures a clip of the library.
///
/// # Errors
/// No clip of this name.
pub fn check(name: &str) -> Result<Check, LibraryError> {
    Ok(check_compiled(&compiled(name)?))
}

/// Measures a compiled keyframe file.
pub fn check_compiled(compiled: &Compiled) -> Check {
    let clip = &compiled.clip;
    let (skeleton, masses) = (skeleton(), masses());
    let rate = 1.0 / clip.frame_time();
    let placed: Vec<Placed> = (0..clip.n_frames())
        .map(|f| Placed::new(&skeleton, clip.root_position(f), clip.rotations(f)))
        .collect();
    let mut check = Check {
        name: clip.name.clone(),
        duration: clip.duration(),
        slide: slide(compiled, &placed, rate),
        limit_excess: 0.0,
        limit_name: "nothing".to_owned(),
        sole_depth: 0.0,
        sole_time: 0.0,
        body_depth: 0.0,
        float: 0.0,
        gravity_error: 0.0,
        seam: 0.0,
        spin_jump: 0.0,
        spin_name: "nothing".to_owned(),
        root_jump: 0.0,
        root_jump_time: 0.0,
    };
    for frame in 0..clip.n_frames() {
        let (over, limit, side) = worst_violation(clip.rotations(frame));
        if over > check.limit_excess {
            check.limit_excess = over;
            let side = side.map_or("", |s| if s == Side::Left { "left " } else { "right " });
            check.limit_name = format!("{side}{} at {:.2} s", limit.name, frame as f64 / rate);
        }
    }
    measure_floor(compiled, &placed, rate, &mut check);
    for flight in &compiled.flights {
        let (a, b) = ((flight.from * rate).round().max(0.0) as usize, (flight.to * rate).round() as usize);
        for frame in a + 1..b.min(placed.len() - 1) {
            let center = |f: usize| placed[f].center_of_mass(&masses);
            let fall = (center(frame + 1) - 2.0 * center(frame) + center(frame - 1)) * rate * rate;
            check.gravity_error = check.gravity_error.max((fall + DVec3::Z * GRAVITY).length() / GRAVITY);
        }
    }
    measure_smoothness(compiled, rate, &mut check);
    check
}

/// Farthest way of a planted point.
fn slide(compiled: &Compiled, placed: &[Placed], rate: f64) -> f64 {
    let mut worst: f64 = 0.0;
    for contact in &compiled.contacts {
        let points: Vec<(JointId, DVec3)> = match contact.part {
            Part::Heel(s) => vec![(joints_of(s).foot, HEEL)],
            Part::Toe(s) => vec![(joints_of(s).foot, BALL)],
            Part::Foot(s) => vec![(joints_of(s).foot, HEEL), (joints_of(s).foot, BALL)],
            Part::Hand(s) => vec![(joints_of(s).hand, PALM)],
            Part::Knee(_) | Part::Seat | Part::Trunk => Vec::new(),
        };
        let first = (contact.from * rate - 1e-6).ceil().max(0.0) as usize;
        let last = ((contact.to * rate + 1e-6).floor() as usize).min(placed.len() - 1);
        for (joint, local) in points {
            let start = placed[first].point(joint, local);
            for pose in &placed[first..=last] {
                worst = worst.max(pose.point(joint, local).distance(start));
            }
        }
    }
    worst
}

/// Depths below the floor and height above it.
fn measure_floor(compiled: &Compiled, placed: &[Placed], rate: f64, check: &mut Check) {
    let soles: Vec<Ball> = Side::BOTH.iter().flat_map(|&s| sole(s)).collect();
    let body: Vec<Ball> = trunk().into_iter().chain(limbs()).collect();
    for (frame, pose) in placed.iter().enumerate() {
        let t = frame as f64 / rate;
        let lowest = |balls: &[Ball]| balls.iter().map(|b| pose.bottom(b)).fold(f64::INFINITY, f64::min);
        let (sole, body) = (lowest(&soles), lowest(&body));
        if -sole > check.sole_depth {
            check.sole_depth = -sole;
            check.sole_time = t;
        }
        check.body_depth = check.body_depth.max(-body);
        let flies = compiled.flights.iter().any(|f| (f.from..=f.to).contains(&t));
        let raised = compiled.contacts.iter().any(|c| c.height > 0.0 && (c.from..=c.to).contains(&t));
        if !flies && !raised {
            check.float = check.float.max(sole.min(body));
        }
    }
}

/// Jumps of velocities, and the seam of a loop.
fn measure_smoothness(compiled: &Compiled, rate: f64, check: &mut Check) {
    let clip = &compiled.clip;
    let last = clip.n_frames() - 1;
    let spin = |frame: usize, joint: usize| {
        log(clip.rotations(frame)[joint].conjugate() * clip.rotations(frame + 1)[joint]) * rate
    };
    let speed = |frame: usize| (clip.root_position(frame + 1) - clip.root_position(frame)) * rate;
    let mut pairs: Vec<(usize, usize)> = (1..last).map(|f| (f - 1, f)).collect();
    if compiled.looped {
        pairs.push((last - 1, 0));
        let poses = clip.rotations(0).iter().zip(clip.rotations(last));
        check.seam = poses.map(|(&a, &b)| angle(a, b).to_degrees()).fold(0.0, f64::max);
        check.seam = check.seam.max(100.0 * (clip.root_position(last).z - clip.root_position(0).z).abs());
    }
    for (a, b) in pairs {
        for joint in 0..clip.n_joints() {
            let jump = (spin(b, joint) - spin(a, joint)).length();
            if jump > check.spin_jump {
                check.spin_jump = jump;
                let name = &clip.skeleton().joints()[joint].name;
                check.spin_name = format!("{name} at {:.2} s", b as f64 / rate);
            }
        }
        let jump = (speed(b) - speed(a)).length();
        if jump > check.root_jump {
            check.root_jump = jump;
            check.root_jump_time = b as f64 / rate;
        }
    }
}
