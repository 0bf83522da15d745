//! What can be wrong with a BVH file: every error names the line and what was expected there.

use thiserror::Error;

/// A BVH text that cannot be read, with the place and the expectation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct ReadError {
    /// Line of the fault, counted from 1; CR, LF and CRLF each end a line.
    pub line: usize,
    /// What is wrong and what was expected instead.
    pub kind: ReadErrorKind,
}

/// The kinds of fault in a BVH text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file holds nothing but blanks.
    #[error("expected HIERARCHY, but the file is empty")]
    Empty,
    /// The text is not in an encoding this reader knows.
    #[error("expected ASCII or UTF-8 text, found {0}; save the file as UTF-8")]
    Encoding(&'static str),
    /// Another word than the grammar asks for.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the grammar asks for.
        expected: &'static str,
        /// The word that stands there, shortened and quoted.
        found: String,
    },
    /// ROOT or JOINT without a name.
    #[error("expected a joint name after {0}")]
    MissingName(&'static str),
    /// A joint or End Site without OFFSET.
    #[error("expected an OFFSET in {0}")]
    MissingOffset(String),
    /// OFFSET or CHANNELS given twice in one joint.
    #[error("expected one {keyword} in {joint}, found a second")]
    Repeated {
        /// The keyword that came twice.
        keyword: &'static str,
        /// The joint it stands in.
        joint: String,
    },
    /// CHANNELS count that is no number or larger than six.
    #[error("expected a channel count from 0 to 6, found {0}")]
    ChannelCount(String),
    /// Fewer channels listed than declared.
    #[error("expected {declared} channel names, found {found} after {listed}")]
    ChannelList {
        /// How many the file declares.
        declared: usize,
        /// How many names it gives.
        listed: usize,
        /// The word standing where the next name should be.
        found: String,
    },
    /// A channel listed twice in one joint.
    #[error("expected each channel once per joint, found {0} again")]
    RepeatedChannel(&'static str),
    /// A word where a number should stand.
    #[error("expected {what}, found {found}{hint}")]
    Number {
        /// Which number was wanted.
        what: &'static str,
        /// The word that stands there, shortened and quoted.
        found: String,
        /// Likely cause, or nothing.
        hint: &'static str,
    },
    /// A frame time outside of one nanosecond to a million seconds.
    #[error("expected a Frame Time between 1e-9 and 1e6 seconds, found {0}")]
    FrameTime(String),
    /// A motion row with too few values.
    #[error("expected {expected} values in the row of frame {frame}, found {found}")]
    ShortRow {
        /// Frame number, counted from 0.
        frame: usize,
        /// Number of channels.
        expected: usize,
        /// Number of values in the row.
        found: usize,
    },
    /// A motion row with too many values.
    #[error("expected {expected} values in the row of frame {frame}, found more")]
    LongRow {
        /// Frame number, counted from 0.
        frame: usize,
        /// Number of channels.
        expected: usize,
    },
    /// The file ends before the declared number of rows.
    #[error("expected {declared} frames as declared, found the end of the file after {found}")]
    TooFewRows {
        /// Declared number of frames.
        declared: u64,
        /// Rows present.
        found: usize,
    },
    /// Rows go on after the declared number.
    #[error("expected the end of the file after the {declared} declared frames, found another row")]
    TooManyRows {
        /// Declared number of frames.
        declared: u64,
    },
    /// Joints nested deeper than the reader's limit.
    #[error("expected at most {0} nested joints")]
    TooDeep(usize),
}

/// Numbers from which no well-formed BVH can be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A node's parent must come before it and be a joint.
    #[error("node {node}: expected a parent joint before it, found {parent}")]
    Parent {
        /// Index of the node.
        node: usize,
        /// The parent it names.
        parent: usize,
    },
    /// A name that cannot be written so that it reads back.
    #[error("node {node}: expected a name without line breaks, `{{` or outer blanks, found {name:?}")]
    Name {
        /// Index of the node.
        node: usize,
        /// The name.
        name: String,
    },
    /// An End Site with channels or without parent.
    #[error("node {node}: expected an End Site to have a parent and no channels")]
    EndSite {
        /// Index of the node.
        node: usize,
    },
    /// Nodes not in depth-first order.
    #[error("node {node}: expected depth-first order, but its parent's subtree was already closed")]
    Order {
        /// Index of the node.
        node: usize,
    },
    /// No joint at all.
    #[error("expected at least one root joint")]
    NoRoot,
    /// A value that is not finite.
    #[error("expected finite numbers, found {value} in {place}")]
    NotFinite {
        /// Where it stands.
        place: &'static str,
        /// The value.
        value: f64,
    },
    /// A frame time the format cannot carry.
    #[error("expected a frame time between 1e-9 and 1e6 seconds, found {0}")]
    FrameTime(f64),
    /// Values that do not fill whole rows.
    #[error("expected {channels} values per frame for {frames} frames, found {values} values")]
    Values {
        /// Channels per row.
        channels: usize,
        /// Rows wanted.
        frames: usize,
        /// Values given.
        values: usize,
    },
}
