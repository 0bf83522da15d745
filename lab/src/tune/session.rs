//! A tuning from its first generation to its last, with a checkpoint after each.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TuneError;
use super::cma::{Settings, Stop};
use super::ipop::Ipop;
use super::report::{self, Tuned};
use super::score::{Scorer, Task};
use crate::disk::{self, FileError, Lock};
use crate::random::Random;
use crate::scene::{Scene, TuneSpec};
use crate::words::{fingerprint, spelled};

/// The checkpoint's file.
const CHECKPOINT: &str = "checkpoint.json";

/// A tuning to be done.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The scene.
    pub scene: Scene,
    /// What is varied, and to which end.
    pub spec: TuneSpec,
    /// The command it is done by, for the patch.
    pub command: String,
    /// Threads; 0 is one per core. Results do not depend on it.
    pub threads: usize,
}

/// How far a tuning has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Runs done.
    pub done: u64,
    /// Runs there will be, if nothing ends early and nothing is begun again.
    pub all: u64,
    /// Least cost so far.
    pub best: f64,
}

/// How a generation went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Which stage it belongs to, from 0.
    pub stage: usize,
    /// Restarts before it.
    pub restarts: u32,
    /// Runs of scenes so far.
    pub runs: u64,
    /// Least cost of a candidate.
    pub best: f64,
    /// Median cost.
    pub median: f64,
    /// Step length after it, as a share of the ranges.
    pub sigma: f64,
    /// Ratio of the longest to the shortest direction of the samples.
    pub axis_ratio: f64,
    /// Why the search ended with it, if it did.
    pub stop: Option<Stop>,
}

/// All that is needed to go on.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    /// Of what is tuned: another scene, seed or bound cannot go on from here.
    fingerprint: String,
    search: Ipop,
    stage: usize,
    /// Generations of this stage so far.
    in_stage: u64,
    /// Restarts before this stage.
    restarts_before: u32,
    /// Place and cost of the best candidate of this stage.
    best: Option<(Vec<f64>, f64)>,
    generations: Vec<Generation>,
}

impl Tuning {
    /// Tunes, going on from a checkpoint in `dir` if there is one, and leaves there the patch, a table and a picture of
    /// the generations. `heard` is told of every run that ends.
    ///
    /// # Errors
    /// A scene that does not fit, a directory that is somebody else's or of another tuning, files that cannot be
    /// written.
    pub fn run(&self, dir: &Path, heard: &dyn Fn(Heard)) -> Result<Tuned, TuneError> {
        let scorer = Scorer::new(&self.scene, &self.spec)?;
        let _lock = Lock::take(dir, &format!("tune {}", self.scene.name), &[])?;
        let path = dir.join(CHECKPOINT);
        let mut at = self.resume(&path)?;
        while let Some(stage) = self.spec.stages.get(at.stage) {
            let restarts = at.search.restarts() - at.restarts_before;
            let ended = at.in_stage > 0 && at.generations.last().is_some_and(|g| g.stop.is_some());
            if at.in_stage >= stage.generations || (ended && restarts > self.spec.restarts) {
                if at.stage + 1 == self.spec.stages.len() {
                    break;
                }
                self.next_stage(&mut at);
                continue;
            }
            self.generation(&scorer, &mut at, heard);
            let text = serde_json::to_string(&at).expect("texts and finite numbers");
            disk::replace(&path, text.as_bytes())?;
        }
        let favourite = self.values(at.search.search().mean());
        let best = at.best.as_ref().map(|(place, _)| self.values(place));
        let candidates: Vec<Vec<f64>> = best.into_iter().chain([favourite]).collect();
        report::finish(self, &scorer, dir, &candidates, &at.generations)
    }

    fn resume(&self, path: &Path) -> Result<Checkpoint, TuneError> {
        let fingerprint = self.fingerprint();
        let bytes = match disk::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Checkpoint {
                    fingerprint,
                    search: self.search(&self.start(), self.spec.sigma),
                    stage: 0,
                    in_stage: 0,
                    restarts_before: 0,
                    best: None,
                    generations: Vec::new(),
                });
            }
            Err(source) => return Err(FileError::io(path)(source).into()),
        };
        let bad = |problem: String| TuneError::Checkpoint { path: PathBuf::from(path), problem };
        let found: Checkpoint = serde_json::from_slice(&bytes)
            .map_err(|e| bad(format!("{e}; expected a checkpoint of this program")))?;
        if found.fingerprint != fingerprint {
            let problem =
                "is of another scene, [tune] table or version, expected a directory of its own for each";
            return Err(bad(problem.to_owned()));
        }
        Ok(found)
    }

    /// Of everything that decides what the search does, but for how long it lasts: it may be given more time.
    fn fingerprint(&self) -> String {
        let mut spec = self.spec.clone();
        if let [only] = &mut spec.stages[..] {
            only.generations = 0;
        }
        let set: Vec<&String> =
            self.scene.source.set.iter().filter(|s| !s.trim_start().starts_with("tune.")).collect();
        let text = format!("{} {:?} {set:?} {}", env!("CARGO_PKG_VERSION"), spec, self.scene.source.text);
        spelled(fingerprint(text.bytes()))
    }

    fn start(&self) -> Vec<f64> {
        self.spec.parameters.iter().map(|p| p.range.place(p.from)).collect()
    }

    /// Values of the parameters at a place of the search.
    fn values(&self, place: &[f64]) -> Vec<f64> {
        self.spec.parameters.iter().zip(place).map(|(p, &x)| p.range.value(x)).collect()
    }

    fn search(&self, start: &[f64], sigma: f64) -> Ipop {
        let settings = Settings {
            population: self.spec.population,
            active: self.spec.active,
            step_tolerance: self.spec.tolerance,
            ..Settings::new(sigma)
        };
        Ipop::new(start, settings, (0.0, 1.0), self.spec.seed)
    }

    /// What was learnt of the directions goes on into the next stage, unless a restart has led elsewhere: then it begins
    /// where the best was.
    fn next_stage(&self, at: &mut Checkpoint) {
        at.stage += 1;
        let sigma = self.spec.stages[at.stage].sigma;
        if at.search.restarts() > at.restarts_before
            && let Some((place, _)) = &at.best
        {
            at.search = self.search(place, if sigma > 0.0 { sigma } else { self.spec.sigma });
        } else {
            at.search.begin_again(sigma);
        }
        at.restarts_before = at.search.restarts();
        at.in_stage = 0;
        at.best = None;
    }

    fn generation(&self, scorer: &Scorer<'_>, at: &mut Checkpoint, heard: &dyn Fn(Heard)) {
        let seeds = &self.spec.seeds;
        let restarts = at.search.restarts();
        let places = at.search.ask();
        let noise = self.noise(at.generations.len());
        let task = |place: &Vec<f64>, k: usize| {
            let shaken: Vec<f64> = place.iter().zip(&noise[k]).map(|(x, dx)| x + dx).collect();
            Task { values: self.values(&shaken), seed: seeds[k] }
        };
        let tasks: Vec<Task> =
            places.iter().flat_map(|place| (0..seeds.len()).map(move |k| task(place, k))).collect();
        let before = at.generations.last().map_or(0, |g| g.runs);
        let all = self.runs_ahead(at) + before;
        let best = at.best.as_ref().map_or(f64::NAN, |b| b.1);
        let mut done = before;
        heard(Heard { done, all, best });
        let scores = scorer.scores(at.stage, &tasks, self.threads, || {
            done += 1;
            heard(Heard { done, all, best });
        });
        let costs: Vec<f64> = scores.chunks(seeds.len()).map(|s| scorer.over_seeds(s)).collect();
        for (place, &cost) in places.iter().zip(&costs) {
            if at.best.as_ref().is_none_or(|b| cost < b.1) {
                at.best = Some((place.clone(), cost));
            }
        }
        let (sigma, axis_ratio) = (at.search.search().sigma(), at.search.search().axis_ratio());
        let stop = at.search.tell(&costs);
        let mut sorted = costs;
        sorted.sort_by(f64::total_cmp);
        at.in_stage += 1;
        at.generations.push(Generation {
            stage: at.stage,
            restarts,
            runs: before + tasks.len() as u64,
            best: sorted[0],
            median: sorted[sorted.len() / 2],
            sigma,
            axis_ratio,
            stop,
        });
    }

    /// What is put on the parameters in each of a generation's runs, by seed: the same for all candidates, so that they
    /// are compared under the same luck.
    fn noise(&self, generation: usize) -> Vec<Vec<f64>> {
        let n = self.spec.parameters.len();
        let of = |seed: &u64| {
            let mut random = Random::named(self.spec.seed, &format!("noise {generation} {seed}"));
            (0..n).map(|_| self.spec.noise * random.normal()).collect()
        };
        self.spec.seeds.iter().map(of).collect()
    }

    /// Runs to come at the present size of generations.
    fn runs_ahead(&self, at: &Checkpoint) -> u64 {
        let generations: u64 = self.spec.stages[at.stage..].iter().map(|s| s.generations).sum();
        let each = at.search.search().population() * self.spec.seeds.len();
        generations.saturating_sub(at.in_stage) * each as u64
    }
}
