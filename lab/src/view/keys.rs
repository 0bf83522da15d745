//! What the keys do: one table for the window, the help overlay and the manual.

use stuntlab_viewer::window::Key;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Pause,
    Step,
    Back,
    Forward,
    Slower,
    Faster,
    Restart,
    Follow,
    NextCamera,
    Push,
    Ball,
    Crate,
    Formulation,
    Controller,
    /// What the chart shows.
    Chart,
    /// Takes a fighter's place, or leaves it.
    Play,
    /// An order to the fighter played, in the words of its controller.
    Order(&'static str),
    /// Asks the stuntperson played for a skill: that of this number among those that wait to be asked.
    Ask(usize),
    Ghost,
    Contacts,
    Forces,
    Balance,
    Support,
    Frames,
    Wireframe,
    Collision,
    NextPane,
    Hud,
    Screenshot,
    Record,
    Help,
    /// The side panel.
    Panel,
    /// Keeps the state, goes back to it.
    Save,
    Load,
    /// To what happened before or after now.
    EventBefore,
    EventAfter,
    Close,
}

/// A line of the key table.
#[derive(Clone, Copy, Debug)]
pub struct KeyHelp {
    /// The key or mouse action.
    pub key: &'static str,
    /// What it does.
    pub does: &'static str,
    pub(crate) bound: Option<(Key, Command)>,
}

const fn bound(name: &'static str, key: Key, command: Command, does: &'static str) -> KeyHelp {
    KeyHelp { key: name, does, bound: Some((key, command)) }
}

const fn mouse(key: &'static str, does: &'static str) -> KeyHelp {
    KeyHelp { key, does, bound: None }
}

const fn order(name: &'static str, key: char, word: &'static str, does: &'static str) -> KeyHelp {
    bound(name, Key::Char(key), Command::Order(word), does)
}

/// All keys and mouse actions.
pub const KEYS: &[KeyHelp] = &[
    mouse("left click", "select a body and read it out"),
    mouse("left drag", "pull a body by a spring"),
    mouse("shift + left click", "push the body there"),
    mouse("right drag, arrows", "orbit"),
    mouse("middle drag, shift + right drag", "pan"),
    mouse("wheel, page up/down", "zoom"),
    bound("space", Key::Space, Command::Pause, "pause, go on"),
    bound(".", Key::Char('.'), Command::Step, "one step"),
    bound("[", Key::Char('['), Command::Back, "scrub back"),
    bound("]", Key::Char(']'), Command::Forward, "scrub forward"),
    bound(",", Key::Char(','), Command::EventBefore, "to what happened before (the strip below: click)"),
    bound(";", Key::Char(';'), Command::EventAfter, "to what happened after"),
    bound("F5", Key::F(5), Command::Save, "keep this state, in a file, too"),
    bound("F9", Key::F(9), Command::Load, "go on from the state that was kept"),
    bound("-", Key::Char('-'), Command::Slower, "slower"),
    bound("=", Key::Char('='), Command::Faster, "faster"),
    bound("r", Key::Char('r'), Command::Restart, "start again"),
    bound("f", Key::Char('f'), Command::Follow, "follow on/off"),
    bound("c", Key::Char('c'), Command::NextCamera, "next camera"),
    bound("p", Key::Char('p'), Command::Push, "push what is under the mouse, or the first figure"),
    bound("b", Key::Char('b'), Command::Ball, "throw a ball"),
    bound("x", Key::Char('x'), Command::Crate, "throw a crate"),
    bound("m", Key::Char('m'), Command::Formulation, "next contact formulation"),
    bound(
        "k",
        Key::Char('k'),
        Command::Controller,
        "next controller of the selected character, or the first",
    ),
    bound("e", Key::Char('e'), Command::Chart, "chart the next quantity (all of them: panel)"),
    bound("n", Key::Char('n'), Command::Play, "play the followed fighter or stuntperson, let it go"),
    order("j", 'j', "punch-left", "fighter: straight left"),
    order("l", 'l', "punch-right", "fighter: straight right"),
    order("u", 'u', "hook", "fighter: left hook"),
    order("i", 'i', "uppercut", "fighter: right uppercut"),
    order("o", 'o', "block", "fighter: block"),
    order("w", 'w', "step-forward", "fighter: step forward"),
    order("z", 'z', "step-back", "fighter: step back"),
    order("a", 'a', "turn-left", "fighter: turn left"),
    order("d", 'd', "turn-right", "fighter: turn right"),
    bound(
        "8",
        Key::Char('8'),
        Command::Ask(0),
        "stuntperson: the first skill that waits to be asked (bars: panel)",
    ),
    bound("9", Key::Char('9'), Command::Ask(1), "stuntperson: the second"),
    bound("0", Key::Char('0'), Command::Ask(2), "stuntperson: the third"),
    bound("t", Key::Char('t'), Command::Ask(3), "stuntperson: the fourth"),
    bound("g", Key::Char('g'), Command::Ghost, "ghost of the target"),
    bound("1", Key::Char('1'), Command::Contacts, "contacts"),
    bound("2", Key::Char('2'), Command::Forces, "contact forces"),
    bound("3", Key::Char('3'), Command::Balance, "centre of mass, capture point"),
    bound("4", Key::Char('4'), Command::Support, "support polygon"),
    bound("5", Key::Char('5'), Command::Frames, "joint frames"),
    bound("6", Key::Char('6'), Command::Wireframe, "wires of the collision shapes"),
    bound("7", Key::Char('7'), Command::Collision, "collision shapes instead of figures"),
    bound("tab", Key::Tab, Command::NextPane, "next pane (keys m and k act on it)"),
    bound("h", Key::Char('h'), Command::Hud, "texts on/off"),
    bound("s", Key::Char('s'), Command::Screenshot, "screenshot"),
    bound("v", Key::Char('v'), Command::Record, "record a GIF, stop"),
    bound("F1", Key::F(1), Command::Help, "this help, page by page"),
    bound("F2", Key::F(2), Command::Panel, "side panel: settings, controller, charts"),
    bound("q", Key::Char('q'), Command::Close, "close"),
    bound("escape", Key::Escape, Command::Close, "close"),
];

/// The name of the key that asks for the skill of this number.
pub(crate) fn asking(number: usize) -> Option<&'static str> {
    KEYS.iter().find(|k| k.bound.is_some_and(|(_, command)| command == Command::Ask(number))).map(|k| k.key)
}

/// What a key asks for, if anything.
pub(crate) fn command(key: Key) -> Option<Command> {
    KEYS.iter().filter_map(|k| k.bound).find(|(bound, _)| *bound == key).map(|(_, command)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_does_one_thing() {
        let keys: Vec<Key> = KEYS.iter().filter_map(|k| k.bound).map(|(key, _)| key).collect();
        let distinct: std::collections::BTreeSet<Key> = keys.iter().copied().collect();
        assert_eq!(keys.len(), distinct.len());
        assert_eq!(command(Key::Space), Some(Command::Pause));
        assert_eq!(command(Key::Char('y')), None);
    }
}
