//! Skills that are a table of poses, played as it is or in the mirror.

use std::sync::Arc;

use stuntlab_mocap::character::Physique;
use stuntlab_physics::{Actuation, State};

use crate::controller::Sense;
use crate::kind::Refusal;
use crate::stunt::build::Build;
use crate::stunt::keys::{Player, Table};
use crate::stunt::skill::{Skill, Terms};

/// Whether a table is played in the mirror, by the state it begins in.
pub(crate) type Mirrored = fn(&Sense<'_>) -> bool;

/// Plays a table.
#[derive(Clone)]
pub(crate) struct Posed {
    terms: Terms,
    player: Player,
    mirrored: Mirrored,
}

impl Posed {
    pub(crate) fn new(
        build: Arc<Build>,
        physique: &Physique,
        terms: Terms,
        table: Table,
        mirrored: Mirrored,
    ) -> Result<Self, Refusal> {
        Ok(Self { terms, player: Player::new(build, physique, table)?, mirrored })
    }
}

impl Skill for Posed {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, sense: &Sense<'_>) {
        self.player.begin(sense, (self.mirrored)(sense));
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.player.act(sense, out);
    }

    fn progress(&self) -> f64 {
        self.player.progress()
    }

    fn pose(&self) -> Option<&State> {
        Some(self.player.pose())
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}
