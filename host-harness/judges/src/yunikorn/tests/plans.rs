//! Plans of the policy that no ruling explains, and pods that it does not try.

use serde_json::{Value, json};

use super::{Table, nothing, takes_v, vcore};
use crate::yunikorn::answer::{Amounts, JudgedAttempt, YunikornResult};

/// Returns a cluster in which ruling D3 explains that only the policy evicts `d/v`.
fn smaller() -> Table {
    Table::new()
        .guaranteed("root.a", 9000)
        .known("d/v", |pod| pod.uses = vcore(500))
        .known("d/p", |pod| pod.uses = vcore(500))
        .with(|answer| answer.why = "Preemption helped but short of resources".to_owned())
}

#[test]
fn no_ruling_explains_victims_that_are_no_candidates() {
    assert!(smaller().judge(&takes_v()).is_ok_and(|ids| ids.contains(&"D3")));
    let spared = smaller().with(|answer| answer.candidates.retain(|name| name != "d/v"));
    assert_eq!(spared.judge(&takes_v()), Err("upstream/plan"));
}

#[test]
fn no_ruling_explains_a_plan_beside_a_better_one() {
    let judged = |table: Table| table.judge(&takes_v());
    let opted_out = || smaller().known("d/v", |pod| pod.opted_out = true);
    assert_eq!(judged(opted_out()), Err("upstream/plan"), "`d/w` did not opt out");
    assert_eq!(judged(smaller().known("d/v", |pod| pod.priority = 1)), Err("upstream/plan"), "`d/w` is less important");
    assert!(judged(held_by_w(500)).is_err(), "`d/w` did not opt out, and makes the room");
    assert!(judged(held_by_w(400)).is_ok(), "`d/w` does not make the room");
    // The better plan is none: it breaks law 2.
    let guaranteed = opted_out().known("d/w", |pod| pod.queue = "root.c".to_owned()).guaranteed("root.c", 1000);
    let guaranteed = guaranteed.with(|answer| drop(answer.usage.insert("root.c".to_owned(), vcore(1000))));
    assert!(judged(guaranteed).is_ok());
    let other_node = opted_out().pod("w", |pod| pod["spec"]["nodeName"] = json!("n3"));
    assert!(judged(other_node).is_ok(), "the node has no place in the answer");
}

/// Returns the cluster in which `d/w` uses so much, and `d/v` opted out.
fn held_by_w(uses: i64) -> Table {
    smaller().known("d/w", move |pod| pod.uses = vcore(uses)).known("d/v", |pod| pod.opted_out = true)
}

/// Returns the outcome of a pod that is not tried.
fn turned_down() -> Value {
    let mut outcome = nothing();
    outcome["result"] = json!("Rejected");
    outcome
}

#[test]
fn a_pod_that_the_policy_does_not_try_is_explained_by_what_it_demands() {
    let bound = || {
        Table::new()
            .upstream(YunikornResult::Bound, "n2", &[])
            .with(|answer| answer.legal_nodes = vec!["n2".to_owned()])
    };
    assert_eq!(bound().judge(&turned_down()), Err("upstream/node"));
    let groups = |style: &'static str| {
        bound().pod("p", move |pod| {
            pod["metadata"]["annotations"] = json!({"yunikorn.apache.org/task-groups": "[]",
                "yunikorn.apache.org/schedulingPolicyParameters": format!("gangSchedulingStyle={style}")});
        })
    };
    assert_eq!(groups("Hard").judge(&turned_down()), Ok(vec!["D27"]));
    assert_eq!(groups("Hard").judge(&nothing()), Err("upstream/node"), "the policy tried it");
    assert_eq!(groups("Soft").judge(&turned_down()), Err("upstream/node"));
    let requests = |resource: &'static str, amount| {
        bound().known("d/p", move |pod| {
            pod.uses.insert(resource.to_owned(), amount);
        })
    };
    let on = |mut table: Table, name: &str, resource: &str, amount: &str| {
        let object = table.objects.iter_mut().find(|object| object["metadata"]["name"] == name).unwrap();
        let resources = match object.pointer_mut("/status/allocatable") {
            Some(allocatable) => allocatable,
            None => object.pointer_mut("/spec/containers/0/resources/requests").unwrap(),
        };
        resources[resource] = json!(amount);
        table
    };
    let (percent, whole) = ("koordinator.sh/gpu-core", "nvidia.com/gpu");
    assert_eq!(requests("nvidia.com/gpumem", 4).judge(&turned_down()), Ok(vec!["D33"]));
    assert_eq!(requests(percent, 50).judge(&turned_down()), Err("upstream/node"), "no node has several");
    assert_eq!(on(requests(percent, 50), "n2", percent, "200").judge(&turned_down()), Ok(vec!["D33"]));
    assert_eq!(on(requests(percent, 100), "n1", percent, "200").judge(&turned_down()), Err("upstream/node"));
    let held = on(on(requests(percent, 100), "n1", percent, "200"), "v", percent, "50");
    assert_eq!(held.judge(&turned_down()), Ok(vec!["D33"]));
    let twice = |table| on(on(table, "n1", percent, "100"), "n1", whole, "1");
    assert_eq!(twice(requests(whole, 1)).judge(&turned_down()), Err("upstream/node"));
    assert_eq!(on(twice(requests(whole, 1)), "v", percent, "100").judge(&turned_down()), Ok(vec!["D33"]));
    assert_eq!(on(twice(requests(percent, 100)), "v", whole, "1").judge(&turned_down()), Ok(vec!["D33"]));
    let both = requests(whole, 1).known("d/p", |pod| {
        pod.uses.insert(percent.to_owned(), 100);
    });
    assert_eq!(twice(both).judge(&turned_down()), Ok(vec!["D33"]));
}

#[test]
fn large_candidates_anywhere_end_the_search_where_a_node_has_room() {
    let full = |answer: &mut JudgedAttempt| {
        answer.max.insert("root.q".to_owned(), vcore(3000));
        answer.usage.insert("root.q".to_owned(), vcore(3000));
    };
    let table = |free: i64| {
        let table = Table::new().guaranteed("root.q.a", 1000).with(full);
        let table = ["d/p", "d/v", "d/w"].into_iter().fold(table, |table, name| {
            table.known(name, move |pod| pod.queue = if name == "d/p" { "root.q.a" } else { "root.q.b" }.to_owned())
        });
        let table =
            table.pod("w", |pod| pod["spec"]["nodeName"] = json!("n2")).known("d/w", |pod| pod.uses = vcore(2000));
        table.with(|answer| drop(answer.free.insert("n2".to_owned(), vcore(free))))
    };
    assert!(table(1000).judge(&takes_v()).is_ok_and(|ids| ids == ["D5"]));
    assert_eq!(table(999).judge(&takes_v()), Err("upstream/plan"));
}

#[test]
fn d34_takes_the_pods_that_make_the_room() {
    let with_gpu = |mut amounts: Amounts, gpus: i64| {
        amounts.insert("nvidia.com/gpu".to_owned(), gpus);
        amounts
    };
    let table = |created: &'static str, guaranteed: i64| {
        let table = Table::new().guaranteed("root.b", guaranteed);
        let table = table.pod("v", |pod| pod["metadata"]["creationTimestamp"] = json!("1970-01-01T00:00:02Z"));
        let table = table.pod("w", move |pod| pod["metadata"]["creationTimestamp"] = json!(created));
        let table = table.with(|answer| drop(answer.guaranteed.insert("root.a".to_owned(), with_gpu(vcore(9000), 9))));
        ["d/p", "d/v"].into_iter().fold(table, |table, pod| table.known(pod, |pod| pod.uses = with_gpu(vcore(1000), 1)))
    };
    assert_eq!(table("1970-01-01T00:00:03Z", 1000).judge(&takes_v()), Ok(vec!["D34"]));
    assert_eq!(table("1970-01-01T00:00:01Z", 1000).judge(&takes_v()), Err("upstream/plan"), "`d/v` is the youngest");
    assert_eq!(table("1970-01-01T00:00:03Z", 0).judge(&takes_v()), Err("upstream/plan"), "the queue gives both");
}
