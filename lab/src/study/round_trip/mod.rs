//! What random hits do to characters on round trips (Mandel and Zordan 2005): whether and when they are back in their motion, how far they were off it at the
//! splice, whether feet slide and bodies pop there, what strikes the ground first, and what aids it took.
//!
//! Two parts. *Trips*: the library's figure plays a clip and is hit once, by a hand that pushes a body of it, all drawn from seeds; of three seeds one is held back
//! from tuning. *Falls*: it stands, and is shoved at the chest beyond all balance from all sides, and falls by arms that reach, by the table of poses, and limp.
//!
//! | file | what |
//! |---|---|
//! | `hit` | the plan: hits and their scenes |
//! | `watch` | what is measured in a trial |
//! | `splices` | pops and slides at switches |
//! | `marks` | what was promised, and whether it holds |
//! | `cost` | what steps take: of this machine, therefore no part of the results |
//! | `pictures` | curves |

mod cost;
mod hit;
mod marks;
mod pictures;
mod splices;
mod watch;

use std::path::Path;

use serde_json::json;

use super::{Mark, Plan, Report, Results, Size, Study, StudyError, Table, Trial};
use hit::Hit;

/// The study's row.
pub const STUDY: Study = Study {
    name: "round-trip-study",
    help: "Characters on round trips under random hits: share and time of returns, splices, slides, pops, falls with and without life, aids",
    plan,
    run,
    files: || pictures::files().into_iter().chain([cost::FILE.to_owned()]).collect(),
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

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    pictures::write(results, dir)?;
    let costs = cost::measure()?;
    cost::write(&costs, dir)?;
    let mut marks = marks::judge(results);
    marks.extend(cost::judge(&costs));
    let clips = Table::by(results, &["clip", "set"], |t| t.0[0] == hit::TRIPS);
    let falls = Table::by(results, &["fall"], |t| t.0[0] == hit::FALLS);
    let json = json!({
        "marks": marks.iter().map(Mark::to_json).collect::<Vec<_>>(),
        "clips": clips.to_json(),
        "falls": falls.to_json(),
    });
    Ok(Report { text: Mark::text(&marks), json })
}
