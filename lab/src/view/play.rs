//! A person in a character's place. A fighter decides nothing for itself then and takes orders from keys: whoever can be told to decide for
//! itself or not (`autonomous`) can be played. So can who waits to be asked for things (a stuntperson, [`Controller::orders`]): it goes on
//! to decide for itself whether and when.

use stuntlab_control::Controller;

use super::keys::asking;
use crate::run::World;

/// Who is played by this name.
fn played<'a>(world: &'a World, character: &str) -> Option<&'a dyn Controller> {
    let member = world.cast().iter().position(|m| m.name == character)?;
    world.controllers.get(member).map(|controller| controller.as_ref())
}

/// What the played character is asked for by this number.
pub(crate) fn order(world: &World, character: &str, number: usize) -> Option<&'static str> {
    played(world, character)?.orders().get(number).copied()
}

/// The character to play: the one that is followed, else the first.
pub(crate) fn candidate(world: &World, followed: Option<&str>) -> Option<String> {
    let can = |c: &dyn Controller| c.commands().contains(&"autonomous") || !c.orders().is_empty();
    let fights = |k: &usize| world.controllers.get(*k).is_some_and(|c| can(c.as_ref()));
    let name = |k: usize| world.cast()[k].name.as_str();
    let fighters: Vec<&str> = (0..world.cast().len()).filter(fights).map(name).collect();
    let wanted = fighters.iter().find(|name| followed == Some(**name)).or(fighters.first())?;
    Some((*wanted).to_owned())
}

/// Says a word to a character. One that is driven by something else meanwhile need not know it.
pub(crate) fn tell(world: &mut World, character: &str, word: &str, value: f64) {
    let member = world.cast().iter().position(|m| m.name == character);
    if let Some(controller) = member.and_then(|k| world.controllers.get_mut(k)) {
        let _ = controller.command(word, value);
    }
}

/// How a played character fares, in words: what it and its opponents say of themselves.
pub(crate) fn score(world: &World, character: &str) -> String {
    let mut words = character.to_owned();
    let mut add = |label: &str, value: Option<f64>| {
        if let Some(value) = value {
            words += &format!("  {label} {value}");
        }
    };
    let readings = |own: bool, name: &str| -> Option<f64> {
        let of = world.cast().iter().zip(&world.controllers).filter(|(m, _)| (m.name == character) == own);
        of.filter_map(|(_, c)| c.readings().get(name)).reduce(|a, b| a + b)
    };
    add("health %", readings(true, "health").map(|h| (100.0 * h).round()));
    add("hits", readings(false, "hits-taken"));
    add("taken", readings(true, "hits-taken"));
    add("rounds", readings(false, "rounds-lost"));
    add("lost", readings(true, "rounds-lost"));
    if let Some(controller) = played(world, character) {
        for (number, word) in controller.orders().into_iter().enumerate() {
            let key = asking(number).unwrap_or("-");
            words += &format!("  {key} {word}");
        }
        let acts = controller.chronicle().last().map(|entry| entry.chosen);
        words += &acts.map_or_else(String::new, |chosen| format!("  now {chosen}"));
    }
    words
}
