//! An axis: its range, places on it, and round numbers along it.

use crate::chart::short_number;

pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    log: bool,
}

impl Axis {
    pub(super) fn new(
        range: Option<(f64, f64)>,
        values: impl Iterator<Item = f64>,
        log: bool,
        margin: f64,
    ) -> Self {
        let (low, high) = range.unwrap_or_else(|| {
            let (l, h) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            if log { (l, h) } else { (l - margin * (h - l), h + margin * (h - l)) }
        });
        let sound = low.is_finite() && high.is_finite() && low < high && (!log || low > 0.0);
        match (sound, low.is_finite(), log) {
            (true, _, _) => Self { low, high, log },
            (false, true, false) => Self { low: low - 0.5, high: low + 0.5, log },
            (false, true, true) if low > 0.0 => Self { low: 0.5 * low, high: 2.0 * low, log },
            (false, _, true) => Self { low: 1.0, high: 10.0, log },
            _ => Self { low: 0.0, high: 1.0, log },
        }
    }

    /// Place on the axis, 0 to 1.
    pub(super) fn part(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.part(value))
    }

    /// Round numbers, about `wanted` of them.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<f64> {
        let wanted = wanted.clamp(2, 20);
        if self.log {
            let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
            let every = ((last - first).max(0) as usize / wanted + 1) as i32;
            let decades: Vec<f64> =
                (first..=last).filter(|d| d.rem_euclid(every) == 0).map(|d| 10f64.powi(d)).collect();
            return if decades.len() >= 2 { decades } else { vec![self.low, self.high] };
        }
        let rough = (self.high - self.low) / wanted as f64;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|&s| s >= rough);
        let step = step.unwrap_or(10.0 * decade);
        let first = (self.low / step).ceil();
        (0..=2 * wanted)
            .map(|i| (first + i as f64) * step)
            .take_while(|&v| v <= self.high + 1e-9 * step)
            .map(|v| if v.abs() < 1e-9 * step { 0.0 } else { v })
            .collect()
    }
}

/// A round number without idle zeros.
pub(super) fn tick_label(value: f64) -> String {
    let text = short_number(value);
    if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis { low: -0.37, high: 2.41, log: false };
        assert_eq!(axis.ticks(6), [0.0, 0.5, 1.0, 1.5, 2.0]);
        let decades = Axis { low: 1e-6, high: 2.0, log: true };
        assert_eq!(decades.ticks(10).len(), 7);
    }

    #[test]
    fn labels_have_no_idle_zeros() {
        assert_eq!([2.0, 0.5, -1.25, 100.0, 0.0].map(tick_label), ["2", "0.5", "-1.25", "100", "0"]);
    }
}
