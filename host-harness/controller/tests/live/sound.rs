//! What others do in the middle of a plan. Each leads back to a sound state.

use kube::api::{DeleteParams, ListParams, Patch, PatchParams};
use serde_json::{Value, json};

use lictor_controller::decide::foreign::ExternalEvictionCause;
use lictor_controller::names::SCHEDULING_GATE;

use crate::controller::Controller;
use crate::support::objects::{api, create, delete_pod, evict, node, node_of, pods, wait_for};
use crate::systems::{refused, sized};
use crate::world::{SOON, World, is_gated, is_running, nominated};

/// Checks a pod whose node got another taint in the moment in which the pod lost its gate: kube-scheduler refuses the pod. That is reported. The
/// pod is deleted where a controller owns it, and the successor goes elsewhere; a pod without an owner stays.
pub async fn a_pod_that_was_let_go_and_is_refused(world: &World) {
    let step = world.step("refused", 3).await;
    // There is no kube-scheduler while the pods are let go, and the nodes are closed before it looks.
    world.testbed.command("stop kube-scheduler").await;
    let controller = Controller::start(&world.how("coscheduling"));
    // A pod of a ReplicaSet and one of a Job that allows no failure, held by our gate like each that these make.
    let mut spec = sized(
        "3",
        json!({"spec": {"priorityClassName": "low", "schedulingGates": [{"name": SCHEDULING_GATE}]}}),
    )["spec"]
        .clone();
    let metadata = json!({"labels": {"app": "o"}});
    let owner = |version: &str, kind: &str, spec: Value| {
        let metadata = json!({"name": "o", "namespace": step.namespace});
        json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec})
    };
    let set = json!({"replicas": 1, "selector": {"matchLabels": {"app": "o"}}, "template": {"metadata": metadata, "spec": spec}});
    create(&world.admin, &owner("apps/v1", "ReplicaSet", set)).await;
    spec["restartPolicy"] = json!("Never");
    let job = json!({"backoffLimit": 0, "template": {"spec": spec}});
    create(&world.admin, &owner("batch/v1", "Job", job)).await;
    let member = async |label: &str| {
        let all = pods(&world.admin, &step.namespace);
        let all = all.list(&ListParams::default().labels(label)).await.unwrap();
        all.items.into_iter().find(|pod| pod.metadata.deletion_timestamp.is_none())?.metadata.name
    };
    let owned = wait_for("the ReplicaSet makes a pod", SOON, async || member("app=o").await).await;
    let of_job = wait_for("the Job makes a pod", SOON, async || member("job-name=o").await).await;
    step.held("alone", "low", json!({})).await;
    for name in [&*owned, &of_job, "alone"] {
        step.until(name, "let go", |pod| pod.is_some_and(|pod| !is_gated(pod))).await;
    }
    for name in &step.nodes {
        close(world, name, true).await;
    }
    world.testbed.command("start kube-scheduler").await;
    step.until(&owned, "deleted", |pod| pod.is_none()).await;
    let said = async || controller.said(|said| said.refused.len() >= 4).then_some(());
    wait_for("the refusals are said", SOON, said).await;
    controller.said(|said| {
        let mut refused: Vec<(&str, bool)> =
            said.refused.iter().map(|(refusal, deleted)| (refusal.pod.name.as_str(), *deleted)).collect();
        refused.sort_unstable();
        // No pod of a Job is deleted: it would fail.
        let mut expected = [("alone", false), (&*of_job, false), (&*owned, false), (&*owned, true)];
        expected.sort_unstable();
        assert_eq!(refused, expected);
        assert!(said.refused[0].0.message.contains("nodes are available"), "{:?}", said.refused[0]);
    });
    step.until("alone", "said to have lost its room", |pod| pod.is_some_and(|pod| admitted(pod) == "RoomTaken")).await;
    // Its room is kept: when the node opens again it runs there.
    for name in &step.nodes {
        close(world, name, false).await;
    }
    let successor = wait_for("the ReplicaSet makes another", SOON, async || member("app=o").await).await;
    step.all_run(&["alone", &of_job, &successor]).await;
    step.until("alone", "said to be admitted again", |pod| pod.is_some_and(|pod| admitted(pod) == "Admitted")).await;
    for (version, kind) in [("apps/v1", "ReplicaSet"), ("batch/v1", "Job")] {
        api(&world.admin, version, kind, &step.namespace).delete("o", &DeleteParams::background()).await.unwrap();
    }
    controller.stop().await;
    step.end().await;
}

/// Returns the reason of our condition; empty where a pod has none.
pub fn admitted(pod: &Value) -> &str {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    let ours = conditions.into_iter().flatten().find(|it| it["type"] == "lictor.dev/Admitted");
    ours.and_then(|it| it["reason"].as_str()).unwrap_or_default()
}

async fn close(world: &World, node: &str, closed: bool) {
    let patch = Patch::Merge(json!({"spec": {"unschedulable": closed}}));
    api(&world.admin, "v1", "Node", "").patch(node, &PatchParams::default(), &patch).await.unwrap();
}

/// Checks that others may evict the victims first, and another pod with them.
pub async fn evictions_by_others(world: &World) {
    let step = world.step("foreign", 2).await;
    step.fill().await;
    for victim in ["v0", "v1"] {
        evict(&world.admin, &step.namespace, victim).await.unwrap();
    }
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &["g0", "g1"]).await;
    step.all_run(&["g0", "g1"]).await;
    assert_eq!(step.evicted().len(), 2, "nobody else was evicted: {:?}", step.evicted());
    evict(&world.admin, &step.namespace, "g1").await.unwrap();
    foreign(&controller, &format!("{}/g1", step.namespace), ExternalEvictionCause::EvictionApi).await;
    controller.stop().await;
    step.end().await;
}

/// Waits until it is said that others evict this pod, and no other.
async fn foreign(controller: &Controller, pod: &str, by: ExternalEvictionCause) {
    let said = async || controller.said(|said| !said.foreign.is_empty()).then_some(());
    wait_for("it is said who evicts it", SOON, said).await;
    controller.said(|said| {
        let all: Vec<_> = said.foreign.iter().map(|foreign| (foreign.pod.as_str(), foreign.by)).collect();
        assert_eq!(all, [(pod, by)]);
    });
}

/// Checks a pod whose capacity another pod takes after its gate is removed: kube-scheduler preempts by its own rules. That is reported and counted;
/// the pod runs.
pub async fn a_preemption_by_kube_scheduler(world: &World) {
    let step = world.step("stock", 1).await;
    world.testbed.command("stop kube-scheduler").await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.held("p", "high", json!({})).await;
    step.until("p", "let go", |pod| pod.is_some_and(|pod| !is_gated(pod))).await;
    step.create("thief", "low", json!({"spec": {"nodeName": step.nodes[0]}})).await;
    step.all_run(&["thief"]).await;
    world.testbed.command("start kube-scheduler").await;
    step.all_run(&["p"]).await;
    step.until("thief", "gone", |pod| pod.is_none()).await;
    foreign(&controller, &format!("{}/thief", step.namespace), ExternalEvictionCause::Scheduler).await;
    controller.said(|said| assert!(said.happened.victims.is_empty() && said.happened.plans.is_empty()));
    assert!(step.evicted().is_empty());
    // The books are right again: the room that is left is given to the next, and no more than that.
    step.held("q", "low", sized("1", json!({}))).await;
    step.held("r", "low", sized("1", json!({}))).await;
    step.all_run(&["q"]).await;
    refused(&step, &controller, "r").await;
    controller.stop().await;
    step.end().await;
}

/// Checks a node of a plan that vanishes while its victims leave; another node is added.
pub async fn a_node_that_vanishes(world: &World) {
    let mut step = world.step("vanishes", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &["g0", "g1"]).await;
    step.until("g0", "nominated", |pod| pod.is_some_and(|pod| !nominated(pod).is_empty())).await;
    step.delete_node(&step.nodes[0]).await;
    let other = format!("{}-x", step.nodes[0]);
    create(&world.admin, &node(&other, 4)).await;
    step.nodes.push(other.clone());
    step.all_run(&["g0", "g1"]).await;
    let mut on: Vec<String> = Vec::new();
    for name in ["g0", "g1"] {
        on.push(node_of(&step.pod(name).await.unwrap()).to_owned());
    }
    let mut expected = [other, step.nodes[1].clone()];
    on.sort();
    expected.sort();
    assert_eq!(on, expected);
    controller.stop().await;
    step.end().await;
}

/// Checks a quota that holds a pod back; when its maximum is raised the pod runs.
pub async fn a_quota_that_changes(world: &World) {
    let step = world.step("quota", 2).await;
    let quota = |max: &str| {
        json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
               "metadata": {"name": "team", "namespace": step.namespace}, "spec": {"min": {"cpu": "0"}, "max": {"cpu": max}}})
    };
    create(&world.admin, &quota("3")).await;
    let controller = Controller::start(&world.how("koordinator"));
    let of = json!({"metadata": {"labels": {"quota.scheduling.koordinator.sh/name": "team"}}});
    step.held("first", "low", of.clone()).await;
    step.all_run(&["first"]).await;
    step.held("second", "low", of).await;
    let refused = |said: &crate::controller::Said| {
        said.happened.attempts.iter().any(|attempt| attempt.pod.ends_with("/second") && attempt.node.is_none())
    };
    wait_for("the quota holds it back", SOON, async || controller.said(refused).then_some(())).await;
    assert!(is_gated(&step.pod("second").await.unwrap()));
    let quotas = api(&world.admin, "scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", &step.namespace);
    quotas.patch("team", &PatchParams::default(), &Patch::Merge(quota("6"))).await.unwrap();
    step.all_run(&["second"]).await;
    quotas.delete("team", &DeleteParams::default()).await.unwrap();
    controller.stop().await;
    step.end().await;
}

/// Checks a gang that is deleted while its victims leave: pods that have not been evicted stay, and no pod is nominated.
pub async fn a_job_that_is_deleted_half_way(world: &World) {
    let step = world.step("deleted", 3).await;
    step.fill().await;
    // The second half of the plan waits for a budget that forbids it.
    let budgets = step.budget("b", json!({"minAvailable": 2})).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &["g0", "g1", "g2"]).await;
    wait_for("the first victim is evicted", SOON, async || (!step.evicted().is_empty()).then_some(())).await;
    for name in ["g0", "g1", "g2"] {
        delete_pod(&world.admin, &step.namespace, name).await;
    }
    // It is by its watch that the controller learns of this. Before, an eviction that the budget allows would be right.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    // The wait is longer than the pause between two attempts: no pod is evicted for a gang that is gone.
    budgets.delete("b", &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    assert_eq!(step.evicted().len(), 1, "{:?}", step.evicted());
    let mut running = 0;
    for name in ["v0", "v1", "v2"] {
        running += usize::from(is_running(step.pod(name).await.as_ref()));
    }
    assert_eq!(running, 2);
    controller.stop().await;
    step.end().await;
}

/// Checks a member that is deleted and created again under its name, while the victims leave: the gang runs all the same.
pub async fn a_pod_that_is_created_again(world: &World) {
    let step = world.step("again", 2).await;
    step.fill().await;
    let controller = Controller::start(&world.how("coscheduling"));
    step.gang("g", &["g0", "g1"]).await;
    step.until("g0", "nominated", |pod| pod.is_some_and(|pod| !nominated(pod).is_empty())).await;
    let before: Value = step.pod("g0").await.unwrap();
    delete_pod(&world.admin, &step.namespace, "g0").await;
    step.until("g0", "gone", |pod| pod.is_none()).await;
    step.held("g0", "high", json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}})).await;
    step.all_run(&["g0", "g1"]).await;
    assert_ne!(step.pod("g0").await.unwrap()["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(step.evicted().len(), 2);
    controller.stop().await;
    step.end().await;
}
