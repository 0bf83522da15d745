//! PNG files of canvases, written and read.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::canvas::Canvas;
use crate::palette::Color;

/// A picture file that could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file system refused.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The encoder refused.
    #[error("cannot encode picture: {0}")]
    Encode(String),
    /// The file is not a PNG picture of 8 bits a channel.
    #[error("{path}: not a readable PNG: {reason}")]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A frame differs in size from the first.
    #[error("frame {frame} is {actual:?} pixels, the first was {expected:?}")]
    FrameSize {
        /// Which frame, counted from 0.
        frame: usize,
        /// Width and height of the first frame.
        expected: (usize, usize),
        /// Width and height of this one.
        actual: (usize, usize),
    },
}

impl ImageError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

/// Writes a canvas as a PNG file.
pub fn write_png(canvas: &Canvas, path: impl AsRef<Path>) -> Result<(), ImageError> {
    let path = path.as_ref();
    let file = File::create(path).map_err(ImageError::file(path))?;
    let mut file = BufWriter::new(file);
    encode_png(canvas, &mut file)?;
    file.flush().map_err(ImageError::file(path))
}

/// Writes a canvas as PNG to anything.
pub fn encode_png(canvas: &Canvas, out: impl Write) -> Result<(), ImageError> {
    let wrong = |e: png::EncodingError| ImageError::Encode(e.to_string());
    let mut encoder = png::Encoder::new(out, canvas.width() as u32, canvas.height() as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(wrong)?;
    let bytes: Vec<u8> =
        canvas.pixels().iter().flat_map(|p| [(p >> 16) as u8, (p >> 8) as u8, *p as u8]).collect();
    writer.write_image_data(&bytes).map_err(wrong)?;
    writer.finish().map_err(wrong)
}

/// Reads a PNG file; an alpha channel is ignored.
pub fn read_png(path: impl AsRef<Path>) -> Result<Canvas, ImageError> {
    let path = path.as_ref();
    let wrong = |reason: String| ImageError::Decode { path: path.to_owned(), reason };
    let file = File::open(path).map_err(ImageError::file(path))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| wrong(e.to_string()))?;
    let size = reader.output_buffer_size().ok_or_else(|| wrong("too large".to_owned()))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(|e| wrong(e.to_string()))?;
    let channels = info.color_type.samples();
    let mut canvas = Canvas::new(info.width as usize, info.height as usize);
    if canvas.width() != info.width as usize || canvas.height() != info.height as usize {
        return Err(wrong(format!("{} by {} pixels are too many", info.width, info.height)));
    }
    for (pixel, bytes) in canvas.pixels_mut().iter_mut().zip(bytes.chunks_exact(channels)) {
        let color = if channels >= 3 {
            Color::new(bytes[0], bytes[1], bytes[2])
        } else {
            Color::new(bytes[0], bytes[0], bytes[0])
        };
        *pixel = color.pixel();
    }
    Ok(canvas)
}
