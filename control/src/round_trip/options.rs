//! Settings of a round trip.

use super::dock::Dock;
use super::fall::Fall;
use super::finder::Look;
use super::ground::Crawl;
use crate::stand::StandOptions;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundTripOptions {
    /// Force on a bone from which a touch is a hit, N: spread over 0.03 s if it is a blow.
    pub notice: f64,
    /// How it stands while it is simulated.
    pub stand: StandOptions,
    /// How it falls.
    pub fall: Fall,
    /// Whether it looks for the moment of a motion that it is nearest to; else it takes the first of the first.
    pub search: bool,
    /// How it looks.
    pub look: Look,
    /// Seconds from a hit on until it looks for what to come to: people begin to answer after a tenth of a second, passive until then (Zordan et al. 2005 delay what is tracked).
    pub delay: f64,
    /// Seconds for which it tracks what it found by its joints alone while the hit acts; then, or when the hit is over, forces dock it.
    pub track: f64,
    /// Seconds of docking on its feet after which it looks anew.
    pub patience: f64,
    /// Distance of its own motion at which a clip that leads back is left before its end, m.
    pub home: f64,
    /// Whether it settles into what was found by its joints first.
    pub settle: bool,
    /// How it is pulled there.
    pub dock: Dock,
    /// Whether it catches itself by a stagger before the ground.
    pub catch: bool,
    /// Seconds of the last blend.
    pub blend: f64,
    /// Whether it gets up only where the ground is level, and crawls on to such a place; else it does wherever it lies.
    pub level: bool,
    /// How it crawls there.
    pub crawl: Crawl,
    /// Whether it comes back at all; else it lies there.
    pub back: bool,
}

impl Default for RoundTripOptions {
    fn default() -> Self {
        Self {
            notice: 15.0,
            stand: StandOptions::default(),
            fall: Fall::Reach,
            search: true,
            look: Look::default(),
            delay: 0.0,
            track: 0.0,
            patience: 1.0,
            home: 0.035,
            settle: true,
            dock: Dock::default(),
            catch: true,
            blend: 0.3,
            level: true,
            crawl: Crawl::default(),
            back: true,
        }
    }
}
