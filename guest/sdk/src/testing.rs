//! A small cluster for the tests of a policy, without WebAssembly: objects by name, events in the order of the contract.

use std::collections::BTreeMap;

use lictor_contract::quantity::{self, Unit};

use crate::*;

/// A policy, and the cluster that a test announces to it.
#[derive(Debug)]
pub struct TestCluster<P> {
    /// The policy.
    pub policy: P,
    /// The findings of the policy on the objects so far.
    pub findings: Vec<Finding>,
    resources: Vec<String>,
    nodes: BTreeMap<String, NodeId>,
    pods: BTreeMap<String, Pod>,
}

impl<P: Policy> TestCluster<P> {
    /// Creates the policy under its first system, in an empty cluster.
    pub fn new(arguments: &str) -> Result<TestCluster<P>, ConfigError> {
        let mut policy = P::default();
        let first = P::describe().systems.into_iter().next();
        policy.configure(&first.map(|system| system.name).unwrap_or_default(), arguments)?;
        let (nodes, pods) = (BTreeMap::new(), BTreeMap::new());
        Ok(TestCluster { policy, findings: Vec::new(), resources: Vec::new(), nodes, pods })
    }

    /// Adds or updates a node: `node("n1", "cpu=4,memory=8Gi")`.
    pub fn node(&mut self, name: &str, allocatable: &str) -> Result<NodeId, PolicyError> {
        let id = self.nodes.get(name).copied().unwrap_or_else(|| next(self.nodes.len()));
        self.nodes.insert(name.to_owned(), id);
        let allocatable = self.amounts(allocatable)?;
        self.apply(Event::NodeUpserted(Node { id, name: name.to_owned(), allocatable, labels: Vec::new() }))?;
        Ok(id)
    }

    /// Adds a pending pod: `pod("a", "cpu=1")`. Each is created a nanosecond after the one before.
    pub fn pod(&mut self, name: &str, requests: &str) -> Result<PodId, PolicyError> {
        let id = next(self.pods.len());
        let requests = self.amounts(requests)?;
        let born = i64::from(id);
        let pod = Pod { created: born, entered: born, ..Pod::pending(id, "default", name) };
        let pod = pod.with(|template| template.requests = requests);
        self.pods.insert(name.to_owned(), pod.clone());
        self.apply(Event::PodUpserted(pod))?;
        Ok(id)
    }

    /// Binds a pod to a node, where it runs from now on.
    pub fn bind(&mut self, pod: &str, node: &str) -> Result<(), PolicyError> {
        let node = self.nodes.get(node).copied().ok_or(PolicyError::UnknownNode(NodeId::MAX))?;
        let pod = self.pods.get_mut(pod).ok_or(PolicyError::UnknownPod(PodId::MAX))?;
        (pod.node, pod.phase) = (Some(node), Phase::Running);
        let changed = pod.status();
        self.apply(Event::PodStatus(changed))
    }

    /// Returns these pods in queue order.
    pub fn queue(&mut self, mut pods: Vec<PodId>) -> Result<Vec<PodId>, PolicyError> {
        pods.sort_by_key(|pod| self.pods.iter().find(|(_, known)| known.id == *pod).map(|(name, _)| name));
        Ok(self.policy.queue_keys(pods.clone())?.sort(pods))
    }

    /// Applies one event.
    pub fn apply(&mut self, event: Event) -> Result<(), PolicyError> {
        let applied = self.policy.apply(vec![event])?;
        self.findings.extend(applied.findings);
        Ok(())
    }

    /// Reads `cpu=1,memory=2Gi`, and announces resources that are new.
    fn amounts(&mut self, text: &str) -> Result<Vec<Amount>, PolicyError> {
        let wrong = |part: &str| PolicyError::WrongState(format!("`{part}` is no amount such as `cpu=1`"));
        let mut amounts = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let value = quantity::parse(value, Unit::of(name)).map_err(|_| wrong(part))?;
            let known = self.resources.iter().position(|known| known == name);
            let resource = next(known.unwrap_or(self.resources.len()));
            if known.is_none() {
                self.resources.push(name.to_owned());
                self.apply(Event::Resources(vec![Resource { name: name.to_owned(), everywhere: 0 }]))?;
            }
            amounts.push(Amount { resource, value });
        }
        Ok(amounts)
    }
}

/// Returns the number that comes after so many.
fn next(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
