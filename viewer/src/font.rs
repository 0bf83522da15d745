//! The embedded bitmap font: letters of 5 by 7 dots with 2 rows for descenders, in cells of 6 by 10.
//!
//! Each glyph is nine rows of five bits, the leftmost dot in bit 4. Larger sizes are not plain doubled dots:
//! corners are cut as in the Scale2x rule, so slopes stay smooth.

use crate::canvas::Canvas;
use crate::palette::Color;

/// Pixels from one letter to the next at scale 1.
pub const ADVANCE: usize = 6;
/// Pixels from one line to the next at scale 1.
pub const LINE: usize = 11;
/// Height of the capitals at scale 1.
pub const CAP_HEIGHT: usize = 7;

const ROWS: usize = 9;
const COLUMNS: usize = 5;

/// Whether the font has its own drawing for a character; others show as a box.
pub fn covers(letter: char) -> bool {
    glyph(letter).is_some()
}

/// Width in pixels of a line of text.
pub fn text_width(text: &str, scale: usize) -> usize {
    (text.chars().count() * ADVANCE * scale).saturating_sub(scale)
}

/// Draws one line; `(x, y)` is the top left of the capitals.
pub fn draw_text(canvas: &mut Canvas, x: i32, y: i32, text: &str, scale: usize, color: Color, alpha: f64) {
    let scale = scale.clamp(1, 8);
    let mut left = x;
    for letter in text.chars() {
        if left > canvas.width() as i32 {
            return;
        }
        draw_glyph(canvas, left, y, glyph(letter).unwrap_or(&UNKNOWN), scale, color, alpha);
        left += (ADVANCE * scale) as i32;
    }
}

/// Draws one line with a dark rim, so that it reads on any background.
pub fn draw_text_shadowed(canvas: &mut Canvas, x: i32, y: i32, text: &str, scale: usize, color: Color) {
    let bright = u32::from(color.r) * 3 + u32::from(color.g) * 6 + u32::from(color.b) > 1100;
    let rim = if bright { Color::hex(0x10151C) } else { Color::hex(0xFFFFFF) };
    let step = scale.clamp(1, 8) as i32;
    for (dx, dy, alpha) in [(step, step, 0.6), (-1, 0, 0.35), (1, 0, 0.35), (0, -1, 0.35), (0, 1, 0.35)] {
        draw_text(canvas, x + dx, y + dy, text, scale, rim, alpha);
    }
    draw_text(canvas, x, y, text, scale, color, 1.0);
}

/// Draws one line from bottom to top (for y axes); `(x, y)` is where the text starts, at the bottom left.
pub fn draw_text_upwards(canvas: &mut Canvas, x: i32, y: i32, text: &str, scale: usize, color: Color) {
    let scale = scale.clamp(1, 8) as i32;
    for (i, letter) in text.chars().enumerate() {
        let rows = glyph(letter).unwrap_or(&UNKNOWN);
        let start = y - i as i32 * ADVANCE as i32 * scale;
        for row in 0..(ROWS as i32 * scale) {
            for column in 0..(COLUMNS as i32 * scale) {
                if dot(rows, column / scale, row / scale) {
                    canvas.set(x + row, start - column, color);
                }
            }
        }
    }
}

fn draw_glyph(
    canvas: &mut Canvas,
    x: i32,
    y: i32,
    rows: &[u8; ROWS],
    scale: usize,
    color: Color,
    alpha: f64,
) {
    let n = scale as i32;
    for row in 0..ROWS as i32 {
        for column in 0..COLUMNS as i32 {
            // The nearer two neighbours of each quarter decide its corner.
            let here = dot(rows, column, row);
            let side = |dx: i32, dy: i32| dot(rows, column + dx, row + dy);
            let (left, right, above, below) = (side(-1, 0), side(1, 0), side(0, -1), side(0, 1));
            if !(here || left || right) {
                continue;
            }
            for j in 0..n {
                for i in 0..n {
                    let (h, oh) = if 2 * i < n { (left, right) } else { (right, left) };
                    let (v, ov) = if 2 * j < n { (above, below) } else { (below, above) };
                    let diagonal = side(if 2 * i < n { -1 } else { 1 }, if 2 * j < n { -1 } else { 1 });
                    let outer = if 2 * i < n { i } else { n - 1 - i } + if 2 * j < n { j } else { n - 1 - j };
                    // Inner corners of slopes are filled, dots stay whole.
                    let fill = n > 1 && !here && h && v && !oh && !ov && !diagonal && outer < n / 2;
                    if here || fill {
                        canvas.blend(x + column * n + i, y + row * n + j, color, alpha);
                    }
                }
            }
        }
    }
}

fn dot(rows: &[u8; ROWS], column: i32, row: i32) -> bool {
    (0..COLUMNS as i32).contains(&column)
        && (0..ROWS as i32).contains(&row)
        && rows[row as usize] >> (COLUMNS as i32 - 1 - column) & 1 == 1
}

fn glyph(letter: char) -> Option<&'static [u8; ROWS]> {
    match letter {
        ' '..='~' => Some(&ASCII[letter as usize - 32]),
        _ => SYMBOLS.iter().find(|(symbol, _)| *symbol == letter).map(|(_, rows)| rows),
    }
}

const UNKNOWN: [u8; ROWS] = [31, 17, 17, 17, 17, 17, 31, 0, 0];

const SYMBOLS: [(char, [u8; ROWS]); 14] = [
    ('°', [6, 9, 9, 6, 0, 0, 0, 0, 0]),
    ('µ', [0, 0, 17, 17, 17, 19, 29, 16, 16]),
    ('×', [0, 17, 10, 4, 10, 17, 0, 0, 0]),
    ('→', [0, 4, 2, 31, 2, 4, 0, 0, 0]),
    ('←', [0, 4, 8, 31, 8, 4, 0, 0, 0]),
    ('↑', [4, 14, 21, 4, 4, 4, 4, 0, 0]),
    ('↓', [4, 4, 4, 4, 21, 14, 4, 0, 0]),
    ('·', [0, 0, 0, 4, 0, 0, 0, 0, 0]),
    ('±', [0, 4, 4, 31, 4, 4, 31, 0, 0]),
    ('²', [12, 2, 4, 8, 14, 0, 0, 0, 0]),
    ('θ', [14, 17, 17, 31, 17, 17, 14, 0, 0]),
    ('τ', [0, 0, 31, 4, 4, 5, 2, 0, 0]),
    ('Δ', [4, 4, 10, 10, 17, 17, 31, 0, 0]),
    ('–', [0, 0, 0, 31, 0, 0, 0, 0, 0]),
];

#[rustfmt::skip]
const ASCII: [[u8; ROWS]; 95] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 0],          // space
    [4, 4, 4, 4, 4, 0, 4, 0, 0],          // !
    [10, 10, 10, 0, 0, 0, 0, 0, 0],       // "
    [10, 10, 31, 10, 31, 10, 10, 0, 0],   // #
    [4, 15, 20, 14, 5, 30, 4, 0, 0],      // $
    [24, 25, 2, 4, 8, 19, 3, 0, 0],       // %
    [12, 18, 20, 8, 21, 18, 13, 0, 0],    // &
    [4, 4, 8, 0, 0, 0, 0, 0, 0],          // '
    [2, 4, 8, 8, 8, 4, 2, 0, 0],          // (
    [8, 4, 2, 2, 2, 4, 8, 0, 0],          // )
    [0, 4, 21, 14, 21, 4, 0, 0, 0],       // *
    [0, 4, 4, 31, 4, 4, 0, 0, 0],         // +
    [0, 0, 0, 0, 0, 12, 4, 8, 0],         // ,
    [0, 0, 0, 14, 0, 0, 0, 0, 0],         // -
    [0, 0, 0, 0, 0, 12, 12, 0, 0],        // .
    [1, 1, 2, 4, 8, 16, 16, 0, 0],        // /
    [14, 17, 19, 21, 25, 17, 14, 0, 0],   // 0
    [4, 12, 4, 4, 4, 4, 14, 0, 0],        // 1
    [14, 17, 1, 2, 4, 8, 31, 0, 0],       // 2
    [31, 2, 4, 2, 1, 17, 14, 0, 0],       // 3
    [2, 6, 10, 18, 31, 2, 2, 0, 0],       // 4
    [31, 16, 30, 1, 1, 17, 14, 0, 0],     // 5
    [6, 8, 16, 30, 17, 17, 14, 0, 0],     // 6
    [31, 1, 2, 4, 8, 8, 8, 0, 0],         // 7
    [14, 17, 17, 14, 17, 17, 14, 0, 0],   // 8
    [14, 17, 17, 15, 1, 2, 12, 0, 0],     // 9
    [0, 12, 12, 0, 12, 12, 0, 0, 0],      // :
    [0, 12, 12, 0, 12, 4, 8, 0, 0],       // ;
    [2, 4, 8, 16, 8, 4, 2, 0, 0],         // <
    [0, 0, 31, 0, 31, 0, 0, 0, 0],        // =
    [8, 4, 2, 1, 2, 4, 8, 0, 0],          // >
    [14, 17, 1, 2, 4, 0, 4, 0, 0],        // ?
    [14, 17, 23, 21, 23, 16, 14, 0, 0],   // @
    [14, 17, 17, 31, 17, 17, 17, 0, 0],   // A
    [30, 17, 17, 30, 17, 17, 30, 0, 0],   // B
    [14, 17, 16, 16, 16, 17, 14, 0, 0],   // C
    [28, 18, 17, 17, 17, 18, 28, 0, 0],   // D
    [31, 16, 16, 30, 16, 16, 31, 0, 0],   // E
    [31, 16, 16, 30, 16, 16, 16, 0, 0],   // F
    [14, 17, 16, 23, 17, 17, 15, 0, 0],   // G
    [17, 17, 17, 31, 17, 17, 17, 0, 0],   // H
    [14, 4, 4, 4, 4, 4, 14, 0, 0],        // I
    [7, 2, 2, 2, 2, 18, 12, 0, 0],        // J
    [17, 18, 20, 24, 20, 18, 17, 0, 0],   // K
    [16, 16, 16, 16, 16, 16, 31, 0, 0],   // L
    [17, 27, 21, 21, 17, 17, 17, 0, 0],   // M
    [17, 25, 25, 21, 19, 19, 17, 0, 0],   // N
    [14, 17, 17, 17, 17, 17, 14, 0, 0],   // O
    [30, 17, 17, 30, 16, 16, 16, 0, 0],   // P
    [14, 17, 17, 17, 21, 18, 13, 0, 0],   // Q
    [30, 17, 17, 30, 20, 18, 17, 0, 0],   // R
    [15, 16, 16, 14, 1, 1, 30, 0, 0],     // S
    [31, 4, 4, 4, 4, 4, 4, 0, 0],         // T
    [17, 17, 17, 17, 17, 17, 14, 0, 0],   // U
    [17, 17, 17, 10, 10, 10, 4, 0, 0],    // V
    [17, 17, 17, 21, 21, 27, 17, 0, 0],   // W
    [17, 17, 10, 4, 10, 17, 17, 0, 0],    // X
    [17, 17, 10, 4, 4, 4, 4, 0, 0],       // Y
    [31, 1, 2, 4, 8, 16, 31, 0, 0],       // Z
    [14, 8, 8, 8, 8, 8, 14, 0, 0],        // [
    [16, 16, 8, 4, 2, 1, 1, 0, 0],        // \
    [14, 2, 2, 2, 2, 2, 14, 0, 0],        // ]
    [4, 10, 17, 0, 0, 0, 0, 0, 0],        // ^
    [0, 0, 0, 0, 0, 0, 0, 31, 0],         // _
    [8, 4, 2, 0, 0, 0, 0, 0, 0],          // `
    [0, 0, 14, 1, 15, 17, 15, 0, 0],      // a
    [16, 16, 30, 17, 17, 17, 30, 0, 0],   // b
    [0, 0, 14, 17, 16, 17, 14, 0, 0],     // c
    [1, 1, 15, 17, 17, 17, 15, 0, 0],     // d
    [0, 0, 14, 17, 31, 16, 14, 0, 0],     // e
    [6, 9, 8, 28, 8, 8, 8, 0, 0],         // f
    [0, 0, 15, 17, 17, 17, 15, 1, 14],    // g
    [16, 16, 22, 25, 17, 17, 17, 0, 0],   // h
    [4, 0, 12, 4, 4, 4, 14, 0, 0],        // i
    [2, 0, 6, 2, 2, 2, 2, 18, 12],        // j
    [16, 16, 18, 20, 24, 20, 18, 0, 0],   // k
    [12, 4, 4, 4, 4, 4, 14, 0, 0],        // l
    [0, 0, 26, 21, 21, 21, 21, 0, 0],     // m
    [0, 0, 22, 25, 17, 17, 17, 0, 0],     // n
    [0, 0, 14, 17, 17, 17, 14, 0, 0],     // o
    [0, 0, 30, 17, 17, 17, 30, 16, 16],   // p
    [0, 0, 15, 17, 17, 17, 15, 1, 1],     // q
    [0, 0, 22, 25, 16, 16, 16, 0, 0],     // r
    [0, 0, 15, 16, 14, 1, 30, 0, 0],      // s
    [8, 8, 28, 8, 8, 9, 6, 0, 0],         // t
    [0, 0, 17, 17, 17, 19, 13, 0, 0],     // u
    [0, 0, 17, 17, 17, 10, 4, 0, 0],      // v
    [0, 0, 17, 17, 21, 21, 10, 0, 0],     // w
    [0, 0, 17, 10, 4, 10, 17, 0, 0],      // x
    [0, 0, 17, 17, 17, 17, 15, 1, 14],    // y
    [0, 0, 31, 2, 4, 8, 31, 0, 0],        // z
    [2, 4, 4, 8, 4, 4, 2, 0, 0],          // {
    [4, 4, 4, 4, 4, 4, 4, 0, 0],          // |
    [8, 4, 4, 2, 4, 4, 8, 0, 0],          // }
    [0, 0, 8, 21, 2, 0, 0, 0, 0],         // ~
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{BLACK, WHITE};

    #[test]
    fn every_printable_letter_has_its_own_drawing() {
        let all: Vec<char> = (' '..='~').chain("°µ×→·".chars()).collect();
        for (i, &a) in all.iter().enumerate() {
            let drawing = glyph(a).unwrap_or_else(|| panic!("no glyph for {a:?}"));
            assert!(a == ' ' || drawing.iter().any(|&row| row != 0), "{a:?} is blank");
            assert!(drawing.iter().all(|&row| row < 32), "{a:?} is too wide");
            for &b in &all[i + 1..] {
                assert_ne!(Some(drawing), glyph(b), "{a:?} looks like {b:?}");
            }
        }
        assert!(!covers('\u{4e00}'));
    }

    #[test]
    fn text_fills_the_width_it_announces() {
        for scale in 1..=3 {
            let mut canvas = Canvas::new(200, 40);
            draw_text(&mut canvas, 0, 0, "H_H", scale, WHITE, 1.0);
            let rightmost = (0..200).filter(|&x| (0..40).any(|y| canvas.get(x, y) != BLACK)).max().unwrap();
            assert_eq!(rightmost + 1, text_width("H_H", scale));
        }
    }
}
