//! The library's figures and what fighters of them can do: made once for all scenes, for both take long to make and
//! never change.

use std::sync::{Arc, OnceLock};

use stuntlab_mocap::character::{Character as Mocap, CharacterOptions};
use stuntlab_mocap::library;

use super::Repertoire;

static FIGURES: [OnceLock<Arc<Mocap>>; 2] = [const { OnceLock::new() }; 2];
static REPERTOIRES: [OnceLock<Arc<Repertoire>>; 2] = [const { OnceLock::new() }; 2];

/// The figure of the library, with toes of their own or without: always the same one.
///
/// # Panics
/// Never: the library's skeleton is a humanoid.
pub fn library_figure(separate_toes: bool) -> Arc<Mocap> {
    let make = || {
        let options = CharacterOptions { separate_toes, ..CharacterOptions::default() };
        let built = Mocap::build(&library::skeleton(), &options);
        Arc::new(built.expect("the library's skeleton is a humanoid").0)
    };
    FIGURES[usize::from(separate_toes)].get_or_init(make).clone()
}

/// What a fighter of this figure can do; `None` for figures other than [`library_figure`]'s.
///
/// # Panics
/// Never: the library's clips are of its own figure.
pub fn repertoire(figure: &Arc<Mocap>) -> Option<Arc<Repertoire>> {
    let own = |made: &OnceLock<Arc<Mocap>>| made.get().is_some_and(|f| Arc::ptr_eq(f, figure));
    let make = || {
        let made = Repertoire::new(figure.clone());
        Arc::new(made.expect("the library's clips are of its own figure"))
    };
    FIGURES.iter().zip(&REPERTOIRES).find(|(f, _)| own(f)).map(|(_, r)| r.get_or_init(make).clone())
}
