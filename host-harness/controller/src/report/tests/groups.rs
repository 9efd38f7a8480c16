//! Conditions of PodGroups.
#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use serde_json::{Value, json};

use super::*;

/// Returns the conditions that are written to a group with one pod, when the pod has the results of these steps.
fn group(api: &str, status: Value, steps: &[StepOutput]) -> Vec<Value> {
    let mut cluster = Cluster::with(&["a"]);
    let mut group = subject(api, "PodGroup", "team", "g");
    (group.status, group.generation) = (status, Some(3));
    cluster.groups.insert("team/a".to_owned(), group.name.clone());
    cluster.add(group);
    let mut reporter = reporter(ReportMode::Enforce, "volcano");
    let mut now = NOW;
    let mut written = Vec::new();
    for step in steps {
        reporter.step(now, step, &cluster);
        now += 2 * SECOND;
        let of_group = reporter.due(now, &cluster).into_iter().filter(|write| write.resource.plural == "podgroups");
        written.extend(of_group.map(|write| match write.change {
            WriteOperation::Status(body) | WriteOperation::StrategicStatus(body) => {
                body["status"]["conditions"].clone()
            }
            other => panic!("{other:?}"),
        }));
    }
    written
}

#[test]
fn a_pod_group_of_kubernetes_is_told_why_it_waits_and_a_true_condition_stays() {
    let told = group("scheduling.k8s.io", json!({}), &[refused("a", "a/b", 4), bound("a")]);
    assert_eq!(told.len(), 1, "kube-scheduler writes that it is scheduled: {told:?}");
    let condition = &told[0][0];
    assert_eq!(condition["type"], "PodGroupInitiallyScheduled");
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("Unschedulable")));
    assert_eq!((&condition["observedGeneration"], &condition["message"]), (&json!(3), &json!("a/b: free 4")));
    let scheduled = json!({"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True"}]});
    assert_eq!(group("scheduling.k8s.io", scheduled, &[refused("a", "a/b", 4)]), Vec::<Value>::new());
}

#[test]
fn a_pod_group_of_volcano_has_volcanos_conditions_and_keeps_the_others() {
    let before =
        json!({"conditions": [{"type": "Other", "status": "True"}, {"type": "Unschedulable", "status": "False"}]});
    let told = group("scheduling.volcano.sh", before, &[refused("a", "a/b", 4), bound("a")]);
    assert_eq!(told.len(), 2);
    let kinds = |told: &Value| told.as_array().unwrap().iter().map(|it| it["type"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&told[0]), ["Other", "Unschedulable"]);
    assert_eq!((&told[0][1]["status"], &told[0][1]["reason"]), (&json!("True"), &json!("NotEnoughResources")));
    assert_eq!(told[1][2]["reason"], "tasks in gang are ready to be scheduled");
}

#[test]
fn the_groups_of_scheduler_plugins_are_left_to_their_controller() {
    assert_eq!(group("scheduling.x-k8s.io", json!({}), &[refused("a", "a/b", 4), bound("a")]), Vec::<Value>::new());
}

#[test]
fn volcanos_groups_enter_the_queue_at_once() {
    let reporter = reporter(ReportMode::Enforce, "volcano");
    let mut group = subject("scheduling.volcano.sh", "PodGroup", "team", "g");
    group.status = json!({"phase": "Pending"});
    let Some(ApiWrite { change: WriteOperation::Status(body), .. }) = reporter.group_changed(&group) else { panic!() };
    assert_eq!(body["status"], json!({"phase": "Inqueue"}));
    group.status = json!({"phase": "Running"});
    assert_eq!(reporter.group_changed(&group), None);
    assert_eq!(reporter.group_changed(&subject("scheduling.k8s.io", "PodGroup", "team", "g")), None);
}

/// Returns the status that is written to a group of Volcano that needs two pods and has this status, with these numbers of pods bound, running,
/// succeeded and failed.
fn phase(status: Value, [bound, running, succeeded, failed]: [usize; 4], waits: bool) -> Option<Value> {
    let mut cluster = Cluster::with(&["a"]);
    let mut group = subject("scheduling.volcano.sh", "PodGroup", "team", "g");
    (group.status, group.minimum) = (status, 2);
    cluster.groups.insert("team/a".to_owned(), group.name.clone());
    cluster.add(group);
    let mut reporter = reporter(ReportMode::Enforce, "volcano");
    if waits {
        reporter.step(NOW, &refused("a", "a/b", 4), &cluster);
        reporter.due(NOW + 2 * SECOND, &cluster);
    }
    cluster.members = MemberCounts { bound, running, succeeded, failed };
    let written = reporter.accounts(NOW, &[], &[], &cluster);
    written.into_iter().next().map(|write| match write.change {
        WriteOperation::Status(body) => body["status"].clone(),
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_group_of_volcano_has_the_phase_and_the_counts_that_its_pods_make() {
    let status = |phase: &str, running: u32| json!({"phase": phase, "running": running});
    // The minimum has nodes, running or not.
    assert_eq!(phase(json!({"phase": "Inqueue"}), [1, 1, 0, 0], false), Some(status("Running", 1)));
    assert_eq!(phase(status("Running", 1), [1, 1, 0, 0], false), None, "nothing has changed");
    assert_eq!(
        phase(json!({"phase": "Inqueue"}), [1, 0, 0, 0], false),
        None,
        "below the minimum it stays in the queue"
    );
    // All that had nodes have ended.
    let completed = json!({"phase": "Completed", "running": 0, "succeeded": 1, "failed": 1});
    assert_eq!(phase(status("Running", 2), [0, 0, 1, 1], false), Some(completed));
    assert_eq!(phase(status("Running", 2), [0, 1, 0, 0], false), Some(status("Pending", 1)), "it has lost a pod");
    assert_eq!(phase(status("Running", 2), [0, 1, 0, 0], true), Some(status("Unknown", 1)), "and finds no room");
}

#[test]
fn a_gang_of_volcano_that_has_its_minimum_is_scheduled_though_an_elastic_pod_waits() {
    let mut groups = GroupConditions::default();
    let mut group = subject("scheduling.volcano.sh", "PodGroup", "team", "g");
    group.minimum = 2;
    let told = refusal::of(&refused("a", "a/b", 4)).remove("team/a").unwrap();
    let ready = MemberCounts { running: 2, ..MemberCounts::default() };
    let Some(ApiWrite { change: WriteOperation::Status(body), .. }) = groups.member(&group, &told, ready, NOW) else {
        panic!()
    };
    assert_eq!(body["status"]["conditions"][0]["type"], "Scheduled");
    let waits = MemberCounts { running: 1, ..MemberCounts::default() };
    let Some(ApiWrite { change: WriteOperation::Status(body), .. }) = groups.member(&group, &told, waits, NOW) else {
        panic!()
    };
    assert_eq!(body["status"]["conditions"][0]["type"], "Unschedulable");
}

#[test]
fn the_group_of_a_pod_is_found_where_each_system_names_it() {
    for (pod, group) in [
        (json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}}), "scheduling.k8s.io"),
        (json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}}), "scheduling.x-k8s.io"),
        (json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}}), "scheduling.sigs.k8s.io"),
        (json!({"metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}}), "scheduling.volcano.sh"),
    ] {
        let name = group_of(&pod).unwrap();
        assert_eq!((&*name.group, &*name.name, &*name.namespace), (group, "g", "default"));
    }
    assert_eq!(group_of(&json!({"metadata": {"name": "a"}})), None);
}

#[test]
fn groups_that_are_gone_are_forgotten_and_another_one_of_the_name_has_no_condition_yet() {
    let mut reporter = reporter(ReportMode::Enforce, "volcano");
    let mut now = NOW;
    // A thousand jobs come and go.
    for place in 0..1_000 {
        let mut cluster = Cluster::with(&["a"]);
        cluster.members = MemberCounts { running: 1, ..MemberCounts::default() };
        let group = subject("scheduling.volcano.sh", "PodGroup", "team", &format!("g{place}"));
        cluster.groups.insert("team/a".to_owned(), group.name.clone());
        cluster.add(group.clone());
        reporter.step(now, &refused("a", "a/b", 4), &cluster);
        now += 2 * SECOND;
        let is_group = |write: &ApiWrite| write.resource.plural == "podgroups";
        assert_eq!(reporter.due(now, &cluster).into_iter().filter(is_group).count(), 1);
        assert!(!reporter.accounts(now, &[], &[], &cluster).is_empty(), "the phase of the group");
        reporter.forget("team/a");
        reporter.forget_object(&group.name);
    }
    assert_eq!((reporter.groups.len(), reporter.last_quota_writes.len()), (0, 0));
    assert!(reporter.pending_evictions.is_empty() && reporter.writes.is_empty());
}
