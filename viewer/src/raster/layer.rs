//! What a band of rows knows of each sample before it is lit: inverse depth, normal and material.

use super::lanes::{Block, LANES, block_of, blocks_mut};

/// Material number of a sample nothing was drawn on.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Samples by which planes are longer than needed. Rows of 1280 samples make planes of whole pages; one after the other in
/// memory, the same sample of all planes would then share its low address bits, and processors take a load for one of what was
/// just stored to another plane.
const STAGGER: usize = 72;

/// Inverse depth of what is clearly before something: 2 cm at 7 m.
const CLEARLY: f32 = 1.003;

#[derive(Clone, Default)]
pub(crate) struct Layer {
    /// Samples from row to row: the width, rounded up to whole blocks.
    pub(crate) stride: usize,
    pub(crate) w: Vec<f32>,
    pub(crate) nx: Vec<f32>,
    pub(crate) ny: Vec<f32>,
    pub(crate) nz: Vec<f32>,
    pub(crate) material: Vec<u32>,
}

/// Blocks of one row for writing.
pub(crate) struct Span<'a> {
    /// Column of the first sample.
    pub(crate) first: usize,
    pub(crate) w: &'a mut [Block],
    pub(crate) nx: &'a mut [Block],
    pub(crate) ny: &'a mut [Block],
    pub(crate) nz: &'a mut [Block],
    pub(crate) material: &'a mut [Block<u32>],
}

impl Layer {
    /// Makes room for `rows` rows of `width` and forgets what was there.
    pub(crate) fn start(&mut self, width: usize, rows: usize) {
        self.stride = width.next_multiple_of(LANES);
        let n = self.stride * rows + STAGGER;
        for plane in [&mut self.nx, &mut self.ny, &mut self.nz] {
            plane.resize(n, 0.0);
        }
        self.w.clear();
        self.w.resize(n, 0.0);
        self.material.clear();
        self.material.resize(n, NOTHING);
    }

    /// Like `start`, but what lies in the same place of `other` is there; normals are left to it.
    pub(crate) fn start_with(&mut self, other: &Layer) {
        self.stride = other.stride;
        for plane in [&mut self.nx, &mut self.ny, &mut self.nz] {
            plane.resize(other.w.len(), 0.0);
        }
        self.w.clone_from(&other.w);
        self.material.clone_from(&other.material);
    }

    /// Like `start`, but only what lies clearly before `front` will be seen: what is in the same place would show in patches.
    pub(crate) fn start_before(&mut self, front: &Layer, rows: usize) {
        self.start(front.stride, rows);
        self.w.iter_mut().zip(&front.w).for_each(|(w, front)| *w = front * CLEARLY);
    }

    /// The blocks that hold the samples `from..to` of a row.
    #[inline(always)]
    pub(crate) fn span(&mut self, row: usize, from: usize, to: usize) -> Span<'_> {
        let first = block_of(from) * LANES;
        let range = row * self.stride + first..row * self.stride + to.next_multiple_of(LANES);
        Span {
            first,
            w: blocks_mut(&mut self.w[range.clone()]),
            nx: blocks_mut(&mut self.nx[range.clone()]),
            ny: blocks_mut(&mut self.ny[range.clone()]),
            nz: blocks_mut(&mut self.nz[range.clone()]),
            material: blocks_mut(&mut self.material[range]),
        }
    }
}

/// All ones for yes. Writing through masks instead of branches lets loops handle several samples at once.
#[inline(always)]
pub(crate) fn mask_of(condition: bool) -> u32 {
    (condition as u32).wrapping_neg()
}

/// `yes` where the mask is set, else `no`.
#[inline(always)]
pub(crate) fn pick(mask: u32, yes: f32, no: f32) -> f32 {
    f32::from_bits((yes.to_bits() & mask) | (no.to_bits() & !mask))
}
