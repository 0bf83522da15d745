//! What a surface is made of, and what two of them are together.

/// Contact properties of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb coefficient μ.
    pub friction: f64,
    /// Newton restitution, used by the velocity-level formulations.
    pub restitution: f64,
    /// Normal stiffness per contact point, N/m. `None` sizes it by mass: `m / t²` with the time constant
    /// of [`crate::step::StepOptions::contact_time`].
    pub stiffness: Option<f64>,
    /// Normal damping per contact point, N s/m. `None` is critical for the mass, `2 √(k m)`, and twice that on
    /// the static world.
    pub damping: Option<f64>,
    /// Rolling resistance: moment per normal force, m.
    pub rolling: f64,
    /// Resistance to turning on the spot: moment per normal force, m.
    pub torsional: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.8, restitution: 0.0, stiffness: None, damping: None, rolling: 0.0, torsional: 0.0 }
    }
}

impl Material {
    /// The default surface with another friction coefficient.
    pub fn with_friction(friction: f64) -> Self {
        Self { friction, ..Self::default() }
    }

    /// Of two touching surfaces: geometric mean of the frictions, the larger restitution and resistances,
    /// the softer stiffness and smaller damping where given. Two equal surfaces keep their values.
    pub fn combined(&self, other: &Self) -> Self {
        let softer = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self {
            friction: if self.friction == other.friction {
                self.friction
            } else {
                (self.friction * other.friction).sqrt()
            },
            restitution: self.restitution.max(other.restitution),
            stiffness: softer(self.stiffness, other.stiffness),
            damping: softer(self.damping, other.damping),
            rolling: self.rolling.max(other.rolling),
            torsional: self.torsional.max(other.torsional),
        }
    }

    /// The first value that makes no sense, if any, with its name.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64)> {
        let named = [
            ("friction", Some(self.friction)),
            ("restitution", Some(self.restitution)),
            ("contact stiffness", self.stiffness),
            ("contact damping", self.damping),
            ("rolling resistance", Some(self.rolling)),
            ("torsional resistance", Some(self.torsional)),
        ];
        named
            .into_iter()
            .filter_map(|(name, value)| value.map(|v| (name, v)))
            .find(|(_, v)| !(v.is_finite() && *v >= 0.0))
    }
}
