//! Databases of any size, made of the library's clips, and queries that are in none of them.

use stuntlab_mocap::Clip;
use stuntlab_mocap::edit::mirror;
use stuntlab_mocap::features::FeatureOptions;
use stuntlab_mocap::library;
use stuntlab_mocap::search::{FrameId, PoseDatabase};

use crate::random::Random;

/// How far a take is from its clip, of the way to another pose.
const APART: f64 = 0.2;
/// Noise of a frame, m: what markers are off.
const NOISE: f64 = 0.005;
/// Queries.
const QUERIES: usize = 200;

/// A database and what is asked of it.
pub(super) struct Takes {
    pub(super) database: PoseDatabase,
    /// One row after another.
    pub(super) queries: Vec<f32>,
}

/// Clips as rows.
struct Source {
    database: PoseDatabase,
    frames: Vec<usize>,
}

impl Source {
    fn row(&self, clip: usize, frame: usize) -> &[f32] {
        self.database.features(FrameId { clip, frame }).unwrap_or(&[])
    }

    /// A frame of any clip.
    fn any(&self, random: &mut Random) -> (usize, usize) {
        let clip = random.below(self.frames.len());
        (clip, random.below(self.frames[clip]))
    }

    /// A frame of a take that is off its clip towards `other`.
    fn write(&self, frame: (usize, usize), other: &[f32], random: &mut Random, out: &mut Vec<f32>) {
        for (a, b) in self.row(frame.0, frame.1).iter().zip(other) {
            let (a, b) = (f64::from(*a), f64::from(*b));
            out.push((a + APART * (b - a) + NOISE * normal(random)) as f32);
        }
    }
}

/// The sum of twelve even numbers less their mean: normal enough for noise.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.between(-0.5, 0.5)).sum()
}

/// So many frames, and queries; `None` where the library's clips have no features, which they have.
pub(super) fn make(frames: usize) -> Option<Takes> {
    let clips: Vec<Clip> = library::names()
        .filter_map(|name| library::clip(name).ok())
        .flat_map(|clip| [mirror(&clip), clip])
        .collect();
    let database = PoseDatabase::new(&clips, &FeatureOptions::default()).ok()?;
    let source = Source { frames: clips.iter().map(Clip::n_frames).collect(), database };
    let width = source.database.width();
    let mut random = Random::named(1, "search-study");
    let mut tables = Vec::new();
    let mut left = frames;
    while left > 0 {
        let (clip, _) = source.any(&mut random);
        let (c, f) = source.any(&mut random);
        let other = source.row(c, f);
        let n = source.frames[clip].min(left);
        let mut rows = Vec::with_capacity(n * width);
        for frame in 0..n {
            source.write((clip, frame), other, &mut random, &mut rows);
        }
        tables.push((rows, Vec::new()));
        left -= n;
    }
    let mut random = Random::named(2, "search-study");
    let mut queries = Vec::with_capacity(QUERIES * width);
    for _ in 0..QUERIES {
        let (c, f) = source.any(&mut random);
        let frame = source.any(&mut random);
        source.write(frame, source.row(c, f), &mut random, &mut queries);
    }
    Some(Takes { database: PoseDatabase::from_rows(width, tables).ok()?, queries })
}
