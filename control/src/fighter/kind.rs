//! What scenes write about a fighter.

use std::sync::Arc;

use stuntlab_mocap::character::Character;

use super::{Aid, COMMANDS, Fighter, FighterOptions, HurtOptions, PUBLISHED, Style, repertoire};
use crate::controller::Controller;
use crate::dynamo;
use crate::kind::{Casting, Figurant, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "fighter",
    help: "A boxer above Dynamo, of any figure with a skeleton, which starts in guard: it fights, falls and gets up",
    keys: &[KEYS, dynamo::KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

const KEYS: &[Setting] = &[
    Setting::new("opponent", "", "another character of the same figure"),
    Setting::new("autonomous", "true", "whether it decides for itself"),
    Setting::new("seed", "", "of its chances; from the scene's seed and its name where it is not written"),
    Setting::new("aggression", "0.7", "0 to 1"),
    Setting::new("caution", "0.35", "0 to 1"),
    Setting::new("footwork", "0.08", "share of punches after which it steps out, 0 to 1"),
    Setting::new("respect", "1.2", "distance it keeps from a fallen opponent, m"),
    Setting::new("coming", "0.9", "share of moments in which it steps in when it is too far"),
    Setting::new("going", "0.35", "share of moments in which it steps out when it is too near"),
    Setting::new("fairness", "0.7", "seconds an opponent must have been up to be fought again"),
    Setting::new("hurry", "1.5", "how many times as fast it steps in from afar"),
    Setting::new("fallen", "false", "whether it begins as a rag doll that has fallen"),
    Setting::new("rises", "true", "whether it gets up again"),
    Setting::new(
        "aid_lying",
        "0.08",
        "largest moment from outside while it lies, as an arm of the whole weight, m",
    ),
    Setting::new("aid_upright", "0.4", "the same once it kneels, m"),
    Setting::new("recoil", "0.6", "how many times its impulse a punch is felt"),
    Setting::new("endurance", "110.0", "N s of punches until it is knocked out"),
];

/// A fighter as scenes describe it.
#[derive(Debug)]
struct FighterMaker {
    opponent: Option<String>,
    seed: Option<u64>,
    /// All else; bodies of the opponent and the seed are filled in when it is made.
    options: FighterOptions,
}

fn read(table: &Fields<'_>) -> Result<FighterMaker, SettingError> {
    let (style, hurt, aid) = (Style::default(), HurtOptions::default(), Aid::default());
    let share = |key, usual: f64| match table.at_least_zero(key)? {
        Some(x) if x > 1.0 => Err(table.error(key, format!("is {x}, expected 0 to 1"))),
        x => Ok(x.unwrap_or(usual)),
    };
    let options = FighterOptions {
        dynamo: dynamo::read(table)?,
        autonomous: table.flag("autonomous")?.unwrap_or(true),
        style: Style {
            aggression: share("aggression", style.aggression)?,
            caution: share("caution", style.caution)?,
            footwork: share("footwork", style.footwork)?,
            respect: table.at_least_zero("respect")?.unwrap_or(style.respect),
            coming: share("coming", style.coming)?,
            going: share("going", style.going)?,
            fairness: table.at_least_zero("fairness")?.unwrap_or(style.fairness),
            hurry: table.positive("hurry")?.unwrap_or(style.hurry),
            ..style
        },
        hurt: HurtOptions { endurance: table.positive("endurance")?.unwrap_or(hurt.endurance), ..hurt },
        fallen: table.flag("fallen")?.unwrap_or(false),
        rises: table.flag("rises")?.unwrap_or(true),
        rising: Aid {
            lying: table.at_least_zero("aid_lying")?.unwrap_or(aid.lying),
            upright: table.at_least_zero("aid_upright")?.unwrap_or(aid.upright),
        },
        recoil: table.at_least_zero("recoil")?.unwrap_or(FighterOptions::default().recoil),
        ..FighterOptions::default()
    };
    Ok(FighterMaker {
        opponent: table.text("opponent")?.map(str::to_owned),
        seed: table.count("seed", 0, u64::MAX >> 1)?,
        options,
    })
}

/// What a figure can do.
fn can_fight(figure: Option<&Arc<Character>>) -> Result<Arc<super::Repertoire>, Refusal> {
    let figure =
        figure.ok_or_else(|| Refusal::new("figure", "has no skeleton that clips could be put on"))?;
    repertoire(figure).map_err(|e| Refusal::new("figure", format!("cannot fight: {e}")))
}

impl FighterMaker {
    /// The opponent: another character of the same figure.
    fn find<'a>(&self, casting: &'a Casting<'_>) -> Result<Option<&'a Figurant<'a>>, Refusal> {
        let Some(name) = &self.opponent else { return Ok(None) };
        let same = |f: &&&Arc<Character>| casting.figure.as_ref().is_some_and(|own| Arc::ptr_eq(own, f));
        let fits = |f: &&Figurant<'_>| f.name != casting.name && f.figure.as_ref().filter(same).is_some();
        let mut others = casting.cast.iter().filter(fits);
        if let Some(found) = others.clone().find(|f| f.name == name) {
            return Ok(Some(found));
        }
        let first = others.next().map_or("none is there", |f| f.name);
        let known = others.fold(first.to_owned(), |list, f| format!("{list}, {}", f.name));
        let problem = format!("is \"{name}\", expected another character of the same figure: {known}");
        Err(Refusal::new("controller.opponent", problem))
    }
}

impl Maker for FighterMaker {
    fn start(&self, figure: Option<&Arc<Character>>) -> Result<Option<Vec<f64>>, Refusal> {
        Ok(Some(can_fight(figure)?.start().to_vec()))
    }

    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let repertoire = can_fight(casting.figure.as_ref())?;
        let options = FighterOptions {
            opponent: self.find(casting)?.map(|f| f.bodies),
            seed: self.seed.unwrap_or(casting.seed),
            ..self.options.clone()
        };
        Ok(Box::new(Fighter::new(repertoire, options)))
    }
}
