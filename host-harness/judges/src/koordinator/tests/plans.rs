//! Plans.

use super::*;

/// A change of a table.
type Change = fn(Table) -> Table;

/// Returns a cluster in which upstream evicts `d/v`.
pub(super) fn evicting() -> Table {
    Table::new().plan("n1", &["d/v"])
}

#[test]
fn the_policy_makes_no_plan_for_the_pod() {
    let cases: [(&str, &str, Change); 6] = [
        ("C11", "may-preempt", |table| table.labelled("p", "can-preempt", "false")),
        ("C11", "may-preempt", |table| table.argument("disableDefaultTriggerPreemption")),
        ("C14", "last-plan-is-done", |table| table.nominated("p", "n1").add("w", Some("n1")).leaving("w")),
        ("C3", "non-preemptible-job-fits-min", |table| {
            table.over_quota().labelled("p", "preemptible", "false").account("a", |quota| quota.min = cpu(500))
        }),
        ("C6", "preemptible-job-leaves-min", |table| table.over_quota().account("a", |quota| quota.max = cpu(1000))),
        ("C24", "may-preempt", |table| {
            let groups = json!({"gang.scheduling.koordinator.sh/groups": r#"["d/x","d/y"]"#});
            let table = table.add("q", None).labelled("q", "can-preempt", "false");
            table.gang("x", 1, &["p"], &groups).gang("y", 1, &["q"], &groups)
        }),
    ];
    for (id, law, change) in cases {
        let result = if law.contains("min") { "Rejected" } else { "Unschedulable" };
        assert_eq!(change(evicting()).judge(&because(result, law)), Ok(vec![id]));
        let other = if law.contains("min") { evicting().over_quota() } else { evicting() };
        assert_eq!(other.judge(&because(result, law)), Err("upstream/plan"), "{id}");
    }
}

#[test]
fn c23_waits_for_the_pod_at_permit() {
    let mut held = because("Unschedulable", "its-room-is-not-held-at-permit");
    held["waiting"] = json!(["d/w"]);
    let table = |node: &str| evicting().add("w", None).nominated("p", node);
    let earlier = [("d/w", {
        let mut outcome = waits("d/w", "n1");
        outcome["standing"] = json!({"d/p": "n1"});
        outcome
    })];
    assert_eq!(table("n1").judge_after(&earlier, &held), Ok(vec!["C23"]));
    assert_eq!(table("n1").judge(&held), Err("upstream/plan"));
}

#[test]
fn c45_evicts_no_further_pod_while_the_room_comes() {
    let mut coming = nothing();
    coming["reasons"] = json!([{"code": "engine/room-is-coming"}]);
    let table = |leaving: Change| {
        leaving(evicting().add("w", Some("n1"))).then(|answer| {
            answer.preemption.plans.clear();
            answer.feasible = vec!["n1".to_owned()];
        })
    };
    assert_eq!(table(|table| table.leaving("w")).judge(&coming), Ok(vec!["C45"]));
    assert_eq!(table(|table| table).judge(&coming), Err("upstream/plan"), "no pod leaves");
    assert_eq!(table(|table| table.leaving("w")).judge(&nothing()), Err("upstream/plan"));
    let mut vain = table(|table| table.leaving("w"));
    vain.answers.pop();
    assert_eq!(vain.judge(&coming), Err("upstream/plan"), "no room comes");
}

#[test]
fn the_policy_forbids_the_plan_of_upstream() {
    let cases: [(&str, Change); 8] = [
        ("C77", |table| {
            let key = "scheduling.koordinator.sh/disable-preemptible";
            table.pod("v", |pod| pod["metadata"]["labels"][key] = json!("true"))
        }),
        ("C1", |table| table.argument("disableDefaultPreemptiable").labelled("p", "preemptible", "true")),
        ("C3", |table| {
            let full = table.account("a", |quota| (quota.used, quota.max) = (cpu(2000), cpu(2000)));
            full.add("q", None).labelled("q", "preemptible", "false")
        }),
        ("C36", |table| {
            let full = table.account("a", |quota| (quota.used, quota.max) = (cpu(2000), cpu(2000)));
            full.add("q", None).nominated("q", "n1")
        }),
        ("C24", |table| table.gang("x", 1, &["p", "v"], &json!({}))),
        ("C24", |table| {
            let table = table.add("q", None).pod("v", |pod| pod["spec"]["priority"] = json!(2));
            table.gang("x", 1, &["p", "q"], &json!({})).then(|answer| answer.feasible = vec!["n1".to_owned()])
        }),
        ("C67", |table| table.leaving("v")),
        ("C68", |table| table.account("a", |quota| quota.used = cpu(9500))),
    ];
    for (id, change) in cases {
        assert_eq!(change(evicting()).judge(&nothing()), Ok(vec![id]));
    }
    assert_eq!(evicting().judge(&nothing()), Err("upstream/plan"));
    let other = evicting().with(|answer| answer.preemption.plans.push(plan("n2", &["d/v"])));
    let other =
        other.add("w", Some("n2")).leaving("w").with(|answer| answer.preemption.plans[0] = plan("n2", &["d/w"]));
    assert_eq!(other.judge(&nothing()), Err("upstream/plan"), "one of two plans is explained");
}

#[test]
fn c24_plans_for_all_pods_or_none() {
    let table = || {
        let table = evicting().add("q", None).pod("q", |pod| pod["spec"]["priority"] = json!(5));
        table.gang("x", 2, &["p", "q"], &json!({})).then(|answer| answer.feasible = vec!["n1".to_owned()])
    };
    assert_eq!(table().then(|_| {}).judge(&nothing()), Ok(vec!["C24"]));
    assert_eq!(table().judge(&nothing()), Err("upstream/plan"), "both fit");
    let mut several = takes_v();
    several["nominated"]["d/q"] = json!("n2");
    assert_eq!(table().judge(&several), Ok(vec!["C24"]));
}

#[test]
fn upstream_lacks_the_plan_of_the_policy() {
    let cases: [(&str, &[&str], Change); 4] = [
        ("C4", &["d/v"], |table| table.labelled("v", "name", "b")),
        ("C4", &["d/v", "d/w"], |table| table.add("w", Some("n2"))),
        ("C45", &[], |table| table.leaving("v")),
        ("C69", &["d/v"], |table| {
            table.with(|answer| answer.failed = Some("expected at least one victim pod".to_owned()))
        }),
    ];
    for (id, victims, change) in cases {
        assert_eq!(change(Table::new()).judge(&nominates("d/p", "n1", victims)), Ok(vec![id]));
    }
    assert_eq!(Table::new().judge(&nominates("d/p", "n1", &["d/v"])), Err("upstream/plan"));
    assert_eq!(Table::new().judge(&nominates("d/p", "n1", &[])), Err("upstream/plan"));
}

#[test]
fn c67_counts_on_what_leaves() {
    let table = || Table::new().add("w", Some("n1")).labelled("w", "name", "b").leaving("w");
    let with = |plans: Vec<UpstreamPlan>| table().then(|answer| answer.preemption.plans = plans);
    assert_eq!(with(vec![plan("n1", &["d/v"])]).judge(&takes_v()), Ok(vec!["C67"]));
    assert_eq!(with(Vec::new()).judge(&takes_v()), Err("upstream/plan"));
    assert_eq!(with(vec![plan("n2", &["d/v"])]).judge(&takes_v()), Err("upstream/plan"));
}

#[test]
fn c33_prefers_the_plan_of_less_harm() {
    let table = |priority: i64| {
        let table = Table::new().add("w", Some("n2")).plan("n2", &["d/w"]);
        table.pod("w", |pod| pod["spec"]["priority"] = json!(priority))
    };
    assert_eq!(table(1).judge(&takes_v()), Ok(vec!["C33"]));
    assert_eq!(table(0).judge(&takes_v()), Ok(vec!["C33"]), "what comes then depends on the past");
    assert_eq!(table(-1).judge(&takes_v()), Err("upstream/plan"));
    let of_gang = |minimum| table(0).add("u", Some("n2")).gang("x", minimum, &["v", "u"], &json!({}));
    assert_eq!(of_gang(1).judge(&takes_v()), Ok(vec!["C33"]));
    assert_eq!(of_gang(2).judge(&takes_v()), Err("upstream/plan"), "it breaks a gang");
}

#[test]
fn parts_of_the_cluster_are_compared_up_to_rounding() {
    // Of 3 cpu, one of 2 is 666666666 billionths, and two of 1 are 333333333 each.
    let sized = |pod: &mut Value| pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2");
    let table = || Table::new().add("w", Some("n2")).add("u", Some("n2")).plan("n2", &["d/u", "d/w"]).pod("v", sized);
    let of_three = |table: Table| table.pod("n1", |node| node["status"]["allocatable"]["cpu"] = json!("2"));
    assert_eq!(of_three(table()).judge(&takes_v()), Ok(vec!["C33"]));
    let larger =
        of_three(table()).pod("v", |pod| pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2100m"));
    assert_eq!(larger.judge(&takes_v()), Err("upstream/plan"));
}

#[test]
fn c1_keeps_what_a_plan_of_upstream_takes_off_the_node() {
    let table = |plans: Vec<UpstreamPlan>| {
        let table = Table::new().labelled("v", "preemptible", "true").add("w", Some("n1"));
        table.then(|answer| answer.preemption.plans = plans)
    };
    let plans = || vec![plan("n1", &["d/v"])];
    assert_eq!(table(plans()).argument("disableDefaultPreemptiable").judge(&takes_v()), Ok(vec!["C1"]));
    assert_eq!(table(plans()).judge(&takes_v()), Err("upstream/plan"));
    assert_eq!(table(Vec::new()).argument("disableDefaultPreemptiable").judge(&takes_v()), Err("upstream/plan"));
}

/// Returns a cluster in which the quotas `a` and `b` are below one that is checked, and `d/w` of `b` is on a node that no plan uses.
fn siblings(change: impl FnOnce(Table) -> Table) -> Table {
    let table = Table::new().argument("enableCheckParentQuota").add("w", Some("n2")).labelled("w", "name", "b");
    change(table.account("b", |quota| quota.min = cpu(500)))
}

#[test]
fn c4_takes_a_pod_on_an_unused_node_only_for_a_quota() {
    let takes_w = nominates("d/p", "n1", &["d/w"]);
    assert_eq!(siblings(|table| table).judge(&takes_w), Ok(vec!["C4"]), "its quota uses more than its min");
    let within = siblings(|table| table.account("b", |quota| quota.min = cpu(1000)));
    assert_eq!(within.judge(&takes_w), Err("upstream/plan"));
    let beyond = siblings(|table| table.account("a", |quota| quota.min = cpu(1500)));
    assert_eq!(beyond.judge(&takes_w), Err("upstream/plan"));
    let unchecked = siblings(|mut table| {
        table.arguments = json!({});
        table
    });
    assert_eq!(unchecked.judge(&takes_w), Err("upstream/plan"));
    let held = Table::new().add("w", None);
    assert_eq!(held.judge(&takes_w), Err("upstream/plan"), "it is not bound");
}

#[test]
fn no_ruling_explains_a_second_plan_while_the_first_is_under_way() {
    let again = nominates("d/p", "n1", &[]);
    let first = |node: &str| [("d/p", nominates("d/p", node, &["d/v"]))];
    let table = Table::new();
    let mut case = FuzzCase::by_hand(SystemKind::Koordinator, RoundKind::Attempts, table.objects.clone());
    case.args = Default::default();
    let mut trial = CaseComparison::of(&case).unwrap();
    trial.follow(&CaseStep::Schedule("d/p".to_owned()), &first("n1")[0].1).unwrap();
    let weighed =
        trial.compare_step(&CaseStep::Schedule("d/p".to_owned()), &again, |_| Ok(json!(table.answers[0]))).unwrap();
    assert!(matches!(weighed.attempt, Some(crate::AttemptComparison::Differs(_))));
    assert_eq!(Table::new().leaving("v").judge(&again), Ok(vec!["C45"]), "another plan evicts the pod");
}

#[test]
fn c78_evicts_no_pod_that_waits_at_permit() {
    let table = Table::new().add("q", None).plan("n1", &["d/q"]);
    let mut nothing = nothing();
    nothing["waiting"] = json!(["d/q"]);
    assert_eq!(table.judge_after(&[("d/q", waits("d/q", "n1"))], &nothing), Ok(vec!["C78"]));
    assert_eq!(table.judge(&refuses(&json!({}))), Err("upstream/plan"));
}

#[test]
fn a_pod_has_a_plan_beside_the_pod_that_it_has_to_be_near() {
    // p finds no node, and has to be near w. Upstream removes v and w first, and w is missing then.
    let between = |refused: &str| UpstreamRefusal { plugin: refused.to_owned(), ..UpstreamRefusal::default() };
    let table = |with_v: &[&str], without_both: &str| {
        let table = Table::new().add("w", Some("n1"));
        let table = table.pod("p", |pod| pod["spec"]["affinity"] = json!({"podAffinity": {}}));
        let nodes = |nodes: &[&str]| nodes.iter().map(|node| (*node).to_owned()).collect();
        let table = table.then(|answer| answer.feasible = nodes(&["n1"]));
        let table = table.then(|answer| answer.feasible = nodes(with_v));
        table.then(|answer| drop(answer.refused.insert("n1".to_owned(), between(without_both))))
    };
    let evicts_v = nominates("d/p", "n1", &["d/v"]);
    assert_eq!(table(&[], "InterPodAffinity").judge(&evicts_v), Ok(vec!["C4"]));
    assert_eq!(table(&["n1"], "InterPodAffinity").judge(&evicts_v), Err("upstream/plan"), "v may stay");
    assert_eq!(table(&[], "NodeResourcesFit").judge(&evicts_v), Err("upstream/plan"), "p needs no pod there");
    let unconstrained = table(&[], "InterPodAffinity").pod("p", |pod| pod["spec"]["affinity"] = json!(null));
    assert_eq!(unconstrained.judge(&evicts_v), Err("upstream/plan"));
}
