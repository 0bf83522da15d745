//! Settings of a round trip.

use super::dock::Dock;
use super::fall::Fall;
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
