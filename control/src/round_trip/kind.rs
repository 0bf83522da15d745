//! What scenes write about one on a round trip.

use std::sync::Arc;

use super::clips::Ways;
use super::dock::{Dock, MOST};
use super::fall::Fall;
use super::finder::Look;
use super::ground::Crawl;
use super::published::PUBLISHED;
use super::{RoundTrip, RoundTripOptions};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};
use crate::stand;

pub(super) const COMMANDS: &[&str] = &["let-go", "fall", "come-back"];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "round-trip",
    help: "The character's motion played back until something hits it; then simulated, standing, catching itself or falling, and back into its motion (Mandel and Zordan)",
    keys: &[KEYS, stand::KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(RoundTripMaker { options: read(fields)? })),
};

const KEYS: &[Setting] = &[
    Setting::new("notice", "15.0", "force on a bone that is a hit, N; a blow is spread over 0.03 s"),
    Setting::new(
        "fall",
        "\"reach\"",
        "how it falls: `reach` (arms go where it will land), `table` (example poses) or `limp`",
    ),
    Setting::new(
        "search",
        "true",
        "whether it looks for the moment of a motion that is nearest; else the first of the first",
    ),
    Setting::new(
        "keys",
        "0.1",
        "tolerance of the key frames it looks among, m over all joints; 0: every frame",
    ),
    Setting::new(
        "window",
        "true",
        "whether it looks by what it did since it was hit, a window of 0.13 s; else by its pose and velocities",
    ),
    Setting::new("delay", "0.0", "seconds from a hit on until it looks for what to come to"),
    Setting::new(
        "track",
        "0.0",
        "seconds for which it tracks what it found by its joints alone while the hit acts; then it docks",
    ),
    Setting::new("patience", "1.0", "seconds of docking on its feet after which it looks anew"),
    Setting::new(
        "home",
        "0.035",
        "distance of its own motion at which a clip that leads back is left before its end, m",
    ),
    Setting::new("settle", "true", "whether its joints settle into that pose before it docks"),
    Setting::new("catch", "true", "whether it catches itself by a stagger before the ground"),
    Setting::new(
        "level",
        "true",
        "whether it gets up only where the ground is level, and crawls on to such a place; else wherever it lies",
    ),
    Setting::new(
        "crawl_turn",
        "0.9",
        "of that crawl: seconds in which legs are gathered, and in which it stretches",
    ),
    Setting::new(
        "crawl_gathered",
        "0.3",
        "of that crawl: share of the way up at which it is on hands and knees",
    ),
    Setting::new("crawl_speed", "0.8", "of that crawl: along the ground, m/s"),
    Setting::new("crawl_lift", "0.9", "of that crawl: upward, m/s"),
    Setting::new("crawl_tone", "1.0", "of that crawl: stiffness of joints, of those that settle"),
    Setting::new("back", "true", "whether it comes back at all"),
    Setting::new("blend", "0.3", "seconds of the last blend; 0 snaps"),
    Setting::new(
        "dock",
        "0.45",
        "largest sum of docking forces, of the weight, at most 0.5; 0: by joints alone",
    ),
    Setting::new("dock_frequency", "9.0", "of their springs, rad/s"),
];

fn read(table: &Fields<'_>) -> Result<RoundTripOptions, SettingError> {
    let usual = RoundTripOptions::default();
    let falls = [("reach", Fall::Reach), ("table", Fall::Table), ("limp", Fall::Limp)];
    let limit = table.at_least_zero("dock")?.unwrap_or(usual.dock.limit);
    if limit > MOST {
        return Err(table.error("dock", format!("is {limit}, expected at most {MOST} of the weight")));
    }
    Ok(RoundTripOptions {
        notice: table.at_least_zero("notice")?.unwrap_or(usual.notice),
        stand: stand::read(table)?,
        fall: table.choice("fall", &falls)?.unwrap_or(usual.fall),
        search: table.flag("search")?.unwrap_or(usual.search),
        look: Look {
            keys: table.at_least_zero("keys")?.unwrap_or(usual.look.keys),
            window: table.flag("window")?.unwrap_or(usual.look.window),
        },
        delay: table.at_least_zero("delay")?.unwrap_or(usual.delay),
        track: table.at_least_zero("track")?.unwrap_or(usual.track),
        patience: table.at_least_zero("patience")?.unwrap_or(usual.patience),
        home: table.at_least_zero("home")?.unwrap_or(usual.home),
        settle: table.flag("settle")?.unwrap_or(usual.settle),
        catch: table.flag("catch")?.unwrap_or(usual.catch),
        level: table.flag("level")?.unwrap_or(usual.level),
        crawl: Crawl {
            turn: table.positive("crawl_turn")?.unwrap_or(usual.crawl.turn),
            gathered: table.at_least_zero("crawl_gathered")?.unwrap_or(usual.crawl.gathered).min(1.0),
            speed: [
                table.at_least_zero("crawl_speed")?.unwrap_or(usual.crawl.speed[0]),
                table.at_least_zero("crawl_lift")?.unwrap_or(usual.crawl.speed[1]),
            ],
            tone: table.at_least_zero("crawl_tone")?.unwrap_or(usual.crawl.tone),
        },
        back: table.flag("back")?.unwrap_or(usual.back),
        blend: table.at_least_zero("blend")?.unwrap_or(usual.blend),
        dock: Dock {
            limit,
            frequency: table.positive("dock_frequency")?.unwrap_or(usual.dock.frequency),
            ..usual.dock
        },
    })
}

#[derive(Debug)]
struct RoundTripMaker {
    options: RoundTripOptions,
}

impl Maker for RoundTripMaker {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let figure = casting.figure.as_ref().ok_or_else(|| {
            Refusal::new("figure", "has no skeleton that clips can be put on, expected one with a skeleton")
        })?;
        let ways = Ways::of(figure)?;
        let own = casting.own.clone();
        let trip = RoundTrip::new(own, ways, &casting.physique, (casting.reference)(), self.options)?;
        Ok(Box::new(trip))
    }
}
