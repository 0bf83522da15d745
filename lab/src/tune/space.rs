//! From a box of parameters to the cube of equal ranges that the search works in, and back.

/// How a parameter's range is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal ratios.
    Log,
}

impl Scale {
    /// Both, as scenes spell them.
    pub const ALL: [(&str, Self); 2] = [("linear", Self::Linear), ("log", Self::Log)];
}

/// The range of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
    /// How it is laid out; a logarithmic one is above zero.
    pub scale: Scale,
}

/// Width of the rim, at either end of the unit range, in which places are bent back.
const RIM: f64 = 0.05;

impl Range {
    /// The value at a place; every place gives one within the range, 0 to 1 lies over all of it.
    pub fn value(&self, place: f64) -> f64 {
        self.at(fold(place))
    }

    /// The value a share of the way along, 0 to 1.
    pub fn at(&self, part: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => self.lower + part * (self.upper - self.lower),
            Scale::Log => self.lower * (self.upper / self.lower).powf(part),
        };
        value.clamp(self.lower, self.upper)
    }

    /// The place of a value of the range.
    pub fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.lower) / (self.upper - self.lower),
            Scale::Log => (value / self.lower).ln() / (self.upper / self.lower).ln(),
        };
        unfold(part.clamp(0.0, 1.0))
    }
}

/// The real line laid into 0 to 1: straight inside, parabolas in the rims so that the ends are met with slope zero, and
/// beyond them mirrored, so that it goes on without a kink. It is the transformation of Hansen's own implementation
/// (pycma's `BoxConstraintsLinQuadTransformation`): costs stay smooth, minima on a bound are found, and nothing outside
/// is ever evaluated, so that no penalty has to be weighed against the costs.
fn fold(place: f64) -> f64 {
    // One rise and one fall: from -RIM to 1 + RIM and back.
    let half = 1.0 + 2.0 * RIM;
    let along = (place + RIM).rem_euclid(2.0 * half);
    let x = if along > half { 2.0 * half - along } else { along } - RIM;
    if x < RIM {
        (x + RIM).powi(2) / (4.0 * RIM)
    } else if x > 1.0 - RIM {
        1.0 - (1.0 + RIM - x).powi(2) / (4.0 * RIM)
    } else {
        x
    }
}

/// The place nearest the middle that [`fold`] takes to `part`.
fn unfold(part: f64) -> f64 {
    if part < RIM {
        (4.0 * RIM * part).sqrt() - RIM
    } else if part > 1.0 - RIM {
        1.0 + RIM - (4.0 * RIM * (1.0 - part)).sqrt()
    } else {
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_place_leaves_the_box(place in -50.0..50.0f64, lower in 1e-6..1.0f64, width in 1e-6..1e6f64) {
            for scale in [Scale::Linear, Scale::Log] {
                let range = Range { lower, upper: lower + width, scale };
                let value = range.value(place);
                prop_assert!((range.lower..=range.upper).contains(&value), "{value}");
            }
        }

        #[test]
        fn a_value_has_a_place_and_the_place_its_value(part in 0.0..=1.0f64) {
            for scale in [Scale::Linear, Scale::Log] {
                let range = Range { lower: 0.5, upper: 200.0, scale };
                let value = range.value(unfold(part));
                prop_assert!((range.value(range.place(value)) - value).abs() < 1e-9 * value);
            }
        }

        #[test]
        fn the_fold_has_no_jump_and_no_kink(place in -5.0..5.0f64) {
            let step = 1e-6;
            let slope = |x: f64| (fold(x + step) - fold(x)) / step;
            prop_assert!(slope(place).abs() <= 1.0 + 1e-6);
            prop_assert!((slope(place + step) - slope(place)).abs() < 1e-4);
        }
    }

    #[test]
    fn ends_belong_to_the_range() {
        let range = Range { lower: -2.0, upper: 3.0, scale: Scale::Linear };
        assert_eq!((range.value(range.place(-2.0)), range.value(range.place(3.0))), (-2.0, 3.0));
        assert_eq!(range.value(0.5), 0.5);
    }
}
