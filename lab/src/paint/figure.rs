//! A person around the bones: what is drawn for a character's bodies. Contacts know other shapes, which key 7 shows.
//!
//! Every body is the hull of a few balls. At every joint both bodies have the same ball (at the waist and at the toes two), the one
//! above a little smaller, so that whatever the pose, no gap opens and one lies clearly over the other. Flesh on top makes a calf a calf; its measures are those of a body of 1.8 m.

use std::sync::Arc;

use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_mocap::roles::Side;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{BodyId, Data, Model, State};
use stuntlab_viewer::blob::Blob;

use super::balls::{Ball, balls_of};

/// What a piece of the figure is clad in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    /// Trunk and collar bones.
    Trunk,
    /// Pelvis.
    Hips,
    /// Arms and legs; the sides differ.
    Limb(Side),
    /// Feet.
    Shoe(Side),
    /// Neck, head and hands.
    Skin,
    /// Before the eyes: tells where the figure looks.
    Visor,
}

/// A piece of a figure.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The character's body it is fixed to.
    pub(crate) bone: usize,
    /// Its shape, body frame.
    pub(crate) blob: Arc<Blob>,
    pub(crate) dress: Dress,
}

/// All pieces of a character.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    pub(crate) pieces: Vec<Piece>,
    /// Whether a body has a piece; others are drawn as contacts know them.
    pub(crate) drawn: Vec<bool>,
    /// The highest body when it stands, for the name above, and how far it reaches above its origin.
    pub(crate) top: (usize, f64),
}

/// Stature for which all measures here are written, m.
const STATURE: f64 = 1.8;

/// Radius of a joint's ball in the body above it, as a part of that below: less by more than coarse meshes lie inside (a twentieth),
/// as surfaces in the same place would shine through each other in patches.
const UNDER: f64 = 0.92;

/// A figure at its zero pose, in the axes of its root: x forward, y left, z up.
struct Sketch<'a> {
    model: &'a Model,
    parts: Vec<Option<Part>>,
    root_from_body: Vec<Transform>,
    soles: &'a Physique,
    /// Metres of this figure per metre of one of [`STATURE`].
    scale: f64,
}

impl Figure {
    /// The figure of a character; `None` where its bodies are not those of a person: it has no legs. One without a head of its own
    /// has it on its trunk.
    pub(crate) fn new(model: &Model, physique: &Physique) -> Option<Self> {
        let legs = physique.parts().iter().filter(|p| matches!(p, Some(Part::Thigh(_)))).count();
        let head = physique.head().or((legs == 2).then(|| physique.trunk()))?;
        let mut data = Data::new(model);
        forward_kinematics(model, &State::new(model), &mut data);
        let root = data.position.world_from_body.first()?.inverse();
        let root_from_body: Vec<Transform> =
            data.position.world_from_body.iter().map(|pose| root * *pose).collect();
        let mut parts = physique.parts().to_vec();
        for (k, body) in model.bodies().iter().enumerate() {
            // Names of fingers mean hands; one that hangs on a hand is a finger.
            if let (Some(Part::Hand(side)), Some(parent)) = (parts[k], body.parent())
                && matches!(parts[parent.index()], Some(Part::Hand(_) | Part::Finger(_)))
            {
                parts[k] = Some(Part::Finger(side));
            }
        }
        let mut sketch = Sketch { model, parts, root_from_body, soles: physique, scale: 1.0 };
        let all = (0..model.n_bodies()).flat_map(|k| sketch.solid_balls(k));
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (center, radius)| {
            (low.min(center.z - radius), high.max(center.z + radius))
        });
        sketch.scale = ((high - low) / STATURE).clamp(0.05, 20.0);
        let mut pieces = Vec::new();
        for bone in 0..model.n_bodies() {
            for (dress, balls) in sketch.pieces(bone) {
                let to_body = |(center, radius): Ball| {
                    (sketch.root_from_body[bone].inverse_transform_point(center), radius)
                };
                pieces.push(Piece { bone, blob: Arc::new(Blob::new(balls.into_iter().map(to_body))), dress });
            }
        }
        let mut drawn = vec![false; model.n_bodies()];
        pieces.iter().for_each(|piece| drawn[piece.bone] = true);
        let head = head.index();
        let rise = high - sketch.joint(head).z;
        Some(Self { pieces, drawn, top: (head, rise) })
    }
}

impl Sketch<'_> {
    fn joint(&self, bone: usize) -> DVec3 {
        self.root_from_body[bone].translation
    }

    fn children(&self, bone: usize) -> impl Iterator<Item = usize> {
        let bodies = self.model.bodies().iter().enumerate();
        bodies.filter(move |(_, b)| b.parent().map(BodyId::index) == Some(bone)).map(|(k, _)| k)
    }

    /// A ball beside a point, measures of a body of [`STATURE`].
    fn ball(&self, at: DVec3, (x, y, z): (f64, f64, f64), radius: f64) -> Ball {
        (at + DVec3::new(x, y, z) * self.scale, radius * self.scale)
    }

    /// What both bodies of a joint have in common, by the part below it.
    fn knuckle(&self, bone: usize) -> Vec<Ball> {
        let at = self.joint(bone);
        let one = |radius: f64| vec![self.ball(at, (0.0, 0.0, 0.0), radius)];
        let pair =
            |y: f64, radius: f64| [1.0, -1.0].map(|s| self.ball(at, (0.0, s * y, 0.0), radius)).to_vec();
        match self.parts[bone] {
            None | Some(Part::Pelvis) => Vec::new(),
            // A waist is wider than deep.
            Some(Part::Spine(_)) => pair(0.058, 0.084),
            Some(Part::Neck(_)) => one(0.050),
            Some(Part::Head) => one(0.048),
            Some(Part::Clavicle(_)) => one(0.052),
            Some(Part::UpperArm(_)) => one(0.052),
            Some(Part::Forearm(_)) => one(0.038),
            Some(Part::Hand(_)) => one(0.026),
            Some(Part::Finger(_)) => one(0.011),
            Some(Part::Thigh(_)) => one(0.080),
            Some(Part::Shank(_)) => one(0.053),
            Some(Part::Foot(_)) => one(0.037),
            Some(Part::Toe(_)) => pair(0.022, 0.017),
        }
    }

    /// The pieces of a body, in the root's axes.
    fn pieces(&self, bone: usize) -> Vec<(Dress, Vec<Ball>)> {
        let Some(part) = self.parts[bone] else { return Vec::new() };
        let mut balls = self.knuckle(bone);
        let below = self.children(bone).flat_map(|child| self.knuckle(child));
        balls.extend(below.map(|(center, radius)| (center, UNDER * radius)));
        let dress = match part {
            Part::Pelvis => Dress::Hips,
            Part::Spine(_) | Part::Clavicle(_) => Dress::Trunk,
            Part::Neck(_) | Part::Head | Part::Hand(_) | Part::Finger(_) => Dress::Skin,
            Part::UpperArm(s) | Part::Forearm(s) | Part::Thigh(s) | Part::Shank(s) => Dress::Limb(s),
            Part::Foot(side) | Part::Toe(side) => Dress::Shoe(side),
        };
        let at = self.joint(bone);
        let end = self.end(bone);
        let along = |share: f64, (x, y, z): (f64, f64, f64), radius: f64| {
            self.ball(at.lerp(end, share), (x, y, z), radius)
        };
        let mut extra = Vec::new();
        match part {
            Part::Pelvis => balls.extend(self.seat(bone)),
            Part::Spine(_) => {
                balls.extend(self.ribs(bone));
                if self.soles.head().is_none() && self.soles.trunk().index() == bone {
                    let [mut skull, eyes] = self.head(bone);
                    let neck = DVec3::new(at.x, at.y, self.shoulders(bone));
                    skull.push(self.ball(neck, (0.0, 0.0, 0.0), 0.048));
                    extra.extend([(Dress::Skin, skull), (Dress::Visor, eyes)]);
                }
            }
            Part::Head => {
                let [skull, eyes] = self.head(bone);
                balls.extend(skull);
                extra.push((Dress::Visor, eyes));
            }
            Part::Thigh(_) => {
                balls.extend([along(0.22, (0.0, 0.0, 0.0), 0.079), along(0.5, (0.010, 0.0, 0.0), 0.068)]);
            }
            Part::Shank(_) => balls.push(along(0.27, (-0.016, 0.0, 0.0), 0.052)),
            Part::UpperArm(_) => balls.push(along(0.35, (0.0, 0.0, 0.0), 0.046)),
            Part::Forearm(_) => balls.push(along(0.22, (0.0, 0.0, 0.0), 0.040)),
            Part::Hand(_) => {
                if self.children(bone).next().is_some() {
                    balls.extend(self.solid_balls(bone));
                } else {
                    // A palm that is wider than the wrist, fingers that taper.
                    let across = |share: f64, x: f64, radius: f64| {
                        [along(share, (x, 0.0, 0.0), radius), along(share, (-x, 0.0, 0.0), radius)]
                    };
                    balls.extend(across(0.50, 0.024, 0.019).into_iter().chain(across(0.93, 0.016, 0.011)));
                    let thumb = [along(0.2, (0.008, 0.0, 0.0), 0.016), along(0.72, (0.052, 0.0, 0.0), 0.011)];
                    extra.push((Dress::Skin, thumb.to_vec()));
                }
            }
            Part::Foot(_) | Part::Toe(_) => balls.extend(self.sole(bone, part)),
            Part::Neck(_) | Part::Clavicle(_) => {}
            Part::Finger(_) => balls.extend(self.solid_balls(bone)),
        }
        extra.push((dress, balls));
        extra
    }

    /// The highest point of a body's shapes.
    fn top(&self, bone: usize) -> f64 {
        let tops = self.solid_balls(bone).into_iter().map(|(center, radius)| center.z + radius);
        tops.fold(self.joint(bone).z, f64::max)
    }

    /// Where the trunk ends and a neck begins: below the head, where that is a part of it.
    fn shoulders(&self, bone: usize) -> f64 {
        self.top(bone) - if self.soles.head().is_none() { 0.25 * self.scale } else { 0.0 }
    }

    /// Skull and visor at the top of a body.
    fn head(&self, bone: usize) -> [Vec<Ball>; 2] {
        let at = self.joint(bone);
        let middle = DVec3::new(at.x, at.y, self.top(bone) - 0.092 * self.scale);
        let round = |place: (f64, f64, f64), radius: f64| self.ball(middle, place, radius);
        let skull = [
            round((-0.014, 0.0, 0.004), 0.085),
            round((0.022, 0.0, -0.012), 0.077),
            round((0.050, 0.0, -0.090), 0.036),
        ];
        [skull.to_vec(), [1.0, -1.0].map(|s| round((0.072, s * 0.038, -0.014), 0.030)).to_vec()]
    }

    /// Where a limb ends: the joint below it, or else the farthest point of its shapes.
    fn end(&self, bone: usize) -> DVec3 {
        let at = self.joint(bone);
        let below = self.children(bone).map(|child| self.joint(child));
        let own = self.solid_balls(bone).into_iter().map(|(c, r)| c + (c - at).normalize_or_zero() * r);
        let far = |points: &mut dyn Iterator<Item = DVec3>| {
            points.max_by(|a, b| a.distance(at).total_cmp(&b.distance(at)))
        };
        far(&mut { below }).or_else(|| far(&mut { own })).unwrap_or(at)
    }

    /// Hips behind and below the joints of the thighs.
    fn seat(&self, bone: usize) -> Vec<Ball> {
        let thighs = self.children(bone).filter(|k| matches!(self.parts[*k], Some(Part::Thigh(_))));
        let mut balls: Vec<Ball> =
            thighs.map(|k| self.ball(self.joint(k), (-0.024, 0.0, 0.014), 0.080)).collect();
        // A figure without a waist joint has its belly here.
        balls.push(self.ball(self.joint(bone), (0.0, 0.0, 0.0), 0.085));
        balls
    }

    /// Ribs of the uppermost part of the trunk: as wide as the shoulders leave room for.
    fn ribs(&self, bone: usize) -> Vec<Ball> {
        let upper = self.children(bone).any(|k| matches!(self.parts[k], Some(Part::Spine(_))));
        if upper {
            return Vec::new();
        }
        let low = self.joint(bone);
        let neck = self.children(bone).find(|k| matches!(self.parts[*k], Some(Part::Neck(_) | Part::Head)));
        let top = neck.map_or_else(|| low.with_z(self.shoulders(bone)), |k| self.joint(k));
        let level =
            |share: f64| DVec3::new(low.x + share * (top.x - low.x), low.y, low.z + share * (top.z - low.z));
        let both = |share: f64, x: f64, y: f64, radius: f64| {
            [1.0, -1.0].map(|s| self.ball(level(share), (x, s * y, 0.0), radius))
        };
        [both(0.42, 0.010, 0.072, 0.096), both(0.70, 0.006, 0.086, 0.088)].concat()
    }

    /// Heel, ball and toes from where the sole touches the ground.
    fn sole(&self, bone: usize, part: Part) -> Vec<Ball> {
        let ankle = self.joint(bone);
        let soles = self.soles.soles().iter().filter(|s| s.bone == Bone::new(bone));
        let points: Vec<DVec3> =
            soles.map(|s| self.root_from_body[bone].transform_point(s.point_body)).collect();
        if points.is_empty() {
            return self.solid_balls(bone);
        }
        let mut balls = Vec::new();
        for point in &points {
            let heel = matches!(part, Part::Foot(_)) && point.x < ankle.x;
            let radius = if heel { 0.026 } else { 0.018 };
            balls.push(self.ball(*point, (0.0, 0.0, radius), radius));
            if matches!(part, Part::Toe(_)) {
                balls.extend([1.0, -1.0].map(|s| self.ball(*point, (-0.012, s * 0.018, radius), radius)));
            }
        }
        if matches!(part, Part::Foot(_)) {
            let back = points.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
            let floor = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            let heel = DVec3::new(back, ankle.y, floor);
            balls.push(self.ball(heel, (0.008, 0.0, 0.036), 0.030));
            balls.push(self.ball(
                ankle.lerp(DVec3::new(ankle.x, ankle.y, floor), 0.35),
                (0.055, 0.0, 0.0),
                0.030,
            ));
        }
        balls
    }

    /// The shapes contacts know, as balls, in the root's axes.
    fn solid_balls(&self, bone: usize) -> Vec<Ball> {
        let own = self.model.colliders().list().iter();
        let own = own.filter(|c| c.body.map(BodyId::index) == Some(bone));
        own.flat_map(|collider| {
            let place = self.root_from_body[bone] * collider.body_from_shape;
            let balls = balls_of(&collider.shape);
            balls.into_iter().map(move |(center, radius)| (place.transform_point(center), radius))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_mocap::character::Character;
    use stuntlab_physics::figures;

    /// Of every joint, whether the pieces of both bodies hold the same ball about it.
    fn closed(model: &Model, physique: &Physique) {
        let figure = Figure::new(model, physique).unwrap();
        assert!(figure.drawn.iter().all(|d| *d));
        let mut data = Data::new(model);
        forward_kinematics(model, &State::new(model), &mut data);
        let poses = &data.position.world_from_body;
        let holds = |bone: usize, world: DVec3, radius: f64| {
            let point = poses[bone].inverse_transform_point(world);
            let trunk = figure.pieces.iter().filter(|p| p.bone == bone && p.dress != Dress::Visor);
            trunk.flat_map(|p| p.blob.balls()).any(|(c, r)| c.distance(point) + radius <= r + 1e-9)
                || paired(&figure, bone, point, radius)
        };
        for (k, body) in model.bodies().iter().enumerate() {
            let Some(parent) = body.parent() else { continue };
            let joint = poses[k].translation;
            for bone in [k, parent.index()] {
                assert!(
                    holds(bone, joint, 0.009),
                    "{} opens at {}",
                    model.bodies()[bone].name(),
                    body.name()
                );
            }
        }
    }

    /// Whether a ball lies between two of a piece.
    fn paired(figure: &Figure, bone: usize, point: DVec3, radius: f64) -> bool {
        let directions = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
        figure
            .pieces
            .iter()
            .filter(|p| p.bone == bone)
            .any(|piece| directions.iter().all(|d| piece.blob.support(*d).dot(*d) >= point.dot(*d) + radius))
    }

    #[test]
    fn no_gap_opens_at_any_joint_of_the_standard_figures() {
        for figure in [figures::humanoid37(), figures::bones36()] {
            let model = figure.model();
            closed(&model, &Physique::by_name(&model));
        }
        for person in [Character::stuntperson(), Character::walker(true)] {
            closed(person.model(), &Physique::of(&person));
        }
    }

    #[test]
    fn a_foot_stands_on_its_sole_and_the_face_looks_forward() {
        let person = Character::stuntperson();
        let physique = Physique::of(&person);
        let figure = Figure::new(person.model(), &physique).unwrap();
        for sole in physique.soles() {
            let own = figure.pieces.iter().filter(|p| p.bone == sole.bone.index());
            let lowest = own.map(|p| p.blob.support(-DVec3::Z).z).fold(f64::INFINITY, f64::min);
            assert!((lowest - sole.point_body.z).abs() < 0.012, "{lowest} and {}", sole.point_body.z);
        }
        let visor = figure.pieces.iter().find(|p| p.dress == Dress::Visor).unwrap();
        let skull = figure.pieces.iter().find(|p| p.bone == visor.bone && p.dress == Dress::Skin).unwrap();
        assert!(visor.blob.support(DVec3::X).x > skull.blob.support(DVec3::X).x);
    }
}
