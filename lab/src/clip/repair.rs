//! A BVH file repaired, with a report of every change; what cannot be repaired is refused.

use std::path::Path;

use serde_json::{Value, json};
use stuntlab_mocap::check::check_clip;
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::repair::{Finding, Remedy, repair_bvh};

use super::info::pretty;
use super::{Outcome, ToolError, name_of, read, write};

/// Repairs a file. Nothing is written where something cannot be repaired, unless `anyway`.
///
/// # Errors
/// Files that cannot be read or written.
pub fn repair(file: &Path, out: &Path, anyway: bool, json: bool) -> Result<Outcome, ToolError> {
    let bvh = read(file, false)?.bvh;
    let name = name_of(file);
    let repaired =
        repair_bvh(&name, &bvh).map_err(|source| ToolError::Repair { file: file.to_owned(), source })?;
    let doubt = import(&name, &repaired.bvh, &ImportOptions::default())
        .ok()
        .and_then(|(clip, _)| check_clip(&clip).frame_time_doubt);
    let refused = repaired.findings.iter().any(|f| matches!(f.remedy, Remedy::Left(_)));
    let written = anyway || !refused;
    if written {
        write(out, &repaired.bvh.write())?;
    }
    let text = if json {
        let findings: Vec<Value> = repaired.findings.iter().map(as_json).collect();
        pretty(&json!({
            "file": file.display().to_string(),
            "out": written.then(|| out.display().to_string()),
            "frames": repaired.bvh.n_frames(),
            "findings": findings,
            "notes": repaired.notes,
            "frame_time_doubt": doubt,
        }))
    } else {
        let mut lines: Vec<String> = repaired.notes.clone();
        lines.extend(repaired.findings.iter().map(|f| f.sentence(0)));
        lines.extend(doubt);
        lines.push(match (written, repaired.findings.is_empty()) {
            (false, _) => {
                format!("{}: not written, --anyway would write what could be repaired", out.display())
            }
            (true, true) => format!("{}: nothing to repair", out.display()),
            (true, false) => format!("{}: {} frames", out.display(), repaired.bvh.n_frames()),
        });
        lines.join("\n") + "\n"
    };
    Ok(Outcome { text, status: u8::from(refused) })
}

fn as_json(finding: &Finding) -> Value {
    let reason = if let Remedy::Left(reason) = finding.remedy { Some(reason) } else { None };
    json!({
        "fault": finding.fault.name(),
        "remedy": finding.remedy.words(),
        "reason": reason,
        "frames": [finding.frames.start, finding.frames.end.max(1) - 1],
        "changed": [finding.changed.start, finding.changed.end.max(1) - 1],
        "joints": finding.joints,
        "root": finding.root,
        "turn_degrees": finding.turn.to_degrees(),
        "shift_metres": finding.shift,
    })
}
