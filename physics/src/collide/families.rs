//! Broad phase of families: colliders that never touch each other are swept as one.
//!
//! The bones of a character lie in each other's boxes all the time, and without self-collision none of those pairs is
//! wanted. So the sweep sees one box around the family, and looks at its members only where that box meets another.

use super::{Aabb, Collider, SweepAndPrune};

/// Moving colliders by family; one without a family is a family of its own. Numbers are places in the list of
/// moving colliders.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Families {
    members: Vec<u32>,
    /// Where each family begins in `members`, and the end of the last.
    starts: Vec<u32>,
}

impl Families {
    pub(super) fn new(list: &[Collider], moving: &[u32]) -> Self {
        let mut members: Vec<u32> = (0..moving.len() as u32).collect();
        // Those without a family stay apart by their own number.
        let key = |m: u32| {
            let collider = &list[moving[m as usize] as usize];
            (collider.family.is_none(), collider.family.unwrap_or(m))
        };
        members.sort_by_key(|&m| (key(m), m));
        let is_first = |k: usize| k == 0 || key(members[k]) != key(members[k - 1]);
        let mut starts: Vec<u32> = (0..members.len()).filter(|&k| is_first(k)).map(|k| k as u32).collect();
        starts.push(members.len() as u32);
        Self { members, starts }
    }

    fn of(&self, family: usize) -> &[u32] {
        &self.members[self.starts[family] as usize..self.starts[family + 1] as usize]
    }

    /// Calls `found` once for every pair of overlapping boxes of two families. `around` is memory for their boxes.
    pub(super) fn find_pairs(
        &self,
        boxes: &[Aabb],
        around: &mut Vec<Aabb>,
        sweep: &mut SweepAndPrune,
        mut found: impl FnMut(u32, u32),
    ) {
        around.clear();
        around.extend((0..self.starts.len().saturating_sub(1)).map(|family| match self.of(family) {
            [only] => boxes[*only as usize],
            members => members.iter().fold(Aabb::EMPTY, |all, &m| all.union(&boxes[m as usize])),
        }));
        sweep.find_pairs(around, |f, g| {
            let (few, many) = (self.of(f as usize), self.of(g as usize));
            if let ([a], [b]) = (few, many) {
                found(*a, *b);
                return;
            }
            for &a in few.iter().filter(|&&a| boxes[a as usize].overlaps(&around[g as usize])) {
                for &b in many.iter().filter(|&&b| boxes[a as usize].overlaps(&boxes[b as usize])) {
                    found(a, b);
                }
            }
        });
    }
}
