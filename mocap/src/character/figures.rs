//! The standard figures: skeletons of mean proportions, standing, and the characters made of them.

use super::anatomy::Part;
use super::segments as table;
use super::{Character, CharacterOptions, JointStyle};
use crate::Skeleton;
use crate::skeleton::JointId;
use crate::skeleton::{EndSite, Joint};
use glam::DVec3;

/// What a standard skeleton has.
#[derive(Clone, Copy)]
struct Build {
    stature: f64,
    /// Spine and neck in four and two pieces, collar bones and fingers.
    detailed: bool,
}

impl Character {
    /// The stuntperson: 16 bodies, 37 freedoms, 80 kg, 1.80 m (Faloutsos et al. 2001; de Leva 1996).
    pub fn stuntperson() -> Self {
        Self::stuntperson_of(1.80, 80.0).expect("the standard proportions make a body")
    }

    /// A stuntperson of another size; `None` for sizes no body has.
    pub fn stuntperson_of(stature: f64, mass: f64) -> Option<Self> {
        let build = Build { stature, detailed: false };
        let options = CharacterOptions {
            stature: Some(stature),
            mass: Some(mass),
            joints: JointStyle::Stunt,
            ..CharacterOptions::default()
        };
        (0.3..=4.0).contains(&stature).then_some(())?;
        Some(Self::build(&standard(build), &options).ok()?.0.named("stuntperson"))
    }

    /// The planar figure: 16 freedoms in the plane y = 0, 80 kg, 1.80 m.
    pub fn planar_figure() -> Self {
        let options = CharacterOptions {
            stature: Some(1.80),
            mass: Some(80.0),
            joints: JointStyle::Planar,
            ..CharacterOptions::default()
        };
        let skeleton = standard(Build { stature: 1.80, detailed: false });
        Self::build(&skeleton, &options).expect("the standard proportions make a body").0.named("planar")
    }

    /// The walker of Lligadas, Susín and Ramírez: trunk, pelvis and legs with toes, 83 kg; 24 freedoms with the ankle yaw
    /// that makes the paper's count, 22 without.
    pub fn walker(ankle_yaw: bool) -> Self {
        let options = CharacterOptions {
            mass: Some(83.0),
            joints: JointStyle::Walker { ankle_yaw },
            separate_toes: true,
            ..CharacterOptions::default()
        };
        // Lligadas et al., table of segments.
        let mass_of = |part| match part {
            Part::Pelvis => Some(16.3),
            Part::Spine(_) => Some(40.0),
            Part::Thigh(_) => Some(8.3),
            Part::Shank(_) => Some(4.04),
            Part::Foot(_) => Some(0.86),
            Part::Toe(_) => Some(0.15),
            _ => None,
        };
        let built = Self::build_with(&walker_skeleton(), &options, mass_of);
        built.expect("the published segments make a body").0.named("walker")
    }

    /// The ball-jointed figure: 36 bodies, 111 freedoms, 82 kg, 1.80 m (as in Wrotek, Jenkins & McGuire 2006).
    pub fn ball_figure() -> Self {
        let options = CharacterOptions {
            stature: Some(1.80),
            mass: Some(82.0),
            joints: JointStyle::Ball,
            separate_spine: true,
            separate_clavicles: true,
            separate_fingers: true,
            separate_toes: true,
            ..CharacterOptions::default()
        };
        let skeleton = standard(Build { stature: 1.80, detailed: true });
        Self::build(&skeleton, &options).expect("the standard proportions make a body").0.named("ball")
    }
}

/// Joints by name, parent and place in the standing pose.
struct Drawing {
    joints: Vec<Joint>,
    places: Vec<DVec3>,
    sites: Vec<EndSite>,
}

impl Drawing {
    fn new(root: &str, place: DVec3) -> Self {
        let joint = Joint { name: root.to_owned(), parent: None, offset: place };
        Self { joints: vec![joint], places: vec![place], sites: Vec::new() }
    }

    fn add(&mut self, name: impl Into<String>, parent: JointId, place: DVec3) -> JointId {
        self.joints.push(Joint {
            name: name.into(),
            parent: Some(parent),
            offset: place - self.places[parent],
        });
        self.places.push(place);
        JointId::new(self.joints.len() - 1)
    }

    fn end(&mut self, joint: JointId, place: DVec3) {
        self.sites.push(EndSite { joint, offset: place - self.places[joint] });
    }

    /// Hip, knee, ankle and toe of both sides.
    fn legs(&mut self, hip_half: f64, hip: f64, knee: f64, ankle: f64, ball: DVec3, tip: f64) {
        for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
            let y = sign * hip_half;
            let at = |x: f64, z: f64| DVec3::new(x, y, z);
            let thigh = self.add(format!("{side}UpLeg"), JointId::ROOT, at(0.0, hip));
            let shank = self.add(format!("{side}Leg"), thigh, at(0.0, knee));
            let foot = self.add(format!("{side}Foot"), shank, at(0.0, ankle));
            let toe = self.add(format!("{side}ToeBase"), foot, at(ball.x, ball.z));
            self.end(toe, at(tip, ball.z));
        }
    }

    fn skeleton(self) -> Skeleton {
        Skeleton::new(self.joints, self.sites).expect("parents come first and numbers are finite")
    }
}

/// A skeleton of mean proportions (lengths of de Leva 1996 by stature; widths and the trunk so that it is as tall as it
/// should be).
fn standard(build: Build) -> Skeleton {
    let f = build.stature / table::STATURE;
    let h = build.stature / 1.8;
    let ankle = 0.082 * h;
    let knee = ankle + table::SHANK * f;
    let hip = knee + table::THIGH * f;
    let neck = build.stature - table::HEAD * f;
    let waist = hip + 0.14 * h;
    let shoulder = DVec3::new(0.0, 0.19 * h, neck - 0.09 * h);
    let up = |z: f64| DVec3::new(0.0, 0.0, z);
    let mut d = Drawing::new("Hips", up(hip + 0.07 * h));
    // The end of the foot's lowest joint lies above the sole by what builders assume.
    let ball = DVec3::new(0.13 * h, 0.0, 0.0143 * build.stature);
    d.legs(0.09 * h, hip, knee, ankle, ball, 0.75 * table::FOOT * f);
    let n_spine = if build.detailed { 4 } else { 1 };
    let mut below = JointId::ROOT;
    for i in 0..n_spine {
        let name = if i == 0 { "Spine".to_owned() } else { format!("Spine{i}") };
        below = d.add(name, below, up(waist + (neck - waist) * i as f64 / n_spine as f64));
    }
    let chest = below;
    let mut below = d.add("Neck", chest, up(neck));
    if build.detailed {
        below = d.add("Neck1", below, up(neck + 0.0575 * h));
    }
    let head = d.add("Head", below, up(neck + 0.115 * h));
    d.end(head, up(build.stature));
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let at = |x: f64, z: f64| DVec3::new(x, sign * shoulder.y, z);
        let mut carrier = chest;
        if build.detailed {
            carrier = d.add(format!("{side}Shoulder"), chest, DVec3::new(0.0, sign * 0.03 * h, shoulder.z));
        }
        let upper = d.add(format!("{side}Arm"), carrier, at(0.0, shoulder.z));
        let elbow = shoulder.z - table::UPPER_ARM * f;
        let fore = d.add(format!("{side}ForeArm"), upper, at(0.0, elbow));
        let wrist = elbow - table::FOREARM * f;
        let hand = d.add(format!("{side}Hand"), fore, at(0.0, wrist));
        let palm = wrist - table::HAND * f;
        if build.detailed {
            let fingers = [
                ("Thumb", 0.035 * h, wrist - 0.03 * h, 0.045 * h),
                ("Index", 0.022 * h, palm, 0.05 * h),
                ("Middle", -0.018 * h, palm, 0.05 * h),
            ];
            for (finger, x, z, length) in fingers {
                let first = d.add(format!("{side}Hand{finger}1"), hand, at(x, z));
                let second = d.add(format!("{side}Hand{finger}2"), first, at(x, z - length));
                d.end(second, at(x, z - 1.8 * length));
            }
        } else {
            d.end(hand, at(0.0, palm - 0.09 * h));
        }
    }
    d.skeleton()
}

/// Segments of the walker: trunk 40.9, hips 21.09, thigh 45.85, calf 45.05, foot 19, toe 6.1 cm.
fn walker_skeleton() -> Skeleton {
    let (thigh, calf, foot, toe, trunk, hips) = (0.4585, 0.4505, 0.19, 0.061, 0.409, 0.2109);
    let stature = (thigh + calf) / super::measures::LEG_SHARE;
    let ankle = 0.082 * stature / 1.8;
    let knee = ankle + calf;
    let hip = knee + thigh;
    let up = |z: f64| DVec3::new(0.0, 0.0, z);
    let mut d = Drawing::new("Hips", up(hip + 0.07));
    let ball = DVec3::new(0.72 * foot, 0.0, 0.0143 * stature);
    d.legs(0.5 * hips, hip, knee, ankle, ball, ball.x + toe);
    let spine = d.add("Spine", JointId::ROOT, up(hip + 0.14));
    d.end(spine, up(hip + 0.14 + trunk));
    d.skeleton()
}
