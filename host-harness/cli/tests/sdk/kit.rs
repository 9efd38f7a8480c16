//! `lictor test --component FILE`: what conforms and what does not, as its author sees it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{component, lictor, printed};

/// Returns what the kit prints about a component that does not conform.
fn failing(component: &str) -> String {
    let ran = lictor(&["test", "--component", component]);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Returns the line about a failed check.
fn line<'a>(page: &'a str, check: &str) -> &'a str {
    page.lines().find(|line| line.contains(&format!("FAILED {check} "))).unwrap_or_else(|| panic!("{check}:\n{page}"))
}

#[test]
fn the_example_and_the_smallest_policy_conform() {
    for (name, scenarios, passed) in
        [("lictor_example", "guest/example/scenarios", 2), ("lictor_minimal", "guest/minimal/scenarios", 1)]
    {
        let component = component(name);
        let page = printed(&["test", "--component", &component, "--interface", scenarios]);
        assert!(
            page.contains(&format!("\nSystem conformance\n  {passed} passed, 0 failed, 0 of systems not described\n")),
            "{page}"
        );
        assert!(!page.contains("FAILED") && page.ends_with(" passed, 0 failed\n"), "{page}");
        // Without scenarios only the interface is tested.
        assert!(printed(&["test", "--component", &component]).contains("System conformance\n  0 passed, 0 failed"));
    }
}

#[test]
fn a_component_with_one_key_too_few_is_told_what_to_mend() {
    let page = failing(&component("examples/key_short"));
    let said = line(&page, "queue/one-key-a-pod");
    assert!(said.contains("`queue.queue-keys`: 5 pods are asked about, and 4 keys come back"), "{said}");
    assert!(
        said.ends_with("answer with one key a pod, in the order of the question (wit/queue.wit, sort-keys.keys)"),
        "{said}"
    );
}

#[test]
fn a_component_that_remembers_past_configure_is_found() {
    let page = failing(&component("examples/remembers"));
    assert!(line(&page, "core/configure-forgets").contains("make everything anew in `configure`"));
    // An instance of its own begins as the other did.
    assert!(!page.contains("core/two-instances-agree"), "{page}");
}

#[test]
fn a_component_that_traps_is_found_with_its_export() {
    let page = failing(&component("examples/traps"));
    let said = line(&page, "queue/unknown-pod");
    assert!(said.contains("`queue.queue-keys` about an unknown pod: the policy broke in `queue-keys`"), "{said}");
    assert!(said.contains("answer `unknown-pod`"), "{said}");
}

/// Returns the statement that `--report` writes about a component.
fn reported(component: &str, scenarios: &[&str], file: &str) -> (Vec<u8>, Value) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let file = path.to_str().unwrap();
    let asked = [&["test", "--component", component, "--report", file], scenarios].concat();
    assert!(lictor(&asked).status.code().is_some_and(|code| code < 2));
    let bytes = fs::read(&path).unwrap();
    let value = serde_json::from_slice(&bytes).unwrap();
    (bytes, value)
}

#[test]
fn the_report_has_the_same_bytes_again_and_other_digests_for_another_component_or_suite() {
    let (minimal, short) = (component("lictor_minimal"), component("examples/key_short"));
    let (bytes, one) = reported(&minimal, &["guest/minimal/scenarios"], "one.json");
    assert_eq!(bytes, reported(&minimal, &["guest/minimal/scenarios"], "again.json").0);
    let told: Value = serde_json::from_str(&printed(&["inspect", &minimal, "--output", "json"])).unwrap();
    assert_eq!(one["subject"][0]["digest"]["sha256"], told["sha256"]);
    let of_suite = |report: &Value| report["predicate"]["suite"]["digest"]["sha256"].as_str().unwrap().to_owned();
    let (_, without) = reported(&minimal, &[], "without.json");
    assert_ne!(of_suite(&one), of_suite(&without), "the scenarios are part of the suite");
    let (_, other) = reported(&short, &[], "other.json");
    assert_eq!(of_suite(&other), of_suite(&without));
    assert_ne!(other["subject"][0]["digest"], one["subject"][0]["digest"]);
    let result = |report: &Value| report["predicate"]["result"].as_str().unwrap().to_owned();
    assert_eq!((result(&one), result(&other)), ("PASSED".to_owned(), "FAILED".to_owned()));
}

#[test]
fn scenarios_of_other_systems_are_passed_over() {
    let minimal = component("lictor_minimal");
    let page = printed(&[
        "test",
        "--component",
        &minimal,
        "--interface",
        "guest/minimal/scenarios",
        "guest/example/scenarios",
    ]);
    assert!(page.contains("  1 passed, 0 failed, 2 of systems not described\n"), "{page}");
}

#[test]
fn the_page_of_the_checks_is_up_to_date() {
    let page = fs::read_to_string(Path::new(crate::ROOT).join("CONFORMANCE.md")).unwrap();
    assert_eq!(printed(&["test", "--list-checks"]), page, "cargo run -- test --list-checks > CONFORMANCE.md");
}
