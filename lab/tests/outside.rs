//! The examples of a controller kind, of a skill and of a contact law from outside, built here too and run: marks and laws hold.

#[path = "../../examples/bounce/src/main.rs"]
mod bounce;
#[path = "../../examples/contact-law/src/main.rs"]
mod contact_law;
#[path = "../../examples/skill/src/main.rs"]
mod skill;

#[test]
fn the_example_from_outside_runs_and_its_marks_hold() {
    bounce::main().expect("its marks hold");
    let lines = include_str!("../../examples/bounce/src/main.rs").lines().count();
    assert!(lines < 80, "{lines} lines");
}

#[test]
fn a_skill_from_outside_joins_the_pool_and_is_picked() {
    skill::main().expect("its marks hold");
    let lines = include_str!("../../examples/skill/src/main.rs").lines().count();
    assert!(lines < 80, "{lines} lines");
}

#[test]
fn a_contact_law_from_outside_is_measured_beside_ours() {
    contact_law::main().expect("its laws hold");
    let lines = include_str!("../../examples/contact-law/src/main.rs").lines().count();
    assert!(lines < 70, "{lines} lines");
}
