//! Whether a clip without flights plays at a plausible speed.
//!
//! Nothing pulls a body down but its weight: over a tenth of a second its centre of mass cannot fall faster than with g, and
//! played n times too fast it falls n² times as fast. And people who walk or run take steps whose length over
//! their rate, the walk ratio, hardly changes with speed: 0.4 cm per step a minute in walks (Sekiya and Nagasaki 1998),
//! up to twice that in runs. Played n times too slowly it is n times as large.

use super::{GRAVITY, Path};
use crate::{Clip, Roles};
use glam::DVec3;

/// Over so long a fall is looked at, s: longer than noise, shorter than a step.
const FALL: f64 = 0.1;
/// Falls up to so many times g are within the error of measuring the centre of mass by joints.
const FALL_DOUBT: f64 = 1.5;
/// Walk ratios that people have, in m s: 0.2 to 1.25 cm per step a minute; slow walks of CMU have 0.70 m s.
const RATIO: std::ops::RangeInclusive<f64> = 0.12..=0.75;
/// Feet pass each other by at least this in a step, as a share of the leg.
const STRIDE: f64 = 0.3;
/// Fewest steps to say anything.
const FEWEST_STEPS: usize = 3;

/// A sentence where the speed is not plausible.
pub(super) fn doubt(clip: &Clip, roles: &Roles, path: &Path) -> Option<String> {
    let dt = clip.frame_time();
    let fall = strongest_fall(&path.centre, dt);
    let ratio = walk_ratio(clip, roles, path);
    let too_fast = fall.filter(|&fall| fall > FALL_DOUBT * GRAVITY).map(|fall| {
        format!(
            "the body is pulled down with {fall:.0} m/s² where its weight gives 9.8, as if played too fast"
        )
    });
    let odd_steps = ratio.filter(|ratio| !RATIO.contains(ratio)).map(|ratio| {
        let how = if ratio > *RATIO.end() { "slowly" } else { "fast" };
        format!("its steps are {ratio:.2} m per step a second where people have 0.2 to 0.5, as if played too {how}")
    });
    too_fast.or(odd_steps).map(|why| format!("The frame time of {dt:.5} s is doubtful: {why}."))
}

/// The strongest downward acceleration of the centre of mass over `FALL`, m/s².
fn strongest_fall(centre: &[DVec3], dt: f64) -> Option<f64> {
    // Second difference over half of the time on either side: the mean acceleration, weighted to the middle.
    let half = ((0.5 * FALL / dt).round() as usize).max(2);
    let step = half as f64 * dt;
    let falls =
        centre.windows(2 * half + 1).map(|w| -(w[0].z - 2.0 * w[half].z + w[2 * half].z) / (step * step));
    falls.max_by(f64::total_cmp)
}

/// Length of a step over its rate, m s: feet that pass each other along the way count.
fn walk_ratio(clip: &Clip, roles: &Roles, path: &Path) -> Option<f64> {
    let (left, right) = (roles.left.ankle?, roles.right.ankle?);
    let leg = crate::detect::leg_length(clip, roles)?;
    let at = |frame: usize, joint: crate::JointId| path.points[frame * path.width + joint.index()];
    let n = path.centre.len();
    // The way is the body's over one leg's length on either side, so that swaying is none.
    let ahead = |frame: usize| {
        let here = path.centre[frame];
        let far = |other: &&DVec3| (**other - here).truncate().length() > 0.5 * leg;
        let next = path.centre[frame..].iter().find(far)?;
        let way = (*next - here).truncate().normalize();
        Some((at(frame, left) - at(frame, right)).truncate().dot(way))
    };
    // Left foot in front, right foot in front, left …: by a share of the leg, each once.
    let (mut in_front, mut passes): (Option<bool>, Vec<usize>) = (None, Vec::new());
    for frame in 0..n {
        let Some(lead) = ahead(frame) else { continue };
        if lead.abs() > STRIDE * leg && in_front != Some(lead > 0.0) {
            in_front = Some(lead > 0.0);
            passes.push(frame);
        }
    }
    let (&start, &end) = (passes.first()?, passes.last()?);
    let n_steps = passes.len() - 1;
    if n_steps < FEWEST_STEPS {
        return None;
    }
    let way = (path.centre[end] - path.centre[start]).truncate().length();
    let time = (end - start) as f64 * clip.frame_time();
    // Where the body stays in place, feet that swap are no walk.
    (way > 0.4 * leg * n_steps as f64).then(|| (way / n_steps as f64) / (n_steps as f64 / time))
}
