//! The reference of what scenes may name, made from the registry: tables for `scenes/README.md` and for `stuntlab scenes --kinds`.
//!
//! In a document a section stands between `<!-- made: NAME -->` and `<!-- end -->`; [`refresh`] puts it there anew.

use std::fmt::Write as _;

use stuntlab_control::Setting;
use stuntlab_control::layers::LAYER_KEYS;

use crate::measure::{Quantity, Stat};
use crate::registry::Registry;

/// Names of the sections and their text.
pub fn sections(registry: &Registry) -> Vec<(&'static str, String)> {
    vec![
        ("controllers", controllers(registry)),
        ("layers", table(["key", "usually", "what"], LAYER_KEYS.iter().map(key))),
        ("terrains", terrains(registry)),
        ("quantities", quantities(registry)),
        (
            "stats",
            table(["stat", "of the samples"], Stat::ALL.map(|s| [code(s.name()), s.help().to_owned()])),
        ),
        ("readings", readings(registry)),
        ("studies", studies(registry)),
    ]
}

/// A document with its sections made anew.
///
/// # Errors
/// A section that has no place in it.
pub fn refresh(document: &str, registry: &Registry) -> Result<String, String> {
    let mut text = document.to_owned();
    for (name, section) in sections(registry) {
        let (open, close) = (format!("<!-- made: {name} -->\n"), "<!-- end -->");
        let missing = || format!("no section between \"{}\" and \"{close}\"", open.trim_end());
        let start = text.find(&open).ok_or_else(missing)? + open.len();
        let length = text[start..].find(close).ok_or_else(missing)?;
        text.replace_range(start..start + length, &section);
    }
    Ok(text)
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

fn codes<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(code).collect::<Vec<_>>().join(", ")
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String; N]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&head.map(str::to_owned)) + &line(&[(); N].map(|()| "---".to_owned()));
    rows.into_iter().for_each(|row| text += &line(&row));
    text
}

fn key(setting: &Setting) -> [String; 3] {
    [code(setting.name), code(setting.usual), setting.help.to_owned()]
}

fn controllers(registry: &Registry) -> String {
    let mut text = table(
        ["kind", "what", "commands", "readings"],
        registry.controllers().iter().map(|k| {
            let readings = codes(k.readings.iter().map(|r| r.name));
            [code(k.name), k.help.to_owned(), codes(k.commands.iter().copied()), readings]
        }),
    );
    let mut shown: Vec<(&[Setting], &str)> = Vec::new();
    for kind in registry.controllers().iter().filter(|k| k.settings().next().is_some()) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\nKeys of `{}`", kind.name);
        for group in kind.keys {
            match shown.iter().find(|(other, _)| other == group) {
                Some((_, owner)) => text += &format!(", and those of `{owner}`"),
                None => shown.push((group, kind.name)),
            }
        }
        text += ":\n\n";
        let fresh =
            kind.keys.iter().filter(|g| shown.iter().any(|(other, o)| other == *g && *o == kind.name));
        text += &table(["key", "usually", "what"], fresh.flat_map(|g| g.iter()).map(key));
    }
    text
}

fn terrains(registry: &Registry) -> String {
    let row = |kind: &crate::scene::TerrainKind| {
        let words = kind.keys.iter().map(|s| match s.usual {
            "" => format!("`{}`: {}", s.name, s.help),
            usual => format!("`{}` (`{usual}`): {}", s.name, s.help),
        });
        [code(kind.name), kind.help.to_owned(), words.collect::<Vec<_>>().join("; ")]
    };
    table(["kind", "what", "keys (usually)"], registry.terrains().iter().map(row))
}

fn quantity(q: &Quantity) -> [String; 5] {
    let unit = if q.stat == Stat::Total { q.total_unit } else { q.unit };
    [code(q.name), q.help.to_owned(), q.subject.name().to_owned(), code(q.stat.name()), unit.to_owned()]
}

fn quantities(registry: &Registry) -> String {
    table(["quantity", "what", "`of`", "`stat`, usually", "unit"], registry.quantities().iter().map(quantity))
}

fn readings(registry: &Registry) -> String {
    let known = registry.quantities();
    let all = registry.measurable().into_iter().filter(|q| !known.contains(q));
    table(
        ["reading", "what", "of", "`stat`, usually", "unit"],
        all.map(|q| {
            let publishes = |k: &&stuntlab_control::Kind| k.readings.iter().any(|r| r.name == q.name);
            let mut row = quantity(&q);
            row[2] = codes(registry.controllers().iter().filter(publishes).map(|k| k.name));
            row
        }),
    )
}

fn studies(registry: &Registry) -> String {
    table(["study", "what"], registry.studies().iter().map(|s| [code(s.name), s.help.to_owned()]))
}
