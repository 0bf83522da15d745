//! What the documents say is true: every command they show runs, every cargo target they name is there, sources are cited and
//! not notes, and tables of figures have their command.
//!
//! Which text is a command: every line of a shell block, and whatever stands in backquotes and begins with `stuntlab` or
//! `cargo`. It is made short by one rule, [`shortened`]: a scene lasts a quarter of a second without film, marks and foils (it must load and
//! run; `stuntlab check` is about the rest), a study or what is learned is planned for one of a great many machines, a tuning has one generation, a view has
//! no window and two frames. What is run in another way or not at all is listed in [`APART`] with the reason.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up should stop there")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that are not run as they stand: how they begin, and why.
const APART: &[(&str, &str)] = &[
    ("cargo run --release -p stuntlab-tests", "an example of minutes: that it exists is checked"),
    ("cargo run --release -p stuntlab-control", "an example: that it exists is checked"),
    ("cargo run --release -p stuntlab-mocap", "an example of minutes: that it exists is checked"),
    (
        "cargo run --release",
        "the program without a command opens a window or writes ./out: `stuntlab` itself is run",
    ),
    ("cargo test", "this is one of them"),
    ("cargo doc", "opens a browser: that the package exists is checked"),
    ("cargo bench", "takes minutes: that the bench exists is checked"),
    ("cargo +nightly", "needs another compiler: that the fuzz target exists is checked"),
    ("parallel", "needs GNU parallel: the command behind it is run"),
    ("job=$(sbatch", "needs Slurm"),
    ("sbatch", "needs Slurm"),
    ("stuntlab check", "all scenes with their foils take an hour of one core: run by itself"),
    ("stuntlab gallery", "runs every scene: minutes of one core"),
    ("stuntlab tune NAME", "the same as `stuntlab tune dynamo-balance`, which is run"),
    ("stuntlab tune SCENE", "the same"),
    ("stuntlab merge", "needs all shards of a study: lab/tests/study.rs merges some"),
    ("stuntlab verify", "needs the reference fixtures, which tests of their own read"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where commands leave what they write.
fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents")
}

/// The documents with their text.
fn documents() -> Vec<(String, String)> {
    let mut paths = vec![root().join("README.md"), root().join("scenes/README.md")];
    let in_docs = std::fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path());
    paths.extend(in_docs.filter(|p| p.extension().is_some_and(|e| e == "md")));
    paths.sort();
    let name = |p: &Path| p.strip_prefix(root()).unwrap().display().to_string();
    paths.iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect()
}

/// The commands of a document, without what is said about them.
fn commands(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut shell, mut fenced) = (false, false);
    let mut continued = String::new();
    let mut prose = String::new();
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fenced = !fenced;
            shell = fenced && matches!(language, "sh" | "");
            continue;
        }
        if !fenced {
            prose += line;
            prose.push(' ');
        } else if shell {
            let line = line.split(" #").next().unwrap_or_default().trim();
            match line.strip_suffix('\\') {
                Some(head) => continued += head,
                None => {
                    let whole = std::mem::take(&mut continued) + line;
                    found.extend((!whole.is_empty() && !whole.starts_with('#')).then(|| spaced(&whole)));
                }
            }
        }
    }
    let quoted = prose.split('`').skip(1).step_by(2).map(spaced);
    found.extend(quoted.filter(|q| q.starts_with("stuntlab ") || q.starts_with("cargo ")));
    found
}

/// With single blanks.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The program's arguments of a command, short enough for a test; none where it is listed apart.
fn shortened(command: &str, dir: &Path) -> Option<Vec<Vec<String>>> {
    if APART.iter().any(|(head, _)| command.starts_with(head)) {
        return None;
    }
    let command = command.strip_prefix("exec ").unwrap_or(command);
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "stuntlab", "{command}: not the program, and not listed apart");
    // `a|b FILE` is two commands.
    let mut all = vec![Vec::new()];
    for word in &words[1..] {
        let either: Vec<String> = word.split('|').map(|w| placed(w, dir)).collect();
        all = all
            .iter()
            .flat_map(|head: &Vec<String>| {
                either.iter().map(move |w| [head.clone(), vec![w.clone()]].concat())
            })
            .collect();
    }
    all.iter_mut().for_each(shorten);
    Some(all)
}

/// What stands for a name of one's own.
fn placed(word: &str, dir: &Path) -> String {
    let at = |name: &str| dir.join(name).display().to_string();
    match word {
        "DIR" => at("dir"),
        "SCENE" | "NAME" => "dynamo-balance".to_owned(),
        "SUITE" => "servo".to_owned(),
        "FILE" => root().join("docs/comparison/peers.csv").display().to_string(),
        "FILE.bvh" => at("file.bvh"),
        "OUT.bvh" => at("out.bvh"),
        "DIR/tuned.toml" => at("tune/tuned.toml"),
        "WHAT[@RATE]" => "joints@30".to_owned(),
        "--shard" => "--shard".to_owned(),
        word if word.contains("SLURM_CPUS") => "1".to_owned(),
        word if word.contains("SLURM_ARRAY_TASK_ID/") => "1/16".to_owned(),
        word if word.starts_with("out/") || word == "out" => at(word.trim_start_matches("out/")),
        word if word.contains("SLURM") => at("shard-1"),
        word => word.trim_matches(['\'', '"']).to_owned(),
    }
}

/// The rule by which commands are made short.
fn shorten(words: &mut Vec<String>) {
    let more: &[&str] = match words[0].as_str() {
        "learn" => {
            if let Some(k) = words.iter().position(|w| w == "--shard") {
                words.drain(k..k + 2);
            }
            if let Some(k) = words.iter().position(|w| w == "--out") {
                words.drain(k..k + 2);
            }
            let name: String = words.join("-").chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
            words.extend(["--out".to_owned(), scratch().join(name).display().to_string()]);
            &["--shard", "1/100000"]
        }
        "run"
            if words.get(1).is_some_and(|w| stuntlab::study::find(w).is_some() || w == "pre-conditions") =>
        {
            // In place of the shard it shows, if it does.
            if let Some(k) = words.iter().position(|w| w == "--shard") {
                words.drain(k..k + 2);
            }
            // A folder of its own: a study refuses one that holds another's trials, or those of its other plan.
            if words.iter().all(|w| w != "--out") {
                words.extend(["--out".to_owned(), scratch().join("out").display().to_string()]);
            }
            if let Some(k) = words.iter().position(|w| w == "--out") {
                let plan = if words.iter().any(|w| w == "--quick") { "-quick" } else { "" };
                words[k + 1] = format!("{}-{}{plan}", words[k + 1], words[1]);
            }
            &["--shard", "1/100000"]
        }
        "run" => &["--set", "duration=0.25", "--set", "measure=[]", "--set", "foil=[]", "--no-film"],
        "compare" => {
            // One cell of it, in a folder of its own.
            let name: String =
                words[1..].join("-").chars().filter(|c| c.is_alphanumeric() || *c == '-').collect();
            if let Some(k) = words.iter().position(|w| w == "--out") {
                words.drain(k..k + 2);
            }
            let dir = scratch().join(format!("compare-{name}"));
            words.extend(["--out".to_owned(), dir.display().to_string()]);
            &["--shard", "1/100000", "--no-timing"]
        }
        "tune" => {
            if words.iter().all(|w| w != "--out") {
                words.extend([
                    "--out".to_owned(),
                    scratch().join(format!("tune-{}", words[1])).display().to_string(),
                ]);
            }
            &[
                "--set",
                "duration=0.25",
                "--set",
                "tune.generations=1",
                "--set",
                "tune.population=4",
                "--set",
                "tune.seeds=[1]",
                "--set",
                "tune.held_back=[2]",
            ]
        }
        "view" => &["--headless", "--frames", "2", "--size", "160x90"],
        _ => &[],
    };
    words.retain(|w| !matches!(w.as_str(), "--headless" | "--foils" | "--no-film"));
    words.extend(more.iter().map(|w| (*w).to_owned()));
}

/// Commands in an order in which what one needs was left by another.
fn in_order(commands: BTreeSet<String>) -> Vec<String> {
    let rank = |c: &String| match c.split(' ').nth(1) {
        Some("run") if c.contains("--patch") => 2,
        Some("replay") => 2,
        Some("tune") => 1,
        _ => 0,
    };
    let mut commands: Vec<String> = commands.into_iter().collect();
    commands.sort_by_key(rank);
    commands
}

#[test]
fn every_command_ends_with_zero() {
    let dir = scratch();
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    // A clip for the tools, with the shared data found as from the project's folder.
    let clip = stuntlab_mocap::library::clip("walk").unwrap();
    let text = stuntlab_mocap::convert::export(&clip, &Default::default()).unwrap().write();
    std::fs::write(dir.join("file.bvh"), text).unwrap();
    let all: BTreeSet<String> = documents().iter().flat_map(|(_, text)| commands(text)).collect();
    let left = root().join("out").exists();
    let (mut n, mut faults, mut done) = (0, Vec::new(), BTreeSet::new());
    for command in in_order(all) {
        for arguments in shortened(&command, &dir).unwrap_or_default() {
            if !done.insert(arguments.clone()) {
                continue;
            }
            // Clip tools write beside where they are called; all else is called as from the project's folder.
            let from = if arguments[0] == "clip" { dir.clone() } else { root() };
            let output = Command::new(env!("CARGO_BIN_EXE_stuntlab"))
                .args(&arguments)
                .current_dir(from)
                .env_remove("DISPLAY")
                .output()
                .unwrap();
            n += 1;
            if output.status.code() != Some(0) {
                let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                faults.push(format!("{command}\n  as stuntlab {}\n  {said}", arguments.join(" ")));
            }
        }
    }
    assert_eq!(left, root().join("out").exists(), "something was written into the project's folder");
    assert!(faults.is_empty(), "{} of {n}:\n{}", faults.len(), faults.join("\n"));
    assert!(n >= 20, "only {n} commands were found");
}

/// The folder of a package of the workspace, as its members say.
fn folder_of(package: &str) -> PathBuf {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = workspace.lines().find(|line| line.starts_with("members")).unwrap();
    let has_name = |folder: &PathBuf| {
        std::fs::read_to_string(folder.join("Cargo.toml"))
            .is_ok_and(|manifest| manifest.contains(&format!("name = \"{package}\"\n")))
    };
    let folders = members.split('"').skip(1).step_by(2).map(|member| root().join(member));
    folders.into_iter().find(has_name).unwrap_or_else(|| root().join(package))
}

#[test]
fn every_cargo_command_names_what_is_there() {
    let mut n = 0;
    for (document, text) in documents() {
        for command in commands(&text).iter().filter(|c| c.starts_with("cargo ")) {
            let words: Vec<&str> = command.split(' ').collect();
            let after =
                |flag: &str| words.iter().position(|w| *w == flag).and_then(|k| words.get(k + 1)).copied();
            let package = after("-p").map(folder_of);
            if let Some(package) = &package {
                assert!(package.join("Cargo.toml").is_file(), "{document}: {command}");
            }
            for (flag, folder) in [("--example", "examples"), ("--bench", "benches"), ("--test", "tests")] {
                let Some(name) = after(flag) else { continue };
                let places = [package.clone(), Some(root().join("benches"))];
                let is_there = |p: &PathBuf| {
                    let file = p.join(folder).join(name);
                    file.with_extension("rs").is_file() || file.join("main.rs").is_file()
                };
                assert!(
                    places.iter().flatten().any(is_there),
                    "{document}: {command}: no {folder}/{name}.rs"
                );
            }
            if words.contains(&"fuzz") {
                assert!(root().join("mocap/fuzz/fuzz_targets/bvh.rs").is_file(), "{document}: {command}");
            }
            n += 1;
        }
    }
    assert!(n >= 6, "only {n} commands were found");
}

/// The sections of a document: what stands between headings, with the line it begins at.
fn sections(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut sections = vec![(1, Vec::new())];
    let mut fenced = false;
    for (k, line) in text.lines().enumerate() {
        fenced ^= line.starts_with("```");
        if line.starts_with('#') && !fenced {
            sections.push((k + 1, Vec::new()));
        }
        sections.last_mut().unwrap().1.push(line);
    }
    sections
}

#[test]
fn every_section_with_figures_or_pictures_has_its_command() {
    let mut faults = Vec::new();
    // References have years, the reference of scenes has usual values; one command at its top makes all of the gallery.
    let apart = ["docs/references.md", "docs/gallery.md", "scenes/README.md"];
    let measured = |name: &str| !apart.contains(&name);
    for (document, text) in documents().into_iter().filter(|(name, _)| measured(name)) {
        for (first, lines) in sections(&text) {
            let command = ["stuntlab ", "cargo ", "benches/peers/run"];
            if lines.iter().any(|l| command.iter().any(|c| l.contains(c))) {
                continue;
            }
            let figure = lines.iter().position(|line| {
                let plain: String = line.split('`').step_by(2).collect();
                let numbers =
                    line.starts_with('|') && plain.chars().filter(char::is_ascii_digit).count() >= 2;
                numbers || line.starts_with("![")
            });
            faults.extend(figure.map(|k| format!("{document}:{}: {}", first + k, lines[k])));
        }
    }
    assert!(faults.is_empty(), "no command in the section of:\n{}", faults.join("\n"));
}

/// Texts of the project below a folder.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            texts(&path, found);
        } else if [".rs", ".md", ".toml", ".py", ".cpp", ".hpp"].iter().any(|e| name.ends_with(e)) {
            found.push(path);
        }
    }
}

#[test]
fn sources_are_cited_and_not_notes() {
    let mut paths = Vec::new();
    texts(&root(), &mut paths);
    assert!(paths.len() > 200);
    // Spelled in two so that this file does not cite it.
    let word = ["reci", "pes"].concat();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text.lines().position(|l| l.to_lowercase().contains(&word));
        assert_eq!(line, None, "{}: line {}", path.display(), line.unwrap_or(0) + 1);
    }
}
