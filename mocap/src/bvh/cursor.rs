//! Walks the bytes of a BVH text word by word, keeping the line number.

use super::error::{ReadError, ReadErrorKind};

/// Whether `c` separates words inside a line.
#[inline]
pub(crate) fn is_blank(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | 0x0b | 0x0c)
}

/// Whether `c` ends a line.
#[inline]
pub(crate) fn is_line_end(c: u8) -> bool {
    matches!(c, b'\n' | b'\r')
}

/// A reading position in the text.
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) at: usize,
    /// Line of `at`, counted from 1.
    pub(crate) line: usize,
}

/// A word of the skeleton section: a run without blanks, where braces stand alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) line: usize,
}

impl Word<'_> {
    /// Equality without regard to case, as writers disagree about it.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// "expected …, found this word".
    pub(crate) fn unexpected(&self, expected: &'static str) -> ReadError {
        let kind = ReadErrorKind::Unexpected { expected, found: quote(self.text) };
        ReadError { line: self.line, kind }
    }
}

impl<'a> Cursor<'a> {
    /// At the start of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The byte at the cursor.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Skips blanks, staying on the line.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Steps over one line end (CRLF counts once), if it stands here.
    #[inline]
    pub(crate) fn take_line_end(&mut self) -> bool {
        match self.peek() {
            Some(b'\r') => {
                self.at += if self.text.get(self.at + 1) == Some(&b'\n') { 2 } else { 1 };
            }
            Some(b'\n') => self.at += 1,
            _ => return false,
        }
        self.line += 1;
        true
    }

    /// Skips blanks and line ends.
    pub(crate) fn skip_space(&mut self) {
        loop {
            self.skip_blanks();
            if !self.take_line_end() {
                return;
            }
        }
    }

    /// The next word; at the end of the file an empty one.
    pub(crate) fn word(&mut self) -> Word<'a> {
        self.skip_space();
        self.run(|c| is_blank(c) || is_line_end(c))
    }

    /// The next word of a motion header, where a colon stands alone too.
    pub(crate) fn header_word(&mut self) -> Word<'a> {
        self.skip_space();
        self.run(|c| is_blank(c) || is_line_end(c) || c == b':')
    }

    /// The run of bytes up to a blank or line end, as it stands in a motion row.
    pub(crate) fn row_word(&self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|&c| is_blank(c) || is_line_end(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    fn run(&mut self, ends: impl Fn(u8) -> bool) -> Word<'a> {
        let rest = &self.text[self.at..];
        let stops = |c: u8| ends(c) || c == b'{' || c == b'}';
        let mut end = rest.iter().position(|&c| stops(c)).unwrap_or(rest.len());
        // A brace or colon is a word of its own.
        if end == 0 && !rest.is_empty() {
            end = 1;
        }
        self.at += end;
        Word { text: &rest[..end], line: self.line }
    }

    /// The rest of the line up to `{`, trimmed: a joint name.
    pub(crate) fn name(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|&c| is_line_end(c) || c == b'{').unwrap_or(rest.len());
        self.at += end;
        trim(&rest[..end])
    }

    /// An error at the cursor.
    pub(crate) fn error(&self, kind: ReadErrorKind) -> ReadError {
        ReadError { line: self.line, kind }
    }
}

/// Without blanks at both ends.
fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text {
        if !is_blank(*first) {
            break;
        }
        text = rest;
    }
    while let [rest @ .., last] = text {
        if !is_blank(*last) {
            break;
        }
        text = rest;
    }
    text
}

/// A word for an error message: quoted, control characters escaped, shortened.
pub(crate) fn quote(text: &[u8]) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "the end of the file".to_owned();
    }
    let shown = &text[..text.len().min(LONGEST)];
    let dots = if text.len() > LONGEST { "…" } else { "" };
    format!("`{}{dots}`", String::from_utf8_lossy(shown).escape_debug())
}
