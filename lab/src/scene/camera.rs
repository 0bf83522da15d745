//! Where a scene is looked at from.

use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::Camera;

use super::Fields;
use super::SceneError;

/// A camera of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct CameraSpec {
    /// What films call it by; its number where absent.
    pub(crate) name: Option<String>,
    pub(crate) camera: Camera,
    /// Body or character it follows.
    pub(crate) follow: Option<String>,
    /// Whether it shows where controllers want their characters.
    pub(crate) ghost: bool,
    pub(crate) line: usize,
}

/// Reads one `[[camera]]`.
pub(crate) fn read(fields: Fields<'_>) -> Result<CameraSpec, SceneError> {
    let usual = Camera::default();
    let degrees = |key, usual: f64| Ok::<_, SceneError>(fields.number(key)?.map_or(usual, f64::to_radians));
    let camera = Camera {
        target: fields.vector("target")?.unwrap_or(DVec3::Z * 0.9),
        yaw: degrees("yaw_deg", usual.yaw)?,
        pitch: degrees("pitch_deg", usual.pitch)?,
        distance: fields.positive("distance")?.unwrap_or(usual.distance),
        ..usual
    };
    let spec = CameraSpec {
        name: fields.text("name")?.map(str::to_owned),
        camera,
        follow: fields.text("follow")?.map(str::to_owned),
        ghost: fields.flag("ghost")?.unwrap_or(false),
        line: fields.line(),
    };
    fields.finish()?;
    Ok(spec)
}
