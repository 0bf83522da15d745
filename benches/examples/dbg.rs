use stuntlab_benches::scenes::*;
use stuntlab_physics::step::Account;
use stuntlab_physics::*;
fn main() {
    let mut s = game_scene(Formulation::ImplicitPenalty, std::env::args().nth(1).unwrap().parse().unwrap());
    s.options.ledger = true;
    for k in 0..330 {
        let r = match s.step() {
            Ok(r) => r,
            Err(e) => {
                println!("{e}");
                return;
            }
        };
        let l = r.ledger;
        if l.kinetic.abs() > 300.0 || k % 40 == 0 {
            println!(
                "{k} KE {:.1} dKE {:.2} grav {:.2} act {:.2} contact {:.2} rem {:.2} closure {:.1e} passes {} rows {:?} deepest {:.4}",
                s.kinetic_energy(),
                l.kinetic,
                l.work(Account::Gravity),
                l.work(Account::Actuation),
                l.work(Account::Contact),
                l.remainder,
                l.closure,
                r.passes,
                r.rows,
                r.deepest
            );
            let mut w = (0.0, 0);
            for (i, _b) in s.model.bodies().iter().enumerate() {
                let v = s.data.velocity.body[i];
                let x = v.angular.length();
                if x > w.0 {
                    w = (x, i);
                }
            }
            println!("   fastest spin {:.1} {}", w.0, s.model.bodies()[w.1].name());
        }
        if s.kinetic_energy() > 1e6 {
            return;
        }
    }
}
