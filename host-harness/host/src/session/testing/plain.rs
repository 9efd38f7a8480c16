//! A small policy with decisions of its own: it evicts pods of lower priority, and lets pods whose name begins with `g` wait for another such pod.
//! Pods of such names together may hold only so many cores. The excess is evicted without a preemptor.

use std::collections::{BTreeMap, BTreeSet};

use lictor_contract::*;

use super::reason;
use crate::policy::{CallError, Policy};
use crate::verify::testing::interests;

/// The time that a pod waits for another pod: 20 s, in nanoseconds.
const WAIT: i64 = 20_000_000_000;

/// The thousandths of a core that pods whose name begins with `g` may use together: 6 cores.
const MOST: i64 = 6_000;

/// The policy, and the objects that it received.
#[derive(Debug, Default)]
pub struct Plain {
    pods: BTreeMap<PodId, Pod>,
    nodes: BTreeMap<NodeId, Node>,
    reserved: BTreeMap<PodId, NodeId>,
    plans: u64,
}

impl Plain {
    fn cpu(amounts: &[Amount]) -> i64 {
        amounts.iter().filter(|amount| amount.resource == 0).map(|amount| amount.value).sum()
    }

    fn priority(&self, pod: PodId) -> i32 {
        self.pods.get(&pod).and_then(|pod| pod.template.priority).unwrap_or(0)
    }

    /// Returns the pods to evict from the node for the pod, those of the lowest priority first. `None`: evictions do not free enough.
    fn victims(&self, pod: &Pod, node: &Node, refused: &[PodId]) -> Option<Vec<PodId>> {
        let here = |other: &&Pod| other.node.or(self.reserved.get(&other.id).copied()) == Some(node.id);
        let promised = |other: &&Pod| {
            other.node.is_none() && other.nominated == Some(node.id) && other.id != pod.id && !other.terminating
        };
        let stays: Vec<&Pod> = self.pods.values().filter(here).filter(|other| !other.terminating).collect();
        let promised: i64 = self.pods.values().filter(promised).map(|other| Plain::cpu(&other.template.requests)).sum();
        let taken: i64 = stays.iter().map(|other| Plain::cpu(&other.template.requests)).sum();
        let mut short = taken + promised + Plain::cpu(&pod.template.requests) - Plain::cpu(&node.allocatable);
        let lower = |other: &&&Pod| self.priority(other.id) < self.priority(pod.id) && other.node.is_some();
        let refused = |other: &&&Pod| refused.contains(&other.id);
        let mut candidates: Vec<&&Pod> = stays.iter().filter(lower).filter(|other| !refused(other)).collect();
        candidates.sort_by_key(|other| (self.priority(other.id), other.id));
        let mut victims = Vec::new();
        for victim in candidates {
            if short <= 0 {
                break;
            }
            short -= Plain::cpu(&victim.template.requests);
            victims.push(victim.id);
        }
        (short <= 0).then_some(victims)
    }

    /// Returns whether victims on the pod's nominated node have not left yet.
    fn waits_for_victims(&self, pod: &Pod) -> bool {
        let leaving = |other: &Pod| other.terminating && other.node.is_some() && other.node == pod.nominated;
        pod.nominated.is_some() && self.pods.values().any(leaving)
    }
}

impl Policy for Plain {
    fn restart(&mut self) -> Result<(), CallError> {
        *self = Plain::default();
        Ok(())
    }
    fn has(&self, interface: Interface) -> bool {
        matches!(interface, Interface::Placement | Interface::Permit | Interface::Enforce)
    }
    fn describe(&mut self) -> Result<Description, CallError> {
        let points =
            [ExtensionPoint::PostFilter, ExtensionPoint::Reserve, ExtensionPoint::Permit, ExtensionPoint::Enforce];
        let set = SystemInfo {
            name: "plain".to_owned(),
            about: String::new(),
            extension_points: points.map(|point| point.name().to_owned()).to_vec(),
            schedulers: vec!["default-scheduler".to_owned()],
            interests: interests(),
            judges_room: false,
            evicts_higher_priority: false,
            arguments: Vec::new(),
            templates: Vec::new(),
        };
        Ok(Description { name: "plain".to_owned(), version: "0".to_owned(), systems: vec![set] })
    }
    fn configure(&mut self, _laws: &str, _arguments: &str) -> Result<Result<(), ConfigError>, CallError> {
        Ok(Ok(()))
    }
    fn apply(&mut self, events: Vec<Event>) -> Result<Applied, CallError> {
        for event in events {
            match event {
                Event::PodUpserted(pod) => {
                    if pod.node.is_some() {
                        self.reserved.remove(&pod.id);
                    }
                    self.pods.insert(pod.id, pod);
                }
                Event::PodStatus(status) => {
                    if status.node.is_some() {
                        self.reserved.remove(&status.id);
                    }
                    self.pods.get_mut(&status.id).unwrap().set_status(&status);
                }
                Event::PodRemoved(pod) => {
                    assert!(self.pods.remove(&pod).is_some(), "a pod is gone that it was not told of");
                    assert!(self.reserved.remove(&pod).is_none(), "a pod is gone that was not unreserved");
                }
                Event::NodeUpserted(node) => {
                    self.nodes.insert(node.id, node);
                }
                _ => {}
            }
        }
        Ok(Applied { findings: Vec::new() })
    }
    fn post_filter(&mut self, pods: &[PodId], refuted: &Refuted) -> Result<PostFiltered, CallError> {
        let id = *pods.first().unwrap();
        let pod = self.pods.get(&id).unwrap().clone();
        let none = |effects| {
            let retry = Retry::default();
            Ok(PostFiltered { plan: None, reason: reason("no room"), retry, effects })
        };
        if self.waits_for_victims(&pod) {
            return none(Effects::default());
        }
        let tried: BTreeSet<NodeId> = refuted.placements.iter().map(|placement| placement.node).collect();
        let nodes = self.nodes.values().filter(|node| !tried.contains(&node.id));
        let plans = nodes.filter_map(|node| Some((self.victims(&pod, node, &refuted.victims)?, node.id)));
        let Some((victims, node)) = plans.min_by_key(|(victims, node)| (victims.len(), *node)) else {
            return none(Effects { withdrawn: vec![id], ..Effects::default() });
        };
        self.plans += 1;
        let plan = Plan {
            id: self.plans,
            preemptor: id,
            nominations: vec![Placement { pod: id, node }],
            victims: victims.into_iter().map(|pod| Victim { pod, eviction: Eviction::Delete }).collect(),
            marks: Vec::new(),
            reason: reason("needs room"),
        };
        let (retry, effects) = Default::default();
        Ok(PostFiltered { plan: Some(plan), reason: reason("needs room"), retry, effects })
    }
    fn reserve(&mut self, pod: PodId, node: NodeId) -> Result<Effects, CallError> {
        assert!(self.reserved.insert(pod, node).is_none(), "a pod is reserved twice");
        Ok(Effects::default())
    }
    fn unreserve(&mut self, pod: PodId, _cause: ReleaseCause) -> Result<Effects, CallError> {
        assert!(self.reserved.remove(&pod).is_some(), "a pod is unreserved that was not reserved");
        Ok(Effects::default())
    }
    fn enforce(&mut self) -> Result<Enforced, CallError> {
        let holds = |pod: &&Pod| pod.name.starts_with('g') && pod.node.is_some() && !pod.terminating;
        let held: Vec<&Pod> = self.pods.values().filter(holds).collect();
        let mut over = held.iter().map(|pod| Plain::cpu(&pod.template.requests)).sum::<i64>() - MOST;
        let mut victims = Vec::new();
        for pod in held.iter().rev() {
            if over <= 0 {
                break;
            }
            over -= Plain::cpu(&pod.template.requests);
            victims.push(Victim { pod: pod.id, eviction: Eviction::Delete });
        }
        if victims.is_empty() {
            return Ok(Enforced::default());
        }
        self.plans += 1;
        let (queue, marks, reason) = ("g".to_owned(), Vec::new(), reason("it gives back"));
        let enforcement = Enforcement { id: self.plans, queue, victims, marks, reason };
        Ok(Enforced { enforcements: vec![enforcement], retry: Retry::default() })
    }
    fn permit(&mut self, pod: PodId) -> Result<Permitted, CallError> {
        let waits = |pod: &PodId| self.pods.get(pod).is_some_and(|pod| pod.name.starts_with('g'));
        let admits: Vec<PodId> = self.reserved.keys().copied().filter(|other| *other != pod && waits(other)).collect();
        let alone = waits(&pod) && admits.is_empty();
        let permission = if alone { Permission::Wait(WAIT) } else { Permission::Allow };
        let admits = if waits(&pod) { admits } else { Vec::new() };
        let (retry, effects) = (Retry::default(), Effects { admits, ..Effects::default() });
        Ok(Permitted { permission, reason: reason("its pair"), retry, effects })
    }
}
