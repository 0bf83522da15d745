//! Recorded hashes: where every world of every scene ends, to the bit.
//!
//! States depend on `sin`, `cos` and friends of the C library, which differ in the last bit from one to the next. The
//! record says with which it was made, by a hash of what they give; with another it says nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SceneOutcome;
use crate::words::{fingerprint, spelled};

/// Hashes of last states, by scene and variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hashes {
    /// Hash of the mathematical functions it was made with.
    pub libm: String,
    /// By scene and variant; the variant of a scene without is called `scene`.
    pub scenes: BTreeMap<String, BTreeMap<String, String>>,
}

/// How a scene's ends compare with the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bits {
    /// All as recorded.
    Same,
    /// Elsewhere, in words.
    Differ(String),
    /// Nothing recorded, or with other mathematical functions.
    Unknown,
}

/// The name of a world without one.
const ALONE: &str = "scene";

const HEAD: &str = "\
# Hash of the last state of every scene and variant: `stuntlab check` and the tests compare them. A change of results is
# fine where a commit says why; renew with `cargo run --release -- check --record lab/hashes.toml`. States depend on the C
# library's sin, cos and friends: `libm` is a hash of what they give, and where it differs nothing is compared.
";

impl Hashes {
    /// The record that comes with the program.
    ///
    /// # Errors
    /// A record that is malformed, in words.
    pub fn recorded() -> Result<Self, String> {
        Self::parse(include_str!("../../hashes.toml"))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|e| e.message().replace('\n', "; "))
    }

    /// The record as a file.
    pub fn text(&self) -> String {
        let body = toml::to_string(self).unwrap_or_else(|e| format!("# {e}\n"));
        format!("{HEAD}{body}")
    }

    /// Puts outcomes into the record. What was made with other functions goes.
    pub fn record(&mut self, outcomes: &[SceneOutcome]) {
        let here = libm();
        if self.libm != here {
            *self = Self { libm: here, scenes: BTreeMap::new() };
        }
        for outcome in outcomes {
            let scene = self.scenes.entry(outcome.metrics.scene.clone()).or_default();
            for end in &outcome.ends {
                scene.insert(named(&end.variant).to_owned(), end.hash.clone());
            }
        }
    }

    /// Compares a scene's ends.
    pub fn compare(&self, outcome: &SceneOutcome) -> Bits {
        let Some(scene) = self.scenes.get(&outcome.metrics.scene).filter(|_| self.libm == libm()) else {
            return Bits::Unknown;
        };
        let differs = |end: &&super::End| scene.get(named(&end.variant)).is_some_and(|h| *h != end.hash);
        match outcome.ends.iter().find(differs) {
            Some(end) => {
                let name = named(&end.variant);
                let then = scene.get(name).map_or("nothing", String::as_str);
                Bits::Differ(format!("{name} ended in {then} and ends in {}", end.hash))
            }
            None if outcome.ends.iter().all(|end| scene.contains_key(named(&end.variant))) => Bits::Same,
            None => Bits::Unknown,
        }
    }
}

fn named(variant: &str) -> &str {
    if variant.is_empty() { ALONE } else { variant }
}

/// A hash of what the mathematical functions of this machine give.
pub fn libm() -> String {
    let mut bytes = Vec::new();
    for k in 1..2000 {
        // Numbers of all sizes that simulations meet; hidden from the compiler, which would reckon with its own.
        let x = std::hint::black_box(f64::from(k) * 0.007_310_585_786_3);
        let y = std::hint::black_box((f64::from(k) * 0.618_033_988_749_9).fract());
        let values = [x.sin(), x.cos(), x.tan(), y.acos(), y.asin(), x.atan(), x.atan2(y), (-x).exp()];
        let more = [x.ln(), x.powf(y), x.hypot(y), x.tanh(), x.sqrt(), x.cbrt()];
        bytes.extend(values.iter().chain(&more).flat_map(|v| v.to_bits().to_le_bytes()));
    }
    spelled(fingerprint(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::End;
    use super::*;
    use crate::run::Metrics;

    fn outcome(hash: &str) -> SceneOutcome {
        let metrics = Metrics {
            scene: "a".to_owned(),
            duration: 1.0,
            passed: true,
            measurements: Vec::new(),
            foils: Vec::new(),
            failures: Vec::new(),
            skipped: Vec::new(),
            clips: Vec::new(),
        };
        let ends = vec![End { variant: String::new(), hash: hash.to_owned() }];
        SceneOutcome { metrics, ends, seconds: 0.0 }
    }

    #[test]
    fn a_record_comes_back_and_tells_changes() {
        let mut hashes = Hashes::default();
        hashes.record(&[outcome("1")]);
        assert_eq!(Hashes::parse(&hashes.text()).unwrap(), hashes);
        assert_eq!(hashes.compare(&outcome("1")), Bits::Same);
        assert_eq!(hashes.compare(&outcome("2")), Bits::Differ("scene ended in 1 and ends in 2".to_owned()));
        let elsewhere = Hashes { libm: "another".to_owned(), ..hashes.clone() };
        assert_eq!(elsewhere.compare(&outcome("2")), Bits::Unknown);
        assert_eq!(Hashes::default().compare(&outcome("1")), Bits::Unknown);
        assert!(Hashes::parse("libm = 1").is_err());
    }

    #[test]
    fn the_record_that_comes_with_the_program_can_be_read() {
        Hashes::recorded().unwrap();
        assert_eq!(libm(), libm());
    }
}
