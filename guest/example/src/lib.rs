//! A policy written with `lictor-sdk`: first come first served, with one quota for all pods.
//!
//! The argument `cpu` bounds what all pods together may use. Pods are tried in the order in which they came; one that does not fit
//! within the quota is rejected until others have ended. Nodes are filled one after another: of those that take a pod, the one that is left
//! most allocated is the best.

mod quota;

use std::collections::BTreeMap;

use lictor_sdk::quantity::{self, Unit};
use lictor_sdk::*;
use quota::{CpuQuota, amount};

/// Adds up the cpu that pods request.
fn sum<'a>(pods: impl Iterator<Item = &'a TrackedPod>) -> i64 {
    pods.fold(0, |sum: i64, pod| sum.saturating_add(pod.cpu))
}

/// The only system.
const SYSTEM: &str = "first-come-first-served";

/// The code of the only law.
const LAW: &str = "first-come-first-served/quota";

/// The policy.
#[derive(Debug, Default)]
pub struct FirstCome {
    quota: CpuQuota,
    /// What each node has of `cpu`.
    nodes: BTreeMap<NodeId, i64>,
    pods: BTreeMap<PodId, TrackedPod>,
}

lictor_sdk::export!(FirstCome);

/// A pod as the policy knows it.
#[derive(Debug)]
struct TrackedPod {
    entered: i64,
    created: i64,
    cpu: i64,
    /// The node it is on.
    bound: Option<NodeId>,
    /// The node that is reserved for it.
    reserved: Option<NodeId>,
}

impl TrackedPod {
    /// Returns the node whose cpu the pod uses. `None`: the pod is neither bound nor reserved.
    fn node(&self) -> Option<NodeId> {
        self.bound.or(self.reserved)
    }
}

impl FirstCome {
    fn pod(&mut self, pod: PodId) -> Result<&mut TrackedPod, PolicyError> {
        self.pods.get_mut(&pod).ok_or(PolicyError::UnknownPod(pod))
    }

    /// Adds up the cpu of all pods that have nodes.
    fn used(&self) -> i64 {
        sum(self.pods.values().filter(|pod| pod.node().is_some()))
    }

    /// Returns how many hundredths of a node's cpu are allocated with the pod on the node, from 0 to 100.
    fn allocated(&self, cpu: i64, node: NodeId) -> i64 {
        let has = self.nodes.get(&node).copied().unwrap_or(0);
        let used = sum(self.pods.values().filter(|pod| pod.node() == Some(node))).saturating_add(cpu);
        used.saturating_mul(100).checked_div(has).unwrap_or(0).clamp(0, 100)
    }

    fn upsert(&mut self, pod: Pod) {
        let status = pod.status();
        let known = TrackedPod {
            cpu: self.quota.of(&pod.template.requests),
            bound: None,
            reserved: self.pods.get(&pod.id).and_then(|known| known.reserved),
            entered: pod.entered,
            created: pod.created,
        };
        self.pods.insert(pod.id, known);
        self.set_status(&status);
    }

    fn set_status(&mut self, status: &PodStatus) {
        let Some(known) = self.pods.get_mut(&status.id) else { return };
        let ended = matches!(status.phase, Phase::Succeeded | Phase::Failed);
        known.bound = status.node.filter(|_| !ended);
        known.reserved = known.reserved.filter(|_| status.node.is_none());
    }
}

impl Policy for FirstCome {
    fn describe() -> Description {
        use ExtensionPoint::{PreFilter, QueueOrder, Reserve, Score};
        let points = [QueueOrder, PreFilter, Score, Reserve];
        let mut system = system_info(SYSTEM, "first come first served, with one quota", &points);
        system.arguments = vec![Argument {
            name: "cpu".to_owned(),
            kind: ArgumentKind::Text.into(),
            default: "null".to_owned(),
            about: "what all pods together may use; without it there is no bound".to_owned(),
        }];
        system.templates = vec![Template {
            code: LAW.to_owned(),
            case: String::new(),
            text: "quota exceeded: <{resource}: used {used}, requested {requested}, max {max}>".to_owned(),
        }];
        Description { name: "example".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), systems: vec![system] }
    }

    fn configure(&mut self, system: &str, arguments: &str) -> Result<(), ConfigError> {
        if system != SYSTEM {
            return Err(ConfigError::UnknownSystem(vec![SYSTEM.to_owned()]));
        }
        let given: BTreeMap<String, serde_json::Value> = match arguments.trim() {
            "" => BTreeMap::new(),
            given => serde_json::from_str(given).map_err(|error| ConfigError::Malformed(error.to_string()))?,
        };
        for (name, value) in given {
            if name != "cpu" {
                return Err(ConfigError::UnknownArgument(name));
            }
            let cpu = value.as_str().and_then(|text| quantity::parse(text, Unit::Milli).ok());
            let bad = || BadArgument { name, expected: "a quantity such as `4`".to_owned(), found: value.to_string() };
            self.quota.max = Some(cpu.ok_or_else(bad).map_err(ConfigError::BadArgument)?);
        }
        Ok(())
    }

    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, PolicyError> {
        for event in events {
            match event {
                Event::Resources(resources) => self.quota.announce(&resources),
                Event::NodeUpserted(node) => drop(self.nodes.insert(node.id, self.quota.of(&node.allocatable))),
                Event::NodeRemoved(node) => drop(self.nodes.remove(&node)),
                Event::PodUpserted(pod) => self.upsert(pod),
                Event::PodStatus(status) => self.set_status(&status),
                Event::PodRemoved(pod) => drop(self.pods.remove(&pod)),
                _ => {}
            }
        }
        Ok(Applied { findings: Vec::new() })
    }

    fn queue_keys(&mut self, pods: Vec<PodId>) -> Result<SortKeys, PolicyError> {
        let key = |pod: PodId| {
            let known = self.pod(pod)?;
            Ok(KeyBuilder::new().ascending(known.entered).ascending(known.created).build())
        };
        // When a pod came never changes: there is one epoch only.
        Ok(SortKeys { epoch: 0, keys: pods.into_iter().map(key).collect::<Result<_, _>>()? })
    }

    fn pre_filter(&mut self, pod: PodId) -> Result<PreFiltered, PolicyError> {
        let (requested, used) = (self.pod(pod)?.cpu, self.used());
        // A pod that leaves or that ends makes room in the quota.
        let retry = Retry { at: None, after: vec![ChangeKind::PodRemoved.into(), ChangeKind::PodUpserted.into()] };
        let admission = match (self.quota.max, self.quota.cpu) {
            (Some(max), Some(cpu)) if used.saturating_add(requested) > max => Admission::Final(Reason {
                code: LAW.to_owned(),
                case: String::new(),
                facts: vec![amount("used", cpu, used), amount("requested", cpu, requested), amount("max", cpu, max)],
            }),
            _ => Admission::Pass,
        };
        Ok(PreFiltered { admission, retry, effects: Effects::default() })
    }

    fn score(&mut self, pod: PodId, nodes: Vec<NodeId>) -> Result<Vec<i64>, PolicyError> {
        let cpu = self.pod(pod)?.cpu;
        Ok(nodes.into_iter().map(|node| self.allocated(cpu, node)).collect())
    }

    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, PolicyError> {
        self.pod(pod)?.reserved = Some(node);
        Ok(Effects::default())
    }

    fn unreserve(&mut self, pod: PodId, _cause: ReleaseCause) -> Result<Effects, PolicyError> {
        self.pod(pod)?.reserved = None;
        Ok(Effects::default())
    }

    fn queues(&mut self) -> Result<Vec<QueueAccount>, PolicyError> {
        let pending = sum(self.pods.values().filter(|pod| pod.node().is_none()));
        Ok(vec![self.quota.account(self.used(), pending)])
    }

    fn memberships(&mut self, pods: Vec<PodId>) -> Result<Vec<Membership>, PolicyError> {
        let membership = |pod: PodId| {
            self.pod(pod)?;
            Ok(Membership { queue: Some(quota::NAME.to_owned()), job: None })
        };
        pods.into_iter().map(membership).collect()
    }
}

#[cfg(test)]
mod tests;
