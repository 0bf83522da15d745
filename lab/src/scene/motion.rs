//! Figures and the motions they follow.
//!
//! A motion is a clip of the library or of a BVH file, on the character's own skeleton: made for it, or fitted to it.

use std::path::Path;
use std::sync::Arc;

use stuntlab_control::fighter::library_figure;
use stuntlab_control::reference::ClipReference;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::{Character as Mocap, CharacterOptions};
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::edit::{align_to_ground, face_forward, ready_to_play, supple};
use stuntlab_mocap::footing::set_feet;
use stuntlab_mocap::retarget::{RetargetOptions, retarget};
use stuntlab_mocap::{Clip, ClipSpline, Side, library};
use stuntlab_physics::{Model, State, figures};

use super::Fields;
use super::SceneError;
use super::shared;

/// A figure: bodies and joints, and the skeleton they stand for where motions can be put on it.
#[derive(Clone, Debug)]
pub(super) enum Figure {
    Plain(Box<Model>),
    Mocap(Arc<Mocap>),
}

impl Figure {
    pub(super) fn model(&self) -> &Model {
        match self {
            Self::Plain(model) => model,
            Self::Mocap(character) => character.model(),
        }
    }

    /// The figure with its skeleton, where it has one.
    pub(super) fn character(&self) -> Option<Arc<Mocap>> {
        match self {
            Self::Plain(_) => None,
            Self::Mocap(character) => Some(character.clone()),
        }
    }
}

/// A motion on a character's skeleton.
#[derive(Clone, Debug)]
pub struct Motion {
    character: Arc<Mocap>,
    clip: Arc<Clip>,
    cyclic: bool,
    start: f64,
    /// What was repaired, cut off or left of the recording, in sentences.
    pub(crate) notes: Vec<String>,
}

impl Motion {
    /// The motion as a controller follows it.
    pub fn reference(&self) -> ClipReference {
        ClipReference::new(self.character.clone(), &self.clip, self.cyclic).starting_at(self.start)
    }

    /// How long it lasts from where it starts, s.
    pub fn duration(&self) -> f64 {
        self.clip.duration() - self.start
    }

    /// Coordinates and velocities it begins with, of the character's own model.
    pub(super) fn first(&self) -> State {
        self.character.state_at(&ClipSpline::new(&self.clip), self.start)
    }
}

type Maker = fn(&CharacterOptions) -> Figure;

/// Figures by name; `bvh` is the skeleton of the character's own file.
const FIGURES: [(&str, Option<Maker>); 8] = [
    ("humanoid37", Some(|_| Figure::Plain(Box::new(figures::humanoid37().model())))),
    ("bones36", Some(|_| Figure::Plain(Box::new(figures::bones36().model())))),
    ("library", Some(|o| Figure::Mocap(library_figure(o.separate_toes)))),
    ("stuntperson", Some(|_| Figure::Mocap(Arc::new(Mocap::stuntperson())))),
    ("walker", Some(|_| Figure::Mocap(Arc::new(Mocap::walker(true))))),
    ("ball-figure", Some(|_| Figure::Mocap(Arc::new(Mocap::ball_figure())))),
    ("planar-figure", Some(|_| Figure::Mocap(Arc::new(Mocap::planar_figure())))),
    ("bvh", None),
];

/// A clip of a BVH file.
fn read_bvh(
    fields: &Fields<'_>,
    path: &str,
    frames: Option<std::ops::Range<usize>>,
) -> Result<Clip, SceneError> {
    let file = shared::resolve(fields.file(), path).map_err(|problem| fields.absent("bvh", problem))?;
    let bad = |problem: String| fields.error("bvh", format!("{path}: {problem}"));
    let bytes = std::fs::read(&file).map_err(|e| bad(e.to_string()))?;
    let bvh = Bvh::parse(&bytes).map_err(|e| bad(e.to_string()))?;
    let name = Path::new(path).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let options = ImportOptions { frames, ..ImportOptions::default() };
    let (clip, _) = import(&name, &bvh, &options).map_err(|e| bad(e.to_string()))?;
    Ok(clip)
}

/// The character a clip's skeleton stands for.
fn character_of(fields: &Fields<'_>, clip: &Clip, options: &CharacterOptions) -> Result<Figure, SceneError> {
    let built = Mocap::build(clip.skeleton(), options);
    let (character, _) = built.map_err(|e| fields.error("bvh", format!("{}: {e}", clip.name)))?;
    Ok(Figure::Mocap(Arc::new(character)))
}

/// `frames`: first and last.
fn read_frames(fields: &Fields<'_>) -> Result<Option<std::ops::Range<usize>>, SceneError> {
    let Some([first, last]) = fields.numbers::<2>("frames")? else { return Ok(None) };
    if first < 0.0 || last <= first || first.fract() != 0.0 || last.fract() != 0.0 {
        return Err(fields.error("frames", "expected the first and the last frame, counted from 0"));
    }
    Ok(Some(first as usize..last as usize + 1))
}

/// What the table `motion` says, before it is put on a figure.
struct Wanted<'a> {
    table: Fields<'a>,
    clip: Clip,
    /// The first frame taken, where it comes from a file.
    recorded_from: Option<usize>,
    cyclic: bool,
    start: f64,
    /// Half of the time over which the joints of the legs are averaged, s.
    supple: f64,
}

fn read_wanted<'a>(fields: &Fields<'a>) -> Result<Option<Wanted<'a>>, SceneError> {
    let Some(table) = fields.table("motion")? else { return Ok(None) };
    let frames = read_frames(&table)?;
    // A file counts before a clip's name, so that a variant can put one in its place.
    let named = table.text("clip")?;
    let path = table.text("bvh")?;
    let recorded_from = path.map(|_| frames.as_ref().map_or(0, |frames| frames.start));
    let (clip, looped) = match (path, named) {
        (Some(path), _) => (read_bvh(&table, path, frames)?, false),
        (None, Some(name)) => {
            let compiled = library::compiled(name).map_err(|e| table.error("clip", e.to_string()))?;
            (compiled.clip, compiled.looped)
        }
        (None, None) => return Err(table.missing("clip", "a clip of the library, or bvh = a file")),
    };
    let start = table.at_least_zero("start")?.unwrap_or(0.0);
    if start >= clip.duration() {
        let problem = format!("is {start}, but the clip lasts {} s", clip.duration());
        return Err(table.error("start", problem));
    }
    let cyclic = table.flag("cyclic")?.unwrap_or(looped);
    let supple = table.at_least_zero("supple")?.unwrap_or(0.0);
    Ok(Some(Wanted { table, clip, recorded_from, cyclic, start, supple }))
}

/// Reads `figure`, `bvh` and `motion` of a character.
pub(super) fn read(fields: &Fields<'_>) -> Result<(Figure, Option<Motion>), SceneError> {
    let wanted = read_wanted(fields)?;
    let file = fields.text("bvh")?;
    let maker = match (file, fields.choice("figure", &FIGURES)?) {
        (Some(_), _) => None,
        (None, Some(maker)) => maker,
        (None, None) if wanted.is_some() => None,
        (None, None) => fields.required_choice("figure", &FIGURES)?,
    };
    // Toes of the library's figure and of files; the others are as they are.
    let separate_toes = fields.flag("toes")?.unwrap_or(false);
    let options = CharacterOptions { separate_toes, ..CharacterOptions::default() };
    let figure = match (maker, file, &wanted) {
        (Some(maker), _, _) => maker(&options),
        (None, Some(path), _) => character_of(fields, &read_bvh(fields, path, None)?, &options)?,
        (None, None, Some(wanted)) => character_of(fields, &wanted.clip, &options)?,
        (None, None, None) => return Err(fields.missing("bvh", "the file of figure = \"bvh\"")),
    };
    let Some(wanted) = wanted else { return Ok((figure, None)) };
    let Figure::Mocap(character) = &figure else {
        let problem = "has no skeleton for a motion, expected one of: library, stuntperson, walker, ball-figure, \
                       planar-figure, bvh";
        return Err(fields.error("figure", problem));
    };
    let motion = fit(&wanted, character)?;
    wanted.table.finish()?;
    Ok((figure, Some(motion)))
}

/// The motion on the figure: as it is where the skeletons are the same, else retargeted. Recordings are repaired, put on
/// the ground and turned to face +x at their start; clips of the library are so already.
fn fit(wanted: &Wanted<'_>, character: &Arc<Mocap>) -> Result<Motion, SceneError> {
    let bad = |problem: String| wanted.table.error("", format!("does not fit the figure: {problem}"));
    let mut clip = wanted.clip.clone();
    let sole = character.sole_height();
    let mut notes = Vec::new();
    if let Some(first) = wanted.recorded_from {
        let ready = ready_to_play(&clip, sole, first).map_err(|e| bad(e.to_string()))?;
        notes = ready.notes.iter().map(|note| format!("{}: {note}", clip.name)).collect();
        clip = face_forward(&ready.clip, 0);
        if wanted.start >= clip.duration() {
            let problem = format!(
                "is {}, but {} s of the clip are left after its repair",
                wanted.start,
                clip.duration()
            );
            return Err(wanted.table.error("start", problem));
        }
    }
    if **clip.skeleton() != **character.skeleton() {
        let fitted =
            retarget(&clip, character, &RetargetOptions::default()).map_err(|e| bad(e.to_string()))?;
        clip = align_to_ground(&fitted.clip, sole);
    }
    if wanted.recorded_from.is_some() {
        clip = character.clip_within_limits(&clip).0;
    }
    clip = set_feet(&clip, character, wanted.cyclic).clip;
    if wanted.supple > 0.0 {
        let legs = Side::BOTH.map(|side| *character.joint_roles().side(side));
        let joints = legs.iter().flat_map(|leg| [leg.hip, leg.knee, leg.ankle, leg.toe]).flatten();
        clip = supple(&clip, &joints.collect::<Vec<_>>(), wanted.supple, wanted.cyclic);
    }
    Ok(Motion {
        character: character.clone(),
        cyclic: wanted.cyclic,
        start: wanted.start,
        clip: Arc::new(clip),
        notes,
    })
}
