//! One run per directory.
//!
//! The lock is the operating system's, on a file that says who holds it and what it is about to write. It ends with its
//! process however that ends, so a file that a dead process left locks nobody out: its holder is gone, and what it was
//! writing is known.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::{FileError, make_dir, settle};
use crate::words::one_line;

/// Name of the file.
const NAME: &str = "run.lock";

/// Who writes into a directory, and what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    process: u32,
    /// Tells the takings of one process apart.
    taking: u64,
    what: String,
    files: Vec<String>,
}

/// Counts the takings of this process.
static TAKINGS: AtomicU64 = AtomicU64::new(0);

/// A directory that nobody else writes into while this lives.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    // Closing it ends the lock.
    _file: File,
    left: Vec<String>,
}

impl Lock {
    /// Makes the directory where it is not there, and takes it: `what` is told to others, `files` are the names about to
    /// be written.
    ///
    /// # Errors
    /// [`FileError::Busy`] where somebody else has it; a directory or file that cannot be made.
    pub fn take(dir: &Path, what: &str, files: &[String]) -> Result<Self, FileError> {
        make_dir(dir)?;
        let path = dir.join(NAME);
        let holder = Holder {
            process: std::process::id(),
            taking: TAKINGS.fetch_add(1, Ordering::Relaxed),
            what: what.to_owned(),
            files: files.to_vec(),
        };
        let text = serde_json::to_string(&holder).expect("texts and a number") + "\n";
        loop {
            let (mut file, before) = open(dir, &path)?;
            let mut say = || -> std::io::Result<()> {
                file.seek(SeekFrom::Start(0))?;
                file.set_len(0)?;
                file.write_all(text.as_bytes())?;
                settle(&file)
            };
            say().map_err(FileError::io(&path))?;
            // Whoever had it may have removed the file between our opening and our locking it: then it is nobody's.
            if std::fs::read_to_string(&path).is_ok_and(|found| found == text) {
                let left = before.map(|holder| holder.files).unwrap_or_default();
                return Ok(Self { path, _file: file, left });
            }
        }
    }

    /// Files that a process which ended without finishing was about to write.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    /// Who holds a directory now, in words.
    pub fn holder_of(dir: &Path) -> Option<String> {
        let file = File::open(dir.join(NAME)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(in_words(read(&file))),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays locks nobody out.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The file with its lock, and what it said before.
fn open(dir: &Path, path: &Path) -> Result<(File, Option<Holder>), FileError> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(FileError::io(path))?;
    match file.try_lock() {
        Ok(()) => {
            let before = read(&file);
            Ok((file, before))
        }
        Err(TryLockError::WouldBlock) => {
            Err(FileError::Busy { dir: dir.to_owned(), holder: in_words(read(&file)) })
        }
        Err(TryLockError::Error(source)) => Err(FileError::Io { path: path.to_owned(), source }),
    }
}

fn read(file: &File) -> Option<Holder> {
    /// More than any run has files, bytes.
    const LONGEST: u64 = 1 << 20;
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn in_words(holder: Option<Holder>) -> String {
    match holder {
        Some(Holder { process, what, .. }) => format!("process {process} ({})", one_line(&what)),
        None => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("stuntlab-lock-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_directory_is_taken_once_and_given_back() {
        let dir = folder("once");
        let files = ["log.csv".to_owned()];
        let lock = Lock::take(&dir, "run base-tumble", &files).unwrap();
        assert!(lock.left().is_empty());
        let error = Lock::take(&dir, "run base-tower", &[]).unwrap_err();
        assert!(matches!(error, FileError::Busy { .. }), "{error}");
        let words = error.to_string();
        let me = format!("process {} (run base-tumble)", std::process::id());
        assert!(words.contains(&me) && words.contains(&dir.display().to_string()), "{words}");
        assert_eq!(Lock::holder_of(&dir), Some(me));
        drop(lock);
        assert_eq!(Lock::holder_of(&dir), None);
        assert!(!dir.join(NAME).exists());
        drop(Lock::take(&dir, "run base-tower", &[]).unwrap());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_a_dead_process_left_is_known_and_locks_nobody_out() {
        let dir = folder("dead");
        std::fs::create_dir_all(&dir).unwrap();
        let dead = Holder {
            process: 1,
            what: "run".to_owned(),
            files: vec!["log-a.csv".to_owned()],
            ..Holder::default()
        };
        std::fs::write(dir.join(NAME), serde_json::to_string(&dead).unwrap()).unwrap();
        assert_eq!(Lock::holder_of(&dir), None);
        let lock = Lock::take(&dir, "run", &[]).unwrap();
        assert_eq!(lock.left(), ["log-a.csv"]);
        drop(lock);
        // A file torn in the middle of its words, too.
        std::fs::write(dir.join(NAME), "{\"process\": 12").unwrap();
        assert!(Lock::take(&dir, "run", &[]).unwrap().left().is_empty());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn many_takers_never_hold_it_together() {
        let dir = folder("many");
        let inside = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let Ok(lock) = Lock::take(&dir, "run", &[]) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
