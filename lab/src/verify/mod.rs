//! Reference fixtures: numbers from independent engines and closed forms, compared with ours.

mod contact;
mod dynamics;
mod fixture;
mod lcp;
mod report;
mod trajectory;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use report::{Line, Report};

/// Why fixtures could not be checked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file or directory.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Nothing to check.
    #[error("{}: no fixtures found; expected *.json files with a \"kind\" of dynamics, trajectory, contact or lcp", path.display())]
    NoFixtures {
        /// The directory searched.
        path: PathBuf,
    },
    /// A file that is not a fixture.
    #[error("{}: {field}: {problem}", path.display())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Which field, as a path into the JSON.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Checks every fixture below `dir`.
pub fn verify(dir: &Path) -> Result<Report, VerifyError> {
    let mut files = Vec::new();
    find_json(dir, &mut files)?;
    files.sort();
    let mut report = Report::default();
    for path in &files {
        check_file(path, &mut report)?;
    }
    if report.n_files() == 0 {
        return Err(VerifyError::NoFixtures { path: dir.to_owned() });
    }
    Ok(report)
}

/// Fixtures that come with the program: closed forms, made by `lab/fixtures/make.py`.
const OWN: [(&str, &str); 6] = [
    ("dynamics_pendulum.json", include_str!("../../fixtures/dynamics_pendulum.json")),
    ("dynamics_free_body.json", include_str!("../../fixtures/dynamics_free_body.json")),
    ("trajectory_pendulum.json", include_str!("../../fixtures/trajectory_pendulum.json")),
    ("trajectory_thrown_crate.json", include_str!("../../fixtures/trajectory_thrown_crate.json")),
    ("contact.json", include_str!("../../fixtures/contact.json")),
    ("lcp.json", include_str!("../../fixtures/lcp.json")),
];

/// Checks the fixtures that come with the program.
pub fn verify_own() -> Result<Report, VerifyError> {
    let mut report = Report::default();
    for (name, text) in OWN {
        check_text(Path::new(name), text, &mut report)?;
    }
    Ok(report)
}

fn find_json(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), VerifyError> {
    let io = |source| VerifyError::Io { path: dir.to_owned(), source };
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let entry = entry.map_err(io)?;
        let path = entry.path();
        if path.is_dir() {
            find_json(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "json") {
            found.push(path);
        }
    }
    Ok(())
}

fn check_file(path: &Path, report: &mut Report) -> Result<(), VerifyError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| VerifyError::Io { path: path.to_owned(), source })?;
    check_text(path, &text, report)
}

fn check_text(path: &Path, text: &str, report: &mut Report) -> Result<(), VerifyError> {
    // An index of the set has no kind; anything else must say what it is.
    let head: fixture::Head = fixture::parse(path, text)?;
    match head.kind.as_deref() {
        None if head.parts.is_some() => Ok(()),
        Some("dynamics") => {
            report.count_file("dynamics");
            dynamics::check(path, &fixture::parse(path, text)?, report)
        }
        Some("trajectory") => {
            report.count_file("trajectory");
            trajectory::check(path, &fixture::parse(path, text)?, report)
        }
        Some("contact") => {
            report.count_file("contact");
            contact::check(path, &fixture::parse(path, text)?, report)
        }
        Some("lcp") => {
            report.count_file("lcp");
            lcp::check(path, &fixture::parse(path, text)?, report)
        }
        other => Err(VerifyError::Malformed {
            path: path.to_owned(),
            field: "kind".to_owned(),
            problem: match other {
                Some(kind) => format!("is \"{kind}\", expected dynamics, trajectory, contact or lcp"),
                None => "missing; expected dynamics, trajectory, contact or lcp".to_owned(),
            },
        }),
    }
}
