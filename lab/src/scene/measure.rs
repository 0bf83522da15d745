//! What a scene measures, and within which marks it must stay. How each is taken is in [`crate::measure`].

use super::{Fields, SceneError};
use crate::measure::{Quantity, Stat, Subject};
use crate::registry::Registry;

/// A measurement of a scene.
#[derive(Clone, Debug)]
pub struct MeasureSpec {
    /// Name in reports; the quantity's own where the scene gives none.
    pub name: String,
    /// What is measured.
    pub quantity: Quantity,
    /// How samples become one number.
    pub stat: Stat,
    /// Of which body or character, where the quantity is about one.
    pub of: Option<String>,
    /// From when on, s.
    pub from: f64,
    /// Until when, s.
    pub until: f64,
    /// Least value that passes.
    pub min: Option<f64>,
    /// Largest value that passes.
    pub max: Option<f64>,
    /// Names in the order in which they are expected, of quantities that are about an order.
    pub order: Vec<String>,
    /// Variants it is for; all of them where empty.
    pub only: Vec<String>,
    pub(crate) line: usize,
}

impl MeasureSpec {
    /// A quantity as it is usually measured, without a mark.
    pub(crate) fn plain(quantity: Quantity, duration: f64) -> Self {
        Self {
            name: quantity.name.to_owned(),
            quantity,
            stat: quantity.stat,
            of: None,
            from: quantity.before_end.map_or(0.0, |span| (duration - span).max(0.0)),
            until: f64::INFINITY,
            min: None,
            max: None,
            order: Vec::new(),
            only: Vec::new(),
            line: 0,
        }
    }

    /// Whether it says what passes; without a mark it is printed and fails nobody.
    pub fn has_mark(&self) -> bool {
        self.min.is_some() || self.max.is_some()
    }

    /// Whether it is taken in a variant.
    pub fn is_for(&self, variant: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == variant)
    }
}

/// Reads one `[[measure]]`.
pub(crate) fn read(
    fields: Fields<'_>,
    duration: f64,
    registry: &Registry,
) -> Result<MeasureSpec, SceneError> {
    let quantities: Vec<(&str, Quantity)> = registry.measurable().into_iter().map(|q| (q.name, q)).collect();
    let quantity = fields.required_choice("quantity", &quantities)?;
    let stats: Vec<(&str, Stat)> = Stat::ALL.into_iter().map(|s| (s.name(), s)).collect();
    let from = fields.at_least_zero("from")?;
    let of = fields.text("of")?.map(str::to_owned);
    if of.is_none() && quantity.subject == Subject::Body {
        return Err(fields.missing("of", "the name of a body"));
    }
    let spec = MeasureSpec {
        name: fields.text("name")?.unwrap_or(quantity.name).to_owned(),
        quantity,
        stat: fields.choice("stat", &stats)?.unwrap_or(quantity.stat),
        of,
        from: from.unwrap_or(quantity.before_end.map_or(0.0, |span| (duration - span).max(0.0))),
        until: fields.at_least_zero("until")?.unwrap_or(f64::INFINITY),
        min: fields.number("min")?,
        max: fields.number("max")?,
        order: fields.texts("order")?,
        only: fields.texts("only")?,
        line: fields.line(),
    };
    if let (Some(min), Some(max)) = (spec.min, spec.max)
        && min > max
    {
        return Err(fields.error("min", format!("is {min}, above max {max}")));
    }
    if spec.from >= duration {
        return Err(fields.error("from", format!("is {}, but the scene lasts {duration} s", spec.from)));
    }
    fields.finish()?;
    Ok(spec)
}
