//! Figures dropped in all attitudes that get up, over many seeds.
//!
//! `cargo run --release -p stuntlab-control --example getting_up -- [library|FILE.bvh] [seeds] [trace]`

use std::sync::Arc;

use stuntlab_control::fighter::{Fighter, FighterOptions, Phase, Repertoire, library_figure};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::{Transform, rotation};
use stuntlab_physics::{Actuation, Data, Model, ShapeSpec, State, StepOptions, advance, observe};

/// Seconds it may take.
const LONGEST: f64 = 25.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, default: &str| words.get(k).cloned().unwrap_or_else(|| default.to_owned());
    let character = match word(0, "library").as_str() {
        "library" => library_figure(false),
        "stuntperson" => Arc::new(Character::stuntperson()),
        path => {
            let (clip, _) = import(path, &Bvh::parse(&std::fs::read(path)?)?, &ImportOptions::default())?;
            Arc::new(Character::build(clip.skeleton(), &CharacterOptions::default())?.0)
        }
    };
    let (seeds, trace): (u64, bool) = (word(1, "16").parse()?, word(2, "") == "trace");
    println!("{:.1} kg, {:.2} m", character.mass(), character.stature());
    let repertoire = Arc::new(Repertoire::new(character.clone())?);
    let mut up = 0;
    for seed in 0..seeds {
        up += u64::from(get_up(&repertoire, seed, trace)?);
    }
    println!("{up} of {seeds} got up");
    Ok(())
}

fn get_up(repertoire: &Arc<Repertoire>, seed: u64, trace: bool) -> Result<bool, Box<dyn std::error::Error>> {
    let character = repertoire.character();
    let mut dice = Random::new(seed ^ 0xd209);
    let mut any = || 2.0 * dice.unit() - 1.0;
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    character.append_to(&mut builder, "", Transform::IDENTITY);
    let model = builder.build()?;
    let mut state = State::new(&model);
    state.q.copy_from_slice(repertoire.start());
    let turn = rotation::exp(DVec3::new(any(), any(), any()) * std::f64::consts::PI);
    state.q[2] = 1.2;
    let turned = (turn * DQuat::from_slice(&state.q[3..7])).normalize();
    state.q[3..7].copy_from_slice(&turned.to_array());
    state.v[3..6].copy_from_slice(&[4.0 * any(), 4.0 * any(), 4.0 * any()]);
    let own = FighterOptions { fallen: true, ..FighterOptions::default() };
    let mut fighter = Fighter::new(repertoire.clone(), own);
    let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, model.body_ids(), Physique::of(character).into());
    let options = StepOptions::at_rate(120.0);
    let (mut help, mut fastest, mut falls, mut up_at) = (0.0_f64, 0.0_f64, 0, f64::NAN);
    let mut last = String::new();
    while state.time < LONGEST && up_at.is_nan() {
        observe(&model, &state, &mut data, &options);
        act.clear();
        senses.look(&model, &state, &data);
        let sense = Sense::new(&model, &state, &data, options.dt, &senses);
        fighter.act(&sense, &mut act);
        let phase = fighter.phase();
        let height = data.world_from_body(model.body_ids().at(0)).translation.z / character.root_height();
        if matches!(phase, Phase::Settling { .. } | Phase::Rising { .. }) {
            let v = data.velocity.body[model.body_ids().at(0)];
            fastest = fastest.max(v.angular.length());
            if height < 0.3 {
                help = help.max(fighter.cheat().length() / (9.81 * character.mass()));
            }
        }
        let name = match phase {
            Phase::Standing => "standing".to_owned(),
            Phase::Down { .. } => "down".to_owned(),
            Phase::Settling { start, turns, .. } => format!("settling {turns} {}", start.is_some()),
            Phase::Rising { .. } => "rising".to_owned(),
            Phase::Steadying { .. } => "steadying".to_owned(),
        };
        let tick = (state.time * 120.0).round() as u64;
        if trace && (name != last || tick.is_multiple_of(30)) {
            let pelvis = data.world_from_body(model.body_ids().at(0)).rotation;
            println!(
                "{:5.2} {name:18} height {height:4.2} front {:5.2} left {:5.2} up {:5.2} error {:4.2} help {:5.1}",
                state.time,
                pelvis.x_axis.z,
                pelvis.y_axis.z,
                pelvis.z_axis.z,
                fighter.dynamo().error(),
                fighter.cheat().length()
            );
        }
        if name == "down" && last != "down" {
            falls += 1;
        }
        last = name;
        if phase == Phase::Standing {
            up_at = state.time;
        }
        advance(&model, &mut state, &mut data, &act, &options)?;
    }
    println!(
        "seed {seed:3}: up after {up_at:5.1} s, {falls} times down, at most {help:.3} m of the weight from outside while it lay, {fastest:4.1} rad/s"
    );
    Ok(up_at.is_finite())
}
