//! JPEG pictures of canvases: frames of videos, and sheets that are looked at, not measured.

use std::io::Write;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::canvas::Canvas;
use crate::png::ImageError;

/// Writes a canvas as JPEG to anything; `quality` of 100. Colours are kept as fine as light, for the sake of letters.
///
/// # Errors
/// Something that cannot be written to.
pub fn encode_jpeg(canvas: &Canvas, quality: u8, mut out: impl Write) -> Result<(), ImageError> {
    let wrong = |e: &dyn std::fmt::Display| ImageError::Encode(e.to_string());
    let bytes: Vec<u8> =
        canvas.pixels().iter().flat_map(|p| [(p >> 16) as u8, (p >> 8) as u8, *p as u8]).collect();
    let mut coded = Vec::new();
    let mut encoder = Encoder::new(&mut coded, quality.clamp(1, 100));
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.set_optimized_huffman_tables(true);
    // A canvas is at most 16384 pixels wide and high.
    let (width, height) = (canvas.width() as u16, canvas.height() as u16);
    encoder.encode(&bytes, width, height, ColorType::Rgb).map_err(|e| wrong(&e))?;
    out.write_all(&coded).map_err(|e| wrong(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_whole_and_finer_ones_are_larger() {
        let mut canvas = Canvas::new(40, 30);
        for (k, pixel) in canvas.pixels_mut().iter_mut().enumerate() {
            *pixel = (k as u32).wrapping_mul(2_654_435_761) >> 8;
        }
        let coded = |quality| {
            let mut bytes = Vec::new();
            encode_jpeg(&canvas, quality, &mut bytes).unwrap();
            bytes
        };
        let (rough, fine) = (coded(30), coded(95));
        assert!(fine.starts_with(&[0xFF, 0xD8]) && fine.ends_with(&[0xFF, 0xD9]));
        assert!(fine.len() > rough.len());
    }
}
