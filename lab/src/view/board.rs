//! What the side panel offers: the world's settings, one character's controller with all numbers its kind has, and charts.

use stuntlab_control::Controller;
use stuntlab_control::stunt::skill::MOST;
use stuntlab_physics::{BodyId, JointKind, State};

use super::app::App;
use super::charts::Source;
use super::pane::Pane;
use super::panel::{Pressed, Row, short};

/// What a row of the panel changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Act {
    /// Simulated seconds per second.
    Speed,
    /// Steps per second.
    Rate,
    Formulation,
    /// Size of gravity.
    Gravity,
    /// A factor on all friction.
    Friction,
    Save,
    Load,
    /// Which character the rows below are about.
    Character,
    /// The next controller of that character.
    Controller,
    /// A number of its controller, by key.
    Setting(&'static str),
    /// A chart of something.
    Chart(Source),
    /// A freedom of the selected body's joint, and its rate.
    Pose(usize),
    Velocity(usize),
}

/// Most sliders for one controller: what a window of usual height shows.
const SLIDERS: usize = 24;

impl App {
    /// The rows of now.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let pane = &self.panes[self.active];
        let world = &pane.world;
        let button =
            |label: &str, value: String, act: Act| Row::Button { label: label.to_owned(), value, act };
        let slider = |label: &str, value: f64, range: (f64, f64), act: Act| Row::Slider {
            label: label.to_owned(),
            value,
            range,
            act,
        };
        let mut rows = vec![
            Row::Heading(world.scene().name.clone()),
            slider("speed", self.speed, (0.02, 2.0), Act::Speed),
            slider("rate, Hz", world.options.dt.recip(), (60.0, 480.0), Act::Rate),
            button("contacts", world.options.formulation.name().to_owned(), Act::Formulation),
        ];
        if world.can_move_elsewhere() {
            rows.push(slider("gravity, m/s²", world.model().gravity().length(), (0.0, 20.0), Act::Gravity));
            rows.push(slider("friction, times", world.friction(), (0.0, 3.0), Act::Friction));
        }
        rows.extend([
            button("save state", "F5".to_owned(), Act::Save),
            button(
                "load state",
                pane.saved.as_ref().map_or("F9".to_owned(), |s| format!("{:.2} s", s.state.time)),
                Act::Load,
            ),
        ]);
        if let Some(body) = self.selected.filter(|_| self.paused) {
            rows.extend(joint_rows(pane, body));
        }
        let k = self.character;
        if let (Some(member), Some(controller)) = (world.cast().get(k), world.controllers.get(k)) {
            rows.push(Row::Heading("character".to_owned()));
            rows.push(button("of", member.name.clone(), Act::Character));
            rows.push(button("driven by", controller.name().to_owned(), Act::Controller));
            rows.extend(bids(controller.as_ref()));
            rows.extend(
                settings(pane, k)
                    .into_iter()
                    .map(|(key, value, range)| slider(key, value, range, Act::Setting(key))),
            );
        }
        rows.push(Row::Heading("charts (four at most)".to_owned()));
        for source in Source::all(pane, k) {
            let on = pane.charts.shows(source);
            rows.push(Row::Switch { label: source.title(pane), on, act: Act::Chart(source) });
        }
        rows
    }

    /// Does what was pressed on the panel.
    pub(crate) fn press(&mut self, Pressed { act, value }: Pressed) {
        let (active, k) = (self.active, self.character);
        match (act, value) {
            (Act::Speed, Some(speed)) => self.speed = speed,
            (Act::Rate, Some(rate)) => {
                self.panes[active].world.options.dt = rate.round().max(1.0).recip();
            }
            (Act::Formulation, _) => self.panes[active].next_formulation(),
            (Act::Gravity | Act::Friction, Some(value)) => self.move_elsewhere(act, value),
            (Act::Pose(freedom), Some(value)) => self.each_selected(|pane, body| {
                let turns = turns(pane, body, freedom);
                pane.pose(body, freedom, if turns { value.to_radians() } else { value });
            }),
            (Act::Velocity(freedom), Some(value)) => self.each_selected(|pane, body| {
                let turns = turns(pane, body, freedom);
                pane.rate(body, freedom, if turns { value.to_radians() } else { value });
            }),
            (Act::Save, _) => self.save(),
            (Act::Load, _) => self.load(),
            (Act::Character, _) => {
                let all = self.panes[active].world.cast().len().max(1);
                self.character = (k + 1) % all;
            }
            (Act::Controller, _) => self.swap_controller(),
            (Act::Setting(key), Some(value)) => {
                let done = self.panes[active].set(k, key, value);
                self.say(match done {
                    Ok(()) => format!("{key} = {}", short(value)),
                    Err(error) => error.to_string(),
                });
            }
            (Act::Chart(source), _) => self.panes.iter_mut().for_each(|pane| pane.charts.toggle(source)),
            (
                Act::Speed
                | Act::Rate
                | Act::Setting(_)
                | Act::Gravity
                | Act::Friction
                | Act::Pose(_)
                | Act::Velocity(_),
                None,
            ) => {}
        }
    }

    /// Another gravity or friction for the active pane.
    fn move_elsewhere(&mut self, act: Act, value: f64) {
        let pane = &mut self.panes[self.active];
        let (gravity, friction) = (pane.world.model().gravity().length(), pane.world.friction());
        let (done, words) = if act == Act::Gravity {
            (pane.move_elsewhere(value, friction), format!("gravity is {} m/s²", short(value)))
        } else {
            (pane.move_elsewhere(gravity, value), format!("friction is {} times its own", short(value)))
        };
        self.say(done.map_or_else(|error| error.to_string(), |()| words));
    }

    /// Edits the selected body in the active pane.
    fn each_selected(&mut self, edit: impl Fn(&mut Pane, BodyId)) {
        if let Some(body) = self.selected {
            edit(&mut self.panes[self.active], body);
        }
    }
}

/// What everyone bid when somebody was chosen last; the one that was is marked.
fn bids(controller: &dyn Controller) -> Vec<Row> {
    let Some(last) = controller.chronicle().last() else { return Vec::new() };
    let bar = |(name, bid, _): &(&'static str, u8, String)| Row::Bar {
        label: (*name).to_owned(),
        value: f64::from(*bid),
        most: f64::from(MOST),
        marked: *name == last.chosen,
    };
    std::iter::once(Row::Heading("bids".to_owned())).chain(last.bids.iter().map(bar)).collect()
}

/// Whether a freedom of a body's joint turns; else it slides.
fn turns(pane: &Pane, body: BodyId, freedom: usize) -> bool {
    match pane.world.model().body(body).joint().kind {
        JointKind::Prismatic { .. } => false,
        JointKind::Free => freedom >= 3,
        JointKind::Planar => freedom == 2,
        _ => true,
    }
}

/// Ranges of edited angles, degrees, and of edited rates, degrees/s and m/s: a hard blow.
const ANGLE: f64 = 170.0;
const TURNING: f64 = 720.0;
const SLIDING: f64 = 8.0;

/// Angles and rates of the selected body's joint, to be edited while nothing moves.
fn joint_rows(pane: &Pane, body: BodyId) -> Vec<Row> {
    let (model, state) = (pane.world.model(), &pane.world.state);
    let spec = model.body(body);
    let mut way = vec![0.0; model.n_v()];
    State::new(model).difference(model, state, &mut way);
    let free = spec.joint().kind == JointKind::Free;
    let mut rows = vec![Row::Heading(spec.name().to_owned())];
    let mut row = |label: String, value: f64, most: f64, act: Act| {
        rows.push(Row::Slider { label, value, range: (-most, most), act });
    };
    for (number, k) in spec.freedoms().iter().enumerate() {
        let turns = turns(pane, body, number);
        // Where a body that is free is, is seen; it is dragged there.
        if !free {
            let (unit, value, most) =
                if turns { ("°", way[k].to_degrees(), ANGLE) } else { ("m", way[k], 2.0) };
            row(format!("joint {}, {unit}", number + 1), value, most, Act::Pose(number));
        }
        let (unit, value, most) =
            if turns { ("°/s", state.v[k].to_degrees(), TURNING) } else { ("m/s", state.v[k], SLIDING) };
        row(format!("rate {}, {unit}", number + 1), value, most, Act::Velocity(number));
    }
    rows
}

/// Numbers of a character's controller, from its kind's row in the registry: key, value now, range.
fn settings(pane: &Pane, member: usize) -> Vec<(&'static str, f64, (f64, f64))> {
    let world = &pane.world;
    let name = world.controllers[member].name();
    // Of another controller than the scene's nothing is written anywhere.
    if world.cast()[member].controller.name() != name {
        return Vec::new();
    }
    let Some(kind) = world.scene().registry.controller(name) else { return Vec::new() };
    let number = |setting: &'static stuntlab_control::kind::Setting| {
        let usual: f64 = setting.usual.parse().ok()?;
        let value = pane.scene.controller_number(member, setting.name).unwrap_or(usual);
        let most = 3.0 * usual.abs().max(value.abs());
        let range = if usual < 0.0 { (-most, 0.0) } else { (0.0, if most > 0.0 { most } else { 1.0 }) };
        Some((setting.name, value, range))
    };
    kind.settings().filter_map(number).take(SLIDERS).collect()
}
