//! Pose control: target poses one after the other, each reached in a time of its own (the paper's 5.1.2; van de Panne 1996).
//!
//! ```text
//! (1)  q̄(t) = q_{k-1} ⊕ s (q_k ⊖ q_{k-1}),  s = (t - t_{k-1}) / d_k        linear on the way: steps of targets throw limbs
//! (2)  v̄   = (q_k ⊖ q_{k-1}) / d_k                                          and their rates, so that servos do not lag
//! ```
//! Tables name angles as anatomy does (degrees, of both sides; `l-` and `r-` before a name are of one). Played in the mirror, left is
//! right. From the key `stand` on legs bear and balance the body as those of one who stands, besides their servos.

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Part, Physique};
use stuntlab_physics::{Actuation, State};

use super::build::Build;
use crate::controller::Sense;
use crate::fighter::Layout;
use crate::gains::{Gains, Tuned};
use crate::kind::Refusal;
use crate::settings::{Fields, SettingError, parse};
use crate::stand::{Stand, StandOptions, write_servos};
use crate::walking::other;

/// Factor on the reference gains: those are of a body of 45 kg, this one is of 80.
const STIFF: f64 = 1.6;
/// Seconds in which legs come to bear the body from the key `stand` on.
const BEARING: f64 = 0.2;

/// An angle a table may name: part and which of flexion, abduction and twist.
type Column = (&'static str, fn(Side) -> Part, usize);

/// Angles of the middle of the body; sideways and twist change their sign in the mirror.
const MIDDLE: [Column; 6] = [
    ("trunk", |_| Part::Spine(0), 0),
    ("trunk-right", |_| Part::Spine(0), 1),
    ("trunk-twist", |_| Part::Spine(0), 2),
    ("neck", |_| Part::Neck(0), 0),
    ("neck-twist", |_| Part::Neck(0), 2),
    ("head", |_| Part::Head, 0),
];

/// Angles of limbs.
const LIMBS: [Column; 12] = [
    ("hip", Part::Thigh, 0),
    ("hip-out", Part::Thigh, 1),
    ("hip-twist", Part::Thigh, 2),
    ("knee", Part::Shank, 0),
    ("ankle", Part::Foot, 0),
    ("ankle-in", Part::Foot, 1),
    ("shoulder", Part::UpperArm, 0),
    ("shoulder-out", Part::UpperArm, 1),
    ("elbow", Part::Forearm, 0),
    ("elbow-twist", Part::Forearm, 2),
    ("wrist", Part::Hand, 0),
    ("wrist-out", Part::Hand, 1),
];

/// Which angle, and of which side; both where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Angle {
    /// Place among the limbs' angles, or after them among the middle's.
    place: usize,
    side: Option<Side>,
}

impl Angle {
    fn column(self) -> &'static Column {
        if self.is_middle() { &MIDDLE[self.place - LIMBS.len()] } else { &LIMBS[self.place] }
    }

    fn is_middle(self) -> bool {
        self.place >= LIMBS.len()
    }
}

/// A table of poses.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// How long the way to each takes, s.
    pub seconds: Vec<f64>,
    /// From which key on legs bear the body; none do it nowhere.
    pub stand: Option<usize>,
    /// Factor on the stiffness of servos.
    pub stiffness: f64,
    angles: Vec<(Angle, Vec<f64>)>,
}

/// What a text says of an angle.
fn angle(name: &str) -> Option<Angle> {
    let (side, word) = match name.split_once('-') {
        Some(("l", rest)) => (Some(Side::Left), rest),
        Some(("r", rest)) => (Some(Side::Right), rest),
        _ => (None, name),
    };
    let of = |columns: &[Column]| columns.iter().position(|c| c.0 == word);
    let place = match (of(&LIMBS), of(&MIDDLE)) {
        (Some(place), _) => place,
        (None, Some(place)) if side.is_none() => LIMBS.len() + place,
        _ => return None,
    };
    Some(Angle { place, side })
}

impl Table {
    /// Reads a table that is part of the program.
    ///
    /// # Errors
    /// A table that is none.
    pub fn parse(name: &str, text: &str) -> Result<Self, SettingError> {
        let root = parse(name, text)?;
        let fields = Fields::new(name, "", &root)?;
        let rows = fields.named_numbers("keys")?;
        let table = Self::usual().with(&fields, "keys", rows)?;
        fields.finish()?;
        Ok(table)
    }

    fn usual() -> Self {
        Self { seconds: Vec::new(), stand: None, stiffness: 1.0, angles: Vec::new() }
    }

    /// This table with some of its rows written anew.
    ///
    /// # Errors
    /// Names that are no angles, rows that are not all of one length.
    pub fn with(
        mut self,
        fields: &Fields<'_>,
        key: &'static str,
        rows: Vec<(String, Vec<f64>, usize)>,
    ) -> Result<Self, SettingError> {
        for (name, values, _) in rows {
            match (name.as_str(), values.as_slice()) {
                ("seconds", all) if all.iter().all(|s| *s > 0.0) => self.seconds = values,
                ("stand", [from]) => self.stand = (*from >= 0.0).then_some(*from as usize),
                ("stiffness", [factor]) if *factor > 0.0 => self.stiffness = *factor,
                ("seconds" | "stand" | "stiffness", _) => {
                    let expected = "expected seconds above 0, one key to stand from, one stiffness above 0";
                    return Err(fields.error(key, format!("has a wrong row \"{name}\", {expected}")));
                }
                _ => {
                    let Some(angle) = angle(&name) else {
                        let names = LIMBS.iter().chain(&MIDDLE).map(|c| c.0).collect::<Vec<_>>().join(", ");
                        let problem = format!(
                            "has \"{name}\", expected seconds, stand, stiffness or an angle: {names}"
                        );
                        return Err(fields.error(key, problem));
                    };
                    self.angles.retain(|(other, _)| *other != angle);
                    self.angles.push((angle, values));
                }
            }
        }
        // Those of one side after those of both.
        self.angles.sort_by_key(|(angle, _)| angle.side.is_some());
        let n = self.seconds.len();
        if n == 0 || self.angles.iter().any(|(_, values)| values.len() != n && values.len() != 1) {
            let problem =
                format!("has {n} seconds, expected at least one, and rows of as many angles, or of one");
            return Err(fields.error(key, problem));
        }
        Ok(self)
    }

    /// The poses, as they are or in the mirror.
    fn poses(&self, build: &Build, mirrored: bool) -> Vec<State> {
        let sides = |angle: &Angle| match angle.side {
            Some(side) => vec![side],
            None => Side::BOTH.to_vec(),
        };
        let pose = |k: usize| {
            let mut state = State::new(build.own());
            // All angles of a joint are set at once.
            let mut joints: Vec<(Part, [f64; 3])> = Vec::new();
            for (angle, values) in &self.angles {
                let value = values.get(k).or(values.first()).copied().unwrap_or(0.0);
                let (_, part, which) = *angle.column();
                let sign = if angle.is_middle() && mirrored && which > 0 { -1.0 } else { 1.0 };
                for side in sides(angle) {
                    let part = part(if mirrored { other(side) } else { side });
                    let place = joints.iter().position(|(p, _)| *p == part).unwrap_or_else(|| {
                        joints.push((part, [0.0; 3]));
                        joints.len() - 1
                    });
                    joints[place].1[which] = sign * value;
                }
            }
            for (part, angles) in joints {
                build.set(&mut state, part, angles);
            }
            state
        };
        (0..self.seconds.len()).map(pose).collect()
    }
}

/// Poses being played.
#[derive(Clone)]
pub struct Player {
    build: Arc<Build>,
    table: Table,
    /// As they are, and in the mirror.
    poses: [Vec<State>; 2],
    mirrored: bool,
    gains: Tuned,
    layout: Layout,
    stand: Stand,
    /// Where the way to the first pose begins.
    began: State,
    since: f64,
    pose: State,
    rates: Vec<f64>,
    progress: f64,
}

impl Player {
    /// Of a table, for a figure.
    ///
    /// # Errors
    /// A figure that does not stand on two legs.
    pub fn new(build: Arc<Build>, physique: &Physique, table: Table) -> Result<Self, Refusal> {
        let own = build.own();
        Ok(Self {
            poses: [table.poses(&build, false), table.poses(&build, true)],
            mirrored: false,
            gains: Tuned::new(own, own.body_ids(), Gains::Table { scale: STIFF * table.stiffness }),
            layout: Layout::new(own),
            stand: Stand::new(own.clone(), physique, StandOptions::default())?,
            began: State::new(own),
            since: 0.0,
            pose: State::new(own),
            rates: vec![0.0; own.n_v()],
            progress: 0.0,
            table,
            build,
        })
    }

    /// Begins from where the joints are.
    pub fn begin(&mut self, sense: &Sense<'_>, mirrored: bool) {
        self.mirrored = mirrored;
        self.since = sense.time();
        self.progress = 0.0;
        self.began.q.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
        self.pose.clone_from(&self.began);
        self.stand.calm();
    }

    /// How far it is, 0 to 1.
    pub fn progress(&self) -> f64 {
        self.progress
    }

    /// What it strives for.
    pub fn pose(&self) -> &State {
        &self.pose
    }

    /// (1), (2).
    pub fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let time = sense.time() + sense.dt - self.since;
        let poses = &self.poses[usize::from(self.mirrored)];
        let whole: f64 = self.table.seconds.iter().sum();
        self.progress = (time / whole).clamp(0.0, 1.0);
        let (mut k, mut left) = (0, time);
        while k + 1 < poses.len() && left >= self.table.seconds[k] {
            left -= self.table.seconds[k];
            k += 1;
        }
        let seconds = self.table.seconds[k];
        let share = (left / seconds).clamp(0.0, 1.0);
        let from = if k == 0 { &self.began } else { &poses[k - 1] };
        self.pose.q.copy_from_slice(&from.q);
        self.layout.mix(&mut self.pose.q, &poses[k].q, share);
        if share < 1.0 {
            from.difference(self.build.own(), &poses[k], &mut self.rates);
            self.rates.iter_mut().for_each(|rate| *rate /= seconds);
        } else {
            self.rates.fill(0.0);
        }
        // The root goes where it goes.
        let root = self.build.own().bodies()[0].coordinates();
        self.pose.q[root].copy_from_slice(&sense.state.q[sense.model.body(sense.root()).coordinates()]);
        self.rates[..self.build.root_freedoms()].fill(0.0);
        let bears = self.table.stand.map_or(0.0, |stand| {
            let before: f64 = self.table.seconds.iter().take(stand).sum();
            ((time - before) / BEARING).clamp(0.0, 1.0)
        });
        if bears > 0.0 {
            self.stand.options.balance = bears;
            self.stand.act(sense, &self.pose, &self.rates, true, out);
        }
        if bears < 1.0 {
            self.servo(sense, 1.0 - bears, out);
        }
    }

    /// Servos by the table of strengths, `share` of them beside what there is.
    fn servo(&mut self, sense: &Sense<'_>, share: f64, out: &mut Actuation) {
        self.gains.look(sense);
        if share >= 1.0 {
            write_servos(sense, self.build.own(), &self.gains, &self.pose, &self.rates, out, |_| (1.0, 1.0));
            return;
        }
        let first = sense.tree().freedoms.range().start;
        for (k, (stiffness, damping)) in
            self.gains.table().iter().enumerate().skip(self.build.root_freedoms())
        {
            let (stands, damps) = (&mut out.servo.stiffness[first + k], &mut out.servo.damping[first + k]);
            *stands = (1.0 - share) * *stands + share * stiffness;
            *damps = (1.0 - share) * *damps + share * damping;
        }
    }
}
