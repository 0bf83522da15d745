//! Mandel's speed trick, for comparison: look for the nearest frames of each joint separately in its three dimensions,
//! and re-rank the frames that turn up by the full distance. Approximate, because the best frame on the whole need not
//! be among the best of any joint.

use super::{Filter, Match, PoseDatabase};

/// A tree of points per joint: median splits on the three coordinates in turn.
#[derive(Clone, Debug)]
pub struct SplitIndex<'a> {
    database: &'a PoseDatabase,
    /// Per joint its rows in tree order: the middle of each range is its root.
    trees: Vec<Vec<u32>>,
}

impl<'a> SplitIndex<'a> {
    /// Builds a tree for every three numbers of a row.
    pub fn new(database: &'a PoseDatabase) -> Self {
        let trees = (0..database.width / 3)
            .map(|joint| {
                let mut rows: Vec<u32> = (0..database.len() as u32).collect();
                let mut ranges = vec![(0, rows.len(), 0)];
                while let Some((start, end, axis)) = ranges.pop() {
                    if end - start < 2 {
                        continue;
                    }
                    let middle = (start + end) / 2;
                    let key = |row: &u32| database.rows[*row as usize * database.width + 3 * joint + axis];
                    rows[start..end].select_nth_unstable_by(middle - start, |a, b| {
                        key(a).total_cmp(&key(b)).then(a.cmp(b))
                    });
                    ranges.push((start, middle, (axis + 1) % 3));
                    ranges.push((middle + 1, end, (axis + 1) % 3));
                }
                rows
            })
            .collect();
        Self { database, trees }
    }

    /// The best frame among the `candidates` nearest of every joint, measured by the full distance.
    ///
    /// # Panics
    /// Where the query has another length than the rows.
    pub fn nearest(&self, query: &[f32], candidates: usize, filter: &Filter) -> Option<Match> {
        assert_eq!(query.len(), self.database.width, "the query must have the database's width");
        let mut found: Vec<u32> = Vec::new();
        for (joint, tree) in self.trees.iter().enumerate() {
            let mut near = Nearest {
                index: self,
                joint,
                query: &query[3 * joint..3 * joint + 3],
                k: candidates,
                best: Vec::new(),
            };
            near.descend(tree, 0, filter);
            found.extend(near.best.iter().map(|b| b.1));
        }
        found.sort_unstable();
        found.dedup();
        let ranked =
            found.iter().map(|&row| (self.database.square_distance(row as usize, query), row as usize));
        let best = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        best.map(|(square, row)| self.database.found(square, row))
    }
}

/// The nearest rows of one joint while its tree is searched.
struct Nearest<'a> {
    index: &'a SplitIndex<'a>,
    joint: usize,
    query: &'a [f32],
    k: usize,
    best: Vec<(f32, u32)>,
}

impl Nearest<'_> {
    /// Depth is the logarithm of the number of rows, so recursion is safe.
    fn descend(&mut self, rows: &[u32], axis: usize, filter: &Filter) {
        let middle = rows.len() / 2;
        let Some(&row) = rows.get(middle) else { return };
        let db = self.index.database;
        let point = &db.rows[row as usize * db.width + 3 * self.joint..][..3];
        let away = point.iter().zip(self.query).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        if away < self.limit() && db.allows(filter, row as usize) {
            let place = self.best.partition_point(|b| b.0 <= away);
            self.best.truncate(self.k.saturating_sub(1));
            self.best.insert(place.min(self.best.len()), (away, row));
        }
        let side = self.query[axis] - point[axis];
        let (near, far) = (&rows[..middle], &rows[middle + 1..]);
        let (near, far) = if side < 0.0 { (near, far) } else { (far, near) };
        self.descend(near, (axis + 1) % 3, filter);
        if side * side < self.limit() {
            self.descend(far, (axis + 1) % 3, filter);
        }
    }

    fn limit(&self) -> f32 {
        if self.k == 0 {
            return 0.0;
        }
        if self.best.len() < self.k { f32::INFINITY } else { self.best[self.k - 1].0 }
    }
}
