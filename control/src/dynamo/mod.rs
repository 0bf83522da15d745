//! Dynamo: world-space tracking with adjustable balance (Wrotek, Jenkins, McGuire 2006).
//!
//! Every bone but the root is driven towards its world orientation, not its angle to the parent:
//!
//! ```text
//! (5)  τ_b = k₁ Δ(W_d, W_a) + k₂ (ω_d - ω_a)
//! ```
//!
//! | file | what |
//! |---|---|
//! | `targets` | desired orientations and rates (2)–(4), in the world or to the parent |
//! | `gains` | k₁ and k₂ by carried inertia |
//! | `load` | what the motion's own load asks of legs (9), (10) |
//! | `torques` | (5) as implicit terms, from outside or by the joints |
//! | `root` | unpowered, meathook, weak spring (6)–(8) |
//! | `stun` | impacts weaken the character |
//! | `feet` | feet that are caught step higher |
//! | `kind` | what scenes write about it |

mod feet;
mod gains;
mod kind;
mod load;
mod root;
mod stun;
mod targets;
mod torques;

pub use feet::FootLift;
pub use gains::BoneGains;
pub use kind::KIND;
pub(crate) use kind::{KEYS, read};
pub use root::{Balance, Root, RootSense, WeakSpring};
pub use stun::{Stun, StunOptions};
pub use targets::{Frame, Space, Targets};
pub use torques::Application;

use std::sync::Arc;

use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Data, ImplicitForce, Model, State};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::pose::STRENGTH;
use crate::readings::{Published, Readings, Together};
use crate::reference::{Attitudes, Beginning, Medley, Reference};
use crate::senses::root_over_lowest;

/// Settings of [`Dynamo`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamoOptions {
    /// Natural frequency of the tracking, rad/s: `k₁ = I ω²` with `I` the inertia the bone carries.
    pub frequency: f64,
    /// Damping ratio: `k₂ = 2 ζ I ω`.
    pub damping_ratio: f64,
    /// What bones strive for.
    pub space: Space,
    /// How torques act.
    pub application: Application,
    /// Whose root the targets hang on.
    pub frame: Frame,
    /// How the root balances.
    pub balance: Balance,
    /// Largest moment about the vertical that holds the root's own heading to the body's, N m: running and
    /// hopping need 60. (The other bones' springs answer it: see [`Targets`].)
    pub yaw_limit: f64,
    /// Largest moment from outside on the root, all of it together, N m; the paper has no bound.
    pub aid: f64,
    /// How impacts weaken the character.
    pub stun: StunOptions,
    /// Share of the motion's own load that legs push with, 0 to 1; the paper has none.
    pub push: f64,
    /// Largest torque from outside on a bone, of what its joints could turn it with; the paper has no bound.
    pub effort: f64,
    /// Share of the trunk's stiffness with which the waist holds the pelvis, by the joint; the paper has none.
    pub waist: f64,
    /// Lift of feet that are caught.
    pub foot_lift: FootLift,
    /// Seconds over which one motion fades into the next.
    pub fade: f64,
}

impl Default for DynamoOptions {
    fn default() -> Self {
        Self {
            frequency: 40.0,
            damping_ratio: 1.0,
            space: Space::World,
            application: Application::External,
            frame: Frame::ByMotion,
            balance: Balance::WeakSpring(WeakSpring::default()),
            yaw_limit: 60.0,
            aid: f64::INFINITY,
            stun: StunOptions::default(),
            push: 1.0,
            // The table has an ankle give 2 N m per kg; runners' give 3 (Novacheck 1998). From 1.3 to 2 runs hardly differ.
            effort: 1.5,
            waist: 1.0,
            foot_lift: FootLift::default(),
            fade: 0.25,
        }
    }
}

/// World-space tracker of one character.
#[derive(Clone)]
pub struct Dynamo {
    /// Settings; free to change between steps.
    pub options: DynamoOptions,
    model: Arc<Model>,
    medley: Medley,
    wanted: Attitudes,
    targets: Targets,
    gains: BoneGains,
    /// Largest torque on every bone, N m.
    effort: Vec<f64>,
    feet: feet::Feet,
    load: load::Load,
    root: Root,
    stun: Stun,
    /// Net external moment of the last step, N m.
    cheat: DVec3,
    /// Impulse to be felt besides those of contacts, N s.
    felt: f64,
    /// Readings.
    values: [f64; PUBLISHED.len()],
}

/// What a tracker says of its moments from outside.
pub(crate) const CHEAT: Published = Published {
    name: "cheat",
    unit: "of 1",
    help: "Net moment from outside per weight at an arm of one metre",
    together: Together::Mean,
};

const COMMANDS: &[&str] = &["frequency", "damping-ratio"];

const PUBLISHED: [Published; 4] = [
    CHEAT,
    STRENGTH,
    Published {
        name: "leaning",
        unit: "m",
        help: "Mean moment that the weak root spring was asked for lately, as an arm of the whole weight",
        together: Together::Most,
    },
    Published {
        name: "bone-error",
        unit: "rad",
        help: "Mean angle between bones and their targets",
        together: Together::Mean,
    },
];

/// A moment per weight of the one it acts on, at an arm of one metre; or a force per weight.
pub(crate) fn per_weight(moment: DVec3, sense: &Sense<'_>) -> f64 {
    moment.length() / (sense.model.gravity().length() * sense.own.mass()).max(1e-12)
}

/// Height of a figure's root over its lowest joint in the zero pose, in which it stands, m.
pub(crate) fn standing_height(model: &Model) -> f64 {
    let mut data = Data::new(model);
    forward_kinematics(model, &State::new(model), &mut data);
    root_over_lowest(&data.position.world_from_body)
}

impl Dynamo {
    /// A tracker for a character with its own `model` (one tree, as it was appended to the scene).
    pub fn new(model: impl Into<Arc<Model>>, reference: Box<dyn Reference>, options: DynamoOptions) -> Self {
        let model = model.into();
        let n = model.n_bodies();
        Self {
            medley: Medley::new(reference, 0.0),
            wanted: Attitudes::new(n),
            targets: Targets::new(n, standing_height(&model)),
            gains: BoneGains::new(&model, options.frequency, options.damping_ratio),
            effort: Vec::new(),
            feet: feet::Feet::new(),
            load: load::Load::new(n),
            root: Root::new(options.balance),
            stun: Stun::new(options.stun),
            cheat: DVec3::ZERO,
            felt: 0.0,
            values: [0.0, 1.0, 0.0, 0.0],
            options,
            model,
        }
    }

    /// Follows another motion from `time` on, faded in over [`DynamoOptions::fade`]. The state of the character is not
    /// touched.
    pub fn follow(&mut self, reference: Box<dyn Reference>, time: f64) {
        self.medley.follow(reference, time, self.options.fade);
    }

    /// What every bone should do, as of the last step.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Gain scale of the stun.
    pub fn strength(&self) -> f64 {
        self.stun.strength()
    }

    /// The motion being followed, the newest if one fades into another.
    pub fn reference_mut(&mut self) -> &mut dyn Reference {
        self.medley.newest_mut()
    }

    /// Whether an impact has knocked it out.
    pub fn is_unconscious(&self) -> bool {
        self.stun.is_unconscious()
    }

    /// Seconds for which the root spring has been broken; zero while it holds.
    pub fn broken_for(&self) -> f64 {
        self.root.broken_for()
    }

    /// Breaks the root spring: strength fades, as after a fall.
    pub fn break_spring(&mut self) {
        self.root.set_broken(true);
    }

    /// As long after a fall: the spring is broken and no strength is left.
    pub fn go_limp(&mut self) {
        self.break_spring();
        self.stun.faint();
    }

    /// Makes a broken root spring hold again at once; strength comes back.
    pub fn rearm(&mut self) {
        self.root.set_broken(false);
    }

    /// Lets the stun feel an impulse (N s) in the next step besides those of contacts.
    pub fn strike(&mut self, impulse: f64) {
        self.felt = self.felt.max(impulse);
    }

    /// Net moment that came from outside in the last step ("cheat level"), as it would be at the velocities the step
    /// began with, N m.
    pub fn cheat(&self) -> DVec3 {
        self.cheat
    }

    /// Mean angle between the bones' orientations and their targets, rad, as of the last step.
    pub fn error(&self) -> f64 {
        self.targets.mean_error()
    }

    /// (6)–(8), the weak spring that keeps the root's heading with the body's, and (5) where the root is a bone like the others: the
    /// same in every cell of targets and torques.
    fn balance(&mut self, sense: &Sense<'_>, strength: f64, out: &mut Actuation) {
        let root_body = sense.root();
        let root = RootSense::of(sense, &self.targets, &self.wanted, strength);
        self.root.balance = self.options.balance;
        let at = |term: &ImplicitForce| term.at_rest.angular - term.gain.angular * root.actual;
        let terms = self.root.moments(&root, self.gains.of_root(), self.options.yaw_limit);
        let size = terms.iter().flatten().map(at).sum::<DVec3>().length();
        // Gains are scaled down alike, as in (8).
        let share = if size > self.options.aid { self.options.aid / size } else { 1.0 };
        for term in terms.into_iter().flatten() {
            let term = ImplicitForce::moment(term.at_rest.angular * share, term.gain.angular * share);
            let moment = at(&term);
            if self.options.application == Application::FullyInternal {
                self.push_off(sense, moment, out);
            } else {
                self.cheat += moment;
                out.implicit.push((root_body, term));
            }
        }
    }
}

impl Controller for Dynamo {
    fn name(&self) -> &'static str {
        "dynamo"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if self.effort.is_empty() {
            self.effort = torques::efforts(&sense.model.bodies()[sense.bodies], sense.bodies);
        }
        self.gains.set(self.options.frequency, self.options.damping_ratio);
        self.gains.bear(sense.own.touches().iter().map(|touch| touch.load), sense.dt);
        self.medley.attitudes(&self.model, sense.time(), &mut self.wanted);
        let poses = &sense.data.position.world_from_body[sense.bodies];
        self.targets.update(&self.wanted, poses, self.gains.stiffness(), self.options.frame);
        if self.options.space == Space::Parent {
            let spin = |bone| sense.data.velocity.body[sense.body_of(bone)].angular;
            self.targets.hang_on_parents(&self.model, &self.wanted, spin);
        }

        self.feet.lift(&self.options.foot_lift, &self.model, &self.wanted, &mut self.targets, sense);

        // What strikes it, and whoever else pushes.
        let felt = self
            .stun
            .gather(sense.own.blows() + sense.own.outside(), sense.dt)
            .max(std::mem::take(&mut self.felt));
        let strength = self.stun.update(felt, self.root.broken_for(), sense.dt);
        // Who is weak bears less, and who lies on purpose pushes nothing.
        let push = self.options.push * strength * strength * self.targets.upright;
        self.load.update(&self.model, &self.wanted, self.targets.heading, push, sense);
        self.cheat = DVec3::ZERO;
        self.track(sense, strength, out);
        self.balance(sense, strength, out);
        self.values =
            [per_weight(self.cheat, sense), strength, per_weight(self.root.leaning(), sense), self.error()];
    }

    fn begin(&mut self, at: Beginning) {
        self.medley.newest_mut().begin(at);
        self.root.set_broken(false);
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match name {
            "frequency" => self.options.frequency = value.max(0.0),
            "damping-ratio" => self.options.damping_ratio = value.max(0.0),
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        self.medley.clone().write(sense.time(), &mut q[sense.tree().coordinates]);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        match (self.options.space, self.options.balance) {
            (Space::Parent, _) => Role::ParentSpace,
            (_, Balance::Meathook) => Role::Upheld,
            _ => Role::WorldSpace,
        }
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
