//! The legs at double support for a step of a given length (Lligadas, Susín and Ramírez, section 4.2 and figure 5).
//!
//! In the sagittal plane, x forward, z up. The rear foot stands on its toes, pitched by `a₁`, its calf leans forward by `e`; the front foot
//! is flat below a vertical calf. So both knees are known, and the thighs, of equal length `t`, make a triangle with the line between:
//!
//! ```text
//! (1)  v = k_front - k_rear,  l = |v|,  c = atan2(v_z, v_x)
//! (2)  b = acos((l/2) / t)                    printed as acos(l/2 · t), which has no length to it
//! (3)  a₄ = π/2 - b - c,  a₅ = b - c - π/2    thighs from the vertical, hip ahead of the knee positive
//! (4)  a₃ = e - a₄                            knee of the rear leg; π/4 - a₄ as printed, for e = a₁ = π/4: the calf square to its foot
//! ```
//! The paper keeps `a₁ = 45°` for all steps and finds small ones wrong. Here `a₁` and `e` shrink with the step, `a₁` to a fifth at most.
//! Where the thighs do not reach (`l > 2 t`), the front foot comes down as near as they do.

use std::f64::consts::FRAC_PI_2;

/// Lengths of a leg, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegLengths {
    /// From hip to knee.
    pub thigh: f64,
    /// From knee to ankle.
    pub calf: f64,
    /// Height of the ankle over a flat sole.
    pub ankle: f64,
    /// Height of the toes' joint.
    pub ball: f64,
    /// From ankle to the toes' joint, forward.
    pub foot: f64,
}

/// Angles of both legs at double support, rad: flexion of hips and knees, dorsiflexion, extension of the toes positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleSupport {
    /// Rear hip, knee, ankle, toes.
    pub rear: [f64; 4],
    /// Front hip, knee, ankle, toes.
    pub front: [f64; 4],
    /// Place of the hips ahead of the rear ankle as it stands flat, and above the ground, m.
    pub hips: [f64; 2],
    /// The step it makes, m: what was asked for, or as near as the legs reach.
    pub step: f64,
}

/// Steps of this length and more have the whole pitch of the rear foot, m.
const FULL_STEP: f64 = 0.5;
/// Least share of it.
const LEAST_SHARE: f64 = 0.2;
/// Steps beyond so many full ones lean no further.
const LONGEST: f64 = 1.5;
/// Share of its length to which a leg is stretched at most.
const STRETCH: f64 = 0.98;

/// Share of its length to which a leg that reaches is stretched at most: a straight knee cannot give way.
const STRAIGHT: f64 = 0.995;

/// The legs at a step of length `step`, m, with the rear foot pitched by `pitch` and its calf leaning by `lean`, rad, in a full step; the
/// front foot reaches `below` the ground, m.
pub fn double_support(legs: &LegLengths, step: f64, [pitch, lean]: [f64; 2], below: f64) -> DoubleSupport {
    let a1 = pitch * (step / FULL_STEP).clamp(LEAST_SHARE, 1.0);
    let lean = lean * (step / FULL_STEP).clamp(0.0, LONGEST);
    let (sin, cos) = a1.sin_cos();
    // The ankle turns about the toes' joint, which stays where it is.
    let up = legs.ankle - legs.ball;
    let ankle = [legs.foot - legs.foot * cos + up * sin, legs.ball + legs.foot * sin + up * cos];
    let rear_knee = [ankle[0] + legs.calf * lean.sin(), ankle[1] + legs.calf * lean.cos()];
    let height = legs.ankle - below + legs.calf - rear_knee[1];
    // (2) has a solution up to here.
    let reach = 2.0 * STRETCH * legs.thigh;
    let most = (reach * reach - height * height).max(0.0).sqrt();
    let along = (step - rear_knee[0]).clamp(-most, most);
    let (l, c) = (along.hypot(height), height.atan2(along));
    // A front knee behind the rear one, as in steps on the spot: the triangle is the same, seen from the other side.
    let b = (0.5 * l / legs.thigh).clamp(-1.0, 1.0).acos();
    let (a4, a5) = (FRAC_PI_2 - b - c, b - c - FRAC_PI_2);
    let hips = [rear_knee[0] + legs.thigh * a4.sin(), rear_knee[1] + legs.thigh * a4.cos()];
    DoubleSupport {
        rear: [-a4, lean - a4, lean - a1, a1],
        front: [-a5, -a5, 0.0, 0.0],
        hips,
        step: rear_knee[0] + along,
    }
}

/// The knee of a leg whose ankle is so far from its hip, m: the law of cosines.
pub fn bend(legs: &LegLengths, far: f64) -> f64 {
    let (t, c) = (legs.thigh, legs.calf);
    std::f64::consts::PI - ((t * t + c * c - far * far) / (2.0 * t * c)).clamp(-1.0, 1.0).acos()
}

/// How far an ankle is from its hip with a bent knee, m.
pub fn folded(legs: &LegLengths, knee: f64) -> f64 {
    let (t, c) = (legs.thigh, legs.calf);
    (t * t + c * c + 2.0 * t * c * knee.cos()).max(0.0).sqrt()
}

/// Hip, knee and ankle of a leg whose ankle is so far ahead of the hip and below it, m, its foot flat; as near as it reaches.
pub fn reach(legs: &LegLengths, ahead: f64, down: f64) -> [f64; 3] {
    let (t, c) = (legs.thigh, legs.calf);
    let far = ahead.hypot(down).clamp((t - c).abs() + 0.1 * t, STRAIGHT * (t + c));
    let knee = bend(legs, far);
    // The law of cosines at the hip.
    let hip = ahead.atan2(down) + ((t * t + far * far - c * c) / (2.0 * t * far)).clamp(-1.0, 1.0).acos();
    [hip, knee, knee - hip]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEGS: LegLengths =
        LegLengths { thigh: 0.4585, calf: 0.4505, ankle: 0.08, ball: 0.026, foot: 0.137 };

    /// Where the front ankle is, from the hips down; and how far the rear leg ends from the rear ankle.
    fn ends(legs: &LegLengths, pose: &DoubleSupport, pitch: f64) -> ([f64; 2], f64) {
        let down = |[hip, knee]: [f64; 2]| {
            // Thigh and calf from the vertical, forward positive going down.
            let (thigh, calf) = (hip, hip - knee);
            [
                pose.hips[0] + legs.thigh * thigh.sin() + legs.calf * calf.sin(),
                pose.hips[1] - legs.thigh * thigh.cos() - legs.calf * calf.cos(),
            ]
        };
        let front = down([pose.front[0], pose.front[1]]);
        let rear = down([pose.rear[0], pose.rear[1]]);
        let (sin, cos) = pitch.sin_cos();
        let up = legs.ankle - legs.ball;
        let ankle = [legs.foot - legs.foot * cos + up * sin, legs.ball + legs.foot * sin + up * cos];
        (front, (rear[0] - ankle[0]).hypot(rear[1] - ankle[1]))
    }

    proptest! {
        #[test]
        fn both_feet_are_where_the_step_wants_them(
            step in 0.0..0.75_f64, pitch in 0.0..0.8_f64, lean in 0.2..0.8_f64, below in 0.0..0.03_f64,
        ) {
            let pose = double_support(&LEGS, step, [pitch, lean], below);
            let (front, rear) = ends(&LEGS, &pose, pose.rear[3]);
            prop_assert!((front[0] - pose.step).abs() < 1e-9 && (front[1] + below - LEGS.ankle).abs() < 1e-9, "{front:?} {pose:?}");
            prop_assert!(rear < 1e-9, "{rear} {pose:?}");
            prop_assert!((pose.step - step).abs() < 1e-9, "{step} is within reach: {pose:?}");
        }
    }

    proptest! {
        #[test]
        fn a_leg_that_reaches_ends_where_it_is_told(ahead in -0.4..0.5_f64, down in 0.5..0.75_f64) {
            let [hip, knee, ankle] = reach(&LEGS, ahead, down);
            let x = LEGS.thigh * hip.sin() + LEGS.calf * (hip - knee).sin();
            let z = LEGS.thigh * hip.cos() + LEGS.calf * (hip - knee).cos();
            prop_assert!((x - ahead).abs() < 1e-9 && (z - down).abs() < 1e-9, "{x} {z}");
            prop_assert!((hip - knee + ankle).abs() < 1e-12, "its foot is flat");
        }
    }

    #[test]
    fn what_is_out_of_reach_is_approached() {
        let pose = double_support(&LEGS, 2.0, [0.7; 2], 0.0);
        assert!(pose.step > 0.8 && pose.step < 2.0 && pose.rear.iter().all(|a| a.is_finite()), "{pose:?}");
    }

    #[test]
    fn the_printed_knee_is_that_of_the_paper() {
        let pose = double_support(&LEGS, 0.5, [std::f64::consts::FRAC_PI_4; 2], 0.0);
        assert!((pose.rear[1] - (std::f64::consts::FRAC_PI_4 + pose.rear[0])).abs() < 1e-12);
    }
}
