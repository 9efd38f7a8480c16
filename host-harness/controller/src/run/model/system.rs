//! The systems: what their clusters have, how their gangs and pods are written.

use serde_json::{Value, json};

/// A system to play with.
pub(super) struct SystemFixture {
    pub(super) name: &'static str,
    /// Arguments that a process may be started with.
    pub(super) arguments: &'static [&'static str],
    /// The objects at the beginning.
    pub(super) objects: fn() -> Vec<Value>,
    /// The group of a gang, by its name, its minimum, and whether it is an important one.
    pub(super) group: fn(&str, usize, bool) -> Value,
    /// Writes on a pod what the system reads: its gang, and whether it is important.
    pub(super) dress: fn(&mut Value, Option<&str>, bool),
}

pub(super) fn all() -> [SystemFixture; 5] {
    [coscheduling(), koordinator(), kubernetes(), volcano(), yunikorn()]
}

/// Returns the system of this name.
pub(super) fn named(name: &str) -> SystemFixture {
    all().into_iter().find(|system| system.name == name).unwrap()
}

/// Returns what is to be played of these systems, as `LICTOR_MODEL` says, `SYSTEM:SEED:PLAYS`: the systems, the first seed, and the number of plays
/// of each. Without it, a million steps.
pub(super) fn selected_plays(systems: Vec<SystemFixture>, steps: usize) -> (Vec<SystemFixture>, u64, u64) {
    let text = std::env::var("LICTOR_MODEL").unwrap_or_default();
    let mut parts = text.split(':').filter(|part| !part.is_empty());
    let systems = parts.next().map_or(systems, |name| vec![named(name)]);
    let mut number = |default: u64| parts.next().map_or(default, |number| number.parse().unwrap());
    let million = 1_000_000 / u64::try_from(steps * systems.len()).unwrap();
    (systems, number(1_000), number(million))
}

fn group(version: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": version, "kind": "PodGroup", "metadata": {"name": name, "namespace": "default"}, "spec": spec})
}

fn class(name: &str, value: i32) -> Value {
    json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
}

fn class_of(important: bool) -> &'static str {
    if important { "high" } else { "low" }
}

/// Returns scheduler-plugins: a gang preempts pods of lower priority.
fn coscheduling() -> SystemFixture {
    SystemFixture {
        name: "coscheduling",
        arguments: &["{}", r#"{"permitTimeout": "5s"}"#],
        objects: Vec::new,
        group: |name, min, _| group("scheduling.x-k8s.io/v1alpha1", name, json!({"minMember": min})),
        dress: |pod, gang, _| {
            if let Some(gang) = gang {
                pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = gang.into();
            }
        },
    }
}

/// Returns Koordinator: pods that are not preemptible take back what their quota is guaranteed. Victims are deleted, or only marked.
fn koordinator() -> SystemFixture {
    fn quota(name: &str, min: u32) -> Value {
        json!({"apiVersion": "scheduling.sigs.k8s.io/v1alpha1", "kind": "ElasticQuota",
               "metadata": {"name": name, "namespace": "default", "labels": {"quota.scheduling.koordinator.sh/is-parent": "false"}},
               "spec": {"min": {"cpu": min.to_string(), "memory": "1Ti"}, "max": {"cpu": "64", "memory": "1Ti"}}})
    }
    SystemFixture {
        name: "koordinator",
        arguments: &[r#"{"podShouldBeDeletedWhenPreempted": true}"#, ""],
        objects: || vec![quota("qa", 24), quota("qb", 2)],
        group: |name, min, _| group("scheduling.sigs.k8s.io/v1alpha1", name, json!({"minMember": min})),
        dress: |pod, gang, important| {
            let labels = &mut pod["metadata"]["labels"];
            labels["quota.scheduling.koordinator.sh/name"] = (if important { "qa" } else { "qb" }).into();
            labels["quota.scheduling.koordinator.sh/preemptible"] = (!important).to_string().into();
            if let Some(gang) = gang {
                labels["pod-group.scheduling.sigs.k8s.io"] = gang.into();
            }
        },
    }
}

/// Returns Kubernetes with its own PodGroups.
fn kubernetes() -> SystemFixture {
    SystemFixture {
        name: "kubernetes",
        arguments: &["{}", r#"{"minCandidateNodesAbsolute": 1}"#],
        objects: || vec![class("low", 0), class("high", 100)],
        group: |name, min, important| {
            let policy = json!({"gang": {"minCount": min}});
            let spec = json!({"priorityClassName": class_of(important), "schedulingPolicy": policy});
            group("scheduling.k8s.io/v1beta1", name, spec)
        },
        dress: |pod, gang, _| {
            if let Some(gang) = gang {
                pod["spec"]["schedulingGroup"] = json!({"podGroupName": gang});
            }
        },
    }
}

/// Returns Volcano: gangs preempt gangs of lower priority in their queue. A pod of its own is a gang of one.
fn volcano() -> SystemFixture {
    SystemFixture {
        name: "volcano",
        arguments: &[r#"{"actions": "allocate, preempt"}"#, r#"{"actions": "allocate, preempt, reclaim"}"#],
        objects: || {
            let queue = json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "q"},
                               "spec": {}, "status": {"state": "Open"}});
            vec![class("low", 0), class("high", 100), queue]
        },
        group: |name, min, important| {
            let spec = json!({"minMember": min, "queue": "q", "priorityClassName": class_of(important)});
            group("scheduling.volcano.sh/v1beta1", name, spec)
        },
        dress: |pod, gang, important| {
            pod["spec"]["priorityClassName"] = class_of(important).into();
            if let Some(gang) = gang {
                pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = gang.into();
            }
        },
    }
}

/// Returns Volcano as it is shipped: a gang takes back what its queue deserves.
pub(super) fn volcano_reclaims() -> SystemFixture {
    fn queue_of(important: bool) -> &'static str {
        if important { "qa" } else { "qb" }
    }
    SystemFixture {
        arguments: &["{}", r#"{"actions": "allocate, reclaim"}"#],
        objects: || {
            let queue = |name: &str, cpu: &str| {
                json!({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name},
                       "spec": {"deserved": {"cpu": cpu}}, "status": {"state": "Open"}})
            };
            vec![class("low", 0), class("high", 100), queue("qa", "12"), queue("qb", "2")]
        },
        group: |name, min, important| {
            let spec = json!({"minMember": min, "queue": queue_of(important), "priorityClassName": "low"});
            group("scheduling.volcano.sh/v1beta1", name, spec)
        },
        ..volcano()
    }
}

/// Returns YuniKorn: a queue takes back what it is guaranteed.
fn yunikorn() -> SystemFixture {
    SystemFixture {
        name: "yunikorn",
        arguments: &["{}"],
        objects: || {
            let queue = |name: &str, least: u32| json!({"name": name, "resources": {"guaranteed": {"vcore": least}}, "properties": {"preemption.delay": "1s"}});
            let root = json!({"name": "root", "submitacl": "*", "queues": [queue("qa", 12), queue("qb", 2)]});
            let rules = json!([{"name": "provided", "create": true}]);
            let config = json!({"partitions": [{"name": "default", "placementrules": rules, "queues": [root]}]});
            vec![json!({"apiVersion": "v1", "kind": "ConfigMap",
                        "metadata": {"name": "yunikorn-configs", "namespace": "yunikorn"},
                        "data": {"queues.yaml": config.to_string()}})]
        },
        group: |name, _, _| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}),
        dress: |pod, gang, important| {
            let name = gang.map_or_else(|| pod["metadata"]["name"].clone(), Into::into);
            let labels = &mut pod["metadata"]["labels"];
            labels["applicationId"] = name;
            labels["queue"] = (if important { "root.qa" } else { "root.qb" }).into();
        },
    }
}
