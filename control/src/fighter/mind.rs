//! What to do next: keep the distance, turn to the opponent, punch what can reach, step out after blows, block what
//! comes, wait. All chance comes from the seed.
//!
//! Who stands chest to chest and turns first never gets out of it, so that comes first.

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
    /// How much too far the opponent may be before a step is made, m; below zero it comes nearer than a punch needs, as who is hit leans away.
    pub patience: f64,
    /// Distance kept from a fallen opponent, m.
    pub respect: f64,
    /// Share of free moments in which it punches when something reaches.
    pub aggression: f64,
    /// Speed of a coming fist that may be blocked, m/s.
    pub alarm: f64,
    /// Share of such fists that are.
    pub caution: f64,
    /// Share of punches after which it steps out.
    pub footwork: f64,
    /// How many times as fast as drawn it steps in from afar.
    pub hurry: f64,
    /// Share of moments in which one who is too far steps in, and one who is too near steps out.
    pub coming: f64,
    /// See [`Style::coming`].
    pub going: f64,
    /// Seconds an opponent must have been up to be fought again.
    pub fairness: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            heed: 0.5,
            depth: 0.3,
            patience: -0.08,
            respect: 1.2,
            aggression: 0.7,
            alarm: 2.5,
            caution: 0.35,
            footwork: 0.08,
            hurry: 1.5,
            coming: 0.9,
            going: 0.35,
            fairness: 0.7,
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
    /// Since when the opponent is too near for any punch, s.
    close_since: Option<f64>,
    /// Whether a step out of reach is due.
    steps_out: bool,
    /// No step nearer or away by itself until then, s.
    stand_until: f64,
    /// How it tries to come out of a clinch that lasts, and until when, s.
    way_out: (Option<Move>, f64),
}

/// Farther aside than this an opponent is not walked up to, rad: a step would lead past it. At 1 rad two
/// circled at 2 to 3 m.
const ASIDE: f64 = 0.35;
/// Farther round than this an opponent is behind, and the way out is forward, rad.
const BEHIND: f64 = 1.9;
/// Beyond the farthest punch by more than this one is far, m: a step in does not bring him within reach.
const AFAR: f64 = 0.2;
/// Seconds chest to chest after which nothing counts but to get out.
const STUCK: f64 = 1.2;
/// Seconds for which a way out of a clinch is tried: two steps.
const TRY: f64 = 1.5;
/// Farther round than this an opponent is beside, rad.
const BESIDE: f64 = 0.8;

impl Mind {
    /// A mind whose chances follow from the seed.
    pub fn new(style: Style, seed: u64) -> Self {
        Self {
            style,
            dice: Random::new(seed),
            rest_until: 0.0,
            alert: true,
            close_since: None,
            steps_out: false,
            stand_until: 0.0,
            way_out: (None, 0.0),
        }
    }

    /// The next move; `None` stays in guard.
    pub fn decide(&mut self, view: &View, punches: &[Punch], time: f64) -> Option<Move> {
        let style = self.style;
        let reaches = || punches.iter().map(|p| p.reach + style.depth);
        let farthest = reaches().fold(0.0, f64::max);
        let nearest = reaches().fold(f64::INFINITY, f64::min);
        let aside = view.bearing.abs();
        if let Some(way_out) = self.break_away(view, nearest, punches, time) {
            return Some(way_out);
        }
        let far = view.distance > farthest + style.patience;
        if far && view.opponent_stands && aside < ASIDE {
            return self.takes_turn(style.coming, time).then_some(Move::StepForward);
        }
        if aside > if far { ASIDE } else { style.heed } {
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
        if std::mem::take(&mut self.steps_out) && view.distance < farthest {
            return Some(Move::StepBack);
        }
        if time < self.rest_until {
            return None;
        }
        if self.dice.unit() > style.aggression {
            self.rest_until = time + 0.2 + 0.6 * self.dice.unit();
            return None;
        }
        self.steps_out = self.dice.unit() < style.footwork;
        Some(self.choose(view.distance, punches))
    }

    /// Whether it is the one to step now. Two alike who both step whenever the distance is wrong meet chest to chest and
    /// part again, for ever and in step; so some stand for a moment instead.
    fn takes_turn(&mut self, share: f64, time: f64) -> bool {
        if time < self.stand_until {
            return false;
        }
        let steps = self.dice.unit() < share;
        if !steps {
            self.stand_until = time + 0.15 + 0.3 * self.dice.unit();
        }
        steps
    }

    /// The way out of a clinch: back, or on where the opponent is behind. Who stands strikes at short range.
    fn break_away(&mut self, view: &View, nearest: f64, punches: &[Punch], time: f64) -> Option<Move> {
        if view.distance >= nearest {
            self.close_since = None;
            return None;
        }
        let close_for = time - *self.close_since.get_or_insert(time);
        let stuck = close_for > STUCK;
        let beside = view.bearing.abs() > BESIDE && view.opponent_stands;
        if stuck && (beside || close_for > STUCK + TRY) {
            return self.try_another_way(beside, time);
        }
        if !view.opponent_stands || stuck || self.takes_turn(self.style.going, time) {
            return Some(if view.bearing.abs() > BEHIND { Move::StepForward } else { Move::StepBack });
        }
        (view.bearing.abs() < self.style.heed).then(|| self.choose(view.distance, punches))
    }

    /// Two side by side who both step back go the same way, for ever (they did, for 43 s): a way by chance, another one after two steps.
    fn try_another_way(&mut self, beside: bool, time: f64) -> Option<Move> {
        if time >= self.way_out.1 {
            let way = match self.dice.unit() {
                x if x < 0.4 => Some(Move::StepBack),
                x if x < 0.8 && beside => Some(Move::StepForward),
                _ => None,
            };
            self.way_out = (way, time + TRY);
        }
        self.way_out.0
    }

    /// How many times as fast as drawn a move is made: from afar one steps in quickly, so that a fight goes on soon after somebody was down.
    pub fn pace(&self, step: Move, view: &View, punches: &[Punch]) -> f64 {
        let farthest = punches.iter().map(|p| p.reach + self.style.depth).fold(0.0, f64::max);
        let far = step == Move::StepForward && view.distance > farthest + AFAR;
        if far { self.style.hurry } else { 1.0 }
    }

    /// Was hit and staggers back: that is the step out, and no other is due. (With a second one two who had just traded blows stood 1.4 m apart.)
    pub fn sting(&mut self) {
        self.steps_out = false;
        self.rest_until = 0.0;
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
