//! Conditions as data: relations over named quantities (Faloutsos et al. 2001, (1) and (2)).
//!
//! ```text
//! P = C(R(q_i), R(q_t), C_b, C_e)        one or more regions, each of relations that all hold
//! ```
//! In code a list of [`Relation`]s, in scenes a list of texts, `"or"` between regions:
//! `["trunk-up > 0.8", "com-speed < 0.3", "or", "pelvis-height < 0.2"]`.

use std::fmt;

use super::quantity::{Facts, QUANTITIES, find};

/// A quantity is above or below a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relation {
    /// Place of the quantity in the table.
    quantity: usize,
    above: bool,
    mark: f64,
}

/// Name of a quantity that is not in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misspelt(pub String);

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = QUANTITIES.iter().map(|q| q.name).collect();
        write!(
            f,
            "is \"{}\", expected a relation such as \"com-speed < 0.3\", of: {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for Misspelt {}

impl Relation {
    /// Reads `name > number` or `name < number`.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(text: &str) -> Result<Self, Misspelt> {
        let bad = || Misspelt(text.to_owned());
        let words: Vec<&str> = text.split_whitespace().collect();
        let [name, sign, mark] = words.as_slice() else { return Err(bad()) };
        let above = match *sign {
            ">" => true,
            "<" => false,
            _ => return Err(bad()),
        };
        let mark: f64 = mark.parse().map_err(|_| bad())?;
        if !mark.is_finite() {
            return Err(bad());
        }
        Ok(Self { quantity: find(name).ok_or_else(bad)?, above, mark })
    }

    /// Whether it holds. Of what nothing is known nothing holds.
    pub fn holds(&self, facts: &Facts) -> bool {
        let value = facts.values[self.quantity];
        if self.above { value > self.mark } else { value < self.mark }
    }

    /// The place of its quantity in the table.
    pub fn quantity(&self) -> usize {
        self.quantity
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.above { '>' } else { '<' };
        write!(f, "{} {sign} {:?}", QUANTITIES[self.quantity].name, self.mark)
    }
}

/// A relation that does not hold, with the value it was asked of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unmet {
    /// Which.
    pub relation: Relation,
    /// What its quantity is; NaN where there is nothing to say.
    pub value: f64,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let q = &QUANTITIES[self.relation.quantity];
        let unit = if q.unit.is_empty() || q.unit == "of 1" { String::new() } else { format!(" {}", q.unit) };
        if self.value.is_nan() {
            write!(f, "nothing is known of {}, expected {}", q.name, self.relation)
        } else {
            write!(f, "{} is {:.3}{unit}, expected {}", q.name, self.value, self.relation)
        }
    }
}

/// Regions of states: in one of them all relations hold. Without any region all states are meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    regions: Vec<Vec<Relation>>,
}

impl Conditions {
    /// Reads texts, `"or"` between regions.
    ///
    /// # Errors
    /// A text that is no relation.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, Misspelt> {
        let mut regions: Vec<Vec<Relation>> = Vec::new();
        let mut open = false;
        for text in texts.iter().map(AsRef::as_ref) {
            if text == "or" {
                open = false;
                continue;
            }
            if !open {
                regions.push(Vec::new());
                open = true;
            }
            let relation = Relation::parse(text)?;
            if let Some(region) = regions.last_mut() {
                region.push(relation);
            }
        }
        Ok(Self { regions })
    }

    /// Those of a table in code.
    ///
    /// # Panics
    /// With a text that is no relation: tables in code are tested.
    pub(crate) fn of(texts: &[&str]) -> Self {
        match Self::parse(texts) {
            Ok(conditions) => conditions,
            Err(misspelt) => unreachable!("a table in code: {misspelt}"),
        }
    }

    /// Whether the state is in one of the regions.
    pub fn hold(&self, facts: &Facts) -> bool {
        self.regions.is_empty() || self.regions.iter().any(|region| region.iter().all(|r| r.holds(facts)))
    }

    /// The first relation that does not hold, of the region in which most do; none if the conditions hold.
    pub fn unmet(&self, facts: &Facts) -> Option<Unmet> {
        if self.hold(facts) {
            return None;
        }
        let missing = |region: &&Vec<Relation>| region.iter().filter(|r| !r.holds(facts)).count();
        let nearest = self.regions.iter().min_by_key(missing)?;
        let relation = *nearest.iter().find(|r| !r.holds(facts))?;
        Some(Unmet { relation, value: facts.values[relation.quantity] })
    }

    /// The regions.
    pub fn regions(&self) -> &[Vec<Relation>] {
        &self.regions
    }

    /// The texts that read back as these.
    pub fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for (k, region) in self.regions.iter().enumerate() {
            if k > 0 {
                texts.push("or".to_owned());
            }
            texts.extend(region.iter().map(ToString::to_string));
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(values: &[(&str, f64)]) -> Facts {
        let mut facts = Facts::default();
        for (name, value) in values {
            facts.values[find(name).expect("a quantity")] = *value;
        }
        facts
    }

    #[test]
    fn conditions_read_back_and_regions_are_alternatives() {
        let texts = ["trunk-up > 0.8", "com-speed < 0.3", "or", "pelvis-height < 0.2"];
        let conditions = Conditions::parse(&texts).expect("relations");
        assert_eq!(conditions.texts(), texts);
        assert!(conditions.hold(&facts(&[("trunk-up", 0.9), ("com-speed", 0.1)])));
        assert!(conditions.hold(&facts(&[("pelvis-height", 0.1)])));
        let fast = facts(&[("trunk-up", 0.9), ("com-speed", 0.5), ("pelvis-height", 0.9)]);
        let unmet = conditions.unmet(&fast).expect("too fast").to_string();
        assert_eq!(unmet, "com-speed is 0.500 m/s, expected com-speed < 0.3");
    }

    #[test]
    fn of_what_nothing_is_known_nothing_holds() {
        let conditions = Conditions::parse(&["margin > -9.0"]).expect("a relation");
        assert!(!conditions.hold(&Facts::default()));
        assert!(Conditions::default().hold(&Facts::default()));
    }

    #[test]
    fn what_is_no_relation_is_refused_with_what_there_is() {
        for text in ["", "com-speed", "com-speed <", "com-speed = 3", "spede < 3", "com-speed < nan"] {
            let error = Conditions::parse(&[text]).expect_err(text).to_string();
            assert!(error.contains("expected a relation such as") && error.contains("trunk-up"), "{error}");
        }
    }

    #[test]
    fn names_of_quantities_are_unique_and_explained() {
        for (k, q) in QUANTITIES.iter().enumerate() {
            assert!(!q.help.is_empty() && !q.name.contains(' '));
            assert_eq!(find(q.name), Some(k), "{} is there twice", q.name);
        }
    }
}
