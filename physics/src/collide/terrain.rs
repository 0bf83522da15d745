//! Heightfields: cells are found by division, so a corner costs the few cells it can reach.
//!
//! Feature ids: faces `2 * sample + which`, edges and peaks `4 * sample + kind`, with a cell numbered by its first sample.

use glam::DVec3;

use super::Aabb;
use super::surface::{Finder, Patch, PatchEdge, PatchPeak, SEAM, beside};
use crate::model::shape::{CONVEX_VERTEX, EDGE_DIAGONAL, EDGE_X, EDGE_Y, Heightfield};

/// Edges that start at a sample: flag, and the step to the sample where they end.
const EDGES: [(u8, usize, usize); 3] = [(EDGE_X, 1, 0), (EDGE_Y, 0, 1), (EDGE_DIAGONAL, 1, 1)];

/// Whether a shape may come within `margin` of a triangle under its box: `lowest(n)` is its least `n · p`. What is
/// farther than that above the planes of all of them touches none.
pub(super) fn may_touch(
    field: &Heightfield,
    aabb: &Aabb,
    margin: f64,
    lowest: impl Fn(DVec3) -> f64,
) -> bool {
    if aabb.min.z > field.height_range()[1] {
        return false;
    }
    let Some((i0, i1, j0, j1)) = field.cells_in(aabb.min, aabb.max) else { return false };
    for j in j0..j1 + 1 {
        for i in i0..i1 + 1 {
            if field.cell_range(i, j)[1] < aabb.min.z {
                continue;
            }
            let a = field.sample(i, j);
            let near = |which: usize| {
                let normal = field.normal(i, j, which);
                lowest(normal) - normal.dot(a) <= margin
            };
            if near(0) || near(1) {
                return true;
            }
        }
    }
    false
}

/// Contacts of a core that may touch the terrain; `lowest(n)` is the core's least `n · p`.
pub(super) fn find(
    finder: &mut Finder,
    field: &Heightfield,
    aabb: &Aabb,
    patch: &mut Patch,
    lowest: impl Fn(DVec3) -> f64,
) {
    let core = finder.core;
    let thickness = core.thickness.max(SEAM * finder.reach);
    let top = gather_features(field, aabb, patch, |edge| {
        !beside(edge, thickness, |n| lowest(n) - n.dot(edge.from))
    });
    // What is higher than this touches nothing of the terrain under the shape.
    let high = top + finder.reach;
    for (k, &corner) in core.vertices.iter().enumerate() {
        if corner.z <= high {
            find_corner(finder, field, patch, k as u32, corner);
        }
    }
    if patch.edges.is_empty() && patch.peaks.is_empty() {
        return;
    }
    for e in 0..core.topology.edges.len() {
        let ends = core.edge(e);
        // The terrain pushes up, so only edges with a face that looks down can be pushed.
        if ends[0].z.min(ends[1].z) <= high
            && core.edge_normals(e).is_none_or(|[left, right]| left.z < 0.0 || right.z < 0.0)
        {
            finder.edge(e, patch, |p| field.height_at(p.x, p.y).is_some_and(|height| p.z < height));
        }
    }
    finder.peaks_in_faces(patch);
}

fn find_corner(finder: &mut Finder, field: &Heightfield, patch: &Patch, k: u32, corner: DVec3) {
    // Below the surface: out of the triangle above, however deep.
    if let Some((i, j, which)) = field.triangle_at(corner.x, corner.y) {
        let normal = field.normal(i, j, which);
        let distance = normal.dot(corner - field.sample(i, j));
        if distance < 0.0 {
            let id = 2 * (j * field.columns() + i) + which;
            finder.corner_face(k, corner, normal, distance, id as u32);
            return;
        }
        // At a height of `z` over the surface it is at least `z / √(1 + slope²)` from all of it.
        if distance > finder.reach * field.steepness() * normal.z {
            return;
        }
    }
    let (low, high) = (corner - DVec3::splat(finder.reach), corner + DVec3::splat(finder.reach));
    let Some((i0, i1, j0, j1)) = field.cells_in(low, high) else { return };
    let mut touched = false;
    for j in j0..j1 + 1 {
        for i in i0..i1 + 1 {
            if field.cell_range(i, j)[1] < low.z {
                continue;
            }
            touched = true;
            let a = field.sample(i, j);
            for which in 0..2 {
                let normal = field.normal(i, j, which);
                let distance = normal.dot(corner - a);
                if (0.0..=finder.reach).contains(&distance)
                    && projects_into(field.spacing(), which, corner - normal * distance - a)
                {
                    let id = 2 * (j * field.columns() + i) + which;
                    finder.corner_face(k, corner, normal, distance, id as u32);
                }
            }
        }
    }
    if !touched {
        return;
    }
    for edge in &patch.edges {
        finder.corner_edge(k, corner, edge);
    }
    for peak in &patch.peaks {
        finder.corner_peak(k, corner, peak.at, patch.spokes_of(peak), peak.id);
    }
}

/// Whether a point of a triangle's plane, given from its cell's first sample, lies in the triangle (up to the seam).
#[inline]
fn projects_into(spacing: f64, which: usize, point: DVec3) -> bool {
    let slack = SEAM * spacing;
    let (x, y) = if which == 0 { (point.x, point.y) } else { (point.y, point.x) };
    y >= -slack && x <= spacing + slack && y <= x + slack
}

/// Calls `visit` with the convex edges in a patch of cells that come near a box.
#[inline]
fn for_convex_edges(
    field: &Heightfield,
    (i, j, flags): (usize, usize, u8),
    aabb: &Aabb,
    mut visit: impl FnMut(PatchEdge),
) {
    let from = field.sample(i, j);
    for (which, (edge, di, dj)) in EDGES.into_iter().enumerate() {
        if flags & edge == 0 {
            continue;
        }
        // Seen from above an edge lies on a line that must cross the box; the loop's cells see to its ends.
        let crosses = match edge {
            EDGE_X => aabb.min.y <= from.y && from.y <= aabb.max.y,
            EDGE_Y => aabb.min.x <= from.x && from.x <= aabb.max.x,
            _ => {
                let across = from.x - from.y;
                aabb.min.x - aabb.max.y <= across && across <= aabb.max.x - aabb.min.y
            }
        };
        if !crosses {
            continue;
        }
        let to = field.sample(i + di, j + dj);
        if from.z.max(to.z) >= aabb.min.z && from.z.min(to.z) <= aabb.max.z {
            let [left, right] = field.edge_normals(i, j, edge);
            let id = 4 * (j * field.columns() + i) + which;
            visit(PatchEdge { from, to, left, right, id: id as u32 });
        }
    }
}

/// Collects the convex edges that matter and the peaks near a box; returns the highest sample of the cells under it.
fn gather_features(
    field: &Heightfield,
    aabb: &Aabb,
    patch: &mut Patch,
    matters: impl Fn(&PatchEdge) -> bool,
) -> f64 {
    patch.clear();
    let mut top = f64::NEG_INFINITY;
    let Some((i0, i1, j0, j1)) = field.cells_in(aabb.min, aabb.max) else { return top };
    for j in j0..j1 + 2 {
        // Edges that lead out of the cells under the box are beside it.
        let in_rows = if j > j1 { !(EDGE_Y | EDGE_DIAGONAL) } else { u8::MAX };
        for i in i0..i1 + 2 {
            let in_columns = if i > i1 { !(EDGE_X | EDGE_DIAGONAL) } else { u8::MAX };
            top = top.max(field.height(i, j));
            let flags = field.flags(i, j) & in_rows & in_columns;
            if flags == 0 {
                continue;
            }
            for_convex_edges(field, (i, j, flags), aabb, |edge| {
                if matters(&edge) {
                    patch.edges.push(edge);
                }
            });
            if flags & CONVEX_VERTEX == 0 {
                continue;
            }
            let at = field.sample(i, j);
            if (Aabb { min: at, max: at }).overlaps(aabb) {
                let start = patch.spokes.len() as u32;
                field.for_spokes(i, j, |spoke| patch.spokes.push(spoke));
                let id = 4 * (j * field.columns() + i) as u32 + 3;
                patch.peaks.push(PatchPeak { at, spokes: [start, patch.spokes.len() as u32], id });
            }
        }
    }
    top
}
