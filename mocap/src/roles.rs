//! Which joint is the left knee: anatomical roles found from joint names.
//!
//! Exporters name joints in a dozen styles (`LeftUpLeg`, `lfemur`, `Bip01 L Thigh`, `thigh.L`, `mixamorig:LeftLeg`,
//! `left_hip`). A name is cut into words, the word that tells the side is taken out, and what remains is looked
//! up. Chest and hips are then found from the tree, where names are least alike.

use crate::skeleton::{JointId, Skeleton};

/// A side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The actor's left.
    Left,
    /// The actor's right.
    Right,
}

impl Side {
    /// Both sides, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

/// Joints of one arm and one leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limbs {
    /// Clavicle.
    pub collar: Option<JointId>,
    /// Shoulder: start of the upper arm.
    pub shoulder: Option<JointId>,
    /// Elbow.
    pub elbow: Option<JointId>,
    /// Wrist.
    pub wrist: Option<JointId>,
    /// Hip: start of the thigh.
    pub hip: Option<JointId>,
    /// Knee.
    pub knee: Option<JointId>,
    /// Ankle.
    pub ankle: Option<JointId>,
    /// Ball of the foot.
    pub toe: Option<JointId>,
}

/// Joints by what they are in the body; `None` where the skeleton has none or its name says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Pelvis.
    pub hips: JointId,
    /// Where neck and arms branch off.
    pub chest: Option<JointId>,
    /// Lowest neck joint.
    pub neck: Option<JointId>,
    /// Head joint.
    pub head: Option<JointId>,
    /// The actor's left limbs.
    pub left: Limbs,
    /// The actor's right limbs.
    pub right: Limbs,
}

impl Roles {
    /// Finds the roles of a skeleton's joints.
    pub fn find(skeleton: &Skeleton) -> Self {
        let names: Vec<SidedName> = skeleton.joints().iter().map(|j| SidedName::new(&j.name)).collect();
        let (left, right) = (limbs(&names, Side::Left), limbs(&names, Side::Right));
        let centre = |stems: &[&str]| {
            let means = |n: &SidedName| n.side.is_none() && stems.contains(&n.stem.trim_end_matches(digit));
            names.iter().position(means).map(JointId::new)
        };
        let common = |a: Option<JointId>, b: Option<JointId>| Some(common_ancestor(skeleton, a?, b?));
        Self {
            hips: common(left.hip, right.hip).unwrap_or(JointId::ROOT),
            chest: common(left.shoulder, right.shoulder)
                .or_else(|| centre(&["chest", "thorax", "upperchest", "spine"])),
            neck: centre(&["neck", "lowerneck"]),
            head: centre(&["head"]),
            left,
            right,
        }
    }

    /// The limbs of one side.
    pub const fn side(&self, side: Side) -> &Limbs {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Whether both legs were found down to the ankles.
    pub fn has_legs(&self) -> bool {
        [&self.left, &self.right].iter().all(|l| l.hip.is_some() && l.knee.is_some() && l.ankle.is_some())
    }
}

/// For every joint its partner on the other side, or itself where there is none.
pub fn mirror_partners(skeleton: &Skeleton) -> Vec<JointId> {
    let names: Vec<SidedName> = skeleton.joints().iter().map(|j| SidedName::new(&j.name)).collect();
    let mut partners: Vec<usize> = (0..names.len()).collect();
    for (index, name) in names.iter().enumerate() {
        let Some(side) = name.side else { continue };
        let opposite = |other: &SidedName| other.side.is_some_and(|s| s != side) && other.stem == name.stem;
        // The n-th of this name on one side belongs to the n-th on the other.
        let rank = names[..index].iter().filter(|n| n.side == Some(side) && n.stem == name.stem).count();
        if let Some((partner, _)) = names.iter().enumerate().filter(|(_, n)| opposite(n)).nth(rank) {
            partners[index] = partner;
        }
    }
    // Only pairs that agree from both sides are swapped.
    let partner = |j: usize| if partners[partners[j]] == j { partners[j] } else { j };
    (0..partners.len()).map(partner).map(JointId::new).collect()
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A joint name without the word for its side.
#[derive(Debug, PartialEq, Eq)]
struct SidedName {
    side: Option<Side>,
    /// Remaining words in lower case, joined.
    stem: String,
}

/// Bone words that some formats prefix with a bare `l` or `r`.
const BARE: [&str; 14] = [
    "femur", "tibia", "foot", "toes", "humerus", "radius", "wrist", "hand", "clavicle", "fingers", "thumb",
    "hipjoint", "shoulder", "toe",
];

impl SidedName {
    fn new(name: &str) -> Self {
        // A namespace ends at the last colon.
        let name = name.rsplit(':').next().unwrap_or(name);
        let mut side = None;
        let mut stem = String::new();
        for word in words(name) {
            let (word_side, rest) = split_side(&word);
            if side.is_none() && word_side.is_some() {
                side = word_side;
                stem.push_str(rest);
            } else if !(word.starts_with("bip") || word == "def" || word == "mixamorig") {
                stem.push_str(&word);
            }
        }
        // `Bip01` leaves its number in front.
        let stem = stem.trim_start_matches(digit).to_owned();
        Self { side, stem }
    }
}

/// The side a word tells and what else it says.
fn split_side(word: &str) -> (Option<Side>, &str) {
    for (prefix, side) in [("left", Side::Left), ("right", Side::Right)] {
        if let Some(rest) = word.strip_prefix(prefix) {
            return (Some(side), rest);
        }
    }
    for (prefix, side) in [("l", Side::Left), ("r", Side::Right)] {
        if let Some(rest) = word.strip_prefix(prefix)
            && (rest.is_empty() || BARE.contains(&rest))
        {
            return (Some(side), rest);
        }
    }
    (None, word)
}

/// Cuts a name at punctuation, case changes and digits, in lower case.
fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            open = false;
            continue;
        }
        let before = i.checked_sub(1).map(|j| chars[j]);
        let after_lower = before.is_some_and(|b| b.is_lowercase()) && c.is_uppercase();
        let new_capital = c.is_uppercase() && chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        let digit_change = before.is_some_and(|b| b.is_ascii_digit() != c.is_ascii_digit());
        if !open || after_lower || new_capital || digit_change {
            words.push(String::new());
        }
        open = true;
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Looks up the limb joints of one side.
fn limbs(names: &[SidedName], side: Side) -> Limbs {
    let find = |stems: &[&str]| {
        let means = |n: &SidedName| n.side == Some(side) && stems.contains(&n.stem.trim_end_matches(digit));
        names.iter().position(means).map(JointId::new)
    };
    let upper_arm = find(&["arm", "upperarm", "uparm", "humerus"]);
    let ankle = find(&["ankle"]);
    let foot = find(&["foot"]);
    let toe = find(&["toebase", "toe", "toes", "ball", "forefoot"]);
    Limbs {
        collar: find(&["clavicle", "collar"]).or(if upper_arm.is_some() {
            find(&["shoulder"])
        } else {
            None
        }),
        shoulder: upper_arm.or_else(|| find(&["shoulder"])),
        elbow: find(&["forearm", "lowerarm", "lowarm", "elbow", "radius"]),
        wrist: find(&["hand", "wrist"]),
        hip: find(&["upleg", "upperleg", "thigh", "femur", "hip"]),
        knee: find(&["leg", "lowerleg", "lowleg", "shin", "calf", "tibia", "knee"]),
        ankle: ankle.or(foot),
        // Where both exist, `foot` is the joint after the ankle.
        toe: toe.or(if ankle.is_some() { foot } else { None }),
    }
}

fn common_ancestor(skeleton: &Skeleton, mut a: JointId, mut b: JointId) -> JointId {
    // Parents have smaller numbers, so the larger of the two steps up.
    while a != b {
        let larger = if a > b { &mut a } else { &mut b };
        *larger = skeleton.joints()[*larger].parent.unwrap_or(JointId::ROOT);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_told_in_every_style() {
        for (name, side, stem) in [
            ("LeftUpLeg", Some(Side::Left), "upleg"),
            ("mixamorig:RightLeg", Some(Side::Right), "leg"),
            ("lfemur", Some(Side::Left), "femur"),
            ("Bip01 L Thigh", Some(Side::Left), "thigh"),
            ("thigh.R", Some(Side::Right), "thigh"),
            ("UpperLeg_L", Some(Side::Left), "upperleg"),
            ("left_hip", Some(Side::Left), "hip"),
            ("RHipJoint", Some(Side::Right), "hipjoint"),
            ("LowerBack", None, "lowerback"),
            ("Spine1", None, "spine1"),
            ("root", None, "root"),
        ] {
            assert_eq!(SidedName::new(name), SidedName { side, stem: stem.to_owned() }, "{name}");
        }
    }
}
