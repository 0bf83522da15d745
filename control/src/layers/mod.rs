//! Layers: several controllers drive one character.
//!
//! Every layer writes an intent of its own, for the bodies it is on; they become one by a stated rule, from the lowest to the
//! highest, so that nothing is clobbered or doubled:
//!
//! | [`Rule`] | what the character does |
//! |---|---|
//! | `Add` | what the layers below do, and this one's forces besides |
//! | `Override` | on this layer's bodies nothing but what it says |
//! | `Blend` | on this layer's bodies a share `weight` of its torques and the rest of those below |
//!
//! A layer comes and goes ([`Layers::switch`], or a command of its name) over its fade: its share rises and falls smoothly, so do the
//! torques. [`Controller::enter`] and [`Controller::leave`] tell it when it has a say. (How intents add: `merge`.)
//!
//! Layers may prescribe joints, pin and motorise; keys of pins, motors and rows must differ between layers that write them at once.

mod kind;
pub mod merge;

pub use kind::{Driver, LAYER_KEYS, LayersMaker, read, read_driver};

use stuntlab_mocap::character::Bone;
use stuntlab_physics::{Actuation, Model};

use crate::controller::{Controller, Glow, Role, Sense, UnknownCommand};
use crate::readings::{Published, Readings};
use crate::reference::Beginning;
use merge::Mask;

/// How a layer joins those below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Its forces are added.
    Add,
    /// Its forces instead of theirs, on its bodies.
    Override,
    /// A share of its forces and the rest of theirs, on its bodies.
    Blend {
        /// Its share, 0 to 1.
        weight: f64,
    },
}

impl Rule {
    /// Its share when it is wholly there.
    fn weight(self) -> f64 {
        match self {
            Self::Add | Self::Override => 1.0,
            Self::Blend { weight } => weight.clamp(0.0, 1.0),
        }
    }
}

/// A controller among others.
#[derive(Clone)]
pub struct Layer {
    name: String,
    controller: Box<dyn Controller>,
    rule: Rule,
    /// Which of the character's bodies it is on; all where empty.
    on: Vec<bool>,
    fade: f64,
    active: bool,
    /// How far it has come in, 0 to 1.
    progress: f64,
    entered: bool,
}

impl Layer {
    /// A layer on all bodies that is added to those below, without a fade.
    pub fn new(name: impl Into<String>, controller: Box<dyn Controller>) -> Self {
        Self {
            name: name.into(),
            controller,
            rule: Rule::Add,
            on: Vec::new(),
            fade: 0.0,
            active: true,
            progress: 1.0,
            entered: false,
        }
    }

    /// The same with another rule.
    #[must_use]
    pub fn by(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// The same on some bodies only: one flag per body of the character.
    #[must_use]
    pub fn on(mut self, bodies: Vec<bool>) -> Self {
        self.on = bodies;
        self
    }

    /// The same with seconds over which it comes and goes.
    #[must_use]
    pub fn fading(mut self, seconds: f64) -> Self {
        self.fade = seconds.max(0.0);
        self
    }

    /// The same, not there yet.
    #[must_use]
    pub fn waiting(mut self) -> Self {
        (self.active, self.progress) = (false, 0.0);
        self
    }

    /// Its share now: it rises and falls without a kink.
    fn share(&self) -> f64 {
        let p = self.progress;
        self.rule.weight() * p * p * (3.0 - 2.0 * p)
    }

    fn advance(&mut self, dt: f64) {
        let step = if self.fade > 0.0 { dt / self.fade } else { 1.0 };
        let towards = if self.active { step } else { -step };
        self.progress = (self.progress + towards).clamp(0.0, 1.0);
    }

    /// Whether nothing below it comes through.
    fn covers_all(&self) -> bool {
        self.rule != Rule::Add && self.on.is_empty() && self.share() >= 1.0
    }
}

/// Intents of the layer at hand and of all so far.
#[derive(Clone)]
struct Desk {
    own: Actuation,
    all: Actuation,
}

/// Several controllers in one.
#[derive(Clone)]
pub struct Layers {
    layers: Vec<Layer>,
    desk: Option<Box<Desk>>,
    published: Vec<Published>,
    values: Vec<f64>,
    commands: Vec<&'static str>,
}

impl Layers {
    /// Layers, the lowest first.
    pub fn new(layers: Vec<Layer>) -> Self {
        let mut published: Vec<Published> = Vec::new();
        let mut commands: Vec<&'static str> = Vec::new();
        for layer in &layers {
            for p in layer.controller.readings().published() {
                if published.iter().all(|other| other.name != p.name) {
                    published.push(*p);
                }
            }
            commands.extend(layer.controller.commands());
        }
        let mut made = Self { values: vec![0.0; published.len()], published, commands, layers, desk: None };
        made.gather();
        made
    }

    /// `from` until now, `to` from now on, the torques going over from one to the other within some seconds.
    pub fn cross_fade(from: Box<dyn Controller>, to: Box<dyn Controller>, seconds: f64) -> Self {
        let to = Layer::new("to", to).by(Rule::Override).fading(seconds).waiting();
        let mut layers = Self::new(vec![Layer::new("from", from), to]);
        layers.switch("to", true);
        layers
    }

    /// Has a layer come or go; returns whether there is one of this name.
    pub fn switch(&mut self, name: &str, active: bool) -> bool {
        let found = self.layers.iter_mut().find(|l| l.name == name);
        found.map(|layer| layer.active = active).is_some()
    }

    /// The share of a layer now.
    pub fn share(&self, name: &str) -> Option<f64> {
        self.layers.iter().find(|l| l.name == name).map(Layer::share)
    }

    /// Readings of all: the lowest layer that publishes a name speaks for it.
    fn gather(&mut self) {
        for (published, value) in self.published.iter().zip(&mut self.values) {
            let said = self.layers.iter().find_map(|l| l.controller.readings().get(published.name));
            *value = said.unwrap_or(*value);
        }
    }

    fn desk(&mut self, model: &Model) -> Box<Desk> {
        let fresh = || Box::new(Desk { own: Actuation::new(model), all: Actuation::new(model) });
        self.desk.take().unwrap_or_else(fresh)
    }
}

impl Controller for Layers {
    fn name(&self) -> &'static str {
        "layers"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        self.layers.iter_mut().for_each(|l| l.advance(sense.dt));
        let lowest = self.layers.iter().rposition(Layer::covers_all).unwrap_or(0);
        let mut desk = self.desk(sense.model);
        let Desk { own, all } = desk.as_mut();
        all.clear();
        for (k, layer) in self.layers.iter_mut().enumerate() {
            let share = if k < lowest { 0.0 } else { layer.share() };
            if share <= 0.0 {
                if std::mem::take(&mut layer.entered) {
                    layer.controller.leave();
                }
                continue;
            }
            if !std::mem::replace(&mut layer.entered, true) {
                layer.controller.enter(sense);
            }
            own.clear();
            layer.controller.act(sense, own);
            let mask = Mask { bodies: sense.bodies, on: &layer.on };
            merge::restrict(own, sense.model, mask);
            if layer.rule == Rule::Add {
                if share < 1.0 {
                    merge::scale(own, sense.model, mask, share, share >= 0.5);
                }
                merge::add(all, own, sense);
            } else {
                merge::blend(all, own, sense, mask, share);
            }
        }
        merge::add(out, all, sense);
        self.desk = Some(desk);
        self.gather();
    }

    fn begin(&mut self, at: Beginning) {
        self.layers.iter_mut().for_each(|layer| layer.controller.begin(at));
    }

    fn leave(&mut self) {
        for layer in &mut self.layers {
            if std::mem::take(&mut layer.entered) {
                layer.controller.leave();
            }
        }
    }

    fn commands(&self) -> &[&'static str] {
        &self.commands
    }

    /// The name of a layer, with 1 or 0 for it to come or go; all else goes to every layer that knows it.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        let mut known = self.switch(name, value != 0.0);
        for layer in &mut self.layers {
            known |= layer.controller.command(name, value).is_ok();
        }
        if known { Ok(()) } else { Err(self.unknown()) }
    }

    fn unknown(&self) -> UnknownCommand {
        let words = self.commands.iter().map(|c| (*c).to_owned());
        UnknownCommand { known: self.layers.iter().map(|l| l.name.clone()).chain(words).collect() }
    }

    /// The highest layer that wants something speaks for its bodies.
    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        let mut wanted = false;
        let mut own = q.to_vec();
        for layer in self.layers.iter().filter(|l| l.share() > 0.0) {
            if layer.controller.target(sense, &mut own) {
                wanted = true;
                let mask = Mask { bodies: sense.bodies, on: &layer.on };
                for body in sense.bodies.iter().filter(|b| mask.holds(*b)) {
                    let range = sense.model.body(body).coordinates();
                    q[range].copy_from_slice(&own[range]);
                }
            }
        }
        wanted
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&self.published, &self.values)
    }

    /// That of the lowest layer that has one.
    fn glow(&self, bone: Bone) -> Option<Glow> {
        self.layers.iter().find_map(|l| l.controller.glow(bone))
    }

    /// That of the lowest layer that is not limp.
    fn role(&self) -> Role {
        self.layers.iter().map(|l| l.controller.role()).find(|r| *r != Role::Limp).unwrap_or_default()
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
