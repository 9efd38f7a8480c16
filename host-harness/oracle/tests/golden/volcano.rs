//! Volcano: `pkg/scheduler/plugins/capacity/capacity_test.go`, the numbered cases without hierarchy, and the one of a closed queue.

use serde_json::{Value, json};

use super::{Golden, cycle, node, pod, reclaims, set};

pub(super) fn amounts(cpu: &str, memory: &str) -> Value {
    json!({"cpu": cpu, "memory": memory})
}

pub(super) fn queue(name: &str, deserved: Option<Value>, capability: Option<Value>) -> Value {
    let mut spec = json!({"weight": 1});
    for (key, amounts) in [("deserved", deserved), ("capability", capability)] {
        amounts.into_iter().for_each(|amounts| set(&mut spec, "", key, amounts));
    }
    json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}, "spec": spec,
        "status": {"state": "Open"}})
}

/// Returns the PodGroup of one job, and its pods: name, requests, node.
pub(super) fn job(name: &str, queue: &str, pods: &[(&str, Value, Option<&str>)]) -> Vec<Value> {
    let phase = if pods.iter().any(|(.., on)| on.is_some()) { "Running" } else { "Inqueue" };
    let group = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"}, "spec": {"queue": queue, "minMember": 1},
        "status": {"phase": phase}});
    let member = |(pod_name, requests, on): &(&str, Value, Option<&str>)| {
        let mut object = pod(pod_name, requests.clone(), 0, *on);
        set(&mut object, "/metadata/annotations", "scheduling.k8s.io/group-name", json!(name));
        set(&mut object, "/spec", "schedulerName", json!("volcano"));
        object
    };
    std::iter::once(group).chain(pods.iter().map(member)).collect()
}

/// Returns the same objects with a pod that is not preemptable.
pub(super) fn keeping(mut objects: Vec<Value>, name: &str) -> Vec<Value> {
    let kept = objects.iter_mut().find(|object| object["kind"] == "Pod" && object["metadata"]["name"] == name);
    kept.into_iter().for_each(|pod| set(pod, "/metadata/annotations", "volcano.sh/preemptable", json!("false")));
    objects
}

/// Returns nodes `n1` and `n2` of 2 cpu and 4Gi, and these objects.
fn two_nodes(parts: Vec<Vec<Value>>) -> Golden {
    let mut objects: Vec<Value> = ["n1", "n2"].map(|name| node(name, amounts("2", "4Gi"))).to_vec();
    objects.extend(parts.concat());
    Golden::cycle(objects)
}

/// Returns node `n1` of 2 cpu and 4Gi, and these objects.
fn one_node(parts: Vec<Vec<Value>>) -> Golden {
    let mut objects = vec![node("n1", amounts("2", "4Gi"))];
    objects.extend(parts.concat());
    Golden::cycle(objects)
}

#[test]
fn a_queue_allocates_up_to_its_capability() {
    let one = || amounts("1", "1Gi");
    let with = |capability: Value| {
        two_nodes(vec![
            vec![queue("q", None, Some(capability))],
            job("pg1", "q", &[("p1", one(), Some("n1"))]),
            job("pg2", "q", &[("p2", one(), None)]),
        ])
    };
    let bound = || cycle(&[("default/p2", "n1")]);
    with(amounts("2", "2Gi")).holds(
        "case0: Pod allocatable when queue has not exceed capability",
        bound(),
        &[("idle-room-is-used", cycle(&[]))],
    );
    with(json!({"cpu": "1500m", "memory": "1536Mi"})).holds(
        "case1: Pod not allocatable when queue exceed queue capability",
        cycle(&[]),
        &[("queue-fits-capability", bound())],
    );
}

#[test]
fn a_queue_reclaims_while_it_has_less_than_it_deserves() {
    let large = || amounts("2", "4Gi");
    let objects = vec![
        vec![queue("q3", Some(large()), None), queue("q4", Some(large()), None)],
        keeping(job("pg5", "q3", &[("p5", large(), Some("n1")), ("p6", large(), Some("n2"))]), "p5"),
        job("pg6", "q4", &[("p7", large(), None)]),
    ];
    two_nodes(objects).holds(
        "case2: Can reclaim from other queues when allocated < deserved",
        reclaims("default/p7", "n2", &["default/p6"]),
        &[
            ("victim-is-eligible", reclaims("default/p7", "n1", &["default/p5"])),
            ("victim-is-eligible", reclaims("default/p7", "n2", &["default/p5", "default/p6"])),
        ],
    );
}

#[test]
fn a_resource_that_is_not_requested_does_not_count() {
    let (gpus, deserved) =
        (|| json!({"nvidia.com/A100": "10"}), || json!({"cpu": "2", "memory": "4Gi", "nvidia.com/A100": "10"}));
    let running = |pods: &[(&str, Value, Option<&str>)], group: &str, queue: &str| job(group, queue, pods);
    let objects = [
        vec![node("n3", deserved()), node("n4", deserved())],
        vec![queue("q5", Some(deserved()), None), queue("q6", Some(deserved()), None)],
        keeping(running(&[("p8", gpus(), Some("n3")), ("p9", gpus(), Some("n4"))], "pg7", "q5"), "p8"),
        running(&[("p10", amounts("2", "4Gi"), Some("n3")), ("p11", amounts("2", "4Gi"), Some("n4"))], "pg8", "q6"),
        running(&[("p12", gpus(), None)], "pg9", "q6"),
    ];
    let golden = Golden::cycle(objects.concat());
    let right = reclaims("default/p12", "n4", &["default/p9"]);
    assert_eq!(golden.judge(&[right]), None, "case3: CPU & Memory are overused, scalar resource is not overused");
    for victim in ["default/p11", "default/p8"] {
        assert!(golden.judge(&[reclaims("default/p12", "n4", &[victim])]).is_some(), "{victim} is evicted");
    }
}

#[test]
fn the_queue_of_the_highest_priority_is_served() {
    let large = || amounts("2", "4Gi");
    let prior = |name: &str, priority: i64| {
        let mut queue = queue(name, None, Some(large()));
        set(&mut queue, "/spec", "priority", json!(priority));
        queue
    };
    let objects = vec![
        vec![prior("q7", 5), prior("q8", 1), prior("q9", 10)],
        job("pg10", "q7", &[("p13", large(), Some("n1"))]),
        job("pg11", "q8", &[("p14", large(), None)]),
        job("pg12", "q9", &[("p15", large(), None)]),
    ];
    // The model does not judge the order of the queues: only that one of the two pods gets the room.
    two_nodes(objects).holds(
        "case4: Pods are assigned according to the order of Queue Priority in which PGs are placed",
        cycle(&[("default/p15", "n2")]),
        &[
            ("idle-room-is-used", cycle(&[])),
            ("no-node-is-overcommitted", cycle(&[("default/p14", "n2"), ("default/p15", "n2")])),
        ],
    );
}

#[test]
fn reclaim_beyond_what_a_queue_deserves() {
    let objects = |deserved: Value, holds: Value, asks: Value| {
        vec![
            vec![
                queue("qa", Some(deserved), Some(amounts("4", "4Gi"))),
                queue("qb", Some(amounts("0", "0Gi")), Some(amounts("2", "2Gi"))),
            ],
            job("pg1", "qa", &[("p1", holds, Some("n1"))]),
            job("pg2", "qa", &[("p2", asks, None)]),
            job("pg3", "qb", &[("p3", amounts("1", "1Gi"), Some("n1"))]),
        ]
    };
    let evicted = || reclaims("default/p2", "n1", &["default/p3"]);
    one_node(objects(amounts("1", "2Gi"), amounts("1", "1Gi"), amounts("1", "2Gi"))).holds(
        "case6: Can not reclaim from other queues when allocated + req > deserved",
        cycle(&[]),
        &[("reclaimer-stays-within-deserved", evicted())],
    );
    // Upstream evicts here: one requested resource (cpu, 1 + 1 of 2) within the deserved amount is enough, although memory, 3 + 1 of 2, is
    // short as well. Queues then evict each other without end (issues 561, 4947, 4949); ruling 2.5b of system `volcano` departs.
    one_node(objects(amounts("2", "2Gi"), amounts("1", "3Gi"), amounts("1", "1Gi"))).holds(
        "case5: Can reclaim from other queues when allocated + req <= deserved on one dimension",
        cycle(&[]),
        &[("reclaimer-stays-within-deserved", evicted())],
    );
}

#[test]
fn a_closed_queue_takes_no_pods() {
    let mut closed = queue("q3", None, Some(amounts("3", "3Gi")));
    set(&mut closed, "/status", "state", json!("Closed"));
    two_nodes(vec![vec![closed], job("pg6", "q3", &[("p6", amounts("1", "1Gi"), None)])]).holds(
        "TestEnqueueAndAllocatable: a pod of a closed queue is not bound",
        cycle(&[]),
        &[("queue-takes-pods", cycle(&[("default/p6", "n1")]))],
    );
}
