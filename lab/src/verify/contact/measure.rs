//! What each scenario measures: errors by the names the tolerances use.
//!
//! Times are those of samples; distances are taken at the last sample and compared with the closed form.

use serde::Deserialize;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};

use super::super::VerifyError;
use super::super::fixture::malformed;
use super::Fault;
use super::format;
use super::scene::{Sample, Trial};
use super::tipping::Tipping;

/// Errors by name, one or several values each.
pub(super) type Measured = Vec<(&'static str, Vec<f64>)>;

type Outcome = Result<Measured, Fault>;

pub(super) fn measure(trial: &Trial<'_>) -> Outcome {
    match trial.case.scenario.as_str() {
        "sphere_rest" => sphere_rest(trial),
        "incline_stick" | "incline_slide" => incline(trial),
        "bounce" => bounce(trial),
        "slide_to_rest" => slide_to_rest(trial),
        "slip_to_roll" => slip_to_roll(trial),
        "box_stack" => box_stack(trial),
        "friction_cone" => friction_cone(trial),
        "incline_roll" => incline_roll(trial),
        "incline_tip" => incline_tip(trial),
        "two_spheres" => two_spheres(trial),
        other => Err(Fault::File(malformed(
            trial.path,
            format!("{}.scenario", trial.field),
            format!("is \"{other}\", which is not a known scenario"),
        ))),
    }
}

impl From<VerifyError> for Fault {
    fn from(error: VerifyError) -> Self {
        Self::File(error)
    }
}

impl Trial<'_> {
    fn expected<T: serde::de::DeserializeOwned>(&self) -> Result<T, Fault> {
        Ok(format::expected(self.path, self.field, self.case)?)
    }

    fn is_rigid(&self) -> bool {
        self.options.formulation.is_rigid()
    }

    /// A number every body of this scenario has.
    fn radius(&self) -> Result<f64, Fault> {
        let missing = || malformed(self.path, format!("{}.bodies[0].radius", self.field), "missing");
        Ok(self.case.bodies[0].radius.ok_or_else(missing)?)
    }
}

fn one(name: &'static str, error: f64) -> (&'static str, Vec<f64>) {
    (name, vec![error])
}

fn relative(found: f64, expected: f64) -> f64 {
    (found - expected).abs() / expected.abs()
}

fn last(run: &[Sample]) -> &Sample {
    run.last().expect("a run has its start at least")
}

fn way(run: &[Sample], body: usize) -> DVec3 {
    last(run).position[body] - run[0].position[body]
}

/// Mean of the forces from below over the last `span` seconds.
fn mean_force(run: &[Sample], body: usize, span: f64) -> f64 {
    let from = last(run).time - span;
    let counted: Vec<f64> = run.iter().filter(|s| s.time > from).map(|s| s.from_below[body]).collect();
    counted.iter().sum::<f64>() / counted.len() as f64
}

/// How far a body's z axis leans from the plane's normal.
fn lean(trial: &Trial<'_>, rotation: DQuat) -> f64 {
    (rotation * DVec3::Z).angle_between(trial.scene.normal)
}

#[derive(Deserialize)]
struct ByFamily<T> {
    penalty: T,
    lcp: T,
}

impl<T> ByFamily<T> {
    fn of(self, trial: &Trial<'_>) -> T {
        if trial.is_rigid() { self.lcp } else { self.penalty }
    }
}

fn sphere_rest(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Sunk {
        penetration: f64,
    }
    #[derive(Deserialize)]
    struct Expected {
        #[serde(flatten)]
        sunk: ByFamily<Sunk>,
        normal_force: f64,
        average_force_over_last: f64,
    }
    let e: Expected = trial.expected()?;
    let radius = trial.radius()?;
    let run = trial.run(trial.case.duration)?;
    let end = last(&run);
    let sunk = radius - trial.scene.height(end.position[0]);
    let expected = e.sunk.of(trial).penetration;
    Ok(vec![
        one("penetration_relative", relative(sunk, expected)),
        one("penetration_absolute", (sunk - expected).abs()),
        one(
            "mean_normal_force_relative",
            relative(mean_force(&run, 0, e.average_force_over_last), e.normal_force),
        ),
        one("speed", end.velocity[0].linear.length()),
    ])
}

fn incline(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        down: [f64; 3],
        acceleration: f64,
        distance: f64,
        speed: f64,
    }
    let e: Expected = trial.expected()?;
    let down = DVec3::from(e.down);
    let run = trial.run(trial.case.duration)?;
    let end = last(&run);
    let moved = trial.scene.along(way(&run, 0));
    let speed = |s: &Sample| s.velocity[0].linear.dot(down);
    // The second half, when the box has sunk in.
    let middle = &run[run.len() / 2];
    let acceleration = (speed(end) - speed(middle)) / (end.time - middle.time);
    Ok(vec![
        one("distance_absolute", (moved.dot(down) - e.distance).abs()),
        one("speed", (end.velocity[0].linear - down * e.speed).length()),
        one("acceleration_relative", relative(acceleration, e.acceleration)),
        one("lateral", (moved - down * moved.dot(down)).length()),
    ])
}

fn bounce(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        impact_times: Vec<f64>,
        apex_heights: Vec<f64>,
        ratio: f64,
    }
    let e: Expected = trial.expected()?;
    let radius = trial.radius()?;
    // Impacts may come late; that is for the tolerance to judge, not for the end of the run.
    let run = trial.run(trial.case.duration * 1.2)?;
    let rise = |s: &Sample| s.velocity[0].linear.dot(trial.scene.normal);
    // An impact takes the fall away within a step: gravity alone never makes a falling ball slower.
    let impacts: Vec<usize> = (1..run.len())
        .filter(|&k| rise(&run[k - 1]) < -1e-2 && rise(&run[k]) > 0.5 * rise(&run[k - 1]))
        .collect();
    let mut times = Vec::new();
    let mut heights = Vec::new();
    for (i, &time) in e.impact_times.iter().enumerate() {
        times.push(impacts.get(i).map_or(f64::INFINITY, |&k| (run[k].time - time).abs()));
    }
    for (i, &height) in e.apex_heights.iter().enumerate() {
        heights.push(impacts.get(i).map_or(f64::INFINITY, |&k| {
            let until = impacts.get(i + 1).copied().unwrap_or(run.len());
            let above = |s: &Sample| trial.scene.height(s.position[0]) - radius;
            let apex = run[k..until].iter().map(above).fold(f64::NEG_INFINITY, f64::max);
            (apex - height).abs()
        }));
    }
    // Fastest fall before the ball first rises, fastest rise afterwards.
    let turn = run.iter().position(|s| rise(s) > 0.0).unwrap_or(run.len());
    let before = run[..turn].iter().map(rise).fold(0.0, f64::min);
    let next = run[turn..].iter().position(|s| rise(s) < 0.0).map_or(run.len(), |k| turn + k);
    let after = run[turn..next].iter().map(rise).fold(0.0, f64::max);
    Ok(vec![
        ("impact_time_absolute", times),
        ("apex_height_absolute", heights),
        one("restitution_absolute", (after / -before - e.ratio).abs()),
    ])
}

fn slide_to_rest(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        distance: f64,
        stop_time: f64,
        final_speed: f64,
    }
    let e: Expected = trial.expected()?;
    let run = trial.run(trial.case.duration)?;
    let start = run[0].velocity[0].linear;
    let ahead = start.normalize_or_zero();
    let moved = trial.scene.along(way(&run, 0));
    // Along the plane: what still sinks into its springs no longer slides.
    let slides = |s: &Sample| trial.scene.along(s.velocity[0].linear).length();
    let stopped = run.iter().find(|s| slides(s) < 0.01 * start.length());
    Ok(vec![
        one("distance_absolute", (moved.dot(ahead) - e.distance).abs()),
        one("stop_time_absolute", stopped.map_or(f64::INFINITY, |s| (s.time - e.stop_time).abs())),
        one("final_speed", (last(&run).velocity[0].linear.length() - e.final_speed).abs()),
        one("lateral", (moved - ahead * moved.dot(ahead)).length()),
    ])
}

fn slip_to_roll(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        initial_slip: f64,
        slip_time: f64,
        final_speed: f64,
    }
    let e: Expected = trial.expected()?;
    let radius = trial.radius()?;
    let run = trial.run(trial.case.duration)?;
    // It touches with its lowest point, also where it has sunk in.
    let slip = |s: &Sample| {
        let arm = trial.scene.normal * -radius;
        trial.scene.along(s.velocity[0].at(arm).linear).length()
    };
    // As with sliding boxes: below a hundredth of what it was.
    let rolls = run.iter().find(|s| slip(s) < 0.01 * e.initial_slip.abs());
    let speed = trial.scene.along(last(&run).velocity[0].linear).length();
    Ok(vec![
        one("final_speed_absolute", (speed - e.final_speed.abs()).abs()),
        one("slip_time_absolute", rolls.map_or(f64::INFINITY, |s| (s.time - e.slip_time).abs())),
        one("slip_speed_final", slip(last(&run))),
    ])
}

fn box_stack(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Heights {
        centre_heights: Vec<f64>,
    }
    #[derive(Deserialize)]
    struct Expected {
        interface_forces: Vec<f64>,
        ground_force: f64,
        #[serde(flatten)]
        heights: ByFamily<Heights>,
        average_force_over_last: f64,
    }
    let e: Expected = trial.expected()?;
    let heights = e.heights.of(trial).centre_heights;
    let n = trial.case.bodies.len();
    if heights.len() != n || e.interface_forces.len() != n {
        let problem = format!("expected one number per body ({n})");
        return Err(malformed(trial.path, format!("{}.expected", trial.field), problem).into());
    }
    let run = trial.run(trial.case.duration)?;
    let end = last(&run);
    let force = |i: usize| mean_force(&run, i, e.average_force_over_last);
    let each = |value: &dyn Fn(usize) -> f64| (0..n).map(value).collect::<Vec<f64>>();
    Ok(vec![
        one("ground_force_relative", relative(force(0), e.ground_force)),
        ("interface_force_relative", each(&|i| relative(force(i), e.interface_forces[i]))),
        ("height_absolute", each(&|i| (trial.scene.height(end.position[i]) - heights[i]).abs())),
        ("lateral", each(&|i| trial.scene.along(way(&run, i)).length())),
        ("tilt", each(&|i| lean(trial, end.rotation[i]))),
    ])
}

fn friction_cone(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        directions_deg: Vec<f64>,
        initial_speed: f64,
        distance: f64,
    }
    let e: Expected = trial.expected()?;
    let start = trial.scene.along(trial.case.initial[0].linear_velocity.into()).normalize_or(DVec3::X);
    let mut distances = Vec::new();
    let mut turned: Vec<f64> = Vec::new();
    for degrees in &e.directions_deg {
        let ahead = DQuat::from_axis_angle(trial.scene.normal, degrees.to_radians()) * start;
        let run = trial.run_from(trial.case.duration, |_| ahead * e.initial_speed)?;
        let moved = trial.scene.along(way(&run, 0));
        distances.push(moved.length());
        turned.push(moved.angle_between(ahead).to_degrees());
    }
    let longest = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shortest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(vec![
        ("distance_absolute", distances.iter().map(|d| (d - e.distance).abs()).collect()),
        one("spread_relative", (longest - shortest) / e.distance),
        ("direction_deg", turned),
    ])
}

fn incline_roll(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        down: [f64; 3],
        spin_axis: [f64; 3],
        distance: f64,
        speed: f64,
        spin: f64,
    }
    let e: Expected = trial.expected()?;
    let run = trial.run(trial.case.duration)?;
    let end = last(&run);
    let down = DVec3::from(e.down);
    Ok(vec![
        one("distance_absolute", (way(&run, 0).dot(down) - e.distance).abs()),
        one("speed_relative", relative(end.velocity[0].linear.dot(down), e.speed)),
        one("spin_relative", relative(end.velocity[0].angular.dot(e.spin_axis.into()), e.spin)),
    ])
}

fn incline_tip(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        tips: bool,
        #[serde(rename = "time_to_tilt_0.4_rad")]
        time: Option<f64>,
    }
    let e: Expected = trial.expected()?;
    // A box that tips late must be seen to.
    let run = trial.run(trial.case.duration * if e.tips { 1.5 } else { 1.0 })?;
    let largest = run.iter().map(|s| lean(trial, s.rotation[0])).fold(0.0, f64::max);
    let passed = run.windows(2).find_map(|pair| {
        let (a, b) = (lean(trial, pair[0].rotation[0]), lean(trial, pair[1].rotation[0]));
        (b >= 0.4).then(|| pair[0].time + (pair[1].time - pair[0].time) * (0.4 - a) / (b - a))
    });
    // Springs are measured against a box on springs (`tipping.rs`), the fixture's time being that of a rigid edge.
    let time = e
        .time
        .and_then(|rigid| tipping(trial).map_or(Some(rigid), |tipping| tipping.time_to(0.4, 3.0 * rigid)));
    let late = match (time, passed) {
        (Some(time), Some(passed)) => relative(passed, time),
        _ => f64::INFINITY,
    };
    Ok(vec![one("tilt", largest), one("time_relative", late)])
}

/// The box of the case on the springs of the case, if these are to be followed. Downhill is its x.
fn tipping(trial: &Trial<'_>) -> Option<Tipping> {
    let (body, start, surface) = (&trial.case.bodies[0], &trial.case.initial[0], &trial.case.contact);
    let (Some([width, _, height]), Some(stiffness), false) = (body.size, surface.stiffness, trial.is_rigid())
    else {
        return None;
    };
    let gravity = DVec3::from(trial.case.gravity);
    Some(Tipping {
        size: DVec2::new(width, height),
        mass: body.mass,
        inertia: body.inertia[1],
        gravity: DVec2::new(trial.scene.along(gravity).length(), gravity.dot(trial.scene.normal)),
        // Two corners to an edge.
        spring: (2.0 * stiffness, 2.0 * surface.damping.unwrap_or(0.0)),
        friction: surface.friction,
        height: trial.scene.height(start.position.into()),
    })
}

fn two_spheres(trial: &Trial<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Expected {
        velocities_after_x: [f64; 2],
        momentum_x: f64,
    }
    let e: Expected = trial.expected()?;
    if trial.case.bodies.len() != 2 {
        let problem = format!("has {} bodies, expected 2", trial.case.bodies.len());
        return Err(malformed(trial.path, format!("{}.bodies", trial.field), problem).into());
    }
    let run = trial.run(trial.case.duration)?;
    let v = |i: usize| last(&run).velocity[i].linear.x;
    let momentum: f64 = (0..2).map(|i| trial.case.bodies[i].mass * v(i)).sum();
    Ok(vec![
        ("velocity_absolute", (0..2).map(|i| (v(i) - e.velocities_after_x[i]).abs()).collect()),
        one("momentum_absolute", (momentum - e.momentum_x).abs()),
    ])
}
