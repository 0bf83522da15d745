//! What a fighter can do: the library's boxing and get-up clips, a boxer's steps, and the motion graph over them.
//!
//! Built once per figure and shared by all fighters of that figure.

use std::sync::Arc;

use stuntlab_mocap::character::{Character, Part, SolePoint};
use stuntlab_mocap::edit::{align_to_ground, mirror};
use stuntlab_mocap::graph::{GraphError, GraphOptions, MotionGraph};
use stuntlab_mocap::keyframe::{KeyframeError, compile};
use stuntlab_mocap::library::{self, LibraryError};
use stuntlab_mocap::retarget::{RetargetError, RetargetOptions, retarget};
use stuntlab_mocap::roles::Side;
use stuntlab_mocap::{Clip, ClipError};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{BodyId, Data, JointKind, State};
use thiserror::Error;

use super::aid::{root_rotation, yaw};
use super::lying::Lying;
use super::motion::{Layout, Motion};
use super::routes::Routes;

/// Rows per second of the motions.
const RATE: f64 = 120.0;

/// Number of the way up from the belly, after which its mirror image comes.
const PRONE: usize = Move::ALL.len();
/// Number of the turn over the left side, after which that over the right one comes.
const ROLL_OVER: usize = PRONE + 2;

/// A figure or clip a fighter cannot be made of.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FighterError {
    /// A figure that the clips do not fit.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// A figure without a part a fighter needs.
    #[error("expected a figure with {0}")]
    Part(&'static str),
    /// A clip that is missing.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A step that does not compile.
    #[error(transparent)]
    Keyframe(#[from] KeyframeError),
    /// A clip that cannot be turned round.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Clips that make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// What a standing fighter does; the number of each is that of its motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Waits in guard.
    Guard,
    /// Straight left.
    Jab,
    /// Straight right.
    Cross,
    /// Left hook.
    Hook,
    /// Right uppercut.
    Uppercut,
    /// Covers up.
    Block,
    /// A step towards the opponent.
    StepForward,
    /// A step away.
    StepBack,
    /// Thirty degrees to the left.
    TurnLeft,
    /// Thirty degrees to the right.
    TurnRight,
}

impl Move {
    /// All moves in the order of their motions.
    pub const ALL: [Self; 10] = [
        Self::Guard,
        Self::Jab,
        Self::Cross,
        Self::Hook,
        Self::Uppercut,
        Self::Block,
        Self::StepForward,
        Self::StepBack,
        Self::TurnLeft,
        Self::TurnRight,
    ];

    /// The punches.
    pub const PUNCHES: [Self; 4] = [Self::Jab, Self::Cross, Self::Hook, Self::Uppercut];

    /// Number of the motion.
    pub const fn motion(self) -> usize {
        self as usize
    }
}

/// When and how far a punch strikes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Punch {
    /// Which.
    pub punch: Move,
    /// Time of the clip at which the fist is farthest, s.
    pub peak: f64,
    /// How far before the pelvis it is then, m.
    pub reach: f64,
}

/// Clips a fighter can play and how they join.
#[derive(Clone, Debug)]
pub struct Repertoire {
    character: Arc<Character>,
    layout: Layout,
    motions: Vec<Motion>,
    punches: Vec<Punch>,
    routes: Routes,
    lying: Lying,
    /// The guard with the soles on the ground.
    start: Vec<f64>,
}

impl Repertoire {
    /// Reads all clips for a figure and builds their graph; on another skeleton than the library's they are retargeted.
    ///
    /// # Errors
    /// A figure that the clips do not fit, without hands, or in a plane.
    pub fn new(character: Arc<Character>) -> Result<Self, FighterError> {
        if character.model().bodies()[0].joint().kind != JointKind::Free {
            return Err(FighterError::Part("a root that is free"));
        }
        let clips = clips()?.into_iter().map(|clip| fit(clip, &character)).collect::<Result<Vec<_>, _>>()?;
        let graph_options = GraphOptions { rate: 30.0, window: 0.25, threshold: 0.12 };
        let graph = MotionGraph::build(&clips, &graph_options, &|_, _| ())?;
        let layout = Layout::new(character.model());
        let cyclic = |k: usize| k == Move::Guard.motion();
        let motions: Vec<Motion> = clips
            .iter()
            .enumerate()
            .map(|(k, clip)| Motion::new(&character, clip, cyclic(k), RATE))
            .collect();
        let punches = Move::PUNCHES
            .into_iter()
            .map(|punch| find_strike(&character, &layout, &motions[punch.motion()], punch))
            .collect::<Result<Vec<_>, _>>()?;
        let routes = Routes::new(&graph, &motions, &punches);
        let lying = Lying::new(&character, &layout, &motions, PRONE..ROLL_OVER);
        let start = on_the_ground(&character, &layout, &motions[Move::Guard.motion()]);
        Ok(Self { character, layout, motions, punches, routes, lying, start })
    }

    /// The figure.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// All motions: those of [`Move::ALL`], then the ways to get up.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The punches.
    pub fn punches(&self) -> &[Punch] {
        &self.punches
    }

    /// Where motions join.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The motion that turns over a side on to the belly.
    pub(super) fn roll_over(&self, left: bool) -> usize {
        ROLL_OVER + usize::from(!left)
    }

    /// How lying poses are told apart.
    pub fn lying(&self) -> &Lying {
        &self.lying
    }

    /// How far the pelvis is turned from the opponent in guard, rad.
    pub fn guard_yaw(&self) -> f64 {
        yaw(&root_rotation(&self.start))
    }

    /// The guard with the soles on the ground at the origin, facing +x.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Where the rotations are among the coordinates.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Number of coordinates.
    pub fn n_q(&self) -> usize {
        self.layout.n_q()
    }

    /// Spacing of the motions' rows, s.
    pub fn spacing(&self) -> f64 {
        1.0 / RATE
    }
}

/// The clips in the order of [`Move::ALL`], then the ways to get up, each with its mirror image.
fn clips() -> Result<Vec<Clip>, FighterError> {
    let poses = library::poses()?;
    let own = |name: &str, text: &str| Ok::<Clip, FighterError>(compile(name, text, &poses)?.clip);
    let forward = own("step-forward.toml", include_str!("clips/step-forward.toml"))?;
    let back = own("step-back.toml", include_str!("clips/step-back.toml"))?;
    let mut clips = Vec::new();
    for name in ["guard", "jab", "cross", "hook", "uppercut", "block"] {
        clips.push(library::clip(name)?);
    }
    clips.extend([forward, back]);
    clips.push(own("turn-left.toml", include_str!("clips/turn-left.toml"))?);
    clips.push(own("turn-right.toml", include_str!("clips/turn-right.toml"))?);
    let roll_over = own("roll-over.toml", include_str!("clips/roll-over.toml"))?;
    for clip in [library::clip("get-up-prone")?, roll_over] {
        let mirrored = mirror(&clip);
        clips.extend([clip, mirrored]);
    }
    Ok(clips)
}

/// A clip on a figure, feet on the ground.
fn fit(clip: Clip, character: &Character) -> Result<Clip, FighterError> {
    if clip.skeleton().same_layout(character.skeleton()) {
        return Ok(clip);
    }
    let fitted = retarget(&clip, character, &RetargetOptions::default())?;
    Ok(align_to_ground(&fitted.clip, character.sole_height()))
}

/// The first pose of a motion, lifted so that the lowest point of the soles touches z = 0.
fn on_the_ground(character: &Character, layout: &Layout, motion: &Motion) -> Vec<f64> {
    let (mut state, mut data) = (State::new(character.model()), Data::new(character.model()));
    motion.write(0.0, layout, &mut state.q);
    forward_kinematics(character.model(), &state, &mut data);
    let height = |body: BodyId, point: DVec3| data.world_from_body(body).transform_point(point).z;
    // The contact spheres' centres lie a radius above the sole, whatever way the foot is turned.
    let center = |s: &SolePoint| height(s.body, s.point_body + DVec3::Z * s.radius) - s.radius;
    let lowest = character.soles().iter().map(center).fold(f64::INFINITY, f64::min);
    state.q[2] -= if lowest.is_finite() { lowest } else { 0.0 };
    state.q
}

/// When the striking fist is farthest before the pelvis.
fn find_strike(
    character: &Character,
    layout: &Layout,
    motion: &Motion,
    punch: Move,
) -> Result<Punch, FighterError> {
    let side = if matches!(punch, Move::Jab | Move::Hook) { Side::Left } else { Side::Right };
    let (model, parts) = (character.model(), character.parts());
    let hand = model.body_ids().iter().find(|body| parts[*body] == Part::Hand(side));
    let hand = hand.ok_or(FighterError::Part("hands"))?;
    let (mut state, mut data) = (State::new(character.model()), Data::new(character.model()));
    let mut best = Punch { punch, peak: 0.0, reach: f64::NEG_INFINITY };
    for k in 0..=(motion.duration * RATE) as usize {
        let time = k as f64 / RATE;
        motion.write(time, layout, &mut state.q);
        forward_kinematics(character.model(), &state, &mut data);
        let place = |body: BodyId| -> DVec3 { data.position.world_from_body[body].translation };
        let reach = (place(hand) - place(model.body_ids().at(0))).x;
        if reach > best.reach {
            best = Punch { punch, peak: time, reach };
        }
    }
    Ok(best)
}
