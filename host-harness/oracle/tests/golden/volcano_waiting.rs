//! Gangs of Volcano that wait, for room that is coming or for what a queue gives: cases derived by hand, from the session of upstream, where a
//! pipelined task counts as allocated to its queue, and takes room.

use serde_json::{Value, json};

use super::volcano::{amounts, job, keeping, queue};
use super::{Golden, node, reclaims, set};

/// Returns a cycle that evicts `p0` for `p5`, and then these pods for `p4`.
fn reclaims_twice(victims: &[&str]) -> Value {
    let plans = [("default/p5", &["default/p0"][..]), ("default/p4", victims)];
    let evicted = plans.map(|(_, victims)| victims).concat();
    let nominated = json!({"default/p4": "n1", "default/p5": "n1"});
    let plan = |(number, (pod, victims)): (u8, (&str, &[&str]))| json!({"plan": number, "preemptor": pod, "nominated": {pod: "n1"}, "victims": victims});
    json!({"bound": {}, "nominated": nominated, "victims": evicted,
        "plans": (1..).zip(plans).map(plan).collect::<Vec<Value>>(), "waiting": [], "standing": nominated})
}

/// Returns a cluster for `reclaims_twice`. Queue `qc` deserves 2 cpu and runs `p1` and `p2` of 1 cpu, since the first second. For `p5`, `p0` is evicted,
/// which borrows. Where `p0` holds 2 cpu, 1 cpu is left for `p3`.
fn with_room_that_is_left((total, borrowed): (&str, &str), waiting: Vec<Value>) -> Golden {
    let one = || amounts("1", "1Gi");
    let deserved = |cpu: &str| Some(json!({"cpu": cpu}));
    let mut objects = [
        vec![node("n1", amounts(total, "8Gi"))],
        vec![queue("qa", deserved("1"), None), queue("qb", deserved("1"), None), queue("qc", deserved("2"), None)],
        vec![queue("qd", None, None)],
        job("pg0", "qd", &[("p0", amounts(borrowed, "1Gi"), Some("n1"))]),
        job("pg1", "qc", &[("p1", one(), Some("n1"))]),
        job("pg2", "qc", &[("p2", one(), Some("n1"))]),
        waiting,
        job("pg4", "qb", &[("p4", one(), None)]),
        job("pg5", "qa", &[("p5", one(), None)]),
    ]
    .concat();
    for pod in objects.iter_mut().filter(|object| object["spec"]["nodeName"].is_string()) {
        set(pod, "/status", "startTime", json!("1970-01-01T00:00:00Z"));
    }
    Golden::cycle(objects).after(60)
}

#[test]
fn a_pod_that_waits_for_room_that_is_coming_counts_as_use_of_its_queue() {
    // `p3` is pipelined in the room that is left, and 3 cpu are allocated to `qc`, which may lose one pod to `p4` and is left with what it deserves.
    // `p3` opted out, so `p4` could not evict `p3` instead.
    let waits_in = |queue: &str, cpu: &str| keeping(job("pg3", queue, &[("p3", amounts(cpu, "1Gi"), None)]), "p3");
    let below = "normal-victim-queue-is-above-deserved";
    with_room_that_is_left(("4", "2"), waits_in("qc", "1")).holds(
        "a pipelined task is allocated",
        reclaims_twice(&["default/p2"]),
        &[(below, reclaims_twice(&["default/p1", "default/p2"]))],
    );
    for (name, golden) in [
        ("no room is coming", with_room_that_is_left(("3", "1"), waits_in("qc", "1"))),
        ("less room is coming", with_room_that_is_left(("4", "2"), waits_in("qc", "2"))),
        ("the pod that waits is of another queue", with_room_that_is_left(("4", "2"), waits_in("qd", "1"))),
    ] {
        let broken = golden.judge(&[reclaims_twice(&["default/p2"])]).unwrap_or_default();
        assert!(broken.starts_with(&format!("{below}: ")), "{name}: {broken}");
    }
}

#[test]
fn no_pod_leaves_for_a_gang_that_would_evict_what_waits_for_the_room() {
    // If `p3` had the room that is left, `p4` would evict `p3`, which has not run yet, rather than `p2`. So `p4` waits for that room, and only `p0` is
    // evicted (ruling 2.23 of system `volcano`; upstream evicts `p2`).
    let waiting = job("pg3", "qc", &[("p3", amounts("1", "1Gi"), None)]);
    with_room_that_is_left(("4", "2"), waiting).holds(
        "the room goes to the gang that is owed it",
        reclaims("default/p5", "n1", &["default/p0"]),
        &[("normal-victim-queue-is-above-deserved", reclaims_twice(&["default/p2"]))],
    );
}

#[test]
fn room_that_a_gang_waits_for_is_short_for_a_later_plan() {
    // For `p5`, `p0` of 2 cpu is evicted, and 1 cpu is left. `p3` is pipelined there, so `p4` lacks both the cpu that is due to `qb` and the GPU that
    // is due to no queue, and `p1` frees both. Where `p3` does not fit, `p4` lacks the GPU alone, for which nothing is reclaimed.
    let with = |waiting: &str, due: Option<Value>| {
        let with_gpu = || json!({"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"});
        let deserved = || Some(json!({"cpu": "1"}));
        let objects = [
            vec![node("n1", json!({"cpu": "3", "memory": "8Gi", "nvidia.com/gpu": "1"}))],
            vec![queue("qa", deserved(), None), queue("qb", deserved(), None), queue("qc", due, None)],
            vec![queue("qd", None, None)],
            job("pg0", "qd", &[("p0", amounts("2", "1Gi"), Some("n1"))]),
            job("pg1", "qc", &[("p1", with_gpu(), Some("n1"))]),
            job("pg3", "qd", &[("p3", amounts(waiting, "1Gi"), None)]),
            job("pg4", "qb", &[("p4", with_gpu(), None)]),
            job("pg5", "qa", &[("p5", amounts("1", "1Gi"), None)]),
        ];
        Golden::cycle(objects.concat())
    };
    let half = || Some(json!({"cpu": "500m"}));
    let reclaims = || [reclaims_twice(&["default/p1"])];
    for due in [None, half()] {
        assert_eq!(with("1", due.clone()).judge(&reclaims()), None, "a pipelined task takes room: {due:?}");
    }
    for (due, law) in [(None, "victim-frees-what-is-owed"), (half(), "normal-victim-queue-is-above-deserved")] {
        let broken = with("2", due).judge(&reclaims()).unwrap_or_default();
        assert!(broken.starts_with(&format!("{law}: ")), "less room is coming: {broken}");
    }
}
