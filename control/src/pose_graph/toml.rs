//! Pose graphs in TOML, in and out.

use std::fmt::Write as _;

use super::graph::{Event, Exit, Graph, Level, Stance};
use crate::kind::Setting;
use crate::settings::{Fields, SettingError, parse};

/// Keys of a graph.
pub(super) const KEYS: &[Setting] = &[
    Setting::new("state.name", "", "of a `[[state]]`; the graph begins in the first"),
    Setting::new(
        "state.pose_deg",
        "",
        "table of parts and their joints' coordinates: a rotation vector or angles",
    ),
    Setting::new(
        "state.world_deg",
        "",
        "table of parts and their attitudes in the world, as rotation vectors",
    ),
    Setting::new("state.stiffness", "", "factor on all stiffnesses, 1"),
    Setting::new("state.damping", "", "factor on all dampings, 1"),
    Setting::new("state.gains", "", "table of parts and factors on both"),
    Setting::new("state.blend", "", "seconds from the targets there were to this state's, 0.2"),
    Setting::new("state.mirror", "", "another state of which this is the mirror image, ways out and all"),
    Setting::new("state.exit.to", "", "of ways out `exit = [{ … }]`: the state it leads to"),
    Setting::new("state.exit.after", "", "not before so many seconds in the state, 0"),
    Setting::new("state.exit.touch", "", "opens when a part touches something"),
    Setting::new("state.exit.lift", "", "opens when a part touches nothing"),
    Setting::new(
        "state.exit.level",
        "",
        "`angle` (of `joint`, its `freedom` from 0; degrees), `margin`, `capture-margin`, `pelvis-height` (m), `lean` (degrees)",
    ),
    Setting::new("state.exit.above", "", "opens when the level is above this"),
    Setting::new("state.exit.below", "", "opens when the level is below this"),
];

impl Graph {
    /// Reads a document of `[[state]]`s; `file` is for messages.
    ///
    /// # Errors
    /// What is wrong, with file, line, key and state.
    pub fn parse(file: &str, text: &str) -> Result<Self, SettingError> {
        let root = parse(file, text)?;
        let fields = Fields::new(file, "", &root)?;
        let graph = Self::read(&fields)?;
        fields.finish()?;
        Ok(graph)
    }

    /// Reads the `[[state]]`s of a table.
    ///
    /// # Errors
    /// What is wrong, with file, line, key and state.
    pub fn read(fields: &Fields<'_>) -> Result<Self, SettingError> {
        let mut states: Vec<Stance> = Vec::new();
        let tables = fields.tables("state")?;
        if tables.is_empty() {
            return Err(fields.missing("state", "states written as [[state]]"));
        }
        for table in tables {
            let name = table.required_text("name")?.to_owned();
            if states.iter().any(|s| s.name == name) {
                return Err(
                    table.error("name", format!("\"{name}\" is defined twice, expected another name"))
                );
            }
            let named =
                |e: SettingError| SettingError { problem: format!("{} (state \"{name}\")", e.problem), ..e };
            states.push(read_stance(table, &name).map_err(named)?);
        }
        Ok(Self { states })
    }

    /// The graph as TOML, which reads back as the same.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for s in &self.states {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "[[state]]\nname = {}", quoted(&s.name));
            if let Some(other) = &s.mirror {
                let _ = writeln!(text, "mirror = {}\n", quoted(other));
                continue;
            }
            for (key, parts) in [("pose_deg", &s.pose), ("world_deg", &s.world)] {
                if !parts.is_empty() {
                    let items = parts.iter().map(|(part, d)| format!("{} = {d:?}", quoted(part)));
                    let _ = writeln!(text, "{key} = {{ {} }}", items.collect::<Vec<_>>().join(", "));
                }
            }
            if !s.gains.is_empty() {
                let items = s.gains.iter().map(|(part, g)| format!("{} = {g:?}", quoted(part)));
                let _ = writeln!(text, "gains = {{ {} }}", items.collect::<Vec<_>>().join(", "));
            }
            let _ = writeln!(
                text,
                "stiffness = {:?}\ndamping = {:?}\nblend = {:?}",
                s.stiffness, s.damping, s.blend
            );
            let exits: Vec<String> = s.exits.iter().map(spell).collect();
            let _ = writeln!(text, "exit = [{}]\n", exits.join(", "));
        }
        text
    }
}

fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)).chars().collect(),
            c => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}

fn spell(exit: &Exit) -> String {
    let level = |level: &Level, side: &str, mark: f64| {
        let word = match level {
            Level::Angle { part, freedom } => {
                format!("\"angle\", joint = {}, freedom = {freedom}", quoted(part))
            }
            Level::Margin => "\"margin\"".to_owned(),
            Level::CaptureMargin => "\"capture-margin\"".to_owned(),
            Level::PelvisHeight => "\"pelvis-height\"".to_owned(),
            Level::Lean => "\"lean\"".to_owned(),
        };
        format!(", level = {word}, {side} = {mark:?}")
    };
    let when = match &exit.when {
        Event::Time => String::new(),
        Event::Touch(part) => format!(", touch = {}", quoted(part)),
        Event::Lift(part) => format!(", lift = {}", quoted(part)),
        Event::Above(what, mark) => level(what, "above", *mark),
        Event::Below(what, mark) => level(what, "below", *mark),
    };
    format!("{{ to = {}, after = {:?}{when} }}", quoted(&exit.to), exit.after)
}

fn read_stance(table: Fields<'_>, name: &str) -> Result<Stance, SettingError> {
    let line = table.line();
    if let Some(other) = table.text("mirror")? {
        let stance = Stance { line, ..Stance::mirror_of(name, other) };
        table.finish()?;
        return Ok(stance);
    }
    let parts = |key| -> Result<Vec<(String, Vec<f64>)>, SettingError> {
        Ok(table.named_numbers(key)?.into_iter().map(|(part, numbers, _)| (part, numbers)).collect())
    };
    let usual = Stance::new(name);
    let mut gains = Vec::new();
    for (part, factors) in parts("gains")? {
        match factors.as_slice() {
            [factor] if *factor >= 0.0 => gains.push((part, *factor)),
            _ => return Err(table.error("gains", format!("of \"{part}\", expected one number of 0 or more"))),
        }
    }
    let exits = table.tables("exit")?.into_iter().map(read_exit).collect::<Result<_, _>>()?;
    let stance = Stance {
        line,
        pose: parts("pose_deg")?,
        world: parts("world_deg")?,
        stiffness: table.at_least_zero("stiffness")?.unwrap_or(usual.stiffness),
        damping: table.at_least_zero("damping")?.unwrap_or(usual.damping),
        gains,
        blend: table.at_least_zero("blend")?.unwrap_or(usual.blend),
        exits,
        ..usual
    };
    table.finish()?;
    Ok(stance)
}

fn read_exit(table: Fields<'_>) -> Result<Exit, SettingError> {
    const LEVELS: [(&str, u8); 5] =
        [("angle", 0), ("margin", 1), ("capture-margin", 2), ("pelvis-height", 3), ("lean", 4)];
    let to = table.required_text("to")?.to_owned();
    let after = table.at_least_zero("after")?;
    let (touch, lift) = (table.text("touch")?, table.text("lift")?);
    let when = match (touch, lift, table.choice("level", &LEVELS)?) {
        (None, None, None) => Event::Time,
        (Some(part), None, None) => Event::Touch(part.to_owned()),
        (None, Some(part), None) => Event::Lift(part.to_owned()),
        (None, None, Some(word)) => {
            let level = match word {
                0 => Level::Angle {
                    part: table.required_text("joint")?.to_owned(),
                    freedom: table.count("freedom", 0, 2)?.unwrap_or(0) as usize,
                },
                1 => Level::Margin,
                2 => Level::CaptureMargin,
                3 => Level::PelvisHeight,
                _ => Level::Lean,
            };
            match (table.number("above")?, table.number("below")?) {
                (Some(mark), None) => Event::Above(level, mark),
                (None, Some(mark)) => Event::Below(level, mark),
                _ => return Err(table.error("level", "expected either above or below")),
            }
        }
        _ => return Err(table.error("", "expected one of touch, lift and level")),
    };
    if when == Event::Time && after.is_none() {
        return Err(table.missing("after", "seconds, or an event: touch, lift or level"));
    }
    table.finish()?;
    Ok(Exit { to, after: after.unwrap_or(0.0), when })
}
