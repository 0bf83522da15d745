//! Where skills are practised: a row each, with the state they usually begin in, how that is disturbed, and the paper's figures to compare with.

use std::sync::Arc;

use stuntlab_control::planar::{Moves, Played};
use stuntlab_control::round_trip::fall::Fall;
use stuntlab_control::stunt::pool::{self, Making};
use stuntlab_control::stunt::{Alone, Build, Skill};
use stuntlab_control::{Controller, Refusal};

use super::sampling::{Bounds, Ground};
use crate::run::{Hands, World};
use crate::scene::{Scene, SceneError};

/// A skill with its practice ground.
#[derive(Clone, Copy, Debug)]
pub struct Practice {
    /// The skill.
    pub skill: &'static str,
    /// What the paper's Table 1 calls its like; empty where there is none.
    pub published: &'static str,
    /// There: training and test set, accuracy of the nearest neighbour and of the support vector machine.
    pub sizes: [usize; 2],
    /// See [`Practice::sizes`].
    pub accuracies: [f64; 2],
    /// How the figure starts, as scenes write it.
    pub start: &'static str,
    /// Moves that bring it from there into the nominal state; none for those who are there.
    pub moves: &'static str,
    /// Seconds of these.
    pub settle: f64,
    /// Bounds of what disturbs.
    pub bounds: Bounds,
    /// Longest that an attempt takes, s.
    pub horizon: f64,
    /// Whether it goes on until another skill is asked for: who has not failed by then has done what it is for.
    pub goes_on: bool,
}

/// Quiet on both feet.
const STANDING: &str = include_str!("nominal/standing.toml");

/// All of them.
pub const PRACTICES: &[Practice] = &[
    Practice {
        skill: "stand-in-place",
        published: "StandInPlace",
        sizes: [17_317, 20_393],
        accuracies: [0.8363, 0.8767],
        start: "stand",
        moves: STANDING,
        settle: 1.0,
        bounds: Bounds { force: 150.0, offset: 0.06 },
        horizon: 3.0,
        goes_on: false,
    },
    Practice {
        skill: "bend-to-stand",
        published: "BendToStand",
        sizes: [6_926, 14_272],
        accuracies: [0.9805, 0.9977],
        start: "stand",
        moves: include_str!("nominal/bent.toml"),
        settle: 2.0,
        bounds: Bounds { force: 300.0, offset: 0.15 },
        horizon: 4.0,
        goes_on: false,
    },
    Practice {
        skill: "belly-to-kneel",
        published: "LyingOnBellyToKneel",
        sizes: [4_200, 4_223],
        accuracies: [0.9327, 0.9446],
        start: "prone",
        moves: include_str!("nominal/prone.toml"),
        settle: 1.0,
        bounds: Bounds { force: 600.0, offset: 0.3 },
        horizon: 4.0,
        goes_on: false,
    },
    Practice {
        skill: "kneel-to-stand",
        published: "KneelToStand",
        sizes: [6_000, 11_998],
        accuracies: [0.7945, 0.8506],
        start: "prone",
        moves: include_str!("nominal/kneeling.toml"),
        settle: 2.0,
        bounds: Bounds { force: 300.0, offset: 0.15 },
        horizon: 6.0,
        goes_on: false,
    },
    Practice {
        skill: "step-forward",
        published: "StandToStep",
        sizes: [16_999, 17_870],
        accuracies: [0.7212, 0.7918],
        start: "stand",
        moves: STANDING,
        settle: 1.0,
        bounds: Bounds { force: 300.0, offset: 0.1 },
        horizon: 2.0,
        goes_on: false,
    },
    Practice {
        skill: "step-back",
        published: "StandToStep",
        sizes: [16_999, 17_870],
        accuracies: [0.7212, 0.7918],
        start: "stand",
        moves: STANDING,
        settle: 1.0,
        bounds: Bounds { force: 300.0, offset: 0.1 },
        horizon: 2.0,
        goes_on: false,
    },
    Practice {
        skill: "plane-walk",
        published: "Walk",
        sizes: [11_020, 8_658],
        accuracies: [0.9278, 0.9773],
        start: "stand",
        moves: STANDING,
        settle: 1.0,
        bounds: Bounds { force: 150.0, offset: 0.15 },
        horizon: 8.0,
        goes_on: true,
    },
    Practice {
        skill: "step-to-stand",
        published: "StepToStand",
        sizes: [8_999, 9_110],
        accuracies: [0.8097, 0.8729],
        start: "stand",
        moves: include_str!("nominal/stepped.toml"),
        settle: 2.0,
        bounds: Bounds { force: 150.0, offset: 0.15 },
        horizon: 4.0,
        goes_on: false,
    },
];

impl Practice {
    /// The row of this skill.
    pub fn find(skill: &str) -> Option<&'static Self> {
        PRACTICES.iter().find(|p| p.skill == skill)
    }

    /// The nominal state.
    ///
    /// # Errors
    /// A scene or a figure that does not fit: a fault of the table.
    pub fn ground(&self) -> Result<Ground, SceneError> {
        let text = format!(
            "schema = 1\nshows = \"practice\"\nduration = 10\nrate = 120\n[[terrain]]\nkind = \"plane\"\n\
             [[character]]\nname = \"it\"\nfigure = \"planar-figure\"\n\
             controller = {{ kind = \"stuntperson\", start = \"{}\" }}\n",
            self.start
        );
        let scene = Scene::parse(self.skill, &text, &[])?;
        let bad = |refusal: Refusal| SceneError {
            file: self.skill.to_owned(),
            line: refusal.line,
            key: refusal.key,
            problem: refusal.problem,
            absent: false,
        };
        let mut ground = Ground::new(World::new(&scene)?)
            .ok_or_else(|| bad(Refusal::new("character", "expected somebody who practises")))?;
        let member = &ground.world().cast()[0];
        let moves = Moves::parse(self.skill, self.moves)?;
        let played = Played::new(member.model.clone(), &member.physique, moves).map_err(bad)?;
        ground.act(Box::new(played), &Hands::default(), self.settle);
        ground.settle();
        Ok(ground)
    }

    /// The skill at work alone, as committed.
    ///
    /// # Errors
    /// A figure it cannot drive: a fault of the table.
    pub fn skill(&self, ground: &Ground) -> Result<Box<dyn Controller>, Refusal> {
        self.alone(ground, |making| {
            let row = pool::find(self.skill).map(|k| &pool::SKILLS[k]);
            let row = row.ok_or_else(|| Refusal::new("learn", format!("no skill {}", self.skill)))?;
            (row.make)((row.terms)(), making)
        })
    }

    /// The same with other moves.
    ///
    /// # Errors
    /// A skill without moves.
    pub fn skill_by(&self, ground: &Ground, ways: Vec<Moves>) -> Result<Box<dyn Controller>, Refusal> {
        self.alone(ground, |making| stuntlab_control::stunt::moved(self.skill, making, ways))
    }

    fn alone(
        &self,
        ground: &Ground,
        make: impl FnOnce(&Making<'_>) -> Result<Box<dyn Skill>, Refusal>,
    ) -> Result<Box<dyn Controller>, Refusal> {
        let member = &ground.world().cast()[0];
        let figure = member.figure.clone().ok_or_else(|| Refusal::new("figure", "has no skeleton"))?;
        let build = Arc::new(Build::new(figure, member.model.clone(), &member.physique)?);
        let making =
            Making { build: build.clone(), physique: &member.physique, table: None, fall: Fall::Limp };
        let skill = make(&making)?;
        Ok(Box::new(Alone::new(build, skill)))
    }

    /// Has a skill at work alone act from the state there is; whether it does what it is for.
    pub fn attempt(&self, ground: &mut Ground, skill: Box<dyn Controller>) -> bool {
        let begun = ground.world().state.time;
        let good = ground.attempt(skill, self.horizon, Self::verdict);
        // (A step that goes wrong ends it early, without a verdict.)
        let lasted = ground.world().state.time - begun > self.horizon - ground.world().options.dt;
        good || self.goes_on && lasted && Self::verdict(ground.world()).is_none()
    }

    /// Whether a skill at work alone has done what it is for.
    pub fn verdict(world: &World) -> Option<bool> {
        match world.controllers[0].readings().get("verdict") {
            Some(x) if x > 0.0 => Some(true),
            Some(x) if x < 0.0 => Some(false),
            _ => None,
        }
    }
}
