//! Terrain on a regular grid, with what contacts want to know about it worked out once: the range of heights per
//! cell, the face normals, and which edges and samples stick out (only those can push along other directions than
//! the face normals; see `collide/surface.rs`).

use glam::DVec3;

use super::ShapeError;

/// Flag of a sample: the edge from `(i, j)` to `(i+1, j)` is convex.
pub(crate) const EDGE_X: u8 = 1;
/// Flag of a sample: the edge from `(i, j)` to `(i, j+1)` is convex.
pub(crate) const EDGE_Y: u8 = 2;
/// Flag of a sample: the edge from `(i, j)` to `(i+1, j+1)` is convex.
pub(crate) const EDGE_DIAGONAL: u8 = 4;
/// Flag of a sample: it is a peak, some directions are closest to it alone.
pub(crate) const CONVEX_VERTEX: u8 = 8;

/// Sine of the smallest bend that counts as an edge; flatter ones are part of the faces.
const FLAT: f64 = 1e-9;

/// Heights on a regular grid in x and y, two triangles per cell, solid below.
///
/// Sample `(i, j)` lies at `x = (i - (columns-1)/2) * spacing`, `y = (j - (rows-1)/2) * spacing`,
/// `z = heights[j * columns + i]`. A cell's diagonal runs from `(i, j)` to `(i+1, j+1)`; its triangle 0 lies
/// below the diagonal (towards +x), its triangle 1 above (towards +y).
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    columns: usize,
    rows: usize,
    spacing: f64,
    inverse_spacing: f64,
    /// Index coordinates of the middle: `(columns - 1) / 2`, `(rows - 1) / 2`.
    middle: [f64; 2],
    heights: Vec<f64>,
    /// Lowest and highest corner per cell.
    cell_range: Vec<[f64; 2]>,
    /// Unit normals of the two triangles per cell.
    cell_normals: Vec<[DVec3; 2]>,
    /// `EDGE_*` and `CONVEX_VERTEX` per sample.
    flags: Vec<u8>,
    lowest: f64,
    highest: f64,
    /// `√(1 + slope²)` of the steepest triangle.
    steepness: f64,
}

impl Heightfield {
    /// From `columns * rows` heights, x fastest, `spacing` metres apart.
    pub fn new(columns: usize, rows: usize, spacing: f64, heights: Vec<f64>) -> Result<Self, ShapeError> {
        // Feature ids number four things per sample with 32 bits.
        let fits = heights.len() < (u32::MAX / 4) as usize;
        if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(heights.len()) || !fits {
            return Err(ShapeError::Grid { columns, rows, heights: heights.len() });
        }
        super::positive("heightfield", "spacing", spacing)?;
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ShapeError::NotFinite { shape: "heightfield", what: "sample", index });
        }
        let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut field = Self {
            columns,
            rows,
            spacing,
            inverse_spacing: spacing.recip(),
            middle: [(columns - 1) as f64 * 0.5, (rows - 1) as f64 * 0.5],
            heights,
            cell_range: Vec::new(),
            cell_normals: Vec::new(),
            flags: Vec::new(),
            lowest,
            highest,
            steepness: 1.0,
        };
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                let [a, b, c, d] =
                    [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| field.sample(i, j));
                let heights = [a.z, b.z, c.z, d.z];
                let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
                let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                field.cell_range.push([low, high]);
                field.cell_normals.push([
                    (b - a).cross(c - a).normalize_or(DVec3::Z),
                    (c - a).cross(d - a).normalize_or(DVec3::Z),
                ]);
            }
        }
        let least_up = field.cell_normals.iter().flatten().map(|n| n.z).fold(1.0, f64::min);
        field.steepness = least_up.recip();
        field.flags = (0..rows * columns).map(|k| field.find_flags(k % columns, k / columns)).collect();
        Ok(field)
    }

    /// Heights from a function of the sample's x and y.
    pub fn from_fn(
        columns: usize,
        rows: usize,
        spacing: f64,
        height: impl Fn(f64, f64) -> f64,
    ) -> Result<Self, ShapeError> {
        let at = |k: usize, n: usize| (k as f64 - (n.max(1) - 1) as f64 * 0.5) * spacing;
        let heights = (0..columns.saturating_mul(rows))
            .map(|k| height(at(k % columns, columns), at(k / columns, rows)));
        Self::new(columns, rows, spacing, heights.collect())
    }

    /// Number of samples along x (at least 2).
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of samples along y (at least 2).
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Distance between neighbouring samples, metres.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// `columns * rows` heights, x fastest.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Lowest and highest sample.
    pub fn height_range(&self) -> [f64; 2] {
        [self.lowest, self.highest]
    }

    /// How much longer than level the steepest way is, `√(1 + slope²)`.
    #[inline]
    pub(crate) fn steepness(&self) -> f64 {
        self.steepness
    }

    /// Half the size of the covered rectangle along x and y.
    pub fn half_size(&self) -> [f64; 2] {
        [self.middle[0] * self.spacing, self.middle[1] * self.spacing]
    }

    /// Position of sample `(i, j)` in the shape's frame.
    ///
    /// # Panics
    /// If the sample does not exist.
    #[inline]
    pub fn sample(&self, i: usize, j: usize) -> DVec3 {
        DVec3::new(
            (f64::from(i as u32) - self.middle[0]) * self.spacing,
            (f64::from(j as u32) - self.middle[1]) * self.spacing,
            self.heights[j * self.columns + i],
        )
    }

    /// Height of sample `(i, j)`.
    #[inline]
    pub(crate) fn height(&self, i: usize, j: usize) -> f64 {
        self.heights[j * self.columns + i]
    }

    /// Corners of triangle `which` (0 or 1) of cell `(i, j)`, counter-clockwise seen from above.
    #[inline]
    pub fn triangle(&self, i: usize, j: usize, which: usize) -> [DVec3; 3] {
        let (a, c) = (self.sample(i, j), self.sample(i + 1, j + 1));
        if which == 0 { [a, self.sample(i + 1, j), c] } else { [a, c, self.sample(i, j + 1)] }
    }

    /// Height of the surface at `(x, y)` of the shape's frame; `None` beside the terrain.
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let (i, j, which) = self.triangle_at(x, y)?;
        let (a, n) = (self.sample(i, j), self.normal(i, j, which));
        Some(a.z - (n.x * (x - a.x) + n.y * (y - a.y)) / n.z)
    }

    /// Unit normal of the surface at `(x, y)`; `None` beside the terrain.
    pub fn normal_at(&self, x: f64, y: f64) -> Option<DVec3> {
        self.triangle_at(x, y).map(|(i, j, which)| self.normal(i, j, which))
    }

    /// Cell and triangle above or below `(x, y)`.
    #[inline]
    pub(crate) fn triangle_at(&self, x: f64, y: f64) -> Option<(usize, usize, usize)> {
        let [hx, hy] = self.half_size();
        if !(x.abs() <= hx && y.abs() <= hy) {
            return None;
        }
        let (u, v) = (x * self.inverse_spacing + self.middle[0], y * self.inverse_spacing + self.middle[1]);
        let (i, j) = ((u as u32).min(self.columns as u32 - 2), (v as u32).min(self.rows as u32 - 2));
        let above = v - f64::from(j) > u - f64::from(i);
        Some((i as usize, j as usize, usize::from(above)))
    }

    /// Cells whose square meets the rectangle `min..max`: `(i0, i1, j0, j1)` inclusive; `None` beside the terrain.
    #[inline]
    pub(crate) fn cells_in(&self, min: DVec3, max: DVec3) -> Option<(usize, usize, usize, usize)> {
        let [hx, hy] = self.half_size();
        if !(min.x <= hx && max.x >= -hx && min.y <= hy && max.y >= -hy) {
            return None;
        }
        // Casts saturate, so what lies beyond the border counts to the cell at the border.
        let cell = |at: f64, middle: f64, n: usize| {
            ((at * self.inverse_spacing + middle) as u32).min(n as u32 - 2) as usize
        };
        let [mx, my] = self.middle;
        Some((
            cell(min.x, mx, self.columns),
            cell(max.x, mx, self.columns),
            cell(min.y, my, self.rows),
            cell(max.y, my, self.rows),
        ))
    }

    /// Unit normal of a triangle.
    #[inline]
    pub(crate) fn normal(&self, i: usize, j: usize, which: usize) -> DVec3 {
        self.cell_normals[j * (self.columns - 1) + i][which]
    }

    /// Lowest and highest corner of a cell.
    #[inline]
    pub(crate) fn cell_range(&self, i: usize, j: usize) -> [f64; 2] {
        self.cell_range[j * (self.columns - 1) + i]
    }

    /// `EDGE_*` and `CONVEX_VERTEX` of a sample.
    #[inline]
    pub(crate) fn flags(&self, i: usize, j: usize) -> u8 {
        self.flags[j * self.columns + i]
    }

    /// Normals left and right of the edge of kind `edge` that starts at sample `(i, j)`, seen along it.
    ///
    /// Beyond the border there is a wall straight down, so its normal is horizontal.
    #[inline]
    pub(crate) fn edge_normals(&self, i: usize, j: usize, edge: u8) -> [DVec3; 2] {
        let cell = |inside: bool, i: usize, j: usize, which: usize, wall: DVec3| {
            if inside { self.normal(i, j, which) } else { wall }
        };
        match edge {
            EDGE_X => [
                cell(j + 1 < self.rows, i, j, 0, DVec3::Y),
                cell(j > 0, i, j.wrapping_sub(1), 1, DVec3::NEG_Y),
            ],
            EDGE_Y => [
                cell(i > 0, i.wrapping_sub(1), j, 0, DVec3::NEG_X),
                cell(i + 1 < self.columns, i, j, 1, DVec3::X),
            ],
            _ => [self.normal(i, j, 1), self.normal(i, j, 0)],
        }
    }

    /// Calls `visit` with the vectors from sample `(i, j)` to those it shares a triangle with.
    pub(crate) fn for_spokes(&self, i: usize, j: usize, mut visit: impl FnMut(DVec3)) {
        let center = self.sample(i, j);
        for (di, dj) in [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)] {
            let (a, b) = (i.wrapping_add_signed(di), j.wrapping_add_signed(dj));
            if a < self.columns && b < self.rows {
                visit(self.sample(a, b) - center);
            } else {
                visit(DVec3::NEG_Z);
            }
        }
    }

    fn find_flags(&self, i: usize, j: usize) -> u8 {
        let mut flags = 0;
        let (right, up) = (i + 1 < self.columns, j + 1 < self.rows);
        for (edge, exists, di, dj) in
            [(EDGE_X, right, 1, 0), (EDGE_Y, up, 0, 1), (EDGE_DIAGONAL, right && up, 1, 1)]
        {
            if exists {
                let along = (self.sample(i + di, j + dj) - self.sample(i, j)).normalize_or_zero();
                let [left, right] = self.edge_normals(i, j, edge);
                if left.cross(right).dot(along) > FLAT {
                    flags |= edge;
                }
            }
        }
        let mut spokes = [DVec3::ZERO; 6];
        let mut n = 0;
        self.for_spokes(i, j, |spoke| {
            spokes[n] = spoke;
            n += 1;
        });
        if is_peak(&spokes, DVec3::Z) {
            flags |= CONVEX_VERTEX;
        }
        flags
    }
}

/// Whether the outward directions that make no acute angle with any spoke form a cone with an inside.
///
/// The extreme rays of that polar cone are cross products of two spokes; their sum lies in its middle.
pub(super) fn is_peak(spokes: &[DVec3], outward: DVec3) -> bool {
    let mut middle = DVec3::ZERO;
    for (k, a) in spokes.iter().enumerate() {
        for b in &spokes[k + 1..] {
            let ray = a.normalize_or_zero().cross(b.normalize_or_zero()).normalize_or_zero();
            for ray in [ray, -ray] {
                if ray != DVec3::ZERO && spokes.iter().all(|s| s.dot(ray) <= FLAT * s.length()) {
                    middle += ray;
                }
            }
        }
    }
    let middle = middle.normalize_or_zero();
    middle.dot(outward) > 0.0 && spokes.iter().all(|s| s.dot(middle) < -10.0 * FLAT * s.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn height_follows_an_inclined_plane_and_ends_at_the_border() {
        let field = Heightfield::from_fn(5, 4, 0.5, |x, y| 0.3 * x - 0.2 * y + 1.0).unwrap();
        for (x, y) in [(0.0, 0.0), (0.13, -0.7), (1.0, 0.75), (-1.0, -0.75), (0.99, -0.01)] {
            assert!((field.height_at(x, y).unwrap() - (0.3 * x - 0.2 * y + 1.0)).abs() < 1e-12);
        }
        assert_eq!(field.height_at(1.001, 0.0), None);
        assert_eq!(field.height_at(f64::NAN, 0.0), None);
    }

    #[test]
    fn flat_ground_has_no_inner_edges_and_a_bump_has() {
        let flat = Heightfield::from_fn(5, 5, 1.0, |_, _| 0.25).unwrap();
        assert_eq!(flat.flags(2, 2), 0);
        let bump =
            Heightfield::from_fn(5, 5, 1.0, |x, y| if x == 0.0 && y == 0.0 { 0.5 } else { 0.0 }).unwrap();
        assert_eq!(bump.flags(2, 2), EDGE_X | EDGE_Y | EDGE_DIAGONAL | CONVEX_VERTEX);
        assert_eq!(bump.flags(3, 2) & CONVEX_VERTEX, 0);
        let pit =
            Heightfield::from_fn(5, 5, 1.0, |x, y| if x == 0.0 && y == 0.0 { -0.5 } else { 0.0 }).unwrap();
        assert_eq!(pit.flags(2, 2), 0);
    }

    #[test]
    fn bad_grids_are_refused() {
        assert!(matches!(Heightfield::new(1, 4, 1.0, vec![0.0; 4]), Err(ShapeError::Grid { .. })));
        assert!(matches!(Heightfield::new(3, 3, 1.0, vec![0.0; 8]), Err(ShapeError::Grid { .. })));
        assert!(matches!(Heightfield::new(2, 2, 0.0, vec![0.0; 4]), Err(ShapeError::NotPositive { .. })));
        let holes = vec![0.0, 0.0, f64::NAN, 0.0];
        assert!(matches!(Heightfield::new(2, 2, 1.0, holes), Err(ShapeError::NotFinite { index: 2, .. })));
    }
}
