//! Controllers: what drives a simulated character.
//!
//! A step of the engine is `observe`, then every controller reads a [`Sense`] and writes into the one
//! [`stuntlab_physics::Actuation`] of the model, then `advance`. Several characters of one model each have a
//! controller of their own, told by [`Sense::bodies`] which bodies are theirs.
//!
//! | module | what |
//! |---|---|
//! | [`controller`] | the trait and what a controller sees |
//! | [`senses`] | what a character feels of its own body: balance, support, contacts, loads |
//! | [`readings`] | what a controller says of itself, for scenes, logs and the window |
//! | [`gains`] | servo gains and effort limits: a table by body part, or by carried inertia |
//! | [`playback`] | a motion played back without simulation |
//! | [`pose`] | joint servos that hold a pose |
//! | [`mod@reference`] | motions to follow: a held pose, a clip |
//! | [`dynamo`] | world-space tracking with adjustable balance (Wrotek 2006) |
//! | [`fighter`] | a boxer above Dynamo: motion graph, falling, getting up, fighting on |

pub mod controller;
pub mod dynamo;
pub mod fighter;
pub mod gains;
pub mod playback;
pub mod pose;
pub mod readings;
pub mod reference;
pub mod senses;

pub use controller::{Bout, Controller, Idle, Role, Sense, UnknownCommand, Vitals};
pub use dynamo::Dynamo;
pub use fighter::Fighter;
pub use gains::Gains;
pub use playback::Playback;
pub use pose::Pose;
pub use readings::{Published, Readings, Together};
pub use senses::Senses;
