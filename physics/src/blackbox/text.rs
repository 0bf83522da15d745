//! Words and numbers on lines. Numbers are written so that they read back to the same bits (not-a-number
//! loses its payload, which nobody compares).

use std::fmt::{Display, Write as _};
use std::io::{self, BufRead, Write};
use std::str::FromStr;

use glam::{DQuat, DVec3};

use super::DumpError;

/// The text with all that would break a line escaped.
pub(super) fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if breaks(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Writes one line: a key, then words.
pub(super) struct Line {
    text: String,
}

impl Line {
    pub(super) fn new(key: &str) -> Self {
        Self { text: key.to_owned() }
    }

    pub(super) fn word(mut self, word: impl Display) -> Self {
        let _ = write!(self.text, " {word}");
        self
    }

    pub(super) fn number(mut self, x: f64) -> Self {
        // Debug is the shortest text that reads back exactly, exponents included.
        let _ = write!(self.text, " {x:?}");
        self
    }

    pub(super) fn numbers(self, all: &[f64]) -> Self {
        all.iter().fold(self, |line, &x| line.number(x))
    }

    pub(super) fn vector(self, v: DVec3) -> Self {
        self.numbers(&v.to_array())
    }

    pub(super) fn end(self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.text)
    }
}

/// Reads lines one by one, and the words of the present line.
pub(super) struct Lines<R> {
    input: R,
    text: String,
    number: usize,
    at: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, text: String::new(), number: 0, at: 0 }
    }

    /// Goes to the next line, which must begin with `key`.
    pub(super) fn expect(&mut self, key: &'static str) -> Result<(), DumpError> {
        self.next_line(key)?;
        let found: String = self.word(key)?;
        if found == key { Ok(()) } else { Err(self.wrong(key, &found)) }
    }

    /// Goes to the next line, whatever it is.
    fn next_line(&mut self, expected: &'static str) -> Result<(), DumpError> {
        self.text.clear();
        self.at = 0;
        self.number += 1;
        let line = self.number;
        match self.input.read_line(&mut self.text) {
            Ok(0) => Err(DumpError::Ended { line, expected }),
            Ok(_) => Ok(()),
            Err(source) => Err(DumpError::Io { line, message: source.to_string() }),
        }
    }

    /// The rest of the line as it stands, after the blank that follows the last word.
    pub(super) fn rest(&mut self) -> String {
        let rest = self.text[self.at..].trim_end_matches(['\n', '\r']);
        let rest = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
        self.at = self.text.len();
        rest
    }

    /// The next word of the line.
    pub(super) fn word<T: FromStr>(&mut self, expected: &'static str) -> Result<T, DumpError> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let length = self.text[start..].find(char::is_whitespace).unwrap_or(self.text.len() - start);
        let word = &self.text[start..start + length];
        match word.parse() {
            Ok(value) if !word.is_empty() => {
                self.at = start + length;
                Ok(value)
            }
            _ => Err(self.wrong(expected, word)),
        }
    }

    pub(super) fn wrong(&self, expected: &'static str, found: &str) -> DumpError {
        DumpError::Wrong { line: self.number, expected, found: found.to_owned() }
    }

    pub(super) fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[f64; N], DumpError> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.word(expected)?;
        }
        Ok(out)
    }

    pub(super) fn vector(&mut self, expected: &'static str) -> Result<DVec3, DumpError> {
        Ok(DVec3::from_array(self.array(expected)?))
    }

    pub(super) fn quaternion(&mut self, expected: &'static str) -> Result<DQuat, DumpError> {
        Ok(DQuat::from_array(self.array(expected)?))
    }

    /// A whole line of exactly `n` values.
    pub(super) fn list<T: FromStr>(&mut self, key: &'static str, n: usize) -> Result<Vec<T>, DumpError> {
        self.expect(key)?;
        let values = (0..n).map(|_| self.word(key)).collect::<Result<_, _>>()?;
        let rest = self.rest();
        if rest.trim().is_empty() { Ok(values) } else { Err(self.wrong("end of line", &rest)) }
    }
}
