//! A band of rows: what is seen in it, and in which light.

use std::ops::Range;

use glam::Vec3;

use super::BAND;
use super::arrive::Lamps;
use super::ground::{Kept, Way};
use super::lanes::{LANES, block_of};
use super::layer::{Layer, NOTHING};
use super::lens::Lens;
use super::part::Part;
use super::pattern::pattern;
use super::setup::Setup;
use super::shade::{RUN, Shader, Surface, sky};

/// Working memory of a band.
#[derive(Default)]
pub(super) struct Desk {
    solid: Layer,
    ghost: Layer,
    shader: Shader,
    /// Pattern of the ground.
    tint: Vec<f32>,
    colors: Vec<u32>,
}

/// Pixels, or samples, of some rows, for writing.
pub(super) struct Rows<'a> {
    pub(super) pixels: &'a mut [u32],
    /// From row to row.
    pub(super) stride: usize,
    /// Where a row begins.
    pub(super) left: usize,
}

impl Rows<'_> {
    fn count(&self) -> usize {
        self.pixels.len() / self.stride
    }

    /// Some columns of a row.
    #[inline(always)]
    fn run(&mut self, row: usize, columns: Range<usize>) -> &mut [u32] {
        let base = row * self.stride + self.left;
        &mut self.pixels[base + columns.start..base + columns.end]
    }
}

/// What all bands of a picture have in common.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) setup: &'a Setup,
    pub(super) lens: &'a Lens,
    pub(super) lamps: &'a Lamps<'a>,
    pub(super) samples: usize,
    pub(super) way: Way,
}

impl Desk {
    /// Draws a band into some rows of the canvas.
    pub(super) fn fill(
        &mut self,
        job: &Job<'_>,
        number: usize,
        kept: &mut Kept,
        mut band: Rows<'_>,
        depth: &mut [f32],
    ) {
        let Job { lens, samples, .. } = *job;
        if samples == 1 {
            self.draw(job, number, kept, &mut band);
        } else {
            let mut colors = std::mem::take(&mut self.colors);
            let (line, rows) = (lens.width.next_multiple_of(LANES), band.count() * samples);
            colors.resize(line * rows, 0);
            let mut fine = Rows { pixels: &mut colors, stride: line, left: 0 };
            self.draw(job, number, kept, &mut fine);
            resolve(lens, &fine, &mut band);
            self.colors = colors;
        }
        self.write_depth(lens, samples, &mut depth[band.left..], band.stride);
    }

    /// Fills `out` with the lit samples of a band.
    fn draw(&mut self, job: &Job<'_>, number: usize, kept: &mut Kept, out: &mut Rows<'_>) {
        let Job { setup, lens, samples, .. } = *job;
        let (rows, top) = (out.count(), number * BAND * samples);
        if job.way == Way::Known {
            self.solid.start_with(&kept.layer);
        } else {
            self.solid.start(lens.width, rows);
            self.draw_ground(job, number, top, rows);
        }
        let stride = self.solid.stride;
        self.shader.start(stride);
        if job.way == Way::Keep {
            self.keep(job, top, rows, kept);
        }
        for part in &setup.parts {
            visit(&mut self.solid, part, lens, number, 0, top, rows);
        }
        self.light(job, top, kept, out);
        let translucent = |part: &Part| part.bins[number].has(1);
        if !setup.planes.is_empty() || setup.parts.iter().any(translucent) {
            self.ghost.start_before(&self.solid, rows);
            for part in &setup.parts {
                visit(&mut self.ghost, part, lens, number, 1, top, rows);
            }
            for plane in &setup.planes {
                for row in 0..rows {
                    let (first, step) = lens.row(top + row);
                    plane.draw(lens, first, step, self.ghost.span(row, 0, lens.width));
                }
            }
            self.light_ghosts(job, top, out);
        }
        for &index in &setup.marks[number] {
            let item = &setup.overlays.items[index as usize];
            for row in item.rows.0.max(top)..item.rows.1.min(top + rows) {
                let range = (row - top) * stride..(row - top) * stride + lens.width;
                setup.overlays.draw_row(item, row, &self.solid.w[range], out.run(row - top, 0..lens.width));
            }
        }
    }

    /// Draws grounds and the patterns on them.
    fn draw_ground(&mut self, job: &Job<'_>, number: usize, top: usize, rows: usize) {
        let Job { setup, lens, .. } = *job;
        visit(&mut self.solid, &setup.ground, lens, number, 0, top, rows);
        for plane in &setup.ground_planes {
            for row in 0..rows {
                let (first, step) = lens.row(top + row);
                plane.draw(lens, first, step, self.solid.span(row, 0, lens.width));
            }
        }
        self.tint.resize(self.solid.w.len(), 1.0);
        let (solid, tint) = (&self.solid, &mut self.tint);
        each_run(solid, lens, rows, |base, run, material| {
            if material != NOTHING {
                let (first, step) = lens.row(top + base / solid.stride);
                let surface = Surface::new(solid, None, base, run);
                let column = surface.column;
                // A run that begins within a block leaves what is before alone.
                let mut found = [1.0; RUN];
                let found = &mut found[..surface.w.len()];
                let material = &setup.materials[material as usize];
                pattern(lens.level, material, first + step * column as f32, step, &surface, found);
                let place = base + column + surface.run.start..base + column + surface.run.end;
                tint[place].copy_from_slice(&found[surface.run]);
            }
        });
    }

    /// Keeps the ground that has just been drawn, and its colours in full light.
    fn keep(&mut self, job: &Job<'_>, top: usize, rows: usize, kept: &mut Kept) {
        let Job { setup, lens, lamps, .. } = *job;
        kept.layer.clone_from(&self.solid);
        kept.tint.clone_from(&self.tint);
        kept.bright.resize(kept.layer.w.len(), 0);
        let (solid, shader) = (&self.solid, &mut self.shader);
        let (tint, bright) = (&self.tint, &mut kept.bright);
        each_run(solid, lens, rows, |base, run, material| {
            let (first, step) = lens.row(top + base / solid.stride);
            let out = &mut bright[base + run.start..base + run.end];
            if material == NOTHING {
                sky(lens.level, lamps.light, first, step, run, out);
            } else {
                let surface = Surface::new(solid, Some(tint), base, run);
                let ray = first + step * surface.column as f32;
                let material = &setup.materials[material as usize];
                shader.shade_full(lens.level, material, lamps.light, ray, step, &surface, out);
            }
        });
    }

    /// Lights what is solid, run by run of equal material.
    fn light(&mut self, job: &Job<'_>, top: usize, kept: &Kept, out: &mut Rows<'_>) {
        let Job { setup, lens, lamps, .. } = *job;
        let (layer, shader) = (&self.solid, &mut self.shader);
        let known = job.way == Way::Known;
        let (ground, tint) = if known { (&kept.layer, &kept.tint) } else { (layer, &self.tint) };
        each_run(layer, lens, out.count(), |base, run, number| {
            let (place, row) = (base + run.start..base + run.end, base / layer.stride);
            let (first, step) = lens.row(top + row);
            if number == NOTHING {
                let out = out.run(row, run.clone());
                match known {
                    true => out.copy_from_slice(&kept.bright[place]),
                    false => sky(lens.level, lamps.light, first, step, run, out),
                }
                return;
            }
            let on_ground = (number as usize) < setup.grounds;
            let surface = if on_ground {
                Surface::new(ground, Some(tint), base, run.clone())
            } else {
                Surface::new(layer, None, base, run.clone())
            };
            let ray = first + step * surface.column as f32;
            find_light(shader, lamps, layer, base, &surface, (ray, step));
            if on_ground && known && shader.is_full(run.clone()) {
                out.run(row, run).copy_from_slice(&kept.bright[place]);
                return;
            }
            let material = &setup.materials[number as usize];
            shader.shade(lens.level, material, lamps.light, ray, step, &surface, out.run(row, run));
        });
    }

    /// Lights what is translucent, over what is behind.
    fn light_ghosts(&mut self, job: &Job<'_>, top: usize, out: &mut Rows<'_>) {
        let Job { setup, lens, lamps, .. } = *job;
        let (layer, shader) = (&self.ghost, &mut self.shader);
        each_run(layer, lens, out.count(), |base, run, number| {
            if number != NOTHING {
                let row = base / layer.stride;
                let (first, step) = lens.row(top + row);
                let surface = Surface::new(layer, None, base, run.clone());
                let ray = first + step * surface.column as f32;
                find_light(shader, lamps, layer, base, &surface, (ray, step));
                let material = &setup.materials[number as usize];
                shader.shade(lens.level, material, lamps.light, ray, step, &surface, out.run(row, run));
            }
        });
    }

    /// Writes the depth of each pixel's first sample.
    fn write_depth(&self, lens: &Lens, samples: usize, depth: &mut [f32], stride: usize) {
        let width = lens.width / samples;
        for (row, depth) in depth.chunks_mut(stride).enumerate() {
            let from = row * samples * self.solid.stride;
            let (w, depth) = (&self.solid.w[from..from + lens.width], &mut depth[..width]);
            if samples == 1 {
                depth.copy_from_slice(w);
            } else {
                depth.iter_mut().zip(w.chunks_exact(2)).for_each(|(depth, pair)| *depth = pair[0]);
            }
        }
    }
}

/// Writes the mean over each pixel's four samples.
fn resolve(lens: &Lens, fine: &Rows<'_>, out: &mut Rows<'_>) {
    for row in 0..out.count() {
        let from = 2 * row * fine.stride;
        let upper = fine.pixels[from..from + lens.width].chunks_exact(2);
        let lower = fine.pixels[from + fine.stride..][..lens.width].chunks_exact(2);
        for ((pixel, a), b) in out.run(row, 0..lens.width / 2).iter_mut().zip(upper).zip(lower) {
            *pixel = mean(a[0], a[1], b[0], b[1]);
        }
    }
}

/// Finds the light of a run of a layer's row that begins at `base`. Shadows have soft edges some samples wide, so that every other
/// row can do without asking, and where all or nothing arrives three of four.
fn find_light(
    shader: &mut Shader,
    lamps: &Lamps<'_>,
    layer: &Layer,
    base: usize,
    surface: &Surface<'_>,
    (ray, step): (Vec3, Vec3),
) {
    let row = base / layer.stride % 4;
    let columns = surface.column + surface.run.start..surface.column + surface.run.end;
    let kept = row > 0 && {
        let number = layer.material[base + columns.start];
        let above = &layer.material[base - layer.stride..base];
        shader.keep_light(above, columns, number, row == 2)
    };
    if !kept {
        shader.find_light(lamps, ray, step, surface);
    }
}

/// Decides what is seen of a part in a band of one layer.
fn visit(layer: &mut Layer, part: &Part, lens: &Lens, number: usize, which: usize, top: usize, rows: usize) {
    let bin = &part.bins[number];
    for &index in &bin.rounds[which] {
        let round = &part.rounds[index as usize];
        for row in round.rows.0.max(top)..round.rows.1.min(top + rows) {
            let (from, to) = round.columns(row, lens.width);
            if from < to {
                let (first, step) = lens.row(row);
                let span = layer.span(row - top, from, to);
                round.draw(lens, first + step * span.first as f32, step, span);
            }
        }
    }
    for &index in &bin.triangles[which] {
        part.triangles[index as usize].draw(lens, layer, top, rows);
    }
}

/// Calls `work` with every run of equal materials, row by row: where its row begins in the layer, its columns and its material. Runs
/// that show something are at most [`RUN`] long, counted from the block they begin in.
fn each_run(layer: &Layer, lens: &Lens, rows: usize, mut work: impl FnMut(usize, Range<usize>, u32)) {
    for row in 0..rows {
        let base = row * layer.stride;
        let materials = &layer.material[base..base + lens.width];
        let mut from = 0;
        while from < lens.width {
            let number = materials[from];
            let longest = if number == NOTHING { lens.width } else { block_of(from) * LANES + RUN };
            let to = end_of_run(materials, from, longest.min(lens.width));
            work(base, from..to, number);
            from = to;
        }
    }
}

/// Where the run of equal materials that starts at `from` ends, at the latest at `limit`.
fn end_of_run(materials: &[u32], from: usize, limit: usize) -> usize {
    let material = materials[from];
    let run = &materials[from..limit];
    let (blocks, _) = run.as_chunks::<LANES>();
    let equal = |block: &&[u32; LANES]| block.iter().fold(0, |differs, m| differs | (m ^ material)) == 0;
    let whole = blocks.iter().take_while(equal).count() * LANES;
    from + whole + run[whole..].iter().take(LANES).take_while(|m| **m == material).count()
}

/// Mean of four pixels, channel by channel.
#[inline(always)]
fn mean(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let even = (a & 0xFF00FF) + (b & 0xFF00FF) + (c & 0xFF00FF) + (d & 0xFF00FF) + 0x020002;
    let odd = (a & 0x00FF00) + (b & 0x00FF00) + (c & 0x00FF00) + (d & 0x00FF00) + 0x000200;
    even >> 2 & 0xFF00FF | odd >> 2 & 0x00FF00
}
