//! Moves of the planar figure by search: CMA-ES over the targets and durations of a table.
//!
//! ```sh
//! cargo run --release -p stuntlab --example planar_moves -- SKILL FROM.toml TO.toml [GENERATIONS [POPULATION [SHAKEN [AFTER]]]]
//! ```
//! A candidate is tried from the undisturbed nominal state and from seven disturbed ones, the same for all candidates of ten generations; its cost is the
//! mean and half of the worst. An attempt that succeeds costs how long it took; one that fails 1 and how far it was from what it was for, so that there is a
//! way downhill before anything succeeds. `SHAKEN` is the share of the practice's bounds, `AFTER` other skills, with commas between them: attempts begin
//! where one of these has just succeeded, in turns, from its own disturbances; a name with `!` before it, where it has just failed, going the way of a step. What is found is told on disturbances that were never tuned on.

use std::io::Write as _;

use stuntlab::learn::{Bounds, Ground, Practice};
use stuntlab::tune::cma::{Cma, Settings};
use stuntlab_control::planar::{Moves, Phase, Posture};
use stuntlab_mocap::character::Part;

/// Spread of the first candidates: angles, rad of a degree scale; durations, as a power of e; feedback.
const ANGLE: f64 = 12.0;
const DURATION: f64 = 0.3;
const FEEDBACK: f64 = 0.15;
/// Shortest way from one posture to the next, s: people do not jerk.
const SHORTEST: f64 = 0.15;
/// States a candidate is tried from, the first undisturbed.
const STATES: u64 = 8;
/// Generations before other disturbances come.
const FRESH: u64 = 10;
/// States that are never tuned on.
const HELD_BACK: u64 = 1 << 32;
/// Draws until a skill that comes first succeeds.
const DRAWS: u64 = 20;

/// Whether a leg's two angles are one.
fn tied(phase: &Phase) -> bool {
    let Posture { hips, knees, ankles, .. } = phase.posture;
    hips[0] == hips[1] && knees[0] == knees[1] && ankles[0] == ankles[1]
}

/// The table moved by numbers of unit spread.
fn moved(from: &Moves, x: &[f64]) -> Moves {
    let mut x = x.iter().copied();
    let mut next = || x.next().unwrap_or(0.0);
    let mut moves = from.clone();
    for phase in &mut moves.phases {
        let is_tied = tied(phase);
        phase.seconds = (phase.seconds * (DURATION * next()).exp()).clamp(SHORTEST, 2.0);
        let p = &mut phase.posture;
        let range = |x: f64, low: f64, high: f64| x.clamp(low, high);
        p.trunk = range(p.trunk + ANGLE * next(), -25.0, 60.0);
        p.shoulders = range(p.shoulders + ANGLE * next(), -60.0, 180.0);
        p.elbows = range(p.elbows + ANGLE * next(), 0.0, 150.0);
        for leg in 0..2 {
            if leg == 1 && is_tied {
                (p.hips[1], p.knees[1], p.ankles[1]) = (p.hips[0], p.knees[0], p.ankles[0]);
                continue;
            }
            p.hips[leg] = range(p.hips[leg] + ANGLE * next(), -60.0, 125.0);
            p.knees[leg] = range(p.knees[leg] + ANGLE * next(), 0.0, 150.0);
            p.ankles[leg] = range(p.ankles[leg] + ANGLE * next(), -50.0, 25.0);
        }
        if let Some(swing) = &mut phase.swing {
            swing.distance += FEEDBACK * next();
            swing.velocity += FEEDBACK * next();
            swing.lean += 0.5 * ANGLE * next();
        }
    }
    moves
}

fn width(moves: &Moves) -> usize {
    moves.phases.iter().map(|p| 4 + if tied(p) { 3 } else { 6 } + if p.swing.is_some() { 3 } else { 0 }).sum()
}

/// How far from kneeling, or from standing.
fn distance(practice: &Practice, ground: &Ground) -> f64 {
    let senses = &ground.world().senses()[0];
    let weight = senses.mass() * 9.81;
    let share = |is: fn(Part) -> bool| {
        let touches = senses.touches().iter().zip(senses.physique().parts());
        touches.filter(|(_, p)| p.is_some_and(is)).map(|(t, _)| t.load).sum::<f64>() / weight
    };
    let speed = senses.velocity().length().min(2.0);
    if practice.skill.ends_with("-to-kneel") {
        let trunk =
            share(|p| !matches!(p, Part::Shank(_) | Part::Foot(_) | Part::Hand(_) | Part::Forearm(_)));
        let hands = share(|p| matches!(p, Part::Hand(_) | Part::Forearm(_)));
        let knees = share(|p| matches!(p, Part::Shank(_)));
        let low = (0.5 - senses.pelvis_height()).max(0.0) + (senses.pelvis_height() - 0.6).max(0.0);
        return 2.0 * low
            + trunk.min(1.0)
            + (0.2 - hands).max(0.0)
            + (0.2 - knees).max(0.0)
            + 0.3 * speed
            + (senses.trunk_front().z + 0.6).max(0.0);
    }
    let soles: Vec<f64> = senses
        .physique()
        .soles()
        .iter()
        .map(|s| {
            ground.world().data.world_from_body(s.bone.among(senses.bodies())).transform_point(s.point_body).x
        })
        .collect();
    let mid = soles.iter().sum::<f64>() / soles.len().max(1) as f64;
    let off = (senses.capture_point().x - mid).abs().min(1.0);
    let head = (1.6 - senses.head_height().unwrap_or(0.0)).max(0.0);
    off + head + 0.3 * speed + 0.5 * (1.0 - senses.trunk_up().z)
}

/// A skill that comes first.
struct Prelude {
    practice: &'static Practice,
    ground: Ground,
    bounds: Bounds,
    /// Whether attempts begin where it has failed, and not where it has succeeded.
    fails: bool,
}

impl Prelude {
    fn new(name: &str, shaken: f64) -> Result<Self, Box<dyn std::error::Error>> {
        let fails = name.starts_with('!');
        let name = name.trim_start_matches('!');
        let practice = Practice::find(name).ok_or_else(|| format!("no skill {name} is practised"))?;
        let bounds =
            Bounds { force: shaken * practice.bounds.force, offset: shaken * practice.bounds.offset };
        Ok(Self { practice, ground: practice.ground()?, bounds, fails })
    }

    /// A copy for a thread.
    fn copy(&self) -> Self {
        Self { ground: self.ground.copy(), ..*self }
    }

    /// A world in which it has just succeeded or failed; draws until it does.
    fn play(&self, seed: u64, forward: Option<bool>) -> Option<Ground> {
        let mut ground = self.ground.copy();
        (0..DRAWS).find_map(|draw| {
            ground.disturb(&self.bounds, seed.wrapping_add(draw << 40))?;
            let skill = self.practice.skill(&ground).ok()?;
            // Who walks goes on until somebody else takes over.
            let goes_on = self.practice.goes_on;
            let seconds = if goes_on { 2.0 + 0.05 * (seed % 16) as f64 } else { self.practice.horizon };
            let good = ground.attempt(skill, seconds, Practice::verdict);
            let over = Practice::verdict(ground.world()).is_some();
            if goes_on {
                return (!over).then(|| ground.copy());
            }
            let way = ground.world().senses()[0].velocity().x;
            let fits = forward.is_none_or(|forward| if forward { way > 0.0 } else { way < 0.0 });
            (over && good != self.fails && (fits || !self.fails)).then(|| ground.copy())
        })
    }
}

/// Cost of an attempt and whether it succeeded.
fn attempt(
    practice: &Practice,
    ground: &mut Ground,
    moves: &Moves,
    bounds: Bounds,
    seed: u64,
    after: &[Prelude],
) -> (f64, bool) {
    let forward = match practice.skill {
        "step-forward" => Some(true),
        "step-back" => Some(false),
        _ => None,
    };
    let mut own;
    let ground = if let Some(prelude) = after.get((seed ^ (seed >> 3)) as usize % after.len().max(1)) {
        let Some(found) = prelude.play(seed, forward) else { return (9.0, false) };
        own = found;
        &mut own
    } else {
        ground
    };
    if !after.is_empty() {
    } else if seed.is_multiple_of(STATES) {
        ground.restart();
    } else if ground.disturb(&bounds, seed).is_none() {
        return (9.0, false);
    }
    let begun = ground.world().state.time;
    let start = ground.world().senses()[0].center_of_mass().x;
    let Ok(skill) = practice.skill_by(ground, vec![moves.clone()]) else { return (9.0, false) };
    // Heights on the way.
    let (mut sum, mut n) = (0.0, 0.0);
    let whole: f64 = moves.phases.iter().map(|p| p.seconds).sum();
    let good = ground.attempt_watched(skill, practice.horizon, Practice::verdict, |world| {
        let senses = &world.senses()[0];
        let wanted = if practice.skill.ends_with("-to-kneel") { 0.5 } else { 1.0 };
        if world.state.time - begun > 0.6 * whole {
            sum += (wanted - senses.pelvis_height()).abs();
            n += 1.0;
        }
    });
    let took = ground.world().state.time - begun;
    if practice.goes_on {
        // A second to come to a walk of a metre per second; whoever is up at the end has not failed.
        let way = ground.world().senses()[0].center_of_mass().x - start;
        let slow = (1.0 - way / (practice.horizon - 1.0)).abs().min(1.0);
        let falls = (1.0 - took / practice.horizon).max(0.0);
        return (slow + 5.0 * falls, falls < 0.01);
    }
    if good {
        // Slower than need be is worse; quicker than a second is no better.
        (0.05 * took.max(1.0), true)
    } else {
        let on_the_way = if n > 0.0 { sum / n } else { 1.0 };
        // One who falls early is farther off than one who falls late.
        (1.0 + distance(practice, ground) + on_the_way + 0.3 * (practice.horizon - took).max(0.0), false)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [skill, from, to, rest @ ..] = args.as_slice() else {
        return Err("expected SKILL FROM.toml TO.toml [GENERATIONS [POPULATION [SHAKEN [AFTER]]]]".into());
    };
    let practice = Practice::find(skill).ok_or_else(|| format!("no skill {skill} is practised"))?;
    let moves = Moves::parse(from, &std::fs::read_to_string(from)?)?;
    let number = |k: usize, usual: f64| rest.get(k).map_or(Ok(usual), |x| x.parse::<f64>());
    let (generations, population, shaken) =
        (number(0, 60.0)? as u64, number(1, 24.0)? as usize, number(2, 0.3)?);
    let bounds = Bounds { force: shaken * practice.bounds.force, offset: shaken * practice.bounds.offset };
    let ground = practice.ground()?;
    let after = rest.get(3).map_or("", String::as_str).split(',').filter(|name| !name.is_empty());
    let after: Vec<Prelude> = after.map(|name| Prelude::new(name, shaken)).collect::<Result<_, _>>()?;
    let n = width(&moves);
    let mut search = Cma::new(&vec![0.0; n], Settings { population, ..Settings::new(0.6) }, 1);
    let mut best = (f64::INFINITY, moves.clone());
    for generation in 0..generations {
        let places = search.ask();
        let first = STATES * (generation / FRESH);
        let score = |x: &Vec<f64>, ground: &mut Ground, after: &[Prelude]| {
            let candidate = moved(&moves, x);
            let costs: Vec<(f64, bool)> = (0..STATES)
                .map(|k| attempt(practice, ground, &candidate, bounds, first + k, after))
                .collect();
            let mean = costs.iter().map(|c| c.0).sum::<f64>() / STATES as f64;
            let worst = costs.iter().map(|c| c.0).fold(0.0, f64::max);
            (mean + 0.5 * worst, costs.iter().filter(|c| c.1).count())
        };
        let half = places.len().div_ceil(2);
        let scored: Vec<(f64, usize)> = std::thread::scope(|scope| {
            let (a, b) = places.split_at(half);
            let run = |part: &[Vec<f64>], mut ground: Ground, after: Vec<Prelude>| {
                part.iter().map(|x| score(x, &mut ground, &after)).collect::<Vec<_>>()
            };
            let copies = || (ground.copy(), after.iter().map(Prelude::copy).collect::<Vec<_>>());
            let (mine, theirs) = (copies(), copies());
            let other = scope.spawn(move || run(b, theirs.0, theirs.1));
            let mut all = run(a, mine.0, mine.1);
            all.extend(other.join().unwrap_or_default());
            all
        });
        let costs: Vec<f64> = scored.iter().map(|s| s.0).collect();
        let least = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
        if generation % FRESH == 0 {
            best.0 = f64::INFINITY;
        }
        if costs[least] < best.0 {
            best = (costs[least], moved(&moves, &places[least]));
        }
        println!(
            "{generation}: cost {:.3}, {} of {STATES} succeed, step {:.3}",
            costs[least],
            scored[least].1,
            search.sigma()
        );
        std::io::stdout().flush()?;
        search.tell(&costs);
    }
    // The favourite against the best of the last disturbances, on others than those.
    let favourite = moved(&moves, search.mean());
    let mut own = ground.copy();
    let mut held = |moves: &Moves| {
        (0..200)
            .filter(|k| attempt(practice, &mut own, moves, bounds, HELD_BACK + 1 + STATES * k, &after).1)
            .count()
    };
    let (a, b) = (held(&favourite), held(&best.1));
    println!("of 200 disturbed states held back the mean succeeds from {a}, the best from {b}");
    let found = if a >= b { favourite } else { best.1 };
    let command = format!("planar_moves {}", args.join(" "));
    let text = format!(
        "# By search: `{command}`.\n# Of 200 disturbed states that were held back it succeeds from {}.\n\n{}",
        a.max(b),
        found.to_toml()
    );
    std::fs::write(to, text)?;
    Ok(())
}
