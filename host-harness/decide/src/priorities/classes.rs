//! The priority classes of a cluster, and new ones for priorities that no class has.

use std::collections::BTreeMap;

use lictor_host::cluster::KubernetesObject;
use serde_json::{Value, json};

/// The classes that every cluster has.
const BUILT_IN: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// A priority class.
#[derive(Debug, Clone, Copy)]
struct PriorityClass {
    value: i64,
    is_default: bool,
    never_preempts: bool,
    is_new: bool,
}

/// The classes by name.
#[derive(Debug, Clone)]
pub(super) struct PriorityClasses(BTreeMap<String, PriorityClass>);

impl PriorityClasses {
    pub(super) fn of(objects: &[&KubernetesObject]) -> PriorityClasses {
        let built_in = |(name, value): (&str, i64)| {
            (name.to_owned(), PriorityClass { value, is_default: false, never_preempts: false, is_new: false })
        };
        let mut classes: BTreeMap<String, PriorityClass> = BUILT_IN.map(built_in).into();
        for object in objects {
            let key = object.full_key();
            let Some(name) = key.strip_prefix("PriorityClass.scheduling.k8s.io/") else { continue };
            let Some(class) = super::value(object) else { continue };
            let read = PriorityClass {
                value: class.get("value").and_then(Value::as_i64).unwrap_or(0),
                is_default: class.get("globalDefault") == Some(&Value::Bool(true)),
                never_preempts: class.get("preemptionPolicy").and_then(Value::as_str) == Some("Never"),
                is_new: false,
            };
            classes.insert(name.to_owned(), read);
        }
        PriorityClasses(classes)
    }

    /// Returns the value of a class. `None`: the class does not exist.
    pub(super) fn value(&self, name: &str) -> Option<i64> {
        self.0.get(name).map(|class| class.value)
    }

    /// Returns the value of pods that name no class: the least one of the default classes. `None`: no class is the default.
    pub(super) fn default_value(&self) -> Option<i64> {
        self.0.values().filter(|class| class.is_default).map(|class| class.value).min()
    }

    /// Returns whether the class forbids its pods to preempt.
    pub(super) fn never_preempts(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|class| class.never_preempts)
    }

    /// Returns the name of a class with this value, which may be a new one. Classes that forbid preemption are not used.
    pub(super) fn named(&mut self, value: i64) -> String {
        let known = self.0.iter().find(|(_, class)| class.value == value && !class.never_preempts);
        if let Some((name, _)) = known {
            return name.clone();
        }
        let sign = if value < 0 { "minus-" } else { "" };
        let mut name = format!("priority-{sign}{}", value.unsigned_abs());
        while self.0.contains_key(&name) {
            name.push_str("-new");
        }
        self.0.insert(name.clone(), PriorityClass { value, is_default: false, never_preempts: false, is_new: true });
        name
    }

    /// Returns the objects of the new classes.
    pub(super) fn added(&self) -> Vec<Value> {
        let object = |(name, class): (&String, &PriorityClass)| {
            json!({ "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": { "name": name },
                    "value": class.value })
        };
        self.0.iter().filter(|(_, class)| class.is_new).map(object).collect()
    }
}
