//! Standard figures: the models that tests, benches and scenes share. Nobody builds a private humanoid.
//!
//! The 37-freedom humanoid, the 36-bone ball-jointed humanoid and the chains are those other engines are
//! measured with. Frames: x forward, y left, z up; at zero the figure stands with its arms stretched
//! sideways (T-pose).

use glam::{DQuat, DVec3};

use crate::model::shape::Shape;
use crate::model::{BodySpec, Joint, Model, ShapeSpec};
use crate::spatial::{Inertia, Sym3, Transform};

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// A solid whose mass distribution a part takes, along one of the body's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Half edge lengths.
    Box(f64, f64, f64),
    /// Axis (0 x, 1 y, 2 z), radius, half length of the cylinder.
    Capsule(usize, f64, f64),
}

impl Solid {
    /// A capsule of total length `length`.
    fn capsule(axis: usize, radius: f64, length: f64) -> Self {
        Self::Capsule(axis, radius, (0.5 * length - radius).max(1e-3))
    }

    fn inertia(self, mass: f64, center: DVec3) -> Inertia {
        let mut inertia = match self {
            Self::Box(x, y, z) => Inertia::solid_box(mass, DVec3::new(x, y, z)),
            Self::Capsule(axis, radius, half_length) => {
                let along_z = Inertia::solid_capsule(mass, radius, half_length);
                let (lateral, axial) = (along_z.rotational.xx, along_z.rotational.zz);
                let mut diagonal = [lateral; 3];
                diagonal[axis] = axial;
                let [x, y, z] = diagonal;
                Inertia { rotational: Sym3::diagonal(x, y, z), ..along_z }
            }
        };
        inertia.center_of_mass = center;
        inertia
    }
}

/// One part of a figure: a body, the solid it is made of and the joint above it.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name of the body.
    pub name: String,
    /// Name of the body it hangs on; `None` for the world.
    pub parent: Option<String>,
    /// Joint kind at the part's anchor.
    pub joint: Joint,
    /// Mass in kg.
    pub mass: f64,
    /// The solid, centred at `center`.
    pub solid: Solid,
    /// Centre of mass (and of the solid) in the body frame.
    pub center: DVec3,
}

impl Part {
    /// The body of this part with its solid as shape.
    pub fn spec(&self) -> BodySpec {
        let (shape, turn) = match self.solid {
            Solid::Box(x, y, z) => {
                (Shape::Box { half_extents: DVec3::new(x, y, z), rounding: 0.0 }, DQuat::IDENTITY)
            }
            Solid::Capsule(axis, radius, half_length) => {
                let turn = DQuat::from_rotation_arc(Z, [X, Y, Z][axis]);
                (Shape::Capsule { radius, half_length }, turn)
            }
        };
        let placed = Transform::from_quaternion(turn, self.center);
        BodySpec {
            name: self.name.clone(),
            parent: self.parent.clone(),
            joint: self.joint.clone(),
            inertia: self.solid.inertia(self.mass, self.center),
            shapes: vec![ShapeSpec::new(shape).placed(placed)],
        }
    }
}

/// A figure: named parts that become a [`Model`].
#[derive(Clone, Debug)]
pub struct Figure {
    /// Name, as benches and reports use it.
    pub name: String,
    /// Parents before children.
    pub parts: Vec<Part>,
}

impl Figure {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), parts: Vec::new() }
    }

    fn add(
        &mut self,
        name: impl Into<String>,
        parent: Option<&str>,
        joint: Joint,
        mass: f64,
        solid: Solid,
        center: (f64, f64, f64),
    ) {
        self.parts.push(Part {
            name: name.into(),
            parent: parent.map(str::to_owned),
            joint,
            mass,
            solid,
            center: center.into(),
        });
    }

    /// The model of this figure, standing where the figure says.
    pub fn model(&self) -> Model {
        let mut builder = Model::builder();
        for part in &self.parts {
            builder.push(part.spec());
        }
        builder.build().expect("the standard figures are valid models")
    }

    /// For every part the inertia of what it carries about its joint: masses times squared distance of
    /// their centres in the zero pose, plus a third of the trace of each body's own inertia. Servo gains
    /// scale with it.
    pub fn carried_inertia(&self) -> Vec<f64> {
        let index = |name: &str| self.parts.iter().position(|p| p.name == name);
        let mut anchor = vec![DVec3::ZERO; self.parts.len()];
        let mut above: Vec<Option<usize>> = vec![None; self.parts.len()];
        for (i, part) in self.parts.iter().enumerate() {
            above[i] = part.parent.as_deref().and_then(index);
            let base = above[i].map_or(DVec3::ZERO, |p| anchor[p]);
            anchor[i] = base + part.joint.parent_from_joint.translation;
        }
        (0..self.parts.len())
            .map(|i| {
                let mut sum = 0.0;
                for (j, part) in self.parts.iter().enumerate() {
                    let mut at = Some(j);
                    while let Some(k) = at {
                        if k == i {
                            let arm = anchor[j] + part.center - anchor[i];
                            let own = part.solid.inertia(part.mass, part.center).rotational.trace() / 3.0;
                            sum += part.mass * arm.length_squared() + own;
                            break;
                        }
                        at = above[k];
                    }
                }
                sum
            })
            .collect()
    }
}

/// The 37-freedom humanoid: 16 bodies, ball, universal and hinge joints, 79.4 kg.
pub fn humanoid37() -> Figure {
    let mut f = Figure::new("humanoid37");
    let at = |j: Joint, x: f64, y: f64, z: f64| j.at(DVec3::new(x, y, z));
    f.add(
        "pelvis",
        None,
        at(Joint::free(), 0.0, 0.0, 0.98),
        11.7,
        Solid::Box(0.09, 0.15, 0.08),
        (0.0, 0.0, 0.0),
    );
    f.add(
        "torso",
        Some("pelvis"),
        at(Joint::spherical(), 0.0, 0.0, 0.10),
        30.0,
        Solid::Box(0.10, 0.16, 0.23),
        (0.0, 0.0, 0.24),
    );
    f.add(
        "neck",
        Some("torso"),
        at(Joint::spherical(), 0.0, 0.0, 0.48),
        1.5,
        Solid::capsule(2, 0.05, 0.12),
        (0.0, 0.0, 0.05),
    );
    f.add(
        "head",
        Some("neck"),
        at(Joint::revolute(Y), 0.0, 0.0, 0.10),
        4.2,
        Solid::capsule(2, 0.085, 0.23),
        (0.0, 0.0, 0.11),
    );
    for (s, sg) in [("l", 1.0), ("r", -1.0)] {
        let n = |part: &str| format!("{s}{part}");
        f.add(
            n("uarm"),
            Some("torso"),
            at(Joint::universal(X, Z), 0.0, 0.18 * sg, 0.42),
            2.3,
            Solid::capsule(1, 0.045, 0.29),
            (0.0, 0.145 * sg, 0.0),
        );
        f.add(
            n("farm"),
            Some(&n("uarm")),
            at(Joint::universal(Z, Y), 0.0, 0.29 * sg, 0.0),
            1.3,
            Solid::capsule(1, 0.038, 0.26),
            (0.0, 0.13 * sg, 0.0),
        );
        f.add(
            n("hand"),
            Some(&n("farm")),
            at(Joint::universal(X, Z), 0.0, 0.26 * sg, 0.0),
            0.5,
            Solid::Box(0.045, 0.09, 0.015),
            (0.0, 0.095 * sg, 0.0),
        );
    }
    for (s, sg) in [("l", 1.0), ("r", -1.0)] {
        let n = |part: &str| format!("{s}{part}");
        f.add(
            n("thigh"),
            Some("pelvis"),
            at(Joint::spherical(), 0.0, 0.09 * sg, -0.06),
            8.2,
            Solid::capsule(2, 0.075, 0.43),
            (0.0, 0.0, -0.215),
        );
        f.add(
            n("shank"),
            Some(&n("thigh")),
            at(Joint::revolute(Y), 0.0, 0.0, -0.43),
            3.8,
            Solid::capsule(2, 0.052, 0.42),
            (0.0, 0.0, -0.21),
        );
        f.add(
            n("foot"),
            Some(&n("shank")),
            at(Joint::universal(Y, X), 0.0, 0.0, -0.42),
            1.2,
            Solid::Box(0.13, 0.045, 0.03),
            (0.06, 0.0, -0.04),
        );
    }
    f
}

/// The 36-bone ball-jointed humanoid: 111 freedoms, 82 kg.
pub fn bones36() -> Figure {
    let mut f = Figure::new("bones36");
    let ball = |x: f64, y: f64, z: f64| Joint::spherical().at(DVec3::new(x, y, z));
    f.add(
        "pelvis",
        None,
        Joint::free().at(DVec3::new(0.0, 0.0, 0.98)),
        11.6,
        Solid::Box(0.09, 0.15, 0.08),
        (0.0, 0.0, 0.0),
    );
    let mut below = "pelvis".to_owned();
    let mut height = 0.09;
    for (i, mass) in [6.0, 6.5, 7.0, 7.5].into_iter().enumerate() {
        let name = format!("spine{}", i + 1);
        let solid = Solid::Box(0.09, 0.14 + 0.01 * i as f64, 0.055);
        f.add(name.clone(), Some(&below), ball(0.0, 0.0, height), mass, solid, (0.0, 0.0, 0.06));
        (below, height) = (name, 0.12);
    }
    f.add(
        "neck1",
        Some("spine4"),
        ball(0.0, 0.0, 0.12),
        0.8,
        Solid::capsule(2, 0.05, 0.11),
        (0.0, 0.0, 0.03),
    );
    f.add("neck2", Some("neck1"), ball(0.0, 0.0, 0.06), 0.7, Solid::capsule(2, 0.05, 0.11), (0.0, 0.0, 0.03));
    f.add("head", Some("neck2"), ball(0.0, 0.0, 0.06), 4.2, Solid::capsule(2, 0.085, 0.23), (0.0, 0.0, 0.11));
    for (s, sg) in [("l", 1.0), ("r", -1.0)] {
        let n = |part: &str| format!("{s}{part}");
        let y = |v: f64| v * sg;
        f.add(
            n("clav"),
            Some("spine4"),
            ball(0.0, y(0.03), 0.08),
            1.2,
            Solid::capsule(1, 0.04, 0.15),
            (0.0, y(0.075), 0.0),
        );
        f.add(
            n("uarm"),
            Some(&n("clav")),
            ball(0.0, y(0.15), 0.0),
            2.2,
            Solid::capsule(1, 0.045, 0.29),
            (0.0, y(0.145), 0.0),
        );
        f.add(
            n("farm"),
            Some(&n("uarm")),
            ball(0.0, y(0.29), 0.0),
            1.3,
            Solid::capsule(1, 0.038, 0.26),
            (0.0, y(0.13), 0.0),
        );
        f.add(
            n("hand"),
            Some(&n("farm")),
            ball(0.0, y(0.26), 0.0),
            0.35,
            Solid::Box(0.04, 0.045, 0.015),
            (0.0, y(0.045), 0.0),
        );
        f.add(
            n("thumb1"),
            Some(&n("hand")),
            ball(0.04, y(0.02), 0.0),
            0.03,
            Solid::capsule(1, 0.012, 0.045),
            (0.0, y(0.022), 0.0),
        );
        f.add(
            n("thumb2"),
            Some(&n("thumb1")),
            ball(0.0, y(0.045), 0.0),
            0.02,
            Solid::capsule(1, 0.011, 0.035),
            (0.0, y(0.017), 0.0),
        );
        f.add(
            n("index1"),
            Some(&n("hand")),
            ball(0.025, y(0.09), 0.0),
            0.03,
            Solid::capsule(1, 0.011, 0.05),
            (0.0, y(0.025), 0.0),
        );
        f.add(
            n("index2"),
            Some(&n("index1")),
            ball(0.0, y(0.05), 0.0),
            0.02,
            Solid::capsule(1, 0.010, 0.04),
            (0.0, y(0.02), 0.0),
        );
        f.add(
            n("fing1"),
            Some(&n("hand")),
            ball(-0.015, y(0.09), 0.0),
            0.08,
            Solid::Box(0.025, 0.025, 0.010),
            (0.0, y(0.025), 0.0),
        );
        f.add(
            n("fing2"),
            Some(&n("fing1")),
            ball(0.0, y(0.05), 0.0),
            0.05,
            Solid::Box(0.025, 0.022, 0.009),
            (0.0, y(0.022), 0.0),
        );
    }
    for (s, sg) in [("l", 1.0), ("r", -1.0)] {
        let n = |part: &str| format!("{s}{part}");
        f.add(
            n("thigh"),
            Some("pelvis"),
            ball(0.0, 0.09 * sg, -0.06),
            8.2,
            Solid::capsule(2, 0.075, 0.43),
            (0.0, 0.0, -0.215),
        );
        f.add(
            n("shank"),
            Some(&n("thigh")),
            ball(0.0, 0.0, -0.43),
            3.8,
            Solid::capsule(2, 0.052, 0.42),
            (0.0, 0.0, -0.21),
        );
        f.add(
            n("foot"),
            Some(&n("shank")),
            ball(0.0, 0.0, -0.42),
            1.0,
            Solid::Box(0.09, 0.045, 0.03),
            (0.04, 0.0, -0.04),
        );
        f.add(
            n("toe"),
            Some(&n("foot")),
            ball(0.13, 0.0, -0.045),
            0.2,
            Solid::Box(0.035, 0.045, 0.02),
            (0.035, 0.0, 0.0),
        );
    }
    let total: f64 = f.parts.iter().map(|p| p.mass).sum();
    for part in &mut f.parts {
        part.mass *= 82.0 / total;
    }
    f
}

/// A serial chain on the world: `n` links of 1 kg and 0.2 m, hinges cycling through x, y, z.
pub fn chain(n: usize) -> Figure {
    let axes = [X, Y, Z];
    chain_of(n, format!("chain_{n}"), |i| Joint::revolute(axes[i % 3]))
}

/// A serial chain on the world with ball joints: `n` links of 1 kg and 0.2 m.
pub fn ball_chain(n: usize) -> Figure {
    chain_of(n, format!("ball_chain_{n}"), |_| Joint::spherical())
}

fn chain_of(n: usize, name: String, joint: impl Fn(usize) -> Joint) -> Figure {
    let mut f = Figure { name, parts: Vec::with_capacity(n) };
    for i in 0..n {
        let parent = (i > 0).then(|| format!("link{}", i - 1));
        let anchor = if i == 0 { DVec3::ZERO } else { DVec3::new(0.0, 0.0, -0.2) };
        let solid = Solid::capsule(2, 0.03, 0.2);
        f.add(format!("link{i}"), parent.as_deref(), joint(i).at(anchor), 1.0, solid, (0.0, 0.0, -0.1));
    }
    f
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_freedoms_they_are_named_for() {
        assert_eq!(humanoid37().model().n_v(), 37);
        assert_eq!(humanoid37().model().n_bodies(), 16);
        assert_eq!(bones36().model().n_v(), 111);
        assert_eq!(bones36().model().n_bodies(), 36);
        assert_eq!(chain(8).model().n_v(), 8);
        assert!((bones36().model().total_mass() - 82.0).abs() < 1e-12);
    }

    #[test]
    fn carried_inertia_of_the_torso_includes_head_and_arms() {
        let figure = humanoid37();
        let torso = figure.parts.iter().position(|p| p.name == "torso").expect("it has a torso");
        // Servo stiffness of the standard gains is 400 times this (20 rad/s): 3335.52.
        assert!((400.0 * figure.carried_inertia()[torso] - 3335.52347).abs() < 1e-4);
    }
}
