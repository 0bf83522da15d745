//! What is compared, seen from outside: bodies that move and contacts that press, whoever computes them.
//!
//! All metrics are taken from what [`Engine`] shows, so that every formulation, the maximal one and engines of others are measured by the
//! same code. Ours is [`WorldEngine`](super::WorldEngine); `examples/contact-law` has one of forty lines.

use stuntlab_physics::glam::{DMat3, DVec3};

/// A rigid body as it is now, about its centre of mass, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    /// Mass, kg.
    pub mass: f64,
    /// Rotational inertia about the centre of mass in the body's own axes, kg m².
    pub inertia: DMat3,
    /// Turns the body's axes to the world's.
    pub rotation: DMat3,
    /// Centre of mass, m.
    pub center: DVec3,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
}

impl BodyState {
    /// A solid ball at rest.
    pub fn ball(mass: f64, radius: f64, center: DVec3) -> Self {
        let inertia = DMat3::IDENTITY * (0.4 * mass * radius * radius);
        Self { mass, inertia, rotation: DMat3::IDENTITY, center, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self) -> f64 {
        0.5 * self.mass * self.velocity.length_squared() + 0.5 * self.spin.dot(self.angular_momentum())
    }

    /// Angular momentum about its own centre, N m s.
    pub fn angular_momentum(&self) -> DVec3 {
        self.rotation * (self.inertia * (self.rotation.transpose() * self.spin))
    }
}

/// A contact that pressed in the last step. Forces act on body A, their opposite on body B; the normal points into A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Both bodies, by their place in the list of [`Engine::bodies`]; `None` for the static world.
    pub bodies: (usize, Option<usize>),
    /// Unit normal, world.
    pub normal: DVec3,
    /// Overlap as the step began, m; negative for a gap.
    pub depth: f64,
    /// Mean force over the step, world, N.
    pub force: DVec3,
    /// Velocity of A's point relative to B's as the step ended, the point taken where it was as the step began, world, m/s.
    pub velocity: DVec3,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl Touch {
    /// Force along the normal, N.
    pub fn press(&self) -> f64 {
        self.normal.dot(self.force)
    }

    /// The part of a vector across the normal.
    pub fn across(&self, v: DVec3) -> DVec3 {
        v - self.normal * self.normal.dot(v)
    }
}

/// What the parts of a step took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Events and controllers: what is to act.
    pub control: std::time::Duration,
    /// From what acts to the next state.
    pub advance: std::time::Duration,
}

/// What the parts of a look at a state took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looking {
    /// Poses and velocities of all bodies.
    pub poses: std::time::Duration,
    /// All of it: these, and contacts.
    pub whole: std::time::Duration,
}

/// Something that simulates rigid bodies in steps.
pub trait Engine {
    /// Takes one step.
    ///
    /// # Errors
    /// Why it could not, in words; it is over then.
    fn step(&mut self) -> Result<(), String>;

    /// Simulated time, s.
    fn time(&self) -> f64;

    /// Length of the next step, s.
    fn dt(&self) -> f64;

    /// Gravity, m/s².
    fn gravity(&self) -> DVec3;

    /// Writes all bodies, always in the same order.
    fn bodies(&self, out: &mut Vec<BodyState>);

    /// Writes the contacts that pressed in the last step; none where they are not known.
    fn touches(&self, _out: &mut Vec<Touch>) {}

    /// Deepest overlap now, m.
    fn deepest(&self) -> f64 {
        let mut touches = Vec::new();
        self.touches(&mut touches);
        touches.iter().map(|t| t.depth).fold(0.0, f64::max)
    }

    /// Potential energy of what is no gravity, such as springs in joints, J.
    fn stored(&self) -> f64 {
        0.0
    }

    /// Largest distance of a joint's two sides, m; `None` where joints cannot come apart.
    fn joint_drift(&mut self) -> Option<f64> {
        None
    }

    /// Mismatch of the last step's books of energy relative to the energies involved; `None` where none are kept.
    fn closure(&self) -> Option<f64> {
        None
    }

    /// Whether nothing but gravity acts from outside: momentum is then known.
    fn is_free(&self) -> bool {
        false
    }

    /// Iterations of the last step's solver; `None` where there are none to count.
    fn iterations(&self) -> Option<f64> {
        None
    }

    /// Takes one step and says what its parts took; `None` where they cannot be told apart.
    ///
    /// # Errors
    /// As [`Engine::step`].
    fn step_in_stages(&mut self) -> Result<Option<Stages>, String> {
        self.step().map(|()| None)
    }

    /// How long the part of a step takes that only looks (poses, contacts); `None` where it cannot be told apart.
    fn time_of_look(&mut self) -> Option<Looking> {
        None
    }

    /// A copy that goes on from here with steps of another length, to compare the two; `None` where that cannot be had.
    fn fork(&self, _dt: f64) -> Option<Box<dyn Engine>> {
        None
    }

    /// Numbers of its own by name, such as what a scene measures.
    fn own(&self) -> Vec<(String, f64)> {
        Vec::new()
    }
}
