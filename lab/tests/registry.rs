//! Rows from outside, and layers in scenes: what is read, measured, refused.

use std::sync::Arc;

use stuntlab::measure::{Quantity, Stat, Subject};
use stuntlab::registry::Registry;
use stuntlab::run::{Hands, Run, World, variants_of};
use stuntlab::scene::Scene;
use stuntlab_control::{Casting, Controller, Idle, Kind, Maker, Refusal, Setting};

#[derive(Debug)]
struct Mine(f64);

impl Maker for Mine {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        match casting.bodies.len() {
            16 if self.0 > 0.0 => Ok(Box::new(Idle)),
            n => Err(Refusal::new("figure", format!("has {n} bodies, expected 16"))),
        }
    }
}

const KIND: Kind = Kind {
    name: "mine",
    help: "From outside",
    keys: &[&[Setting::new("size", "1.0", "of nothing")]],
    commands: &[],
    readings: &[],
    read: |fields, _| Ok(Arc::new(Mine(fields.positive("size")?.unwrap_or(1.0)))),
};

const QUANTITY: Quantity =
    Quantity::new("clock", "s", Subject::World, "Time", |look| Some(look.world.state.time))
        .usually(Stat::Last);

fn scene(figure: &str, rest: &str) -> String {
    format!(
        "schema = 1\nshows = \"a test\"\nduration = 0.1\nrate = 100\n[[measure]]\nquantity = \"clock\"\nmin = 0.09\n\
         [[character]]\nname = \"it\"\nfigure = \"{figure}\"\n{rest}"
    )
}

fn registry() -> Arc<Registry> {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add_controller(KIND).expect("a new name");
    registry.add_quantity(QUANTITY).expect("a new name");
    Arc::new(registry)
}

#[test]
fn rows_from_outside_are_read_made_and_measured() {
    let own = registry();
    let text = scene("humanoid37", "controller = { kind = \"mine\", size = 2.0 }");
    let scene = Scene::parse_with(&own, "t.toml", &text, &[]).expect("rows of its own");
    let mut run = Run::new(&scene, &variants_of(&scene, None).expect("no variants")).expect("it runs");
    run.advance_to(scene.duration);
    assert!(run.metrics().passed, "{:?}", run.metrics());
    // Overrides are read with the same rows; the standard ones know neither.
    let error = scene.with(&["character.0.controller.size=-1".to_owned()]).expect_err("a size below 0");
    assert!(error.to_string().contains("controller.size: is -1, expected a number above 0"), "{error}");
    let error = Scene::parse("t.toml", &text, &[]).expect_err("nobody knows them");
    assert!(error.to_string().contains("is \"mine\", expected one of: none, pose, dynamo"), "{error}");
    assert!(
        stuntlab::reference::sections(&own)
            .iter()
            .any(|(_, text)| text.contains("| `mine` | From outside |"))
    );
}

#[test]
fn a_kind_refuses_a_figure_with_the_characters_line() {
    let text = scene("bones36", "controller = { kind = \"mine\" }");
    let error = Scene::parse_with(&registry(), "t.toml", &text, &[]).expect_err("36 bodies");
    assert_eq!(error.to_string(), "t.toml:8: figure: has 36 bodies, expected 16");
}

#[test]
fn layers_are_read_and_their_errors_say_where() {
    let layered = |layers: &str| {
        let text = scene("humanoid37", layers).replace("\"clock\"\nmin = 0.09", "\"strength\"\nmin = 1.0");
        Scene::parse("t.toml", &text, &[])
    };
    let good = "[[character.layer]]\nname = \"all\"\ncontroller = { kind = \"pose\" }\n\
                [[character.layer]]\nname = \"arms\"\nrule = \"blend\"\nweight = 0.3\non = [\"left-arm\", \"head\"]\n\
                controller = { kind = \"pose\", stiffness = 90.0 }\n";
    let scene = layered(good).expect("two layers");
    let mut world = World::new(&scene).expect("it builds");
    assert_eq!(world.controllers[0].name(), "layers");
    world.step(&Hands::default()).expect("a sound step");
    assert_eq!(world.controllers[0].readings().get("strength"), Some(1.0));
    let bad = [
        ("name = \"arms\"", "name = \"all\"", "layer[1].name: \"all\" is defined twice"),
        ("\"blend\"", "\"mix\"", "layer[1].rule: is \"mix\", expected one of: add, override, blend"),
        ("weight = 0.3", "weight = 3.0", "layer[1].weight: is 3, expected 0 to 1"),
        (
            "\"left-arm\"",
            "\"left-wing\"",
            "layer.on: has \"left-wing\", expected names of bodies, head, trunk, arms or legs",
        ),
        (
            "kind = \"pose\", ",
            "kind = \"prose\", ",
            "layer[1].controller.kind: is \"prose\", expected one of: none, pose",
        ),
        ("rule = \"blend\"", "rules = \"blend\"", "layer[1].rules: unknown key, expected one of: name, rule"),
    ];
    for (from, to, words) in bad {
        assert!(good.contains(from), "{from}");
        let error = layered(&good.replace(from, to)).expect_err(to).to_string();
        assert!(error.contains(words), "expected \"{words}\": {error}");
    }
    let both = format!("controller = {{ kind = \"none\" }}\n{good}");
    let error = layered(&both).expect_err("both").to_string();
    assert!(error.contains("layer: beside a controller, expected one or the other"), "{error}");
}

#[test]
fn a_layer_leaves_by_command_and_the_figure_goes_limp() {
    let text = scene(
        "humanoid37",
        "[[character.layer]]\nname = \"hold\"\nfade = 0.05\ncontroller = { kind = \"pose\" }\n\
         [[event]]\nkind = \"command\"\ntime = 0.0\ncharacter = \"it\"\ncommand = \"hold\"\nvalue = 0.0\n",
    )
    .replace("\"clock\"\nmin = 0.09", "\"speed\"\nmin = 0.0");
    let scene = Scene::parse("t.toml", &text, &[]).expect("a layer and a command");
    let mut world = World::new(&scene).expect("the command is known");
    for _ in 0..8 {
        world.step(&Hands::default()).expect("a sound step");
    }
    let bad = text.replace("command = \"hold\"", "command = \"drop\"");
    let scene = Scene::parse("t.toml", &bad, &[]).expect("it reads");
    let error = World::new(&scene).err().expect("nobody drops").to_string();
    assert!(error.contains("is \"drop\", expected one of: hold, strength (controller layers)"), "{error}");
}
