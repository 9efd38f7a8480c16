//! What a policy that only listens to events knows.

use std::collections::BTreeMap;

use super::*;

/// The cluster as computed from events.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Picture {
    resources: Vec<Resource>,
    nodes: BTreeMap<NodeId, Node>,
    shapes: BTreeMap<ShapeId, Vec<u64>>,
    topologies: BTreeMap<TopologyId, Topology>,
    inter_pods: BTreeMap<InterPodId, InterPod>,
    pods: BTreeMap<PodId, Pod>,
    objects: BTreeMap<(String, String, String, String), String>,
    clock: i64,
}

impl Picture {
    /// Applies events. Checks that each object that an event names was announced.
    pub(super) fn apply(&mut self, events: Vec<Event>) {
        for event in events {
            self.apply_one(event);
        }
        for pod in self.pods.values() {
            for node in [pod.node, pod.nominated, pod.required_node].into_iter().flatten() {
                assert!(self.nodes.contains_key(&node), "{pod:?} names a node that is gone");
            }
        }
    }

    fn apply_one(&mut self, event: Event) {
        match event {
            Event::Resources(new) => self.resources.extend(new),
            Event::NodeUpserted(node) => {
                self.know(&node.allocatable);
                let known = self.nodes.values().find(|known| known.name == node.name);
                assert!(known.is_none_or(|known| known.id == node.id), "two nodes of one name");
                self.nodes.insert(node.id, node);
            }
            Event::NodeRemoved(id) => {
                assert!(self.nodes.remove(&id).is_some());
                assert!(self.pods.values().all(|pod| pod.node != Some(id)), "a pod is bound to a node that goes");
            }
            Event::PodUpserted(pod) => {
                self.know(&pod.template.requests);
                assert!(self.shapes.contains_key(&pod.shape), "a shape that was not announced");
                assert!(
                    pod.inter_pod.is_none_or(|id| self.inter_pods.contains_key(&id)),
                    "demands that were not announced"
                );
                assert!(pod.node.is_none_or(|node| self.nodes.contains_key(&node)), "a node that was not announced");
                let same = |known: &&Pod| {
                    (known.kind, &known.template.namespace, &known.name)
                        == (pod.kind, &pod.template.namespace, &pod.name)
                };
                let known = self.pods.values().find(same);
                assert!(known.is_none_or(|known| known.id == pod.id), "two pods of one name");
                self.pods.insert(pod.id, pod);
            }
            Event::PodStatus(status) => {
                let node = self.pods[&status.id].node;
                assert!(node.is_none() || status.node.is_some(), "a pod that loses its node is told whole");
                self.pods.get_mut(&status.id).unwrap().set_status(&status);
            }
            Event::PodRemoved(id) => assert!(self.pods.remove(&id).is_some()),
            Event::Eligibility(eligibility) => {
                self.shapes.insert(eligibility.shape, eligibility.nodes);
            }
            Event::Topology(topology) => {
                self.topologies.insert(topology.id, topology);
            }
            Event::InterPod(inter_pod) => {
                let terms = inter_pod.anti_affinity.iter().map(|term| &term.topology);
                let affinity = inter_pod.affinity.iter().flat_map(|affinity| &affinity.topologies);
                let spread = inter_pod.spread.iter().map(|spread| &spread.topology);
                let all_known = terms.chain(affinity).chain(spread).all(|id| self.topologies.contains_key(id));
                assert!(all_known, "a topology that was not announced");
                self.inter_pods.insert(inter_pod.id, inter_pod);
            }
            Event::ObjectUpserted(Object { group, kind, namespace, name, json }) => {
                self.objects.insert((group, kind, namespace, name), json);
            }
            Event::ObjectRemoved(ObjectKey { group, kind, namespace, name }) => {
                assert!(self.objects.remove(&(group, kind, namespace, name)).is_some());
            }
            Event::Clock(now) => {
                assert!(now >= self.clock);
                self.clock = now;
            }
            Event::PlanAccepted(_) | Event::PlanRefused(_) => panic!("the mirror knows no plans"),
        }
    }

    fn know(&self, amounts: &[Amount]) {
        assert!(amounts.iter().all(|amount| (amount.resource as usize) < self.resources.len()), "an unknown resource");
    }
}
