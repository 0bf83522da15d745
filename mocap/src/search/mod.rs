//! Nearest poses in a database of clips, exactly and fast.
//!
//! Rows are rotated to their principal axes, where the first few coordinates hold nearly all of a distance. A query
//! looks at the leading coordinates of all rows, eight rows side by side, leaves out runs of 64 frames whose
//! bounding box is too far, and goes on to the other coordinates only for rows that can still win. A winner is
//! measured on its original numbers, so results equal those of brute force, ties included (the earlier row wins).
//!
//! Rotating rounds: a coordinate is off by at most δ in total length, so a row is given up only where its partial
//! distance exceeds the best by more than δ.
//!
//! Cheaper and less exact, each by a stated measure: [`Searcher::near_enough`] (no farther than `1 + ε` times the nearest, as Arya and Mount's trees),
//! [`PoseDatabase::key_frames`] (key frames only, no farther than the tolerance more), [`SplitIndex`] (joint by joint, no promise).

mod keys;
mod principal;
mod searcher;
mod split;

pub use searcher::{Room, Searcher};
pub use split::SplitIndex;

use crate::Clip;
use crate::features::{FeatureError, FeatureLayout, FeatureOptions};
use principal::principal_axes;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Leading coordinates looked at for every row.
const LEAD: usize = 8;
/// Rows measured side by side.
const LANES: usize = 8;
/// Rows under one bounding box.
const RUN: usize = 64;

/// A frame of a clip in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId {
    /// Number of the clip, in the order given.
    pub clip: usize,
    /// Frame of the clip.
    pub frame: usize,
}

/// A found frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Which frame.
    pub id: FrameId,
    /// Weighted Euclidean distance of the features (metres for positions).
    pub distance: f64,
}

/// Which frames may be found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Allowed clips by number; `None` allows all.
    clips: Option<Vec<bool>>,
    /// Allowed part of every clip, as shares of its frames; `None` allows all of it.
    part: Option<(f64, f64)>,
}

impl Filter {
    /// Every frame.
    pub const ALL: Self = Self { clips: None, part: None };

    /// Only the frames between two shares of each clip, such as `0.0..0.3` for beginnings.
    #[must_use]
    pub fn within(mut self, part: Range<f64>) -> Self {
        self.part = Some((part.start, part.end));
        self
    }
}

/// Rows that do not make a database.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// A clip without features.
    #[error("clip {clip:?}: {source}")]
    Features {
        /// Name of the clip.
        clip: String,
        /// What is missing.
        source: FeatureError,
    },
    /// Rows of another length, or numbers that are not finite or absurdly large.
    #[error("expected {width} numbers below 1e15 per row, found row {row} to differ")]
    Row {
        /// Expected length.
        width: usize,
        /// The first wrong row.
        row: usize,
    },
    /// More rows than the index can number.
    #[error("expected at least one number per row and at most 4 billion rows")]
    Size,
}

/// What is known of a clip in the database.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    tags: Vec<String>,
    rows: Range<usize>,
    /// Frames it has, with or without a row.
    frames: usize,
}

/// Principal axes of a table, for others that are much alike: finding them is most of what it takes to make a small database.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// Mean of the rows.
    mean: Arc<[f64]>,
    /// Orthonormal, most important first, one per as many numbers as a row has.
    along: Arc<[f64]>,
}

/// Feature rows of many clips, prepared for search.
#[derive(Clone, Debug)]
pub struct PoseDatabase {
    width: usize,
    entries: Vec<Entry>,
    /// Clip and frame of every row; frames grow within a clip.
    clip_of_row: Vec<u32>,
    frame_of_row: Vec<u32>,
    /// Original rows.
    rows: Vec<f32>,
    /// Along which the rows are looked at.
    axes: Axes,
    /// First coordinates along the axes in groups of `LANES` rows: coordinate 0 of all lanes, coordinate 1, …
    lead: Vec<f32>,
    /// The other coordinates row by row, padded to multiples of 8.
    tail: Vec<f32>,
    /// Padded length of a row of `tail`.
    tail_width: usize,
    /// Lower and upper corner of the leading coordinates for every run of rows.
    boxes: Vec<[[f32; LEAD]; 2]>,
    /// Greatest rounding of a rotated row and query, in units of distance per length of the longer of both.
    rounding: f32,
    /// Length of the longest row from the mean.
    reach: f32,
}

impl PoseDatabase {
    /// Features of every frame of the clips, each on its own skeleton.
    ///
    /// # Errors
    /// A clip whose joints are not known by name.
    pub fn new(clips: &[Clip], options: &FeatureOptions) -> Result<Self, DatabaseError> {
        let mut tables = Vec::with_capacity(clips.len());
        let mut width = 3 * crate::features::N_POINTS * options.window.len();
        for clip in clips {
            let layout = FeatureLayout::new(clip.skeleton(), options.clone())
                .map_err(|source| DatabaseError::Features { clip: clip.name.clone(), source })?;
            width = layout.width();
            tables.push((layout.of_clip(clip), clip.tags.clone()));
        }
        Self::from_rows(width, tables)
    }

    /// A database of ready-made rows: per clip its numbers, frame by frame, and tags.
    ///
    /// # Errors
    /// Tables that are not whole rows of finite numbers.
    pub fn from_rows(width: usize, tables: Vec<(Vec<f32>, Vec<String>)>) -> Result<Self, DatabaseError> {
        Self::made(width, tables, None)
    }

    /// The same along the axes of another database. Answers do not depend on axes, only the time they take.
    ///
    /// # Errors
    /// Tables that are not whole rows of finite numbers, as long as those of the other database.
    pub fn from_rows_along(axes: &Axes, tables: Vec<(Vec<f32>, Vec<String>)>) -> Result<Self, DatabaseError> {
        Self::made(axes.mean.len(), tables, Some(axes))
    }

    fn made(
        width: usize,
        tables: Vec<(Vec<f32>, Vec<String>)>,
        axes: Option<&Axes>,
    ) -> Result<Self, DatabaseError> {
        let total: usize = tables.iter().map(|t| t.0.len()).sum();
        if width == 0 || total / width.max(1) > u32::MAX as usize {
            return Err(DatabaseError::Size);
        }
        let (mut rows, mut entries) = (Vec::with_capacity(total), Vec::new());
        let (mut clip_of_row, mut frame_of_row) = (Vec::new(), Vec::new());
        for (clip, (table, tags)) in tables.into_iter().enumerate() {
            let start = rows.len() / width;
            let wrong = table
                .iter()
                .position(|v| !in_range(*v))
                .or((table.len() % width != 0).then_some(table.len()));
            if let Some(place) = wrong {
                return Err(DatabaseError::Row { width, row: start + place / width });
            }
            rows.extend(table);
            let end = rows.len() / width;
            clip_of_row.extend(std::iter::repeat_n(clip as u32, end - start));
            frame_of_row.extend(0..(end - start) as u32);
            entries.push(Entry { tags, rows: start..end, frames: end - start });
        }
        let axes = axes.cloned().unwrap_or_else(|| Axes::of(&rows, width));
        Ok(Self::index(width, rows, entries, clip_of_row, frame_of_row, axes))
    }

    /// Rotates the rows and draws the boxes.
    fn index(
        width: usize,
        rows: Vec<f32>,
        entries: Vec<Entry>,
        clip_of_row: Vec<u32>,
        frame_of_row: Vec<u32>,
        axes: Axes,
    ) -> Self {
        let n = clip_of_row.len();
        let tail_width = width.saturating_sub(LEAD).next_multiple_of(8);
        let mut lead = vec![0.0; n.div_ceil(LANES) * LANES * LEAD];
        let mut tail = vec![0.0; n * tail_width];
        let mut boxes = vec![[[f32::INFINITY; LEAD], [f32::NEG_INFINITY; LEAD]]; n.div_ceil(RUN)];
        let mut rotated = vec![0.0; width];
        let mut reach = 0.0f32;
        for row in 0..n {
            project(&rows[row * width..(row + 1) * width], &axes, &mut rotated);
            reach = reach.max(rotated.iter().map(|v| v * v).sum::<f32>().sqrt());
            for (c, &value) in rotated.iter().enumerate() {
                if c < LEAD {
                    lead[(row / LANES * LEAD + c) * LANES + row % LANES] = value;
                    let [low, high] = &mut boxes[row / RUN];
                    (low[c], high[c]) = (low[c].min(value), high[c].max(value));
                } else {
                    tail[row * tail_width + c - LEAD] = value;
                }
            }
            let [low, high] = &mut boxes[row / RUN];
            for c in width..LEAD {
                (low[c], high[c]) = (0.0, 0.0);
            }
        }
        // Each of `width` coordinates rounds to f32, and so does every one of the sums: well below this.
        let rounding = 4.0 * f32::EPSILON * (width as f32).sqrt();
        Self {
            width,
            entries,
            clip_of_row,
            frame_of_row,
            rows,
            axes,
            lead,
            tail,
            tail_width,
            boxes,
            rounding,
            reach,
        }
    }

    /// Its axes.
    pub const fn axes(&self) -> &Axes {
        &self.axes
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.clip_of_row.len()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.clip_of_row.is_empty()
    }

    /// Length of a feature vector.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The features of a frame; `None` where it does not exist.
    pub fn features(&self, id: FrameId) -> Option<&[f32]> {
        let rows = &self.entries.get(id.clip)?.rows;
        let frames = &self.frame_of_row[rows.clone()];
        let row = rows.start + frames.binary_search(&u32::try_from(id.frame).ok()?).ok()?;
        Some(self.row(row))
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.rows[row * self.width..(row + 1) * self.width]
    }

    /// Clips with this tag.
    pub fn with_tag(&self, tag: &str) -> Filter {
        let clips = self.entries.iter().map(|e| e.tags.iter().any(|t| t == tag)).collect();
        Filter { clips: Some(clips), part: None }
    }

    /// Clips of these numbers.
    pub fn with_clips(&self, clips: &[usize]) -> Filter {
        let allowed = (0..self.entries.len()).map(|c| clips.contains(&c)).collect();
        Filter { clips: Some(allowed), part: None }
    }

    /// A search with room of its own, so that queries allocate nothing.
    pub fn searcher(&self) -> Searcher<'_> {
        Searcher::new(self)
    }

    /// The nearest frame by measuring every row: what the fast search must equal.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn brute_force(&self, query: &[f32], k: usize, filter: &Filter) -> Vec<Match> {
        assert_eq!(query.len(), self.width, "the query must have the database's width");
        let mut all: Vec<(f64, usize)> = (0..self.len())
            .filter(|&row| self.allows(filter, row))
            .map(|row| (self.square_distance(row, query), row))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(k);
        all.into_iter().map(|(square, row)| self.found(square, row)).collect()
    }

    /// Squared distance on the original numbers.
    fn square_distance(&self, row: usize, query: &[f32]) -> f64 {
        self.row(row).iter().zip(query).map(|(&a, &b)| f64::from(a) - f64::from(b)).map(|d| d * d).sum()
    }

    fn allows(&self, filter: &Filter, row: usize) -> bool {
        let clip = self.clip_of_row[row] as usize;
        let part = filter.part.is_none_or(|(start, end)| {
            let share = f64::from(self.frame_of_row[row]) / self.entries[clip].frames as f64;
            (start..end).contains(&share)
        });
        part && filter.clips.as_ref().is_none_or(|clips| clips.get(clip) == Some(&true))
    }

    fn found(&self, square: f64, row: usize) -> Match {
        let clip = self.clip_of_row[row] as usize;
        Match { id: FrameId { clip, frame: self.frame_of_row[row] as usize }, distance: square.sqrt() }
    }
}

/// Numbers whose squares and sums stay finite in f32.
fn in_range(value: f32) -> bool {
    value.abs() < 1e15
}

impl Axes {
    fn of(rows: &[f32], width: usize) -> Self {
        let (mean, along) = principal_axes(rows, width);
        Self { mean: mean.into(), along: along.into() }
    }
}

/// Coordinates along the axes of a row's difference from the mean.
fn project(row: &[f32], axes: &Axes, out: &mut [f32]) {
    for (value, axis) in out.iter_mut().zip(axes.along.chunks_exact(axes.mean.len())) {
        let terms = row.iter().zip(&*axes.mean).zip(axis);
        *value = terms.map(|((&x, m), a)| (f64::from(x) - m) * a).sum::<f64>() as f32;
    }
}
