//! Pose graphs: states with target poses, and events that lead from one to the next. The mechanism under walking machines (Yin, Loken
//! and van de Panne 2007), get-ups, falls and stunts (Faloutsos et al. 2001).
//!
//! ```text
//! (1)  q̄(t) = q₀ ⊕ s(t) (q̄ₛ ⊖ q₀),  k(t) = k₀ + s(t) (kₛ - k₀),  s a smooth step over `blend` seconds
//! (2)  τ = k (q̄ ⊖ q) - d q̇        at the end of the step, within the joints' effort limits
//! ```
//! `q̄ₛ` is the state's pose: coordinates of joints, or attitudes in the world that joints strive for whatever their parents do. `q₀` and
//! `k₀` are what was wanted when the state was entered, so that targets and gains never jump, however states are cut short.
//! A state is left through the first of its ways out that opens: after a time, on a touch, or when an angle or a margin of
//! balance passes a mark. A state may be the mirror image of another, ways out and all; then a walk is half a walk.
//!
//! ```
//! use stuntlab_control::pose_graph::{Event, Exit, Graph, Stance};
//!
//! let mut graph = Graph::default();
//! let strike = Exit { to: "stand".into(), after: 0.1, when: Event::Touch("lfoot".into()) };
//! graph.states.push(Stance::new("lift").posed("lthigh", [0.0, -40.0, 0.0]).posed("lshank", [60.0]).lasting(0.4, "lower"));
//! graph.states.push(Stance::new("lower").leaving(strike));
//! graph.states.push(Stance::new("stand").lasting(0.5, "lift on the right"));
//! graph.states.push(Stance::mirror_of("lift on the right", "lift"));
//! graph.states.push(Stance::mirror_of("lower on the right", "lower"));
//! let mut again = Graph::parse("steps.toml", &graph.to_toml())?;
//! again.states.iter_mut().for_each(|s| s.line = 0);
//! assert_eq!(again, graph);
//! # Ok::<(), stuntlab_control::settings::SettingError>(())
//! ```

mod compile;
mod graph;
mod mirror;
mod toml;

pub use graph::{Event, Exit, Graph, Level, Stance};

use std::sync::Arc;

use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::{DMat3, DQuat};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Actuation, JointKind, Model, State};

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::gains::{Gains, Tuned};
use crate::kind::{Casting, Kind, Maker, Refusal};
use crate::pose::{GAIN_KEYS, STRENGTH, read_gains};
use crate::readings::{Published, Readings, Together};
use compile::{Goal, Stage, compile};

const COMMANDS: &[&str] = &["strength"];

const PUBLISHED: [Published; 4] = [
    STRENGTH,
    Published {
        name: "state",
        unit: "",
        help: "Which state of its graph it is in, from 0",
        together: Together::Most,
    },
    Published { name: "state-time", unit: "s", help: "Seconds in that state", together: Together::Most },
    Published {
        name: "transitions",
        unit: "",
        help: "States it has gone on to so far",
        together: Together::Sum,
    },
];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "pose-graph",
    help: "Joint servos through states with target poses, which events lead from one to the next",
    keys: &[toml::KEYS, GAIN_KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(GraphMaker { graph: Graph::read(fields)?, gains: read_gains(fields)? })),
};

#[derive(Debug)]
struct GraphMaker {
    graph: Graph,
    gains: Gains,
}

impl Maker for GraphMaker {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let rest = &casting.state.q[casting.model.tree_of(casting.bodies.at(0)).coordinates];
        Ok(Box::new(PoseGraph::new(&casting.own, &casting.physique, &self.graph, self.gains, rest)?))
    }
}

/// What a joint was last told.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    /// Coordinates, as a joint's.
    q: [f64; 4],
    /// Factors on stiffness and damping.
    gains: [f64; 2],
}

/// A graph at work on a character.
#[derive(Clone, Debug)]
pub struct PoseGraph {
    names: Vec<String>,
    stages: Vec<Stage>,
    /// Stiffness and damping of every freedom.
    gains: Tuned,
    /// Coordinates of every body's joint at rest.
    rest: Vec<[f64; 4]>,
    now: usize,
    entered: f64,
    begun: bool,
    transitions: u64,
    strength: f64,
    /// What was wanted when the state was entered, and what is.
    before: Vec<Told>,
    told: Vec<Told>,
    values: [f64; PUBLISHED.len()],
}

impl PoseGraph {
    /// A graph for a character of its own `model`, which holds joints no state names as they are in `rest` (coordinates of that
    /// model).
    ///
    /// # Errors
    /// Parts and states that are not there, coordinates that do not fit, with the state's name and line.
    pub fn new(
        model: &Model,
        physique: &Physique,
        graph: &Graph,
        gains: Gains,
        rest: &[f64],
    ) -> Result<Self, Refusal> {
        let stages = compile(graph, model, physique)?;
        let coordinates = |body: &stuntlab_physics::model::Body| {
            let mut q = [0.0; 4];
            let own = rest.get(body.coordinates().range()).unwrap_or_default();
            q.iter_mut().zip(own).for_each(|(q, x)| *q = *x);
            q
        };
        let rest: Vec<[f64; 4]> = model.bodies().iter().map(coordinates).collect();
        let told: Vec<Told> = rest.iter().map(|q| Told { q: *q, gains: [1.0; 2] }).collect();
        Ok(Self {
            names: graph.states.iter().map(|s| s.name.clone()).collect(),
            stages,
            gains: Tuned::new(model, model.body_ids(), gains),
            rest,
            now: 0,
            entered: 0.0,
            begun: false,
            transitions: 0,
            strength: 1.0,
            before: told.clone(),
            told,
            values: [1.0, 0.0, 0.0, 0.0],
        })
    }

    /// Name of the state it is in.
    pub fn state(&self) -> &str {
        &self.names[self.now]
    }

    /// Coordinates with which the joints are as a state wants them at its end, the root and what strives for an attitude in the
    /// world being as in `q`.
    pub fn pose_of(&self, state: &str, model: &Model, q: &State) -> Option<State> {
        let stage = &self.stages[self.names.iter().position(|n| n == state)?];
        let mut posed = q.clone();
        for (spec, (goal, rest)) in model.bodies().iter().zip(stage.goals.iter().zip(&self.rest)) {
            let own = match goal {
                Goal::Rest => rest,
                Goal::Joint(q) => q,
                Goal::World(_) => continue,
            };
            if is_driven(&spec.joint().kind) {
                let range = spec.coordinates();
                let n = range.len();
                posed.q[range].copy_from_slice(&own[..n]);
            }
        }
        Some(posed)
    }

    fn go_to(&mut self, state: usize, time: f64) {
        (self.now, self.entered) = (state, time);
        self.transitions += 1;
        self.before.clone_from(&self.told);
    }

    /// Takes the first way out that is open.
    fn go_on(&mut self, sense: &Sense<'_>) {
        let time = sense.time() - self.entered;
        // Time comes in steps; half of one is no delay.
        let due = |after: f64| time + 0.5 * sense.dt >= after;
        let angle = |bone: Bone, freedom: usize| {
            let spec = sense.bone(bone);
            match spec.joint().kind {
                JointKind::Spherical => rotation::log(sense.state.rotation(spec)).to_array()[freedom.min(2)],
                _ => sense.state.q[spec.coordinates()].get(freedom).copied().unwrap_or(0.0),
            }
        };
        let exits = &self.stages[self.now].exits;
        let open = exits.iter().find(|(_, after, when)| due(*after) && when.holds(sense.own, angle));
        if let Some(&(to, ..)) = open {
            self.go_to(to, sense.time());
        }
    }

    /// (1) for one bone's joint.
    fn tell(&mut self, sense: &Sense<'_>, bone: Bone, s: f64, heading: DQuat) {
        let spec = sense.bone(bone);
        let stage = &self.stages[self.now];
        let before = self.before[bone];
        let goal = match stage.goals[bone] {
            Goal::Rest => self.rest[bone],
            Goal::Joint(q) => q,
            Goal::World(attitude) => aim(sense, bone, heading * attitude),
        };
        let told = &mut self.told[bone];
        for k in 0..2 {
            told.gains[k] = before.gains[k] + s * (stage.gains[bone][k] - before.gains[k]);
        }
        if spec.joint().kind == JointKind::Spherical {
            let from = DQuat::from_array(before.q);
            let way = rotation::log(from.conjugate() * DQuat::from_array(goal));
            told.q = (from * rotation::exp(way * s)).normalize().to_array();
        } else {
            for k in 0..spec.joint().kind.n_q().min(4) {
                told.q[k] = before.q[k] + s * (goal[k] - before.q[k]);
            }
        }
    }
}

/// Coordinates of a joint with which its body would be turned as `wanted`, as near as its freedoms allow.
pub(crate) fn aim(sense: &Sense<'_>, bone: Bone, wanted: DQuat) -> [f64; 4] {
    let spec = sense.bone(bone);
    let actual = DQuat::from_mat3(&sense.data.world_from_body(sense.body_of(bone)).rotation);
    // From the body to its target, body axes.
    let error = rotation::log(actual.conjugate() * wanted);
    let q = &sense.state.q[spec.coordinates()];
    let mut out = [0.0; 4];
    match spec.joint().kind {
        JointKind::Spherical => return (sense.state.rotation(spec) * rotation::exp(error)).to_array(),
        JointKind::Revolute { axis } => out[0] = q[0] + axis.dot(error),
        JointKind::Universal { axes } => {
            // The first axis is fixed in the joint frame, the second in the child.
            let parent =
                spec.parent().map_or(DMat3::IDENTITY, |p| sense.data.position.world_from_body[p].rotation);
            let first = actual.conjugate() * (parent * spec.joint().parent_from_joint.rotation * axes[0]);
            (out[0], out[1]) = (q[0] + first.dot(error), q[1] + axes[1].dot(error));
        }
        _ => out.iter_mut().zip(q).for_each(|(out, q)| *out = *q),
    }
    out
}

/// Whether a joint can have a servo.
fn is_driven(kind: &JointKind) -> bool {
    !matches!(kind, JointKind::Free | JointKind::Fixed | JointKind::Planar)
}

impl Controller for PoseGraph {
    fn name(&self) -> &'static str {
        KIND.name
    }

    /// From where the joints are to the first state.
    fn enter(&mut self, sense: &Sense<'_>) {
        (self.now, self.entered, self.begun) = (0, sense.time(), true);
        for (bone, told) in self.told.iter_mut().enumerate() {
            let spec = sense.bone(Bone::new(bone));
            told.q.iter_mut().zip(&sense.state.q[spec.coordinates()]).for_each(|(told, q)| *told = *q);
            told.gains = self.stages[0].gains[bone];
        }
        self.before.clone_from(&self.told);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if !self.begun {
            self.enter(sense);
        }
        self.go_on(sense);
        let time = sense.time() - self.entered;
        let blend = self.stages[self.now].blend;
        let p = if blend > 0.0 { ((time + sense.dt) / blend).clamp(0.0, 1.0) } else { 1.0 };
        let s = p * p * (3.0 - 2.0 * p);
        let root = sense.data.world_from_body(sense.root()).rotation;
        let heading = DQuat::from_rotation_z(root.x_axis.y.atan2(root.x_axis.x));
        let first = sense.tree().freedoms.range().start;
        self.gains.look(sense);
        for bone in (0..self.told.len()).map(Bone::new) {
            let spec = sense.bone(bone);
            if !is_driven(&spec.joint().kind) {
                continue;
            }
            self.tell(sense, bone, s, heading);
            let Told { q, gains } = self.told[bone];
            for k in spec.freedoms() {
                let (stiffness, damping) = self.gains.table()[k.index() - first];
                out.servo.stiffness[k] = self.strength * gains[0] * stiffness;
                out.servo.damping[k] = self.strength * gains[1] * damping;
                out.servo.target_v[k] = 0.0;
            }
            let range = spec.coordinates();
            let n = range.len();
            out.servo.target_q[range].copy_from_slice(&q[..n]);
        }
        self.values = [self.strength.min(1.0), self.now as f64, time, self.transitions as f64];
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `strength`: factor on all gains, 0 lets go. The name of a state: goes there at once.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        if name == "strength" {
            self.strength = value.max(0.0);
            return Ok(());
        }
        let state = self.names.iter().position(|n| n == name).ok_or_else(|| self.unknown())?;
        // Its time begins with the next step.
        self.go_to(state, self.entered + self.values[2]);
        Ok(())
    }

    fn unknown(&self) -> UnknownCommand {
        let words = COMMANDS.iter().map(|c| (*c).to_owned());
        UnknownCommand { known: words.chain(self.names.iter().cloned()).collect() }
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        for (bone, told) in self.told.iter().enumerate() {
            let spec = sense.bone(Bone::new(bone));
            let range = spec.coordinates();
            if is_driven(&spec.joint().kind) {
                let n = range.len();
                q[range].copy_from_slice(&told.q[..n]);
            } else {
                q[range].copy_from_slice(&sense.state.q[range]);
            }
        }
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
