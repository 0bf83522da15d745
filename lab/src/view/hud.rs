//! Texts of the window: what runs, how fast, how far apart, and the keys.

use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::palette;

use super::keys::KEYS;
use super::pane::Pane;

/// State of the window as a whole.
pub(crate) struct Status<'a> {
    pub(crate) paused: bool,
    pub(crate) speed: f64,
    pub(crate) frames_per_second: f64,
    pub(crate) recording: bool,
    pub(crate) playing: Option<&'a str>,
    pub(crate) message: &'a str,
}

/// Facts about a pane; of many small ones only what tells them apart.
pub(crate) fn facts(
    pane: &Pane,
    active: bool,
    paused: bool,
    divergence: Option<f64>,
    brief: bool,
) -> TextBlock {
    let world = &pane.world;
    let title = if pane.name.is_empty() { world.scene().name.clone() } else { pane.name.clone() };
    let color = if active { palette::YELLOW } else { palette::WHITE };
    let text = |s: String| (s, palette::WHITE);
    let mut lines = vec![(title, color), text(format!("{:.3} s", world.state.time))];
    if !brief {
        let (formulation, rate) = (world.options.formulation.name(), 1.0 / world.options.dt);
        lines.push(text(format!("{formulation} {rate:.0} Hz")));
        let contacts = world.data.contact.points.len();
        lines.push(text(format!("{contacts} contacts, {:.1} mm deep", 1e3 * world.deepest())));
    }
    // Speeds say nothing of what stands still; without them a picture is that of the state alone.
    if !paused && !brief {
        lines.push(text(format!("{:.0} us per step", 1e6 * pane.step_cost)));
    }
    if let Some(apart) = divergence {
        lines.push((format!("apart {apart:.4} m"), palette::ORANGE));
    }
    if let Some(failure) = &pane.failure {
        lines.push((failure.clone(), palette::VERMILION));
    }
    TextBlock { lines, ..TextBlock::new(Corner::TopLeft, "") }
}

/// The line at the bottom.
pub(crate) fn status(status: &Status<'_>, frames_back: usize) -> TextBlock {
    let mut words = Vec::new();
    if status.paused {
        words.push("PAUSED".to_owned());
    }
    if frames_back > 0 {
        words.push(format!("{:.2} s back", frames_back as f64 / 60.0));
    }
    if status.speed != 1.0 {
        words.push(format!("speed {}", status.speed));
    }
    if status.recording {
        words.push("RECORDING".to_owned());
    }
    if let Some(name) = status.playing {
        words.push(format!("PLAYING {name}"));
    }
    if !status.paused {
        words.push(format!("{:.0} frames/s", status.frames_per_second));
    }
    words.push("F1 help, F2 panel".to_owned());
    if !status.message.is_empty() {
        words.push(status.message.to_owned());
    }
    TextBlock::new(Corner::BottomLeft, &words.join("   "))
}

/// Lines of a page of the help.
const PAGE: usize = 17;

/// Pages of the help.
pub(crate) fn help_pages() -> usize {
    KEYS.len().div_ceil(PAGE)
}

/// A page of the key table, from 1.
pub(crate) fn help(page: usize) -> TextBlock {
    let first = page.saturating_sub(1) * PAGE;
    let mut lines = vec![(
        format!("Keys and mouse, page {page} of {}: F1 turns the page", help_pages()),
        palette::YELLOW,
    )];
    let keys = KEYS.iter().skip(first).take(PAGE);
    lines.extend(keys.map(|k| (format!("{}\t{}", k.key, k.does), palette::WHITE)));
    TextBlock { lines, panel: 0.85, ..TextBlock::new(Corner::Center, "") }
}
