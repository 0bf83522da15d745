//! Colours and who wears them.
//!
//! The eight hues are those of Okabe and Ito, chosen so that people with any common colour vision can tell
//! them apart. Roles come on top: the ghost of the recording is dark, a figure tracked in parent space blue,
//! one tracked in world space orange, and an adaptive joint the brighter the more a disturbance matters to it. The
//! roles were chosen by search for the greatest least distance over all common colour visions ([`crate::vision`]).

/// An opaque colour, 8 bits a channel, as it appears on the screen (gamma encoded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Color {
    /// From three channels.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }

    /// From `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        Self { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8 }
    }

    /// As a canvas pixel, `0x00RRGGBB`.
    pub const fn pixel(self) -> u32 {
        (self.r as u32) << 16 | (self.g as u32) << 8 | self.b as u32
    }

    /// The colour `part` of the way from `self` (0) to `other` (1).
    pub fn mix(self, other: Self, part: f64) -> Self {
        let part = part.clamp(0.0, 1.0);
        let blend = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        Self::new(blend(self.r, other.r), blend(self.g, other.g), blend(self.b, other.b))
    }

    /// Linear light in 0..1 with the raster's gamma of 2.
    pub(crate) fn linear(self) -> [f32; 3] {
        [self.r, self.g, self.b].map(|c| {
            let c = f32::from(c) / 255.0;
            c * c
        })
    }

    /// As `#rrggbb` for SVG and HTML.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

/// Okabe–Ito black.
pub const BLACK: Color = Color::hex(0x000000);
/// Okabe–Ito orange.
pub const ORANGE: Color = Color::hex(0xE69F00);
/// Okabe–Ito sky blue.
pub const SKY_BLUE: Color = Color::hex(0x56B4E9);
/// Okabe–Ito bluish green.
pub const GREEN: Color = Color::hex(0x009E73);
/// Okabe–Ito yellow.
pub const YELLOW: Color = Color::hex(0xF0E442);
/// Okabe–Ito blue.
pub const BLUE: Color = Color::hex(0x0072B2);
/// Okabe–Ito vermilion.
pub const VERMILION: Color = Color::hex(0xD55E00);
/// Okabe–Ito reddish purple.
pub const PURPLE: Color = Color::hex(0xCC79A7);
/// White, for text on panels.
pub const WHITE: Color = Color::hex(0xFFFFFF);
/// Ink of axes and text on white.
pub const INK: Color = Color::hex(0x2A3038);

/// The ghost of the recorded motion: dark.
pub const MOCAP_GHOST: Color = Color::hex(0x2B2F38);
/// A figure that nothing drives: sand.
pub const LIMP: Color = Color::hex(0xF2E6B4);
/// A figure tracked in parent (joint) space: blue.
pub const PARENT_SPACE: Color = Color::hex(0x2F78E8);
/// A figure tracked in world space: orange.
pub const WORLD_SPACE: Color = Color::hex(0xE0842A);
/// A figure that cannot fall: dark green.
pub const UPHELD: Color = Color::hex(0x12692E);
/// A figure that decides for itself: lilac.
pub const DECIDING: Color = Color::hex(0xC4A6EE);
/// A figure that answers what touches it: purple.
pub const ADAPTIVE: Color = Color::hex(0x772299);
/// A figure with no role of its own.
pub const BODY: Color = Color::hex(0xC9CDD3);
/// Crates, balls and other loose things.
pub const PROP: Color = Color::hex(0xB7A58C);
/// Terrain and stairs.
pub const TERRAIN: Color = Color::hex(0xB9C0B4);
/// The lighter fields of the ground.
pub const GROUND: Color = Color::hex(0xCDD2D8);
/// An adaptive joint at full inverse-dynamics ratio: bright yellow, as published.
pub const JOINT_ACTIVE: Color = Color::hex(0xFFD400);

/// Colour of the `index`-th curve or character; repeats after seven.
pub const fn series(index: usize) -> Color {
    const ORDER: [Color; 7] = [BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY_BLUE, Color::hex(0x6B6B6B)];
    ORDER[index % ORDER.len()]
}

/// Colours that tell apart figures of one role: red, blue, yellow, sky, plum.
pub const OWN: [Color; 5] = [
    Color::hex(0xD5420E),
    Color::hex(0x2468C8),
    Color::hex(0xF2DC3C),
    Color::hex(0x8FD8F4),
    Color::hex(0x4A2060),
];

/// Colour of a bone whose joint answers a disturbance by so much, 0 to 1: its own at 0, [`JOINT_ACTIVE`] at 1.
pub fn adaptive_joint(own: Color, answer: f64) -> Color {
    own.mix(JOINT_ACTIVE, if answer.is_finite() { answer } else { 1.0 })
}

/// A perceptually ordered ramp for heat maps, dark blue over green to pale yellow; lightness only rises,
/// so it also reads in greyscale. `value` in 0..1; not-a-number is grey.
pub fn ramp(value: f64) -> Color {
    const STOPS: [Color; 6] = [
        Color::hex(0x1B1C4A),
        Color::hex(0x1F4E8C),
        Color::hex(0x1B8A8F),
        Color::hex(0x4DB375),
        Color::hex(0xB5D65B),
        Color::hex(0xFBF3A4),
    ];
    if value.is_nan() {
        return Color::hex(0x9A9A9A);
    }
    let position = value.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let index = (position as usize).min(STOPS.len() - 2);
    STOPS[index].mix(STOPS[index + 1], position - index as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::Vision;

    fn lightness(c: Color) -> f64 {
        0.2126 * f64::from(c.r) + 0.7152 * f64::from(c.g) + 0.0722 * f64::from(c.b)
    }

    #[test]
    fn ramp_only_gets_lighter() {
        let shades: Vec<f64> = (0..=100).map(|i| lightness(ramp(f64::from(i) / 100.0))).collect();
        assert!(shades.windows(2).all(|w| w[1] >= w[0] - 0.5), "{shades:?}");
    }

    /// Least distance of colours that must be told apart: a step of 0.02 is just seen side by side.
    const APART: f64 = 0.15;

    #[test]
    fn roles_and_twins_are_told_apart_by_every_common_colour_vision() {
        let roles = [MOCAP_GHOST, LIMP, PARENT_SPACE, WORLD_SPACE, UPHELD, DECIDING, ADAPTIVE];
        for set in [&roles[..], &OWN[..]] {
            for (i, a) in set.iter().enumerate() {
                for b in &set[..i] {
                    for vision in Vision::ALL {
                        let apart = vision.distance(*a, *b);
                        assert!(apart >= APART, "{} and {} for {vision:?}: {apart}", a.css(), b.css());
                    }
                }
            }
        }
    }

    #[test]
    fn an_adaptive_joint_is_told_the_more_from_one_at_rest_the_more_it_answers() {
        for vision in Vision::ALL {
            let far = |answer: f64| vision.distance(ADAPTIVE, adaptive_joint(ADAPTIVE, answer));
            let steps: Vec<f64> = [0.0, 0.25, 0.5, 0.75, 1.0].map(far).to_vec();
            assert!(steps.windows(2).all(|w| w[1] > w[0] + 0.02), "{vision:?}: {steps:?}");
            assert!(steps[2] > APART, "{vision:?}: {steps:?}");
        }
        assert_eq!(adaptive_joint(ADAPTIVE, f64::NAN), JOINT_ACTIVE);
    }
}
