//! What a file holds, as a table or as JSON, and whether anything about it needs attention.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use stuntlab_mocap::Clip;
use stuntlab_mocap::bvh::{Bvh, PositionChannels};
use stuntlab_mocap::character::{Character, CharacterOptions};
use stuntlab_mocap::check::{BadFrame, ClipReport, check_clip};
use stuntlab_mocap::contacts::{ContactOptions, Contacts, find_contacts, intervals};
use stuntlab_mocap::convert::{ImportOptions, ImportReport, import};
use stuntlab_mocap::detect::{Unit, UpAxis};

use super::{Outcome, ToolError, name_of, read};

/// Everything found out about a file.
struct Findings {
    bvh: Bvh,
    motion: Option<Motion>,
    warnings: Vec<String>,
}

/// What the motion shows.
struct Motion {
    clip: Clip,
    import: ImportReport,
    check: ClipReport,
    contacts: Option<Contacts>,
    /// What a character made of the skeleton would be, or why there is none.
    character: Result<String, String>,
}

fn find(file: &Path, lenient: bool) -> Result<Findings, ToolError> {
    let reading = read(file, lenient)?;
    let mut warnings = reading.warnings;
    let motion = match import(&name_of(file), &reading.bvh, &ImportOptions::default()) {
        Ok((clip, report)) => {
            let check = check_clip(&clip);
            warnings.extend(check.warnings.iter().cloned());
            if let Unit::Other(_) = report.unit {
                warnings.extend(report.notes.iter().filter(|n| n.contains("length unit")).cloned());
            }
            let contacts = find_contacts(&clip, &ContactOptions::default());
            let character = Character::build(clip.skeleton(), &CharacterOptions::default())
                .map(|(c, r)| {
                    let (bodies, freedoms) = (c.model().n_bodies(), c.model().n_v());
                    format!("{bodies} bodies, {freedoms} freedoms, {:.2} m, {:.1} kg", r.stature, r.mass)
                })
                .map_err(|e| e.to_string());
            Some(Motion { clip, import: report, check, contacts, character })
        }
        Err(error) => {
            warnings.push(format!("The file does not become a clip: {error}."));
            None
        }
    };
    Ok(Findings { bvh: reading.bvh, motion, warnings })
}

/// What a file holds: a table, or JSON with the corpus's fields and a `detected` object.
///
/// # Errors
/// A file that cannot be read.
pub fn info(file: &Path, json: bool, lenient: bool) -> Result<Outcome, ToolError> {
    let findings = find(file, lenient)?;
    Ok(Outcome::done(if json { to_json(file, &findings) } else { to_table(file, &findings) }))
}

/// Whether a file needs attention: prints what, with status 1.
///
/// # Errors
/// A file that cannot be read.
pub fn check(file: &Path, json: bool, lenient: bool) -> Result<Outcome, ToolError> {
    let findings = find(file, lenient)?;
    let status = u8::from(!findings.warnings.is_empty());
    let text = if json {
        pretty(&json!({ "file": file.display().to_string(), "warnings": findings.warnings }))
    } else if findings.warnings.is_empty() {
        format!("{}: nothing to remark\n", file.display())
    } else {
        findings.warnings.iter().map(|w| format!("{}: {w}\n", file.display())).collect()
    };
    Ok(Outcome { text, status })
}

pub(super) fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a JSON value has a text");
    text.push('\n');
    text
}

fn to_json(file: &Path, findings: &Findings) -> String {
    let bvh = &findings.bvh;
    let joints: Vec<Value> = bvh
        .nodes()
        .iter()
        .map(|node| {
            json!({
                "name": node.name,
                "parent": node.parent.map_or(-1, |p| p as i64),
                "end_site": node.is_end_site(),
                "offset": node.offset.to_array(),
                "channels": node.channels.iter().map(|c| c.name()).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut world = Map::new();
    if bvh.n_frames() > 0 {
        for frame in [0, bvh.n_frames() - 1] {
            let places = bvh.world_positions(frame, PositionChannels::Replace);
            let places: Vec<_> = places.iter().map(|p| p.to_array()).collect();
            world.insert(frame.to_string(), json!(places));
        }
    }
    pretty(&json!({
        "file": file.file_name().map(|n| n.to_string_lossy()),
        "joint_count": bvh.n_joints(),
        "end_site_count": bvh.n_end_sites(),
        "channel_count": bvh.n_channels(),
        "frame_count": bvh.n_frames(),
        "frame_time": bvh.frame_time(),
        "joints": joints,
        "world": world,
        "detected": detected(findings),
    }))
}

fn detected(findings: &Findings) -> Value {
    let Some(motion) = &findings.motion else {
        return json!({ "warnings": findings.warnings });
    };
    let bad: Vec<Value> = motion
        .check
        .bad_frames
        .iter()
        .map(|bad| match bad {
            BadFrame::Calibration { n_frames, jump } => {
                json!({ "kind": "calibration", "first_good_frame": n_frames, "jump_degrees": jump.to_degrees() })
            }
            BadFrame::Pop { frame, joint, jump } => {
                json!({ "kind": "pop", "frame": frame, "joint": joint, "jump_degrees": jump.to_degrees() })
            }
            _ => json!({ "kind": "other" }),
        })
        .collect();
    let runs = |flags: &[bool]| intervals(flags).iter().map(|r| [r.start, r.end]).collect::<Vec<_>>();
    let contacts = motion.contacts.as_ref().map(|c| {
        let [both, one, none] = c.shares();
        let foot = |f: &stuntlab_mocap::contacts::FootContacts| json!({ "heel": runs(&f.heel), "toe": runs(&f.toe) });
        json!({
            "share_both": both, "share_one": one, "share_none": none,
            "left": foot(&c.left), "right": foot(&c.right),
        })
    });
    let (character, no_character) = match &motion.character {
        Ok(text) => (Some(text), None),
        Err(text) => (None, Some(text)),
    };
    json!({
        "unit": motion.import.unit.name(),
        "unit_metres": motion.import.unit.metres(),
        "up_axis": up_name(motion.import.up),
        "frame_time": motion.import.frame_time,
        "frame_rate_doubt": motion.check.frame_time_doubt.is_some(),
        "suggested_frame_time": motion.check.suggested_frame_time,
        "bad_frames": bad,
        "contacts": contacts,
        "character": character,
        "no_character": no_character,
        "notes": motion.import.notes,
        "warnings": findings.warnings,
    })
}

fn up_name(up: UpAxis) -> &'static str {
    match up {
        UpAxis::Y => "y",
        UpAxis::Z => "z",
    }
}

fn to_table(file: &Path, findings: &Findings) -> String {
    let bvh = &findings.bvh;
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<12} {value}");
    };
    line("file", file.display().to_string());
    line("joints", format!("{} and {} end sites", bvh.n_joints(), bvh.n_end_sites()));
    let rate = 1.0 / bvh.frame_time();
    let seconds = bvh.n_frames() as f64 * bvh.frame_time();
    line("frames", format!("{} of {} s ({rate:.4} Hz, {seconds:.2} s)", bvh.n_frames(), bvh.frame_time()));
    line("channels", bvh.n_channels().to_string());
    if let Some(motion) = &findings.motion {
        line("unit", format!("{} ({:.5} m)", motion.import.unit.name(), motion.import.unit.metres()));
        line("up axis", up_name(motion.import.up).to_owned());
        if let Some(contacts) = &motion.contacts {
            let [both, one, none] = contacts.shares().map(|s| 100.0 * s);
            line("feet down", format!("both {both:.0} %, one {one:.0} %, none {none:.0} %"));
        }
        line("flights", motion.check.flights.len().to_string());
        line("character", motion.character.clone().unwrap_or_else(|e| format!("none: {e}")));
        let way =
            motion.clip.root_position(motion.clip.n_frames() - 1).distance(motion.clip.root_position(0));
        line("travels", format!("{way:.2} m from first to last frame"));
        motion.import.notes.iter().for_each(|note| line("note", note.clone()));
    }
    findings.warnings.iter().for_each(|warning| line("warning", warning.clone()));
    out.push('\n');
    for (index, node) in bvh.nodes().iter().enumerate() {
        let name = node.name.as_deref().unwrap_or("(end site)");
        let parent = node.parent.map_or_else(|| "-".to_owned(), |p| p.to_string());
        let [x, y, z] = node.offset.to_array();
        let channels: String = node.channels.iter().map(|c| c.name()).collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "{index:>4} {parent:>4} {name:<24} {x:>10.4} {y:>10.4} {z:>10.4}  {channels}");
    }
    out
}
