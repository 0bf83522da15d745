//! What scenes write about a stuntperson.

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Character, Part};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DQuat;
use stuntlab_physics::{BodyId, Data, JointKind, State};

use super::build::{Build, STAND};
use super::keys::Table;
use super::made::{self, Made};
use super::pool::{Making, Row};
use super::relation::Conditions;
use super::skill::{Skill, Terms};
use super::supervisor::Supervisor;
use super::{COMMANDS, PUBLISHED, Shake, StuntOptions, Stuntperson};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting, Stock};
use crate::learned::{Classifier, Judge};
use crate::round_trip::fall::Fall;
use crate::settings::{Fields, SettingError};

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "stuntperson",
    help: "A pool of skills that bid for each state, and a supervisor that picks one (Faloutsos, van de Panne and Terzopoulos)",
    keys: &[KEYS, made::KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, stock| Ok(Arc::new(read(fields, stock)?)),
};

const KEYS: &[Setting] = &[
    Setting::new("pool", "", "names of the skills it has; all where it is not written"),
    Setting::new("supervise", "true", "whether another skill takes over; else the first one stays"),
    Setting::new("learned", "false", "whether skills ask what they have learned, after their pre-conditions"),
    Setting::new("tick", "0.015", "seconds between looks of the supervisor"),
    Setting::new("dwell", "0.15", "seconds before a skill that is not urgent takes over from another one"),
    Setting::new("fade", "0.1", "seconds from what was commanded to what the next skill commands"),
    Setting::new(
        "fall",
        "\"reach\"",
        "how it falls: `reach` (arms go where it will land), `table` (example poses) or `limp`",
    ),
    Setting::new(
        "start",
        "\"stand\"",
        "how it starts: `stand`, `prone`, `supine` or on a side, `left` or `right`",
    ),
    Setting::new(
        "shake_time",
        "0.0",
        "seconds before the first skill begins in which chance pushes the pelvis and moves joints, by the seed",
    ),
    Setting::new("shake_force", "0.0", "of that: largest force, N"),
    Setting::new(
        "shake_angle",
        "0.0",
        "of that: largest angle by which joints are driven elsewhere, degrees",
    ),
    Setting::new("table.skill", "", "of a `[[table]]`: the skill whose poses it changes"),
    Setting::new(
        "table.keys",
        "",
        "of a `[[table]]`: rows of seconds and angles that replace those of the skill's own table",
    ),
    Setting::new("terms.skill", "", "of a `[[terms]]`: the skill whose terms it changes"),
    Setting::new("terms.weight", "", "1 to 10"),
    Setting::new(
        "terms.before",
        "",
        "pre-conditions: texts such as \"com-speed < 0.3\", \"or\" between alternatives",
    ),
    Setting::new("terms.after", "", "post-conditions, the same way"),
    Setting::new("terms.during", "", "expected performance, the same way"),
    Setting::new("terms.settled", "", "seconds for which post-conditions must hold"),
    Setting::new("terms.patience", "", "seconds for which expected performance may be missed"),
    Setting::new(
        "terms.reaches",
        "",
        "whether it reaches the stand that is always wanted: its bid is 10 higher",
    ),
    Setting::new("terms.voluntary", "", "whether it begins only when it is asked for"),
    Setting::new("terms.urgent", "", "whether it may take over at any time"),
];

/// Terms of a skill as a scene changes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Change {
    weight: Option<u8>,
    before: Option<Conditions>,
    after: Option<Conditions>,
    during: Option<Conditions>,
    settled: Option<f64>,
    patience: Option<f64>,
    reaches: Option<bool>,
    voluntary: Option<bool>,
    urgent: Option<bool>,
}

impl Change {
    /// Reads the keys of terms of a table.
    pub(super) fn read(table: &Fields<'_>) -> Result<Self, SettingError> {
        Ok(Self {
            weight: table.count("weight", 1, 10)?.and_then(|w| u8::try_from(w).ok()),
            before: conditions(table, "before")?,
            after: conditions(table, "after")?,
            during: conditions(table, "during")?,
            settled: table.at_least_zero("settled")?,
            patience: table.at_least_zero("patience")?,
            reaches: table.flag("reaches")?,
            voluntary: table.flag("voluntary")?,
            urgent: table.flag("urgent")?,
        })
    }

    pub(super) fn apply(&self, terms: &mut Terms) {
        terms.reaches = self.reaches.unwrap_or(terms.reaches);
        terms.voluntary = self.voluntary.unwrap_or(terms.voluntary);
        terms.urgent = self.urgent.unwrap_or(terms.urgent);
        terms.weight = self.weight.unwrap_or(terms.weight);
        terms.settled = self.settled.unwrap_or(terms.settled);
        terms.patience = self.patience.unwrap_or(terms.patience);
        for (new, old) in [
            (&self.before, &mut terms.before),
            (&self.after, &mut terms.after),
            (&self.during, &mut terms.during),
        ] {
            if let Some(new) = new {
                old.clone_from(new);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    Stand,
    Prone,
    Supine,
    Left,
    Right,
}

/// Settings that were read.
#[derive(Debug)]
struct StuntMaker {
    /// The skills there are: rows, then those the scene has made.
    rows: Vec<Row>,
    made: Vec<Made>,
    /// Which of them it has, by place; all where empty.
    pool: Vec<usize>,
    options: StuntOptions,
    supervise: bool,
    learned: bool,
    dwell: f64,
    fall: Fall,
    start: Start,
    /// Tables of poses, by skill.
    tables: Vec<Option<Table>>,
    /// Terms that are changed, by skill.
    changes: Vec<(usize, Change)>,
}

/// The place of a skill among those there are.
fn skill(
    fields: &Fields<'_>,
    key: &'static str,
    name: &str,
    known: &[&'static str],
) -> Result<usize, SettingError> {
    known
        .iter()
        .position(|one| *one == name)
        .ok_or_else(|| fields.error(key, format!("has \"{name}\", expected skills: {}", known.join(", "))))
}

fn conditions(fields: &Fields<'_>, key: &'static str) -> Result<Option<Conditions>, SettingError> {
    if !fields.has(key) {
        return Ok(None);
    }
    let read = Conditions::parse(&fields.texts(key)?);
    read.map(Some).map_err(|misspelt| fields.error(key, misspelt.to_string()))
}

fn read(fields: &Fields<'_>, stock: &Stock<'_>) -> Result<StuntMaker, SettingError> {
    let mut known: Vec<&'static str> = stock.skills.iter().map(|row| row.name).collect();
    let mut made = Vec::new();
    for table in fields.tables("skill")? {
        let new = made::read(table, stock, |name| known.contains(&name) || COMMANDS.contains(&name))?;
        known.push(new.name);
        made.push(new);
    }
    let mut pool = Vec::new();
    for name in fields.texts("pool")? {
        let found = skill(fields, "pool", &name, &known)?;
        if pool.contains(&found) {
            return Err(fields.error("pool", format!("has \"{name}\" twice, expected each skill once")));
        }
        pool.push(found);
    }
    let mut tables = Vec::new();
    for row in stock.skills {
        tables.push(row.table.map(|text| Table::parse(row.name, text)).transpose()?);
    }
    for table in fields.tables("table")? {
        let name = table.required_text("skill")?;
        let place = skill(&table, "skill", name, &known)?;
        let rows = table.named_numbers("keys")?;
        let Some(own) = tables.get_mut(place).and_then(Option::take) else {
            return Err(
                table.error("skill", format!("is \"{name}\", expected one that has a table of poses"))
            );
        };
        tables[place] = Some(own.with(&table, "keys", rows)?);
        table.finish()?;
    }
    let mut changes = Vec::new();
    for terms in fields.tables("terms")? {
        let place = skill(&terms, "skill", terms.required_text("skill")?, &known)?;
        changes.push((place, Change::read(&terms)?));
        terms.finish()?;
    }
    let falls = [("reach", Fall::Reach), ("table", Fall::Table), ("limp", Fall::Limp)];
    let starts = [
        ("stand", Start::Stand),
        ("prone", Start::Prone),
        ("supine", Start::Supine),
        ("left", Start::Left),
        ("right", Start::Right),
    ];
    Ok(StuntMaker {
        rows: stock.skills.to_vec(),
        made,
        pool,
        supervise: fields.flag("supervise")?.unwrap_or(true),
        learned: fields.flag("learned")?.unwrap_or(false),
        dwell: fields.at_least_zero("dwell")?.unwrap_or(0.15),
        fall: fields.choice("fall", &falls)?.unwrap_or(Fall::Reach),
        start: fields.choice("start", &starts)?.unwrap_or(Start::Stand),
        options: StuntOptions {
            tick: fields.positive("tick")?.unwrap_or(0.015),
            fade: fields.at_least_zero("fade")?.unwrap_or(0.1),
            shake: Shake {
                seconds: fields.at_least_zero("shake_time")?.unwrap_or(0.0),
                force: fields.at_least_zero("shake_force")?.unwrap_or(0.0),
                angle: fields.at_least_zero("shake_angle")?.unwrap_or(0.0).to_radians(),
            },
        },
        tables,
        changes,
    })
}

/// Where a figure starts: standing, or lying a little above the ground.
fn start(figure: &Arc<Character>, start: Start) -> State {
    let model = figure.model();
    let mut state = State::new(model);
    if start == Start::Stand {
        for (part, angles) in STAND {
            for side in Side::BOTH {
                let part: Part = part(side);
                for (k, _) in figure.parts().iter().enumerate().filter(|(_, p)| **p == part) {
                    figure.set_angles(&mut state, BodyId::new(k), angles.map(f64::to_radians));
                }
            }
        }
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = match start {
        Start::Stand => DQuat::IDENTITY,
        Start::Prone => DQuat::from_rotation_y(quarter),
        Start::Supine => DQuat::from_rotation_y(-quarter),
        Start::Left => DQuat::from_rotation_x(-quarter),
        Start::Right => DQuat::from_rotation_x(quarter),
    };
    let root = &model.bodies()[0];
    state.set_rotation(root, turn);
    // A planar root has its height second, and turns back as its angle grows.
    let is_planar = root.joint().kind == JointKind::Planar;
    if is_planar {
        let lean = match start {
            Start::Prone => quarter,
            Start::Supine => -quarter,
            _ => 0.0,
        };
        state.q[root.coordinates()][2] = -lean;
        if lean != 0.0 {
            // Arms ahead: in the plane, hands beside the hips could not get below the shoulders any more.
            for (k, part) in figure.parts().iter().enumerate() {
                let flexion: f64 = match part {
                    Part::UpperArm(_) => 150.0,
                    Part::Forearm(_) => 20.0,
                    _ => continue,
                };
                figure.set_angles(&mut state, BodyId::new(k), [flexion.to_radians(), 0.0, 0.0]);
            }
        }
    }
    let mut data = Data::new(model);
    forward_kinematics(model, &state, &mut data);
    let lowest = |id: &stuntlab_physics::collide::Collider| {
        let body = id.body?;
        let place = data.position.world_from_body[body] * id.body_from_shape;
        id.shape.aabb(&place).map(|bounds| bounds.min.z)
    };
    let lowest = model.colliders().list().iter().filter_map(lowest).fold(f64::INFINITY, f64::min);
    if lowest.is_finite() {
        state.q[root.coordinates()][if is_planar { 1 } else { 2 }] -= lowest;
    }
    state
}

fn needs(figure: Option<&Arc<Character>>) -> Result<&Arc<Character>, Refusal> {
    figure.ok_or_else(|| {
        Refusal::new(
            "figure",
            "has no skeleton, expected one that knows its joints' angles: stuntperson, library",
        )
    })
}

impl StuntMaker {
    /// The skills it was given; of none all that are for such figures.
    fn pool_of(&self, is_planar: bool) -> Vec<usize> {
        if self.pool.is_empty() {
            let fits = |k: &usize| self.rows.get(*k).is_none_or(|row| row.planar == is_planar);
            (0..self.rows.len() + self.made.len()).filter(fits).collect()
        } else {
            self.pool.clone()
        }
    }
}

impl Maker for StuntMaker {
    fn start(&self, figure: Option<&Arc<Character>>) -> Result<Option<Vec<f64>>, Refusal> {
        Ok(Some(start(needs(figure)?, self.start).q))
    }

    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let figure = needs(casting.figure.as_ref())?;
        let build = Arc::new(Build::new(figure.clone(), casting.own.clone(), &casting.physique)?);
        let mut skills: Vec<Box<dyn Skill>> = Vec::new();
        for k in self.pool_of(build.is_planar()) {
            let changes = self.changes.iter().filter(|(skill, _)| *skill == k);
            let Some(row) = self.rows.get(k) else {
                let mut skill = self.made[k - self.rows.len()].make(&build, casting)?;
                changes.for_each(|(_, change)| change.apply(skill.terms_mut()));
                skills.push(skill);
                continue;
            };
            let making = Making {
                build: build.clone(),
                physique: &casting.physique,
                table: self.tables[k].clone(),
                fall: self.fall,
            };
            let mut terms = (row.terms)();
            if let Some(text) = crate::planar::models::of(terms.name).filter(|_| self.learned) {
                let refused = |e: SettingError| Refusal::new("learned", e.to_string());
                let classifier = Classifier::parse(terms.name, text).map_err(refused)?;
                Judge::new(&classifier, build.own(), &casting.physique)?;
                terms.learned = Some(Arc::new(classifier.decider()));
            }
            changes.for_each(|(_, change)| change.apply(&mut terms));
            skills.push((row.make)(terms, &making)?);
        }
        let supervisor = Supervisor::new(skills, self.dwell, self.supervise);
        Ok(Box::new(Stuntperson::new(build, supervisor, self.options, casting.seed)))
    }
}
