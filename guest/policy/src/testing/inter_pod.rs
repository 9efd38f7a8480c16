//! What stands between pods, in words.

use super::{Draft, World};
use crate::contract::{Event, InterPod, PodAffinity, Topology, TopologySpread, TopologyTerm};

/// The topology of zones.
pub const ZONE: u32 = 0;
/// The topology in which every node is a domain.
pub const HOST: u32 = 1;
/// The topology in which all nodes are of one domain.
pub const CLUSTER: u32 = 2;

/// What stands between pods of these sets and others: nothing but that they are in these sets.
pub fn in_sets(id: u32, sets: &[u32]) -> InterPod {
    InterPod { id, selected_by: sets.to_vec(), affinity: None, anti_affinity: Vec::new(), spread: Vec::new() }
}

/// The same, and they forbid the pods of a set in their domain.
pub fn forbidding(set: u32, topology: u32, own: InterPod) -> InterPod {
    InterPod { anti_affinity: vec![TopologyTerm { selector: set, topology }], ..own }
}

/// The same, and they need a pod of a set in their domain.
pub fn needing(set: u32, topology: u32, own: InterPod) -> InterPod {
    InterPod { affinity: Some(PodAffinity { selector: set, topologies: vec![topology] }), ..own }
}

/// The same, and a domain may have one pod of a set more than the one with the fewest, of all nodes.
pub fn spreading(set: u32, topology: u32, own: InterPod) -> InterPod {
    let (selector, max_skew, min_domains, nodes) = (set, 1, 1, vec![u64::MAX]);
    InterPod { spread: vec![TopologySpread { selector, topology, max_skew, min_domains, nodes }], ..own }
}

impl Draft {
    /// What stands between it and others.
    pub fn inter_pod(self, id: u32) -> Draft {
        self.with(|pod| pod.inter_pod = Some(id))
    }
}

impl World {
    /// Nodes with so many cores each, and their zones; 0: none.
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
        self.tell([zones, hosts, cluster].map(Event::Topology).to_vec());
    }

    /// What stands between pods.
    pub fn inter_pods(&mut self, told: impl IntoIterator<Item = InterPod>) {
        self.tell(told.into_iter().map(Event::InterPod).collect());
    }
}
