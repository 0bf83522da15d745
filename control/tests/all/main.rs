//! Controllers on figures of their own, and their laws: one program, since each would link the whole engine again.

mod ring;
mod stage;

mod adaptive;
mod adaptive_laws;
mod dynamo;
mod dynamo_laws;
mod fighter;
mod foot_pins;
mod layers_laws;
mod pose_graph_laws;
mod round_trip;
mod round_trip_laws;
mod senses_laws;
mod simbicon;
mod stunt;
mod velocity_laws;
mod velocity_mirror;
mod velocity_track;
mod velocity_walk;
