//! Key frames: the few frames of a clip that stand for all of it.

use std::ops::Range;

use super::{Entry, FrameId, PoseDatabase};

impl PoseDatabase {
    /// A database of key frames only: from each clip its first frame, and every frame that is farther than `tolerance` from the key before it. So every frame is
    /// within the tolerance of a key, and the nearest key of any query is at most the tolerance farther than its nearest frame.
    #[must_use]
    pub fn key_frames(&self, tolerance: f64) -> Self {
        let (mut rows, mut entries) = (Vec::new(), Vec::with_capacity(self.entries.len()));
        let (mut clip_of_row, mut frame_of_row) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            let start = frame_of_row.len();
            let mut key: Option<usize> = None;
            for row in entry.rows.clone() {
                let is_near = |key| self.square_distance(row, self.row(key)) <= tolerance * tolerance;
                if key.is_some_and(is_near) {
                    continue;
                }
                key = Some(row);
                rows.extend_from_slice(self.row(row));
                clip_of_row.push(self.clip_of_row[row]);
                frame_of_row.push(self.frame_of_row[row]);
            }
            let Entry { tags, frames, .. } = entry.clone();
            entries.push(Entry { tags, rows: start..frame_of_row.len(), frames });
        }
        Self::index(self.width, rows, entries, clip_of_row, frame_of_row, self.axes.clone())
    }

    /// The frames of a clip between the rows on either side of a frame's, those without: what a key frame stands for, before it and after it.
    pub fn between(&self, id: FrameId) -> Range<usize> {
        let Some(entry) = self.entries.get(id.clip) else { return 0..0 };
        let frames = &self.frame_of_row[entry.rows.clone()];
        let from = frames.partition_point(|f| (*f as usize) < id.frame);
        let to = frames.partition_point(|f| (*f as usize) <= id.frame);
        let before = from.checked_sub(1).map_or(0, |k| frames[k] as usize + 1);
        let after = frames.get(to).map_or(entry.frames, |f| *f as usize);
        before..after
    }
}
