//! Koordinator: quotas, jobs, reservations.

use std::time::Duration;

use kube::api::DeleteParams;
use lictor_controller::decide::lives::GivenUpReason;
use lictor_controller::names::{EVICTED_FOR, NOMINATED_NODE};
use serde_json::{Value, json};

use super::{refused, sized};
use crate::controller::{Controller, How};
use crate::ends::note;
use crate::get::{free_address, get};
use crate::restart::killed;
use crate::support::objects::{api, create, delete_pod, merge, node, node_of, wait_for};
use crate::world::{SOON, Step, World, is_running, nominated};

/// Creates a quota of these cores at least and at most.
async fn quota(step: &Step<'_>, name: &str, [min, max]: [&str; 2]) {
    let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
        "metadata": {"name": name, "namespace": step.namespace,
                     "labels": {"quota.scheduling.koordinator.sh/is-parent": "false"}},
        "spec": {"min": {"cpu": min, "memory": "1Ti"}, "max": {"cpu": max, "memory": "1Ti"}}});
    create(&step.world.admin, &quota).await;
}

/// Creates the group of a gang of so many pods.
async fn group(step: &Step<'_>, name: &str, minimum: usize) {
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
                       "metadata": {"name": name, "namespace": step.namespace}, "spec": {"minMember": minimum}});
    create(&step.world.admin, &group).await;
}

/// Returns the labels of the pods of a quota, which may be evicted or not.
fn of(quota: &str, preemptible: &str) -> Value {
    json!({"quota.scheduling.koordinator.sh/name": quota, "quota.scheduling.koordinator.sh/preemptible": preemptible})
}

/// Creates the pods of a gang, of so many cores each, with these labels.
async fn gang(step: &Step<'_>, name: &str, members: &[&str], (class, cores): (&str, &str), labels: &Value) {
    group(step, name, members.len()).await;
    let labels = merge(labels.clone(), &json!({"pod-group.scheduling.sigs.k8s.io": name}));
    for member in members {
        step.held(member, class, sized(cores, json!({"metadata": {"labels": labels}}))).await;
    }
}

/// Evicts a gang for a gang of its quota that is guaranteed what it requests. By default the victims are only marked: when they have run on for a
/// while, that is reported; then they are deleted here, as by a descheduler.
pub async fn a_gang_evicts_a_gang_of_its_quota(world: &World) {
    let step = world.step_of("marks", 4, 16).await;
    quota(&step, "shared", ["32", "48"]).await;
    let address = free_address();
    let mut how = How { listen: Some(address), ..world.how("koordinator") };
    how.settings.victim_patience = Duration::from_secs(2);
    let controller = Controller::start(&how);
    let low = ["l0", "l1", "l2", "l3"];
    gang(&step, "low", &low, ("low", "12"), &of("shared", "true")).await;
    step.all_run(&low).await;
    let high = ["h0", "h1", "h2"];
    gang(&step, "high", &high, ("high", "10"), &of("shared", "false")).await;
    // Three nodes of 16 cores must lose the 12 of their pod: three times 10 fit into what the quota has at most with one pod of 12, not with two.
    let marked = async || {
        let mut marked = Vec::new();
        for name in low {
            let pod = step.pod(name).await?;
            marked.extend(pod["metadata"]["annotations"].get(EVICTED_FOR).map(|_| name));
        }
        (marked.len() == 3).then_some(marked)
    };
    let marked = wait_for("three victims are marked", SOON, marked).await;
    let overdue = async |count: usize| {
        let line = format!("lictor_overdue_victims {count}\n");
        let counted = async || get(address, "/metrics").contains(&line).then_some(());
        wait_for(&format!("{count} victims are overdue"), SOON, counted).await;
    };
    overdue(3).await;
    for name in &marked {
        let said = note(&step, name, "VictimStillRuns").await;
        assert!(said.starts_with("It is to be evicted (plan ") && said.contains(" and still runs: "), "{said}");
        assert!(said.contains("no controller deletes what is marked"), "{said}");
    }
    for name in &marked {
        assert_eq!(
            step.pod(name).await.unwrap()["metadata"]["labels"]["scheduling.koordinator.sh/soft-eviction"],
            "true"
        );
        delete_pod(&world.admin, &step.namespace, name).await;
    }
    step.all_run(&high).await;
    overdue(0).await;
    assert!(step.evicted().is_empty(), "another controller deletes what is marked");
    let stays = *low.iter().find(|name| !marked.contains(name)).unwrap();
    step.until(stays, "running without a mark", |pod| {
        is_running(pod) && pod.is_some_and(|pod| pod["metadata"]["annotations"].get(EVICTED_FOR).is_none())
    })
    .await;
    controller.stop().await;
    step.end().await;
}

/// Lets a job within the minimum of its quota take back, as a whole, what another quota has borrowed. As `deploy/` ships it, the victims are
/// deleted; `is_killed`: another controller takes over when the first victim is evicted.
pub async fn a_job_takes_back_what_its_quota_has_lent(world: &World, is_killed: bool) {
    let step = world.step("koordinator", 4).await;
    quota(&step, "team-a", ["9", "16"]).await;
    quota(&step, "team-b", ["3", "16"]).await;
    let how = world.shipped("koordinator");
    let mut controller = Controller::start(&how);
    let borrowers = ["b0", "b1", "b2", "b3"];
    for name in borrowers {
        step.held(name, "low", json!({"metadata": {"labels": of("team-b", "true")}})).await;
    }
    step.all_run(&borrowers).await;
    gang(&step, "job-a", &["a0", "a1", "a2"], ("high", "3"), &of("team-a", "false")).await;
    if is_killed {
        controller = killed(&step, controller, &how).await;
    }
    step.all_run(&["a0", "a1", "a2"]).await;
    assert_eq!(step.gone().await.len(), 3, "three are deleted, and no more: {:?}", step.gone().await);
    controller.stop().await;
    step.end().await;
}

/// Deletes the PodGroup when the plan is made: its promise in the quota is withdrawn, and a pod of the quota that did not fit with it runs.
pub async fn a_promise_in_a_quota_is_withdrawn(world: &World) {
    let step = world.step("promise", 3).await;
    // Of nine cores at most, six are promised to the gang and three are used by a pod that stays.
    quota(&step, "team", ["9", "9"]).await;
    quota(&step, "lends", ["0", "9"]).await;
    let mut how = world.how("koordinator");
    how.arguments = json!({"podShouldBeDeletedWhenPreempted": true}).to_string();
    let controller = Controller::start(&how);
    step.held("stays", "high", json!({"metadata": {"labels": of("team", "false")}})).await;
    step.all_run(&["stays"]).await;
    for name in ["v0", "v1"] {
        let metadata = json!({"labels": of("lends", "true"), "annotations": {"testbed.lictor.dev/stop-seconds": "3"}});
        step.held(name, "low", json!({"metadata": metadata})).await;
    }
    step.all_run(&["v0", "v1"]).await;
    gang(&step, "job", &["g0", "g1"], ("high", "3"), &of("team", "false")).await;
    wait_for("the victims are evicted", SOON, async || (step.evicted().len() == 2).then_some(())).await;
    // A node that is free, but not for the gang, is no use while the quota is promised.
    let free = format!("{}-free", step.namespace);
    let taint = json!({"key": "for", "value": "other", "effect": "NoSchedule"});
    create(&world.admin, &merge(node(&free, 4), &json!({"spec": {"taints": [taint]}}))).await;
    let tolerates = json!({"tolerations": [{"key": "for", "value": "other"}]});
    step.held("other", "high", json!({"metadata": {"labels": of("team", "false")}, "spec": tolerates})).await;
    refused(&step, &controller, "other").await;
    let groups = api(&world.admin, "scheduling.sigs.k8s.io/v1alpha1", "PodGroup", &step.namespace);
    groups.delete("job", &DeleteParams::default()).await.unwrap();
    step.all_run(&["other"]).await;
    assert_eq!(node_of(&step.pod("other").await.unwrap()), free);
    for name in ["g0", "g1"] {
        step.until(name, "not nominated", |pod| pod.is_some_and(|pod| nominated(pod).is_empty())).await;
    }
    controller.said(|said| {
        assert!(said.given_up.iter().any(|given_up| given_up.why == GivenUpReason::NotAdmitted), "{said:?}")
    });
    controller.stop().await;
    step.delete_node(&free).await;
    step.end().await;
}

/// Checks a node that is reserved for later pods; then a more important reservation preempts the first one. Each is placed by its status, as
/// Koordinator writes it, and its owner runs inside.
pub async fn a_reservation_preempts_a_reservation(world: &World) {
    let step = world.step("reserves", 1).await;
    let reservations = api(&world.admin, "scheduling.koordinator.sh/v1alpha1", "Reservation", "");
    let reservation = |name: &str, priority: &str| {
        let container = json!({"name": "main", "image": "none", "resources": {"requests": {"cpu": "3"}}});
        let template = json!({"metadata": {"namespace": step.namespace}, "spec": {"containers": [container]}});
        json!({"apiVersion": "scheduling.koordinator.sh/v1alpha1", "kind": "Reservation",
            "metadata": {"name": name, "labels": {
                "koordinator.sh/priority": priority, "scheduling.koordinator.sh/can-preempt": "true"}},
            "spec": {"template": template, "ttl": "24h", "owners": [{"labelSelector": {"matchLabels": {"app": name}}}]}})
    };
    let available = async |name: &str| {
        let there =
            async || reservations.get_opt(name).await.unwrap().filter(|it| it.data["status"]["phase"] == "Available");
        wait_for(&format!("the reservation {name} is available"), SOON, there).await
    };
    let mut how = world.how("koordinator");
    how.arguments = json!({"podShouldBeDeletedWhenPreempted": true}).to_string();
    let controller = Controller::start(&how);
    create(&world.admin, &reservation("less", "10")).await;
    let less = available("less").await;
    assert_eq!(less.data["status"]["nodeName"], step.nodes[0]);
    assert_eq!(less.data["status"]["allocatable"], json!({"cpu": "3"}));
    let kinds: Vec<&Value> =
        less.data["status"]["conditions"].as_array().unwrap().iter().map(|condition| &condition["type"]).collect();
    assert_eq!(kinds, ["Scheduled", "Ready"]);
    // What is put aside is not for others.
    step.held("stranger", "low", json!({})).await;
    refused(&step, &controller, "stranger").await;
    create(&world.admin, &reservation("more", "20")).await;
    let more = available("more").await;
    assert!(reservations.get_opt("less").await.unwrap().is_none(), "the lesser one is deleted");
    assert!(!more.metadata.annotations.unwrap_or_default().contains_key(NOMINATED_NODE), "its nomination is over");
    controller.said(|said| {
        let plans: Vec<_> = said.happened.plans.iter().map(|plan| (&plan.nominated, &plan.victims)).collect();
        let nominated = [("Reservation/more".to_owned(), step.nodes[0].clone())].into();
        assert_eq!(plans, [(&nominated, &["Reservation/less".to_owned()].into())]);
        assert!(said.happened.failed.is_empty(), "{:?}", said.happened.failed);
    });
    step.held("owner", "low", json!({"metadata": {"labels": {"app": "more"}}})).await;
    step.all_run(&["owner"]).await;
    let owner = step.pod("owner").await.unwrap();
    assert_eq!(node_of(&owner), step.nodes[0]);
    let inside = owner["metadata"]["annotations"]["scheduling.koordinator.sh/reservation-allocated"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(inside).unwrap()["name"], "more");
    reservations.delete("more", &DeleteParams::default()).await.unwrap();
    controller.stop().await;
    step.end().await;
}
