//! The log of a world as CSV: time, energies, contacts, centres of mass, sixty times a second.

use std::fmt::Write as _;

use stuntlab_physics::dynamics::{kinetic_energy, potential_energy};
use stuntlab_physics::step::Account;

use super::world::World;

/// Rows per simulated second.
const RATE: f64 = 60.0;

/// A log being written.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    text: String,
    next: f64,
}

impl Log {
    pub(crate) fn new(world: &World) -> Self {
        let mut text =
            "time_s,kinetic_J,potential_J,contacts,deepest_m,passes,row_iterations,pin_error_m".to_owned();
        text.push_str(",substeps,substep_s,row_work,given_up");
        for account in Account::ALL {
            // Writing to a string cannot fail.
            let _ = write!(text, ",work_{}_J", account.name());
        }
        for member in world.cast() {
            for axis in ["x", "y", "z"] {
                let _ = write!(text, ",{}", cell(&format!("{}_com_{axis}_m", member.name)));
            }
        }
        text.push('\n');
        Self { text, next: 0.0 }
    }

    /// Adds a row if it is time for one.
    pub(crate) fn sample(&mut self, world: &World) {
        let time = world.state.time;
        if time + 1e-9 < self.next {
            return;
        }
        self.next += 1.0 / RATE;
        let (model, data) = (world.model(), &world.data);
        let pins = data.reports.pins.iter().map(|p| p.error).fold(0.0, f64::max);
        let _ = write!(
            self.text,
            "{time:.6},{:.9e},{:.9e},{},{:.6e},{},{},{pins:.6e},{},{:.6e},{},{}",
            kinetic_energy(model, data, &world.state.v),
            potential_energy(model, data),
            data.contact.points.iter().filter(|c| c.depth > 0.0).count(),
            world.deepest(),
            world.report.passes,
            world.report.rows.iterations,
            world.report.substeps,
            world.report.substep,
            world.report.rows.work,
            world.report.rows.given_up,
        );
        for account in Account::ALL {
            let _ = write!(self.text, ",{:.6e}", world.ledger.work(account));
        }
        for senses in world.senses() {
            let com = senses.center_of_mass();
            let _ = write!(self.text, ",{:.6},{:.6},{:.6}", com.x, com.y, com.z);
        }
        self.text.push('\n');
    }

    /// All rows so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// A text as a cell of CSV: in quotes where it has a comma or quotes of its own.
pub(super) fn cell(text: &str) -> String {
    let plain = !text.contains([',', '"']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}
