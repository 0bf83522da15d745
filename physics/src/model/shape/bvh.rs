//! A static bounding volume hierarchy: built once, asked often.
//!
//! Nodes are split at the median of the widest axis of their centres, so the depth is log2(n) whatever the input.
//! Stored depth-first: a node's first child follows it, its second is found by index. Cost of a query: O(log n + hits).

use glam::DVec3;

use super::Aabb;

/// Items per leaf: a few boxes in a row are cheaper to test than another level.
const LEAF_SIZE: usize = 4;
/// Deep enough for 2^60 items at median splits.
const STACK_SIZE: usize = 64;

/// Hierarchy over a fixed list of boxes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// Items in leaf order.
    items: Vec<u32>,
    /// Their boxes, in the same order.
    boxes: Vec<Aabb>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    aabb: Aabb,
    /// Leaf: first item. Inner node: index of the second child.
    start: u32,
    /// Number of items; 0 for an inner node.
    count: u32,
}

impl Bvh {
    /// Builds the hierarchy over `boxes`; item `i` is `boxes[i]`.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::new();
        if !boxes.is_empty() {
            build(boxes, &mut order, 0, &mut nodes);
        }
        let sorted = order.iter().map(|&i| boxes[i as usize]).collect();
        Self { nodes, items: order, boxes: sorted }
    }

    /// Calls `found` with every item whose box overlaps `aabb`.
    #[inline]
    pub fn query(&self, aabb: &Aabb, mut found: impl FnMut(u32)) {
        let mut stack = [0_u32; STACK_SIZE];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if !node.aabb.overlaps(aabb) {
                continue;
            }
            if node.count == 0 {
                stack[depth] = node.start;
                stack[depth + 1] = index + 1;
                depth += 2;
            } else {
                let range = node.start as usize..(node.start + node.count) as usize;
                for slot in range {
                    if self.boxes[slot].overlaps(aabb) {
                        found(self.items[slot]);
                    }
                }
            }
        }
    }

    /// Calls `test` with the items whose boxes the ray meets before `limit`; `test` returns the new limit.
    pub fn cast_ray(
        &self,
        origin: DVec3,
        direction: DVec3,
        mut limit: f64,
        mut test: impl FnMut(u32, f64) -> f64,
    ) {
        let inverse = direction.recip();
        let mut stack = [0_u32; STACK_SIZE];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            if node.aabb.ray_entry(origin, inverse, limit).is_none() {
                continue;
            }
            if node.count == 0 {
                stack[depth] = node.start;
                stack[depth + 1] = index + 1;
                depth += 2;
            } else {
                for slot in node.start as usize..(node.start + node.count) as usize {
                    if self.boxes[slot].ray_entry(origin, inverse, limit).is_some() {
                        limit = limit.min(test(self.items[slot], limit));
                    }
                }
            }
        }
    }
}

fn build(boxes: &[Aabb], order: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let aabb = order.iter().fold(Aabb::EMPTY, |sum, &i| sum.union(&boxes[i as usize]));
    let own = nodes.len();
    nodes.push(Node { aabb, start: first as u32, count: order.len() as u32 });
    if order.len() <= LEAF_SIZE {
        return;
    }
    let centers = order.iter().map(|&i| boxes[i as usize].center());
    let (low, high) = centers.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), c| (l.min(c), h.max(c)));
    let axis = (high - low).max_position();
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| {
        let (ca, cb) = (boxes[a as usize].center()[axis], boxes[b as usize].center()[axis]);
        ca.total_cmp(&cb).then(a.cmp(&b))
    });
    let (left, right) = order.split_at_mut(middle);
    build(boxes, left, first, nodes);
    let second = nodes.len() as u32;
    build(boxes, right, first + middle, nodes);
    nodes[own].start = second;
    nodes[own].count = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_box() -> impl Strategy<Value = Aabb> {
        (prop::array::uniform3(-5.0..5.0_f64), prop::array::uniform3(0.0..1.0_f64)).prop_map(
            |(corner, size)| {
                let min = DVec3::from_array(corner);
                Aabb { min, max: min + DVec3::from_array(size) }
            },
        )
    }

    proptest! {
        #[test]
        fn finds_what_a_loop_over_all_finds(boxes in prop::collection::vec(any_box(), 0..60), query in any_box()) {
            let mut found = Vec::new();
            Bvh::new(&boxes).query(&query, |i| found.push(i));
            found.sort_unstable();
            let expected: Vec<u32> =
                (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(&query)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
