//! What happens during a scene: pushes, throws, drags along a path, commands.

use stuntlab_physics::glam::DVec3;

use super::Fields;
use super::SceneError;
use super::place::read_spread;
use crate::random::Random;

/// Something that happens.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) line: usize,
    pub(crate) time: f64,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// An impulse spread evenly over a time, at a point of a body.
    Push { body: String, impulse: DVec3, point_body: DVec3, duration: f64 },
    /// A body is put somewhere with a velocity.
    Throw { body: String, from: DVec3, velocity: DVec3, spin: DVec3 },
    /// A point of a body is pulled along a path by a spring.
    Drag { body: String, point_body: DVec3, path: Vec<DVec3>, duration: f64, frequency: f64 },
    /// A word to a character's controller.
    Command {
        character: String,
        name: String,
        value: f64,
        /// Where a word the controller does not know is written.
        place: SceneError,
    },
}

#[derive(Clone, Copy)]
enum Kind {
    Push,
    Throw,
    Drag,
    Command,
}

const KINDS: [(&str, Kind); 4] =
    [("push", Kind::Push), ("throw", Kind::Throw), ("drag", Kind::Drag), ("command", Kind::Command)];

/// Reads one `[[event]]`.
pub(crate) fn read(fields: Fields<'_>, seed: u64) -> Result<Event, SceneError> {
    let kind = fields.required_choice("kind", &KINDS)?;
    let time =
        fields.at_least_zero("time")?.ok_or_else(|| fields.missing("time", "seconds since the start"))?;
    let point = |fields: &Fields<'_>| Ok::<_, SceneError>(fields.vector("point")?.unwrap_or(DVec3::ZERO));
    let body = |fields: &Fields<'_>| fields.required_text("body").map(str::to_owned);
    // Several pushes of one body draw apart.
    let draws = |fields: &Fields<'_>| fields.required_text("body").map(|body| format!("{body} at {time}"));
    let what = match kind {
        Kind::Push => What::Push {
            body: body(&fields)?,
            impulse: fields.required_vector("impulse")? + read_spread(&fields, &draws(&fields)?, seed)?,
            point_body: point(&fields)?,
            duration: fields.positive("duration")?.unwrap_or(0.1),
        },
        Kind::Throw => What::Throw {
            body: body(&fields)?,
            from: fields.required_vector("from")?
                + read_spread(&fields, fields.required_text("body")?, seed)?,
            velocity: fields.required_vector("velocity")?,
            spin: fields.vector("spin")?.unwrap_or(DVec3::ZERO),
        },
        Kind::Drag => {
            let path = fields.vectors("path")?;
            if path.is_empty() {
                return Err(fields.missing("path", "a list of points of 3 numbers each"));
            }
            What::Drag {
                body: body(&fields)?,
                point_body: point(&fields)?,
                path,
                duration: fields.positive("duration")?.unwrap_or(1.0),
                frequency: fields.positive("frequency")?.unwrap_or(3.0),
            }
        }
        Kind::Command => What::Command {
            character: fields.required_text("character")?.to_owned(),
            name: fields.required_text("command")?.to_owned(),
            value: fields.number("value")?.unwrap_or(1.0),
            place: fields.error("command", ""),
        },
    };
    let late = fields.at_least_zero("late")?.unwrap_or(0.0);
    let time = time + late * Random::named(seed, &format!("event at {time}")).unit();
    let event = Event { line: fields.line(), time, what };
    fields.finish()?;
    Ok(event)
}
