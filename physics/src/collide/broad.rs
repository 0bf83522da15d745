//! Broad phase: which boxes overlap, by sweep and prune.
//!
//! Boxes are kept sorted by their lower end along the axis on which their centres spread most; a sweep then compares
//! each box only with those that begin before it ends (Cohen et al. 1995, "I-COLLIDE"). Between steps the order hardly
//! changes, so insertion sort repairs it in O(n); after a jump (many shifts) a full sort takes over.
//!
//! Measured against a bounding volume hierarchy rebuilt per step (the `collide_speed` example prints both).

use super::Aabb;

/// Persistent order of a set of moving boxes.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    axis: usize,
    /// In sweep order: bounds along the axis, then across it, and the box's index.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    low: f64,
    high: f64,
    /// Bounds on the other two axes.
    across: [f64; 4],
    index: u32,
}

impl SweepAndPrune {
    /// An empty order; it grows to the number of boxes at the first call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `found(i, j)` with `i < j` once for every pair of overlapping boxes, in an order that depends on the
    /// boxes alone.
    pub fn find_pairs(&mut self, boxes: &[Aabb], mut found: impl FnMut(u32, u32)) {
        self.refresh(boxes);
        let entries = &self.entries[..];
        for (k, a) in entries.iter().enumerate() {
            for b in &entries[k + 1..] {
                if b.low > a.high {
                    break;
                }
                // Bitwise, not short-circuit: four cheap compares beat a mispredicted branch.
                let apart = (a.across[0] > b.across[1])
                    | (b.across[0] > a.across[1])
                    | (a.across[2] > b.across[3])
                    | (b.across[2] > a.across[3]);
                if !apart {
                    found(a.index.min(b.index), a.index.max(b.index));
                }
            }
        }
    }

    fn refresh(&mut self, boxes: &[Aabb]) {
        let mut full_sort = self.entries.len() != boxes.len();
        if full_sort {
            self.entries.clear();
            let blank = Entry { low: 0.0, high: 0.0, across: [0.0; 4], index: 0 };
            self.entries.extend((0..boxes.len() as u32).map(|index| Entry { index, ..blank }));
        }
        let axis = widest_axis(boxes, self.axis);
        full_sort |= axis != self.axis;
        self.axis = axis;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for entry in &mut self.entries {
            let b = &boxes[entry.index as usize];
            if is_nothing(b) && entry.low == f64::INFINITY {
                // As before: it begins where nothing ends.
                continue;
            }
            entry.low = b.min[axis];
            entry.high = b.max[axis];
            entry.across = [b.min[u], b.max[u], b.min[v], b.max[v]];
        }
        if full_sort || !self.insertion_sort() {
            self.entries.sort_unstable_by(|a, b| a.low.total_cmp(&b.low).then(a.index.cmp(&b.index)));
        }
    }

    /// Repairs an almost sorted order; gives up (returning false) after more shifts than a full sort is worth.
    fn insertion_sort(&mut self) -> bool {
        let mut budget = 16 * self.entries.len();
        for k in 1..self.entries.len() {
            let entry = self.entries[k];
            let mut at = k;
            while at > 0 {
                let before = &self.entries[at - 1];
                if before.low < entry.low || (before.low == entry.low && before.index < entry.index) {
                    break;
                }
                self.entries[at] = *before;
                at -= 1;
            }
            self.entries[at] = entry;
            if k - at > budget {
                return false;
            }
            budget -= k - at;
        }
        true
    }
}

/// Whether a box is that of nothing.
#[inline]
fn is_nothing(b: &Aabb) -> bool {
    b.min.x == f64::INFINITY
}

/// Axis on which the centres vary most; the present one unless another is clearly wider.
fn widest_axis(boxes: &[Aabb], present: usize) -> usize {
    let mut n = 0.0;
    let (mut sum, mut square) = (glam::DVec3::ZERO, glam::DVec3::ZERO);
    for b in boxes.iter().filter(|b| !is_nothing(b)) {
        let center = b.min + b.max;
        if !center.is_finite() {
            continue;
        }
        n += 1.0;
        sum += center;
        square += center * center;
    }
    let n = f64::max(n, 1.0);
    let variance = square / n - (sum / n) * (sum / n);
    let best = variance.max_position();
    if variance[best] > 1.5 * variance[present] { best } else { present }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use proptest::prelude::*;

    fn brute(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(&boxes[j]) {
                    pairs.push((i as u32, j as u32));
                }
            }
        }
        pairs
    }

    proptest! {
        #[test]
        fn finds_the_pairs_of_a_double_loop_while_boxes_move(
            starts in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f64), 0..40),
            moves in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 1..6),
        ) {
            let mut sweep = SweepAndPrune::new();
            for (step, shift) in moves.iter().enumerate() {
                let boxes: Vec<Aabb> = starts.iter().enumerate().map(|(k, p)| {
                    // Every box moves its own way, some far.
                    let own = DVec3::from_array(*shift) * ((k * 7 + step * 3) % 11) as f64;
                    let min = DVec3::from_array(*p) + own;
                    Aabb { min, max: min + DVec3::new(0.5, 0.7, 0.3) * (1 + k % 3) as f64 }
                }).collect();
                let mut pairs = Vec::new();
                sweep.find_pairs(&boxes, |a, b| pairs.push((a, b)));
                pairs.sort_unstable();
                prop_assert_eq!(pairs, brute(&boxes));
            }
        }
    }
}
