//! Random trees, and whole systems: a tree with a state and forces.

use core::ops::RangeInclusive;

use glam::{DQuat, DVec3};
use proptest::array::{uniform3, uniform6};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::inertia::{inertias, placements, plain_inertias, rotations, unit_vectors, vectors};
use super::motion::{Share, Sizes, set_forces, set_state, shares};
use crate::forces::Forces;
use crate::model::{BodySpec, Joint, Limits, Model, ModelBuilder};
use crate::spatial::{Inertia, Transform, rotation};
use crate::state::State;

/// A joint kind without its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in JointKind")]
pub enum Kind {
    Fixed,
    Revolute,
    Prismatic,
    Universal,
    Spherical,
    Planar,
    Free,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Fixed,
        Self::Revolute,
        Self::Prismatic,
        Self::Universal,
        Self::Spherical,
        Self::Planar,
        Self::Free,
    ];
}

/// Who hangs on whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Each body on the one before.
    Serial,
    /// All on the first.
    Star,
    /// Each on any earlier one.
    Branching,
    /// Each on any earlier one or on the world.
    Forest,
}

/// How the first body hangs on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// By any of the wanted kinds.
    Any,
    /// By a free joint, as all other bodies on the world.
    Floating,
    /// By anything but a free joint.
    Fixed,
}

/// Everything a law needs.
#[derive(Clone, Debug)]
pub struct System {
    /// What moves.
    pub model: Model,
    /// How it moves.
    pub state: State,
    /// Joint accelerations, one per freedom, unrelated to the forces.
    pub acceleration: Vec<f64>,
    /// Torques, wrenches, joint gains and implicit terms.
    pub forces: Forces,
}

/// Says which trees are wanted, then makes strategies: [`Trees::models`], [`Trees::systems`].
#[derive(Clone, Debug)]
pub struct Trees {
    bodies: RangeInclusive<usize>,
    topologies: Vec<Topology>,
    kinds: Vec<Kind>,
    base: Base,
    nasty: bool,
    passive: bool,
    limits: bool,
    gravity: f64,
    rate: f64,
}

impl Default for Trees {
    /// One to ten bodies, all kinds and topologies, limits, springs, dampers and armature, nasty numbers.
    fn default() -> Self {
        Self {
            bodies: 1..=10,
            topologies: vec![Topology::Serial, Topology::Star, Topology::Branching, Topology::Forest],
            kinds: Kind::ALL.to_vec(),
            base: Base::Any,
            nasty: true,
            passive: true,
            limits: true,
            gravity: 10.0,
            rate: 3.0,
        }
    }
}

impl Trees {
    /// Well-conditioned trees of one to six bodies without limits, springs, dampers or armature.
    pub fn plain() -> Self {
        Self { bodies: 1..=6, nasty: false, passive: false, limits: false, rate: 2.0, ..Self::default() }
    }

    /// Serial chains of 20 to 40 bodies.
    pub fn long_chains() -> Self {
        Self::default().bodies(20..=40).topologies(&[Topology::Serial])
    }

    /// How many bodies (at least one).
    pub fn bodies(mut self, bodies: RangeInclusive<usize>) -> Self {
        self.bodies = (*bodies.start()).max(1)..=(*bodies.end()).max(1);
        self
    }

    /// Which topologies; all if empty.
    pub fn topologies(mut self, topologies: &[Topology]) -> Self {
        if !topologies.is_empty() {
            self.topologies = topologies.to_vec();
        }
        self
    }

    /// Which joint kinds; all if empty.
    pub fn kinds(mut self, kinds: &[Kind]) -> Self {
        self.kinds = if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds.to_vec() };
        self
    }

    /// How trees hang on the world.
    pub fn base(mut self, base: Base) -> Self {
        self.base = base;
        self
    }

    /// Whether joints have springs, dampers and armature.
    pub fn passive(mut self, passive: bool) -> Self {
        self.passive = passive;
        self
    }

    /// Size of gravity in any direction, m/s²; zero for none.
    pub fn gravity(mut self, size: f64) -> Self {
        self.gravity = size;
        self
    }

    /// Ordinary size of joint rates, rad/s and m/s.
    pub fn rates(mut self, size: f64) -> Self {
        self.rate = size;
        self
    }

    /// Models alone.
    pub fn models(&self) -> impl Strategy<Value = Model> + use<> {
        self.systems().prop_map(|system| system.model)
    }

    /// Models with states, accelerations and forces.
    pub fn systems(&self) -> impl Strategy<Value = System> + use<> {
        let options = self.clone();
        let sizes = Sizes { nasty: self.nasty, rate: self.rate };
        let list = vec((genes(self), shares(sizes)), self.bodies.clone());
        (select(self.topologies.clone()), unit_vectors(), list).prop_map(move |(topology, down, list)| {
            let mut builder = Model::builder().gravity(down * options.gravity);
            for (i, (gene, _)) in list.iter().enumerate() {
                options.push(&mut builder, i, topology, gene);
            }
            let model = builder.build().expect("generated bodies are possible ones");
            assemble(model, list.iter().map(|(_, share)| share))
        })
    }

    /// Adds body `i` as its gene says.
    fn push(&self, builder: &mut ModelBuilder, i: usize, topology: Topology, gene: &Gene) {
        let parent = match topology {
            Topology::Serial => i.checked_sub(1),
            Topology::Star => (i > 0).then_some(0),
            Topology::Branching => (i > 0).then(|| gene.parent % i),
            Topology::Forest => (gene.parent % (i + 1)).checked_sub(1),
        };
        let kind = match (self.base, parent) {
            (Base::Floating, None) => Kind::Free,
            (Base::Fixed, None) if gene.kind == Kind::Free => Kind::Spherical,
            _ => gene.kind,
        };
        let joint = gene.joint(kind, parent.is_none());
        // A frame without mass is fine where nothing can move it by itself.
        let inertia = if gene.massless && kind == Kind::Fixed { Inertia::ZERO } else { gene.inertia };
        let parent = parent.map(|p| format!("b{p}"));
        builder.push(BodySpec { name: format!("b{i}"), parent, joint, inertia, shapes: Vec::new() });
    }
}

/// Gives each body its share, in the model's order.
fn assemble<'a>(model: Model, shares: impl Iterator<Item = &'a Share>) -> System {
    let mut state = State::new(&model);
    let mut forces = Forces::new(&model);
    let mut acceleration = vec![0.0; model.n_v()];
    for (i, share) in shares.enumerate() {
        let body = &model.bodies[i];
        set_state(body, share, &mut state);
        set_forces(&model, i, share, &mut forces);
        let n = body.v_range().len();
        acceleration[body.v_range()].copy_from_slice(&share.acceleration[..n]);
    }
    System { model, state, acceleration, forces }
}

/// All there is to know about a body before its place in the tree.
#[derive(Clone, Debug)]
struct Gene {
    kind: Kind,
    parent: usize,
    axis: DVec3,
    other: DVec3,
    placement: Transform,
    inertia: Inertia,
    massless: bool,
    /// Stiffness, damping, armature; nothing of it for most joints.
    passive: Option<[[f64; 6]; 3]>,
    rest: (DVec3, DQuat),
    limits: Option<([f64; 3], [DQuat; 2])>,
}

impl Gene {
    fn joint(&self, kind: Kind, on_world: bool) -> Joint {
        let mut joint = match kind {
            Kind::Fixed => Joint::fixed(),
            Kind::Revolute => Joint::revolute(self.axis),
            Kind::Prismatic => Joint::prismatic(self.axis),
            Kind::Universal => {
                let across = self.axis.cross(self.other).try_normalize();
                Joint::universal(self.axis, across.unwrap_or_else(|| self.axis.any_orthonormal_vector()))
            }
            Kind::Spherical => Joint::spherical(),
            Kind::Planar => Joint::planar(),
            Kind::Free => Joint::free(),
        };
        joint = joint.placed(self.placement);
        if let Some([stiffness, damping, armature]) = self.passive
            && (kind != Kind::Free || on_world)
        {
            (joint.stiffness, joint.damping, joint.armature) = (stiffness, damping, armature);
            let (shift, turn) = self.rest;
            let mut rest = joint.spring_reference;
            match joint.kind.quaternion_offset() {
                Some(k) => {
                    rest[..k].copy_from_slice(&shift.to_array()[..k]);
                    rest[k..k + 4].copy_from_slice(&turn.to_array());
                }
                None => rest[..3].copy_from_slice(&shift.to_array()),
            }
            joint.spring_reference = rest;
        }
        if let Some((size, [parent_frame, child_frame])) = self.limits {
            let range = |k: usize| (-size[k], size[(k + 1) % 3]);
            joint.limits = match kind {
                Kind::Fixed | Kind::Free => Limits::Unlimited,
                Kind::Revolute | Kind::Prismatic | Kind::Planar => {
                    Limits::ranges(&[range(0), range(1), range(2)])
                }
                Kind::Universal => Limits::Ellipse { center: [0.0; 2], radius: [size[0], size[1]] },
                Kind::Spherical => {
                    let twist = [-size[2], size[2]];
                    Limits::SwingTwist { parent_frame, child_frame, swing: [size[0], size[1]], twist }
                }
            };
        }
        joint
    }
}

fn genes(options: &Trees) -> impl Strategy<Value = Gene> + use<> {
    let inertia = if options.nasty {
        // A factor 1000 up or down now and then makes neighbours unequal.
        let factor = prop_oneof![8 => Just(1.0), 1 => Just(1e-3), 1 => Just(1e3)];
        (inertias(), factor)
            .prop_map(|(i, k)| Inertia::new(i.mass * k, i.center_of_mass, i.rotational * k))
            .boxed()
    } else {
        plain_inertias().boxed()
    };
    let placement = if options.nasty {
        placements().boxed()
    } else {
        (vectors(1.0), vectors(0.5))
            .prop_map(|(w, r)| Transform::new(rotation::matrix(rotation::exp(w)), r))
            .boxed()
    };
    let passive = if options.passive {
        let values = (uniform6(0.0..50.0), uniform6(0.0..2.0), uniform6(0.0..0.1))
            .prop_map(|(stiffness, damping, armature)| Some([stiffness, damping, armature]));
        prop_oneof![2 => Just(None), 1 => values].boxed()
    } else {
        Just(None).boxed()
    };
    let limits = if options.limits {
        let frames = [rotations().boxed(), rotations().boxed()];
        prop_oneof![2 => Just(None), 1 => (uniform3(0.1..2.5), frames).prop_map(Some)].boxed()
    } else {
        Just(None).boxed()
    };
    let massless = if options.nasty {
        prop_oneof![3 => Just(false), 1 => Just(true)].boxed()
    } else {
        Just(false).boxed()
    };
    (
        (select(options.kinds.clone()), any::<usize>(), unit_vectors(), unit_vectors(), placement),
        (inertia, massless, passive, (vectors(0.5), rotations()), limits),
    )
        .prop_map(
            |((kind, parent, axis, other, placement), (inertia, massless, passive, rest, limits))| Gene {
                kind,
                parent,
                axis,
                other,
                placement,
                inertia,
                massless,
                passive,
                rest,
                limits,
            },
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    #[test]
    fn every_kind_and_topology_appears() {
        let mut runner = TestRunner::deterministic();
        let strategy = Trees::default().models();
        let mut names = std::collections::BTreeSet::new();
        let (mut forests, mut inner_free) = (0, 0);
        for _ in 0..200 {
            let model = strategy.new_tree(&mut runner).expect("nothing is rejected").current();
            forests += usize::from(model.trees().len() > 1);
            for body in model.bodies() {
                names.insert(body.joint.kind.name());
                inner_free += usize::from(body.parent.is_some() && body.joint.kind.name() == "free");
            }
        }
        assert_eq!(names.len(), Kind::ALL.len(), "{names:?}");
        assert!(forests > 0 && inner_free > 0);
    }

    #[test]
    fn a_failure_loses_bodies_first() {
        let mut runner = TestRunner::deterministic();
        let failure = runner.run(&Trees::default().systems(), |s| {
            prop_assert!(s.model.n_bodies() < 3);
            Ok(())
        });
        let Err(proptest::test_runner::TestError::Fail(_, smallest)) = failure else {
            panic!("larger trees must have failed");
        };
        assert_eq!(smallest.model.n_bodies(), 3);
        assert!(smallest.state.v.iter().all(|v| v.abs() < 1e-6), "numbers shrink too");
    }

    #[test]
    fn base_and_kinds_are_obeyed() {
        let mut runner = TestRunner::deterministic();
        let floating = Trees::default().kinds(&[Kind::Revolute]).base(Base::Floating).models();
        for _ in 0..50 {
            let model = floating.new_tree(&mut runner).expect("nothing is rejected").current();
            for body in model.bodies() {
                let wanted = if body.parent.is_none() { "free" } else { "revolute" };
                assert_eq!(body.joint.kind.name(), wanted);
            }
        }
    }
}
