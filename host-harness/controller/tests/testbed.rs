//! The testbed and the observer themselves: a pod is bound by the stock kube-scheduler, runs, and stops; and what is wrong is noticed.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use std::time::Duration;

use serde_json::{Value, json};
use support::objects::{
    self, SOON, bind, create, create_namespace, evict, get_pod, node, node_of, phase_of, pod, wait_for,
};
use support::observer::{Observer, What};
use support::testbed::{FOLDER, Testbed, client};

/// Waits until a pod is as it should be.
async fn until(client: &kube::Client, namespace: &str, name: &str, what: &str, holds: impl Fn(Option<&Value>) -> bool) {
    let ask = async || holds(get_pod(client, namespace, name).await.as_ref()).then_some(());
    wait_for(&format!("{namespace}/{name} is {what}"), SOON, ask).await;
}

fn is_running(pod: Option<&Value>) -> bool {
    pod.is_some_and(|pod| phase_of(pod) == "Running")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_lives_and_the_observer_sees_what_is_wrong() {
    let crds = format!("{FOLDER}/crds");
    let Some(testbed) = Testbed::up(&["--manifests", &crds]) else { return };
    let admin = testbed.admin().await;
    for name in ["a", "b", "c"] {
        create(&admin, &node(name, 4)).await;
    }
    a_life(&testbed, &admin).await;
    kinds(&testbed, &admin).await;
    wrong_places(&testbed, &admin).await;
    faults(&testbed, &admin).await;
}

/// Checks a pod that is bound, runs and stops.
async fn a_life(testbed: &Testbed, admin: &kube::Client) {
    let observer = Observer::start(testbed).await;
    create_namespace(admin, "life").await;
    create(admin, &pod("life", "p", "2")).await;
    until(admin, "life", "p", "running", is_running).await;
    let node = node_of(&get_pod(admin, "life", "p").await.unwrap()).to_owned();
    assert!(["a", "b", "c"].contains(&node.as_str()), "{node}");
    objects::delete_pod(admin, "life", "p").await;
    until(admin, "life", "p", "gone", |pod| pod.is_none()).await;
    // A pod keeps its grace: this one says that it takes half a second of it.
    let slow = json!({"metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "0.5"}}});
    create(admin, &objects::merge(pod("life", "slow", "2"), &slow)).await;
    until(admin, "life", "slow", "running", is_running).await;
    objects::delete_pod(admin, "life", "slow").await;
    until(admin, "life", "slow", "gone", |pod| pod.is_none()).await;
    observer.catch_up().await;
    let (told, gone) =
        (observer.when("life/slow", What::Deleted).unwrap(), observer.when("life/slow", What::Gone).unwrap());
    let took = gone.duration_since(told);
    assert!(took > Duration::from_millis(400) && took < Duration::from_secs(5), "{took:?}");
    observer.finish().await;
}

/// One object of each kind that the systems read, those with a status with it.
const KINDS: &str = "
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2}, status: {phase: Pending}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: g}, spec: {min: {cpu: 3}}, status: {used: {cpu: 1}}}
---
{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2}, status: {phase: Pending}}
---
{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: ElasticQuota, metadata: {name: g}, spec: {min: {cpu: 3}}, status: {used: {cpu: 1}}}
---
{apiVersion: scheduling.koordinator.sh/v1alpha1, kind: Reservation, metadata: {name: g}, spec: {}, status: {phase: Available}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: g}, spec: {weight: 1}, status: {state: Open}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2}, status: {phase: Inqueue}}
---
{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: g}, spec: {queue: g}, status: {running: 1}}
---
{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: g}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}
";

/// Checks that the kinds of all systems are served, and Kubernetes' own PodGroups are in force: kube-scheduler waits for the whole gang.
async fn kinds(testbed: &Testbed, admin: &kube::Client) {
    testbed.apply(KINDS).await;
    for (version, kind, namespace, status) in [
        ("scheduling.x-k8s.io/v1alpha1", "PodGroup", "default", json!({"phase": "Pending"})),
        ("scheduling.x-k8s.io/v1alpha1", "ElasticQuota", "default", json!({"used": {"cpu": 1}})),
        ("scheduling.sigs.k8s.io/v1alpha1", "PodGroup", "default", json!({"phase": "Pending"})),
        ("scheduling.sigs.k8s.io/v1alpha1", "ElasticQuota", "default", json!({"used": {"cpu": 1}})),
        ("scheduling.koordinator.sh/v1alpha1", "Reservation", "", json!({"phase": "Available"})),
        ("scheduling.volcano.sh/v1beta1", "Queue", "", json!({"state": "Open"})),
        ("scheduling.volcano.sh/v1beta1", "PodGroup", "default", json!({"phase": "Inqueue"})),
        ("batch.volcano.sh/v1alpha1", "Job", "default", json!({"running": 1})),
    ] {
        let object = objects::api(admin, version, kind, namespace).get("g").await.unwrap();
        assert_eq!(object.data["status"], status, "{version} {kind}");
    }
    let member =
        |name| objects::merge(pod("default", name, "1"), &json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}}));
    create(admin, &member("m1")).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(node_of(&get_pod(admin, "default", "m1").await.unwrap()), "", "the gang is not whole");
    create(admin, &member("m2")).await;
    until(admin, "default", "m1", "running", is_running).await;
    until(admin, "default", "m2", "running", is_running).await;
}

/// Checks placements that kube-scheduler would never make, so the test makes them itself.
async fn wrong_places(testbed: &Testbed, admin: &kube::Client) {
    let observer = Observer::start(testbed).await;
    create_namespace(admin, "wrong").await;
    let elsewhere = json!({"spec": {"schedulerName": "nobody"}});
    for name in ["first", "second"] {
        create(admin, &objects::merge(pod("wrong", name, "3"), &elsewhere)).await;
        bind(admin, "wrong", name, "a").await.unwrap();
    }
    let picky = json!({"spec": {"schedulerName": "nobody", "nodeSelector": {"zone": "x"}}});
    create(admin, &objects::merge(pod("wrong", "picky", "0"), &picky)).await;
    bind(admin, "wrong", "picky", "b").await.unwrap();
    until(admin, "wrong", "picky", "running", is_running).await;
    // It has to be there still when it is evicted once more.
    let stay = json!({"spec": {"schedulerName": "nobody"}, "metadata": {"annotations": {"testbed.lictor.dev/stop-seconds": "2"}}});
    create(admin, &objects::merge(pod("wrong", "evicted", "0"), &stay)).await;
    bind(admin, "wrong", "evicted", "b").await.unwrap();
    for _ in 0..2 {
        evict(admin, "wrong", "evicted").await.unwrap();
    }
    let violations = observer.violations().await;
    let count = |part: &str| violations.iter().filter(|violation| violation.contains(part)).count();
    assert_eq!(count("a is overcommitted since wrong/second is there: cpu"), 1, "{violations:#?}");
    assert_eq!(count("wrong/picky is misplaced on b"), 1, "{violations:#?}");
    assert_eq!(count("wrong/evicted () was evicted 2 times"), 1, "{violations:#?}");
    assert_eq!(violations.len(), 3, "{violations:#?}");
}

/// Checks that the API server comes back after it was killed, and that the proxy fails the requests that it is to fail. A user may do only what its
/// roles grant.
async fn faults(testbed: &Testbed, admin: &kube::Client) {
    let observer = Observer::start(testbed).await;
    create_namespace(admin, "faults").await;
    testbed.command("restart kube-apiserver").await;
    create(admin, &pod("faults", "p", "1")).await;
    until(admin, "faults", "p", "running", is_running).await;
    let proxied = client(&testbed.ready.admin.proxy_kubeconfig).await;
    testbed.command("fail 409 verb=create path=/namespaces/faults/pods times=1").await;
    let refused = objects::try_create(&proxied, &pod("faults", "q", "1")).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 409), "{refused}");
    create(&proxied, &pod("faults", "q", "1")).await;
    assert_eq!(testbed.command("clear").await["hits"], json!({"1": 1}));
    let user = client(&testbed.ready.user.kubeconfig).await;
    let refused = objects::try_create(&user, &pod("faults", "r", "1")).await.unwrap_err();
    assert!(matches!(&refused, kube::Error::Api(status) if status.code == 403), "{refused}");
    observer.finish().await;
}
