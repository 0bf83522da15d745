//! Writes the standard figures as `.tree` files, the neutral text format the other engines' benches read:
//! one body per line, `body ID NAME PARENT  anchor(3)  mass com(3) inertia(3)  kp kd damp  joint … geom …`.

use std::fmt::Write;
use std::path::PathBuf;

use stuntlab_benches::dynamics_figures;
use stuntlab_benches::scenes::{character_places, loose_bodies, terrain};
use stuntlab_physics::JointKind;
use stuntlab_physics::figures::{Figure, Solid};

fn main() -> std::io::Result<()> {
    let dir = PathBuf::from(std::env::args().nth(1).expect("usage: export_trees DIR"));
    std::fs::create_dir_all(&dir)?;
    for figure in dynamics_figures() {
        std::fs::write(dir.join(format!("{}.tree", figure.name)), tree(&figure))?;
    }
    std::fs::write(dir.join("game_scene.txt"), game_scene())?;
    std::fs::write(dir.join("terrain.txt"), terrain_text())
}

/// The characters and loose bodies of the game scene, a line each.
fn game_scene() -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    for p in character_places() {
        line(format!("character bones36 {} {} {}", p.x, p.y, p.z));
    }
    for body in loose_bodies() {
        let p = body.position;
        let size = match body.size {
            Ok(half) => format!("box {} {} {}", half.x, half.y, half.z),
            Err(radius) => format!("sphere {radius}"),
        };
        line(format!("{size} {} {} {} {}", body.mass, p.x, p.y, p.z));
    }
    out
}

/// Rows, columns, half extents, then the heights row by row.
fn terrain_text() -> String {
    let heights = terrain();
    let side = heights.len().isqrt();
    let half = 0.2 * (side - 1) as f64;
    let mut out = format!("{side} {side} {half} {half}\n");
    for row in heights.chunks(side) {
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        out.push_str(&row.join(" "));
        out.push('\n');
    }
    out
}

fn tree(figure: &Figure) -> String {
    let model = figure.model();
    let carried = figure.carried_inertia();
    let mut out = format!("model {} bodies {} dofs {}\n", figure.name, model.n_bodies(), model.n_v());
    for (i, part) in figure.parts.iter().enumerate() {
        let parent = part.parent.as_ref().map_or(-1, |name| {
            figure.parts.iter().position(|p| p.name == *name).expect("parents come first") as i64
        });
        let body = model.body(model.find(&part.name).expect("every part is a body"));
        let (p, c) = (part.joint.parent_from_joint.translation, part.center);
        let r = body.inertia().rotational;
        // Natural frequency 20 rad/s, critically damped; ragdoll damping 2/s.
        let (kp, kd, damp) = if parent < 0 && part.joint.kind == JointKind::Free {
            (0.0, 0.0, 0.0)
        } else {
            (400.0 * carried[i], 40.0 * carried[i], 2.0 * carried[i])
        };
        let joint = match part.joint.kind {
            JointKind::Free => "free".to_owned(),
            JointKind::Spherical => "ball".to_owned(),
            JointKind::Revolute { axis } => format!("hinge 1 {} {} {}", axis.x, axis.y, axis.z),
            JointKind::Universal { axes: [a, b] } => {
                format!("hinge 2 {} {} {} {} {} {}", a.x, a.y, a.z, b.x, b.y, b.z)
            }
            other => panic!("no tree notation for a {} joint", other.name()),
        };
        let geom = match part.solid {
            Solid::Box(x, y, z) => format!("box {x} {y} {z}"),
            Solid::Capsule(axis, radius, half) => format!("capsule {axis} {radius} {half}"),
        };
        writeln!(
            out,
            "body {i} {} {parent} {} {} {} {} {} {} {} {} {} {} {kp} {kd} {damp} joint {joint} geom {geom} {} {} {}",
            part.name, p.x, p.y, p.z, part.mass, c.x, c.y, c.z, r.xx, r.yy, r.zz, c.x, c.y, c.z
        )
        .expect("writing to a string cannot fail");
    }
    out
}
