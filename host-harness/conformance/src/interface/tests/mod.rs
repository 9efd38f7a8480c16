//! The checks are held to what they say: a good policy passes all of them, and each fails on a policy that breaks its rule.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod decide;
mod describe;
mod good;
mod mutant;
mod running;
mod told;

use std::collections::BTreeSet;
use std::path::Path;

use super::suite::conform_to;
use super::{Check, CheckOutcome, CheckReport, Conformance, checks};
use mutant::Mutant;

/// Returns the results of these checks with a policy that breaks this rule.
fn held(breaks: &'static str, to: impl Iterator<Item = &'static Check>) -> Conformance {
    conform_to(to, &|| Ok(Box::new(Mutant::breaking(breaks))), &[]).unwrap()
}

/// Returns the report of the check of this rule with a policy that breaks it.
fn broken(rule: &'static str) -> CheckReport {
    let mut conformance = held(rule, checks().filter(|check| check.id == rule));
    conformance.checks.pop().unwrap()
}

#[test]
fn a_good_policy_meets_every_check_and_passes_it() {
    let conformance = held("nothing", checks());
    let wrong = conformance.checks.iter().filter(|check| check.outcome != CheckOutcome::Passed);
    let wrong: Vec<String> =
        wrong.map(|check| format!("{} {:?} {:?}", check.check, check.outcome, check.flaws)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((conformance.passed, conformance.failed), (checks().count(), 0));
}

#[test]
fn every_check_fails_on_the_policy_that_breaks_its_rule() {
    let mut survivors = Vec::new();
    for check in checks() {
        let report = broken(check.id);
        if report.outcome != CheckOutcome::Failed {
            survivors.push(format!("{}: {}", check.id, report.outcome));
        }
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
}

#[test]
fn a_victim_above_the_preemptor_is_not_within_the_rails() {
    let rule = "placement/plans-are-within-the-rails";
    let conformance = held("a lower priority", checks().filter(|check| check.id == rule));
    let report = conformance.checks.last().unwrap();
    assert_eq!(report.outcome, CheckOutcome::Failed);
    let line = report.lines().next().unwrap();
    assert!(line.contains("the rail `higher-priority` refuses the victim"), "{line}");
}

#[test]
fn a_line_names_export_rule_and_remedy() {
    let report = broken("queue/one-key-a-pod");
    let line = report.lines().next().unwrap();
    // Five pods are pending in the first cluster, p0 to p4. The bystanders are not.
    assert_eq!(
        line,
        "queue/one-key-a-pod (pods, cluster 1): `queue.queue-keys`: 5 pods are asked about, and 4 keys come back; answer \
         with one key a pod, in the order of the question (wit/queue.wit, sort-keys.keys)"
    );
    assert_eq!(report.lines().count(), 1, "the system with cycles of its own does not order the queue");
}

#[test]
fn checks_are_named_by_their_interface_and_once() {
    let mut seen = BTreeSet::new();
    for check in checks() {
        assert!(check.section() == "core" || check.interface().is_some(), "{}", check.id);
        assert!(seen.insert(check.id), "{}", check.id);
        assert!(check.rule.starts_with("wit/"), "{}", check.id);
    }
}

/// Returns whether a rule is where its check says: a heading of the README, or words of a file of the contract.
fn stands(rule: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some((file, place)) = rule.split_once(", ") else { return false };
    let Ok(text) = std::fs::read_to_string(root.join(file)) else { return false };
    match file.ends_with(".md") {
        true => text.lines().any(|line| line.trim_start_matches('#').trim() == place && line.starts_with('#')),
        false => place.split('.').all(|word| {
            let defines = |line: &str| {
                let line = line.trim_start().trim_start_matches("record ").trim_start_matches("variant ");
                line.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', ' ', ',', '(']))
            };
            text.lines().any(defines)
        }),
    }
}

#[test]
fn every_rule_stands_where_its_check_says() {
    let lost: Vec<&str> = checks().filter(|check| !stands(check.rule)).map(|check| check.rule).collect();
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(!stands("wit/README.md, No such heading") && !stands("wit/queue.wit, sort-keys.values"));
}
