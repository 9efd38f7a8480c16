//! What `decide` and `explain` say of a queue that gives back what it holds over its maximum.

use serde_json::json;

use crate::run::{file, lictor};

const QUEUES: &str = "
      partitions:
        - name: default
          preemption: {quotapreemptionenabled: true}
          queues:
            - name: a
              resources: {max: {vcore: 2}}
              properties: {quota.preemption.delay: 1m}
";

/// Writes a snapshot of two pods that hold 3 cpu of the 2 of their queue; the first is the originator of their application. Returns the path.
fn snapshot(name: &str) -> String {
    let config = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: yunikorn-configs, namespace: yunikorn}}\ndata:\n  queues.yaml: |{QUEUES}"
    );
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '8', pods: '10'}}\n";
    let pod = |name: &str, cpu: u32| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: default, labels: {{applicationId: app, queue: root.a}}, creationTimestamp: '2026-01-01T00:00:00Z'}}\n\
             spec: {{schedulerName: yunikorn, nodeName: n1, containers: [{{name: main, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}\n\
             status: {{phase: Running}}\n"
        )
    };
    file(name, [config, node.to_owned(), pod("driver", 2), pod("worker", 1)].join("---\n"))
}

#[test]
fn decide_shows_what_a_queue_gives_back_and_for_whom() {
    let path = snapshot("quota-decide.yaml");
    lictor(&["decide", "--system", "yunikorn", &path]).exits(0).prints(&[
        "Evicted\n  for queue root.a, which gives back\n",
        "engine/gives-back: queue `root.a` holds 1 cpu more than its max: evicts 1 pod",
        "default/worker  n1    deleted",
        "nothing was pending; 1 victim\n",
    ]);
    let decided = lictor(&["decide", "--system", "yunikorn", "--output", "json", &path]).exits(0).json();
    let victims = &decided["cycles"][0]["victims"];
    assert_eq!(victims.as_object().unwrap().len(), 1);
    let worker = &victims["default/worker"];
    assert_eq!((&worker["queue"], &worker["how"], worker.get("preemptor")), (&json!("root.a"), &json!("Delete"), None));
    assert_eq!(worker["reason"]["code"], "engine/gives-back");
    assert_eq!(decided["cycles"][0]["plans"][0]["queue"], "root.a");
    assert_eq!(decided["cycles"][0]["plans"][0]["nominated"], json!({}));
}

#[test]
fn explain_says_for_which_queue_a_pod_is_evicted() {
    let path = snapshot("quota-explain.yaml");
    let why = lictor(&["explain", "--system", "yunikorn", &path, "default/worker"]).exits(0);
    assert!(!why.out.contains("nobody looked at it"), "{why:?}");
    why.prints(&["default/worker: is evicted from n1", "for queue root.a, which gives back, plan 1: it is deleted"]);
}
