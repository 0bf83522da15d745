//! The window: shows a canvas, reports what the user did. The one file that knows minifb.
//!
//! Key presses come through minifb's callback, because asking once a frame misses taps shorter than that.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use minifb::{InputCallback, MouseButton as Button, MouseMode, ScaleMode, WindowOptions};

use crate::canvas::Canvas;

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// No display, or one that refuses.
    #[error("cannot open a window: {0}")]
    Open(String),
    /// The picture could not be shown.
    #[error("cannot show the picture: {0}")]
    Present(String),
}

/// A key, by what it does here rather than by keyboard code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// A letter or digit (letters in lower case) or one of `, . - = / ; ' [ ]` and backslash.
    Char(char),
    /// Function key 1 to 12.
    F(u8),
    /// Space bar.
    Space,
    /// Enter, also that of the number pad.
    Enter,
    /// Escape.
    Escape,
    /// Tabulator.
    Tab,
    /// Delete backwards.
    Backspace,
    /// Delete forwards.
    Delete,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
}

/// Keys that modify others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Either shift key.
    pub shift: bool,
    /// Either control key.
    pub control: bool,
    /// Either alt key.
    pub alt: bool,
}

/// A mouse button now and since the last poll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ButtonState {
    /// Held now.
    pub down: bool,
    /// Went down since the last poll.
    pub pressed: bool,
    /// Went up since the last poll.
    pub released: bool,
}

/// The mouse as of the last poll.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mouse {
    /// Position in canvas pixels, clamped to the window.
    pub position: (f64, f64),
    /// Movement since the last poll.
    pub moved: (f64, f64),
    /// Left button.
    pub left: ButtonState,
    /// Middle button.
    pub middle: ButtonState,
    /// Right button.
    pub right: ButtonState,
    /// Wheel turns since the last poll; away from the user is positive.
    pub wheel: f64,
}

/// What the user did since the last poll.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Keys that went down, in order; a key tapped twice is there twice.
    pub pressed: Vec<Key>,
    /// Keys held now.
    pub held: BTreeSet<Key>,
    /// Modifiers held now.
    pub modifiers: Modifiers,
    /// The mouse.
    pub mouse: Mouse,
    /// The new size, if it changed.
    pub resized: Option<(usize, usize)>,
    /// The user closed the window.
    pub closed: bool,
}

/// Key events collected by the callback.
type Events = Rc<RefCell<Vec<(minifb::Key, bool)>>>;

struct Collector(Events);

impl InputCallback for Collector {
    fn add_char(&mut self, _letter: u32) {}

    fn set_key_state(&mut self, key: minifb::Key, down: bool) {
        self.0.borrow_mut().push((key, down));
    }
}

/// What the window library counts per click of the wheel: X11's wheel is a button, and its press and its release both count, in one frame or in
/// two. Taken as they come, a click would turn by one or by two.
const PER_CLICK: f64 = if cfg!(all(unix, not(target_os = "macos"))) { 2.0 } else { 1.0 };

/// An open window.
pub struct Window {
    window: minifb::Window,
    events: Events,
    down: Vec<minifb::Key>,
    mouse: Mouse,
    /// What was counted and does not yet make a click.
    turned: f64,
    size: (usize, usize),
}

impl Window {
    /// Opens a resizable window. Without a display this is an error, never a panic.
    pub fn open(title: &str, width: usize, height: usize) -> Result<Self, WindowError> {
        let options =
            WindowOptions { resize: true, scale_mode: ScaleMode::UpperLeft, ..WindowOptions::default() };
        let (width, height) = (width.clamp(64, 16384), height.clamp(64, 16384));
        let mut window = minifb::Window::new(title, width, height, options)
            .map_err(|e| WindowError::Open(one_line(&e.to_string())))?;
        window.set_target_fps(0);
        let events = Events::default();
        window.set_input_callback(Box::new(Collector(events.clone())));
        Ok(Self {
            window,
            events,
            down: Vec::new(),
            mouse: Mouse::default(),
            turned: 0.0,
            size: (width, height),
        })
    }

    /// Shows a canvas. One of another size than the window sits in its upper left corner.
    pub fn present(&mut self, canvas: &Canvas) -> Result<(), WindowError> {
        self.window
            .update_with_buffer(canvas.pixels(), canvas.width(), canvas.height())
            .map_err(|e| WindowError::Present(one_line(&e.to_string())))
    }

    /// What happened since the last call. Events arrive while a picture is presented.
    pub fn poll(&mut self) -> Input {
        let mut input = Input::default();
        for (key, down) in self.events.borrow_mut().drain(..) {
            // A held key repeats; only its first press counts.
            let was_down = self.down.contains(&key);
            if down && !was_down {
                self.down.push(key);
                input.pressed.extend(translate(key));
            } else if !down {
                self.down.retain(|&held| held != key);
            }
        }
        input.held = self.down.iter().filter_map(|&key| translate(key)).collect();
        let any = |keys: [minifb::Key; 2]| keys.iter().any(|key| self.down.contains(key));
        input.modifiers = Modifiers {
            shift: any([minifb::Key::LeftShift, minifb::Key::RightShift]),
            control: any([minifb::Key::LeftCtrl, minifb::Key::RightCtrl]),
            alt: any([minifb::Key::LeftAlt, minifb::Key::RightAlt]),
        };
        self.poll_mouse();
        input.mouse = self.mouse;
        let size = self.window.get_size();
        if size != self.size && size.0 > 0 && size.1 > 0 {
            self.size = size;
            input.resized = Some(size);
        }
        input.closed = !self.window.is_open();
        input
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Changes the title.
    pub fn set_title(&mut self, title: &str) {
        self.window.set_title(title);
    }

    fn poll_mouse(&mut self) {
        let before = self.mouse;
        self.turned += self.window.get_scroll_wheel().map_or(0.0, |(_, y)| f64::from(y));
        let wheel = whole_clicks(&mut self.turned, PER_CLICK);
        let at = self.window.get_unscaled_mouse_pos(MouseMode::Clamp);
        let position = at.map_or(before.position, |(x, y)| (f64::from(x), f64::from(y)));
        let button = |which: Button, before: ButtonState| {
            let down = self.window.get_mouse_down(which);
            ButtonState { down, pressed: down && !before.down, released: !down && before.down }
        };
        self.mouse = Mouse {
            position,
            moved: (position.0 - before.position.0, position.1 - before.position.1),
            left: button(Button::Left, before.left),
            middle: button(Button::Middle, before.middle),
            right: button(Button::Right, before.right),
            wheel,
        };
    }
}

/// Takes whole clicks off what was counted; wheels that know fractions are taken as they are.
fn whole_clicks(turned: &mut f64, per_click: f64) -> f64 {
    let clicks = if per_click == 1.0 { *turned } else { (*turned / per_click).trunc() };
    *turned -= clicks * per_click;
    clicks
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Keys we name; modifiers and the rest are `None`.
fn translate(key: minifb::Key) -> Option<Key> {
    use minifb::Key as K;
    const LETTERS: [K; 26] = [
        K::A,
        K::B,
        K::C,
        K::D,
        K::E,
        K::F,
        K::G,
        K::H,
        K::I,
        K::J,
        K::K,
        K::L,
        K::M,
        K::N,
        K::O,
        K::P,
        K::Q,
        K::R,
        K::S,
        K::T,
        K::U,
        K::V,
        K::W,
        K::X,
        K::Y,
        K::Z,
    ];
    const DIGITS: [[K; 2]; 10] = [
        [K::Key0, K::NumPad0],
        [K::Key1, K::NumPad1],
        [K::Key2, K::NumPad2],
        [K::Key3, K::NumPad3],
        [K::Key4, K::NumPad4],
        [K::Key5, K::NumPad5],
        [K::Key6, K::NumPad6],
        [K::Key7, K::NumPad7],
        [K::Key8, K::NumPad8],
        [K::Key9, K::NumPad9],
    ];
    const FUNCTION: [K; 12] =
        [K::F1, K::F2, K::F3, K::F4, K::F5, K::F6, K::F7, K::F8, K::F9, K::F10, K::F11, K::F12];
    if let Some(i) = LETTERS.iter().position(|&k| k == key) {
        return Some(Key::Char((b'a' + i as u8) as char));
    }
    if let Some(i) = DIGITS.iter().position(|pair| pair.contains(&key)) {
        return Some(Key::Char((b'0' + i as u8) as char));
    }
    if let Some(i) = FUNCTION.iter().position(|&k| k == key) {
        return Some(Key::F(i as u8 + 1));
    }
    Some(match key {
        K::Space => Key::Space,
        K::Enter | K::NumPadEnter => Key::Enter,
        K::Escape => Key::Escape,
        K::Tab => Key::Tab,
        K::Backspace => Key::Backspace,
        K::Delete => Key::Delete,
        K::Left => Key::Left,
        K::Right => Key::Right,
        K::Up => Key::Up,
        K::Down => Key::Down,
        K::PageUp => Key::PageUp,
        K::PageDown => Key::PageDown,
        K::Home => Key::Home,
        K::End => Key::End,
        K::Comma => Key::Char(','),
        K::Period | K::NumPadDot => Key::Char('.'),
        K::Minus | K::NumPadMinus => Key::Char('-'),
        K::Equal | K::NumPadPlus => Key::Char('='),
        K::Slash | K::NumPadSlash => Key::Char('/'),
        K::Semicolon => Key::Char(';'),
        K::Apostrophe => Key::Char('\''),
        K::LeftBracket => Key::Char('['),
        K::RightBracket => Key::Char(']'),
        K::Backslash => Key::Char('\\'),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::whole_clicks;

    /// A click is one, whether press and release are seen in one frame or in two.
    #[test]
    fn a_click_of_the_wheel_is_one_click() {
        let mut turned = 0.0;
        let seen = [1.0, 1.0, 0.0, 2.0, -1.0, 0.0, -1.0, 3.0, 1.0].map(|counted| {
            turned += counted;
            whole_clicks(&mut turned, 2.0)
        });
        assert_eq!(seen, [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 1.0, 1.0]);
        turned = 0.25;
        assert_eq!((whole_clicks(&mut turned, 1.0), turned), (0.25, 0.0));
    }
}
