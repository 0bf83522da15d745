//! The fixture format, and models read from it.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::{Id, Span};
use stuntlab_physics::spatial::{Inertia, Sym3, Transform};
use stuntlab_physics::{BodyId, BodySpec, Coordinate, Freedom, Joint, Model};

use super::VerifyError;

/// What every fixture file begins with.
#[derive(Deserialize)]
pub(crate) struct Head {
    pub(crate) kind: Option<String>,
    pub(crate) parts: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
pub(crate) struct ModelFixture {
    bodies: Vec<BodyFixture>,
}

#[derive(Deserialize)]
struct BodyFixture {
    name: String,
    parent: i64,
    joint: JointFixture,
    mass: f64,
    com: [f64; 3],
    inertia: [f64; 6],
}

#[derive(Deserialize)]
struct JointFixture {
    #[serde(flatten)]
    kind: KindFixture,
    placement: PlacementFixture,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum KindFixture {
    Fixed,
    Revolute { axis: [f64; 3] },
    Prismatic { axis: [f64; 3] },
    Universal { axes: [[f64; 3]; 2] },
    Spherical,
    Planar,
    Free,
}

#[derive(Deserialize)]
struct PlacementFixture {
    translation: [f64; 3],
    quaternion: [f64; 4],
}

/// Parses a fixture; errors name the file and the field.
pub(crate) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, VerifyError> {
    let reader = &mut serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(reader).map_err(|error| {
        let field = error.path().to_string();
        let field = if field == "." { "the file".to_owned() } else { field };
        malformed(path, field, error.into_inner())
    })
}

/// An error about one field.
pub(crate) fn malformed(path: &Path, field: impl Into<String>, problem: impl ToString) -> VerifyError {
    VerifyError::Malformed { path: path.to_owned(), field: field.into(), problem: problem.to_string() }
}

/// A model and where the fixture's bodies ended up in it.
pub(crate) struct FixtureModel {
    pub(crate) model: Model,
    /// Our body for each of the fixture's, in the fixture's order.
    pub(crate) bodies: Vec<BodyId>,
}

impl FixtureModel {
    pub(crate) fn build(path: &Path, fixture: &ModelFixture, gravity: [f64; 3]) -> Result<Self, VerifyError> {
        let mut builder = Model::builder().gravity(gravity.into());
        let names: Vec<String> =
            fixture.bodies.iter().enumerate().map(|(i, b)| format!("{i}:{}", b.name)).collect();
        for (i, body) in fixture.bodies.iter().enumerate() {
            let parent = match body.parent {
                -1 => None,
                p => Some(usize::try_from(p).ok().and_then(|p| names.get(p)).cloned().ok_or_else(|| {
                    malformed(
                        path,
                        format!("model.bodies[{i}].parent"),
                        format!("is {p}, expected -1 or a body's index below {}", names.len()),
                    )
                })?),
            };
            let joint = match body.joint.kind {
                KindFixture::Fixed => Joint::fixed(),
                KindFixture::Revolute { axis } => Joint::revolute(axis.into()),
                KindFixture::Prismatic { axis } => Joint::prismatic(axis.into()),
                KindFixture::Universal { axes } => Joint::universal(axes[0].into(), axes[1].into()),
                KindFixture::Spherical => Joint::spherical(),
                KindFixture::Planar => Joint::planar(),
                KindFixture::Free => Joint::free(),
            };
            let placement = &body.joint.placement;
            let quaternion = DQuat::from_array(placement.quaternion);
            if (quaternion.length() - 1.0).abs() > 1e-6 {
                return Err(malformed(
                    path,
                    format!("model.bodies[{i}].joint.placement.quaternion"),
                    format!("has length {}, expected 1", quaternion.length()),
                ));
            }
            let [xx, yy, zz, xy, xz, yz] = body.inertia;
            builder.push(BodySpec {
                name: names[i].clone(),
                parent,
                joint: joint
                    .placed(Transform::from_quaternion(quaternion.normalize(), placement.translation.into())),
                inertia: Inertia::new(body.mass, body.com.into(), Sym3::new(xx, yy, zz, xy, xz, yz)),
                shapes: Vec::new(),
            });
        }
        let model = builder.build().map_err(|error| malformed(path, "model", error))?;
        let bodies =
            names.iter().map(|name| model.find(name).expect("every body of the fixture was added")).collect();
        Ok(Self { model, bodies })
    }

    /// Spreads per-body lists of joint coordinates over our `q`-like vector.
    pub(crate) fn read_q(
        &self,
        path: &Path,
        field: &str,
        lists: &[Vec<f64>],
        out: &mut [f64],
    ) -> Result<(), VerifyError> {
        self.read(path, field, lists, out, |b| self.model.body(b).coordinates())
    }

    /// Spreads per-body lists of rates or forces over our `v`-like vector.
    pub(crate) fn read_v(
        &self,
        path: &Path,
        field: &str,
        lists: &[Vec<f64>],
        out: &mut [f64],
    ) -> Result<(), VerifyError> {
        self.read(path, field, lists, out, |b| self.model.body(b).freedoms())
    }

    fn read<I: Id>(
        &self,
        path: &Path,
        field: &str,
        lists: &[Vec<f64>],
        out: &mut [f64],
        range: impl Fn(BodyId) -> Span<I>,
    ) -> Result<(), VerifyError> {
        if lists.len() != self.bodies.len() {
            let problem = format!("has {} lists, expected one per body ({})", lists.len(), self.bodies.len());
            return Err(malformed(path, field, problem));
        }
        for (k, (&body, list)) in self.bodies.iter().zip(lists).enumerate() {
            let range = range(body);
            if list.len() != range.len() {
                let problem = format!("has {} numbers, expected {}", list.len(), range.len());
                return Err(malformed(path, format!("{field}[{k}]"), problem));
            }
            out[range].copy_from_slice(list);
        }
        Ok(())
    }

    /// For every freedom in the fixture's flat order, ours.
    pub(crate) fn freedoms(&self) -> Vec<Freedom> {
        self.bodies.iter().flat_map(|&b| self.model.body(b).freedoms()).collect()
    }

    /// For every position coordinate in the fixture's flat order, ours.
    pub(crate) fn coordinates(&self) -> Vec<Coordinate> {
        self.bodies.iter().flat_map(|&b| self.model.body(b).coordinates()).collect()
    }

    /// Our body for the fixture's index.
    pub(crate) fn body(&self, path: &Path, field: &str, index: usize) -> Result<BodyId, VerifyError> {
        self.bodies.get(index).copied().ok_or_else(|| {
            malformed(path, field, format!("is {index}, expected below {}", self.bodies.len()))
        })
    }
}

/// Quaternion distance that does not care for the sign.
pub(crate) fn quaternion_error(ours: DQuat, expected: [f64; 4]) -> f64 {
    let e = DQuat::from_array(expected);
    let sign = if ours.dot(e) < 0.0 { -1.0 } else { 1.0 };
    (ours * sign - e).to_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Flattens vectors for comparison.
pub(crate) fn flat(vectors: impl IntoIterator<Item = DVec3>) -> Vec<f64> {
    vectors.into_iter().flat_map(|v| v.to_array()).collect()
}
