//! Rounds: one is lost by a knock-out, or by a count of ten. The next begins when the loser is up, with its strength back.

/// Seconds down after which a round is lost.
const COUNT: f64 = 10.0;

/// Rounds of one fighter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bout {
    /// Rounds lost; the opponent's are won.
    pub lost: u64,
    /// Whether the present fall has cost a round.
    counted: bool,
}

impl Bout {
    /// Knocked out, or counted out: once a fall.
    pub(super) fn lose(&mut self) {
        if !self.counted {
            self.lost += 1;
            self.counted = true;
        }
    }

    /// Down for so many seconds.
    pub(super) fn count(&mut self, seconds: f64) {
        if seconds > COUNT {
            self.lose();
        }
    }

    /// Stands again: true where a new round begins.
    pub(super) fn stand(&mut self) -> bool {
        std::mem::take(&mut self.counted)
    }
}
