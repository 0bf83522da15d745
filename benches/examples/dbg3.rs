use stuntlab_benches::scenes::*;
use stuntlab_physics::*;
fn main() {
    let mut s = game_scene(Formulation::ImplicitPenalty, std::env::args().nth(1).unwrap().parse().unwrap());
    s.options.ledger = true;
    for k in 0..600 {
        let r = s.step().unwrap();
        if k >= 540 && k % 3 == 0 {
            print!(
                "{k} KE {:.1} p{} con {:.2} act {:.2} ",
                s.kinetic_energy(),
                r.passes,
                r.ledger.work(step::Account::Contact),
                r.ledger.work(step::Account::Actuation)
            );
            for c in 0..5 {
                let t = s.model.trees()[c].clone();
                let mut w = (0.0, 0);
                for i in t {
                    let v = s.data.velocity.body[i].linear.length();
                    if v > w.0 {
                        w = (v, i);
                    }
                }
                print!("{}:{:.2} ", s.model.bodies()[w.1].name(), w.0);
            }
            println!();
        }
    }
}
