//! Random hits at characters on round trips: what share is back in its motion, and how it got there.
//!
//! `cargo run --release -p stuntlab-control --example round_trip -- [hits] [first seed] [clip] [least] [most]`

use std::sync::Arc;

use stuntlab_control::fighter::library_figure;
use stuntlab_control::reference::ClipReference;
use stuntlab_control::round_trip::clips::Ways;
use stuntlab_control::round_trip::{RoundTrip, RoundTripOptions};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::Physique;
use stuntlab_mocap::library;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::{Force, Transform};
use stuntlab_physics::{Actuation, Data, ModelBuilder, ShapeSpec, State, StepOptions, advance, observe};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual: f64| words.get(k).and_then(|w| w.parse().ok()).unwrap_or(usual);
    let (hits, first) = (number(0, 20.0) as u64, number(1, 0.0) as u64);
    let clips = words.get(2).map_or(vec!["idle", "walk", "run"], |w| vec![w.as_str()]);
    let (least, most) = (number(3, 20.0), number(4, 200.0));
    let figure = library_figure(false);
    let ways = Ways::of(&figure)?;
    let mut builder = ModelBuilder::new().gravity(DVec3::new(0.0, 0.0, -9.81));
    builder.append("", figure.model(), Transform::IDENTITY);
    builder.push_fixture(ShapeSpec::new(Shape::Plane));
    let model = builder.build()?;
    let physique = Arc::new(Physique::of(&figure));
    let options = StepOptions::at_rate(120.0);
    let (mut back, mut fell, mut times, mut splices) = (0, 0, Vec::new(), Vec::new());
    for seed in first..first + hits {
        let mut random = Random::named(seed, "round-trip");
        let mut unit = || random.unit();
        let clip = clips[(unit() * clips.len() as f64) as usize];
        let motion = ClipReference::new(figure.clone(), &library::clip(clip)?, true);
        let mut trip = RoundTrip::new(
            figure.shared_model(),
            ways.clone(),
            &physique,
            Box::new(motion.clone()),
            RoundTripOptions::default(),
        )?;
        let (mut state, mut data, mut act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        let start = motion.state_at(0.0);
        (state.q, state.v) = (start.q, start.v);
        let mut senses = Senses::new(&model, model.body_ids(), physique.clone());
        let body = model.body_ids().at((unit() * model.n_bodies() as f64) as usize);
        let (angle, rise) = (unit() * std::f64::consts::TAU, 0.6 * (unit() - 0.5));
        let along = DVec3::new(angle.cos(), angle.sin(), rise).normalize();
        let (impulse, when, lasts) =
            (least + (most - least) * unit(), 0.5 + 2.0 * unit(), 0.02 + 0.18 * unit());
        let mut log = String::new();
        let (mut phase, mut home) = (0.0, f64::NAN);
        while state.time < when + 12.0 {
            observe(&model, &state, &mut data, &options);
            senses.look(&model, &state, &data);
            act.clear();
            if (when..when + lasts).contains(&state.time) {
                let arm = data.world_from_body(body).rotation * model.body(body).inertia().center_of_mass;
                act.body_force[body.index()] += Force::at_offset(along * (impulse / lasts), arm);
            }
            senses.brace(&act, &data);
            trip.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
            let read = |name| trip.readings().get(name).unwrap_or(f64::NAN);
            if read("trip-phase") != phase {
                phase = read("trip-phase");
                log += &format!(" {phase}({})@{:.2}", read("trip-cause"), state.time - when);
                if phase == 5.0 || phase == 0.0 {
                    log += &format!("[{:.3}]", read("splice"));
                    splices.push(read("splice"));
                }
                home = if phase == 0.0 { state.time - when } else { f64::NAN };
            }
            if home.is_finite() && state.time > when + home + 0.5 {
                break;
            }
            advance(&model, &mut state, &mut data, &act, &options)?;
        }
        let falls = trip.readings().get("trip-falls").unwrap_or(0.0);
        fell += usize::from(falls > 0.0);
        if home <= 10.0 {
            back += 1;
            times.push(home);
        }
        println!(
            "{seed} {clip} {} {impulse:.0} N s towards {:.0}°:{log}",
            model.body(body).name(),
            angle.to_degrees()
        );
    }
    times.sort_by(f64::total_cmp);
    splices.sort_by(f64::total_cmp);
    let at = |v: &[f64], p: f64| v.get((p * (v.len() as f64 - 1.0)) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{back} of {hits} back within 10 s, {fell} fell; median {:.2} s, 95 % {:.2} s; splices median {:.3} m, 95 % {:.3} m, {} of {} above 5 cm",
        at(&times, 0.5),
        at(&times, 0.95),
        at(&splices, 0.5),
        at(&splices, 0.95),
        splices.iter().filter(|s| **s > 0.05).count(),
        splices.len()
    );
    Ok(())
}
