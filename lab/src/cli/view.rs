//! `stuntlab view`.

use std::process::ExitCode;
use clap::Args;
use super::Chosen;
#[derive(Args)]
pub(super) struct WindowArgs {}
pub(super) fn view(_c: &Chosen, _w: &WindowArgs) -> ExitCode { ExitCode::SUCCESS }
