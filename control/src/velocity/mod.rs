//! Velocity-based control (Lligadas, Susín and Ramírez): target states and times in place of gains. The rates that lead to a state in
//! time become motors of the step's one problem, which finds the torques of the whole body at once; muscles are a largest torque and
//! a reaction time.
//!
//! | module | what |
//! |---|---|
//! | [`target`] | from orientations and the time that is left to rates |
//! | [`muscle`] | bounds on torques and on their change, and how slow muscles stay stable |
//! | [`drive`] | motors on all joints of a character |
//! | [`servos`] | the same goals by joint servos, for comparison |
//! | [`pins`] | feet held to the ground, as published or as ground holds |
//! | [`walk`] | a walking machine by target states in time |
//! | [`track`] | recorded motions by target states in time |

pub mod drive;
pub mod muscle;
pub mod pins;
pub mod servos;
pub mod target;
pub mod track;
pub mod walk;

pub use drive::{Drive, Goal, Muscles};
pub use muscle::{Muscle, Ramp};
pub use pins::{FootPin, Grip};
pub use servos::Servos;
pub use target::{Pace, desired_rate};
pub use track::Track;
pub use walk::Walk;
