//! The file format of contact fixtures.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::VerifyError;
use super::super::fixture::malformed;

#[derive(Deserialize)]
pub(crate) struct ContactFixture {
    pub(super) time_steps: BTreeMap<String, f64>,
    pub(super) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) scenario: String,
    pub(super) gravity: [f64; 3],
    pub(super) plane: Plane,
    pub(super) bodies: Vec<Body>,
    pub(super) initial: Vec<Initial>,
    pub(super) contact: Surface,
    pub(super) duration: f64,
    /// Depends on the scenario; read by [`expected`].
    expected: Value,
    pub(super) tolerance: Tolerance,
}

#[derive(Deserialize)]
pub(super) struct Plane {
    pub(super) normal: [f64; 3],
    #[serde(default)]
    pub(super) offset: f64,
}

#[derive(Deserialize)]
pub(super) struct Body {
    pub(super) shape: String,
    pub(super) radius: Option<f64>,
    pub(super) size: Option<[f64; 3]>,
    pub(super) mass: f64,
    pub(super) inertia: [f64; 6],
    #[serde(default)]
    pub(super) com: [f64; 3],
}

#[derive(Deserialize)]
pub(super) struct Initial {
    pub(super) position: [f64; 3],
    pub(super) quaternion: [f64; 4],
    pub(super) linear_velocity: [f64; 3],
    pub(super) angular_velocity_world: [f64; 3],
}

#[derive(Deserialize)]
pub(super) struct Surface {
    pub(super) stiffness: Option<f64>,
    pub(super) damping: Option<f64>,
    pub(super) friction: f64,
    pub(super) restitution: f64,
    #[serde(default)]
    pub(super) rolling_friction: f64,
    pub(super) penalty_equivalent: Option<Equivalent>,
}

/// The spring-damper that bounces as high as the restitution says; our force never pulls.
#[derive(Deserialize)]
pub(super) struct Equivalent {
    pub(super) stiffness: f64,
    pub(super) damping_force_clamped_at_zero: f64,
}

type BySteps = BTreeMap<String, Option<BTreeMap<String, Allowed>>>;

#[derive(Deserialize)]
pub(super) struct Tolerance {
    pub(super) penalty: Option<BySteps>,
    pub(super) lcp: Option<BySteps>,
}

/// One tolerance for all values of a quantity, or one for each.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Allowed {
    One(f64),
    Each(Vec<f64>),
}

/// The expected outcome as the scenario at hand needs it; `field` names the case.
pub(super) fn expected<T: DeserializeOwned>(path: &Path, field: &str, case: &Case) -> Result<T, VerifyError> {
    serde_path_to_error::deserialize(&case.expected).map_err(|error| {
        let inner = error.path().to_string();
        let dot = if inner == "." { String::new() } else { format!(".{inner}") };
        malformed(path, format!("{field}.expected{dot}"), error.into_inner())
    })
}
