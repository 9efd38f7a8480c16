//! What stands between pods, in words.

use super::{PodBuilder, PolicyHarness};
use crate::contract::{Event, InterPod, PodAffinity, Topology, TopologySpread, TopologyTerm};

/// The topology of zones.
pub const ZONE: u32 = 0;
/// The topology in which every node is a domain.
pub const HOST: u32 = 1;
/// The topology in which all nodes are of one domain.
pub const CLUSTER: u32 = 2;

/// Creates the constraints of pods that are in these sets and demand nothing.
pub fn in_sets(id: u32, sets: &[u32]) -> InterPod {
    InterPod { id, selected_by: sets.to_vec(), affinity: None, anti_affinity: Vec::new(), spread: Vec::new() }
}

/// Adds to constraints that the pods forbid the pods of a set in their domain.
pub fn forbidding(set: u32, topology: u32, own: InterPod) -> InterPod {
    InterPod { anti_affinity: vec![TopologyTerm { selector: set, topology }], ..own }
}

/// Adds to constraints that the pods need a pod of a set in their domain.
pub fn needing(set: u32, topology: u32, own: InterPod) -> InterPod {
    InterPod { affinity: Some(PodAffinity { selector: set, topologies: vec![topology] }), ..own }
}

/// Adds to constraints that a domain may have one pod of a set more than the domain with the fewest, of all nodes.
pub fn spreading(set: u32, topology: u32, own: InterPod) -> InterPod {
    let (selector, max_skew, min_domains, nodes) = (set, 1, 1, vec![u64::MAX]);
    InterPod { spread: vec![TopologySpread { selector, topology, max_skew, min_domains, nodes }], ..own }
}

impl PodBuilder {
    /// Sets the constraints between the pod and others.
    pub fn inter_pod(self, id: u32) -> PodBuilder {
        self.with(|pod| pod.inter_pod = Some(id))
    }
}

impl PolicyHarness {
    /// Announces nodes with so many cores each, and their zones; 0: no zone.
    pub fn zoned(&mut self, nodes: &[(&str, u32, u32)]) {
        for (node, cores, _) in nodes {
            self.node(node, &format!("cpu={cores}"));
        }
        let of = |of: &dyn Fn(u32, u32) -> u32| {
            let ids = nodes.iter().map(|(node, _, zone)| (*self.numbers.nodes.get(*node).unwrap(), *zone));
            let mut domains: Vec<(u32, u32)> = ids.map(|(id, zone)| (id, of(id, zone))).collect();
            domains.sort_unstable();
            assert!(domains.iter().zip(0..).all(|((id, _), at)| *id == at), "nodes without a zone: {domains:?}");
            domains.into_iter().map(|(_, domain)| domain).collect()
        };
        let zones = Topology { id: ZONE, key: "zone".to_owned(), domains: of(&|_, zone| zone) };
        let hosts = Topology { id: HOST, key: "host".to_owned(), domains: of(&|id, _| id.saturating_add(1)) };
        let cluster = Topology { id: CLUSTER, key: String::new(), domains: of(&|_, _| 1) };
        self.apply([zones, hosts, cluster].map(Event::Topology).to_vec());
    }

    /// Announces constraints between pods.
    pub fn inter_pods(&mut self, told: impl IntoIterator<Item = InterPod>) {
        self.apply(told.into_iter().map(Event::InterPod).collect());
    }
}
