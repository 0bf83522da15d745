//! Terms on several velocities at once: rows of a controller's own with several terms, and motors whose effort is bounded as a whole.
//!
//! A term's velocity is `u = J v` with up to three components, each a sum of unit impulses' rates. A row of a controller's own is one
//! component with bounds; a motor's law is
//!
//! ```text
//! (1)  γ = (û - u)/R cut to the length `bound`,    G = 1/R  or  bound/|y| (1 - t tᵀ)/R,   y = (û - u)/R, t = y/|y|
//! ```
//!
//! A motor's gain is part of its joint's inertia, like that of all that acts along joints. Rows act on anything: they are a correction of low
//! rank to the factors of all else, `H`. With `G = L Lᵀ` (Woodbury)
//!
//! ```text
//! (2)  (H + JᵀL LᵀJ)⁻¹ r = d - H⁻¹JᵀL y,   (1 + LᵀΩL) y = LᵀJ d,   d = H⁻¹ r,   Ω = J H⁻¹ Jᵀ
//! ```
//!
//! a solve per row and two more per Newton step.

use glam::DVec3;

use super::Convex;
use super::factors::solve_with;
use super::islands::Island;
use super::law::Bounded;
use super::mobility::{self, Mobility};
use super::rows::Source;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Motion, Sym3};
use crate::step::rows::hit_rate;

/// What a component of a term acts on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) component: usize,
    pub(crate) hit: Hit,
}

/// The law of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Law {
    /// One component between bounds.
    Line(Bounded),
    /// (1).
    Ball { target: DVec3, softness: f64, bound: f64 },
}

/// The joint whose inertia has a motor's gain, and its freedoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    pub(crate) body: u32,
    /// Whether these are the turning freedoms of a free joint.
    pub(crate) second: bool,
    /// The motor's first freedom among the joint's (or the joint's turning ones).
    pub(crate) at: usize,
}

/// One term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combined {
    pub(crate) source: Source,
    /// Range of [`Convex::parts`].
    pub(crate) parts: (u32, u32),
    /// How many components there are.
    pub(crate) count: usize,
    pub(crate) law: Law,
    pub(crate) home: Option<Home>,
    pub(crate) velocity: DVec3,
    pub(crate) change: DVec3,
    pub(crate) impulse: DVec3,
    pub(crate) gain: Sym3,
    /// The gain that is part of the joint's inertia.
    pub(crate) folded: Sym3,
    pub(crate) mobility: f64,
}

impl Combined {
    /// A term on the last parts from `first` on.
    pub(crate) fn new(source: Source, parts: (u32, u32), count: usize, law: Law, home: Option<Home>) -> Self {
        Self {
            source,
            parts,
            count,
            law,
            home,
            velocity: DVec3::ZERO,
            change: DVec3::ZERO,
            impulse: DVec3::ZERO,
            gain: Sym3::ZERO,
            folded: Sym3::ZERO,
            mobility: 0.0,
        }
    }

    /// What it acts on.
    #[inline]
    pub(crate) fn of<'a>(&self, parts: &'a [Part]) -> &'a [Part] {
        &parts[self.parts.0 as usize..self.parts.1 as usize]
    }

    /// `J v`.
    pub(crate) fn rate(&self, parts: &[Part], bodies: &[Motion], v: &[f64]) -> DVec3 {
        let mut u = DVec3::ZERO;
        for part in self.of(parts) {
            u[part.component] += hit_rate(part.hit, bodies, v);
        }
        u
    }

    /// Adds `Jᵀ` times an impulse.
    fn push(&self, parts: &[Part], impulse: DVec3, bodies: &mut [Force], joints: &mut [f64]) {
        for part in self.of(parts) {
            let x = impulse[part.component];
            match part.hit {
                Hit::Body(b, wrench) => bodies[b] += wrench * x,
                Hit::Freedom(d, scale) => joints[d] += scale * x,
            }
        }
    }

    /// Impulse and gain at a velocity.
    fn law_at(&self, u: DVec3) -> (DVec3, Sym3) {
        match self.law {
            Law::Line(row) => {
                let (impulse, gain) = row.answer(u.x);
                (DVec3::X * impulse, Sym3::diagonal(gain, 0.0, 0.0))
            }
            Law::Ball { target, softness, bound } => {
                let y = (target - u) / softness;
                let length = y.length();
                let ones = Sym3::diagonal(1.0, f64::from(self.count > 1), f64::from(self.count > 2));
                if length <= bound {
                    return (y, ones * (1.0 / softness));
                }
                let t = y / length;
                (t * bound, (ones - Sym3::outer(t)) * (bound / (length * softness)))
            }
        }
    }

    fn answer(&mut self) {
        (self.impulse, self.gain) = self.law_at(self.velocity);
    }

    /// Whether its impulse is at a bound.
    pub(crate) fn is_at_bound(&self) -> bool {
        match self.law {
            Law::Line(row) => self.impulse.x <= row.lower || self.impulse.x >= row.upper,
            Law::Ball { bound, .. } => self.impulse.length() >= bound * (1.0 - 1e-12),
        }
    }

    /// Wanted minus present velocity.
    pub(crate) fn error(&self) -> DVec3 {
        match self.law {
            Law::Line(row) => DVec3::X * (row.target - self.velocity.x),
            Law::Ball { target, .. } => target - self.velocity,
        }
    }

    /// A gain in the coordinates of its joint's factor.
    fn in_factor_axes(&self, home: Home, gain: Sym3, model: &Model, axes: &glam::DMat3) -> Sym3 {
        let g = gain.to_mat3();
        let mut whole = glam::DMat3::ZERO;
        for i in 0..self.count {
            for k in 0..self.count {
                whole.col_mut(home.at + k)[home.at + i] = g.col(k)[i];
            }
        }
        let whole = Sym3::symmetric_part(&whole);
        match model.links[home.body as usize].kind {
            JointKind::Spherical | JointKind::Free => whole.rotated(axes),
            _ => whole,
        }
    }
}

fn range(island: Island) -> core::ops::Range<usize> {
    island.combined.0 as usize..island.combined.1 as usize
}

/// Writes what the laws lack once mobilities are known; what nothing gives way to pushes with nothing.
pub(super) fn write_laws(model: &Model, data: &Data, convex: &mut Convex) {
    let Convex { combined, parts, mobility: known, .. } = convex;
    for term in combined {
        let own = |part: &Part| mobility_of(model, data, part.hit, known);
        let sum: f64 = term.of(parts).iter().map(own).sum();
        term.mobility = (sum / term.count as f64).max(f64::MIN_POSITIVE);
        let stuck = term.mobility <= f64::MIN_POSITIVE;
        let least =
            if term.home.is_some() { super::drives::MOTOR } else { super::own::RIGID } * term.mobility;
        match &mut term.law {
            Law::Line(row) if stuck => *row = Bounded { lower: 0.0, upper: 0.0, ..Bounded::PUSH },
            Law::Line(row) => row.softness = row.softness.max(least),
            Law::Ball { bound, softness, .. } if stuck => (*bound, *softness) = (0.0, 1.0),
            Law::Ball { softness, .. } => *softness = softness.max(least),
        }
    }
}

fn mobility_of(model: &Model, data: &Data, hit: Hit, known: &[Mobility]) -> f64 {
    match hit {
        Hit::Body(b, wrench) => known[b].answer(wrench).dot(wrench),
        Hit::Freedom(dof, scale) => {
            let i = model.body_of_freedom(dof).index();
            let at = dof - model.bodies[i].v_start;
            let second = at >= 3;
            let unit = DVec3::AXES[if second { at - 3 } else { at }];
            let d = match model.links[i].kind {
                JointKind::Spherical | JointKind::Free => data.position.axes[i] * unit,
                _ => unit,
            };
            mobility::of_joint(model, data, i, d, second, known) * scale * scale
        }
    }
}

/// Velocities of all terms.
pub(super) fn start(convex: &mut Convex) {
    let Convex { combined, parts, velocity, v, .. } = convex;
    for term in combined {
        term.velocity = term.rate(parts, velocity, v);
    }
}

/// Impulses and gains of an island's terms at their velocities.
pub(super) fn answer(convex: &mut Convex, island: Island) {
    for k in range(island) {
        convex.combined[convex.islands.combined[k] as usize].answer();
    }
}

/// Takes the impulses of an island's terms off the gradient; `Σ γᵀWγ`.
pub(super) fn take_off(convex: &mut Convex, island: Island) -> f64 {
    let mut scale = 0.0;
    let Convex { combined, parts, islands, force, joint_force, .. } = convex;
    for k in range(island) {
        let term = &combined[islands.combined[k] as usize];
        scale += term.mobility * term.impulse.length_squared();
        term.push(parts, -term.impulse, force, joint_force);
    }
    scale
}

/// Takes an island's terms the whole way along the direction: what they pushed with along it before, and their share of slope and
/// curvature there.
pub(super) fn go(convex: &mut Convex, island: Island) -> (f64, f64, f64) {
    let (mut pressed, mut slope, mut curvature) = (0.0, 0.0, 0.0);
    let Convex { combined, parts, islands, direction, dv, .. } = convex;
    for k in range(island) {
        let term = &mut combined[islands.combined[k] as usize];
        term.change = term.rate(parts, direction, dv);
        pressed += term.impulse.dot(term.change);
        term.velocity += term.change;
        term.answer();
        slope -= term.impulse.dot(term.change);
        curvature += term.gain.quadratic(term.change, term.change);
    }
    (pressed, slope, curvature)
}

/// Takes an island's terms from the whole way to the share `t` of it.
pub(super) fn settle(convex: &mut Convex, island: Island, t: f64) {
    for k in range(island) {
        let term = &mut convex.combined[convex.islands.combined[k] as usize];
        term.velocity += term.change * (t - 1.0);
        term.answer();
    }
}

/// The share of an island's terms, which stand at the whole way, in slope (negative) and curvature at the share `t` of it.
pub(super) fn along_line(convex: &Convex, island: Island, t: f64) -> (f64, f64) {
    let (mut slope, mut curvature) = (0.0, 0.0);
    for k in range(island) {
        let term = &convex.combined[convex.islands.combined[k] as usize];
        let (impulse, gain) = term.law_at(term.velocity + term.change * (t - 1.0));
        slope += impulse.dot(term.change);
        curvature += gain.quadratic(term.change, term.change);
    }
    (slope, curvature)
}

/// Brings the gains of motors in their joints' inertias up to the present ones; whether any changed.
pub(super) fn renew(model: &Model, data: &Data, convex: &mut Convex, island: Island) -> bool {
    let mut any = false;
    for k in range(island) {
        let term = &mut convex.combined[convex.islands.combined[k] as usize];
        if let Some(home) = term.home
            && term.gain != term.folded
        {
            let i = home.body as usize;
            let change = term.gain - term.folded;
            let change = term.in_factor_axes(home, change, model, &data.position.axes[i]);
            convex.extra[i][usize::from(home.second)] += change;
            term.folded = term.gain;
            convex.changed[i] = true;
            any = true;
        }
    }
    any
}

/// Work space of (2).
#[derive(Clone, Debug, Default)]
pub(crate) struct Correction {
    /// Columns of `L`: their terms, and what they are of each component.
    columns: Vec<(u32, DVec3)>,
    small: Vec<f64>,
    y: Vec<f64>,
    direction: Vec<Motion>,
    dv: Vec<f64>,
}

/// (2): corrects the direction that the factors gave for what they do not hold.
pub(super) fn correct(model: &Model, data: &mut Data, convex: &mut Convex, island: Island) {
    let mut own = core::mem::take(&mut convex.correction);
    own.columns.clear();
    for k in range(island) {
        let index = convex.islands.combined[k];
        let term = &convex.combined[index as usize];
        if term.home.is_none() && term.gain.xx > 0.0 {
            own.columns.push((index, DVec3::X * term.gain.xx.sqrt()));
        }
    }
    if !own.columns.is_empty() {
        own.correct(model, data, convex, island);
    }
    convex.correction = own;
}

impl Correction {
    fn project(&self, c: usize, convex: &Convex) -> f64 {
        let (term, part) = self.columns[c];
        convex.combined[term as usize].rate(&convex.parts, &convex.direction, &convex.dv).dot(part)
    }

    fn correct(&mut self, model: &Model, data: &mut Data, convex: &mut Convex, island: Island) {
        let n = self.columns.len();
        self.y.clear();
        for c in 0..n {
            self.y.push(self.project(c, convex));
        }
        self.direction.clone_from(&convex.direction);
        self.dv.clone_from(&convex.dv);
        self.small.clear();
        self.small.resize(n * n, 0.0);
        for c in 0..n {
            self.push(model, convex, island, |k| f64::from(k == c));
            solve_with(model, data, convex, island);
            for d in c..n {
                self.small[d * n + c] = self.project(d, convex) + f64::from(c == d);
            }
        }
        self.solve_small();
        self.push(model, convex, island, |k| -self.y[k]);
        solve_with(model, data, convex, island);
        for &tree in Island::of(island.trees, &convex.islands.trees) {
            for i in model.trees[tree as usize].clone() {
                convex.direction[i] += self.direction[i];
            }
            for k in model.freedoms_of(tree as usize) {
                convex.dv[k] += self.dv[k];
            }
        }
    }

    /// `JᵀL` times given numbers as the forces to be answered.
    fn push(&self, model: &Model, convex: &mut Convex, island: Island, amount: impl Fn(usize) -> f64) {
        let Convex { combined, parts, islands, force, joint_force, .. } = convex;
        for &tree in Island::of(island.trees, &islands.trees) {
            force[model.trees[tree as usize].clone()].fill(Force::ZERO);
            joint_force[model.freedoms_of(tree as usize)].fill(0.0);
        }
        for (k, &(term, part)) in self.columns.iter().enumerate() {
            let x = amount(k);
            if x != 0.0 {
                combined[term as usize].push(parts, part * x, force, joint_force);
            }
        }
    }

    /// Cholesky, lower triangle; the sum of one and a positive matrix.
    fn solve_small(&mut self) {
        let (n, m, y) = (self.columns.len(), &mut self.small, &mut self.y);
        for j in 0..n {
            for i in j..n {
                let s = m[i * n + j] - (0..j).map(|k| m[i * n + k] * m[j * n + k]).sum::<f64>();
                m[i * n + j] = if i == j { s.max(f64::MIN_POSITIVE).sqrt() } else { s / m[j * n + j] };
            }
        }
        for i in 0..n {
            let s: f64 = (0..i).map(|k| m[i * n + k] * y[k]).sum();
            y[i] = (y[i] - s) / m[i * n + i];
        }
        for i in (0..n).rev() {
            let s: f64 = (i + 1..n).map(|k| m[k * n + i] * y[k]).sum();
            y[i] = (y[i] - s) / m[i * n + i];
        }
    }
}
