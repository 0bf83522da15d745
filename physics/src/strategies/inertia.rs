//! Random directions, rotations, mass distributions and gains.

use core::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use proptest::array::{uniform3, uniform4};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::spatial::{ArticulatedInertia, Inertia, Sym3, Transform, rotation};

/// Vectors in the cube `[-size, size]³`.
pub(super) fn vectors(size: f64) -> impl Strategy<Value = DVec3> {
    uniform3(-1.0..1.0).prop_map(move |v| DVec3::from_array(v) * size)
}

/// Directions; one in four along a coordinate axis, where engines take short cuts.
pub fn unit_vectors() -> impl Strategy<Value = DVec3> {
    prop_oneof![
        1 => prop_oneof![Just(DVec3::X), Just(DVec3::Y), Just(DVec3::Z)],
        3 => vectors(1.0).prop_map(|v| v.try_normalize().unwrap_or(DVec3::Z)),
    ]
}

/// Unit quaternions: anywhere, the identity, within 1e-9 of it, and within 1e-9 of a half turn; either
/// sign.
pub fn rotations() -> impl Strategy<Value = DQuat> {
    let anywhere = uniform4(-1.0..1.0).prop_map(|q: [f64; 4]| {
        let q = DQuat::from_array(q);
        if q.length() > 1e-3 { q.normalize() } else { DQuat::IDENTITY }
    });
    let tiny = (unit_vectors(), 0.0..1e-9).prop_map(|(axis, angle)| rotation::exp(axis * angle));
    let half = (unit_vectors(), -1e-9..1e-9)
        .prop_map(|(axis, off): (DVec3, f64)| rotation::exp(axis * (PI + off)).normalize());
    (prop_oneof![1 => Just(DQuat::IDENTITY), 4 => anywhere, 1 => tiny, 1 => half], any::<bool>())
        .prop_map(|(q, flip)| if flip { -q } else { q })
}

/// Joint placements and body frames: up to half a metre away, any rotation.
pub(super) fn placements() -> impl Strategy<Value = Transform> {
    let turn = prop_oneof![1 => Just(DMat3::IDENTITY), 2 => rotations().prop_map(rotation::matrix)];
    (turn, vectors(0.5)).prop_map(|(turn, shift)| Transform::new(turn, shift))
}

/// Mass distributions of compact bodies, 0.3 to 3 kg, 5 to 30 cm across.
pub fn plain_inertias() -> impl Strategy<Value = Inertia> {
    (0.3..3.0, uniform3(0.05..0.3), rotations(), vectors(0.2))
        .prop_map(|(mass, radii, turn, center)| from_gyration(mass, radii.into(), turn, center))
}

/// Mass distributions of all sorts, 0.1 to 30 kg: compact ones, rods and plates whose smallest
/// principal inertia is a millionth of the largest, rods with none at all about their axis excepted
/// (no joint could turn them).
pub fn inertias() -> impl Strategy<Value = Inertia> {
    let thin = 1e-3;
    let form = prop_oneof![
        4 => Just(DVec3::ONE),
        1 => Just(DVec3::new(1.0, thin, thin)),
        1 => Just(DVec3::new(1.0, 1.0, thin)),
    ];
    (-1.0..1.5, uniform3(0.05..0.3), form, rotations(), vectors(0.3)).prop_map(
        |(log_mass, radii, form, turn, center): (f64, [f64; 3], DVec3, DQuat, DVec3)| {
            from_gyration(10_f64.powf(log_mass), DVec3::from_array(radii) * form, turn, center)
        },
    )
}

/// From second moments `m r²` along three axes; any such triple satisfies the triangle inequality.
fn from_gyration(mass: f64, radii: DVec3, turn: DQuat, center: DVec3) -> Inertia {
    let s = radii * radii * mass;
    let principal = Sym3::diagonal(s.y + s.z, s.x + s.z, s.x + s.y);
    Inertia::new(mass, center, principal.rotated(&rotation::matrix(turn)))
}

/// Symmetric positive semidefinite 6×6 gains of size 0.1 to 10⁷: `Σ w wᵀ` of one to six vectors, and
/// springs at a point (rank three or less).
pub fn gains() -> impl Strategy<Value = ArticulatedInertia> {
    let sum = vec((vectors(1.0), vectors(1.0)), 1..=6).prop_map(|columns| {
        columns.iter().fold(ArticulatedInertia::ZERO, |sum, &(a, l)| {
            let coupling = DMat3::from_cols(a * l.x, a * l.y, a * l.z);
            sum + ArticulatedInertia { angular: Sym3::outer(a), coupling, linear: Sym3::outer(l) }
        })
    });
    let point = (vectors(1.0), vectors(0.5))
        .prop_map(|(direction, r)| ArticulatedInertia::at_point(Sym3::outer(direction), r));
    (prop_oneof![sum, point], -1.0..7.0_f64).prop_map(|(gain, size)| gain * 10_f64.powf(size))
}
