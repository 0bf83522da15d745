//! Settings as TOML has them, read with care: every error is one line with file, line, key and what was expected.
//!
//! ```text
//! text --parse--> tree with lines --set--> overrides --Fields--> typed values
//! ```
//! Scenes, the settings of controllers and pose graphs are read this way.
//!
//! ```
//! use stuntlab_control::settings::{Fields, parse};
//!
//! let root = parse("arm.toml", "reach = 0.7\nside = 'left'")?;
//! let fields = Fields::new("arm.toml", "", &root)?;
//! assert_eq!(fields.positive("reach")?, Some(0.7));
//! let error = fields.finish().unwrap_err();
//! assert_eq!(error.to_string(), "arm.toml:2: side: unknown key, expected one of: reach");
//! # Ok::<(), stuntlab_control::settings::SettingError>(())
//! ```

mod error;
mod fields;
mod node;
mod words;

pub use error::SettingError;
pub use fields::Fields;
pub use node::{Entry, Node, Value, parse, set};
pub use words::{line_break, one_line};
