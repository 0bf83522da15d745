//! What is simulated: immutable once built.
//!
//! One [`Model`] holds everything that moves: several characters and loose bodies are simply several
//! trees hanging on the world, and a free rigid body is a tree of one body with a free joint.

mod builder;
mod error;
mod ids;
mod joint;
mod limits;
pub mod shape;
mod span;

use std::collections::HashMap;
use std::ops::Range;

use glam::DVec3;

pub use builder::{BodySpec, ModelBuilder, ShapeSpec};
pub use error::ModelError;
pub use ids::{BodyId, Coordinate, Freedom, Id, TreeId};
pub use joint::{Joint, JointKind, MAX_COORDINATES, MAX_FREEDOMS};
pub use limits::Limits;
pub use span::{Bodies, Coordinates, Freedoms, Ids, Span};

use crate::collide::Colliders;
use crate::contact::Material;
use crate::spatial::Inertia;

/// A body and the joint above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub(crate) name: String,
    pub(crate) parent: Option<BodyId>,
    pub(crate) joint: Joint,
    pub(crate) inertia: Inertia,
    pub(crate) q_start: usize,
    pub(crate) v_start: usize,
}

impl Body {
    /// Unique name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The body it hangs on; `None` for the world.
    pub fn parent(&self) -> Option<BodyId> {
        self.parent
    }

    /// The joint between the parent and this body.
    pub fn joint(&self) -> &Joint {
        &self.joint
    }

    /// Mass distribution in body axes.
    pub fn inertia(&self) -> &Inertia {
        &self.inertia
    }

    /// Its joint's coordinates.
    #[inline]
    pub fn coordinates(&self) -> Coordinates {
        Span::new(self.q_range())
    }

    /// Its joint's freedoms.
    #[inline]
    pub fn freedoms(&self) -> Freedoms {
        Span::new(self.v_range())
    }

    pub(crate) fn q_range(&self) -> Range<usize> {
        self.q_start..self.q_start + self.joint.kind.n_q()
    }

    pub(crate) fn v_range(&self) -> Range<usize> {
        self.v_start..self.v_start + self.joint.kind.n_v()
    }
}

/// What belongs to a tree of a [`Model`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Which it is.
    pub id: TreeId,
    /// Its bodies, parents first.
    pub bodies: Bodies,
    /// Their joints' coordinates.
    pub coordinates: Coordinates,
    /// Their joints' freedoms.
    pub freedoms: Freedoms,
}

/// A forest of bodies: sorted so that parents come before children and each tree is contiguous.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) gravity: DVec3,
    pub(crate) bodies: Vec<Body>,
    pub(crate) n_q: usize,
    pub(crate) n_v: usize,
    /// What the inner loops read, one record per body.
    pub(crate) links: Vec<Link>,
    /// Bodies of each tree.
    pub(crate) trees: Vec<Range<usize>>,
    /// For every freedom the nearest freedom towards the root (the expanded parent array of RBDA 8.3).
    pub(crate) dof_parent: Vec<u32>,
    /// Start of each freedom's row in the packed mass matrix.
    pub(crate) row_start: Vec<usize>,
    /// Shapes of bodies and world.
    pub(crate) colliders: Colliders,
    /// Material of each collider.
    pub(crate) materials: Vec<Material>,
    /// Pairs kept from colliding by the user.
    pub(crate) apart: Vec<(BodyId, BodyId)>,
    /// Rotational inertia every freedom carries in the zero pose (its subtree as one rigid body, the
    /// mean over the axes of ball joints); zero for sliding and free ones.
    pub(crate) carried_inertia: Vec<f64>,
    /// Total mass of the tree each body belongs to.
    pub(crate) tree_mass: Vec<f64>,
    /// The tree each body belongs to.
    pub(crate) tree_of: Vec<u32>,
    by_name: HashMap<String, BodyId>,
}

/// Marks "no parent" in the index arrays.
pub(crate) const NONE: u32 = u32::MAX;

/// The part of a body that the recursions read, packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) kind: JointKind,
    pub(crate) parent: u32,
    pub(crate) q: u32,
    pub(crate) v: u32,
    /// Whether the joint frame is parallel to the parent's.
    pub(crate) parallel: bool,
    /// Whether any freedom has armature.
    pub(crate) armature: bool,
    /// Which of the free joints it is, if it is one.
    pub(crate) free: u32,
    pub(crate) placement: crate::spatial::Transform,
    pub(crate) inertia: Inertia,
}

impl Model {
    /// Starts an empty model.
    pub fn builder() -> ModelBuilder {
        ModelBuilder::new()
    }

    /// Acceleration of gravity, world axes.
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// The same model under another gravity and with every coefficient of friction multiplied. States, data and memories
    /// of this one are those of the other.
    ///
    /// # Errors
    /// A gravity that is not finite, or a factor that is not zero or more.
    pub fn elsewhere(&self, gravity: DVec3, friction: f64) -> Result<Self, ModelError> {
        let body = || "world".to_owned();
        if let Some(value) = gravity.to_array().into_iter().find(|x| !x.is_finite()) {
            return Err(ModelError::NonFinite { body: body(), quantity: "gravity", value });
        }
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(ModelError::Negative { body: body(), quantity: "friction", value: friction });
        }
        let mut other = Self { gravity, ..self.clone() };
        other.materials.iter_mut().for_each(|material| material.friction *= friction);
        Ok(other)
    }

    /// All bodies, parents first.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Number of bodies.
    pub fn n_bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Number of position coordinates.
    pub fn n_q(&self) -> usize {
        self.n_q
    }

    /// Number of freedoms.
    pub fn n_v(&self) -> usize {
        self.n_v
    }

    /// The body called `name`.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.by_name.get(name).copied()
    }

    /// The body with this id.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.index()]
    }

    /// Ids of all bodies, parents first.
    pub fn body_ids(&self) -> Bodies {
        Span::new(0..self.bodies.len())
    }

    /// All freedoms.
    pub fn freedoms(&self) -> Freedoms {
        Span::new(0..self.n_v)
    }

    /// All position coordinates.
    pub fn coordinates(&self) -> Coordinates {
        Span::new(0..self.n_q)
    }

    /// All trees: one per body that hangs on the world.
    pub fn trees(&self) -> impl DoubleEndedIterator<Item = Tree> + ExactSizeIterator + Clone + '_ {
        (0..self.trees.len()).map(|k| self.tree(TreeId::new(k)))
    }

    /// What belongs to a tree.
    pub fn tree(&self, id: TreeId) -> Tree {
        Tree {
            id,
            bodies: Span::new(self.trees[id].clone()),
            coordinates: Span::new(self.coordinates_of(id.index())),
            freedoms: Span::new(self.freedoms_of(id.index())),
        }
    }

    /// The body whose joint owns a freedom.
    ///
    /// # Panics
    /// If there is no such freedom.
    pub fn body_of(&self, freedom: Freedom) -> BodyId {
        self.body_of_freedom(freedom.index())
    }

    pub(crate) fn body_of_freedom(&self, dof: usize) -> BodyId {
        assert!(dof < self.n_v, "freedom {dof} of {}", self.n_v);
        let after = self.bodies.partition_point(|b| b.v_start + b.joint.kind.n_v() <= dof);
        BodyId::new(after)
    }

    /// Whether `ancestor` is `body` or lies between it and the world.
    pub fn is_ancestor(&self, ancestor: BodyId, body: BodyId) -> bool {
        let mut at = Some(body);
        while let Some(b) = at {
            if b == ancestor {
                return true;
            }
            at = self.bodies[b.index()].parent;
        }
        false
    }

    /// Shapes of bodies and world.
    pub fn colliders(&self) -> &Colliders {
        &self.colliders
    }

    /// Material of each collider, in the order of [`Model::colliders`].
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Shapes on a body, or those of the world for `None`.
    pub fn shapes_of(&self, body: Option<BodyId>) -> impl Iterator<Item = ShapeSpec> + '_ {
        self.colliders.list().iter().zip(&self.materials).filter(move |(c, _)| c.body == body).map(
            |(c, &material)| ShapeSpec {
                shape: c.shape.clone(),
                body_from_shape: c.body_from_shape,
                material,
                groups: c.groups,
            },
        )
    }

    /// The tree a body belongs to.
    pub fn tree_of(&self, body: BodyId) -> Tree {
        self.tree(TreeId::new(self.tree_number(body)))
    }

    /// Which of the trees a body belongs to.
    pub(crate) fn tree_number(&self, body: BodyId) -> usize {
        self.tree_of[body.index()] as usize
    }

    /// Freedoms of a tree.
    pub(crate) fn freedoms_of(&self, tree: usize) -> Range<usize> {
        let bodies = &self.trees[tree];
        self.bodies[bodies.start].v_start..self.bodies[bodies.end - 1].v_range().end
    }

    /// Position coordinates of a tree.
    pub(crate) fn coordinates_of(&self, tree: usize) -> Range<usize> {
        let bodies = &self.trees[tree];
        self.bodies[bodies.start].q_start..self.bodies[bodies.end - 1].q_range().end
    }

    /// Sum of all masses.
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.inertia.mass).sum()
    }

    pub(crate) fn assemble(gravity: DVec3, bodies: Vec<Body>, n_q: usize, n_v: usize) -> Self {
        let mut free_joints = 0;
        let mut next_free = |kind| {
            let own = free_joints;
            free_joints += u32::from(kind == JointKind::Free);
            own
        };
        let links: Vec<Link> = bodies
            .iter()
            .map(|b| Link {
                free: next_free(b.joint.kind),
                kind: b.joint.kind,
                parent: b.parent.map_or(NONE, |p| p.index() as u32),
                q: b.q_start as u32,
                v: b.v_start as u32,
                parallel: b.joint.parent_from_joint.rotation == glam::DMat3::IDENTITY,
                armature: b.joint.armature[..b.joint.kind.n_v()].iter().any(|&a| a != 0.0),
                placement: b.joint.parent_from_joint,
                inertia: b.inertia,
            })
            .collect();

        let mut trees: Vec<Range<usize>> = Vec::new();
        for (i, body) in bodies.iter().enumerate() {
            match (body.parent, trees.last_mut()) {
                (Some(_), Some(tree)) => tree.end = i + 1,
                _ => trees.push(i..i + 1),
            }
        }

        let mut dof_parent = Vec::with_capacity(n_v);
        let mut row_start = Vec::with_capacity(n_v + 1);
        let mut last_dof: Vec<u32> = Vec::with_capacity(bodies.len());
        let mut depth: Vec<usize> = Vec::with_capacity(n_v);
        let mut next_row = 0;
        for body in &bodies {
            let mut above = body.parent.map_or(NONE, |p| last_dof[p.index()]);
            for dof in body.v_range() {
                let below_depth = if above == NONE { 0 } else { depth[above as usize] };
                dof_parent.push(above);
                depth.push(below_depth + 1);
                row_start.push(next_row);
                next_row += below_depth + 1;
                above = dof as u32;
            }
            last_dof.push(above);
        }
        row_start.push(next_row);

        let by_name = bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), BodyId::new(i))).collect();
        let carried_inertia = carried_inertia(&bodies, n_v);
        let mut tree_mass = vec![0.0; bodies.len()];
        let mut tree_of = vec![0; bodies.len()];
        for (k, tree) in trees.iter().enumerate() {
            let mass = bodies[tree.clone()].iter().map(|b| b.inertia.mass).sum();
            tree_mass[tree.clone()].fill(mass);
            tree_of[tree.clone()].fill(k as u32);
        }
        Self {
            gravity,
            bodies,
            n_q,
            n_v,
            links,
            trees,
            dof_parent,
            row_start,
            by_name,
            colliders: Colliders::default(),
            materials: Vec::new(),
            apart: Vec::new(),
            carried_inertia,
            tree_mass,
            tree_of,
        }
    }
}

fn carried_inertia(bodies: &[Body], n_v: usize) -> Vec<f64> {
    let mut composite: Vec<Inertia> = bodies.iter().map(|b| b.inertia).collect();
    let mut carried = vec![0.0; n_v];
    for (i, body) in bodies.iter().enumerate().rev() {
        let c = composite[i];
        let about_origin = c.rotational + crate::spatial::Sym3::point_inertia(c.center_of_mass) * c.mass;
        let about = |axis: DVec3| about_origin.quadratic(axis, axis);
        let own = &mut carried[body.v_start..body.v_start + body.joint.kind.n_v()];
        match body.joint.kind {
            JointKind::Revolute { axis } => own[0] = about(axis),
            JointKind::Universal { axes } => (own[0], own[1]) = (about(axes[0]), about(axes[1])),
            JointKind::Spherical => own.fill(about_origin.trace() / 3.0),
            JointKind::Planar => own[2] = about(DVec3::Z),
            JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Free => {}
        }
        if let Some(p) = body.parent {
            let moved = c.transformed(&body.joint.parent_from_joint);
            composite[p.index()] = composite[p.index()].combined(&moved);
        }
    }
    carried
}

#[cfg(test)]
mod append_tests;
