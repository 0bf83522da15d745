//! The pixels of an SVG document, text included, with the font that comes with the program: the same on every machine.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::canvas::Canvas;
use crate::font::FONT;
use crate::palette::{self, Color};

/// Draws a document on a white canvas, `scale` pixels to its unit. A document of ours that cannot be read leaves it white.
pub(super) fn draw(svg: &str, width: usize, height: usize, scale: f64) -> Canvas {
    let pixels = |units: usize| ((units as f64 * scale).round() as usize).clamp(1, 16384);
    let mut canvas = Canvas::new(pixels(width), pixels(height));
    canvas.clear(palette::WHITE);
    let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    let tree = Tree::from_str(svg, &options);
    debug_assert!(tree.is_ok(), "{tree:?}");
    let (Ok(tree), Some(mut pixmap)) = (tree, Pixmap::new(canvas.width() as u32, canvas.height() as u32))
    else {
        return canvas;
    };
    pixmap.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixmap.as_mut());
    for (pixel, drawn) in canvas.pixels_mut().iter_mut().zip(pixmap.pixels()) {
        *pixel = Color::new(drawn.red(), drawn.green(), drawn.blue()).pixel();
    }
    canvas
}
