//! Running curves of whatever a world measures or a controller publishes; up to four at a time.

use stuntlab_control::Published;
use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::Corner;
use stuntlab_viewer::palette;

use crate::run::World;

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
}

impl Source {
    /// All there are of the world and one character.
    pub(crate) fn all(world: &World, member: usize) -> Vec<Self> {
        let mut all = vec![Self::Energy, Self::Depth, Self::Contact];
        if let Some(controller) = world.controllers.get(member) {
            all.push(Self::Height(member));
            all.extend(controller.readings().published().iter().map(|p| Self::Reading(member, *p)));
        }
        all
    }

    /// What it is, with its unit.
    pub(crate) fn title(self, world: &World) -> String {
        let name = |k: usize| world.cast().get(k).map_or("", |m| m.name.as_str());
        match self {
            Self::Energy => "kinetic energy, J".to_owned(),
            Self::Depth => "deepest overlap, mm".to_owned(),
            Self::Contact => "contact forces, N".to_owned(),
            Self::Height(k) => format!("{}: height, m", name(k)),
            Self::Reading(k, p) if p.unit.is_empty() => format!("{}: {}", name(k), p.name),
            Self::Reading(k, p) => format!("{}: {}, {}", name(k), p.name, p.unit),
        }
    }

    fn value(self, world: &World) -> Option<f64> {
        match self {
            Self::Energy => Some(kinetic_energy(world.model(), &world.data, &world.state.v)),
            Self::Depth => Some(1e3 * world.deepest()),
            Self::Contact => Some(world.data.contact.points.iter().map(|c| c.force.length()).sum()),
            Self::Height(k) => world.senses().get(k).map(|s| s.center_of_mass().z - s.ground()),
            Self::Reading(k, p) => world.controllers.get(k)?.readings().get(p.name),
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
    pub(crate) fn next(&mut self, world: &World, member: usize) {
        let all = Source::all(world, member);
        let now = self.shown.first().and_then(|(source, _)| all.iter().position(|s| s == source));
        let next = all[now.map_or(0, |k| (k + 1) % all.len())];
        self.shown.retain(|(source, _)| *source != next);
        if !self.shown.is_empty() {
            self.shown.remove(0);
        }
        self.shown.insert(0, (next, Vec::new()));
    }

    /// Takes a sample of each.
    pub(crate) fn sample(&mut self, world: &World) {
        for (source, curve) in &mut self.shown {
            curve.push(source.value(world).unwrap_or(f64::NAN));
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
    pub(crate) fn titles(&self, world: &World) -> Vec<String> {
        self.shown.iter().map(|(source, _)| source.title(world)).collect()
    }

    /// As pictures.
    pub(crate) fn pictures(&self, world: &World) -> Vec<StripChart> {
        let colors = [palette::ORANGE, palette::SKY_BLUE, palette::YELLOW, palette::PURPLE];
        let picture = |((source, curve), color): (&(Source, Vec<f64>), &palette::Color)| {
            StripChart::new(Corner::BottomRight, source.title(world), SAMPLES).curve(
                "",
                *color,
                curve.clone(),
            )
        };
        self.shown.iter().zip(&colors).map(picture).collect()
    }
}
