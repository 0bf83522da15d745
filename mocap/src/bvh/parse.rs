//! Reads a BVH text.
//!
//! The skeleton is a stream of words, so line breaks and brace places are free; a joint name is the rest of its
//! line up to `{`. Motion rows are one frame per line, blank lines ignored. Strict where a guess could shift or
//! spoil data (row lengths, declared counts, numbers), tolerant where the meaning is plain: letter case, CR, LF
//! and CRLF, a UTF-8 byte-order mark, names that are Latin-1 instead of UTF-8, a lone DOS end-of-file mark (0x1A) at
//! the end, and `Frames: 0`. No recursion, and no memory is reserved on the word of a declared count: one pass,
//! linear in the length of the text.

use super::cursor::{Cursor, Word, is_blank, is_line_end, quote};
use super::error::{ReadError, ReadErrorKind};
use super::number::parse_prefix;
use super::{Bvh, Channel, Channels, Node, frame_time_is_sane};
use glam::DVec3;

/// Deepest nesting of joints that is read.
pub const MAX_NESTING: usize = 100_000;

/// How a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Take the rows that are there where the declared number of frames differs (interrupted recordings), with a
    /// warning instead of an error. A last row that breaks off is dropped. Off by default.
    pub lenient_frame_count: bool,
}

/// What a text holds, and what had to be overlooked to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The content.
    pub bvh: Bvh,
    /// Sentences about tolerated oddities; empty for a clean file.
    pub warnings: Vec<String>,
}

impl Bvh {
    /// Reads a BVH text with the default options.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        Self::read(text, ReadOptions::default()).map(|reading| reading.bvh)
    }

    /// Reads a BVH text and tells what was tolerated.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn read(text: &[u8], options: ReadOptions) -> Result<Reading, ReadError> {
        let mut warnings = Vec::new();
        let mut cursor = open(text)?;
        let nodes = read_skeleton(&mut cursor, &mut warnings)?;
        let (declared, frame_time) = read_header(&mut cursor)?;
        let n_channels = nodes.iter().map(|n| n.channels.len()).sum();
        let mut rows = Rows { declared, n_channels, options, values: Vec::new(), n_frames: 0 };
        if n_channels == 0 {
            rows.count_empty(&mut cursor)?;
        } else {
            rows.read(&mut cursor, &mut warnings)?;
        }
        let Rows { values, n_frames, .. } = rows;
        Ok(Reading { bvh: Self { nodes, frame_time, n_frames, n_channels, values }, warnings })
    }
}

/// Skips a byte-order mark and refuses encodings that would read as garbage.
fn open(text: &[u8]) -> Result<Cursor<'_>, ReadError> {
    let wrong = |name| Err(ReadError { line: 1, kind: ReadErrorKind::Encoding(name) });
    match text {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return wrong("UTF-32"),
        [0xff, 0xfe, ..] => return wrong("UTF-16 (little-endian, with byte-order mark)"),
        [0xfe, 0xff, ..] => return wrong("UTF-16 (big-endian, with byte-order mark)"),
        [0, 0, 0, 1..=0x7f, ..] | [1..=0x7f, 0, 0, 0, ..] => {
            return wrong("UTF-32 (without byte-order mark)");
        }
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => return wrong("UTF-16 (big-endian, without byte-order mark)"),
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => return wrong("UTF-16 (little-endian, without byte-order mark)"),
        _ => {}
    }
    let mut cursor = Cursor::new(text);
    if text.starts_with(b"\xef\xbb\xbf") {
        cursor.at = 3;
    }
    let first = cursor.word();
    if first.text.is_empty() {
        return Err(ReadError { line: 1, kind: ReadErrorKind::Empty });
    }
    if !first.is("HIERARCHY") {
        return Err(first.unexpected("HIERARCHY"));
    }
    Ok(cursor)
}

/// A joint whose closing brace is still to come.
struct Open {
    node: usize,
    /// Line of its opening brace.
    line: usize,
    has_offset: bool,
    has_channels: bool,
}

/// Reads from after HIERARCHY to after MOTION.
fn read_skeleton(cursor: &mut Cursor<'_>, warnings: &mut Vec<String>) -> Result<Vec<Node>, ReadError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let word = cursor.word();
        let Some(top) = open.last_mut() else {
            if word.is("ROOT") {
                open.push(open_joint(cursor, &mut nodes, None, "ROOT", warnings)?);
            } else if word.is("MOTION") && !nodes.is_empty() {
                return Ok(nodes);
            } else {
                return Err(word.unexpected(if nodes.is_empty() { "ROOT" } else { "ROOT or MOTION" }));
            }
            continue;
        };
        let (node, in_end_site) = (top.node, nodes[top.node].is_end_site());
        if word.text == b"}" {
            if !top.has_offset {
                let kind = ReadErrorKind::MissingOffset(describe(&nodes, node));
                return Err(ReadError { line: top.line, kind });
            }
            open.pop();
        } else if word.is("OFFSET") {
            if core::mem::replace(&mut top.has_offset, true) {
                return Err(repeated(word, "OFFSET", &nodes, node));
            }
            nodes[node].offset = read_offset(cursor, word.line)?;
        } else if in_end_site {
            return Err(word.unexpected("OFFSET or `}` in an End Site"));
        } else if word.is("CHANNELS") {
            if core::mem::replace(&mut top.has_channels, true) {
                return Err(repeated(word, "CHANNELS", &nodes, node));
            }
            nodes[node].channels = read_channels(cursor, word.line)?;
        } else if word.is("JOINT") || word.is("End") {
            if open.len() >= MAX_NESTING {
                return Err(ReadError { line: word.line, kind: ReadErrorKind::TooDeep(MAX_NESTING) });
            }
            let keyword = if word.is("JOINT") { "JOINT" } else { "End" };
            open.push(open_joint(cursor, &mut nodes, Some(node), keyword, warnings)?);
        } else {
            return Err(word.unexpected("OFFSET, CHANNELS, JOINT, End Site or `}`"));
        }
    }
}

/// Reads a joint's name (or the word Site) and opening brace.
fn open_joint(
    cursor: &mut Cursor<'_>,
    nodes: &mut Vec<Node>,
    parent: Option<usize>,
    keyword: &'static str,
    warnings: &mut Vec<String>,
) -> Result<Open, ReadError> {
    let line = cursor.line;
    let name = if keyword == "End" {
        let site = cursor.word();
        if !site.is("Site") {
            return Err(ReadError { line, ..site.unexpected("Site after End") });
        }
        None
    } else {
        let name = cursor.name();
        if name.is_empty() {
            return Err(cursor.error(ReadErrorKind::MissingName(keyword)));
        }
        Some(match core::str::from_utf8(name) {
            Ok(name) => name.to_owned(),
            Err(_) => {
                let name: String = name.iter().map(|&c| char::from(c)).collect();
                warnings.push(format!("line {line}: the name {name:?} is not UTF-8 and was read as Latin-1"));
                name
            }
        })
    };
    let brace = cursor.word();
    if brace.text != b"{" {
        return Err(brace.unexpected("`{`"));
    }
    nodes.push(Node { name, parent, offset: DVec3::ZERO, channels: Channels::NONE });
    Ok(Open { node: nodes.len() - 1, line: brace.line, has_offset: false, has_channels: false })
}

/// How an error message calls a node.
fn describe(nodes: &[Node], node: usize) -> String {
    match &nodes[node].name {
        Some(name) => format!("joint {}", quote(name.as_bytes())),
        None => "the End Site".to_owned(),
    }
}

fn repeated(word: Word<'_>, keyword: &'static str, nodes: &[Node], node: usize) -> ReadError {
    let kind = ReadErrorKind::Repeated { keyword, joint: describe(nodes, node) };
    ReadError { line: word.line, kind }
}

fn read_offset(cursor: &mut Cursor<'_>, line: usize) -> Result<DVec3, ReadError> {
    let mut offset = [0.0; 3];
    for component in &mut offset {
        let word = cursor.word();
        // A number missing at the end of the OFFSET line is that line's fault.
        let line = if word.line != line && parse_prefix(word.text).is_none() { line } else { word.line };
        *component = number(Word { line, ..word }, "three numbers after OFFSET")?;
    }
    Ok(DVec3::from_array(offset))
}

fn read_channels(cursor: &mut Cursor<'_>, line: usize) -> Result<Channels, ReadError> {
    let count = cursor.word();
    let declared =
        core::str::from_utf8(count.text).ok().and_then(|t| t.parse().ok()).filter(|&n: &usize| n <= 6);
    let Some(declared) = declared else {
        return Err(ReadError { line, kind: ReadErrorKind::ChannelCount(quote(count.text)) });
    };
    let mut channels = Channels::NONE;
    for listed in 0..declared {
        let word = cursor.word();
        let Some(&channel) = Channel::ALL.iter().find(|c| word.is(c.name())) else {
            let kind = ReadErrorKind::ChannelList { declared, listed, found: quote(word.text) };
            return Err(ReadError { line, kind });
        };
        if !channels.push(channel) {
            return Err(ReadError { line: word.line, kind: ReadErrorKind::RepeatedChannel(channel.name()) });
        }
    }
    Ok(channels)
}

/// Reads `Frames: n` and `Frame Time: t`, up to the end of the second line.
fn read_header(cursor: &mut Cursor<'_>) -> Result<(u64, f64), ReadError> {
    let word = cursor.header_word();
    if !word.is("Frames") {
        return Err(word.unexpected("`Frames:`"));
    }
    expect_colon(cursor, "`:` after Frames")?;
    let word = on_line(cursor, word.line);
    let Some(declared) = core::str::from_utf8(word.text).ok().and_then(|t| t.parse().ok()) else {
        let kind =
            ReadErrorKind::Number { what: "a whole number of frames", found: quote(word.text), hint: "" };
        return Err(ReadError { line: word.line, kind });
    };
    let word = cursor.header_word();
    if !word.is("Frame") {
        return Err(word.unexpected("`Frame Time:`"));
    }
    let word = cursor.header_word();
    if !word.is("Time") {
        return Err(word.unexpected("`Time:` after Frame"));
    }
    expect_colon(cursor, "`:` after Frame Time")?;
    let word = on_line(cursor, word.line);
    let frame_time = number(word, "a Frame Time in seconds")?;
    if !frame_time_is_sane(frame_time) {
        return Err(ReadError { line: word.line, kind: ReadErrorKind::FrameTime(quote(word.text)) });
    }
    cursor.skip_blanks();
    if !cursor.take_line_end() && cursor.at < cursor.text.len() {
        return Err(cursor.word().unexpected("the end of the line after Frame Time"));
    }
    Ok((declared, frame_time))
}

fn expect_colon(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<(), ReadError> {
    let line = cursor.line;
    let word = cursor.header_word();
    if word.text == b":" { Ok(()) } else { Err(ReadError { line, ..word.unexpected(expected) }) }
}

/// The next word, blamed on `line` where it stands on a later one.
fn on_line<'a>(cursor: &mut Cursor<'a>, line: usize) -> Word<'a> {
    let word = cursor.word();
    if word.line == line { word } else { Word { text: word.text, line } }
}

/// The number that a word spells, finite.
fn number(word: Word<'_>, what: &'static str) -> Result<f64, ReadError> {
    match parse_prefix(word.text) {
        Some((value, length)) if length == word.text.len() && value.is_finite() => Ok(value),
        _ => Err(not_a_number(word, what)),
    }
}

fn not_a_number(word: Word<'_>, what: &'static str) -> ReadError {
    let kind = ReadErrorKind::Number { what, found: quote(word.text), hint: hint(word.text) };
    ReadError { line: word.line, kind }
}

/// The likely cause of a word that is no number.
fn hint(text: &[u8]) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let has = |part: &[u8]| lower.windows(part.len()).any(|w| w == part);
    let digits_only = lower.iter().all(|c| c.is_ascii_digit() || b"+-.,e".contains(c));
    if has(b"nan") || has(b"inf") || has(b"#ind") || has(b"#qnan") {
        " (not finite: the solver that wrote the file failed here)"
    } else if digits_only && has(b",") {
        " (a decimal comma: numbers need a point)"
    } else if parse_prefix(text).is_some_and(|(value, n)| n == text.len() && value.is_infinite()) {
        " (too large)"
    } else if digits_only && lower.iter().skip(1).any(|&c| c == b'-') {
        " (a blank is missing before the minus sign)"
    } else if lower.starts_with(b"0x") {
        " (hexadecimal is not allowed)"
    } else {
        ""
    }
}

/// The motion table while it is read.
struct Rows {
    declared: u64,
    n_channels: usize,
    options: ReadOptions,
    values: Vec<f64>,
    n_frames: usize,
}

impl Rows {
    /// Reads rows up to the end of the text.
    fn read(&mut self, cursor: &mut Cursor<'_>, warnings: &mut Vec<String>) -> Result<(), ReadError> {
        loop {
            cursor.skip_space();
            if at_end(cursor) {
                break;
            }
            if self.n_frames as u64 >= self.declared && !self.accept_extra_row(cursor, warnings)? {
                return Ok(());
            }
            let start = cursor.at;
            if let Err(error) = self.read_row(cursor) {
                // A recording that stops inside a row: the whole rows count.
                let breaks_off = !cursor.text[start..].iter().any(|&c| is_line_end(c));
                if !(self.options.lenient_frame_count && breaks_off) {
                    return Err(error);
                }
                self.values.truncate(self.n_frames * self.n_channels);
                warnings.push(format!("{error}; this last, unfinished row was dropped"));
                break;
            }
            self.n_frames += 1;
            if self.n_frames == 1 {
                self.reserve(cursor.at - start, cursor.text.len() - cursor.at);
            }
        }
        if (self.n_frames as u64) < self.declared {
            let error =
                cursor.error(ReadErrorKind::TooFewRows { declared: self.declared, found: self.n_frames });
            if !self.options.lenient_frame_count {
                return Err(error);
            }
            warnings.push(error.to_string());
        }
        self.values.shrink_to_fit();
        Ok(())
    }

    /// More text after the declared rows: an error, or in lenient mode a warning for rows. False ends the reading.
    fn accept_extra_row(
        &self,
        cursor: &mut Cursor<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<bool, ReadError> {
        if parse_prefix(cursor.row_word()).is_none() {
            return Err(cursor.word().unexpected("the end of the file after the last row"));
        }
        let error = cursor.error(ReadErrorKind::TooManyRows { declared: self.declared });
        if !self.options.lenient_frame_count {
            return Err(error);
        }
        if self.n_frames as u64 == self.declared {
            warnings.push(error.to_string());
        }
        Ok(true)
    }

    /// Room for the rows that the remaining bytes can hold at the length of the first, never for a declared count.
    fn reserve(&mut self, row_bytes: usize, rest: usize) {
        let wanted = usize::try_from(self.declared).unwrap_or(usize::MAX);
        let rows = (rest / row_bytes.max(1) + 1).min(wanted);
        self.values.reserve_exact(rows.saturating_mul(self.n_channels));
    }

    /// Reads one row and stops at its line end.
    #[inline]
    fn read_row(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        if self.values.capacity() - self.values.len() < self.n_channels {
            // A quarter more at a time keeps the peak well below three times the data.
            self.values.reserve_exact(self.n_channels.max(self.values.len() / 4).min(cursor.text.len()));
        }
        let mut found = 0;
        loop {
            cursor.skip_blanks();
            if cursor.peek().is_none_or(|c| is_line_end(c) || c == CTRL_Z) && at_row_end(cursor) {
                break;
            }
            let rest = &cursor.text[cursor.at..];
            match parse_prefix(rest) {
                Some((value, n))
                    if value.is_finite() && rest.get(n).is_none_or(|&c| is_blank(c) || is_line_end(c)) =>
                {
                    cursor.at += n;
                    if found == self.n_channels {
                        let kind = ReadErrorKind::LongRow { frame: self.n_frames, expected: self.n_channels };
                        return Err(cursor.error(kind));
                    }
                    self.values.push(value);
                    found += 1;
                }
                _ => {
                    let word = Word { text: cursor.row_word(), line: cursor.line };
                    return Err(not_a_number(word, "a number"));
                }
            }
        }
        if found < self.n_channels {
            let kind = ReadErrorKind::ShortRow { frame: self.n_frames, expected: self.n_channels, found };
            return Err(cursor.error(kind));
        }
        Ok(())
    }

    /// A skeleton without any channel has empty rows: as many as declared, if the text has that many line ends.
    fn count_empty(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let first_line = cursor.line;
        cursor.skip_space();
        if !at_end(cursor) {
            let kind = ReadErrorKind::LongRow { frame: 0, expected: 0 };
            return Err(cursor.error(kind));
        }
        let lines = cursor.line - first_line + 1;
        self.n_frames = usize::try_from(self.declared).ok().filter(|&n| n <= lines).ok_or_else(|| {
            cursor.error(ReadErrorKind::TooFewRows { declared: self.declared, found: lines })
        })?;
        Ok(())
    }
}

/// The end-of-file mark of DOS editors.
const CTRL_Z: u8 = 0x1a;

/// Whether only a lone end-of-file mark and blanks are left.
fn at_end(cursor: &Cursor<'_>) -> bool {
    let rest = &cursor.text[cursor.at..];
    match rest {
        [] => true,
        [CTRL_Z, rest @ ..] => rest.iter().all(|&c| is_blank(c) || is_line_end(c)),
        _ => false,
    }
}

/// Whether the row ends here: a line end, or the end of the file.
fn at_row_end(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(is_line_end) || at_end(cursor)
}
