//! Readers of the files our side exports: `.tree` figures (format in `harness.hpp`), scene and terrain.

use std::path::Path;

/// One body of a figure with the joint to its parent.
#[derive(Clone, Debug)]
pub struct Body {
    pub parent: Option<usize>,
    pub anchor: [f64; 3],
    pub mass: f64,
    pub com: [f64; 3],
    pub inertia: [f64; 3],
    pub stiffness: f64,
    pub damping: f64,
    pub passive_damping: f64,
    pub joint: Joint,
    pub shape: Shape,
    pub shape_at: [f64; 3],
}

#[derive(Clone, Debug, PartialEq)]
pub enum Joint {
    Free,
    Ball,
    /// Coordinate axes turned about, in order.
    Hinges(Vec<usize>),
}

#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Box([f64; 3]),
    Sphere(f64),
    Capsule { axis: usize, radius: f64, half_length: f64 },
}

/// A loose body of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Loose {
    pub shape: Shape,
    pub mass: f64,
    pub at: [f64; 3],
}

pub struct Terrain {
    pub n: usize,
    pub half: f64,
    /// Row by row along y, `n` per row along x.
    pub heights: Vec<f64>,
}

struct Words<'a> {
    words: std::str::SplitWhitespace<'a>,
    line: &'a str,
}

impl<'a> Words<'a> {
    fn new(line: &'a str) -> Self {
        Self { words: line.split_whitespace(), line }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        self.words.next().ok_or_else(|| format!("line ends early: {}", self.line))
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a number: {}", self.line))
    }

    fn vector(&mut self) -> Result<[f64; 3], String> {
        Ok([self.number()?, self.number()?, self.number()?])
    }

    fn shape(&mut self, kind: &str) -> Result<Shape, String> {
        match kind {
            "box" => Ok(Shape::Box(self.vector()?)),
            "sphere" => Ok(Shape::Sphere(self.number()?)),
            "capsule" => Ok(Shape::Capsule {
                axis: self.number()?,
                radius: self.number()?,
                half_length: self.number()?,
            }),
            other => Err(format!("unknown shape {other}")),
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

pub fn read_tree(path: &Path) -> Result<Vec<Body>, String> {
    read(path)?.lines().filter(|line| line.starts_with("body ")).map(read_body).collect()
}

fn read_body(line: &str) -> Result<Body, String> {
    let mut words = Words::new(line);
    for _ in 0..3 {
        words.word()?; // body, number, name
    }
    let parent = usize::try_from(words.number::<i64>()?).ok();
    let (anchor, mass, com, inertia) = (words.vector()?, words.number()?, words.vector()?, words.vector()?);
    let (stiffness, damping, passive_damping) = (words.number()?, words.number()?, words.number()?);
    words.word()?; // joint
    let joint = match words.word()? {
        "free" => Joint::Free,
        "ball" => Joint::Ball,
        _ => {
            let count: usize = words.number()?;
            let axis = |v: [f64; 3]| {
                (0..3).find(|&k| v[k] == 1.0).ok_or_else(|| format!("not a coordinate axis: {line}"))
            };
            Joint::Hinges((0..count).map(|_| axis(words.vector()?)).collect::<Result<_, _>>()?)
        }
    };
    words.word()?; // geom
    let kind = words.word()?;
    let shape = words.shape(kind)?;
    let shape_at = words.vector()?;
    Ok(Body {
        parent,
        anchor,
        mass,
        com,
        inertia,
        stiffness,
        damping,
        passive_damping,
        joint,
        shape,
        shape_at,
    })
}

/// Where the figures stand, and the loose bodies.
pub fn read_scene(path: &Path) -> Result<(Vec<[f64; 3]>, Vec<Loose>), String> {
    let (mut figures, mut loose) = (Vec::new(), Vec::new());
    for line in read(path)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = Words::new(line);
        match words.word()? {
            "character" => {
                words.word()?;
                figures.push(words.vector()?);
            }
            kind => {
                let shape = words.shape(kind)?;
                loose.push(Loose { shape, mass: words.number()?, at: words.vector()? });
            }
        }
    }
    Ok((figures, loose))
}

pub fn read_terrain(path: &Path) -> Result<Terrain, String> {
    let text = read(path)?;
    let mut words = Words::new(&text);
    let (n, columns): (usize, usize) = (words.number()?, words.number()?);
    let (half, half_y): (f64, f64) = (words.number()?, words.number()?);
    if n != columns || half != half_y {
        return Err(format!("{}: only square terrain", path.display()));
    }
    let heights = (0..n * n).map(|_| words.number()).collect::<Result<_, _>>()?;
    Ok(Terrain { n, half, heights })
}
