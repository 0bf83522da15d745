//! A Rapier world with our figures in it. Compiled twice, in both precisions: `super::rapier` is the crate.

use super::rapier::parry::utils::Array2;
use super::rapier::prelude::*;

use crate::tree::{Body, Joint, Loose, Shape, Terrain};

/// How joints are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joints {
    /// Reduced coordinates.
    Multibody,
    /// Separate bodies held by constraints.
    Impulse,
}

/// What acts at the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    Nothing,
    PassiveDamping,
    Servo,
}

const EVERYTHING: u32 = u32::MAX;
const SCENERY: u32 = 1 << 31;
const ANGULAR: [JointAxis; 3] = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];

pub struct World {
    gravity: Vector,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    loose: Vec<RigidBodyHandle>,
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as Real, v[1] as Real, v[2] as Real)
}

fn groups(member: u32, filter: u32) -> InteractionGroups {
    let (member, filter) = (Group::from_bits_retain(member), Group::from_bits_retain(filter));
    InteractionGroups::new(member, filter, InteractionTestMode::And)
}

fn collider(shape: Shape) -> ColliderBuilder {
    match shape {
        Shape::Box(h) => ColliderBuilder::cuboid(h[0] as Real, h[1] as Real, h[2] as Real),
        Shape::Sphere(r) => ColliderBuilder::ball(r as Real),
        Shape::Capsule { axis, radius, half_length } => {
            let make = [ColliderBuilder::capsule_x, ColliderBuilder::capsule_y, ColliderBuilder::capsule_z];
            make[axis](half_length as Real, radius as Real)
        }
    }
    .friction(0.8)
}

impl World {
    pub fn new(dt: f64) -> Self {
        Self {
            gravity: Vector::new(0.0, 0.0, -9.81),
            parameters: IntegrationParameters { dt: dt as Real, ..Default::default() },
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            loose: Vec::new(),
        }
    }

    pub fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    pub fn add_ground(&mut self) {
        let slab = ColliderBuilder::cuboid(50.0, 50.0, 1.0).translation(Vector::new(0.0, 0.0, -1.0));
        self.colliders.insert(slab.friction(0.8).collision_groups(groups(SCENERY, EVERYTHING)));
    }

    /// Rapier's height fields stand on y with rows along z; a quarter turn about x takes z to -y.
    pub fn add_terrain(&mut self, terrain: &Terrain) {
        let n = terrain.n;
        let mut heights = Array2::repeat(n, n, 0.0 as Real);
        for row in 0..n {
            for column in 0..n {
                heights[(row, column)] = terrain.heights[(n - 1 - row) * n + column] as Real;
            }
        }
        let width = 2.0 * terrain.half as Real;
        let quarter_turn = Vector::new(std::f64::consts::FRAC_PI_2 as Real, 0.0, 0.0);
        let field = ColliderBuilder::heightfield(heights, Vector::new(width, 1.0, width))
            .position(Pose::new(Vector::ZERO, quarter_turn));
        self.colliders.insert(field.friction(0.8).collision_groups(groups(SCENERY, EVERYTHING)));
    }

    pub fn add_loose(&mut self, loose: &Loose) {
        let body = RigidBodyBuilder::dynamic().translation(vector(loose.at)).can_sleep(false);
        let handle = self.bodies.insert(body);
        let shape = collider(loose.shape).mass(loose.mass as Real);
        let shape = shape.collision_groups(groups(SCENERY, EVERYTHING));
        self.colliders.insert_with_parent(shape, handle, &mut self.bodies);
        self.loose.push(handle);
    }

    /// The loose bodies start a little differently in every run but the first.
    pub fn perturb(&mut self, run: usize) {
        for (k, &handle) in self.loose.iter().enumerate().filter(|_| run > 0) {
            let (k, run) = (k as f64, run as f64);
            let push = [0.2 * (k + 7.0 * run).sin(), 0.2 * (3.0 * k + 5.0 * run).cos(), 0.0];
            self.bodies[handle].set_linvel(vector(push), true);
        }
    }

    /// Adds a figure; `masks(i)` gives membership and filter of body i's shape, `None` no shape.
    /// Returns the root.
    pub fn add_figure(
        &mut self,
        figure: &[Body],
        at: [f64; 3],
        joints: Joints,
        drive: Drive,
        masks: impl Fn(usize) -> Option<(u32, u32)>,
    ) -> RigidBodyHandle {
        let hangs_on_world = figure[0].joint != Joint::Free;
        let base =
            hangs_on_world.then(|| self.bodies.insert(RigidBodyBuilder::fixed().translation(vector(at))));
        let mut handles: Vec<RigidBodyHandle> = Vec::new();
        let mut places: Vec<[f64; 3]> = Vec::new();
        let mut links = Vec::new();
        for (i, body) in figure.iter().enumerate() {
            let origin = body.parent.map_or(at, |p| places[p]);
            let place = std::array::from_fn(|k| origin[k] + body.anchor[k]);
            let handle = self.add_body(place, body.mass, body.com, body.inertia);
            if let Some((member, filter)) = masks(i) {
                let shape = collider(body.shape).translation(vector(body.shape_at)).density(0.0);
                let shape = shape.collision_groups(groups(member, filter));
                self.colliders.insert_with_parent(shape, handle, &mut self.bodies);
            }
            let axes: Vec<usize> = match &body.joint {
                Joint::Free => Vec::new(),
                Joint::Ball => vec![0, 1, 2],
                Joint::Hinges(axes) => axes.clone(),
            };
            let parent = body.parent.map(|p| handles[p]).or(base);
            if let (Some(mut parent), false) = (parent, axes.is_empty()) {
                // Rapier's multibody has no joint of two freedoms: two hinges with a light link between.
                let split = joints == Joints::Multibody && axes.len() == 2;
                let stages: Vec<&[usize]> = if split { axes.chunks(1).collect() } else { vec![&axes] };
                let mut anchor = body.anchor;
                for (k, stage) in stages.iter().enumerate() {
                    let last = k + 1 == stages.len();
                    let child = if last { handle } else { self.add_body(place, 1e-3, [0.0; 3], [1e-6; 3]) };
                    let joint = joint(stage, anchor, (joints == Joints::Impulse).then_some(drive), body);
                    match joints {
                        Joints::Impulse => {
                            self.impulse_joints.insert(parent, child, joint, true);
                        }
                        Joints::Multibody => {
                            let link = self.multibody_joints.insert(parent, child, joint, true);
                            links.push((link.expect("a tree has no loops"), stage.to_vec(), i));
                        }
                    }
                    parent = child;
                    anchor = [0.0; 3];
                }
            }
            handles.push(handle);
            places.push(place);
        }
        if joints == Joints::Multibody {
            self.drive_multibody(figure, &links, drive);
        }
        handles[0]
    }

    fn add_body(&mut self, at: [f64; 3], mass: f64, com: [f64; 3], inertia: [f64; 3]) -> RigidBodyHandle {
        let properties = MassProperties::new(vector(com), mass as Real, vector(inertia));
        let body = RigidBodyBuilder::dynamic().translation(vector(at)).can_sleep(false);
        self.bodies.insert(body.additional_mass_properties(properties))
    }

    /// Springs and dampers inside a multibody are implicit; motors would be constraints.
    fn drive_multibody(
        &mut self,
        figure: &[Body],
        links: &[(MultibodyJointHandle, Vec<usize>, usize)],
        drive: Drive,
    ) {
        let mut damping = vec![0.0; 6]; // the root's; a fixed root counts 6 until its first step
        for (handle, axes, i) in links {
            let body = &figure[*i];
            let coefficient = match drive {
                Drive::Nothing => 0.0,
                Drive::PassiveDamping => body.passive_damping,
                Drive::Servo => body.damping,
            };
            damping.extend(axes.iter().map(|_| coefficient));
            if drive == Drive::Servo {
                let (multibody, id) = self.multibody_joints.get_mut(*handle).expect("just inserted");
                let link = multibody.link_mut(id).expect("just inserted");
                for &axis in axes {
                    link.joint.set_spring(3 + axis, body.stiffness as Real, 0.0);
                }
            }
        }
        let Some((handle, ..)) = links.first() else { return };
        let (multibody, _) = self.multibody_joints.get_mut(*handle).expect("just inserted");
        for (slot, value) in multibody.damping_mut().iter_mut().zip(damping) {
            *slot = value as Real;
        }
    }

    /// Turns a figure about its root's origin as one rigid body.
    pub fn spin(&mut self, root: RigidBodyHandle, joints: Joints, spin: [f64; 3]) {
        if joints == Joints::Multibody {
            let link = self.multibody_joints.rigid_body_link(root).expect("the root has a link");
            let multibody = self.multibody_joints.get_multibody_mut(link.multibody).expect("it exists");
            for k in 0..3 {
                multibody.generalized_velocity_mut()[3 + k] = spin[k] as Real;
            }
            return;
        }
        let (spin, center) = (vector(spin), self.bodies[root].position().translation);
        for (_, body) in self.bodies.iter_mut() {
            let arm = body.center_of_mass() - center;
            body.set_angvel(spin, true);
            body.set_linvel(spin.cross(arm), true);
        }
    }

    /// Sets every joint of a figure moving, some one way, some the other.
    pub fn stir(&mut self, root: RigidBodyHandle, joints: Joints) {
        if joints == Joints::Multibody {
            self.step(); // gives a fixed root its final number of freedoms
            let link = self.multibody_joints.rigid_body_link(root).expect("the root has a link");
            let multibody = self.multibody_joints.get_multibody_mut(link.multibody).expect("it exists");
            for (k, v) in multibody.generalized_velocity_mut().iter_mut().enumerate() {
                *v = (2.3 * k as f64 + 1.0).sin() as Real;
            }
            return;
        }
        for (k, (_, body)) in self.bodies.iter_mut().enumerate() {
            let k = k as f64;
            body.set_angvel(vector([(2.1 * k).sin(), (3.7 * k).cos(), (5.3 * k).sin()]), true);
        }
    }

    /// Kinetic energy; not a number once the world is broken.
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies.iter().filter(|(_, b)| b.is_dynamic()).map(|(_, b)| f64::from(b.kinetic_energy())).sum()
    }

    /// Largest overlap of two shapes, m.
    pub fn deepest_contact(&self) -> f64 {
        let manifolds = self.narrow_phase.contact_pairs().flat_map(|pair| pair.solver_manifolds().iter());
        let points = manifolds.flat_map(|manifold| manifold.points.iter());
        points.map(|point| -f64::from(point.dist)).fold(0.0, f64::max)
    }

    /// Mean speed of the loose bodies, m/s.
    pub fn loose_speed(&self) -> f64 {
        let speeds = self.loose.iter().map(|&handle| f64::from(self.bodies[handle].linvel().length()));
        speeds.sum::<f64>() / self.loose.len().max(1) as f64
    }

    /// Mean angle of the joints from their rest pose, rad, and the largest gap in a joint, m.
    pub fn pose_error_and_drift(&self) -> (f64, f64) {
        let (mut angle, mut count, mut drift) = (0.0, 0, 0.0_f64);
        let mut compare = |parent: RigidBodyHandle, child: RigidBodyHandle| {
            let relative = self.bodies[parent].rotation().inverse() * *self.bodies[child].rotation();
            angle += 2.0 * f64::from(relative.w).abs().min(1.0).acos();
            count += 1;
        };
        for (_, joint) in self.impulse_joints.iter() {
            compare(joint.body1(), joint.body2());
            let end1 =
                self.bodies[joint.body1()].position().transform_point(joint.data.local_frame1.translation);
            let end2 =
                self.bodies[joint.body2()].position().transform_point(joint.data.local_frame2.translation);
            drift = drift.max(f64::from((end1 - end2).length()));
        }
        for (_, _, multibody, link) in self.multibody_joints.iter() {
            if let Some(parent) = link.parent_id().and_then(|id| multibody.link(id)) {
                compare(parent.rigid_body_handle(), link.rigid_body_handle());
            }
        }
        (angle / f64::from(count.max(1)), drift)
    }
}

/// A joint that turns about the given coordinate axes, with motors where `drive` says so.
fn joint(axes: &[usize], anchor: [f64; 3], drive: Option<Drive>, body: &Body) -> GenericJointBuilder {
    let mut locked = JointAxesMask::LIN_AXES | JointAxesMask::ANG_AXES;
    for &axis in axes {
        locked.remove(JointAxesMask::from(ANGULAR[axis]));
    }
    let mut joint = GenericJointBuilder::new(locked).local_anchor1(vector(anchor)).contacts_enabled(false);
    for &axis in axes {
        let axis = ANGULAR[axis];
        joint =
            match drive {
                Some(Drive::Servo) => joint.motor_model(axis, MotorModel::ForceBased).motor_position(
                    axis,
                    0.0,
                    body.stiffness as Real,
                    body.damping as Real,
                ),
                Some(Drive::PassiveDamping) => joint
                    .motor_model(axis, MotorModel::ForceBased)
                    .motor_velocity(axis, 0.0, body.passive_damping as Real),
                Some(Drive::Nothing) | None => joint,
            };
    }
    joint
}
