//! Software raster, plots, pictures and a window.

pub mod camera;
pub mod canvas;
pub mod chart;
pub mod font;
pub mod hud;
pub mod palette;
pub mod picture;
pub mod png;
pub mod raster;
