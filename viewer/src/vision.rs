//! How colours look to people with other cones: for choosing colours that all can tell apart.
//!
//! The dichromacies are the matrices of Machado, Oliveira and Fernandes (2009) at full severity, on linear light. Distances are
//! taken in Ottosson's Oklab (2020), where equal steps look about equal.

use crate::palette::Color;

/// A kind of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vision {
    /// All three cones.
    Common,
    /// Without long-wave cones.
    Protanopia,
    /// Without medium-wave cones.
    Deuteranopia,
    /// Without short-wave cones.
    Tritanopia,
}

impl Vision {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Common, Self::Protanopia, Self::Deuteranopia, Self::Tritanopia];

    /// What linear light looks like.
    const fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Self::Common => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            Self::Protanopia => [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
            Self::Deuteranopia => [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
            Self::Tritanopia => [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        }
    }

    /// How far apart two colours look; 0.02 is just seen side by side, black and white are 1 apart.
    pub fn distance(self, a: Color, b: Color) -> f64 {
        let (a, b) = (oklab(self.seen(a)), oklab(self.seen(b)));
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    fn seen(self, color: Color) -> [f64; 3] {
        let light = [color.r, color.g, color.b].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        self.matrix().map(|row| dot(row, light).clamp(0.0, 1.0))
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn oklab(light: [f64; 3]) -> [f64; 3] {
    const CONES: [[f64; 3]; 3] = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ];
    const LAB: [[f64; 3]; 3] = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ];
    let cones = CONES.map(|row| dot(row, light).max(0.0).cbrt());
    LAB.map(|row| dot(row, cones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette;

    #[test]
    fn red_and_green_meet_without_their_cones_and_lightness_stays() {
        let (red, green) = (Color::hex(0xB04A2A), Color::hex(0x6B7A2A));
        let see = |vision: Vision| vision.distance(red, green);
        assert!(see(Vision::Deuteranopia) < 0.5 * see(Vision::Common));
        for vision in Vision::ALL {
            assert!((vision.distance(palette::BLACK, palette::WHITE) - 1.0).abs() < 0.01);
            assert_eq!(vision.distance(red, red), 0.0);
        }
    }
}
