//! Kubernetes label selectors: `matchLabels` and `matchExpressions`.

use std::sync::Arc;

use serde_json::Value;

use super::ParsedObject;
use crate::contract::{self, Finding, PodTemplate};

/// The labels of a pod. They are in the template of the pod, which lives as long as the pod: every pod has some, and a copy for each pod
/// would take time and memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels(Arc<PodTemplate>);

impl Labels {
    /// Returns all labels of a pod. The system must declare the interest `*`.
    pub fn of(pod: &contract::Pod) -> Labels {
        Labels(Arc::clone(&pod.template))
    }

    /// Returns the namespace of the pod.
    pub fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Returns whether the pod has no label.
    pub fn is_empty(&self) -> bool {
        !self.0.labels.iter().any(|label| label.value.contains('='))
    }

    /// Returns the value of a label. `None`: the pod does not have the label.
    fn get(&self, key: &str) -> Option<&str> {
        self.0.labels.iter().find_map(|label| label.value.strip_prefix(key)?.strip_prefix('='))
    }
}

/// A label selector: a pod must meet every requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

/// One requirement on pod labels.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    DoesNotExist(String),
}

impl Selector {
    /// Reads the selector at a JSON pointer; an absent selector is empty. An unknown operator is an error.
    pub fn read(object: &ParsedObject, path: &str) -> Result<Selector, Finding> {
        let labels = object.at(&format!("{path}/matchLabels")).and_then(Value::as_object);
        let equal = labels
            .into_iter()
            .flatten()
            .map(|(key, value)| Ok(Requirement::In(key.clone(), vec![value.as_str().unwrap_or_default().to_owned()])));
        let path = format!("{path}/matchExpressions");
        let expressions = object.at(&path).and_then(Value::as_array);
        let expressions =
            expressions.into_iter().flatten().map(|expression| Requirement::read(object, &path, expression));
        equal.chain(expressions).collect::<Result<_, _>>().map(Selector)
    }

    /// Checks whether the selector has no requirement. Kinds differ in what an empty selector means.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks whether these labels meet every requirement.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.0.iter().all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    fn read(object: &ParsedObject, path: &str, expression: &Value) -> Result<Requirement, Finding> {
        let text = |key: &str| expression.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let values = values.filter_map(Value::as_str).map(str::to_owned).collect();
        let key = text("key");
        match text("operator").as_str() {
            "In" => Ok(Requirement::In(key, values)),
            "NotIn" => Ok(Requirement::NotIn(key, values)),
            "Exists" => Ok(Requirement::Exists(key)),
            "DoesNotExist" => Ok(Requirement::DoesNotExist(key)),
            other => {
                let message = format!("`{other}` is not an operator of a label selector");
                Err(object.error(path, message, "write `In`, `NotIn`, `Exists` or `DoesNotExist`"))
            }
        }
    }

    fn matches(&self, labels: &Labels) -> bool {
        let is_in = |value: &str, values: &[String]| values.iter().any(|one| one == value);
        match self {
            Requirement::In(key, values) => labels.get(key).is_some_and(|value| is_in(value, values)),
            Requirement::NotIn(key, values) => labels.get(key).is_none_or(|value| !is_in(value, values)),
            Requirement::Exists(key) => labels.get(key).is_some(),
            Requirement::DoesNotExist(key) => labels.get(key).is_none(),
        }
    }
}
