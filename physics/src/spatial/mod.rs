//! Six-dimensional algebra; knows nothing of trees (RBDA ch. 2).

mod transform;

pub use transform::Transform;
