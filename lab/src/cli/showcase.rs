//! `stuntlab` without a command.

use std::process::ExitCode;
pub(super) fn showcase() -> ExitCode { ExitCode::SUCCESS }
