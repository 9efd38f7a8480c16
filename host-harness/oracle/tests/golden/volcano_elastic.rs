//! Elastic jobs of Volcano, which upstream does not have: cases derived from the sentences of the source document.

use serde_json::json;

use super::volcano::{amounts, job, keeping, queue};
use super::{Golden, cycle, node, set};

/// Returns an elastic job `e` with 3 of 5 pods, which grows by two pods on idle `n3`, and a gang `j` of two pods with a GPU each, one beside `e2` on `n2`
/// and one on `n3`. `steps`: the factor.
fn beside_a_job_that_grows(steps: &str) -> Golden {
    let one = || amounts("1", "1Gi");
    let with_gpu = |cpu: &str| json!({"cpu": cpu, "memory": "8Gi", "nvidia.com/gpu": "1"});
    let asks = || json!({"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"});
    let pods = [("e0", Some("n1")), ("e1", Some("n1")), ("e2", Some("n2")), ("e3", None), ("e4", None)];
    let mut elastic = keeping(job("e", "q", &pods.map(|(name, on)| (name, one(), on))), "e1");
    for object in &mut elastic {
        if object["kind"] == "PodGroup" {
            let annotations = json!({"volcano.sh/elastic-train": "true", "volcano.sh/elastic-train-factor": steps});
            set(object, "/metadata", "annotations", annotations);
        } else if object["metadata"]["name"] != "e0" {
            set(object, "/metadata/labels", "volcano.sh/elastic-train", json!("true"));
        }
    }
    let mut gang = job("j", "q", &[("p1", asks(), None), ("p2", asks(), None)]);
    gang.iter_mut()
        .filter(|object| object["kind"] == "PodGroup")
        .for_each(|group| set(group, "/spec", "minMember", json!(2)));
    let nodes = vec![node("n1", amounts("2", "8Gi")), node("n2", with_gpu("1")), node("n3", with_gpu("2"))];
    Golden::cycle([nodes, vec![queue("q", None, None)], elastic, gang].concat())
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
    assert_eq!(beside_a_job_that_grows("2").judge(&outcomes), None);
    let broken = beside_a_job_that_grows("1").judge(&outcomes).unwrap_or_default();
    assert!(broken.starts_with("bound-pods-are-not-reclaimed-at-once: "), "{broken}");
}
