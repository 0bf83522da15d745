//! Classifiers at work: room for their numbers is made once.

use stuntlab_mocap::character::Physique;
use stuntlab_physics::Model;

use super::machine::{Body, dot, polynomial, with_one};
use super::{Classifier, Features, Kernel, LAYOUT, figure_fingerprint};
use crate::controller::Sense;
use crate::kind::Refusal;

/// Features a decision has room for, with the 1 before them: on the stack, so that deciding allocates nothing. A figure of 111 freedoms has 250.
const ROOM: usize = 320;

/// A classifier ready to work.
#[derive(Clone, Debug, PartialEq)]
pub struct Decider {
    /// Which features are read, with what is subtracted and the scale: those that never changed decide nothing.
    reads: Vec<(usize, f64, f64)>,
    kernel: Kernel,
    bias: f64,
    threshold: f64,
    body: Body,
    /// Of a radial kernel: squares of its vectors.
    squares: Vec<f64>,
}

impl Decider {
    /// Polynomials are written out.
    ///
    /// # Panics
    /// If there are more features than any figure has.
    pub(super) fn new(classifier: &Classifier) -> Self {
        let mut used: Vec<usize> =
            (0..classifier.scale.len()).filter(|&k| classifier.scale[k] != 0.0).collect();
        // Of features none of which ever changed one stays, for rows of no numbers could not be counted.
        if used.is_empty() && !classifier.scale.is_empty() {
            used.push(0);
        }
        assert!(used.len() < ROOM, "room for {ROOM} features, not {}", used.len());
        let machine = narrowed(classifier, &used).written_out();
        let squares = match &machine.body {
            Body::Vectors { rows, .. } => {
                rows.chunks_exact(used.len().max(1)).map(|row| dot(row, row)).collect()
            }
            Body::Coefficients(_) => Vec::new(),
        };
        Self {
            reads: used.iter().map(|&k| (k, classifier.mean[k], classifier.scale[k])).collect(),
            kernel: machine.kernel,
            bias: machine.bias,
            threshold: classifier.threshold,
            squares,
            body: machine.body,
        }
    }

    /// `f(x) - δ` of features as they are: above zero the skill can.
    ///
    /// # Panics
    /// If there are fewer features than were trained on.
    pub fn decide(&self, features: &[f64]) -> f64 {
        let mut room = [0.0; ROOM];
        let ones = usize::from(matches!(self.kernel, Kernel::Polynomial { .. }));
        room[0] = 1.0;
        let n = ones + self.reads.len();
        for (z, &(k, mean, scale)) in room[ones..n].iter_mut().zip(&self.reads) {
            *z = (features[k] - mean) * scale;
        }
        let z = &room[..n];
        let f = match &self.body {
            Body::Coefficients(c) => polynomial(c, z, super::machine::degree(self.kernel)),
            Body::Vectors { weights, rows } => {
                let zz = dot(z, z);
                let rows = rows.chunks_exact(n.max(1));
                let term =
                    |((w, row), square): ((&f64, &[f64]), &f64)| w * self.kernel.of(dot(row, z), *square, zz);
                weights.iter().zip(rows).zip(&self.squares).map(term).sum()
            }
        };
        f + self.bias - self.threshold
    }
}

impl crate::stunt::Learned for Decider {
    fn decide(&self, features: &[f64]) -> f64 {
        Self::decide(self, features)
    }
}

/// The machine on the features that are used only. What is written out has its coefficients of unused features left out.
fn narrowed(classifier: &Classifier, used: &[usize]) -> super::Machine {
    let machine = &classifier.machine;
    let body = match &machine.body {
        Body::Vectors { weights, rows } => {
            let rows = rows.chunks_exact(machine.width.max(1));
            let picked = rows.flat_map(|row| used.iter().map(move |&k| row[k]));
            Body::Vectors { weights: weights.clone(), rows: picked.collect() }
        }
        Body::Coefficients(c) => {
            // Which entries of z stay.
            let stays: Vec<bool> = with_one(&vec![0.0; machine.width], machine.kernel)
                .enumerate()
                .map(|(i, _)| {
                    let ones = usize::from(matches!(machine.kernel, Kernel::Polynomial { .. }));
                    i < ones || used.contains(&(i - ones))
                })
                .collect();
            Body::Coefficients(pick(c, &stays, super::machine::degree(machine.kernel)))
        }
    };
    super::Machine { width: used.len(), body, ..machine.clone() }
}

/// Coefficients all of whose indices stay, in their order.
fn pick(c: &[f64], stays: &[bool], degree: u32) -> Vec<f64> {
    let n = stays.len();
    let mut out = Vec::new();
    let mut at = 0;
    let mut line = |keep: bool, from: usize| {
        for k in from..n {
            if keep && stays[k] {
                out.push(c[at]);
            }
            at += 1;
        }
    };
    match degree {
        1 => line(true, 0),
        2 => (0..n).for_each(|i| line(stays[i], i)),
        _ => {
            for i in 0..n {
                (i..n).for_each(|j| line(stays[i] && stays[j], j));
            }
        }
    }
    out
}

/// A classifier that looks at a character.
#[derive(Clone, Debug)]
pub struct Judge {
    features: Features,
    decider: Decider,
    numbers: Vec<f64>,
}

impl Judge {
    /// For a character of its own `model`.
    ///
    /// # Errors
    /// Another figure than it was trained on, or other features than this version of the program has.
    pub fn new(classifier: &Classifier, model: &Model, physique: &Physique) -> Result<Self, Refusal> {
        let figure = figure_fingerprint(model, model.body_ids());
        let skill = &classifier.skill;
        if figure != classifier.figure {
            return Err(Refusal::new(
                "learned",
                format!(
                    "the pre-conditions of \"{skill}\" were learned on another figure ({:016x}), expected this one ({figure:016x})",
                    classifier.figure
                ),
            ));
        }
        let features = Features::new(model, physique);
        if let Some(k) = (0..features.names().len().max(classifier.names.len()))
            .find(|&k| features.names().get(k) != classifier.names.get(k))
        {
            let name = |names: &[String]| names.get(k).map_or("nothing".to_owned(), |n| format!("\"{n}\""));
            return Err(Refusal::new(
                "learned",
                format!(
                    "the pre-conditions of \"{skill}\" read {} as feature {k}, expected {} (layout {LAYOUT})",
                    name(&classifier.names),
                    name(features.names())
                ),
            ));
        }
        let numbers = vec![0.0; features.names().len()];
        Ok(Self { features, decider: classifier.decider(), numbers })
    }

    /// `f(x) - δ` of the state a character is in: above zero the skill can.
    pub fn judge(&mut self, sense: &Sense<'_>) -> f64 {
        self.features.read(sense, &mut self.numbers);
        self.decider.decide(&self.numbers)
    }
}
