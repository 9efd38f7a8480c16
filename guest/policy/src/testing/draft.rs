//! Pods in words.

use super::amounts;
use crate::contract::{Phase, Pod};

/// A pod under construction, with names in place of numbers.
#[derive(Debug, Clone)]
pub struct PodBuilder {
    pub(super) pod: Pod,
    pub(super) labels: Vec<(String, String)>,
    pub(super) annotations: Vec<(String, String)>,
    pub(super) node: Option<String>,
    pub(super) nominated: Option<String>,
    pub(super) only: Option<Vec<String>>,
}

/// Creates a pending pod of namespace `default`, or of the one in `namespace/name`; of priority 0, and without requests.
pub fn pod(name: &str) -> PodBuilder {
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let pod = Pod::pending(0, namespace, name).with(|template| template.priority = Some(0));
    PodBuilder { pod, labels: Vec::new(), annotations: Vec::new(), node: None, nominated: None, only: None }
}

/// Creates a pending reservation of priority 0.
pub fn reservation(name: &str) -> PodBuilder {
    pod(name).with(|pod| pod.kind = Some(0))
}

impl PodBuilder {
    pub fn requests(mut self, text: &str) -> PodBuilder {
        self.pod.template_mut().requests = amounts(text);
        self
    }

    pub fn priority(mut self, priority: i32) -> PodBuilder {
        self.pod.template_mut().priority = Some(priority);
        self
    }

    /// Sets the node that the pod runs on.
    pub fn on(mut self, node: &str) -> PodBuilder {
        (self.node, self.pod.phase) = (Some(node.to_owned()), Phase::Running);
        self
    }

    pub fn nominated(mut self, node: &str) -> PodBuilder {
        self.nominated = Some(node.to_owned());
        self
    }

    /// Sets the only nodes that the pod may run on.
    pub fn only_on(mut self, nodes: &[&str]) -> PodBuilder {
        self.only = Some(nodes.iter().map(|node| (*node).to_owned()).collect());
        self
    }

    pub fn label(mut self, key: &str, value: &str) -> PodBuilder {
        self.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    pub fn annotation(mut self, key: &str, value: &str) -> PodBuilder {
        self.annotations.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Changes the pod by a function, for fields without a method of their own.
    pub fn with(mut self, change: impl FnOnce(&mut Pod)) -> PodBuilder {
        change(&mut self.pod);
        self
    }

    /// Returns the name of the pod in the world: `namespace/name`, or `Reservation/name`.
    pub fn name(&self) -> String {
        match self.pod.kind {
            None => format!("{}/{}", self.pod.template.namespace, self.pod.name),
            Some(_) => format!("Reservation/{}", self.pod.name),
        }
    }
}
