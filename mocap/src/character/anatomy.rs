//! Which joint is which part of the body: roles by name, by the shape of the tree where names say nothing, and the
//! part that every joint belongs to.
//!
//! By shape: of the free tips, the two lowest end the legs, the highest one ends the head and the two outermost above
//! the hips end the arms. Along a limb the two longest bones in a row are the upper and the lower one. Feet tell
//! forward, and forward tells left.

use crate::roles::{Limbs, Side};
use crate::skeleton::JointId;
use crate::{Roles, Skeleton};
use glam::DVec3;

/// A part of the body as far as this module tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Between hips and waist; carries the root joint.
    Pelvis,
    /// Trunk above the waist; several where the spine is kept in pieces, numbered upwards.
    Spine(u8),
    /// Neck, numbered upwards.
    Neck(u8),
    /// Head.
    Head,
    /// Collar bone.
    Clavicle(Side),
    /// Upper arm.
    UpperArm(Side),
    /// Forearm.
    Forearm(Side),
    /// Hand.
    Hand(Side),
    /// A finger bone.
    Finger(Side),
    /// Thigh.
    Thigh(Side),
    /// Shank.
    Shank(Side),
    /// Foot.
    Foot(Side),
    /// Toes.
    Toe(Side),
}

impl Part {
    /// The side of a limb.
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Pelvis | Self::Spine(_) | Self::Neck(_) | Self::Head => None,
            Self::Clavicle(s)
            | Self::UpperArm(s)
            | Self::Forearm(s)
            | Self::Hand(s)
            | Self::Finger(s)
            | Self::Thigh(s)
            | Self::Shank(s)
            | Self::Foot(s)
            | Self::Toe(s) => Some(s),
        }
    }
}

/// The roles of a humanoid skeleton, with the place of every joint in the body.
#[derive(Clone, Debug)]
pub(crate) struct Anatomy {
    pub(crate) roles: Roles,
    /// Whether the roles come from the shape of the tree.
    pub(crate) by_shape: bool,
    /// Joints from above the hips to the chest, lowest first.
    pub(crate) spine: Vec<JointId>,
    /// Joints from above the chest to below the head.
    pub(crate) neck: Vec<JointId>,
}

impl Anatomy {
    /// The anatomy of a skeleton, or the first part that is missing.
    pub(crate) fn find(skeleton: &Skeleton) -> Result<Self, &'static str> {
        let named = Roles::find(skeleton);
        let by_shape = !named.has_legs();
        let mut roles = if by_shape { roles_by_shape(skeleton).ok_or("legs")? } else { named };
        check_chain(skeleton, &roles)?;
        // A neck without a head above it is the head.
        roles.head = roles.head.or(roles.neck);
        let top = roles.head.or(roles.left.shoulder).or(roles.chest).unwrap_or(roles.hips);
        let chest = roles.chest.filter(|&c| c != roles.hips && is_below(skeleton, c, roles.hips));
        let chest = chest.or_else(|| last_spine(skeleton, &roles, top));
        roles.chest = chest;
        let spine = chest.map_or_else(Vec::new, |c| path(skeleton, roles.hips, c));
        let base = chest.unwrap_or(roles.hips);
        let neck = roles.head.filter(|&h| is_below(skeleton, h, base)).map_or_else(Vec::new, |h| {
            let mut chain = path(skeleton, base, h);
            chain.pop();
            chain
        });
        Ok(Self { roles, by_shape, spine, neck })
    }

    /// The joint at which the neck leaves the trunk: the first one off the chest joint's place.
    pub(crate) fn neck_base(&self, positions: &[DVec3]) -> Option<JointId> {
        let chest = positions[self.roles.chest.unwrap_or(self.roles.hips)];
        let apart = |&&j: &&JointId| positions[j].distance(chest) > 0.01;
        self.neck.iter().find(apart).copied().or(self.roles.head)
    }
}

/// Legs that hang together, arms that do or are not there.
fn check_chain(skeleton: &Skeleton, roles: &Roles) -> Result<(), &'static str> {
    for limbs in [&roles.left, &roles.right] {
        let (Some(hip), Some(knee), Some(ankle)) = (limbs.hip, limbs.knee, limbs.ankle) else {
            return Err("legs with hip, knee and ankle");
        };
        if !(is_below(skeleton, knee, hip) && is_below(skeleton, ankle, knee)) {
            return Err("ankles below knees below hips in the tree");
        }
        if let (Some(shoulder), Some(elbow)) = (limbs.shoulder, limbs.elbow)
            && !is_below(skeleton, elbow, shoulder)
        {
            return Err("elbows below shoulders in the tree");
        }
    }
    Ok(())
}

/// Whether `joint` lies below `ancestor` in the tree.
pub(crate) fn is_below(skeleton: &Skeleton, joint: JointId, ancestor: JointId) -> bool {
    let mut at = skeleton.joints()[joint].parent;
    while let Some(j) = at {
        if j == ancestor {
            return true;
        }
        at = skeleton.joints()[j].parent;
    }
    false
}

/// Joints below `from` on the way to `to`, which is the last.
fn path(skeleton: &Skeleton, from: JointId, to: JointId) -> Vec<JointId> {
    let mut chain = Vec::new();
    let mut at = Some(to);
    while let Some(j) = at.filter(|&j| j != from) {
        chain.push(j);
        at = skeleton.joints()[j].parent;
    }
    chain.reverse();
    chain
}

/// Without arms: the joint below the neck on the way to the top.
fn last_spine(skeleton: &Skeleton, roles: &Roles, top: JointId) -> Option<JointId> {
    let chain = path(skeleton, roles.hips, top);
    let neck = roles.neck.and_then(|n| chain.iter().position(|&j| j == n)).unwrap_or(chain.len().max(1) - 1);
    neck.checked_sub(1).and_then(|i| chain.get(i)).copied()
}

/// A limb tip: the last joint and the place of its free end.
struct Tip {
    joint: JointId,
    place: DVec3,
}

fn roles_by_shape(skeleton: &Skeleton) -> Option<Roles> {
    let rest = skeleton.rest_positions();
    let joints = skeleton.joints();
    let mut tips: Vec<Tip> = skeleton
        .joint_ids()
        .iter()
        .filter(|&j| joints.iter().all(|other| other.parent != Some(j)))
        .map(|j| Tip { joint: j, place: rest[j] + skeleton.end_site_of(j).unwrap_or(DVec3::ZERO) })
        .collect();
    if tips.len() < 3 {
        return None;
    }
    tips.sort_by(|a, b| a.place.z.total_cmp(&b.place.z));
    let (a, b) = (tips[0].joint, tips[1].joint);
    let hips = common_ancestor(skeleton, a, b);
    let (leg_a, leg_b) = (limb(skeleton, &rest, hips, a)?, limb(skeleton, &rest, hips, b)?);
    let forward = (rest[a] - rest[leg_a.2] + rest[b] - rest[leg_b.2]).with_z(0.0);
    let across = rest[leg_a.0] - rest[leg_b.0];
    // Without feet that point anywhere, +y is left.
    let left_axis = if forward.length() > 1e-6 { DVec3::Z.cross(forward) } else { DVec3::Y };
    let (left, right) =
        if across.dot(left_axis) > 0.0 { ((leg_a, a), (leg_b, b)) } else { ((leg_b, b), (leg_a, a)) };
    let lateral = (rest[left.0.0] - rest[right.0.0]).with_z(0.0).try_normalize()?;
    let leg = |((hip, knee, ankle), tip): ((JointId, JointId, JointId), JointId)| Limbs {
        hip: Some(hip),
        knee: Some(knee),
        ankle: Some(ankle),
        toe: Some(tip).filter(|&t| t != ankle),
        ..Limbs::default()
    };
    let (left, right) = (leg(left), leg(right));
    let mut roles = Roles { hips, chest: None, neck: None, head: None, left, right };
    let above: Vec<&Tip> = tips[2..].iter().filter(|t| t.place.z > rest[hips].z && t.joint != hips).collect();
    let out = |t: &&&Tip| (t.place - rest[hips]).dot(lateral);
    let arm_l = above.iter().max_by(|a, b| out(a).total_cmp(&out(b))).map(|t| t.joint);
    let arm_r = above.iter().min_by(|a, b| out(a).total_cmp(&out(b))).map(|t| t.joint);
    let middle = |t: &&&Tip| Some(t.joint) != arm_l && Some(t.joint) != arm_r;
    let head = above.iter().filter(middle).max_by(|a, b| a.place.z.total_cmp(&b.place.z)).map(|t| t.joint);
    if let (Some(l), Some(r), Some(head)) = (arm_l, arm_r, head) {
        let chest = common_ancestor(skeleton, l, r);
        if let (Some(la), Some(ra)) = (limb(skeleton, &rest, chest, l), limb(skeleton, &rest, chest, r)) {
            for (limbs, (shoulder, elbow, wrist)) in [(&mut roles.left, la), (&mut roles.right, ra)] {
                (limbs.shoulder, limbs.elbow, limbs.wrist) = (Some(shoulder), Some(elbow), Some(wrist));
            }
            roles.chest = Some(chest);
        }
        roles.head = Some(head);
    } else {
        roles.head = above.last().map(|t| t.joint);
    }
    Some(roles)
}

fn common_ancestor(skeleton: &Skeleton, mut a: JointId, mut b: JointId) -> JointId {
    while a != b {
        let larger = if a > b { &mut a } else { &mut b };
        *larger = skeleton.joints()[*larger].parent.unwrap_or(JointId::ROOT);
    }
    a
}

/// The three joints of a limb: ends of the two longest bones in a row between `from` and its tip.
fn limb(
    skeleton: &Skeleton,
    rest: &[DVec3],
    from: JointId,
    tip: JointId,
) -> Option<(JointId, JointId, JointId)> {
    let chain = path(skeleton, from, tip);
    let mut best: Option<(f64, (JointId, JointId, JointId))> = None;
    for w in chain.windows(3) {
        let (upper, lower) = (rest[w[0]].distance(rest[w[1]]), rest[w[1]].distance(rest[w[2]]));
        let size = upper.min(lower);
        if size > 1e-6 && best.is_none_or(|(s, _)| size > s) {
            best = Some((size, (w[0], w[1], w[2])));
        }
    }
    best.map(|b| b.1)
}
