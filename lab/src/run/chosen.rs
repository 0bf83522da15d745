//! What characters that choose have chosen, and why: a table of every choice with all bids, and a timeline.

use std::fmt::Write as _;

use stuntlab_viewer::plot::{Span, Timeline};

use super::log::cell;
use super::world::World;

/// Size of the timeline, px.
const WIDTH: usize = 960;

/// Whether anybody has chosen anything.
pub(super) fn any(world: &World) -> bool {
    world.controllers.iter().any(|controller| !controller.chronicle().is_empty())
}

/// A row per choice and bid.
pub(super) fn table(world: &World) -> String {
    let mut text = "time_s,character,chosen,why,bidder,bid,because\n".to_owned();
    for (member, controller) in world.cast().iter().zip(&world.controllers) {
        for entry in controller.chronicle() {
            for (bidder, bid, because) in &entry.bids {
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{:.6},{},{},{},{bidder},{bid},{}",
                    entry.time,
                    cell(&member.name),
                    entry.chosen,
                    cell(&entry.why),
                    cell(because)
                );
            }
        }
    }
    text
}

/// A row per character, spans of what it was about.
pub(super) fn timeline(world: &World) -> String {
    let mut plot = Timeline {
        title: format!("{}: what was chosen", world.scene().name),
        x_label: "time, s".to_owned(),
        x_range: Some((0.0, world.state.time)),
        ..Timeline::default()
    };
    for (member, controller) in world.cast().iter().zip(&world.controllers) {
        let entries = controller.chronicle();
        if entries.is_empty() {
            continue;
        }
        let row = plot.rows.len();
        plot.rows.push(member.name.clone());
        for (k, entry) in entries.iter().enumerate() {
            let kind = plot.kinds.iter().position(|name| name == entry.chosen).unwrap_or_else(|| {
                plot.kinds.push(entry.chosen.to_owned());
                plot.kinds.len() - 1
            });
            let to = entries.get(k + 1).map_or(world.state.time, |next| next.time);
            plot.spans.push(Span { row, from: entry.time, to, kind });
        }
    }
    plot.to_svg(WIDTH, 120 + 60 * plot.rows.len())
}
