//! Objects of scenarios as an API server holds them.

use std::collections::BTreeMap;

use lictor_conformance::{Scenario, ScenarioAction};
use lictor_host::cluster::KubernetesObject;
use serde_json::{Value, json};

/// The scheduler that is tested.
pub const SCHEDULER: &str = "default-scheduler";

/// Returns an object as JSON.
pub fn json(object: &KubernetesObject) -> Value {
    serde_json::from_str(&object.json()).unwrap()
}

pub fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the key `Kind/namespace/name`, with the version of its API, so that no two objects share it.
pub fn key(object: &Value) -> String {
    let [version, kind, name] = ["/apiVersion", "/kind", "/metadata/name"].map(|pointer| text(object, pointer));
    format!("{version}/{kind}/{}/{name}", text(object, "/metadata/namespace"))
}

/// Returns whether a key of a scenario names this object.
pub fn is_named(object: &Value, name: &str) -> bool {
    let (kind, rest) = name.split_once('/').unwrap_or((name, ""));
    let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
    let (namespace, name) = rest.split_once('/').unwrap_or(("", rest));
    let of_group = text(object, "/apiVersion").split_once('/').map_or("", |(group, _)| group);
    kind == text(object, "/kind")
        && (group.is_empty() || group == of_group)
        && namespace == text(object, "/metadata/namespace")
        && name == text(object, "/metadata/name")
}

/// Returns the name of a pod, `namespace/name`.
pub fn pod_name(pod: &Value) -> String {
    format!("{}/{}", text(pod, "/metadata/namespace"), text(pod, "/metadata/name"))
}

/// Turns the objects of one scenario.
pub struct Holder {
    /// The schedulers whose pods are ours.
    ours: Vec<String>,
    /// The values of the priority classes that the scenario has.
    classes: BTreeMap<String, i64>,
    /// One of them is for pods that name none.
    has_default: bool,
}

impl Holder {
    pub fn of(scenario: &Scenario) -> Result<Holder, String> {
        let ours = match (&*scenario.system, scenario.schedulers.is_empty()) {
            (_, false) => scenario.schedulers.clone(),
            (laws, true) => {
                let own: &[&str] = match laws {
                    "koordinator" => &[SCHEDULER, "koord-scheduler"],
                    "coscheduling" => &[SCHEDULER, "scheduler-plugins-scheduler"],
                    "volcano" => &[SCHEDULER, "volcano"],
                    "yunikorn" => &["yunikorn"],
                    _ => &[SCHEDULER],
                };
                own.iter().map(ToString::to_string).collect()
            }
        };
        let applied = scenario.steps.iter().filter_map(|step| match &step.action {
            ScenarioAction::Apply(objects) => Some(objects),
            _ => None,
        });
        let objects = scenario.cluster.iter().chain(applied.flatten()).map(json);
        let classes: Vec<Value> = objects.filter(|object| object["kind"] == "PriorityClass").collect();
        let has_default = classes.iter().any(|class| class["globalDefault"] == true);
        let value = |class: &Value| class["value"].as_i64().unwrap_or(0);
        let classes = classes.iter().map(|class| (text(class, "/metadata/name").to_owned(), value(class))).collect();
        Ok(Holder { ours, classes, has_default })
    }

    /// Returns these objects, and the priority classes that their pods need. Fails where a real cluster cannot hold an object.
    pub fn hold(&self, objects: &[Value]) -> Result<Vec<Value>, String> {
        let (mut held, mut classes) = (Vec::new(), BTreeMap::new());
        for object in objects {
            let mut object = object.clone();
            match text(&object, "/kind") {
                "Pod" => self.pod(&mut object, &mut classes)?,
                "Node" => node(&mut object),
                "PodGroup" if text(&object, "/apiVersion").starts_with("scheduling.k8s.io/") => {
                    self.priority(&mut object, &mut classes)?;
                }
                "PersistentVolumeClaim" | "PersistentVolume" | "StorageClass" | "ResourceClaim" | "DeviceClass" => {
                    return Err("has volumes or claims, which need controllers of their own".to_owned());
                }
                "Reservation" => {
                    return Err("has an object that is placed like a pod: kube-scheduler knows only pods".to_owned());
                }
                "PriorityClass" if object.get("value").is_none() => {
                    return Err("has a class without a value".to_owned());
                }
                _ => {}
            }
            if let Some(metadata) = object["metadata"].as_object_mut() {
                // The API server gives its own.
                for field in ["creationTimestamp", "uid", "resourceVersion", "generation"] {
                    metadata.remove(field);
                }
            }
            held.push(object);
        }
        let mut all: Vec<Value> = classes.into_values().collect();
        all.extend(held);
        Ok(all)
    }

    fn pod(&self, pod: &mut Value, classes: &mut BTreeMap<String, Value>) -> Result<(), String> {
        let phase = text(pod, "/status/phase");
        if matches!(phase, "Succeeded" | "Failed" | "Unknown") {
            return Err("has a pod that has finished: kube-scheduler does not hear of it".to_owned());
        }
        let bound = !text(pod, "/spec/nodeName").is_empty();
        if !bound && pod.pointer("/metadata/deletionTimestamp").is_some() {
            return Err("deletes a pod that is not bound: it is gone at once".to_owned());
        }
        let scheduler = text(pod, "/spec/schedulerName").to_owned();
        if self.ours.iter().any(|ours| *ours == scheduler || scheduler.is_empty() && ours == SCHEDULER) {
            pod["spec"]["schedulerName"] = json!(SCHEDULER);
        } else {
            // One that is not ours.
            pod["spec"]["schedulerName"] = json!("another-scheduler");
        }
        self.priority(pod, classes)?;
        let spec = &mut pod["spec"];
        if spec.get("volumes").is_some() || spec.get("resourceClaims").is_some() {
            return Err("has volumes or claims, which need controllers of their own".to_owned());
        }
        spec["terminationGracePeriodSeconds"] = json!(3600);
        for list in ["containers", "initContainers"] {
            for (place, container) in spec[list].as_array_mut().into_iter().flatten().enumerate() {
                complete(container, place);
            }
        }
        if spec.get("initContainers").is_some_and(Value::is_null)
            && let Some(spec) = spec.as_object_mut()
        {
            spec.remove("initContainers");
        }
        if spec.get("containers").is_none_or(Value::is_null) {
            spec["containers"] = json!([{"name": "c0", "image": "none"}]);
        }
        for (place, owner) in pod["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten().enumerate() {
            if text(owner, "/uid").is_empty() {
                owner["uid"] = json!(format!("owner-{place}"));
            }
            if text(owner, "/apiVersion").is_empty() {
                owner["apiVersion"] = json!("apps/v1");
            }
        }
        if pod["metadata"]["ownerReferences"].is_null()
            && let Some(metadata) = pod["metadata"].as_object_mut()
        {
            metadata.remove("ownerReferences");
        }
        if bound {
            pod["status"]["phase"] = json!("Running");
        }
        Ok(())
    }

    /// Priorities come from classes.
    fn priority(&self, pod: &mut Value, classes: &mut BTreeMap<String, Value>) -> Result<(), String> {
        let policy = text(pod, "/spec/preemptionPolicy").to_owned();
        let name = text(pod, "/spec/priorityClassName").to_owned();
        let value = pod.pointer("/spec/priority").and_then(Value::as_i64);
        if name.starts_with("system-") || value.is_some_and(|value| value > 1_000_000_000) {
            return Err("has a priority of the system's own".to_owned());
        }
        if let Some(of_class) = self.classes.get(&name) {
            if value.is_some_and(|value| value != *of_class) || !policy.is_empty() {
                return Err("has a pod that contradicts its class: the API server refuses it".to_owned());
            }
            pod["spec"]["priority"] = json!(of_class);
            return Ok(());
        }
        let value = match value {
            Some(value) => value,
            None if name.is_empty() && !self.has_default => 0,
            None if name.is_empty() => return Err("has a default class".to_owned()),
            None => return Err("has a pod of a class that there is not: the API server refuses it".to_owned()),
        };
        let never = policy == "Never";
        pod["spec"]["priority"] = json!(value);
        if value == 0 && !never && name.is_empty() {
            return Ok(());
        }
        let sign = if value < 0 { "minus-" } else { "" };
        let made = format!("p-{sign}{}{}", value.unsigned_abs(), if never { "-never" } else { "" });
        let name = if name.is_empty() { made } else { name };
        pod["spec"]["priorityClassName"] = json!(name);
        let mut class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                               "metadata": {"name": name}, "value": value});
        if never {
            class["preemptionPolicy"] = json!("Never");
        }
        if classes.insert(name, class.clone()).is_some_and(|before| before != class) {
            return Err("has a class of two values".to_owned());
        }
        Ok(())
    }
}

/// Adds the fields that the API server demands of a container.
fn complete(container: &mut Value, place: usize) {
    container["image"] = json!("none");
    if text(container, "/name").is_empty() {
        container["name"] = json!(format!("c{place}"));
    }
    let requests = container.pointer("/resources/requests").and_then(Value::as_object).cloned().unwrap_or_default();
    for (resource, amount) in requests {
        // Of these, what is requested is the limit.
        if resource.contains('/') || resource.starts_with("hugepages-") {
            container["resources"]["limits"][resource.as_str()] = amount;
        }
    }
}

fn node(node: &mut Value) {
    if let Some(spec) = node["spec"].as_object_mut() {
        spec.retain(|_, value| !value.is_null() && *value != json!([]) && *value != json!(false));
    }
    let status = &mut node["status"];
    if status["allocatable"].get("pods").is_none() {
        status["allocatable"]["pods"] = json!("110");
    }
    status["capacity"] = status["allocatable"].clone();
}
