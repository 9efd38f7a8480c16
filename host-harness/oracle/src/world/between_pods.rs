//! Constraints between pods, asked of the cluster as it would be.

use super::{Node, Pod, World};
use crate::constraints::{Dump, Places, inter_pod};
use crate::object::at;

impl World {
    /// Whether a pod of the cluster has constraints towards others.
    pub(crate) fn is_constrained(&self) -> bool {
        let keys = ["/spec/affinity/podAffinity", "/spec/affinity/podAntiAffinity", "/spec/topologySpreadConstraints"];
        self.pods.values().any(|pod| keys.iter().any(|key| at(&pod.object, key).is_some()))
    }

    /// The pods that hold a node and stay, each with its node.
    pub(crate) fn places(&self, stays: impl Fn(&Pod) -> bool) -> Places {
        let place = |pod: &Pod| Some((pod.name.clone(), pod.place()?.to_owned()));
        self.pods.values().filter(|pod| stays(pod)).filter_map(place).collect()
    }

    /// What is broken of the constraints between a pod on a node and all others, where these are where `places` says.
    pub(crate) fn broken_between(&self, pod: &Pod, node: &Node, mut places: Places) -> Vec<String> {
        places.insert(pod.name.clone(), node.name.clone());
        let objects = self.nodes.values().map(|node| &node.object).chain(self.pods.values().map(|pod| &pod.object));
        inter_pod::broken(&Dump::of(objects), &places, &pod.object, &node.object)
    }

    /// Whether a pod may be on a node as far as others are concerned when some of these have left; also where pods that are nominated to
    /// the node and are no less important have come, and where they have not.
    pub(crate) fn agrees(
        &self,
        pod: &Pod,
        node: &Node,
        gone: impl Fn(&Pod) -> bool,
        priority: fn(&Pod) -> i64,
    ) -> bool {
        if !self.is_constrained() {
            return true;
        }
        let places = self.places(|other| !gone(other));
        let promised = |other: &&Pod| {
            other.pending()
                && other.nominated.as_deref() == Some(&node.name)
                && priority(other) >= priority(pod)
                && other.name != pod.name
        };
        let promised = self.pods.values().filter(promised).map(|other| (other.name.clone(), node.name.clone()));
        let with: Places = places.clone().into_iter().chain(promised).collect();
        self.broken_between(pod, node, places).is_empty() && self.broken_between(pod, node, with).is_empty()
    }
}
