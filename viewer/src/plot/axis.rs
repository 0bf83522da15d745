//! An axis: its range, places on it, and round numbers along it.

/// An axis with its range.
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    log: bool,
}

/// Fewer decades than this get 2 and 5 labelled, too.
const FEW_DECADES: f64 = 2.5;

impl Axis {
    pub(super) fn new(
        range: Option<(f64, f64)>,
        values: impl Iterator<Item = f64>,
        log: bool,
        margin: f64,
    ) -> Self {
        let (low, high) = range.unwrap_or_else(|| {
            let (l, h) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            if log {
                let room = (h / l).powf(margin);
                (l / room, h * room)
            } else {
                (l - margin * (h - l), h + margin * (h - l))
            }
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

    /// Round numbers, at most about `wanted` of them, with their labels.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let wanted = wanted.clamp(2, 20);
        if self.log { self.log_ticks(wanted) } else { self.even_ticks(wanted) }
    }

    fn even_ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / wanted as f64;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|&s| s >= rough * (1.0 - 1e-9));
        let step = step.unwrap_or(10.0 * decade);
        let first = (self.low / step - 1e-9).ceil();
        let size = self.low.abs().max(self.high.abs());
        // As many decimals as the step has, the same for all.
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let label = |v: f64| {
            if size >= 1e6 || (size < 1e-3 && size > 0.0) {
                scientific(v)
            } else {
                format!("{v:.decimals$}").replace('-', "\u{2212}")
            }
        };
        (0..=2 * wanted)
            .map(|i| (first + i as f64) * step)
            .take_while(|&v| v <= self.high + 1e-9 * step)
            .map(|v| if v.abs() < 1e-9 * step { 0.0 } else { v })
            .map(|v| (v, label(v)))
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<(f64, String)> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = (self.high / self.low).log10();
        let every = (decades / wanted as f64).ceil().max(1.0) as i32;
        let steps: &[f64] = if decades < FEW_DECADES { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let inside: Vec<f64> = (first..=last)
            .filter(|d| d.rem_euclid(every) == 0)
            .flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)))
            .filter(|v| self.holds(*v))
            .collect();
        let ends = || vec![self.low, self.high];
        let values = if inside.len() >= 2 { inside } else { ends() };
        values.into_iter().map(|v| (v, log_label(v))).collect()
    }
}

fn log_label(value: f64) -> String {
    if (1e-3..1e5).contains(&value) {
        // Two digits at most are ever asked for, but for the ends of a narrow range.
        let digits = (1.0 - value.log10().floor()).max(0.0) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        scientific(value)
    }
}

/// `2·10⁻⁵`.
fn scientific(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let power = value.abs().log10().floor();
    let head = value / 10f64.powf(power);
    let raised: String = format!("{power}")
        .chars()
        .map(|c| match c {
            '-' => '\u{207b}',
            '1' => '\u{b9}',
            '2' => '\u{b2}',
            '3' => '\u{b3}',
            c => char::from_u32(0x2070 + u32::from(c) - u32::from('0')).unwrap_or(c),
        })
        .collect();
    match head {
        h if (h - 1.0).abs() < 1e-9 => format!("10{raised}"),
        h => format!("{}·10{raised}", format!("{h:.1}").trim_end_matches(".0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, wanted: usize) -> Vec<String> {
        axis.ticks(wanted).into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis { low: -0.37, high: 2.41, log: false };
        assert_eq!(labels(&axis, 6), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(
            labels(&Axis { low: 0.0, high: 0.02, log: false }, 4),
            ["0.000", "0.005", "0.010", "0.015", "0.020"]
        );
        assert_eq!(labels(&Axis { low: -20.0, high: 20.0, log: false }, 4), ["−20", "−10", "0", "10", "20"]);
        assert_eq!(labels(&Axis { low: 0.0, high: 4e6, log: false }, 2), ["0", "2·10⁶", "4·10⁶"]);
    }

    #[test]
    fn decades_are_powers_where_they_are_many() {
        assert_eq!(
            labels(&Axis { low: 1e-6, high: 2.0, log: true }, 10),
            ["10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"]
        );
        assert_eq!(labels(&Axis { low: 0.03, high: 32.0, log: true }, 10), ["0.1", "1", "10"]);
        assert_eq!(labels(&Axis { low: 0.4, high: 6.0, log: true }, 10), ["0.5", "1", "2", "5"]);
        assert_eq!(labels(&Axis { low: 3.0, high: 4.5, log: true }, 10), ["3", "4.5"]);
    }
}
