//! Where in a run something happens: frames of a contact sheet are spread evenly over that, not over time.

use stuntlab_viewer::canvas::Canvas;

use super::lanes::Run;
use crate::scene::What;

/// Change of a velocity, m/s or rad/s in the mean over all freedoms, that counts as much as a second passing.
const CHANGE: f64 = 4.0;

/// How much has happened so far.
#[derive(Default)]
pub(super) struct Happening {
    before: Vec<Vec<f64>>,
    time: f64,
    sum: f64,
}

impl Happening {
    /// Looks at a run and says what its first world is about to be captioned with: the time and an event just begun.
    pub(super) fn look(&mut self, run: &Run) -> String {
        let mut changed = 0.0;
        self.before.resize(run.lanes.len(), Vec::new());
        for (lane, before) in run.lanes.iter().zip(&mut self.before) {
            let now = &lane.world.state.v;
            if before.len() == now.len() && !now.is_empty() {
                let squares: f64 = now.iter().zip(before.iter()).map(|(a, b)| (a - b) * (a - b)).sum();
                changed += (squares / now.len() as f64).sqrt() / run.lanes.len() as f64;
            }
            before.clone_from(now);
        }
        let Some(world) = run.lanes.first().map(|lane| &lane.world) else { return String::new() };
        let (time, before) = (world.state.time, self.time);
        // One wild step must not take all frames.
        self.sum += (time - before).max(0.0) + (changed / CHANGE).min(0.5);
        self.time = time;
        let begun = world.scene().events.iter().find(|e| e.time <= time && time < e.time + 0.3);
        let what = begun.map(|event| match &event.what {
            What::Push { .. } => "push",
            What::Throw { .. } => "throw",
            What::Drag { .. } => "drag",
            What::Command { name, .. } => name,
        });
        match what {
            Some(what) => format!("{time:.2} s, {what}"),
            None => format!("{time:.2} s"),
        }
    }

    /// How much has happened, in seconds of a quiet run.
    pub(super) fn sum(&self) -> f64 {
        self.sum
    }
}

/// Fewer frames than these are a few.
const FEW: usize = 5;

/// Frames kept while a film runs, without knowing how long it will.
pub(super) struct Highlights {
    wanted: usize,
    kept: Vec<(f64, String, Canvas)>,
}

impl Highlights {
    /// For so many frames in the end.
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted: wanted.max(2), kept: Vec::new() }
    }

    /// Offers a frame at which `sum` has happened. The last frame is always kept for now; of the others the one that closes the
    /// smallest gap goes.
    pub(super) fn offer(&mut self, sum: f64, caption: String, frame: impl FnOnce() -> Canvas) {
        self.kept.push((sum, caption, frame()));
        if self.kept.len() > 4 * self.wanted {
            let gap = |k: usize| self.kept[k + 1].0 - self.kept[k - 1].0;
            let least = (1..self.kept.len() - 1).min_by(|a, b| gap(*a).total_cmp(&gap(*b)));
            if let Some(k) = least {
                self.kept.remove(k);
            }
        }
    }

    /// The frames of the sheet: last and, unless they are few, first, and between them evenly by what happened.
    pub(super) fn chosen(&self) -> Vec<(String, &Canvas)> {
        let (Some(first), Some(last)) = (self.kept.first(), self.kept.last()) else { return Vec::new() };
        let mut chosen: Vec<usize> = Vec::new();
        for k in 0..self.wanted {
            // Of a few frames none is spent on the start, where nothing has happened.
            let few = self.wanted < FEW;
            let part =
                if few { (k + 1) as f64 / self.wanted as f64 } else { k as f64 / (self.wanted - 1) as f64 };
            let goal = first.0 + (last.0 - first.0) * part;
            let off = |i: &usize| (self.kept[*i].0 - goal).abs();
            let free = (0..self.kept.len()).filter(|i| !chosen.contains(i));
            chosen.extend(free.min_by(|a, b| off(a).total_cmp(&off(b))));
        }
        chosen.sort_unstable();
        chosen.into_iter().map(|i| (self.kept[i].1.clone(), &self.kept[i].2)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blow_gets_more_frames_than_standing_still() {
        let mut highlights = Highlights::new(12);
        let mut sum = 0.0;
        for frame in 0..500 {
            // Between 2 and 2.4 s of 20 s everything happens.
            sum += if (50..60).contains(&frame) { 2.0 } else { 0.04 };
            highlights.offer(sum, frame.to_string(), || Canvas::new(1, 1));
        }
        let frames: Vec<usize> =
            highlights.chosen().iter().map(|(caption, _)| caption.parse().unwrap()).collect();
        assert_eq!((frames.len(), frames[0], frames[11]), (12, 0, 499));
        let near = frames.iter().filter(|f| (48..62).contains(*f)).count();
        assert!((4..=8).contains(&near), "{frames:?}");
    }

    #[test]
    fn short_films_show_all_they_have() {
        let mut highlights = Highlights::new(12);
        highlights.offer(0.0, "only".to_owned(), || Canvas::new(1, 1));
        assert_eq!(highlights.chosen().len(), 1);
        // Of four none is the start.
        let mut few = Highlights::new(4);
        (0..100).for_each(|frame| few.offer(f64::from(frame), frame.to_string(), || Canvas::new(1, 1)));
        let frames: Vec<usize> = few.chosen().iter().map(|(caption, _)| caption.parse().unwrap()).collect();
        assert!(frames.len() == 4 && frames[0] > 15 && frames[3] == 99, "{frames:?}");
        assert!(Highlights::new(12).chosen().is_empty());
    }
}
