//! Clips, files and motion graphs as a caller meets them, and their laws: one program, since each would link the whole crate again.

mod common;

mod bvh_anim;
mod characters;
mod clip_laws;
mod cmu;
mod corpus;
mod edits;
mod footing;
mod graph_laws;
mod import;
mod library;
mod repair;
mod retarget;
mod search_laws;
