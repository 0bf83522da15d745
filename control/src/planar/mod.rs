//! Skills of the planar figure of 16 freedoms, the "terminator" of Faloutsos, van de Panne and Terzopoulos 2001.

pub mod models;
pub mod moves;

pub use moves::{Mover, Moves, Phase, Played, Posture, Swing};
