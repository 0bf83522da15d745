//! A TOML document as a tree that remembers its lines, and `--set path=value` on it.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::SettingError;

/// A value with the line it stands on; line 0 says it came from a `--set`.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its line.
    pub line: usize,
    /// What stands there.
    pub value: Value,
}

/// What stands there.
#[derive(Clone, Debug)]
pub enum Value {
    /// In quotes.
    Text(String),
    /// With a point or an exponent.
    Number(f64),
    /// Whole.
    Integer(i64),
    /// True or false.
    Flag(bool),
    /// A date or time.
    Date,
    /// In brackets, or `[[key]]`.
    List(Vec<Node>),
    /// Keys in the order of the file, each with the line of its key.
    Table(Vec<Entry>),
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub key: String,
    /// The line of the key.
    pub line: usize,
    /// What it is set to.
    pub node: Node,
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Integer(_) => "a whole number",
            Self::Flag(_) => "true or false",
            Self::Date => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// Starts of all lines, to turn offsets into line numbers.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(after).collect())
    }

    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|&start| start <= offset)
    }
}

/// Parses a document; `file` is for messages.
///
/// # Errors
/// What is no TOML, with its line.
pub fn parse(file: &str, text: &str) -> Result<Node, SettingError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|e| SettingError {
        file: file.to_owned(),
        line: e.span().map_or(1, |span| lines.at(span.start)),
        key: String::new(),
        problem: e.message().replace('\n', "; "),
        absent: false,
    })?;
    Ok(Node { line: 1, value: from_table(table.get_ref(), Some(&lines)) })
}

fn from_table(table: &DeTable<'_>, lines: Option<&Lines>) -> Value {
    let line = |offset: usize| lines.map_or(0, |l| l.at(offset));
    let mut entries: Vec<(usize, Entry)> = table
        .iter()
        .map(|(key, value)| {
            let start = key.span().start;
            let node = from_value(value, lines);
            (start, Entry { key: key.get_ref().to_string(), line: line(start), node })
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Value::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn from_value(value: &Spanned<DeValue<'_>>, lines: Option<&Lines>) -> Node {
    let line = lines.map_or(0, |l| l.at(value.span().start));
    let value = match value.get_ref() {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Integer(i) => i64::from_str_radix(&i.as_str().replace('_', ""), i.radix())
            .map_or(Value::Number(f64::INFINITY), Value::Integer),
        DeValue::Float(x) => Value::Number(x.as_str().replace('_', "").parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Flag(*b),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(list) => Value::List(list.iter().map(|v| from_value(v, lines)).collect()),
        DeValue::Table(table) => from_table(table, lines),
    };
    Node { line, value }
}

/// Applies `path=value`, the path as in `character.0.controller.gains`, `*` being every item of a list, the value as in TOML (a
/// bare word is a text). Tables on the way are made where absent; list items must be there.
///
/// # Errors
/// A path that leads nowhere, or a value that is none.
pub fn set(root: &mut Node, assignment: &str) -> Result<(), SettingError> {
    let bad = |key: &str, problem: String| SettingError {
        file: format!("--set {assignment}"),
        line: 0,
        key: key.to_owned(),
        problem,
        absent: false,
    };
    let Some((path, text)) = assignment.split_once('=') else {
        return Err(bad("", "expected path=value, such as formulation=lcp-pgs".to_owned()));
    };
    let (path, text) = (path.trim(), text.trim());
    let node = match DeValue::parse(text) {
        Ok(value) => from_value(&value, None),
        Err(_) if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_ ./:".contains(c)) => {
            Node { line: 0, value: Value::Text(text.to_owned()) }
        }
        Err(e) => return Err(bad(path, format!("not a TOML value: {}", e.message().replace('\n', "; ")))),
    };
    let plain = path.replace('[', ".").replace(']', "");
    let parts: Vec<&str> = plain.split('.').collect();
    put(root, &parts, &node).map_err(|problem| bad(path, problem))
}

/// Puts a value where the path leads; the problem where it leads nowhere.
fn put(at: &mut Node, path: &[&str], value: &Node) -> Result<(), String> {
    let Some((&part, rest)) = path.split_first() else {
        *at = value.clone();
        return Ok(());
    };
    if part.is_empty() {
        return Err("a part of the path is empty".to_owned());
    }
    match &mut at.value {
        Value::Table(entries) => {
            let place = match entries.iter().position(|e| e.key == part) {
                Some(place) => place,
                None => {
                    let node = Node { line: 0, value: Value::Table(Vec::new()) };
                    entries.push(Entry { key: part.to_owned(), line: 0, node });
                    entries.len() - 1
                }
            };
            put(&mut entries[place].node, rest, value)
        }
        Value::List(items) if part == "*" => items.iter_mut().try_for_each(|item| put(item, rest, value)),
        Value::List(items) => {
            let count = items.len();
            let item = part.parse::<usize>().ok().and_then(|i| items.get_mut(i));
            let item = item.ok_or_else(|| {
                format!(
                    "'{part}' is not an item of a list of {count}; they count from 0, and * is all of them"
                )
            })?;
            put(item, rest, value)
        }
        other => Err(format!("'{part}' lies inside {}", other.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(node: &Node) -> Vec<f64> {
        let Value::Table(entries) = &node.value else { return Vec::new() };
        let Value::List(items) = &entries[0].node.value else { return Vec::new() };
        let of = |item: &Node| match &item.value {
            Value::Table(entries) => match entries.iter().find(|e| e.key == "mass").map(|e| &e.node.value) {
                Some(Value::Number(mass)) => *mass,
                _ => f64::NAN,
            },
            _ => f64::NAN,
        };
        items.iter().map(of).collect()
    }

    #[test]
    fn a_star_is_every_item_of_a_list() {
        let mut root = parse("a.toml", "body = [{ mass = 1.0 }, { mass = 2.0 }, {}]").expect("TOML");
        set(&mut root, "body.*.mass=3.0").expect("a path that leads somewhere");
        assert_eq!(numbers(&root), [3.0; 3]);
        set(&mut root, "body.1.mass=4.0").expect("a path that leads somewhere");
        assert_eq!(numbers(&root), [3.0, 4.0, 3.0]);
        let problem = set(&mut root, "body.*.mass.unit=5").expect_err("a number has no keys").problem;
        assert!(problem.contains("lies inside a number"), "{problem}");
    }
}
