//! Ways to search.

use stuntlab_mocap::search::{Filter, Match, PoseDatabase, SplitIndex};

use super::takes::Takes;

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// The nearest.
    Exact,
    /// No farther than `1 + ε` times the nearest.
    Within(f64),
    /// The best among so many nearest of every joint.
    PerJoint(usize),
    /// The nearest of the key frames with this tolerance.
    Keys(f64),
}

impl Way {
    pub(super) const ALL: [Self; 8] = [
        Self::Exact,
        Self::Within(0.1),
        Self::Within(0.5),
        Self::Within(1.0),
        Self::PerJoint(1),
        Self::PerJoint(5),
        Self::PerJoint(20),
        Self::Keys(0.1),
    ];

    pub(super) fn name(self) -> String {
        match self {
            Self::Exact => "exact".to_owned(),
            Self::Within(epsilon) => format!("within 1+{epsilon}"),
            Self::PerJoint(n) => format!("{n} per joint"),
            Self::Keys(tolerance) => format!("key frames {tolerance} m"),
        }
    }
}

/// Answers all queries of some takes by a way, each told to `told` with how it was asked.
pub(super) fn answer(
    takes: &Takes,
    way: Way,
    mut told: impl FnMut(&[f32], &mut dyn FnMut() -> Option<Match>),
) {
    let keys: PoseDatabase;
    let database = match way {
        Way::Keys(tolerance) => {
            keys = takes.database.key_frames(tolerance);
            &keys
        }
        _ => &takes.database,
    };
    let split = matches!(way, Way::PerJoint(_)).then(|| SplitIndex::new(database));
    let mut search = database.searcher();
    for query in takes.queries.chunks_exact(database.width()) {
        let mut ask = || match (way, &split) {
            (Way::Within(epsilon), _) => search.near_enough(query, epsilon, &Filter::ALL),
            (Way::PerJoint(n), Some(split)) => split.nearest(query, n, &Filter::ALL),
            _ => search.nearest(query, &Filter::ALL),
        };
        told(query, &mut ask);
    }
}

/// Recall, and the distance over the nearest's in the mean and at most.
pub(super) fn accuracy(takes: &Takes, way: Way) -> [f64; 3] {
    let (mut hits, mut sum, mut worst, mut n) = (0.0, 0.0, 0.0_f64, 0.0);
    answer(takes, way, |query, ask| {
        let Some(nearest) = takes.database.brute_force(query, 1, &Filter::ALL).first().copied() else {
            return;
        };
        let ratio = ask().map_or(f64::INFINITY, |found| found.distance / nearest.distance.max(1e-9));
        hits += f64::from(u8::from(ratio <= 1.0));
        sum += ratio;
        worst = worst.max(ratio);
        n += 1.0;
    });
    [hits / n, sum / n, worst]
}
