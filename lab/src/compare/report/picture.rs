//! A picture of a set-up in the midst of its run.

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::png::encode_png;
use stuntlab_viewer::raster::Quality;

use super::super::setup::{Make, Setup};
use super::super::{Case, Cell};
use super::base64;
use crate::paint::{Director, Look, Margins, Painter};
use crate::run::{Hands, World};
use crate::scene::Scene;

/// Size, pixels.
const SIZE: (usize, usize) = (480, 300);
/// When, as a share of the run, but no later than this, s.
const WHEN: (f64, f64) = (0.4, 0.8);

/// The picture as a data URI; `None` for what cannot be drawn. What is made by code is shown as it starts.
pub(super) fn of(case: &Case, cell: &Cell) -> Option<String> {
    let (scene, end) = match case.subject.row() {
        Some(Setup { make: Make::Code(coded), .. }) => (Scene::parse("drawn", coded.drawn, &[]).ok()?, 0.0),
        _ => {
            let scene = case.subject.scene(&cell.settings, cell.seed).ok()??;
            let end = (WHEN.0 * scene.duration).min(WHEN.1);
            (scene, end)
        }
    };
    let mut world = World::new(&scene).ok()?;
    while world.state.time < end && world.step(&Hands::default()).is_ok() {}
    let mut canvas = Canvas::new(SIZE.0, SIZE.1);
    let camera = scene.camera("auto");
    let whole = canvas.rect();
    let mut director = Director::new(camera.camera, camera.follow.clone(), true);
    let cameras = director.look(&[&world], &[(whole, Margins::default())], 1.0);
    Painter::new().paint(&world, &Look::default(), cameras.first()?, &mut canvas, whole, Quality::FINE);
    let mut png = Vec::new();
    encode_png(&canvas, &mut png).ok()?;
    Some(format!("data:image/png;base64,{}", base64::encode(&png)))
}
