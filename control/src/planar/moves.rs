//! Moves of the planar figure: phases of joint targets in its plane, with balance, and with a leg that swings.
//!
//! ```text
//! (1)  q̄(t) = q̄₀ + s (q̄ₚ - q̄₀),   s = t/T up to 1          from what was wanted when the phase began, in a straight line
//! (2)  θ̄ = θ̄₀ + c_d d + c_v v                               thigh of the leg that swings, in the world (Yin, Loken and van de Panne 2007)
//! (3)  φ̄ = θ + λ̄                                            the hip of the leg that stands holds the trunk at the lean λ̄, whatever the thigh θ does
//! ```
//! `d` is the way from the ankle that stands to the centre of mass and `v` its velocity, forward. Joints have servos taken at the end of the step, within what
//! the figure's muscles give. Legs that bear balance by a share ([`crate::stand`]): the ground presses where the fall comes back.

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::{Actuation, Data, JointKind, Model, State};

use crate::controller::{Controller, Sense};
use crate::gains::reference_gains;
use crate::kind::Refusal;
use crate::settings::{Fields, SettingError, parse};
use crate::stand::{Balance, Wanted};
use crate::walking::other;

/// Factor on the reference gains, which are for 45 kg, of a figure of 80.
const SCALE: f64 = 1.6;
/// Load on a foot that is a strike, N.
const STRIKE: f64 = 20.0;
/// Time in a phase before a strike counts, s: the foot that is to swing must have left the ground.
const AIRBORNE: f64 = 0.1;
/// Farthest that feedback takes a thigh, rad.
const REACH: f64 = 1.1;

/// Angles of the joints, degrees; flexion positive. Legs: first the one that swings or leads, then the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Posture {
    /// Waist.
    pub trunk: f64,
    /// Neck and head, half each.
    pub neck: f64,
    /// Hips; in the world of a leg that swings by feedback.
    pub hips: [f64; 2],
    /// Knees.
    pub knees: [f64; 2],
    /// Ankles.
    pub ankles: [f64; 2],
    /// Both shoulders.
    pub shoulders: f64,
    /// Both elbows.
    pub elbows: f64,
}

impl Posture {
    /// Numbers of a posture, for search.
    pub const WIDTH: usize = 10;

    /// As numbers.
    pub fn to_array(self) -> [f64; Self::WIDTH] {
        let Self { trunk, neck, hips: [a, b], knees: [c, d], ankles: [e, f], shoulders, elbows } = self;
        [trunk, neck, a, b, c, d, e, f, shoulders, elbows]
    }

    /// From numbers.
    pub fn from_array(n: [f64; Self::WIDTH]) -> Self {
        let [trunk, neck, a, b, c, d, e, f, shoulders, elbows] = n;
        Self { trunk, neck, hips: [a, b], knees: [c, d], ankles: [e, f], shoulders, elbows }
    }

    /// The angle of a part's joint, rad; `leads` tells whether its leg is the first.
    fn of(&self, part: Part, leads: impl Fn(Side) -> bool) -> Option<f64> {
        let leg = |pair: [f64; 2], side: Side| pair[usize::from(!leads(side))];
        let degrees = match part {
            Part::Spine(_) => self.trunk,
            Part::Neck(_) | Part::Head => 0.5 * self.neck,
            Part::Thigh(side) => leg(self.hips, side),
            Part::Shank(side) => leg(self.knees, side),
            Part::Foot(side) => leg(self.ankles, side),
            Part::UpperArm(_) => self.shoulders,
            Part::Forearm(_) => self.elbows,
            _ => return None,
        };
        Some(degrees.to_radians())
    }
}

/// Feedback of a leg that swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// `c_d`, rad/m.
    pub distance: f64,
    /// `c_v`, rad s/m.
    pub velocity: f64,
    /// `λ̄`, degrees.
    pub lean: f64,
}

/// A phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Seconds to its targets.
    pub seconds: f64,
    /// Seconds it is held after that.
    pub hold: f64,
    /// Where it goes.
    pub posture: Posture,
    /// Share of balance that legs which bear give.
    pub balance: f64,
    /// Factor on stiffness and damping.
    pub strength: f64,
    /// The first leg swings.
    pub swing: Option<Swing>,
    /// It ends as the first foot strikes, and not before.
    pub until_strike: bool,
}

/// Phases one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moves {
    /// The phases.
    pub phases: Vec<Phase>,
    /// After the last one it begins anew with the other leg.
    pub repeats: bool,
}

impl Moves {
    /// Reads `[[phase]]`s.
    ///
    /// # Errors
    /// What is wrong, with file, line and key.
    pub fn parse(file: &str, text: &str) -> Result<Self, SettingError> {
        let root = parse(file, text)?;
        let fields = Fields::new(file, "", &root)?;
        let phases: Result<Vec<Phase>, SettingError> =
            fields.tables("phase")?.into_iter().map(read_phase).collect();
        let phases = phases?;
        if phases.is_empty() {
            return Err(fields.missing("phase", "phases written as [[phase]]"));
        }
        let repeats = fields.flag("repeats")?.unwrap_or(false);
        fields.finish()?;
        Ok(Self { phases, repeats })
    }

    /// As TOML, which reads back as the same.
    pub fn to_toml(&self) -> String {
        let phase = |p: &Phase| {
            let Posture { trunk, neck, hips, knees, ankles, shoulders, elbows } = p.posture;
            let mut text = format!(
                "[[phase]]\nname = \"{}\"\nseconds = {:?}\ntrunk = {trunk:?}\nneck = {neck:?}\nhips = {hips:?}\nknees = {knees:?}\nankles = {ankles:?}\nshoulders = {shoulders:?}\nelbows = {elbows:?}\n",
                p.name, p.seconds
            );
            if p.hold != 0.0 {
                text += &format!("hold = {:?}\n", p.hold);
            }
            if p.balance != 0.0 {
                text += &format!("balance = {:?}\n", p.balance);
            }
            if p.strength != 1.0 {
                text += &format!("strength = {:?}\n", p.strength);
            }
            if let Some(Swing { distance, velocity, lean }) = p.swing {
                text += &format!("feedback = [{distance:?}, {velocity:?}]\nlean = {lean:?}\n");
            }
            if p.until_strike {
                text += "until_strike = true\n";
            }
            text
        };
        let head = if self.repeats { "repeats = true\n\n" } else { "" };
        head.to_owned() + &self.phases.iter().map(phase).collect::<Vec<_>>().join("\n")
    }
}

fn read_phase(table: Fields<'_>) -> Result<Phase, SettingError> {
    let angle = |key: &'static str| Ok(table.number(key)?.unwrap_or(0.0));
    let pair = |key: &'static str| Ok(table.numbers::<2>(key)?.unwrap_or_default());
    let lean = angle("lean")?;
    let feedback = table.numbers::<2>("feedback")?;
    let phase = Phase {
        name: table.required_text("name")?.to_owned(),
        seconds: table.positive("seconds")?.ok_or_else(|| table.missing("seconds", "a number above 0"))?,
        hold: table.at_least_zero("hold")?.unwrap_or(0.0),
        posture: Posture {
            trunk: angle("trunk")?,
            neck: angle("neck")?,
            hips: pair("hips")?,
            knees: pair("knees")?,
            ankles: pair("ankles")?,
            shoulders: angle("shoulders")?,
            elbows: angle("elbows")?,
        },
        balance: table.at_least_zero("balance")?.unwrap_or(0.0),
        strength: table.at_least_zero("strength")?.unwrap_or(1.0),
        swing: feedback.map(|[distance, velocity]| Swing { distance, velocity, lean }),
        until_strike: table.flag("until_strike")?.unwrap_or(false),
    };
    table.finish()?;
    Ok(phase)
}

/// A joint of the figure: its bone, its part, stiffness and damping.
#[derive(Clone, Copy, Debug)]
struct Servo {
    bone: Bone,
    part: Part,
    gains: [f64; 2],
}

/// Moves at work.
#[derive(Clone, Debug)]
pub struct Mover {
    own: Arc<Model>,
    servos: Vec<Servo>,
    balance: Balance,
    data: Data,
    wanted: State,
    /// What was wanted as the phase began, and what is, rad, per servo.
    before: Vec<f64>,
    now: Vec<f64>,
    lead: Side,
    phase: usize,
    entered: f64,
    /// When the phase before the present one ended with the last of them done.
    done: bool,
}

impl Mover {
    /// For a figure in the plane.
    ///
    /// # Errors
    /// Any other figure.
    pub fn new(own: Arc<Model>, physique: &Physique) -> Result<Self, Refusal> {
        if own.bodies().first().map(|b| b.joint().kind) != Some(JointKind::Planar) {
            return Err(Refusal::new("figure", "is none in a plane, expected planar-figure"));
        }
        let servo = |(k, part): (usize, &Option<Part>)| {
            let (bone, part) = (Bone::new(k), (*part)?);
            let hinge = matches!(own.bodies()[k].joint().kind, JointKind::Revolute { .. });
            let gains = reference_gains(part).filter(|_| hinge)?;
            Some(Servo { bone, part, gains: [SCALE * gains.stiffness, SCALE * gains.damping] })
        };
        let servos: Vec<Servo> = physique.parts().iter().enumerate().filter_map(servo).collect();
        Ok(Self {
            balance: Balance::new(physique)?,
            data: Data::new(&own),
            wanted: State::new(&own),
            before: vec![0.0; servos.len()],
            now: vec![0.0; servos.len()],
            lead: Side::Left,
            phase: 0,
            entered: 0.0,
            done: false,
            servos,
            own,
        })
    }

    fn angle(&self, sense: &Sense<'_>, bone: Bone) -> (f64, f64) {
        let body = sense.bone(bone);
        let q = sense.state.q[body.coordinates()].first().copied().unwrap_or(0.0);
        (q, sense.state.v[body.freedoms()].first().copied().unwrap_or(0.0))
    }

    /// Begins with the first phase from where the joints are; `lead` is the leg that leads.
    pub fn begin(&mut self, sense: &Sense<'_>, lead: Side) {
        (self.phase, self.entered, self.lead, self.done) = (0, sense.time(), lead, false);
        for k in 0..self.servos.len() {
            self.before[k] = self.angle(sense, self.servos[k].bone).0;
        }
        self.now.clone_from(&self.before);
    }

    /// The phase it is in.
    pub fn phase(&self) -> usize {
        self.phase
    }

    /// Which leg leads.
    pub fn lead(&self) -> Side {
        self.lead
    }

    /// Seconds in the phase.
    pub fn time_in_phase(&self, sense: &Sense<'_>) -> f64 {
        sense.time() - self.entered
    }

    /// Whether the last phase has been gone through; its targets are held on.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Goes to a phase; the other leg leads where `swap`.
    pub fn go_to(&mut self, sense: &Sense<'_>, phase: usize, swap: bool) {
        (self.phase, self.entered, self.done) = (phase, sense.time(), false);
        self.before.clone_from(&self.now);
        if swap {
            self.lead = other(self.lead);
        }
    }

    fn go_on(&mut self, sense: &Sense<'_>, moves: &Moves) {
        let Some(phase) = moves.phases.get(self.phase) else { return };
        let time = self.time_in_phase(sense) + 0.5 * sense.dt;
        let over = if phase.until_strike {
            time > AIRBORNE && sense.own.load(self.lead) > STRIKE
        } else {
            time >= phase.seconds + phase.hold
        };
        if !over {
            return;
        }
        if self.phase + 1 < moves.phases.len() {
            self.go_to(sense, self.phase + 1, false);
        } else if moves.repeats {
            self.go_to(sense, 0, true);
        } else {
            self.done = true;
        }
    }

    /// A step of the moves.
    pub fn act(&mut self, sense: &Sense<'_>, moves: &Moves, out: &mut Actuation) {
        self.go_on(sense, moves);
        let Some(phase) = moves.phases.get(self.phase) else { return };
        let s = ((sense.time() + sense.dt - self.entered) / phase.seconds).clamp(0.0, 1.0);
        let lead = self.lead;
        for (k, servo) in self.servos.iter().enumerate() {
            let goal = phase.posture.of(servo.part, |side| side == lead).unwrap_or(0.0);
            self.now[k] = self.before[k] + s * (goal - self.before[k]); // (1)
            let range = self.own.bodies()[servo.bone.index()].coordinates();
            self.wanted.q[range].iter_mut().for_each(|q| *q = self.now[k]);
        }
        // Lean of the pelvis: the root's own angle turns back as it grows.
        let root = sense.bone(Bone::new(0));
        let pitch = |values: &[f64]| values.get(2).copied().unwrap_or(0.0);
        let (lean, leaning) =
            (-pitch(&sense.state.q[root.coordinates()]), -pitch(&sense.state.v[root.freedoms()]));
        let borne = if phase.balance > 0.0 { self.bear(sense, phase, out) } else { [0.0; 2] };
        for k in 0..self.servos.len() {
            let servo = self.servos[k];
            let body = sense.bone(servo.bone);
            let (mut target, mut rate) = (self.now[k], 0.0);
            if let (Some(swing), Part::Thigh(side)) = (phase.swing, servo.part) {
                let (angle, spin) = self.angle(sense, servo.bone);
                if side == lead {
                    let ankle = self.ankle(sense, other(lead));
                    let d = sense.own.center_of_mass().x - ankle;
                    let v = sense.own.velocity().x;
                    let thigh = self.now[k] + swing.distance * d + swing.velocity * v; // (2)
                    (target, rate) = (thigh.clamp(-REACH, REACH) + lean, leaning);
                } else if sense.own.load(side) > STRIKE {
                    (target, rate) = (angle - lean + swing.lean.to_radians(), spin - leaning); // (3)
                }
            }
            let [stiffness, damping] = servo.gains;
            let soft = match servo.part {
                Part::Foot(side) => 1.0 - borne[side as usize],
                _ => 1.0,
            };
            for freedom in body.freedoms() {
                out.servo.stiffness[freedom] = phase.strength * soft * stiffness;
                out.servo.damping[freedom] = phase.strength * soft.max(0.02) * damping;
                out.servo.target_v[freedom] = rate;
            }
            for coordinate in body.coordinates() {
                out.servo.target_q[coordinate] = target;
            }
        }
    }

    fn ankle(&self, sense: &Sense<'_>, side: Side) -> f64 {
        let foot = self.servos.iter().find(|s| s.part == Part::Foot(side)).map(|s| s.bone);
        foot.map_or(0.0, |foot| sense.data.world_from_body(sense.body_of(foot)).translation.x)
    }

    /// Legs balance; returns by how much each foot's ankle is left to that.
    fn bear(&mut self, sense: &Sense<'_>, phase: &Phase, out: &mut Actuation) -> [f64; 2] {
        let own = self.own.clone();
        // Feet that are flat: the pelvis leans by hip - knee + ankle, on average of both legs.
        let of = |part: fn(Side) -> Part| -> f64 {
            let angle = |side: Side| {
                self.servos.iter().zip(&self.now).find(|(s, _)| s.part == part(side)).map_or(0.0, |(_, a)| *a)
            };
            0.5 * Side::BOTH.into_iter().map(angle).sum::<f64>()
        };
        let lean = of(Part::Thigh) - of(Part::Shank) + of(Part::Foot);
        let root = own.bodies()[0].coordinates();
        if let Some(pitch) = self.wanted.q[root].get_mut(2) {
            *pitch = -lean;
        }
        forward_kinematics(&own, &self.wanted, &mut self.data);
        let ankles = Side::BOTH.map(|side| {
            let bone = self.balance.biped().leg(side).foot;
            self.data.world_from_body(bone.among(own.body_ids())).translation
        });
        let center_of_mass = center_of_mass(&own, &self.data).position;
        let wanted = Wanted { ankles, center_of_mass, heading: 0.0 };
        let poise = self.balance.act(sense, &wanted, phase.balance, out);
        poise.bears.map(|bears| bears * phase.balance.min(1.0))
    }

    /// What the joints shall be, coordinates of its own model, the root's apart.
    pub fn pose(&self) -> &State {
        &self.wanted
    }
}

/// Moves played through: what brings a figure into a state to start from.
#[derive(Clone, Debug)]
pub struct Played {
    mover: Mover,
    moves: Arc<Moves>,
    begun: bool,
}

impl Played {
    /// With the left leg leading.
    ///
    /// # Errors
    /// A figure that is none in a plane.
    pub fn new(own: Arc<Model>, physique: &Physique, moves: Moves) -> Result<Self, Refusal> {
        Ok(Self { mover: Mover::new(own, physique)?, moves: Arc::new(moves), begun: false })
    }
}

impl Controller for Played {
    fn name(&self) -> &'static str {
        "moves"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if !self.begun {
            self.mover.begin(sense, Side::Left);
            self.begun = true;
        }
        self.mover.act(sense, &self.moves, out);
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_read_back_as_they_were_written() {
        let text = "repeats = true\n[[phase]]\nname = \"lift\"\nseconds = 0.3\nhips = [30, -5]\nfeedback = [0.5, 0.2]\nlean = 3\n\
                    [[phase]]\nname = \"set\"\nseconds = 0.2\nuntil_strike = true\nbalance = 0.5\nstrength = 1.2\nhold = 0.1";
        let moves = Moves::parse("step.toml", text).expect("two phases");
        assert_eq!(Moves::parse("step.toml", &moves.to_toml()), Ok(moves));
        let error = Moves::parse("x.toml", "[[phase]]\nname = \"a\"").expect_err("no seconds").to_string();
        assert_eq!(error, "x.toml:1: phase[0].seconds: missing, expected a number above 0");
    }
}
