//! Everything computed from a model and a state: the desk, made once, reused every step.

use glam::{DMat3, DVec3};

use crate::collide::Contacts;
use crate::contact::ContactSet;
use crate::convex::Convex;
use crate::memory::Memory;
use crate::model::{BodyId, JointKind, Model};
use crate::spatial::{ArticulatedInertia, Force, Ldl3, Motion, Transform};
use crate::step::look::Looked;
use crate::step::{Reactions, Reports, StepData};

/// Scratch and results of the algorithms. One per thread that computes; never part of the state.
///
/// Unless a field says otherwise vectors are in **world axes**, and spatial quantities refer to the
/// **origin of their body**.
#[derive(Clone, Debug)]
pub struct Data {
    /// Written by [`crate::dynamics::forward_kinematics`].
    pub position: Positions,
    /// Written by [`crate::dynamics::forward_velocity`].
    pub velocity: Velocities,
    /// Written by the inverse and forward dynamics.
    pub dynamics: Dynamics,
    /// Written by [`crate::dynamics::crba`] and [`crate::dynamics::factorize`].
    pub mass_matrix: MassMatrix,
    /// Written by [`crate::step::observe`]: where shapes are and touch.
    pub collision: Contacts,
    /// Contacts with their forces: prepared by [`crate::step::observe`], forces by
    /// [`crate::step::advance`].
    pub contact: ContactSet,
    /// What the step keeps between its stages.
    pub(crate) step: StepData,
    /// How pins, motors and rows fared in the last [`crate::step::advance`]; look one up with [`Data::report_of_pin`] and its like.
    pub reports: Reports,
    /// What passed through the joints in the last [`crate::step::advance`].
    pub reactions: Reactions,
    /// What lasts from step to step: read by [`crate::step::observe`], written by [`crate::step::advance`].
    pub memory: Memory,
    /// The state that poses, velocities and manifolds belong to.
    pub(crate) looked: Looked,
    /// Work space of the step's convex problem.
    pub(crate) convex: Convex,
}

/// Where the bodies are.
#[derive(Clone, Debug)]
pub struct Positions {
    /// Pose of every body.
    pub world_from_body: Vec<Transform>,
    /// From the parent's origin to the body's (from the world's for roots).
    pub offset: Vec<DVec3>,
    /// The joint's motion subspace, as columns: the axis of a hinge or slider; both axes of a universal
    /// joint; the child's axes for spherical and free joints; the joint frame's for planar ones.
    pub(crate) axes: Vec<DMat3>,
}

/// How the bodies move.
#[derive(Clone, Debug)]
pub struct Velocities {
    /// Velocity of every body at its origin.
    pub body: Vec<Motion>,
    /// What a body's acceleration has beyond its parent's (shifted) and its joint's: `c_i`.
    pub(crate) bias: Vec<Motion>,
    /// Acceleration of every body when no joint accelerates and the world does so by -gravity:
    /// `J̇ v - g`. Written by the implicit forward dynamics only.
    pub(crate) drift: Vec<Motion>,
}

/// Forces and accelerations.
#[derive(Clone, Debug)]
pub struct Dynamics {
    /// Joint accelerations, one per freedom. Written by forward dynamics.
    pub acceleration: Vec<f64>,
    /// Joint forces, one per freedom. Written by inverse dynamics.
    pub joint_force: Vec<f64>,
    /// Acceleration of every body minus gravity. Written by forward and inverse dynamics.
    pub body_acceleration: Vec<Motion>,
    /// Force through the joint above every body, at the body's origin. Written by inverse dynamics.
    pub body_force: Vec<Force>,
    /// Articulated-body inertia `IA_i` (RBDA 7.1).
    pub(crate) articulated_inertia: Vec<ArticulatedInertia>,
    /// Articulated bias force `pA_i` (RBDA 7.1).
    pub(crate) articulated_bias: Vec<Force>,
    /// What every body handed to its parent in the step's last inward pass, seen from there.
    pub(crate) handed: Vec<(ArticulatedInertia, Force)>,
    /// Joint factors of the last forward dynamics, for impulse responses.
    pub(crate) factor: Vec<Factor>,
    /// The same for free joints.
    pub(crate) free_factor: Vec<FreeFactor>,
    /// Work space of the impulse response.
    pub(crate) impulse: Vec<Force>,
    /// Work space of the impulse response.
    pub(crate) response: Vec<Motion>,
    /// Work space of the impulse response within a tree: `D⁻¹ u`.
    pub(crate) drive: Vec<DVec3>,
}

/// What is kept of `D_i = S_iᵀ IA_i S_i + E_i` for joints of one to three freedoms, `E_i` being the joint's own inertia.
/// Spherical joints work in world axes here and turn into child axes only at the interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    /// `U D⁻¹`, a column per freedom.
    pub(crate) gain: [Force; 3],
    /// `D = L Δ Lᵀ`.
    pub(crate) ldl: Ldl3,
    /// `D⁻¹ u`.
    pub(crate) drive: DVec3,
    /// Whether the joint is prescribed in the last hybrid run.
    pub(crate) prescribed: bool,
}

impl Factor {
    const ZERO: Self =
        Self { gain: [Force::ZERO; 3], ldl: Ldl3::ZERO, drive: DVec3::ZERO, prescribed: false };
}

/// Factor `LDLᵀ` of the 6×6 inertia of a free joint, angular part first. Triangular solves rather than an
/// inverse: a light body that carries a heavy one on a slider would lose all digits by the latter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FreeFactor {
    /// `L` below the diagonal, `D⁻¹` on it.
    pub(crate) lower: [[f64; 6]; 6],
    /// `u = τ - pA`.
    pub(crate) drive: Force,
    /// Whether a gain couples the child to its parent, which an unloaded free joint does not.
    pub(crate) loaded: bool,
}

/// Joint-space inertia, kept sparse: row `i` holds the entries of every freedom between the root and
/// freedom `i`, in that order, then its own (RBDA 6.5).
#[derive(Clone, Debug)]
pub struct MassMatrix {
    /// Packed rows; see [`MassMatrix::row`].
    pub(crate) rows: Vec<f64>,
    /// `LᵀL` factors in the same layout.
    pub(crate) factor: Vec<f64>,
    /// Composite inertia of every body's subtree, at the body's origin.
    pub(crate) composite: Vec<Composite>,
    /// Motion subspaces of the freedoms above the present body, by depth, at the origin of its tree's
    /// root: work space of the mass matrix.
    pub(crate) path: Path,
}

/// Motion subspaces of freedoms, each component in an array of its own.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// The six components, one after the other.
    pub(crate) numbers: Vec<f64>,
    /// From component to component.
    pub(crate) stride: usize,
}

impl Path {
    fn new(freedoms: usize) -> Self {
        // Joints of three freedoms write four; freedoms are read two at a time.
        let stride = freedoms.next_multiple_of(2) + 2;
        Self { numbers: vec![0.0; 6 * stride], stride }
    }
}

/// Composite rigid inertia in world axes: rotational inertia about the origin (xx, yy, zz, xy, xz, yz),
/// first moment, mass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Composite(pub(crate) [f64; 10]);

impl Data {
    /// Room for everything the algorithms compute; they allocate nothing afterwards.
    pub fn new(model: &Model) -> Self {
        let (n, nv) = (model.n_bodies(), model.n_v());
        let free = model.links.iter().filter(|l| l.kind == JointKind::Free).count();
        Self {
            position: Positions {
                world_from_body: vec![Transform::IDENTITY; n],
                offset: vec![DVec3::ZERO; n],
                axes: vec![DMat3::IDENTITY; n],
            },
            velocity: Velocities {
                body: vec![Motion::ZERO; n],
                bias: vec![Motion::ZERO; n],
                drift: vec![Motion::ZERO; n],
            },
            dynamics: Dynamics {
                acceleration: vec![0.0; nv],
                joint_force: vec![0.0; nv],
                body_acceleration: vec![Motion::ZERO; n],
                body_force: vec![Force::ZERO; n],
                articulated_inertia: vec![ArticulatedInertia::ZERO; n],
                articulated_bias: vec![Force::ZERO; n],
                handed: vec![(ArticulatedInertia::ZERO, Force::ZERO); n],
                factor: vec![Factor::ZERO; n],
                free_factor: vec![FreeFactor::default(); free],
                impulse: vec![Force::ZERO; n],
                response: vec![Motion::ZERO; n],
                drive: vec![DVec3::ZERO; n],
            },
            mass_matrix: MassMatrix {
                rows: vec![0.0; model.row_start[nv]],
                factor: vec![0.0; model.row_start[nv]],
                composite: vec![Composite::default(); n],
                path: Path::new(nv),
            },
            collision: Contacts::new(),
            contact: ContactSet::default(),
            step: StepData::new(model),
            reports: Reports::default(),
            reactions: Reactions::new(model),
            memory: Memory::new(model),
            looked: Looked::default(),
            convex: Convex::new(model),
        }
    }

    /// Pose of a body as of the last [`crate::dynamics::forward_kinematics`].
    pub fn world_from_body(&self, body: BodyId) -> &Transform {
        &self.position.world_from_body[body.index()]
    }

    /// Velocity of a body at its origin, world axes, as of the last
    /// [`crate::dynamics::forward_velocity`].
    pub fn body_velocity(&self, body: BodyId) -> Motion {
        self.velocity.body[body.index()]
    }

    /// Velocity of the point `point_world` as if fixed to `body`.
    pub fn point_velocity(&self, body: BodyId, point_world: DVec3) -> DVec3 {
        let origin = self.position.world_from_body[body.index()].translation;
        self.velocity.body[body.index()].at(point_world - origin).linear
    }
}
