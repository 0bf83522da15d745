//! What light arrives along a row: asked of the shadow maps where it changes, guessed between.

use std::ops::Range;

use glam::Vec3;

use super::shade::{Light, Shader, Surface};
use super::shadow::ShadowMap;

/// What surfaces receive light from.
pub(crate) struct Lamps<'a> {
    pub(crate) light: &'a Light,
    /// Shadows of the sun.
    pub(crate) sun_map: Option<&'a ShadowMap>,
    /// Darkness under things.
    pub(crate) sky_map: Option<&'a ShadowMap>,
}

/// Change of the sky's light along a row below which it hardly changes from row to row.
const CALM: f32 = 0.04;

/// Change of the sun's light along a row that is the edge of a shadow.
const EDGE: f32 = 0.5;

/// How much light changes along a run: edges are some samples wide, so that a few tell.
fn range(light: &[f32]) -> f32 {
    let (mut low, mut high) = (light[0], light[0]);
    for &x in light.iter().step_by(4).chain(light.last()) {
        low = if x < low { x } else { low };
        high = if x > high { x } else { high };
    }
    high - low
}

impl Shader {
    /// Finds the light that arrives at a run; `first` is the ray of the surface's first sample.
    pub(crate) fn find_light(&mut self, lamps: &Lamps<'_>, first: Vec3, step: Vec3, surface: &Surface<'_>) {
        let Range { start, end } = surface.run;
        let columns = surface.column + start..surface.column + end;
        let place = |i: usize| (first + step * (start + i) as f32) * (1.0 / surface.w[start + i]);
        if let Some(map) = lamps.sun_map {
            probe(&mut self.sun[columns.clone()], 8, &|i| map.light_at(map.place(place(i))));
        }
        if let Some(map) = lamps.sky_map {
            probe(&mut self.open[columns], 16, &|i| map.openness_at(map.place(place(i))));
        }
    }

    /// Takes the light of the row above for a run of samples `columns` of a material, `above` being the
    /// materials of that row. `false` where the row above shows something else or the edge of a shadow crosses it, or, if that is
    /// asked for, where it is not `calm`: between all light and none, or with a change of what comes from the sky.
    pub(crate) fn keep_light(
        &mut self,
        above: &[u32],
        columns: Range<usize>,
        material: u32,
        calm: bool,
    ) -> bool {
        let same = |m: &u32| *m == material;
        let row = &above[columns.clone()];
        let (Some(first), Some(last)) = (row.iter().position(same), row.iter().rposition(same)) else {
            return false;
        };
        if row[first..=last].iter().fold(0, |differs, m| differs | (m ^ material)) != 0 {
            return false;
        }
        let (sun, open) =
            (&self.sun[columns.clone()][first..=last], &self.open[columns.clone()][first..=last]);
        let steady = if calm {
            let all = |light: f32| sun.iter().fold(0, |all, x| all | (x.to_bits() ^ light.to_bits())) == 0;
            (all(1.0) || all(0.0)) && range(open) < CALM
        } else {
            range(sun) <= EDGE
        };
        if !steady {
            return false;
        }
        for light in [&mut self.sun[columns.clone()], &mut self.open[columns]] {
            let (left, right) = (light[first], light[last]);
            light[..first].fill(left);
            light[last + 1..].fill(right);
        }
        true
    }

    /// Whether all samples of a run are in full light.
    pub(crate) fn is_full(&self, columns: Range<usize>) -> bool {
        let full = |light: &[f32]| light.iter().fold(0, |all, x| all | (x.to_bits() ^ 1f32.to_bits())) == 0;
        full(&self.sun[columns.clone()]) && full(&self.open[columns])
    }
}

/// Fills `out` from a smooth but dear function, asking only every `stride`-th sample first; where two asked
/// ones differ much, the middle is asked too, and so on; between the rest lie straight lines.
fn probe(out: &mut [f32], stride: usize, value: &impl Fn(usize) -> f32) {
    let Some(last) = out.len().checked_sub(1) else { return };
    let mut at = 0;
    out[0] = value(0);
    while at < last {
        let next = (at + stride).min(last);
        out[next] = value(next);
        fill_between(out, at, next, value);
        at = next;
    }
}

fn fill_between(out: &mut [f32], from: usize, to: usize, value: &impl Fn(usize) -> f32) {
    let (before, after) = (out[from], out[to]);
    if before == after {
        out[from..to].fill(after);
    } else if to - from > 1 {
        if (before - after).abs() > 0.35 {
            let middle = (from + to) / 2;
            out[middle] = value(middle);
            fill_between(out, from, middle, value);
            fill_between(out, middle, to, value);
        } else {
            let slope = (after - before) / (to - from) as f32;
            for i in from + 1..to {
                out[i] = before + slope * (i - from) as f32;
            }
        }
    }
}
