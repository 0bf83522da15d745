//! The study's report for people.

use std::fmt::Write as _;

use super::law::Law;
use super::summary::Summary;
use crate::stats::Estimate;

fn brief(e: &Estimate) -> String {
    format!("{:.1} ({:.1}–{:.1})", e.value, e.low, e.high)
}

fn fine(e: &Estimate) -> String {
    format!("{:.3} ({:.3}–{:.3})", e.value, e.low, e.high)
}

/// Tables of a summary. Writing to a string cannot fail.
pub(super) fn words(summary: &Summary) -> String {
    let mut text = String::new();
    for task in &summary.absent {
        let _ = writeln!(
            text,
            "absent: {task} (data is not here, expected in the folder of STUNTLAB_SHARED or ../shared)"
        );
    }
    let n = summary.scales.len();
    let _ =
        writeln!(text, "neighbouring gain factors that hold, of {n} (95 % interval over pushes); 0 is none");
    let _ = write!(text, "{:<16}{:<20}", "criterion", "task");
    Law::ALL.iter().for_each(|law| text += &format!("{:>18}", law.name()));
    text.push('\n');
    for row in summary.usable.chunks(Law::ALL.len()) {
        let _ = write!(text, "{:<16}{:<20}", row[0].criterion, row[0].task);
        row.iter().for_each(|u| text += &format!("{:>18}", brief(&u.factors)));
        text.push('\n');
    }
    text += "\nfactors more, push by push\n";
    for w in summary.wider.iter().filter(|w| w.task == "all at once") {
        let _ = writeln!(text, "{:<16}{:<16} than {:<16} {}", w.criterion, w.law, w.than, brief(&w.factors));
    }
    text += "\nat factors of 1, all runs, each until it fell or ended\n";
    let _ = writeln!(
        text,
        "{:<17}{:<20}{:>20}{:>22}{:>22}{:>18}{:>22}",
        "law", "task", "survival", "error, rad", "attitude, rad", "jitter", "cheat"
    );
    for a in &summary.at_one {
        let t = &a.tally;
        let survival = format!("{:.2} ({:.2}–{:.2})", t.survival.value, t.survival.low, t.survival.high);
        let _ = writeln!(
            text,
            "{:<17}{:<20}{survival:>20}{:>22}{:>22}{:>18}{:>22}",
            a.law,
            a.task,
            fine(&t.error),
            fine(&t.attitude),
            brief(&t.jitter),
            fine(&t.cheat)
        );
    }
    text += "\nthe best within a budget of aid, on pushes held back from the choice\n";
    for b in &summary.budgets {
        let t = &b.tally;
        let _ = writeln!(
            text,
            "cheat up to {:<5}{:<16} outside {:<5} spring x{:<5} survival {:.2} holds {:.2} ({:.2}–{:.2}) error {} attitude {} cheat {:.3}",
            b.budget,
            b.law.trim_end_matches("-external"),
            b.outside,
            b.spring,
            t.survival.value,
            t.held.value,
            t.held.low,
            t.held.high,
            fine(&t.error),
            fine(&t.attitude),
            t.cheat.value
        );
    }
    text
}
