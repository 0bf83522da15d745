//! The example of a controller kind from outside, built here too and run: its marks hold.

#[path = "../../examples/bounce/src/main.rs"]
mod bounce;

#[test]
fn the_example_from_outside_runs_and_its_marks_hold() {
    bounce::main().expect("its marks hold");
    let lines = include_str!("../../examples/bounce/src/main.rs").lines().count();
    assert!(lines < 80, "{lines} lines");
}
