//! What a scene logs besides `log.csv`: the table `[log]`, and `--log WHAT[@RATE]`, which sets it.

use super::Fields;
use super::SceneError;

/// What can be logged, each into a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logged {
    /// Pose and velocity of every body.
    Bodies,
    /// Angle, rate and torque of every joint freedom.
    Joints,
    /// Every contact with its force.
    Contacts,
    /// What controllers say of themselves.
    Readings,
}

impl Logged {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bodies, Self::Joints, Self::Contacts, Self::Readings];

    /// Name of the key and of the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bodies => "bodies",
            Self::Joints => "joints",
            Self::Contacts => "contacts",
            Self::Readings => "readings",
        }
    }
}

/// Rows per second where `--log` says none.
const USUAL: f64 = 60.0;
/// Most that are taken: as many as a scene may have steps.
const MOST: f64 = 100_000.0;

/// Reads `[log]`: what is logged and how many times a second.
pub(crate) fn read(fields: &Fields<'_>) -> Result<Vec<(Logged, f64)>, SceneError> {
    let Some(table) = fields.table("log")? else { return Ok(Vec::new()) };
    let mut logged = Vec::new();
    for what in Logged::ALL {
        match table.positive(what.name())? {
            Some(rate) if rate > MOST => {
                let problem = format!("is {rate}, expected at most {MOST} rows per second");
                return Err(table.error(what.name(), problem));
            }
            rate => logged.extend(rate.map(|rate| (what, rate))),
        }
    }
    table.finish()?;
    Ok(logged)
}

/// `--log WHAT[@RATE]` as overrides of a scene, so that a run's manifest has them.
///
/// # Errors
/// A word nobody knows, a rate that is none.
pub fn log_overrides(texts: &[String]) -> Result<Vec<String>, SceneError> {
    let mut set = Vec::new();
    for text in texts {
        let bad = |problem: String| SceneError {
            file: format!("--log {text}"),
            line: 0,
            key: String::new(),
            problem,
            absent: false,
        };
        let (what, rate) = match text.split_once('@') {
            None => (text.as_str(), USUAL),
            Some((what, rate)) => {
                let rate: Option<f64> = rate.trim().parse().ok().filter(|r: &f64| *r > 0.0 && *r <= MOST);
                let problem =
                    || bad(format!("has no rate after the @, expected rows per second, up to {MOST}"));
                (what, rate.ok_or_else(problem)?)
            }
        };
        let chosen: Vec<Logged> =
            Logged::ALL.into_iter().filter(|l| what.trim() == l.name() || what.trim() == "all").collect();
        if chosen.is_empty() {
            let names = Logged::ALL.map(Logged::name).join(", ");
            return Err(bad(format!("is \"{what}\", expected one of: {names}, all")));
        }
        set.extend(chosen.iter().map(|l| format!("log.{}={rate:?}", l.name())));
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_overrides() {
        let set = |texts: &[&str]| log_overrides(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(set(&["bodies", "joints@120"]).unwrap(), ["log.bodies=60.0", "log.joints=120.0"]);
        assert_eq!(set(&["all@0.5"]).unwrap().len(), 4);
        for (text, words) in [
            ("bones", "expected one of: bodies, joints, contacts, readings, all"),
            ("bodies@", "expected rows per second"),
            ("bodies@-3", "expected rows per second"),
            ("bodies@nan", "expected rows per second"),
            ("bodies@1e9", "up to 100000"),
        ] {
            let message = set(&[text]).unwrap_err().to_string();
            assert!(message.starts_with(&format!("--log {text}: ")) && message.contains(words), "{message}");
        }
    }
}
