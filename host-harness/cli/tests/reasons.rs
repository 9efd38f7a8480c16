//! Every reason of the built-in policy has a sentence, whatever the scenario.
#![expect(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use lictor::Native;
use lictor_conformance::{Scenario, load, run_explained};
use lictor_host::reason::NamedReason;

fn scenarios() -> Vec<Scenario> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenarios");
    load(&[path]).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    })
}

/// Returns every reason that is given in a scenario: in attempts and in explanations.
fn reasons(scenario: &Scenario) -> Vec<NamedReason> {
    let report = run_explained(scenario, Box::new(Native::default()));
    let mut reasons = Vec::new();
    for actual in report.steps.into_iter().map(|step| step.actual) {
        let explained = actual.explained().flat_map(|(_, _, why)| &why.notes).map(|note| note.reason.clone());
        reasons.extend(explained.collect::<Vec<_>>());
        reasons.extend(actual.attempts.into_iter().flat_map(|tried| tried.reasons).chain(actual.reasons));
    }
    reasons
}

#[test]
fn every_reason_in_a_scenario_has_a_sentence_with_all_of_its_facts() {
    let (mut seen, mut wrong) = (0, BTreeSet::new());
    for reason in scenarios().iter().flat_map(reasons) {
        seen += 1;
        if !reason.has_template() || reason.message.contains('?') || reason.message.contains('@') {
            wrong.insert(format!("{} `{}`: {}", reason.code, reason.case, reason.message));
        }
    }
    assert!(seen > 1000, "{seen} reasons");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
