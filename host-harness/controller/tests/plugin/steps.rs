//! What is tried.

use std::time::Duration;

use lictor_host::replace::ReplacementState;
use serde_json::{Value, json};

use crate::host::Host;
use crate::scheduler::Scheduler;
use crate::support::objects::{api, create, create_namespace, delete_pod, get_pod, merge, node_of, pod, wait_for};
use crate::support::observer::What;
use crate::world::{SOON, Step, World};

pub const GANG: [&str; 3] = ["g0", "g1", "g2"];

/// Creates a PodGroup of scheduler-plugins with that minimum.
pub async fn group(step: &Step<'_>, name: &str, minimum: u32) {
    let group = json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": step.namespace},
        "spec": {"minMember": minimum, "scheduleTimeoutSeconds": 20}});
    create(&step.world.admin, &group).await;
}

pub fn member(group: &str) -> Value {
    json!({"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": group}}})
}

/// Checks a gang that needs the capacity of three victims on three nodes: all victims are evicted, and the whole gang runs.
pub async fn a_gang_preempts_on_several_nodes(world: &World, scheduler: &Scheduler) {
    let step = world.step("gang", 3).await;
    let host = Host::start("coscheduling", &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    step.fill().await;
    group(&step, "g", 3).await;
    for name in GANG {
        step.create(name, "high", member("g")).await;
    }
    step.all_run(&GANG).await;
    step.observer.catch_up().await;
    let when = |pod: &str, what| step.observer.when(&format!("{}/{pod}", step.namespace), what).unwrap();
    let left = ["v0", "v1", "v2"].iter().map(|pod| when(pod, What::Gone)).max().unwrap();
    let bound = GANG.iter().map(|pod| when(pod, What::Bound)).max().unwrap();
    eprintln!("bound {:?} after the last victim had left", bound.saturating_duration_since(left));
    let plans = host.said(|said| said.happened.plans.clone());
    let victims: usize = plans.iter().map(|plan| plan.victims.len()).sum();
    assert_eq!(victims, 3, "{plans:?}");
    step.end().await;
    drop(running);
}

/// Checks a pod that does not fit its quota and waits until the quota has grown; pods of no quota pass.
pub async fn a_quota_holds_and_others_pass(world: &World, scheduler: &Scheduler) {
    let step = world.step("quota", 3).await;
    let host = Host::start("coscheduling", &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    let quota = |max: &str| {
        json!({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "ElasticQuota",
               "metadata": {"name": "q", "namespace": step.namespace},
               "spec": {"min": {"cpu": "3"}, "max": {"cpu": max}}})
    };
    create(&world.admin, &quota("3")).await;
    let elsewhere = format!("{}-other", step.namespace);
    create_namespace(&world.admin, &elsewhere).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    step.create("a", "low", json!({})).await;
    step.all_run(&["a"]).await;
    step.create("b", "low", json!({})).await;
    create(&world.admin, &pod(&elsewhere, "o", "1")).await;
    let said = wait_for("b is refused", SOON, async || message(step.pod("b").await.as_ref()?)).await;
    assert!(said.contains("quota") || said.contains("max"), "{said}");
    let runs = async || get_pod(&world.admin, &elsewhere, "o").await.filter(|pod| !node_of(pod).is_empty());
    wait_for("a pod of no quota runs", SOON, runs).await;
    assert_eq!(node_of(&step.pod("b").await.unwrap()), "");
    let larger = kube::api::Patch::Merge(json!({"spec": {"min": {"cpu": "6"}, "max": {"cpu": "6"}}}));
    let quotas = api(&world.admin, "scheduling.x-k8s.io/v1alpha1", "ElasticQuota", &step.namespace);
    quotas.patch("q", &kube::api::PatchParams::default(), &larger).await.unwrap();
    step.all_run(&["b"]).await;
    delete_pod(&world.admin, &elsewhere, "o").await;
    step.end().await;
    drop(running);
}

/// Creates a group of Kubernetes of three pods, and its pods.
pub async fn group_of_kubernetes(step: &Step<'_>) {
    let group = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": step.namespace},
        "spec": {"priorityClassName": "high", "schedulingPolicy": {"gang": {"minCount": 3}}}});
    create(&step.world.admin, &group).await;
    for name in GANG {
        step.create(name, "high", json!({"spec": {"schedulingGroup": {"podGroupName": "g"}}})).await;
    }
}

/// Checks that a group of Kubernetes itself goes through the cycle of groups: its plan is the policy's, and places the whole group at once.
pub async fn a_group_of_kubernetes_preempts(world: &World, scheduler: &Scheduler) {
    let step = world.step("group", 3).await;
    let host = Host::start("kubernetes", &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    step.fill().await;
    group_of_kubernetes(&step).await;
    step.all_run(&GANG).await;
    let plans = host.said(|said| said.happened.plans.clone());
    assert_eq!(plans.iter().map(|plan| plan.victims.len()).sum::<usize>(), 3, "{plans:?}");
    step.end().await;
    drop(running);
}

/// Returns why a pod is not scheduled, as its condition says.
pub fn message(pod: &Value) -> Option<String> {
    let conditions = pod.pointer("/status/conditions")?.as_array()?;
    let condition = conditions.iter().find(|it| it["type"] == "PodScheduled" && it["status"] == "False")?;
    Some(condition["message"].as_str()?.to_owned())
}

/// Replaces the policy while pods arrive, all of which run: no question fails, and kube-scheduler continues.
pub async fn a_policy_that_is_replaced(world: &World, scheduler: &Scheduler) {
    let step = world.step("replaced", 3).await;
    // A recording is of one policy.
    let host = Host::start_with("coscheduling", "", 0, &world.testbed.ready.folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    create(&world.admin, &pod(&step.namespace, "first", "50m")).await;
    step.all_run(&["first"]).await;
    host.replace();
    let mut names = Vec::new();
    let is_done = || host.said(|said| said.states.iter().any(|state| state.is_final()));
    while !is_done() && names.len() < 150 {
        let name = format!("p{}", names.len());
        create(&world.admin, &pod(&step.namespace, &name, "50m")).await;
        names.push(name);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    wait_for("it has taken over for good", SOON, async || is_done().then_some(())).await;
    step.all_run(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    host.said(|said| {
        assert_eq!(said.states.last(), Some(&ReplacementState::Done), "{:?}", said.states);
        assert!(said.errors.is_empty(), "{:?}", said.errors);
    });
    step.end().await;
    drop(running);
}

/// Checks a host that is killed: pods that need its answers wait, and nothing of a gang is bound; with the next host the whole gang is.
pub async fn a_host_that_is_killed(world: &World, scheduler: &Scheduler) {
    let step = world.step("killed", 3).await;
    let folder = &world.testbed.ready.folder;
    let host = Host::start("coscheduling", folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    create(&world.admin, &pod(&step.namespace, "first", "100m")).await;
    step.all_run(&["first"]).await;
    group(&step, "g", 3).await;
    for name in ["g0", "g1"] {
        step.create(name, "high", member("g")).await;
    }
    drop(host);
    step.create("g2", "high", member("g")).await;
    let said = async || message(step.pod("g2").await.as_ref()?).filter(|said| said.contains("not there"));
    wait_for("it waits for the host", SOON, said).await;
    for name in GANG {
        assert_eq!(node_of(&step.pod(name).await.unwrap()), "");
    }
    let host = Host::start("coscheduling", folder);
    step.all_run(&GANG).await;
    assert!(host.said(|said| said.errors.is_empty()));
    drop(host);
    // Killed again and again while pods come.
    let names: Vec<String> = (0..24).map(|place| format!("p{place}")).collect();
    for some in names.chunks(8) {
        let host = Host::start("coscheduling", folder);
        for name in some {
            create(&world.admin, &pod(&step.namespace, name, "100m")).await;
        }
        drop(host);
    }
    let host = Host::start("coscheduling", folder);
    step.all_run(&names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    step.end().await;
    drop((running, host));
}

/// Hosts are killed again and again, sooner or later, while pods preempt: each of them runs in the end, and exactly as many victims left.
pub async fn hosts_are_killed_while_pods_preempt(world: &World, scheduler: &Scheduler) {
    const PREEMPTORS: [&str; 6] = ["p0", "p1", "p2", "p3", "p4", "p5"];
    let step = world.step("preempting", 9).await;
    let folder = &world.testbed.ready.folder;
    let host = Host::start("kubernetes", folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    step.fill().await;
    drop(host);
    for (place, name) in (0..).zip(PREEMPTORS) {
        let host = Host::start("kubernetes", folder);
        wait_for("a scheduler is connected", SOON, async || host.is_connected().then_some(())).await;
        step.create(name, "high", json!({})).await;
        tokio::time::sleep(Duration::from_millis(place * 10)).await;
        drop(host);
    }
    let host = Host::start("kubernetes", folder);
    step.all_run(&PREEMPTORS).await;
    let mut stay = 0;
    for place in 0..step.nodes.len() {
        let victim = step.pod(&format!("v{place}")).await;
        stay += usize::from(victim.is_some_and(|pod| pod.pointer("/metadata/deletionTimestamp").is_none()));
    }
    assert_eq!(stay, step.nodes.len() - PREEMPTORS.len());
    host.said(|said| assert!(said.errors.is_empty(), "{:?}", said.errors));
    step.end().await;
    drop((running, host));
}

/// Kills the host while two members hold their nodes at Permit: they lose their nodes, and nothing of the gang is bound. The next host finds them
/// waiting for nodes again, and the whole gang is bound when the third member has arrived. A strict gang would hold no node without that member.
pub async fn a_gang_waits_at_permit_when_the_host_is_killed(world: &World, scheduler: &Scheduler) {
    let step = world.step("permit", 3).await;
    let folder = &world.testbed.ready.folder;
    let host = Host::start("koordinator", folder);
    let running = scheduler.start(&world.testbed.ready, &host.socket);
    let mode = json!({"gang.scheduling.koordinator.sh/mode": "NonStrict"});
    let group = json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": step.namespace, "annotations": mode}, "spec": {"minMember": 3}});
    create(&world.admin, &group).await;
    let member = json!({"metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}}});
    // The third member is there, and not tried.
    let elsewhere = json!({"spec": {"schedulerName": "another"}});
    for (name, fields) in GANG.into_iter().zip([json!({}), json!({}), elsewhere]) {
        step.create(name, "low", merge(member.clone(), &fields)).await;
    }
    let waits = async || host.said(|said| (said.waiting.len() == 2).then(|| said.waiting.clone()));
    let waiting = wait_for("two members wait at Permit", SOON, waits).await;
    drop(host);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let host = Host::start("koordinator", folder);
    let again = async || host.said(|said| (said.waiting.len() == 2).then_some(()));
    wait_for("two members wait at Permit again", SOON, again).await;
    for name in GANG {
        assert_eq!(node_of(&step.pod(name).await.unwrap()), "", "{waiting:?}");
    }
    delete_pod(&world.admin, &step.namespace, "g2").await;
    step.until("g2", "gone", |pod| pod.is_none()).await;
    step.create("g2", "low", member).await;
    step.all_run(&GANG).await;
    host.said(|said| assert!(said.errors.is_empty(), "{:?}", said.errors));
    step.end().await;
    drop((running, host));
}
