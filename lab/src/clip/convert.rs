//! A BVH file edited, put on another body, and written again.

use std::path::Path;

use stuntlab_mocap::character::Character;
use stuntlab_mocap::convert::{ExportOptions, ImportOptions, export, import};
use stuntlab_mocap::edit::{mirror, resample, trim};
use stuntlab_mocap::retarget::{RetargetOptions, retarget};

use super::{Outcome, ToolError, name_of, read, write};

/// A body to put a motion on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Figure {
    /// 37 freedoms, 1.80 m.
    Stuntperson,
    /// 36 bodies with ball joints.
    Ball,
    /// Trunk and legs with 24 freedoms.
    Walker,
    /// 16 freedoms in a plane.
    Planar,
}

impl Figure {
    /// The character.
    pub fn character(self) -> Character {
        match self {
            Self::Stuntperson => Character::stuntperson(),
            Self::Ball => Character::ball_figure(),
            Self::Walker => Character::walker(true),
            Self::Planar => Character::planar_figure(),
        }
    }
}

/// What is done to a clip, in this order.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
pub struct ConvertOptions {
    /// First frame to take, counted from 0.
    #[arg(long)]
    pub from: Option<usize>,
    /// Last frame to take.
    #[arg(long)]
    pub to: Option<usize>,
    /// Frame time in seconds that the file should have stated.
    #[arg(long)]
    pub frame_time: Option<f64>,
    /// Swap left and right.
    #[arg(long)]
    pub mirror: bool,
    /// Frames per second of the result.
    #[arg(long)]
    pub rate: Option<f64>,
    /// Put the motion on a standard figure.
    #[arg(long, value_enum)]
    pub retarget: Option<Figure>,
}

/// Reads, edits and writes a clip, in centimetres with y up.
///
/// # Errors
/// Files that cannot be read or written, and options the clip does not allow.
pub fn convert(file: &Path, out: &Path, options: &ConvertOptions) -> Result<Outcome, ToolError> {
    let bvh = read(file, false)?.bvh;
    let frame_time = options.frame_time;
    let imported = import(&name_of(file), &bvh, &ImportOptions { frame_time, ..ImportOptions::default() });
    let (mut clip, report) =
        imported.map_err(|source| ToolError::Import { file: file.to_owned(), source })?;
    let edit = |source| ToolError::Edit { file: file.to_owned(), source };
    let mut text: String = report.notes.iter().map(|note| format!("{note}\n")).collect();
    if options.from.is_some() || options.to.is_some() {
        let last = options.to.unwrap_or(clip.n_frames() - 1);
        clip = trim(&clip, options.from.unwrap_or(0)..last.saturating_add(1)).map_err(edit)?;
    }
    if options.mirror {
        clip = mirror(&clip);
    }
    if let Some(rate) = options.rate {
        clip = resample(&clip, rate).map_err(edit)?;
    }
    if let Some(figure) = options.retarget {
        let fitted = retarget(&clip, &figure.character(), &RetargetOptions::default())
            .map_err(|source| ToolError::Retarget { file: file.to_owned(), source })?;
        let r = &fitted.report;
        text += &format!(
            "Joints are {:.2} cm off on average, {:.1} cm at most (frame {}); held feet slide by {:.2} cm at most.\n",
            r.mean_cm, r.worst_cm, r.worst_frame, r.slide_cm
        );
        clip = fitted.clip;
    }
    let written = export(&clip, &ExportOptions::default())
        .map_err(|source| ToolError::Export { file: out.to_owned(), source })?;
    write(out, &written.write())?;
    text += &format!("{}: {} frames of {} s\n", out.display(), clip.n_frames(), clip.frame_time());
    Ok(Outcome::done(text))
}
