//! Every law is proven by scenarios: one in which it bites, one in which it spares, as the scenarios themselves say.
//!
//! `bites`: with the law silent, the scenario fails. `spares`: with the law silent it passes, and with the law saying the contrary
//! it fails; so it was asked.
#![expect(clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use lictor::Native;
use lictor_conformance::{self, Scenario};
use lictor_policy::{Switch, rules};

fn scenarios() -> Vec<Scenario> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenarios");
    lictor_conformance::load(&[path]).unwrap_or_else(|mistakes| {
        panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    })
}

fn passes(scenario: &Scenario, code: &str, to: Switch) -> bool {
    lictor_conformance::run(scenario, Box::new(Native::switched(code, to))).passed
}

#[test]
fn a_scenario_fails_without_the_laws_that_it_says_bite() {
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        for code in &scenario.bites {
            if passes(&scenario, code, Switch::Silent) {
                wrong.push(format!("{}: passes without `{code}`", scenario.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_scenario_asks_the_laws_that_it_says_spare_and_they_let_it_pass() {
    let mut wrong = Vec::new();
    for scenario in scenarios() {
        for code in &scenario.spares {
            if !passes(&scenario, code, Switch::Silent) {
                wrong.push(format!("{}: `{code}` bites", scenario.name));
            } else if passes(&scenario, code, Switch::Contrary) {
                wrong.push(format!("{}: passes whatever `{code}` says", scenario.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_law_has_a_scenario_in_which_it_bites_and_one_in_which_it_spares() {
    let codes: BTreeSet<&str> = rules().iter().map(|(_, entry)| entry.code).collect();
    let scenarios = scenarios();
    let said = |kind: fn(&Scenario) -> &Vec<String>| -> BTreeSet<&str> {
        scenarios.iter().flat_map(kind).map(String::as_str).collect()
    };
    let (bites, spares) = (said(|scenario| &scenario.bites), said(|scenario| &scenario.spares));
    let unknown: Vec<_> = bites.union(&spares).filter(|code| !codes.contains(*code)).collect();
    assert!(unknown.is_empty(), "no such laws: {unknown:?}");
    let missing = |kind: &'static str, said: &BTreeSet<&str>| -> Vec<String> {
        codes.difference(said).map(|code| format!("{code} {kind}")).collect()
    };
    let unproven = [missing("bites", &bites), missing("spares", &spares)].concat();
    assert!(unproven.is_empty(), "no scenario says so: {unproven:?}");
}

#[test]
fn the_readme_counts_the_laws_there_are() {
    let (text, laws) = (include_str!("README.md"), rules().len());
    assert!(text.contains(&format!("Each of the {laws} laws in force")), "there are {laws}: run the mutation run anew");
}

/// How many scenarios of its system, and of those that stand on it, fail with each law switched: what the README of the tests shows.
#[test]
#[ignore = "plays every scenario twice for every law; run it with `-- --ignored --nocapture`"]
fn every_switched_law_is_found_out() {
    let scenarios = scenarios();
    let mut survivors = Vec::new();
    let mut switched = 0;
    for (_, entry) in rules() {
        let system = entry.code.split_once('/').unwrap().0;
        let is_of = |laws: &str| laws == system || system == "kubernetes" && laws == "coscheduling";
        let fail = |to| {
            let of_system = scenarios.iter().filter(|scenario| is_of(&scenario.laws));
            of_system.filter(|scenario| !passes(scenario, entry.code, to)).count()
        };
        let (silent, contrary) = (fail(Switch::Silent), fail(Switch::Contrary));
        println!("{:55} silent {silent:4}  contrary {contrary:4}", entry.code);
        switched += 2;
        survivors.extend((silent == 0).then(|| format!("{} silent", entry.code)));
        survivors.extend((contrary == 0).then(|| format!("{} contrary", entry.code)));
    }
    println!("{} of {switched} found out", switched - survivors.len());
    assert!(survivors.is_empty(), "{survivors:?}");
}
