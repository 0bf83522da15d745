//! What every body of a character is, and where its soles are: the one table that controllers, measurements and pictures ask.
//!
//! A [`Character`] knows it from its skeleton. Of figures without one the names of the bodies tell, and this is the only
//! place where they are read.

use glam::{DVec2, DVec3};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::{Data, Model, State};

use super::{Bone, Character, Part};
use crate::roles::Side;

/// A point of a sole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sole {
    /// The bone it is of.
    pub bone: Bone,
    /// Which foot.
    pub side: Side,
    /// The point, body frame.
    pub point_body: DVec3,
}

/// Which body is which part.
#[derive(Clone, Debug, PartialEq)]
pub struct Physique {
    parts: Vec<Option<Part>>,
    soles: Vec<Sole>,
    head: Option<Bone>,
    trunk: Bone,
}

/// Points of a foot this much above its lowest are of its sole too, m: contact spheres are not all of one size.
const SOLE_DEPTH: f64 = 0.015;

impl Physique {
    /// That of a character made from a skeleton.
    pub fn of(character: &Character) -> Self {
        let soles = character.soles().iter();
        Self::new(
            character.parts().iter().copied().map(Some).collect(),
            soles
                .map(|s| Sole { bone: Bone::new(s.body.index()), side: s.side, point_body: s.point_body })
                .collect(),
        )
    }

    /// That of a figure of one tree, by the names of its bodies and the shapes of its feet in the zero pose, in which all axes are the
    /// root's.
    pub fn by_name(model: &Model) -> Self {
        let parts: Vec<_> = model.bodies().iter().map(|b| Part::of_name(b.name())).collect();
        let mut data = Data::new(model);
        forward_kinematics(model, &State::new(model), &mut data);
        let mut soles: Vec<(Sole, f64)> = Vec::new();
        for collider in model.colliders().list() {
            let Some(body) = collider.body else { continue };
            let Some(Part::Foot(side) | Part::Toe(side)) = parts[body] else { continue };
            // However the figure was placed, its feet are below its root.
            let poses = &data.position.world_from_body;
            let root_from_body = poses[0].inverse() * poses[body];
            let root_from_shape = root_from_body * collider.body_from_shape;
            for point in lowest_points(&collider.shape, &|p| root_from_shape.transform_point(p)) {
                let point_body = root_from_body.inverse_transform_point(point);
                soles.push((Sole { bone: Bone::new(body.index()), side, point_body }, point.z));
            }
        }
        let lowest = soles.iter().map(|s| s.1).fold(f64::INFINITY, f64::min);
        soles.retain(|s| s.1 <= lowest + SOLE_DEPTH);
        Self::new(parts, soles.into_iter().map(|s| s.0).collect())
    }

    fn new(parts: Vec<Option<Part>>, soles: Vec<Sole>) -> Self {
        let head = parts.iter().position(|p| *p == Some(Part::Head)).map(Bone::new);
        let trunk = parts.iter().rposition(|p| matches!(p, Some(Part::Spine(_)))).unwrap_or(0);
        Self { parts, soles, head, trunk: Bone::new(trunk) }
    }

    /// What every bone is; `None` where its name says nothing.
    pub fn parts(&self) -> &[Option<Part>] {
        &self.parts
    }

    /// What a bone is.
    pub fn part(&self, bone: Bone) -> Option<Part> {
        self.parts.get(bone.index()).copied().flatten()
    }

    /// Whether a bone is a foot or toes.
    pub fn is_foot(&self, bone: Bone) -> bool {
        self.foot(bone).is_some()
    }

    /// Of which foot a bone is a part.
    pub fn foot(&self, bone: Bone) -> Option<Side> {
        match self.part(bone) {
            Some(Part::Foot(side) | Part::Toe(side)) => Some(side),
            _ => None,
        }
    }

    /// The points of the soles.
    pub fn soles(&self) -> &[Sole] {
        &self.soles
    }

    /// The head.
    pub fn head(&self) -> Option<Bone> {
        self.head
    }

    /// The uppermost bone of the trunk; the root where there is no other.
    pub fn trunk(&self) -> Bone {
        self.trunk
    }
}

/// Points of a shape that flat ground below it may touch first.
fn lowest_points(shape: &Shape, place: &dyn Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    let below = |center: DVec3, radius: f64| place(center) - DVec3::Z * radius;
    match shape {
        Shape::Sphere { radius } => vec![below(DVec3::ZERO, *radius)],
        Shape::Capsule { radius, half_length } => {
            [-1.0, 1.0].map(|s| below(DVec3::Z * s * *half_length, *radius)).to_vec()
        }
        Shape::Box { half_extents, rounding } => {
            let core = *half_extents - DVec3::splat(*rounding);
            let signs = [-1.0, 1.0];
            let corners = signs.into_iter().flat_map(|x| signs.map(|y| DVec2::new(x, y)));
            corners.flat_map(|c| signs.map(|z| below(core * c.extend(z), *rounding))).collect()
        }
        Shape::Hull(hull) => hull.vertices().iter().map(|p| place(*p)).collect(),
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => Vec::new(),
    }
}

/// Words in names and the part they mean.
type Meaning = (&'static [&'static str], fn(Side) -> Part);

/// What words in the names of bodies mean; the first that fits counts.
const WORDS: [Meaning; 11] = [
    (&["spine", "torso", "waist", "chest", "abdomen"], |_| Part::Spine(0)),
    (&["neck"], |_| Part::Neck(0)),
    (&["head"], |_| Part::Head),
    (&["thigh", "upleg", "hip"], Part::Thigh),
    (&["shank", "knee", "lowleg", "leg"], Part::Shank),
    (&["foot", "ankle"], Part::Foot),
    (&["toe"], Part::Toe),
    (&["clav"], Part::Clavicle),
    (&["uarm", "shoulder", "upperarm"], Part::UpperArm),
    (&["farm", "elbow", "forearm"], Part::Forearm),
    (&["hand", "wrist", "thumb", "index", "fing"], Part::Hand),
];

impl Part {
    /// What a body called `name` is, if its name says so. Names begin with the side, `l` or `r`, and may have the character's
    /// before a slash.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        if name.contains("pelvis") {
            return Some(Self::Pelvis);
        }
        let side = if name.starts_with('r') { Side::Right } else { Side::Left };
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        WORDS.iter().find(|(words, _)| says(words)).map(|(_, part)| part(side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_physics::figures;

    #[test]
    fn names_and_skeletons_tell_the_same_of_the_stuntperson() {
        let character = Character::stuntperson();
        let (known, told) = (Physique::of(&character), Physique::by_name(character.model()));
        assert_eq!(known.parts(), told.parts());
        assert_eq!((known.head(), known.trunk()), (told.head(), told.trunk()));
        for side in Side::BOTH {
            let of = |p: &Physique| p.soles().iter().filter(|s| s.side == side).count();
            assert!(of(&known) >= 3 && of(&told) >= 3);
        }
    }

    #[test]
    fn every_body_of_the_standard_figures_has_a_part_and_both_feet_have_soles_on_the_ground() {
        for figure in [figures::humanoid37(), figures::bones36()] {
            let model = figure.model();
            let physique = Physique::by_name(&model);
            for (body, part) in model.bodies().iter().zip(physique.parts()) {
                assert!(part.is_some(), "{}", body.name());
            }
            assert!(physique.head().is_some());
            for side in Side::BOTH {
                assert!(physique.soles().iter().filter(|s| s.side == side).count() >= 3);
            }
        }
        assert_eq!(Part::of_name("anna/lthigh"), Some(Part::Thigh(Side::Left)));
        assert_eq!(Part::of_name("crate"), None);
    }
}
