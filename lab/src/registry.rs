//! What scenes may name: kinds of controllers and of terrain, skills of stuntpersons, quantities to measure, studies. One row each, beside its code.
//!
//! [`Registry::standard`] has all that comes with the program. Another crate adds rows of its own and reads scenes with them
//! ([`Scene::parse_with`](crate::scene::Scene::parse_with)); messages, `--set`, the reference in `scenes/README.md`, the list of
//! kinds and the window know them then like all others. The crates in `examples/bounce` and `examples/skill` do.

use std::sync::{Arc, OnceLock};

use stuntlab_control::stunt::pool::{Row, SKILLS};
use stuntlab_control::{KINDS, Kind, Stock};
use thiserror::Error;

use crate::measure::{QUANTITIES, Quantity};
use crate::scene::{TERRAINS, TerrainKind};
use crate::study::{STUDIES, Study};

/// Rows by kind of row.
#[derive(Clone, Debug)]
pub struct Registry {
    controllers: Vec<Kind>,
    skills: Vec<Row>,
    quantities: Vec<Quantity>,
    terrains: Vec<TerrainKind>,
    studies: Vec<Study>,
}

/// A row that cannot be added.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is a {what} called \"{name}\" already, expected another name")]
pub struct Twice {
    /// What kind of row.
    pub what: &'static str,
    /// Its name.
    pub name: &'static str,
}

impl Registry {
    /// All that comes with the program.
    pub fn standard() -> Arc<Self> {
        static STANDARD: OnceLock<Arc<Registry>> = OnceLock::new();
        let make = || {
            Arc::new(Self {
                controllers: KINDS.to_vec(),
                skills: SKILLS.to_vec(),
                quantities: QUANTITIES.concat(),
                terrains: TERRAINS.to_vec(),
                studies: STUDIES.to_vec(),
            })
        };
        STANDARD.get_or_init(make).clone()
    }

    /// Adds a kind of controller.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn add_controller(&mut self, kind: Kind) -> Result<(), Twice> {
        let taken = self.controllers.iter().any(|k| k.name == kind.name) || kind.name == "layers";
        add(&mut self.controllers, kind, taken, ("controller", kind.name))
    }

    /// Adds a skill to the pool of stuntpersons.
    ///
    /// # Errors
    /// A name that is taken, or a bid whose name is.
    pub fn add_skill(&mut self, row: Row) -> Result<(), Twice> {
        let taken = self.skills.iter().any(|s| s.name == row.name) || self.quantity(row.bid.name).is_some();
        add(&mut self.skills, row, taken, ("skill", row.name))
    }

    /// Adds a quantity.
    ///
    /// # Errors
    /// A name that is taken, by a reading too.
    pub fn add_quantity(&mut self, quantity: Quantity) -> Result<(), Twice> {
        let taken = self.quantity(quantity.name).is_some();
        add(&mut self.quantities, quantity, taken, ("quantity", quantity.name))
    }

    /// Adds a kind of terrain.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn add_terrain(&mut self, kind: TerrainKind) -> Result<(), Twice> {
        let taken = self.terrains.iter().any(|k| k.name == kind.name);
        add(&mut self.terrains, kind, taken, ("terrain", kind.name))
    }

    /// Adds a study.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn add_study(&mut self, study: Study) -> Result<(), Twice> {
        let taken = self.studies.iter().any(|s| s.name == study.name);
        add(&mut self.studies, study, taken, ("study", study.name))
    }

    /// Kinds of controllers.
    pub fn controllers(&self) -> &[Kind] {
        &self.controllers
    }

    /// Skills of stuntpersons.
    pub fn skills(&self) -> &[Row] {
        &self.skills
    }

    /// What tables of controllers may name.
    pub fn stock(&self) -> Stock<'_> {
        Stock { kinds: &self.controllers, skills: &self.skills }
    }

    /// The kind of controller of this name.
    pub fn controller(&self, name: &str) -> Option<&Kind> {
        self.controllers.iter().find(|k| k.name == name)
    }

    /// Kinds of terrain.
    pub fn terrains(&self) -> &[TerrainKind] {
        &self.terrains
    }

    /// Studies.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// Quantities, without readings.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// All a scene may measure: quantities, and what controllers publish.
    pub fn measurable(&self) -> Vec<Quantity> {
        let mut all = self.quantities.clone();
        let bids = self.skills.iter().map(|row| &row.bid);
        for reading in self.controllers.iter().flat_map(|k| k.readings).chain(bids) {
            if all.iter().all(|q| q.name != reading.name) {
                all.push(Quantity::of_reading(reading));
            }
        }
        all
    }

    /// What can be measured under this name.
    pub fn quantity(&self, name: &str) -> Option<Quantity> {
        self.measurable().into_iter().find(|q| q.name == name)
    }
}

fn add<T>(
    rows: &mut Vec<T>,
    row: T,
    taken: bool,
    (what, name): (&'static str, &'static str),
) -> Result<(), Twice> {
    if taken {
        return Err(Twice { what, name });
    }
    rows.push(row);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_once() {
        let mut registry = Registry::clone(&Registry::standard());
        let kind = Kind { name: "mine", ..registry.controllers()[0] };
        assert_eq!(registry.add_controller(kind), Ok(()));
        let error = registry.add_controller(kind).expect_err("it is there");
        assert_eq!(error.to_string(), "there is a controller called \"mine\" already, expected another name");
        let strength = Quantity { name: "strength", ..registry.quantities()[0] };
        assert!(registry.add_quantity(strength).is_err(), "a reading has this name");
        assert!(registry.add_terrain(registry.terrains()[0]).is_err());
        assert!(registry.add_study(registry.studies()[0]).is_err());
        let error = registry.add_skill(registry.skills()[0]).expect_err("it is there");
        assert_eq!(error.to_string(), "there is a skill called \"balance\" already, expected another name");
    }

    #[test]
    fn readings_of_one_name_mean_the_same_everywhere() {
        let registry = Registry::standard();
        let all: Vec<_> = registry.controllers().iter().flat_map(|k| k.readings).collect();
        for reading in &all {
            assert!(all.iter().all(|o| o.name != reading.name || o == reading), "{}", reading.name);
            assert!(registry.quantities().iter().all(|q| q.name != reading.name), "{}", reading.name);
        }
    }
}
