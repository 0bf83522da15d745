//! Files that are whole and on the disk once they are said to be, and directories that belong to one run at a time.

mod lock;
mod names;

pub use lock::Lock;
pub(crate) use names::Names;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::jpeg::encode_jpeg;
use stuntlab_viewer::png::{ImageError, encode_png};
use thiserror::Error;

/// A file that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// A picture or a film could not be written.
    #[error("{}: {source}", path.display())]
    Picture {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: ImageError,
    },
    /// Somebody else is writing into the directory.
    #[error("{}: {holder} is writing here, expected a directory of this run's own", dir.display())]
    Busy {
        /// Which directory.
        dir: PathBuf,
        /// Who.
        holder: String,
    },
}

impl FileError {
    /// What the file system said about `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// What went wrong with the picture `path`.
    pub(crate) fn picture(path: &Path) -> impl FnOnce(ImageError) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Picture { path, source }
    }
}

/// Writes a file and waits until the disk has it.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    settle(&file)
}

/// [`save`] with an error that names the file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    save(path, bytes).map_err(FileError::io(path))
}

/// Writes a text in place of a file that may be there.
///
/// # Errors
/// A file that cannot be written.
pub fn save_text(path: &Path, text: &str) -> Result<(), FileError> {
    replace(path, text.as_bytes())
}

/// Writes a file in place of one that may be there: at any moment it is the old one or the new one, whole.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let new = path.with_added_extension("new");
    write(&new, bytes)?;
    std::fs::rename(&new, path).map_err(FileError::io(path))?;
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).map_or(Ok(()), settle_names)
}

/// Quality of JPEG pictures, of 100: small letters are clean.
const JPEG_QUALITY: u8 = 86;

/// Writes a picture.
pub(crate) fn write_picture(path: &Path, canvas: &Canvas) -> Result<(), FileError> {
    let mut bytes = Vec::new();
    let coded = if path.extension().is_some_and(|e| e == "jpg") {
        encode_jpeg(canvas, JPEG_QUALITY, &mut bytes)
    } else {
        encode_png(canvas, &mut bytes)
    };
    coded.map_err(FileError::picture(path))?;
    write(path, &bytes)
}

/// Reads a file. Devices, which may go on for ever, are refused.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let plain = std::fs::metadata(path)?.is_file();
    if plain { std::fs::read(path) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file")) }
}

/// Waits until the disk has all of a file. Devices and pipes have nothing to wait for.
pub(crate) fn settle(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Waits until the disk knows the names in a directory, where the system can do that.
pub(crate) fn settle_names(dir: &Path) -> Result<(), FileError> {
    if cfg!(unix) {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(FileError::io(dir))?;
    }
    Ok(())
}

/// Whether so many bytes can be written into a directory, found by doing it: what a disk says it has is not always what one may use.
pub(crate) fn has_room(dir: &Path, bytes: usize) -> Result<(), FileError> {
    if bytes == 0 {
        return Ok(());
    }
    let path = dir.join("room");
    let written = save(&path, &vec![b' '; bytes]);
    let removed = remove(&path);
    written.map_err(|source| {
        let words = format!("no room for the {bytes} bytes this may leave ({source})");
        FileError::Io { path: dir.to_owned(), source: io::Error::new(source.kind(), words) }
    })?;
    removed
}

/// Makes a directory and those above it.
pub(crate) fn make_dir(dir: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(dir).map_err(FileError::io(dir))
}

/// Removes a file if there is one. What is no file (a device behind a link, a directory) stays: nobody's run left it.
pub(crate) fn remove(path: &Path) -> Result<(), FileError> {
    let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    // A link that leads nowhere is in the way of the file that comes.
    let dangles = !path.exists() && path.is_symlink();
    if is_file || dangles { std::fs::remove_file(path).map_err(FileError::io(path)) } else { Ok(()) }
}
