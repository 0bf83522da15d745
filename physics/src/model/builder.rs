//! From descriptions of bodies to a checked, sorted [`Model`].

use std::collections::HashMap;

use glam::{DMat3, DVec3};

use super::joint::{Joint, JointKind};
use super::limits::Limits;
use super::shape::Shape;
use super::{Body, BodyId, Model, ModelError};
use crate::collide::{Collider, Colliders, Groups};
use crate::contact::Material;
use crate::spatial::{Inertia, Sym3, Transform};

/// A shape, where it sits and what it is made of.
#[derive(Clone, Debug)]
pub struct ShapeSpec {
    /// Its geometry.
    pub shape: Shape,
    /// Where it sits on its body, or in the world.
    pub body_from_shape: Transform,
    /// What it is made of.
    pub material: Material,
    /// Which groups it belongs to and meets.
    pub groups: Groups,
}

impl ShapeSpec {
    /// A shape at the origin of its body (or of the world), default material, meeting everything.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            body_from_shape: Transform::IDENTITY,
            material: Material::default(),
            groups: Groups::ALL,
        }
    }

    /// Puts it elsewhere on its body.
    pub fn placed(mut self, body_from_shape: Transform) -> Self {
        self.body_from_shape = body_from_shape;
        self
    }

    /// Makes it of another material.
    pub fn made_of(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Sets its collision groups.
    pub fn in_groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }
}

/// Description of a body and of the joint that carries it.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// Unique name.
    pub name: String,
    /// Name of the parent body; `None` hangs it on the world.
    pub parent: Option<String>,
    /// The joint between parent and this body.
    pub joint: Joint,
    /// Mass distribution.
    pub inertia: Inertia,
    /// What it looks like to contacts.
    pub shapes: Vec<ShapeSpec>,
}

impl BodySpec {
    /// A body on the world by `joint`.
    pub fn root(name: impl Into<String>, joint: Joint, inertia: Inertia) -> Self {
        Self { name: name.into(), parent: None, joint, inertia, shapes: Vec::new() }
    }

    /// A body on another body by `joint`.
    pub fn child(name: impl Into<String>, parent: impl Into<String>, joint: Joint, inertia: Inertia) -> Self {
        Self { name: name.into(), parent: Some(parent.into()), joint, inertia, shapes: Vec::new() }
    }

    /// Adds a shape.
    pub fn with_shape(mut self, shape: ShapeSpec) -> Self {
        self.shapes.push(shape);
        self
    }
}

/// A body to be, and where its description comes from.
#[derive(Clone, Debug)]
struct Entry {
    spec: BodySpec,
    /// Joint as a model had it: checked and with unit axes already, not to be touched again.
    sound: bool,
    /// Whether it may collide with others of its tree where the builder lets bodies do so.
    self_collision: bool,
}

/// Collects bodies in any order; [`ModelBuilder::build`] checks everything once.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    gravity: DVec3,
    bodies: Vec<Entry>,
    fixtures: Vec<ShapeSpec>,
    self_collision: bool,
    apart: Vec<(String, String)>,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            bodies: Vec::new(),
            fixtures: Vec::new(),
            self_collision: true,
            apart: Vec::new(),
        }
    }
}

impl ModelBuilder {
    /// An empty model with standard gravity, 9.81 m/s² down the z axis.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the acceleration of gravity, world axes.
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = gravity;
        self
    }

    /// Adds a body; its parent may be added later.
    pub fn body(mut self, body: BodySpec) -> Self {
        self.push(body);
        self
    }

    /// Adds a body; its parent may be added later.
    pub fn push(&mut self, body: BodySpec) {
        self.bodies.push(Entry { spec: body, sound: false, self_collision: true });
    }

    /// Changes bodies that were added: `change` gets each in turn.
    pub fn change_bodies(&mut self, mut change: impl FnMut(&mut BodySpec)) {
        for Entry { spec, sound, .. } in &mut self.bodies {
            let before = spec.joint.clone();
            change(spec);
            *sound &= spec.joint == before;
        }
    }

    /// Adds a shape that never moves: ground, terrain, walls.
    pub fn fixture(mut self, shape: ShapeSpec) -> Self {
        self.push_fixture(shape);
        self
    }

    /// Adds a shape that never moves: ground, terrain, walls.
    pub fn push_fixture(&mut self, shape: ShapeSpec) {
        self.fixtures.push(shape);
    }

    /// Whether bodies of one tree collide with each other (neighbours never do). On by default; trees that were
    /// [appended](Self::append) from a model where they do not never do.
    pub fn self_collision(mut self, on: bool) -> Self {
        self.self_collision = on;
        self
    }

    /// Keeps two bodies from colliding.
    pub fn keep_apart(&mut self, a: impl Into<String>, b: impl Into<String>) {
        self.apart.push((a.into(), b.into()));
    }

    /// Adds every body of `model`, names prefixed by `prefix`, its roots moved by `world_from_model`. Joints with their
    /// limits, inertias, shapes with materials and groups, pairs kept apart and trees that do not collide with
    /// themselves come along bit for bit; gravity and fixtures are the builder's own.
    pub fn append(&mut self, prefix: &str, model: &Model, world_from_model: Transform) {
        let name = |id: BodyId| format!("{prefix}{}", model.bodies[id.index()].name);
        for &(a, b) in &model.apart {
            self.keep_apart(name(a), name(b));
        }
        for id in model.body_ids() {
            let body = model.body(id);
            let mut joint = body.joint.clone();
            let moved = body.parent.is_none() && world_from_model != Transform::IDENTITY;
            if moved {
                joint.parent_from_joint = world_from_model * joint.parent_from_joint;
            }
            let quiet = model.colliders.list().iter().any(|c| c.body == Some(id) && c.family.is_some());
            let spec = BodySpec {
                name: name(id),
                parent: body.parent.map(name),
                joint,
                inertia: body.inertia,
                shapes: model.shapes_of(Some(id)).collect(),
            };
            self.bodies.push(Entry { spec, sound: !moved, self_collision: !quiet });
        }
    }

    /// Checks everything and sorts the bodies: depth first, each tree contiguous, parents before
    /// children, siblings in the order they were added.
    pub fn build(self) -> Result<Model, ModelError> {
        check_finite("gravity", "world", &self.gravity.to_array())?;
        let order = self.sorted()?;
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let index_of: HashMap<&str, usize> =
            self.bodies.iter().enumerate().map(|(i, b)| (b.spec.name.as_str(), i)).collect();

        let mut bodies = Vec::with_capacity(order.len());
        let (mut n_q, mut n_v) = (0, 0);
        for &old in &order {
            let Entry { spec, sound, .. } = &self.bodies[old];
            let joint = if *sound { spec.joint.clone() } else { checked_joint(spec)? };
            check_inertia(spec)?;
            let parent = spec.parent.as_ref().map(|p| BodyId::new(place[index_of[p.as_str()]]));
            let (q_start, v_start) = (n_q, n_v);
            n_q += joint.kind.n_q();
            n_v += joint.kind.n_v();
            bodies.push(Body {
                name: spec.name.clone(),
                parent,
                joint,
                inertia: spec.inertia,
                q_start,
                v_start,
            });
        }
        check_freedoms(&bodies)?;
        let mut model = Model::assemble(self.gravity, bodies, n_q, n_v);
        self.add_shapes(&order, &mut model)?;
        Ok(model)
    }

    /// Colliders and materials of bodies and fixtures, and the pairs that never touch.
    fn add_shapes(&self, order: &[usize], model: &mut Model) -> Result<(), ModelError> {
        let mut colliders = Vec::new();
        let mut add = |owner: &str, body: Option<usize>, family, spec: &ShapeSpec| {
            if let Some((quantity, value)) = spec.material.fault() {
                return Err(ModelError::Negative { body: owner.to_owned(), quantity, value });
            }
            colliders.push(Collider {
                shape: spec.shape.clone(),
                body: body.map(BodyId::new),
                body_from_shape: spec.body_from_shape,
                groups: spec.groups,
                family,
            });
            model.materials.push(spec.material);
            Ok(())
        };
        for (tree, range) in model.trees.iter().enumerate() {
            for i in range.clone() {
                let Entry { spec, self_collision, .. } = &self.bodies[order[i]];
                let family = (!self.self_collision || !self_collision).then_some(tree as u32);
                spec.shapes.iter().try_for_each(|shape| add(&spec.name, Some(i), family, shape))?;
            }
        }
        self.fixtures.iter().try_for_each(|shape| add("world", None, None, shape))?;

        let mut apart: Vec<(BodyId, BodyId)> = Vec::new();
        for (i, link) in model.links.iter().enumerate() {
            if link.parent != super::NONE {
                apart.push((BodyId::new(link.parent as usize), BodyId::new(i)));
            }
        }
        for (a, b) in &self.apart {
            let find = |name: &String| {
                model.find(name).ok_or_else(|| ModelError::UnknownBody { body: name.clone() })
            };
            let (a, b) = (find(a)?, find(b)?);
            model.apart.push((a, b));
            apart.push((a, b));
        }
        let owner = |c: usize| match colliders[c].body {
            Some(b) => model.bodies[b].name.clone(),
            None => "world".to_owned(),
        };
        let names: Vec<String> = (0..colliders.len()).map(owner).collect();
        model.colliders = Colliders::new(colliders, &apart)
            .map_err(|source| ModelError::Shape { body: names[source.collider()].clone(), source })?;
        Ok(())
    }

    /// Indices of the bodies in depth-first order.
    fn sorted(&self) -> Result<Vec<usize>, ModelError> {
        let mut index_of = HashMap::with_capacity(self.bodies.len());
        let specs = || self.bodies.iter().map(|entry| &entry.spec).enumerate();
        for (i, body) in specs() {
            if body.name.is_empty() {
                return Err(ModelError::EmptyName);
            }
            if index_of.insert(body.name.as_str(), i).is_some() {
                return Err(ModelError::DuplicateName { body: body.name.clone() });
            }
        }
        let mut children = vec![Vec::new(); self.bodies.len()];
        let mut stack = Vec::new();
        for (i, body) in specs() {
            match &body.parent {
                None => stack.push(i),
                Some(parent) => match index_of.get(parent.as_str()) {
                    Some(&p) => children[p].push(i),
                    None => {
                        return Err(ModelError::UnknownParent {
                            body: body.name.clone(),
                            parent: parent.clone(),
                        });
                    }
                },
            }
        }
        stack.reverse();
        let mut order = Vec::with_capacity(self.bodies.len());
        let mut seen = vec![false; self.bodies.len()];
        while let Some(i) = stack.pop() {
            order.push(i);
            seen[i] = true;
            stack.extend(children[i].iter().rev());
        }
        // Whatever no root reaches hangs in a cycle.
        if let Some(i) = seen.iter().position(|&s| !s) {
            let body = &self.bodies[i].spec;
            let through = body.parent.as_ref().map_or_else(String::new, |p| format!("'{p}'"));
            return Err(ModelError::Cycle { body: body.name.clone(), through });
        }
        Ok(order)
    }
}

fn check_finite(quantity: &'static str, body: &str, values: &[f64]) -> Result<(), ModelError> {
    match values.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(ModelError::NonFinite { body: body.to_owned(), quantity, value }),
        None => Ok(()),
    }
}

/// The joint with unit axes and an exactly orthonormal placement, or what is wrong with it.
fn checked_joint(spec: &BodySpec) -> Result<Joint, ModelError> {
    let body = || spec.name.clone();
    let mut joint = spec.joint.clone();

    let mut axes = [DVec3::X; 2];
    for (index, &axis) in joint.kind.axes().iter().enumerate() {
        check_finite("joint axis", &spec.name, &axis.to_array())?;
        let length = axis.length();
        if length < 1e-9 {
            return Err(ModelError::ZeroAxis { body: body(), index, length });
        }
        axes[index] = axis / length;
    }
    match &mut joint.kind {
        JointKind::Revolute { axis } | JointKind::Prismatic { axis } => *axis = axes[0],
        JointKind::Universal { axes: pair } => {
            let cosine = axes[0].dot(axes[1]);
            if cosine.abs() > 1e-6 {
                return Err(ModelError::SkewAxes { body: body(), cosine });
            }
            *pair = axes;
        }
        _ => {}
    }

    let placement = &mut joint.parent_from_joint;
    check_finite("joint placement", &spec.name, &placement.translation.to_array())?;
    check_finite("joint placement", &spec.name, &placement.rotation.to_cols_array())?;
    placement.rotation = orthonormal(&placement.rotation).ok_or_else(|| ModelError::BadPlacement {
        body: body(),
        determinant: placement.rotation.determinant(),
    })?;

    for (quantity, values) in
        [("stiffness", joint.stiffness), ("damping", joint.damping), ("armature", joint.armature)]
    {
        check_finite(quantity, &spec.name, &values)?;
        if let Some(&value) = values.iter().find(|&&x| x < 0.0) {
            return Err(ModelError::Negative { body: body(), quantity, value });
        }
    }
    for &value in &joint.effort_limit {
        if value.is_nan() || value < 0.0 {
            return Err(ModelError::Negative { body: body(), quantity: "effort limit", value });
        }
    }
    check_finite("spring reference", &spec.name, &joint.spring_reference)?;
    if let Some(k) = joint.kind.quaternion_offset() {
        let q = &mut joint.spring_reference[k..k + 4];
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < 1e-9 {
            return Err(ModelError::NonFinite { body: body(), quantity: "spring reference", value: norm });
        }
        q.iter_mut().for_each(|x| *x /= norm);
    }
    let loaded = joint.stiffness.iter().chain(&joint.damping).chain(&joint.armature).any(|&x| x != 0.0);
    if joint.kind == JointKind::Free && spec.parent.is_some() && loaded {
        return Err(ModelError::LoadedFreeJoint { body: body() });
    }
    check_limits(spec, &joint)?;
    Ok(joint)
}

/// The nearest rotation if `m` is one up to rounding (1e-6), else `None`.
fn orthonormal(m: &DMat3) -> Option<DMat3> {
    let x = m.x_axis.try_normalize()?;
    let y = (m.y_axis - x * x.dot(m.y_axis)).try_normalize()?;
    let r = DMat3::from_cols(x, y, x.cross(y));
    if !r.abs_diff_eq(*m, 1e-6) {
        return None;
    }
    // A matrix that is orthonormal to the last bits stays as it is.
    let gram = m.transpose() * *m;
    Some(if gram.abs_diff_eq(DMat3::IDENTITY, 4e-16) { *m } else { r })
}

fn check_limits(spec: &BodySpec, joint: &Joint) -> Result<(), ModelError> {
    let body = || spec.name.clone();
    let fits = match joint.limits {
        Limits::Unlimited => true,
        Limits::Range { .. } => !matches!(joint.kind, JointKind::Fixed | JointKind::Spherical),
        Limits::Ellipse { .. } => matches!(joint.kind, JointKind::Universal { .. }),
        Limits::SwingTwist { .. } => joint.kind == JointKind::Spherical,
    };
    if !fits {
        return Err(ModelError::WrongLimits {
            body: body(),
            limits: joint.limits.name(),
            joint: joint.kind.name(),
        });
    }
    let range = |lower: f64, upper: f64| {
        if lower.is_nan() || upper.is_nan() {
            Err(ModelError::NonFinite { body: body(), quantity: "joint limit", value: f64::NAN })
        } else if lower > upper {
            Err(ModelError::EmptyRange { body: body(), lower, upper })
        } else {
            Ok(())
        }
    };
    let half_axis = |value: f64| {
        if value > 0.0 && value < core::f64::consts::PI {
            Ok(())
        } else {
            Err(ModelError::BadSwing { body: body(), value })
        }
    };
    match &joint.limits {
        Limits::Unlimited => Ok(()),
        Limits::Range { lower, upper } => lower.iter().zip(upper).try_for_each(|(&lo, &hi)| range(lo, hi)),
        Limits::Ellipse { center, radius } => {
            check_finite("ellipse centre", &spec.name, center)?;
            radius.iter().try_for_each(|&r| half_axis(r))
        }
        Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
            for frame in [parent_frame, child_frame] {
                check_finite("limit frame", &spec.name, &frame.to_array())?;
                if (frame.length() - 1.0).abs() > 1e-6 {
                    return Err(ModelError::NonFinite {
                        body: body(),
                        quantity: "length of the limit frame's quaternion minus one",
                        value: frame.length() - 1.0,
                    });
                }
            }
            swing.iter().try_for_each(|&r| half_axis(r))?;
            range(twist[0], twist[1])
        }
    }
}

fn check_inertia(spec: &BodySpec) -> Result<(), ModelError> {
    let i = &spec.inertia;
    check_finite("mass", &spec.name, &[i.mass])?;
    check_finite("centre of mass", &spec.name, &i.center_of_mass.to_array())?;
    let r = &i.rotational;
    check_finite("inertia", &spec.name, &[r.xx, r.yy, r.zz, r.xy, r.xz, r.yz])?;
    if i.mass < 0.0 || (i.mass == 0.0 && *r != Sym3::ZERO) {
        return Err(ModelError::NonPositiveMass { body: spec.name.clone(), mass: i.mass });
    }
    let principal = r.eigenvalues();
    let slack = 1e-9 * principal[2].abs();
    if principal[0] < -slack || principal[0] + principal[1] < principal[2] - slack {
        return Err(ModelError::ImpossibleInertia { body: spec.name.clone(), principal });
    }
    Ok(())
}

/// Every freedom must move some inertia: the subtree's, in the zero pose, or armature.
fn check_freedoms(bodies: &[Body]) -> Result<(), ModelError> {
    let mut composite: Vec<Inertia> = bodies.iter().map(|b| b.inertia).collect();
    for i in (0..bodies.len()).rev() {
        let body = &bodies[i];
        if let Some(p) = body.parent {
            let moved = composite[i].transformed(&body.joint.parent_from_joint);
            composite[p.index()] = composite[p.index()].combined(&moved);
        }
        let n = body.joint.kind.n_v();
        if n == 0 || body.joint.armature[..n].iter().all(|&a| a > 0.0) {
            continue;
        }
        let (body, joint) = (body.name.clone(), body.joint.kind.name());
        if composite[i].mass == 0.0 {
            return Err(ModelError::MasslessLeaf { body, joint });
        }
        let c = &composite[i];
        let about_origin = c.rotational + Sym3::point_inertia(c.center_of_mass) * c.mass;
        let scale = 1e-12 * about_origin.trace();
        let turning = |axis: DVec3| about_origin.quadratic(axis, axis) > scale;
        let fine = match bodies[i].joint.kind {
            JointKind::Fixed | JointKind::Prismatic { .. } => true,
            JointKind::Revolute { axis } => turning(axis),
            JointKind::Universal { axes } => turning(axes[0]) && turning(axes[1]),
            JointKind::Planar => turning(DVec3::Z),
            JointKind::Spherical => about_origin.eigenvalues()[0] > scale,
            JointKind::Free => c.rotational.eigenvalues()[0] > 1e-12 * c.rotational.trace(),
        };
        if !fine {
            return Err(ModelError::MasslessFreedom { body, joint });
        }
    }
    Ok(())
}
