//! Nominations: room that is promised to other pods, and their constraints.

use super::plans::evicting;
use super::*;

#[test]
fn c59_keeps_room_that_is_promised_firmly() {
    let table = |class: &str| {
        let table = Table::new().feasible("n2").add("w", None).labelled("w", "preemptible", class);
        table.nominated("w", "n2").then(|answer| answer.feasible.clear())
    };
    assert_eq!(table("false").judge(&nothing()), Ok(vec!["C59"]));
    assert_eq!(table("true").judge(&nothing()), Err("upstream/node"), "the pod could evict it");
    let mut elsewhere = table("false");
    elsewhere.answers.truncate(1);
    assert_eq!(elsewhere.judge(&nothing()), Err("upstream/node"), "upstream finds a node all the same");
}

#[test]
fn c59_leaves_a_plan_of_the_policy_that_upstream_does_not_consider() {
    let table = |class: &str| {
        let table = Table::new().add("u", Some("n2")).plan("n2", &["d/u"]).labelled("v", "name", "b");
        let table = table.pod("u", |pod| pod["spec"]["priority"] = json!(-1));
        table.add("w", None).labelled("w", "preemptible", class).nominated("w", "n2")
    };
    let mut keeps = takes_v();
    keeps["standing"]["d/w"] = json!("n2");
    let without = |class: &str| table(class).then(|answer| answer.preemption.plans.clear());
    assert_eq!(without("false").judge(&keeps), Ok(vec!["C59"]));
    assert_eq!(without("true").judge(&keeps), Err("upstream/plan"), "the pod could evict it");
    assert_eq!(table("false").then(|_| {}).judge(&keeps), Err("upstream/plan"), "upstream makes its plan all the same");
}

#[test]
fn c70_counts_constraints_of_nominated_pods_in_their_domain() {
    let table = |field: &str| {
        let table = Table::new().feasible("n1").add("w", None).nominated("w", "n2");
        let table = table.pod("w", |pod| pod["spec"]["priority"] = json!(9));
        let table = table.pod("w", |pod| pod["spec"]["affinity"] = json!({field: {}}));
        table.then(|_| {}).then(|answer| answer.feasible.clear())
    };
    assert_eq!(table("podAntiAffinity").judge(&nothing()), Ok(vec!["C70"]));
    assert_eq!(table("nodeAffinity").judge(&nothing()), Err("upstream/node"));
}

#[test]
fn a_plan_keeps_the_nominations_that_it_may_not_end() {
    let cleared = |answer: &mut KoordinatorResponse| {
        drop(answer.preemption.clears.insert("n1".to_owned(), vec!["d/w".to_owned()]))
    };
    let table = |class: &str| {
        let table = evicting().add("w", None).labelled("w", "preemptible", class).nominated("w", "n1");
        table.with(cleared)
    };
    let mut keeps = takes_v();
    keeps["standing"]["d/w"] = json!("n1");
    assert_eq!(table("false").judge(&keeps), Ok(vec!["C59"]));
    assert_eq!(table("true").judge(&keeps), Err("upstream/nominations"));
    assert_eq!(table("true").judge(&takes_v()), Ok(vec![]));
    let several = |class: &str| {
        let table = evicting().add("w", None).labelled("w", "preemptible", class).nominated("w", "n1");
        let table = table.add("u", None).labelled("u", "preemptible", "true").nominated("u", "n1");
        table.with(|answer| {
            drop(answer.preemption.clears.insert("n1".to_owned(), vec!["d/u".to_owned(), "d/w".to_owned()]))
        })
    };
    assert_eq!(several("false").judge(&keeps), Ok(vec!["C59"]), "the other nomination ends here as well");
    assert_eq!(several("true").judge(&keeps), Err("upstream/nominations"));
    let only_w = several("false").with(cleared);
    assert_eq!(only_w.judge(&keeps), Err("upstream/nominations"), "upstream leaves the other nomination");
}

#[test]
fn c70_leaves_the_constraints_of_nominated_pods_unbroken() {
    let table = |plugin: &str| {
        let refusal = UpstreamRefusal { plugin: plugin.to_owned(), ..UpstreamRefusal::default() };
        let table = Table::new().feasible("n1").add("w", None).nominated("w", "n2");
        let table = table.pod("w", |pod| pod["spec"]["priority"] = json!(9));
        let table = table.pod("w", |pod| pod["spec"]["affinity"] = json!({"podAffinity": {}}));
        table.then(|_| {}).then(|answer| drop(answer.refused.insert("n2".to_owned(), refusal)))
    };
    let mut broken = table("InterPodAffinity");
    broken.answers.insert(2, broken.answers[0].clone());
    assert_eq!(broken.judge(&nothing()), Ok(vec!["C70"]));
    let mut full = table("NodeResourcesFit");
    full.answers.insert(2, full.answers[0].clone());
    assert_eq!(full.judge(&nothing()), Err("upstream/node"));
}

#[test]
fn c70_makes_no_plan_that_a_nominated_pod_forbids() {
    let table = |plugin: &str, priority: i64| {
        let refusal = UpstreamRefusal { plugin: plugin.to_owned(), ..UpstreamRefusal::default() };
        let table = evicting().add("w", None).nominated("w", "n2");
        let table = table.pod("w", |pod| pod["spec"]["priority"] = json!(priority));
        let table = table.pod("w", |pod| pod["spec"]["affinity"] = json!({"podAffinity": {}}));
        table.then(|answer| drop(answer.refused.insert("n2".to_owned(), refusal)))
    };
    assert_eq!(table("InterPodAffinity", 9).judge(&nothing()), Ok(vec!["C70"]));
    assert_eq!(table("NodeResourcesFit", 9).judge(&nothing()), Err("upstream/plan"));
    assert_eq!(table("InterPodAffinity", -1).judge(&nothing()), Err("upstream/plan"), "the pod may evict it");
}
