//! What skills of the planar figure have learned: classifiers as `stuntlab learn` leaves them.

/// Skill and file.
const MODELS: [(&str, &str); 3] = [
    ("stand-in-place", include_str!("models/stand-in-place.toml")),
    ("bend-to-stand", include_str!("models/bend-to-stand.toml")),
    ("step-to-stand", include_str!("models/step-to-stand.toml")),
];

/// The file of a skill; none of one that has learned nothing.
pub fn of(skill: &str) -> Option<&'static str> {
    MODELS.iter().find(|(name, _)| *name == skill).map(|(_, text)| *text)
}
