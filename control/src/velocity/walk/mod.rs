//! A walking machine by target states in time (Lligadas, Susín and Ramírez, section 4): no gains, and feet that are pinned where they
//! strike, or stand on the ground as ground holds.
//!
//! ```text
//! lift   for a share of the step's time   the leg that stands goes upright, the other one bends
//! reach  until the foot strikes           the legs go where a step of that length ends
//! load   for a share of the step's time   both feet stand; the rear one rolls on to its toes, which are pinned, then lets go
//! ```
//! The hip of the leg that stands holds the pelvis upright and along the course; with its foot pinned it has something to hold it by.
//! Step and speed are commands; a speed of zero closes the step and stands.
//!
//! | module | what |
//! |---|---|
//! | [`options`] | what a walk is made of |
//! | `states` | which state follows which, and when |
//! | `stand` | standing without pins, from and to which it walks |
//! | [`placement`] | where the next foot goes |
//! | [`triangle`] | the legs at double support, and a leg that reaches |
//! | `goals` | what the joints shall be in every state |

mod goals;
mod kind;
pub mod options;
pub mod placement;
mod stand;
mod states;
pub mod triangle;

pub use kind::KIND;
pub(crate) use kind::{MUSCLE_KEYS, read_muscles};
pub use options::{Balance, Tone, WalkOptions};

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_physics::glam::{DVec2, DVec3};
use stuntlab_physics::{Actuation, Bodies, Data, Model, State, dynamics::forward_kinematics};

use super::drive::{Drive, Goal};
use super::pins::FootPin;
use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::kind::Refusal;
use crate::readings::{Published, Readings, Together};
use crate::senses::Hull;
use crate::walking::{Biped, Course, STRIDE, Strides, show};
use states::Phase;
use triangle::LegLengths;

const COMMANDS: &[&str] = &["speed", "step", "heading"];

const PUBLISHED: [Published; 8] = [
    STRIDE[0],
    STRIDE[1],
    STRIDE[2],
    STRIDE[3],
    STRIDE[4],
    Published {
        name: "pull",
        unit: "N",
        help: "Pull of the ground on pinned feet",
        together: Together::Most,
    },
    Published {
        name: "step-error",
        unit: "m",
        help: "How far the last step is from what was asked for",
        together: Together::Most,
    },
    Published {
        name: "heading",
        unit: "deg",
        help: "Where the pelvis points, left of +x",
        together: Together::Mean,
    },
];

/// A walk at work on a character.
#[derive(Clone, Debug)]
pub struct Walk {
    options: WalkOptions,
    biped: Biped,
    legs: LegLengths,
    drive: Drive,
    pins: [FootPin; 2],
    phase: Phase,
    /// The leg that stands; after the strike the front one is the other still.
    stance: Side,
    /// Seconds in this state, by its own clock.
    clock: f64,
    /// How fast that clock goes: [`placement`] (4).
    hurry: f64,
    /// Seconds of a step of [`Balance::Capture`], whatever its length.
    beat: f64,
    /// How many times as long as they shall be steps are asked for: learned, see `states`.
    eager: f64,
    /// Rise of the ground per metre ahead, as the last footholds tell it.
    grade: f64,
    /// How far `ξ` is from where it is in a steady walk, or in standing, forward and left, m.
    stray: DVec2,
    /// Length of the step at hand, as asked for and as balance has it, m.
    step: [f64; 2],
    /// Way from the foot that stands to where the other is to strike, outward, m.
    aside: f64,
    course: Option<Course>,
    strides: Strides,
    /// The feet that bear, seen from above.
    base: Hull,
    goals: Vec<Option<Goal>>,
    values: [f64; PUBLISHED.len()],
}

impl Walk {
    /// A walk for a character of its own `model` that is `bodies` of the whole one.
    ///
    /// # Errors
    /// A figure without two legs and toes.
    pub fn new(
        own: &Model,
        model: &Model,
        bodies: Bodies,
        physique: &Physique,
        options: WalkOptions,
    ) -> Result<Self, Refusal> {
        let biped = Biped::of(physique)?;
        Ok(Self {
            legs: lengths(own, physique, &biped)?,
            drive: Drive::new(model, bodies, options.muscles),
            pins: Side::BOTH.map(|side| FootPin::new(physique, side, options.grip)),
            phase: Phase::Stand,
            stance: Side::Right,
            clock: 0.0,
            hurry: 1.0,
            beat: states::beat(&options),
            eager: options.eager,
            grade: 0.0,
            stray: DVec2::ZERO,
            step: [options.step; 2],
            aside: options.width,
            course: None,
            strides: Strides::default(),
            base: Hull::with_capacity(physique.soles().len()),
            goals: vec![None; bodies.len()],
            values: [0.0; PUBLISHED.len()],
            biped,
            options,
        })
    }

    /// The same, with the right leg swinging first.
    #[must_use]
    pub fn right_foot_first(mut self) -> Self {
        self.stance = Side::Left;
        self
    }

    fn ankle(&self, sense: &Sense<'_>, side: Side) -> DVec3 {
        sense.data.world_from_body(sense.body_of(self.biped.leg(side).foot)).translation
    }
}

/// Lengths of the legs as the figure stands.
fn lengths(own: &Model, physique: &Physique, biped: &Biped) -> Result<LegLengths, Refusal> {
    let mut data = Data::new(own);
    forward_kinematics(own, &State::new(own), &mut data);
    let place = |bone: Bone| data.position.world_from_body[bone.index()].translation;
    let leg = biped.leg(Side::Left);
    let [thigh, shank, foot] = [leg.thigh, leg.shank, leg.foot].map(place);
    let toe = leg
        .toe
        .map(place)
        .ok_or_else(|| Refusal::new("figure", "has no toes, expected a figure with toes"))?;
    let soles = physique.soles().iter();
    let low = soles.map(|s| data.position.world_from_body[s.bone.index()].transform_point(s.point_body).z);
    let ground = low.fold(f64::INFINITY, f64::min);
    Ok(LegLengths {
        thigh: thigh.distance(shank),
        calf: shank.distance(foot),
        ankle: foot.z - ground,
        ball: toe.z - ground,
        foot: toe.x - foot.x,
    })
}

impl Controller for Walk {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn enter(&mut self, sense: &Sense<'_>) {
        self.course = Some(Course::of(sense));
        for side in Side::BOTH {
            self.strides.stand(side, self.ankle(sense, side), sense.time());
        }
        // One who is on its way already need not begin with short steps.
        let forward = self.course.map_or(0.0, |course| course.own(sense.own.velocity()).x);
        self.step = [(forward * self.beat).clamp(0.0, self.options.step); 2];
        self.enter_phase(Phase::Stand, sense);
    }

    fn leave(&mut self) {
        self.pins.iter_mut().for_each(FootPin::release);
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        if self.course.is_none() {
            self.enter(sense);
        }
        self.go_on(sense);
        let Some(mut course) = self.course else { return };
        course.follow(sense.dt);
        self.course = Some(course);
        self.place_foot(sense, &course);
        self.set_goals(sense, &course);
        self.clock += self.hurry * sense.dt;
        // One who lies goes on to want what it wants, but muscles let go.
        let (goals, lies) = (&self.goals, self.has_fallen(sense));
        self.drive.act(sense, |bone| goals[bone].filter(|_| !lies), out);
        self.pins.iter_mut().for_each(|pin| pin.act(sense, out));
        let pull = self.pins.iter().map(|pin| -pin.wrench(sense).linear.z).fold(0.0, f64::max);
        self.values[..STRIDE.len()].copy_from_slice(&self.strides.values);
        self.values[5] = pull;
        self.values[7] = Course::of(sense).heading.to_degrees();
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `speed`: m/s, zero stops. `step`: length of the steps from the next on, m. `heading`: degrees left of +x. Steps that go where balance
    /// wants them keep their time: a speed is a length of steps there.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        match (name, &mut self.course) {
            ("speed", _) => self.set_speed(value.max(0.0)),
            ("step", _) => self.set_step(value.clamp(0.0, 0.75)),
            ("heading", Some(course)) => course.wanted = value.to_radians(),
            ("heading", None) => {}
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let told = self.goals.iter().enumerate();
        show(sense, told.filter_map(|(k, goal)| Some((Bone::new(k), goal.as_ref()?.q))), q);
        true
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::ParentSpace
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
