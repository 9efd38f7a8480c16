//! `lictor laws`.

use serde_json::json;

use crate::run::lictor;

#[test]
fn every_law_is_listed_with_its_question_and_sentence() {
    let laws = lictor(&["laws", "--output", "json"]).exits(0).json();
    let laws = laws.as_array().unwrap();
    let ran = lictor(&["laws"]).exits(0);
    for law in laws {
        let line =
            ran.out.lines().find(|line| line.starts_with(&format!("{} ", law["code"].as_str().unwrap()))).unwrap();
        assert!(line.contains(law["question"].as_str().unwrap()), "{line}");
        assert!(line.ends_with(law["sentence"].as_str().unwrap()), "{line}");
    }
    assert_eq!(ran.out.lines().count(), laws.len() + 1);
    assert!(laws.iter().any(|law| law["code"] == "koordinator/may-preempt"));
}

#[test]
fn the_file_of_every_law_is_there() {
    for law in lictor(&["laws", "--output", "json"]).exits(0).json().as_array().unwrap() {
        let path = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), law["file"].as_str().unwrap());
        assert!(std::path::Path::new(&path).is_file(), "{law}");
    }
}

#[test]
fn a_system_is_a_part_of_the_list() {
    let all = lictor(&["laws", "--output", "json"]).exits(0).json();
    let of = lictor(&["laws", "--system", "koordinator", "--output", "json"]).exits(0).json();
    let expected: Vec<_> = all.as_array().unwrap().iter().filter(|law| law["laws"] == "koordinator").cloned().collect();
    assert_eq!(of, json!(expected));
    assert_eq!(lictor(&["laws", "koordinator", "--output", "json"]).exits(0).json(), of);
    let engine = lictor(&["laws", "engine"]).exits(0);
    assert!(
        engine.out.lines().skip(1).all(|line| line.starts_with("node/") || line.contains(" engine ")),
        "{}",
        engine.out
    );
}

#[test]
fn words_list_the_laws_that_have_them() {
    for (asked, meant) in [
        ("may-preempt", "koordinator/may-preempt"),
        ("power-of-two", "volcano/elastic-size-is-legal"),
        ("assign back", "kubernetes/important-first"),
        ("Elastic", "volcano/elastic-size-is-legal"),
    ] {
        let ran = lictor(&["laws", asked]).exits(0);
        assert!(ran.out.lines().any(|line| line.starts_with(&format!("{meant} "))), "{asked}: {}", ran.out);
        assert!(ran.out.lines().count() < 40, "{asked}: {}", ran.out);
    }
}

#[test]
fn one_law_in_full() {
    let ran = lictor(&["laws", "koordinator/may-preempt"]).exits(0);
    ran.prints(&[
        "koordinator/may-preempt\ngate: the preemptor is allowed to preempt\n",
        "source: seed, Key Concept 2",
        "file:   guest/policy/src/laws/gate/may_preempt.rs\n",
        "`Never` forbids it in every system.",
    ]);
    let law = lictor(&["laws", "koordinator/may-preempt", "--output", "json"]).exits(0).json();
    assert!(law["page"].as_str().unwrap().contains("`Never` forbids it"));
}

#[test]
fn the_reasons_of_the_engine_and_of_the_host_are_found_like_laws() {
    lictor(&["laws", "node/has-room"])
        .exits(0)
        .prints(&["node/has-room\nengine: ", "Insufficient cpu (requested 2, free 1)"]);
    lictor(&["laws", "host/fits"]).exits(0).prints(&["host/fits\nhost: ", "allocatable 4, in use 3, requested 3"]);
    lictor(&["laws", "yunikorn/5"]).exits(0).prints(&["exempt: a preemptor of a DaemonSet", "What it demands\n"]);
}

#[test]
fn scenarios_that_are_not_there_are_an_error_where_they_are_named() {
    let ran = lictor(&["laws", "--scenarios", "nowhere", "yunikorn/4"]).exits(2).prints_nothing();
    ran.tells(&["cannot be read", "--> nowhere"]);
}

#[test]
fn an_unknown_code_is_answered_with_those_that_may_be_meant() {
    for (asked, meant) in [
        ("koordinator/may-prempt", "`koordinator/may-preempt`"),
        ("may-prempt", "`koordinator/may-preempt`"),
        ("kubernetes/last-plan-is-done", "`koordinator/last-plan-is-done`"),
    ] {
        let ran = lictor(&["laws", asked]).exits(2).prints_nothing();
        ran.tells(&[&format!("error: there is no law `{asked}`"), "did you mean", meant]);
    }
    lictor(&["laws", "qqq"]).exits(2).prints_nothing().tells(&["`lictor laws`"]);
}

#[test]
fn the_register_as_a_document_is_current() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let written = std::fs::read_to_string(format!("{root}/LAWS.md")).unwrap();
    let made = lictor(&["laws", "--output", "markdown"]).exits(0).out;
    assert!(written == made, "make it anew: cargo run -- laws --output markdown > LAWS.md");
}
