//! Numbers from elsewhere: the reference fixtures, and the trees other engines are measured with.

use std::path::Path;

use stuntlab_physics::figures::{self, Figure};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{JointKind, Model};
use stuntlab_tests::shared;

#[test]
fn reference_fixtures_are_met() {
    let Some(dir) = shared("reference") else { return };
    let report = stuntlab::verify::verify(&dir).expect("readable fixtures");
    assert!(report.passed(), "{report}");
    assert!(report.lines().count() > 10, "{report}");
}

/// A body of a `.tree` file.
struct Part {
    name: String,
    parent: Option<usize>,
    anchor: DVec3,
    mass: f64,
    center: DVec3,
    principal: DVec3,
    joint: String,
    axes: Vec<DVec3>,
}

/// Reads the neutral text format: a line per body, parents first.
fn read_tree(path: &Path) -> Vec<Part> {
    let text = std::fs::read_to_string(path).expect("a readable tree");
    text.lines()
        .filter(|line| line.starts_with("body "))
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |k: usize| words[k].parse::<f64>().expect("a number");
            let vector = |k: usize| DVec3::new(number(k), number(k + 1), number(k + 2));
            let at = words.iter().position(|w| *w == "joint").expect("a joint");
            let n_axes = if words[at + 1] == "hinge" { number(at + 2) as usize } else { 0 };
            Part {
                name: words[2].to_owned(),
                parent: words[3].parse().ok(),
                anchor: vector(4),
                mass: number(7),
                center: vector(8),
                principal: vector(11),
                joint: words[at + 1].to_owned(),
                axes: (0..n_axes).map(|k| vector(at + 3 + 3 * k)).collect(),
            }
        })
        .collect()
}

/// Equal to the nine significant digits that the files have.
fn assert_close(what: &str, name: &str, found: DVec3, expected: DVec3) {
    for (a, b) in found.to_array().iter().zip(expected.to_array()) {
        assert!((a - b).abs() <= 6e-9 * b.abs() + 1e-12, "{what} of {name}: {found}, expected {expected}");
    }
}

fn check_figure(figure: &Figure, file: &str) {
    let Some(path) = shared(&format!("peers/models/gen/{file}.tree")) else { return };
    let parts = read_tree(&path);
    let model: Model = figure.model();
    assert_eq!(model.n_bodies(), parts.len(), "{file}");
    for part in &parts {
        let name = &part.name;
        let id = model.find(name).unwrap_or_else(|| panic!("{file} has a body {name}"));
        let body = model.body(id);
        let parent = body.parent().map(|p| model.body(p).name());
        assert_eq!(parent, part.parent.map(|p| parts[p].name.as_str()), "parent of {name}");
        let (joint, inertia) = (body.joint(), body.inertia());
        assert_close("mass", name, DVec3::splat(inertia.mass), DVec3::splat(part.mass));
        assert_close("centre", name, inertia.center_of_mass, part.center);
        let r = inertia.rotational;
        assert_close("inertia", name, DVec3::new(r.xx, r.yy, r.zz), part.principal);
        assert_eq!([r.xy, r.xz, r.yz], [0.0; 3], "inertia of {name}");
        let (kind, axes) = match joint.kind {
            JointKind::Free => ("free", vec![]),
            JointKind::Spherical => ("ball", vec![]),
            JointKind::Revolute { axis } => ("hinge", vec![axis]),
            JointKind::Universal { axes } => ("hinge", axes.to_vec()),
            other => panic!("{name} has a {} joint", other.name()),
        };
        assert_eq!(kind, part.joint, "joint of {name}");
        assert_eq!(axes, part.axes, "axes of {name}");
        // A floating root may stand anywhere: its anchor is where the figure says at zero.
        assert_close("anchor", name, joint.parent_from_joint.translation, part.anchor);
    }
}

#[test]
fn the_humanoid_is_the_one_others_are_measured_with() {
    check_figure(&figures::humanoid37(), "humanoid37");
}

#[test]
fn the_36_bones_are_those_others_are_measured_with() {
    check_figure(&figures::bones36(), "bones36");
}

#[test]
fn the_chains_are_those_others_are_measured_with() {
    for n in [4, 8, 16, 32, 64, 128] {
        check_figure(&figures::chain(n), &format!("chain_rev_{n}"));
        check_figure(&figures::ball_chain(n), &format!("chain_ball_{n}"));
    }
}
