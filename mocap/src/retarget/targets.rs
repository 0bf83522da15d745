//! Where the character's joints should be: the source's orientations on the target's proportions.
//!
//! With `x` places of the source, `v` vectors between neighbouring joints in the standing pose (A source, B target) and
//! `W` the orientation of the part that carries the vector, a joint's wanted place is
//! `y = y_parent + W v_B + s (x − x_parent − W v_A)`, `s = |v_B|/|v_A|`: rigid parts keep their direction and take the
//! target's length, and what the source's chest and shoulders do beyond rigidity is kept, scaled.

use super::RetargetError;
use crate::Clip;
use crate::character::stance::Stance;
use crate::character::{BodyPoint, Character, CharacterError};
use crate::contacts::{Contacts, ground_height, intervals};
use crate::edit::fade_weight;
use crate::roles::{Limbs, Side};
use crate::skeleton::JointId;
use glam::{DMat3, DQuat, DVec3};
use std::ops::Range;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{BodyId, JointKind};

/// Seconds over which a resting foot's correction fades.
const EASE: f64 = 0.12;
/// A foot point that strays farther than this from its mean place is held piece by piece, m.
const STRAY: f64 = 0.05;
/// Resting feet nearer to the floor than this stand on it, m.
const FLOOR: f64 = 0.015;

/// A joint that should be somewhere.
pub(super) struct Landmark {
    pub(super) name: &'static str,
    pub(super) point: BodyPoint,
    pub(super) weight: f64,
    /// Landmark it is reckoned from.
    parent: Option<usize>,
    /// Joint of the source, and the one whose orientation carries the vector.
    joint: JointId,
    frame: JointId,
    source: DVec3,
    target: DVec3,
    /// Which foot point it is, if any: side, and whether it is the toe.
    foot: Option<(Side, bool)>,
}

/// A body that should be oriented like a joint of the source.
pub(super) struct Heading {
    pub(super) body: BodyId,
    /// Length by which radians are compared with metres.
    pub(super) arm: f64,
    joint: JointId,
}

/// Wanted places and orientations of every frame.
pub(super) struct Targets {
    pub(super) landmarks: Vec<Landmark>,
    pub(super) headings: Vec<Heading>,
    /// Frame by frame, landmark by landmark.
    pub(super) places: Vec<DVec3>,
    /// Whether a foot point rests, laid out likewise.
    pub(super) planted: Vec<bool>,
    /// Frame by frame, heading by heading: wanted orientation of the body.
    pub(super) orientations: Vec<DMat3>,
    /// Per frame a pose of the target's skeleton with the source's orientations, to start from.
    pub(super) starts: Vec<crate::Pose>,
    pub(super) scale: f64,
    /// Resting foot points found, over all frames.
    pub(super) n_resting: usize,
    /// Ones, or zero for the direction that a planar figure cannot move in.
    pub(super) counted: DVec3,
}

impl Targets {
    pub(super) fn new(
        clip: &Clip,
        character: &Character,
        contacts: Option<&Contacts>,
    ) -> Result<Self, RetargetError> {
        let source = Stance::find(clip.skeleton()).map_err(CharacterError::Missing)?;
        let target = character.stance();
        let scale = leg(target) / leg(&source);
        let planar = character.model().bodies()[0].joint().kind == JointKind::Planar;
        let landmarks = landmarks(&source, character);
        let headings = headings(&source, character);
        let mut targets = Self {
            landmarks,
            headings,
            places: Vec::new(),
            planted: Vec::new(),
            orientations: Vec::new(),
            starts: Vec::new(),
            scale,
            n_resting: 0,
            counted: if planar { DVec3::new(1.0, 0.0, 1.0) } else { DVec3::ONE },
        };
        targets.fill(clip, &source, character);
        if let Some(contacts) = contacts {
            targets.plant(clip, character, contacts);
        }
        Ok(targets)
    }

    fn fill(&mut self, clip: &Clip, source: &Stance, character: &Character) {
        let lowest = |s: &Stance| {
            let roles = &s.anatomy.roles;
            let feet = [roles.left.ankle, roles.left.toe, roles.right.ankle, roles.right.toe];
            feet.into_iter().flatten().map(|j| s.positions[j].z).fold(f64::INFINITY, f64::min)
        };
        let ground = ground_height(clip).unwrap_or_else(|| lowest_foot(clip, source));
        // Height of the hips above the lowest foot joint when standing; the floor is below by the sole.
        let standing = ground - lowest(source);
        let root = character.root_height();
        let stance_from_root = character.stance_from_root();
        let hips = source.anatomy.roles.hips;
        let mut world = Vec::new();
        for frame in 0..clip.n_frames() {
            clip.world(frame, &mut world);
            let place = world[hips].translation;
            let origin = DVec3::new(
                self.scale * place.x,
                self.scale * place.y,
                root + self.scale * (place.z - standing),
            );
            let first = self.places.len();
            for landmark in &self.landmarks {
                let at = match landmark.parent {
                    None => origin,
                    Some(p) => {
                        let w = source.body_rotation(landmark.frame, &world);
                        let way =
                            world[landmark.joint].translation - world[self.landmarks[p].joint].translation;
                        let stretch = ratio(landmark.target, landmark.source);
                        self.places[first + p] + w * landmark.target + stretch * (way - w * landmark.source)
                    }
                };
                self.places.push(at);
                self.planted.push(false);
            }
            for heading in &self.headings {
                let w = source.body_rotation(heading.joint, &world);
                let is_root = heading.body == character.roles().pelvis;
                self.orientations.push(if is_root { w * stance_from_root } else { w });
            }
            self.starts.push(start(source, character, &world, origin));
        }
    }

    /// Holds resting heels and toes at their mean place.
    fn plant(&mut self, clip: &Clip, character: &Character, contacts: &Contacts) {
        let width = self.landmarks.len();
        let n = clip.n_frames();
        let ease = (EASE / clip.frame_time()).round().max(1.0) as usize;
        let floor = character.root_height();
        for k in 0..width {
            let Some((side, toe)) = self.landmarks[k].foot else { continue };
            let foot = contacts.side(side);
            let resting = if toe { &foot.toe } else { &foot.heel };
            let stance_z = floor + character.stance().positions[self.joint_in_target(character, side, toe)].z;
            let track: Vec<DVec3> = (0..n).map(|f| self.places[f * width + k]).collect();
            let mut shifts = vec![DVec3::ZERO; n];
            let mut pieces = Vec::new();
            for run in intervals(&resting[..resting.len().min(n)]) {
                self.n_resting += run.len();
                cut(&track, run, ease, &mut pieces);
            }
            for piece in &pieces {
                let mut anchor = mean(&track[piece.clone()]);
                if (anchor.z - stance_z).abs() < FLOOR {
                    anchor.z = stance_z;
                }
                for f in piece.clone() {
                    shifts[f] = anchor - track[f];
                    self.planted[f * width + k] = true;
                }
            }
            fade_between(&pieces, ease, &mut shifts);
            (0..n).for_each(|f| self.places[f * width + k] += shifts[f]);
        }
    }

    fn joint_in_target(&self, character: &Character, side: Side, toe: bool) -> JointId {
        let limbs = character.joint_roles().side(side);
        let joint = if toe { limbs.toe } else { limbs.ankle };
        joint.expect("landmarks are joints of the target")
    }

    /// From a place to the wanted one of a landmark in a frame.
    pub(super) fn error(&self, frame: usize, landmark: usize, found: DVec3) -> DVec3 {
        (self.places[frame * self.landmarks.len() + landmark] - found) * self.counted
    }

    /// Frames in which a landmark is held in place.
    pub(super) fn held(&self, landmark: usize) -> Vec<bool> {
        self.planted.iter().skip(landmark).step_by(self.landmarks.len()).copied().collect()
    }
}

fn mean(track: &[DVec3]) -> DVec3 {
    track.iter().sum::<DVec3>() / track.len() as f64
}

/// Cuts a run of resting frames into pieces that keep within [`STRAY`] of their mean place: feet that turn or shift
/// slowly while they bear are held piece by piece, with `ease` frames between to move. Pieces shorter than that are let
/// go.
fn cut(track: &[DVec3], run: Range<usize>, ease: usize, pieces: &mut Vec<Range<usize>>) {
    let place = mean(&track[run.clone()]);
    let stray = track[run.clone()].iter().map(|p| p.distance(place)).fold(0.0, f64::max);
    if stray <= STRAY {
        pieces.push(run);
    } else if run.len() > 3 * ease {
        let middle = run.start + run.len() / 2;
        let (end, start) = (middle - ease / 2, middle - ease / 2 + ease);
        cut(track, run.start..end, ease, pieces);
        cut(track, start..run.end, ease, pieces);
    }
}

/// Lets the shifts of held pieces fade over the frames around them; where two meet they are blended.
fn fade_between(pieces: &[Range<usize>], ease: usize, shifts: &mut [DVec3]) {
    let mut faded = shifts.to_vec();
    let held = |f: usize| pieces.iter().any(|p| p.contains(&f));
    for f in (0..shifts.len()).filter(|&f| !held(f)) {
        let before = pieces.iter().filter(|p| p.end <= f).map(|p| p.end - 1).max();
        let after = pieces.iter().filter(|p| p.start > f).map(|p| p.start).min();
        let weighed = |at: Option<usize>| {
            let at = at.filter(|&at| at.abs_diff(f) <= ease)?;
            Some((fade_weight(at.abs_diff(f) - 1, ease), shifts[at]))
        };
        let (a, b) = (weighed(before).unwrap_or_default(), weighed(after).unwrap_or_default());
        faded[f] = (a.0 * a.1 + b.0 * b.1) / (a.0 + b.0).max(1.0);
    }
    shifts.copy_from_slice(&faded);
}

fn ratio(target: DVec3, source: DVec3) -> f64 {
    if source.length() > 0.01 { target.length() / source.length() } else { 1.0 }
}

/// Mean length of thigh and shank.
fn leg(stance: &Stance) -> f64 {
    let length = |l: &Limbs| {
        let [a, b, c] = [l.hip, l.knee, l.ankle].map(|j| j.map_or(DVec3::ZERO, |j| stance.positions[j]));
        a.distance(b) + b.distance(c)
    };
    let roles = &stance.anatomy.roles;
    0.5 * (length(&roles.left) + length(&roles.right))
}

/// Without feet by name: the lowest ankle or toe of all frames.
fn lowest_foot(clip: &Clip, source: &Stance) -> f64 {
    let roles = &source.anatomy.roles;
    let feet = [roles.left.ankle, roles.left.toe, roles.right.ankle, roles.right.toe];
    let points: Vec<(JointId, DVec3)> = feet.into_iter().flatten().map(|j| (j, DVec3::ZERO)).collect();
    clip.track(&points).iter().map(|p| p.z).fold(f64::INFINITY, f64::min)
}

/// Joints known in both bodies, parents first.
fn landmarks(source: &Stance, character: &Character) -> Vec<Landmark> {
    let target = character.stance();
    let (a, b) = (&source.anatomy.roles, &target.anatomy.roles);
    let mut list: Vec<Landmark> = Vec::new();
    let mut add =
        |name, joints: Option<(JointId, JointId)>, parent: Option<usize>, frame: JointId, weight, foot| {
            let (joint, own) = joints?;
            let from = parent.map(|p| list[p].joint);
            let own_parent = parent.map(|p: usize| list[p].point);
            let placed = |s: &Stance, j: JointId| s.positions[j];
            let point = character.joint_point(own);
            // Vectors of the standing pose; the target's from body points.
            let target_vector = match own_parent {
                Some(_) => placed(target, own) - placed(target, own_of(&list, parent, b, target)),
                None => DVec3::ZERO,
            };
            let source_vector = from.map_or(DVec3::ZERO, |p| placed(source, joint) - placed(source, p));
            list.push(Landmark {
                name,
                point,
                weight,
                parent,
                joint,
                frame,
                source: source_vector,
                target: target_vector,
                foot,
            });
            Some(list.len() - 1)
        };
    let both = |x: Option<JointId>, y: Option<JointId>| x.zip(y);
    let root = add("hips", Some((a.hips, b.hips)), None, a.hips, 1.0, None);
    let chest = a.chest.unwrap_or(a.hips);
    let necks =
        both(source.anatomy.neck_base(&source.positions), target.anatomy.neck_base(&target.positions));
    let neck = add("neck", necks, root, chest, 0.3, None);
    let neck_frame = source.anatomy.neck.last().copied().unwrap_or(chest);
    let heads = both(a.head, b.head).filter(|_| necks != both(a.head, b.head));
    add("head", heads, neck, neck_frame, 1.0, None);
    for side in Side::BOTH {
        let (x, y) = (a.side(side), b.side(side));
        let [hip, knee, ankle, toe, shoulder, elbow, wrist] = match side {
            Side::Left => ["l hip", "l knee", "l ankle", "l toe", "l shoulder", "l elbow", "l wrist"],
            Side::Right => ["r hip", "r knee", "r ankle", "r toe", "r shoulder", "r elbow", "r wrist"],
        };
        let h = add(hip, both(x.hip, y.hip), root, a.hips, 0.3, None);
        let k = add(knee, both(x.knee, y.knee), h, x.hip.unwrap_or(a.hips), 0.3, None);
        let f = add(ankle, both(x.ankle, y.ankle), k, x.knee.unwrap_or(a.hips), 1.0, Some((side, false)));
        add(toe, both(x.toe, y.toe), f, x.ankle.unwrap_or(a.hips), 1.0, Some((side, true)));
        // Without a neck the shoulders are reckoned from the hips.
        let s = add(shoulder, both(x.shoulder, y.shoulder), neck.or(root), chest, 0.3, None);
        let e = s.and_then(|s| {
            add(elbow, both(x.elbow, y.elbow), Some(s), x.shoulder.unwrap_or(chest), 0.3, None)
        });
        e.and_then(|e| add(wrist, both(x.wrist, y.wrist), Some(e), x.elbow.unwrap_or(chest), 1.0, None));
    }
    list
}

/// The target joint of a landmark's parent.
fn own_of(list: &[Landmark], parent: Option<usize>, roles: &crate::Roles, target: &Stance) -> JointId {
    let name = parent.map_or("hips", |p| list[p].name);
    let limbs = if name.starts_with('r') { &roles.right } else { &roles.left };
    let joint = match name.trim_start_matches("l ").trim_start_matches("r ") {
        "neck" => target.anatomy.neck_base(&target.positions),
        "head" => roles.head,
        "hip" => limbs.hip,
        "knee" => limbs.knee,
        "ankle" => limbs.ankle,
        "shoulder" => limbs.shoulder,
        "elbow" => limbs.elbow,
        _ => None,
    };
    joint.unwrap_or(roles.hips)
}

/// Bodies whose orientation matters, with the lengths that weigh it.
fn headings(source: &Stance, character: &Character) -> Vec<Heading> {
    let a = &source.anatomy.roles;
    let roles = character.roles();
    let mut list = vec![Heading { body: roles.pelvis, arm: 0.2, joint: a.hips }];
    let mut add = |body: Option<BodyId>, joint: Option<JointId>, arm: f64| {
        if let (Some(body), Some(joint)) = (body, joint) {
            list.push(Heading { body, arm, joint });
        }
    };
    add(roles.spine.last().copied(), a.chest, 0.15);
    add(roles.head, a.head, 0.1);
    for side in Side::BOTH {
        add(roles.side(side).hand, a.side(side).wrist, 0.05);
        add(roles.side(side).foot, a.side(side).ankle, 0.1);
    }
    list
}

/// A pose of the target's skeleton with the source's orientations where both have the part.
fn start(source: &Stance, character: &Character, world: &[Transform], origin: DVec3) -> crate::Pose {
    let target = character.stance();
    let skeleton = character.skeleton();
    let (a, b) = (&source.anatomy, &target.anatomy);
    let turn = |joint: JointId| DQuat::from_mat3(&source.body_rotation(joint, world)).normalize();
    let mut wanted: Vec<Option<DQuat>> = vec![None; skeleton.n_joints()];
    let pelvis = turn(a.roles.hips);
    wanted[..=b.roles.hips.index()].fill(Some(pelvis));
    let chest = a.roles.chest.map_or(pelvis, turn);
    for (i, &j) in b.spine.iter().enumerate() {
        wanted[j] = Some(pelvis.slerp(chest, (i + 1) as f64 / b.spine.len() as f64));
    }
    let neck = a.neck.last().map_or(chest, |&j| turn(j));
    b.neck.iter().for_each(|&j| wanted[j] = Some(neck));
    if let Some((x, y)) = a.roles.head.zip(b.roles.head) {
        wanted[y] = Some(turn(x));
    }
    for side in Side::BOTH {
        let (x, y) = (a.roles.side(side), b.roles.side(side));
        for (x, y) in [
            (x.hip, y.hip),
            (x.knee, y.knee),
            (x.ankle, y.ankle),
            (x.shoulder, y.shoulder),
            (x.elbow, y.elbow),
            (x.wrist, y.wrist),
        ] {
            if let Some((x, y)) = x.zip(y) {
                wanted[y] = Some(turn(x));
            }
        }
    }
    // Joints that the source says nothing about stay as they stand on their parent.
    let mut turned: Vec<DQuat> = Vec::with_capacity(wanted.len());
    let mut pose = crate::Pose::default();
    for (j, joint) in skeleton.joints().iter().enumerate() {
        let above = joint.parent.map(|p| turned[p]);
        let own = wanted[j].or(above).unwrap_or(pelvis);
        turned.push(own);
        let world_rotation = own * target.rotations[j];
        let local = match joint.parent {
            Some(p) => (turned[p] * target.rotations[p]).conjugate() * world_rotation,
            None => world_rotation,
        };
        pose.rotations.push(local.normalize());
    }
    let hips = target.positions[b.roles.hips] - target.positions[0];
    pose.root_position = origin - pelvis * hips;
    pose
}
