//! The content of the events about victims.

use lictor_host::session::NodeSummary;
use serde_json::json;

use super::*;

#[test]
fn the_event_of_a_victim_names_the_preemptor_and_the_law() {
    let cluster = Cluster::with(&["p", "v"]);
    let mut reporter = reporter(ReportMode::Enforce, "koordinator");
    let preemptor = EvictionBeneficiary::Preemptor("team/p".to_owned());
    reporter.step(NOW, &victim(EvictionMethod::Delete, preemptor.clone()), &cluster);
    assert_eq!(reporter.due(NOW, &cluster), [], "the API server has not accepted it");
    reporter.evicted("team/v");
    let writes = reporter.due(NOW, &cluster);
    let event = events(&writes)[0];
    assert_eq!(
        (&event["reason"], &event["action"], &event["type"]),
        (&json!("Preempted"), &json!("Preempting"), &json!("Normal"))
    );
    assert_eq!(event["note"], "Preempted by pod team/p on node n1: a/b: because");
    assert_eq!(event["related"]["uid"], "uid-p");
    assert_eq!(conditions(&writes).len(), 0, "the Eviction API writes DisruptionTarget itself");
    // A queue that gives resources back has no preemptor.
    reporter.step(NOW, &victim(EvictionMethod::Soft, EvictionBeneficiary::Queue("q".to_owned())), &cluster);
    // A victim may be gone before the answer arrives.
    reporter.forget("team/v");
    let writes = reporter.due(NOW, &cluster);
    let note =
        "Preempted by queue q, which gives back on node n1 (marked: another controller deletes it): a/b: because";
    assert_eq!(events(&writes)[0]["note"], note);
}

#[test]
fn the_event_of_a_victim_names_the_group_of_the_preemptor_and_no_module_of_the_engine() {
    let mut cluster = Cluster::with(&["p", "v"]);
    cluster.groups.insert("team/p".to_owned(), subject("scheduling.k8s.io", "PodGroup", "team", "train").name);
    let note = |pod: &str| {
        let mut step = victim(EvictionMethod::Delete, EvictionBeneficiary::Preemptor(format!("team/{pod}")));
        let evicted = step.happened.victims.get_mut("team/v").unwrap();
        evicted.reason = named("engine/plan", "evicts 3 pods for 2 pods".to_owned());
        let mut reporter = reporter(ReportMode::Enforce, "koordinator");
        reporter.step(NOW, &step, &cluster);
        reporter.evicted("team/v");
        events(&reporter.due(NOW, &cluster))[0]["note"].clone()
    };
    let why = "on node n1: evicts 3 pods for 2 pods, by the laws of koordinator";
    assert_eq!(note("p"), format!("Preempted by pod team/p of PodGroup team/train {why}"));
    assert_eq!(note("gone"), format!("Preempted by pod team/gone, which is gone {why}"));
}

#[test]
fn the_event_of_a_victim_names_the_law_that_refuses_the_preemptor() {
    let cluster = Cluster::with(&["p", "v"]);
    let note = |attempts: Vec<Attempt>| {
        let mut step = victim(EvictionMethod::Delete, EvictionBeneficiary::Preemptor("team/p".to_owned()));
        step.happened.victims.get_mut("team/v").unwrap().reason = named("engine/plan", "evicts 1 pod".to_owned());
        step.happened.attempts = attempts;
        let mut reporter = reporter(ReportMode::Enforce, "koordinator");
        reporter.step(NOW, &step, &cluster);
        reporter.evicted("team/v");
        events(&reporter.due(NOW, &cluster))[0]["note"].as_str().unwrap().to_owned()
    };
    let says = |refusal: &str| {
        format!("Preempted by pod team/p on node n1: evicts 1 pod{refusal}, by the laws of koordinator")
    };
    let law = "koordinator/job-fits-max";
    let of = |pod: &str, result| attempt(pod, result, law, 1).happened.attempts.remove(0);
    assert_eq!(note(vec![of("p", AttemptResult::Nominated)]), says(" (koordinator/job-fits-max: free 1)"));
    let mut by_nodes = of("p", AttemptResult::Nominated);
    by_nodes.reason = None;
    by_nodes.nodes = Some(NodeSummary { nodes: 2, ..NodeSummary::default() });
    assert_eq!(note(vec![by_nodes]), says(" (0/2 nodes are available)"));
    // The attempts of other pods, and those that made no plan, say nothing of this plan.
    assert_eq!(note(vec![of("other", AttemptResult::Nominated), of("p", AttemptResult::Rejected)]), says(""));
    assert_eq!(note(Vec::new()), says(""));
}
