//! Algorithms of articulated dynamics: functions of a model, a state and the data they fill.
//!
//! | question | function | cost |
//! |---|---|---|
//! | where are the bodies, how fast do they move? | [`forward_kinematics`], [`forward_velocity`] | O(n) |
//! | which forces make this motion? | [`rnea`], [`bias_force`], [`gravity_force`] | O(n) |
//! | which motion do these forces make? | [`aba`], [`aba_implicit`] | O(n) |
//! | some joints prescribed, the others free? | [`hybrid`] | O(n) |
//! | what does an impulse do? | [`impulse_response`] | O(n) |
//! | the mass matrix, factors, solves | [`crba`], [`factorize`], [`solve`] | O(n d²), d = depth |
//! | how does a point move with the joints? | [`point_jacobian`] | O(n) |
//! | sums over the model | [`center_of_mass`], [`centroidal_momentum`], energies | O(n) |
//!
//! Everything runs in **world axes at the body origins** with classical accelerations. Compared with
//! RBDA's body coordinates nothing is rotated between parent and child: an articulated inertia moves to
//! its parent by a shift of two 3×3 blocks, a force by one cross product. Contacts, world-space servos
//! and external wrenches are in these coordinates already.

pub(crate) mod aba;
mod crba;
mod hybrid;
pub(crate) mod impulse;
mod jacobian;
pub(crate) mod joint;
pub(crate) mod kinematics;
mod ltl;
mod momentum;
mod passive;
pub(crate) mod response;
mod rnea;

pub use aba::{aba, aba_implicit};
pub(crate) use aba::{aba_at, aba_implicit_at};
pub use crba::crba;
pub(crate) use crba::crba_at;
pub use hybrid::hybrid;
pub use impulse::{impulse_response, impulses_response};
pub use jacobian::point_jacobian;
pub use kinematics::{forward_kinematics, forward_velocity};
pub use ltl::{factorize, solve};
pub use momentum::{
    CenterOfMass, center_of_mass, center_of_mass_of, centroidal_momentum, kinetic_energy, momentum_about,
    potential_energy,
};
pub(crate) use passive::add_passive_implicit_of;
pub use passive::{add_passive_explicit, add_passive_implicit, spring_energy};
pub use rnea::{bias_force, gravity_force, rnea, rnea_with_wrenches};
