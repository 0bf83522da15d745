//! What is wrong with a scene or a graph, in one line: file, line, key, what was expected.

use std::fmt;

use super::words::one_line;

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// File or name of what was read.
    pub file: String,
    /// Line in it, from 1; 0 where the trouble is not on a line (a file that is missing, a `--set`).
    pub line: usize,
    /// Path of the key, such as `character[0].figure`; empty where there is none.
    pub key: String,
    /// What is wrong and what was expected.
    pub problem: String,
    /// Whether nothing is wrong but that data it needs is not on this machine.
    pub absent: bool,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys and files may have any character in them; the message stays on its line.
        f.write_str(&one_line(&self.file))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", one_line(&self.key))?;
        }
        write!(f, ": {}", one_line(&self.problem))
    }
}

impl std::error::Error for SettingError {}
