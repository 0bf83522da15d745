//! Texts that stay on one line, and fingerprints of what was written.

pub(crate) use stuntlab_control::settings::line_break;
pub use stuntlab_control::settings::one_line;
pub(crate) use stuntlab_physics::fingerprint::fingerprint;

/// A fingerprint as files spell it.
pub(crate) fn spelled(fingerprint: u64) -> String {
    format!("{fingerprint:016x}")
}
