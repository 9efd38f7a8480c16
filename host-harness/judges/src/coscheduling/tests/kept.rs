//! Groups whose time at Permit ran out, that have failed, or whose pods differ in what they may evict.

use serde_json::{Value, json};

use super::{Table, leaving, member, of, promised, ranks, with};
use crate::tests::{binds, nominates, pod};

#[test]
fn the_nodes_of_a_group_whose_time_runs_out_are_kept_while_its_plan_is_under_way() {
    let table = |nominated: Value| {
        let pods = [pod("p", None), member("q", "g", None), nominated];
        Table::new(&[1, 1], &pods).group("g", 2).held("d/q", "n1")
    };
    let has_a_plan = || table(promised(member("r", "g", None), "n2"));
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&has_a_plan().late()), Ok(vec!["R38"]));
    assert_eq!(nothing(&table(member("r", "g", None)).late()), Err("upstream/node"));
    assert_eq!(has_a_plan().late().judge(&binds("d/p", "n1")), Ok(vec![]));
}

#[test]
fn a_group_that_has_failed_is_turned_away() {
    let table = || Table::new(&[2], &[ranks(member("p", "g", None), 1), member("q", "g", None)]).group("g", 2);
    let mut turned_away = table().nothing(&[]);
    turned_away["result"] = json!("Rejected");
    turned_away["reasons"] = json!([{"code": "coscheduling/gang-has-not-failed"}]);
    assert_eq!(table().failed("d/q").judge(&turned_away), Ok(vec!["R32"]));
    assert_eq!(table().judge(&turned_away), Err("upstream/node"), "no attempt was in vain before");
    assert_eq!(table().failed("d/q").judge(&table().nothing(&[])), Err("upstream/node"));
}

#[test]
fn a_group_evicts_whom_its_least_entitled_pod_may_evict() {
    let table = |other: i64| {
        let members = [ranks(member("p", "g", None), 1), ranks(member("q", "g", None), other)];
        let pods = [pod("v", Some("n1")), pod("u", Some("n2"))].into_iter().chain(members);
        Table::new(&[1, 1], &pods.collect::<Vec<_>>()).group("g", 2)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(0)), Ok(vec!["R35"]));
    assert_eq!(nothing(&table(1)), Err("upstream/plan"));
    let beside_held = |others: &[&str]| {
        let held = ["p", "w"].map(|name| ranks(member(name, "g", None), 1));
        let others = others.iter().map(|name| member(name, "g", None));
        let pods: Vec<Value> = [pod("v", Some("n1"))].into_iter().chain(held).chain(others).collect();
        let table = Table::new(&[2], &pods).group("g", 3).held("d/w", "n1");
        table.judge(&table.nothing(&["d/w"]))
    };
    assert_eq!(beside_held(&["q", "r"]), Ok(vec!["R35"]), "the others are enough, so w keeps its node");
    assert_ne!(beside_held(&["q"]), Ok(vec!["R35"]));
}

#[test]
fn a_pod_waits_while_others_are_promised_nodes_that_are_enough() {
    let table = |others: [Value; 2]| {
        let victims = [pod("v", Some("n1")), pod("u", Some("n2"))];
        let pods: Vec<Value> = victims.into_iter().chain([ranks(member("p", "g", None), 1)]).chain(others).collect();
        Table::new(&[2, 2], &pods).group("g", 2)
    };
    let other = |name| ranks(member(name, "g", None), 1);
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table([promised(other("q"), "n2"), promised(other("s"), "n1")])), Ok(vec!["R56"]));
    assert_eq!(
        nothing(&table([promised(other("q"), "n2"), other("s")])),
        Err("upstream/node"),
        "the group lacks one more"
    );
}

#[test]
fn a_nominated_pod_waits_for_a_pod_of_its_priority_at_permit() {
    let table = |priority: i64, size: u32| {
        let x = of("e", promised(pod("x", None), "n1"));
        let waits = |name| of("e", ranks(member(name, "g", None), priority));
        let pods = [promised(ranks(pod("p", None), 1), "n1"), x, waits("w"), waits("u")];
        Table::new(&[size], &pods).group("e/g", 2).quota("e", 9, None).held("e/w", "n1")
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&["e/w"]));
    assert_eq!(nothing(&table(1, 2)), Ok(vec!["R17", "R36"]));
    assert_eq!(nothing(&table(0, 2)), Err("upstream/node"), "it ranks lower");
    assert_eq!(nothing(&table(1, 1)), Err("upstream/nominations"), "there is no room without it either");
}

#[test]
fn a_node_is_free_when_pods_have_left_that_rank_too_high_to_be_evicted() {
    let table = |l: Value| {
        let pods = [l, pod("v", Some("n1")), promised(ranks(pod("x", None), 5), "n1"), pod("u", Some("n2"))];
        let pods: Vec<Value> = pods.into_iter().chain([ranks(pod("p", None), 1)]).collect();
        Table::new(&[2, 1], &pods)
    };
    let above = || ranks(pod("l", Some("n1")), 5);
    let takes_v = |table: &Table| {
        let mut outcome = nominates("d/p", "n1", &["d/v"]);
        outcome["standing"] = json!({"d/p": "n1", "d/x": "n1"});
        table.judge(&outcome)
    };
    assert_eq!(takes_v(&table(leaving(above()))), Ok(vec!["K10"]));
    assert_eq!(takes_v(&table(above())), Err("upstream/victims"));
}

#[test]
fn a_group_keeps_its_nodes_while_another_pod_of_it_may_plan() {
    let table = |never: bool| {
        let p = with("p", None, |pod| {
            *pod = member("p", "g", None);
            if never {
                pod["spec"]["preemptionPolicy"] = json!("Never");
            }
        });
        Table::new(&[1], &[p, member("w", "g", None), member("q", "g", None)]).group("g", 3).held("d/w", "n1")
    };
    assert_eq!(table(true).judge(&table(true).nothing(&["d/w"])), Ok(vec!["R25"]));
    assert_eq!(table(false).judge(&table(false).nothing(&["d/w"])), Err("upstream/permit"));
}

#[test]
fn a_group_evicts_no_pod_of_its_own() {
    let table =
        |victim: Value, least: u32| Table::new(&[1], &[victim, ranks(member("p", "g", None), 1)]).group("g", least);
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(member("v", "g", Some("n1")), 2)), Ok(vec!["R86"]));
    assert_eq!(nothing(&table(pod("v", Some("n1")), 1)), Err("upstream/plan"));
    let beside = |victim: Value| {
        let pods = [ranks(victim, -1), pod("u", Some("n1")), ranks(member("p", "g", None), 1)];
        Table::new(&[2], &pods).group("g", 1).judge(&nominates("d/p", "n1", &["d/u"]))
    };
    assert_eq!(beside(member("v", "g", Some("n1"))), Ok(vec!["R86"]));
    assert_eq!(beside(pod("v", Some("n1"))), Err("upstream/victims"), "it is less important, and of no group");
}

#[test]
fn a_promise_holds_against_a_more_important_pod_of_the_same_group() {
    let table = |other: &str| {
        let q = promised(ranks(member("q", other, None), 1), "n1");
        Table::new(&[1], &[q, ranks(member("p", "g", None), 2)]).group("g", 1).group("h", 1)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table("g")), Ok(vec!["R36"]));
    assert_eq!(nothing(&table("h")), Err("upstream/node"), "it is of another group");
}

#[test]
fn an_attempt_is_not_compared_where_a_nominated_pod_ranks_between_the_pods_of_the_group() {
    let table = |other: i64| {
        let members = [ranks(member("p", "g", None), 3), ranks(member("q", "g", None), other)];
        let pods: Vec<Value> = [promised(ranks(pod("x", None), 2), "n1")].into_iter().chain(members).collect();
        Table::new(&[1], &pods).group("g", 1)
    };
    let nothing = |table: &Table| table.judge(&table.nothing(&[]));
    assert_eq!(nothing(&table(0)), Ok(vec![]));
    assert_eq!(nothing(&table(3)), Err("upstream/node"));
}
