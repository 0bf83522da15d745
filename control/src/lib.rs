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
//! | [`layers`] | several controllers for one character: intents that add, override or blend |
//! | [`kind`], [`settings`] | a row per kind of controller, and how settings are read |
//! | [`readings`] | what a controller says of itself, for scenes, logs and the window |
//! | [`gains`] | servo gains and effort limits: a table by body part, or by carried inertia |
//! | [`playback`] | a motion played back without simulation |
//! | [`pose`] | joint servos that hold a pose |
//! | [`pose_graph`] | states with target poses, events that lead from one to the next |
//! | [`upright`] | an aid that keeps the pelvis upright, for a layer |
//! | [`mod@reference`] | motions to follow: a held pose, a clip |
//! | [`dynamo`] | world-space tracking with adjustable balance (Wrotek 2006) |
//! | [`fighter`] | a boxer above Dynamo: motion graph, falling, getting up, fighting on |
//!
//! Several controllers may drive one character together:
//!
//! ```
//! use std::sync::Arc;
//! use stuntlab_control::pose_graph::{Graph, Stance};
//! use stuntlab_control::{Controller, Gains, Layer, Layers, Pose, PoseGraph, Rule, Sense, Senses};
//! use stuntlab_mocap::character::Physique;
//! use stuntlab_physics::{Actuation, Data, State, StepOptions, advance, figures, observe};
//!
//! let model = figures::humanoid37().model();
//! let (mut state, mut data, mut act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
//! let physique = Arc::new(Physique::by_name(&model));
//! let mut senses = Senses::new(&model, model.body_ids(), physique.clone());
//! let gains = Gains::Table { scale: 1.6 };
//! // Knees that bend and stretch; above them a layer that keeps all else as it is, from half on.
//! let mut graph = Graph::default();
//! graph.states.push(Stance::new("bend").posed("lshank", [40.0]).posed("rshank", [40.0]).lasting(0.5, "stretch"));
//! graph.states.push(Stance::new("stretch").lasting(0.5, "bend"));
//! let bounce = PoseGraph::new(&model, &physique, &graph, gains, &state.q)?;
//! let hold = Pose::new(&model, model.body_ids(), gains, &state);
//! let mut both = Layers::new(vec![
//!     Layer::new("bounce", Box::new(bounce)),
//!     Layer::new("hold", Box::new(hold)).by(Rule::Blend { weight: 0.5 }).fading(0.2),
//! ]);
//! let options = StepOptions::default();
//! for _ in 0..60 {
//!     observe(&model, &state, &mut data, &options);
//!     senses.look(&model, &state, &data);
//!     act.clear();
//!     both.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
//!     advance(&model, &mut state, &mut data, &act, &options)?;
//! }
//! assert_eq!(both.readings().get("state"), Some(0.0));
//! both.command("hold", 0.0)?; // fades out
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod controller;
pub mod dynamo;
pub mod fighter;
pub mod gains;
pub mod kind;
pub mod layers;
pub mod playback;
pub mod pose;
pub mod pose_graph;
pub mod readings;
pub mod reference;
pub mod senses;
pub mod settings;
pub mod upright;

/// All kinds of controllers: adding one is adding its row here, with its code in a module of its own.
pub const KINDS: &[Kind] = &[
    controller::IDLE,
    pose::KIND,
    dynamo::KIND,
    playback::KIND,
    fighter::KIND,
    pose_graph::KIND,
    upright::KIND,
];

pub use controller::{Controller, Idle, Role, Sense, UnknownCommand};
pub use dynamo::Dynamo;
pub use fighter::Fighter;
pub use gains::Gains;
pub use kind::{Casting, Figurant, Kind, Maker, Refusal, Setting};
pub use layers::{Layer, Layers, Rule};
pub use playback::Playback;
pub use pose::Pose;
pub use pose_graph::PoseGraph;
pub use readings::{Published, Readings, Together};
pub use senses::Senses;
