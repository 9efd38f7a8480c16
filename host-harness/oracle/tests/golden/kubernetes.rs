//! kube-scheduler: `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption_test.go`. Amounts there: small 100m, medium 200m, large 300m,
//! very large 500m, which is what a node has. Priorities: negative -100, low 0, mid 100, high 1000, very high 10000.

use lictor_oracle::SystemKind;
use serde_json::{Value, json};

use super::{Golden, binds, ends, evicts, labelled, node, pod, set, waits};

const NEGATIVE: i64 = -100;
const LOW: i64 = 0;
const MID: i64 = 100;
const HIGH: i64 = 1000;
const VERY_HIGH: i64 = 10_000;

/// A running pod: name, node, priority, milli cpu, hour of its start.
type Running = (&'static str, &'static str, i64, i64, i64);

/// Returns three or four nodes of 500m, these running pods, and pod `p`.
fn cluster(p: (i64, i64), running: &[Running]) -> Golden {
    let cpu = |milli: i64| json!({"cpu": format!("{milli}m")});
    let mut objects: Vec<Value> = ["n1", "n2", "n3", "n4"]
        .into_iter()
        .filter(|name| running.iter().any(|(_, on, ..)| on == name))
        .map(|name| node(name, cpu(500)))
        .collect();
    for (name, on, priority, milli, hour) in running {
        let mut running = pod(name, cpu(*milli), *priority, Some(on));
        set(&mut running, "/status", "startTime", json!(format!("1970-01-01T{hour:02}:00:00Z")));
        objects.push(running);
    }
    objects.push(pod("p", cpu(p.1), p.0, None));
    Golden::attempts(SystemKind::Kubernetes, objects, &["default/p"])
}

fn evicted(on: &str, victims: &[&str]) -> Value {
    let victims: Vec<String> = victims.iter().map(|name| format!("default/{name}")).collect();
    evicts("default/p", on, &victims.iter().map(String::as_str).collect::<Vec<&str>>())
}

/// Checks that the pod goes to the first of these nodes and to none of the others, with these victims.
fn best(name: &str, p: (i64, i64), running: &[Running], nodes: &[(&str, &[&str])]) {
    let mut outcomes = nodes.iter().map(|(on, victims)| evicted(on, victims));
    let right = outcomes.next().unwrap_or_default();
    let wrong: Vec<(&str, Value)> = outcomes.map(|outcome| ("best-node-first", outcome)).collect();
    cluster(p, running).holds(name, right, &wrong);
}

#[test]
fn select_best_candidate_by_priorities_of_the_victims() {
    best(
        "TestSelectBestCandidate: node with min highest priority pod is picked",
        (HIGH, 500),
        &[
            ("p11", "n1", MID, 200, 0),
            ("p12", "n1", MID, 300, 0),
            ("p21", "n2", MID, 200, 0),
            ("p22", "n2", LOW, 200, 0),
            ("p31", "n3", LOW, 200, 0),
            ("p32", "n3", LOW, 200, 0),
        ],
        &[("n3", &["p31", "p32"]), ("n1", &["p11", "p12"]), ("n2", &["p21", "p22"])],
    );
    best(
        "TestSelectBestCandidate: when highest priorities are the same, minimum sum of priorities is picked",
        (HIGH, 500),
        &[
            ("p11", "n1", MID, 200, 0),
            ("p12", "n1", MID, 300, 0),
            ("p21", "n2", MID, 300, 0),
            ("p22", "n2", LOW, 200, 0),
            ("p31", "n3", MID, 200, 0),
            ("p32", "n3", MID, 200, 0),
        ],
        &[("n2", &["p21", "p22"]), ("n1", &["p11", "p12"]), ("n3", &["p31", "p32"])],
    );
    best(
        "TestSelectBestCandidate: non-overlapping lowest high priority, sum priorities, and number of pods",
        (VERY_HIGH, 500),
        &[
            ("p11", "n1", MID, 100, 0),
            ("p12", "n1", LOW, 100, 0),
            ("p13", "n1", LOW, 100, 0),
            ("p21", "n2", HIGH, 300, 0),
            ("p31", "n3", MID, 200, 0),
            ("p32", "n3", LOW, 100, 0),
            ("p33", "n3", LOW, 100, 0),
            ("p34", "n3", LOW, 100, 0),
            ("p41", "n4", MID, 200, 0),
            ("p42", "n4", MID, 100, 0),
            ("p43", "n4", MID, 100, 0),
            ("p44", "n4", NEGATIVE, 100, 0),
        ],
        &[
            ("n1", &["p11", "p12", "p13"]),
            ("n2", &["p21"]),
            ("n3", &["p31", "p32", "p33", "p34"]),
            ("n4", &["p41", "p42", "p43", "p44"]),
        ],
    );
}

#[test]
fn select_best_candidate_by_the_number_of_victims() {
    best(
        "TestSelectBestCandidate: when highest priority and sum are the same, minimum number of pods is picked",
        (HIGH, 500),
        &[
            ("p11", "n1", MID, 100, 0),
            ("p12", "n1", NEGATIVE, 100, 0),
            ("p13", "n1", MID, 100, 0),
            ("p14", "n1", NEGATIVE, 100, 0),
            ("p21", "n2", MID, 300, 0),
            ("p22", "n2", NEGATIVE, 200, 0),
            ("p31", "n3", MID, 200, 0),
            ("p32", "n3", NEGATIVE, 100, 0),
            ("p33", "n3", LOW, 100, 0),
        ],
        &[("n2", &["p21", "p22"]), ("n1", &["p11", "p12", "p13", "p14"]), ("n3", &["p31", "p32", "p33"])],
    );
    best(
        "TestSelectBestCandidate: sum of adjusted priorities is considered",
        (HIGH, 500),
        &[
            ("p11", "n1", MID, 100, 0),
            ("p12", "n1", NEGATIVE, 100, 0),
            ("p13", "n1", NEGATIVE, 100, 0),
            ("p21", "n2", MID, 300, 0),
            ("p22", "n2", NEGATIVE, 200, 0),
            ("p31", "n3", MID, 200, 0),
            ("p32", "n3", NEGATIVE, 100, 0),
            ("p33", "n3", LOW, 100, 0),
        ],
        &[("n2", &["p21", "p22"]), ("n1", &["p11", "p12", "p13"]), ("n3", &["p31", "p32", "p33"])],
    );
}

#[test]
fn select_best_candidate_by_start_times() {
    let of = |a: (i64, i64), b: (i64, i64), c: (i64, i64)| {
        [("p11", "n1", a.0, 200, a.1), ("p21", "n2", b.0, 200, b.1), ("p31", "n3", c.0, 200, c.1)]
    };
    let second = |a: (i64, i64), b: (i64, i64), c: (i64, i64)| {
        [("p12", "n1", a.0, 200, a.1), ("p22", "n2", b.0, 200, b.1), ("p32", "n3", c.0, 200, c.1)]
    };
    best(
        "TestSelectBestCandidate: same priority, same number of victims, different start time for each node's pod",
        (HIGH, 500),
        &[of((MID, 2), (MID, 3), (MID, 1)), second((MID, 2), (MID, 3), (MID, 1))].concat(),
        &[("n2", &["p21", "p22"]), ("n1", &["p11", "p12"]), ("n3", &["p31", "p32"])],
    );
    best(
        "TestSelectBestCandidate: same priority, same number of victims, different start time for all pods",
        (HIGH, 500),
        &[of((MID, 4), (MID, 5), (MID, 3)), second((MID, 2), (MID, 1), (MID, 6))].concat(),
        &[("n3", &["p31", "p32"]), ("n1", &["p11", "p12"]), ("n2", &["p21", "p22"])],
    );
    best(
        "TestSelectBestCandidate: different priority, same number of victims, different start time for all pods",
        (HIGH, 500),
        &[of((LOW, 4), (MID, 6), (LOW, 3)), second((MID, 2), (LOW, 1), (MID, 5))].concat(),
        &[("n2", &["p21", "p22"]), ("n1", &["p11", "p12"]), ("n3", &["p31", "p32"])],
    );
}

#[test]
fn dry_run_preemption_reprieves_what_fits() {
    // A pod of higher priority than the preemptor stays, and of the others the most important that fit.
    cluster((HIGH, 300), &[("p11", "n1", LOW, 200, 0), ("p12", "n1", MID, 200, 0)]).holds(
        "TestDryRunPreemption: the less important pod is the victim where one is enough",
        evicted("n1", &["p11"]),
        &[("best-node-first", evicted("n1", &["p12"])), ("no-needless-victim", evicted("n1", &["p11", "p12"]))],
    );
    cluster((HIGH, 300), &[("p1", "n1", VERY_HIGH, 300, 0)]).holds(
        "TestDryRunPreemption: a pod of higher priority is no victim",
        ends("Unschedulable"),
        &[("victim-ranks-lower", evicted("n1", &["p1"]))],
    );
}

/// Checks KEP-4671: the pods of a gang wait at Permit until the gang is complete. Here a plan is in flight for all pods of the gang. Each pod needs
/// the next pod in its zone, so one more pod holds a node in each round, the last pod first. The cluster is not at rest before.
#[test]
fn a_gang_that_holds_one_more_node_in_each_round_is_not_at_rest() {
    let member = |name: &'static str, needs: &str| {
        let mut member = labelled(pod(name, json!({"cpu": "1"}), LOW, None), "name", name);
        set(&mut member, "/spec", "schedulingGroup", json!({"podGroupName": "g"}));
        set(&mut member, "/status", "nominatedNodeName", json!("n1"));
        if !needs.is_empty() {
            let term =
                json!({"labelSelector": {"matchLabels": {"name": needs}}, "topologyKey": "kubernetes.io/hostname"});
            let affinity = json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}});
            set(&mut member, "/spec", "affinity", affinity);
        }
        member
    };
    let gang = json!({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"},
        "spec": {"priority": LOW, "schedulingPolicy": {"gang": {"minCount": 3}}}});
    let objects = vec![node("n1", json!({"cpu": "3"})), gang, member("a", "b"), member("b", "c"), member("c", "")];
    let cluster = Golden::attempts(SystemKind::Kubernetes, objects, &["default/a", "default/b", "default/c"]);
    let beside = |mut outcome: Value, held: &[&str], standing: &[&str]| {
        outcome["waiting"] = json!(held);
        outcome["standing"] = standing.iter().map(|pod| ((*pod).to_owned(), json!("n1"))).collect();
        outcome
    };
    let [a, b, c] = ["default/a", "default/b", "default/c"];
    let mut last = binds(a, "n1");
    last["bound"] = json!({a: "n1", b: "n1", c: "n1"});
    let fails = || ends("Unschedulable");
    let first =
        [beside(fails(), &[], &[a, b, c]), beside(fails(), &[], &[a, b, c]), beside(waits(c, "n1"), &[c], &[a, b])];
    let rounds = [beside(fails(), &[c], &[a, b]), beside(waits(b, "n1"), &[b, c], &[a]), last];
    let rounds: Vec<Value> = first.into_iter().chain(rounds).collect();
    assert_eq!(cluster.judge(&rounds), None);
}
