//! Constraints between pods, asked of the cluster as it would be.

use super::{ModelCluster, ModelNode, ModelPod};
use crate::constraints::{NodeByPod, ObjectIndex, inter_pod};
use crate::object::at;

impl ModelCluster {
    /// Returns whether a pod of the cluster has constraints towards others.
    pub(crate) fn is_constrained(&self) -> bool {
        let keys = ["/spec/affinity/podAffinity", "/spec/affinity/podAntiAffinity", "/spec/topologySpreadConstraints"];
        self.pods.values().any(|pod| keys.iter().any(|key| at(&pod.object, key).is_some()))
    }

    /// Returns the pods that hold a node and that `stays` selects, each with its node.
    pub(crate) fn node_by_pod(&self, stays: impl Fn(&ModelPod) -> bool) -> NodeByPod {
        let place = |pod: &ModelPod| Some((pod.name.clone(), pod.occupied_node()?.to_owned()));
        self.pods.values().filter(|pod| stays(pod)).filter_map(place).collect()
    }

    /// Returns the failed constraints between a pod on a node and all others, as messages, where `places` holds the nodes of the others.
    pub(crate) fn broken_constraints(&self, pod: &ModelPod, node: &ModelNode, mut places: NodeByPod) -> Vec<String> {
        places.insert(pod.name.clone(), node.name.clone());
        let objects = self.nodes.values().map(|node| &node.object).chain(self.pods.values().map(|pod| &pod.object));
        inter_pod::broken(&ObjectIndex::of(objects), &places, &pod.object, &node.object)
    }

    /// Returns whether the constraints between pods allow a pod on a node once the pods that `gone` selects have left. They must allow it without
    /// and with the pods that are nominated and no less important, as if these were on their nodes. Each of these must stay allowed there; for them
    /// the pods that `left` selects are gone.
    pub(crate) fn allows(
        &self,
        (pod, node): (&ModelPod, &ModelNode),
        gone: impl Fn(&ModelPod) -> bool,
        left: impl Fn(&ModelPod) -> bool,
        priority: fn(&ModelPod) -> i64,
    ) -> bool {
        if !self.is_constrained() {
            return true;
        }
        let allowed = |pod: &ModelPod, node: &ModelNode, places: &NodeByPod| {
            let others = places.clone().into_iter().filter(|(name, _)| *name != pod.name);
            self.broken_constraints(pod, node, others.collect()).is_empty()
        };
        let promised: Vec<(&ModelPod, &ModelNode)> = self.nominated_pods(pod, priority).collect();
        let with = |mut places: NodeByPod| {
            places.extend(promised.iter().map(|(other, on)| (other.name.clone(), on.name.clone())));
            places
        };
        let places = self.node_by_pod(|other| !gone(other));
        let later = with(self.node_by_pod(|other| !left(other)));
        let beside: NodeByPod = later.clone().into_iter().chain([(pod.name.clone(), node.name.clone())]).collect();
        allowed(pod, node, &places)
            && allowed(pod, node, &with(places))
            && promised.iter().all(|(other, on)| !allowed(other, on, &later) || allowed(other, on, &beside))
    }

    /// Returns the other pods that are nominated and no less important, each with its node.
    fn nominated_pods(
        &self,
        pod: &ModelPod,
        priority: fn(&ModelPod) -> i64,
    ) -> impl Iterator<Item = (&ModelPod, &ModelNode)> {
        let least = (priority(pod), &pod.name);
        let counts = move |other: &&ModelPod| other.pending() && priority(other) >= least.0 && other.name != *least.1;
        let on = |other: &'_ ModelPod| self.nodes.get(other.nominated.as_deref()?);
        self.pods.values().filter(counts).filter_map(move |other| Some((other, on(other)?)))
    }
}
