use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::*;
fn main() {
    let which = std::env::args().nth(1).unwrap_or("ragdoll".into());
    let hz: f64 = std::env::args().nth(2).unwrap_or("120".into()).parse().unwrap();
    let form = Formulation::from_name(&std::env::args().nth(3).unwrap_or("implicit-penalty".into())).unwrap();
    let mut b = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).self_collision(false);
    match which.as_str() {
        "ragdoll" => {
            let f = figures::humanoid37();
            let c = f.carried_inertia();
            for (p, i) in f.parts.iter().zip(c) {
                let mut s = p.spec();
                if p.parent.is_some() {
                    s.joint = s.joint.with_damping(2.0 * i);
                } else {
                    s.joint.parent_from_joint.translation.z += 0.1;
                }
                b.push(s);
            }
        }
        "box" => {
            b.push(
                BodySpec::root(
                    "box",
                    Joint::free().at(DVec3::new(0., 0., 1.0)),
                    spatial::Inertia::solid_box(10.0, DVec3::splat(0.2)),
                )
                .with_shape(ShapeSpec::new(Shape::Box { half_extents: DVec3::splat(0.2), rounding: 0.0 })),
            );
        }
        _ => {
            for k in 0..20 {
                b.push(
                    BodySpec::root(
                        format!("box{k}"),
                        Joint::free().at(DVec3::new(0., 0., 0.2 + 0.4 * k as f64)),
                        spatial::Inertia::solid_box(10.0, DVec3::splat(0.2)),
                    )
                    .with_shape(ShapeSpec::new(Shape::Box {
                        half_extents: DVec3::splat(0.2),
                        rounding: 0.0,
                    })),
                );
            }
        }
    }
    let model = b.build().unwrap();
    let mut s = State::new(&model);
    let mut d = Data::new(&model);
    let a = Actuation::new(&model);
    if which == "ragdoll" {
        s.v[3] = 0.2;
        s.v[4] = 0.5;
    }
    let mut o = StepOptions::at_rate(hz).with(form);
    o.ledger = std::env::args().nth(4).is_some();
    let n = (5.0 * hz) as usize;
    let mut worst = 0.0f64;
    let t = std::time::Instant::now();
    let mut passes = 0;
    let mut rows = 0;
    for k in 0..n {
        let r = match step::step(&model, &mut s, &mut d, &a, &o) {
            Ok(r) => r,
            Err(e) => {
                println!("{e}");
                return;
            }
        };
        worst = worst.max(r.deepest);
        passes += r.passes;
        rows += r.rows.iterations;
        if k % (n / 10) == 0 {
            println!(
                "t={:.2} z={:.4} v={:.5} contacts={} passes={} deep={:.5} rows={:?} ledger closure {:.2e}/{:.2e} rem {:.2e} contact {:.3}",
                s.time,
                s.q[2] + model.bodies()[0].joint().parent_from_joint.translation.z,
                s.v.iter().fold(0.0f64, |m, x| m.max(x.abs())),
                r.contacts,
                r.passes,
                r.deepest,
                r.rows,
                r.ledger.closure,
                r.ledger.scale,
                r.ledger.remainder,
                r.ledger.work(step::Account::Contact)
            );
        }
    }
    println!(
        "{:.2} us/step, worst depth {worst:.4}, passes {:.2} iterations {:.1}, end speed {:.6}",
        t.elapsed().as_secs_f64() * 1e6 / n as f64,
        passes as f64 / n as f64,
        rows as f64 / n as f64,
        s.v.iter().fold(0.0f64, |m, x| m.max(x.abs()))
    );
}
