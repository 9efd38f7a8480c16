//! A new job, in the terms of each system.

use std::sync::Arc;

use lictor_contract::quantity::{Unit, parse};
use lictor_host::cluster::KubernetesObject;
use serde_json::{Map, Value, json};

use super::super::priorities::{Priorities, PriorityChange};
use super::super::problem::Problem;
use super::{EditedCluster, NewJob};

/// The most pods of a job that is added by a form.
const MOST: u32 = 10_000;

/// The scheduler of pods that name none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The terms in which a system describes a job.
struct JobFormat {
    system: &'static str,
    /// Whether the system has gangs.
    has_gangs: bool,
    /// Whether a job of the system names its queue.
    has_queues: bool,
    /// Returns the labels and annotations that the pods of a job need in this system.
    marks: fn(&NewJob) -> (Value, Value),
    /// Whether pods name their group in `spec.schedulingGroup`, as Kubernetes itself has it.
    is_grouped: bool,
    /// Returns the object of the group. `None`: the job needs no such object.
    group: fn(&NewJob) -> Option<Value>,
}

/// The terms of each system.
const SYSTEMS: [JobFormat; 5] = [
    JobFormat {
        system: "koordinator",
        has_gangs: true,
        has_queues: true,
        marks: |job| {
            let gang = (job.min > 0).then(|| {
                json!({ "gang.scheduling.koordinator.sh/name": job.name,
                        "gang.scheduling.koordinator.sh/min-available": job.min.to_string() })
            });
            (queue(job, "quota.scheduling.koordinator.sh/name"), gang.unwrap_or_else(|| json!({})))
        },
        is_grouped: false,
        group: |_| None,
    },
    JobFormat {
        system: "volcano",
        has_gangs: true,
        has_queues: true,
        marks: |job| (json!({}), json!({ "scheduling.k8s.io/group-name": job.name })),
        is_grouped: false,
        group: |job| {
            let queue = if job.queue.is_empty() { "default" } else { &job.queue };
            Some(json!({ "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
                         "metadata": { "name": job.name, "namespace": job.namespace },
                         "spec": { "minMember": job.min.max(1), "queue": queue }, "status": { "phase": "Inqueue" } }))
        },
    },
    JobFormat {
        system: "coscheduling",
        has_gangs: true,
        has_queues: false,
        marks: |job| match job.min {
            0 => (json!({}), json!({})),
            _ => (json!({ "scheduling.x-k8s.io/pod-group": job.name }), json!({})),
        },
        is_grouped: false,
        group: |job| {
            (job.min > 0).then(|| {
                json!({ "apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
                        "metadata": { "name": job.name, "namespace": job.namespace },
                        "spec": { "minMember": job.min } })
            })
        },
    },
    JobFormat {
        system: "yunikorn",
        has_gangs: false,
        has_queues: true,
        marks: |job| {
            let mut labels = queue(job, "queue");
            if let Some(labels) = labels.as_object_mut() {
                labels.insert("applicationId".to_owned(), json!(job.name));
            }
            (labels, json!({}))
        },
        is_grouped: false,
        group: |_| None,
    },
    JobFormat {
        system: "kubernetes",
        has_gangs: true,
        has_queues: false,
        marks: |_| (json!({}), json!({})),
        is_grouped: true,
        group: |job| {
            (job.min > 0).then(|| {
                json!({ "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
                        "metadata": { "name": job.name, "namespace": job.namespace },
                        "spec": { "schedulingPolicy": { "gang": { "minCount": job.min } } } })
            })
        },
    },
];

/// Returns a mapping with the queue of the job under this key. Empty: the job has no queue.
fn queue(job: &NewJob, key: &str) -> Value {
    let named = (!job.queue.is_empty()).then(|| (key.to_owned(), json!(job.queue)));
    Value::Object(named.into_iter().collect::<Map<String, Value>>())
}

/// Returns the objects of a new job: the classes that its priority needs, its group and its pods.
///
/// # Errors
/// The system has no form for jobs, a value of the job is not valid, or an object of the name exists.
pub(super) fn objects(cluster: &EditedCluster<'_>, job: &NewJob) -> Result<Vec<Value>, Problem> {
    let system = cluster.system.map(|system| system.name.as_str()).unwrap_or_default();
    let words = SYSTEMS.iter().find(|words| words.system == system);
    let unknown = || problem(format!("no form knows the jobs of `{system}`"), "write the objects under *Change*");
    let words = words.ok_or_else(unknown)?;
    check(words, job)?;
    let group = (words.group)(job);
    let pods = pods(words, job, scheduler(cluster));
    let file = Arc::from("the form");
    let read =
        |value: &Value| KubernetesObject::from_json(value.clone(), &file).map_err(|mistake| Problem::from(&mistake));
    let new: Vec<KubernetesObject> = group.iter().chain(&pods).map(read).collect::<Result<_, _>>()?;
    let known = cluster.objects.iter().find(|known| new.iter().any(|object| object.full_key() == known.full_key()));
    if let Some(known) = known {
        let message = format!("there is a {} already", known.key().replacen('/', " ", 1));
        return Err(problem(message, "choose another name"));
    }
    let all: Vec<&KubernetesObject> = cluster.objects.iter().copied().chain(&new).collect();
    let mut objects = Priorities::of(&all, cluster.system).set(pods, PriorityChange::Exactly(job.priority.into()));
    // A group that has no priority is added unchanged.
    let is_group = |object: &Value| object.get("kind").and_then(Value::as_str) == Some("PodGroup");
    if !objects.iter().any(is_group) {
        objects.splice(0..0, group);
    }
    Ok(objects)
}

/// Returns the first scheduler whose pods are decided about.
fn scheduler<'c>(cluster: &EditedCluster<'c>) -> &'c str {
    let of_system = cluster.system.into_iter().flat_map(|system| &system.schedulers);
    cluster.schedulers.iter().chain(of_system).next().map_or(DEFAULT_SCHEDULER, String::as_str)
}

/// Returns the pods of the job, without a priority.
fn pods(words: &JobFormat, job: &NewJob, scheduler: &str) -> Vec<Value> {
    let (labels, annotations) = (words.marks)(job);
    let group = (words.is_grouped && job.min > 0).then(|| json!({ "podGroupName": job.name }));
    let pod = |number: u32| {
        let mut pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": format!("{}-{number}", job.name), "namespace": job.namespace,
                          "labels": labels, "annotations": annotations },
            "spec": { "schedulerName": scheduler,
                      "containers": [{ "name": "main", "resources": { "requests": job.requests } }] },
            "status": { "phase": "Pending" },
        });
        if let (Some(group), Some(spec)) = (&group, pod.get_mut("spec").and_then(Value::as_object_mut)) {
            spec.insert("schedulingGroup".to_owned(), group.clone());
        }
        pod
    };
    (0..job.pods).map(pod).collect()
}

fn check(words: &JobFormat, job: &NewJob) -> Result<(), Problem> {
    let system = words.system;
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.')
    };
    for (what, name) in [("name", &job.name), ("namespace", &job.namespace)] {
        if !is_name(name) {
            return Err(problem(format!("`{name}` is no {what}"), "write small letters, digits and hyphens"));
        }
    }
    if job.pods == 0 || job.pods > MOST {
        return Err(problem(format!("a job of {} pods cannot be added", job.pods), "write a number from 1 to 10000"));
    }
    if job.min > job.pods {
        let message = format!("of {} pods, {} cannot start together", job.pods, job.min);
        return Err(problem(message, "write a minimum that is not larger than the number of pods"));
    }
    if job.min > 1 && !words.has_gangs {
        return Err(problem(format!("{system} has no gangs"), "leave the minimum empty"));
    }
    if !job.queue.is_empty() && !words.has_queues {
        let remedy = "leave the queue empty; where there are quotas, the namespace says which one counts";
        return Err(problem(format!("a job of {system} names no queue"), remedy));
    }
    for (resource, amount) in &job.requests {
        let wrong = |error| problem(format!("{resource}: {error}"), "write a quantity, such as 500m, 4 or 16Gi");
        parse(amount, Unit::of(resource)).map_err(wrong)?;
    }
    Ok(())
}

fn problem(message: String, remedy: &str) -> Problem {
    Problem::error(message).remedy(remedy)
}
