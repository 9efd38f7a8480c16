//! Attempts whose answer by yunikorn-core is written by hand.

mod plans;

use std::collections::BTreeMap;

use lictor_oracle::SystemKind;
use serde_json::{Value, json};

use super::answer::{Amounts, CorePod, JudgedAttempt, YunikornDecision, YunikornResponse, YunikornResult};
use super::departures::RULES;
use crate::ComparisonCounts;
use crate::tests::{binds, node, nominates, pod, refuses};

/// A cluster and the answer of upstream: node `n1` is full of `d/v` and `d/w` of queue `root.b`, and `d/p` of `root.a` waits.
struct Table {
    objects: Vec<Value>,
    answer: JudgedAttempt,
}

impl Table {
    fn new() -> Table {
        let answer = JudgedAttempt {
            pods: BTreeMap::from([
                ("d/p".to_owned(), known("root.a", "p")),
                ("d/v".to_owned(), known("root.b", "v")),
                ("d/w".to_owned(), known("root.b", "w")),
            ]),
            usage: BTreeMap::from([("root".to_owned(), vcore(2000)), ("root.b".to_owned(), vcore(2000))]),
            free: BTreeMap::from([("n1".to_owned(), Amounts::new())]),
            why: "Preemption does not help".to_owned(),
            candidates: vec!["d/v".to_owned(), "d/w".to_owned()],
            ..JudgedAttempt::default()
        };
        let objects = vec![node("n1"), node("n2"), pod("v", Some("n1")), pod("w", Some("n1")), pod("p", None)];
        Table { objects, answer }
    }

    /// Lets upstream decide this.
    fn upstream(mut self, result: YunikornResult, node: &str, victims: &[&str]) -> Table {
        let victims = victims.iter().map(|victim| (*victim).to_owned()).collect();
        self.answer.decision = YunikornDecision { result, node: node.to_owned(), victims };
        self
    }

    /// Changes the answer.
    fn with(mut self, change: impl FnOnce(&mut JudgedAttempt)) -> Table {
        change(&mut self.answer);
        self
    }

    /// Changes a pod.
    fn pod(mut self, name: &str, change: impl FnOnce(&mut Value)) -> Table {
        if let Some(pod) = self.objects.iter_mut().find(|object| object["metadata"]["name"] == name) {
            change(pod);
        }
        self
    }

    fn guaranteed(self, path: &str, amount: i64) -> Table {
        self.with(|answer| drop(answer.guaranteed.insert(path.to_owned(), vcore(amount))))
    }

    /// Changes what is known of a pod.
    fn known(self, name: &str, change: impl FnOnce(&mut CorePod)) -> Table {
        self.with(|answer| change(answer.pods.get_mut(name).unwrap()))
    }

    /// Returns the rulings that explain an outcome, or the kind of the difference.
    fn judge(&self, outcome: &Value) -> Result<Vec<&'static str>, &'static str> {
        let tally = crate::tests::compared(SystemKind::Yunikorn, self.objects.clone(), outcome, &self.answer)?;
        Ok(tally.departures.into_keys().collect())
    }
}

fn known(queue: &str, app: &str) -> CorePod {
    CorePod { app: app.to_owned(), queue: queue.to_owned(), uses: vcore(1000), ..CorePod::default() }
}

fn vcore(amount: i64) -> Amounts {
    Amounts::from([("vcore".to_owned(), amount)])
}

/// Returns an outcome without a node or plan.
fn nothing() -> Value {
    refuses(&json!({}))
}

/// Returns an outcome that evicts `d/v`.
fn takes_v() -> Value {
    nominates("d/p", "n1", &["d/v"])
}

#[test]
fn what_upstream_decides_in_some_order_of_equals_is_alike() {
    let bound = Table::new()
        .upstream(YunikornResult::Bound, "n2", &[])
        .with(|answer| answer.legal_nodes = vec!["n2".to_owned()]);
    assert_eq!(bound.judge(&binds("d/p", "n2")), Ok(vec![]));
    assert_eq!(bound.judge(&binds("d/p", "n1")), Err("upstream/node"));
    let other =
        YunikornDecision { result: YunikornResult::Preempts, node: "n1".to_owned(), victims: vec!["d/v".to_owned()] };
    let tie = Table::new()
        .upstream(YunikornResult::Preempts, "n1", &["d/w"])
        .with(|answer| answer.alternatives = vec![other]);
    assert_eq!(tie.judge(&takes_v()), Ok(vec![]));
    for result in [YunikornResult::Nothing, YunikornResult::Reserves, YunikornResult::Refused] {
        assert_eq!(Table::new().upstream(result, "n1", &[]).judge(&nothing()), Ok(vec![]));
    }
}

#[test]
fn without_a_ruling_a_difference_is_one() {
    assert_eq!(Table::new().upstream(YunikornResult::Preempts, "n1", &["d/v"]).judge(&nothing()), Err("upstream/plan"));
    assert_eq!(Table::new().judge(&takes_v()), Err("upstream/plan"));
    assert_eq!(Table::new().judge(&binds("d/p", "n1")), Err("upstream/node"));
    let opted_out =
        Table::new().upstream(YunikornResult::Preempts, "n1", &["d/w"]).known("d/v", |pod| pod.opted_out = true);
    assert_eq!(opted_out.judge(&takes_v()), Err("upstream/victims"));
}

#[test]
fn what_is_not_judged_is_passed_over() {
    let answer = YunikornResponse::NotJudged { not_judged: "host ports".to_owned() };
    let tally = crate::tests::compared(SystemKind::Yunikorn, Table::new().objects, &binds("d/p", "n1"), &answer);
    let passed_over = BTreeMap::from([("constraints that the judge does not look at", 1)]);
    assert_eq!(tally, Ok(ComparisonCounts { not_compared: passed_over, ..ComparisonCounts::default() }));
}

#[test]
fn what_nominated_pods_demand_of_others_is_passed_over() {
    let mut demanding = waiting_for("n2");
    let differs = |waiting: &Value| Table::new().pod("w", |pod| *pod = waiting.clone()).judge(&binds("d/p", "n1"));
    assert_eq!(differs(&demanding), Err("upstream/node"));
    demanding["spec"]["affinity"] = json!({"podAntiAffinity": {}});
    assert_eq!(differs(&demanding), Ok(vec![]));
}

#[test]
fn a_plan_of_upstream_that_the_policy_may_not_make_is_explained() {
    let takes = |table: Table| table.upstream(YunikornResult::Preempts, "n1", &["d/v"]);
    let of_daemon_set = |table: Table| table.known("d/p", |pod| pod.required = "n1".to_owned());
    let below_parents = |table: Table| {
        let table = table.known("d/v", |pod| pod.queue = "root.q.b".to_owned());
        table.with(|answer| drop(answer.usage.insert("root.q".to_owned(), vcore(2000)))).guaranteed("root.q", 2000)
    };
    let cases = [
        ("D1", takes(Table::new().guaranteed("root.b", 2000))),
        ("D2", takes(below_parents(Table::new()))),
        ("D15", takes(of_daemon_set(Table::new()).known("d/v", |pod| pod.app = "p".to_owned()))),
        ("D15", takes(of_daemon_set(Table::new()).pod("p", |pod| pod["spec"]["preemptionPolicy"] = json!("Never")))),
        (
            "D35",
            takes(
                of_daemon_set(Table::new())
                    .pod("p", |pod| pod["spec"]["nodeSelector"] = json!({"example.com/disk": "ssd"})),
            ),
        ),
        ("D14", takes(Table::new().pod("v", |pod| pod["spec"]["nodeName"] = json!("n2")))),
        ("D22", takes(Table::new().guaranteed("root.a", 0))),
        (
            "D18",
            takes(
                Table::new()
                    .guaranteed("root", 9000)
                    .with(|answer| drop(answer.usage.insert("root.b".to_owned(), vcore(1000)))),
            ),
        ),
        ("D6", takes(Table::new().known("d/p", |pod| pod.uses = Amounts::from([("gpu".to_owned(), 1)])))),
    ];
    for (id, table) in cases {
        assert!(table.judge(&nothing()).is_ok_and(|ids| ids.contains(&id)), "{id}: {:?}", table.judge(&nothing()));
    }
    assert_eq!(takes(Table::new()).judge(&nothing()), Err("upstream/plan"));
}

#[test]
fn a_plan_of_the_policy_that_upstream_does_not_make_is_explained() {
    let of_daemon_set = |table: Table| table.known("d/p", |pod| pod.required = "n1".to_owned());
    let full = |path: &'static str| {
        move |answer: &mut JudgedAttempt| {
            answer.max.insert(path.to_owned(), vcore(2000));
            answer.usage.insert(path.to_owned(), vcore(2000));
        }
    };
    let guaranteed = || Table::new().guaranteed("root.a", 9000);
    let cases = [
        ("D8", of_daemon_set(Table::new().with(full("root")))),
        ("D3", guaranteed().known("d/v", |pod| pod.uses = vcore(500))),
        ("D3", guaranteed().with(|answer| answer.why = "Preemption helped but short of resources".to_owned())),
        ("D5", Table::new().guaranteed("root.a", 1500)),
        ("D7", Table::new().guaranteed("root.a", 500)),
        ("D32", guaranteed().with(full("root.a")).guaranteed("root.a", 9000)),
        ("D17", Table::new().pod("w", |pod| *pod = waiting_for("n1"))),
    ];
    for (id, table) in cases {
        assert!(table.judge(&takes_v()).is_ok_and(|ids| ids.contains(&id)), "{id}: {:?}", table.judge(&takes_v()));
    }
}

#[test]
fn a_plan_that_both_forbid_from_the_start_is_not_explained() {
    let smaller = || Table::new().guaranteed("root.a", 500).known("d/v", |pod| pod.uses = vcore(500));
    let judged = |table: Table| table.judge(&takes_v());
    assert!(judged(smaller()).is_ok());
    let failed = |answer: &mut JudgedAttempt| {
        answer.why = "Preemption does not help; Preemption preconditions failed".to_owned()
    };
    assert_eq!(judged(smaller().with(failed)), Err("upstream/plan"), "the pod may not preempt");
    assert_eq!(judged(smaller().with(|answer| answer.why.clear())), Err("upstream/plan"), "preemption is off");
    let foreign = |answer: &mut JudgedAttempt| drop(answer.pods.remove("d/v"));
    assert_eq!(judged(smaller().with(foreign)), Err("upstream/plan"), "the victim is of another scheduler");
    let full = |answer: &mut JudgedAttempt| drop(answer.usage.insert("root.a".to_owned(), vcore(500)));
    assert_eq!(judged(smaller().with(full)), Err("upstream/plan"), "the guarantee is used up");
    assert_eq!(judged(smaller().with(|answer| answer.guaranteed.clear())), Err("upstream/plan"), "there is none");
}

#[test]
fn room_that_is_promised_or_leaving_explains_a_difference() {
    let max = |answer: &mut JudgedAttempt| {
        answer.max.insert("root.a".to_owned(), vcore(1000));
        answer.pods.insert("d/w".to_owned(), known("root.a", "w"));
    };
    let table = Table::new().upstream(YunikornResult::Bound, "n2", &[]).with(max);
    assert_eq!(table.judge(&nothing()), Err("upstream/node"));
    assert_eq!(table.pod("w", |pod| *pod = waiting_for("n1")).judge(&nothing()), Ok(vec!["D9"]));
    let leaving = Table::new().upstream(YunikornResult::Preempts, "n1", &["d/v"]);
    let leaving = leaving.pod("w", |pod| pod["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z"));
    assert_eq!(leaving.judge(&nothing()), Ok(vec!["D3"]));
}

#[test]
fn of_two_plans_the_policy_has_the_better_one() {
    let table = || Table::new().upstream(YunikornResult::Preempts, "n1", &["d/w"]);
    assert_eq!(table().judge(&takes_v()), Ok(vec!["A6"]));
    assert_eq!(table().known("d/w", |pod| pod.originator = true).judge(&takes_v()), Ok(vec!["A6"]));
    assert_eq!(table().known("d/v", |pod| pod.originator = true).judge(&takes_v()), Err("upstream/victims"));
    let important = table().known("d/v", |pod| pod.priority = 1);
    assert_eq!(important.judge(&takes_v()), Err("upstream/victims"), "upstream evicts a less important pod");
    assert_eq!(table().judge(&nominates("d/p", "n1", &["d/v", "d/w"])), Err("upstream/victims"));
    let of_daemon_set = |table: Table| table.known("d/p", |pod| pod.required = "n1".to_owned());
    let swapped = table().known("d/v", |pod| pod.opted_out = true).known("d/w", |pod| pod.originator = true);
    assert_eq!(of_daemon_set(swapped).judge(&takes_v()), Ok(vec!["A6"]));
}

/// Returns `d/w` as a pending pod that is nominated.
fn waiting_for(node: &str) -> Value {
    let mut waiting = pod("w", None);
    waiting["status"]["nominatedNodeName"] = json!(node);
    waiting
}

#[test]
fn every_ruling_is_in_the_manual() {
    let manual = include_str!("../../../../guest/policy/src/systems/yunikorn/README.md");
    for id in RULES.iter().map(|rule| rule.departure.id) {
        assert!(manual.contains(&format!("\n| {id} |")), "{id}");
    }
}
