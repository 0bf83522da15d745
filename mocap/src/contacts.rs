//! Foot contacts: when heel and toe of each foot rest on the ground (height and speed with hysteresis,
//! short contacts dropped, short gaps filled).
//!
//! Joint centres lie inside the foot, at a height that differs by skeleton; heights are therefore measured from the
//! level at which the same point rests in this clip.

use crate::roles::Side;
use crate::skeleton::JointId;
use crate::{Clip, Roles};
use glam::DVec3;

/// Thresholds of contact detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Greatest height of a resting heel above its resting level, in metres.
    pub heel_height: f64,
    /// Greatest height of a resting toe above its resting level, in metres.
    pub toe_height: f64,
    /// A contact begins below this speed, m/s …
    pub begin_speed: f64,
    /// … and ends above this one.
    pub end_speed: f64,
    /// Contacts shorter than this are dropped, in seconds.
    pub min_duration: f64,
    /// Gaps shorter than this are filled, in seconds.
    pub max_gap: f64,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self {
            heel_height: 0.03,
            toe_height: 0.06,
            begin_speed: 0.36,
            end_speed: 0.47,
            min_duration: 0.06,
            max_gap: 0.05,
        }
    }
}

/// Contact of one foot, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FootContacts {
    /// Whether the heel (the ankle joint) rests.
    pub heel: Vec<bool>,
    /// Whether the toe (ball of the foot or its tip) rests.
    pub toe: Vec<bool>,
}

impl FootContacts {
    /// Whether any part of the foot rests in a frame; not in one that does not exist.
    pub fn any(&self, frame: usize) -> bool {
        self.heel.get(frame) == Some(&true) || self.toe.get(frame) == Some(&true)
    }
}

/// Contacts of both feet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contacts {
    /// Left foot.
    pub left: FootContacts,
    /// Right foot.
    pub right: FootContacts,
}

impl Contacts {
    /// The contacts of one foot.
    pub const fn side(&self, side: Side) -> &FootContacts {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Number of frames.
    pub fn n_frames(&self) -> usize {
        self.left.heel.len()
    }

    /// Shares of frames with both feet, one foot and no foot resting; they sum to 1.
    pub fn shares(&self) -> [f64; 3] {
        let mut counts = [0usize; 3];
        for frame in 0..self.n_frames() {
            counts[2 - usize::from(self.left.any(frame)) - usize::from(self.right.any(frame))] += 1;
        }
        counts.map(|c| c as f64 / self.n_frames().max(1) as f64)
    }
}

/// The tracked points of one foot.
pub(crate) fn foot_points(clip: &Clip, roles: &Roles, side: Side) -> Vec<(JointId, DVec3)> {
    let limbs = roles.side(side);
    let mut points = Vec::new();
    points.extend(limbs.ankle.map(|j| (j, DVec3::ZERO)));
    if let Some(toe) = limbs.toe {
        points.push((toe, DVec3::ZERO));
        points.extend(clip.skeleton().end_site_of(toe).map(|offset| (toe, offset)));
    } else if let Some(ankle) = limbs.ankle {
        points.extend(clip.skeleton().end_site_of(ankle).map(|offset| (ankle, offset)));
    }
    points
}

/// Finds heel and toe contacts of a clip with z up; `None` where the skeleton has no feet by name.
pub fn find_contacts(clip: &Clip, options: &ContactOptions) -> Option<Contacts> {
    let roles = Roles::find(clip.skeleton());
    let tracks = Side::BOTH.map(|side| Track::new(clip, foot_points(clip, &roles, side)));
    let [left, right] = &tracks;
    if left.width == 0 || right.width == 0 {
        return None;
    }
    // Both feet stand on one floor: a resting level per kind of point, the lower of the two sides.
    let levels: Vec<f64> = (0..left.width)
        .map(|point| {
            tracks
                .iter()
                .filter(|t| point < t.width)
                .map(|t| t.rest_level(point))
                .fold(f64::INFINITY, f64::min)
        })
        .collect();
    let foot = |track: &Track| {
        let contact = |point: usize| {
            track.contact(point, levels[point.min(levels.len() - 1)], options, clip.frame_time())
        };
        let mut toe = vec![false; clip.n_frames()];
        for point in 1..track.width {
            toe.iter_mut().zip(contact(point)).for_each(|(a, b)| *a |= b);
        }
        FootContacts { heel: contact(0), toe }
    };
    Some(Contacts { left: foot(left), right: foot(right) })
}

/// Height of the floor: where the lowest foot point rests, in metres; `None` without feet.
pub fn ground_height(clip: &Clip) -> Option<f64> {
    let roles = Roles::find(clip.skeleton());
    let levels = Side::BOTH.iter().flat_map(|&side| {
        let track = Track::new(clip, foot_points(clip, &roles, side));
        (0..track.width).map(|p| track.rest_level(p)).collect::<Vec<_>>()
    });
    levels.reduce(f64::min)
}

/// Points slower than this count as hardly moving, m/s.
const SLOW: f64 = 0.25;

/// Positions and speeds of some points over the frames.
struct Track {
    width: usize,
    positions: Vec<DVec3>,
    speeds: Vec<f64>,
}

impl Track {
    fn new(clip: &Clip, points: Vec<(JointId, DVec3)>) -> Self {
        let width = points.len();
        let positions = clip.track(&points);
        let n = clip.n_frames();
        let speeds = (0..n * width)
            .map(|i| {
                let (frame, point) = (i / width, i % width);
                let (a, b) = (frame.saturating_sub(1), (frame + 1).min(n - 1));
                let way = positions[b * width + point].distance(positions[a * width + point]);
                if b > a { way / ((b - a) as f64 * clip.frame_time()) } else { 0.0 }
            })
            .collect();
        Self { width, positions, speeds }
    }

    /// Height at which a point rests: the lower quartile over the frames in which it hardly moves.
    fn rest_level(&self, point: usize) -> f64 {
        let speeds: Vec<f64> = self.speeds.iter().skip(point).step_by(self.width).copied().collect();
        // A clip that never rests is judged by its slowest twentieth.
        let mut sorted = speeds.clone();
        sorted.sort_by(f64::total_cmp);
        let slow = sorted[sorted.len() / 20].max(SLOW);
        let heights = self.positions.iter().skip(point).step_by(self.width).zip(&speeds);
        let mut low: Vec<f64> = heights.filter(|&(_, &s)| s <= slow).map(|(p, _)| p.z).collect();
        low.sort_by(f64::total_cmp);
        low[low.len() / 4]
    }

    /// Contact of one point: height and speed with hysteresis, gaps filled, short ones dropped.
    fn contact(&self, point: usize, level: f64, options: &ContactOptions, frame_time: f64) -> Vec<bool> {
        let height = if point == 0 { options.heel_height } else { options.toe_height };
        let mut resting = false;
        let mut contact: Vec<bool> = (0..self.positions.len() / self.width)
            .map(|frame| {
                let i = frame * self.width + point;
                let limit = if resting { options.end_speed } else { options.begin_speed };
                resting = self.positions[i].z - level < height && self.speeds[i] < limit;
                resting
            })
            .collect();
        replace_short_runs(&mut contact, false, (options.max_gap / frame_time) as usize);
        replace_short_runs(&mut contact, true, (options.min_duration / frame_time) as usize);
        contact
    }
}

/// Flips runs of `value` of at most `longest` frames that lie between runs of the other value.
pub(crate) fn replace_short_runs(flags: &mut [bool], value: bool, longest: usize) {
    let mut start = 0;
    while start < flags.len() {
        let end = flags[start..].iter().position(|&f| f != flags[start]).map_or(flags.len(), |n| start + n);
        if flags[start] == value && end - start <= longest && start > 0 && end < flags.len() {
            flags[start..end].fill(!value);
        }
        start = end;
    }
}

/// Runs of frames in which `flag` holds, as half-open ranges.
pub fn intervals(flags: &[bool]) -> Vec<core::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (i, &flag) in flags.iter().chain([&false]).enumerate() {
        match (flag, start) {
            (true, None) => start = Some(i),
            (false, Some(s)) => {
                runs.push(s..i);
                start = None;
            }
            _ => {}
        }
    }
    runs
}
