//! Running curves of whatever a world measures or a controller publishes; up to four at a time.

use stuntlab_control::Published;
use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::Corner;
use stuntlab_viewer::palette;

use super::pane::Pane;

/// What a chart shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// Kinetic energy of everything.
    Energy,
    /// Deepest overlap.
    Depth,
    /// Force of all contacts together.
    Contact,
    /// Height of a character's centre of mass.
    Height(usize),
    /// A reading of a character's controller.
    Reading(usize, Published),
    /// What the scene measures, sample by sample.
    Measured(usize),
}

impl Source {
    /// All there are of the world and one character.
    pub(crate) fn all(pane: &Pane, member: usize) -> Vec<Self> {
        let mut all = vec![Self::Energy, Self::Depth, Self::Contact];
        if let Some(controller) = pane.world.controllers.get(member) {
            all.push(Self::Height(member));
            all.extend(controller.readings().published().iter().map(|p| Self::Reading(member, *p)));
        }
        all.extend((0..pane.gauges.len()).map(Self::Measured));
        all
    }

    /// What it is, with its unit.
    pub(crate) fn title(self, pane: &Pane) -> String {
        let name = |k: usize| pane.world.cast().get(k).map_or("", |m| m.name.as_str());
        let with_unit = |words: String, unit: &str| {
            if unit.is_empty() { words } else { format!("{words}, {unit}") }
        };
        match self {
            Self::Energy => "kinetic energy, J".to_owned(),
            Self::Depth => "deepest overlap, mm".to_owned(),
            Self::Contact => "contact forces, N".to_owned(),
            Self::Height(k) => format!("{}: height, m", name(k)),
            Self::Reading(k, p) => with_unit(format!("{}: {}", name(k), p.name), p.unit),
            Self::Measured(k) => pane.gauges.get(k).map_or_else(String::new, |gauge| {
                let (name, unit) = gauge.title();
                with_unit(format!("measured: {name}"), unit)
            }),
        }
    }

    fn value(self, pane: &Pane) -> Option<f64> {
        let world = &pane.world;
        match self {
            Self::Energy => Some(kinetic_energy(world.model(), &world.data, &world.state.v)),
            Self::Depth => Some(1e3 * world.deepest()),
            Self::Contact => Some(world.data.contact.points.iter().map(|c| c.force.length()).sum()),
            Self::Height(k) => world.senses().get(k).map(|s| s.center_of_mass().z - s.ground()),
            Self::Reading(k, p) => world.controllers.get(k)?.readings().get(p.name),
            Self::Measured(k) => pane.gauges.get(k)?.now(world, &pane.start),
        }
    }
}

/// Charts at a time.
const MOST: usize = 4;
/// Samples in a chart: four seconds of frames.
const SAMPLES: usize = 240;

/// The charts of a world.
#[derive(Clone)]
pub(crate) struct Charts {
    shown: Vec<(Source, Vec<f64>)>,
}

impl Default for Charts {
    fn default() -> Self {
        Self { shown: vec![(Source::Energy, Vec::new())] }
    }
}

impl Charts {
    /// Whether something is charted.
    pub(crate) fn shows(&self, source: Source) -> bool {
        self.shown.iter().any(|(s, _)| *s == source)
    }

    /// Charts something, or no longer; of more than four the oldest goes.
    pub(crate) fn toggle(&mut self, source: Source) {
        if self.shows(source) {
            self.shown.retain(|(s, _)| *s != source);
            return;
        }
        if self.shown.len() == MOST {
            self.shown.remove(0);
        }
        self.shown.push((source, Vec::new()));
    }

    /// The first chart shows the next of all there are.
    pub(crate) fn next(&mut self, all: &[Source]) {
        let now = self.shown.first().and_then(|(source, _)| all.iter().position(|s| s == source));
        let next = all[now.map_or(0, |k| (k + 1) % all.len())];
        self.shown.retain(|(source, _)| *source != next);
        if !self.shown.is_empty() {
            self.shown.remove(0);
        }
        self.shown.insert(0, (next, Vec::new()));
    }

    /// What each shows now.
    pub(crate) fn values(&self, pane: &Pane) -> Vec<f64> {
        self.shown.iter().map(|(source, _)| source.value(pane).unwrap_or(f64::NAN)).collect()
    }

    /// Adds a sample to each.
    pub(crate) fn add(&mut self, values: &[f64]) {
        for ((_, curve), value) in self.shown.iter_mut().zip(values) {
            curve.push(*value);
            if curve.len() > SAMPLES {
                curve.remove(0);
            }
        }
    }

    /// Forgets the curves, not what is charted.
    pub(crate) fn clear(&mut self) {
        self.shown.iter_mut().for_each(|(_, curve)| curve.clear());
    }

    /// Titles of what is charted.
    pub(crate) fn titles(&self, pane: &Pane) -> Vec<String> {
        self.shown.iter().map(|(source, _)| source.title(pane)).collect()
    }

    /// As pictures.
    pub(crate) fn pictures(&self, pane: &Pane) -> Vec<StripChart> {
        let colors = [palette::ORANGE, palette::SKY_BLUE, palette::YELLOW, palette::PURPLE];
        let picture = |((source, curve), color): (&(Source, Vec<f64>), &palette::Color)| {
            StripChart::new(Corner::BottomRight, source.title(pane), SAMPLES).curve("", *color, curve.clone())
        };
        self.shown.iter().zip(&colors).map(picture).collect()
    }
}
