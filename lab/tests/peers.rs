//! Numbers of other engines, read from a file and shown beside ours.

#![expect(clippy::unwrap_used, reason = "a failed step of a test is its failure")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use stuntlab::compare::Peers;

const HEAD: &str = "set_up,peer,version,rate,metric,value";
const GOOD: &str = "compare-stack,MuJoCo,4.0.0,240,headline,0.27\n\ncompare-stack,MuJoCo,4.0.0,240,ns_per_step,2e3\n\
                    compare-stack,MuJoCo,4.0.0,480,headline,0.3\n";

fn file(name: &str, text: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn compare(peers: &Path, out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stuntlab"));
    command.args(["compare", "compare-stack", "--vary", "formulation=lcp-pgs", "--vary", "rate=240,480"]);
    command.arg("--no-timing").arg("--peers").arg(peers).arg("--out").arg(out).output().unwrap()
}

#[test]
fn lines_of_one_peer_become_one_row_with_its_error() {
    let peers = Peers::read(&file("good.csv", &format!("# by hand\n{HEAD}\n{GOOD}"))).unwrap();
    assert_eq!(peers.all.len(), 2);
    let first = peers.of("compare-stack").next().unwrap();
    assert_eq!(first.name(), "MuJoCo 4.0.0");
    assert_eq!((first.steps_per_second(), first.ns_per_step()), (240.0, 2e3));
    assert!((first.get("error") - 0.1).abs() < 1e-12);
    assert!(first.get("penetration").is_nan());
    assert_eq!(peers.of("compare-sliding").count(), 0);
}

#[test]
fn a_wrong_line_is_named_and_says_what_is_allowed() {
    for (line, expected) in [
        ("compare-slide,MuJoCo,4,240,headline,1", "expected one of: compare-chain5"),
        ("compare-stack,MuJoCo,4,240,headlines,1", "expected one of: survived"),
        ("compare-stack,MuJoCo,4,240,headlines,1", "ns_per_step"),
        ("compare-stack,MuJoCo,4,0,headline,1", "expected a number above 0"),
        ("compare-stack,MuJoCo,4,240,headline,much", "expected a finite number"),
        ("compare-stack,MuJoCo,4,240,headline,NaN", "expected a finite number"),
        ("compare-stack,,4,240,headline,1", "no peer"),
        ("compare-stack,MuJoCo,4,240,headline", "5 cells, expected 6"),
        ("compare-stack,MuJoCo,4.0.0,480,headline,1", "already"),
    ] {
        let path = file("bad.csv", &format!("{HEAD}\n{GOOD}{line}\n"));
        let error = Peers::read(&path).unwrap_err().to_string();
        assert!(error.contains("bad.csv:6: ") && error.contains(expected), "{error}");
    }
    for text in ["", "set_up,value\n"] {
        let error = Peers::read(&file("head.csv", text)).unwrap_err().to_string();
        assert!(error.contains("head.csv:1: ") && error.contains(HEAD), "{error}");
    }
    assert!(Peers::read(Path::new("no-such.csv")).unwrap_err().to_string().contains("no-such.csv: "));
}

#[test]
fn the_report_shows_them_apart_and_results_do_not_know_of_them() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers");
    let (out, without) = (dir.join("with"), dir.join("without"));
    [&out, &without].into_iter().for_each(|dir| drop(std::fs::remove_dir_all(dir)));
    // A file that is wrong is told before anything is begun.
    let output = compare(&file("wrong.csv", "x\n"), &out);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("wrong.csv:1: ") && !out.exists(), "{error}");
    let output = compare(&file("good.csv", &format!("{HEAD}\n{GOOD}")), &out);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("measured elsewhere:"));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("measured outside of this program") && page.contains("MuJoCo 4.0.0"), "no peers");
    assert!(compare(&file("none.csv", HEAD), &without).status.success());
    let results = |dir: &Path| std::fs::read(dir.join("results.csv")).unwrap();
    assert_eq!(results(&out), results(&without));
}
