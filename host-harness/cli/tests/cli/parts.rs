//! What is shown of a large cluster: one namespace, the jobs that wait, equal nodes as one row.

use serde_json::{Value, json};

use crate::run::{FOUR_TEAMS, file, lictor};

/// Checks a namespace whose job has victims in another one. `fixtures/snapshots/README.md` works out the decisions.
#[test]
fn one_namespace_is_shown_with_the_victims_that_leave_for_it() {
    let json = |more: &[&str]| {
        lictor(&[&["decide", FOUR_TEAMS, "--native", "--output", "json"], more].concat()).exits(0).json()
    };
    let (all, vision) = (json(&[]), json(&["--namespace", "vision"]));
    let names = |record: &Value, list: &str| -> Vec<String> {
        record["cycles"][0][list].as_object().unwrap().keys().cloned().collect()
    };
    let of = |prefix: &str, list: &str| -> Vec<String> {
        names(&all, list).into_iter().filter(|pod| pod.starts_with(prefix)).collect()
    };
    for list in ["bound", "nominated", "stillNominated", "heldBack"] {
        assert_eq!(names(&vision, list), of("vision/", list), "{list}");
    }
    let victims = names(&vision, "victims");
    assert_eq!(victims.len(), 5, "those of `vision/vit-huge`: {victims:?}");
    assert!(victims.iter().all(|pod| pod.starts_with("nlp/")), "{victims:?}");
    assert_eq!(vision["accounts"], all["accounts"], "queues are shown whole");
    let both = lictor(&["decide", FOUR_TEAMS, "--native", "-n", "vision", "-n", "search"]).exits(0);
    let both = both.prints(&["vision/vit-huge: 4 pods", "search/ranker-xl"]);
    assert!(!both.out.contains("nlp/long-context"), "{}", both.out);
}

#[test]
fn without_a_name_the_jobs_that_wait_are_listed() {
    for command in ["explain", "what-if"] {
        let list = lictor(&[command, FOUR_TEAMS, "--native", "--output", "json"]).exits(0).json();
        let list = list.as_array().unwrap();
        let pods: u64 = list.iter().map(|job| job["pods"].as_u64().unwrap()).sum();
        assert_eq!(pods, 29, "all pending pods, each once");
        let job = |name: &str| list.iter().find(|job| job["name"] == name).unwrap();
        let gang = json!({"name": "vision/stereo-match", "pods": 3, "result": "koordinator/gang-has-its-members"});
        assert_eq!(job("vision/stereo-match"), &gang);
        assert_eq!(job("vision/vit-huge")["result"], "gets in");
        let text = lictor(&[command, FOUR_TEAMS, "--native"]).exits(0);
        text.prints(&[
            "These wait: name one of them",
            "  vision/stereo-match",
            "3     koordinator/gang-has-its-members",
        ]);
    }
    let named = lictor(&["explain", FOUR_TEAMS, "vision/stereo-match", "--live"]).exits(2);
    assert!(named.err.contains("cannot be used with"), "{}", named.err);
}

/// Checks a system that decides in cycles of its own: it says why a pod waits without an attempt of the pod.
#[test]
fn a_pod_of_volcano_that_waits_is_listed_with_the_law() {
    let requests = |cpu: &str| json!([{"name": "c", "resources": {"requests": {"cpu": cpu}}}]);
    let items = json!([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "2", "pods": "9"}}},
        {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "default"}, "spec": {"weight": 1}},
        {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "g", "namespace": "d"},
         "spec": {"minMember": 1, "queue": "default"}, "status": {"phase": "Inqueue"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d",
            "annotations": {"scheduling.k8s.io/group-name": "g"}}, "spec": {"schedulerName": "volcano", "containers": requests("4")}},
    ]);
    let path = file("parts-volcano.json", json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string());
    let list = lictor(&["explain", "--native", "--system", "volcano", &path, "--output", "json"]).exits(0).json();
    assert_eq!((&list[0]["name"], &list[0]["pods"]), (&json!("d/g"), &json!(1)));
    assert!(list[0]["result"].as_str().unwrap().contains('/'), "the code of a law: {list}");
}

/// Checks the eight A100 nodes of the snapshot: 95.5 cores and 753.6Gi each.
#[test]
fn equal_nodes_are_one_row_of_the_view() {
    let view = lictor(&["view", FOUR_TEAMS, "--native", "--text", "--nodes", "1"]).exits(0);
    let row = view.out.lines().find(|line| line.contains("a100-01 ... a100-08")).unwrap();
    for cell in ["8  ", "% of 95.5 ", "% of 753.6Gi ", "% of 8 ", "nvidia.com/gpu=present:NoSchedule"] {
        assert!(row.contains(cell), "`{cell}` in {row}");
    }
}
