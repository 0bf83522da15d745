//! Classifiers in files: TOML with a version, so that they can be read, compared and kept.

use std::fmt::Write as _;

use super::machine::{Body, terms};
use super::{Classifier, Kernel, LAYOUT, Machine, Trained};
use crate::settings::{Fields, SettingError, parse};

/// Version of the format.
const FORMAT: u64 = 1;

impl Classifier {
    /// As TOML, which reads back as the same to the bit.
    pub fn to_toml(&self) -> String {
        let Trained { samples, successes, calibration, precision, recall, command } = &self.trained;
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let names: Vec<String> = self.names.iter().map(|n| quoted(n)).collect();
        let mut text = format!(
            "format = {FORMAT}\nskill = {}\nfigure = \"{:016x}\"\nlayout = {LAYOUT}\nfeatures = [{}]\nkernel = \"{}\"\n",
            quoted(&self.skill),
            self.figure,
            names.join(", "),
            self.machine.kernel.name()
        );
        // Writing to a string cannot fail.
        match self.machine.kernel {
            Kernel::Linear => {}
            Kernel::Polynomial { degree } => drop(writeln!(text, "degree = {degree}")),
            Kernel::Radial { gamma } => drop(writeln!(text, "gamma = {gamma:?}")),
        }
        let _ = writeln!(text, "bias = {:?}\nthreshold = {:?}", self.machine.bias, self.threshold);
        let _ = writeln!(
            text,
            "\n[trained]\nsamples = {samples}\nsuccesses = {successes}\ncalibration = {calibration}\nprecision = {precision:?}\n\
             recall = {recall:?}\ncommand = {}\n\n[numbers]",
            quoted(command)
        );
        let mut list = |name: &str, numbers: &[f64], per_line: usize| {
            text += &format!("{name} = [\n");
            for row in numbers.chunks(per_line.max(1)) {
                let items: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
                text += &format!("  {},\n", items.join(", "));
            }
            text += "]\n";
        };
        list("mean", &self.mean, 8);
        list("scale", &self.scale, 8);
        match &self.machine.body {
            Body::Coefficients(c) => list("coefficients", c, 8),
            Body::Vectors { weights, rows } => {
                list("weights", weights, 8);
                list("vectors", rows, self.machine.width);
            }
        }
        text
    }

    /// Reads a file; `file` is for messages.
    ///
    /// # Errors
    /// What is wrong, with file, line and key: another format or layout of features, lists that do not fit each other.
    pub fn parse(file: &str, text: &str) -> Result<Self, SettingError> {
        let root = parse(file, text)?;
        let fields = Fields::new(file, "", &root)?;
        let need = |key: &'static str, what: &str, known: u64| match fields.count(key, 0, u64::MAX)? {
            Some(found) if found == known => Ok(()),
            Some(found) => Err(fields.error(key, format!("is {found}, expected {known}: {what}"))),
            None => Err(fields.missing(key, &known.to_string())),
        };
        need("format", "the format this program writes", FORMAT)?;
        need("layout", "the features this program reads; train it again", LAYOUT)?;
        let skill = fields.required_text("skill")?.to_owned();
        let figure = fields.required_text("figure")?;
        let figure = u64::from_str_radix(figure, 16).map_err(|_| {
            fields.error("figure", format!("is \"{figure}\", expected 16 hexadecimal digits"))
        })?;
        let names = fields.texts("features")?;
        let (gamma, degree) = (fields.positive("gamma")?, fields.count("degree", 2, 3)?);
        let kernel = fields.required_choice("kernel", &[("linear", 0), ("polynomial", 1), ("radial", 2)])?;
        let kernel = match (kernel, degree, gamma) {
            (0, ..) => Kernel::Linear,
            (1, Some(degree), _) => Kernel::Polynomial { degree: degree as u32 },
            (1, None, _) => return Err(fields.missing("degree", "2 or 3")),
            (_, _, Some(gamma)) => Kernel::Radial { gamma },
            _ => return Err(fields.missing("gamma", "a number above 0")),
        };
        let number = |key: &'static str| fields.number(key)?.ok_or_else(|| fields.missing(key, "a number"));
        let (bias, threshold) = (number("bias")?, number("threshold")?);
        let trained = match fields.table("trained")? {
            None => Trained::default(),
            Some(table) => {
                let count = |key: &'static str| Ok(table.count(key, 0, u64::MAX >> 1)?.unwrap_or(0) as usize);
                let share = |key: &'static str| Ok(table.at_least_zero(key)?.unwrap_or(0.0));
                let trained = Trained {
                    samples: count("samples")?,
                    successes: count("successes")?,
                    calibration: count("calibration")?,
                    precision: share("precision")?,
                    recall: share("recall")?,
                    command: table.text("command")?.unwrap_or_default().to_owned(),
                };
                table.finish()?;
                trained
            }
        };
        let lists = fields.named_numbers("numbers")?;
        let list = |key: &str, n: usize, what: &str| match lists.iter().find(|(name, ..)| name == key) {
            Some((_, numbers, _)) if numbers.len() == n => Ok(numbers.clone()),
            Some((_, numbers, line)) => Err(SettingError {
                line: *line,
                ..fields
                    .error("numbers", format!("{key} has {} numbers, expected {n}: {what}", numbers.len()))
            }),
            None => Err(fields.missing("numbers", &format!("{key}: {n} numbers, {what}"))),
        };
        let width = names.len();
        let mean = list("mean", width, "one for each feature")?;
        let scale = list("scale", width, "one for each feature")?;
        let has = |key: &str| lists.iter().find(|(name, ..)| name == key);
        let body = match has("weights") {
            Some((_, weights, _)) => Body::Vectors {
                rows: list("vectors", weights.len() * width, "a row of features for each weight")?,
                weights: weights.clone(),
            },
            None if matches!(kernel, Kernel::Radial { .. }) => {
                return Err(fields.missing("numbers", "weights and vectors of a radial kernel"));
            }
            None => {
                let n = terms(kernel, width);
                Body::Coefficients(list("coefficients", n, "one for each product of features")?)
            }
        };
        fields.finish()?;
        let machine = Machine { kernel, width, bias, body };
        Ok(Self { skill, figure, names, mean, scale, machine, threshold, trained })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any() -> impl Strategy<Value = Classifier> {
        let kernel = prop_oneof![
            Just(Kernel::Linear),
            (2..4_u32).prop_map(|degree| Kernel::Polynomial { degree }),
            (0.01..5.0_f64).prop_map(|gamma| Kernel::Radial { gamma }),
        ];
        (kernel, 1..6_usize, 1..9_usize).prop_flat_map(|(kernel, width, n)| {
            let numbers = |n: usize| prop::collection::vec(-3.0..3.0_f64, n);
            (numbers(n), numbers(n * width), numbers(width), numbers(width), -1.0..1.0_f64).prop_map(
                move |(weights, mut rows, mean, mut scale, threshold)| {
                    // One that never changed: no training could give it a value.
                    scale[0] = 0.0;
                    rows.iter_mut().step_by(width).for_each(|x| *x = 0.0);
                    Classifier {
                        skill: "a \"skill\"".into(),
                        figure: 0x0123_4567_89ab_cdef,
                        names: (0..width).map(|k| format!("feature {k}")).collect(),
                        mean,
                        scale,
                        machine: Machine::new(kernel, width, weights, rows, 0.1 * threshold),
                        threshold,
                        trained: Trained {
                            samples: 7,
                            precision: 0.97,
                            command: "stuntlab learn".into(),
                            ..Trained::default()
                        },
                    }
                },
            )
        })
    }

    proptest! {
        #[test]
        fn files_read_back_to_the_bit_and_decide_alike(classifier in any(), x in prop::collection::vec(-3.0..3.0_f64, 6)) {
            let read = Classifier::parse("x.toml", &classifier.to_toml());
            prop_assert_eq!(read.as_ref(), Ok(&classifier));
            let short = Classifier { machine: classifier.machine.written_out(), ..classifier.clone() };
            let again = Classifier::parse("x.toml", &short.to_toml());
            prop_assert_eq!(again.as_ref(), Ok(&short));
            let features = &x[..classifier.names.len()];
            let decided = classifier.decider().decide(features);
            prop_assert!((decided - short.decider().decide(features)).abs() < 1e-6 * (1.0 + decided.abs()));
            // The long way, with the feature that never changed at its mean.
            let z: Vec<f64> = (0..features.len()).map(|k| (features[k] - classifier.mean[k]) * classifier.scale[k]).collect();
            let slow = classifier.machine.value(&z) - classifier.threshold;
            prop_assert!((decided - slow).abs() < 1e-6 * (1.0 + slow.abs()), "{decided} and {slow}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_what_was_expected() {
        let machine = Machine::new(Kernel::Polynomial { degree: 2 }, 1, vec![1.0], vec![0.5], 0.0);
        let good = Classifier {
            skill: "sit".into(),
            figure: 7,
            names: vec!["up".into()],
            mean: vec![0.0],
            scale: vec![1.0],
            machine: machine.written_out(),
            threshold: 0.0,
            trained: Trained::default(),
        }
        .to_toml();
        for (from, to, says) in [
            (
                "format = 1",
                "format = 2",
                "x.toml:1: format: is 2, expected 1: the format this program writes",
            ),
            ("layout = 1", "layout = 9", "layout: is 9, expected 1"),
            ("degree = 2", "", "degree: missing, expected 2 or 3"),
            ("degree = 2", "degree = 3", "coefficients has 3 numbers, expected 4"),
            ("\"0000000000000007\"", "\"me\"", "expected 16 hexadecimal digits"),
            ("polynomial", "psychic", "expected one of: linear, polynomial, radial"),
            ("mean = [", "meaning = [", "mean: 1 numbers, one for each feature"),
        ] {
            let text = good.replace(from, to);
            assert_ne!(text, good, "{from}");
            let error = Classifier::parse("x.toml", &text).expect_err(from).to_string();
            assert!(error.contains(says) && !error.contains('\n'), "{error}");
        }
    }
}
