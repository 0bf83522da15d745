//! Pictures of shapes: a software raster on a plain pixel buffer, plots, GIF, AVI and PNG files, and a window.
//!
//! The caller fills a [`picture::Picture`] with shapes at their poses, lines, labels and charts, and a
//! [`raster::Renderer`] draws it, seen by a [`camera::Camera`], into a part of a [`canvas::Canvas`]. The
//! canvas then goes to a file or to a window; both show the same bits. Split screens are several pictures
//! drawn into several rectangles of one canvas.
//!
//! # Conventions
//! World as in `stuntlab-physics`: z up, metres, radians. Canvas: x to the right, y down, pixels
//! `0x00RRGGBB`. Pixel (0, 0) has its centre at (0.5, 0.5). Drawing never fails: what is not finite is left
//! out. Pictures have the same bits on any number of threads.
//!
//! # Map
//! | module | what |
//! |---|---|
//! | [`picture`], [`blob`], [`hud`], [`chart`] | what to draw |
//! | [`camera`], [`orbit`] | where from, and moving it by mouse and keys |
//! | [`raster`] | drawing it |
//! | [`canvas`], [`font`], [`palette`], [`vision`] | pixels, letters, colours, and who can tell them apart |
//! | [`plot`] | figures for reports: lines, points, bars, heat maps, timelines, as SVG and pixels |
//! | [`png`], [`jpeg`], [`gif`], [`avi`], [`contact_sheet`] | files |
//! | [`window`] | the window; the only module that knows minifb |
//!
//! # Example
//! ```
//! use stuntlab_physics::glam::DVec3;
//! use stuntlab_physics::model::shape::Shape;
//! use stuntlab_physics::spatial::Transform;
//! use stuntlab_viewer::camera::Camera;
//! use stuntlab_viewer::canvas::Canvas;
//! use stuntlab_viewer::palette;
//! use stuntlab_viewer::picture::{Paint, Picture};
//! use stuntlab_viewer::raster::{Quality, Renderer};
//!
//! let mut picture = Picture::new();
//! picture.ground();
//! let ball = Shape::Sphere { radius: 0.5 };
//! picture.solid(&ball, Transform::from_translation(DVec3::Z * 0.5), Paint::solid(palette::BLUE));
//!
//! let mut canvas = Canvas::new(320, 180);
//! let whole = canvas.rect();
//! Renderer::new().render(&picture, &Camera::default(), &mut canvas, whole, Quality::FINE);
//! assert!(canvas.depth_at(160, 120).is_some());
//! ```

pub mod avi;
pub mod blob;
pub mod camera;
pub mod canvas;
pub mod chart;
pub mod contact_sheet;
pub mod font;
pub mod gif;
pub mod hud;
pub mod jpeg;
mod label;
pub mod orbit;
pub mod palette;
pub mod picture;
pub mod plot;
pub mod png;
pub mod raster;
pub mod vision;
pub mod window;
