//! What is measured while a character is hit.

use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::DVec2;

use super::super::{Kind, Measured, StudyError};
use super::hit::Hit;
use super::splices::{Splices, read};
use crate::run::{Hands, Push, World};
use crate::scene::Scene;

const fn outcome(name: &'static str, unit: &'static str, kind: Kind) -> Measured {
    Measured { name, unit, kind }
}

pub(super) const OUTCOMES: [Measured; 14] = [
    outcome("back", "", Kind::Rate),
    outcome("fell", "", Kind::Rate),
    outcome("staggered", "", Kind::Rate),
    outcome("away", "s", Kind::Median),
    outcome("splice", "m", Kind::Median),
    outcome("slide", "m", Kind::Median),
    outcome("pop", "", Kind::Median),
    outcome("hands_first", "", Kind::Rate),
    outcome("head_speed", "m/s", Kind::Mean),
    outcome("trunk_speed", "m/s", Kind::Mean),
    outcome("aid", "of 1", Kind::Mean),
    outcome("aided", "s", Kind::Mean),
    outcome("aid_elsewhere", "of 1", Kind::Mean),
    outcome("sideways", "deg", Kind::Mean),
];

/// Seconds after the hit in which it is to be back.
const IN_TIME: f64 = 10.0;

/// What strikes the ground, of one who falls.
#[derive(Default)]
struct Landing {
    /// Whether hands or forearms were first of all that is above the knees, once anything was.
    hands_first: Option<bool>,
    /// Speed of the head and of the trunk as they first strike, m/s.
    head: Option<f64>,
    trunk: Option<f64>,
}

impl Landing {
    /// Looks at the step that was taken; `before` are speeds of all bodies before it.
    fn look(&mut self, world: &World, before: &[f64]) {
        let senses = &world.senses()[0];
        let parts = senses.physique().parts();
        for (k, (part, touch)) in parts.iter().zip(senses.touches()).enumerate() {
            if touch.ground.length() == 0.0 {
                continue;
            }
            match part {
                Some(Part::Forearm(_) | Part::Hand(_)) => {
                    self.hands_first.get_or_insert(true);
                }
                Some(Part::Head | Part::Neck(_)) => {
                    self.hands_first.get_or_insert(false);
                    self.head.get_or_insert(before[k]);
                }
                Some(Part::Pelvis | Part::Spine(_)) => {
                    self.hands_first.get_or_insert(false);
                    self.trunk.get_or_insert(before[k]);
                }
                Some(Part::UpperArm(_) | Part::Clavicle(_)) => {
                    self.hands_first.get_or_insert(false);
                }
                _ => {}
            }
        }
    }
}

/// Runs a hit: a number for each of [`OUTCOMES`].
pub(super) fn run(hit: &Hit) -> Result<Vec<f64>, StudyError> {
    let scene = Scene::parse("round-trip-study.toml", &hit.scene(), &[])?;
    let mut world = World::new(&scene)?;
    let failed = || Ok(vec![f64::NAN; OUTCOMES.len()]);
    let Some(body) = world.find(&format!("it/{}", hit.body)) else { return failed() };
    while world.state.time + 0.5 * world.options.dt < hit.time {
        if world.step(&Hands::default()).is_err() {
            return failed();
        }
    }
    let start = world.state.time;
    let point_body = world.model().body(body).inertia().center_of_mass;
    let push = Push { body, point_body, impulse: hit.along * hit.impulse, start, duration: hit.duration };
    let hands = Hands { pushes: vec![push], ..Hands::default() };
    let heading = world.data.world_from_body(world.senses()[0].bodies().at(0)).rotation.x_axis.truncate();
    let (mut splices, mut landing) = (Splices::new(&world), Landing::default());
    let (mut splice, mut aid, mut elsewhere) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut back_at = f64::NAN;
    let mut speeds = Vec::new();
    let mut switches = read(&world, "trip-switches");
    while world.state.time < start + IN_TIME + 0.5 {
        speeds_of(&world, &mut speeds);
        if world.step(&hands).is_err() {
            return failed();
        }
        splices.look(&world);
        if read(&world, "trip-falls") > 0.0 {
            landing.look(&world, &speeds);
        }
        let docks = read(&world, "moving") == 2.0;
        let force = read(&world, "docking");
        aid = aid.max(force);
        elsewhere = elsewhere.max(if docks { 0.0 } else { force });
        if read(&world, "trip-switches") != switches {
            switches = read(&world, "trip-switches");
            if read(&world, "moving") == 0.0 {
                splice = splice.max(read(&world, "splice"));
            }
        }
        let home = read(&world, "trip-phase") == 0.0;
        back_at = match (home, back_at.is_nan()) {
            (true, true) => world.state.time - start,
            (true, false) => back_at,
            (false, _) => f64::NAN,
        };
        // The rest of a tenth of a second after the last splice is looked at, too.
        if back_at + start + 0.4 < world.state.time {
            break;
        }
        if hit.is_fall && read(&world, "trip-phase") >= 3.0 {
            break;
        }
    }
    let flag = |is: bool| f64::from(u8::from(is));
    let fell = read(&world, "trip-falls") > 0.0;
    let turned = heading.angle_to(hit.along.truncate().normalize_or(DVec2::X)).to_degrees();
    Ok(vec![
        flag(back_at <= IN_TIME),
        flag(fell),
        flag(read(&world, "trip-staggers") > 0.0),
        back_at,
        splice,
        splices.slide(),
        splices.pop(),
        if fell { landing.hands_first.map_or(f64::NAN, flag) } else { f64::NAN },
        if fell { landing.head.unwrap_or(0.0) } else { f64::NAN },
        if fell { landing.trunk.unwrap_or(0.0) } else { f64::NAN },
        aid,
        read(&world, "aided"),
        elsewhere,
        turned.abs(),
    ])
}

/// Speeds of all bodies' centres of mass.
fn speeds_of(world: &World, out: &mut Vec<f64>) {
    let bodies = world.senses()[0].bodies();
    out.clear();
    out.extend((0..bodies.len()).map(|k| {
        let body = Bone::new(k).among(bodies);
        let center = world.model().body(body).inertia().center_of_mass;
        let at = world.data.world_from_body(body).transform_point(center);
        world.data.point_velocity(body, at).length()
    }));
}
