//! Plans that evict groups which leave whole.

use serde_json::{Value, json};

use super::KubernetesResponse;
use super::single::{evicts, group, judge, of, places, running};
use crate::tests::{node, nominates, pod};

#[test]
fn a_group_that_leaves_whole_counts_once() {
    let judged = |mode: &str, needs: &[&str]| {
        let pods = [running("v", "n1"), running("w", "n1"), pod("a", Some("n2")), pod("b", Some("n2")), pod("p", None)];
        let pods = pods.map(|mut pod| {
            pod["spec"]["priority"] = json!(5);
            pod
        });
        let objects = [node("n1"), node("n2"), group("g", mode)].into_iter().chain(pods).collect();
        judge(objects, &nominates("d/p", "n1", &["d/v", "d/w"]), |question| {
            let fits = needs.iter().all(|victim| of(question, victim).is_null());
            let has_all = !of(question, "v").is_null();
            if fits {
                places(&["n1"])
            } else if has_all {
                evicts("n2", &["d/a", "d/b"])
            } else {
                KubernetesResponse::default()
            }
        })
    };
    assert_eq!(judged("all", &["v", "w"]), Ok(vec!["K43"]));
    assert_eq!(judged("single", &["v", "w"]), Err("upstream/victims"));
    assert_eq!(judged("all", &["v", "w", "a"]), Err("upstream/victims"), "there is no room without them");
}

#[test]
fn a_budget_that_a_more_important_pod_has_spent_counts_between_plans() {
    let judged = |violations: u64| {
        let ranks = |mut pod: Value, priority: i64| {
            pod["spec"]["priority"] = json!(priority);
            pod
        };
        let pods = [running("v", "n1"), pod("a", Some("n1")), pod("p", None)].into_iter().zip([5, 4, 9]);
        let pods = pods.map(|(pod, priority)| ranks(pod, priority));
        let objects = [node("n1"), group("g", "all")].into_iter().chain(pods).collect();
        judge(objects, &nominates("d/p", "n1", &["d/v"]), |question| {
            if of(question, "v").is_null() {
                return places(&["n1"]);
            }
            let mut answer = evicts("n1", &["d/a"]);
            answer.preemption.plans.iter_mut().for_each(|plan| plan.violations = violations);
            answer
        })
    };
    assert_eq!(judged(1), Ok(vec!["K43"]));
    assert_eq!(judged(0), Err("upstream/victims"), "`a` is less important");
}

#[test]
fn the_budgets_of_a_group_that_leaves_whole_are_violated_once() {
    let judged = |mode: &str| {
        let covered = |mut pod: Value| {
            (pod["spec"]["priority"], pod["metadata"]["labels"]) = (json!(5), json!({"app": "a"}));
            pod
        };
        let pods = [running("v", "n1"), running("w", "n1"), pod("a", Some("n1")), pod("b", Some("n1"))].map(covered);
        let budget = json!({"kind": "PodDisruptionBudget", "metadata": {"name": "none", "namespace": "d"},
            "spec": {"selector": {"matchLabels": {"app": "a"}}}, "status": {"disruptionsAllowed": 0}});
        let objects = [node("n1"), group("g", mode), budget, pod("p", None)].into_iter().chain(pods).collect();
        judge(objects, &nominates("d/p", "n1", &["d/v", "d/w"]), |question| {
            if of(question, "v").is_null() && of(question, "w").is_null() {
                return places(&["n1"]);
            }
            let mut answer = evicts("n1", &["d/a", "d/b"]);
            answer.preemption.plans.iter_mut().for_each(|plan| plan.violations = 2);
            answer
        })
    };
    assert_eq!(judged("all"), Ok(vec!["K43"]));
    assert_eq!(judged("single"), Err("upstream/victims"));
}

#[test]
fn a_group_that_stays_has_spent_its_budget_before_a_less_important_one() {
    let judged = |covered: &[&str]| {
        let of_group = |name: &str, group: &str, at: &str| {
            let mut pod = running(name, at);
            pod["spec"]["schedulingGroup"] = json!({"podGroupName": group});
            pod
        };
        let pods = [of_group("v", "g", "n1"), of_group("w", "g", "n1"), of_group("u", "h", "n1"), pod("a", Some("n1"))];
        let pods = pods.into_iter().chain([pod("p", None)]).map(|mut pod| {
            let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
            pod["spec"]["priority"] = json!(if name == "p" { 9 } else { 5 });
            if covered.contains(&name.as_str()) {
                pod["metadata"]["labels"] = json!({"app": "a"});
            }
            pod
        });
        let mut other = group("h", "all");
        other["metadata"]["name"] = json!("h");
        let budget = json!({"kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "d"},
            "spec": {"selector": {"matchLabels": {"app": "a"}}}, "status": {"disruptionsAllowed": 1}});
        let objects = [node("n1"), group("g", "all"), other, budget].into_iter().chain(pods).collect();
        judge(objects, &nominates("d/p", "n1", &["d/v", "d/w"]), |question| {
            match of(question, "v").is_null() && of(question, "w").is_null() {
                true => places(&["n1"]),
                false if of(question, "v").is_null() || of(question, "w").is_null() => KubernetesResponse::default(),
                false => {
                    let mut answer = evicts("n1", &["d/a", "d/u"]);
                    answer
                        .preemption
                        .plans
                        .iter_mut()
                        .for_each(|plan| plan.violations = u64::from(covered.contains(&"u")));
                    answer
                }
            }
        })
    };
    assert_eq!(judged(&["v", "w", "u"]), Ok(vec!["K43"]), "the larger group spends both, so neither may go");
    assert_eq!(judged(&["v", "w"]), Err("upstream/victims"), "the budget allows the other plan");
}
