//! A measurement in progress, and what it read.

use serde::Serialize;
use stuntlab_physics::BodyId;

use super::Stat;
use super::quantity::Look;
use super::sample::Start;
use crate::run::World;
use crate::scene::MeasureSpec;

/// Takes samples of one quantity during a run.
#[derive(Clone, Debug)]
pub struct Gauge {
    spec: MeasureSpec,
    of: Option<BodyId>,
    value: Option<f64>,
    sum: f64,
    squares: f64,
    base_squares: f64,
    count: u64,
}

/// What a measurement read, beside its pass marks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// Name, after the variant's where there are several.
    pub name: String,
    /// What was measured.
    pub quantity: &'static str,
    /// The number; absent where nothing was sampled.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// Least value that passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value that passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Whether it passes; always where there is no mark.
    pub passed: bool,
}

impl Gauge {
    pub(crate) fn new(spec: &MeasureSpec, world: &World) -> Self {
        let of = spec.of.as_deref().and_then(|name| world.find(name));
        Self { spec: spec.clone(), of, value: None, sum: 0.0, squares: 0.0, base_squares: 0.0, count: 0 }
    }

    /// What it measures now, whether or not it is time for a sample.
    pub(crate) fn now(&self, world: &World, start: &Start) -> Option<f64> {
        self.spec.quantity.sample(&Look { world, of: self.of, order: &self.spec.order, start })
    }

    /// Its name, and the unit of a sample.
    pub(crate) fn title(&self) -> (&str, &'static str) {
        (&self.spec.name, self.spec.quantity.unit)
    }

    /// Takes a sample if it is time for one.
    pub(crate) fn look(&mut self, world: &World, start: &Start) {
        let time = world.state.time;
        if time < self.spec.from - 1e-9 || time > self.spec.until + 1e-9 {
            return;
        }
        let look = Look { world, of: self.of, order: &self.spec.order, start };
        let quantity = self.spec.quantity;
        let Some(x) = quantity.sample(&look) else { return };
        self.sum += x;
        self.squares += x * x;
        self.base_squares += quantity.base.map_or(1.0, |base| (base.of)(&look)).powi(2);
        self.count += 1;
        let n = self.count as f64;
        self.value = Some(match (self.value, self.spec.stat) {
            (_, Stat::Mean) => self.sum / n,
            (_, Stat::Rms) => match quantity.base {
                Some(base) => (self.squares / self.base_squares.max(base.least * base.least * n)).sqrt(),
                None => (self.squares / n).sqrt(),
            },
            (_, Stat::Total) => self.sum * world.options.dt,
            (Some(old), Stat::Max) => old.max(x),
            (Some(old), Stat::Min) => old.min(x),
            (None, _) | (_, Stat::Last) => x,
        });
    }

    /// What it reads; `lane` is the variant's name, empty for a single run.
    pub(crate) fn reading(&self, lane: &str) -> Reading {
        let MeasureSpec { name, quantity, min, max, .. } = &self.spec;
        let holds = |x: f64| x.is_finite() && min.is_none_or(|m| x >= m) && max.is_none_or(|m| x <= m);
        Reading {
            name: if lane.is_empty() { name.clone() } else { format!("{lane}: {name}") },
            quantity: quantity.name,
            value: self.value,
            unit: quantity.unit_of(self.spec.stat),
            min: *min,
            max: *max,
            passed: !self.spec.has_mark() || self.value.is_some_and(holds),
        }
    }
}

impl Reading {
    /// Whether there is a mark it must stay within.
    pub fn has_mark(&self) -> bool {
        self.min.is_some() || self.max.is_some()
    }

    /// The pass marks in words: `<= 0.01`, `>= 1`, `0.9 .. 1.1`.
    pub fn marks(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{min} .. {max}"),
            (Some(min), None) => format!(">= {min}"),
            (None, Some(max)) => format!("<= {max}"),
            (None, None) => String::new(),
        }
    }
}
