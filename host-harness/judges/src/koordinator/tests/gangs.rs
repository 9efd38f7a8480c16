//! Gangs: which pods are tried, which wait, and which give up.

use super::*;

/// Returns an outcome after which these pods wait at Permit.
fn with_waiting(mut outcome: Value, waiting: &[&str]) -> Value {
    outcome["waiting"] = json!(waiting);
    outcome
}

/// Returns a table in which upstream rejects pods at Permit.
fn rejecting(table: Table, pods: &[&str]) -> Table {
    let rejected = pods.iter().map(|pod| ((*pod).to_owned(), "rejected".to_owned())).collect();
    table.with(|answer| {
        answer.post_filter = Some(KoordinatorPostFilter { rejected, ..KoordinatorPostFilter::default() })
    })
}

fn q_waits() -> [(&'static str, Value); 1] {
    [("d/q", waits("d/q", "n1"))]
}

fn groups() -> Value {
    json!({"gang.scheduling.koordinator.sh/groups": r#"["d/x","d/y"]"#})
}

#[test]
fn c27_refuses_a_strict_gang_that_has_failed() {
    let table = |mode: &str| {
        let mode = json!({"gang.scheduling.koordinator.sh/mode": mode});
        Table::new().feasible("n2").add("q", None).gang("x", 2, &["p", "q"], &mode)
    };
    let failed = because("Rejected", "gang-has-not-failed");
    let q_failed = [("d/q", nothing())];
    assert_eq!(table("Strict").judge_after(&q_failed, &failed), Ok(vec!["C27"]));
    assert_eq!(table("Strict").judge(&failed), Err("upstream/gang"), "no attempt was in vain before");
    assert_eq!(table("NonStrict").judge_after(&q_failed, &failed), Err("upstream/gang"));
    let mut vain = table("Strict");
    vain.answers[0].feasible.clear();
    assert_eq!(vain.judge(&failed), Ok(vec![]), "upstream finds nothing either");
}

#[test]
fn c27_lets_no_pod_wait_at_permit_for_a_gang_whose_pods_have_failed() {
    let table = |mode: &str| {
        let mut strict = groups();
        strict["gang.scheduling.koordinator.sh/mode"] = json!(mode);
        let table = Table::new().feasible("n2").add("q", None).add("r", None);
        table.gang("x", 1, &["p"], &groups()).gang("y", 1, &["q", "r"], &strict)
    };
    let refused = because("Unschedulable", "gang-is-complete");
    let (q, r) = (("d/q", nothing()), ("d/r", nothing()));
    assert_eq!(table("Strict").judge_after(&[q.clone(), r.clone()], &refused), Ok(vec!["C27"]));
    assert_eq!(
        table("Strict").judge_after(std::slice::from_ref(&q), &refused),
        Err("upstream/permit"),
        "`r` may follow"
    );
    assert_eq!(table("NonStrict").judge_after(&[q.clone(), r.clone()], &refused), Err("upstream/permit"));
    let promised = table("Strict").nominated("r", "n1");
    let stands = |pod| (pod, with_standing(nothing(), &json!({"d/r": "n1"})));
    let failed = [stands("d/q"), stands("d/r")];
    assert_eq!(promised.judge_after(&failed, &refused), Err("upstream/permit"), "`r` is promised a node");
}

#[test]
fn a_gang_that_only_upstream_refuses_is_a_difference() {
    let table = Table::new().with(|answer| answer.untried = Some("it is gated".to_owned()));
    assert_eq!(table.judge(&binds("d/p", "n2")), Err("upstream/gang"));
    assert_eq!(table.judge(&nothing()), Ok(vec![]));
}

#[test]
fn c27_keeps_what_a_gang_holds_that_can_go_on() {
    let keeps = with_waiting(nothing(), &["d/q"]);
    let table = || rejecting(Table::new().add("q", None).add("r", None), &["d/q"]);
    assert_eq!(table().gang("x", 2, &["p", "q", "r"], &json!({})).judge_after(&q_waits(), &keeps), Ok(vec!["C27"]));
    assert_eq!(
        table().gang("x", 3, &["p", "q", "r"], &json!({})).judge_after(&q_waits(), &keeps),
        Err("upstream/held")
    );
}

#[test]
fn c27_keeps_what_a_gang_holds_with_a_pod_that_keeps_its_nomination() {
    let table = || {
        let table = rejecting(Table::new().add("q", None).nominated("p", "n1").leaving("v"), &["d/q"]);
        table.gang("x", 2, &["p", "q"], &json!({})).with(|answer| answer.preemption.keeps_nomination = true)
    };
    let waiting = |standing: &Value| {
        let mut outcome = with_waiting(because("Unschedulable", "last-plan-is-done"), &["d/q"]);
        outcome["standing"] = standing.clone();
        outcome
    };
    let mut q_waits = q_waits();
    q_waits[0].1["standing"] = json!({"d/p": "n1"});
    assert_eq!(table().judge_after(&q_waits, &waiting(&json!({"d/p": "n1"}))), Ok(vec!["C27"]));
    assert_eq!(table().judge_after(&q_waits, &waiting(&json!({}))), Err("upstream/held"));
}

#[test]
fn c64_has_pods_wait_for_a_gang_that_lost_all_its_pods() {
    let table = |on: Option<&str>| {
        let table = Table::new().feasible("n2").add("q", on);
        table.gang("x", 1, &["p"], &groups()).gang("y", 1, &["q"], &groups())
    };
    let mut outcome = waits("d/p", "n2");
    outcome["reasons"] = json!([{"code": "koordinator/gang-is-complete"}]);
    assert_eq!(table(None).judge(&outcome), Ok(vec!["C64"]));
    assert_eq!(table(Some("n1")).judge(&outcome), Err("upstream/permit"), "a pod of it runs");
}

#[test]
fn c61_plans_without_a_pod_whose_demands_are_not_judged() {
    let numa = "scheduling.koordinator.sh/numa-topology-spec";
    let table = |annotation: &str| {
        let table = rejecting(Table::new().add("q", None).add("r", None).plan("n1", &["d/v"]), &["d/q"]);
        let demands = |pod: &mut Value| match annotation {
            "devices" => pod["spec"]["containers"][0]["resources"]["requests"]["koordinator.sh/gpu-core"] = json!("1"),
            annotation => pod["metadata"]["annotations"] = json!({annotation: "{}"}),
        };
        let table = table.pod("n1", |node| node["status"]["allocatable"]["koordinator.sh/gpu-core"] = json!("101"));
        let table = table.gang("x", 2, &["p", "q", "r"], &json!({})).pod("r", demands);
        let found = table.then(|answer| answer.feasible = vec!["n1".to_owned()]);
        found.then(|answer| answer.feasible.clear())
    };
    let keeps = with_waiting(takes_v(), &["d/q"]);
    assert_eq!(table(numa).judge_after(&q_waits(), &keeps), Ok(vec!["C16"]));
    assert_eq!(table("devices").judge_after(&q_waits(), &keeps), Ok(vec!["C16"]));
    assert_eq!(table("another").judge_after(&q_waits(), &keeps), Err("upstream/held"), "`r` finds no node");
}

#[test]
fn c27_gives_up_what_the_other_gangs_hold() {
    let table = |mode: &str| {
        let mut loose = groups();
        loose["gang.scheduling.koordinator.sh/mode"] = json!("NonStrict");
        let mut other = groups();
        other["gang.scheduling.koordinator.sh/mode"] = json!(mode);
        Table::new().add("q", None).gang("x", 1, &["p"], &loose).gang("y", 1, &["q"], &other)
    };
    let gives_up = with_waiting(nothing(), &[]);
    assert_eq!(table("Strict").judge_after(&q_waits(), &gives_up), Ok(vec!["C27"]));
    assert_eq!(table("NonStrict").judge_after(&q_waits(), &gives_up), Err("upstream/held"));
}

#[test]
fn c28_refuses_pods_beyond_the_minimum() {
    let table = |annotations: &Value| {
        let table = Table::new().feasible("n2").add("q", None).add("r", None);
        table.gang("x", 1, &["p", "q"], annotations).gang("y", 1, &["r"], annotations)
    };
    let refused = with_waiting(because("Rejected", "gang-group-is-served-first"), &["d/q"]);
    assert_eq!(table(&groups()).judge_after(&q_waits(), &refused), Ok(vec!["C28"]));
    assert_eq!(table(&json!({})).judge_after(&q_waits(), &refused), Err("upstream/gang"));
}

#[test]
fn c25_does_nothing_for_a_gang_whose_pods_may_not_be_tried() {
    let gated = |pod: &mut Value| pod["spec"]["schedulingGates"] = json!([{"name": "held"}]);
    let foreign = |pod: &mut Value| pod["spec"]["schedulerName"] = json!("another-scheduler");
    let table = || Table::new().add("q", None).gang("x", 2, &["p", "q"], &json!({}));
    let refused = because("Unschedulable", "gang-is-complete");
    for change in [gated, foreign] {
        assert_eq!(table().feasible("n2").pod("q", change).judge(&refused), Ok(vec!["C25"]));
        assert_eq!(table().plan("n1", &["d/v"]).pod("q", change).judge(&refused), Ok(vec!["C25"]));
    }
    assert_eq!(table().feasible("n2").judge(&refused), Err("upstream/permit"));
    let fits = table()
        .pod("q", |pod| pod["spec"]["priority"] = json!(5))
        .plan("n1", &["d/v"])
        .then(|answer| answer.feasible = vec!["n1".to_owned()]);
    assert_eq!(fits.judge(&refused), Err("upstream/plan"));
}

#[test]
fn permit_lets_the_same_pods_go() {
    let table = |result: &str, released: &[&str]| {
        let released = released.iter().map(|pod| (*pod).to_owned()).collect();
        let permit = KoordinatorPermit { result: result.to_owned(), released };
        Table::new().add("q", None).feasible("n2").with(|answer| answer.permit = Some(permit))
    };
    let mut together = with_waiting(binds("d/p", "n2"), &[]);
    together["bound"]["d/q"] = json!("n1");
    assert_eq!(table("bind", &["d/q"]).judge_after(&q_waits(), &together), Ok(vec![]));
    assert_eq!(table("bind", &[]).judge_after(&q_waits(), &together), Err("upstream/permit"));
    assert_eq!(table("wait", &[]).judge_after(&q_waits(), &together), Err("upstream/permit"));
}

#[test]
fn c16_keeps_what_is_held_beside_a_plan() {
    let table = |rejected: &[&str]| {
        let table = rejecting(Table::new().add("q", None).plan("n1", &["d/v"]), rejected);
        table.then(|answer| answer.feasible = vec!["n1".to_owned()])
    };
    let keeps = with_waiting(takes_v(), &["d/q"]);
    assert_eq!(table(&["d/q"]).judge_after(&q_waits(), &keeps), Ok(vec!["C16"]));
    let mut vain = table(&["d/q"]);
    vain.answers.pop();
    assert_eq!(vain.judge_after(&q_waits(), &keeps), Err("upstream/held"), "the pod finds no node without the victims");
    assert_eq!(table(&[]).judge_after(&q_waits(), &with_waiting(takes_v(), &[])), Err("upstream/held"));
}

#[test]
fn c14_and_c45_keep_the_nomination_while_pods_leave() {
    let kept = |mut outcome: Value| {
        outcome["standing"] = json!({"d/p": "n1"});
        outcome
    };
    let waits = kept(because("Unschedulable", "last-plan-is-done"));
    let mut coming = kept(nothing());
    coming["reasons"] = json!([{"code": "engine/room-is-coming"}]);
    let table = || Table::new().nominated("p", "n1");
    assert_eq!(table().leaving("v").judge(&waits), Ok(vec!["C14"]));
    assert_eq!(table().leaving("v").judge(&coming), Ok(vec!["C45"]));
    assert_eq!(table().judge(&waits), Err("upstream/nominations"));
    assert_eq!(table().judge(&coming), Err("upstream/nominations"));
}

#[test]
fn c24_evicts_nobody_for_a_group_that_could_not_start() {
    let refused = because("Unschedulable", "gang-is-complete");
    let table = |minimum| {
        let table = Table::new().plan("n1", &["d/v"]).add("q", Some("n2"));
        let waiting = json!({"gang.scheduling.koordinator.sh/match-policy": "only-waiting"});
        table.gang("x", minimum, &["p", "q"], &waiting)
    };
    assert_eq!(table(2).judge(&refused), Ok(vec!["C24"]), "the bound pod does not count");
    assert_eq!(table(1).judge(&refused), Err("upstream/plan"));
}

#[test]
fn c23_keeps_the_nomination() {
    let mut held = with_waiting(because("Unschedulable", "its-room-is-not-held-at-permit"), &["d/q"]);
    held["standing"] = json!({"d/p": "n1"});
    let mut earlier = q_waits();
    earlier[0].1["standing"] = json!({"d/p": "n1"});
    let table = Table::new().add("q", None).nominated("p", "n1");
    assert_eq!(table.judge_after(&earlier, &held), Ok(vec!["C23"]));
    held["waiting"] = json!([]);
    assert_eq!(table.judge(&held), Err("upstream/nominations"));
}

#[test]
fn c27_ends_the_nominations_of_the_group() {
    let table = |mode: &str| {
        let mode = json!({"gang.scheduling.koordinator.sh/mode": mode});
        Table::new().add("q", None).nominated("q", "n1").gang("x", 2, &["p", "q"], &mode)
    };
    assert_eq!(table("Strict").judge(&nothing()), Ok(vec!["C27"]));
    assert_eq!(table("NonStrict").judge(&nothing()), Ok(vec!["C80"]), "no two of the gang find a node");
    let fits = table("NonStrict").pod("q", |pod| pod["spec"]["priority"] = json!(5));
    let fits = fits.then(|answer| answer.feasible = vec!["n1".to_owned()]);
    assert_eq!(fits.judge(&nothing()), Err("upstream/nominations"), "both could have one");
    assert_eq!(table("Strict").add("w", None).nominated("w", "n1").judge(&nothing()), Err("upstream/nominations"));
}

#[test]
fn c74_keeps_the_nodes_of_a_gang_whose_time_runs_out_while_its_plan_is_under_way() {
    let gang = Table::new().add("q", None).add("r", None).gang("x", 2, &["q", "r"], &json!({}));
    let table = gang.nominated("r", "n2").feasible("n1").then(|answer| answer.feasible.clear());
    let r_stands = json!({"d/r": "n2"});
    let q_waits = with_standing(waits("d/q", "n1"), &r_stands);
    let late = with_standing(nothing(), &r_stands);
    let judge =
        |table: &Table, late: &Value| table.judge_late(&[("d/q", q_waits.clone())], Some(late), &refuses(&r_stands));
    assert_eq!(judge(&table, &late), Ok(vec!["C74"]));
    assert_eq!(judge(&table, &with_waiting(late.clone(), &["d/q"])), Err("upstream/node"), "it waits still");
    let mut vain = table;
    vain.answers.pop();
    assert_eq!(judge(&vain, &late), Err("upstream/node"), "the node of `q` is not what the pod lacks");
}

#[test]
fn c74_keeps_no_node_of_a_gang_without_a_plan() {
    let gang = |table: Table| table.add("q", None).add("r", None).gang("x", 2, &["q", "r"], &json!({}));
    let none = gang(Table::new()).feasible("n1").then(|answer| answer.feasible.clear());
    assert_eq!(none.judge_late(&[("d/q", waits("d/q", "n1"))], Some(&nothing()), &nothing()), Err("upstream/node"));
}

/// Returns an outcome after which these nominations stand.
fn with_standing(mut outcome: Value, standing: &Value) -> Value {
    outcome["standing"] = standing.clone();
    outcome
}

#[test]
fn c45_keeps_what_a_gang_holds_while_its_room_comes() {
    let mut waits_on = with_waiting(nothing(), &["d/q"]);
    waits_on["reasons"] = json!([{"code": "engine/room-is-coming"}]);
    let gang = rejecting(Table::new().add("q", None).gang("x", 2, &["p", "q"], &json!({})), &["d/q"]);
    let table = gang.leaving("v").then(|answer| answer.feasible = vec!["n1".to_owned()]);
    assert_eq!(table.judge_after(&q_waits(), &waits_on), Ok(vec!["C45"]));
    let mut vain = table;
    vain.answers.pop();
    assert_eq!(vain.judge_after(&q_waits(), &waits_on), Err("upstream/held"), "no room comes");
}
