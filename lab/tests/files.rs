//! What a run leaves on disk: whole, its own, and noticed when it was tampered with.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use stuntlab::disk::Lock;

/// A directory of a test, empty at its start and gone at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Writes a scene into it and gives its path.
    fn scene(&self, name: &str, text: &str) -> String {
        let path = self.file(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn stuntlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).args(arguments).output().unwrap()
}

/// Runs, and gives exit code, standard output and the one line of standard error.
fn outcome(arguments: &[&str]) -> (i32, String, String) {
    let output = stuntlab(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let error = text(&output.stderr);
    assert!(error.lines().count() <= 1, "{error}");
    (output.status.code().unwrap(), text(&output.stdout), error)
}

/// A ball that falls on the ground beside a small character, and what else a test needs.
fn ball(rest: &str) -> String {
    format!(
        "schema = 1\nshows = \"a ball\"\nduration = 0.5\n[[terrain]]\nkind = \"plane\"\n\
         [[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.2\nmass = 1.0\nat = [0.0, 0.0, 1.0]\n\
         [[measure]]\nquantity = \"height\"\nof = \"ball\"\nmax = 2.0\n{rest}"
    )
}

const DOLL: &str = "[[character]]\nname = \"doll\"\nfigure = \"humanoid37\"\nat = [3.0, 0.0, 0.0]\n";

const VARIANTS: &str = "[[variant]]\nname = \"heavy\"\nset = [\"body.0.mass=5.0\"]\n\
                        [[variant]]\nname = \"light\"\nset = [\"body.0.mass=0.5\"]\n";

fn run(scene: &str, out: &Folder, more: &[&str]) -> (i32, String, String) {
    outcome(&[&["run", scene, "--out", out.text()], more].concat())
}

fn replay(path: &Path) -> (i32, String, String) {
    outcome(&["replay", path.to_str().unwrap()])
}

#[test]
fn a_finished_run_lists_its_files_and_replays() {
    let (scenes, out) = (Folder::new("finished-scene"), Folder::new("finished"));
    let scene = scenes.scene("ball.toml", &ball(DOLL));
    assert_eq!(run(&scene, &out, &[]).0, 0);
    let files = ["log.csv", "manifest.json", "metrics.json", "run.bvh", "run.gif", "sheet.png"];
    assert_eq!(out.names(), files, "and no lock");
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.file("manifest.json")).unwrap()).unwrap();
    let listed = manifest["files"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap());
    assert_eq!(listed.collect::<Vec<_>>(), ["log.csv", "run.bvh", "metrics.json", "run.gif", "sheet.png"]);
    let (code, words, _) = replay(&out.0);
    assert_eq!(code, 0, "{words}");
    assert!(words.contains("all 2 states are the same, and so are 5 files"), "{words}");
    assert_eq!(replay(&out.file("manifest.json")).0, 0);
}

#[test]
fn whatever_is_edited_is_noticed_and_named() {
    let (scenes, out) = (Folder::new("edited-scene"), Folder::new("edited"));
    let scene = scenes.scene("ball.toml", &ball(&format!("{DOLL}{VARIANTS}")));
    assert_eq!(run(&scene, &out, &[]).0, 0);
    let (code, words, _) = replay(&out.0);
    assert_eq!(code, 0, "{words}");
    let check = |file: &str, bytes: &[u8], expected: &[&str]| {
        let path = out.file(file);
        let whole = std::fs::read(&path).unwrap();
        assert_ne!(whole, bytes, "{file} {expected:?}");
        std::fs::write(&path, bytes).unwrap();
        let (code, words, error) = replay(&out.0);
        assert_eq!(code, 1, "{expected:?}: {words}{error}");
        for part in expected {
            assert!(words.contains(part), "'{part}' in {words}");
        }
        std::fs::write(&path, whole).unwrap();
    };
    let value =
        |file: &str| -> Value { serde_json::from_slice(&std::fs::read(out.file(file)).unwrap()).unwrap() };
    let text = |file: &str| std::fs::read_to_string(out.file(file)).unwrap();

    // Measurements.
    let mut metrics = value("metrics.json");
    metrics["measurements"][1]["value"] = json!(0.125);
    check(
        "metrics.json",
        metrics.to_string().as_bytes(),
        &["metrics.json: measurements[1].value was 0.125", "edited"],
    );
    let mut metrics = value("metrics.json");
    metrics["passed"] = json!(false);
    check("metrics.json", metrics.to_string().as_bytes(), &["metrics.json: passed was false and is true"]);
    let mut metrics = value("metrics.json");
    metrics["measurements"].as_array_mut().unwrap().pop();
    check("metrics.json", metrics.to_string().as_bytes(), &["measurements[1] was nothing and is"]);
    check("metrics.json", b"{ \"scene\":", &["metrics.json:1: EOF"]);
    check("metrics.json", (text("metrics.json") + " ").as_bytes(), &["metrics.json: edited after the run"]);

    // Logs: one number, a row less, a row more.
    let log = text("log-light.csv");
    let rows: Vec<&str> = log.lines().collect();
    let cells: Vec<&str> = rows[4].split(',').collect();
    let edited = log.replacen(&format!("{},{}", cells[0], cells[1]), &format!("{},7.5", cells[0]), 1);
    check("log-light.csv", edited.as_bytes(), &["log-light.csv:5: kinetic_J was 7.5 and is", "edited"]);
    check("log-light.csv", (rows[..9].join("\n") + "\n").as_bytes(), &["log-light.csv:10: ", "(and"]);
    check("log-light.csv", format!("{log}{}\n", rows[4]).as_bytes(), &["log-light.csv:33: "]);

    // Motions and the film.
    check(
        "run-heavy.bvh",
        text("run-heavy.bvh").replace("ROOT", "ROOF").as_bytes(),
        &["run-heavy.bvh:2: was ROOF"],
    );
    let mut film = std::fs::read(out.file("run.gif")).unwrap();
    film[1000] ^= 1;
    check("run.gif", &film, &["run.gif: edited after the run"]);
    film.truncate(500);
    check("run.gif", &film, &["run.gif: edited after the run"]);

    // The manifest, value by value.
    type Edit = fn(&mut Value);
    let edits: [(Edit, &[&str]); 14] = [
        (|m| m["lanes"][1]["hashes"][0] = json!("0"), &["light: at 0 s the state was 0 and is"]),
        (|m| m["lanes"][1]["hashes"] = json!([]), &["light: at 0 s the state was nothing and is"]),
        (|m| m["lanes"][0]["dt"] = json!(0.25), &["manifest.json: lanes[0].dt was 0.25 and is 0.00"]),
        (|m| m["lanes"][0]["formulation"] = json!("x"), &["lanes[0].formulation was \"x\" and is"]),
        (|m| m["lanes"][0]["bodies"] = json!(1), &["lanes[0].bodies was 1 and is 17"]),
        (|m| m["lanes"][0]["failure"] = json!("bang"), &["lanes[0].failure was \"bang\" and is null"]),
        (
            |m| m["lanes"][0]["set"] = json!([]),
            &["heavy: at the end the state was", "log-heavy.csv:2: potential_J was", "seal"],
        ),
        (|m| m["lanes"] = json!([m["lanes"][0].clone()]), &["files has log-light.csv, which", "seal"]),
        (|m| m["seed"] = json!(99), &["manifest.json: seed was 99 and is 1"]),
        (|m| m["stuntlab"] = json!("0.0.1"), &["manifest.json: stuntlab was \"0.0.1\" and is"]),
        (|m| m["target"] = json!("pdp11"), &["manifest.json: target was \"pdp11\" and is"]),
        (
            |m| m["scene_text"] = json!(m["scene_text"].as_str().unwrap().to_owned() + "# a remark\n"),
            &["seal"],
        ),
        (
            |m| m["files"] = json!([]),
            &["manifest.json: files lacks log-heavy.csv", "files lacks metrics.json"],
        ),
        (|m| m["seal"] = json!("0"), &["manifest.json: was edited after the run: its seal was 0"]),
    ];
    for (edit, expected) in edits {
        let mut manifest = value("manifest.json");
        edit(&mut manifest);
        check("manifest.json", manifest.to_string().as_bytes(), expected);
    }
    // A file that is gone.
    std::fs::remove_file(out.file("log-heavy.csv")).unwrap();
    let (code, words, _) = replay(&out.0);
    assert!(code == 1 && words.contains("log-heavy.csv: No such file"), "{words}");
}

#[test]
fn a_manifest_that_says_nothing_is_refused() {
    let (scenes, out) = (Folder::new("empty-scene"), Folder::new("empty"));
    let scene = scenes.scene("ball.toml", &ball(""));
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    let path = out.file("manifest.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    let mut manifest: Value = serde_json::from_str(&whole).unwrap();
    manifest["lanes"] = json!([]);
    std::fs::write(&path, manifest.to_string()).unwrap();
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("manifest.json: lanes: is an empty list, expected"), "{error}");
    manifest.as_object_mut().unwrap().remove("lanes");
    std::fs::write(&path, manifest.to_string()).unwrap();
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("missing field `lanes`"), "{error}");
    // A key that no manifest has.
    let mut manifest: Value = serde_json::from_str(&whole).unwrap();
    manifest["remark"] = json!("all fine");
    std::fs::write(&path, manifest.to_string()).unwrap();
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("unknown field `remark`"), "{error}");
    // Cut anywhere, it is a run that did not finish.
    for part in [0, 1, 3, 7] {
        std::fs::write(&path, &whole[..whole.len() * part / 8]).unwrap();
        let (code, _, error) = replay(&out.0);
        assert_eq!(code, 2);
        assert!(error.contains("so the run did not finish") && error.contains(out.text()), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("has no manifest.json, so the run did not finish"), "{error}");
    assert!(error.contains(out.text()), "{error}");
}

#[test]
fn a_directory_belongs_to_one_run_at_a_time() {
    let (scenes, out) = (Folder::new("lock-scene"), Folder::new("lock"));
    let scene = scenes.scene("ball.toml", &ball(""));
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    let before = std::fs::read(out.file("manifest.json")).unwrap();
    let lock = Lock::take(&out.0, "a test", &[]).unwrap();
    let me = format!("process {} (a test)", std::process::id());
    let (code, words, error) = run(&scene, &out, &["--no-film"]);
    assert_eq!((code, words.as_str()), (2, ""));
    assert!(error.contains(out.text()) && error.contains(&me), "{error}");
    assert_eq!(std::fs::read(out.file("manifest.json")).unwrap(), before, "nothing was touched");
    let (code, _, error) = outcome(&["run", "gain-map", "--quick", "--out", out.text()]);
    assert!(code == 2 && error.contains(&me), "{error}");
    // A replay only reads, and says who is at it where the run is not finished.
    assert_eq!(replay(&out.0).0, 0);
    std::fs::remove_file(out.file("manifest.json")).unwrap();
    assert!(replay(&out.0).2.contains(&format!("({me} is at it)")));
    drop(lock);
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
}

/// A run that is killed leaves no manifest; its lock locks nobody out, and the next run clears away what it left.
#[test]
fn a_killed_run_is_unfinished_and_in_nobodys_way() {
    let (scenes, out) = (Folder::new("killed-scene"), Folder::new("killed"));
    let long = ball(VARIANTS).replace("duration = 0.5", "duration = 3000.0");
    let scene = scenes.scene("long.toml", &long);
    let mut child = Command::new(env!("CARGO_BIN_EXE_stuntlab"))
        .args(["run", &scene, "--out", out.text(), "--no-film"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lock = out.file("run.lock");
    let says = || std::fs::read_to_string(&lock).unwrap_or_default();
    for _ in 0..600 {
        if says().ends_with('\n') {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let who = format!("process {} (run long)", child.id());
    let (code, _, error) = run(&scene, &out, &["--no-film"]);
    assert!(code == 2 && error.contains(&who), "{error}");
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("did not finish") && error.contains(&who), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lock.exists(), "nobody was left to remove it");
    assert!(says().contains("log-heavy.csv"), "{}", says());

    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("did not finish") && !error.contains("process"), "{error}");
    // As if it had been killed a little later.
    std::fs::write(out.file("log-heavy.csv"), "torn").unwrap();
    std::fs::write(out.file("log-mine.csv"), "not a run's").unwrap();
    let scene = scenes.scene("ball.toml", &ball(""));
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    assert_eq!(out.names(), ["log-mine.csv", "log.csv", "manifest.json", "metrics.json"]);
    assert_eq!(replay(&out.0).0, 0);
}

#[test]
fn nothing_of_an_earlier_run_stays_and_nothing_of_others_goes() {
    let (scenes, out) = (Folder::new("stale-scene"), Folder::new("stale"));
    // Gravity beyond all measure: both lanes end with a black box.
    let heavy =
        ball(&format!("{DOLL}{VARIANTS}")).replace("duration", "gravity = [0.0, 0.0, -1e200]\nduration");
    let bang = scenes.scene("bang.toml", &heavy);
    assert_eq!(run(&bang, &out, &[]).0, 1);
    let boxes = ["blackbox-heavy.txt", "blackbox-light.txt"];
    let all = [&boxes[..], &["log-heavy.csv", "log-light.csv", "manifest.json", "metrics.json"]].concat();
    assert!(all.iter().all(|name| out.file(name).exists()), "{:?}", out.names());
    assert_eq!(replay(&out.0).0, 0);
    assert_eq!(replay(&out.file(boxes[1])).0, 0);

    let mine = ["blackbox-notes.txt", "log-notes.csv", "notes.txt", "run-holiday.bvh"];
    mine.iter().for_each(|name| std::fs::write(out.file(name), "mine").unwrap());
    let (code, _, error) = replay(&out.file(mine[0]));
    assert!(
        code == 2 && error.contains("expected one of: blackbox-heavy.txt, blackbox-light.txt"),
        "{error}"
    );
    std::fs::create_dir(out.file("log-folder.csv")).unwrap();
    let scene = scenes.scene("ball.toml", &ball(""));
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    let mut left = [&mine[..], &["log-folder.csv", "log.csv", "manifest.json", "metrics.json"]].concat();
    left.sort_unstable();
    assert_eq!(out.names(), left);

    // A list that was tampered with removes nothing outside.
    let outside = scenes.file("run-outside.bvh");
    std::fs::write(&outside, "mine").unwrap();
    let path = out.file("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let names = ["run-/../../files-stale-scene/run-outside.bvh", outside.to_str().unwrap(), "notes.txt"];
    manifest["files"] = names.iter().map(|name| json!({ "name": name })).collect();
    std::fs::write(&path, manifest.to_string()).unwrap();
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    assert!(outside.exists() && out.file("notes.txt").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_line_that_names_the_file() {
    let (scenes, out) = (Folder::new("full-scene"), Folder::new("full"));
    let scene = scenes.scene("ball.toml", &ball(DOLL));
    for name in ["log.csv", "metrics.json", "run.bvh", "run.gif", "sheet.png", "manifest.json"] {
        let _ = std::fs::remove_dir_all(&out.0);
        std::fs::create_dir_all(&out.0).unwrap();
        std::os::unix::fs::symlink("/dev/full", out.file(name)).unwrap();
        let (code, words, error) = run(&scene, &out, &[]);
        assert_eq!((code, words.as_str()), (1, ""), "{name}: {error}");
        assert!(error.contains(&format!("{name}: ")) && error.contains("No space left"), "{error}");
        assert!(!out.file("run.lock").exists(), "{name}");
        std::fs::remove_file(out.file(name)).unwrap();
        let (code, _, error) = replay(&out.0);
        assert!(code == 2 && error.contains("did not finish"), "{name}: {error}");
    }
    let (code, _, error) = outcome(&["run", &scene, "--out", "/dev/full"]);
    assert!(code == 1 && error.contains("/dev/full: "), "{error}");
    let bvh = scenes.file("doll.bvh");
    assert_eq!(run(&scene, &out, &["--no-film"]).0, 0);
    std::fs::rename(out.file("run.bvh"), &bvh).unwrap();
    let (code, _, error) = outcome(&["clip", "convert", bvh.to_str().unwrap(), "/dev/full"]);
    assert!(code == 1 && error.contains("/dev/full: ") && error.contains("No space left"), "{error}");
    // What is said, too.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let program = env!("CARGO_BIN_EXE_stuntlab");
    let output = Command::new(program).arg("scenes").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("standard output: No space left"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_study_on_a_full_disk_says_so() {
    let out = Folder::new("study-full");
    std::os::unix::fs::symlink("/dev/full", out.file("results.csv.new")).unwrap();
    let (code, _, error) = outcome(&["run", "gain-map", "--quick", "--out", out.text()]);
    assert!(code == 1 && error.contains("results.csv.new: No space left"), "{error}");
}

/// The variant that is skipped comes first: settings of the others used to slip onto their neighbours.
#[test]
fn skipped_variants_do_not_shift_the_others() {
    let (scenes, out) = (Folder::new("skipped-scene"), Folder::new("skipped"));
    let motion = "[[character]]\nname = \"it\"\nfigure = \"library\"\nmotion = { clip = \"idle\" }\n\
                  controller = { kind = \"mocap\" }\nat = [4.0, 0.0, 0.0]\n\
                  [[variant]]\nname = \"recorded\"\nset = [\"character.0.motion.bvh=\\\"${shared}/nowhere/0.bvh\\\"\"]\n";
    let scene = scenes.scene("ball.toml", &ball(&format!("{motion}{VARIANTS}")));
    let (code, words, _) = run(&scene, &out, &["--no-film"]);
    assert!(code == 0 && words.contains("skipped: recorded: "), "{words}");
    let manifest: Value = serde_json::from_slice(&std::fs::read(out.file("manifest.json")).unwrap()).unwrap();
    let lanes: Vec<(&str, &str)> = manifest["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lane| (lane["name"].as_str().unwrap(), lane["set"][0].as_str().unwrap()))
        .collect();
    assert_eq!(lanes, [("heavy", "body.0.mass=5.0"), ("light", "body.0.mass=0.5")]);
    assert!(manifest["skipped"][0].as_str().unwrap().starts_with("recorded: "));
    let (code, words, error) = replay(&out.0);
    assert_eq!(code, 0, "{words}{error}");
    // Data that was there and is gone is no difference but a run that cannot be done again.
    let mut manifest = manifest;
    manifest["lanes"][0]["set"] = json!(["character.0.motion.bvh=\"${shared}/nowhere/0.bvh\""]);
    std::fs::write(out.file("manifest.json"), manifest.to_string()).unwrap();
    let (code, _, error) = replay(&out.0);
    assert!(code == 2 && error.contains("needs data that is not here: heavy: "), "{error}");
}

#[test]
fn names_that_break_a_line_are_refused() {
    let scenes = Folder::new("names-scene");
    let good = ball(&format!("{DOLL}{VARIANTS}"));
    for (from, to, key) in [
        ("name = \"ball\"", "name = \"ba\\nll\"", "body[0].name: has the character \\n"),
        ("name = \"doll\"", "name = \"do\\rll\"", "character[0].name: has the character \\r"),
        ("name = \"light\"", "name = \"li\\u001bght\"", "variant[1].name: has the character \\u{1b}"),
        ("shows = \"a ball\"", "shows = \"a\\tball\"", "shows: has the character \\t"),
        ("shows = \"a ball\"", "shows = \"\"\"a\nball\"\"\"", "shows: has the character \\n"),
        (
            "quantity = \"height\"",
            "name = \"a\\u2028b\"\nquantity = \"height\"",
            "measure[0].name: has the character",
        ),
        (
            "set = [\"body.0.mass=5.0\"]",
            "set = [\"body.0.mass=5.0\\n\"]",
            "variant[0].set: has the character \\n",
        ),
        ("mass = 1.0", "mass = 1.0\n\"ma\\nss\" = 1.0", "body[0].ma\\nss: unknown key"),
        ("name = \"light\"", "name = \"heavy\"", "variant[1].name: \"heavy\" is defined twice"),
        ("name = \"light\"", "name = \"\"", "variant[1].name: is empty"),
    ] {
        assert!(good.contains(from), "{from}");
        let scene = scenes.scene("bad.toml", &good.replacen(from, to, 1));
        let (code, _, error) = outcome(&["run", &scene]);
        assert!(code == 2 && error.contains(key), "'{key}' in {error}");
    }
    let scene = scenes.scene("ba\nll.toml", &good);
    let (code, _, error) = outcome(&["run", &scene]);
    assert!(code == 2 && error.contains("has the character \\n in its name"), "{error}");
    let scene = scenes.scene("ball.toml", &good);
    let (code, _, error) = outcome(&["run", &scene, "--vary", "body.0.mass=1,2\n"]);
    assert!(code == 2 && error.contains("has \\n, expected text on one line"), "{error}");
    let (code, _, error) = outcome(&["run", "no\nsuch\nscene"]);
    assert!(code == 2 && error.contains("no\\nsuch\\nscene: no such scene"), "{error}");
}

/// Commas, quotes and slashes are fine in names; files stay tables and stay in their directory.
#[test]
fn odd_names_give_good_files() {
    let (scenes, out) = (Folder::new("odd-scene"), Folder::new("odd"));
    let odd = DOLL.replace("doll", "a, \\\"b\\\"");
    let more = odd.replace("a, ", "c/../").replace("3.0", "5.0").replace('/', "%");
    let scene = scenes.scene("ball.toml", &ball(&format!("{odd}{more}")));
    let (code, words, error) =
        run(&scene, &out, &["--no-film", "--vary", "formulation=lcp-pgs, lcp-dantzig"]);
    assert_eq!(code, 0, "{words}{error}");
    let log = std::fs::read_to_string(out.file("log-lcp-pgs.csv")).unwrap();
    let head = log.lines().next().unwrap();
    assert!(head.contains(",\"a, \"\"b\"\"_com_x_m\","), "{head}");
    assert!(out.file("run-lcp-dantzig-a%2C %22b%22.bvh").exists(), "{:?}", out.names());
    assert_eq!(replay(&out.0).0, 0);
    // The same value twice: two lanes, two logs, the same rows.
    let (code, words, error) = run(&scene, &out, &["--no-film", "--vary", "formulation=lcp-pgs,lcp-pgs"]);
    assert_eq!(code, 0, "{words}{error}");
    let logs = ["log-lcp-pgs.csv", "log-lcp-pgs 2.csv"].map(|name| std::fs::read(out.file(name)).unwrap());
    assert_eq!(logs[0], logs[1]);
    assert!(words.contains("lcp-pgs 2: height"), "{words}");
    assert_eq!(replay(&out.0).0, 0);
    // A variant that is called after a file somewhere else.
    let vary = "shows=../../x,/etc/y";
    let (code, words, error) = run(&scene, &out, &["--no-film", "--vary", vary]);
    assert_eq!(code, 0, "{words}{error}");
    assert!(out.file("log-..%2F..%2Fx.csv").exists() && out.file("log-%2Fetc%2Fy.csv").exists());
    assert!(!out.file("log-lcp-pgs.csv").exists() && !out.file("run-lcp-dantzig-a%2C %22b%22.bvh").exists());
    assert_eq!(replay(&out.0).0, 0);
}
