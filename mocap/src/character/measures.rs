//! Sizes read off the standing pose: stature, the trunk's line, feet; and the mass of every body.

use super::anatomy::Part;
use super::plan::Plan;
use super::segments::{self as table, Table};
use super::stance::Stance;
use crate::Skeleton;
use crate::roles::Side;
use crate::skeleton::JointId;
use glam::DVec3;
use stuntlab_physics::spatial::{Inertia, Transform};

/// Landmarks in the standing pose, hips at zero.
#[derive(Clone, Debug)]
pub(super) struct Measures {
    pub(super) stature: f64,
    pub(super) mass: f64,
    /// Middle between the hip joints.
    pub(super) mid_hip: DVec3,
    /// Where the neck leaves the trunk (cervicale).
    pub(super) neck_base: DVec3,
    /// Top of the head.
    pub(super) vertex: DVec3,
    /// Distance of a shoulder from the middle; zero without arms.
    pub(super) shoulder: f64,
    /// Height of the soles.
    pub(super) sole: f64,
    /// Per side (left first): ankle, ball of the foot, toe tip.
    pub(super) feet: [[DVec3; 3]; 2],
    /// Per side the tip of the hand.
    pub(super) hand_tips: [Option<DVec3>; 2],
}

/// Leg (thigh and shank) as a share of stature in de Leva's sample.
pub(super) const LEG_SHARE: f64 = (table::THIGH + table::SHANK) / table::STATURE;

impl Measures {
    /// Sizes of a standing skeleton; `stature` and `mass` as given or guessed.
    pub(super) fn new(skeleton: &Skeleton, stance: &Stance, stature: f64, mass: f64) -> Self {
        let roles = &stance.anatomy.roles;
        let at = |joint: Option<JointId>| joint.map(|j| stance.positions[j]);
        let scale = stature / table::STATURE;
        let middle = |a: Option<JointId>, b: Option<JointId>| at(a).zip(at(b)).map(|(a, b)| 0.5 * (a + b));
        let mid_hip = middle(roles.left.hip, roles.right.hip).unwrap_or(DVec3::ZERO);
        let shoulders = middle(roles.left.shoulder, roles.right.shoulder);
        let trunk = (table::LOWER_TRUNK + table::MID_TRUNK + table::UPPER_TRUNK) * scale;
        let neck = stance.anatomy.neck_base(&stance.positions).map(|j| stance.positions[j]);
        // At least as high as the shoulders, and some trunk above the hips in any case.
        let chest_tip = roles.chest.and_then(|c| Some(stance.point_of(c, skeleton.end_site_of(c)?)));
        let mut neck_base = neck.or(shoulders).or(chest_tip).unwrap_or(mid_hip + DVec3::Z * trunk);
        neck_base.z = neck_base.z.max(shoulders.map_or(f64::MIN, |s| s.z)).max(mid_hip.z + 0.3 * trunk);
        let head = at(roles.head).unwrap_or(neck_base);
        let vertex_z = (neck_base.z + table::HEAD * scale).max(head.z + 0.6 * table::HEAD * scale);
        let vertex = DVec3::new(head.x, 0.0, vertex_z);
        let feet = Side::BOTH.map(|side| foot_points(skeleton, stance, side, scale));
        let lowest = feet.iter().flatten().map(|p| p.z).fold(f64::INFINITY, f64::min);
        let has_toes =
            roles.left.toe.is_some() || roles.left.ankle.is_some_and(|a| skeleton.end_site_of(a).is_some());
        // Joint centres lie inside the foot; a lone ankle lies higher.
        let sole = lowest - if has_toes { 0.0143 * stature } else { 0.045 * stature };
        let shoulder = at(roles.left.shoulder).map_or(0.0, |p| (p.y - neck_base.y).abs());
        let hand_tips = Side::BOTH.map(|side| hand_tip(skeleton, stance, side, scale));
        Self { stature, mass, mid_hip, neck_base, vertex, shoulder, sole, feet, hand_tips }
    }

    /// Scale against de Leva's mean male.
    pub(super) fn scale(&self) -> f64 {
        self.stature / table::STATURE
    }

    /// Heel of a side: one foot length behind the toe tip, behind the ankle in any case.
    pub(super) fn heel(&self, side: Side) -> DVec3 {
        let [ankle, _, tip] = self.feet[side as usize];
        let x = (tip.x - table::FOOT * self.scale())
            .min(ankle.x - 0.02 * self.stature)
            .max(ankle.x - 0.05 * self.stature);
        DVec3::new(x, ankle.y, self.sole)
    }

    /// Inertia of every segment, body axes, in the body frame (origin at the segment's joint).
    pub(super) fn inertias(&self, plan: &Plan, stance: &Stance, rows: &Table) -> Vec<Inertia> {
        let mut out: Vec<Inertia> =
            (0..plan.segments.len()).map(|i| self.inertia(plan, stance, rows, i)).collect();
        self.fill_trunk(plan, rows, &mut out);
        for (inertia, segment) in out.iter_mut().zip(&plan.segments) {
            *inertia = inertia.transformed(&Transform::from_translation(-segment.origin));
        }
        out
    }

    /// Inertia of a limb, head or finger in the standing pose; nothing for the trunk.
    fn inertia(&self, plan: &Plan, stance: &Stance, rows: &Table, index: usize) -> Inertia {
        let segment = &plan.segments[index];
        let from = segment.origin;
        let to = self.tip(plan, stance, index);
        let count = |part: fn(&Part) -> bool| plan.segments.iter().filter(|s| part(&s.part)).count() as f64;
        let of = |row: &table::Row, share: f64, to: DVec3| {
            table::segment(row, share * row.mass * self.mass, from, to, 2)
        };
        match segment.part {
            Part::Pelvis | Part::Spine(_) => Inertia::ZERO,
            Part::Neck(_) | Part::Head => {
                let necks = count(|p| matches!(p, Part::Neck(_)));
                let share = match (segment.part, necks > 0.0) {
                    (Part::Neck(_), _) => table::NECK_SHARE / necks,
                    (_, true) => 1.0 - table::NECK_SHARE,
                    (_, false) => 1.0,
                };
                // The row counts from the vertex down.
                let row = table::Row { center: 0.5, ..rows.head };
                of(&row, share, to)
            }
            Part::Clavicle(_) => {
                let length = from.distance(to).max(0.05);
                let inertia = Inertia::solid_capsule(table::CLAVICLE_SHARE * self.mass, 0.04, 0.5 * length);
                Inertia { center_of_mass: from.lerp(to, 0.5), ..inertia }
            }
            Part::UpperArm(_) => of(&rows.upper_arm, 1.0, to),
            Part::Forearm(_) => of(&rows.forearm, 1.0, to),
            Part::Hand(side) => {
                let has_fingers = plan.find(Part::Finger(side)).is_some();
                let share = if has_fingers { 1.0 - table::FINGER_SHARE } else { 1.0 };
                // The row runs to the third knuckle, not to the tip of the hand.
                let knuckle = from + (to - from).normalize_or(-DVec3::Z) * table::HAND * self.scale();
                of(&rows.hand, share, knuckle)
            }
            Part::Finger(side) => {
                let n = plan.segments.iter().filter(|s| s.part == Part::Finger(side)).count() as f64;
                let mass = table::FINGER_SHARE * rows.hand.mass * self.mass / n;
                let length = from.distance(to).max(0.015);
                let inertia = Inertia::solid_capsule(mass, 0.01, 0.5 * length);
                Inertia { center_of_mass: from.lerp(to, 0.5), ..inertia }
            }
            Part::Thigh(_) => of(&rows.thigh, 1.0, to),
            Part::Shank(_) => of(&rows.shank, 1.0, to),
            Part::Foot(side) | Part::Toe(side) => {
                let toes = plan.find(Part::Toe(side)).is_some();
                let is_toe = matches!(segment.part, Part::Toe(_));
                let [_, ball, tip] = self.feet[side as usize];
                let raised = |p: DVec3| p.with_z(self.sole + 0.35 * (from.z - self.sole));
                let heel = self.heel(side);
                let (share, a, b) = match (toes, is_toe) {
                    (_, true) => (table::TOE_SHARE, ball, tip),
                    (true, false) => (1.0 - table::TOE_SHARE, heel, ball),
                    (false, false) => (1.0, heel, tip),
                };
                let b = if a.distance(b) < 0.03 { a + DVec3::X * 0.05 } else { b };
                table::segment(&rows.foot, share * rows.foot.mass * self.mass, raised(a), raised(b), 0)
            }
        }
    }

    /// The trunk in de Leva's three parts along its line, and in the trunk's topmost body the mass of what is missing.
    fn fill_trunk(&self, plan: &Plan, rows: &Table, out: &mut [Inertia]) {
        let line = |t: f64| self.mid_hip.lerp(self.neck_base, t);
        let length = self.mid_hip.distance(self.neck_base);
        let total = table::LOWER_TRUNK + table::MID_TRUNK + table::UPPER_TRUNK;
        let (navel, xiphoid) = (table::LOWER_TRUNK / total, (table::LOWER_TRUNK + table::MID_TRUNK) / total);
        let part =
            |row: &table::Row, a: f64, b: f64| table::segment(row, row.mass * self.mass, line(b), line(a), 2);
        out[0] = part(&rows.lower_trunk, 0.0, navel);
        let (mid, upper) = (part(&rows.mid_trunk, navel, xiphoid), part(&rows.upper_trunk, xiphoid, 1.0));
        let spine = plan.spine();
        match spine.as_slice() {
            [] => out[0] = out[0].combined(&mid).combined(&upper),
            [one] => out[*one] = mid.combined(&upper),
            several => {
                let place = |i: usize| {
                    let t = (plan.segments[i].origin - self.mid_hip).dot(line(1.0) - line(0.0))
                        / (length * length);
                    t.clamp(navel, 0.95)
                };
                for (k, &i) in several.iter().enumerate() {
                    let a = if k == 0 { navel } else { place(i) };
                    let b = several.get(k + 1).map_or(1.0, |&n| place(n)).max(a + 0.02);
                    let piece = |row: &table::Row, lo: f64, hi: f64| {
                        let (a, b) = (a.clamp(lo, hi), b.clamp(lo, hi));
                        let mass = row.mass * self.mass * (b - a) / (hi - lo);
                        table::slice(row, (hi - lo) * length, mass, line(a), line(b))
                    };
                    out[i] = piece(&rows.mid_trunk, navel, xiphoid).combined(&piece(
                        &rows.upper_trunk,
                        xiphoid,
                        1.0,
                    ));
                }
            }
        }
        let top = spine.last().copied().unwrap_or(0);
        let missing = self.mass - out.iter().map(|i| i.mass).sum::<f64>();
        let factor = (1.0 + missing / out[top].mass).max(0.2);
        out[top].mass *= factor;
        out[top].rotational = out[top].rotational * factor;
    }

    /// The far end of a segment in the standing pose.
    pub(super) fn tip(&self, plan: &Plan, stance: &Stance, index: usize) -> DVec3 {
        let segment = &plan.segments[index];
        let roles = &stance.anatomy.roles;
        let at = |joint: Option<JointId>| joint.map(|j| stance.positions[j]);
        let next = || plan.segments.iter().find(|s| s.parent == Some(index)).map(|s| s.origin);
        let down = |length: f64| segment.origin - DVec3::Z * (length * self.scale());
        match segment.part {
            Part::Pelvis => plan.spine().first().map_or(self.neck_base, |&i| plan.segments[i].origin),
            Part::Spine(i) => {
                let above = plan.find(Part::Spine(i + 1)).map(|n| plan.segments[n].origin);
                above.unwrap_or(self.neck_base)
            }
            Part::Neck(i) => {
                let above = plan.find(Part::Neck(i + 1)).map(|n| plan.segments[n].origin);
                above.or(at(roles.head)).unwrap_or(self.vertex)
            }
            Part::Head => self.vertex,
            Part::Clavicle(s) => at(roles.side(s).shoulder).unwrap_or(segment.origin),
            Part::UpperArm(s) => at(roles.side(s).elbow).unwrap_or_else(|| down(table::UPPER_ARM)),
            Part::Forearm(s) => at(roles.side(s).wrist).unwrap_or_else(|| down(table::FOREARM)),
            Part::Hand(s) => self.hand_tips[s as usize].unwrap_or_else(|| down(1.9 * table::HAND)),
            Part::Finger(_) => next().unwrap_or(segment.origin - DVec3::Z * 0.03),
            Part::Thigh(s) => at(roles.side(s).knee).unwrap_or_else(|| down(table::THIGH)),
            Part::Shank(s) => at(roles.side(s).ankle).unwrap_or_else(|| down(table::SHANK)),
            Part::Foot(s) => self.feet[s as usize][if plan.find(Part::Toe(s)).is_some() { 1 } else { 2 }],
            Part::Toe(s) => self.feet[s as usize][2],
        }
    }
}

/// Ankle, ball and toe tip of a foot, estimated from the ankle where the skeleton has none.
fn foot_points(skeleton: &Skeleton, stance: &Stance, side: Side, scale: f64) -> [DVec3; 3] {
    let l = stance.anatomy.roles.side(side);
    let Some(ankle_joint) = l.ankle else { return [DVec3::ZERO; 3] };
    let ankle = stance.positions[ankle_joint];
    let forward = |from: DVec3, length: f64| from + DVec3::X * (length * scale);
    let site = |joint: JointId| {
        skeleton
            .end_site_of(joint)
            .map(|o| stance.point_of(joint, o))
            .filter(|p| p.distance(stance.positions[joint]) > 0.02)
    };
    let drop = DVec3::Z * (0.03 * scale);
    match l.toe {
        Some(toe) => {
            let ball = stance.positions[toe];
            let tip = site(toe).unwrap_or_else(|| forward(ball, 0.06));
            [ankle, ball, tip.with_z(tip.z.min(ball.z + 0.02))]
        }
        None => {
            let tip = site(ankle_joint).unwrap_or_else(|| forward(ankle, 0.19) - drop);
            [ankle, ankle.lerp(tip, 0.7), tip]
        }
    }
}

/// The lowest point of what hangs on a wrist, if it is a hand's length away.
fn hand_tip(skeleton: &Skeleton, stance: &Stance, side: Side, scale: f64) -> Option<DVec3> {
    let wrist = stance.anatomy.roles.side(side).wrist?;
    let below = |j: JointId| j == wrist || super::anatomy::is_below(skeleton, j, wrist);
    let joints = skeleton.joint_ids().iter().filter(|&j| below(j)).map(|j| stance.positions[j]);
    let sites =
        skeleton.end_sites().iter().filter(|e| below(e.joint)).map(|e| stance.point_of(e.joint, e.offset));
    let lowest = joints.chain(sites).min_by(|a, b| a.z.total_cmp(&b.z))?;
    let length = stance.positions[wrist].z - lowest.z;
    (length > 1.2 * table::HAND * scale).then(|| stance.positions[wrist] - DVec3::Z * length)
}
