//! Reading a table: typed, with lines, and with a list of what is allowed for every error.

use std::cell::RefCell;

use stuntlab_physics::glam::DVec3;

use super::SettingError;
use super::node::{Entry, Node, Value};
use super::words::line_break;

/// A table being read. Every key asked for counts as allowed; [`Fields::finish`] refuses the others.
pub struct Fields<'a> {
    file: &'a str,
    path: String,
    line: usize,
    entries: &'a [Entry],
    asked: RefCell<Vec<&'static str>>,
}

type Read<T> = Result<T, SettingError>;

impl<'a> Fields<'a> {
    /// The table at `path`.
    pub fn new(file: &'a str, path: &str, node: &'a Node) -> Read<Self> {
        match &node.value {
            Value::Table(entries) => {
                Ok(Self { file, path: path.to_owned(), line: node.line, entries, asked: RefCell::default() })
            }
            other => Err(SettingError {
                file: file.to_owned(),
                line: node.line,
                key: path.to_owned(),
                problem: format!("is {}, expected a table", other.kind()),
                absent: false,
            }),
        }
    }

    /// File the table is in, as it was named.
    pub fn file(&self) -> &'a str {
        self.file
    }

    /// Line of the table.
    pub fn line(&self) -> usize {
        self.line
    }

    /// An error about a key, or about the table itself for "".
    pub fn error(&self, key: &str, problem: impl Into<String>) -> SettingError {
        let line = self.entries.iter().find(|e| e.key == key).map_or(self.line, |e| e.node.line);
        SettingError {
            file: self.file.to_owned(),
            line,
            key: self.key(key),
            problem: problem.into(),
            absent: false,
        }
    }

    /// The error of data a key names that is not on this machine.
    pub fn absent(&self, key: &str, problem: impl Into<String>) -> SettingError {
        SettingError { absent: true, ..self.error(key, problem) }
    }

    fn key(&self, key: &str) -> String {
        match (self.path.as_str(), key) {
            (path, "") => path.to_owned(),
            ("", key) => key.to_owned(),
            (path, key) => format!("{path}.{key}"),
        }
    }

    fn get(&self, key: &'static str) -> Option<&'a Node> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node)
    }

    fn wrong(&self, key: &str, node: &Node, expected: &str) -> SettingError {
        self.error(key, format!("is {}, expected {expected}", node.value.kind()))
    }

    /// Whether the key is there.
    pub fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }

    /// A finite number.
    pub fn number(&self, key: &'static str) -> Read<Option<f64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let value = as_number(node).ok_or_else(|| self.wrong(key, node, "a number"))?;
        if value.is_finite() {
            Ok(Some(value))
        } else {
            Err(self.error(key, format!("is {value}, expected a finite number")))
        }
    }

    /// A number above zero.
    pub fn positive(&self, key: &'static str) -> Read<Option<f64>> {
        match self.number(key)? {
            Some(x) if x <= 0.0 => Err(self.error(key, format!("is {x}, expected a number above 0"))),
            x => Ok(x),
        }
    }

    /// A number of zero or more.
    pub fn at_least_zero(&self, key: &'static str) -> Read<Option<f64>> {
        match self.number(key)? {
            Some(x) if x < 0.0 => Err(self.error(key, format!("is {x}, expected 0 or more"))),
            x => Ok(x),
        }
    }

    /// A whole number between bounds.
    pub fn count(&self, key: &'static str, least: u64, most: u64) -> Read<Option<u64>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let expected = format!("a whole number from {least} to {most}");
        match node.value {
            Value::Integer(i) => match u64::try_from(i).ok().filter(|u| (least..=most).contains(u)) {
                Some(u) => Ok(Some(u)),
                None => Err(self.error(key, format!("is {i}, expected {expected}"))),
            },
            _ => Err(self.wrong(key, node, &expected)),
        }
    }

    /// Several whole numbers of zero or more.
    pub fn counts(&self, key: &'static str) -> Read<Vec<u64>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let expected = "a list of whole numbers of 0 or more";
        let Value::List(items) = &node.value else { return Err(self.wrong(key, node, expected)) };
        let count = |item: &Node| match item.value {
            Value::Integer(i) if i >= 0 => Ok(i as u64),
            _ => Err(self.error(key, format!("has {}, expected {expected}", item.value.kind()))),
        };
        items.iter().map(count).collect()
    }

    /// True or false.
    pub fn flag(&self, key: &'static str) -> Read<Option<bool>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match node.value {
            Value::Flag(b) => Ok(Some(b)),
            _ => Err(self.wrong(key, node, "true or false")),
        }
    }

    /// A text on one line: names go into tables, logs and file names.
    pub fn text(&self, key: &'static str) -> Read<Option<&'a str>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match &node.value {
            Value::Text(text) => self.on_one_line(key, text).map(Some),
            _ => Err(self.wrong(key, node, "a text in quotes")),
        }
    }

    fn on_one_line<'t>(&self, key: &str, text: &'t str) -> Read<&'t str> {
        match line_break(text) {
            None => Ok(text),
            Some(c) => Err(self.error(key, format!("has the character {c}, expected text on one line"))),
        }
    }

    /// A text that must be there.
    pub fn required_text(&self, key: &'static str) -> Read<&'a str> {
        self.text(key)?.ok_or_else(|| self.missing(key, "a text in quotes"))
    }

    /// One of some words.
    pub fn choice<T: Copy>(&self, key: &'static str, allowed: &[(&str, T)]) -> Read<Option<T>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        match allowed.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => Ok(Some(*value)),
            None => Err(self.unknown_word(key, word, allowed)),
        }
    }

    /// One of some words that must be there.
    pub fn required_choice<T: Copy>(&self, key: &'static str, allowed: &[(&str, T)]) -> Read<T> {
        let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        self.choice(key, allowed)?.ok_or_else(|| self.missing(key, &format!("one of: {}", names.join(", "))))
    }

    fn unknown_word<T>(&self, key: &str, word: &str, allowed: &[(&str, T)]) -> SettingError {
        let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        self.error(key, format!("is \"{word}\", expected one of: {}", names.join(", ")))
    }

    /// The error of a key that is not there.
    pub fn missing(&self, key: &str, expected: &str) -> SettingError {
        self.error(key, format!("missing, expected {expected}"))
    }

    /// `N` finite numbers.
    pub fn numbers<const N: usize>(&self, key: &'static str) -> Read<Option<[f64; N]>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let expected = format!("a list of {N} numbers");
        let Value::List(items) = &node.value else { return Err(self.wrong(key, node, &expected)) };
        let read: Option<Vec<f64>> = items.iter().map(as_number).collect();
        match read.and_then(|v| <[f64; N]>::try_from(v).ok()) {
            Some(v) if v.iter().all(|x| x.is_finite()) => Ok(Some(v)),
            Some(_) => Err(self.error(key, format!("has a number that is not finite, expected {expected}"))),
            None => Err(self.error(key, format!("is a list of {} items, expected {expected}", items.len()))),
        }
    }

    /// A vector.
    pub fn vector(&self, key: &'static str) -> Read<Option<DVec3>> {
        Ok(self.numbers::<3>(key)?.map(DVec3::from))
    }

    /// A vector that must be there.
    pub fn required_vector(&self, key: &'static str) -> Read<DVec3> {
        self.vector(key)?.ok_or_else(|| self.missing(key, "a list of 3 numbers"))
    }

    /// Several vectors.
    pub fn vectors(&self, key: &'static str) -> Read<Vec<DVec3>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let expected = "a list of points of 3 numbers each";
        let Value::List(items) = &node.value else { return Err(self.wrong(key, node, expected)) };
        let point = |item: &Node| match as_numbers(item).as_deref() {
            Some([x, y, z]) => Ok(DVec3::new(*x, *y, *z)),
            _ => Err(SettingError {
                line: item.line,
                ..self.error(key, format!("has {}, expected {expected}", item.value.kind()))
            }),
        };
        items.iter().map(point).collect()
    }

    /// Several texts.
    pub fn texts(&self, key: &'static str) -> Read<Vec<String>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let expected = "a list of texts";
        let Value::List(items) = &node.value else { return Err(self.wrong(key, node, expected)) };
        let text = |item: &Node| match &item.value {
            Value::Text(text) => self.on_one_line(key, text).map(str::to_owned),
            other => Err(self.error(key, format!("has {}, expected {expected}", other.kind()))),
        };
        items.iter().map(text).collect()
    }

    /// A table of names and numbers, each with its line.
    pub fn named_numbers(&self, key: &'static str) -> Read<Vec<(String, Vec<f64>, usize)>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let Value::Table(entries) = &node.value else {
            return Err(self.wrong(key, node, "a table of names and numbers"));
        };
        let read = |e: &Entry| match as_numbers(&e.node) {
            Some(values) => Ok((e.key.clone(), values, e.node.line)),
            None => Err(SettingError {
                file: self.file.to_owned(),
                line: e.node.line,
                key: format!("{}.{}", self.key(key), e.key),
                problem: format!("is {}, expected a number or a list of numbers", e.node.value.kind()),
                absent: false,
            }),
        };
        entries.iter().map(read).collect()
    }

    /// A table inside.
    pub fn table(&self, key: &'static str) -> Read<Option<Fields<'a>>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        Fields::new(self.file, &self.key(key), node).map(Some)
    }

    /// The tables of `[[key]]`.
    pub fn tables(&self, key: &'static str) -> Read<Vec<Fields<'a>>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let Value::List(items) = &node.value else {
            return Err(self.wrong(key, node, &format!("tables written as [[{key}]]")));
        };
        let path = self.key(key);
        items.iter().enumerate().map(|(i, n)| Fields::new(self.file, &format!("{path}[{i}]"), n)).collect()
    }

    /// Refuses keys nobody asked for.
    pub fn finish(self) -> Read<()> {
        let asked = self.asked.borrow();
        match self.entries.iter().find(|e| !asked.contains(&e.key.as_str())) {
            None => Ok(()),
            Some(entry) => Err(SettingError {
                file: self.file.to_owned(),
                line: entry.line,
                key: self.key(&entry.key),
                problem: format!("unknown key, expected one of: {}", asked.join(", ")),
                absent: false,
            }),
        }
    }
}

fn as_number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Number(x) => Some(x),
        Value::Integer(i) => Some(i as f64),
        _ => None,
    }
}

/// A finite number or a list of them.
fn as_numbers(node: &Node) -> Option<Vec<f64>> {
    match &node.value {
        Value::List(items) => items.iter().map(|i| as_number(i).filter(|x| x.is_finite())).collect(),
        _ => as_number(node).filter(|x| x.is_finite()).map(|x| vec![x]),
    }
}
