//! Tuning of scenes: it finds what it should, gives the same bits however it is run, and its patches apply.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use stuntlab::run::{Run, variants_of};
use stuntlab::scene::Scene;
use stuntlab::tune::{Tuned, Tuning};

/// Of a ball of 5 kg and 1 m, kg m².
const INERTIA: f64 = 2.0;
const STIFFNESS: f64 = 60.0;
const DAMPING: f64 = 3.0;
const START: f64 = 30.0;

/// The angle of a ball on a torsion spring and a damper at `t` when let go at rest (underdamped), degrees.
fn oscillator(t: f64) -> f64 {
    let decay = DAMPING / (2.0 * INERTIA);
    let turn = (STIFFNESS / INERTIA - decay * decay).sqrt();
    START * (-decay * t).exp() * ((turn * t).cos() + decay / turn * (turn * t).sin())
}

/// A ball whose spring and damper are unknown, and where it was seen at three times.
fn swing(duration: f64) -> String {
    let mut text = format!(
        "schema = 1\nshows = \"a swing\"\nduration = {duration}\nrate = 480\nintegrator = \"rk4\"\ngravity = [0, 0, 0]\n\
         [[body]]\nname = \"it\"\nshape = \"sphere\"\nradius = 1.0\nmass = 5.0\nat = [0, 0, 1]\n\
         joint = {{ kind = \"revolute\", axis = [1, 0, 0], anchor = [0, 0, 1], angle_deg = {START}, stiffness = 10.0, damping = 0.5 }}\n"
    );
    for (k, t) in [0.25, 0.55, 1.0].into_iter().enumerate() {
        text += &format!(
            "[[measure]]\nname = \"angle {k}\"\nquantity = \"joint-angle\"\nof = \"it\"\nstat = \"last\"\nuntil = {t}\nmax = 900.0\n"
        );
    }
    text += "[tune]\ngenerations = 60\nseeds = [1, 2]\nheld_back = [7]\ntolerance = 1e-5\n\
             [[tune.parameter]]\nset = \"body.0.joint.stiffness\"\nfrom = 10.0\nlower = 1.0\nupper = 1000.0\nscale = \"log\"\n\
             [[tune.parameter]]\nset = \"body.0.joint.damping\"\nfrom = 0.5\nlower = 0.0\nupper = 20.0\n";
    for (k, t) in [0.25, 0.55, 1.0].into_iter().enumerate() {
        text += &format!("[[tune.cost]]\nmeasure = \"angle {k}\"\ntarget = {:?}\n", oscillator(t));
    }
    text
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

fn tuning(text: &str, set: &[&str]) -> Tuning {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    let scene = Scene::parse("swing.toml", text, &set).unwrap();
    let spec = scene.tune.clone().unwrap();
    Tuning { scene, spec, command: "stuntlab tune swing.toml".to_owned(), threads: 0 }
}

fn run(tuning: &Tuning, dir: &Path) -> Tuned {
    tuning.run(dir, &|_| {}).unwrap()
}

/// The files that must not depend on how a tuning was run.
fn files(dir: &Path) -> Vec<Vec<u8>> {
    ["tuned.toml", "tuned.json", "generations.csv", "convergence.svg", "convergence.png"]
        .map(|name| std::fs::read(dir.join(name)).unwrap())
        .to_vec()
}

#[test]
fn it_finds_the_spring_and_the_damper_that_a_motion_came_from() {
    let dir = folder("tune-finds");
    let text = swing(1.0);
    let tuned = run(&tuning(&text, &[]), &dir);
    let [stiffness, damping] = &tuned.parameters[..] else { panic!("two parameters") };
    assert!((stiffness.tuned / STIFFNESS - 1.0).abs() < 1e-3, "{stiffness:?}");
    assert!((damping.tuned / DAMPING - 1.0).abs() < 1e-3, "{damping:?}");
    assert!(tuned.tuned_on.after.value < 0.01 && tuned.tuned_on.before.value > 10.0, "{tuned:?}");
    let held = tuned.held_back.unwrap();
    assert_eq!(held.seeds, [7]);
    assert!(held.after.value < 0.01);

    // The patch is those values, and the scene with it is where the motion was.
    let patch = stuntlab::tune::Patch::load(&dir.join("tuned.toml"), "swing").unwrap();
    assert_eq!(patch.command, "stuntlab tune swing.toml");
    let scene = Scene::parse("swing.toml", &text, &patch.set).unwrap();
    let mut played = Run::new(&scene, &variants_of(&scene, None).unwrap()).unwrap();
    played.advance_to(scene.duration);
    for (m, t) in played.metrics().measurements.iter().zip([0.25, 0.55, 1.0]) {
        assert!((m.value.unwrap() - oscillator(t)).abs() < 0.01, "{m:?}");
    }
}

#[test]
fn threads_and_stops_change_no_bit() {
    let text = swing(1.0);
    let set = [
        "tune.generations=40",
        "tune.noise=0.01",
        "tune.worst=0.5",
        "tune.restarts=3",
        "tune.tolerance=0.05",
    ];
    let whole = folder("tune-whole");
    run(&Tuning { threads: 1, ..tuning(&text, &set) }, &whole);
    let csv = std::fs::read_to_string(whole.join("generations.csv")).unwrap();
    assert!(csv.contains("steps are short"), "a restart is among them: {csv}");
    let many = folder("tune-many");
    run(&Tuning { threads: 5, ..tuning(&text, &set) }, &many);
    assert!(files(&whole) == files(&many));
    // Stopped after every few generations.
    let broken = folder("tune-broken");
    for generations in [1, 4, 5, 19, 40] {
        let last = format!("tune.generations={generations}");
        let set = [&set[1..], &[last.as_str()]].concat();
        run(&tuning(&text, &set), &broken);
    }
    assert!(files(&whole) == files(&broken));
    // Another problem does not go on from there.
    let error = tuning(&text, &["tune.seed=2"]).run(&broken, &|_| {}).unwrap_err().to_string();
    assert!(error.contains("is of another scene"), "{error}");
}

#[test]
fn stages_change_the_scene_and_go_on_from_what_was_found() {
    let dir = folder("tune-stages");
    // Twice the mass wants twice the spring and the damper.
    let text = swing(1.0)
        + "[[tune.stage]]\nname = \"heavy\"\ngenerations = 25\nset = [\"body.0.mass=10.0\"]\n\
             [[tune.stage]]\nname = \"as it is\"\ngenerations = 40\nsigma = 0.05\n";
    let tuned = run(&tuning(&text, &[]), &dir);
    let csv = std::fs::read_to_string(dir.join("generations.csv")).unwrap();
    let stage = |k: &str| csv.lines().filter(|l| l.split(',').nth(1) == Some(k)).count();
    assert!(stage("0") == 25 && stage("1") > 5, "{csv}");
    assert!((tuned.parameters[0].tuned / STIFFNESS - 1.0).abs() < 1e-2, "{tuned:?}");
    let first = csv.lines().rfind(|l| l.split(',').nth(1) == Some("0")).unwrap();
    assert!(
        first.split(',').nth(4).unwrap().parse::<f64>().unwrap() < 1.0,
        "the first stage was solved, too: {first}"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let says = |from: &str, to: &str| {
        let text = swing(1.0).replace(from, to);
        let scene = Scene::parse("swing.toml", &text, &[]);
        scene.map_or_else(
            |e| e.to_string(),
            |scene| {
                let spec = scene.tune.clone().unwrap();
                let tuning = Tuning { scene, spec, command: String::new(), threads: 1 };
                tuning.run(&folder("tune-errors"), &|_| {}).unwrap_err().to_string()
            },
        )
    };
    for (from, to, words) in [
        ("held_back = [7]", "held_back = [2]", "tune.held_back: has 2, which is tuned on"),
        (
            "measure = \"angle 1\"",
            "measure = \"angle 9\"",
            "is \"angle 9\", expected a measurement: angle 0, angle 1, angle 2",
        ),
        (
            "lower = 1.0",
            "lower = 0.0",
            "tune.parameter[0].lower: is 0, expected more than 0 on a logarithmic scale",
        ),
        ("from = 10.0", "from = 2000.0", "tune.parameter[0].from: is 2000, expected 1 to 1000"),
        (
            "set = \"body.0.joint.damping\"",
            "set = \"body.4.joint.damping\"",
            "'4' is not an item of a list of 1",
        ),
        ("lower = 0.0", "lower = -1.0", "body[0].joint.damping: is -1, expected 0 or more"),
        ("generations = 60", "generation = 60", "tune.generation: unknown key"),
    ] {
        let error = says(from, to);
        assert!(error.contains(words), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}

/// The program, killed in the middle of a generation, goes on to the very files of one that was not.
#[test]
fn a_killed_program_goes_on_to_the_same_bits() {
    let dir = folder("tune-killed");
    std::fs::create_dir_all(&dir).unwrap();
    let scene = dir.join("swing.toml");
    std::fs::write(&scene, swing(4.0)).unwrap();
    let command = |out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stuntlab"));
        command.args(["tune", scene.to_str().unwrap(), "--quiet", "--set", "tune.generations=20", "--out"]);
        command.arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let (whole, broken) = (dir.join("whole"), dir.join("broken"));
    let output = command(&whole).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut kills = 0;
    for round in 0..40 {
        let mut child = command(&broken).spawn().unwrap();
        // Long enough for a few generations, now and then for none.
        std::thread::sleep(Duration::from_millis(20 + 45 * (round % 5)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 0, "it was killed at least once");
    assert!(command(&broken).output().unwrap().status.success());
    assert!(files(&whole) == files(&broken));
    let run = Command::new(env!("CARGO_BIN_EXE_stuntlab"))
        .args(["run", scene.to_str().unwrap(), "--json", "--patch"])
        .arg(broken.join("tuned.toml"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let metrics: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let angle = metrics["measurements"][0]["value"].as_f64().unwrap();
    assert!((angle - oscillator(0.25)).abs() < 3.0, "{angle}");
}
