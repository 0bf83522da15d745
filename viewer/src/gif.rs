//! Animated GIF files from a stream of frames.
//!
//! Every frame stores only the pixels that changed visibly since they were last stored, cropped to their
//! rectangle, with a palette of its own made from just those pixels (median cut over 5 bits a channel). What
//! is on the screen is tracked in full colour, so small errors never add up: a pixel is stored again as
//! soon as it is `tolerance` away from what is shown.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::canvas::Canvas;
use crate::png::ImageError;

/// Choices of a GIF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GifOptions {
    /// Frames per second; GIF counts in hundredths, so 10, 20, 25 and 50 are exact.
    pub frames_per_second: f64,
    /// Largest difference of a channel (of 255) that counts as unchanged.
    pub tolerance: u8,
    /// Whether smooth shades are broken up by a fixed fine pattern instead of showing bands.
    pub dither: bool,
}

impl Default for GifOptions {
    fn default() -> Self {
        Self { frames_per_second: 25.0, tolerance: 6, dither: true }
    }
}

/// Writes an endless GIF frame by frame.
pub struct GifWriter<W: Write> {
    encoder: Option<gif::Encoder<W>>,
    target: Option<W>,
    options: GifOptions,
    size: (usize, usize),
    shown: Vec<u32>,
    frames: usize,
    /// Time of the last frame's end that has been written, hundredths of a second.
    written: u64,
    quantiser: Quantiser,
}

impl GifWriter<BufWriter<File>> {
    /// Starts a file.
    pub fn create(path: impl AsRef<Path>, options: GifOptions) -> Result<Self, ImageError> {
        let path: PathBuf = path.as_ref().to_owned();
        let file = File::create(&path).map_err(ImageError::file(&path))?;
        Ok(Self::new(BufWriter::new(file), options))
    }
}

impl<W: Write> GifWriter<W> {
    /// Starts a GIF on anything; its size is that of the first frame.
    pub fn new(target: W, options: GifOptions) -> Self {
        Self {
            encoder: None,
            target: Some(target),
            options,
            size: (0, 0),
            shown: Vec::new(),
            frames: 0,
            written: 0,
            quantiser: Quantiser::default(),
        }
    }

    /// Frames added so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Adds a frame.
    pub fn push(&mut self, canvas: &Canvas) -> Result<(), ImageError> {
        let wrong = |e: gif::EncodingError| ImageError::Encode(e.to_string());
        let size = (canvas.width(), canvas.height());
        if let Some(target) = self.target.take() {
            let side = |n: usize| {
                u16::try_from(n).map_err(|_| ImageError::Encode(format!("{n} pixels are too many")))
            };
            let mut encoder = gif::Encoder::new(target, side(size.0)?, side(size.1)?, &[]).map_err(wrong)?;
            encoder.set_repeat(gif::Repeat::Infinite).map_err(wrong)?;
            self.encoder = Some(encoder);
            self.size = size;
            // Impossible colours: everything counts as changed.
            self.shown = vec![u32::MAX; size.0 * size.1];
        }
        if size != self.size {
            return Err(ImageError::FrameSize { frame: self.frames, expected: self.size, actual: size });
        }
        let frame = self.next_frame(canvas);
        self.frames += 1;
        match &mut self.encoder {
            Some(encoder) => encoder.write_frame(&frame).map_err(wrong),
            None => Err(ImageError::Encode("the GIF could not be started".to_owned())),
        }
    }

    /// Ends the file and gives the target back.
    pub fn finish(self) -> Result<W, ImageError> {
        let wrong = |e: std::io::Error| ImageError::Encode(e.to_string());
        let mut target = match (self.encoder, self.target) {
            (Some(encoder), _) => encoder.into_inner().map_err(|e| ImageError::Encode(e.to_string()))?,
            (None, Some(target)) => target,
            (None, None) => return Err(ImageError::Encode("the GIF could not be started".to_owned())),
        };
        target.flush().map_err(wrong)?;
        Ok(target)
    }

    fn next_frame(&mut self, canvas: &Canvas) -> gif::Frame<'static> {
        let rate = if self.options.frames_per_second > 0.0 { self.options.frames_per_second } else { 25.0 };
        let end = ((self.frames + 1) as f64 * 100.0 / rate).round() as u64;
        let delay = end.saturating_sub(self.written).clamp(1, 6000) as u16;
        self.written += u64::from(delay);

        let (width, tolerance) = (self.size.0, i32::from(self.options.tolerance));
        let changed = |shown: u32, pixel: u32| shown == u32::MAX || distance(shown, pixel) > tolerance;
        // The rectangle around what changed, and how often each colour occurs there.
        let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
        self.quantiser.clear();
        for (y, (row, shown)) in canvas.pixels().chunks(width).zip(self.shown.chunks(width)).enumerate() {
            for (x, (&pixel, &shown)) in row.iter().zip(shown).enumerate() {
                if changed(shown, pixel) {
                    (left, right) = (left.min(x), right.max(x));
                    (top, bottom) = (top.min(y), y);
                    self.quantiser.count(self.dithered(pixel, x, y));
                }
            }
        }
        if left == usize::MAX {
            (left, right, top, bottom) = (0, 0, 0, 0);
        }
        let palette = self.quantiser.palette();
        let transparent = palette.len() as u8;
        let mut indices = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
        for y in top..=bottom {
            for x in left..=right {
                let at = y * width + x;
                let pixel = canvas.pixels()[at];
                if changed(self.shown[at], pixel) {
                    let index = self.quantiser.index(self.dithered(pixel, x, y));
                    self.shown[at] = palette[usize::from(index)];
                    indices.push(index);
                } else {
                    indices.push(transparent);
                }
            }
        }
        let mut bytes: Vec<u8> =
            palette.iter().flat_map(|p| [(p >> 16) as u8, (p >> 8) as u8, *p as u8]).collect();
        bytes.extend([0, 0, 0]);
        gif::Frame {
            delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(transparent),
            left: left as u16,
            top: top as u16,
            width: (right - left + 1) as u16,
            height: (bottom - top + 1) as u16,
            palette: Some(bytes),
            buffer: Cow::Owned(indices),
            ..gif::Frame::default()
        }
    }

    /// A pixel moved by up to half a step of the 5-bit grid, by a pattern that stays in place.
    fn dithered(&self, pixel: u32, x: usize, y: usize) -> u32 {
        const BAYER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
        if !self.options.dither {
            return pixel;
        }
        let shift = (2 * BAYER[y % 4][x % 4] - 15) / 6;
        let move_channel = |bits: u32| ((pixel >> bits & 255) as i32 + shift).clamp(0, 255) as u32;
        move_channel(16) << 16 | move_channel(8) << 8 | move_channel(0)
    }
}

/// Largest difference over the channels.
fn distance(a: u32, b: u32) -> i32 {
    let channel = |bits: u32| ((a >> bits & 255) as i32 - (b >> bits & 255) as i32).abs();
    channel(16).max(channel(8)).max(channel(0))
}

const BINS: usize = 1 << 15;
/// One index is kept for "unchanged".
const COLORS: usize = 255;

/// Colours counted in 32³ bins, cut into at most 255 boxes of about equal weight and extent.
struct Quantiser {
    /// Per bin: count and sums of red, green, blue.
    bins: Vec<[u32; 4]>,
    used: Vec<u16>,
    index_of: Vec<u8>,
}

impl Default for Quantiser {
    fn default() -> Self {
        Self { bins: vec![[0; 4]; BINS], used: Vec::new(), index_of: vec![0; BINS] }
    }
}

/// A box of bins, `used[first..last]`.
struct Cell {
    first: usize,
    last: usize,
    /// Channel with the greatest spread, and how much cutting there would gain.
    channel: u32,
    gain: f64,
}

impl Quantiser {
    fn clear(&mut self) {
        for &bin in &self.used {
            self.bins[usize::from(bin)] = [0; 4];
        }
        self.used.clear();
    }

    #[inline]
    fn bin(pixel: u32) -> u16 {
        ((pixel >> 9 & 0x7C00) | (pixel >> 6 & 0x03E0) | (pixel >> 3 & 0x001F)) as u16
    }

    #[inline]
    fn count(&mut self, pixel: u32) {
        let number = Self::bin(pixel);
        let bin = &mut self.bins[usize::from(number)];
        if bin[0] == 0 {
            self.used.push(number);
        }
        bin[0] += 1;
        bin[1] += pixel >> 16 & 255;
        bin[2] += pixel >> 8 & 255;
        bin[3] += pixel & 255;
    }

    /// Index of a counted pixel's colour in the last palette.
    #[inline]
    fn index(&self, pixel: u32) -> u8 {
        self.index_of[usize::from(Self::bin(pixel))]
    }

    fn palette(&mut self) -> Vec<u32> {
        // The order of first sight must not matter.
        self.used.sort_unstable();
        let mut cells = vec![self.cell(0, self.used.len())];
        while cells.len() < COLORS {
            let best = (0..cells.len()).max_by(|&i, &j| cells[i].gain.total_cmp(&cells[j].gain));
            let Some(best) = best.filter(|&i| cells[i].gain > 0.0) else { break };
            let Cell { first, last, channel, .. } = cells[best];
            let part = &mut self.used[first..last];
            part.sort_unstable_by_key(|&bin| (bin >> channel & 31, bin));
            // Cut where half of the weight lies on either side, but never off the end.
            let weight = |bin: &u16| f64::from(self.bins[usize::from(*bin)][0]).sqrt();
            let half = 0.5 * part.iter().map(weight).sum::<f64>();
            let mut sum = 0.0;
            let cut = part.iter().position(|bin| {
                sum += weight(bin);
                sum >= half
            });
            let cut = first + cut.unwrap_or(0).clamp(1, last - first - 1);
            cells[best] = self.cell(first, cut);
            let other = self.cell(cut, last);
            cells.push(other);
        }
        let mut palette = Vec::with_capacity(cells.len());
        for (number, cell) in cells.iter().enumerate() {
            let mut sum = [0u64; 4];
            for &bin in &self.used[cell.first..cell.last] {
                self.index_of[usize::from(bin)] = number as u8;
                for (total, &part) in sum.iter_mut().zip(&self.bins[usize::from(bin)]) {
                    *total += u64::from(part);
                }
            }
            let n = sum[0].max(1);
            let [r, g, b] = [sum[1], sum[2], sum[3]].map(|s| ((s + n / 2) / n) as u32);
            palette.push(r << 16 | g << 8 | b);
        }
        palette
    }

    fn cell(&self, first: usize, last: usize) -> Cell {
        let mut count = 0.0;
        let (mut low, mut high) = ([31u16; 3], [0u16; 3]);
        for &bin in &self.used[first..last] {
            count += f64::from(self.bins[usize::from(bin)][0]);
            for (k, shift) in [10, 5, 0].into_iter().enumerate() {
                let value = bin >> shift & 31;
                low[k] = low[k].min(value);
                high[k] = high[k].max(value);
            }
        }
        let spread = |k: usize| f64::from(high[k].saturating_sub(low[k]));
        // The eye sees green best and blue least.
        let weighted = [spread(0) * 1.0, spread(1) * 1.2, spread(2) * 0.7];
        let widest = (0..3).fold(0, |best, k| if weighted[k] > weighted[best] { k } else { best });
        let gain = if last - first < 2 { 0.0 } else { weighted[widest].powi(2) * count.sqrt() };
        Cell { first, last, channel: [10, 5, 0][widest], gain }
    }
}
