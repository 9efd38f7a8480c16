use lictor_host::policy::Policy;

use super::*;
use crate::{ClusterSnapshot, Native};

/// Returns the priorities of pods, by name, under the laws of a system.
fn of(system: &str, text: &str) -> Vec<(String, i64)> {
    let snapshot = ClusterSnapshot::from_text("it.yaml", text.to_owned()).unwrap();
    let described = Native::default().describe().unwrap();
    let objects: Vec<&KubernetesObject> = snapshot.objects.iter().collect();
    let priorities = Priorities::of(&objects, described.system(system));
    let name = |pod: &Value| super::text(pod, "/metadata/name").unwrap_or_default().to_owned();
    priorities.pods().map(|pod| (name(&pod), priorities.of_pod(&pod))).collect()
}

/// Reads priorities of five pods: `own` has 5, `high` that of its class, `plain` that of the default class, and `task` its own, except in Volcano.
#[test]
fn a_pod_has_its_own_priority_or_that_of_its_class() {
    let class = |name: &str, more: &str| {
        format!("{{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {{name: {name}}}, {more}}}\n---\n")
    };
    let pod = |name: &str, metadata: &str, spec: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}{metadata}}}, spec: {{{spec}containers: [{{name: c}}]}}}}\n---\n"
        )
    };
    let pods = [
        pod("own", "", "priority: 5, priorityClassName: high, "),
        pod("high", "", "priorityClassName: high, "),
        pod("critical", "", "priorityClassName: system-node-critical, "),
        pod("task", ", annotations: {volcano.sh/task-priority: '7'}", "priority: 2, "),
        pod("plain", "", ""),
    ]
    .concat();
    let text = class("high", "value: 100") + &class("usual", "value: 3, globalDefault: true") + &pods;
    let expected = |task, plain| {
        let all = [("own", 5), ("high", 100), ("critical", 2_000_001_000), ("task", task), ("plain", plain)];
        all.map(|(name, priority)| (name.to_owned(), priority)).to_vec()
    };
    assert_eq!(of("kubernetes", &text), expected(2, 3));
    assert_eq!(of("volcano", &text), expected(7, 3));
    // Without a default class the priority is 0, and 1 in Volcano.
    let without = class("high", "value: 100") + &pods;
    assert_eq!((of("kubernetes", &without), of("volcano", &without)), (expected(2, 0), expected(7, 1)));
}
