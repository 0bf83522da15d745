//! The smallest case that still breaks in the same way.

use std::time::{Duration, Instant};

use stuntlab_physics::Limits;
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Inertia;

use super::{Case, Drive, Fault, run};

/// Cuts whatever can go without the fault changing its kind, for so long.
pub fn reduced(case: &Case, fault: &Fault, time: Duration) -> Case {
    let (clock, mut best) = (Instant::now(), case.clone());
    loop {
        let mut changed = false;
        for edit in edits(&best) {
            if clock.elapsed() > time {
                return best;
            }
            let mut cut = best.clone();
            // Edits are numbered by the body they were made for; a cut before them may have moved it.
            edit(&mut cut);
            if run(&cut).fault.is_some_and(|f| f.name() == fault.name()) && shorter(&cut, &best) {
                (best, changed) = (cut, true);
            }
        }
        if !changed {
            return best;
        }
    }
}

type Edit = Box<dyn Fn(&mut Case)>;

/// Ways to simplify, the largest first.
fn edits(case: &Case) -> Vec<Edit> {
    let mut all: Vec<Edit> = vec![
        Box::new(|c| c.self_collision = false),
        Box::new(|c| c.ground.clear()),
        Box::new(|c| c.ground.iter_mut().for_each(|g| g.shape = Shape::Plane)),
        Box::new(|c| c.holds.clear()),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.1 = Drive::None)),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.0.joint.limits = Limits::Unlimited)),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.0.joint.stiffness = [0.0; 6])),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.0.joint.damping = [0.0; 6])),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.0.joint.armature = [0.0; 6])),
        Box::new(|c| c.bodies.iter_mut().for_each(|b| b.0.joint.effort_limit = [f64::INFINITY; 6])),
        Box::new(|c| {
            let plain = |s: &mut stuntlab_physics::ShapeSpec| s.material = Material::default();
            c.ground.iter_mut().for_each(plain);
            c.bodies.iter_mut().for_each(|b| b.0.shapes.iter_mut().for_each(plain));
        }),
    ];
    for (spec, ..) in &case.bodies {
        let name = spec.name.clone();
        all.push(Box::new(move |c| drop_tree(c, &name)));
    }
    for k in 0..case.holds.len() {
        all.push(Box::new(move |c| {
            if k < c.holds.len() {
                c.holds.remove(k);
            }
        }));
    }
    for (spec, ..) in &case.bodies {
        let name = spec.name.clone();
        let on = |edit: fn(&mut (stuntlab_physics::BodySpec, Drive, Vec<f64>))| -> Edit {
            let name = name.clone();
            Box::new(move |c| c.bodies.iter_mut().filter(|b| b.0.name == name).for_each(edit))
        };
        all.push(on(|b| b.0.shapes.clear()));
        all.push(on(|b| b.0.shapes.iter_mut().for_each(|s| s.shape = Shape::Sphere { radius: 0.1 })));
        all.push(on(|b| b.1 = Drive::None));
        all.push(on(|b| b.2.fill(0.0)));
        all.push(on(|b| b.0.joint.limits = Limits::Unlimited));
        all.push(on(|b| b.0.joint.stiffness = [0.0; 6]));
        all.push(on(|b| b.0.inertia = Inertia::solid_sphere(b.0.inertia.mass, 0.1)));
        all.push(on(|b| b.0.inertia = Inertia::solid_sphere(1.0, 0.1)));
        all.push(on(|b| b.0.joint.parent_from_joint.rotation = DMat3::IDENTITY));
        all.push(on(|b| b.2.iter_mut().for_each(|x| *x = x.round())));
        all.push(on(|b| {
            let at = &mut b.0.joint.parent_from_joint.translation;
            *at = (*at * 10.0).round() / 10.0;
        }));
    }
    all
}

/// Takes a body out with all it carries.
fn drop_tree(case: &mut Case, name: &str) {
    let mut gone = vec![name.to_owned()];
    case.bodies.retain(|(spec, ..)| {
        let goes = spec.name == name || spec.parent.as_ref().is_some_and(|p| gone.contains(p));
        if goes {
            gone.push(spec.name.clone());
        }
        !goes
    });
    let lost = |name: &String| gone.contains(name);
    case.holds.retain(|h| !lost(&h.body) && !h.to.as_ref().is_some_and(lost));
}

/// Whether `a` says less than `b`.
fn shorter(a: &Case, b: &Case) -> bool {
    let words = |case: &Case| -> usize {
        let of_body = |(spec, drive, rates): &(stuntlab_physics::BodySpec, Drive, Vec<f64>)| {
            let joint = &spec.joint;
            let placed = &joint.parent_from_joint;
            let digits = |x: f64| usize::from(x != (x * 10.0).round() / 10.0);
            let round = |v: DVec3| v.to_array().into_iter().map(digits).sum::<usize>();
            20 + 5 * spec.shapes.len()
                + spec.shapes.iter().filter(|s| !matches!(s.shape, Shape::Sphere { radius: 0.1 })).count()
                + 2 * spec.shapes.iter().filter(|s| s.material != Material::default()).count()
                + 3 * usize::from(*drive != Drive::None)
                + rates
                    .iter()
                    .map(|&x| 2 * usize::from(x != 0.0) + usize::from(x != x.round()))
                    .sum::<usize>()
                + 3 * usize::from(joint.limits != Limits::Unlimited)
                + 2 * usize::from(joint.stiffness != [0.0; 6])
                + usize::from(joint.damping != [0.0; 6])
                + usize::from(joint.armature != [0.0; 6])
                + usize::from(joint.effort_limit != [f64::INFINITY; 6])
                + 2 * usize::from(placed.rotation != DMat3::IDENTITY)
                + round(placed.translation)
                + usize::from(spec.inertia != Inertia::solid_sphere(spec.inertia.mass, 0.1))
                + usize::from(spec.inertia.mass != 1.0)
        };
        case.bodies.iter().map(of_body).sum::<usize>()
            + case.ground.iter().map(|g| 3 + 5 * usize::from(!matches!(g.shape, Shape::Plane))).sum::<usize>()
            + 5 * case.holds.len()
            + usize::from(case.self_collision)
    };
    words(a) < words(b)
}
