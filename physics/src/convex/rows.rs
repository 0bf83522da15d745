//! Terms of the problem: what they act on, their law, and where they stand while the problem is solved.

use glam::DVec3;

use super::law::{Bounded, Law};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{ArticulatedInertia, Force, Motion, Sym3};

/// Who put a term into the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A contact, by its index.
    Contact(u32),
    /// A contact's resistance to rolling and to turning on the spot.
    Turning(u32),
    /// A pin's point, by the pin's index.
    Pin(u32),
    /// A weld's rotation.
    Weld(u32),
    /// A joint limit.
    Limit,
    /// A motor, by its index.
    Motor(u32),
    /// A servo with an effort limit, by its freedom.
    Servo(u32),
    /// A controller's own row, by its index.
    Own(u32),
}

/// A contact that is to bounce, while it is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compressed {
    /// Share of what stopping takes that it gives back.
    pub(crate) gives_back: f64,
    /// The velocity it wants to keep afterwards.
    pub(crate) target: f64,
}

/// Three rows between a body and another one (or the world): on the relative velocity of two points, or on the
/// relative spin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) source: Source,
    /// Bodies; the second is [`NONE`] for the world. Impulses act on the first, their opposite on the second.
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// Whether it acts on the spin.
    pub(crate) spins: bool,
    /// From the bodies' origins to the points.
    pub(crate) arm_a: DVec3,
    pub(crate) arm_b: DVec3,
    pub(crate) law: Law,
    /// Relative velocity, and its change along the present direction.
    pub(crate) velocity: DVec3,
    pub(crate) change: DVec3,
    pub(crate) impulse: DVec3,
    pub(crate) slides: bool,
    /// If it is to bounce, while it is compressed.
    pub(crate) compressed: Option<Compressed>,
    /// Whether nothing pressed here in the last step.
    pub(crate) is_new: bool,
    /// Of a contact that pressed in the last step, whether it stuck.
    pub(crate) stuck: Option<bool>,
    /// Whether it gave more than it may and now asks for nothing; of a pin, whether it cannot have its way and pulls softly.
    pub(crate) is_calm: bool,
    /// The gain at the present velocity, and the one that is part of the factors.
    pub(crate) gain: Sym3,
    pub(crate) folded: Sym3,
    /// Velocity per impulse along the normal, by the articulated mobility of both bodies.
    pub(crate) mobility: f64,
    /// The block between its bodies in [`super::pairs::Pairs`], if it has two and acts.
    pub(crate) block: u32,
}

impl Row {
    /// The velocity its law wants.
    pub(crate) fn wanted(&self) -> DVec3 {
        self.law.target + self.law.normal * self.law.along.target
    }

    /// A row with its law still to be written.
    pub(crate) fn new(source: Source, a: usize, b: Option<usize>, normal: DVec3) -> Self {
        Self {
            source,
            a: a as u32,
            b: b.map_or(NONE, |b| b as u32),
            spins: false,
            arm_a: DVec3::ZERO,
            arm_b: DVec3::ZERO,
            law: Law { normal, along: Bounded::PUSH, target: DVec3::ZERO, softness: 1.0, bound: 0.0 },
            velocity: DVec3::ZERO,
            change: DVec3::ZERO,
            impulse: DVec3::ZERO,
            slides: false,
            compressed: None,
            is_new: false,
            stuck: None,
            is_calm: false,
            gain: Sym3::ZERO,
            folded: Sym3::ZERO,
            mobility: 0.0,
            block: NONE,
        }
    }

    /// Relative velocity for given body velocities.
    #[inline]
    pub(crate) fn relative(&self, bodies: &[Motion]) -> DVec3 {
        let at = |body: u32, arm: DVec3| {
            let motion = bodies[body as usize];
            if self.spins { motion.angular } else { motion.linear + motion.angular.cross(arm) }
        };
        let a = at(self.a, self.arm_a);
        if self.b == NONE { a } else { a - at(self.b, self.arm_b) }
    }

    /// Impulse and gain at the present velocity.
    #[inline]
    pub(crate) fn answer(&mut self) {
        let answer = self.law.answer(self.velocity);
        (self.impulse, self.gain, self.slides) = (answer.impulse, answer.gain, answer.slides);
    }

    /// The same if it goes on as it did in the last step.
    #[inline]
    pub(crate) fn expect(&mut self) {
        let answer = match self.stuck {
            Some(sticks) => self.law.expect(self.velocity, sticks),
            None => self.law.answer(self.velocity),
        };
        (self.impulse, self.gain, self.slides) = (answer.impulse, answer.gain, answer.slides);
    }

    /// The wrench of an impulse on body A (at its origin).
    #[inline]
    pub(crate) fn wrench_a(&self, impulse: DVec3) -> Force {
        if self.spins { Force::new(impulse, DVec3::ZERO) } else { Force::at_offset(impulse, self.arm_a) }
    }

    /// The wrench of its opposite on body B.
    #[inline]
    pub(crate) fn wrench_b(&self, impulse: DVec3) -> Force {
        if self.spins { Force::new(-impulse, DVec3::ZERO) } else { Force::at_offset(-impulse, self.arm_b) }
    }

    /// `Jᵀ G J` on one of its bodies.
    #[inline]
    pub(crate) fn gain_at(&self, gain: Sym3, arm: DVec3) -> ArticulatedInertia {
        if self.spins {
            ArticulatedInertia::rotational(gain)
        } else {
            ArticulatedInertia::at_point(gain, arm)
        }
    }

    /// Whether nothing gives way at either end, as between the ground and a figure that is played back: whatever it pushes
    /// with changes nothing.
    #[inline]
    pub(crate) fn is_immovable(&self) -> bool {
        self.mobility <= f64::MIN_POSITIVE
    }

    /// Whether it pushes, or would at any other velocity nearby. Most points that are seen ahead do not.
    #[inline]
    pub(crate) fn acts_now(&self) -> bool {
        self.gain != Sym3::ZERO || self.impulse != DVec3::ZERO
    }

    /// Whether it is part of the factors.
    #[inline]
    pub(crate) fn acts(&self) -> bool {
        self.folded.trace() > 0.0
    }

    /// Whether the gain differs from the one in the factors by more than the share `stale` of it, along the normal or
    /// across (friction is so much softer that it would not show in the sum).
    #[inline]
    pub(crate) fn is_stale(&self, stale: f64) -> bool {
        if self.gain == self.folded {
            return false;
        }
        let n = self.law.normal;
        let (g_n, f_n) = (self.gain.quadratic(n, n), self.folded.quadratic(n, n));
        if (g_n - f_n).abs() > stale * g_n.max(f_n) {
            return true;
        }
        let d = self.gain - self.folded - Sym3::outer(n) * (g_n - f_n);
        let change = [d.xx, d.yy, d.zz, d.xy, d.xz, d.yz].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // The trace bounds all entries of a positive matrix.
        change > stale * (self.gain.trace() - g_n).max(self.folded.trace() - f_n).max(1e-9 * g_n)
    }
}

/// One row along a direction of a joint's freedoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointRow {
    pub(crate) source: Source,
    pub(crate) body: u32,
    /// First of up to three freedoms, and the direction in them.
    pub(crate) first: u32,
    pub(crate) direction: DVec3,
    /// Whether these are the turning freedoms of a free joint.
    pub(crate) second: bool,
    pub(crate) law: Bounded,
    pub(crate) velocity: f64,
    pub(crate) change: f64,
    pub(crate) impulse: f64,
    pub(crate) gain: f64,
    pub(crate) folded: f64,
    pub(crate) mobility: f64,
}

impl JointRow {
    /// A row on the freedoms `first..` of a body's joint.
    pub(crate) fn new(source: Source, model: &Model, body: usize, first: usize, direction: DVec3) -> Self {
        let start = model.bodies[body].v_start;
        let free = model.links[body].kind == JointKind::Free;
        let second = free && first >= start + 3;
        let mut row = Self {
            source,
            body: body as u32,
            first: (start + if second { 3 } else { 0 }) as u32,
            direction,
            second,
            law: Bounded::PUSH,
            velocity: 0.0,
            change: 0.0,
            impulse: 0.0,
            gain: 0.0,
            folded: 0.0,
            mobility: 0.0,
        };
        if direction == DVec3::X && first > row.first as usize {
            // A single freedom that is not the joint's first.
            row.direction = DVec3::AXES[first - row.first as usize];
        }
        row
    }

    /// Impulse and gain at the present velocity.
    #[inline]
    pub(crate) fn answer(&mut self) {
        (self.impulse, self.gain) = self.law.answer(self.velocity);
    }

    /// How many freedoms there are from `first` on, at most three.
    #[inline]
    fn span(&self, model: &Model) -> usize {
        model.links[self.body as usize].kind.n_v().min(3)
    }

    /// The rate along the direction.
    #[inline]
    pub(crate) fn rate(&self, model: &Model, v: &[f64]) -> f64 {
        let d = self.direction.to_array();
        let at = self.first as usize;
        (0..self.span(model)).map(|k| d[k] * v[at + k]).sum()
    }

    /// Adds an impulse along the direction to the joints' forces.
    #[inline]
    pub(crate) fn push(&self, model: &Model, impulse: f64, joints: &mut [f64]) {
        let d = self.direction.to_array();
        let at = self.first as usize;
        for k in 0..self.span(model) {
            joints[at + k] += d[k] * impulse;
        }
    }

    /// The direction in the coordinates of the joint's factor: world axes for ball and free joints.
    #[inline]
    pub(crate) fn in_factor_axes(&self, model: &Model, axes: &glam::DMat3) -> DVec3 {
        match model.links[self.body as usize].kind {
            JointKind::Spherical | JointKind::Free => *axes * self.direction,
            _ => self.direction,
        }
    }
}
