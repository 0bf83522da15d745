//! A graph on a figure: names become bodies, mirrored states are written out.

use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{JointKind, Model};

use super::graph::{Event, Gauge, Graph, Level, Stance, Trigger};
use super::mirror::Mirror;
use crate::kind::Refusal;

/// What a joint strives for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// What the character starts with.
    Rest,
    /// Coordinates of its joint: a rotation, or up to three numbers.
    Joint([f64; 4]),
    /// An attitude in the world, about axes that turn with the heading.
    World(DQuat),
}

/// A state on a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stage {
    pub(super) goals: Vec<Goal>,
    /// Factors on stiffness and damping, per body.
    pub(super) gains: Vec<[f64; 2]>,
    pub(super) blend: f64,
    /// Where to, not before, on what.
    pub(super) exits: Vec<(usize, f64, Trigger)>,
}

/// Compiles a graph for a character's own model.
pub(super) fn compile(graph: &Graph, model: &Model, physique: &Physique) -> Result<Vec<Stage>, Refusal> {
    let mirror = Mirror::new(model, physique);
    let bench = Bench { graph, model };
    if graph.states.is_empty() {
        return Err(Refusal::new("controller.state", "missing, expected states written as [[state]]"));
    }
    let mut stages = Vec::with_capacity(graph.states.len());
    for stance in &graph.states {
        let stage = match &stance.mirror {
            None => bench.stage(stance)?,
            Some(other) => {
                let source = &graph.states[bench.state(stance, other, "mirror")?];
                if source.mirror.is_some() {
                    return Err(refuse(stance, "mirror", format!("is \"{other}\", a mirror image itself")));
                }
                let mut stage = reflect(&bench.stage(source)?, &mirror);
                for exit in &mut stage.exits {
                    exit.0 = bench.counterpart(exit.0);
                }
                stage
            }
        };
        stages.push(stage);
    }
    Ok(stages)
}

fn refuse(stance: &Stance, key: &str, problem: String) -> Refusal {
    let problem = format!("{problem} (state \"{}\")", stance.name);
    Refusal { line: stance.line, ..Refusal::new(format!("controller.state.{key}"), problem) }
}

struct Bench<'a> {
    graph: &'a Graph,
    model: &'a Model,
}

impl Bench<'_> {
    fn state(&self, stance: &Stance, name: &str, key: &str) -> Result<usize, Refusal> {
        self.graph.states.iter().position(|s| s.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.graph.states.iter().map(|s| s.name.as_str()).collect();
            refuse(stance, key, format!("is \"{name}\", expected a state: {}", names.join(", ")))
        })
    }

    /// The state that is the image of another, or of which it is the image; itself where there is none.
    fn counterpart(&self, state: usize) -> usize {
        let states = &self.graph.states;
        let of = |name: &str| states.iter().position(|s| s.name == name);
        let image = || states.iter().position(|s| s.mirror.as_deref() == Some(&states[state].name));
        states[state].mirror.as_deref().map_or_else(image, of).unwrap_or(state)
    }

    fn bone(&self, stance: &Stance, name: &str, key: &str) -> Result<Bone, Refusal> {
        let short = |full: &str| full.rsplit('/').next().unwrap_or(full).to_owned();
        let bodies = self.model.bodies();
        bodies.iter().position(|b| short(b.name()) == name).map(Bone::new).ok_or_else(|| {
            let names: Vec<String> = bodies.iter().map(|b| short(b.name())).collect();
            refuse(stance, key, format!("has no part \"{name}\", expected one of: {}", names.join(", ")))
        })
    }

    fn joint(&self, stance: &Stance, name: &str, key: &str) -> Result<Bone, Refusal> {
        let bone = self.bone(stance, name, key)?;
        match self.model.bodies()[bone].joint().kind {
            JointKind::Spherical
            | JointKind::Revolute { .. }
            | JointKind::Universal { .. }
            | JointKind::Prismatic { .. } => Ok(bone),
            _ => {
                let problem = format!("has \"{name}\", which has no joint that can be driven");
                Err(refuse(stance, key, problem))
            }
        }
    }

    fn stage(&self, stance: &Stance) -> Result<Stage, Refusal> {
        let n = self.model.n_bodies();
        let mut goals = vec![Goal::Rest; n];
        for (name, degrees) in &stance.pose {
            let bone = self.joint(stance, name, "pose_deg")?;
            let kind = self.model.bodies()[bone].joint().kind;
            if degrees.len() != kind.n_v() {
                let problem = format!("gives \"{name}\" {} numbers, expected {}", degrees.len(), kind.n_v());
                return Err(refuse(stance, "pose_deg", problem));
            }
            // Sliders are in metres.
            let slides = matches!(kind, JointKind::Prismatic { .. });
            let mut numbers = [0.0; 4];
            for (number, d) in numbers.iter_mut().zip(degrees) {
                *number = if slides { *d } else { d.to_radians() };
            }
            if kind == JointKind::Spherical {
                numbers = rotation::exp(DVec3::from_slice(&numbers[..3])).to_array();
            }
            goals[bone] = Goal::Joint(numbers);
        }
        for (name, degrees) in &stance.world {
            let bone = self.joint(stance, name, "world_deg")?;
            let &[x, y, z] = degrees.as_slice() else {
                let problem = format!("gives \"{name}\" {} numbers, expected 3", degrees.len());
                return Err(refuse(stance, "world_deg", problem));
            };
            if goals[bone] != Goal::Rest {
                let problem = format!("has \"{name}\", which pose_deg has too");
                return Err(refuse(stance, "world_deg", problem));
            }
            let turn = DVec3::new(x.to_radians(), y.to_radians(), z.to_radians());
            goals[bone] = Goal::World(rotation::exp(turn));
        }
        let mut gains = vec![[stance.stiffness, stance.damping]; n];
        for (name, factor) in &stance.gains {
            let bone = self.joint(stance, name, "gains")?;
            gains[bone] = gains[bone].map(|g| g * factor);
        }
        let mut exits = Vec::with_capacity(stance.exits.len());
        for exit in &stance.exits {
            let trigger = self.trigger(stance, &exit.when)?;
            exits.push((self.state(stance, &exit.to, "exit.to")?, exit.after, trigger));
        }
        Ok(Stage { goals, gains, blend: stance.blend, exits })
    }

    fn trigger(&self, stance: &Stance, event: &Event) -> Result<Trigger, Refusal> {
        Ok(match event {
            Event::Time => Trigger::Time,
            Event::Touch(part) => {
                Trigger::Touch { bone: self.bone(stance, part, "exit.touch")?, wanted: true }
            }
            Event::Lift(part) => {
                Trigger::Touch { bone: self.bone(stance, part, "exit.lift")?, wanted: false }
            }
            Event::Above(level, mark) | Event::Below(level, mark) => {
                let what = match level {
                    Level::Angle { part, freedom } => {
                        let bone = self.joint(stance, part, "exit.angle")?;
                        let most = self.model.bodies()[bone].joint().kind.n_v();
                        if *freedom >= most {
                            let problem = format!("is freedom {freedom} of \"{part}\", which has {most}");
                            return Err(refuse(stance, "exit.freedom", problem));
                        }
                        Gauge::Angle { bone, freedom: *freedom, sign: 1.0 }
                    }
                    Level::Margin => Gauge::Margin,
                    Level::CaptureMargin => Gauge::CaptureMargin,
                    Level::PelvisHeight => Gauge::PelvisHeight,
                    Level::Lean => Gauge::Lean,
                };
                Trigger::Level { what, above: matches!(event, Event::Above(..)), mark: *mark }
            }
        })
    }
}

/// The mirror image of a state; ways out still lead where they led.
fn reflect(stage: &Stage, mirror: &Mirror) -> Stage {
    let mut image = stage.clone();
    for bone in (0..stage.goals.len()).map(Bone::new) {
        let other = mirror.partner(bone);
        image.gains[other] = stage.gains[bone];
        image.goals[other] = match stage.goals[bone] {
            Goal::Rest => Goal::Rest,
            Goal::World(q) => Goal::World(DQuat::from_xyzw(-q.x, q.y, -q.z, q.w)),
            // Signs of a rotation vector are those of a quaternion's vector.
            Goal::Joint([a, b, c, w]) => {
                let [sa, sb, sc] = [0, 1, 2].map(|k| mirror.sign(bone, k));
                Goal::Joint([sa * a, sb * b, sc * c, w])
            }
        };
    }
    image.exits = stage.exits.iter().map(|(to, after, when)| (*to, *after, when.mirrored(mirror))).collect();
    image
}
