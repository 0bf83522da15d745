//! Walking by joint servos through a few states (SIMBICON; Yin, Loken and van de Panne 2007), in three dimensions.
//!
//! ```text
//! (1)  θ̄ = θ̄₀ + c_d d + c_v (v - v̄)                   thigh of the swing leg in the world, forward and sideways apart
//! (2)  τ_stance = -τ_torso - τ_swing - τ_trunk         the stance hip holds the pelvis, as if it were held from outside
//! (3)  τ = k (θ̄ - θ) + k_d (θ̄̇ - θ̇)                     all joints, at the end of the step
//! ```
//! `d` is the way from the stance ankle to the centre of mass and `v` the velocity of that, along axes that turn with the wanted
//! heading. The torques of (2) other than the torso's are those of the last step. There is no help from outside.
//!
//! With `muscles`, motors of [`crate::velocity`] drive the joints through the same states. Towards the rate `(θ̄ - θ)/T + θ̄̇` with the softness
//! `1/k_d`, `T = k_d/k`, they are (3) to the letter, and bounded by what muscles give, and how fast.
//!
//! The paper's servos are explicit and step at 2 kHz; these are implicit, so that gains and tables as published stand at 240 Hz.

mod gait;
mod kind;

pub use gait::{GAITS, Gait, Joint, Pose, Sideways, Strengths};
pub use kind::KIND;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{Actuation, Bodies, JointKind, Model};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::kind::Refusal;
use crate::pose_graph::aim;
use crate::readings::Readings;
use crate::velocity::{Drive, Goal, Muscles, Pace};
use crate::walking::{
    Biped, Course, Hold, STRIDE, STRIKE, Strides, hold_child, hold_parent, level_foot, other, outward, show,
};

const COMMANDS: &[&str] = &["speed", "heading"];

/// How far the feedback may take a swing thigh, rad: back, forward, and sideways.
const REACH: [f64; 3] = [-0.6, 1.6, 0.6];

/// What a walk is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimbiconOptions {
    /// The states.
    pub gait: Gait,
    /// Balance sideways.
    pub sideways: Sideways,
    /// How stiff the servos are.
    pub gains: Strengths,
    /// `v̄` of (1), m/s.
    pub speed: f64,
    /// Muscles that drive the joints, in place of servos.
    pub muscles: Option<Muscles>,
}

/// A walk at work on a character.
#[derive(Clone, Debug)]
pub struct Simbicon {
    options: SimbiconOptions,
    biped: Biped,
    stance: Side,
    /// Whether it is in the first state.
    rising: bool,
    entered: f64,
    course: Option<Course>,
    /// Motors, where muscles drive it.
    drive: Option<Drive>,
    /// What the joints shall be: coordinates and rates.
    told: Vec<(Bone, Joint, [f64; 4], DVec3)>,
    strides: Strides,
}

impl Simbicon {
    /// A walk for a figure with two legs that is `bodies` of a model.
    ///
    /// # Errors
    /// A figure without.
    pub fn new(
        model: &Model,
        bodies: Bodies,
        physique: &Physique,
        options: SimbiconOptions,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            drive: options.muscles.map(|muscles| Drive::new(model, bodies, muscles)),
            options,
            biped: Biped::of(physique)?,
            stance: Side::Right,
            rising: true,
            entered: 0.0,
            course: None,
            told: Vec::with_capacity(physique.parts().len()),
            strides: Strides::default(),
        })
    }

    /// The same, with the right leg swinging first.
    #[must_use]
    pub fn right_foot_first(mut self) -> Self {
        self.stance = Side::Left;
        self
    }

    /// Leaves a state that is over.
    fn go_on(&mut self, sense: &Sense<'_>) {
        let time = sense.time() - self.entered;
        let swing = other(self.stance);
        if self.rising {
            // Time comes in steps; half of one is no delay.
            if time + 0.5 * sense.dt < self.options.gait.time {
                return;
            }
            self.entered = sense.time();
            if self.options.gait.down.is_some() {
                self.rising = false;
                return;
            }
        } else if sense.own.load(swing) < STRIKE {
            return;
        }
        (self.rising, self.entered, self.stance) = (true, sense.time(), swing);
        if let Some(course) = &self.course {
            let ankle = sense.data.world_from_body(sense.body_of(self.biped.leg(swing).foot)).translation;
            self.strides.count(course, swing, ankle, sense.time());
        }
    }

    /// Has a hinge go to an angle.
    fn bend(&mut self, bone: Bone, joint: Joint, angle: f64) {
        self.told.push((bone, joint, [angle, 0.0, 0.0, 0.0], DVec3::ZERO));
    }

    fn hold(&mut self, bone: Bone, joint: Joint, hold: Hold) {
        self.told.push((bone, joint, hold.q.to_array(), hold.v));
    }

    /// (3) on all joints.
    fn serve(&self, sense: &Sense<'_>, out: &mut Actuation) {
        for &(bone, joint, q, rates) in &self.told {
            let body = sense.bone(bone);
            let mut stiffness = self.options.gains.of(joint);
            if let JointKind::Universal { axes } = &body.joint().kind {
                // Gains are about x, y and z of a ball joint.
                let [x, y, z] = stiffness;
                stiffness = [0, 1, 2].map(|k| axes.get(k).map_or(0.0, |a| DVec3::new(x, y, z).dot(*a * *a)));
            }
            for (k, freedom) in body.freedoms().iter().enumerate().take(3) {
                out.servo.stiffness[freedom] = stiffness[k];
                out.servo.damping[freedom] = stiffness[k] * self.options.gains.damping;
                out.servo.target_v[freedom] = rates[k];
            }
            let range = body.coordinates();
            let n = range.len().min(4);
            out.servo.target_q[range][..n].copy_from_slice(&q[..n]);
        }
    }

    /// (1): attitude of the swing thigh, course axes.
    fn swing_thigh(&self, sense: &Sense<'_>, course: &Course, pose: &Pose) -> DQuat {
        let ankle = sense.data.world_from_body(sense.body_of(self.biped.leg(self.stance).foot)).translation;
        let d = course.own(sense.own.center_of_mass() - ankle);
        let v = course.own(sense.own.velocity());
        let [back, forward, aside] = REACH;
        let flexion = pose.swing_hip + pose.cd * d.x + pose.cv * (v.x - self.options.speed);
        let Sideways { outward: out, cd, cv } = self.options.sideways;
        let roll = outward(other(self.stance)) * out + cd * d.y + cv * v.y;
        DQuat::from_rotation_y(-flexion.clamp(back, forward))
            * DQuat::from_rotation_x(roll.clamp(-aside, aside))
    }

    fn walk(&mut self, sense: &Sense<'_>, course: &Course, out: &mut Actuation) {
        let gait = self.options.gait;
        let pose = if self.rising { gait.up } else { gait.down.unwrap_or(gait.up) };
        let (stance, swing) = (*self.biped.leg(self.stance), *self.biped.leg(other(self.stance)));
        let upright = course.world() * DQuat::from_rotation_y(-pose.torso);
        // The swing leg.
        let thigh = course.world() * self.swing_thigh(sense, course, &pose);
        self.hold(swing.thigh, Joint::Hip, hold_child(sense, swing.thigh, thigh));
        self.bend(swing.shank, Joint::Knee, -pose.swing_knee);
        // The leg that stands: its hip holds the pelvis as long as the foot bears.
        if sense.own.load(self.stance) > STRIKE {
            self.hold(stance.thigh, Joint::Torso, hold_parent(sense, stance.thigh, upright));
            // Motors are solved together and need not be told of each other.
            if self.drive.is_none() {
                self.pass_on(sense, stance.thigh, [Some(swing.thigh), self.biped.trunk], out);
            }
        }
        self.bend(stance.shank, Joint::Knee, -pose.stance_knee);
        for (leg, angle) in [(swing, pose.swing_ankle), (stance, pose.stance_ankle)] {
            let level = level_foot(sense, course, leg.shank, angle);
            if sense.bone(leg.foot).joint().kind == JointKind::Spherical {
                let foot = hold_child(sense, leg.foot, level);
                self.hold(leg.foot, Joint::Ankle, Hold { v: DVec3::ZERO, ..foot });
            } else {
                self.told.push((leg.foot, Joint::Ankle, aim(sense, leg.foot, level), DVec3::ZERO));
            }
            if let Some(toe) = leg.toe {
                self.bend(toe, Joint::Toe, 0.0);
            }
        }
        if let Some(trunk) = self.biped.trunk {
            self.told.push((trunk, Joint::Trunk, aim(sense, trunk, upright), DVec3::ZERO));
        }
    }

    /// The rest of (2): what the pelvis had from its other joints in the last step is passed on to the stance hip.
    fn pass_on(&self, sense: &Sense<'_>, hip: Bone, from: [Option<Bone>; 2], out: &mut Actuation) {
        let axes = |bone: Bone| sense.data.world_from_body(sense.body_of(bone)).rotation;
        let joints = sense.own.joints();
        let mut sum = DVec3::ZERO;
        for bone in from.into_iter().flatten() {
            // The moment on the bone along its joint's freedoms, world axes; the pelvis had the opposite.
            let torques = &joints.torques()[joints.freedoms(bone)];
            sum += match (torques, &sense.bone(bone).joint().kind) {
                (&[x, y, z], _) => axes(bone) * DVec3::new(x, y, z),
                (&[a, b], JointKind::Universal { axes: [first, second] }) => {
                    axes(bone) * (*first * a + *second * b)
                }
                _ => DVec3::ZERO,
            };
        }
        let own = axes(hip).transpose() * -sum;
        for (k, freedom) in sense.bone(hip).freedoms().iter().enumerate().take(3) {
            out.joint_force[freedom] += own[k];
        }
    }
}

impl Controller for Simbicon {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        (self.rising, self.entered) = (true, sense.time());
        self.course = Some(Course::of(sense));
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if self.course.is_none() {
            self.enter(sense);
        }
        self.go_on(sense);
        let Some(mut course) = self.course else { return };
        course.follow(sense.dt);
        self.course = Some(course);
        self.told.clear();
        self.walk(sense, &course, out);
        match &self.drive {
            Some(drive) => {
                let gains = &self.options.gains;
                let goal = |bone: Bone| {
                    let &(_, joint, q, rates) = self.told.iter().find(|told| told.0 == bone)?;
                    let pace = Pace { left: 0.0, floor: gains.damping };
                    // One softness per joint: an ankle's is that of going up and down.
                    Some(Goal { rates, ..Goal::at(q, pace) }.softened(gains.of(joint)[1] * gains.damping))
                };
                drive.act(sense, goal, out);
            }
            None => self.serve(sense, out),
        }
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `speed`: velocity forward that is fed back as none, m/s. `heading`: turns to so many degrees left of +x.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "speed" => self.options.speed = value,
            "heading" => {
                if let Some(course) = &mut self.course {
                    course.wanted = value.to_radians();
                }
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        show(sense, self.told.iter().map(|&(bone, _, told, _)| (bone, told)), q);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&STRIDE, &self.strides.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
