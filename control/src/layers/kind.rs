//! Layers as scenes describe them: `[[character.layer]]`, the lowest first.

use std::sync::Arc;

use stuntlab_mocap::character::{Bone, Character, Part};
use stuntlab_physics::Model;

use super::{Layer, Layers, Rule};
use crate::controller::Controller;
use crate::kind::{self, Casting, Maker, Refusal, Setting, Stock};
use crate::settings::{Fields, SettingError};

/// Keys of a layer.
pub const LAYER_KEYS: &[Setting] = &[
    Setting::new("name", "", "what commands and messages call it"),
    Setting::new("rule", "\"add\"", "`add`, `override`, `blend`"),
    Setting::new("weight", "", "of `blend`: its share, 0 to 1; 0.5 where it is not written"),
    Setting::new(
        "on",
        "[]",
        "names of bodies, or `head`, `trunk`, `arms`, `legs`, `left-arm` and so on; all where empty",
    ),
    Setting::new("fade", "0.2", "seconds over which it comes and goes"),
    Setting::new("active", "true", "whether it is there from the start"),
    Setting::new("controller", "", "a table with a `kind`, as of a character"),
];

#[derive(Debug)]
struct LayerSpec {
    name: String,
    rule: Rule,
    on: Vec<String>,
    fade: f64,
    active: bool,
    maker: Arc<dyn Maker>,
}

/// What layers are made from.
#[derive(Debug)]
pub struct LayersMaker(Vec<LayerSpec>);

/// What drives somebody: a name, and what it is made from.
pub type Driver = (&'static str, Arc<dyn Maker>);

/// Reads the table `controller`, or the layers `[[layer]]` in its place: the name and what it is made from; none where neither is written.
///
/// # Errors
/// What is wrong, with line and key.
pub fn read_driver(fields: &Fields<'_>, stock: &Stock<'_>) -> Result<Option<Driver>, SettingError> {
    let (table, tables) = (fields.table("controller")?, fields.tables("layer")?);
    match table {
        Some(_) if !tables.is_empty() => {
            Err(fields.error("layer", "beside a controller, expected one or the other"))
        }
        Some(table) => kind::read(table, stock).map(|(kind, maker)| Some((kind.name, maker))),
        None if tables.is_empty() => Ok(None),
        None => Ok(Some(("layers", Arc::new(read(tables, stock)?)))),
    }
}

/// Reads layers, of controllers that are in stock.
///
/// # Errors
/// What is wrong, with line and key.
pub fn read(tables: Vec<Fields<'_>>, stock: &Stock<'_>) -> Result<LayersMaker, SettingError> {
    let mut layers: Vec<LayerSpec> = Vec::new();
    for fields in tables {
        let layer = read_layer(fields, stock, &layers)?;
        layers.push(layer);
    }
    Ok(LayersMaker(layers))
}

fn read_layer(fields: Fields<'_>, stock: &Stock<'_>, above: &[LayerSpec]) -> Result<LayerSpec, SettingError> {
    let name = fields.required_text("name")?.to_owned();
    if above.iter().any(|other| other.name == name) {
        return Err(fields.error("name", format!("\"{name}\" is defined twice, expected another name")));
    }
    let rules = [("add", 0), ("override", 1), ("blend", 2)];
    let rule = match fields.choice("rule", &rules)?.unwrap_or(0) {
        0 => Rule::Add,
        1 => Rule::Override,
        _ => Rule::Blend { weight: fields.at_least_zero("weight")?.unwrap_or(0.5) },
    };
    if let Rule::Blend { weight } = rule
        && weight > 1.0
    {
        return Err(fields.error("weight", format!("is {weight}, expected 0 to 1")));
    }
    let on = fields.texts("on")?;
    let fade = fields.at_least_zero("fade")?.unwrap_or(0.2);
    let active = fields.flag("active")?.unwrap_or(true);
    let Some(table) = fields.table("controller")? else {
        return Err(fields.missing("controller", "a table with a kind"));
    };
    let maker = kind::read(table, stock)?.1;
    fields.finish()?;
    Ok(LayerSpec { name, rule, on, fade, active, maker })
}

/// Whether a word of `on` means a body.
fn means(word: &str, part: Part) -> bool {
    let (side, group) = match word.split_once('-') {
        Some((side @ ("left" | "right"), rest)) => (Some(side), rest),
        _ => (None, word.strip_suffix('s').unwrap_or(word)),
    };
    let own = match part {
        Part::Pelvis | Part::Spine(_) => "trunk",
        Part::Neck(_) | Part::Head => "head",
        Part::Clavicle(_) | Part::UpperArm(_) | Part::Forearm(_) | Part::Hand(_) | Part::Finger(_) => "arm",
        Part::Thigh(_) | Part::Shank(_) | Part::Foot(_) | Part::Toe(_) => "leg",
    };
    let of_side = side.is_none_or(|word| {
        part.side().is_some_and(|s| (s == stuntlab_mocap::Side::Right) == (word == "right"))
    });
    own == group && of_side
}

/// The bodies that the words of `on` mean.
fn bodies(words: &[String], casting: &Casting<'_>) -> Result<Vec<bool>, Refusal> {
    let own: &Model = &casting.own;
    let mut on = if words.is_empty() { Vec::new() } else { vec![false; own.n_bodies()] };
    for word in words {
        let mut found = false;
        for (k, body) in own.bodies().iter().enumerate() {
            let name = body.name().rsplit('/').next().unwrap_or(body.name());
            if name == word || casting.physique.part(Bone::new(k)).is_some_and(|part| means(word, part)) {
                (on[k], found) = (true, true);
            }
        }
        if !found {
            let problem = format!("has \"{word}\", expected names of bodies, head, trunk, arms or legs");
            return Err(Refusal::new("layer.on", problem));
        }
    }
    Ok(on)
}

impl Maker for LayersMaker {
    fn start(&self, figure: Option<&Arc<Character>>) -> Result<Option<Vec<f64>>, Refusal> {
        let starts = self.0.iter().map(|layer| layer.maker.start(figure));
        starts.collect::<Result<Vec<_>, _>>().map(|all| all.into_iter().flatten().next())
    }

    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let mut layers = Vec::with_capacity(self.0.len());
        for spec in &self.0 {
            let layer = Layer::new(&spec.name, spec.maker.make(casting)?).by(spec.rule).fading(spec.fade);
            let layer = layer.on(bodies(&spec.on, casting)?);
            layers.push(if spec.active { layer } else { layer.waiting() });
        }
        Ok(Box::new(Layers::new(layers)))
    }
}
