//! What random hits do to characters that answer (Nguyen et al. 2011): whether they are back in their motion, fall, pop or slide, and
//! how much of them is simulated for it.
//!
//! A trial lets the library's figure play a clip, hits it once and looks on until two seconds after the hit is over. A twin that nobody
//! hits runs beside it: being back is being as it is. Hits are drawn from their seeds: clip, body, point, direction, impulse, time, by hand
//! or by a ball. Of three seeds one is held back from tuning (`set`). A second part strikes every body of the idle figure from four sides:
//! which limbs answer. A third is the random hits again with the other estimate of what the motion's joints bear, a fourth hits clips that nothing was
//! tuned on.
//!
//! | file | what |
//! |---|---|
//! | `hit` | the plan: hits and their scenes |
//! | `watch` | what is measured in a trial |
//! | `marks` | what was promised, and whether it holds |
//! | `cost` | what steps take: of this machine, therefore no part of the results |
//! | `pictures` | curves |

mod cost;
mod hit;
mod marks;
mod pictures;
mod watch;

use std::path::Path;

use serde_json::json;

use super::{Mark, Plan, Report, Results, Size, Study, StudyError, Table, Trial};
use hit::Hit;

/// The study's row.
pub const STUDY: Study = Study {
    name: "adaptive-study",
    help: "Characters that answer under random hits: back in their motion, falls, pops, slides, joints that are simulated, and what steps take",
    plan,
    run,
    files,
    report,
};

fn plan(size: Size) -> Plan {
    Plan::new(&hit::FACTORS, &hit::REPEATS, &watch::OUTCOMES, hit::trials(size))
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    match Hit::of(trial) {
        Some(hit) => watch::run(&hit),
        None => Ok(vec![f64::NAN; watch::OUTCOMES.len()]),
    }
}

fn files() -> Vec<String> {
    pictures::files().into_iter().chain([cost::FILE.to_owned()]).collect()
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let costs = cost::measure()?;
    cost::write(&costs, dir)?;
    pictures::write(results, &costs, dir)?;
    let marks = marks::judge(results, &costs);
    let limbs = Table::by(results, &["body"], |t| t.0[0] == hit::MAP);
    let text =
        Mark::text(&marks) + &marks::map_text(&limbs) + &marks::estimates_text(results) + &cost::text(&costs);
    let json = json!({
        "marks": marks.iter().map(Mark::to_json).collect::<Vec<_>>(),
        "limbs": limbs.to_json(),
    });
    Ok(Report { text, json })
}
