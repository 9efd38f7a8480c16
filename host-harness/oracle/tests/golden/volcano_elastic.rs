//! Elastic jobs of Volcano, which upstream does not have: cases derived from the sentences of the source document.

use serde_json::{Value, json};

use super::volcano::{amounts, job, keeping, queue};
use super::{Golden, cycle, node, set};

/// Returns the same job as an elastic one, in which all pods but `e0` are elastic. `steps`: the factor.
fn elastic(mut objects: Vec<Value>, steps: &str) -> Vec<Value> {
    for object in &mut objects {
        if object["kind"] == "PodGroup" {
            let annotations = json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-factor": steps});
            set(object, "/metadata", "annotations", annotations);
        } else if object["metadata"]["name"] != "e0" {
            set(object, "/metadata/labels", "volcano.sh/elastic-train", json!("true"));
        }
    }
    objects
}

/// Makes a job a gang of at least two pods.
fn of_two(objects: &mut [Value]) {
    let groups = objects.iter_mut().filter(|object| object["kind"] == "PodGroup");
    groups.for_each(|group| set(group, "/spec", "minMember", json!(2)));
}

/// Returns an elastic job `e` with 3 of 5 pods, which grows by two pods on idle `n3`, and a gang `j` of two pods with a GPU each, one next to `e2` on
/// `n2` and one on `n3`. `steps`: the factor; `of`: the queue of the gang.
fn beside_a_job_that_grows(steps: &str, of: &str) -> Golden {
    let one = || amounts("1", "1Gi");
    let with_gpu = |cpu: &str| json!({"cpu": cpu, "memory": "8Gi", "nvidia.com/gpu": "1"});
    let asks = || json!({"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"});
    let pods = [("e0", Some("n1")), ("e1", Some("n1")), ("e2", Some("n2")), ("e3", None), ("e4", None)];
    let elastic = elastic(keeping(job("e", "q", &pods.map(|(name, on)| (name, one(), on))), "e1"), steps);
    let mut gang = job("j", of, &[("p1", asks(), None), ("p2", asks(), None)]);
    of_two(&mut gang);
    let nodes = vec![node("n1", amounts("2", "8Gi")), node("n2", with_gpu("1")), node("n3", with_gpu("2"))];
    let queues = vec![queue("q", None, None), queue("other", None, None)];
    Golden::cycle([nodes, queues, elastic, gang].concat())
}

#[test]
fn a_job_that_could_not_shrink_before_it_grew_gives_pods_of_both() {
    // From 3 pods `e` may shrink to 1 only, and `e1` stays. From 5 it shrinks to 3, by `e2` and by one that came meanwhile. Where each size is legal,
    // `e2` alone would have been enough while `n3` was idle.
    let grows = cycle(&[("default/e3", "n3"), ("default/e4", "n3")]);
    let used = json!({"status": {"queue/q": {"used": {"cpu": "5", "memory": "5Gi", "pods": "5"}}}});
    let nominated = json!({"default/p1": "n2", "default/p2": "n3"});
    let victims = ["default/e2", "default/e3"];
    let plan = json!({"plan": 1, "preemptor": "default/p1", "nominated": nominated, "victims": victims});
    let shrinks = json!({"bound": {}, "nominated": nominated, "victims": victims, "plans": [plan], "waiting": [], "standing": nominated});
    let outcomes = [grows, used, shrinks];
    assert_eq!(beside_a_job_that_grows("2", "q").judge(&outcomes), None);
    let broken = beside_a_job_that_grows("1", "q").judge(&outcomes).unwrap_or_default();
    assert!(broken.starts_with("bound-pods-are-not-reclaimed-at-once: "), "{broken}");
}

#[test]
fn a_job_keeps_its_size_where_growth_alone_would_let_a_gang_evict_pods_of_it() {
    // As above: `e` gives nothing from 3 pods, and `e2` from 5. Where each size is legal, it gives `e2` now.
    assert_eq!(beside_a_job_that_grows("2", "other").judge(&[cycle(&[])]), None);
    for (steps, queue) in [("2", "q"), ("1", "other")] {
        let broken = beside_a_job_that_grows(steps, queue).judge(&[cycle(&[])]).unwrap_or_default();
        assert!(broken.starts_with("elastic-jobs-grow: "), "{steps}, {queue}: {broken}");
    }
}

#[test]
fn a_job_keeps_its_size_where_a_gang_of_another_queue_could_evict_pods_because_of_its_growth() {
    // `own` deserves 3 cpu and uses 4, and 1 is free. `g` of 2 may not evict `b`: the second pod would be taken from a queue that uses 3. With `e1` it
    // could. A gang of `own` itself gets nothing by that.
    let one = || amounts("1", "1Gi");
    let with_gang_of = |waiting: Option<&str>| {
        let deserved = || Some(amounts("3", "3Gi"));
        let mut ours = job("b", "own", &[("b0", one(), Some("n")), ("b1", one(), Some("n"))]);
        of_two(&mut ours);
        let mut gang = waiting.map_or(Vec::new(), |queue| job("g", queue, &[("g0", one(), None), ("g1", one(), None)]));
        of_two(&mut gang);
        let objects = [
            vec![node("n", amounts("5", "5Gi")), queue("own", deserved(), None), queue("other", deserved(), None)],
            keeping(elastic(job("e", "own", &[("e0", one(), Some("n")), ("e1", one(), None)]), "1"), "e0"),
            keeping(job("f", "own", &[("f0", one(), Some("n"))]), "f0"),
            ours,
            gang,
        ];
        Golden::cycle(objects.concat())
    };
    assert_eq!(with_gang_of(Some("other")).judge(&[cycle(&[])]), None);
    for waiting in [None, Some("own")] {
        let broken = with_gang_of(waiting).judge(&[cycle(&[])]).unwrap_or_default();
        assert!(broken.starts_with("elastic-jobs-grow: "), "{waiting:?}: {broken}");
    }
}

/// Returns a cluster in which the gang `g` evicts the elastic pod `e1` from `n1`, in a cycle in which `f1` of another queue grows there. By the
/// spread constraint of `f1`, `n1` may then have at most one selected pod more than `n2`. Selected are `f1`, `e1`, which is leaving then, `b0` of
/// `n1`, and `chosen`.
fn growing_beside_a_pod_that_is_evicted(chosen: &str) -> Golden {
    let (one, two) = (|| amounts("1", "1Gi"), || amounts("2", "1Gi"));
    let shrinks = elastic(job("e", "own", &[("e0", one(), Some("n2")), ("e1", two(), Some("n1"))]), "1");
    let stays = job("b", "own", &[("b0", one(), Some("n1"))]);
    let grows = elastic(job("f", "other", &[("f0", one(), Some("n2")), ("f1", one(), None)]), "1");
    let mut objects = [
        ["n1", "n2"].map(|name| node(name, amounts(if name == "n1" { "4" } else { "2" }, "8Gi"))).to_vec(),
        vec![queue("own", None, None), queue("other", None, None)],
        keeping(grows, "f0"),
        shrinks,
        stays,
        job("g", "own", &[("g0", two(), None)]),
    ]
    .concat();
    for object in &mut objects {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        match object["kind"].as_str() {
            Some("Node") => set(object, "/metadata", "labels", json!({"kubernetes.io/hostname": name})),
            Some("Pod") if ["e1", "b0", chosen].contains(&&*name) => set(object, "/metadata/labels", "set", json!("y")),
            _ => {}
        }
        if name == "f1" {
            set(object, "/metadata/labels", "set", json!("y"));
            let spread = json!([{"labelSelector": {"matchLabels": {"set": "y"}}, "maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "DoNotSchedule"}]);
            set(object, "/spec", "topologySpreadConstraints", spread);
        }
    }
    Golden::cycle(objects)
}

#[test]
fn spread_constraints_count_no_pod_that_this_cycle_evicts() {
    // kube-scheduler podtopologyspread/common.go, countPodsMatchSelector: on `n1` there is `b0` alone then. Where no pod of `n2` is chosen, that is one
    // too many.
    let nominated = json!({"default/g0": "n1"});
    let plan = json!({"plan": 1, "preemptor": "default/g0", "nominated": nominated, "victims": ["default/e1"]});
    let cycle = json!({"bound": {"default/f1": "n1"}, "nominated": nominated, "victims": ["default/e1"], "plans": [plan], "waiting": [],
        "standing": nominated});
    assert_eq!(growing_beside_a_pod_that_is_evicted("e0").judge(std::slice::from_ref(&cycle)), None);
    let broken = growing_beside_a_pod_that_is_evicted("none").judge(&[cycle]).unwrap_or_default();
    assert!(broken.starts_with("constraints-between-pods-hold: "), "{broken}");
}
