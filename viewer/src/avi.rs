//! Videos: Motion JPEG in an AVI file, which every player and editor reads.
//!
//! Frames are JPEG pictures of their own; the container is a RIFF file: headers, the frames, an index of
//! where each is. Codecs that look from frame to frame make smaller files, but the pure-Rust ones (rav1e) take minutes to
//! build and seconds per frame; `ffmpeg -i run.avi run.mp4` makes one of these.

use std::io::{Seek, SeekFrom, Write};

use crate::canvas::Canvas;
use crate::jpeg::encode_jpeg;
use crate::png::ImageError;

/// Quality of the frames, of 100: edges of letters stay clean.
const QUALITY: u8 = 92;
/// Bytes a file may have: sizes in it are 32 bits wide, and players trip over the last one.
const LARGEST: usize = 2_000_000_000;
/// Where numbers stand that are known only at the end.
const RIFF_SIZE: u64 = 4;
const FRAMES: u64 = 48;
const LENGTH: u64 = 140;
const MOVIE_SIZE: u64 = 216;
/// Where the list of frames is named, from which the index counts.
const MOVIE: usize = 220;

/// Writes a video frame by frame.
pub struct AviWriter<W: Write + Seek> {
    out: W,
    rate: f64,
    size: Option<(usize, usize)>,
    /// Place, from [`MOVIE`], and size of every frame.
    frames: Vec<(u32, u32)>,
    /// Bytes written.
    length: usize,
    scratch: Vec<u8>,
}

fn wrong(error: impl std::fmt::Display) -> ImageError {
    ImageError::Encode(error.to_string())
}

/// Collects the little-endian numbers and four-letter names of a header.
#[derive(Default)]
struct Header(Vec<u8>);

impl Header {
    fn name(&mut self, name: &[u8; 4]) -> &mut Self {
        self.0.extend(name);
        self
    }

    fn words(&mut self, words: &[u32]) -> &mut Self {
        self.0.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        self
    }
}

impl<W: Write + Seek> AviWriter<W> {
    /// A video of so many frames per second.
    pub fn new(out: W, frames_per_second: f64) -> Self {
        let rate = if frames_per_second.is_finite() { frames_per_second.clamp(0.1, 1000.0) } else { 25.0 };
        Self { out, rate, size: None, frames: Vec::new(), length: 0, scratch: Vec::new() }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), ImageError> {
        self.out.write_all(bytes).map_err(wrong)?;
        self.length += bytes.len();
        Ok(())
    }

    /// Headers; what is known only at the end is zero.
    fn start(&mut self, (width, height): (usize, usize)) -> Result<(), ImageError> {
        let (w, h) = (width as u32, height as u32);
        let raw = w * h * 3;
        let mut head = Header::default();
        head.name(b"RIFF").words(&[0]).name(b"AVI ").name(b"LIST").words(&[192]).name(b"hdrl");
        // Microseconds per frame, bytes per second, alignment, flags (there is an index), frames, initial frames, streams,
        // largest frame, width, height, reserved.
        let micros = (1e6 / self.rate).round() as u32;
        head.name(b"avih").words(&[56, micros, 0, 0, 0x10, 0, 0, 1, raw, w, h, 0, 0, 0, 0]);
        head.name(b"LIST").words(&[116]).name(b"strl");
        // Flags, priority, initial frames, scale and rate (frames per second are their ratio), start, length, largest frame,
        // quality, size of a sample, frame.
        head.name(b"strh").words(&[56]).name(b"vids").name(b"MJPG");
        let rate = (self.rate * 1000.0).round() as u32;
        head.words(&[0, 0, 0, 1000, rate, 0, 0, raw, u32::MAX, 0, 0, h << 16 | w & 0xFFFF]);
        // A bitmap header: its size, width, height, planes and bits, codec, bytes, and nothing else.
        head.name(b"strf").words(&[40, 40, w, h, 1 | 24 << 16]).name(b"MJPG").words(&[raw, 0, 0, 0, 0]);
        head.name(b"LIST").words(&[0]).name(b"movi");
        self.put(&head.0)
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// A frame of another size than the first, or a file that cannot be written or grows too large.
    pub fn push(&mut self, canvas: &Canvas) -> Result<(), ImageError> {
        let actual = (canvas.width(), canvas.height());
        match self.size {
            None => {
                self.start(actual)?;
                self.size = Some(actual);
            }
            Some(expected) if expected != actual => {
                return Err(ImageError::FrameSize { frame: self.frames.len(), expected, actual });
            }
            Some(_) => {}
        }
        let mut frame = std::mem::take(&mut self.scratch);
        frame.clear();
        encode_jpeg(canvas, QUALITY, &mut frame)?;
        if self.length + frame.len() > LARGEST {
            return Err(wrong("an AVI file holds 2 GB at most"));
        }
        let (place, size) = ((self.length - MOVIE) as u32, frame.len() as u32);
        let mut head = Header::default();
        head.name(b"00dc").words(&[size]);
        self.put(&head.0)?;
        // Chunks begin at even places.
        if frame.len() % 2 == 1 {
            frame.push(0);
        }
        self.put(&frame)?;
        self.frames.push((place, size));
        self.scratch = frame;
        Ok(())
    }

    /// Writes the index and the numbers that are known by now, and gives the file back.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<W, ImageError> {
        if self.size.is_none() {
            return Ok(self.out);
        }
        let movie = (self.length - MOVIE) as u32;
        let mut index = Header::default();
        index.name(b"idx1").words(&[16 * self.frames.len() as u32]);
        for (place, size) in &self.frames {
            // Every frame stands by itself: a key frame.
            index.name(b"00dc").words(&[0x10, *place, *size]);
        }
        self.put(&index.0)?;
        let count = self.frames.len() as u32;
        let known =
            [(RIFF_SIZE, self.length as u32 - 8), (FRAMES, count), (LENGTH, count), (MOVIE_SIZE, movie)];
        for (place, number) in known {
            self.out.seek(SeekFrom::Start(place)).map_err(wrong)?;
            self.out.write_all(&number.to_le_bytes()).map_err(wrong)?;
        }
        self.out.seek(SeekFrom::End(0)).map_err(wrong)?;
        self.out.flush().map_err(wrong)?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Color;
    use std::io::Cursor;

    fn word(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
    }

    #[test]
    fn headers_frames_and_index_agree() {
        let mut writer = AviWriter::new(Cursor::new(Vec::new()), 60.0);
        let mut canvas = Canvas::new(64, 48);
        for k in 0..5u8 {
            canvas.clear(Color::new(40 * k, 90, 200));
            writer.push(&canvas).unwrap();
        }
        assert!(matches!(writer.push(&Canvas::new(32, 48)), Err(ImageError::FrameSize { frame: 5, .. })));
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(word(&bytes, 4) + 8, bytes.len());
        assert_eq!((&bytes[8..12], &bytes[MOVIE..MOVIE + 4]), (&b"AVI "[..], &b"movi"[..]));
        assert_eq!((word(&bytes, FRAMES as usize), word(&bytes, LENGTH as usize)), (5, 5));
        let index = MOVIE + word(&bytes, MOVIE_SIZE as usize);
        assert_eq!(&bytes[index..index + 4], b"idx1");
        assert_eq!(index + 8 + word(&bytes, index + 4), bytes.len());
        for k in 0..5 {
            let entry = index + 8 + 16 * k;
            let (place, size) = (MOVIE + word(&bytes, entry + 8), word(&bytes, entry + 12));
            assert_eq!((&bytes[place..place + 4], word(&bytes, place + 4)), (&b"00dc"[..], size));
            // A JPEG from its first marker to its last.
            assert_eq!(
                (&bytes[place + 8..place + 10], &bytes[place + 6 + size..place + 8 + size]),
                (&[0xFF, 0xD8][..], &[0xFF, 0xD9][..])
            );
        }
    }
}
