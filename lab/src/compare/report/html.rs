//! report.html: everything on one page that needs nothing else, neither files nor a network.

use std::fmt::Write as _;

use super::super::{Case, Comparison, METRICS, Peer, setup, suites};
use super::tables::{self, Group};
use super::{Cost, Row, charts, number, picture};
use crate::study::Size;

/// How it looks. Colours follow what the reader's system prefers, but for plots, which are on white.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #222; --back: #fff; --soft: #f3f4f6; --line: #d5d8dd; --bad: #a32020; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --back: #17181b; --soft: #24262b; --line: #3c4048; --bad: #ff9a8a; } }
body { font: 15px/1.5 'DejaVu Sans', Verdana, sans-serif; color: var(--ink); background: var(--back); max-width: 1180px; margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.7em; } h2 { margin-top: 2.4em; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; font-size: 0.82em; } .wide { overflow: auto; max-height: 34em; }
th, td { padding: 0.25em 0.55em; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { position: sticky; top: 0; background: var(--soft); cursor: pointer; } td.word, th.word { text-align: left; }
tr.failed td { color: var(--bad); } .plots { display: flex; flex-wrap: wrap; gap: 0.8em; margin: 1em 0; }
.plots svg, img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 4px; background: #fff; }
.plots svg:has(.series:hover) .series:not(:hover) { opacity: 0.15; }
pre { background: var(--soft); padding: 0.8em; overflow-x: auto; font-size: 0.85em; } code { background: var(--soft); }
details { margin: 0.5em 0; } summary { cursor: pointer; }
";

/// Sorts a table by the column that is clicked.
const SCRIPT: &str = "
document.querySelectorAll('th').forEach(h => h.addEventListener('click', () => {
  const body = h.closest('table').tBodies[0], k = h.cellIndex, up = h.dataset.up !== '1';
  h.dataset.up = up ? '1' : '0';
  const key = r => { const c = r.cells[k]; const x = parseFloat(c && c.dataset.x); return isNaN(x) ? (c ? c.textContent : '') : x; };
  [...body.rows].sort((a, b) => { const x = key(a), y = key(b);
    const d = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    return up ? d : -d; }).forEach(r => body.append(r));
}));
";

/// Text as HTML.
fn safe(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The page.
pub(super) fn page(comparison: &Comparison, rows: &[Row]) -> String {
    let ask = comparison.ask();
    let mut out = String::new();
    let mut put = |text: String| out.push_str(&text);
    let title = format!("Stuntlab: {}", ask.name());
    put(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" href=\"data:,\">\
         <title>{}</title><style>{STYLE}</style></head><body>\n",
        safe(&title)
    ));
    put(format!("<h1>{}</h1>\n", safe(&title)));
    if let Some(suite) = ask.suite() {
        put(format!("<p>{}.</p>\n", safe(suite.shows)));
    }
    put(format!("<p>{}</p>\n<pre>{}</pre>\n", safe(&summary(rows)), safe(&whole_command(comparison))));
    put("<ul>".to_owned());
    for case in tables::setups(comparison) {
        put(format!("<li><a href=\"#{0}\">{0}</a>: {1}</li>", safe(&case.name), safe(&shows(case))));
    }
    put("<li><a href=\"#glossary\">What is measured</a></li></ul>\n".to_owned());
    for case in tables::setups(comparison) {
        let peers: Vec<&Peer> = comparison.peers.of(&case.name).collect();
        put(section(case, rows, &peers));
    }
    put(glossary());
    put(format!("<script>{SCRIPT}</script></body></html>\n"));
    out
}

fn summary(rows: &[Row]) -> String {
    let failed = rows.iter().filter(|r| r.note.why.is_some() && !r.note.refused).count();
    let refused = rows.iter().filter(|r| r.note.refused).count();
    format!(
        "{} cells of Stuntlab {}: {} came to their end, {failed} failed on the way, {refused} were refused because their settings do not go \
         together. Times are medians of single steps on one thread of this machine ({}), taken after and apart from everything else.",
        rows.len(),
        env!("CARGO_PKG_VERSION"),
        rows.len() - failed - refused,
        super::processor(),
    )
}

/// The command of all of it.
fn whole_command(comparison: &Comparison) -> String {
    let ask = comparison.ask();
    let vary: String = ask.vary.iter().map(|v| format!(" --vary '{v}'")).collect();
    let seeds = if ask.seeds == 1 { String::new() } else { format!(" --seeds {}", ask.seeds) };
    let quick = if comparison.size == Size::Quick { " --quick" } else { "" };
    format!("stuntlab compare {}{vary}{seeds}{quick}", ask.subject)
}

fn shows(case: &Case) -> String {
    if let Some(setup::Setup { make: setup::Make::Code(coded), .. }) = case.subject.row() {
        return coded.shows.to_owned();
    }
    let scene = case.subject.scene(&Default::default(), 1).ok().flatten();
    scene.map_or_else(String::new, |scene| scene.shows)
}

fn section(case: &Case, rows: &[Row], peers: &[&Peer]) -> String {
    let groups = tables::groups(rows, &case.name);
    let columns = tables::columns(case, &groups);
    let mut out = format!("<h2 id=\"{0}\">{0}</h2>\n<p>{1}.</p>\n", safe(&case.name), safe(&shows(case)));
    if let Some(row) = case.subject.row() {
        let _ = writeln!(out, "<p>Source: {}.</p>", safe(row.source.trim_end_matches('.')));
        if !row.published.is_empty() {
            let _ = writeln!(out, "<p>Published of others: {}.</p>", safe(row.published));
        }
        if let Some(headline) = row.headline {
            let expected = headline
                .expected
                .map_or_else(String::new, |x| format!("; in closed form {} {}", number(x), headline.unit));
            let _ = writeln!(
                out,
                "<p>Headline: {}, {}{}.</p>",
                safe(headline.name),
                headline.unit,
                safe(&expected)
            );
        }
    }
    let good =
        groups.iter().map(Group::first).find(|r| r.note.why.is_none()).or(groups.first().map(Group::first));
    if let Some(uri) = good.and_then(|row| picture::of(case, &row.cell)) {
        let _ = writeln!(
            out,
            "<p><img src=\"{uri}\" alt=\"{}\" width=\"480\" height=\"300\"></p>",
            safe(&shows(case))
        );
    }
    out += &table(&groups, &columns);
    out += &peer_table(peers, &columns);
    // Where something drives, energy says nothing.
    let kept = columns.iter().any(|c| ["energy_gain", "energy_drift"].contains(c));
    if let Some(words) = largest_step(&groups).filter(|_| kept) {
        let _ = writeln!(out, "{words}");
    }
    let orders = charts::orders(&groups);
    if columns.contains(&"consistency") && !orders.is_empty() {
        let list: Vec<String> = orders.iter().map(|(name, k)| format!("{} {k:.2}", safe(name))).collect();
        let _ = writeln!(
            out,
            "<p>Slope of consistency over the step, by least squares: {}.</p>",
            list.join("; ")
        );
    }
    out += "<div class=\"plots\">\n";
    charts::of(case, &groups, &columns, peers).iter().for_each(|svg| out += svg);
    out += "</div>\n<details><summary>The set-up in full</summary><pre>";
    out += &safe(case.subject.text());
    out += "</pre></details>\n<details><summary>The command of each cell</summary><pre>";
    groups.iter().flat_map(|g| &g.rows).for_each(|row| {
        let _ = writeln!(out, "{}", safe(&row.command));
    });
    out + "</pre></details>\n"
}

/// Columns of costs: name, unit, what it is. All are medians.
const COSTS: [(&str, &str, &str); 6] = [
    ("step", "us", "A whole step, with the look at its end"),
    ("s/s", "", "Processor seconds per simulated second"),
    ("control", "us", "Events and controllers: what is to act"),
    (
        "advance",
        "us",
        "From what acts to the next state: forces, rows, solver, motion; under implicit-penalty with the look at its end",
    ),
    ("look", "us", "Looking at a state by itself: poses, velocities, contacts"),
    ("poses", "us", "The poses and velocities of that alone"),
];

/// The columns of [`COSTS`].
fn costs(cost: Option<Cost>) -> [f64; 6] {
    let us = |ns: f64| 1e-3 * ns;
    cost.map_or([f64::NAN; 6], |c| {
        [us(c.step), c.per_second, us(c.control), us(c.advance), us(c.look), us(c.poses)]
    })
}

/// Head of a metric's column.
fn heading(column: &str) -> String {
    let metric = METRICS.iter().find(|m| m.name == column);
    let (unit, help) = metric.map_or(("", ""), |m| (m.unit, m.help));
    let unit = if unit.is_empty() { String::new() } else { format!("<br>{}", safe(unit)) };
    format!("<th title=\"{}\">{column}{unit}</th>", safe(help))
}

/// What others did on the set-up, apart from ours.
fn peer_table(peers: &[&Peer], columns: &[&str]) -> String {
    if peers.is_empty() {
        return String::new();
    }
    let shown = tables::peer_columns(peers, columns);
    let mut out = "<p>Other engines on the same set-up, measured outside of this program and read from a file; times are of the call that steps \
                   them:</p>\n<div class=\"wide\"><table><thead><tr><th class=\"word\">peer</th><th class=\"word\">version</th>\
                   <th class=\"word\">rate</th>"
        .to_owned();
    shown.iter().for_each(|column| out += &heading(column));
    out += "<th>step<br>us</th></tr></thead><tbody>\n";
    for peer in peers {
        let _ = write!(
            out,
            "<tr><td class=\"word\">{}</td><td class=\"word\">{}</td><td class=\"word\" data-x=\"{2}\">{2}</td>",
            safe(&peer.peer),
            safe(&peer.version),
            safe(&peer.rate)
        );
        for x in shown.iter().map(|c| peer.get(c)).chain([1e-3 * peer.ns_per_step()]) {
            let _ = write!(out, "<td data-x=\"{x}\">{}</td>", number(x));
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

fn table(groups: &[Group<'_>], columns: &[&str]) -> String {
    let keys = tables::keys(groups.iter().flat_map(|g| g.rows.iter().copied()));
    let failures = groups.iter().any(|g| g.failure().is_some());
    let mut out = "<div class=\"wide\"><table><thead><tr>".to_owned();
    for key in &keys {
        let _ = write!(out, "<th class=\"word\">{}</th>", safe(key.rsplit('.').next().unwrap_or(key)));
    }
    columns.iter().for_each(|column| out += &heading(column));
    // What was not told apart has no column.
    let told = |k: &usize| groups.iter().any(|g| !costs(g.cost())[*k].is_nan());
    let told: Vec<usize> = (0..COSTS.len()).filter(told).collect();
    for (name, unit, help) in told.iter().map(|k| COSTS[*k]) {
        let _ = write!(out, "<th title=\"{help}\">{name}<br>{unit}</th>");
    }
    out += if failures { "<th class=\"word\">failure</th>" } else { "" };
    out += "</tr></thead><tbody>\n";
    for group in groups {
        let row = group.first();
        let failed = if group.failure().is_some() { " class=\"failed\"" } else { "" };
        let _ = write!(out, "<tr{failed}>");
        for key in &keys {
            let value = row.cell.settings.get(key).map_or("-".to_owned(), suites::label);
            let data = value.parse::<f64>().map_or(String::new(), |x| format!(" data-x=\"{x}\""));
            let _ = write!(out, "<td class=\"word\"{data}>{}</td>", safe(&value));
        }
        let mut cell = |x: f64| {
            let _ = write!(out, "<td data-x=\"{x}\">{}</td>", number(x));
        };
        columns.iter().for_each(|c| cell(group.get(c)));
        let cost = costs(group.cost());
        told.iter().for_each(|k| cell(cost[*k]));
        if failures {
            let _ = write!(out, "<td class=\"word\">{}</td>", safe(&group.failure().unwrap_or_default()));
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

/// Gain of energy that still counts as stable.
const STABLE: f64 = 0.01;

/// The longest step at which each formulation came to its end without gaining energy.
fn largest_step(groups: &[Group<'_>]) -> Option<String> {
    let mut best: Vec<(String, Option<f64>)> = Vec::new();
    for group in groups {
        let settings = &group.first().cell.settings;
        let rate: f64 = settings.get("rate")?.parse().ok()?;
        let others = settings.0.iter().filter(|(k, _)| k != "rate").map(|(_, v)| suites::label(v));
        let name = others.collect::<Vec<_>>().join(" ");
        let stable = group.get("survived") == 1.0 && group.get("energy_gain") < STABLE;
        let k = best.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
            best.push((name, None));
            best.len() - 1
        });
        if stable {
            best[k].1 = Some(best[k].1.map_or(rate, |old| old.min(rate)));
        }
    }
    let one = |(name, rate): &(String, Option<f64>)| match rate {
        Some(rate) => format!("{} {} ms", safe(name), number(1e3 / rate)),
        None => format!("{} none", safe(name)),
    };
    let many = best.len() > 1 && best.len() <= 12;
    let list = best.iter().map(one).collect::<Vec<_>>().join("; ");
    many.then(|| {
        format!("<p>Longest step tried that came to its end with an energy gain below {STABLE} of the largest kinetic energy: {list}.</p>")
    })
}

/// What every column means.
fn glossary() -> String {
    let mut out = "<h2 id=\"glossary\">What is measured</h2>\n<table><tbody>".to_owned();
    for metric in METRICS {
        let _ = writeln!(
            out,
            "<tr><td class=\"word\"><code>{}</code></td><td class=\"word\">{}</td><td class=\"word\" style=\"white-space:normal\">{}</td></tr>",
            metric.name,
            safe(metric.unit),
            safe(metric.help)
        );
    }
    for (name, unit, help) in COSTS {
        let _ = writeln!(
            out,
            "<tr><td class=\"word\"><code>{name}</code></td><td class=\"word\">{unit}</td><td class=\"word\" style=\"white-space:normal\">{help}</td></tr>"
        );
    }
    out + "</tbody></table>\n<p>A dot stands for what does not apply or was not measured. What sources published of other engines is told in words above and is in no table: it was \
           measured on other machines, with other models.</p>\n"
}
