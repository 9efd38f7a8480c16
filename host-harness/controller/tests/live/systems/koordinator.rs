//! Koordinator: quotas, jobs, reservations.

use kube::api::DeleteParams;
use lictor_controller::names::NOMINATED;
use serde_json::{Value, json};

use crate::controller::Controller;
use crate::support::objects::{api, create, merge, node_of, wait_for};
use crate::world::{SOON, World};

/// Lets a job within the minimum of its quota take back, as a whole, what another quota has borrowed. As `deploy/` ships it, the victims are
/// deleted.
pub async fn a_job_takes_back_what_its_quota_has_lent(world: &World) {
    let step = world.step("koordinator", 4).await;
    for (name, min) in [("team-a", "9"), ("team-b", "3")] {
        let quota = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
            "metadata": {"name": name, "namespace": step.namespace,
                         "labels": {"quota.scheduling.koordinator.sh/is-parent": "false"}},
            "spec": {"min": {"cpu": min, "memory": "1Ti"}, "max": {"cpu": "16", "memory": "1Ti"}}});
        create(&world.admin, &quota).await;
    }
    let of = |team: &str, preemptible: &str| json!({"quota.scheduling.koordinator.sh/name": team, "quota.scheduling.koordinator.sh/preemptible": preemptible});
    let controller = Controller::start(&world.shipped("koordinator"));
    let borrowers = ["b0", "b1", "b2", "b3"];
    for name in borrowers {
        step.held(name, "low", json!({"metadata": {"labels": of("team-b", "true")}})).await;
    }
    step.all_run(&borrowers).await;
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
                       "metadata": {"name": "job-a", "namespace": step.namespace}, "spec": {"minMember": 3}});
    create(&world.admin, &group).await;
    for name in ["a0", "a1", "a2"] {
        let labels = merge(of("team-a", "false"), &json!({"pod-group.scheduling.sigs.k8s.io": "job-a"}));
        step.held(name, "high", json!({"metadata": {"labels": labels}})).await;
    }
    step.all_run(&["a0", "a1", "a2"]).await;
    assert_eq!(step.evicted().len(), 3, "three are deleted, and no more: {:?}", step.evicted());
    controller.stop().await;
    step.end().await;
}

/// A node is put aside for pods that come later; then a more important reservation takes the place of that one. Each is placed by its
/// status, as Koordinator writes it, and its owner runs inside.
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
    super::refused(&step, &controller, "stranger").await;
    create(&world.admin, &reservation("more", "20")).await;
    let more = available("more").await;
    assert!(reservations.get_opt("less").await.unwrap().is_none(), "the lesser one is deleted");
    assert!(!more.metadata.annotations.unwrap_or_default().contains_key(NOMINATED), "its nomination is over");
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
