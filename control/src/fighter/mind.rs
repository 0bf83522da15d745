//! What to do next: turn to the opponent, keep the distance, punch what can reach, block what comes, wait.
//! All chance comes from the seed.

use stuntlab_physics::random::Random;

use super::repertoire::{Move, Punch};

/// What a fighter knows of its opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Between the pelvises, on the ground, m.
    pub distance: f64,
    /// Direction of the opponent from where the guard faces, rad, positive to the left.
    pub bearing: f64,
    /// Whether the opponent is on its feet.
    pub opponent_stands: bool,
    /// Speed at which a fist comes nearer, m/s.
    pub threat: f64,
}

/// How a fighter fights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Turns when the opponent is farther aside than this, rad.
    pub heed: f64,
    /// How far before its pelvis an opponent in guard can be hit, m.
    pub depth: f64,
    /// How much too far the opponent may be before a step is made, m: half a step, so that two who step at once do not
    /// run into each other.
    pub patience: f64,
    /// Distance kept from a fallen opponent, m.
    pub respect: f64,
    /// Share of free moments in which it punches when something reaches.
    pub aggression: f64,
    /// Speed of a coming fist that may be blocked, m/s.
    pub alarm: f64,
    /// Share of such fists that are.
    pub caution: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            heed: 0.5,
            depth: 0.3,
            patience: 0.12,
            respect: 1.6,
            aggression: 0.7,
            alarm: 2.5,
            caution: 0.35,
        }
    }
}

/// Decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Mind {
    /// How.
    pub style: Style,
    dice: Random,
    rest_until: f64,
    alert: bool,
}

impl Mind {
    /// A mind whose chances follow from the seed.
    pub fn new(style: Style, seed: u64) -> Self {
        Self { style, dice: Random::new(seed), rest_until: 0.0, alert: true }
    }

    /// The next move; `None` stays in guard.
    pub fn decide(&mut self, view: &View, punches: &[Punch], time: f64) -> Option<Move> {
        let style = self.style;
        let farthest = punches.iter().map(|p| p.reach).fold(0.0, f64::max) + style.depth;
        // Two who only turn to each other would circle for ever: now and then one steps in all the same.
        let far = view.distance > farthest + style.patience && view.bearing.abs() < 2.0 * style.heed;
        let steps_in = far && view.opponent_stands && self.dice.unit() < 0.5;
        if view.bearing.abs() > style.heed && !steps_in {
            return Some(if view.bearing > 0.0 { Move::TurnLeft } else { Move::TurnRight });
        }
        if !view.opponent_stands {
            return (view.distance < style.respect).then_some(Move::StepBack);
        }
        // One draw per coming fist, not one per step.
        let alarmed = view.threat > style.alarm;
        let fresh = alarmed && self.alert;
        self.alert = !alarmed;
        if fresh && self.dice.unit() < style.caution {
            return Some(Move::Block);
        }
        let nearest = punches.iter().map(|p| p.reach).fold(f64::INFINITY, f64::min) + style.depth;
        if view.distance > farthest + style.patience {
            return Some(Move::StepForward);
        }
        if view.distance < nearest {
            return Some(Move::StepBack);
        }
        if time < self.rest_until {
            return None;
        }
        if self.dice.unit() > style.aggression {
            self.rest_until = time + 0.2 + 0.6 * self.dice.unit();
            return None;
        }
        Some(self.choose(view.distance, punches))
    }

    /// A share by chance, for hesitating.
    pub fn hesitate(&mut self) -> f64 {
        self.dice.unit()
    }

    /// A punch by chance, the likelier the better its reach fits.
    fn choose(&mut self, distance: f64, punches: &[Punch]) -> Move {
        let fit = |p: &Punch| (-((p.reach + self.style.depth - distance) / 0.15).powi(2)).exp() + 0.02;
        let total: f64 = punches.iter().map(fit).sum();
        let mut left = self.dice.unit() * total;
        for punch in punches {
            left -= fit(punch);
            if left < 0.0 {
                return punch.punch;
            }
        }
        Move::Jab
    }
}
