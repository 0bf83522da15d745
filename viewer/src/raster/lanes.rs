//! Eight samples at once, with the widest instructions the machine has.
//!
//! Loops over blocks of [`LANES`] samples are compiled once per instruction set and chosen at run time. Nothing
//! is fused or reordered, so the picture has the same bits whichever is chosen.

pub(crate) use fearless_simd::Level;
use fearless_simd::{Simd, dispatch};

/// Samples in a block; rows are padded to whole blocks.
pub(crate) const LANES: usize = 8;

/// One number per sample of a block.
pub(crate) type Block<T = f32> = [T; LANES];

/// The block a sample lies in.
#[inline(always)]
pub(crate) fn block_of(sample: usize) -> usize {
    sample / LANES
}

/// The widest instructions worth having: with sixteen samples at once most runs would be too short.
pub(crate) fn best_level() -> Level {
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let level = level.as_avx2().map_or(level, Level::Avx2);
    level
}

/// Runs a loop (which must be inlined) with the instructions of `level`.
#[inline(always)]
pub(crate) fn widest<R>(level: Level, work: impl FnOnce() -> R) -> R {
    dispatch!(level, simd => simd.vectorize(work))
}

/// A slice of whole blocks.
#[inline(always)]
pub(crate) fn blocks<T>(samples: &[T]) -> &[Block<T>] {
    samples.as_chunks().0
}

/// A slice of whole blocks for writing.
#[inline(always)]
pub(crate) fn blocks_mut<T>(samples: &mut [T]) -> &mut [Block<T>] {
    samples.as_chunks_mut().0
}
