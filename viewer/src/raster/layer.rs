//! What a band of rows knows of each sample before it is lit: inverse depth, normal and material.

/// Material number of a sample nothing was drawn on.
pub(crate) const NOTHING: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Layer {
    width: usize,
    pub(crate) w: Vec<f32>,
    pub(crate) nx: Vec<f32>,
    pub(crate) ny: Vec<f32>,
    pub(crate) nz: Vec<f32>,
    pub(crate) material: Vec<u32>,
}

/// A run of samples of one row for writing.
pub(crate) struct Span<'a> {
    pub(crate) w: &'a mut [f32],
    pub(crate) nx: &'a mut [f32],
    pub(crate) ny: &'a mut [f32],
    pub(crate) nz: &'a mut [f32],
    pub(crate) material: &'a mut [u32],
}

impl Layer {
    /// Makes room for `rows` rows of `width` and forgets what was there.
    pub(crate) fn start(&mut self, width: usize, rows: usize) {
        let n = width * rows;
        self.width = width;
        for plane in [&mut self.nx, &mut self.ny, &mut self.nz] {
            plane.resize(n, 0.0);
        }
        self.w.clear();
        self.w.resize(n, 0.0);
        self.material.clear();
        self.material.resize(n, NOTHING);
    }

    /// Like `start`, but only what lies before `front` will be seen.
    pub(crate) fn start_before(&mut self, front: &Layer, rows: usize) {
        self.start(front.width, rows);
        self.w.copy_from_slice(&front.w);
    }

    pub(crate) fn span(&mut self, row: usize, from: usize, to: usize) -> Span<'_> {
        let range = row * self.width + from..row * self.width + to;
        Span {
            w: &mut self.w[range.clone()],
            nx: &mut self.nx[range.clone()],
            ny: &mut self.ny[range.clone()],
            nz: &mut self.nz[range.clone()],
            material: &mut self.material[range],
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
