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
//! | [`learned`] | whether a skill will succeed from here, as a classifier trained elsewhere (Faloutsos et al. 2001) |
//! | [`kind`], [`settings`] | a row per kind of controller, and how settings are read |
//! | [`chronicle`] | what one that chooses has chosen, and why |
//! | [`readings`] | what a controller says of itself, for scenes, logs and the window |
//! | [`gains`] | servo gains and effort limits: a table by body part, or by carried inertia |
//! | [`playback`] | a motion played back without simulation |
//! | [`pose`] | joint servos that hold a pose |
//! | [`pose_graph`] | states with target poses, events that lead from one to the next |
//! | [`stand`] | a motion on its own two feet, without aids (Mandel and Zordan 2005) |
//! | [`upright`] | an aid that keeps the pelvis upright, for a layer |
//! | [`mod@reference`] | motions to follow: a held pose, a clip |
//! | [`simbicon`] | walking by joint servos through a few states (Yin et al. 2007) |
//! | [`velocity`] | target states in time: rates as motors with muscle limits (Lligadas et al.) |
//! | [`dynamo`] | world-space tracking with adjustable balance (Wrotek 2006) |
//! | [`adaptive`] | a motion played back until something touches it (Nguyen et al. 2011) |
//! | [`round_trip`] | a motion played back, simulated when hit, and played back again (Mandel and Zordan 2005) |
//! | [`stunt`] | a pool of skills that bid, and a supervisor that picks one (Faloutsos et al. 2001) |
//! | [`fighter`] | a boxer above Dynamo: motion graph, falling, getting up, fighting on |
//!
//! # From a recording to a character that gets up again
//! A BVH file becomes a body that tracks it in the world. It is pushed, falls limp, gets up the way that fits how it lies, and goes on.
//!
//! ```
//! use std::sync::Arc;
//! use stuntlab_control::dynamo::{Balance, Dynamo, DynamoOptions, Frame};
//! use stuntlab_control::reference::ClipReference;
//! use stuntlab_control::{Controller, Sense, Senses};
//! use stuntlab_mocap::bvh::Bvh;
//! use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
//! use stuntlab_mocap::convert::{ImportOptions, import};
//! use stuntlab_mocap::retarget::{RetargetOptions, retarget};
//! use stuntlab_physics::glam::DVec3;
//! use stuntlab_physics::model::shape::Shape;
//! use stuntlab_physics::spatial::Transform;
//! use stuntlab_physics::{Actuation, Data, Model, ShapeSpec, State, StepOptions, advance, observe};
//!
//! use stuntlab_mocap::library;
//! # use stuntlab_mocap::convert::{ExportOptions, export};
//! # let text = export(&library::clip("guard")?, &ExportOptions::default())?.write();
//! // The recording; `std::fs::read` gets you one of your own.
//! let (clip, _) = import("guard", &Bvh::parse(text.as_bytes())?, &ImportOptions::default())?;
//! let (anna, _) = Character::build(clip.skeleton(), &CharacterOptions::default())?;
//! let anna = Arc::new(anna);
//! let guard = ClipReference::new(anna.clone(), &clip, true);
//! // Two ways to get up, from the library, put onto her body.
//! let get_up = |name| -> Result<ClipReference, Box<dyn std::error::Error>> {
//!     let fitted = retarget(&library::clip(name)?, &anna, &RetargetOptions::default())?;
//!     Ok(ClipReference::new(anna.clone(), &fitted.clip, false))
//! };
//! let (prone, supine) = (get_up("get-up-prone")?, get_up("get-up-supine")?);
//!
//! // A scene: the ground, and her on it in guard.
//! let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
//! anna.append_to(&mut builder, "anna/", Transform::IDENTITY);
//! let model = builder.build()?;
//! let own = anna.find_in(&model, "anna/").ok_or("she was appended")?;
//! let physique = Arc::new(Physique::of(&anna));
//! let chest = physique.trunk().among(own.bodies);
//! let mut state = State::new(&model);
//! state.q[own.coordinates].copy_from_slice(&guard.state_at(0.0).q);
//! let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
//! let mut senses = Senses::new(&model, own.bodies, physique);
//! let mut dynamo = Dynamo::new(anna.shared_model(), Box::new(guard.clone()), DynamoOptions::default());
//!
//! let options = StepOptions::at_rate(120.0);
//! let (mut lay, mut stood) = (false, false);
//! while state.time < 8.0 {
//!     observe(&model, &state, &mut data, &options);
//!     senses.look(&model, &state, &data);
//!     act.clear();
//!     let height = senses.pelvis_height() / anna.root_height();
//!     if (1.0..1.2).contains(&state.time) {
//!         // A push of 120 N s; without the spring that balances her, strength fades: a rag doll.
//!         act.body_force[chest].linear += DVec3::X * 600.0;
//!         dynamo.break_spring();
//!     } else if !lay && height < 0.3 && senses.velocity().length() < 0.1 {
//!         // She lies still: up again, held by the hips, every bone in the attitude it has in the clip.
//!         lay = true;
//!         let way = if senses.trunk_front().z > 0.0 { &supine } else { &prone };
//!         dynamo.options.balance = Balance::Meathook;
//!         dynamo.options.frame = Frame::Absolute;
//!         dynamo.rearm();
//!         dynamo.follow(Box::new(way.clone()), state.time);
//!     } else if lay && !stood && height > 0.95 {
//!         // On her own feet, back in guard.
//!         stood = true;
//!         dynamo.options = DynamoOptions::default();
//!         dynamo.follow(Box::new(guard.clone()), state.time);
//!     }
//!     dynamo.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
//!     advance(&model, &mut state, &mut data, &act, &options)?;
//! }
//! assert!(lay && stood && senses.pelvis_height() > 0.85 * anna.root_height());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Several controllers for one character
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

pub mod adaptive;
mod bearing;
pub mod chronicle;
pub mod controller;
pub mod dynamo;
pub mod fighter;
pub mod gains;
mod joint_axes;
pub mod kind;
pub mod layers;
pub mod learned;
pub mod limb;
pub mod planar;
pub mod playback;
pub mod pose;
pub mod pose_graph;
pub mod readings;
pub mod reference;
pub mod round_trip;
pub mod senses;
pub mod settings;
pub mod simbicon;
pub mod stand;
pub mod stunt;
pub mod upright;
pub mod velocity;
mod walking;

/// All kinds of controllers: adding one is adding its row here, with its code in a module of its own.
pub const KINDS: &[Kind] = &[
    controller::IDLE,
    pose::KIND,
    dynamo::KIND,
    playback::KIND,
    fighter::KIND,
    pose_graph::KIND,
    upright::KIND,
    simbicon::KIND,
    velocity::walk::KIND,
    velocity::track::KIND,
    adaptive::KIND,
    stand::KIND,
    round_trip::KIND,
    stunt::KIND,
];

pub use controller::{Controller, Glow, Idle, Role, Sense, UnknownCommand};
pub use dynamo::Dynamo;
pub use fighter::Fighter;
pub use gains::{Gains, Tuned};
pub use kind::{Casting, Figurant, Kind, Maker, Refusal, Setting, Stock};
pub use layers::{Layer, Layers, Rule};
pub use playback::Playback;
pub use pose::Pose;
pub use pose_graph::PoseGraph;
pub use readings::{Published, Readings, Together};
pub use senses::Senses;
