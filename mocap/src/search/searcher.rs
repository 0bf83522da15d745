//! The search itself: leading coordinates of all rows first, the others of rows that can still win.

use super::{Filter, LANES, LEAD, Match, PoseDatabase, RUN, in_range, project};

/// Working memory of searches over a database, for who keeps the database elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Rotated query: leading coordinates, then the padded tail.
    query: Vec<f32>,
    /// The nearest so far, sorted: squared distance and row.
    best: Vec<(f64, usize)>,
}

impl Room {
    /// For searches of up to `k` nearest.
    pub fn new(database: &PoseDatabase, k: usize) -> Self {
        Self { query: vec![0.0; LEAD + database.tail_width], best: Vec::with_capacity(k + 1) }
    }

    /// A search of this database in this room, which it gives back by [`Searcher::leave`].
    pub fn enter(self, database: &PoseDatabase) -> Searcher<'_> {
        let Self { mut query, best } = self;
        query.resize(LEAD + database.tail_width, 0.0);
        Searcher { database, query, best }
    }
}

/// A search over a database, with its working memory.
#[derive(Clone, Debug)]
pub struct Searcher<'a> {
    database: &'a PoseDatabase,
    /// Rotated query: leading coordinates, then the padded tail.
    query: Vec<f32>,
    /// The nearest so far, sorted: squared distance and row.
    best: Vec<(f64, usize)>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(database: &'a PoseDatabase) -> Self {
        Self { database, query: vec![0.0; LEAD + database.tail_width], best: Vec::new() }
    }

    /// Its working memory, for the next search.
    pub fn leave(self) -> Room {
        Room { query: self.query, best: self.best }
    }

    /// The nearest allowed frame; `None` where no frame is allowed or the query is not finite.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn nearest(&mut self, query: &[f32], filter: &Filter) -> Option<Match> {
        self.search(query, 1, 1.0, filter);
        self.best.first().map(|&(square, row)| self.database.found(square, row))
    }

    /// The `k` nearest allowed frames, nearest first, written to `out`.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn k_nearest(&mut self, query: &[f32], k: usize, filter: &Filter, out: &mut Vec<Match>) {
        self.search(query, k, 1.0, filter);
        out.clear();
        out.extend(self.best.iter().map(|&(square, row)| self.database.found(square, row)));
    }

    /// The same, added to what is in `out` already.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn k_nearest_more(&mut self, query: &[f32], k: usize, filter: &Filter, out: &mut Vec<Match>) {
        self.search(query, k, 1.0, filter);
        out.extend(self.best.iter().map(|&(square, row)| self.database.found(square, row)));
    }

    /// A frame no farther than `1 + epsilon` times the nearest: whole runs are left out sooner. The nearest, where `epsilon` is zero or less.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn near_enough(&mut self, query: &[f32], epsilon: f64, filter: &Filter) -> Option<Match> {
        self.search(query, 1, 1.0 / (1.0 + epsilon.max(0.0)), filter);
        self.best.first().map(|&(square, row)| self.database.found(square, row))
    }

    /// Fills `best` with the nearest, giving up what is farther than this `share` of the farthest of them.
    fn search(&mut self, query: &[f32], k: usize, share: f64, filter: &Filter) {
        let db = self.database;
        assert_eq!(query.len(), db.width, "the query must have the database's width");
        self.best.clear();
        if k == 0 || db.is_empty() || !query.iter().all(|v| in_range(*v)) {
            return;
        }
        project(query, &db.axes, &mut self.query[..db.width]);
        let length = self.query[..db.width].iter().map(|v| v * v).sum::<f32>().sqrt();
        let slack = db.rounding * (length + db.reach);
        let lead: [f32; LEAD] = core::array::from_fn(|c| self.query[c]);

        // The nearest box first: it makes the limit tight for all others.
        let bounds = db.boxes.iter().map(|b| box_distance(b, &lead));
        let nearest = bounds.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |b| b.0);
        let mut limit = f32::INFINITY;
        self.search_run(nearest, &lead, query, k, share, filter, slack, &mut limit);
        for run in (0..db.boxes.len()).filter(|&run| run != nearest) {
            if box_distance(&db.boxes[run], &lead) <= limit {
                self.search_run(run, &lead, query, k, share, filter, slack, &mut limit);
            }
        }
    }

    /// Looks at the rows of one run. `limit` is the largest squared rotated distance a row may have.
    fn search_run(
        &mut self,
        run: usize,
        lead: &[f32; LEAD],
        query: &[f32],
        k: usize,
        share: f64,
        filter: &Filter,
        slack: f32,
        limit: &mut f32,
    ) {
        let db = self.database;
        let end = ((run + 1) * RUN).min(db.len());
        for group in run * RUN / LANES..end.div_ceil(LANES) {
            let partial = lead_distances(&db.lead[group * LANES * LEAD..(group + 1) * LANES * LEAD], lead);
            if partial.iter().all(|&d| d > *limit) {
                continue;
            }
            for (lane, &distance) in partial.iter().enumerate() {
                let row = group * LANES + lane;
                if row >= end || distance > *limit || !db.allows(filter, row) {
                    continue;
                }
                let tail = &db.tail[row * db.tail_width..(row + 1) * db.tail_width];
                let tail_query = &self.query[LEAD..LEAD + db.tail_width];
                if !within(distance, tail, tail_query, *limit) {
                    continue;
                }
                let candidate = (db.square_distance(row, query), row);
                let place = self.best.partition_point(|b| *b < candidate);
                if place < k {
                    self.best.truncate(k - 1);
                    self.best.insert(place.min(self.best.len()), candidate);
                    if self.best.len() == k {
                        let worst = (share * self.best[k - 1].0.sqrt()) as f32 + slack;
                        *limit = worst * worst * (1.0 + 1e-5);
                    }
                }
            }
        }
    }
}

/// Squared distance of a point to a box.
#[inline]
fn box_distance([low, high]: &[[f32; LEAD]; 2], point: &[f32; LEAD]) -> f32 {
    let mut sum = 0.0;
    for c in 0..LEAD {
        let outside = (low[c] - point[c]).max(point[c] - high[c]).max(0.0);
        sum += outside * outside;
    }
    sum
}

/// Squared distances of eight rows over the leading coordinates.
#[inline]
fn lead_distances(group: &[f32], query: &[f32; LEAD]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    for (lanes, &q) in group.chunks_exact(LANES).zip(query) {
        for (sum, &value) in sums.iter_mut().zip(lanes) {
            let d = value - q;
            *sum += d * d;
        }
    }
    sums
}

/// Whether the distance stays within the limit over the other coordinates; gives up early.
#[inline]
fn within(start: f32, row: &[f32], query: &[f32], limit: f32) -> bool {
    let mut sum = start;
    for (a, b) in row.chunks_exact(8).zip(query.chunks_exact(8)) {
        let mut lanes = [0.0f32; 8];
        for i in 0..8 {
            let d = a[i] - b[i];
            lanes[i] = d * d;
        }
        sum +=
            (lanes[0] + lanes[4]) + (lanes[1] + lanes[5]) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
        if sum > limit {
            return false;
        }
    }
    true
}
