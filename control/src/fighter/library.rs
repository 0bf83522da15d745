//! The library's figures and what fighters can do: those of the library's are made once for all scenes, for both take long to make
//! and never change.

use std::sync::{Arc, OnceLock};

use stuntlab_mocap::character::{Character as Mocap, CharacterOptions};
use stuntlab_mocap::library;

use super::{FighterError, Repertoire};

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

/// What a fighter of this figure can do. Those of [`library_figure`]'s are made once.
///
/// # Errors
/// A figure that the library's clips do not fit.
pub fn repertoire(figure: &Arc<Mocap>) -> Result<Arc<Repertoire>, FighterError> {
    let own = |made: &OnceLock<Arc<Mocap>>| made.get().is_some_and(|f| Arc::ptr_eq(f, figure));
    let known = FIGURES.iter().zip(&REPERTOIRES).find(|(f, _)| own(f)).map(|(_, r)| r);
    if let Some(made) = known.and_then(OnceLock::get) {
        return Ok(made.clone());
    }
    let made = Arc::new(Repertoire::new(figure.clone())?);
    Ok(known.map_or(made.clone(), |known| known.get_or_init(|| made).clone()))
}
