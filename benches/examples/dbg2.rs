use stuntlab_benches::scenes::*;
use stuntlab_physics::*;
fn main() {
    let mut s = game_scene(Formulation::ImplicitPenalty, std::env::args().nth(1).unwrap().parse().unwrap());
    for k in 0..480 {
        s.step().unwrap();
        if k >= 360 && k % 20 == 0 {
            let mut c: Vec<_> = s.data.contact.points.iter().collect();
            c.sort_by(|a, b| b.depth.total_cmp(&a.depth));
            for c in c.iter().take(2) {
                let n = |b: usize| s.model.bodies()[b].name().to_owned();
                println!(
                    "{k} depth {:.4} {} {} n {:?} phase {:?} f {:.1} p {:.2}",
                    c.depth,
                    n(c.body_a),
                    c.body_b.map_or("world".into(), n),
                    c.normal.to_array().map(|x| (x * 100.).round() / 100.),
                    c.phase,
                    c.force.length(),
                    c.point
                );
            }
            println!("contacts {} static {}", s.data.contact.points.len(), s.data.contact.n_static);
        }
    }
}
