//! What may be wrong with a model.

use thiserror::Error;

/// Why a model could not be built. Every variant names the body (a joint goes by its body's name).
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields mean")]
pub enum ModelError {
    #[error("a body has an empty name; every body needs one")]
    EmptyName,
    #[error("body '{body}' is defined twice; names must be unique")]
    DuplicateName { body: String },
    #[error("body '{body}' hangs on '{parent}', which does not exist")]
    UnknownParent { body: String, parent: String },
    #[error("body '{body}' hangs on itself through {through}; parents must form a tree")]
    Cycle { body: String, through: String },
    #[error("body '{body}': {quantity} is {value}, expected a finite number")]
    NonFinite { body: String, quantity: &'static str, value: f64 },
    #[error("body '{body}': mass is {mass} kg, expected a positive number")]
    NonPositiveMass { body: String, mass: f64 },
    #[error(
        "body '{body}': principal inertias {principal:?} are not those of a rigid body: none may be \
         negative or larger than the sum of the other two"
    )]
    ImpossibleInertia { body: String, principal: [f64; 3] },
    #[error(
        "body '{body}' has no mass and carries none, so its {joint} joint could accelerate without bound"
    )]
    MasslessLeaf { body: String, joint: &'static str },
    #[error(
        "body '{body}': a freedom of its {joint} joint moves no inertia (point mass on the axis?); \
         give the body rotational inertia or the joint armature"
    )]
    MasslessFreedom { body: String, joint: &'static str },
    #[error("joint of body '{body}': axis {index} has length {length}, expected a direction")]
    ZeroAxis { body: String, index: usize, length: f64 },
    #[error(
        "joint of body '{body}': the two axes of a universal joint must be perpendicular, their cosine is {cosine}"
    )]
    SkewAxes { body: String, cosine: f64 },
    #[error("joint of body '{body}': placement is not a rotation (determinant {determinant})")]
    BadPlacement { body: String, determinant: f64 },
    #[error("joint of body '{body}': {quantity} is {value}, expected zero or more")]
    Negative { body: String, quantity: &'static str, value: f64 },
    #[error("joint of body '{body}': lower limit {lower} lies above upper limit {upper}")]
    EmptyRange { body: String, lower: f64, upper: f64 },
    #[error("joint of body '{body}': a {limits} limit does not apply to a {joint} joint")]
    WrongLimits { body: String, limits: &'static str, joint: &'static str },
    #[error("joint of body '{body}': swing or ellipse half axis is {value} rad, expected between 0 and π")]
    BadSwing { body: String, value: f64 },
    #[error("body '{body}': bad shape: {source}")]
    Shape { body: String, source: crate::collide::ColliderError },
    #[error("there is no body called '{body}'")]
    UnknownBody { body: String },
    #[error("joint of body '{body}': a free joint with springs, damping or armature must hang on the world")]
    LoadedFreeJoint { body: String },
}
