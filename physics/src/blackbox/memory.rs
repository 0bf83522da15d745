//! What a step remembers, as text.

use std::io::{self, BufRead, Write};

use super::dump::{DumpError, count, read_list, write_list};
use super::text::{Line, Lines};
use crate::actuation::Key;
use crate::contact::{Phase, Stick};
use crate::convex::Warm;
use crate::convex::flow::Rise;
use crate::memory::{Felt, Memory, Touch};
use crate::model::{BodyId, Model};
use crate::spatial::Motion;
use crate::step::reports::{Kind, Remembered, order};
use crate::step::sleep::Sleep;

/// Whether a memory has the sizes of a model.
pub(super) fn fits(memory: &Memory, model: &Model) -> bool {
    let (warm, trees) = (&memory.warm, model.trees().len());
    let known = |f: &Felt| f.body_a.max(f.body_b.unwrap_or(f.body_a)).index() < model.n_bodies();
    memory.n_static <= memory.touches.len()
        && memory.felt.iter().all(known)
        && memory.limit_loads.len() == model.n_bodies()
        && (warm.kicked.len(), warm.left.len(), warm.roots.len()) == (model.n_v(), model.n_v(), trees)
}

/// Writes a memory.
pub(super) fn write(memory: &Memory, out: &mut impl Write) -> io::Result<()> {
    let Memory { touches, n_static, sleep, limit_loads, efforts, warm, felt, rises } = memory;
    let Sleep { still, asleep, print } = sleep;
    Line::new("trees").word(still.len()).end(out)?;
    Line::new("still").numbers(still).end(out)?;
    asleep.iter().fold(Line::new("asleep"), |line, &on| line.word(on)).end(out)?;
    print.iter().fold(Line::new("print"), |line, &hash| line.word(hash)).end(out)?;
    rises
        .iter()
        .fold(Line::new("risen"), |line, rise| line.number(rise.ahead).number(rise.scale))
        .end(out)?;
    write_list("limit_loads", limit_loads, out)?;
    Line::new("efforts").word(efforts.len()).end(out)?;
    for &Remembered { kind, key, force, moment, in_vain } in efforts {
        let kind = match kind {
            Kind::Pin => "pin",
            Kind::Motor => "motor",
            Kind::Row => "row",
        };
        Line::new("effort").word(kind).word(key).vector(force).vector(moment).word(in_vain).end(out)?;
    }
    let Warm { kicked, roots, left } = warm;
    write_list("kicked", kicked, out)?;
    write_list("left", left, out)?;
    let line = Line::new("roots").word(roots.len());
    roots.iter().fold(line, |line, m| line.vector(m.angular).vector(m.linear)).end(out)?;
    Line::new("touches_static").word(n_static).end(out)?;
    Line::new("touches").word(touches.len()).end(out)?;
    touches.iter().try_for_each(|touch| write_touch(touch, out))?;
    Line::new("felt").word(felt.len()).end(out)?;
    felt.iter().try_for_each(|felt| write_felt(felt, out))
}

fn write_felt(felt: &Felt, out: &mut impl Write) -> io::Result<()> {
    let Felt { body_a, body_b, point, normal, force } = *felt;
    // The world has no number.
    let line = Line::new("force").word(body_a.index()).word(body_b.map_or(u32::MAX, |b| b.index() as u32));
    line.vector(point).vector(normal).vector(force).end(out)
}

fn read_felt<R: BufRead>(lines: &mut Lines<R>) -> Result<Felt, DumpError> {
    let body_a: u32 = lines.word("a body")?;
    let body_b: u32 = lines.word("a body")?;
    Ok(Felt {
        body_a: BodyId::new(body_a as usize),
        body_b: (body_b != u32::MAX).then(|| BodyId::new(body_b as usize)),
        point: lines.vector("a point")?,
        normal: lines.vector("a normal")?,
        force: lines.vector("a force")?,
    })
}

/// Reads what [`write`] wrote.
pub(super) fn read<R: BufRead>(lines: &mut Lines<R>) -> Result<Memory, DumpError> {
    let trees = count(lines, "trees")?;
    let (still, asleep, print) =
        (lines.list("still", trees)?, lines.list("asleep", trees)?, lines.list("print", trees)?);
    let risen: Vec<f64> = lines.list("risen", 2 * trees)?;
    let rises = risen.chunks_exact(2).map(|pair| Rise { ahead: pair[0], scale: pair[1] }).collect();
    let limit_loads = read_list(lines, "limit_loads")?;
    let mut efforts = Vec::new();
    for _ in 0..count(lines, "efforts")? {
        lines.expect("effort")?;
        efforts.push(read_effort(lines)?);
    }
    order(&mut efforts);
    let (kicked, left) = (read_list(lines, "kicked")?, read_list(lines, "left")?);
    let n = count(lines, "roots")?;
    let root = |lines: &mut Lines<R>| Ok(Motion::new(lines.vector("a spin")?, lines.vector("a velocity")?));
    let roots = (0..n).map(|_| root(lines)).collect::<Result<_, DumpError>>()?;
    let n_static = count(lines, "touches_static")?;
    let mut touches = Vec::new();
    for _ in 0..count(lines, "touches")? {
        lines.expect("touch")?;
        touches.push(read_touch(lines)?);
    }
    let (sleep, warm) = (Sleep { still, asleep, print }, Warm { kicked, roots, left });
    let mut felt = Vec::new();
    for _ in 0..count(lines, "felt")? {
        lines.expect("force")?;
        felt.push(read_felt(lines)?);
    }
    Ok(Memory { touches, n_static, sleep, limit_loads, efforts, warm, felt, rises })
}

fn read_effort<R: BufRead>(lines: &mut Lines<R>) -> Result<Remembered, DumpError> {
    let word: String = lines.word("pin, motor or row")?;
    let kind = match word.as_str() {
        "pin" => Kind::Pin,
        "motor" => Kind::Motor,
        "row" => Kind::Row,
        _ => return Err(lines.wrong("pin, motor or row", &word)),
    };
    let key = Key(lines.word("a key")?);
    let (force, moment) = (lines.vector("a force")?, lines.vector("a moment")?);
    Ok(Remembered { kind, key, force, moment, in_vain: lines.word("true or false")? })
}

fn write_touch(touch: &Touch, out: &mut impl Write) -> io::Result<()> {
    let Touch { key: (collider_a, collider_b, feature), phase, force, stick: Stick { stretch, anchor } } =
        *touch;
    Line::new("touch")
        .word(collider_a)
        .word(collider_b)
        .word(feature)
        .word(match phase {
            Phase::Open => "open",
            Phase::Stick => "stick",
            Phase::Slip => "slip",
        })
        .vector(force)
        .vector(stretch)
        .vector(anchor[0])
        .vector(anchor[1])
        .end(out)
}

fn read_touch<R: BufRead>(lines: &mut Lines<R>) -> Result<Touch, DumpError> {
    let key = (lines.word("a collider")?, lines.word("a collider")?, lines.word("a feature")?);
    let word: String = lines.word("open, stick or slip")?;
    let phase = match word.as_str() {
        "open" => Phase::Open,
        "stick" => Phase::Stick,
        "slip" => Phase::Slip,
        _ => return Err(lines.wrong("open, stick or slip", &word)),
    };
    Ok(Touch {
        key,
        phase,
        force: lines.vector("a force")?,
        stick: Stick {
            stretch: lines.vector("a stretch")?,
            anchor: [lines.vector("an anchor")?, lines.vector("an anchor")?],
        },
    })
}
