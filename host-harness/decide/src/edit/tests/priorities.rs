//! Priorities count in every system: that of an added job, and a changed one.

use super::*;

/// A node of 2 cpu.
const NODE: &str = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"2\", memory: 8Gi, pods: \"9\"}}}\n---\n\
    {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {weight: 1}, status: {state: Open}}\n---\n\
    {apiVersion: v1, kind: Pod, metadata: {name: old, namespace: d}, spec: {containers: [{name: c}]}, status: {phase: Succeeded}}";

/// Returns a job of two pods of 1 cpu each; a gang in every system that has gangs.
fn two(system: &str, name: &str, priority: i32) -> NewJob {
    let (queue, min) = if system == "yunikorn" { ("root.default".to_owned(), 0) } else { (String::new(), 2) };
    NewJob { name: name.to_owned(), priority, queue, ..job(2, min) }
}

fn with_jobs(system: &str, jobs: &[(&str, i32)]) -> ClusterSnapshot {
    jobs.iter().fold(snapshot(NODE), |cluster, (name, priority)| {
        let objects = edited(&cluster, system, &Edit::Job(two(system, name, *priority))).unwrap();
        changed(cluster, objects)
    })
}

fn systems() -> Vec<String> {
    Native::default().describe().unwrap().systems.into_iter().map(|system| system.name).collect()
}

/// Adds two jobs, of which the node has room for one. By name `a` would come first.
#[test]
fn of_two_jobs_that_are_added_the_one_of_higher_priority_gets_in() {
    for system in systems() {
        for (priorities, expected) in [((-3, 7), ["d/z-0", "d/z-1"]), ((7, 0), ["d/a-0", "d/a-1"])] {
            let cluster = with_jobs(&system, &[("a", priorities.0), ("z", priorities.1)]);
            assert_eq!(bound(&cluster, &system), expected, "{system}: {priorities:?}");
        }
    }
}

#[test]
fn a_job_whose_priority_is_raised_gets_in_instead_of_the_other() {
    for system in systems() {
        let before = with_jobs(&system, &[("a", 5), ("z", 1)]);
        assert_eq!(bound(&before, &system), ["d/a-0", "d/a-1"], "{system}");
        let pods = vec!["d/z-0".to_owned(), "d/z-1".to_owned()];
        let raised = edited(&before, &system, &Edit::Priority { pods, priority: 9 }).unwrap();
        let after = changed(before, raised);
        assert_eq!(bound(&after, &system), ["d/z-0", "d/z-1"], "{system}");
    }
}

/// Adds pods without a gang: in Volcano each is in a group, because Volcano has no other jobs.
#[test]
fn a_priority_counts_without_a_gang_too() {
    for system in systems() {
        let single = |name: &str, priority| NewJob { min: 0, pods: 2, ..two(&system, name, priority) };
        let cluster = [single("a", 1), single("z", 7)].into_iter().fold(snapshot(NODE), |cluster, job| {
            let objects = edited(&cluster, &system, &Edit::Job(job)).unwrap();
            changed(cluster, objects)
        });
        assert_eq!(bound(&cluster, &system), ["d/z-0", "d/z-1"], "{system}");
    }
}

/// Raises the priority of a PodGroup of Kubernetes: the group decides in every system that reads it, whatever its pods say.
#[test]
fn a_group_of_kubernetes_and_all_of_its_pods_get_the_priority() {
    let group = "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: z, namespace: d}, \
                 spec: {priorityClassName: low, schedulingPolicy: {gang: {minCount: 2}}}}";
    let low = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 1}";
    let pod = |name: &str, more: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: d}}, spec: {{schedulerName: default-scheduler, {more}, \
             containers: [{{name: c, resources: {{requests: {{cpu: '1'}}}}}}]}}}}"
        )
    };
    let grouped = "priorityClassName: low, schedulingGroup: {podGroupName: z}";
    let all = [NODE, group, low, &pod("z-0", grouped), &pod("z-1", grouped)].join("\n---\n");
    for system in ["kubernetes", "koordinator", "coscheduling"] {
        let cluster = snapshot(
            &[&all, &pod("a-0", "priority: 5"), &pod("a-1", "priority: 5")].map(String::as_str).join("\n---\n"),
        );
        assert_eq!(bound(&cluster, system), ["d/a-0", "d/a-1"], "{system}");
        // One pod is named: the other pod of its group receives the priority, too.
        let raised = edited(&cluster, system, &Edit::Priority { pods: vec!["d/z-0".to_owned()], priority: 9 }).unwrap();
        let told: Vec<_> = raised.iter().map(|it| (&it["metadata"]["name"], &it["spec"]["priority"])).collect();
        assert_eq!(told, [(&json!("z"), &json!(9)), (&json!("z-0"), &json!(9)), (&json!("z-1"), &json!(9))]);
        assert!(raised.iter().all(|it| it["spec"].get("priorityClassName").is_none()));
        assert_eq!(bound(&changed(cluster, raised), system), ["d/z-0", "d/z-1"], "{system}");
    }
}

/// Uses a class with the value, where one exists. The name of a new class must not be taken, and the value 0 needs no class.
#[test]
fn a_group_of_volcano_gets_a_class_with_the_priority() {
    let taken = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: priority-9}, value: 3}";
    let cluster = snapshot(&[NODE, taken].join("\n---\n"));
    let class = |priority: i32| {
        let objects = edited(&cluster, "volcano", &Edit::Job(two("volcano", "z", priority))).unwrap();
        let group = objects.iter().find(|it| it["kind"] == "PodGroup").unwrap();
        let new = objects.iter().find(|it| it["kind"] == "PriorityClass").map(|it| it["value"].clone());
        (group["spec"].get("priorityClassName").cloned(), new)
    };
    assert_eq!(class(3), (Some(json!("priority-9")), None));
    assert_eq!(class(9), (Some(json!("priority-9-new")), Some(json!(9))));
    assert_eq!(class(-4), (Some(json!("priority-minus-4")), Some(json!(-4))));
    assert_eq!(class(0), (None, None));
}

/// Raises the priority of a pod whose class forbids preemption: the pod keeps the preemption policy of its class.
#[test]
fn a_pod_that_preempts_nobody_by_its_class_still_preempts_nobody() {
    let polite = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: polite}, value: 3, preemptionPolicy: Never}";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: d}, spec: {priorityClassName: polite, containers: [{name: c}]}}";
    let cluster = snapshot(&[NODE, polite, pod].join("\n---\n"));
    let asked = Edit::Priority { pods: vec!["d/p".to_owned()], priority: 9 };
    let raised = edited(&cluster, "kubernetes", &asked).unwrap();
    let expected = json!({"priority": 9, "preemptionPolicy": "Never", "containers": [{"name": "c"}]});
    assert_eq!(raised[0]["spec"], expected);
}
