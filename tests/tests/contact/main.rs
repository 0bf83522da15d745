//! Laws of contact, limits, drives, pins and books that hold in every formulation.
//!
//! The laws of the complementarity solvers themselves (conditions met, all three agree where the solution is
//! unique) are beside them, in `physics/src/lcp/tests`.

mod actuation;
mod apart;
mod books;
mod drives;
mod energy_law;
mod forces;
mod limits;
mod pins;
mod told;
