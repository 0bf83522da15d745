//! How hard a standing character may be pushed, from where, before it falls: survival over direction and impulse.
//!
//! The library's figure stands in its idle motion under two control laws and is pushed once at the root, for a tenth of a
//! second. Directions and impulses form a grid; in every cell the moment of the push and how far its direction is off are
//! samples that fill their ranges evenly, the same for all cells and laws.

use std::path::Path;

use serde_json::json;
use stuntlab_viewer::plot::{HeatMap, LinePlot};

use super::{
    Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial, grid, latin_hypercube,
};
use crate::disk;
use crate::run::{Run, variants_of};
use crate::scene::Scene;
use crate::stats::Estimate;
use crate::tune::space::{Range, Scale};

/// The study's row.
pub const STUDY: Study = Study {
    name: "stand-atlas",
    help: "Survival of a standing character over direction and impulse of a push, in world and parent space",
    plan,
    run,
    files: || PICTURES.iter().flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]).collect(),
    report,
};

/// The control laws, as scenes call them: Dynamo's world space, and joint angles.
const LAWS: [&str; 2] = ["external", "parent-space"];
/// Names of the pictures: a map for each law, and both over the impulse.
const PICTURES: [&str; 3] = [LAWS[0], LAWS[1], "survival"];
const FACTORS: [&str; 6] = ["law", "direction_deg", "impulse_Ns", "sample", "time_s", "aside_deg"];
const OUTCOMES: [Measured; 3] = [
    Measured { name: "survived", unit: "", kind: Kind::Rate },
    Measured { name: "tilt", unit: "deg", kind: Kind::Mean },
    Measured { name: "travel", unit: "m", kind: Kind::Mean },
];

fn plan(size: Size) -> Plan {
    let (directions, impulses, samples) = match size {
        Size::Full => (12, (1..=12).map(|k| 20.0 * f64::from(k)).collect(), 20),
        Size::Quick => (4, vec![60.0, 180.0], 2),
    };
    let directions = (0..directions).map(|k| format!("{:?}", 360.0 * f64::from(k) / f64::from(directions)));
    let spell = |numbers: Vec<f64>| -> Vec<String> { numbers.iter().map(|x| format!("{x:?}")).collect() };
    // A second of standing first, over half a period of the idle motion; a few degrees off, as hands are.
    let ranges = [
        Range { lower: 1.0, upper: 2.0, scale: Scale::Linear },
        Range { lower: -10.0, upper: 10.0, scale: Scale::Linear },
    ];
    let luck = latin_hypercube(samples, &ranges, 1, "stand-atlas");
    let cells = grid(&[LAWS.map(str::to_owned).to_vec(), directions.collect(), spell(impulses)]);
    let trials = cells.into_iter().flat_map(|cell| {
        let with = |(k, point): (usize, &Vec<f64>)| {
            [cell.clone(), vec![k.to_string()], spell(point.clone())].concat()
        };
        luck.iter().enumerate().map(with).collect::<Vec<_>>()
    });
    Plan::new(&FACTORS, &FACTORS[3..], &OUTCOMES, trials)
}

/// The scene of a trial; `None` where it is not one of this study.
fn scene_text(trial: &Trial) -> Option<String> {
    let law = trial.0.first()?;
    let (direction, impulse): (f64, f64) = (trial.get(1)?, trial.get(2)?);
    let (time, aside): (f64, f64) = (trial.get(4)?, trial.get(5)?);
    let (sin, cos) = (direction + aside).to_radians().sin_cos();
    let mut text = format!(
        "schema = 1\nshows = \"a push\"\nduration = {:?}\nrate = 120\n\
         [[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"library\"\nmotion = {{ clip = \"idle\", cyclic = true }}\n\
         controller = {{ kind = \"dynamo\", application = \"{law}\" }}\n\
         [[event]]\nkind = \"push\"\ntime = {time:?}\nbody = \"it\"\nduration = 0.1\nimpulse = [{:?}, {:?}, 0.0]\n",
        // Whoever has not fallen two seconds after the push will not.
        time + 2.0,
        impulse * cos,
        impulse * sin,
    );
    for (quantity, stat) in [("falls", "max"), ("root-tilt", "max"), ("travel", "last")] {
        text +=
            &format!("[[measure]]\nquantity = \"{quantity}\"\nof = \"it\"\nstat = \"{stat}\"\nmax = 1e12\n");
    }
    Some(text)
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let Some(text) = scene_text(trial) else { return Ok(vec![f64::NAN; OUTCOMES.len()]) };
    let scene = Scene::parse("stand-atlas.toml", &text, &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    run.advance_to(scene.duration);
    let metrics = run.metrics();
    let read = |quantity: &str| {
        metrics.measurements.iter().find(|m| m.quantity == quantity).and_then(|m| m.value).unwrap_or(f64::NAN)
    };
    let survived = metrics.failures.is_empty() && read("falls") == 0.0;
    Ok(vec![f64::from(u8::from(survived)), read("root-tilt").to_degrees(), read("travel")])
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let plan = &results.plan;
    for law in LAWS {
        let map = heat_map(results, law);
        disk::write(&dir.join(format!("{law}.svg")), map.to_svg(720, 440).as_bytes())?;
        disk::write_picture(&dir.join(format!("{law}.png")), &map.to_canvas(720, 440))?;
    }
    let table = Table::by(results, &["law", "impulse_Ns"], |_| true);
    let plot = line_plot(plan, &table);
    disk::write(&dir.join("survival.svg"), plot.to_svg(720, 440).as_bytes())?;
    disk::write_picture(&dir.join("survival.png"), &plot.to_canvas(720, 440))?;
    let mut text = "survival, all directions (95 % interval)\nimpulse, N s".to_owned();
    LAWS.iter().for_each(|law| text += &format!("  {law:>22}"));
    text.push('\n');
    for impulse in plan.values(2) {
        text += &format!("{impulse:>12}");
        for law in LAWS {
            if let Some(e) = table.cell(&[law, impulse]).map(|c| c.estimates[0]) {
                text += &format!("  {:>6.2} ({:.2} to {:.2})", e.value, e.low, e.high);
            }
        }
        text.push('\n');
    }
    Ok(Report { text, json: json!(table.to_json()) })
}

fn heat_map(results: &Results, law: &str) -> HeatMap {
    let plan = &results.plan;
    let table = Table::by(results, &["direction_deg", "impulse_Ns"], |t| t.0[0] == law);
    let (columns, rows): (Vec<&str>, Vec<&str>) =
        (plan.values(1), plan.values(2).into_iter().rev().collect());
    let estimates: Vec<Option<Estimate>> = rows
        .iter()
        .flat_map(|impulse| columns.iter().map(move |direction| (direction, impulse)))
        .map(|(direction, impulse)| table.cell(&[direction, impulse]).map(|c| c.estimates[0]))
        .collect();
    let whole = |number: &&str| number.trim_end_matches(".0").to_owned();
    HeatMap {
        title: format!("Survival of a push, {law} control (95 % intervals)"),
        x_label: "direction of the push against the character's heading, °".to_owned(),
        y_label: "impulse, N s".to_owned(),
        values: estimates.iter().map(|e| e.map_or(f64::NAN, |e| e.value)).collect(),
        intervals: estimates.iter().map(|e| e.map_or((f64::NAN, f64::NAN), |e| (e.low, e.high))).collect(),
        columns: columns.iter().map(whole).collect(),
        rows: rows.iter().map(whole).collect(),
        range: Some((0.0, 1.0)),
        unit: "share that stays up".to_owned(),
    }
}

fn line_plot(plan: &Plan, table: &Table) -> LinePlot {
    let title = "Survival of a push from any direction (95 % intervals)";
    let plot = LinePlot::new(title, "impulse, N s", "share that stays up");
    LAWS.iter().fold(LinePlot { y_range: Some((0.0, 1.0)), ..plot }, |plot, law| {
        let point = |impulse: &str| {
            let e = table.cell(&[law, impulse])?.estimates[0];
            Some((impulse.parse().ok()?, e.value, e.low, e.high))
        };
        let points: Vec<(f64, f64, f64, f64)> = plan.values(2).into_iter().filter_map(point).collect();
        plot.estimates(*law, &points)
    })
}
