//! The priorities of pods in a system, and changes of them.
//!
//! In most cases a pod has its own priority. A PodGroup of Kubernetes overrides that of its pods, and in Volcano the class of a PodGroup is the
//! priority of its job: there the group is changed, too.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::SystemInfo;
use lictor_host::cluster::KubernetesObject;
use serde_json::{Value, json};

mod classes;
#[cfg(test)]
mod tests;

use classes::PriorityClasses;

/// The API groups of PodGroups that have a priority.
const KUBERNETES: &str = "scheduling.k8s.io";
const VOLCANO: &str = "scheduling.volcano.sh";

/// The annotation of a pod that names its PodGroup of Volcano.
const GROUP_NAME: &str = "scheduling.k8s.io/group-name";

/// The annotation that Volcano reads instead of the priority of a pod.
const TASK_PRIORITY: &str = "volcano.sh/task-priority";

/// The priority of a pod of Volcano without one.
const OF_VOLCANO: i64 = 1;

/// A change of a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriorityChange {
    /// Set it to this value.
    Exactly(i64),
    /// Raise it to at least this value.
    AtLeast(i64),
}

impl PriorityChange {
    fn from(self, own: i64) -> i64 {
        match self {
            PriorityChange::Exactly(priority) => priority,
            PriorityChange::AtLeast(priority) => priority.max(own),
        }
    }
}

/// The key of a PodGroup: its API group, and its namespace and name as its key has them.
type GroupKey = (&'static str, String);

/// The priorities in a cluster.
pub(crate) struct Priorities<'a> {
    objects: &'a [&'a KubernetesObject],
    /// Whether pods are read as Volcano reads them.
    is_volcano: bool,
    classes: PriorityClasses,
    groups: BTreeMap<GroupKey, Value>,
}

impl<'a> Priorities<'a> {
    /// Reads the priorities in a cluster that is decided about by the laws of this system.
    pub(crate) fn of(objects: &'a [&'a KubernetesObject], system: Option<&SystemInfo>) -> Priorities<'a> {
        let reads = |group: &str| {
            let mut kinds = system.into_iter().flat_map(|system| &system.interests.kinds);
            kinds.any(|kind| kind.group == group && kind.kind == "PodGroup")
        };
        let mut groups = BTreeMap::new();
        for group in [KUBERNETES, VOLCANO].into_iter().filter(|group| reads(group)) {
            let prefix = format!("PodGroup.{group}/");
            for object in objects {
                let key = object.full_key();
                if let (Some(name), Some(value)) = (key.strip_prefix(&prefix), value(object)) {
                    groups.insert((group, name.to_owned()), value);
                }
            }
        }
        Priorities { objects, is_volcano: reads(VOLCANO), classes: PriorityClasses::of(objects), groups }
    }

    /// Returns all pods, one after another.
    pub(crate) fn pods(&self) -> impl Iterator<Item = Value> {
        self.objects.iter().filter(|object| object.key().starts_with("Pod/")).filter_map(|object| value(object))
    }

    /// Returns the priority of a pod: that of its group, where the group decides.
    pub(crate) fn of_pod(&self, pod: &Value) -> i64 {
        match self.group_of(pod) {
            Some((_, group)) => self.of_group(group),
            None => self.own(pod),
        }
    }

    /// Returns the objects that give these pods another priority: the pods, their groups where these decide, and the classes that are new.
    pub(crate) fn set(&self, pods: Vec<Value>, to: PriorityChange) -> Vec<Value> {
        let groups: BTreeMap<&GroupKey, &Value> = pods.iter().filter_map(|pod| self.group_of(pod)).collect();
        let mut classes = self.classes.clone();
        let mut changed = Vec::new();
        for ((api_group, _), group) in &groups {
            let (mut group, priority) = ((*group).clone(), to.from(self.of_group(group)));
            if *api_group == KUBERNETES {
                set_own(&mut group, Some(priority), None);
            } else {
                // A group without a class has priority 0.
                let class = (priority != 0).then(|| classes.named(priority));
                set_own(&mut group, None, class.as_deref());
            }
            changed.push(group);
        }
        let mates = self.group_peers(&groups, &pods);
        changed.splice(0..0, classes.added());
        changed.extend(pods.into_iter().chain(mates).map(|pod| self.set_pod(pod, to)));
        changed
    }

    fn set_pod(&self, mut pod: Value, to: PriorityChange) -> Value {
        let group = self.group_of(&pod);
        let priority = match group {
            // All pods of a group of Kubernetes have its priority: otherwise a warning would follow.
            Some(((KUBERNETES, _), group)) => to.from(self.of_group(group)),
            _ => to.from(self.own(&pod)),
        };
        let never = self.classes.never_preempts(text(&pod, "/spec/priorityClassName").unwrap_or_default());
        if never && text(&pod, "/spec/preemptionPolicy").is_none() {
            // The preemption policy of the class is kept in the pod, because the class is removed.
            set(&mut pod, "preemptionPolicy", Some(json!("Never")));
        }
        set_own(&mut pod, Some(priority), None);
        if group.is_none() && self.is_volcano {
            let annotation = pod.pointer_mut("/metadata/annotations").and_then(|all| all.get_mut(TASK_PRIORITY));
            annotation.into_iter().for_each(|own| *own = json!(priority.to_string()));
        }
        pod
    }

    /// Returns the other pods of those groups that are of Kubernetes.
    fn group_peers(&self, groups: &BTreeMap<&GroupKey, &Value>, pods: &[Value]) -> Vec<Value> {
        let groups: BTreeSet<&GroupKey> = groups.keys().copied().filter(|(group, _)| *group == KUBERNETES).collect();
        if groups.is_empty() {
            return Vec::new();
        }
        let namespaces: BTreeSet<&str> = groups.iter().filter_map(|(_, name)| Some(name.split_once('/')?.0)).collect();
        let is_near = |object: &&&KubernetesObject| {
            let key = object.key();
            let namespace = key.strip_prefix("Pod/").and_then(|name| name.split_once('/'));
            namespace.is_some_and(|(namespace, _)| namespaces.contains(namespace))
        };
        let name = |pod: &Value| (namespace(pod), text(pod, "/metadata/name").map(str::to_owned));
        let known: BTreeSet<_> = pods.iter().map(name).collect();
        let is_mate = |pod: &Value| self.group_of(pod).is_some_and(|(key, _)| groups.contains(key));
        let near = self.objects.iter().filter(is_near).filter_map(|object| value(object));
        near.filter(|pod| is_mate(pod) && !known.contains(&name(pod))).collect()
    }

    /// Returns the group that decides the priority of a pod. `None`: the pod's own priority counts.
    fn group_of(&self, pod: &Value) -> Option<(&GroupKey, &Value)> {
        let annotated =
            pod.pointer("/metadata/annotations").and_then(|all| all.get(GROUP_NAME)).and_then(Value::as_str);
        let of_volcano = annotated.filter(|name| self.is_volcano && !name.is_empty()).map(|name| (VOLCANO, name));
        let of_kubernetes = || text(pod, "/spec/schedulingGroup/podGroupName").map(|name| (KUBERNETES, name));
        let (group, name) = of_volcano.or_else(of_kubernetes)?;
        self.groups.get_key_value(&(group, format!("{}/{name}", namespace(pod))))
    }

    fn of_group(&self, group: &Value) -> i64 {
        let is_of_volcano = text(group, "/apiVersion").is_some_and(|version| version.starts_with(VOLCANO));
        let own = group.pointer("/spec/priority").and_then(Value::as_i64).filter(|_| !is_of_volcano);
        own.or_else(|| self.classes.value(text(group, "/spec/priorityClassName")?)).unwrap_or(0)
    }

    fn own(&self, pod: &Value) -> i64 {
        let annotation = pod.pointer("/metadata/annotations").and_then(|all| all.get(TASK_PRIORITY));
        let task = annotation.and_then(|text| text.as_str()?.parse::<i32>().ok()).filter(|_| self.is_volcano);
        let own = pod.pointer("/spec/priority").and_then(Value::as_i64);
        let class = || match text(pod, "/spec/priorityClassName") {
            Some(class) => self.classes.value(class),
            None => self.classes.default_value(),
        };
        task.map(i64::from).or(own).or_else(class).unwrap_or(if self.is_volcano { OF_VOLCANO } else { 0 })
    }
}

pub(crate) fn value(object: &KubernetesObject) -> Option<Value> {
    serde_json::from_str(&object.json()).ok()
}

/// Returns the text at a JSON pointer. `None`: the text is absent or empty.
fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn namespace(pod: &Value) -> String {
    text(pod, "/metadata/namespace").unwrap_or("default").to_owned()
}

/// Sets the priority of a pod or group, or the class that defines it.
fn set_own(object: &mut Value, priority: Option<i64>, class: Option<&str>) {
    set(object, "priority", priority.map(Value::from));
    set(object, "priorityClassName", class.map(Value::from));
}

/// Sets a field of the spec, or removes it.
fn set(object: &mut Value, field: &str, value: Option<Value>) {
    let Some(fields) = object.as_object_mut() else { return };
    let Some(spec) = fields.entry("spec").or_insert_with(|| json!({})).as_object_mut() else { return };
    match value {
        Some(value) => drop(spec.insert(field.to_owned(), value)),
        None => drop(spec.remove(field)),
    }
}
