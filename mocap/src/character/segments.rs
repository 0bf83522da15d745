//! Masses, centres and radii of gyration of body segments (de Leva 1996, *Adjustments to Zatsiorsky-Seluyanov's
//! segment inertia parameters*, table 4), and mean lengths of a male of 1.741 m.

use glam::DVec3;
use stuntlab_physics::spatial::{Inertia, Sym3};

/// Which of de Leva's two tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sex {
    /// Mean of 100 men.
    #[default]
    Male,
    /// Mean of 15 women.
    Female,
}

/// A row of the table; percentages as shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// Share of the body's mass.
    pub(super) mass: f64,
    /// Place of the centre from the proximal (cranial) end, as a share of the length.
    pub(super) center: f64,
    /// Radii of gyration about the fore-aft, the sideways and the long axis, as shares of the length.
    pub(super) gyration: [f64; 3],
}

const fn row(mass: f64, center: f64, gyration: [f64; 3]) -> Row {
    let [a, b, c] = gyration;
    Row { mass: 0.01 * mass, center: 0.01 * center, gyration: [0.01 * a, 0.01 * b, 0.01 * c] }
}

/// The segments of one sex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// Vertex to cervicale.
    pub(super) head: Row,
    /// Cervicale to xiphoid.
    pub(super) upper_trunk: Row,
    /// Xiphoid to navel.
    pub(super) mid_trunk: Row,
    /// Navel to middle of the hips.
    pub(super) lower_trunk: Row,
    pub(super) upper_arm: Row,
    pub(super) forearm: Row,
    /// Wrist to third knuckle.
    pub(super) hand: Row,
    pub(super) thigh: Row,
    pub(super) shank: Row,
    /// Heel to toe tip.
    pub(super) foot: Row,
    /// Body mass index of the sample, kg/m².
    pub(super) body_mass_index: f64,
}

const MALE: Table = Table {
    head: row(6.94, 50.02, [30.3, 31.5, 26.1]),
    upper_trunk: row(15.96, 50.66, [50.5, 32.0, 46.5]),
    mid_trunk: row(16.33, 45.02, [48.2, 38.3, 46.8]),
    lower_trunk: row(11.17, 61.15, [61.5, 55.1, 58.7]),
    upper_arm: row(2.71, 57.72, [28.5, 26.9, 15.8]),
    forearm: row(1.62, 45.74, [27.6, 26.5, 12.1]),
    hand: row(0.61, 79.00, [62.8, 51.3, 40.1]),
    thigh: row(14.16, 40.95, [32.9, 32.9, 14.9]),
    shank: row(4.33, 43.95, [25.1, 24.6, 10.2]),
    foot: row(1.37, 44.15, [25.7, 24.5, 12.4]),
    body_mass_index: 24.1,
};

const FEMALE: Table = Table {
    head: row(6.68, 48.41, [27.1, 29.5, 26.1]),
    upper_trunk: row(15.45, 50.50, [46.6, 31.4, 44.9]),
    mid_trunk: row(14.65, 45.12, [43.3, 35.4, 41.5]),
    lower_trunk: row(12.47, 49.20, [43.3, 40.2, 44.4]),
    upper_arm: row(2.55, 57.54, [27.8, 26.0, 14.8]),
    forearm: row(1.38, 45.59, [26.1, 25.7, 9.4]),
    hand: row(0.56, 74.74, [53.1, 45.4, 33.5]),
    thigh: row(14.78, 36.12, [36.9, 36.4, 16.2]),
    shank: row(4.81, 43.52, [26.7, 26.3, 9.2]),
    foot: row(1.29, 40.14, [29.9, 27.9, 13.9]),
    body_mass_index: 20.6,
};

impl Table {
    pub(super) const fn of(sex: Sex) -> &'static Self {
        match sex {
            Sex::Male => &MALE,
            Sex::Female => &FEMALE,
        }
    }
}

/// Stature of the sample whose mean lengths follow, m.
pub(super) const STATURE: f64 = 1.741;
/// Mean lengths at [`STATURE`], m.
pub(super) const HEAD: f64 = 0.243;
pub(super) const UPPER_TRUNK: f64 = 0.242;
pub(super) const MID_TRUNK: f64 = 0.216;
pub(super) const LOWER_TRUNK: f64 = 0.146;
pub(super) const UPPER_ARM: f64 = 0.282;
pub(super) const FOREARM: f64 = 0.269;
pub(super) const HAND: f64 = 0.086;
pub(super) const THIGH: f64 = 0.422;
pub(super) const SHANK: f64 = 0.434;
pub(super) const FOOT: f64 = 0.258;
/// Share of the foot's mass in the toes, and of the head's in the neck.
pub(super) const TOE_SHARE: f64 = 0.16;
pub(super) const NECK_SHARE: f64 = 0.22;
/// Share of the body's mass carried by a collar bone where it is a body of its own.
pub(super) const CLAVICLE_SHARE: f64 = 0.013;
/// Share of the hand's mass in the fingers.
pub(super) const FINGER_SHARE: f64 = 0.4;

/// A segment of mass `mass` from `from` to `to` (body axes; the long axis lies along one of them at rest).
///
/// Radii of gyration are given about the fore-aft, sideways and long axis of an upright body; `long` says which body axis
/// the segment lies along (2 for upright parts, 0 for feet).
pub(super) fn segment(row: &Row, mass: f64, from: DVec3, to: DVec3, long: usize) -> Inertia {
    let length = from.distance(to);
    let [fore_aft, sideways, axial] = row.gyration.map(|k| mass * (k * length) * (k * length));
    // Feet lie forward: what is fore-aft on an upright part is vertical on them.
    let rotational = match long {
        0 => Sym3::diagonal(axial, sideways, fore_aft),
        _ => Sym3::diagonal(fore_aft, sideways, axial),
    };
    Inertia::new(mass, from.lerp(to, row.center), sound(rotational))
}

/// The nearest rotational inertia that a rigid body can have: rounded tables break the triangle rule by a hair.
pub(super) fn sound(i: Sym3) -> Sym3 {
    let cap = |largest: f64, a: f64, b: f64| largest.min(0.999 * (a + b));
    Sym3::diagonal(cap(i.xx, i.yy, i.zz), cap(i.yy, i.xx, i.zz), cap(i.zz, i.xx, i.yy))
}

/// A slice of a trunk part: share `share` of its length, from `from` to `to`.
pub(super) fn slice(row: &Row, part_length: f64, mass: f64, from: DVec3, to: DVec3) -> Inertia {
    let length = from.distance(to);
    let [fore_aft, sideways, axial] = row.gyration.map(|k| (k * part_length) * (k * part_length));
    // What is left of the radii without the length's own part, at least a disc of 8 cm.
    let across = |k2: f64| (k2 - part_length * part_length / 12.0).max(0.08 * 0.08 / 4.0);
    let along = length * length / 12.0;
    let rotational =
        Sym3::diagonal(mass * (across(fore_aft) + along), mass * (across(sideways) + along), mass * axial);
    Inertia::new(mass, from.lerp(to, 0.5), sound(rotational))
}

/// Radius of a capsule of density 1050 kg/m³ whose cylinder has this length: `πr²L + 4πr³/3 = m/ρ`, by Newton's method.
pub(super) fn capsule_radius(mass: f64, length: f64) -> f64 {
    let volume = mass / 1050.0 / core::f64::consts::PI;
    let mut r = (volume / length.max(1e-3)).sqrt();
    for _ in 0..20 {
        let f = r * r * length + 4.0 / 3.0 * r * r * r - volume;
        r -= f / (2.0 * r * length + 4.0 * r * r);
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_make_a_whole_body() {
        for sex in [Sex::Male, Sex::Female] {
            let t = Table::of(sex);
            let single = t.head.mass + t.upper_trunk.mass + t.mid_trunk.mass + t.lower_trunk.mass;
            let pairs =
                t.upper_arm.mass + t.forearm.mass + t.hand.mass + t.thigh.mass + t.shank.mass + t.foot.mass;
            assert!((single + 2.0 * pairs - 1.0).abs() < 2e-3, "{sex:?}: {}", single + 2.0 * pairs);
        }
    }

    #[test]
    fn capsules_have_the_radii_of_their_segments() {
        // 80 kg: thigh 0.080, shank 0.045, upper arm 0.043, forearm 0.035 m.
        for (share, length, wanted) in
            [(0.1416, 0.437, 0.080), (0.0433, 0.449, 0.045), (0.0271, 0.291, 0.043), (0.0162, 0.278, 0.035)]
        {
            assert!((capsule_radius(80.0 * share, length) - wanted).abs() < 3e-3, "{wanted}");
        }
    }
}
