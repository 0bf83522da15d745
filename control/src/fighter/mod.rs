//! A boxer above Dynamo (Wrotek 2006, sections 4.4 and 4.5): it fights, is knocked down, lies still, gets up and
//! fights on.
//!
//! ```text
//! standing --(root spring broken for 0.5 s, knocked out, or sunk down)--> down: a rag doll
//! down     --(at rest and conscious)--> settling into the get-up clip that fits how it lies
//! settling --(near the clip's pose)--> rising: the clip plays
//! rising   --(clip over, on its feet)--> steadying in guard --> standing
//! rising   --(tilted far from the clip, or not up in time)--> down
//! ```
//!
//! Standing it plays a motion graph over boxing clips. What is played is chosen by [`Mind`], or by a person through
//! [`Controller::command`]. Dynamo tracks it all the way; only while it gets up a spring of the fighter's own holds
//! the pelvis in place of Dynamo's.

mod aid;
mod bout;
mod falling;
mod hurt;
mod kind;
mod library;
mod lying;
mod mind;
mod motion;
mod playlist;
mod repertoire;
mod routes;
mod sight;

pub use aid::{Aid, Spring};
pub use bout::Bout;
pub use hurt::{Blow, Hurt, HurtOptions};
pub use kind::KIND;
pub use library::{library_figure, repertoire};
pub use lying::{Lying, Start};
pub use mind::{Mind, Style, View};
pub use motion::{Layout, Motion};
pub use playlist::{Cue, Playlist};
pub use repertoire::{FighterError, Move, Punch, Repertoire};
pub use routes::Routes;

use std::any::Any;
use std::sync::Arc;

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Bodies};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::dynamo::{Application, CHEAT, Dynamo, DynamoOptions, Frame, Space, Stun, StunOptions, per_weight};
use crate::pose::STRENGTH;
use crate::readings::{Published, Readings, Together};
use crate::reference::Reference;
use aid::{HALF_UP, root_pose, root_rotation, wrap, write_root, yaw};
use falling::SETTLING;

/// Settings of a [`Fighter`].
#[derive(Clone, Debug, PartialEq)]
pub struct FighterOptions {
    /// Of the tracking.
    pub dynamo: DynamoOptions,
    /// Bodies of the opponent in the scene's model; a figure like the fighter's own.
    pub opponent: Option<Bodies>,
    /// Seed of all chance.
    pub seed: u64,
    /// Whether it decides for itself.
    pub autonomous: bool,
    /// How it decides.
    pub style: Style,
    /// How hits hurt.
    pub hurt: HurtOptions,
    /// Moments from outside while it gets up.
    pub rising: Aid,
    /// Damping of the joints of a rag doll, as a share of the reference gains: limp, not rattling.
    pub tone: f64,
    /// Turns the pelvis towards the opponent, if at all.
    pub steering: Option<Spring>,
    /// Whether it begins as one who has fallen, in whatever pose.
    pub fallen: bool,
    /// Whether it gets up again.
    pub rises: bool,
    /// How many times its impulse a punch is felt: what makes head and trunk give way.
    pub recoil: f64,
}

impl Default for FighterOptions {
    fn default() -> Self {
        Self {
            dynamo: DynamoOptions::default(),
            opponent: None,
            seed: 0,
            autonomous: true,
            style: Style::default(),
            hurt: HurtOptions::default(),
            rising: Aid::default(),
            tone: 0.12,
            steering: Some(Spring { stiffness: 60.0, damping: 12.0, limit: 30.0 }),
            fallen: false,
            rises: true,
            recoil: 0.6,
        }
    }
}

/// What a fighter is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// On its feet.
    Standing,
    /// Fallen: a rag doll.
    Down {
        /// Time of the fall, s.
        since: f64,
        /// Seconds of rest so far.
        still_for: f64,
    },
    /// Coming to the first pose of getting up.
    Settling {
        /// Time it began, s.
        since: f64,
        /// Where a way up will begin; one who only turns over has none.
        start: Option<Start>,
        /// Times it has turned over since it lay still.
        turns: u32,
    },
    /// Getting up.
    Rising {
        /// Time it began, s.
        since: f64,
        /// Seconds it has been tilted far from the clip.
        astray_for: f64,
    },
    /// On its feet, taking up the guard.
    Steadying {
        /// Time it began, s.
        since: f64,
    },
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Times it went down.
    pub falls: u64,
    /// Times it stood again.
    pub recoveries: u64,
    /// Longest time from going down to standing, s.
    pub longest: f64,
    /// Punches begun.
    pub punches: u64,
}

/// Seconds over which one who was hit passes into a step back: shorter than a fade between moves.
const STAGGER: f64 = 0.12;

/// A right angle; a turn is a third of it.
const QUARTER: f64 = std::f64::consts::FRAC_PI_2;

/// A boxer.
#[derive(Clone)]
pub struct Fighter {
    /// Settings; free to change between steps.
    pub options: FighterOptions,
    repertoire: Arc<Repertoire>,
    dynamo: Dynamo,
    mind: Mind,
    hurt: Hurt,
    /// Gathers what hands push with: 200 N s in a tenth of a second fell a boxer like anybody else.
    shoved: Stun,
    bout: Bout,
    phase: Phase,
    tally: Tally,
    /// The cue to give at a time.
    planned: Option<(f64, Cue)>,
    /// What a person wants.
    order: Option<Move>,
    /// Where to face when no opponent is watched, rad.
    heading: Option<f64>,
    fell_at: f64,
    lie_until: f64,
    sunk_for: f64,
    /// Seconds the opponent has been up.
    opponent_up_for: f64,
    places: Vec<DVec3>,
    /// Reference damping of the joint above every body; zero for the root.
    joint_damping: Vec<f64>,
    /// The wanted coordinates of the last step.
    wanted: Vec<f64>,
    /// Moment of the fighter's own springs in the last step, N m.
    own_moment: DVec3,
    /// Largest moment from outside while it lay, as an arm of the weight, m.
    help_lying: f64,
    /// Readings.
    values: [f64; PUBLISHED.len()],
}

const fn tally(name: &'static str, help: &'static str) -> Published {
    Published { name, unit: "", help, together: Together::Sum }
}

const PUBLISHED: [Published; 11] = [
    CHEAT,
    STRENGTH,
    tally("punches", "Punches begun so far"),
    tally("hits-taken", "Punches taken on head or trunk so far"),
    tally("knock-downs", "Times it went down so far"),
    tally("recoveries", "Times it stood again so far"),
    Published {
        name: "longest-down",
        unit: "s",
        help: "Longest time from going down to standing again so far, or since it went down",
        together: Together::Most,
    },
    Published {
        name: "phase",
        unit: "",
        help: "What it is about: 0 standing, 1 down, 2 settling, 3 rising, 4 steadying",
        together: Together::Most,
    },
    Published {
        name: "health",
        unit: "of 1",
        help: "What is left until it is knocked out: 1 is fresh",
        together: Together::Least,
    },
    tally("rounds-lost", "Rounds lost so far, by a knock-out or a count of ten; the opponent has won them"),
    Published {
        name: "help-lying",
        unit: "m",
        help: "Largest moment from outside so far while it was down and lay, as an arm of the whole weight",
        together: Together::Most,
    },
];

impl Fighter {
    /// A fighter in guard. Its character must be the repertoire's.
    pub fn new(repertoire: Arc<Repertoire>, options: FighterOptions) -> Self {
        let model = repertoire.character().shared_model();
        let playlist = Playlist::new(repertoire.clone(), Move::Guard.motion());
        let n = model.n_bodies();
        // Blows are gathered by [`Hurt`], which tells fists from other things.
        let stun = StunOptions { gather: 0.0, ..options.dynamo.stun };
        let tracking = DynamoOptions { stun, ..options.dynamo };
        let fallen = Phase::Down { since: 0.0, still_for: 0.0 };
        let mut dynamo = Dynamo::new(model, Box::new(playlist), tracking);
        if options.fallen {
            dynamo.go_limp();
        }
        Self {
            mind: Mind::new(options.style, options.seed),
            hurt: Hurt::default(),
            shoved: Stun::new(options.dynamo.stun),
            bout: Bout::default(),
            phase: if options.fallen { fallen } else { Phase::Standing },
            tally: Tally::default(),
            planned: None,
            order: None,
            heading: None,
            fell_at: 0.0,
            lie_until: 0.0,
            sunk_for: 0.0,
            opponent_up_for: f64::INFINITY,
            places: vec![DVec3::ZERO; n],
            joint_damping: repertoire.character().gains().iter().map(|g| g.damping).collect(),
            wanted: repertoire.start().to_vec(),
            own_moment: DVec3::ZERO,
            values: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            help_lying: 0.0,
            dynamo,
            options,
            repertoire,
        }
    }

    /// What it is about.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What happened so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Rounds.
    pub fn bout(&self) -> Bout {
        self.bout
    }

    /// Hits taken.
    pub fn hurt(&self) -> Hurt {
        self.hurt
    }

    /// Net moment that came from outside in the last step, Dynamo's and the fighter's own ("cheat level"), N m.
    pub fn cheat(&self) -> DVec3 {
        self.dynamo.cheat() + self.own_moment
    }

    /// The tracker below.
    pub fn dynamo(&self) -> &Dynamo {
        &self.dynamo
    }

    fn playlist(&mut self) -> &mut Playlist {
        let reference: &mut dyn Any = self.dynamo.reference_mut();
        reference.downcast_mut().expect("a fighter gives Dynamo a playlist and never another reference")
    }

    fn feel(&mut self, sense: &Sense<'_>) {
        let parts = self.repertoire.character().parts();
        let jolt = self.hurt.jolt(sense, self.options.opponent, parts, &self.options.hurt);
        let felt = jolt.max(self.shoved.gather(sense.own.outside(), sense.dt));
        if self.phase == Phase::Standing && felt > 0.0 {
            self.dynamo.strike(felt);
        }
        let Some(opponent) = self.options.opponent else { return };
        let blow = self.hurt.update(sense, opponent, parts, &self.options.hurt);
        if blow.knocks_out {
            self.bout.lose();
            self.dynamo.strike(self.options.dynamo.stun.most);
        } else if blow.felt > 0.0 {
            self.dynamo.strike(self.options.recoil * blow.felt);
        }
        if blow.fresh && self.phase == Phase::Standing {
            self.stagger(sense.time());
        }
    }

    /// A step back at once, whatever it was about: a punch that is hit breaks off.
    fn stagger(&mut self, time: f64) {
        self.mind.sting();
        let step = Move::StepBack.motion();
        if self.options.autonomous && self.playlist().motion() != step {
            self.planned = None;
            self.playlist().play(Cue { motion: step, at: 0.0, speed: 1.0, fade: STAGGER }, time);
        }
    }

    /// Plays the graph.
    fn fight(&mut self, sense: &Sense<'_>) {
        let time = sense.time();
        if let Some((when, cue)) = self.planned {
            if time >= when {
                self.planned = None;
                self.playlist().play(cue, time);
            }
            return;
        }
        let playlist = self.playlist();
        let (motion, clip_time) = (playlist.motion(), playlist.clip_time(time));
        let routes = self.repertoire.routes();
        if !routes.may_leave(motion, clip_time) {
            return;
        }
        let mut pace = 1.0;
        let wish = match self.order.take() {
            Some(order) => Some(order),
            None if self.options.autonomous => self.look(sense).and_then(|view| {
                let punches = self.repertoire.punches();
                let next = self.mind.decide(&view, punches, time)?;
                pace = self.mind.pace(next, &view, punches);
                Some(next)
            }),
            None => None,
        };
        let guard = Move::Guard.motion();
        let next = wish.map_or(guard, Move::motion);
        if next == guard && motion == guard {
            return;
        }
        let turn = match wish {
            Some(Move::TurnLeft) => QUARTER / 3.0,
            Some(Move::TurnRight) => -QUARTER / 3.0,
            _ => 0.0,
        };
        self.heading = self.heading.map(|h| h + turn);
        self.tally.punches += u64::from(wish.is_some_and(|w| Move::PUNCHES.contains(&w)));
        let (wait, cue) = self.repertoire.routes().find(motion, clip_time, next);
        // What is played goes at its own pace, and so does the time until it may be left.
        let wait = wait / self.playlist().pace().max(1.0);
        self.planned = Some((time + wait, Cue { speed: pace, ..cue }));
    }

    /// The fighter's own springs.
    fn help(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let root = sense.root();
        let actual = sense.data.position.world_from_body[root].rotation;
        let spin = sense.data.velocity.body[root].angular;
        let (strength, time) = (self.dynamo.strength(), sense.time());
        let mut wanted = std::mem::take(&mut self.wanted);
        self.playlist().write(time, &mut wanted);
        let reference = root_rotation(&wanted);
        self.wanted = wanted;
        self.own_moment = DVec3::ZERO;
        let lies = matches!(self.phase, Phase::Down { .. } | Phase::Settling { .. } | Phase::Rising { .. });
        let (slower, damper) =
            if matches!(self.phase, Phase::Settling { .. }) { SETTLING } else { (1.0, 1.0) };
        let high = self.height_share(sense.data, sense.bodies);
        let own = self.options.dynamo;
        let weight = sense.own.mass() * sense.model.gravity().length();
        let now = &mut self.dynamo.options;
        now.frequency = slower * own.frequency;
        now.damping_ratio = damper * own.damping_ratio;
        // Who lies gets up from within: its joints turn its bones, and the pelvis alone is helped.
        (now.space, now.application) =
            if lies { (Space::Parent, Application::Internal) } else { (own.space, own.application) };
        // A pelvis that lags would take the legs with it, into the ground or off it.
        let steadies = matches!(self.phase, Phase::Steadying { .. });
        now.frame = if lies || steadies { Frame::Absolute } else { own.frame };
        now.aid = match self.phase {
            Phase::Standing => own.aid,
            Phase::Down { .. } => 0.0,
            _ => self.options.rising.at(high) * weight,
        };
        let term = match self.phase {
            Phase::Down { .. } => {
                self.slacken(sense, out);
                return;
            }
            Phase::Settling { .. } | Phase::Rising { .. } | Phase::Steadying { .. } => return,
            Phase::Standing => {
                let Some(spring) = self.options.steering else { return };
                let towards = self.facing(sense);
                let pelvis = yaw(&reference) - self.playlist().turn();
                spring.turn(wrap(towards + pelvis - yaw(&actual)), spin, strength, sense.dt)
            }
        };
        self.own_moment = term.at_rest.angular - term.gain.angular * spin;
        out.implicit.push((root, term));
    }
}

const COMMANDS: &[&str] = &[
    "autonomous",
    "guard",
    "punch-left",
    "punch-right",
    "hook",
    "uppercut",
    "block",
    "step-forward",
    "step-back",
    "turn-left",
    "turn-right",
];

/// Words for a person's orders.
const ORDERS: [(&str, Move); 10] = [
    ("guard", Move::Guard),
    ("punch-left", Move::Jab),
    ("punch-right", Move::Cross),
    ("hook", Move::Hook),
    ("uppercut", Move::Uppercut),
    ("block", Move::Block),
    ("step-forward", Move::StepForward),
    ("step-back", Move::StepBack),
    ("turn-left", Move::TurnLeft),
    ("turn-right", Move::TurnRight),
];

impl Controller for Fighter {
    fn name(&self) -> &'static str {
        "fighter"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.feel(sense);
        self.watch(sense);
        self.go_on(sense);
        self.help(sense, out);
        self.dynamo.act(sense, out);
        let Tally { falls, recoveries, longest, punches } = self.tally;
        let down_for = if self.phase == Phase::Standing { 0.0 } else { sense.time() - self.fell_at };
        self.bout.count(down_for);
        let health = 1.0 - self.hurt.amount / self.options.hurt.endurance;
        let phase = match self.phase {
            Phase::Standing => 0.0,
            Phase::Down { .. } => 1.0,
            Phase::Settling { .. } => 2.0,
            Phase::Rising { .. } => 3.0,
            Phase::Steadying { .. } => 4.0,
        };
        let help = per_weight(self.cheat(), sense);
        if phase > 0.0 && self.height_share(sense.data, sense.bodies) < HALF_UP[0] {
            self.help_lying = self.help_lying.max(help);
        }
        self.values = [
            help,
            self.dynamo.strength(),
            punches as f64,
            self.hurt.hits as f64,
            falls as f64,
            recoveries as f64,
            longest.max(down_for),
            phase,
            health.max(0.0),
            self.bout.lost as f64,
            self.help_lying,
        ];
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// An order such as `punch-left`, carried out as soon as the present motion may be left; `autonomous` 0 or 1.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        if name == "autonomous" {
            self.options.autonomous = value != 0.0;
            return Ok(());
        }
        let order = ORDERS.iter().find(|o| o.0 == name).ok_or_else(|| self.unknown())?;
        self.order = Some(order.1);
        Ok(())
    }

    /// The wanted pose of the last step where the character is: the motion's place and heading are not tracked.
    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let own = &mut q[sense.tree().coordinates];
        own.copy_from_slice(&self.wanted);
        sight::place_like(own, &sense.data.position.world_from_body[sense.root()]);
        // The coordinates are those of the root's joint, which is where the figure was put into the scene.
        let joint = &sense.model.bodies()[sense.root()].joint().parent_from_joint;
        write_root(&(joint.inverse() * root_pose(own)), own);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::Deciding
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
