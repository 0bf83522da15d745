//! File names from names that scenes give.

use std::collections::BTreeSet;

use crate::words::{fingerprint, spelled};

/// Longest part of a file name that a scene's name becomes, bytes.
const LONGEST: usize = 120;

/// A scene's name as a part of a file name: letters, digits, blanks and `-_.+` stay, all else becomes `%` and its bytes
/// in hexadecimal. Different names give different parts.
fn file_part(name: &str) -> String {
    let mut part = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() || "-_.+ ".contains(c) {
            part.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|b| part.push_str(&format!("%{b:02X}")));
        }
    }
    if part.len() > LONGEST {
        let mut end = LONGEST;
        while !part.is_char_boundary(end) {
            end -= 1;
        }
        part.truncate(end);
        part = format!("{part}-{}", spelled(fingerprint(name.bytes())));
    }
    part
}

/// Hands out file names, each once.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// `stem.ending`, or `stem-part.ending` for a name that is not empty; with a number where that is taken.
    pub(crate) fn give(&mut self, stem: &str, name: &str, ending: &str) -> String {
        let whole = if name.is_empty() { stem.to_owned() } else { format!("{stem}-{}", file_part(name)) };
        let mut file = format!("{whole}.{ending}");
        let mut n = 1;
        while !self.0.insert(file.clone()) {
            n += 1;
            file = format!("{whole}-{n}.{ending}");
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_the_directory() {
        assert_eq!(file_part("lcp-pgs"), "lcp-pgs");
        assert_eq!(file_part("../a\\b:c"), "..%2Fa%5Cb%3Ac");
        assert_eq!(file_part("100 %"), "100 %25");
        assert!(file_part(&"ä/".repeat(500)).len() <= LONGEST + 17);
        assert_ne!(file_part(&"a".repeat(500)), file_part(&"a".repeat(501)));
    }

    #[test]
    fn every_name_is_given_once() {
        let mut names = Names::default();
        assert_eq!(names.give("log", "", "csv"), "log.csv");
        assert_eq!(names.give("log", "a", "csv"), "log-a.csv");
        assert_eq!(names.give("log", "a", "csv"), "log-a-2.csv");
        assert_eq!(names.give("log", "a-2", "csv"), "log-a-2-2.csv");
    }
}
